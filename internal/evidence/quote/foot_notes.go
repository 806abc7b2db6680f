package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// A note belongs to the passage that its mark stands at: "Except …" there takes back what is quoted without
// it. Where the notes of a text are is found out once for all its quotations.

// notesByMark are the notes of a text, in its order, by what their marks say.
type notesByMark map[string][]Span

const (
	longestNote = 400     // bytes of a note that are looked at
	nearNote    = 6 << 10 // bytes from a mark to the foot of its page
)

// findNotes finds what may be notes. Time is linear.
func findNotes(text string) notesByMark {
	notes := notesByMark{}
	before := "" // the line before, that says something
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := text[at:min(end, at+longestNote)]
		if mayBeginNote(line) {
			if m := lineOfNote().FindStringSubmatchIndex(line); m != nil && !isItem(text, line, before, end) {
				mark := ""
				for i := 2; i < len(m); i += 2 {
					if m[i] >= 0 {
						mark = line[m[i]:m[i+1]]
					}
				}
				from := at + m[1] - len(string(char.Last(line[:m[1]])))
				notes.add(mark, Span{from, noteEnd(text, from)})
			}
		}
		if strings.TrimSpace(line) != "" {
			before = strings.TrimSpace(line)
		}
		at = end + 1
	}
	notes.addElements(text)
	for _, list := range notes {
		slices.SortStableFunc(list, func(a, b Span) int { return a.Start - b.Start })
	}
	return notes
}

func (n notesByMark) add(mark string, span Span) {
	mark = nameOfMark(mark)
	n[mark] = append(n[mark], span)
}

// isItem reports whether a line is an item of a list, as a note seems to be: a line leads to it, or it stands
// among others with the same sign.
func isItem(text, line, before string, end int) bool {
	trimmed := strings.TrimLeft(line, " \t")
	sign := trimmed[:1]
	if strings.HasSuffix(before, ":") || strings.HasSuffix(before, "—") {
		return !strings.HasPrefix(trimmed, "[^")
	}
	if sign != "*" && sign != "(" {
		return false
	}
	next := strings.TrimLeft(text[end:words.RuneStart(text, min(len(text), end+80))], " \t\n")
	if sign == "*" {
		return strings.HasPrefix(before, "* ") || strings.HasPrefix(next, "* ")
	}
	return strings.HasSuffix(strings.TrimRight(line, " \t"), ";") || strings.HasSuffix(before, ";")
}

// noteEnd is where a note ends that begins at a place: at an empty line, or where another begins.
func noteEnd(text string, from int) int {
	end := words.RuneStart(text, min(len(text), from+longestNote))
	for at := from; ; {
		n := strings.IndexByte(text[at:end], '\n')
		if n < 0 {
			return end
		}
		at += n + 1
		if line := text[at:end]; strings.TrimSpace(strings.SplitN(line, "\n", 2)[0]) == "" || lineOfNote().MatchString(line) {
			return at - 1
		}
	}
}

// checkNotes tells of the notes of a passage that take it back, and shows those that may. A quotation that has
// the mark of its note shows itself that there is one.
func checkNotes(s *search, quoted string, m Match) ([]guard.Finding, []Span) {
	const behind = 160 // bytes in which a mark may stand behind a passage
	end := noteMarksEnd(s.text, m.End, words.RuneStart(s.text, min(len(s.text), m.End+behind)))
	if note, ok := noteInPlace(s.text, m.End); ok {
		if f, takesBack, _ := noteSays(s, m, note); takesBack {
			return []guard.Finding{f}, nil
		}
		return nil, []Span{firstSentence(s.text, note)}
	}
	passage := s.text[m.Start:end]
	if !strings.ContainsAny(passage, marksOfNotes) || len(s.notes()) == 0 {
		return nil, nil
	}
	var findings []guard.Finding
	var shown []Span
	for _, at := range markOfNote().FindAllStringSubmatchIndex(passage, -1) {
		mark, from, to := "", 0, 0
		for i := 2; i < len(at); i += 2 {
			if at[i] < 0 {
				continue
			}
			if mark, from, to = passage[at[i]:at[i+1]], at[i], at[i+1]; i == markOfLink {
				mark = "#" + mark
				if at[i+2] >= 0 { // its label
					from, to = at[i+2], at[i+3]
				}
				break
			}
		}
		if isLeftOut(m, Span{m.Start + from, m.Start + to}) || hasMarkOf(quoted, passage, from, to) {
			continue
		}
		note, ok := noteOf(s, mark, m.Start+to)
		if !ok || strings.HasPrefix(mark, "*") && isEmphasis(s.text, m.Start+from) {
			continue
		}
		f, takesBack, may := noteSays(s, m, note)
		switch {
		case takesBack:
			findings = append(findings, f)
		case may:
			shown = append(shown, firstSentence(s.text, note))
		}
	}
	return findings, shown
}

// hasMarkOf reports whether a quotation has the mark that stands between two bytes of a passage, behind the same
// word.
func hasMarkOf(quoted, passage string, from, to int) bool {
	mark := passage[from:to]
	if strings.ContainsAny(mark, "[(^"+raisedSigns) {
		return strings.Contains(quoted, mark)
	}
	return strings.Contains(quoted, string(char.Last(passage[:from]))+mark) || strings.Contains(quoted, "["+mark+"]")
}

// noteOf is the note of a mark: the next one behind it that has the same, near by where many things are
// counted so, or the only one of a text.
func noteOf(s *search, mark string, at int) (Span, bool) {
	list := s.notes()[nameOfMark(mark)]
	i := slices.IndexFunc(list, func(n Span) bool { return n.Start >= at })
	sure := strings.HasPrefix(mark, "[^") || strings.HasPrefix(mark, "#")
	switch {
	case i >= 0 && (sure || list[i].Start-at < nearNote):
		return list[i], true
	case sure && len(list) == 1 && list[0].End <= at:
		return list[0], true
	}
	return Span{}, false
}

// noteSays tells what a note does to the passage it belongs to. One that only sends to another note says what that
// does.
func noteSays(s *search, m Match, note Span) (f guard.Finding, takesBack, may bool) {
	said := wordsOfNote(s.text, note)
	if sent := sendsToNote().FindStringSubmatch(said); sent != nil {
		list := s.notes()[sent[1]]
		i := slices.IndexFunc(list, func(n Span) bool { return n.Start > m.End && n.Start < m.End+nearNote })
		if i >= 0 {
			said = wordsOfNote(s.text, list[i])
		}
	}
	language := s.language()
	takesBack, may = governing.NoteTakesBack(said, language)
	if !may {
		const near = 300 // bytes of the passage whose language it is
		if own := guard.Language(s.text[words.RuneStart(s.text, max(m.Start, m.End-near)):m.End] + " " + said); own != language {
			takesBack, may = governing.NoteTakesBack(said, own)
		}
	}
	return guard.Finding{Kind: guard.Noted, Text: governing.Shorten(said)}, takesBack, may
}

// firstSentence is that of a note, which is shown.
func firstSentence(text string, note Span) Span {
	if list := words.Sentences(text[note.Start:note.End]); len(list) > 1 {
		note.End = note.Start + list[0].End
	}
	return note
}

// wordsOfNote is what a note says, without brackets and marks before and behind it.
func wordsOfNote(text string, note Span) string {
	return strings.TrimFunc(reading.WithoutTags(text[note.Start:note.End]), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`()[]\`+raisedSigns, r)
	})
}

// sendsToNote is a note that sends to another.
var sendsToNote = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:see|cf\.|siehe|s\.|vgl\.|voir|véase|ver|vedi|zie|se|zob\.|viz|см\.) (?i:foot)?(?i:note|n\.|Anm\.|Anmerkung|Fußnote|la note|nota|la nota|noot|not|przypis|pozn\.|прим\.|сноску) ?(\d{1,2})\.?$`)
})
