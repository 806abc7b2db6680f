package citation

import (
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// A segment is a piece of a block's raw text and where in the report it
// begins.
type segment struct{ raw, src int }

// An inlineReader reads the running text of one block.
type inlineReader struct {
	raw       string
	stretches []segment // in order, the first at raw 0
	entry     bool      // it may be an entry of a list
	markdown  bool      // or else the text of an HTML page, tags gone
	defs      map[string]string
	w         *writer
	closers   []int32 // for each opening bracket or parenthesis its closing one, else 0
	ticks     map[int][]int
	open      []pending

	stars       int  // in all of the text
	uncommented bool // no comment ends from here on

	cites [][]string // what the open <cite> refer to
	note  bool       // it is a note within a text
}

// pending is a link whose words are being read.
type pending struct {
	until, after int // where its words end, where the link ends
	mark         int
}

func (s *inlineReader) sourceOffset(i int) int {
	n := sort.Search(len(s.stretches), func(k int) bool { return s.stretches[k].raw > i }) - 1
	return s.stretches[n].src + i - s.stretches[n].raw
}

func (s *inlineReader) readAll() {
	if s.markdown {
		s.stars = strings.Count(s.raw, "*")
		s.matchBrackets()
	}
	for i := 0; i < len(s.raw); {
		if n := len(s.open); n > 0 && i >= s.open[n-1].until {
			i = s.closeLink()
			continue
		}
		i = s.readNext(i)
	}
	for len(s.open) > 0 {
		s.closeLink()
	}
}

func (s *inlineReader) closeLink() int {
	p := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	m := &s.w.marks[p.mark]
	m.end = max(m.at, len(s.w.text))
	return p.after
}

// matchBrackets pairs brackets and parentheses, each with its own kind.
func (s *inlineReader) matchBrackets() {
	s.closers = make([]int32, len(s.raw))
	s.ticks = map[int][]int{}
	for i := 0; i < len(s.raw); i++ {
		if s.raw[i] == '`' {
			n := runLength(s.raw[i:], '`')
			s.ticks[n] = append(s.ticks[n], i)
			i += n - 1
		}
	}
	var square, round []int32
	for i := 0; i < len(s.raw); i++ {
		switch s.raw[i] {
		case '\\':
			i++
		case '`':
			i = s.codeEnd(i) - 1
		case '[':
			square = append(square, int32(i))
		case '(':
			round = append(round, int32(i))
		case ']':
			if n := len(square); n > 0 {
				s.closers[square[n-1]], square = int32(i), square[:n-1]
			}
		case ')':
			if n := len(round); n > 0 {
				s.closers[round[n-1]], round = int32(i), round[:n-1]
			}
		}
	}
}

func runLength(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// codeEnd is where the code span ends whose backticks begin at i; without
// closing backticks the opening ones are text.
func (s *inlineReader) codeEnd(i int) int {
	n := runLength(s.raw[i:], '`')
	starts := s.ticks[n]
	k := sort.SearchInts(starts, i+n)
	if k == len(starts) {
		return i + n
	}
	return starts[k] + n
}

// writeRaw writes raw text.
func (s *inlineReader) writeRaw(from, to int) {
	for from < to {
		end := to
		if nl := strings.IndexByte(s.raw[from:to], '\n'); nl >= 0 {
			end = from + nl + 1
		}
		s.w.write(s.raw[from:end], s.sourceOffset(from))
		from = end
	}
}

// readNext reads what begins at i and gives where the next begins.
func (s *inlineReader) readNext(i int) int {
	c := s.raw[i]
	if s.markdown {
		switch c {
		case '\\':
			return s.readEscape(i)
		case '`':
			return s.readCode(i)
		case '!':
			if i+1 < len(s.raw) && s.raw[i+1] == '[' {
				return s.skipImage(i)
			}
		case '<':
			return s.readTag(i)
		case '*', '_', '~':
			if c == '*' {
				if end := s.readSigns(i); end > 0 {
					return end
				}
			}
			return s.readEmphasis(i)
		}
	}
	switch c {
	case '[':
		return s.readBracket(i)
	case ')', ']':
		if s.w.closeMarkerBracket(rune(c)) {
			return i + 1
		}
	case '&':
		if text, size := entity(s.raw[i:]); size > 0 {
			s.w.writeAt(text, s.sourceOffset(i))
			return i + size
		}
	case '^':
		if end := s.readSigns(i); end > 0 {
			return end
		}
		return s.readCaret(i)
	case 'h', 'H', 'w', 'W', 'f', 'F':
		if end := s.readAddress(i); end > 0 {
			return end
		}
	}
	if c >= utf8.RuneSelf {
		return s.readNonASCII(i)
	}
	end := i + 1
	for end < len(s.raw) && isPlain(s.raw[end]) {
		end++
	}
	if n := len(s.open); n > 0 && i < s.open[n-1].until {
		end = min(end, s.open[n-1].until)
	}
	s.writeRaw(i, end)
	return end
}

// isPlain reports bytes that begin nothing but text.
func isPlain(c byte) bool {
	switch c {
	case '\\', '`', '!', '<', '*', '_', '~', '[', ')', ']', '&', '^', 'h', 'H', 'w', 'W', 'f', 'F':
		return false
	}
	return c < utf8.RuneSelf
}

func (s *inlineReader) readEscape(i int) int {
	if i+1 == len(s.raw) {
		return i + 1
	}
	if s.raw[i+1] == '[' {
		rest := s.raw[i+2 : min(len(s.raw), i+202)]
		if end := strings.Index(rest, `\]`); end > 0 {
			if labels, soft := labelsOf(rest[:end]); labels != nil {
				s.addLoose("["+rest[:end]+"]", i, i+2+end+2, labels, soft)
				return i + 2 + end + 2
			}
		}
	}
	_, size := utf8.DecodeRuneInString(s.raw[i+1:])
	s.writeRaw(i+1, i+1+size)
	return i + 1 + size
}

func (s *inlineReader) readCode(i int) int {
	n := runLength(s.raw[i:], '`')
	end := s.codeEnd(i)
	if end-n < i+n {
		s.writeRaw(i, i+n)
		return i + n
	}
	s.writeRaw(i+n, end-n)
	return end
}

// skipImage passes over a picture; its address is no source.
func (s *inlineReader) skipImage(i int) int {
	end := int(s.closers[i+1])
	if end == 0 {
		s.writeRaw(i, i+2)
		return i + 2
	}
	if end+1 < len(s.raw) && s.raw[end+1] == '(' {
		if _, after := s.readDestination(end + 1); after > 0 {
			return after
		}
	}
	s.writeRaw(i, i+1)
	return i + 1
}

func (s *inlineReader) readEmphasis(i int) int {
	c := s.raw[i]
	end := i + runLength(s.raw[i:], c)
	before, _ := utf8.DecodeLastRuneInString(s.raw[:i])
	after, _ := utf8.DecodeRuneInString(s.raw[end:])
	lone := isSpace(before) && isSpace(after) && i > 0
	within := c == '_' && words.IsAlphanumeric(before) && words.IsAlphanumeric(after)
	if lone || within || c == '~' && end-i == 1 {
		s.writeRaw(i, end)
	}
	return end
}

func isSpace(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }

// readBracket reads what begins with an opening bracket: a marker, a footnote, a
// link, or a bracket.
func (s *inlineReader) readBracket(i int) int {
	end := s.closingBracket(i)
	if end == 0 {
		s.writeRaw(i, i+1)
		return i + 1
	}
	inner := s.raw[i+1 : end]
	if len(inner) <= 200 {
		if name, ok := strings.CutPrefix(inner, "^"); ok && name != "" && !strings.ContainsAny(name, " \n[]") {
			s.addMarker(i, end+1, []string{"^" + strings.ToLower(name)}, false)
			return end + 1
		}
		if inner == "cite_start" {
			return end + 1
		}
		words := strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(inner, `\`, ""), "["), "]")
		if labels, soft := labelsOf(words); labels != nil {
			return s.addNumbered(i, end, labels, soft)
		}
		if names := namesOf(words); names != nil && !s.isLink(i, end) {
			s.addLoose(s.raw[i:end+1], i, end+1, names, true)
			return end + 1
		}
	}
	if s.markdown {
		if target, after := s.linkTarget(i, end); after > 0 {
			return s.beginLink(i, end, after, target)
		}
	}
	s.writeRaw(i, i+1)
	return i + 1
}

func (s *inlineReader) closingBracket(i int) int {
	if s.markdown {
		return int(s.closers[i])
	}
	end := strings.IndexAny(s.raw[i+1:min(len(s.raw), i+202)], "[]")
	if end < 0 || s.raw[i+1+end] == '[' {
		return 0
	}
	return i + 1 + end
}

// addNumbered notes a numbered marker, which may be a link as well.
func (s *inlineReader) addNumbered(i, end int, labels []string, soft bool) int {
	after := end + 1
	target := ""
	if s.markdown && after < len(s.raw) && s.raw[after] == '(' {
		if to, next := s.readDestination(after); next > 0 {
			target, after = to, next
		}
	}
	if target == "" {
		s.addLoose(s.raw[i:after], i, after, labels, soft || s.indexed(i))
		return after
	}
	s.addMarker(i, after, labels, soft)
	m := &s.w.marks[len(s.w.marks)-1]
	if strings.HasPrefix(target, "#") {
		m.fragment = target[1:]
	} else if mayLeadToSource(target) {
		m.target = target
	}
	return after
}

// indexed reports whether a bracket follows a name of one letter, as in a[1].
func (s *inlineReader) indexed(i int) bool {
	last, size := utf8.DecodeLastRuneInString(s.raw[:i])
	before, _ := utf8.DecodeLastRuneInString(s.raw[:i-size])
	return last == '_' || last < utf8.RuneSelf && unicode.IsLetter(last) && !words.IsAlphanumeric(before)
}

func (s *inlineReader) addMarker(from, to int, labels []string, soft bool) {
	s.w.addMark(mark{at: len(s.w.text), end: len(s.w.text), src: s.sourceOffset(from), to: s.sourceOffset(to-1) + 1, labels: labels, soft: soft})
}

// addLoose notes what may be a marker, and leaves its text where it stands until
// that is settled.
func (s *inlineReader) addLoose(text string, from, to int, labels []string, soft bool) {
	m := mark{at: len(s.w.text), src: s.sourceOffset(from), to: s.sourceOffset(to-1) + 1, labels: labels, soft: soft, loose: true}
	s.w.writeAt(text, m.src)
	m.end = len(s.w.text)
	s.w.addMark(m)
}

// isLink reports whether a bracketed text leads somewhere.
func (s *inlineReader) isLink(i, end int) bool {
	if !s.markdown {
		return false
	}
	_, after := s.linkTarget(i, end)
	return after > 0
}

// linkTarget gives where a bracketed text leads and where the link ends; 0 when it
// is no link.
func (s *inlineReader) linkTarget(i, end int) (string, int) {
	next := byte(0)
	if end+1 < len(s.raw) {
		next = s.raw[end+1]
	}
	if next == '(' {
		return s.readDestination(end + 1)
	}
	if len(s.defs) == 0 {
		return "", 0
	}
	name, after := s.raw[i+1:end], end+1
	if next == '[' && s.closers[end+1] > 0 {
		after = int(s.closers[end+1]) + 1
		if given := s.raw[end+2 : after-1]; given != "" {
			name = given
		}
	}
	if to, ok := s.defs[labelKey(name)]; ok && len(name) <= 999 {
		return to, after
	}
	return "", 0
}

func labelKey(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// readDestination reads an address in parentheses, with or without a title.
func (s *inlineReader) readDestination(i int) (string, int) {
	end := int(s.closers[i])
	if end == 0 || end-i > maxAddress {
		return "", 0
	}
	inner := strings.TrimSpace(s.raw[i+1 : end])
	var to, rest string
	if angled, ok := strings.CutPrefix(inner, "<"); ok {
		to, rest, ok = strings.Cut(angled, ">")
		if !ok {
			return "", 0
		}
	} else {
		cut := strings.IndexAny(inner, " \t\n")
		if cut < 0 {
			cut = len(inner)
		}
		to, rest = inner[:cut], inner[cut:]
	}
	rest = strings.TrimSpace(rest)
	if rest != "" && !isTitle(rest) {
		return "", 0
	}
	return unescape(to), end + 1
}

func isTitle(s string) bool {
	if len(s) < 2 {
		return false
	}
	switch s[0] {
	case '"', '\'':
		return s[len(s)-1] == s[0]
	case '(':
		return s[len(s)-1] == ')'
	}
	return strings.HasPrefix(s, "“") && strings.HasSuffix(s, "”")
}

// unescape undoes backslashes and character references of an address.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\\`*_{}[]()#+-.!<>~|&", s[i+1]) >= 0 {
			i++
		} else if text, size := entity(s[i:]); s[i] == '&' && size > 0 {
			b.WriteString(text)
			i += size - 1
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// beginLink begins a link.
func (s *inlineReader) beginLink(i, end, after int, target string) int {
	m := mark{at: len(s.w.text), end: len(s.w.text), src: s.sourceOffset(i), to: s.sourceOffset(after-1) + 1}
	switch {
	case strings.HasPrefix(target, "#"):
		m.fragment = target[1:]
	case mayLeadToSource(target):
		m.target = target
	default:
		m.target = ""
	}
	if m.target == "" && m.fragment == "" && target != "" {
		s.open = append(s.open, pending{end, after, s.addEmptyMark()})
		return i + 1
	}
	m.hollow, m.shortcut = target == "", after == end+1
	s.w.addMark(m)
	s.open = append(s.open, pending{end, after, len(s.w.marks) - 1})
	return i + 1
}

// addEmptyMark adds a mark that refers to nothing.
func (s *inlineReader) addEmptyMark() int {
	s.w.addMark(mark{at: len(s.w.text), end: len(s.w.text), soft: true})
	return len(s.w.marks) - 1
}

// mayLeadToSource reports whether an address can lead to a source: to a page or a file,
// not to a mailbox or a script.
func mayLeadToSource(target string) bool {
	if target == "" || strings.HasPrefix(target, "#") {
		return false
	}
	scheme, rest, ok := strings.Cut(target, ":")
	if !ok || strings.ContainsAny(scheme, "/.?#") || len(scheme) < 2 {
		return true
	}
	switch strings.ToLower(scheme) {
	case "http", "https":
		return strings.Trim(rest, "/") != ""
	case "doi", "arxiv", "ftp", "file", "pmid", "rfc", "isbn", "urn":
		return true
	}
	return false
}

// isOwnMachine reports whether an address leads to the machine of whoever opens
// it.
func isOwnMachine(address string) bool {
	_, host, ok := strings.Cut(address, "://")
	if !ok {
		return false
	}
	if at := strings.IndexAny(host, "/:?#"); at >= 0 {
		host = host[:at]
	}
	host = strings.ToLower(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "0.0.0.0"
}

var tagForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)^<(/?)([a-z][a-z0-9]*)((?:\s[^<>]*)?)/?>`)
})

var hrefForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)
})

// readTag reads an autolink, a tag or a comment.
func (s *inlineReader) readTag(i int) int {
	rest := s.raw[i:min(len(s.raw), i+maxAddress)]
	if strings.HasPrefix(rest, "<!--") && !s.uncommented {
		if end := strings.Index(s.raw[i:], "-->"); end > 0 {
			return i + end + 3
		}
		s.uncommented = true
	}
	if len(rest) > 1 && (rest[1] == '/' || rest[1]|0x20 >= 'a' && rest[1]|0x20 <= 'z') {
		if end := strings.IndexAny(rest, "> \n\t"); end > 0 && rest[end] == '>' && isWebAddress(rest[1:end]) {
			s.addAutolink(i, i+end+1, rest[1:end])
			return i + end + 1
		}
		if m := tagForm().FindStringSubmatch(rest); m != nil {
			return s.readElement(i, m)
		}
	}
	s.writeRaw(i, i+1)
	return i + 1
}

func isWebAddress(s string) bool {
	lower := strings.ToLower(s[:min(len(s), 8)])
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "www.")
}

// addAutolink notes an address that stands for itself.
func (s *inlineReader) addAutolink(from, to int, target string) {
	s.w.addMark(mark{at: len(s.w.text), end: len(s.w.text), src: s.sourceOffset(from), to: s.sourceOffset(to-1) + 1, target: target})
}

// readElement reads a tag within Markdown.
func (s *inlineReader) readElement(i int, m []string) int {
	after := i + len(m[0])
	name := strings.ToLower(m[2])
	switch {
	case name == "br" || name == "p" || name == "div" || name == "li" || name == "td":
		s.w.write(" ", s.sourceOffset(i))
	case name == "sup" && m[1] == "":
		rest := s.raw[after:min(len(s.raw), after+200)]
		end := closingTag(rest, "</sup>")
		if end < 0 {
			return after
		}
		if labels, _ := labelsOf(rest[:end]); labels != nil && allowsMarker(s.raw[max(0, i-24):i]) {
			s.addLoose(strings.TrimSpace(rest[:end]), i, after+end+6, labels, true)
			return after + end + 6
		}
	case name == "a" && m[1] == "":
		return s.readAnchor(i, after, m[3])
	case name == "cite" && m[1] == "":
		s.cites = append(s.cites, citeLabels(m[3]))
		if strings.HasSuffix(m[0], "/>") {
			s.closeCite(i, after)
		}
	case name == "cite" && len(s.cites) > 0:
		s.closeCite(i, after)
	}
	return after
}

// closeCite ends the element <cite> that was opened last, with a tag from i on.
func (s *inlineReader) closeCite(i, after int) {
	labels := s.cites[len(s.cites)-1]
	s.cites = s.cites[:len(s.cites)-1]
	switch {
	case labels == nil:
	case isWebAddress(labels[0]):
		s.addAutolink(i, after, labels[0])
	default:
		s.addMarker(i, after, labels, false)
		s.w.marks[len(s.w.marks)-1].ids = true
	}
}

// closingTag is where a tag of ASCII letters stands in a text, in any case; -1 for
// nowhere. The text is not folded: lower case may be longer or shorter.
func closingTag(text, tag string) int {
	for i := 0; i+len(tag) <= len(text); i++ {
		if text[i] == '<' && strings.EqualFold(text[i:i+len(tag)], tag) {
			return i
		}
	}
	return -1
}

// readAnchor reads an HTML link within Markdown.
func (s *inlineReader) readAnchor(i, after int, attributes string) int {
	href := hrefForm().FindStringSubmatch(attributes)
	end := closingTag(s.raw[after:min(len(s.raw), after+maxAddress)], "</a>")
	if href == nil || end < 0 {
		return after
	}
	end += after
	target := unescape(href[1] + href[2] + href[3])
	words := strings.TrimSpace(s.raw[after:end])
	if labels, soft := labelsOf(strings.Trim(words, "[]")); labels != nil && len(words) < 20 {
		s.addMarker(i, end+4, labels, soft || target == "")
		if last := &s.w.marks[len(s.w.marks)-1]; mayLeadToSource(target) {
			last.target = target
		} else {
			last.fragment = strings.TrimPrefix(target, "#")
		}
		return end + 4
	}
	s.beginLink(i, end, end+4, target)
	return after
}

// readNonASCII reads what begins with a rune beyond ASCII.
func (s *inlineReader) readNonASCII(i int) int {
	r, size := utf8.DecodeRuneInString(s.raw[i:])
	if r == '【' {
		if after := s.readLenticular(i, size); after > 0 {
			return after
		}
	}
	if (r == '】' || r == '）') && s.w.closeMarkerBracket(r) {
		return i + size
	}
	if r == '†' || r == '‡' || r == '¶' {
		if after := s.readSigns(i); after > 0 {
			return after
		}
	}
	if digit(r) != 0 {
		if after := s.readSuperscript(i); after > 0 {
			return after
		}
	}
	s.writeRaw(i, i+size)
	return i + size
}
