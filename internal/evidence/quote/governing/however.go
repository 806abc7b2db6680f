package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// provisos begin, in Japanese and Korean, a sentence that bounds the one before it.
var provisos = []string{"ただし", "但し", "다만", "단,", "단 "}

// contrastNext tells what the sentence behind a passage does to it where it begins with a "however"
// or "except" of Chinese, Japanese or Korean, which end a sentence before it as others end a clause:
// an exception, a proviso and a denial govern the passage, a statement of its own may bound it.
func contrastNext(c context) (w weight, ok bool) {
	if !c.isUnspaced() && c.language != "ko" {
		return saysNothing, false
	}
	list := guard.Governors(c.next, c.language)
	if len(list) == 0 || list[0].Start != 0 || list[0].Role != guard.Contrast && list[0].Role != guard.Exception {
		return saysNothing, false
	}
	rest := c.next[list[0].End:]
	isProviso := slices.ContainsFunc(provisos, func(p string) bool { return strings.HasPrefix(c.next, p) })
	goesBefore := list[0].Role == guard.Exception || strings.HasPrefix(c.next, "虽然") || strings.HasPrefix(c.next, "尽管")
	switch {
	case isProviso && (c.language == "ja" || c.decides(rest)):
		return governs, true // ただし…
	case goesBefore && strings.Contains(rest, "，"), !c.decides(rest): // 除了…，…
		return saysNothing, true
	case list[0].Role == guard.Exception || notTrue().MatchString(rest) || deniesSame(c.said, rest) || c.denies(strings.TrimLeftFunc(rest, char.IsNotOfWord)) || leavesOutWhole(list[1:]):
		return governs, true
	}
	return mayBound, true
}

// leavesOutWhole reports whether among words of a sentence is one that excepts something, or
// rejects what was said.
func leavesOutWhole(list []guard.Governor) bool {
	return slices.ContainsFunc(list, func(g guard.Governor) bool { return g.Role == guard.Exception || g.Role == guard.Rejection })
}

// notTrue is how Chinese, Japanese and Korean say that what was said is not so.
var notTrue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`并非如此|不是(?:这样|如此|事实|真的)|[不未非]属实|不实|並非如此|不是這樣|そうでは(?:な|あり)|事実では(?:な|あり)|本当では(?:な|あり)|誤り|사실(?:이|은) 아니|그렇지(?:는)? 않`)
})

// denying are signs with which those languages deny, and others that name nothing.
const denying = "没沒有从從未不并並非是无無曾也却卻都就还還已他她它们們这這那此后後来來지않못안아니었았겠습다없을를이가은는"

// deniesSame reports whether a sentence denies in the same words what was said: "当选了" and "没有当选".
func deniesSame(said, rest string) bool {
	const fewest = 2
	if !strings.ContainsAny(rest, "没沒未不非无無않못안아없") && !strings.Contains(rest, "な") && !strings.Contains(rest, "ません") {
		return false
	}
	same := 0
	for _, r := range rest {
		switch {
		case !unicode.In(r, unicode.Han, unicode.Hangul) || strings.ContainsRune(denying, r):
		case !strings.ContainsRune(said, r):
			return false
		default:
			same++
		}
	}
	return same >= fewest
}
