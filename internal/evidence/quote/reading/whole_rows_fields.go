package reading

import (
	"strings"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// delimiters part the fields of a line, the surest first.
const delimiters = ",;:"

// delimitedTable reads lines of as many fields each, which commas, semicolons or colons part: three of
// them or more, with blank lines and comments between them. What stands in quotation marks is one field.
func delimitedTable(text string, from, to int) ([]Edit, int) {
	const fewest = 3 // lines
	for _, mark := range []byte(delimiters) {
		seps := separatorsOf(text, Span{from, to}, mark, mark == ';')
		if len(seps) == 0 {
			continue
		}
		n, lines, end := len(seps), 1, to
		list := fieldsAt(text, Span{from, to}, seps)
		apart := 0 // lines
		for at := to + 1; at < len(text) && lines < maxTableLines; {
			_, ends := char.LineAround(text, at)
			line := Span{at, ends}
			at = ends + 1
			if isBlankOrComment(text[line.From:line.To]) && apart < fewest {
				apart++
				continue
			}
			if seps = separatorsOf(text, line, mark, mark == ';'); len(seps) != n {
				break
			}
			lines, end, apart = lines+1, ends, 0
			list = append(list, fieldsAt(text, line, seps)...)
		}
		if lines >= fewest {
			return list, end
		}
	}
	return nil, 0
}

func isBlankOrComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

// separatorsOf is where a delimiter parts the fields of a line, outside of quotation marks; nil for a line
// that may be prose or code. In a loose one blanks stand beside it too.
func separatorsOf(text string, l Span, mark byte, loose bool) []int {
	line := strings.TrimRight(text[l.From:l.To], " \r")
	if len(line) > MaxRow || strings.IndexByte(line, mark) < 1 || strings.ContainsAny(line, "\t|{}") || isBlankOrComment(line) ||
		mark != ',' && strings.ContainsAny(line, "=<>\"") || strings.HasSuffix(line, ".") && strings.Count(line, string(mark)) == 1 {
		return nil
	}
	var list []int
	quoted, filled := false, 0
	decimal := true // each comma stands between two digits
	begins := 0
	field := func(end int) {
		if strings.TrimSpace(line[begins:end]) != "" {
			filled++
		}
		begins = end + 1
	}
	for i := range len(line) {
		switch {
		case line[i] == '"' && (quoted || strings.TrimSpace(line[begins:i]) == ""):
			quoted = !quoted
		case quoted || line[i] != mark:
		case !loose && (i > 0 && line[i-1] == ' ' || i+1 < len(line) && line[i+1] == ' '):
			return nil
		default:
			decimal = decimal && i > 0 && i+1 < len(line) && isDigit(line[i-1]) && isDigit(line[i+1])
			list = append(list, l.From+i)
			field(i)
		}
	}
	field(len(line))
	if quoted || filled < 2 || decimal && (len(list) == 1 || strings.Contains(text[list[0]:l.To], " ")) {
		return nil
	}
	return list
}

// fieldsAt parts the fields of a line by tabs, without the marks of quotation around them.
func fieldsAt(text string, l Span, seps []int) []Edit {
	var row []sourceCell
	from := l.From
	for _, at := range append(seps, l.To) {
		c := newSourceCell(text, from, at)
		if field := text[c.From:c.To]; len(field) > 1 && strings.HasPrefix(field, `"`) && strings.HasSuffix(field, `"`) {
			c.From, c.To = c.From+1, c.To-1
		}
		row, from = append(row, c), at+1
	}
	last := row[len(row)-1].To
	return append(rowsOfCells(l.From, [][]sourceCell{row}, 0), Edit{From: last, To: l.To})
}

// csvTable reads a table of reStructuredText whose rows are lines of fields, with the names of its columns in
// an option.
func csvTable(text string, from, to int) ([]Edit, int) {
	const directive, header = ".. csv-table::", ":header:"
	line := text[from:to]
	bare := strings.TrimLeft(line, " ")
	if !strings.HasPrefix(bare, directive) {
		return nil, 0
	}
	outer := line[:len(line)-len(bare)]
	var list []Edit
	end := to
	for l := range linesOf(text, to+1, maxTableLines) {
		line := text[l.From:l.To]
		inner := strings.TrimLeft(line, " ")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if len(line)-len(inner) <= len(outer) {
			break
		}
		end = l.To
		fields := Span{l.To - len(inner), l.To}
		if strings.HasPrefix(inner, header) {
			fields.From += len(header)
		} else if strings.HasPrefix(inner, ":") {
			continue
		}
		if seps := separatorsOf(text, fields, ',', true); len(seps) > 0 {
			edits := fieldsAt(text, fields, seps)
			if at := edits[0].From; at == fields.From {
				edits[0].From = l.From
			}
			list = append(list, edits...)
		}
	}
	return list, end
}
