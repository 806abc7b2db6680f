// Package settings puts our status line into a person's settings of Claude Code, and
// takes it out again.
//
// What a person has written there stays, byte for byte: the text is not written anew,
// but one member put in or one string changed, and taking it out gives back what was
// there. A status line that stood there before is kept within the new command, in the
// spelling it had. All that the way back needs stands in the settings themselves,
// which may be carried to another machine or be rewritten by Claude Code. What cannot
// be read for certain is refused.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/base/plain"
)

const (
	statusLine      = "statusLine"
	refreshInterval = "refreshInterval"
	// interval lets the line follow the run while nobody types.
	interval  = `"` + refreshInterval + `": 5` // seconds
	byteOrder = "\xef\xbb\xbf"                 // a mark that Claude Code takes
	blanks    = " \t\r\n"                      // between the parts of JSON
)

// ErrByHand says that our line is there, in a form that only who has put it there
// can take out.
var ErrByHand = errors.New("`council statusline` was edited by hand there, or stands inside another command: take it out by hand")

// Command is the command of the status line in settings, "" where they have none, and
// whether it shows our runs.
func Command(data []byte) (command string, ours bool, err error) {
	d, err := parse(string(data))
	if err != nil || d.line == nil || d.isNull() {
		return "", false, err
	}
	at, err := d.command()
	if err != nil || at == nil {
		return "", false, err
	}
	command = unescaped(d.text[at.from+1 : at.to-1])
	return command, showsRuns(command), nil
}

// Line is our line in settings: its program, "" where there is none or where it was put
// there by hand, and the command it wraps.
func Line(data []byte) (program, wrapped string) {
	d, err := parse(string(data))
	if err != nil || d.line == nil || d.isNull() {
		return "", ""
	}
	at, err := d.command()
	if err != nil || at == nil {
		return "", ""
	}
	c, ours := readCommand(d.text[at.from+1 : at.to-1])
	if !ours {
		return "", ""
	}
	words, _ := splitWords(c.program)
	return unescaped(words[0].value), unescaped(c.wrapped)
}

// Off is the setting by which Claude Code shows no status line; "" where there is none.
func Off(data []byte) string {
	const name = "disableAllHooks"
	if gjson.GetBytes(data, name).Bool() {
		return name
	}
	return ""
}

// Install gives settings with our line, shown by the program council; nil is a file that
// is not there. Settings that have the line come back as they are.
func Install(data []byte, council string) ([]byte, error) {
	d, err := parse(string(data))
	if err != nil {
		return nil, err
	}
	c := command{program: rawWord(raw(council))}
	switch {
	case d.line == nil:
		return d.with(`"`+statusLine+`": `+valueOf(c), data == nil), nil
	case d.isNull():
		c.added = []string{addedValue}
		return d.replaced(d.line.from, d.line.to, valueOf(c)), nil
	}
	old, err := d.command()
	if err != nil {
		return nil, err
	}
	if !d.hasInterval() {
		c.added = []string{addedInterval}
	}
	if old == nil {
		c.added = append(c.added, addedCommand)
		at, comma := d.line.from+1, ""
		if list := members(d.text[:d.line.to], d.line.from); len(list) > 0 {
			at, comma = list[len(list)-1].to, ", "
		}
		return d.replaced(at, at, comma+`"command": "`+c.raw()+`"`+c.interval()), nil
	}
	text := d.text[old.from+1 : old.to-1]
	was, ours := readCommand(text)
	switch {
	case ours:
		was.program = c.program
		return d.replaced(old.from, old.to, `"`+was.raw()+`"`), nil
	case showsRuns(unescaped(text)):
		return data, nil
	}
	if c.wraps, c.wrapped = true, text; len(c.raw()) > mostCommand {
		return nil, fmt.Errorf("the command of its status line is too long to be wrapped: %d KiB", len(text)>>10)
	}
	return d.replaced(old.from, old.to, `"`+c.raw()+`"`+c.interval()), nil
}

// mostCommand bounds a command, in bytes: Linux takes 128 KiB as one argument.
const mostCommand = 100 << 10

// Remove gives settings as they were before [Install]; nil for a file that was not
// there. Settings without our line come back as they are.
func Remove(data []byte) ([]byte, error) {
	d, err := parse(string(data))
	if errors.Is(err, errNoObject) || err == nil && (d.line == nil || d.isNull()) {
		return data, nil
	}
	if err != nil {
		return nil, err
	}
	old, err := d.command()
	if err != nil || old == nil {
		return data, nil // whatever it is, it is not ours
	}
	text := d.text[old.from+1 : old.to-1]
	c, ours := readCommand(text)
	switch {
	case !ours && showsRuns(unescaped(text)):
		return nil, ErrByHand
	case !ours:
		return data, nil
	case slices.Contains(c.added, addedValue):
		return d.replaced(d.line.from, d.line.to, "null"), nil
	case !c.wraps && !slices.Contains(c.added, addedCommand):
		return d.without(`"` + statusLine + `": ` + valueOf(c)), nil
	}
	line := d.text[d.line.from:d.line.to]
	if slices.Contains(c.added, addedInterval) {
		line = remove(line, refreshInterval)
	}
	if slices.Contains(c.added, addedCommand) {
		line = remove(line, "command")
	} else if at := slices.IndexFunc(members(line, 0), func(m part) bool { return m.name == "command" }); at >= 0 {
		m := members(line, 0)[at]
		line = line[:m.from] + `"` + c.wrapped + `"` + line[m.to:]
	}
	return d.replaced(d.line.from, d.line.to, line), nil
}

// document is settings as they are read; what stands where is counted in bytes.
type document struct {
	text    string
	open    int // of the brace that opens them; -1 where there is nothing
	members []part
	line    *part // the status line
}

// part is a member of an object: where its name begins, where its value does and ends.
type part struct {
	name          string
	key, from, to int
}

var errNoObject = errors.New("it is JSON, and no object")

func parse(text string) (document, error) {
	d := document{text: text, open: -1}
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return d, errors.New("it is UTF-16; settings are UTF-8")
	}
	body := strings.TrimPrefix(text, byteOrder)
	if strings.Trim(body, blanks) == "" {
		return d, nil
	}
	if err := json.Unmarshal([]byte(body), new(json.RawMessage)); err != nil {
		return d, badJSON(body, err)
	}
	if !gjson.Parse(body).IsObject() {
		return d, errNoObject
	}
	d.open = strings.IndexByte(text, '{')
	d.members = members(text, d.open)
	for i, m := range d.members {
		if m.name != statusLine {
			continue
		}
		if d.line != nil {
			return d, fmt.Errorf("statusLine stands in it twice, in line %d and line %d", lineAt(text, d.line.key), lineAt(text, m.key))
		}
		d.line = &d.members[i]
	}
	return d, nil
}

// badJSON says where a text is no JSON.
func badJSON(text string, err error) error {
	at := len(text)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = min(max(0, int(syntax.Offset)-1), len(text))
	}
	if strings.HasPrefix(err.Error(), "unexpected end") {
		at = len(text)
	}
	column := at - strings.LastIndexByte(text[:at], '\n')
	return fmt.Errorf("it is no JSON: line %d, column %d: %w", lineAt(text, at), column, err)
}

func lineAt(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// members lists those of the object that begins at a place of a text.
func members(text string, open int) []part {
	var list []part
	gjson.Parse(text[open:]).ForEach(func(key, value gjson.Result) bool {
		from := open + value.Index
		list = append(list, part{key.Str, open + key.Index, from, from + len(value.Raw)})
		return true
	})
	return list
}

// command is where the status line's command stands; nil where it has none.
func (d document) command() (*part, error) {
	if d.text[d.line.from] != '{' {
		return nil, errors.New("its statusLine is no object")
	}
	var found *part
	for _, m := range members(d.text[:d.line.to], d.line.from) {
		value := d.text[m.from:m.to]
		switch {
		case m.name == "type" && value != `"command"`:
			return nil, fmt.Errorf("its statusLine of type %s is not a command", plain.Line(strings.Trim(value, `"`), 40))
		case m.name != "command":
		case found != nil:
			return nil, errors.New("its statusLine has two commands")
		case value[0] != '"':
			return nil, errors.New("its status line's command is not a string")
		case !utf8.ValidString(value):
			return nil, errors.New("its status line's command is not UTF-8")
		case strings.Contains(unescaped(value[1:len(value)-1]), "\x00"):
			return nil, errors.New("its status line's command has a NUL in it")
		default:
			found = &m
		}
	}
	return found, nil
}

func (d document) isNull() bool { return d.text[d.line.from:d.line.to] == "null" }

func (d document) hasInterval() bool {
	return gjson.Get(d.text[d.line.from:d.line.to], refreshInterval).Exists()
}

func (d document) replaced(from, to int, text string) []byte {
	return []byte(d.text[:from] + text + d.text[to:])
}

// with gives the settings with a status line, behind what they have and as far from it
// as that is from what stands before it. Where they had nothing, the end of the new
// text tells whether there was a file.
func (d document) with(line string, isMissing bool) []byte {
	switch {
	case isMissing:
		return []byte(alone(line) + "\n")
	case d.open < 0:
		return []byte(d.text + alone(line))
	case len(d.members) == 0:
		return d.replaced(d.open+1, d.open+1, line)
	}
	last := d.members[len(d.members)-1]
	between := d.text[:last.key]
	between = between[len(strings.TrimRight(between, blanks)):]
	return d.replaced(last.to, last.to, ","+between+line)
}

// without gives the settings without the status line, which begins like that.
func (d document) without(line string) []byte {
	if before, is := strings.CutSuffix(d.text, alone(line)+"\n"); is && before == "" {
		return nil
	}
	if before, is := strings.CutSuffix(d.text, alone(line)); is && strings.Trim(strings.TrimPrefix(before, byteOrder), blanks) == "" {
		return []byte(before)
	}
	return []byte(d.text[:d.open] + remove(d.text[d.open:], statusLine))
}

// valueOf is a status line where there was none.
func valueOf(c command) string {
	return `{"type": "command", "command": "` + c.raw() + `", ` + interval + `}`
}

func alone(line string) string { return "{\n  " + line + "\n}" }

// remove takes a member out of the object that a text begins with, together with the
// comma and the blanks between it and the one before it, or behind it.
func remove(text, name string) string {
	list := members(text, 0)
	for i, m := range list {
		switch {
		case m.name != name:
		case i > 0:
			return text[:list[i-1].to] + text[m.to:]
		case len(list) > 1:
			return text[:m.key] + text[list[1].key:]
		default:
			return text[:m.key] + text[m.to:]
		}
	}
	return text
}
