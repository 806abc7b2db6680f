package citation

import (
	"html"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

// A mark is a reference where it stands in running text.
type mark struct {
	at, end  int      // in the text: the words it is linked to; at == end where it is only a marker
	src, to  int      // its bytes in the report
	labels   []string // what it refers to in the list of sources
	target   string   // address, path or identifier it leads to
	fragment string   // place of the same HTML page it leads to
	soft     bool     // it may be none: it counts where there is a reference of its label
	loose    bool     // its text still stands in the block's, at to end: whether it is one is to be settled
	ids      bool     // its labels are a tool's: the number or name of a source, and perhaps a place in it
	leftover bool     // a writing tool's own token; it counts where there is a reference of its label
	hollow   bool     // it is a link without an address
	shortcut bool     // it is a link by its own words
	further  bool     // it is another address of the marker before
	sign     bool     // it is a sign, not a number or a name
	known    []int    // references it was settled to mean
	words    string   // it is linked to
}

// A block is a paragraph, heading, entry of a list, row of a table.
type block struct {
	kind     kind
	level    int    // of a heading
	label    string // the number or name at its beginning, as of an entry of a list of sources
	marked   bool   // the label stood in brackets, not before a full stop
	named    bool   // the label is a name that a marker has
	raised   bool   // the label is a raised number
	sign     string // the sign at its beginning, as of a note on a slide
	round    bool   // the label stood in round brackets
	wrapped  bool   // it follows another line of text without a blank line
	quoted   bool   // it is set apart as a quotation
	indent   int
	ids      []string // places of an HTML page in it
	main     bool     // of an HTML page: it is in the part that is marked as the main one
	sources  bool     // it only names the sources of its section
	note     bool     // a footnote's text, or the definition of a link
	src, end int      // its bytes in the report
	text     string   // as readers see it, without markers, white space single
	at       []int32  // where in the report each byte of the text comes from
	marks    []mark
	below    []*block // what is said below it, as an entry of a list of sources
}

type kind int

const (
	prose kind = iota
	heading
	item
	row
	code
	rule
)

// sourceOffset is the byte of the report a byte of the text comes from.
func (b *block) sourceOffset(i int) int {
	if i < len(b.at) {
		return int(b.at[i])
	}
	if len(b.at) == 0 {
		return b.src
	}
	return int(b.at[len(b.at)-1]) + 1
}

// A writer puts the text of one block together.
type writer struct {
	text  []byte
	at    []int32
	marks []mark
}

// write writes a piece of text that comes from one place. White space becomes
// single.
func (w *writer) write(s string, from int) {
	for i, r := range s {
		if r == '\r' || r == '\n' || r == ' ' || r == '\t' || r == '\u00a0' || r == '\u3000' || r == '\f' || r == '\v' {
			if n := len(w.text); n > 0 && w.text[n-1] != ' ' {
				w.text, w.at = append(w.text, ' '), append(w.at, int32(from+i))
			}
			continue
		}
		if isHidden(r) {
			continue
		}
		n := len(w.text)
		w.text = utf8.AppendRune(w.text, r)
		for range len(w.text) - n {
			w.at = append(w.at, int32(from+i))
		}
	}
}

// writeAt writes text whose bytes all come from one place, as a character
// reference's.
func (w *writer) writeAt(s string, from int) {
	n := len(w.text)
	w.write(s, from)
	for i := n; i < len(w.at); i++ {
		w.at[i] = int32(from)
	}
}

// isHidden are controls, marks that turn the direction of writing, zero-width
// blanks.
func isHidden(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0, r == '\u00ad', r == '\ufeff':
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

func (w *writer) addMark(m mark) {
	if len(m.target) > maxAddress {
		return
	}
	w.marks = append(w.marks, m)
}

// maxAddress bounds an address, in bytes.
const maxAddress = 4096

// closeMarkerBracket reports whether a bracket closes one that holds nothing but markers,
// and takes the open one back.
func (w *writer) closeMarkerBracket(r rune) bool {
	want := map[rune]string{')': "(", ']': "[", '）': "（", '】': "【"}[r]
	tail := string(w.text[max(0, len(w.text)-16):])
	trimmed := strings.TrimRight(tail, " ,;")
	if want == "" || !strings.HasSuffix(trimmed, want) || len(w.marks) == 0 {
		return false
	}
	cut := len(w.text) - (len(tail) - len(trimmed)) - len(want)
	if w.marks[len(w.marks)-1].at < cut {
		return false
	}
	w.truncate(cut)
	return true
}

func (w *writer) truncate(n int) {
	w.text, w.at = w.text[:n], w.at[:n]
	for i := len(w.marks) - 1; i >= 0 && w.marks[i].end > n; i-- {
		w.marks[i].at, w.marks[i].end = min(w.marks[i].at, n), n
	}
}

// finish gives the block's text, white space at its end cut.
func (w *writer) finish(b *block) {
	n := len(w.text)
	for n > 0 && w.text[n-1] == ' ' {
		n--
	}
	w.truncate(n)
	b.text, b.at, b.marks = string(w.text), w.at, w.marks
	for i := range b.marks {
		if m := &b.marks[i]; m.target != "" && m.at < m.end {
			m.words = strings.TrimSpace(b.text[m.at:m.end])
		}
	}
}

// cut takes pieces out of a block's text, which are in order and apart, and the
// blanks that would be left double. Marks within them stand where they were.
func (b *block) cut(pieces []stated.Span) {
	if len(pieces) == 0 {
		return
	}
	var text strings.Builder
	places := make([]int32, 0, len(b.at))
	ends, removed := make([]stated.Span, 0, len(pieces)), make([]int, 1, len(pieces)+1)
	last := 0
	for _, p := range pieces {
		p.From = max(p.From, last)
		for p.To < len(b.text) && b.text[p.To] == ' ' && (p.From == 0 || b.text[p.From-1] == ' ') {
			p.To++
		}
		if p.To <= p.From {
			continue
		}
		text.WriteString(b.text[last:p.From])
		places = append(places, b.at[last:p.From]...)
		last = p.To
		ends, removed = append(ends, p), append(removed, removed[len(removed)-1]+p.To-p.From)
	}
	text.WriteString(b.text[last:])
	places = append(places, b.at[last:]...)
	shifted := func(at int) int {
		n := sort.Search(len(ends), func(i int) bool { return ends[i].From >= at })
		if n == 0 {
			return at
		}
		return at - removed[n] + max(0, ends[n-1].To-at)
	}
	for i := range b.marks {
		m := &b.marks[i]
		m.at, m.end = shifted(m.at), shifted(m.end)
	}
	b.text, b.at = text.String(), places
}

// entity reads a character reference at the beginning of s; size is 0 when
// there is none.
func entity(s string) (text string, size int) {
	end := strings.IndexByte(s[:min(len(s), 34)], ';')
	if end < 2 {
		return "", 0
	}
	text = html.UnescapeString(s[:end+1])
	if text == s[:end+1] {
		return "", 0
	}
	return text, end + 1
}
