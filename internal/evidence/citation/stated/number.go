// Package stated reads what a text states: its sentences, the numbers in it, and
// what stands between its quotation marks. It takes plain text of any make, in time about linear in its length, and says nothing about whether
// a number or a quotation is right.
package stated

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// Number is a number a text states.
type Number struct {
	Text    string `json:"text"`              // as it stands there, with its magnitude and percent sign
	Value   string `json:"value"`             // digits without zeros at the ends, e, a power of ten: 12.5 million is 125e5
	Bare    string `json:"bare,omitempty"`    // the value without its magnitude, where it has one
	Percent bool   `json:"percent,omitempty"` // followed by a percent sign or word
	Start   int    `json:"-"`                 // its place in the text
}

// IsSignificant reports whether a number tells something of its own: one below ten
// stands in any text.
func (n Number) IsSignificant() bool {
	digits, _, _ := strings.Cut(n.Value, "e")
	return n.Percent || n.Bare != "" || len(digits) > 1 || !strings.HasSuffix(n.Value, "e0")
}

// Numbers gives the numbers of a text in order. What is part of a name or of a
// word, as in GPT-4 or H2O, is none.
func Numbers(text string) []Number {
	var out []Number
	for i := 0; i < len(text); {
		if text[i] < '0' || text[i] > '9' {
			i++
			continue
		}
		end := digitsEnd(text, i)
		if n, ok := number(text, i, end); ok {
			out = append(out, n)
			end = i + len(n.Text)
		}
		i = end
	}
	return out
}

// digitsEnd is where a number ends that begins at i: a separator belongs to it
// when a digit follows.
func digitsEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r >= '0' && r <= '9':
		case r == '.' || r == ',' || r == '\'' || r == '’' || r == '\u00a0' || r == '\u202f' || r == '\u2009':
			if i+size >= len(text) || text[i+size] < '0' || text[i+size] > '9' {
				return i
			}
		default:
			return i
		}
		i += size
	}
	return i
}

func number(text string, i, end int) (Number, bool) {
	before, size := utf8.DecodeLastRuneInString(text[:i])
	if words.IsAlphanumeric(before) && !words.Unspaced(before) || before == '_' {
		return Number{}, false
	}
	if before == '-' || before == '‑' {
		if letter, _ := utf8.DecodeLastRuneInString(text[:i-size]); unicode.IsLetter(letter) && !words.Unspaced(letter) {
			return Number{}, false
		}
	}
	digits, exponent, ok := decimal(text[i:end])
	if !ok {
		return Number{}, false
	}
	n := Number{Text: text[i:end], Value: normalForm(digits, exponent), Start: i}
	length, scale := ParseScale(text[end:])
	if length > 0 && (text[end] != 'T' || strings.ContainsRune("$€£¥", before)) { // 6T is a kind of circuit
		n.Text, n.Bare = text[i:end+length], n.Value
		n.Value = normalForm(digits, exponent+scale)
		return n, true
	}
	if length := percent(text[end:]); length > 0 {
		n.Text, n.Percent = text[i:end+length], true
		return n, true
	}
	after, _ := utf8.DecodeRuneInString(text[end:])
	joined := unicode.IsLetter(after) && !words.Unspaced(after)
	return n, !joined || end-i > 1
}

// decimal reads digits with separators: three digits behind each comma, blank
// or apostrophe are a group; a single point, or a comma with other than three
// digits behind it, is the decimal one. More points are a version or a date.
func decimal(s string) (digits string, exponent int, ok bool) {
	groups := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if len(groups) == 1 {
		return s, 0, true
	}
	last := groups[len(groups)-1]
	at := strings.LastIndexAny(s, ".,")
	points, commas := strings.Count(s, "."), strings.Count(s, ",")
	decimals := at >= 0 && s[at+1:] == last && (s[at] == '.' && points == 1 || s[at] == ',' && commas == 1 && (len(last) != 3 || points > 0))
	if points > 0 && commas == 0 && !decimals && !isGroupedByThousands(groups[1:]) || points > 1 && commas > 1 {
		return "", 0, false
	}
	head := groups[1:]
	if decimals {
		head = groups[1 : len(groups)-1]
	}
	if !isGroupedByThousands(head) {
		return "", 0, false
	}
	if decimals {
		exponent = -len(last)
	}
	return strings.Join(groups, ""), exponent, true
}

func isGroupedByThousands(groups []string) bool {
	for _, g := range groups {
		if len(g) != 3 {
			return false
		}
	}
	return true
}

// normalForm writes digits and an exponent in the one form of their value.
func normalForm(digits string, exponent int) string {
	digits = strings.TrimLeft(digits, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "0e0"
	}
	return trimmed + "e" + strconv.Itoa(exponent+len(digits)-len(trimmed))
}

// scales are the words that multiply a number, and their powers of ten. Words
// that languages use for different powers, as billion, are English here but
// for the forms that only others have.
var scales = sync.OnceValue(func() map[string]int {
	powers := map[int]string{
		3:  "thousand k tausend mille milliers mil miles mila duizend тыс тысяча тысячи тысяч ألف آلاف الف हज़ार हजार bin tysięcy",
		5:  "lakh lakhs लाख",
		6:  "million millions millionen mio mn m millón millones milhão milhões milione milioni miljoen млн миллион миллиона миллионов مليون ملايين मिलियन milyon milionów",
		7:  "crore crores करोड़ करोड",
		9:  "billion billions bn b milliarde milliarden mrd milliard milliards miliardo miliardi miljard bilhão bilhões млрд миллиард миллиарда миллиардов مليار مليارات अरब milyar miliardów",
		12: "trillion trillions t billionen трлн триллион триллиона триллионов تريليون खरब trilyon",
	}
	all := map[string]int{}
	for power, words := range powers {
		for word := range strings.FieldsSeq(words) {
			all[word] = power
		}
	}
	return all
})

// wideScales are the scales of scripts without blanks, the longer first.
func wideScales() []scale {
	return []scale{{"万亿", 12}, {"兆", 12}, {"十亿", 9}, {"亿", 8}, {"億", 8}, {"千万", 7}, {"百万", 6}, {"万", 4}, {"萬", 4}, {"억", 8}, {"만", 4}, {"조", 12}, {"천", 3}}
}

type scale struct {
	word  string
	power int
}

// ParseScale reads a scale that follows a number, with or without a blank before
// it: its length in bytes, 0 where there is none, and the power of ten.
func ParseScale(s string) (length, power int) {
	rest := strings.TrimLeft(s, " \u00a0-")
	lead := len(s) - len(rest)
	if lead > 2 {
		return 0, 0
	}
	for _, w := range wideScales() {
		if strings.HasPrefix(rest, w.word) {
			return lead + len(w.word), w.power
		}
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) || words.Unspaced(r) })
	if end < 0 {
		end = len(rest)
	}
	word := rest[:end]
	if len(word) > 24 || len(word) == 0 {
		return 0, 0
	}
	if len(word) == 1 && (lead > 0 || word == "t" || word == "m" || word == "b" || strings.HasPrefix(rest[1:], "/") || strings.HasPrefix(rest[1:], "²")) {
		return 0, 0 // metres and tonnes
	}
	power, ok := scales()[strings.ToLower(word)]
	if !ok {
		return 0, 0
	}
	if more := strings.TrimLeft(rest[end:], " \u00a0"); power == 3 && strings.HasPrefix(more, "millones") {
		return lead + len(rest) - len(more) + len("millones"), 9 // a thousand million
	}
	return lead + end, power
}

// percent reads a percent sign or word behind a number.
func percent(s string) int {
	rest := strings.TrimLeft(s, " \u00a0\u202f")
	lead := len(s) - len(rest)
	if lead > 3 {
		return 0
	}
	for _, sign := range []string{"%", "％", "percent", "per cent", "Prozent", "pour cent", "por ciento", "процент"} {
		if strings.HasPrefix(rest, sign) {
			return lead + len(sign)
		}
	}
	return 0
}
