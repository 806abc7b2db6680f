package settings

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// Added is the flag of our line that says what of the status line came with it beside
// its command: what [Remove] takes out again.
const Added = "added"

// What a status line may have got with our command.
const (
	addedInterval = "interval" // its refreshInterval
	addedCommand  = "command"  // there was none
	addedValue    = "value"    // in place of null
)

// command is the command of our line. Its words are kept as JSON has them between the
// quotation marks of a string, so that another's command stays spelled as it was.
type command struct {
	program string // as a word of a shell
	added   []string
	wraps   bool
	wrapped string // the command that stood there before
}

func (c command) raw() string {
	text := c.program + " statusline"
	if len(c.added) > 0 {
		text += " --" + Added + " " + strings.Join(c.added, ",")
	}
	if c.wraps {
		text += " --wrap " + quoted(c.wrapped)
	}
	return text
}

// interval is the member that follows the command, where it is added.
func (c command) interval() string {
	if slices.Contains(c.added, addedInterval) {
		return ", " + interval
	}
	return ""
}

// readCommand reads a command of our line, of several around one another the innermost;
// false for any other, and for one whose words only a shell can tell.
func readCommand(text string) (command, bool) {
	words, ok := splitWords(text)
	if !ok || len(words) < 2 || !isCouncil(unescaped(words[0].value)) || words[1].value != "statusline" {
		return command{}, false
	}
	c := command{program: words[0].raw}
	for rest := words[2:]; len(rest) > 0; rest = rest[2:] {
		switch {
		case len(rest) == 1:
			return command{}, false
		case rest[0].value == "--"+Added:
			c.added = strings.Split(rest[1].value, ",")
		case rest[0].value == "--wrap":
			c.wraps, c.wrapped = true, rest[1].value
		default:
			return command{}, false
		}
	}
	if inner, again := readCommand(c.wrapped); again {
		inner.program, inner.added = c.program, append(c.added, inner.added...)
		return inner, true
	}
	return c, true
}

// isCouncil reports whether a program is ours: the launcher, or what is built for one
// platform and lies beside it. Windows' paths are among them.
func isCouncil(program string) bool {
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(program, `\`, "/")), ".exe")
	return name == "council" || strings.HasPrefix(name, "council-") && !strings.HasPrefix(name, "council-hook")
}

// showsRuns reports whether our line is somewhere in a command. A bare word is only
// where a command begins a program; in an argument it may be any text.
func showsRuns(command string) bool {
	words := strings.Fields(command)
	for i, word := range words[:max(0, len(words)-1)] {
		word = strings.Trim(word, `'"`)
		begins := i == 0 || strings.ContainsAny(words[i-1], "=;|&({")
		if isCouncil(word) && (begins || path.Dir(word) != ".") && strings.Trim(words[i+1], `'";|&)}`) == "statusline" {
			return true
		}
	}
	return false
}

// word is a word of a command: as it stands there, and what a shell makes of it.
type word struct{ raw, value string }

// splitWords splits a command, in the spelling of JSON, into words as a shell does that
// has nothing to expand in them but a leading tilde; false where it would do more.
func splitWords(text string) ([]word, bool) {
	var list []word
	var raw, value strings.Builder
	inside, within := false, "" // a word; a quotation
	chars := characters(text)
	for i := 0; i < len(chars); i++ {
		c := chars[i]
		switch {
		case within == "" && (c.is == " " || c.is == "\t"):
			if inside {
				list = append(list, word{raw.String(), value.String()})
			}
			raw.Reset()
			value.Reset()
			inside = false
			continue
		case within == "" && (c.is == "'" || c.is == `"`):
			within = c.is
		case c.is == within:
			within = ""
		case c.is == `\` && within != "'":
			if i++; i == len(chars) || within == `"` && !strings.Contains("\"\\$`", chars[i].is) || chars[i].is == "\n" {
				return nil, false
			}
			raw.WriteString(c.raw)
			c = chars[i]
			value.WriteString(c.raw)
		case within == `"` && strings.Contains("$`", c.is), within == "" && strings.Contains("$`;&|<>()*?[#\n\r", c.is):
			return nil, false
		default:
			value.WriteString(c.raw)
		}
		inside = true
		raw.WriteString(c.raw)
	}
	if inside {
		list = append(list, word{raw.String(), value.String()})
	}
	return list, within == ""
}

// character is one of a JSON string: as it stands there, and which it is.
type character struct{ raw, is string }

func characters(text string) []character {
	var list []character
	for len(text) > 0 {
		n := 1
		if text[0] == '\\' {
			n = 2
			if text[1] == 'u' {
				n = 6
			}
		}
		list = append(list, character{text[:n], unescaped(text[:n])})
		text = text[n:]
	}
	return list
}

// quoted makes one word for a shell of a text in the spelling of JSON, so that
// [splitWords] gives it back as it was.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, c := range characters(text) {
		if c.is == "'" {
			b.WriteString(`'\\` + c.raw + `'`)
			continue
		}
		b.WriteString(c.raw)
	}
	b.WriteByte('\'')
	return b.String()
}

// rawWord is a path as a word of a shell, in quotation marks where it needs them.
func rawWord(text string) string {
	isSpecial := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/._-+,:@", r)
	}
	if strings.ContainsFunc(text, isSpecial) {
		return quoted(text)
	}
	return text
}

// raw is a text as it stands in a JSON string, without the quotation marks.
func raw(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string can be encoded
	return strings.TrimSuffix(b.String()[1:], "\"\n")
}

// unescaped is what a text in the spelling of JSON says.
func unescaped(text string) string {
	var s string
	if json.Unmarshal([]byte(`"`+text+`"`), &s) != nil {
		return text
	}
	return s
}
