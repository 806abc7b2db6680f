package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Choice is what a person has chosen of the configuration; what is nil or "" stays.
type Choice struct {
	Seats   []string
	USD     *float64 // of limits
	Desktop string   // of notify
	Servers map[string]Chat
}

// Edit puts a choice into the text of a configuration. All else stays byte for byte:
// comments, keys we do not know, blank lines, the ends of lines. A text that cannot be
// read, or whose form leaves no safe way, is an error and comes back as it was. What
// it holds that [Parse] would refuse is told apart, and kept.
func Edit(own []byte, c Choice) (text []byte, refused, err error) {
	before, err := readLoosely(own)
	if err != nil {
		return own, nil, err
	}
	text, err = c.put(own)
	if err != nil {
		return own, nil, err
	}
	after, err := readLoosely(text)
	if err != nil || !reflect.DeepEqual(after, c.in(before)) {
		return own, nil, errors.New("it is written in a form that cannot be changed safely; put it in by hand:\n" + strings.TrimRight(c.asText(), "\n"))
	}
	_, refused = Parse(text)
	return text, refused, nil
}

// Suits is what a configuration comes to with keys that are unknown left out, and
// whether they are there: the first of them, in a line.
func Suits(own []byte) (c Config, unknown error, err error) {
	if _, err := readLoosely(own); err != nil {
		return c, nil, err
	}
	c, strict := Parse(own)
	if strict == nil {
		return c, nil, nil
	}
	if c, err = parse(own, false); err != nil {
		return c, nil, err
	}
	return c, strict, nil
}

// readLoosely reads what a file says, whatever its keys are.
func readLoosely(text []byte) (map[string]any, error) {
	v := map[string]any{}
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&v); err != nil && !errors.Is(err, io.EOF) {
		return nil, located(text, err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has to be one document, without a line ---")
	}
	if v == nil {
		v = map[string]any{}
	}
	return v, nil
}

// located says where a text is no YAML: the parser names the line in which what is
// broken begins, and a person wants the one that breaks it.
func located(text []byte, err error) error {
	var line int
	if _, scanned := fmt.Sscanf(err.Error(), "yaml: line %d:", &line); scanned != nil {
		return err
	}
	lines := strings.SplitAfter(string(text), "\n")
	for at := line; at > 0 && at <= len(lines); at++ {
		if strings.HasPrefix(strings.TrimLeft(lines[at-1], " "), "\t") && strings.TrimSpace(lines[at-1]) != "" {
			return fmt.Errorf("yaml: line %d begins with a tab; YAML takes blanks", at)
		}
		if yaml.Unmarshal([]byte(strings.Join(lines[:at], "")), new(yaml.Node)) != nil {
			return errors.New(strings.Replace(err.Error(), fmt.Sprintf("line %d:", line), fmt.Sprintf("line %d:", at), 1))
		}
	}
	return err
}

// in is what a file says once the choice is in it.
func (c Choice) in(file map[string]any) map[string]any {
	all := maps.Clone(file)
	if c.Seats != nil {
		list := []any{}
		for _, s := range c.Seats {
			list = append(list, s)
		}
		all["seats"] = list
	}
	if c.USD != nil {
		setMember(all, "limits", "usd", number(*c.USD))
	}
	if c.Desktop != "" {
		setMember(all, "notify", "desktop", c.Desktop)
	}
	for name, s := range c.Servers {
		var v map[string]any
		if yaml.Unmarshal([]byte(s.asText("")), &v) == nil {
			if old, is := all["chat"].(map[string]any); !is || old[name] == nil {
				setMember(all, "chat", name, v)
			}
		}
	}
	return all
}

// number is an amount as YAML reads it.
func number(usd float64) any {
	var v any
	_ = yaml.Unmarshal([]byte(amount(usd)), &v) // a number is YAML
	return v
}

func amount(usd float64) string { return strconv.FormatFloat(usd, 'f', -1, 64) }

func setMember(all map[string]any, key, member string, v any) {
	inner := map[string]any{}
	if was, is := all[key].(map[string]any); is {
		maps.Copy(inner, was)
	}
	inner[member] = v
	all[key] = inner
}

// asText is a choice as a file of its own.
func (c Choice) asText() string {
	var b strings.Builder
	if c.Seats != nil {
		b.WriteString("seats: " + listed(c.Seats) + "\n")
	}
	if c.USD != nil {
		b.WriteString("limits:\n  usd: " + amount(*c.USD) + "\n")
	}
	if c.Desktop != "" {
		b.WriteString("notify:\n  desktop: " + quotedWord(c.Desktop) + "\n")
	}
	for i, name := range slices.Sorted(maps.Keys(c.Servers)) {
		if i == 0 {
			b.WriteString("chat:\n")
		}
		b.WriteString("  " + name + ":" + c.Servers[name].asText("    ") + "\n")
	}
	return b.String()
}

// asText is a server in lines with an indent each, the first of which begins behind
// its name.
func (s Chat) asText(indent string) string {
	model := func(m Model) string { return "{model: " + quotedWord(m.Model) + "}" }
	lines := []string{"brand: " + s.Brand, "base_url: " + s.BaseURL, "max: " + model(s.Max), "standard: " + model(s.Standard), "cheap: " + model(s.Cheap)}
	if s.KeyEnv != "" {
		lines = append(lines, "key_env: "+s.KeyEnv)
	}
	if s.InputKiB > 0 {
		lines = append(lines, "input_kib: "+strconv.Itoa(s.InputKiB))
	}
	if s.Free {
		lines = append(lines, "free: true")
	}
	return "\n" + indent + strings.Join(lines, "\n"+indent)
}

// flow is a list on one line.
func listed(list []string) string {
	var words []string
	for _, w := range list {
		words = append(words, quotedWord(w))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// quotedWord is a word as YAML reads it again: in quotation marks where it would be
// something else, as on and off are to many readers.
func quotedWord(w string) string {
	if regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./:-]*[A-Za-z0-9]$`).MatchString(w) && !slices.Contains([]string{"on", "off", "yes", "no", "true", "false", "null"}, strings.ToLower(w)) {
		return w
	}
	return strconv.Quote(w)
}
