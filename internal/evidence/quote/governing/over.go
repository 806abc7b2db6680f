package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
)

// maxAbove is how many bytes before a passage its heading and what leads to its
// list are looked for.
const maxAbove = 2 << 10

// over gives what stands over a passage and says that it is wrong: that it is struck
// out, the heading of its list, or the line that leads to that.
func over(text string, start, end int) []guard.Finding {
	if isStruckOut(text, start, end) {
		return []guard.Finding{{Kind: guard.Begins, Text: "~~"}}
	}
	lines := strings.Split(text[words.RuneStart(text, start-maxAbove):start], "\n")
	last := lines[len(lines)-1]
	if !beginsItem(strings.TrimSpace(last), text[start:end]) {
		return nil
	}
	led := true
	for i, line := range slices.Backward(lines[:len(lines)-1]) {
		bare := strings.TrimSpace(line)
		if bare == "" {
			continue
		}
		heads := isHeading(bare, i > 0 && strings.TrimSpace(lines[i-1]) == "", strings.TrimSpace(lines[i+1]) == "")
		leads := led && !isItem(bare) && (strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, "："))
		led = led && isItem(bare)
		if (heads || leads) && untrue().MatchString(bare) && !saysSoItself(text, start, end) {
			return []guard.Finding{{Kind: guard.Begins, Text: Shorten(strings.Trim(bare, "#*_ "))}}
		}
		if heads {
			return nil
		}
	}
	return nil
}

// beginsItem reports whether a passage stands in the first sentence of an item of a
// list, or in the first cell of a row, of which the line before it is given: what
// comes later may say what is so.
func beginsItem(line, passage string) bool {
	if !isItem(line) && !isItem(line+" x") {
		return false
	}
	if strings.HasPrefix(line, "|") {
		return strings.Count(line, "|") == 1 && !strings.Contains(passage, "|")
	}
	rest := enumeration().ReplaceAllString(line+" ", "")
	return !strings.Contains(rest, ". ") && !strings.Contains(rest, "! ") && !strings.Contains(rest, "? ")
}

// isHeading reports whether a line is the heading of a section: it is marked as
// one, or is short, ends without a mark and stands alone.
func isHeading(line string, blankBefore, blankBehind bool) bool {
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<h") || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**") {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(line)
	return blankBefore && blankBehind && isShortLine(line) && isWordRune(last)
}

// untrue is what a heading calls things that are not so.
var untrue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:myth|mythe|mito|mitos|mity|misconcept|misunderst|false|falseh|falsch|faux|fausse|fals|rum[ou]+r|gerücht|legend|superstit|aberglaub|fallac|irrtum|irrtüm|irrig|bulo|bufal|hoax|миф|заблужд|слух|ложн|efsane|myt|harhaluul|missförst|nieporoz|nieprawd|fałsz|wrong|incorrect|untrue|idées? reçue|misverst|fabel|onjuist|väär|virheellis|yanlış|salah|keliru|sai lầm|hiểu lầm|ngộ nhận|भ्रम|मिथक|ग़लत|गलत|خراف|خاطئ|미신|오해|거짓|잘못된)|谣言|误解|错误说法|誤解|迷信|俗説|デマ`)
})

// isStruckOut reports whether a passage stands where its text is struck out, as
// Markdown and HTML mark it.
func isStruckOut(text string, start, end int) bool {
	before := text[words.RuneStart(text, start-MaxAround):start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind := text[end:words.RuneStart(text, end+MaxAround)]
	if strings.Count(before, "~~")%2 == 1 && strings.Contains(behind, "~~") {
		return true
	}
	for _, tag := range [...]string{"del", "s", "strike"} {
		open := max(strings.LastIndex(before, "<"+tag+">"), strings.LastIndex(before, "<"+tag+" "))
		if open >= 0 && !strings.Contains(before[open:], "</"+tag) {
			return true
		}
	}
	return false
}

// saysSoItself reports whether a passage says itself that something is claimed, in
// doubt or wrong.
func saysSoItself(text string, start, end int) bool {
	around := text[words.RuneStart(text, start-MaxAround):words.RuneStart(text, end+MaxAround)]
	return slices.ContainsFunc(guard.Governors(text[start:end], guard.Language(around)), func(g guard.Governor) bool {
		return g.Role == guard.Claimed || g.Role == guard.Doubt || g.Role == guard.Rejection
	})
}
