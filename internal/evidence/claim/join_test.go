package claim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// all compares every set with every other: slow, and plainly right.
func all(texts []string) []pair {
	var b wordSets
	var sets [][]uint32
	for _, text := range texts {
		if id := b.add([]byte(text)); int(id) == len(sets) {
			sets = append(sets, slices.Sorted(slices.Values(b.current)))
		}
	}
	var pairs []pair
	for i, x := range sets {
		for k, y := range sets[:i] {
			if n := inBoth(x, y); 5*n > 4*(len(x)+len(y)-n) {
				pairs = append(pairs, pair{uint32(k), uint32(i), similarity(n, len(x), len(y))})
			}
		}
	}
	return pairs
}

func inBoth(x, y []uint32) int {
	n := 0
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			n++
			x, y = x[1:], y[1:]
		}
	}
	return n
}

func joined(texts []string) []pair {
	var b wordSets
	for _, text := range texts {
		b.add([]byte(text))
	}
	var pairs []pair
	b.findSimilarPairs(func(p pair) { pairs = append(pairs, p) })
	return pairs
}

func sortPairs(p []pair) []pair {
	slices.SortFunc(p, func(x, y pair) int {
		if x.b != y.b {
			return int(x.b) - int(y.b)
		}
		return int(x.a) - int(y.a)
	})
	return p
}

func TestJoinFindsWhatComparingAllWithAllFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 40).Draw(t, "words")
		longest := rapid.IntRange(1, 30).Draw(t, "longest")
		word := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint("w", rapid.IntRange(0, words).Draw(t, "word")) })
		texts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(word, 0, longest).Draw(t, "text"), " ")
		}), 0, 60).Draw(t, "texts")
		require.Equal(t, sortPairs(all(texts)), sortPairs(joined(texts)))
	})
}

// Many sets with the same rare words: the join has to look beyond the first.
func TestJoinOfManyAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, vocabulary := range []int{24, 40, 200, 20000} {
		var texts []string
		for len(texts) < 1500 {
			words := make([]string, 5+r.IntN(20))
			for i := range words {
				words[i] = fmt.Sprint("w", r.IntN(vocabulary))
			}
			for range 1 + r.IntN(3) {
				texts = append(texts, strings.Join(words, " "))
				words[r.IntN(len(words))] = fmt.Sprint("w", r.IntN(vocabulary))
			}
		}
		want := all(texts)
		require.NotEmpty(t, want)
		require.Equal(t, sortPairs(want), sortPairs(joined(texts)), vocabulary)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"case", "The Cat SAT", "the cat sat"},
		{"order and number", "a b a", "b, a."},
		{"marks", "don't—stop…now", "DON T stop now"},
		{"composed letters", "caf\u00e9 Z\u00fcrich", "cafe\u0301 ZU\u0308RICH"},
		{"scripts without blanks", "东京都", "京 都 东"},
		{"Greek", "ΑΒΓ", "αβγ"},
	} {
		var b wordSets
		require.Equal(t, b.add([]byte(c.a)), b.add([]byte(c.b)), c.name)
	}
	for _, c := range []struct{ name, a, b string }{
		{"another word", "a b", "a c"},
		{"a longer one", "ab", "a b"},
		{"accents", "resume", "résumé"},
		{"nothing", "", "a"},
	} {
		var b wordSets
		require.NotEqual(t, b.add([]byte(c.a)), b.add([]byte(c.b)), c.name)
	}
}
