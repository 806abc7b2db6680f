package quote

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// Marks of notes look alike where they stand in a text and where their note begins: in plain text, in
// Markdown, reStructuredText and TeX, on a page and in an edition.

const (
	raisedSigns = "*∗†‡§¶¹²³⁴⁵⁶⁷⁸⁹⁰①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳" // of notes
	// marksOfNotes are the bytes and signs one of which a mark has.
	marksOfNotes = "[(（<^\\0123456789" + raisedSigns
	raisedMark   = `(?:\\?[*∗†‡§¶]){1,3}|[¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3}|[①-⑳]`
	markOfLink   = 16 // the place of the id that a link leads to, in what markOfNote finds
)

var (
	// lineOfNote is a line that may begin a note.
	lineOfNote = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[ \t]*(?:(?:(\[\^[\w-]{1,20}\]:)|(\[\d{1,3}\])|(\([a-z\d]{1,2}\))|(\d{1,3})[.)]?|(` + raisedMark + `)|\[Footnote ([\w*†‡]{1,4}):|\.\. (\[[#\w*-]{1,20}\])|\^(\d{1,2}|[a-z*])\^|[注註](\d{1,2})[:：]?)[ \t\x{3000}]+|([①-⑳]))[\pL"“„«‘(「]`)
	})
	// elementOfNote is one of HTML, of a paper or of an edition that a link leads to.
	elementOfNote = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<(?:li|p|div|aside|fn|note|dd|td|section)\s[^<>]{0,120}?\b(?:xml:)?id\s*=\s*["']?([\w:.-]{1,60})["']?[^<>]*>`)
	})
	// linksWithin is what a text has that has links to its own notes.
	linksWithin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:href\s*=\s*["']?#|target\s*=\s*["']#|rid\s*=)`)
	})
	// shownNote is the mark that a note of a page begins with, behind the tag of its element or of its line.
	shownNote = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)<(?:br|p|div|li|aside|footer|sub|small|dd)\b[^<>]{0,200}>\s*(?:<(?:small|sub|span|a|i|em)\b[^<>]{0,200}>\s*)*(?:<sup(?:\s[^<>]*)?>(?:<a\s[^<>]{0,200}>)?[\[(]?([\d*†‡§a-z]{1,2})[\])]?(?:</a>)?</sup>|(` + raisedMark + `))\s?[\pL"“„«‘(<]`)
	})
	// nextShownNote is one that stands behind another in the same element.
	nextShownNote = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[.!?;)\]]\s+<sup(?:\s[^<>]*)?>([\d*†‡§a-z]{1,2})</sup>\s?[\pL"“„«‘(]`)
	})
	// textOfMark is the note of TeX whose mark stands elsewhere.
	textOfMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\footnotetext(?:\[(\d{1,2})\])?\{`)
	})
	// markOfNote is what a note's mark looks like behind a word, and a link to the note.
	markOfNote = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:[\pL)”"’»][.,;:!?。]|\p{Ll}{3}|\p{Lo}|\d{4}[.,;:]?)(?:(\d{1,2})(?:\s|$|<)|(` + raisedMark + `))|[\pL\d.,;:!?)”"’»*_。]\s?(?:(\[\^[\w-]{1,20}\])|(\[(?:\d{1,3}|[a-z]|#[\w-]{1,20}|\*)\])|(\([a-z\d]{1,2}\))|\^(\d{1,2}|[a-z*])\^|[(（[][注註](\d{1,2})[)）\]])|<(?:a|xref|ref|ptr)\s[^<>]{0,200}?\b(?:href\s*=\s*["']?#|target\s*=\s*["']#|rid\s*=\s*["'])([\w:.-]{1,60})\b[^<>]*>(?:(?:<[^<>/]*>)*([^<>]{1,8})<)?|<sup(?:\s[^<>]*)?>([\d*†‡§a-z]{1,2})</sup>|\\footnotemark(?:\[(\d{1,2})\])?`)
	})
	// noteBehind is the beginning of the words of a note, right behind a passage.
	noteBehind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[.,;:!?)”"’»。\s]{0,3}(?:<(?:note|remark|authorialNote|span\s[^<>]{0,60}\bclass\s*=\s*["'](?:foot)?note["']|aside)(?:\s[^<>]{0,200})?>|\\(?:footnote|marginpar|marginnote|sidenote|thanks|endnote)(?:\[[^\[\]{}]{0,20}\])?\{)`)
	})
	// markRightBehind is a part of what stands between the end of a passage and its last mark.
	markRightBehind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[.,;:!?)”"’»。]|\d{1,2}(?:\s|$)|` + raisedMark + `|\^(?:\d{1,2}|[a-z*])\^|\s?\[[\^#]?[\w*-]{1,20}\]_?|\s?\([a-z\d]{1,2}\)|[(（[][注註]\d{1,2}[)）\]]|\s?\\footnotemark(?:\[\d{1,2}\])?|</?(?:sup|a|xref|ref|ptr)(?:\s[^<>]*)?>[\[\]\w*†‡§]{0,4})`)
	})
)

// mayBeginNote reports whether a line begins with what a note may begin with.
func mayBeginNote(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.IndexAny(line, "[(0123456789^\\注註"+raisedSigns) == 0 || strings.HasPrefix(line, ".. [")
}

// nameOfMark is what a mark says, the same where it stands and where its note begins.
func nameOfMark(mark string) string {
	if strings.HasPrefix(mark, "[^") || strings.HasPrefix(mark, "#") {
		return strings.TrimSuffix(mark, ":")
	}
	plain := strings.Map(func(r rune) rune {
		switch {
		case r == '∗':
			return '*'
		case r == '\\':
			return -1
		case '①' <= r && r <= '⑨':
			return '1' + r - '①'
		}
		return reading.PlainDigit(r)
	}, strings.Trim(mark, "[]()"))
	return plain
}

// addElements finds the notes that elements of a page or of an edition are, and those that TeX sets apart.
func (n notesByMark) addElements(text string) {
	if strings.Contains(text, `\footnotetext`) {
		for _, m := range textOfMark().FindAllStringSubmatchIndex(text, -1) {
			mark := ""
			if m[2] >= 0 {
				mark = text[m[2]:m[3]]
			}
			n.add(mark, Span{m[1], bracedEnd(text, m[1])})
		}
	}
	if !strings.Contains(text, "</") {
		return
	}
	if linksWithin().MatchString(text) {
		for _, m := range elementOfNote().FindAllStringSubmatchIndex(text, -1) {
			n.add("#"+text[m[2]:m[3]], Span{m[1], elementNoteEnd(text, m[1])})
		}
	}
	for _, m := range shownNote().FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		at := m[1] - len(string(char.Last(text[:m[1]])))
		end := shownNoteEnd(text, at)
		n.add(text[from:to], Span{at, end})
		for {
			next := nextShownNote().FindStringSubmatchIndex(text[max(at, end-1):words.RuneStart(text, min(len(text), end+longestNote))])
			if next == nil || next[0] > 0 {
				break
			}
			base := max(at, end-1)
			at = base + next[1] - len(string(char.Last(text[:base+next[1]])))
			end = shownNoteEnd(text, at)
			n.add(text[base+next[2]:base+next[3]], Span{at, end})
		}
	}
}

// shownNoteEnd is where the words of a note end that begins with its mark in an element: with the element, or
// before another mark.
func shownNoteEnd(text string, from int) int {
	end := elementNoteEnd(text, from)
	for _, tag := range [...]string{"<br", " <sup", "</small", "</sub>"} {
		if n := strings.Index(text[from:end], tag); n > 0 {
			end = from + n
		}
	}
	return end
}

// elementNoteEnd is where the words of an element end.
func elementNoteEnd(text string, from int) int {
	end := words.RuneStart(text, min(len(text), from+longestNote))
	for _, tag := range [...]string{"</li", "</fn", "</note", "</aside", "</dd", "</td", "</section", "</div", "</p"} {
		if n := strings.Index(text[from:end], tag); n >= 0 {
			end = from + n
		}
	}
	return end
}

// bracedEnd is where what TeX has in braces ends whose words begin at a place.
func bracedEnd(text string, from int) int {
	open := 1
	end := words.RuneStart(text, min(len(text), from+longestNote))
	for i := from; i < end; i++ {
		switch text[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return i
			}
		}
	}
	return end
}

// noteInPlace is the note whose words stand right behind a passage.
func noteInPlace(text string, end int) (Span, bool) {
	const behind = 160 // bytes of its tag
	at := noteBehind().FindStringIndex(text[end:words.RuneStart(text, min(len(text), end+behind))])
	if at == nil {
		return Span{}, false
	}
	from := end + at[1]
	if text[from-1] == '{' {
		return Span{from, bracedEnd(text, from)}, true
	}
	note := Span{from, elementNoteEnd(text, from)}
	if n := strings.Index(text[note.Start:note.End], "</span"); n >= 0 {
		note.End = note.Start + n
	}
	return note, true
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

// isEmphasis reports whether a star is a mark of Markdown that closes what another one has opened in its
// paragraph.
func isEmphasis(text string, at int) bool {
	const near = 400
	before := text[max(0, at-near):at]
	before = before[strings.LastIndex(before, "\n\n")+1:]
	open := false
	for i, r := range before {
		if r != '*' || strings.HasSuffix(before[:i], `\`) {
			continue
		}
		first := char.First(before[i+1:])
		last := char.Last(before[:i])
		switch {
		case first == '*' || last == '*' && open:
		case !unicode.IsSpace(first) && first != utf8.RuneError && (i == 0 || last == '*' || unicode.IsSpace(last) || strings.ContainsRune(`("“„«—–`, last)):
			open = true
		case !unicode.IsSpace(last):
			open = false
		}
	}
	return open
}
