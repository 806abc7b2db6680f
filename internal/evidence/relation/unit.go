package relation

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
)

//go:embed units.txt
var unitsText string

// unitNames are the units of units.txt by all that is written for them.
var unitNames = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(unitsText) {
		list := strings.Fields(line)
		if line[0] == '#' || len(list) == 0 {
			continue
		}
		for _, form := range append(list, list[0]+"s") {
			all[form] = list[0]
		}
	}
	return all
})

// rates are written in one word for several.
var rates = map[string]string{"kbps": "kilobit/s", "Mbps": "megabit/s", "Gbps": "gigabit/s", "mph": "mile/hour"}

// plainUnits writes the units that stand behind numbers by their names, and in figures a
// number in words before one: "30s", "30 sec" and "thirty seconds" as "30 second". A unit
// that may be read in two ways stays as it is, and so does a number that only tells which:
// version 5. No number is changed or converted, so that 1.2 is not 1.20 and 60 s no minute.
func plainUnits(fields []string) []string {
	r := unitReader{fields: fields, list: make([]string, 0, len(fields)+4)}
	for r.at < len(fields) {
		r.read()
	}
	return r.list
}

// unitReader writes fields anew.
type unitReader struct {
	fields  []string
	at      int
	list    []string
	counted bool // a number, and it may be one of a unit, is last in the list
	unit    bool // the name of a unit is
}

func (r *unitReader) read() {
	if f := r.fields[r.at]; !r.counted && !r.unit && !mayCount(f) {
		r.list = append(r.list, f)
		r.at++
		return
	}
	word, mark := r.word(0)
	counted, unit := r.counted, r.unit
	r.counted, r.unit = false, false
	switch {
	case counted && r.readUnit(word, mark):
	case unit && word == "per" && mark == "" && r.at+1 < len(r.fields):
		if next, end := r.word(1); unitNames()[next] != "" {
			r.put(2, end, "per", unitNames()[next])
			return
		}
		r.put(1, mark, word)
	case isFigures(word):
		r.put(1, mark, word)
		r.counted = mark == ""
	case counted && magnitudes[word] != 0:
		r.put(1, mark, word)
		r.counted = mark == ""
	case mark == "" && r.isCounted(word):
		r.put(1, mark, numberOf(word))
		r.counted = true
	default:
		r.readJoined(word, mark)
	}
}

// mayCount reports cheaply whether a field may hold a number in figures or in words.
func mayCount(f string) bool {
	switch f[0] {
	case 'o', 't', 'f', 's', 'e', 'n':
		return len(f) < 14
	}
	for i := range len(f) {
		if isDigit(f[i]) {
			return true
		}
	}
	return false
}

// word is a field some way on without the marks behind it, and those.
func (r *unitReader) word(on int) (word, mark string) {
	if r.at+on >= len(r.fields) {
		return "", ""
	}
	f := r.fields[r.at+on]
	word = strings.TrimRight(f, ",;:")
	return word, f[len(word):]
}

// put adds words for fields, and the mark behind the last of them.
func (r *unitReader) put(fields int, mark string, list ...string) {
	r.list = append(r.list, list...)
	r.list[len(r.list)-1] += mark
	r.at += fields
}

// readUnit reads the unit of the number before it, in one word or two.
func (r *unitReader) readUnit(word, mark string) bool {
	next, end := r.word(1)
	if mark == "" {
		if name := unitOfTwo(word, next); name != "" && !r.isLabelled(2) {
			r.put(2, end, name)
			r.unit = end == ""
			return true
		}
	}
	list := unitOf(word)
	switch {
	case word == "s" && isDecade(r.list[len(r.list)-1]):
		return false
	case word == "m" && mark == "" && (next == "high" || next == "wide" || next == "tall" || next == "deep" || next == "thick"):
		list = []string{"metre"}
	case word == "g" && mark == "" && next == "of":
		list = []string{"gram"}
	}
	if list == nil || r.isLabelled(2) {
		return false
	}
	r.put(1, mark, list...)
	r.unit = mark == ""
	return true
}

// unitOfTwo is the unit that two words name, "" for none.
func unitOfTwo(word, next string) string {
	switch {
	case word == "per" && next == "cent":
		return "percent"
	case (word == "degrees" || word == "degree" || word == "°") && (next == "Celsius" || next == "C"):
		return "°C"
	case (word == "degrees" || word == "degree" || word == "°") && (next == "Fahrenheit" || next == "F"):
		return "°F"
	case next == "hour" || next == "hours":
		return unitNames()[word+"-hour"]
	}
	return ""
}

// unitOf is a unit or a rate by its name, nil where a word is none.
func unitOf(word string) []string {
	if name := unitNames()[word]; name != "" {
		return []string{name}
	}
	if rate := rates[word]; rate != "" {
		word = rate
	}
	of, per, ok := strings.Cut(word, "/")
	below := unitNames()[per]
	if !ok || below == "" {
		return nil
	}
	name := unitNames()[of]
	switch {
	case name != "":
	case of == "m": // m/s
		name = "metre"
	case len(of) > 2 && words.IsASCII(of) && strings.Trim(of, "abcdefghijklmnopqrstuvwxyz") == "": // requests/s
		name = of
	default:
		return nil
	}
	return []string{name, "per", below}
}

// readJoined reads a number with its unit in one word: 30s, 20%, 30-second.
func (r *unitReader) readJoined(word, mark string) {
	cut := strings.LastIndexAny(word, "0123456789") + 1
	if cut == 0 || !isFigures(word[:cut]) || r.isLabelled(1) {
		r.put(1, mark, word)
		return
	}
	unit, hyphen := strings.CutPrefix(word[cut:], "-")
	list := unitOf(unit)
	if list == nil || hyphen && len(unit) < 4 || unit == "s" && (isDecade(word[:cut]) || r.isNamed()) {
		r.put(1, mark, word)
		return
	}
	r.put(1, mark, append([]string{word[:cut]}, list...)...)
	r.unit = mark == ""
}

// isLabelled reports whether the word some way back from the end of what is written, of
// which the number may be the last, says that a number tells which: table, version.
func (r *unitReader) isLabelled(back int) bool {
	n := len(r.list) - back
	return n >= 0 && lexicon().labels[words.Stem(strings.ToLower(r.list[n]))]
}

// isNamed reports whether the word before tells of which: the 30s are years.
func (r *unitReader) isNamed() bool {
	if len(r.list) == 0 {
		return false
	}
	switch strings.ToLower(r.list[len(r.list)-1]) {
	case "the", "his", "her", "their", "my", "our", "its", "early", "mid", "late":
		return true
	}
	return false
}

// isCounted reports whether a word is a number with the name of a unit behind it.
func (r *unitReader) isCounted(word string) bool {
	if numberOf(word) == "" || r.isLabelled(1) {
		return false
	}
	next, _ := r.word(1)
	return len(next) > 2 && unitNames()[next] != ""
}

// isDecade reports whether figures may be the tens of years that an s makes of them.
func isDecade(figures string) bool {
	return len(figures) == 4 && figures[3] == '0' && strings.Trim(figures, "0123456789") == ""
}

// isFigures reports whether a word is a number, a range of them or one with a sign.
func isFigures(word string) bool {
	return word != "" && isDigit(word[len(word)-1]) && strings.Trim(word, "0123456789.,+-−–±~≈<>≤≥=") == ""
}

// numberOf gives figures for a number in words, "" for what is none.
func numberOf(word string) string {
	if word == "one" {
		return "1"
	}
	if figures := spelled[word]; figures != "" && isDigit(figures[0]) {
		return figures
	}
	tens, ones, ok := strings.Cut(word, "-")
	ten, one := spelled[tens], spelled[ones]
	if ones == "one" {
		one = "1"
	}
	if !ok || len(ten) != 2 || ten[0] < '2' || ten[1] != '0' || len(one) != 1 {
		return ""
	}
	return ten[:1] + one
}
