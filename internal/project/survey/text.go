package survey

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// textSigns is what one pass over a text has counted.
type textSigns struct {
	lines      int
	long       int // bytes in lines of more than LongLine
	longest    int // bytes of the longest line
	complexity int
	function   int // lines of the longest function
	uses       []string
	main       bool // a function that starts a program
}

// Bounds of what is told of a text's shape.
const (
	maxDepth  = 32 // levels of indentation that are told apart
	levelCost = 2  // levels a branch may stand at without costing more
	maxLevel  = 8  // a branch costs no more than one at this level
	freeLines = 50 // lines a function may have without costing more
)

// scan reads a text once. The signs of complexity are those that do without a
// parser: a branch word costs one, and one more for each level of indentation
// beyond the second (indentation goes with McCabe's and Halstead's measures:
// Hindle, Godfrey, Holt, "Reading beside the lines", 2008); every ten lines of
// the longest function beyond fifty cost one.
func scan(text []byte) textSigns {
	s := scanner{words: subjectWords(), open: -1}
	for len(text) > 0 {
		line := text
		if at := bytes.IndexByte(text, '\n'); at >= 0 {
			line, text = text[:at], text[at+1:]
		} else {
			text = nil
		}
		s.scanLine(line)
	}
	s.closeFunction()
	s.complexity += max(0, s.function-freeLines) / 10
	s.uses = subjects(s.found)
	return s.textSigns
}

// scanner is where a pass is.
type scanner struct {
	textSigns
	words  map[string]word
	stack  [maxDepth]int
	depth  int
	open   int // indentation of the function that is open; -1 for none
	begun  int // its first line
	head   int // indentation of a line that may open one; see opens
	at     int // the number of that line
	opens  bool
	found  subject
	buffer [longestWord]byte
}

func (s *scanner) scanLine(line []byte) {
	s.lines++
	s.longest = max(s.longest, len(line))
	if len(line) > LongLine {
		s.long += len(line)
		return
	}
	indent, body := indentation(line)
	if len(body) == 0 || comment(body) {
		return
	}
	level := s.indentLevel(indent)
	s.trackFunctions(indent, body)
	branches := s.countBranches(body)
	if branches > 0 {
		s.complexity += branches * (1 + max(0, min(level, maxLevel)-levelCost))
		s.opens = false
	}
}

// indentation is how far a line is indented, a tab counting as four blanks, and
// what follows; nothing of a blank line.
func indentation(line []byte) (int, []byte) {
	n := 0
	for i, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		case '\r':
		default:
			return n, line[i:]
		}
	}
	return n, nil
}

// indentLevel is the line's depth among the indentations around it.
func (s *scanner) indentLevel(indent int) int {
	for s.depth > 0 && s.stack[s.depth-1] > indent {
		s.depth--
	}
	if indent > 0 && s.depth < maxDepth && (s.depth == 0 || s.stack[s.depth-1] < indent) {
		s.stack[s.depth] = indent
		s.depth++
	}
	return s.depth
}

// trackFunctions keeps to the outermost functions: a line with a parenthesis, and no
// branch word, whose next line is indented deeper.
func (s *scanner) trackFunctions(indent int, body []byte) {
	if s.open >= 0 && indent <= s.open {
		s.closeFunction()
	}
	if s.open < 0 && s.opens && indent > s.head {
		s.open, s.begun = s.head, s.at
	}
	if len(body) > 0 && body[0] == '{' && s.opens && indent == s.head {
		return // the brace on a line of its own
	}
	s.head, s.at, s.opens = indent, s.lines, bytes.IndexByte(body, '(') >= 0
}

func (s *scanner) closeFunction() {
	if s.open >= 0 {
		s.function = max(s.function, s.lines-s.begun)
	}
	s.open = -1
}

// countBranches notes the words of a line and counts those that branch.
func (s *scanner) countBranches(line []byte) int {
	branches := 0
	for i := 0; i < len(line); {
		c := line[i]
		if !letter(c) {
			if (c == '&' || c == '|') && i+1 < len(line) && line[i+1] == c {
				branches++
				i++
			}
			i++
			continue
		}
		from := i
		for i < len(line) && (letter(line[i]) || line[i] >= '0' && line[i] <= '9') {
			i++
		}
		if i-from < 2 || i-from > longestWord {
			continue
		}
		w, known := s.words[string(lower(&s.buffer, line[from:i]))]
		if !known {
			continue
		}
		s.found |= w.subject
		switch {
		case w.branch:
			branches++
		case w.main && i < len(line) && line[i] == '(':
			s.main = true
		}
	}
	return branches
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

// lower copies a word in lower case.
func lower(to *[longestWord]byte, word []byte) []byte {
	for i, c := range word {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		to[i] = c
	}
	return to[:len(word)]
}

// comment reports whether a trimmed line is one by its first characters, in
// whatever language.
func comment(line []byte) bool {
	switch line[0] {
	case '#', '*', ';', '%':
		return true
	case '/':
		return len(line) > 1 && (line[1] == '/' || line[1] == '*')
	case '-':
		return len(line) > 1 && line[1] == '-'
	case '<':
		return bytes.HasPrefix(line, []byte("<!--"))
	}
	return false
}

// Encodings of a text.
type encoding int

const (
	isText     encoding = iota // UTF-8
	isEightBit                 // some encoding of one byte a character, such as Latin-1
	isBinary                   // no text
	isWide                     // UTF-16 or UTF-32
	isOther                    // text in an encoding that its readers would see mangled
)

const maxSniffed = 8000 // bytes that are looked at for zeros, as git does

// encodingOf tells text from what is none. Text that is not UTF-8 counts as
// Latin-1 and the like when few of its bytes are beyond ASCII: a reader then
// still sees the code.
func encodingOf(text []byte) encoding {
	for _, mark := range [][]byte{{0xff, 0xfe}, {0xfe, 0xff}, {0, 0, 0xfe, 0xff}} {
		if bytes.HasPrefix(text, mark) {
			return isWide
		}
	}
	head := text[:min(len(text), maxSniffed)]
	if bytes.IndexByte(head, 0) >= 0 {
		return isBinary
	}
	control, high := 0, 0
	for _, c := range head {
		if c >= ' ' && c < 0x7f || c >= '\t' && c <= '\r' {
			continue
		}
		if c >= 0x80 {
			high++
		} else if c != 0x1b {
			control++
		}
	}
	switch {
	case control*20 > len(head):
		return isBinary
	case utf8.Valid(text):
		return isText
	case high*10 > len(head):
		return isOther
	}
	return isEightBit
}

// subject is a set of security-relevant subjects.
type subject uint16

const (
	auth subject = 1 << iota
	crypto
	exec
	query
	parse
	upload
	secret
	hook
	template
	memory
	network
	privilege
	payment
)

func subjectNames() []string {
	return []string{
		"authentication", "cryptography", "execution", "queries", "parsing", "file transfer", "secrets", "hooks",
		"templates", "raw memory", "network", "privileges", "payments",
	}
}

// subjects names the members of a set, in alphabetical order.
func subjects(set subject) []string {
	if set == 0 {
		return nil
	}
	var names []string
	for i, name := range subjectNames() {
		if set&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
