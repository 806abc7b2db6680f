package reading

import (
	"strings"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// fieldsOf is how many fields a line has that semicolons part, without blanks beside them; 0 for one that
// is not such a line, or has an empty field.
func fieldsOf(line string) int {
	const fewest = 3
	line = strings.TrimRight(line, " \t\r")
	if len(line) > MaxRow || strings.ContainsAny(line, "(){}<>=&\"\t|") || strings.Count(line, ";") < fewest-1 {
		return 0
	}
	fields := strings.Split(line, ";")
	for _, field := range fields {
		if field == "" || field != strings.TrimSpace(field) {
			return 0
		}
	}
	return len(fields)
}

// fieldEdits parts the fields of a line by tabs where the lines around it have as many: two of those above
// and below.
func fieldEdits(text string, from, to int) []Edit {
	const around = 2 // lines
	n, alike := fieldsOf(text[from:to]), 0
	for at, k := from-1, 0; k < around && at >= 0; k++ {
		begins, ends := char.LineAround(text, at)
		if fieldsOf(text[begins:ends]) != n {
			break
		}
		alike++
		at = begins - 1
	}
	for at, k := to+1, 0; k < around && at < len(text); k++ {
		begins, ends := char.LineAround(text, at)
		if fieldsOf(text[begins:ends]) != n {
			break
		}
		alike++
		at = ends + 1
	}
	if alike < around {
		return nil
	}
	var list []Edit
	for i := from; i < to; i++ {
		if text[i] == ';' {
			list = append(list, Edit{From: i, To: i + 1, With: "\t"})
		}
	}
	return list
}
