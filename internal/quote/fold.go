package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text after folding, with the way back.
type folded struct {
	text string
	// at[i] is where in the original the piece begins that byte i stems from;
	// the last one is the original's length. Texts are shorter than 4 GiB.
	at []uint32
}

// between reports whether a span begins and ends between the pieces of the
// original, and between words once divided words are joined.
func (f folded) between(start, end int) bool {
	if start > 0 && f.at[start-1] == f.at[start] || end < len(f.text) && f.at[end-1] == f.at[end] {
		return false
	}
	return parted(f.text[:start], f.text[start:]) && parted(f.text[:end], f.text[end:])
}

func parted(left, right string) bool {
	a, _ := utf8.DecodeLastRuneInString(left)
	b, _ := utf8.DecodeRuneInString(right)
	return !wordy(a) || !wordy(b) || apart(a, b)
}

// span is the original's span of a span of the folded text.
func (f folded) span(start, end int) (int, int) {
	if start >= end {
		return int(f.at[start]), int(f.at[start])
	}
	return int(f.at[start]), int(f.at[end])
}

// folder folds one text.
type folder struct {
	src   string
	text  []byte
	at    []uint32
	kept  int  // to here a run of marks was looked at and stays
	whole bool // words divided by a hyphen at the end of a line are made whole
}

// fold brings a text into the form in which quotations are compared: Unicode
// compatibility forms composed, one kind of quotation mark and dash, no
// invisible characters, entities decoded, no marks of emphasis and no targets
// of links, single blanks for white space, no comment leaders at the beginning
// of lines. Case, digits and other punctuation stay as they are, and so do
// superscripts and fractions: 10² is not 102.
func fold(s string) folded { return folder{src: s}.fold(true) }

// foldPart folds a part of a text that begins within a line.
func foldPart(s string, whole bool) folded { return folder{src: s, whole: whole}.fold(false) }

// fold folds the text; line tells whether it begins a line.
func (f folder) fold(line bool) folded {
	i := 0
	if line {
		i = f.leader(0)
	}
	f.at = make([]uint32, 0, len(f.src)+1)
	f.text = make([]byte, 0, len(f.src))
	for i < len(f.src) {
		i = f.piece(i)
	}
	f.at = append(f.at, uint32(len(f.src)))
	text := strings.TrimSuffix(string(f.text), " ")
	return folded{text: text, at: f.at[:len(text)+1]}
}

// piece folds the piece that begins at i, and tells where the next begins.
func (f *folder) piece(i int) int {
	c := f.src[i]
	if c < utf8.RuneSelf && (i+1 == len(f.src) || f.src[i+1] < utf8.RuneSelf || small[c] == 0) {
		return f.ascii(i, c)
	}
	r, size := utf8.DecodeRuneInString(f.src[i:])
	switch {
	case unicode.IsSpace(r):
		return f.space(i)
	case r == softHyphen:
		return f.hyphenated(i + size)
	case invisible(r):
		return i + size
	}
	end := i + max(size, norm.NFC.NextBoundaryInString(f.src[i:], true))
	f.put(canonical(f.src[i:end]), i)
	return end
}

func (f *folder) ascii(i int, c byte) int {
	switch {
	case small[c] != 0:
	case c == ' ' || c >= '\t' && c <= '\r':
		return f.space(i)
	case c < ' ' || c == 0x7f:
		return i + 1
	case c == '&':
		if decoded, end := entity(f.src, i); end > 0 {
			return f.decoded(decoded, i, end)
		}
	default:
		if end := f.markup(i, c); end > i {
			return end
		}
	}
	f.text = append(f.text, c)
	f.at = append(f.at, uint32(i))
	return i + 1
}

// decoded folds what an entity stands for.
func (f *folder) decoded(text string, from, end int) int {
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			if n := len(f.text); n > 0 && f.text[n-1] != ' ' {
				f.put(" ", from)
			}
		case !invisible(r):
			f.put(canonical(string(r)), from)
		}
	}
	return end
}

// markup skips the marks of emphasis and links of Markdown that begin at i; it
// gives i for none.
func (f *folder) markup(i int, c byte) int {
	switch c {
	case '`':
		return i + 1
	case '*', '_', '~':
		return f.emphasis(i, c)
	case '[':
		if end := strings.IndexByte(f.src[i:min(len(f.src), i+300)], ']'); end > 0 && i+end+1 < len(f.src) && f.src[i+end+1] == '(' && target(f.src, i+end+1) > 0 {
			return i + 1
		}
	case ']':
		if i+1 < len(f.src) && f.src[i+1] == '(' {
			return max(i, target(f.src, i+1))
		}
	}
	return i
}

// emphasis skips a run of marks that opens or closes: it touches a word on one
// side. Those that multiply or belong to a name stay.
func (f *folder) emphasis(i int, c byte) int {
	if i < f.kept {
		return i
	}
	end := i
	for end < len(f.src) && f.src[end] == c {
		end++
	}
	before, _ := utf8.DecodeLastRuneInString(f.src[:i])
	after, _ := utf8.DecodeRuneInString(f.src[end:])
	left := i > 0 && wordy(before)
	right := end < len(f.src) && wordy(after)
	free := (i == 0 || unicode.IsSpace(before)) && (end == len(f.src) || unicode.IsSpace(after))
	switch n := end - i; {
	case free || left && right || n > 3:
		f.kept = end
		return i
	case c == '~' && n != 2 || c == '_' && left == right:
		return i
	}
	return end
}

func (f *folder) put(s string, from int) {
	f.text = append(f.text, s...)
	for range len(s) {
		f.at = append(f.at, uint32(from))
	}
}

// space folds a run of white space, and what leads the lines in it.
func (f *folder) space(i int) int {
	from := i
	line := false
	for i < len(f.src) {
		r, size := utf8.DecodeRuneInString(f.src[i:])
		if !unicode.IsSpace(r) && !invisible(r) {
			break
		}
		i += size
		if r == '\n' || r == '\r' {
			i = f.leader(i)
			line = true
		}
	}
	if line && f.whole && f.divided(i) {
		f.text, f.at = f.text[:len(f.text)-1], f.at[:len(f.at)-1]
		return i
	}
	if n := len(f.text); n > 0 && f.text[n-1] != ' ' {
		f.put(" ", from)
	}
	return i
}

// divided reports whether a hyphen at the end of a line divides a word that
// goes on at i.
func (f *folder) divided(i int) bool {
	n := len(f.text)
	if n < 2 || f.text[n-1] != '-' {
		return false
	}
	before, _ := utf8.DecodeLastRune(f.text[:n-1])
	after, _ := utf8.DecodeRuneInString(f.src[i:])
	return unicode.IsLetter(before) && unicode.IsLower(after)
}

const softHyphen = '\u00ad'

// hyphenated folds what follows a soft hyphen: at the end of a line it joins
// the halves of a word.
func (f *folder) hyphenated(i int) int {
	rest := strings.TrimLeft(f.src[i:], " \t\r")
	if !strings.HasPrefix(rest, "\n") {
		return i
	}
	i = f.leader(len(f.src) - len(rest) + 1)
	return len(f.src) - len(strings.TrimLeft(f.src[i:], " \t"))
}

// leaders begin the lines of comments. One that ends with a blank needs white
// space, or the end of the line, behind it: #5 and --flag say something.
var leaders = []string{"///", "//!", "//", "/**", "/*", "# ", "## ", "### ", "#### ", "##### ", "###### ", "* ", "-- "}

// leader skips a line's indentation and comment leader.
func (f *folder) leader(i int) int {
	at := i
	for at < len(f.src) && (f.src[at] == ' ' || f.src[at] == '\t') {
		at++
	}
	for _, l := range leaders {
		word := strings.TrimSuffix(l, " ")
		if !strings.HasPrefix(f.src[at:], word) {
			continue
		}
		end := at + len(word)
		if word == l || end == len(f.src) || f.src[end] == ' ' || f.src[end] == '\t' || f.src[end] == '\n' || f.src[end] == '\r' {
			return end
		}
	}
	return i
}

// invisible reports what nobody sees: zero-width and bidirectional marks,
// variation selectors, other controls.
func invisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\t' && r != '\n' && r != '\v' && r != '\f' && r != '\r' || r == 0x7f
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r) && !unicode.IsSpace(r) || r >= 0xfe00 && r <= 0xfe0f
}

// canonical folds one normalisation segment.
func canonical(segment string) string {
	for _, r := range segment {
		if unicode.Is(unicode.No, r) || unicode.Is(unicode.Lm, r) || r == 'ª' || r == 'º' || r == '⁻' || r == '⁺' {
			return strings.Map(alike, norm.NFC.String(segment))
		}
	}
	return strings.Map(alike, norm.NFKC.String(segment))
}

// alike gives the plain form of quotation marks and dashes.
func alike(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛', '′', 'ʼ', '‹', '›':
		return '\''
	case '“', '”', '„', '‟', '″', '«', '»':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	case softHyphen:
		return -1
	}
	if invisible(r) {
		return -1
	}
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}
