package report

import (
	"fmt"
	"slices"

	"github.com/yuin/goldmark/ast"
)

// A synthesis with more words than a reader has time for would leave no room for what
// is disputed, rejected and open: what is too much of it stands in the appendix.

// cutOff takes from the sections of a draft what goes beyond [MaxDraftWords], in the
// order in which they are read, and gives it by section. A list is cut between its
// items, anything else stays whole.
func (d document) cutOff(parts map[string][]ast.Node) map[string][]ast.Node {
	rest := map[string][]ast.Node{}
	room := MaxDraftWords
	for _, name := range d.form.Body() {
		for i, block := range parts[name] {
			n := d.countBlock(block)
			if n <= room {
				room -= n
				continue
			}
			kept := slices.Clone(parts[name][:i])
			beyond := slices.Clone(parts[name][i:])
			if list, ok := block.(*ast.List); ok {
				if tail := d.cutList(list, room); tail != nil {
					kept, beyond[0] = append(kept, list), tail
				}
			}
			parts[name], rest[name], room = kept, beyond, 0
			break
		}
	}
	return rest
}

// cutList takes from a list the items that go beyond so many words, as a list of their
// own; nil where the first does.
func (d document) cutList(list *ast.List, room int) *ast.List {
	kept := 0
	item := list.FirstChild()
	for ; item != nil; item = item.NextSibling() {
		if room -= d.countBlock(item); room < 0 {
			break
		}
		kept++
	}
	if kept == 0 || item == nil {
		return nil
	}
	tail := ast.NewList(list.Marker)
	tail.IsTight, tail.Start = list.IsTight, list.Start+kept
	for item != nil {
		next := item.NextSibling()
		list.RemoveChild(list, item)
		tail.AppendChild(tail, item)
		item = next
	}
	return tail
}

// overflow writes what was cut off, each section under its name.
func overflow(d document, refs *references, rest map[string][]ast.Node) []string {
	var out []string
	for _, name := range d.form.Body() {
		if body := write(d, refs, name, rest[name]); len(body) > 0 {
			out = spaced(spaced(out, []string{"**" + name + "**"}), body)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return spaced([]string{fmt.Sprintf("What the writer of the synthesis said beyond the %d words there was room for.", MaxDraftWords)}, out)
}
