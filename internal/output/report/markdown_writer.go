package report

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/research-council/research-council/internal/base/commonmark"
	"github.com/research-council/research-council/internal/base/markdown"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/words"
)

// writer writes foreign Markdown anew from what was understood of it, so that
// nothing gets into the report that was not: every character of text that
// could mean something is escaped.
type writer struct {
	document
	refs  *references
	shift int // added to the levels of headings
}

// maxDepth is how many blocks may stand in one another; what is deeper stands
// there as if it were not.
const maxDepth = 10

// block writes a block as lines without their ends.
func (w writer) block(n ast.Node, depth int) []string {
	if imitates(w.document, n) != "" {
		return nil
	}
	switch n := n.(type) {
	case *ast.ThematicBreak:
		return nil // a line across the report is the program's
	case *ast.Heading:
		level := min(max(n.Level+w.shift, 3), 6)
		if title := oneLine(w.running(n)); title != "" {
			return []string{strings.Repeat("#", level) + " " + title}
		}
		return nil
	case *ast.Paragraph, *ast.TextBlock:
		return lines(w.running(n))
	case *ast.CodeBlock:
		return fenced(w.Lines(n), "")
	case *ast.FencedCodeBlock:
		if w.isChart(n) {
			return w.chart(w.Lines(n))
		}
		return fenced(w.Lines(n), string(n.Language(w.Source)))
	case *ast.HTMLBlock:
		return lines(w.inline([]piece{{kind: runOfText, text: plain.Text(string(commonmark.Unescape([]byte(dropComments(w.Lines(n))))))}}))
	case *ast.Blockquote:
		return prefixLines(w.blocks(n, depth+1), "> ", "> ", depth)
	case *ast.List:
		return w.list(n, depth)
	case *extast.Table:
		return w.table(n)
	}
	return w.blocks(n, depth+1)
}

// blocks writes the blocks in a block with an empty line between each two.
func (w writer) blocks(parent ast.Node, depth int) []string {
	var out []string
	for n := range commonmark.Children(parent) {
		out = spaced(out, w.block(n, depth))
	}
	return out
}

// spaced adds a block behind an empty line.
func spaced(out, block []string) []string {
	if len(out) > 0 && len(block) > 0 {
		out = append(out, "")
	}
	return append(out, block...)
}

func (w writer) list(l *ast.List, depth int) []string {
	var out []string
	number := min(max(l.Start, 0), 1_000_000)
	for item := range commonmark.Children(l) {
		marker := "- "
		if l.IsOrdered() {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		var body []string
		for n := range commonmark.Children(item) {
			block := w.block(n, depth+1)
			if l.IsTight && n.Kind() == ast.KindList {
				body = append(body, block...)
				continue
			}
			body = spaced(body, block)
		}
		if len(body) == 0 {
			continue
		}
		if !l.IsTight && len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, prefixLines(body, marker, strings.Repeat(" ", len(marker)), depth)...)
	}
	return out
}

// prefixLines puts something before the first line and the others.
func prefixLines(body []string, first, others string, depth int) []string {
	if depth >= maxDepth {
		return body
	}
	out := make([]string, len(body))
	for i, line := range body {
		p := others
		if i == 0 {
			p = first
		}
		out[i] = strings.TrimRight(p+line, " ")
	}
	return out
}

func (w writer) table(t *extast.Table) []string {
	var out []string
	for i, cells := range commonmark.Rows(t, func(cell ast.Node) string { return oneLine(w.running(cell)) }) {
		out = append(out, "| "+strings.Join(cells, " | ")+" |")
		if i == 0 {
			out = append(out, "|"+strings.Repeat(" --- |", len(cells)))
		}
	}
	return out
}

var language = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9+#._-]{1,30}$`) })

// fenced writes code between fences that it cannot close.
func fenced(body, lang string) []string {
	if !language().MatchString(lang) {
		lang = ""
	}
	fence := markdown.Fence(body)
	out := []string{fence + lang}
	if body = strings.TrimRight(body, "\n"); body != "" {
		out = append(out, strings.Split(body, "\n")...)
	}
	return append(out, fence)
}

var comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?-->`) })

// dropComments drops comments; one that does not end stays, as text.
func dropComments(html string) string { return strings.TrimSpace(comment().ReplaceAllString(html, "")) }

func (w writer) running(n ast.Node) string { return w.inline(citations(w.pieces(n))) }

// inline writes running text. A newline in it is a soft break.
func (w writer) inline(pieces []piece) string {
	var out []string
	var opened []int // where the marks of emphasis stand in out
	for _, p := range pieces {
		switch p.kind {
		case runOfText:
			out = append(out, w.citedText(p.text))
		case code, address:
			out = append(out, span(p.text))
		case html:
			out = append(out, escape(dropComments(p.text)))
		case hardBreak:
			out = append(out, "\\\n")
		case emphasisStart:
			opened = append(opened, len(out))
			out = append(out, p.text)
		case emphasisEnd:
			from := opened[len(opened)-1]
			opened = opened[:len(opened)-1]
			if canEmphasise(out[from+1:]) {
				out = append(out, p.text)
			} else {
				out[from] = ""
			}
		}
	}
	return strings.Join(out, "")
}

// canEmphasise reports whether there is anything to emphasise, without a blank at
// its ends: beside one a mark would be text.
func canEmphasise(inner []string) bool {
	for len(inner) > 0 && inner[0] == "" {
		inner = inner[1:]
	}
	for len(inner) > 0 && inner[len(inner)-1] == "" {
		inner = inner[:len(inner)-1]
	}
	if len(inner) == 0 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(inner[0])
	last, _ := utf8.DecodeLastRuneInString(inner[len(inner)-1])
	return !unicode.IsSpace(first) && !unicode.IsSpace(last)
}

// citedText writes text with its citations as references. Unknown ids and
// references typed by hand are left out, addresses typed by hand stand as code:
// they lead nowhere.
func (w writer) citedText(s string) string {
	var b strings.Builder
	done := 0
	for _, m := range joinCitations(s, findMarks(s)) {
		before, with := s[done:m.start], ""
		done = m.end
		switch {
		case m.cited != "":
			with = w.refs.cite(m.cited)
		case m.url != "":
			with = span(m.url)
		case strings.ContainsAny(m.typed, ",;–-"):
			with = "(" + strings.Trim(m.typed, "[]") + ")" // may be an interval
			w.refs.typed++
		default:
			w.refs.typed++
		}
		if with == "" {
			before = strings.TrimRight(before, " ")
		}
		b.WriteString(escape(before))
		b.WriteString(with)
	}
	b.WriteString(escape(s[done:]))
	return b.String()
}

// lines gives the lines of running text. None begins like another block.
func lines(s string) []string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.TrimSpace(line); line != "" && line != "\\" {
			out = append(out, lineStart(line))
		}
	}
	if n := len(out); n > 0 {
		out[n-1] = strings.TrimRight(trimLineBreak(out[n-1]), " ")
	}
	return out
}

// trimLineBreak drops a line break that no line follows.
func trimLineBreak(s string) string {
	slashes := len(s) - len(strings.TrimRight(s, `\`))
	if slashes%2 == 1 {
		return s[:len(s)-1]
	}
	return s
}

// oneLine makes one line of running text.
func oneLine(s string) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.TrimSpace(trimLineBreak(strings.TrimSpace(line))); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, " ")
}

var blockStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(#{1,6})(?:\s|$)|([-+=>])|([0-9]{1,9})([.)])(?:\s|$))`)
})

// lineStart escapes what would begin a heading, list, quotation or underline.
func lineStart(line string) string {
	m := blockStart().FindStringSubmatchIndex(line)
	switch {
	case m == nil:
		return line
	case m[8] >= 0:
		return line[:m[8]] + `\` + line[m[8]:]
	}
	return `\` + line
}

// escape makes text of what could be Markdown or HTML; it may run over lines,
// whose beginnings are left to [lines].
func escape(s string) string { return markdown.Escape(s, false) }

// span writes a code span that its text cannot close, also in a table.
func span(s string) string {
	return markdown.Span(strings.NewReplacer("\n", " ", "|", "¦").Replace(s))
}

// escapeForeign writes words of foreign origin in a line of ours, at most limit
// runes.
func escapeForeign(s string, limit int) string {
	return escape(plain.Line(s, limit))
}

// shortened writes foreign words in a line of ours, at most limit runes, cut between
// words: what is left of a quotation still stands in its source.
func shortened(s string, limit int) string {
	short := plain.Line(s, limit)
	if cut, was := strings.CutSuffix(short, "…"); was && short != plain.Line(s, len(s)) {
		if at := strings.LastIndexByte(cut, ' '); at > 0 {
			short = cut[:at] + " …"
		}
	}
	return escape(short)
}

// whole writes foreign words in a line of ours, at most limit runes: as many of their
// sentences as there is room for, and of a first that is too long its first clauses.
func whole(s string, limit int) string {
	line := plain.Line(s, 4*limit)
	if utf8.RuneCountInString(line) <= limit {
		return escape(line)
	}
	short, end := strings.TrimSuffix(plain.Line(s, limit), "…"), 0
	for _, one := range words.Sentences(line) {
		if one.End > len(short) {
			break
		}
		end = one.End
	}
	if end > 0 {
		return escape(strings.TrimSpace(line[:end]))
	}
	for _, clause := range []string{"; ", ": ", ", "} {
		if at := strings.LastIndex(short, clause); at > len(short)/3 {
			return escape(withoutOpenBracket(short[:at])) + " …"
		}
	}
	return shortened(s, limit)
}

// withoutOpenBracket cuts a text before a bracket that it opens and does not close.
func withoutOpenBracket(s string) string {
	if at := strings.LastIndex(s, " ("); at > 0 && !strings.Contains(s[at:], ")") {
		return s[:at]
	}
	return s
}

// foreignCode writes a foreign name or path as code.
func foreignCode(s string) string { return span(plain.Line(s, 400)) }
