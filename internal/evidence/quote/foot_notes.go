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

var (
	// lineOfNote is a line that may begin a note.
	lineOfNote = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[ \t]*(?:(\[\^[\w-]{1,20}\]:)|(\[\d{1,3}\])|(\([a-z\d]{1,2}\))|(\d{1,3})[.)]?|([*∗†‡§¶]{1,3})|([¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3})|\[Footnote ([\w*†‡]{1,4}):)[ \t]+[\pL"“„«‘(]`)
	})
	// elementOfNote is one of HTML or of a paper that a link leads to.
	elementOfNote = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<(?:li|p|div|aside|fn|note|dd|td|section)\s[^<>]{0,120}?\b(?:xml:)?id\s*=\s*["']([\w:.-]{1,60})["'][^<>]*>`)
	})
	// markOfNote is what a note's mark looks like behind a word, and a link to the note.
	markOfNote = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:[\pL)”"’»][.,;:!?]|\p{Ll}{3}|\d{4}[.,;:]?)(?:(\d{1,2})(?:\s|$|<)|([*∗†‡§¶]{1,3})|([¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3}))|[\pL\d.,;:!?)”"’»*_]\s?(?:(\[\^[\w-]{1,20}\])|(\[(?:\d{1,3}|[a-z])\])|(\([a-z\d]{1,2}\)))|<(?:a|xref)\s[^<>]{0,200}?\b(?:href\s*=\s*["']#|rid\s*=\s*["'])([\w:.-]{1,60})["'][^<>]*>(?:<[^<>/]*>)*([^<>]{1,8})<|<sup(?:\s[^<>]*)?>([\d*†‡a-z]{1,2})</sup>`)
	})
	// noteBehind is an element with the words of a note, right behind a passage.
	noteBehind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[.,;:!?)”"’»\s]{0,3}<(?:note|remark|authorialNote|span\s[^<>]{0,60}\bclass\s*=\s*["'](?:foot)?note["']|aside)(?:\s[^<>]{0,200})?>`)
	})
)

const (
	raisedSigns = "*∗†‡§¶¹²³⁴⁵⁶⁷⁸⁹⁰" // of notes
	longestNote = 400                // bytes of a note that are looked at
	nearNote    = 6 << 10            // bytes from a mark to the foot of its page
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
		if strings.IndexAny(strings.TrimLeft(line, " \t"), "[(0123456789"+raisedSigns) == 0 {
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
	if strings.Contains(text, "href=\"#") || strings.Contains(text, "href='#") || strings.Contains(text, "rid=") {
		for _, m := range elementOfNote().FindAllStringSubmatchIndex(text, -1) {
			notes.add("#"+text[m[2]:m[3]], Span{m[1], elementNoteEnd(text, m[1])})
		}
	}
	return notes
}

func (n notesByMark) add(mark string, span Span) {
	mark = nameOfMark(mark)
	n[mark] = append(n[mark], span)
}

// nameOfMark is what a mark says, the same where it stands and where its note begins.
func nameOfMark(mark string) string {
	if strings.HasPrefix(mark, "[^") || strings.HasPrefix(mark, "#") {
		return strings.TrimSuffix(mark, ":")
	}
	return strings.ReplaceAll(strings.Map(reading.PlainDigit, strings.Trim(mark, "[]()")), "∗", "*")
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

// elementNoteEnd is where the words of an element end.
func elementNoteEnd(text string, from int) int {
	end := words.RuneStart(text, min(len(text), from+longestNote))
	for _, tag := range [...]string{"</li", "</fn", "</note", "</aside", "</dd", "</td", "</section", "</div"} {
		if n := strings.Index(text[from:end], tag); n >= 0 {
			end = from + n
		}
	}
	return end
}

// checkNotes tells of the notes of a passage that take it back, and shows those that may. A quotation that has
// the mark of its note shows itself that there is one.
func checkNotes(s *search, quoted string, m Match) ([]guard.Finding, []Span) {
	const behind = 80 // bytes in which a mark may stand behind a passage
	end := noteMarksEnd(s.text, m.End, words.RuneStart(s.text, min(len(s.text), m.End+behind)))
	if at := noteBehind().FindStringIndex(s.text[m.End:words.RuneStart(s.text, min(len(s.text), m.End+2*behind))]); at != nil {
		from := m.End + at[1]
		note := Span{from, elementNoteEnd(s.text, from)}
		if n := strings.Index(s.text[note.Start:note.End], "</span"); n >= 0 {
			note.End = note.Start + n
		}
		if f, takesBack, _ := noteSays(s, note); takesBack {
			return []guard.Finding{f}, nil
		}
		return nil, []Span{note}
	}
	passage := s.text[m.Start:end]
	if !strings.ContainsAny(passage, "[(<0123456789"+raisedSigns) || len(s.notes()) == 0 {
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
			if mark, from, to = passage[at[i]:at[i+1]], at[i], at[i+1]; i == 14 { // a link, and its label
				mark, from, to = "#"+mark, at[16], at[17]
				break
			}
		}
		if isLeftOut(m, Span{m.Start + from, m.Start + to}) || hasMarkOf(quoted, passage, from, to) {
			continue
		}
		note, ok := noteOf(s, mark, m.Start+to)
		if !ok || mark == "*" && !isSingleStar(s.text, m.Start+from) {
			continue
		}
		f, takesBack, may := noteSays(s, note)
		switch {
		case takesBack:
			findings = append(findings, f)
		case may:
			shown = append(shown, note)
		}
	}
	return findings, shown
}

// noteMarksEnd is where marks of notes end right behind a passage: in marks of punctuation, brackets and tags.
func noteMarksEnd(text string, end, most int) int {
	for end < most {
		mark := markRightBehind().FindString(text[end:most])
		if mark == "" {
			break
		}
		end += len(mark)
	}
	return end
}

var markRightBehind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[.,;:!?)”"’»]|\d{1,2}(?:\s|$)|[*∗†‡§¶]|[¹²³⁴⁵⁶⁷⁸⁹⁰]|\s?\[\^?[\w-]{1,20}\]|\s?\([a-z\d]{1,2}\)|</?(?:sup|a|xref)(?:\s[^<>]*)?>[\[\]\w*†‡]{0,4})`)
})

// hasMarkOf reports whether a quotation has the mark that stands between two bytes of a passage, behind the same
// word.
func hasMarkOf(quoted, passage string, from, to int) bool {
	mark := passage[from:to]
	if strings.ContainsAny(mark, "[("+raisedSigns) {
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

// isSingleStar reports whether a star is no mark of Markdown: it is alone in its paragraph, or nearly.
func isSingleStar(text string, at int) bool {
	const near = 400
	before, behind := text[max(0, at-near):at], text[at+1:min(len(text), at+near)]
	before = before[strings.LastIndex(before, "\n\n")+1:]
	behind, _, _ = strings.Cut(behind, "\n\n")
	return !strings.Contains(before, "*") && !strings.Contains(behind, "*")
}

// noteSays tells what a note does to the passage it belongs to.
func noteSays(s *search, note Span) (f guard.Finding, takesBack, may bool) {
	said := strings.TrimFunc(reading.WithoutTags(s.text[note.Start:note.End]), func(r rune) bool {
		return unicode.IsSpace(r) || r == '(' || r == '[' || r == ')' || r == ']'
	})
	takesBack, may = governing.NoteTakesBack(said, s.language())
	return guard.Finding{Kind: guard.Noted, Text: governing.Shorten(said)}, takesBack, may
}
