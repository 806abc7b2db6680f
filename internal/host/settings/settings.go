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
	"strings"

	"github.com/tidwall/gjson"
)

const (
	statusLine      = "statusLine"
	refreshInterval = "refreshInterval"
	// interval lets the line follow the run while nobody types.
	interval  = `"` + refreshInterval + `": 5` // seconds
	byteOrder = "\xef\xbb\xbf"                 // a mark that Claude Code takes
	blanks    = " \t\r\n"                      // between the parts of JSON
)

// ErrNotOurs says that somebody has put our line there by hand.
var ErrNotOurs = errors.New("its status line shows runs and was not put there by `council statusline --install`; change it by hand")

// Command is the command of the status line in settings, "" where they have none, and
// whether it shows our runs.
func Command(data []byte) (command string, ours bool, err error) {
	d, err := parse(string(data))
	if err != nil || d.line == nil {
		return "", false, err
	}
	at, err := d.command()
	if err != nil {
		return "", false, err
	}
	command = unescaped(d.text[at.from+1 : at.to-1])
	return command, showsRuns(command), nil
}

// Install gives settings with our line, shown by the program council; nil is a file that
// is not there. Settings that have the line come back as they are.
func Install(data []byte, council string) ([]byte, error) {
	d, err := parse(string(data))
	if err != nil {
		return nil, err
	}
	program := rawWord(raw(council))
	if d.line == nil {
		return d.with(lineOf(command{program: program}), data == nil), nil
	}
	old, err := d.command()
	if err != nil {
		return nil, err
	}
	text := d.text[old.from+1 : old.to-1]
	c, ours := readCommand(text)
	if !ours && showsRuns(unescaped(text)) {
		return data, nil
	}
	if ours {
		c.program = program
		return d.replaced(old.from, old.to, `"`+c.raw()+`"`), nil
	}
	c = command{program: program, wraps: true, wrapped: text, addsInterval: !d.hasInterval()}
	changed := `"` + c.raw() + `"`
	if c.addsInterval {
		changed += ", " + interval
	}
	return d.replaced(old.from, old.to, changed), nil
}

// Remove gives settings as they were before [Install]; nil for a file that was not
// there. Settings without our line come back as they are.
func Remove(data []byte) ([]byte, error) {
	d, err := parse(string(data))
	if err != nil || d.line == nil {
		return data, err
	}
	old, err := d.command()
	if err != nil {
		return data, nil // whatever it is, it is not ours
	}
	c, ours := readCommand(d.text[old.from+1 : old.to-1])
	switch {
	case !ours && showsRuns(unescaped(d.text[old.from+1:old.to-1])):
		return nil, ErrNotOurs
	case !ours:
		return data, nil
	case !c.wraps:
		return d.without(lineOf(c)), nil
	case c.addsInterval:
		text := d.text[:d.line.from] + remove(d.text[d.line.from:d.line.to], refreshInterval) + d.text[d.line.to:]
		if d, err = parse(text); err != nil {
			return nil, err
		}
		if old, err = d.command(); err != nil {
			return nil, err
		}
	}
	return d.replaced(old.from, old.to, `"`+c.wrapped+`"`), nil
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

func parse(text string) (document, error) {
	d := document{text: text, open: -1}
	body := strings.TrimPrefix(text, byteOrder)
	if strings.Trim(body, blanks) == "" {
		return d, nil
	}
	if err := json.Unmarshal([]byte(body), new(json.RawMessage)); err != nil {
		return d, fmt.Errorf("it is no JSON: %w", err)
	}
	if !gjson.Parse(body).IsObject() {
		return d, errors.New("it is no JSON object")
	}
	d.open = strings.IndexByte(text, '{')
	d.members = members(text, d.open)
	for i, m := range d.members {
		if m.name != statusLine {
			continue
		}
		if d.line != nil {
			return d, errors.New("statusLine stands in it twice")
		}
		d.line = &d.members[i]
	}
	return d, nil
}

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

// command is where the status line's command stands.
func (d document) command() (part, error) {
	var found *part
	if d.text[d.line.from] == '{' {
		list := members(d.text[:d.line.to], d.line.from)
		for i, m := range list {
			if m.name != "command" {
				continue
			}
			if found != nil {
				return part{}, errors.New("its statusLine has two commands")
			}
			found = &list[i]
		}
	}
	if found == nil || d.text[found.from] != '"' {
		return part{}, errors.New("its statusLine is no command")
	}
	return *found, nil
}

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

// lineOf is the status line where there was none.
func lineOf(c command) string {
	return `"` + statusLine + `": {"type": "command", "command": "` + c.raw() + `", ` + interval + `}`
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
