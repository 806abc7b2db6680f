package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is quickly identified is what it would have been slowly.
func TestSimpleIsTheSame(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"https://", "http://", "www.", "m.", "amp.", "example.com", "a.test", "com", "/", "/", "?", "&", "=", "#", "id=7", "id=x", "utm_source=a", "amp", "amp=1", "A", "b-1",
		".", "..", ":443", "@", "%41", "10.1000/x", "doi.org", "arxiv.org", "/abs/1706.03762", "github.com", "/commit/1234567", "en.m.wikipedia.org", "xn--a", " ", "é", "(x)", "cve.org",
	})
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		ref := rapid.SampledFrom([]string{"https://", "http://www.", "https://example.com/", ""}).Draw(t, "begin") + strings.Join(rapid.SliceOfN(piece, 0, 7).Draw(t, "pieces"), "")
		if s, ok := simple(ref); ok {
			taken++
			require.Equal(t, identify(cleanReference(ref)), s, ref)
		}
	})
	require.Positive(t, taken)
}

func BenchmarkIdentify(b *testing.B) {
	refs := make([]string, 1000)
	for i := range refs {
		refs[i] = fmt.Sprintf("https://www.site%d.example.com/reports/2024/%d?id=%d", i%50, i, i*7)
	}
	b.Run("simple", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			Identify(refs[i%len(refs)])
		}
	})
	b.Run("any", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			identify(cleanReference(refs[i%len(refs)]))
		}
	})
}
