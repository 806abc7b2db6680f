package reading

import (
	"strings"
	"unicode"
)

// wikiTable reads a table of MediaWiki, whose rows a line "|-" parts and whose cells begin with a bar, or
// with an exclamation mark where they are names.
func wikiTable(text string, from, to int) ([]Edit, int) {
	if !strings.HasPrefix(strings.TrimLeft(text[from:to], " :*"), "{|") {
		return nil, 0
	}
	var rows [][]sourceCell
	first, cellAt, end := 0, -1, to
	head, fresh := false, true
	finish := func(at int) {
		if cellAt >= 0 {
			c := newSourceCell(text, behindAttributes(text, cellAt, at), at)
			c.head = head
			rows[len(rows)-1] = append(rows[len(rows)-1], c)
		}
		cellAt = -1
	}
	for l := range linesOf(text, to+1, maxTableLines) {
		line := text[l.From:l.To]
		bare := strings.TrimLeft(line, " \t")
		at := l.To - len(bare)
		switch {
		case strings.HasPrefix(bare, "{|"):
			return nil, l.To // a table within a cell
		case strings.HasPrefix(bare, "|}"):
			finish(end)
			return rowsOfCells(first, rows, headsOf(rows)), l.To
		case strings.HasPrefix(bare, "|-"), strings.HasPrefix(bare, "|+"):
			finish(end)
			fresh = true
		case strings.HasPrefix(bare, "|"), strings.HasPrefix(bare, "!"):
			finish(end)
			if len(rows) == 0 {
				first = l.From
			}
			if fresh {
				rows, fresh = append(rows, nil), false
			}
			head = bare[0] == '!'
			cellAt = at + 1
			for i := cellAt; i+1 < l.To; i++ {
				if two := text[i : i+2]; two == "||" || head && two == "!!" {
					finish(i)
					i++
					cellAt = i + 1
				}
			}
		}
		end = l.To
	}
	return nil, 0
}

// behindAttributes is where a cell begins behind what says how it looks: "align=right | 12".
func behindAttributes(text string, from, to int) int {
	attributes, _, ok := strings.Cut(text[from:to], "|")
	if !ok || !strings.Contains(attributes, "=") || strings.ContainsAny(attributes, "[{\n") {
		return from
	}
	name, _, _ := strings.Cut(strings.TrimSpace(attributes), "=")
	if strings.ContainsFunc(strings.TrimSpace(name), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		return from
	}
	return from + len(attributes) + 1
}
