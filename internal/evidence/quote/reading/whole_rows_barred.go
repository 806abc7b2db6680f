package reading

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// barredTable reads a table of Org, of Textile or of a wiki (Trac, MoinMoin, Creole, DokuWiki, Confluence): lines
// of cells between bars, double bars or carets. One with the rule of Markdown is left as it is.
func barredTable(text string, from, to int) ([]Edit, int) {
	if !isBarred(text[from:to], false) {
		return nil, 0
	}
	creole := strings.HasPrefix(strings.TrimSpace(text[from:to]), "|=")
	var lines []Span
	var rules []int // before which rows there is a rule of Org
	end := to
	for l := range linesOf(text, from, maxTableLines) {
		line := strings.TrimSpace(text[l.From:l.To])
		if !isBarred(line, creole) {
			break
		}
		end = l.To
		switch {
		case strings.Trim(line, "|-:+ ") != "" || !strings.Contains(line, "-"):
			lines = append(lines, l)
		case strings.Contains(line, "+"):
			rules = append(rules, len(lines))
		default:
			return nil, end
		}
	}
	var list []Edit
	var rows [][]sourceCell
	for _, l := range lines {
		rows = append(rows, barredCells(text, l, len(rules) > 0))
	}
	rows = slices.DeleteFunc(rows, func(row []sourceCell) bool { return len(row) == 0 })
	if len(rows) == 0 {
		return nil, end
	}
	heads := headsOf(rows)
	if n := headsOfOrg(rules, len(lines)); n > 0 && len(rows) == len(lines) {
		heads = n
	}
	list = rowsOfCells(from, rows, heads)
	last := rows[len(rows)-1]
	if at := last[len(last)-1].To; at < end {
		list = append(list, Edit{From: at, To: end})
	}
	return list, end
}

// headsOfOrg is how many rows stand above the first rule, or between that and the second where it is above
// all.
func headsOfOrg(rules []int, rows int) int {
	for _, n := range rules {
		if 0 < n {
			if n == rows {
				return 0
			}
			return n
		}
	}
	return 0
}

// isBarred reports whether a line begins and ends with a bar or a caret, as a row does. In Creole the last is
// left out.
func isBarred(line string, creole bool) bool {
	const shortest = 4 // bytes
	line = strings.TrimSpace(line)
	if len(line) < shortest || len(line) > 4*MaxRow || line[0] != '|' && line[0] != '^' || strings.HasPrefix(line, "|=.") || strings.HasPrefix(line, "|===") {
		return false
	}
	last := line[len(line)-1]
	return last == '|' || last == '^' || line[0] == '|' && (creole || line[1] == '=') && strings.Count(line, "|") > 1
}

var (
	// barSkipped is what is one thing, with a bar in it or without one.
	barSkipped = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^(?:\\[\\[[^\\[\\]\\n]+\\](?:\\[[^\\[\\]\\n]+\\])?\\]|\\{\\{\\{.*?\\}\\}\\}|`[^`\\n]+`|<<[^<>\\n]+>>|\\[[^\\[\\]|\\n]+\\|" + linkTarget + "\\])")
	})
	// textileLook is how a cell of Textile looks, written right behind its bar; the first sign says that it is
	// a name.
	textileLook = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(_?)(?:[<>=^~]|\\\d+|/\d+|\([^()\n|]*\)|\{[^{}\n|]*\}|\[[a-z-]+\])*\.(?:\s|$)`)
	})
	// moinLook is how one of MoinMoin does.
	moinLook = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<(?:\s*(?:[(:)^v]|[|-]\d+|\d+%|#[0-9A-Fa-f]{6}|[a-z]+=(?:"[^"\n]*"|'[^'\n]*'|[^\s<>"']+)))+\s*>`)
	})
)

// barredCells are the cells of a line. A cell over several columns has as many bars behind it in DokuWiki, or
// before it, and is one.
func barredCells(text string, l Span, ofOrg bool) []sourceCell {
	line := text[l.From:l.To]
	from := l.From + len(line) - len(strings.TrimLeft(line, " \t"))
	to := l.From + len(strings.TrimRight(line, " \t\r"))
	double := strings.HasPrefix(text[from:to], "||")
	carets := hasCarets(line)
	var row []sourceCell
	add := func(at, end int, head bool) {
		c, isHead := barredCell(text, at, end, double, ofOrg)
		c.head = head || isHead
		row = append(row, c)
	}
	cellAt, head := -1, false
	for i := from; i < to; {
		if n := len(barSkipped().FindString(text[i:to])); n > 0 {
			i += n
			continue
		}
		isBar := text[i] == '|' || carets && text[i] == '^'
		if double {
			isBar = strings.HasPrefix(text[i:to], "||")
		}
		if !isBar {
			i++
			continue
		}
		if cellAt >= 0 {
			add(cellAt, i, head)
		}
		head = text[i] == '^'
		step := 1
		if double {
			step = 2
		}
		i += step
		for i < to && (text[i] == '|' || carets && text[i] == '^') {
			i++ // over several columns
		}
		cellAt = i
	}
	if cellAt >= 0 && cellAt < to {
		add(cellAt, to, head)
	}
	if len(row) < 2 {
		return nil
	}
	if double && isAboveSingleBars(text, l) {
		for i := range row {
			row[i].head = true
		}
	}
	return row
}

// isAboveSingleBars reports whether the rows below a line with double bars have single ones, as in Confluence.
func isAboveSingleBars(text string, l Span) bool {
	if l.To+1 >= len(text) {
		return false
	}
	below := strings.TrimSpace(char.Line(text, l.To+1))
	return strings.HasPrefix(below, "|") && !strings.HasPrefix(below, "||") && strings.HasSuffix(below, "|")
}

// barredCell is a cell without what says how it looks and without the marks within it, and whether it is one
// of names.
func barredCell(text string, from, to int, double, ofOrg bool) (c sourceCell, isHead bool) {
	if double {
		from += len(moinLook().FindString(text[from:to]))
	} else if m := textileLook().FindStringSubmatch(text[from:to]); m != nil && len(m[0]) > 1 && m[0][0] != '.' {
		from += len(m[0])
		isHead = m[1] != ""
	}
	if strings.HasPrefix(text[from:to], "=") && !ofOrg {
		inner := strings.TrimRight(text[from+1:to], " ")
		if rest, closed := strings.CutSuffix(inner, "="); closed && double {
			from, to, isHead = from+1, from+1+len(rest), true
		} else if !closed {
			from, isHead = from+1, true
		}
	}
	c = newSourceCell(text, from, to)
	for _, form := range barredMarks() {
		if form.double && !double {
			continue
		}
		for _, m := range form.FindAllStringSubmatchIndex(text[c.From:c.To], -1) {
			for i := range m {
				m[i] += c.From
			}
			isWhole := m[0] == c.From && m[1] == c.To
			if form.whole && !isWhole && !ofOrg || !isWhole && (char.IsOfWord(char.Last(text[c.From:m[0]])) || char.IsOfWord(char.First(text[m[1]:c.To]))) ||
				!strings.ContainsFunc(text[m[2]:m[3]], char.IsOfWord) {
				continue
			}
			c.within = append(c.within, Edit{From: m[0], To: m[2]}, Edit{From: m[3], To: m[1]})
			isHead = isHead || form.head && isWhole && double
		}
	}
	c.within = apart(c.within, Edit.span)
	return c, isHead
}

// A barredMark is a mark around words, which are its group.
type barredMark struct {
	*regexp.Regexp
	double bool // between double bars alone
	whole  bool // around a whole cell alone, but in Org
	head   bool // around a whole cell it makes it a name
}

const (
	// linkTarget is where a link goes, by what only that has: "lamps.html", "#upper", "/berths". What follows a
	// bar or a colon may be the other of two values as well.
	linkTarget = `(?:[\w.-]*[/#^][^\s|()\[\]]*[\w/]|[\w-]+\.[a-z]{2,5}|(?:https?|mailto|ftp):[^\s|()\[\]]*[\w/])`
	tracScheme = `(?:wiki|ticket|source|browser|report|milestone|changeset|log|attachment|query|htdocs|comment|diff|doc|export|search|https?|ftp|mailto)`
)

// barredMarks are the marks of code, of stress and of links. What is struck out keeps its own.
var barredMarks = sync.OnceValue(func() []barredMark {
	of := regexp.MustCompile
	return []barredMark{
		{Regexp: of(`\{\{\{([^{}\n]+)\}\}\}`)},
		{Regexp: of(`\{\{([^{}|\n]+)\}\}`)},
		{Regexp: of(`\[\[[^\[\]|\n]+[|]([^\[\]|\n]+)\]\]`)},
		{Regexp: of(`\[\[[^\[\]\n]+\]\[([^\[\]\n]+)\]\]`)},
		{Regexp: of(`\[\[([^\[\]|\n]+)\]\]`)},
		{Regexp: of(`\[([^\[\]|\n]+)\|` + linkTarget + `\]`)},
		{Regexp: of(`\[(?:` + tracScheme + `:(?:"[^"\n]+"|[^\s\[\]"|]+)|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+[^\s\[\]|]*|#[A-Za-z][\w-]*) ([^\[\]\n|]+)\]`), double: true},
		{Regexp: of(`"([^"\n|]+)":` + linkTarget)},
		{Regexp: of(`@([^@\n|]+)@`)},
		{Regexp: of(`\{color:[^{}\n|]+\}([^{}\n|]+)\{color\}`)},
		{Regexp: of(`%\{[^{}\n]*\}([^%\n|]+)%`)},
		{Regexp: of(`'''([^'\n|]+)'''`), head: true},
		{Regexp: of(`''([^'\n|]+)''`)},
		{Regexp: of(`//([^/\n|]+)//`)},
		{Regexp: of(`~([^\s~|][^~|\n]*)~`), whole: true},
		{Regexp: of(`=([^\s=|][^=|\n]*)=`), whole: true},
		{Regexp: of(`/([^\s/|][^/|\n]*)/`), whole: true},
	}
})
