package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// normalised is a text after folding, with the way back.
type normalised struct {
	text string
	// at[i] is where in the original the piece begins that byte i stems from;
	// the last one is the original's length. Texts are shorter than 4 GiB.
	at []uint32
}

// isOnBoundaries reports whether a span begins and ends between the pieces of the
// original, and between words once divided words are joined.
func (f normalised) isOnBoundaries(start, end int) bool {
	if start > 0 && f.at[start-1] == f.at[start] || end < len(f.text) && f.at[end-1] == f.at[end] {
		return false
	}
	return isWordBoundary(f.text[:start], f.text[start:]) && isWordBoundary(f.text[:end], f.text[end:])
}

func isWordBoundary(left, right string) bool {
	a, _ := utf8.DecodeLastRuneInString(left)
	b, _ := utf8.DecodeRuneInString(right)
	return !char.IsOfWord(a) || !char.IsOfWord(b) || areSeparateWords(a, b)
}

// Span is the original's span of a span of the folded text.
func (f normalised) span(start, end int) (int, int) {
	if start >= end {
		return int(f.at[start]), int(f.at[start])
	}
	return int(f.at[start]), int(f.at[end])
}

// normaliser folds one text.
type normaliser struct {
	src   string
	text  []byte
	at    []uint32
	kept  int  // to here a run of marks was looked at and stays
	whole bool // words divided by a hyphen at the end of a line are made whole
}

// normalise brings a text into the form in which quotations are compared: Unicode
// compatibility forms composed, one kind of quotation mark and dash, no
// invisible characters, entities decoded, no marks of emphasis and no targets
// of links, single blanks for white space, no comment leaders at the beginning
// of lines. Case, digits and other punctuation stay as they are, and so do
// superscripts and fractions: 10² is not 102.
func normalise(s string) normalised { return normaliser{src: s}.normalise(true) }

// normalisePart folds a part of a text that begins within a line.
func normalisePart(s string, whole bool) normalised {
	return normaliser{src: s, whole: whole}.normalise(false)
}

// normalise folds the text; line tells whether it begins a line.
func (f normaliser) normalise(line bool) normalised {
	i := 0
	if line {
		i = f.skipLeader(0)
	}
	f.at = make([]uint32, 0, len(f.src)+1)
	f.text = make([]byte, 0, len(f.src))
	for i < len(f.src) {
		i = f.normalisePiece(i)
	}
	f.at = append(f.at, uint32(len(f.src)))
	text := strings.TrimSuffix(string(f.text), " ")
	return normalised{text: text, at: f.at[:len(text)+1]}
}

// normalisePiece folds the piece that begins at i, and tells where the next begins.
func (f *normaliser) normalisePiece(i int) int {
	c := f.src[i]
	if c < utf8.RuneSelf && (i+1 == len(f.src) || f.src[i+1] < utf8.RuneSelf || char.LowerASCII(c) == 0) {
		return f.normaliseASCII(i, c)
	}
	r, size := utf8.DecodeRuneInString(f.src[i:])
	switch {
	case unicode.IsSpace(r):
		return f.normaliseSpace(i)
	case r == char.SoftHyphen:
		return f.skipSoftHyphen(i + size)
	case char.IsInvisible(r):
		return i + size
	}
	end := i + max(size, norm.NFKC.NextBoundaryInString(f.src[i:], true))
	f.put(normaliseSegment(f.src[i:end]), i)
	return end
}

func (f *normaliser) normaliseASCII(i int, c byte) int {
	switch {
	case char.LowerASCII(c) != 0:
	case c == ' ' || c >= '\t' && c <= '\r':
		return f.normaliseSpace(i)
	case c < ' ' || c == 0x7f, c == '\\' && strings.HasPrefix(f.src[i+1:], "\n"), f.escapes(i): // a line that goes on, a sign of markup that is text
		return i + 1
	case c == '&':
		if decoded, end := char.Entity(f.src, i); end > 0 {
			return f.putDecoded(decoded, i, end)
		}
	default:
		if end := f.skipMarkup(i, c); end > i {
			return end
		}
	}
	f.text = append(f.text, c)
	f.at = append(f.at, uint32(i))
	return i + 1
}

// escapes reports whether a backslash at i keeps a sign of markup from being one.
func (f *normaliser) escapes(i int) bool {
	return f.src[i] == '\\' && i+1 < len(f.src) && strings.IndexByte("_#&%*[]|~", f.src[i+1]) >= 0 && (i == 0 || f.src[i-1] != '\\')
}

// putDecoded folds what an entity stands for.
func (f *normaliser) putDecoded(text string, from, end int) int {
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			if n := len(f.text); n > 0 && f.text[n-1] != ' ' {
				f.put(" ", from)
			}
		case !char.IsInvisible(r):
			f.put(normaliseSegment(string(r)), from)
		}
	}
	return end
}

// skipMarkup skips the marks of emphasis and links of Markdown that begin at i; it
// gives i for none.
func (f *normaliser) skipMarkup(i int, c byte) int {
	switch c {
	case '`':
		return i + 1
	case '*', '_', '~':
		if end := linkMarkEnd(f.src, i); end > i {
			return end
		}
		return f.skipEmphasis(i, c)
	case '[':
		if end := strings.IndexByte(f.src[i:min(len(f.src), i+300)], ']'); end > 0 && i+end+1 < len(f.src) && f.src[i+end+1] == '(' && char.LinkTarget(f.src, i+end+1) > 0 {
			return i + 1
		}
	case ']':
		if i+1 < len(f.src) && f.src[i+1] == '(' {
			return max(i, char.LinkTarget(f.src, i+1))
		}
	}
	return i
}

// linkMarkEnd is where the marks end that make a link of a name in reStructuredText, "`the manual`_": one
// or two behind the closing mark.
func linkMarkEnd(text string, i int) int {
	if i < 2 || text[i] != '_' || text[i-1] != '`' || unicode.IsSpace(rune(text[i-2])) || text[i-2] == '`' {
		return i
	}
	end := i + 1
	if end < len(text) && text[end] == '_' {
		end++
	}
	if char.IsOfWord(char.First(text[end:])) || strings.HasPrefix(text[end:], "_") {
		return i
	}
	return end
}

// skipEmphasis skips a run of marks that opens or closes: it touches a word on one
// side. Those that multiply or belong to a name stay.
func (f *normaliser) skipEmphasis(i int, c byte) int {
	if i < f.kept {
		return i
	}
	end := i
	for end < len(f.src) && f.src[end] == c {
		end++
	}
	start := i
	if i > 0 && f.escapes(i-1) {
		start--
	}
	before, _ := utf8.DecodeLastRuneInString(f.src[:start])
	after, _ := utf8.DecodeRuneInString(f.src[end:])
	left := start > 0 && char.IsOfWord(before)
	right := end < len(f.src) && char.IsOfWord(after)
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

func (f *normaliser) put(s string, from int) {
	f.text = append(f.text, s...)
	for range len(s) {
		f.at = append(f.at, uint32(from))
	}
}

// normaliseSpace folds a run of white space, and what leads the lines in it.
func (f *normaliser) normaliseSpace(i int) int {
	from := i
	line := false
	for i < len(f.src) {
		r, size := utf8.DecodeRuneInString(f.src[i:])
		if !unicode.IsSpace(r) && !char.IsInvisible(r) {
			break
		}
		i += size
		if r == '\n' || r == '\r' {
			i = f.skipLeader(i)
			line = true
		}
	}
	if line && f.whole && f.isHyphenBreak(i) {
		f.text, f.at = f.text[:len(f.text)-1], f.at[:len(f.at)-1]
		return i
	}
	if n := len(f.text); n > 0 && f.text[n-1] != ' ' {
		f.put(" ", from)
	}
	return i
}

// isHyphenBreak reports whether a hyphen at the end of a line divides a word that
// goes on at i.
func (f *normaliser) isHyphenBreak(i int) bool {
	n := len(f.text)
	if n < 2 || f.text[n-1] != '-' {
		return false
	}
	before, _ := utf8.DecodeLastRune(f.text[:n-1])
	after, _ := utf8.DecodeRuneInString(f.src[i:])
	return unicode.IsLetter(before) && unicode.IsLower(after)
}

// skipSoftHyphen folds what follows a soft hyphen: at the end of a line it joins
// the halves of a word.
func (f *normaliser) skipSoftHyphen(i int) int {
	rest := strings.TrimLeft(f.src[i:], " \t\r")
	if !strings.HasPrefix(rest, "\n") {
		return i
	}
	i = f.skipLeader(len(f.src) - len(rest) + 1)
	return len(f.src) - len(strings.TrimLeft(f.src[i:], " \t"))
}

// commentLeaders begin the lines of comments. One that ends with a blank needs white
// space, or the end of the line, behind it: #5 and --flag say something.
var commentLeaders = []string{"///", "//!", "//", "/**", "/*", "# ", "## ", "### ", "#### ", "##### ", "###### ", "* ", "-- "}

// skipLeader skips a line's indentation and comment leader.
func (f *normaliser) skipLeader(i int) int {
	at := i
	for at < len(f.src) && (f.src[at] == ' ' || f.src[at] == '\t') {
		at++
	}
	for _, l := range commentLeaders {
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

// normaliseSegment folds one normalisation segment.
func normaliseSegment(segment string) string {
	for _, r := range segment {
		if r >= 0xff66 && r <= 0xff9f {
			break // kana of half the width, whose marks are letters
		}
		if unicode.Is(unicode.No, r) || unicode.Is(unicode.Lm, r) || r == 'ª' || r == 'º' || r == '⁻' || r == '⁺' {
			return strings.Map(char.Plain, norm.NFC.String(segment))
		}
	}
	return strings.Map(char.Plain, norm.NFKC.String(segment))
}
