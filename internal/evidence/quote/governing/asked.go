package governing

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// askedThere gives, in bytes, the first sentence of the answer behind a passage that is all of the question but
// for that mark: its text asks what the passage seems to state.
func askedThere(text string, start, end int) (from, to int) {
	const longest, few = 200, 3 // bytes of the answer, words
	before := strings.TrimRight(text[max(0, words.RuneStart(text, start-8)):start], " *_\"“„«¿(#")
	if last := char.Last(before); before != "" && last != '\n' && last != '>' && last != ':' && last != '：' && !char.IsSentenceStop(last) {
		return 0, 0
	}
	rest := text[end:words.RuneStart(text, min(len(text), end+longest))]
	mark := askedMark().FindString(rest)
	if mark == "" || words.Count(text[start:end]) < few {
		return 0, 0
	}
	answer := rest[len(mark):]
	said := strings.TrimLeft(anyTag().ReplaceAllStringFunc(answer, func(s string) string { return strings.Repeat(" ", len(s)) }), " \t\n*_\"”»")
	skipped := len(answer) - len(said)
	line, _, _ := strings.Cut(answer[skipped:], "\n")
	line, _, _ = strings.Cut(line, "<")
	if list := words.Sentences(line); len(list) > 0 {
		line = line[:list[0].End]
	}
	from = end + len(mark) + skipped
	return from, from + len(line)
}

var askedMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s?(?:吗|嗎|呢|か|까)?[?？؟]`) })
