package reading

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	roffTab  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\btab ?\((.)\)`) })
	roffSign = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)\\f(?:\[[^\]\n]*\]|\(..|.)|\\s[-+]?\d|\\m\[[^\]\n]*\]|\\\[([^\]\n]{1,12})\]|\\\((..)|\\([-&|^~ :%e'./])|^[.'](?:B|I|R|SM|SB|CW|BR|RB|BI|IB|IR|RI)[ \t]+([^\n]*)$`)
	})
)

// roffSigns are names of signs of roff.
var roffSigns = map[string]string{
	"dq": `"`, "aq": "'", "oq": "‘", "cq": "’", "lq": "“", "rq": "”", "en": "–", "em": "—", "hy": "-", "mi": "−", "bu": "•", "co": "©", "rg": "®", "tm": "™", "de": "°", "mu": "×", "+-": "±", "<=": "≤", ">=": "≥", "!=": "≠",
	"->": "→", "<-": "←", "rs": `\`, "ti": "~", "ha": "^", "ga": "`", "Fo": "«", "Fc": "»", "ss": "ß", ":a": "ä", ":o": "ö", ":u": "ü", "'e": "é", "`e": "è", "*m": "μ", "sc": "§", "at": "@", "sh": "#", "Do": "$", "Eu": "€",
	"-": "-", "&": "", "|": "", "^": "", "~": " ", " ": " ", ":": "", "%": "", "e": `\`, "'": "'", ".": ".", "/": "",
}

// roffTable reads a table of tbl: the sign that parts its cells, a line of how each row is set, and
// rows, whose cells may stand in lines of their own between T{ and T}.
func roffTable(text string, from, to int) ([]Edit, int) {
	if line := strings.TrimRight(text[from:to], " \r"); line != ".TS" && line != ".TS H" {
		return nil, 0
	}
	const none = -1
	mark, heads, first := "\t", none, 0
	inBlock := false // between T{ and T}
	inFormat := true
	var rows [][]sourceCell
	var cells []sourceCell
	cellAt := 0
	for l := range linesOf(text, to+1, maxTableLines) {
		line := strings.TrimRight(text[l.From:l.To], " \r")
		switch {
		case strings.HasPrefix(line, ".TE"):
			return rowsOfCells(first, rows, max(heads, 0)), l.To
		case strings.HasPrefix(line, ".TS"):
			return nil, 0
		case inFormat:
			if heads == none && strings.HasSuffix(line, ";") {
				if m := roffTab().FindStringSubmatch(line); m != nil {
					mark = m[1]
				}
				continue
			}
			heads++
			inFormat = !strings.HasSuffix(line, ".")
			continue
		case !inBlock && (strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") || strings.Trim(line, "_= ") == ""):
			continue
		}
		at := l.From
		if len(rows) == 0 && cells == nil && !inBlock {
			first = l.From
		}
		if inBlock {
			rest, closed := strings.CutPrefix(line, "T}")
			if !closed {
				continue
			}
			cells, inBlock = append(cells, roffCell(text, cellAt, l.From)), false
			if rest == "" {
				rows, cells = append(rows, cells), nil
				continue
			}
			at = min(at+len("T}")+len(mark), l.To)
		}
		parts := strings.Split(text[at:l.To], mark)
		for k, part := range parts {
			if k == len(parts)-1 && strings.TrimSpace(part) == "T{" {
				inBlock, cellAt = true, at+len(part)
				break
			}
			cells = append(cells, roffCell(text, at, at+len(part)))
			at += len(part) + len(mark)
		}
		if !inBlock {
			rows, cells = append(rows, cells), nil
		}
	}
	return nil, 0
}

// roffCell is a cell without its fonts, and with its signs as they are printed.
func roffCell(text string, from, to int) sourceCell {
	c := newSourceCell(text, from, to)
	for _, m := range roffSign().FindAllStringSubmatchIndex(text[c.From:c.To], -1) {
		at, end := c.From+m[0], c.From+m[1]
		if m[8] >= 0 {
			end = c.From + m[8]
			if macro := strings.Fields(text[at:end])[0]; len(macro) == len(".BR") && macro != ".SM" && macro != ".SB" && macro != ".CW" {
				for i := end; i < c.From+m[9]; i++ { // its words stand side by side
					if text[i] == ' ' {
						c.within = append(c.within, Edit{From: i, To: i + 1})
					}
				}
			}
			c.within = append(c.within, Edit{From: at, To: end})
			continue
		}
		with := ""
		for k := 2; k < 8; k += 2 {
			if m[k] >= 0 {
				sign, ok := roffSigns[text[c.From+m[k]:c.From+m[k+1]]]
				if with = sign; !ok {
					with = text[at:end]
				}
			}
		}
		c.within = append(c.within, Edit{From: at, To: end, With: with})
	}
	c.within = apart(c.within, Edit.span)
	return c
}

// roffFont is a line that is set in a font, and no request otherwise.
var roffFont = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.(?:B|I|R|SM|SB|CW|BR|RB|BI|IB|IR|RI)\s`) })

// roffItem reads an item of a manual page, ".TP", whose next line is its name and those below what is said of it.
func roffItem(text string, from, to int) ([]Edit, int) {
	if line := strings.TrimRight(text[from:to], " \r"); line != ".TP" && !strings.HasPrefix(line, ".TP ") {
		return nil, 0
	}
	const most = 30 // lines
	lines := slices.Collect(linesOf(text, to+1, most))
	isText := func(l Span) bool {
		line := text[l.From:l.To]
		return strings.TrimSpace(line) != "" && (!strings.HasPrefix(line, ".") && !strings.HasPrefix(line, "'") || roffFont().MatchString(line))
	}
	n := slices.IndexFunc(lines, func(l Span) bool { return !isText(l) })
	if n < 0 {
		n = len(lines)
	}
	if n < 2 {
		return nil, 0
	}
	name, last := lines[0], lines[n-1]
	return rowsOfCells(name.From, [][]sourceCell{{roffCell(text, name.From, name.To), roffCell(text, lines[1].From, last.To)}}, 0), last.To
}
