package quote

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// isSameQuantity reports whether brackets hold the same number, unit or magnitude as
// the words they stand for, written otherwise: "[4]" for "four", "[minutes]" for the
// "min" behind 35. What stands before both is given.
func isSameQuantity(before, ours, theirs, language string) bool {
	const longest = 160 // bytes that a quantity in words may have
	if max(len(ours), len(theirs)) > longest {
		return false
	}
	ours, theirs = withoutSameParticles(ours, theirs)
	ours, power := withoutPower(ours)
	theirs, other := withoutPower(theirs)
	if power != other {
		return false
	}
	if a, b := korean[ours], korean[theirs]; language == "ko" && a+b != "" && (unicode.IsNumber(char.Last(before)) || strings.ContainsFunc(ours+theirs, unicode.IsNumber)) {
		return cmp.Or(a, ours) == cmp.Or(b, theirs)
	}
	if a, ok := valueOf(ours, language); ok {
		const exact = 1e-9 // of a value, as 9.8 lakh is not quite 980,000 in binary
		if b, ok := valueOf(theirs, language); ok && math.Abs(a-b) <= exact*math.Abs(a) {
			return true
		}
	}
	if isSameWithUnit(ours, theirs, language) || isSameShare(ours, theirs) && share().FindString(theirs) == theirs || isSymbolOf(before, ours, theirs, language) {
		return true
	}
	if base, short, ok := withoutMetric(ours, theirs); ok && unicode.IsDigit(char.Last(before)) && (abbreviates(short, base, before, language) || isSameQuantity(before, base, short, language)) {
		return true
	}
	number := lastWords(before, 2)
	if m, o := rate().FindStringSubmatch(ours), rate().FindStringSubmatch(theirs); m != nil && o != nil {
		isSame := func(before string, i int) bool {
			return isSameQuantity(before, m[i], o[i], language) || abbreviates(o[i], m[i], before, language)
		}
		return isSame(before, 1) && isSame("1", 2)
	}
	alone := quantityIn(number, language)
	with := func(unit string) string {
		if strings.ContainsAny(number, "$€£¥") && ofMoney[unit] != "" {
			unit = ofMoney[unit]
		}
		return number + " " + unit
	}
	a, b := quantityIn(with(ours), language), quantityIn(with(theirs), language)
	return len(a) > len(alone) && len(a) == len(b) && len(guard.Compare(a, b)) == 0 &&
		isQuantity(with(ours), with(ours)[len(number):], language) && isQuantity(with(theirs), with(theirs)[len(number):], language)
}

// rate is a unit by another: "mg/l", "milligrams per litre".
var rate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\P{Z}+)(?:/|\s(?:per|pro|par|por|na|на)\s)(\P{Z}+)$`)
})

// korean are numbers and units of Korean, as they are written in digits and symbols.
var korean = map[string]string{
	"한": "1", "두": "2", "세": "3", "네": "4", "다섯": "5", "여섯": "6", "일곱": "7", "여덟": "8", "아홉": "9", "열": "10", "열한": "11", "열두": "12", "스무": "20", "서른": "30", "마흔": "40", "쉰": "50",
	"킬로미터": "km", "미터": "m", "센티미터": "cm", "밀리미터": "mm", "킬로그램": "kg", "그램": "g", "밀리그램": "mg", "리터": "L", "톤": "t", "헥타르": "ha", "퍼센트": "%", "프로": "%",
}

// withoutSameParticles are two texts of Korean without the letters in which both end.
func withoutSameParticles(a, b string) (string, string) {
	for {
		r, size := utf8.DecodeLastRuneInString(a)
		if !unicode.Is(unicode.Hangul, r) || char.Last(b) != r || size == len(a) || size == len(b) {
			return strings.TrimRight(a, " "), strings.TrimRight(b, " ")
		}
		a, b = a[:len(a)-size], b[:len(b)-size]
	}
}

// powers are how units of areas and of volumes are written.
var powers = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i:²|square\b|\bcuadrad[oa]s?\b|quadrat(?:i\b|o\b|meter)?|\bcarrés?\b|\bquadrados?\b|\bvierkante\b|kvadrat|\bkwadratow\pL+|квадратн\pL+|平方|제곱)`),
		regexp.MustCompile(`(?i:³|\bcubic\b|\bcúbic[oa]s?\b|kubik|\bcubes?\b|\bcub[io]\b|\bkubieke\b|\bsześcienn\pL+|кубическ\pL+|立方|세제곱)`),
	}
})

// withoutPower is a unit without what makes it one of an area or a volume, and which of them.
func withoutPower(unit string) (length string, power int) {
	for i, re := range slices.Backward(powers()) {
		if at := re.FindStringIndex(unit); at != nil {
			rest := unit[at[0]:at[1]]
			if strings.HasSuffix(strings.ToLower(rest), "meter") {
				rest = rest[len(rest)-len("meter"):]
			} else {
				rest = ""
			}
			return strings.Join(strings.Fields(unit[:at[0]]+rest+unit[at[1]:]), " "), i + 2
		}
	}
	return unit, 1
}

// factors are the values of words that multiply a number.
var factors = map[string]float64{"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12, "lakh": 1e5, "crore": 1e7, "万": 1e4, "亿": 1e8}

// valueOf is the value of a text that is one number, in digits or words, with or without
// words that multiply it.
func valueOf(text, language string) (float64, bool) {
	if value, ok := valueOfHan(text); ok {
		return value, true
	}
	if value, ok := valueInOneWord(text, language); ok {
		return value, true
	}
	if inLakhs().MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	list := quantityIn(text, language)
	if len(list) == 0 || list[0].Kind != guard.Number && list[0].Kind != guard.Date || !isQuantity(text, text, language) && strings.ContainsFunc(text, unicode.IsLetter) {
		return 0, false
	}
	value, err := strconv.ParseFloat(list[0].Norm, 64)
	if err != nil {
		return 0, false
	}
	for _, w := range list[1:] {
		by := factors[w.Norm]
		if w.Kind != guard.Magnitude || by == 0 {
			return 0, false
		}
		value *= by
	}
	return value, true
}

// valueOfHan is the value of a number in Chinese numerals.
func valueOfHan(text string) (float64, bool) {
	const digits, tens, myriads = "〇一二三四五六七八九", "十百千", "万亿"
	total, below, digit := 0.0, 0.0, 0.0 // below a myriad
	for _, r := range strings.NewReplacer("两", "二", "兩", "二", "零", "〇", "萬", "万", "億", "亿").Replace(text) {
		at := func(list string) int { return strings.IndexRune(list, r) / len("一") }
		switch {
		case strings.ContainsRune(digits, r):
			digit = digit*10 + float64(at(digits))
		case strings.ContainsRune(tens, r):
			below, digit = below+max(digit, 1)*math.Pow10(at(tens)+1), 0
		case strings.ContainsRune(myriads, r):
			total, below, digit = total+(below+digit)*math.Pow10(4*(at(myriads)+1)), 0, 0
		default:
			return 0, false
		}
	}
	return total + below + digit, text != ""
}

// isCounted reports whether the last two of some words are a number in digits and a noun,
// of which a text has as many, maybe with adjectives: "the 612 wells" of "612 private wells".
func isCounted(text string, ours []string) bool {
	const phrase = 3 // words
	n := len(ours)
	if n < 2 || !isInDigits(ours[n-2]) {
		return false
	}
	list := nounWords(text)
	for i, w := range list {
		if w == ours[n-2] && slices.ContainsFunc(list[i+1:min(len(list), i+1+phrase)], func(o string) bool { return sameStem(o, ours[n-1]) || isSameNoun(o, ours[n-1]) }) {
			return true
		}
	}
	return false
}

// inLakhs is a number whose digits are grouped as in India: "9,80,000".
var inLakhs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{1,2}(?:,\d{2})+,\d{3}$`) })

// ofMoney are letters behind an amount of money, with what they are short for.
var ofMoney = map[string]string{"m": "million", "M": "million", "k": "thousand", "K": "thousand", "b": "billion", "B": "billion"}

// isSpelledOut reports whether brackets go on with the symbol of a unit behind a number:
// "35 min[utes]", or with letters that an abbreviation leaves out: "58 c[en]ts".
func isSpelledOut(p part, before, theirs, language string) bool {
	return p.behind == "" && p.before == theirs && abbreviates(theirs, p.text, before, language) || p.before+p.behind == theirs && (isSameQuantity(before, p.text, theirs, language) || contracts(theirs, p.text, language))
}

// abbreviates reports whether a short word behind a number begins a longer one, as the
// symbol of a unit does its name, and nothing is known to the contrary.
func abbreviates(short, long, before, language string) bool {
	const most, least = 3, 2 // letters
	n, m := utf8.RuneCountInString(short), utf8.RuneCountInString(long)
	if !unicode.IsNumber(char.Last(before)) || n > most || n == 0 || m < n+least || !strings.HasPrefix(strings.ToLower(long), strings.ToLower(short)) {
		return false
	}
	number := lastWords(before, 1)
	if strings.ContainsAny(number, "$€£¥") {
		return false
	}
	a, b := quantityIn(number+" "+long, language), quantityIn(number+" "+short, language)
	alone := len(quantityIn(number, language))
	return len(a) == alone || len(b) == alone || len(guard.Compare(a, b)) == 0
}

// quantityIn are the deciding words of a text but for names.
func quantityIn(text, language string) []guard.Word {
	return slices.DeleteFunc(guard.WordsIn(text, func() string { return language }), func(w guard.Word) bool { return w.Kind == guard.Name })
}

// isQuantity reports whether the end of a text is numbers, units and magnitudes and no
// other word.
func isQuantity(text, end, language string) bool {
	rest := []byte(text)
	for _, w := range guard.WordsIn(text, func() string { return language }) {
		switch w.Kind {
		case guard.Number, guard.Unit, guard.Magnitude, guard.Date:
			copy(rest[w.Start:w.End], strings.Repeat(" ", w.End-w.Start))
		}
	}
	return strings.TrimSpace(end) != "" && !strings.ContainsFunc(string(rest[len(text)-len(end):]), unicode.IsLetter)
}

// lastWords are the last few words of a text; of one without blanks, its last letters.
func lastWords(text string, few int) string {
	text = text[words.RuneStart(text, len(text)-maxNearby):]
	list := strings.Fields(text)
	return strings.Join(list[max(0, len(list)-few):], " ")
}

// explainsBehind reports whether a gloss that stands behind some words of the text only
// explains: see [search.explains]. It may also say the number or unit before it again,
// give it in another unit, or say of which day or year a date is.
func (s *search) explainsBehind(before, inside string) bool {
	language := s.language()
	if other := strings.TrimRight(lastWords(before, 1), "년"); reading.IsYear(other) && reading.IsYear(strings.TrimRight(inside, "년")) && inside != other {
		return false
	}
	if a, ok := yearOf(lastWords(before, 1)); ok {
		if b, ok := yearOf(inside); ok {
			return a == b
		}
	}
	if isOnlyUnit(before, inside, language) {
		return repeatsQuantity(before, inside, language) || isScaledUnit(before, inside, language) || isContracted(before, inside, language)
	}
	if s.explains(inside) || areInitials(strings.TrimFunc(lastWords(before, 1), char.IsNotOfWord), inside) && !boundsOrDenies(inside, language) || has(pronouns, language, strings.ToLower(lastWords(before, 1))) && s.stands(inside) {
		return true
	}
	if language == "en" && slices.Contains(strings.Fields("one ones none some all both many few most several each"), strings.ToLower(lastWords(before, 1))) {
		a, b := deciding(lastWords(before, 2), language), deciding(inside, language)
		if len(a) > 0 && len(guard.Compare(withoutProp(a), withoutProp(b))) == 0 {
			return true // older ones [older messages]
		}
	}
	return namesRelation(s, before, inside) || isDate(inside) && endsWithDate(before, language) || givesYear(before, inside) && strings.Contains(s.text, inside) || isSameShare(inside, before) || repeatsQuantity(before, inside, language) || convertsQuantity(before, inside, language) || isScaledUnit(before, inside, language)
}

// boundsOrDenies reports whether some words do more than name something: they deny, leave out, or
// say how much of it is meant.
func boundsOrDenies(inside, language string) bool {
	return slices.ContainsFunc(deciding(inside, language), func(w guard.Word) bool {
		return w.Norm != "before" && w.Text != "before"
	})
}

// withoutProp are deciding words without the "one" that stands for a noun.
func withoutProp(list []guard.Word) []guard.Word {
	return slices.DeleteFunc(list, func(w guard.Word) bool { return w.Text == "one" || w.Text == "ones" })
}

// tellsWhichOf reports whether a gloss that explains says who or when the last word before it is: a
// pronoun or a date.
func tellsWhichOf(before, inside, language string) bool {
	return has(pronouns, language, strings.ToLower(lastWords(before, 1))) || isDate(inside) && endsWithDate(before, language)
}

// endsWithDate reports whether a text ends with a date, or with a word such as
// "yesterday".
func endsWithDate(text, language string) bool {
	last := strings.ToLower(strings.TrimRightFunc(lastWords(text, 1), char.IsNotOfWord))
	if has(hereAndNow, language, last) {
		return true
	}
	list := guard.WordsIn(lastWords(text, 2), func() string { return language })
	if len(list) == 0 || !strings.EqualFold(list[len(list)-1].Text, last) {
		return false
	}
	switch w := list[len(list)-1]; w.Kind {
	case guard.Date:
		return true
	case guard.Unit:
		return w.Norm == "day" || w.Norm == "week" || w.Norm == "month" || w.Norm == "year" // last year
	}
	return false
}

// repeatsQuantity reports whether a gloss says the last number, unit or magnitude of a
// text again.
func repeatsQuantity(before, inside, language string) bool {
	last, both := lastWords(before, 1), lastWords(before, 2) // 10 W
	if a, b := quantityIn(both, language), quantityIn(inside, language); len(a) > 1 && len(a) == len(b) && unicode.IsDigit(char.First(both)) &&
		isQuantity(both, both, language) && isQuantity(inside, inside, language) && len(guard.Compare(a, b)) == 0 {
		return true
	}
	return last != "" && isSameQuantity(strings.TrimSuffix(lastWords(before, 3), last), inside, last, language)
}

// convertsQuantity reports whether a gloss gives the quantity at the end of a text in
// another unit.
func convertsQuantity(before, inside, language string) bool {
	has := func(list []guard.Word, kind guard.Kind) bool {
		return slices.ContainsFunc(list, func(w guard.Word) bool { return w.Kind == kind })
	}
	end := lastWords(before, 3)
	theirs, ours := quantityIn(end, language), quantityIn(inside, language)
	unknown := isMoney(ours) && has(theirs, guard.Number) && !has(theirs, guard.Unit) && !strings.ContainsFunc(lastWords(before, 1), unicode.IsNumber)
	if unknown {
		return !slices.ContainsFunc(ours, func(w guard.Word) bool {
			return w.Kind != guard.Number && w.Kind != guard.Date && w.Kind != guard.Magnitude && w.Kind != guard.Unit && w.Norm != "about"
		})
	}
	if isMoney(ours) != isMoney(theirs) {
		return false
	}
	if !has(theirs, guard.Number) || !has(theirs, guard.Unit) || !has(ours, guard.Number) || !has(ours, guard.Unit) || !isQuantity(end, lastWords(before, 1), language) {
		return false
	}
	isNumber := func(w guard.Word) bool { return w.Kind == guard.Number }
	if a, b := slices.IndexFunc(theirs, isNumber), slices.IndexFunc(ours, isNumber); !isMoney(ours) && len(theirs) == len(ours) && len(ours) == 2 && theirs[a].Norm == ours[b].Norm {
		return false // 40 W are not 40 kW
	}
	if m := unitOf().FindStringSubmatch(inside); m != nil && (isSameQuantity("1", m[2], lastWords(before, 1), language) || isContracted(before, m[2], language)) {
		return false // 90 mph are not 144 miles per hour
	}
	other := false
	for _, w := range ours {
		switch w.Kind {
		case guard.Number, guard.Date, guard.Magnitude:
		case guard.Unit:
			other = other || !slices.ContainsFunc(theirs, func(o guard.Word) bool { return o.Kind == guard.Unit && o.Norm == w.Norm })
		default:
			if w.Norm != "about" {
				return false
			}
		}
	}
	return other
}

// isMoney reports whether a quantity has the unit of a currency.
func isMoney(list []guard.Word) bool {
	return slices.ContainsFunc(list, func(w guard.Word) bool {
		return w.Kind == guard.Unit && slices.Contains(strings.Fields("dollar euro pound_sterling yen yuan rouble rupee franc $ € £ ¥"), w.Norm)
	})
}

// eras of Japan and of the Republic of China, each with the year before its first.
var eras = map[string]int{"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018, "民国": 1911, "民國": 1911}

// lastYear is a year at the end of a text, of an era or not.
var lastYear = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(明治|大正|昭和|平成|令和|民国|民國)?([元〇零一二三四五六七八九十0-9０-９]{1,5})年$`)
})

// yearOf is the year with which a text of Japanese or Chinese ends.
func yearOf(text string) (int, bool) {
	m := lastYear().FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	const digits = "〇一二三四五六七八九"
	year, tens := 0, false
	for _, r := range m[2] {
		d := strings.IndexRune(digits, r) / len("一")
		switch {
		case r == '元':
			d = 1
		case r == '零':
			d = 0
		case r == '十':
			year, tens = max(year, 1)*10, true
			continue
		case r >= '0' && r <= '9':
			d = int(r - '0')
		case r >= '０' && r <= '９':
			d = int(r - '０')
		}
		if tens {
			year += d
		} else {
			year = year*10 + d
		}
	}
	const least = 1000
	if m[1] == "" && year < least {
		return 0, false
	}
	return year + eras[m[1]], true
}
