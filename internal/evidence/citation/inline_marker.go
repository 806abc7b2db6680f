package citation

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

var caretForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\^\[?([0-9]{1,3}(?:[,;–-][0-9]{1,3}){0,9})\]?\^`)
})

// readCaret reads a superscript as pandoc writes it: ^1^.
func (s *inlineReader) readCaret(i int) int {
	if m := caretForm().FindStringSubmatch(s.raw[i:min(len(s.raw), i+60)]); m != nil {
		labels, _ := labelsOf(m[1])
		s.addLoose(m[0], i, i+len(m[0]), labels, true)
		return i + len(m[0])
	}
	if s.markdown && !s.note && i+1 < len(s.raw) && s.raw[i+1] == '[' && int(s.closers[i+1]) > i+2 && int(s.closers[i+1]) < i+maxNote {
		return s.readNote(i, int(s.closers[i+1]))
	}
	s.writeRaw(i, i+1)
	return i + 1
}

// maxNote bounds a note within a text, in bytes.
const maxNote = 2000

// readNote reads a note where it is referred to, as pandoc has them: ^[text].
// The addresses in it are what it refers to; without any it is a remark.
func (s *inlineReader) readNote(i, end int) int {
	w := writer{}
	in := inlineReader{raw: s.raw[i+2 : end], stretches: []segment{{0, s.sourceOffset(i)}}, markdown: true, note: true, defs: s.defs, w: &w}
	in.readAll()
	further := false
	for _, m := range w.marks {
		if m.target != "" {
			s.w.addMark(mark{at: len(s.w.text), end: len(s.w.text), src: s.sourceOffset(i), to: s.sourceOffset(end) + 1, target: m.target, further: further})
			further = true
		}
	}
	return end + 1
}

// readLenticular reads 【1】 and what writing tools make of it.
func (s *inlineReader) readLenticular(i, size int) int {
	rest := s.raw[i+size : min(len(s.raw), i+size+200)]
	end := strings.Index(rest, "】")
	if end < 0 {
		return 0
	}
	inner, name, dagger := strings.Cut(rest[:end], "†")
	after := i + size + end + len("】")
	labels, soft := labelsOf(inner)
	switch {
	case dagger && labels == nil:
		labels = []string{strings.ToLower(strings.TrimSpace(name))}
		fallthrough
	case dagger:
		s.addMarker(i, after, labels, soft)
		s.w.marks[len(s.w.marks)-1].leftover = true
		return after
	case labels != nil:
		s.addLoose(s.raw[i:after], i, after, labels, soft)
		return after
	}
	return 0
}

// digit is the ASCII digit of a superscript one, 0 for others.
func digit(r rune) byte {
	switch {
	case r == '¹':
		return '1'
	case r == '²' || r == '³':
		return byte('2' + r - '²')
	case r == '⁰' || r >= '⁴' && r <= '⁹':
		return byte('0' + r - '⁰')
	}
	return 0
}

// readSuperscript reads ¹² or ¹,² where it can be a marker: not behind a digit, a
// unit or another word of one or two letters.
func (s *inlineReader) readSuperscript(i int) int {
	if !allowsMarker(s.raw[max(0, i-24):i]) {
		return 0
	}
	var digits []byte
	end := i
	for end < len(s.raw) {
		r, size := utf8.DecodeRuneInString(s.raw[end:])
		d := digit(r)
		if d == 0 && (r == ',' || r == '˒' || r == '⸴' || r == '⁻') {
			if next, _ := utf8.DecodeRuneInString(s.raw[end+size:]); digit(next) != 0 {
				d = map[rune]byte{'⁻': '-'}[r]
				if d == 0 {
					d = ','
				}
			}
		}
		if d == 0 || len(digits) > 20 {
			break
		}
		digits = append(digits, d)
		end += size
	}
	labels, _ := labelsOf(string(digits))
	if labels == nil {
		return 0
	}
	s.addLoose(s.raw[i:end], i, end, labels, true)
	return end
}

// allowsMarker reports whether a raised number behind a text can be a marker: not
// behind a digit, a unit or another word of one or two letters.
func allowsMarker(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	if !words.IsAlphanumeric(last) || unicode.Is(unicode.Han, last) {
		return true
	}
	word := before[len(strings.TrimRightFunc(before, unicode.IsLetter)):]
	return utf8.RuneCountInString(word) > 2
}
