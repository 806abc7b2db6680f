package reading

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// cellEdits parts the cells of a row by tabs, whatever parts them in the text:
// bars, wide blanks, dots that lead to the next, or semicolons throughout.
func cellEdits(text string) []Edit {
	var list []Edit
	ruled := false // within a table of Markdown, below its rule
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := text[at:end]
		ruled = strings.Contains(line, "|") && (ruled || IsRuleOfBars(line))
		if isJustified(text, at, end) {
			at = end + 1
			continue
		}
		if strings.Contains(line, "|") || hasCarets(line) || strings.Contains(line, "  ") || strings.Contains(line, "\t") || strings.Contains(line, "....") || strings.Contains(line, wideBlank+wideBlank) {
			list = append(list, rowEdits(text, at, end, ruled)...)
		} else if fieldsOf(line) > 0 {
			list = append(list, fieldEdits(text, at, end)...)
		}
		at = end + 1
	}
	return list
}

// isJustified reports whether a line is of prose set to both margins, as manual pages are: it
// ends where a line near it does, its words are many and mostly small, and
// the blanks between them differ by one. Cells lie further apart, or their rows are short: a
// line longer than a row is a paragraph whose lines were joined.
func isJustified(text string, from, to int) bool {
	const least, row, words = 40, 240, 6 // letters of a line, of a row at most, words
	line := strings.TrimRight(text[from:to], " \r")
	inner := strings.TrimLeft(line, " ")
	if !strings.Contains(inner, "  ") || strings.ContainsAny(inner, "|\t") || strings.Contains(inner, "....") || len(inner) < least {
		return false
	}
	n, small, gap, narrow, wide := 0, 0, 0, len(inner), 0
	for i, word := range strings.Split(inner, " ") {
		if word == "" {
			gap++
			continue
		}
		if first := char.First(strings.TrimLeftFunc(word, char.IsNotOfWord)); unicode.IsLetter(first) && !unicode.IsUpper(first) {
			small++
		}
		if i > 0 {
			narrow, wide = min(narrow, gap), max(wide, gap)
		}
		n++
		gap = 0
		if strings.ContainsAny(word[len(word)-1:], ".!?:") {
			gap = -1 // typists put one blank more behind a sentence
		}
	}
	if n < words || 2*small < n || wide > max(narrow, 0)+1 {
		return false
	}
	if len(inner) > row {
		return true
	}
	return endsAtMargin(text, from, to, width(line))
}

// endsAtMargin reports whether one of the lines around a line ends in a column, as it does: that
// right beside it may be the last of its paragraph.
func endsAtMargin(text string, from, to, column int) bool {
	const around = 6 // lines above, and below
	for range around {
		if from > 0 {
			above := char.Line(text, from-1)
			if width(strings.TrimRight(above, " \r")) == column {
				return true
			}
			from -= len(above) + 1
		}
		if to < len(text) {
			below := char.Line(text, to+1)
			if width(strings.TrimRight(below, " \r")) == column {
				return true
			}
			to += len(below) + 1
		}
	}
	return false
}

// wideBlank is as wide as a letter of Chinese or Japanese. Two and more part cells, and one does
// so in the same line before a number, or before what stands below or above another cell.
const wideBlank = "\u3000"

// wideEdits parts the cells of a line with wide blanks.
func wideEdits(text string, from, to int) []Edit {
	var list []Edit
	var others []int // where the cells of the lines above and below begin
	if from > 0 {
		others = wideColumns(char.Line(text, from-1))
	}
	if _, end := char.LineAround(text, from); end < len(text) {
		others = append(others, wideColumns(char.Line(text, end+1))...)
	}
	for i := from; i < to; {
		n := strings.Index(text[i:to], wideBlank)
		if n < 0 {
			break
		}
		begins := i + n
		rest := strings.TrimLeft(text[begins:to], wideBlank)
		if bare := strings.TrimLeft(rest, " "); bare != "" && unicode.IsDigit(char.First(bare)) {
			rest = bare // a number set to the right
		}
		i = to - len(rest)
		if begins > from && rest != "" && (i-begins > len(wideBlank) || unicode.IsDigit(char.First(rest)) || slices.Contains(others, width(text[from:i]))) {
			list = append(list, Edit{From: begins, To: i, With: "\t"})
		}
	}
	return list
}

// wideColumns are the columns of a line in which what stands behind two wide blanks or more begins.
func wideColumns(line string) []int {
	var list []int
	at, blanks := 0, 0
	for _, r := range line {
		switch {
		case string(r) == wideBlank:
			blanks++
		case blanks > 1:
			list = append(list, at)
			fallthrough
		default:
			blanks = 0
		}
		at += width(string(r))
	}
	return list
}

// width is how many columns a text takes where a letter of Chinese or Japanese takes two.
func width(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r >= 0x1100 {
			n++
		}
	}
	return n
}

// IsRuleOfBars reports whether a line is the rule below the names of the columns of a table of Markdown.
func IsRuleOfBars(line string) bool {
	return strings.Contains(line, "|") && strings.Contains(line, "--") && strings.Trim(line, "|-:= \t+\r\n") == ""
}

// rowEdits parts the cells of one line; ruled tells that a bar alone parts them.
func rowEdits(text string, from, to int, ruled bool) []Edit {
	line := strings.TrimRight(text[from:to], " \t\r")
	to = from + len(line)
	inner := strings.TrimLeft(line, " \t")
	from = to - len(inner)
	if strings.Contains(strings.Trim(inner, wideBlank), wideBlank+wideBlank) {
		return wideEdits(text, from, to)
	}
	carets := hasCarets(inner)
	bars := ruled || carets || strings.Count(inner, "|") > 1 || strings.Contains(inner, " | ")
	if IsRuleOfBars(inner) || bars && strings.Trim(inner, "|-:= \t+") == "" {
		return []Edit{{From: from, To: to}}
	}
	enclosed := carets || bars && strings.HasPrefix(inner, "|") && strings.HasSuffix(inner, "|")
	var list []Edit
	for i := from; i < to; {
		end := i
		dots, wide := 0, 0
		for end < to && (text[end] == ' ' || text[end] == '\t' || bars && text[end] == '|' || carets && text[end] == '^' || text[end] == '.' && (dots > 0 || i < end)) {
			switch text[end] {
			case '.':
				dots++
			case '\t', '|', '^':
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
			switch {
			case i == from || end == to:
				with = ""
			case enclosed && strings.Trim(text[i:end], " ") == "":
				with = " " // within a cell
			}
			if text[i:end] != with {
				list = append(list, Edit{From: i, To: end, With: with})
			}
		}
		i = max(end, i+1)
	}
	return list
}

// hasCarets reports whether a line is a row of DokuWiki, before whose names stand carets for bars.
func hasCarets(line string) bool {
	const fewest = 3 // carets and bars
	line = strings.TrimSpace(line)
	if line == "" || !strings.Contains(line, "^") {
		return false
	}
	first, last := line[0], line[len(line)-1]
	return first == '^' && (last == '^' || last == '|') && strings.Count(line, "^")+strings.Count(line, "|") >= fewest || first == '|' && last == '^'
}

// isBetweenSentences reports whether two blanks of a line part sentences, as typists do it,
// and no cells.
func isBetweenSentences(line string, from, to int) bool {
	before := strings.TrimRight(line[:from], ".!?")
	last, _ := utf8.DecodeLastRuneInString(before)
	return line[from:to] == "  " && len(before) == from-1 && unicode.IsLower(last) && unicode.IsUpper(char.First(line[to:]))
}
