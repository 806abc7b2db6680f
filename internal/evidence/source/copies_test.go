package source_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/source"
)

// prose is text of so many words that repeats nothing but itself.
func prose(seed uint64, words int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "w%d", r.IntN(5000))
		b.WriteString([]string{" ", " ", " ", ", ", ". ", "\n"}[i%6])
	}
	return b.String()
}

func TestCopies(t *testing.T) {
	release, other, article := prose(1, 400), prose(2, 400), prose(3, 3000)
	frame := prose(4, 300)
	for _, c := range []struct {
		name  string
		texts map[string]string
		want  map[string]string
	}{
		{"nothing", nil, map[string]string{}},
		{"different texts", map[string]string{"a": release, "b": other, "c": article}, map[string]string{}},
		{"the same text", map[string]string{"b": release, "a": release}, map[string]string{"b": "a"}},
		{"in capitals, wrapped anew", map[string]string{"a": release, "b": strings.ToUpper(strings.ReplaceAll(release, " ", "\n"))}, map[string]string{"b": "a"}},
		{"syndicated, each with its own head and foot", map[string]string{
			"x": release, "y": prose(5, 150) + release + prose(6, 200), "z": prose(7, 100) + release + prose(8, 100),
		}, map[string]string{"y": "x", "z": "x"}},
		{"syndicated, the release itself not cited", map[string]string{
			"y": prose(5, 150) + release + prose(6, 200), "z": prose(7, 100) + release + prose(8, 100),
		}, map[string]string{"y": "z"}},
		{"lightly edited", map[string]string{"a": release, "b": strings.NewReplacer("w1", "w9", "w3333", "word").Replace(release[:len(release)/4]) + release[len(release)/4:] + " so"}, map[string]string{"b": "a"}},
		{"a chain ends at one text", map[string]string{"a": release, "b": release + prose(5, 250), "c": release + prose(5, 250) + prose(6, 500)}, map[string]string{"b": "a", "c": "a"}},
		{"a digest of two is one of them, and these stay two", map[string]string{"a": release, "b": other, "c": release + other + prose(5, 100)}, map[string]string{"c": "a"}},
		{"a mere quotation", map[string]string{"a": release[:600], "b": prose(5, 3000) + release[:600]}, map[string]string{}},
		{"a long quotation", map[string]string{"a": release, "b": article + release[:len(release)/3]}, map[string]string{}},
		{"the frame of a site", map[string]string{
			"url:a.test/1": frame + prose(11, 200), "url:a.test/2": frame + prose(12, 200), "url:a.test/3": frame + prose(13, 200),
		}, map[string]string{}},
		{"one text under three addresses of a host", map[string]string{"url:a.test/1": release, "url:a.test/2": release + " x y z", "url:a.test/3": release}, map[string]string{"url:a.test/3": "url:a.test/1", "url:a.test/2": "url:a.test/1"}},
		{"very short", map[string]string{"a": "Page not found", "b": "page not found!", "c": "Page found"}, map[string]string{"b": "a"}},
		{"short, in a long one", map[string]string{"a": prose(1, 30), "b": prose(1, 30) + prose(2, 30)}, map[string]string{}},
		{"no words", map[string]string{"a": "", "b": " … ", "c": ""}, map[string]string{}},
		{"without blanks between words", map[string]string{"a": han(1, 300), "b": han(2, 80) + han(1, 300), "c": han(3, 300)}, map[string]string{"b": "a"}},
		{"very long", map[string]string{"a": prose(21, 60000), "b": prose(22, 20000) + prose(21, 60000), "c": prose(23, 60000)}, map[string]string{"b": "a"}},
	} {
		require.Equal(t, c.want, source.Copies(c.texts), c.name)
	}
}

func han(seed uint64, letters int) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	for range letters {
		b.WriteRune(rune(0x4e00 + r.IntN(3000)))
	}
	return b.String()
}

// Whatever the texts: a copy's original is a text that is no copy itself, and
// the answer is always the same.
func TestCopiesOfAnything(t *testing.T) {
	piece := rapid.SampledFrom([]string{prose(1, 60), prose(2, 60), prose(3, 60), prose(4, 20), "x", "é ", ""})
	rapid.Check(t, func(t *rapid.T) {
		texts := map[string]string{}
		for i, list := range rapid.SliceOfN(rapid.SliceOfN(piece, 0, 4), 0, 12).Draw(t, "texts") {
			texts[fmt.Sprintf("url:host%d.test/%d", i%3, i)] = strings.Join(list, "")
		}
		copies := source.Copies(texts)
		for key, original := range copies {
			require.Contains(t, texts, key)
			require.Contains(t, texts, original)
			require.NotContains(t, copies, original)
		}
		require.Equal(t, copies, source.Copies(texts))
	})
}

// A page that nothing repeats is 1 MB of words; with twice the pages the time
// is about twice as long.
func BenchmarkCopies(b *testing.B) {
	for _, pages := range []int{50, 100, 200} {
		texts := map[string]string{}
		for i := range pages {
			if texts[fmt.Sprint(i)] = prose(uint64(i), 160000); i%4 == 3 {
				texts[fmt.Sprint(i)] = texts[fmt.Sprint(i-1)] + prose(uint64(i), 20000)
			}
		}
		b.Run(fmt.Sprintf("%d MB", pages), func(b *testing.B) {
			for b.Loop() {
				source.Copies(texts)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N)/float64(pages), "ms/MB")
		})
	}
}
