package reading

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

var (
	// roffTag is a paragraph of a manual page with its name, in quotation marks where it has blanks.
	roffTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\.IP\s+(?:"((?:[^"\n]|"")+)"|(\S+))(?:\s+\S+)?\s*$`)
	})
	// mdocItem is an item of a list of the manual pages of BSD, whose names are told by words for what they are.
	mdocItem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.It\s+(\S.*?)\s*$`) })
	mdocWord = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(?:^\.|\b)(?:Fl|Ar|Cm|Ic|Li|Pa|Ev|Dv|Va|Vt|Fa|Ft|Fn|Em|Sy|Nm|Er|Ql|Sq|Dq|Xr|Ad)[ \t]+| Ns[ \t]+(?:(?:Ar|Cm|Li|Pa|Va|Em|Sy)[ \t]+)?|[ \t](?:[.,;:)]$|[.,;:)][ \t])`)
	})
	mdocText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\.(?:Fl|Ar|Cm|Ic|Li|Pa|Ev|Dv|Va|Vt|Fa|Ft|Fn|Em|Sy|Nm|Er|Ql|Sq|Dq|Xr|Ad)\s`)
	})
)

// roffTagged reads a paragraph of a manual page that has a name, ".IP name" or ".It Fl a", and what is said
// of it in the lines below. A bullet and a number are no names.
func roffTagged(text string, from, to int) ([]Edit, int) {
	const most = 30 // lines
	line := text[from:to]
	if !strings.HasPrefix(line, ".I") {
		return nil, 0
	}
	isText := func(line string) bool { return !strings.HasPrefix(line, ".") || roffFont().MatchString(line) }
	cell := roffCell
	name := Span{}
	if m := roffTag().FindStringSubmatchIndex(line); m != nil {
		at := max(m[2], m[4])
		name = Span{from + at, from + max(m[3], m[5])}
	} else if m := mdocItem().FindStringSubmatchIndex(line); m != nil {
		name = Span{from + m[2], from + m[3]}
		isText = func(line string) bool { return !strings.HasPrefix(line, ".") || mdocText().MatchString(line) }
		cell = mdocCell
	}
	if bare := roffSign().ReplaceAllString(text[name.From:name.To], ""); text[name.From:name.To] == "o" || strings.Trim(bare, "0123456789.()[]*-+ ") == "" {
		return nil, 0
	}
	end := to
	for l := range linesOf(text, to+1, most) {
		if line := text[l.From:l.To]; strings.TrimSpace(line) == "" || !isText(line) {
			break
		}
		end = l.To
	}
	if end == to {
		return nil, 0
	}
	return rowsOfCells(from, [][]sourceCell{{cell(text, name.From, name.To), cell(text, to+1, end)}}, 0), end
}

// mdocCell is a cell without the words for what its words are.
func mdocCell(text string, from, to int) sourceCell {
	c := newSourceCell(text, from, to)
	for _, m := range mdocWord().FindAllStringIndex(text[c.From:c.To], -1) {
		e := Edit{From: c.From + m[0], To: c.From + m[1]}
		if begins, _ := char.LineAround(text, e.From); text[begins] != '.' {
			continue // prose
		}
		switch word := strings.TrimLeft(text[e.From:e.To], "."); {
		case strings.HasPrefix(word, "Fl"):
			e.With = "-"
		case strings.Trim(word, " \t.,;:)") == "":
			e.To = e.From + 1 // the blank before a mark
		}
		c.within = append(c.within, e)
	}
	c.within = apart(c.within, Edit.span)
	return c
}
