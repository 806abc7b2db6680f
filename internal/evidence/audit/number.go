package audit

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

// numbers are those of a source.
type numbers struct {
	values map[string]bool // with their magnitudes
	plain  map[string]bool // without any: a table in millions does not say so beside each
	exact  []exactNumber
	words  map[string]bool // small numbers written out
}

type exactNumber struct {
	value   float64
	percent bool
}

func newNumbers(text string) numbers {
	n := numbers{values: map[string]bool{}, plain: map[string]bool{}, words: map[string]bool{}}
	for _, found := range stated.Numbers(text) {
		n.values[found.Value] = true
		if found.Bare == "" {
			n.plain[found.Value] = true
		}
		if v, err := strconv.ParseFloat(found.Value, 64); err == nil {
			n.exact = append(n.exact, exactNumber{v, found.Percent})
		}
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if value := writtenOut()[word]; value != "" {
			n.words[value] = true
		}
	}
	return n
}

// writtenOut are the values of small numbers in English words.
var writtenOut = sync.OnceValue(func() map[string]string {
	teens := "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
	tens := "ten twenty thirty forty fifty sixty seventy eighty ninety hundred"
	all := map[string]string{"dozen": "12e0"}
	for i, word := range strings.Fields(teens) {
		all[word] = strconv.Itoa(10+i) + "e0"
	}
	for i, word := range strings.Fields(tens) {
		all[word] = strconv.Itoa(1+i) + "e1"
	}
	all["hundred"] = "1e2"
	return all
})

// significant is how many digits a value has, zeros at its ends left out: with
// few of them, that a table in millions holds it says nothing.
func significant(value string) int { return strings.IndexByte(value, 'e') }

// contains reports whether a source has a number, as it is or more exactly.
func (n numbers) contains(want stated.Number) (found, rounded bool) {
	switch {
	case n.values[want.Value], want.Bare != "" && n.plain[want.Bare] && significant(want.Bare) > 2, n.words[want.Value]:
		return true, false
	case !want.Percent && want.Bare == "":
		return false, false
	}
	v, err := strconv.ParseFloat(want.Value, 64)
	if err != nil {
		return false, false
	}
	_, exponent, _ := strings.Cut(want.Value, "e")
	power, err := strconv.Atoi(exponent)
	if err != nil {
		return false, false
	}
	if want.Percent {
		power = min(power, 0) // 20 % is not any number from 15 on
	}
	half := math.Pow10(power) / 2
	for _, e := range n.exact {
		if e.percent == want.Percent && math.Abs(e.value-v) <= half && e.value != v {
			return true, true
		}
	}
	return false, false
}
