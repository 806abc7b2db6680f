package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// put is the text with the choice in it, part by part.
func (c Choice) put(own []byte) ([]byte, error) {
	text := own
	var err error
	if c.Seats != nil {
		if text, err = putSeats(text, c.Seats); err != nil {
			return nil, err
		}
	}
	if c.USD != nil {
		if text, err = putMember(text, "limits", "usd", amount(*c.USD)); err != nil {
			return nil, err
		}
	}
	if c.Desktop != "" {
		if text, err = putMember(text, "notify", "desktop", quotedWord(c.Desktop)); err != nil {
			return nil, err
		}
	}
	for name, s := range c.Servers {
		if text, err = putMember(text, "chat", name, strings.TrimPrefix(s.asText("    "), " ")); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// errForm says that a file has a form that is not edited.
var errForm = errors.New("it is written in a form that cannot be changed safely (an alias, a merge, or a mapping in braces over several lines)")

// page is a text with its tree; what stands where is counted in bytes.
type page struct {
	text  string
	root  *yaml.Node // the mapping; nil where there is nothing
	lines []int      // where each begins
	end   string     // of lines
}

const byteOrderMark = "\xef\xbb\xbf"

func open(text []byte) (page, error) {
	p := page{text: string(text), lines: []int{0}, end: "\n"}
	for i := range p.text {
		if p.text[i] == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	if i := strings.IndexByte(p.text, '\n'); i > 0 && p.text[i-1] == '\r' {
		p.end = "\r\n"
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(bytes.TrimPrefix(text, []byte(byteOrderMark)), &doc); err != nil {
		return p, err
	}
	if len(doc.Content) > 0 && doc.Content[0].Kind == yaml.MappingNode {
		p.root = doc.Content[0]
	} else if len(doc.Content) > 0 && doc.Content[0].Tag != "!!null" {
		return p, errors.New("it has to be keys with values")
	}
	return p, nil
}

// at is where a node begins.
func (p page) at(n *yaml.Node) int {
	at := p.lines[n.Line-1]
	if n.Line == 1 && strings.HasPrefix(p.text, byteOrderMark) {
		at += len(byteOrderMark)
	}
	for range n.Column - 1 { // it counts characters
		for at++; at < len(p.text) && p.text[at]&0xc0 == 0x80; {
			at++
		}
	}
	return min(at, len(p.text))
}

func (p page) replaced(from, to int, with string) []byte {
	return []byte(p.text[:from] + strings.ReplaceAll(with, "\n", p.end) + p.text[to:])
}

// member is the key and the value of a mapping's member; nil for none.
func member(m *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i], m.Content[i+1]
		}
	}
	return nil, nil
}

// appended is the text with lines behind all of its keys.
func (p page) appended(lines string) ([]byte, error) {
	if p.root != nil && p.root.Style&yaml.FlowStyle != 0 {
		if len(p.root.Content) > 0 {
			return nil, errForm
		}
		from := p.at(p.root)
		to := strings.IndexByte(p.text[from:], '}')
		return p.replaced(from, from+to+1, strings.TrimSuffix(lines, "\n")), nil
	}
	at := len(p.text)
	for n := len(p.lines) - 1; n >= 0; n-- { // the end of a document stands behind it
		if line := strings.TrimSpace(p.text[p.lines[n]:at]); line == "..." {
			at = p.lines[n]
			break
		} else if line != "" {
			break
		}
	}
	if p.root == nil {
		var doc yaml.Node
		_ = yaml.Unmarshal([]byte(strings.TrimPrefix(p.text, byteOrderMark)), &doc) // it was read before
		if len(doc.Content) > 0 && doc.Content[0].Value != "" {
			from := p.at(doc.Content[0]) // null, or ~
			return p.replaced(from, from+len(doc.Content[0].Value), strings.TrimSuffix(lines, "\n")), nil
		}
	}
	if p.root != nil && p.root.Column > 1 {
		indent := strings.Repeat(" ", p.root.Column-1)
		lines = indent + strings.TrimSuffix(strings.ReplaceAll(lines, "\n", "\n"+indent), indent)
	}
	if at > 0 && p.text[at-1] != '\n' && p.text[:at] != byteOrderMark {
		lines = "\n" + lines
	}
	return p.replaced(at, at, lines), nil
}

// putMember sets a member of a mapping, scalar or a block of lines with four blanks.
func putMember(text []byte, outer, name, value string) ([]byte, error) {
	p, err := open(text)
	if err != nil {
		return nil, err
	}
	isBlock := strings.HasPrefix(value, "\n")
	line := name + ": " + value
	if isBlock {
		line = name + ":" + value
	}
	key, m := member(p.root, outer)
	switch {
	case key == nil:
		return p.appended(outer + ":\n  " + line + "\n")
	case m.Tag == "!!null" && m.Kind == yaml.ScalarNode && m.Value == "":
		at := p.endOfLine(p.at(key))
		return p.replaced(at, at, "\n"+strings.Repeat(" ", key.Column+1)+line), nil
	case m.Kind != yaml.MappingNode:
		return nil, errForm
	}
	_, old := member(m, name)
	switch {
	case old != nil && isBlock:
		return text, nil // a server of that name is the person's own
	case old != nil:
		from, to, err := p.span(old)
		if err != nil {
			return nil, err
		}
		if p.text[from:to] == value {
			return text, nil
		}
		return p.replaced(from, to, value), nil
	case m.Style&yaml.FlowStyle != 0:
		if isBlock {
			return nil, errForm
		}
		at := p.at(m) + 1
		if len(m.Content) > 0 {
			line += ", "
		}
		return p.replaced(at, at, line), nil
	}
	first := m.Content[0]
	at := p.lines[first.Line-1]
	return p.replaced(at, at, strings.Repeat(" ", first.Column-1)+line+"\n"), nil
}

// endOfLine is where the line of a place ends, before what ends it.
func (p page) endOfLine(at int) int {
	end := strings.IndexByte(p.text[at:], '\n')
	if end < 0 {
		return len(p.text)
	}
	return at + end - strings.Count(p.text[at+end-1:at+end], "\r")
}

// span is where a value begins and ends that stands on one line.
func (p page) span(n *yaml.Node) (from, to int, err error) {
	from = p.at(n)
	rest := p.text[from:p.endOfLine(from)]
	switch {
	case n.Kind == yaml.SequenceNode && strings.HasPrefix(rest, "["):
		return p.bracketed(n, from)
	case n.Kind != yaml.ScalarNode || n.Anchor != "":
		return 0, 0, errForm
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		quote := rest[:1]
		if end := strings.Index(rest[1:], quote); end >= 0 && !strings.ContainsAny(rest[1:1+end], `\`) && !strings.HasPrefix(rest[end+2:], quote) {
			return from, from + end + 2, nil
		}
		return 0, 0, errForm
	case n.Style != 0 || !strings.HasPrefix(rest, n.Value):
		return 0, 0, errForm // a tag, a block of text, several lines
	}
	return from, from + len(n.Value), nil
}

// bracketed is the span of a list in brackets, which may be over several lines.
func (p page) bracketed(n *yaml.Node, from int) (int, int, error) {
	at := from + 1
	for _, item := range n.Content {
		_, to, err := p.span(item)
		if err != nil {
			return 0, 0, err
		}
		at = to
	}
	end := strings.IndexByte(p.text[at:], ']')
	if end < 0 || strings.Trim(p.text[at:at+end], ", \t\r\n") != "" {
		return 0, 0, errForm // a comment stands there
	}
	return from, at + end + 1, nil
}

// putSeats sets the list of seats: of a list with a line for each, the lines of those
// that stay are left alone.
func putSeats(text []byte, seats []string) ([]byte, error) {
	p, err := open(text)
	if err != nil {
		return nil, err
	}
	key, list := member(p.root, "seats")
	switch {
	case key == nil:
		return p.appended("seats: " + listed(seats) + "\n")
	case list.Tag == "!!null" && list.Value == "":
		at := p.at(key) + len("seats:")
		return p.replaced(at, at, " "+listed(seats)), nil
	case list.Kind != yaml.SequenceNode || list.Anchor != "":
		return nil, errForm
	case slices.Equal(valuesOf(list), seats):
		return text, nil
	case list.Style&yaml.FlowStyle != 0:
		from, to, err := p.span(list)
		if err != nil {
			return nil, err
		}
		return p.replaced(from, to, listed(seats)), nil
	}
	return p.withItems(list, seats)
}

func valuesOf(list *yaml.Node) []string {
	var values []string
	for _, n := range list.Content {
		values = append(values, n.Value)
	}
	return values
}

// withItems takes lines out of a list and puts others behind it.
func (p page) withItems(list *yaml.Node, want []string) ([]byte, error) {
	had := valuesOf(list)
	kept := slices.DeleteFunc(slices.Clone(had), func(s string) bool { return !slices.Contains(want, s) })
	added := want[min(len(kept), len(want)):]
	if !slices.Equal(append(slices.Clone(kept), added...), want) {
		return nil, fmt.Errorf("the order of its seats is another one: %s", strings.Join(had, ", "))
	}
	last := list.Content[len(list.Content)-1]
	at := p.endOfLine(p.at(last))
	indent := strings.Repeat(" ", list.Column-1)
	var more strings.Builder
	for _, s := range added {
		more.WriteString("\n" + indent + "- " + quotedWord(s))
	}
	text := string(p.replaced(at, at, more.String()))
	for _, item := range slices.Backward(list.Content) {
		if slices.Contains(want, item.Value) {
			continue
		}
		from, to := p.lines[item.Line-1], len(text)
		if end := strings.IndexByte(text[from:], '\n'); end >= 0 {
			to = from + end + 1
		}
		text = text[:from] + text[to:]
	}
	return []byte(text), nil
}

// Ordered is a choice of seats in the order in which a file has those it names
// already, the others behind them.
func Ordered(own []byte, seats []string) []string {
	p, err := open(own)
	if err != nil {
		return seats
	}
	_, list := member(p.root, "seats")
	if list == nil || list.Kind != yaml.SequenceNode {
		return seats
	}
	var ordered []string
	for _, s := range append(valuesOf(list), seats...) {
		if slices.Contains(seats, s) && !slices.Contains(ordered, s) {
			ordered = append(ordered, s)
		}
	}
	return ordered
}

// Has reports whether a file says something for a key, or for one within it.
func Has(own []byte, path ...string) bool {
	p, err := open(own)
	if err != nil {
		return false
	}
	at := p.root
	for _, name := range path {
		if _, at = member(at, name); at == nil {
			return false
		}
	}
	return true
}
