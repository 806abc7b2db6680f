package relation

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/evidence/guard"
)

// sort of a quantity.
const (
	amount        = iota // of something
	calendar             // a year, a month, a day
	versionNumber        // 1.7.0
	label                // which of several: Table 3, step 2
)

// quantity is a number with what it counts.
type quantity struct {
	sort   int
	value  float64 // in the base unit of its dimension
	factor float64 // of the unit and the words it is written with: 1e6 for megabytes and millions; 0 where there is none
	exact  string  // what is no plain number: a version, a range, a date
	unit   string  // the dimension, or the stem of what is counted; "" when not said
	bound  byte    // 'l' at least, 'm' at most, '>', '<', '~' about, 0 exactly
	ends   bool    // it is one of the ends of a range
	since  bool    // of a date or version: from or until then, or when something happened once
	placed bool    // behind at or with, or before all else: it may say in which case
	near   string  // the stem of the word before it
	at     int     // how many words of content stand before it
	text   string  // as it stands there
	start  int     // where, in bytes
}

// scales are the units of a dimension: how many of its base unit each is.
var scales = map[string]struct {
	dimension string
	factor    float64
}{
	"nanosecond": {"second", 1e-9}, "microsecond": {"second", 1e-6}, "millisecond": {"second", 1e-3}, "second": {"second", 1}, "minute": {"second", 60}, "hour": {"second", 3600},
	"day": {"second", 86400}, "week": {"second", 7 * 86400}, "month": {"month", 1}, "year": {"month", 12}, "decade": {"month", 120}, "century": {"month", 1200},
	"bit": {"bit", 1}, "kilobit": {"bit", 1e3}, "megabit": {"bit", 1e6}, "gigabit": {"bit", 1e9}, "byte": {"byte", 1}, "kilobyte": {"byte", 1e3}, "megabyte": {"byte", 1e6}, "gigabyte": {"byte", 1e9}, "terabyte": {"byte", 1e12},
	"kibibyte": {"byte", 1 << 10}, "mebibyte": {"byte", 1 << 20}, "gibibyte": {"byte", 1 << 30}, "tebibyte": {"byte", 1 << 40},
	"nanometre": {"metre", 1e-9}, "micrometre": {"metre", 1e-6}, "millimetre": {"metre", 1e-3}, "centimetre": {"metre", 1e-2}, "metre": {"metre", 1}, "kilometre": {"metre", 1e3},
	"inch": {"metre", .0254}, "foot": {"metre", .3048}, "yard": {"metre", .9144}, "mile": {"metre", 1609.344},
	"microgram": {"gram", 1e-6}, "milligram": {"gram", 1e-3}, "gram": {"gram", 1}, "kilogram": {"gram", 1e3}, "tonne": {"gram", 1e6},
	"millilitre": {"litre", 1e-3}, "litre": {"litre", 1}, "hertz": {"hertz", 1}, "kilohertz": {"hertz", 1e3}, "megahertz": {"hertz", 1e6}, "gigahertz": {"hertz", 1e9}, "terahertz": {"hertz", 1e12},
	"milliwatt": {"watt", 1e-3}, "watt": {"watt", 1}, "kilowatt": {"watt", 1e3}, "megawatt": {"watt", 1e6}, "gigawatt": {"watt", 1e9}, "terawatt": {"watt", 1e12},
	"kilowatt hour": {"watt hour", 1e3}, "megawatt hour": {"watt hour", 1e6}, "gigawatt hour": {"watt hour", 1e9}, "terawatt hour": {"watt hour", 1e12},
	"joule": {"joule", 1}, "kilojoule": {"joule", 1e3}, "megajoule": {"joule", 1e6}, "calorie": {"calorie", 1}, "kilocalorie": {"calorie", 1e3},
	"pascal": {"pascal", 1}, "hectopascal": {"pascal", 100}, "kilopascal": {"pascal", 1e3}, "percent": {"percent", 1}, "permille": {"percent", .1}, "bp": {"pp", .01}, "pp": {"pp", 1},
}

// magnitudes are the values of their words.
var magnitudes = map[string]float64{"hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "quadrillion": 1e15, "dozen": 12}

// readNumber begins a quantity.
func (r *reader) readNumber(g guard.Word) {
	small := strings.ToLower(g.Text)
	if small == "once" || small == "one" && r.bound == 0 && !r.negate || small == "first" || small == "firstly" || small == "null" {
		r.endQuantity()
		r.passed(g.End, false)
		return // "once it is", "one of them", "at first"
	}
	if r.open && r.quantities[len(r.quantities)-1].sort == calendar && (g.Kind == guard.Date || r.isDay(g)) {
		r.joinDate(g)
		return
	}
	r.endQuantity()
	if (small == "0" || small == "zero") && r.bound == 0 && r.unit == "" && !r.negate && countsNone(r.text[g.End:]) {
		r.negate = true // "0 jobs" are no jobs
		r.passed(g.End, false)
		return
	}
	q := quantity{exact: g.Norm, text: g.Text, bound: r.bound, unit: r.unit, start: g.Start, since: r.isSince()}
	if v, err := strconv.ParseFloat(g.Norm, 64); err == nil && !math.IsInf(v, 0) {
		q.value, q.exact = v, ""
	}
	switch {
	case g.Kind == guard.Date:
		q.sort = calendar
		q.exact = small
		if g.Norm != small {
			q.exact = "month " + g.Norm
		}
	case strings.HasSuffix(g.Norm, "st"), strings.HasSuffix(g.Norm, "nd"), strings.HasSuffix(g.Norm, "rd"), strings.HasSuffix(g.Norm, "th"):
		q.sort = label
	case r.labels && len(r.terms) > 0 && r.bound == 0 && r.unit == "" && strings.Contains(g.Text, ".") && isNamed(item{term: r.terms[len(r.terms)-1]}):
		q.sort, q.exact = versionNumber, small // Go 1.2 is not Go 1.20
	case r.labels && len(r.terms) > 0 && r.bound == 0 && r.unit == "" && g.Text[0] <= '9':
		q.near = r.terms[len(r.terms)-1].stem
	}
	r.addQuantity(q)
	r.passed(g.End, false)
}

// countsNone reports whether behind a nought come the things that there are none of, in
// their plural, and no unit: a time of 0 seconds is a quantity.
func countsNone(rest string) bool {
	fields := strings.Fields(rest)
	for _, word := range fields[:min(len(fields), 3)] {
		plain := strings.TrimRight(word, ".,;:)")
		if plain == "" || strings.Trim(plain, "abcdefghijklmnopqrstuvwxyz-") != "" || isPreposition(plain) || unitNames()[plain] != "" {
			return false
		}
		if len(plain) > 3 && strings.HasSuffix(plain, "s") {
			return true
		}
		if plain != word {
			return false
		}
	}
	return false
}

// isDay reports whether a number right behind a month is a day of it.
func (r *reader) isDay(g guard.Word) bool {
	day, err := strconv.Atoi(g.Norm)
	last := r.quantities[len(r.quantities)-1]
	return err == nil && day > 0 && day < 32 && strings.HasPrefix(last.exact, "month ") && strings.Count(last.exact, " ") == 1 && r.text[last.start+len(last.text):g.Start] == " "
}

// joinDate joins the parts of a date: May 1, 2024.
func (r *reader) joinDate(g guard.Word) {
	q := &r.quantities[len(r.quantities)-1]
	part := strings.ToLower(g.Text)
	if g.Norm != part {
		part = "month " + g.Norm
	}
	q.exact += " " + part
	q.text = r.text[q.start:g.End]
	r.passed(g.End, false)
}

// isSince reports whether the words before a date or a version say that
// something began, ended or happened then.
func (r *reader) isSince() bool {
	before := r.before
	if r.version {
		before = r.earlier
	}
	switch before {
	case "since", "until", "till", "from", "before", "after":
		return true
	}
	n := len(r.terms)
	return n > 0 && isEvent(r.terms[n-1].stem) || n > 1 && isEvent(r.terms[n-2].stem)
}

// isEvent reports what happens to a thing once.
func isEvent(stem string) bool { return lexicon().events[stem] }

func (r *reader) addQuantity(q quantity) {
	q.at, q.placed = len(r.terms), r.before == "at" || r.before == "with" || r.placing && len(r.terms) == 0
	r.placing, r.being = false, false
	r.quantities = append(r.quantities, q)
	r.bound, r.unit, r.negate = 0, "", false
	r.open = true
}

func (r *reader) readMagnitude(g guard.Word) {
	if m, known := magnitudes[g.Norm]; known && r.open {
		q := &r.quantities[len(r.quantities)-1]
		q.scale(m)
		q.text = r.text[min(q.start, g.Start):g.End]
		if q.sort == versionNumber {
			q.exact = ""
		}
		q.near, q.sort = "", amount
		r.passed(g.End, false)
		return
	}
	r.addTerm(g.Text, g.End)
}

func (r *reader) readUnit(g guard.Word) {
	if !r.open {
		if isCurrencySign(g.Text) {
			r.unit = g.Norm
			r.upTo = g.End
			return
		}
		r.addTerm(g.Text, g.End)
		return
	}
	q := &r.quantities[len(r.quantities)-1]
	if (q.sort == calendar || q.sort == versionNumber) && q.exact != "" && q.value != 0 {
		q.sort, q.exact = amount, "" // 1500 kg is no year, and Revenue 3.2 % no version
	}
	switch {
	case q.unit == "":
		q.unit = g.Norm
		q.near = ""
	case strings.HasSuffix(strings.TrimRight(r.text[:g.Start], " "), "/"), r.before == "per", r.before == "a", r.before == "an":
		q.unit += "/" + g.Norm
	default:
		r.endQuantity()
		r.addTerm(g.Text, g.End)
		return
	}
	if q.start > 0 || strings.HasPrefix(r.text, q.text) {
		q.text = strings.TrimSpace(r.text[q.start:g.End])
	}
	if s, known := scales[q.unit]; known {
		q.unit = s.dimension
		q.scale(s.factor)
		q.value = round(q.value)
	}
	r.passed(g.End, false)
	r.labels = false
}

func isCurrencySign(text string) bool { return strings.ContainsAny(text, "$€£¥₽₹") }

// round takes off what multiplication has added.
func round(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// closeWith ends the last quantity with the word behind it, which is what it
// counts unless it has a unit.
func (r *reader) closeWith(stem string) {
	q := &r.quantities[len(r.quantities)-1]
	if q.isLabel() {
		q.sort = label
	} else if q.unit == "" && q.sort == amount {
		q.unit, q.near = "of "+stem, ""
	}
	r.open = false
}

// isLabel reports whether a number says which of several is meant: Table 3.
func (q quantity) isLabel() bool {
	return q.sort == amount && q.unit == "" && q.bound == 0 && lexicon().labels[q.near]
}

// scale multiplies a quantity.
func (q *quantity) scale(by float64) {
	q.value *= by
	q.factor = by * q.written()
}

// written is how many base units one of what is written is.
func (q quantity) written() float64 {
	if q.factor == 0 {
		return 1
	}
	return q.factor
}

// endQuantity ends the last quantity where nothing follows that it could count.
func (r *reader) endQuantity() {
	if !r.open {
		return
	}
	r.open = false
	q := &r.quantities[len(r.quantities)-1]
	if q.isLabel() {
		q.sort = label
	}
}

// equal reports whether two quantities are one.
func (q quantity) equal(o quantity) bool {
	return q.sort == o.sort && q.unit == o.unit && q.bound == o.bound && q.exact == o.exact && close(q.value, o.value)
}

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// comparable reports whether two quantities count the same.
func (q quantity) comparable(o quantity) bool {
	return q.sort == o.sort && q.unit == o.unit && q.near == o.near
}

// excludes reports whether not both can be true of one thing.
func (q quantity) excludes(o quantity) bool {
	switch {
	case q.sort == versionNumber:
		return !strings.HasPrefix(q.exact+".", o.exact+".") && !strings.HasPrefix(o.exact+".", q.exact+".")
	case q.sort == calendar:
		return !isPartOf(q.exact, o.exact) && !isPartOf(o.exact, q.exact) // May 1998 is no other than May 4, 1998
	case q.exact != "" || o.exact != "":
		return q.exact != o.exact && (q.exact == "") == (o.exact == "")
	case q.bound == '~' || o.bound == '~':
		return math.Abs(q.value-o.value) > .2*max(math.Abs(q.value), math.Abs(o.value))
	}
	low, high := q.interval()
	from, to := o.interval()
	if q.bound == 0 && o.bound == 0 {
		return !close(q.value, o.value) && !isRounded(q.value, o.value) && !isRounded(o.value, q.value) && !q.isRoundedFrom(o) && !o.isRoundedFrom(q)
	}
	return low > to || from > high || low == to && (q.bound == '>' || o.bound == '<') || from == high && (o.bound == '>' || q.bound == '<') || q.bound != 0 && q.bound == o.bound && !close(q.value, o.value)
}

func (q quantity) interval() (low, high float64) {
	switch q.bound {
	case 'l', '>':
		return q.value, math.Inf(1)
	case 'm', '<':
		return math.Inf(-1), q.value
	}
	return q.value, q.value
}

// isRounded reports whether the first is the second with fewer digits behind the
// point.
func isRounded(short, long float64) bool {
	for digits := range 3 {
		p := math.Pow10(digits)
		if r := math.Round(long*p) / p; r != long && close(r, short) && short != 0 {
			return math.Round(short*p) == short*p && math.Abs(long) >= 1
		}
	}
	return false
}

// isRoundedFrom reports whether a quantity is another one in a larger unit, to as many
// digits as it has: 3.1 miles for 5 km, 8 minutes for 499 seconds, 2.1 million for
// 2,102,650, and 64 KB for 65536 bytes.
func (q quantity) isRoundedFrom(o quantity) bool {
	f := q.written()
	if q.unit != o.unit || f <= o.written() {
		return false
	}
	if q.unit == "byte" && o.written() == 1 && slices.ContainsFunc([]float64{1, 2, 3, 4}, func(k float64) bool { return close(f, math.Pow(1000, k)) && close(q.value*math.Pow(1.024, k), o.value) }) {
		return true
	}
	if math.Abs(q.value-o.value) > .05*math.Abs(o.value) {
		return false
	}
	for digits := range 4 {
		p := math.Pow10(digits)
		if figure := q.value / f * p; close(math.Round(figure), figure) {
			return close(math.Round(o.value/f*p), figure)
		}
	}
	return false
}

// isPartOf reports whether a date has all the parts of another.
func isPartOf(date, of string) bool {
	parts := strings.Fields(of)
	return !slices.ContainsFunc(strings.Fields(date), func(s string) bool { return !slices.Contains(parts, s) })
}

func (q quantity) digestText() string {
	exact := q.exact
	if exact == "" {
		exact = strconv.FormatFloat(q.value, 'g', 10, 64)
	}
	return strconv.Itoa(q.sort) + " " + exact + " " + q.unit + " " + string(rune(q.bound+'0'))
}

// versionAt reports whether a version stands at a place, and where it ends: with
// two points, with a v before it, or behind the word version.
func versionAt(text string, at int, named bool) (end int, ok bool) {
	i := at
	v := false
	if text[i] == 'v' || text[i] == 'V' {
		i++
		v = true
	}
	if i == len(text) || !isDigit(text[i]) {
		return 0, false
	}
	points, digits := 0, 0
	for i < len(text) {
		c := text[i]
		if c >= '0' && c <= '9' {
			i, digits = i+1, digits+1
			continue
		}
		if c != '.' || digits == 0 || i+1 == len(text) || text[i+1] < '0' || text[i+1] > '9' {
			break
		}
		i, points = i+1, points+1
	}
	for _, stage := range []string{"-alpha", "-beta", "-rc", "-dev", "-preview", "-snapshot", "-pre"} {
		if len(text)-i >= len(stage) && strings.EqualFold(text[i:i+len(stage)], stage) {
			for i += len(stage); i < len(text) && (isDigit(text[i]) || text[i] == '.' && i+1 < len(text) && isDigit(text[i+1])); i++ {
			}
			break
		}
	}
	if i < len(text) && (text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] == '_') {
		return 0, false
	}
	return i, digits > 0 && (points > 1 || v || named)
}
