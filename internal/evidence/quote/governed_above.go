package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/guard"
)

// maxAbove is how many bytes before a passage its heading and what leads to its
// list are looked for.
const maxAbove = 2 << 10

// governedAbove gives what stands over a passage and says that it is wrong: the
// heading of its section, or the line that leads to its list.
func (s *search) governedAbove(m Match) []guard.Finding {
	if isStruckOut(s.text, m.Start, m.End) {
		return []guard.Finding{{Kind: guard.Begins, Text: "~~"}}
	}
	above := s.text[runeStart(s.text, m.Start-maxAbove):m.Start]
	lines := strings.Split(above, "\n")
	last := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	if saysSoItself(s.text[m.Start:m.End], s.text[runeStart(s.text, m.Start-maxAround):runeStart(s.text, m.End+maxAround)]) {
		return nil
	}
	if sentenceEnd(last) >= 0 && sentenceEnd(enumeration().ReplaceAllString(last, "")) >= 0 {
		return nil // a later sentence may say what is so
	}
	led := isItem(strings.TrimSpace(last)+" x") || isItem(strings.TrimSpace(last))
	if row := strings.TrimSpace(last); strings.HasPrefix(row, "|") && (strings.Count(row, "|") > 1 || strings.Contains(s.text[m.Start:m.End], "|")) {
		return nil // only what stands first in a row is under the heading
	}
	if !led {
		return nil
	}
	for i, line := range slices.Backward(lines) {
		bare := strings.TrimSpace(line)
		if bare == "" {
			continue
		}
		heads := isHeading(bare, i > 0 && strings.TrimSpace(lines[i-1]) == "", strings.TrimSpace(append(lines, last)[i+1]) == "")
		leads := led && !isItem(bare)
		led = led && !leads
		if (heads || leads && (strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, "："))) && untrue().MatchString(bare) {
			return []guard.Finding{{Kind: guard.Begins, Text: shortened(strings.Trim(bare, "#*_ "))}}
		}
		if heads {
			return nil
		}
	}
	return nil
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
	before := text[runeStart(text, start-maxAround):start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind := text[end:runeStart(text, end+maxAround)]
	if strings.Count(before, "~~")%2 == 1 && strings.Contains(behind, "~~") {
		return true
	}
	for _, tag := range [...]string{"del", "s", "strike"} {
		if open := strings.LastIndex(before, "<"+tag+">"); open >= 0 && !strings.Contains(before[open:], "</"+tag) {
			return true
		}
	}
	return false
}

// saysSoItself reports whether a passage says itself that something is claimed, in
// doubt or wrong.
func saysSoItself(passage, around string) bool {
	return slices.ContainsFunc(guard.Governors(passage, guard.Language(around)), func(g guard.Governor) bool {
		return g.Role == guard.Claimed || g.Role == guard.Doubt || g.Role == guard.Rejection
	})
}
