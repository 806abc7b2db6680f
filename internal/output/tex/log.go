package tex

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// kind is what sort of thing TeX says.
type kind int

const (
	broken      kind = iota // an error without a name of its own
	noFile                  // what is a file's name
	noStyle                 // bibtex: what is a style's name
	noFont                  // what is a font's name, as the source gives it
	noCharacter             // what is a character the engine does not know
	noGlyph                 // what is a character the font has not: left out, no error
	noCitation              // what is a key: question marks, no error
	noLabel                 // the same of a reference within the text
)

// fatal reports whether a finding keeps TeX from going on.
func (k kind) fatal() bool { return k <= noCharacter }

// finding is one thing a log says.
type finding struct {
	kind kind
	file string // as the log names it; "" where it names none
	line int    // 0 where none is named
	text string // one line
	what string
	from string // how an argument that never ends begins; "" for none
}

// maxFindings bounds what is read out of one log.
const maxFindings = 500

var (
	located   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\./)?([^\s:()]+):(\d+): (.*)$`) })
	atLine    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^l\.(\d+) `) })
	fileGone  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("File [`']([^`']+)' not found") })
	fontGone  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`font "([^"]+)" cannot be found`) })
	unknown   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`Unicode character (.+?) \(U\+([0-9A-F]+)\)`) })
	glyphGone = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Missing character: There is no (\S+)`) })
	codePoint = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\((?:U\+|")([0-9A-F]+)\)`) })
	undefined = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("Warning: (Citation|Reference) [`']([^']+)'") })
	inputLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`on input line (\d+)`) })
	entryGone = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^Warning--I didn't find a database entry for "(.+)"`)
	})
	styleGone  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^I couldn't open style file (\S+?)(?:\.bst)?$`) })
	bibLocated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*?)-*line (\d+) of file (.+)$`) })
)

// readLog reads what a TeX run has written about itself.
func readLog(log []byte) []finding {
	var list []finding
	var runaway string
	lines := splitLines(log)
	for i := 0; i < len(lines) && len(list) < maxFindings; i++ {
		line := lines[i]
		if line == "Runaway argument?" && i+1 < len(lines) {
			runaway = lines[i+1]
			continue
		}
		f, ok := parseLine(line)
		if !ok {
			continue
		}
		if f.kind.fatal() {
			f.from, runaway = runaway, ""
			f = classify(f, lines[i+1:])
		}
		list = append(list, f)
	}
	return list
}

// parseLine reads one line by itself.
func parseLine(line string) (finding, bool) {
	if m := glyphGone().FindStringSubmatch(line); m != nil {
		return finding{kind: noGlyph, text: line, what: character(m[1], line)}, true
	}
	if m := undefined().FindStringSubmatch(line); m != nil {
		k := noCitation
		if m[1] == "Reference" {
			k = noLabel
		}
		return finding{kind: k, line: number(inputLine(), line), text: line, what: m[2]}, true
	}
	if m := located().FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[3], " ==>") {
		n, _ := strconv.Atoi(m[2]) // too large a number names no line
		return finding{file: m[1], line: n, text: m[3]}, true
	}
	if strings.HasPrefix(line, "!pdfTeX error: ") {
		return finding{text: line[1:]}, true
	}
	if text, ok := strings.CutPrefix(line, "! "); ok && !strings.HasPrefix(text, " ==>") {
		return finding{text: text}, true
	}
	return finding{}, false
}

// classify says what sort of error it is, by its first lines: a message goes
// on in the next ones, and the line of the source stands below it.
func classify(f finding, rest []string) finding {
	rest = rest[:min(len(rest), 40)]
	whole := f.text
	for _, line := range rest[:min(len(rest), 4)] {
		if line == "" {
			break
		}
		whole += " " + strings.TrimSpace(line)
	}
	for _, line := range rest {
		if f.line != 0 {
			break
		}
		f.line = number(atLine(), line)
	}
	switch {
	case fileGone().MatchString(whole):
		f.kind, f.what = noFile, fileGone().FindStringSubmatch(whole)[1]
	case fontGone().MatchString(whole):
		f.kind, f.what = noFont, fontGone().FindStringSubmatch(whole)[1]
	case unknown().MatchString(whole):
		m := unknown().FindStringSubmatch(whole)
		f.kind, f.what = noCharacter, character(m[1], "(U+"+m[2]+")")
	}
	return f
}

// readBibLog reads what bibtex has written about itself.
func readBibLog(log []byte) []finding {
	var list []finding
	for _, line := range splitLines(log) {
		if len(list) == maxFindings {
			break
		}
		if m := entryGone().FindStringSubmatch(line); m != nil {
			list = append(list, finding{kind: noCitation, text: line, what: m[1]})
		} else if m := styleGone().FindStringSubmatch(line); m != nil {
			list = append(list, finding{kind: noStyle, text: line, what: m[1]})
		} else if m := bibLocated().FindStringSubmatch(line); m != nil && strings.HasSuffix(m[3], ".bib") {
			n, _ := strconv.Atoi(m[2])
			list = append(list, finding{file: m[3], line: n, text: strings.TrimSpace(m[1])})
		}
	}
	return list
}

// character reads a character's name in a log: the code point beside it is
// surer than the bytes, which an engine may have written in its own way.
func character(written, line string) string {
	if m := codePoint().FindStringSubmatch(line); m != nil {
		if n, err := strconv.ParseUint(m[1], 16, 32); err == nil && utf8.ValidRune(rune(n)) {
			return string(rune(n))
		}
	}
	r, _ := utf8.DecodeRuneInString(written)
	return string(r)
}

func number(re *regexp.Regexp, line string) int {
	m := re.FindStringSubmatch(line)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // too large a number names no line
	return n
}

// splitLines cuts a log into lines that are text.
func splitLines(log []byte) []string {
	text := string(bytes.ToValidUTF8(log, []byte("?")))
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}
