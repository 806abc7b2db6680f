package librarian

import (
	"strings"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// sentence is a sentence of a passage.
type sentence struct {
	text        string // one line, without comment signs and the tags of HTML
	from, to    int    // where it stands in the passage's text
	first, last int    // its lines in the file
	block       int    // sentences of one paragraph have the same
	item        bool   // it begins an item of a list
	stems       map[string]bool
	size        int // words
}

// piece is what one line of a paragraph says.
type piece struct {
	at         int // where it begins in the paragraph's running text
	start, end int // where it stands in the passage's text
	line       int // of the file
}

// block is a paragraph being put together.
type block struct {
	path   string // of its file
	text   strings.Builder
	pieces []piece
	item   bool
}

// sentences are the sentences of what a passage says: its prose and comments,
// not its code.
func sentences(p Passage) []sentence {
	var out []sentence
	b := block{path: p.Path}
	number := 0
	flush := func() {
		if len(b.pieces) > 0 {
			out = b.sentences(out, number)
			number++
		}
		b = block{path: p.Path}
	}
	at := 0
	for i, line := range strings.Split(p.Text, "\n") {
		start, end, item := 0, 0, false
		kind := p.Kinds[min(i, len(p.Kinds)-1)]
		if kind == proseLine || kind == commentLine {
			start, end, item = textSpan(line, kind)
		}
		if start >= end || item || isCodeSample(line, kind) || b.isTitle(line[start:end]) {
			flush()
		}
		if start < end && !isCodeSample(line, kind) {
			b.item = b.item || item
			b.add(line, at, start, end, p.First+i)
		}
		at += len(line) + 1
	}
	flush()
	return out
}

// isCodeSample reports whether a line of a comment or document shows code: it is
// indented by a tab behind the comment's sign, or by four blanks in a document.
func isCodeSample(line string, kind byte) bool {
	if kind == commentLine {
		body := strings.TrimLeft(line, " \t")
		body = body[commentSignLength(body):]
		return strings.HasPrefix(body, "\t") || strings.HasPrefix(body, "     ") || isDrawing(body)
	}
	return kind == proseLine && strings.HasPrefix(line, "    ") && BulletLength(strings.TrimLeft(line, " ")) == 0
}

// isDrawing reports whether a line is a part of a table or a picture.
func isDrawing(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "|") || strings.HasPrefix(s, "+-") || strings.Count(s, "|") > 2
}

// fullLine is how many bytes a line has at least that was wrapped because the
// next word did not fit.
const fullLine = 56

// isTitle reports whether the paragraph up to now is one short line that the
// next one does not go on with: a title.
func (b *block) isTitle(next string) bool {
	if len(b.pieces) != 1 || next == "" || !upper(next[0]) {
		return false
	}
	line := b.text.String()
	word, _, _ := strings.Cut(next, " ")
	return len(line)+1+len(word) < fullLine && !strings.ContainsAny(line[len(line)-1:], ".,;:!?-")
}

func (b *block) add(line string, at, start, end, number int) {
	if b.text.Len() > 0 {
		b.text.WriteByte(' ')
	}
	b.pieces = append(b.pieces, piece{at: b.text.Len(), start: at + start, end: at + end, line: number})
	b.text.WriteString(line[start:end])
}

// sentences cuts the paragraph's running text.
func (b *block) sentences(out []sentence, number int) []sentence {
	text := b.text.String()
	for _, cut := range words.Sentences(text) {
		start, stop := cut.Start, cut.End
		for start < stop && text[start] == ' ' {
			start++
		}
		for stop > start && text[stop-1] == ' ' {
			stop--
		}
		if start == stop {
			continue
		}
		if s := b.sentence(text, start, stop, number); s.text != "" {
			out = append(out, s)
		}
	}
	return out
}

func (b *block) sentence(text string, start, stop, number int) sentence {
	from, first := b.position(start)
	to, last := b.position(stop - 1)
	s := sentence{
		text: strings.Join(strings.Fields(claim.Readable(b.path, text[start:stop])), " "),
		from: from, to: to + 1, first: first, last: last, block: number,
		item: b.item && start == 0, stems: map[string]bool{},
	}
	for _, w := range words.Split(s.text) {
		s.size += wordWeight(w.Text)
		for _, st := range words.StemsOf(w.Text) {
			s.stems[st] = true
		}
	}
	return s
}

// wordWeight is how many words a run of letters counts for: one, or in scripts
// without blanks between words half as many as it has letters.
func wordWeight(w string) int {
	if words.IsPaired(w) {
		return (utf8.RuneCountInString(w) + 1) / 2
	}
	return 1
}

// position is where a byte of the running text stands in the passage's text, and
// on which line of the file.
func (b *block) position(at int) (int, int) {
	for i := len(b.pieces) - 1; i >= 0; i-- {
		if p := b.pieces[i]; p.at <= at {
			return min(p.start+at-p.at, p.end-1), p.line
		}
	}
	return b.pieces[0].start, b.pieces[0].line
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool { return c >= 'a' && c <= 'z' }
