package librarian_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent/librarian"
)

func TestRelatedWordsShareAStem(t *testing.T) {
	for _, words := range []string{
		"pace paces paced pacing pacer", "schedule schedules scheduler scheduling scheduled", "steal steals stealing",
		"allocate allocated allocation allocator allocates", "collect collector collection collecting", "policy policies",
		"stop stops stopped stopping", "scan scans scanner scanning", "run runs running runner", "manage manager managing management",
		"free freed frees freeing", "try tries tried trying", "goroutine goroutines", "Heap heaps HEAP",
	} {
		stems := map[string]bool{}
		for _, s := range librarian.Stems(words) {
			stems[s] = true
		}
		require.Len(t, stems, 1, "%s: %v", words, stems)
	}
}

func TestUnrelatedWordsDoNot(t *testing.T) {
	for _, pair := range [][2]string{{"heap", "heat"}, {"mark", "market"}, {"sweep", "sweet"}, {"stack", "stall"}, {"ring", "r"}, {"bed", "b"}} {
		require.NotEqual(t, librarian.Stems(pair[0]), librarian.Stems(pair[1]), pair)
	}
}

func TestStems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"gcControllerState", "gccontrollerstate gc control stat"},
		{"heap_goal", "heapgoal heap goal"},
		{"HTTPServer", "httpserver http serv"},
		{"GOMAXPROCS", "gomaxproc"},
		{"_Grunning", "grun"},
		{"Gs, Ms, and Ps", "gs ms and ps"},
		{"x86_64 utf8", "x8664 x86 64 utf8"},
		{"don't", "don t"},
		{"Straße naïve", "straße naïve"},
		{"调度器 steal", "调度 度器 steal"},
		{"は", "は"},
		{"ﬁne", "fine"},
		{"___ -- \x00", ""},
		{strings.Repeat("x", 65), ""},
	} {
		require.Equal(t, strings.Fields(c.want), append([]string{}, librarian.Stems(c.text)...), c.text)
	}
}

func FuzzStems(f *testing.F) {
	for _, s := range []string{"gcControllerState heap_goal", "调度器は", "\xff\x00a", "\u202eabc", "ﷺ", "e\u0301", strings.Repeat("aA", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, stem := range librarian.Stems(s) {
			require.NotEmpty(t, stem)
			require.True(t, utf8.ValidString(stem), "%q", stem)
			for _, r := range stem {
				require.True(t, unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r), "%q", stem)
			}
		}
	})
}
