package quote

import (
	"cmp"
	"slices"
	"strings"
)

// codeSpans are the parts of a text that are marked as code and no prose: fenced
// blocks of Markdown and preformatted ones of HTML, without the comments in them.
func codeSpans(text string) []Span {
	var list []Span
	fenced := false
	for at := 0; at < len(text); {
		end := at + len(text[at:])
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := strings.TrimSpace(text[at:end])
		switch {
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.Contains(line, "<pre") != strings.Contains(line, "</pre>"):
			if strings.Contains(line, "<pre") || strings.Contains(line, "</pre>") {
				list = append(list, Span{at, end})
			}
			fenced = !fenced
		case fenced && !isCommentLine(line):
			list = append(list, Span{at, end})
		}
		at = end + 1
	}
	return list
}

// isCommentLine reports whether a line of code holds nothing but a comment.
func isCommentLine(line string) bool {
	for _, mark := range [...]string{"//", "# ", "/*", "* ", "--", `"""`, ";"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// isCode reports whether a passage is code: it stands in a block that is marked as
// code, or is the whole of what a text puts between backticks.
func (t *Text) isCode(start, end int) bool {
	before, behind := strings.TrimRight(t.text[:start], "$ "), strings.TrimLeft(t.text[end:], ".,;: ")
	if strings.HasSuffix(before, "`") && strings.HasPrefix(behind, "`") || start < end && t.text[start] == '`' && t.text[end-1] == '`' {
		return true
	}
	spans := t.code()
	i, _ := slices.BinarySearchFunc(spans, start, func(s Span, at int) int { return cmp.Compare(s.End, at) })
	j, _ := slices.BinarySearchFunc(spans, end, func(s Span, at int) int { return cmp.Compare(s.End, at) })
	return i < len(spans) && spans[i].Start <= start && j < len(spans) && spans[j].Start < end
}
