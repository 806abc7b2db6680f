package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cellEdits parts the cells of a row by tabs, whatever parts them in the text:
// bars, wide blanks or dots that lead to the next.
func cellEdits(text string) []edit {
	var list []edit
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := text[at:end]
		if strings.Contains(line, "|") || strings.Contains(line, "  ") || strings.Contains(line, "\t") || strings.Contains(line, "....") {
			list = append(list, rowEdits(text, at, end)...)
		}
		at = end + 1
	}
	return list
}

// rowEdits parts the cells of one line.
func rowEdits(text string, from, to int) []edit {
	line := strings.TrimRight(text[from:to], " \t\r")
	to = from + len(line)
	inner := strings.TrimLeft(line, " \t")
	from = to - len(inner)
	bars := strings.Count(inner, "|") > 1 || strings.Contains(inner, " | ")
	if bars && strings.Trim(inner, "|-:= \t+") == "" {
		return []edit{{from: from, to: to}}
	}
	var list []edit
	for i := from; i < to; {
		end := i
		dots, wide := 0, 0
		for end < to && (text[end] == ' ' || text[end] == '\t' || bars && text[end] == '|' || text[end] == '.' && (dots > 0 || i < end)) {
			switch text[end] {
			case '.':
				dots++
			case '\t', '|':
				wide += 2
			default:
				wide++
			}
			end++
		}
		if end == i {
			i++
			continue
		}
		for dots < 4 && end > i && text[end-1] == '.' {
			end--
		}
		if wide >= 2 && dots == 0 && !isBetweenSentences(text[from:to], i-from, end-from) || dots >= 4 {
			with := "\t"
			if i == from || end == to {
				with = ""
			}
			if text[i:end] != with {
				list = append(list, edit{from: i, to: end, with: with})
			}
		}
		i = max(end, i+1)
	}
	return list
}

// isBetweenSentences reports whether two blanks of a line part sentences, as typists do it,
// and no cells.
func isBetweenSentences(line string, from, to int) bool {
	before := strings.TrimRight(line[:from], ".!?")
	last, _ := utf8.DecodeLastRuneInString(before)
	return line[from:to] == "  " && len(before) == from-1 && unicode.IsLower(last) && unicode.IsUpper(firstRune(line[to:]))
}
