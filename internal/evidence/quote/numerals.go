package quote

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// compounds are, of languages that write a number as one word, the words that multiply what stands
// before them, those that join ones and tens, and the ending of teens.
var compounds = map[string]struct {
	thousand, hundred, teen string
	joints                  []string
}{
	"de": {"tausend", "hundert", "zehn", []string{"und"}},
	"nl": {"duizend", "honderd", "tien", []string{"ën", "en"}},
}

// shortened are numerals as they stand before others in such a word.
var shortened = map[string]string{"ein": "1", "een": "1", "sech": "6", "sieb": "7", "der": "3", "veer": "4"}

// valueInOneWord is the value of a number that is written as one word of several numerals:
// "dreihundertzwölf", "achtenveertig".
func valueInOneWord(word, language string) (float64, bool) {
	c, ok := compounds[language]
	if !ok || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return 0, false
	}
	return valueOfParts(strings.ToLower(word), language, c.thousand, c.hundred, c.teen, c.joints)
}

func valueOfParts(word, language, thousand, hundred, teen string, joints []string) (float64, bool) {
	inner := func(word string, ifNone float64) (float64, bool) {
		for _, joint := range joints {
			if rest, ok := strings.CutPrefix(word, joint); ok && rest != "" {
				if value, ok := valueOfParts(rest, language, thousand, hundred, teen, joints); ok {
					return value, true
				}
			}
		}
		if word == "" {
			return ifNone, true
		}
		if value, ok := valueOfParts(word, language, thousand, hundred, teen, joints); ok {
			return value, true
		}
		return numeralOf(word, language)
	}
	for _, by := range []struct {
		word  string
		value float64
	}{{thousand, 1000}, {hundred, 100}} {
		before, behind, ok := strings.Cut(word, by.word)
		if !ok {
			continue
		}
		a, first := inner(before, 1)
		b, second := inner(behind, 0)
		return a*by.value + b, first && second && b < by.value
	}
	const tens, hundredth = 10, 100
	if before, ok := strings.CutSuffix(word, teen); ok && before != "" {
		a, ok := numeralOf(before, language)
		return a + tens, ok && a < tens
	}
	for _, joint := range joints {
		for at := strings.Index(word, joint); at > 0; {
			a, first := numeralOf(word[:at], language)
			b, second := numeralOf(word[at+len(joint):], language)
			if first && second && a < tens && b >= 2*tens && b < hundredth {
				return a + b, true
			}
			next := strings.Index(word[at+1:], joint)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return 0, false
}

// numeralOf is the value of one numeral.
func numeralOf(word, language string) (float64, bool) {
	if digit, ok := shortened[word]; ok {
		word = digit
	}
	list := quantityIn(word, language)
	if len(list) != 1 || list[0].Kind != guard.Number {
		return 0, false
	}
	value, err := strconv.ParseFloat(list[0].Norm, 64)
	return value, err == nil
}

// share is a part of a whole in tenths, and hundredths, as Japanese has it, and one in per cent.
var (
	share = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`([一二三四五六七八九1-9１-９])割(?:([一二三四五六七八九1-9１-９])分)?$`)
	})
	percent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{1,2})(?:[%％]|パーセント)$`) })
)

// isSameShare reports whether one text is, and another ends with, the same part of a whole: "30%",
// "三割".
func isSameShare(ours, theirs string) bool {
	m, o := share().FindStringSubmatch(theirs), percent().FindStringSubmatch(ours)
	if m == nil || o == nil {
		return false
	}
	digit := func(s string) int {
		if s == "" {
			return 0
		}
		if value, ok := valueOfHan(s); ok {
			return int(value)
		}
		if r := char.First(s); r >= '１' {
			return int(r - '０')
		}
		return int(s[0] - '0')
	}
	return strconv.Itoa(10*digit(m[1])+digit(m[2])) == o[1]
}

// isSymbolOf reports whether of two words that stand behind no number one is the symbol of a unit
// and the other its name.
func isSymbolOf(before, ours, theirs, language string) bool {
	if strings.ContainsFunc(lastWords(before, 1), unicode.IsNumber) || strings.ContainsFunc(ours+theirs, unicode.IsSpace) {
		return false
	}
	symbol, name := ours, theirs
	if len(name) < len(symbol) {
		symbol, name = name, symbol
	}
	if base, short, ok := withoutMetric(name, symbol); ok {
		return isSameQuantity("1", base, short, language) || abbreviates(short, base, "1", language)
	}
	return guard.IsUnitSymbol(symbol) && isSameQuantity("1", ours, theirs, language)
}
