package campaign

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// maxStateBytes is how many bytes a state file may have.
const maxStateBytes = 4 << 20

// Decode reads a state file. All that [State.Encode] was given comes back, but
// for white space around the prompt and control characters in it; the journal
// has it byte for byte. A file that somebody broke is refused with the line and
// what is wrong with it. Keys and headings that are unknown are passed over.
func Decode(data []byte) (State, error) {
	if len(data) > maxStateBytes {
		return State{}, fmt.Errorf("read campaign state: the file is longer than %d MiB", maxStateBytes>>20)
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	d := decoder{lines: strings.Split(text, "\n"), seen: map[string]bool{}}
	if err := d.front(); err != nil {
		return State{}, fmt.Errorf("read campaign state: line %d: %w", d.at, err)
	}
	if err := d.state.check(d.seen); err != nil {
		return State{}, fmt.Errorf("read campaign state: %w", err)
	}
	if err := d.body(); err != nil {
		return State{}, fmt.Errorf("read campaign state: line %d: %w", d.at, err)
	}
	d.state.Prompt = cleanPrompt(strings.Join(d.prompt, "\n"))
	return d.state, nil
}

type decoder struct {
	lines  []string
	at     int // lines read
	state  State
	seen   map[string]bool // keys and headings
	head   string          // the heading that is being read
	prompt []string
}

// next is the next line; false at the end.
func (d *decoder) next() (string, bool) {
	if d.at == len(d.lines) {
		return "", false
	}
	d.at++
	return d.lines[d.at-1], true
}

func (d *decoder) front() error {
	if first, _ := d.next(); strings.TrimRight(first, " ") != "---" {
		return errors.New("there is no front matter: the first line is not ---")
	}
	fields := d.state.front()
	for {
		line, more := d.next()
		if !more {
			return errors.New("the front matter has no end: no line is ---")
		}
		if line = strings.TrimSpace(line); line == "---" {
			return nil
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, found := strings.Cut(line, ":")
		if !found {
			return fmt.Errorf("%s is no field, as iteration: 3", quoteText(line))
		}
		if err := d.refuseDuplicate(key); err != nil {
			return err
		}
		if err := setField(fields, key, strings.TrimSpace(value)); err != nil {
			return err
		}
	}
}

// refuseDuplicate refuses what is there twice.
func (d *decoder) refuseDuplicate(name string) error {
	if d.seen[name] {
		return fmt.Errorf("%s stands there twice", quoteText(name))
	}
	d.seen[name] = true
	return nil
}

// setField sets the field of a key, if there is one.
func setField(fields []field, key, text string) error {
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return nil
	}
	return fields[i].set(text)
}

func (f field) set(text string) error {
	switch v := f.value.(type) {
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > 1<<30 {
			return fmt.Errorf("%s is %s; it is a whole number from 0 up", f.key, quoteText(text))
		}
		*v = n
	case *bool:
		if text != "true" && text != "false" {
			return fmt.Errorf("%s is %s; it is true or false", f.key, quoteText(text))
		}
		*v = text == "true"
	case *Phase:
		s, err := unquoted(f.key, text)
		*v = Phase(s)
		return err
	case *string:
		if f.form == item && text == noFeature {
			*v = ""
			return nil
		}
		s, err := unquoted(f.key, text)
		*v = s
		return err
	}
	return nil
}

// unquoted reads a string, which people may have written without quotation
// marks or between single ones.
func unquoted(key, text string) (string, error) {
	if len(text) > 1 && text[0] == '\'' && text[len(text)-1] == '\'' {
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'"), nil
	}
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	s, err := strconv.Unquote(text)
	if err != nil {
		return "", fmt.Errorf("%s is %s, which is not quoted to its end", key, quoteText(text))
	}
	return s, nil
}

// check refuses a front matter that no campaign has.
func (s *State) check(seen map[string]bool) error {
	for _, key := range []string{"workflow_type", "name", "status", "current_phase"} {
		if !seen[key] {
			return fmt.Errorf("there is no %s", key)
		}
	}
	switch {
	case modeOf(s.Type) == "":
		return fmt.Errorf("workflow_type is %s; there are %s", quoteText(s.Type), strings.Join(types(), ", "))
	case !slices.Contains(Statuses(), s.Status):
		return fmt.Errorf("status is %s; there are %s", quoteText(s.Status), strings.Join(Statuses(), ", "))
	case !slices.Contains(phases(), s.Phase):
		return fmt.Errorf("current_phase is %s; there are %s, %s and %s", quoteText(string(s.Phase)), PhaseA, PhaseB, PhaseC)
	case s.Tally.Complete+s.Lost+s.Blocked > s.Total:
		return fmt.Errorf("of %d features %d are complete, %d failed and %d blocked", s.Total, s.Tally.Complete, s.Lost, s.Blocked)
	}
	return nil
}

func types() []string {
	var list []string
	for _, m := range Modes() {
		list = append(list, m.Type())
	}
	return list
}

func (d *decoder) body() error {
	for {
		line, more := d.next()
		if !more {
			return nil
		}
		if heading, is := strings.CutPrefix(line, "## "); is {
			d.head = strings.TrimSpace(heading)
			if err := d.refuseDuplicate("## " + d.head); err != nil {
				return err
			}
			continue
		}
		if err := d.line(line); err != nil {
			return err
		}
	}
}

// line reads a line below a heading.
func (d *decoder) line(line string) error {
	if d.head == originalPrompt {
		d.prompt = append(d.prompt, strings.TrimPrefix(line, indent))
		return nil
	}
	line = strings.TrimSpace(line)
	item, listed := strings.CutPrefix(line, "- ")
	switch {
	case line == "":
	case d.head == completed && listed:
		return d.phase(item)
	case d.head == blockers && listed:
		d.state.Blockers = append(d.state.Blockers, unescaped(item))
	case d.head == restoration:
		return d.file(line)
	case listed:
		label, value, _ := strings.Cut(item, ":")
		return setField(d.bodyOnlyFields(), label, strings.TrimSpace(value))
	}
	return nil
}

// bodyOnlyFields are the fields below the heading that the front matter has not.
func (d *decoder) bodyOnlyFields() []field {
	front := d.state.front()
	return slices.DeleteFunc(d.state.bodyFields(d.head), func(f field) bool {
		return slices.ContainsFunc(front, func(o field) bool { return o.value == f.value })
	})
}

// phase reads a check box.
func (d *decoder) phase(item string) error {
	box, name, _ := strings.Cut(item, "] ")
	name, _, _ = strings.Cut(name, " (")
	p := Phase(strings.TrimSpace(name))
	switch {
	case !slices.Contains(phases(), p):
		return fmt.Errorf("%s is no phase with a check box, as [x] %s", quoteText(item), PhaseA)
	case slices.Contains(d.state.Done, p):
		return fmt.Errorf("%s stands there twice", p)
	case box == "[x" || box == "[X":
		d.state.Done = append(d.state.Done, p)
	case box != "[ ":
		return fmt.Errorf("the check box of %s is neither [ ] nor [x]", p)
	}
	return nil
}

// file reads an item of the list of files.
func (d *decoder) file(line string) error {
	number, name, found := strings.Cut(line, ". ")
	if n, err := strconv.Atoi(number); !found || err != nil || n != len(d.state.Files)+1 {
		return fmt.Errorf("%s is not file %d of the list", quoteText(line), len(d.state.Files)+1)
	}
	if len(d.state.Files) == 0 {
		name = strings.TrimSuffix(name, thisFile)
	}
	d.state.Files = append(d.state.Files, name)
	return nil
}

// quoteText is foreign text within a line.
func quoteText(s string) string { return fmt.Sprintf("%q", plain.Line(s, 60)) }
