package quote

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// What stands behind a passage and is shown where nothing else is, as the passage may say another
// thing without it.

// answerBehind is the sentence behind a question that is quoted without its mark: it may answer it,
// and without the mark the question may look as a statement does.
func answerBehind(s *search, quoted string, m Match) (Span, bool) {
	const most = 240 // bytes
	behind := strings.TrimLeft(s.text[m.End:words.RuneStart(s.text, m.End+most)], " \u00a0\u202f")
	mark := char.First(behind)
	if mark != '?' && mark != '？' || strings.ContainsAny(quoted, "?？") || !strings.ContainsFunc(quoted, unicode.IsSpace) && !words.Unspaced(char.First(quoted)) {
		return Span{}, false
	}
	from := m.End + strings.IndexRune(s.text[m.End:], mark) + len(string(mark))
	behind = s.text[from:words.RuneStart(s.text, from+most)]
	if blank := len(behind) - len(strings.TrimLeftFunc(behind, unicode.IsSpace)); strings.Count(behind[:blank], "\n") > 1 {
		return Span{}, false // the question is a heading
	}
	if stop := sentenceEnd(behind); stop >= 0 {
		behind = behind[:stop]
	}
	g := trimSpan(s.text, from, from+len(behind))
	return g, strings.ContainsFunc(s.text[g.Start:g.End], char.IsOfWord)
}

// clauseOfOther is the clause behind a semicolon that begins with a word which governs the last ones
// of the passage: "harmless to adults; to infants it can be fatal".
func clauseOfOther(s *search, _ string, m Match) (Span, bool) {
	const most, reach = 240, 3 // bytes, words
	behind, ok := strings.CutPrefix(s.text[m.End:words.RuneStart(s.text, m.End+most)], ";")
	if !ok {
		return Span{}, false
	}
	first := strings.FieldsFunc(behind, char.IsNotOfWord)
	said := strings.FieldsFunc(s.text[max(m.Start, words.RuneStart(s.text, m.End-most)):m.End], char.IsNotOfWord)
	if len(first) < reach || len(said) <= reach || !slices.Contains(said[len(said)-reach:len(said)-1], first[0]) {
		return Span{}, false
	}
	if stop := sentenceEnd(behind); stop >= 0 {
		behind = behind[:stop]
	}
	return trimSpan(s.text, m.End+1, m.End+1+len(behind)), true
}

// lineUnderHead is the first line under a heading in capitals that a passage ends with: the
// heading is of what stands below it, and says nothing of the items above.
func lineUnderHead(s *search, _ string, m Match) (Span, bool) {
	const most = 120 // bytes
	from := m.Start + strings.LastIndexByte(s.text[m.Start:m.End], '\n') + 1
	if from <= m.Start {
		return Span{}, false
	}
	_, to := char.LineAround(s.text, m.End)
	if strings.TrimSpace(s.text[m.End:to]) != "" {
		return Span{}, false
	}
	above := strings.TrimRight(s.text[m.Start:from], " \t\r\n")
	above = above[strings.LastIndexByte(above, '\n')+1:]
	head, rest := s.text[from:to], s.text[to:words.RuneStart(s.text, to+most)]
	behind := strings.TrimLeft(rest, " \t\r\n")
	apart := strings.Count(rest[:len(rest)-len(behind)], "\n") > 1
	if !apart || behind == "" || !isAllCapitals(head) || isAllCapitals(above) || strings.ContainsAny(string(char.Last(above)), ".:;,!?") {
		return Span{}, false
	}
	line, _, _ := strings.Cut(behind, "\n")
	if unicode.IsLower(char.First(line)) {
		return Span{}, false // the sentence goes on below
	}
	return trimSpan(s.text, to, to+len(rest)-len(behind)+len(line)), true
}

// isAllCapitals reports whether a line has letters, and no small one.
func isAllCapitals(line string) bool {
	return strings.ContainsFunc(line, unicode.IsUpper) && !strings.ContainsFunc(line, unicode.IsLower)
}

// sentenceOverPage is how a sentence goes on behind lines that may be of its page alone, with which a
// passage ends.
func sentenceOverPage(s *search, _ string, m Match) (Span, bool) {
	const most = 240 // bytes
	if !strings.ContainsAny(s.text[m.Start:m.End], "\n\f") || !s.reading().HasPages() {
		return Span{}, false
	}
	list := s.reading().Unsure()
	i := slices.IndexFunc(list, func(u reading.Span) bool { return m.Start < u.From && u.From < m.End && m.End <= u.To })
	if i < 0 {
		return Span{}, false
	}
	to := list[i].To
	behind := s.text[to:words.RuneStart(s.text, to+most)]
	if stop := sentenceEnd(behind); stop >= 0 {
		behind = behind[:stop]
	}
	return trimSpan(s.text, to, to+len(behind)), strings.ContainsFunc(behind, char.IsOfWord)
}

// behindPassage is what one of these shows.
func behindPassage(s *search, quoted string, m Match) []Span {
	for _, show := range []func(*search, string, Match) (Span, bool){answerBehind, clauseOfOther, lineUnderHead, sentenceOverPage} {
		if g, ok := show(s, quoted, m); ok && g.Start < g.End {
			return []Span{g}
		}
	}
	return nil
}
