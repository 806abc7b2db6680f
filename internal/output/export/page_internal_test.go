package export

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinksLeadToTheWebAlone(t *testing.T) {
	for to, want := range map[string]string{
		"https://a.test/b?c=d&e=%20": "https://a.test/b?c=d&e=%20", "http://a.test": "http://a.test", "https://a.test/ü \"": "https://a.test/%C3%BC%20%22",
		"javascript:alert(1)": "#", "JaVaScRiPt:alert(1)": "#", "data:text/html,x": "#", "//a.test": "#", "/etc/passwd": "#", "file:///etc/passwd": "#", "": "#", "http://[": "#", "\x01https://a.test": "#",
	} {
		require.Equal(t, want, address(to), "%q", to)
	}
}

func TestWhatIsPutIntoAPageIsText(t *testing.T) {
	var w writer
	w.put(`<a title="%s">%s %d %.1f</a>`, `"><script>`, "a & b's \x00 %d", 7, 0.25)
	w.text("<b>")
	require.Equal(t, "<a title=\"&#34;&gt;&lt;script&gt;\">a &amp; b&#39;s \uFFFD %d 7 0.2</a>&lt;b&gt;", w.String())
}

func TestContextIsCutAtALineOrAWord(t *testing.T) {
	for _, c := range []struct{ text, first, last string }{
		{"short", "short", "short"},
		{"one two three", "one two …", "… two three"},
		{"one two\nthree four", "one two\n…", "…\nthree four"},
		{"汉字汉字汉字汉字汉字汉字", "汉字汉字汉字汉字汉字…", "…汉字汉字汉字汉字汉字"},
		{"aaaaaaaaae\u0301\u0301bbbbbbbbbb", "aaaaaaaaae\u0301\u0301…", "…bbbbbbbbbb"},
	} {
		require.Equal(t, c.first, firstRunes(c.text, 10), c.text)
		require.Equal(t, c.last, lastRunes(c.text, 10), c.text)
	}
	for _, c := range []string{"", "\n", " ", "a\n", "\u0301"} {
		require.NotPanics(t, func() { firstRunes(c, 0); lastRunes(c, 0) })
	}
}

// A source number directly behind a figure is no power of it.
func TestACitationBehindAFigureStandsInBrackets(t *testing.T) {
	cite := inline{Kind: "cite"}
	for _, c := range []struct {
		before inline
		want   string
	}{
		{inline{Kind: "text", Text: "a limit of 10 "}, "a limit of 10\u202f<sup class=\"cite\">[]</sup>"},
		{inline{Kind: "strong", Inner: []inline{{Kind: "text", Text: "a limit of 10"}}}, "<strong>a limit of 10</strong>\u202f<sup class=\"cite\">[]</sup>"},
		{inline{Kind: "text", Text: "10 MB."}, "10 MB.<sup class=\"cite\"></sup>"},
	} {
		var w writer
		w.inlines([]inline{c.before, cite})
		require.Equal(t, c.want, w.String())
	}
}
