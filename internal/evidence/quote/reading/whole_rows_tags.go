package reading

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	// taggedRow is how a row of TEI, of CALS or of DITA begins, or an entry of a list of theirs.
	taggedRow = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<(row|strow|sthead|property|prophead|chrow|chhead|seglistitem|segtitle|varlistentry|dlentry|dlhead|plentry)(?:\s[^<>]*[^<>/])?>`)
	})
	taggedCell = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<(cell|entry|stentry|proptype|propvalue|propdesc|proptypehd|propvaluehd|propdeschd|choption|chdesc|choptionhd|chdeschd|seg|segtitle|term|listitem|dt|dd|dthd|ddhd|pt|pd)(?:\s[^<>]*?)?(/)?>`)
	})
	// taggedParagraph is a tag of a paragraph, or of a list, within a cell.
	taggedParagraph = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:\s*</?(?:para|simpara|formalpara|p|div|ab|itemizedlist|listitem|simplelist|member|ul|ol|sl|li|sli)(?:\s[^<>]*)?>)+\s*`)
	})
)

// belowHead is the rule that stands below the names of columns.
const belowHead = "\n|--|--|\n"

// headRows are rows of names of columns.
var headRows = wordSet("sthead prophead chhead segtitle dlhead")

// taggedTable reads the rows of TEI, of CALS and of DITA that begin in a line: <row> with <cell> or <entry>
// in it, or what those have for lists of names.
func taggedTable(text string, from, to int) (list []Edit, end int) {
	end = to
	if !strings.Contains(text[from:to], "<") {
		return nil, end
	}
	for _, m := range taggedRow().FindAllStringSubmatchIndex(text[from:to], -1) {
		at, begins, name := from+m[0], from+m[1], text[from+m[2]:from+m[3]]
		if len(list) > 0 && at < list[len(list)-1].To {
			continue
		}
		row, stop := taggedCells(text, at, begins, name)
		if len(row) < 2 {
			continue
		}
		list = append(list, rowsOfCells(at, [][]sourceCell{row}, 0)...)
		below := Edit{From: row[len(row)-1].To, To: stop}
		if headRows[name] || strings.HasPrefix(strings.TrimLeft(text[stop:min(len(text), stop+maxName)], blanks), "</thead>") {
			below.With = belowHead
		}
		list = append(list, below)
		end = max(end, stop)
		if stop < len(text) {
			end = lineEnd(text, end)
		}
	}
	return list, end
}

// taggedCells are the cells of a row whose tag ends at a place, and where it ends; none where a row is within
// one of them. The names of segments stand side by side with nothing around them.
func taggedCells(text string, at, begins int, name string) (row []sourceCell, stop int) {
	const longest = 8 * MaxRow
	window := min(len(text), begins+longest)
	titles := name == "segtitle"
	until := window
	if titles {
		begins = at
	} else if until, stop = closingOf(text, begins, window, name); stop == 0 {
		return nil, 0
	}
	for i := begins; i < until; {
		n := strings.IndexByte(text[i:until], '<')
		if n < 0 || titles && strings.TrimSpace(text[i:i+n]) != "" {
			break
		}
		i += n
		m := taggedCell().FindStringSubmatchIndex(text[i:min(until, i+MaxRow)])
		if titles && (m == nil || text[i+m[2]:i+m[3]] != name) {
			break
		}
		if m == nil {
			i++
			continue
		}
		opened := i + m[1]
		from, to, next := opened, opened, opened
		if m[4] < 0 {
			to, next = closingOf(text, opened, until, text[i+m[2]:i+m[3]])
		}
		if next == 0 || taggedRow().MatchString(text[from:to]) {
			return nil, 0
		}
		row = append(row, taggedCellOf(text, from, to))
		i = next
		if titles {
			stop = next
		}
	}
	return row, stop
}

// closingOf is where the closing tag of an element begins and ends whose first tag ends at a place, with
// others of its name within it; 0 for none.
func closingOf(text string, at, to int, name string) (begins, ends int) {
	depth := 1
	for i := at; i < to; {
		n := strings.IndexByte(text[i:to], '<')
		if n < 0 {
			break
		}
		i += n
		rest := text[i+1 : to]
		bare := strings.TrimPrefix(rest, "/")
		behind, same := strings.CutPrefix(bare, name)
		if same && behind != "" && strings.IndexByte("> \t\r\n", behind[0]) >= 0 {
			tagEnd := strings.IndexByte(behind, '>')
			switch {
			case tagEnd < 0:
				return 0, 0
			case len(bare) < len(rest):
				depth--
			case !strings.HasSuffix(behind[:tagEnd], "/"):
				depth++
			}
			if depth == 0 {
				return i, to - len(behind) + tagEnd + 1
			}
		}
		i++
	}
	return 0, 0
}

// taggedCellOf is a cell whose paragraphs are one line.
func taggedCellOf(text string, from, to int) sourceCell {
	marks := taggedParagraph().FindAllStringIndex(text[from:to], -1)
	if n := len(marks); n > 0 && from+marks[n-1][1] == to {
		to = from + marks[n-1][0]
	}
	if len(marks) > 0 && marks[0][0] == 0 {
		from = min(from+marks[0][1], to)
	}
	c := newSourceCell(text, from, to)
	for _, m := range taggedParagraph().FindAllStringIndex(text[c.From:c.To], -1) {
		e := Edit{From: c.From + m[0], To: c.From + m[1], With: " "}
		c.within = slices.DeleteFunc(c.within, func(o Edit) bool { return e.From <= o.From && o.To <= e.To })
		c.within = append(c.within, e)
	}
	slices.SortFunc(c.within, func(a, b Edit) int { return a.From - b.From })
	return c
}
