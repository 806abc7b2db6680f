package quote

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// isOnlyUnit reports whether a gloss has nothing but units and words that multiply them, as "miles per
// hour", and the last word before it is the unit of a number. Then it is the same unit, or wrong. What only
// adds "per hour" to a unit is none.
func isOnlyUnit(before, inside, language string) bool {
	inside = "1 " + inside // symbols are units behind a number
	ours := quantityIn(inside, language)
	if len(ours) < 2 || ours[1].Start != len("1 ") {
		return false
	}
	for _, w := range ours[1:] {
		if w.Kind != guard.Unit && w.Kind != guard.Magnitude {
			return false
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(withoutWords(inside, ours)), char.IsNotOfWord) {
		switch w {
		case "per", "a", "an", "pro", "par", "por", "l", "à", "de", "of", "d", "na", "на", "al", "all", "ogni", "i", "om", "в":
		default:
			return false
		}
	}
	last := quantityIn(lastWords(before, 2), language)
	end := len(strings.TrimRight(lastWords(before, 2), " ."))
	return len(last) > 1 && last[len(last)-1].Kind == guard.Unit && last[len(last)-1].Norm != "degree" && last[len(last)-1].End >= end && last[0].Kind == guard.Number
}

// contracted are units by another whose letters are those of their words.
var contracted = map[string][2]string{"mph": {"mile", "hour"}, "kph": {"kilometre", "hour"}, "km/h": {"kilometre", "hour"}, "kmh": {"kilometre", "hour"}, "mpg": {"mile", "gallon"}, "fps": {"foot", "second"}, "m/s": {"metre", "second"}}

// isContracted reports whether a gloss says in words what the letters of the unit before it stand for.
func isContracted(before, inside, language string) bool {
	unit := strings.TrimLeft(strings.ToLower(lastWords(before, 1)), "0123456789.,")
	units := quantityIn("1 "+inside, language)
	of, ok := contracted[unit]
	return ok && len(units) == 3 && units[1].Norm == of[0] && units[2].Norm == of[1]
}

// prefixed is a number or none with the symbol of a unit that a prefix multiplies.
var prefixed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\d.,]*(k|M|G)(\pL{1,2})$`) })

// isScaledUnit reports whether a gloss says the unit before it with its prefix in words: "thousand tonnes"
// for kt.
func isScaledUnit(before, inside, language string) bool {
	m := prefixed().FindStringSubmatch(lastWords(before, 1))
	ours := quantityIn("1 "+inside, language)
	if rest := strings.Trim(withoutWords("1 "+inside, ours), " "); m == nil || rest != "" && rest != "of" && rest != "de" || len(ours) != 3 || ours[1].Kind != guard.Magnitude || ours[2].Kind != guard.Unit {
		return false
	}
	by := map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9}[m[1]]
	base := quantityIn("1 "+m[2], language)
	return factors[ours[1].Norm] == by && len(base) == 2 && base[1].Kind == guard.Unit && base[1].Norm == ours[2].Norm
}

// isOtherNumber reports whether a gloss has nothing but numbers, which are not those of the words before it:
// that they stand somewhere in the text does not say that they are meant.
func isOtherNumber(before, inside, language string) bool {
	list := quantityIn(inside, language)
	for _, w := range list {
		if w.Kind != guard.Number {
			return false
		}
	}
	return len(list) > 0 && !reading.IsYear(inside) && !repeatsQuantity(before, inside, language)
}
