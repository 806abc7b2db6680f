package scope

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of titles, in runes: of one that was planned, and of a topic that is its own.
const (
	TitleLimit    = 90
	ownTitleLimit = 160
	titleSearch   = 4 << 10 // bytes in which the first sentence is looked for
)

// Title is what a topic is called, in one line: itself where it is short, else the title
// that somebody has planned, else the first question in it, else its first sentence.
func Title(topic, planned string) string {
	topic, planned = strings.TrimSpace(topic), plain.Line(planned, len(planned))
	line := plain.Line(topic, len(topic))
	switch n := utf8.RuneCountInString(line); {
	case n <= TitleLimit, n <= ownTitleLimit && planned == "" && !strings.Contains(topic, "\n"):
		return line
	case planned != "":
		return cutWords(planned, TitleLimit)
	}
	first := ""
	for _, s := range words.Sentences(topic[:min(len(topic), titleSearch)]) {
		said := plain.Line(strings.TrimLeft(topic[s.Start:s.End], "#>*-= \t\n"), len(topic))
		if first = cmp.Or(first, said); strings.HasPrefix(topic, "#") {
			break // a heading
		}
		if strings.HasSuffix(said, "?") || strings.HasSuffix(said, "？") {
			return cutWords(said, ownTitleLimit)
		}
	}
	return cutWords(cmp.Or(first, line), ownTitleLimit)
}

// cutWords is a line of at most so many runes, cut between words where that is possible.
func cutWords(line string, most int) string {
	short := plain.Line(line, most)
	cut, was := strings.CutSuffix(short, "…")
	if !was || short == line {
		return short
	}
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 && !strings.HasPrefix(line[len(cut):], " ") {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:–—-") + "…"
}
