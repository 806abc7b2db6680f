package reading

import (
	"html"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// Elements of HTML, and of what manuals and papers are written in, by what stands for their
// tags when a page is read.
var (
	inlineElements = wordSet("a abbr acronym b bdi bdo big cite code col colgroup data del dfn em font i img input ins kbd label mark picture q rp rt ruby s samp small source span strike strong time tt u var wbr")
	blockElements  = wordSet("address article aside blockquote body caption center dd details dialog div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html legend li link main menu meta nav ol p pre section summary table tbody tfoot thead title ul" +
		" chapter entry fig formalpara item itemizedlist listitem note orderedlist para sec sect1 sect2 sect3 simpara steps subtitle term tgroup variablelist varlistentry")
	lineElements   = wordSet("br tr")
	cellElements   = wordSet("td th")
	hiddenElements = wordSet("script style svg template")
)

// editorial elements are by whoever edits a source: where it has a gap, or words that it lacks.
var editorial = wordSet("gap omissis supplied")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// markupEdits reads tags and, in a text with tags, entities.
func markupEdits(text string) []Edit {
	var list []Edit
	if !strings.Contains(text, "<") {
		return nil
	}
	ends := closings{text: text}
	rowEnd := 0 // of a row of a table, where a line end is a blank, as are several blanks
	for i := 0; i < len(text); {
		at := strings.IndexAny(text[i:], "<&")
		if i < rowEnd {
			at = indexInRow(text[i:])
		}
		if at < 0 {
			break
		}
		i += at
		if strings.IndexByte(blanks, text[i]) >= 0 {
			end := len(text) - len(strings.TrimLeft(text[i:], blanks))
			list = append(list, Edit{From: i, To: end, With: " "})
			i = end
			continue
		}
		e, ok := markupAt(text, i, &ends)
		if ok && i >= rowEnd && strings.HasPrefix(strings.ToLower(text[i:min(len(text), i+3)]), "<tr") {
			rowEnd = rowOverLines(text, e.To)
		}
		if ok && i < rowEnd && e.With == "\n\n" && atEdgeOfCell(text, i, e.To) {
			e.With = " "
		}
		if !ok {
			i++
			continue
		}
		if e.From != e.To {
			list = append(list, e)
		}
		i = e.To
	}
	for _, e := range list {
		if strings.HasPrefix(text[e.From:], "<") {
			return list
		}
	}
	return nil // entities alone are read anyway
}

// WithoutTags is a text as its tags are read, and entities beside them. Time is linear.
func WithoutTags(text string) string {
	r := &Text{text: text}
	r.rewrite(markupEdits(text))
	return r.text
}

// IsInline reports whether an element of HTML, its name in small letters, stands within a line.
func IsInline(element string) bool { return inlineElements[element] }

// HasMarkupAt reports whether a tag or an entity begins at a byte of a text.
func HasMarkupAt(text string, i int) bool {
	_, ok := markupAt(text, i, &closings{text: text})
	return ok
}

// markupAt reads the tag or entity that begins at a place.
func markupAt(text string, i int, ends *closings) (Edit, bool) {
	if text[i] == '&' {
		decoded, end := char.Entity(text, i)
		return Edit{From: i, To: end, With: decoded}, end > 0
	}
	if strings.HasPrefix(text[i:], "<!--") {
		end := ends.next(i, "-->")
		return Edit{From: i, To: end + len("-->")}, end > 0
	}
	if end := wikiNoteEnd(text, i); end > 0 {
		return Edit{From: i, To: end, note: true, unsure: isApartWithinSentence(text, i, end)}, true
	}
	name, closing, end := tag(text, i)
	if end == 0 {
		address := autolink().FindString(text[i:min(len(text), i+300)])
		return Edit{From: i, To: i + len(address), With: strings.Trim(address, "<>")}, address != ""
	}
	e := Edit{From: i, To: end}
	switch {
	case name == "img":
		if m := shortAlternative().FindStringSubmatch(text[i:end]); m != nil {
			e.With = html.UnescapeString(m[1]) // a picture of a sign
		}
	case inlineElements[name]:
		if stop := strings.Index(text[end:min(len(text), end+maxHidden)], "</"+name); !closing && stop >= 0 && hiddenAttribute().MatchString(text[i:end]) && !strings.Contains(text[end:end+stop], "<"+name) {
			e.To = end + stop
		}
	case name == "link" && isElement(text, i, end, len(name), closing) && !strings.HasSuffix(text[i:end], "/>"):
		// what manuals write for "a"
	case blockElements[name]:
		e.With = "\n\n"
	case lineElements[name]:
		e.With = "\n"
	case cellElements[name]:
		if !closing {
			e.With = "\t"
		}
	case hiddenElements[name] && !closing && namedInProse().MatchString(text[end:min(len(text), end+40)]):
		e.unsure = true
		return e, true
	case hiddenElements[name] && !closing:
		if stop := ends.next(end, "</"+name); stop >= 0 {
			e.To = stop
		}
	case hiddenElements[name]:
	case name == "xref" && !closing && strings.Contains(text[i:end], `"fn"`):
		if stop := strings.Index(text[end:min(len(text), end+maxHidden)], "</xref>"); stop >= 0 {
			return Edit{From: i, To: end + stop + len("</xref>"), note: true}, true
		}
	case name == "sup" || name == "sub":
		return raised(text, e, name, closing), true
	case !isElement(text, i, end, len(name), closing):
		return Edit{}, false
	}
	e.unsure = !closing && (mayBeSeen(text, name, e) || editorial[name])
	return e, true
}

// namedInProse is what stands behind a tag that a text speaks of: "text between <script>, <style> and
// <textarea> tags".
var namedInProse = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[,)]|\s{1,9}(?:and|or|tags?|elements?|blocks?|und|oder|et|ou)\s+[\pL<])`)
})

// maxElement is how far the tags of an element that no list knows stand apart, in bytes.
const maxElement = 2000

// isElement reports whether a tag of any name, of so many letters, begins or ends an
// element: the other tag stands not far from it, or it is both. A type of a program in such
// brackets, as "List<String>", is none.
func isElement(text string, i, end, letters int, closing bool) bool {
	if closing {
		name := text[i+2 : i+2+letters]
		return strings.Contains(text[max(0, i-maxElement):i], "<"+name)
	}
	name := text[i+1 : i+1+letters]
	return strings.HasSuffix(text[i:end], "/>") || strings.Contains(text[end:min(len(text), end+maxElement)], "</"+name+">")
}

// maxHidden bounds what is hidden within a line, in bytes: a word for another system, say.
const maxHidden = 400

// hiddenAttribute is by what a tag hides its element.
var hiddenAttribute = sync.OnceValue(func() *regexp.Regexp {
	const others = `^<[a-z][a-z0-9]*(?:\s+[a-z:@_-][\w:.@-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*?`
	return regexp.MustCompile(`(?i)` + others + `\s+(?:hidden(?:\s*=\s*"?(?:true|hidden)?"?)?[\s/>]|style\s*=\s*"(?:[^"]*;)?\s*display\s*:\s*none\s*[;"])`)
})

// shortAlternative is what stands for a picture, where that is a sign or a small word.
var shortAlternative = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\salt\s*=\s*["']\s*((?:&[a-z]{1,8};|[^"'\s<>]){1,3})\s*["']`)
})

// autolink is an address that Markdown makes a link of.
var autolink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<(?:https?://|mailto:)[^\s<>]+>`) })

// maxName bounds the name of an element.
const maxName = 32

// tag reads the name of the tag at a place and where it ends, 0 for none.
func tag(text string, i int) (name string, closing bool, end int) {
	const longest = 1 << 10
	from := i + 1
	if from < len(text) && text[from] == '/' {
		closing = true
		from++
	}
	to := from
	for to < len(text) && to-from <= maxName && (char.LowerASCII(text[to]) != 0 || to > from && strings.IndexByte("-_:.", text[to]) >= 0) {
		to++
	}
	if to == from || to-from > maxName || to == len(text) || char.LowerASCII(text[to-1]) == 0 || !strings.ContainsRune("> /\t\r\n", rune(text[to])) {
		return "", false, 0
	}
	stop := strings.IndexAny(text[to:min(len(text), to+longest)], "<>")
	if stop < 0 || text[to+stop] != '>' {
		return "", false, 0
	}
	return strings.ToLower(text[from:to]), closing, to + stop + 1
}

// raised reads what stands above or below the line: digits and signs as the
// letters Unicode has for them.
func raised(text string, e Edit, name string, closing bool) Edit {
	stop := strings.Index(text[e.To:min(len(text), e.To+400)], "</"+name)
	if closing || stop < 0 {
		return e
	}
	said := strings.TrimSpace(saidWithin(text[e.To : e.To+stop]))
	letters := strings.Map(func(r rune) rune {
		if name == "sub" {
			return subscript(r)
		}
		return Superscript(r)
	}, said)
	if letters == "" || strings.ContainsFunc(letters, func(r rune) bool { return r == unicode.ReplacementChar }) {
		return e
	}
	e.With = letters
	_, _, end := tag(text, e.To+stop)
	if end == 0 {
		end = e.To + stop
	}
	e.To = end
	return e
}

// saidWithin is what a piece of HTML says without its tags.
func saidWithin(piece string) string {
	var plain strings.Builder
	for i := 0; i < len(piece); {
		if piece[i] == '<' {
			if _, _, end := tag(piece, i); end > 0 {
				i = end
				continue
			}
		}
		plain.WriteByte(piece[i])
		i++
	}
	return html.UnescapeString(plain.String())
}

const superscripts, subscripts, onTheLine = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-"

// Superscript is the raised form of a digit or sign; commas and blanks stay as they are, any other
// rune becomes [unicode.ReplacementChar].
func Superscript(r rune) rune { return raisedRune(r, superscripts) }

func subscript(r rune) rune { return raisedRune(r, subscripts) }

// raisedRune is the raised form of a digit or sign; commas and blanks stay.
func raisedRune(r rune, forms string) rune {
	if r == '−' || r == '–' {
		r = '-'
	}
	if at := strings.IndexRune(onTheLine, r); at >= 0 {
		return []rune(forms)[at]
	}
	if r == ',' || r == ' ' {
		return r
	}
	return unicode.ReplacementChar
}

// PlainDigit is the plain form of a raised or lowered digit or sign; other runes stay as they are.
func PlainDigit(r rune) rune {
	for _, forms := range [...]string{superscripts, subscripts} {
		n := 0
		for _, f := range forms {
			if f == r {
				return rune(onTheLine[n])
			}
			n++
		}
	}
	return r
}

// IsRaised reports whether a rune is a raised digit or sign.
func IsRaised(r rune) bool { return strings.ContainsRune(superscripts, r) }

func isLowered(r rune) bool { return strings.ContainsRune(subscripts, r) }
