package words_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/words"
)

func TestRelatedWordsShareAStem(t *testing.T) {
	for _, related := range []string{
		"pace paces paced pacing pacer", "schedule schedules scheduler scheduling scheduled", "steal steals stealing",
		"allocate allocated allocation allocator allocates", "collect collector collection collecting", "policy policies",
		"stop stops stopped stopping", "scan scans scanner scanning", "run runs running runner", "manage manager managing management",
		"free freed frees freeing", "try tries tried trying", "goroutine goroutines", "Heap heaps HEAP",
	} {
		stems := map[string]bool{}
		for _, s := range words.Stems(related) {
			stems[s] = true
		}
		require.Len(t, stems, 1, "%s: %v", related, stems)
	}
}

func TestUnrelatedWordsDoNot(t *testing.T) {
	for _, pair := range [][2]string{{"heap", "heat"}, {"mark", "market"}, {"sweep", "sweet"}, {"stack", "stall"}, {"ring", "r"}, {"bed", "b"}} {
		require.NotEqual(t, words.Stems(pair[0]), words.Stems(pair[1]), pair)
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
		require.Equal(t, strings.Fields(c.want), append([]string{}, words.Stems(c.text)...), c.text)
	}
}

func FuzzStems(f *testing.F) {
	for _, s := range []string{"gcControllerState heap_goal", "调度器は", "\xff\x00a", "\u202eabc", "ﷺ", "e\u0301", strings.Repeat("aA", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, stem := range words.Stems(s) {
			require.NotEmpty(t, stem)
			require.True(t, utf8.ValidString(stem), "%q", stem)
			for _, r := range stem {
				require.True(t, unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r), "%q", stem)
			}
		}
	})
}

func TestTokensAreWordsInSmallLetters(t *testing.T) {
	for text, want := range map[string]string{
		"It's 1.5 km, NOT-so_far": "it s 1 5 km not so far",
		"调度器 steals":              "调 度 器 steals",
		"Straße naïve":            "straße naïve",
		" -- ":                    "",
	} {
		require.Equal(t, strings.Fields(want), append([]string{}, words.Tokens(text)...), text)
	}
}

func TestWordsAreCounted(t *testing.T) {
	for text, want := range map[string]int{"": 0, "one": 1, "don't stop, 2.5 times": 4, "调度器": 2, "调 ok": 2, "--": 0} {
		require.Equal(t, want, words.Count(text), text)
	}
}

func TestAbbreviations(t *testing.T) {
	for _, word := range []string{"e.g", "Dr", "z.B", "U.S"} {
		require.True(t, words.IsAbbreviation(word), word)
	}
	for _, word := range []string{"", "end", "doctor"} {
		require.False(t, words.IsAbbreviation(word), word)
	}
}

// Bytes that begin no character do not lead a place far away.
func TestAPlaceIsWithinNoCharacter(t *testing.T) {
	require.Equal(t, 1, words.RuneStart("aé", 2))
	require.Equal(t, 3, words.RuneStart("aé", 3))
	require.Equal(t, 0, words.RuneStart("aé", -4))
	require.Equal(t, 3, words.RuneStart("aé", 9))
	broken := "a" + strings.Repeat("\xad", 20)
	require.Equal(t, 12, words.RuneStart(broken, 12))
	require.Equal(t, 0, words.RuneStart("", 0))
}
