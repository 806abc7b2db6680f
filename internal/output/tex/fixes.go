package tex

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// texCopy is the copy of a paper that is built and mended. A mend stays within
// its line, so that lines of the copy are lines of the source.
type texCopy struct {
	lines      []string
	bib        string
	fixCount   int
	fixedLines map[int]string // by index: "text" when set as text, "out" when taken out
}

func newTexCopy(text, bib string) *texCopy {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return &texCopy{lines: strings.Split(text, "\n"), bib: strings.ReplaceAll(bib, "\r\n", "\n"), fixedLines: map[int]string{}}
}

func (c *texCopy) text() string { return strings.Join(c.lines, "\n") }

// What a mend may say of itself.
const (
	setAsText = "the line is set as plain text"
	takenOut  = "the line is left out"
)

// dropInvalid takes out what no engine reads: bytes that are no text, and control
// characters.
func (c *texCopy) dropInvalid() []Problem {
	var list []Problem
	c.bib = withoutControls(c.bib)
	for i, line := range c.lines {
		if better := withoutControls(line); better != line {
			c.lines[i] = better
			list = append(list, Problem{Line: i + 1, Text: "bytes that are no text", Mended: "question marks stand for them"})
		}
	}
	return list
}

func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\ufeff' {
			return -1
		}
		if unicode.IsControl(r) && r != '\t' && r != '\n' {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

// fix makes a finding go away and says at which line, from 1, and how; how is
// "" when nothing can be done.
func (c *texCopy) fix(f finding) (line int, how string) {
	switch f.kind {
	case noFile:
		return c.removeMissingFile(f)
	case noFont:
		return c.removeMissingFont(f)
	case noCharacter:
		p := c.replaceCharacters(c.relatedCharacters([]rune(f.what)[0]), "this engine has not")
		return f.line, p.Mended
	}
	if line, how := c.fixStructure(f); how != "" {
		return line, how
	}
	i := c.culpritLine(f)
	if i < 0 {
		return f.line, ""
	}
	return i + 1, c.asText(i)
}

var (
	endedBy = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\begin\{([^}]*)\} (?:on input line \d+ )?ended by \\end\{([^}]*)\}`)
	})
	structural = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:%|$|\\(?:begin|end)\{[^}]*\}(?:\[[^\]]*\]|\{[^{}]*\})*\s*$|\\(?:documentclass|hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|maketitle|bibliography|tableofcontents)\b)`)
	})
	listBegin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\begin\{(?:itemize|enumerate|description)\}(?:\[[^\]]*\])?`)
	})
	rule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\\(?:hline|toprule|midrule|bottomrule|cline|cmidrule|noalign)`)
	})
)

// fixStructure mends what is wrong with environments and not with a line's words.
func (c *texCopy) fixStructure(f finding) (int, string) {
	i := f.line - 1
	switch m := endedBy().FindStringSubmatch(f.text); {
	case strings.Contains(f.text, "Emergency stop") && c.lineOf(`\end{document}`) == 0:
		last := len(c.lines) - 1
		c.lines[last] += `\end{document}`
		return last + 1, `\end{document} was put there`
	case i < 0 || i >= len(c.lines) || c.fixedLines[i] == "out":
		return 0, ""
	case m != nil && m[1] == "document":
		return i + 1, c.removeLine(i)
	case m != nil && strings.Trim(m[1], letterBytes) == "":
		c.lines[i] = `\end{` + m[1] + `}` + c.lines[i]
		return i + 1, `\end{` + m[1] + `} was put before it`
	case strings.Contains(f.text, "perhaps a missing \\item"):
		return c.addFirstItem(i)
	case strings.Contains(f.text, "Environment ") && strings.HasSuffix(f.text, " undefined."):
		return i + 1, c.asText(i)
	case strings.Contains(f.text, `Misplaced \noalign`) && rule().MatchString(c.lines[i]):
		return i + 1, c.removeLine(i)
	case strings.Contains(f.text, `Missing \begin{document}`):
		return i + 1, c.removeLine(i)
	}
	return 0, ""
}

// addFirstItem lets a list begin with an item; TeX notices the lack of one at the
// end of what stands there instead.
func (c *texCopy) addFirstItem(i int) (int, string) {
	for ; i >= 0; i-- {
		if at := listBegin().FindStringIndex(c.lines[i]); at != nil {
			if strings.HasPrefix(c.lines[i][at[1]:], `\item[]`) {
				return 0, ""
			}
			c.lines[i] = c.lines[i][:at[1]] + `\item[]` + c.lines[i][at[1]:]
			return i + 1, `\item was put behind it`
		}
	}
	return 0, ""
}

const letterBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ*"

// culpritLine finds the line that a finding is about, by index; -1 for none. TeX
// names the line where it noticed, which may be the end of what is wrong.
func (c *texCopy) culpritLine(f finding) int {
	from := f.line - 1
	if from < 0 || from >= len(c.lines) {
		from = len(c.lines) - 1
	}
	if i := c.runawayStart(f.from, from); i >= 0 {
		return i
	}
	if f.line > 0 && c.isFixable(from) {
		return from
	}
	if f.line == 0 {
		return -1
	}
	start := c.documentStart()
	for i := from; i > start; i-- {
		if c.isFixable(i) && depth(c.lines[i]) != 0 {
			return i
		}
	}
	for i := from; i > start; i-- {
		if c.isFixable(i) {
			return i
		}
	}
	if c.fixedLines[from] == "text" { // as text it is no better
		return from
	}
	return -1
}

// runawayStart finds the line where an argument began that never ended.
func (c *texCopy) runawayStart(beginning string, from int) int {
	beginning, _, _ = strings.Cut(beginning, `\par`)
	beginning = strings.TrimSpace(beginning)
	if cut := strings.IndexByte(beginning[min(len(beginning), 1):], '\\'); cut >= 0 { // TeX puts a space after a command
		beginning = beginning[:cut+1]
	}
	beginning = strings.TrimSpace(beginning)
	if len(beginning) < 2 {
		return -1
	}
	for i := from; i >= 0; i-- {
		if c.isFixable(i) && strings.Contains(c.lines[i], beginning) {
			return i
		}
	}
	return -1
}

// isFixable reports whether a line has words that are not yet mended.
func (c *texCopy) isFixable(i int) bool {
	return c.fixedLines[i] == "" && !structural().MatchString(c.lines[i])
}

// documentStart is the index of the line where the document begins.
func (c *texCopy) documentStart() int {
	return slices.IndexFunc(c.lines, func(l string) bool { return strings.Contains(l, `\begin{document}`) })
}

// depth is how many groups a line opens more than it closes.
func depth(line string) int {
	n := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '%':
			return n
		case '{':
			n++
		case '}':
			n--
		}
	}
	return n
}

var rowEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\\\(?:\[[^\]]*\])?\s*(?:\\hline)?\s*$`) })

// asText sets a line as the characters it is made of, keeping what makes it an
// item or a row. In the preamble, where no text may be, and at the second
// time, it is left out.
func (c *texCopy) asText(i int) string {
	if start := c.documentStart(); i <= start || c.fixedLines[i] != "" {
		if i == start {
			return ""
		}
		return c.removeLine(i)
	}
	c.fixedLines[i] = "text"
	before, after := "", ""
	text := strings.TrimSpace(c.lines[i])
	if rest, ok := strings.CutPrefix(text, `\item`); ok && !strings.HasPrefix(rest, "[") {
		before, text = `\item `, rest
	}
	if at := rowEnd().FindStringIndex(text); at != nil {
		text, after = text[:at[0]], ` \\`
	}
	c.lines[i] = before + escapeText(text) + after
	return setAsText
}

// removeLine leaves a line out; what ends a document never goes.
func (c *texCopy) removeLine(i int) string {
	if c.fixedLines[i] == "out" || strings.Contains(c.lines[i], `\begin{document}`) || strings.Contains(c.lines[i], `\documentclass`) {
		return ""
	}
	c.fixedLines[i] = "out"
	c.lines[i] = "%"
	return takenOut
}

// escapeText sets any text as itself.
func escapeText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '\\':
			b.WriteString(`\textbackslash{}`)
		case '{', '}', '#', '$', '%', '&', '_':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '~':
			b.WriteString(`\textasciitilde{}`)
		case '^':
			b.WriteString(`\textasciicircum{}`)
		case '\t':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// relatedCharacters are the characters of the copy that an engine will not know either when
// it does not know one: those of the same script, or of the same block of 256.
func (c *texCopy) relatedCharacters(r rune) []rune {
	same := func(o rune) bool { return o>>8 == r>>8 }
	for name, table := range unicode.Scripts {
		if name != "Common" && name != "Inherited" && name != "Latin" && unicode.Is(table, r) {
			same = func(o rune) bool { return unicode.Is(table, o) }
		}
	}
	var list []rune
	for _, o := range c.text() + c.bib {
		if o > unicode.MaxASCII && (o == r || o > unicode.MaxLatin1 && same(o)) && !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return list
}

// replaceCharacters puts a question mark for some characters, and nothing for those
// nobody would see.
func (c *texCopy) replaceCharacters(gone []rune, why string) Problem {
	without := func(r rune) rune {
		switch {
		case !slices.Contains(gone, r):
			return r
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			return -1
		}
		return '?'
	}
	p := Problem{Text: why + " " + listCharacters(gone), Mended: "question marks stand for them"}
	for i, line := range c.lines {
		if c.lines[i] = strings.Map(without, line); c.lines[i] != line && p.Line == 0 {
			p.Line = i + 1
		}
	}
	c.bib = strings.Map(without, c.bib)
	return p
}

// listCharacters names characters, not too many.
func listCharacters(runes []rune) string {
	const most = 8
	var names []string
	for _, r := range runes[:min(len(runes), most)] {
		names = append(names, fmt.Sprintf("%c (%U)", r, r))
	}
	text := strings.Join(names, ", ")
	if more := len(runes) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// lineOf is the number of the first line that holds one of some texts; 0 for none.
func (c *texCopy) lineOf(texts ...string) int {
	for i, line := range c.lines {
		if slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(line, t) }) {
			return i + 1
		}
	}
	return 0
}
