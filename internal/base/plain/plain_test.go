package plain_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/plain"
)

func TestPlain(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"words stay", "searching: Go GC", "searching: Go GC"},
		{"lines become one", " a\n\tb\r\n c ", "a b c"},
		{"colours go", "\x1b[1;31mred\x1b[0m text", "red text"},
		{"window titles go, ended by BEL", "a\x1b]0;title\ab", "ab"},
		{"window titles go, ended by ST", "a\x1b]8;;http://x\x1b\\link", "alink"},
		{"a cut sequence takes the rest with it", "a\x1b[12", "a"},
		{"controls go", "a\x00b\x07c\u009bd", "abcd"},
		{"overrides of direction go", "a\u202eb\u2066c", "abc"},
		{"long text is cut", strings.Repeat("x", 100), strings.Repeat("x", 19) + "…"},
		{"exactly as long as allowed is not", strings.Repeat("ж", 20), strings.Repeat("ж", 20)},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, plain.Line(c.in, 20)) })
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;t\ac", 5)
	f.Add("\x1b", 1)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = limit&1023 + 1
		out := plain.Line(s, limit)
		require.LessOrEqual(t, utf8.RuneCountInString(out), limit)
		for _, r := range out {
			require.True(t, unicode.IsPrint(r), "%q", r)
		}
	})
}

func TestTextKeepsItsLines(t *testing.T) {
	for in, want := range map[string]string{
		" a\r\nb\rc\u2028d\x85e\tf ":       " a\nb\ncd\ufffde\tf ",
		"a\u0085b":                         "a\nb",
		"a\x1b[31mb\x00":                   "a[31mb",
		"a\u202eb\u2066c\u200fd":           "abcd",
		"so\u00adft zero\u200bwidth\ufeff": "soft zerowidth",
		"a\U000e0041b":                     "ab",
		"می\u200cخواهم 👩\u200d🔬":           "می\u200cخواهم 👩\u200d🔬",
	} {
		require.Equal(t, strings.ReplaceAll(want, "\ncd", "\nc\nd"), plain.Text(in), "%q", in)
	}
	require.Equal(t, "a b", plain.Trimmed("\u200b a b\n"))
}

func TestTerminalKeepsBlanks(t *testing.T) {
	require.Equal(t, "a   b c", plain.Terminal("a  \tb\nc\x1b\u202e"))
}
