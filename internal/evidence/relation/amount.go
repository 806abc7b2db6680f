package relation

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/guard"
)

// Amount is a number of a unit, as a text states it.
type Amount struct {
	Value float64
	Loose bool // the text says at least, at most or about, or a range
}

// Amounts gives the different numbers that stand right at a unit in a text, in their
// order. The unit is written as there, or as another sign for the same: "kWh", "%",
// "MB/s", "requests"; nothing is converted, so that "2 s" is no number of "ms".
func Amounts(text, unit string) []Amount {
	if unit = strings.TrimSpace(unit); unit == "" {
		return nil
	}
	norm := ""
	if one := guard.Words("1 " + unit); len(one) == 2 && one[1].Kind == guard.Unit && one[1].End == len("1 "+unit) {
		norm = one[1].Norm
	}
	var list []Amount
	found := guard.Words(text)
	for i, w := range found {
		v, err := strconv.ParseFloat(w.Norm, 64)
		counts := w.Kind == guard.Number || w.Kind == guard.Date && (norm != "" || w.Text != w.Norm) // 1,900 is no year
		if !counts || err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			continue
		}
		next, end := i+1, w.End
		for next < len(found) && magnitudes[found[next].Norm] != 0 && isGap(text[end:found[next].Start]) {
			v, end, next = v*magnitudes[found[next].Norm], found[next].End, next+1
		}
		behind := norm != "" && next < len(found) && found[next].Kind == guard.Unit && found[next].Norm == norm && isGap(text[end:found[next].Start]) && !isPer(text[found[next].End:])
		before := norm != "" && i > 0 && found[i-1].Kind == guard.Unit && found[i-1].Norm == norm && isGap(text[found[i-1].End:w.Start]) && !isPer(text[end:])
		if !behind && !before && !hasUnit(text[end:], unit) {
			continue
		}
		a := Amount{Value: round(v), Loose: isLoose(text, found, i, before)}
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// isGap reports whether a number and its unit may stand so far apart.
func isGap(s string) bool { return strings.Trim(s, " \u00a0\u2009\u202f-") == "" && len(s) < 4 }

// isPer reports whether a unit goes on: per second.
func isPer(rest string) bool {
	rest = strings.TrimLeft(rest, " \u00a0")
	return strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "·") || strings.HasPrefix(rest, "per ")
}

// hasUnit reports whether a text goes on with a unit as it is written, as a whole.
func hasUnit(rest, unit string) bool {
	rest = strings.TrimLeft(rest, " \u00a0\u2009\u202f-")
	if len(rest) < len(unit) || rest[:len(unit)] != unit {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest[len(unit):])
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !isPer(rest[len(unit):])
}

// isLoose reports whether words before a number say that it is no exact one, or that it
// is an end of a range.
func isLoose(text string, found []guard.Word, i int, signed bool) bool {
	w := found[i]
	if signed {
		i, w = i-1, found[i-1]
	}
	if i > 0 {
		last := found[i-1]
		between := strings.TrimSpace(text[last.End:w.Start])
		said := strings.ToLower(last.Text)
		best := strings.HasSuffix(said, "st") && !strings.HasPrefix(said, "at ") // the worst, 94 ms
		if (last.Kind == guard.Comparator || last.Kind == guard.Hedge) && between == "" && !best || slices.Contains([]string{"-", "–", "—", "to", "and", "or"}, between) && last.Kind == guard.Number {
			return true
		}
	}
	if i+1 >= len(found) || found[i+1].Kind != guard.Number {
		return false
	}
	return slices.Contains([]string{"-", "–", "—", "to", "or"}, strings.TrimSpace(text[w.End:found[i+1].Start]))
}
