package hook

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ShellLine is a line for a shell that starts one program and does nothing else,
// whichever shell reads it.
type ShellLine struct {
	Words []string // the program and its arguments, as it is given them
	File  string   // what standard input is read from; "" for nothing named
	Text  string   // what stands in the line itself for standard input
}

// ParseShellLine reads a command as a shell does, where every shell reads it alike:
// bare words of plain letters, digits and a few signs, quotes that hold nothing
// a shell would expand, and at most one input, a file or a quoted here-document.
// Whatever else stands there, and be it harmless, gives false.
func ParseShellLine(command string) (ShellLine, bool) {
	x := lexer{rest: command}
	if !utf8.ValidString(command) || strings.ContainsFunc(command, control) {
		return x.ShellLine, false
	}
	for x.blanks(); x.rest != "" && x.rest[0] != '\n'; {
		read := x.word
		if x.rest[0] == '<' {
			read = x.input
		}
		if !read() || x.blanks() == 0 && x.rest != "" && x.rest[0] != '\n' {
			return x.ShellLine, false
		}
	}
	if x.heredocEnd != "" && !x.document() {
		return x.ShellLine, false
	}
	return x.ShellLine, len(x.Words) > 0 && strings.Trim(x.rest, " \t\n") == ""
}

// control reports whether a character is one that shells treat each their way.
func control(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r == 0x7F }

type lexer struct {
	ShellLine
	rest       string
	heredocEnd string // what ends the here-document
	hasInput   bool   // there is an input
}

// blanks passes over what parts words, and counts it.
func (x *lexer) blanks() int {
	before := len(x.rest)
	x.rest = strings.TrimLeft(x.rest, " \t")
	return before - len(x.rest)
}

// word reads a word of the command.
func (x *lexer) word() bool {
	text, ok := x.text()
	x.Words = append(x.Words, text)
	return ok
}

// text reads a word: bare pieces and quoted ones. One that begins with an equals
// sign is the path of a program to zsh.
func (x *lexer) text() (string, bool) {
	var out strings.Builder
	before := x.rest
	for x.rest != "" {
		ok := true
		switch r, size := utf8.DecodeRuneInString(x.rest); {
		case r == '\'':
			ok = x.single(&out)
		case r == '"':
			ok = x.double(&out)
		case isBareRune(r):
			out.WriteRune(r)
			x.rest = x.rest[size:]
		default:
			return out.String(), len(x.rest) < len(before) && before[0] != '='
		}
		if !ok {
			return "", false
		}
	}
	return out.String(), before != "" && before[0] != '='
}

// isBareRune reports whether a character stands for itself outside of quotes.
func isBareRune(r rune) bool {
	if r >= utf8.RuneSelf {
		return unicode.IsLetter(r)
	}
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:=,@%+-", r)
}

func (x *lexer) single(out *strings.Builder) bool {
	text, rest, ok := strings.Cut(x.rest[1:], "'")
	out.WriteString(text)
	x.rest = rest
	return ok
}

func (x *lexer) double(out *strings.Builder) bool {
	for i := 1; i < len(x.rest); i++ {
		switch b := x.rest[i]; b {
		case '"':
			x.rest = x.rest[i+1:]
			return true
		case '$', '`':
			return false
		case '\\':
			i++
			if i == len(x.rest) || x.rest[i] != '"' && x.rest[i] != '\\' {
				return false
			}
			out.WriteByte(x.rest[i])
		default:
			out.WriteByte(b)
		}
	}
	return false
}

// input reads what feeds standard input: a file, or the word that ends a
// here-document. Below /dev bash opens connections.
func (x *lexer) input() bool {
	if x.hasInput {
		return false
	}
	x.hasInput, x.rest = true, x.rest[1:]
	if rest, ok := strings.CutPrefix(x.rest, "<"); ok {
		x.rest = rest
		return x.readHeredocEnd()
	}
	x.blanks()
	var ok bool
	x.File, ok = x.text()
	return ok && x.File != "" && !strings.HasPrefix(path.Clean(x.File)+"/", "/dev/")
}

// readHeredocEnd reads the word that ends a here-document; its quotes keep the shell
// from expanding what stands in between.
func (x *lexer) readHeredocEnd() bool {
	x.blanks()
	if x.rest == "" || x.rest[0] != '\'' && x.rest[0] != '"' {
		return false
	}
	end, rest, ok := strings.Cut(x.rest[1:], x.rest[:1])
	x.heredocEnd, x.rest = end, rest
	return ok && end != "" && !strings.ContainsFunc(end, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_'
	})
}

// document reads a here-document behind the line that names its end. A line that
// begins as the end does and goes on beyond ASCII is refused: dash loses a byte of
// it.
func (x *lexer) document() bool {
	rest, ok := strings.CutPrefix(x.rest, "\n")
	for at := 0; ok && at < len(rest); {
		line, _, _ := strings.Cut(rest[at:], "\n")
		if line == x.heredocEnd {
			x.Text, x.rest = rest[:at], rest[at+len(line):]
			return true
		}
		if n := commonPrefix(line, x.heredocEnd); n > 0 && n < len(line) && line[n] >= utf8.RuneSelf {
			return false
		}
		at += len(line) + 1
	}
	return false
}

// commonPrefix is how many bytes two texts begin with alike.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
