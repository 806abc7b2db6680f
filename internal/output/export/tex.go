package export

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/provenance"
)

// preamble begins an article. Any of pdfLaTeX, XeLaTeX and LuaLaTeX sets it,
// without another program and without \write18. pdfLaTeX has no letters beyond
// Latin: what it lacks it shows as a question mark, and says so here.
const preamble = `\documentclass[11pt,a4paper]{article}
% The references stand at the end; their keys are those of the BibTeX export.
% For scripts beyond Latin use xelatex or lualatex and \setmainfont with a font
% that has them: pdflatex sets "?" for what it lacks.
\usepackage{iftex}
\ifPDFTeX
  \usepackage[utf8]{inputenc}
  \usepackage[T1]{fontenc}
  \usepackage{textcomp}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \makeatletter
  \def\UTFviii@undefined@err#1{?}
  \makeatother
\else
  \usepackage{fontspec}
\fi
\usepackage{array}
\usepackage{longtable}
\usepackage[hidelinks]{hyperref}
\setlength{\emergencystretch}{3em}
\sloppy
`

// colophon ends a document whose class and packages may be anybody's with the
// imprint: a comment does not go along into what is set of it.
func colophon(run string) string {
	return "\n\\par\\medskip{\\footnotesize\\ttfamily\\mbox{" + provenance.Line(run) + "}}\n"
}

// tex writes an article with its references.
func (e *parsedPublication) tex() []byte {
	w := &texWriter{texStyle: article()}
	w.WriteString(preamble)
	w.printf("\\title{%s}\n\\author{%s}\n\\date{%s}\n\\begin{document}\n\\maketitle\n", breakable(e.title), breakable(line(e.Maker)), breakable(date(e.Written)))
	w.blocks(e.body[:e.listed])
	w.references(e.references)
	w.blocks(e.body[e.listed:])
	w.printf("%s\n\\end{document}\n", colophon(e.ID))
	return []byte(w.String())
}

// texWriter writes blocks as LaTeX.
type texWriter struct {
	strings.Builder
	texStyle
	depth int // environments of lists around what is written
}

// texStyle is in what papers differ.
type texStyle struct {
	text    func(string) string // sets foreign text
	cite    func(citation) string
	heading func(block) string
}

// article is the voice of an article that cites by thebibliography.
func article() texStyle {
	v := texStyle{text: breakable, cite: texCite}
	v.heading = func(b block) string {
		command := []string{"section", "subsection", "subsubsection", "paragraph", "subparagraph"}[min(max(b.Level-2, 0), 4)]
		return `\` + command + "*{" + v.inlines(b.Text, 0) + "}"
	}
	return v
}

// maxNestedLists is how many of them are used; LaTeX ends at six, and at four of
// one sort. What is deeper stands as if it were not.
const maxNestedLists = 3

// environment writes something in an environment.
func (w *texWriter) environment(environment string, write func()) {
	if w.depth >= maxNestedLists {
		write()
		return
	}
	w.depth++
	w.printf("\n\\begin{%s}\n", environment)
	write()
	w.printf("\n\\end{%s}\n", environment)
	w.depth--
}

func (w *texWriter) printf(format string, args ...any) {
	if len(args) == 0 {
		w.WriteString(format)
		return
	}
	fmt.Fprintf(w, format, args...)
}

// references writes the list of sources, each with its quotations.
func (w *texWriter) references(list []*reference) {
	if len(list) == 0 {
		return
	}
	w.printf("\n\\begin{thebibliography}{%d}\n", len(list))
	for _, r := range list {
		w.printf("\n\\bibitem{%s} %s", r.Key, breakable(r.Name))
		if authors := strings.Join(r.Source.Authors, ", "); authors != "" {
			w.printf(", %s", breakable(authors))
		}
		if y := r.Source.year(); y != "" {
			w.printf(", %s", y)
		}
		w.printf(".")
		if url := r.address(); url != "" {
			w.printf(" \\url{%s}.", url)
		}
		if note := r.notes(); note != "" {
			w.printf(" %s.", breakable(note))
		}
		w.printf("\n")
		for _, c := range r.Claims {
			w.printf("\\par %s\n", evidenceOf(c))
		}
	}
	w.printf("\\end{thebibliography}\n")
}

// omissions writes what stands in the gaps of a claim's quotation, each set by a
// function; "" for none.
func omissions(c claim.Entry, set func(string) string) string {
	var gaps []string
	for _, gap := range c.Location.LeftOut {
		gaps = append(gaps, "“"+set(gap)+"”")
	}
	if len(gaps) == 0 {
		return ""
	}
	return " (left out: " + strings.Join(gaps, "; ") + ")"
}

// evidenceOf writes a claim's quotation and what came of looking for it.
func evidenceOf(c claim.Entry) string {
	out := c.ID + ": "
	if c.Quote == "" {
		out += breakable(c.Text) + " (no quotation)"
	} else {
		out += "“" + breakable(c.Quote) + "”" + omissions(c, breakable)
	}
	out += " --- " + stateOf(c)
	l := c.Location
	if l.State == claim.Located {
		out += fmt.Sprintf(" at line %s", claim.Lines(l.First, l.Last))
	}
	if l.Snapshot != "" {
		out += ", snapshot " + breakable(l.Snapshot)
	}
	return out + "."
}

// maxWord is how many letters stand together at most: a longer word, such
// as a hash or an address, may go on in the next line.
const maxWord = 24

// breakable writes text in which long words can be broken.
func breakable(s string) string {
	var b strings.Builder
	run := 0
	start := 0
	for i, r := range s {
		if run++; unicode.IsSpace(r) {
			run = 0
		}
		if run > maxWord {
			b.WriteString(escapeLigatures(s[start:i]) + `\allowbreak{}`)
			start, run = i, 1
		}
	}
	b.WriteString(escapeLigatures(s[start:]))
	return b.String()
}

// escapeLigatures escapes text to be set, where two signs must not become another.
// LuaTeX takes the sign for what could not be read for something that cannot
// be read.
func escapeLigatures(s string) string {
	s = latex(strings.ReplaceAll(s, "\ufffd", "?"))
	for _, pair := range []string{"--", "''", ",,"} {
		for strings.Contains(s, pair) {
			s = strings.ReplaceAll(s, pair, pair[:1]+"{}"+pair[1:])
		}
	}
	return strings.ReplaceAll(s, `"`, `\textquotedbl{}`)
}

// maxMarkDepth is how many marks may stand in one another; TeX ends at 255
// groups.
const maxMarkDepth = 8

// inlines writes running text that stands within so many marks.
func (v texStyle) inlines(text []inline, depth int) string {
	var b strings.Builder
	for _, i := range text {
		b.WriteString(v.inline(i, depth))
	}
	return b.String()
}

func (v texStyle) inline(i inline, depth int) string {
	switch i.Kind {
	case "text":
		return v.text(i.Text)
	case "code":
		return `\texttt{` + v.text(i.Text) + `}`
	case "break":
		return `\leavevmode\newline{}`
	case "em", "strong":
		mark := map[string]string{"em": `\emph{`, "strong": `\textbf{`}[i.Kind]
		inner := v.inlines(i.Inner, depth+1)
		if depth >= maxMarkDepth {
			return inner
		}
		return mark + inner + `}`
	case "link":
		return v.inlines(i.Inner, depth) + " (" + v.text(i.URL) + ")"
	case "cite":
		var b strings.Builder
		for _, c := range i.Cited {
			b.WriteString(v.cite(c))
		}
		return b.String()
	}
	return ""
}

// texCite cites a source, with the ids of the claims.
func texCite(c citation) string {
	if c.Reference == nil {
		return "[" + breakable(conclusionNames(c.Claims)) + "]"
	}
	var ids []string
	for _, claim := range c.Claims {
		ids = append(ids, claim.ID)
	}
	return `\cite[` + strings.Join(ids, ", ") + `]{` + c.Reference.Key + `}`
}

// conclusionNames names conclusions where they are cited, each with what it is and what
// there is to be said against it.
func conclusionNames(list []placedClaim) string {
	var names []string
	for _, c := range list {
		name := string(c.Kind) + " " + c.ID
		switch {
		case c.IsWithdrawn():
			name += ", which was withdrawn"
		case c.Location.State == claim.Unfounded:
			name += ", which rests on nothing that holds"
		case c.Verdict() == claim.Contradicts:
			name += ", which does not follow, as judges have voted"
		case c.Location.Reason != "":
			name += ", which rests in part on what does not hold: " + plain.Line(c.Location.Reason, maxTitle)
		}
		names = append(names, name)
	}
	return strings.Join(names, "; ")
}

func (w *texWriter) blocks(list []block) {
	for _, b := range list {
		w.block(b)
	}
}

func (w *texWriter) block(b block) {
	switch b.Kind {
	case "heading":
		w.printf("\n%s\n", w.heading(b))
	case "text":
		w.printf("\n%s\n", w.inlines(b.Text, 0))
	case "quote":
		w.environment("quote", func() { w.blocks(b.Inner) })
	case "code":
		w.code(b.Code)
	case "rule":
		w.printf("\n\\medskip\\hrule\\medskip\n")
	case "list":
		w.list(b)
	case "table":
		w.table(b.Rows)
	}
}

// code writes lines as they are. The environment for that could not hold its
// own end, so they are written as text.
func (w *texWriter) code(code string) {
	w.environment("quote", func() {
		w.printf("{\\ttfamily\\raggedright\n")
		for l := range strings.SplitSeq(code, "\n") {
			indent := len(l) - len(strings.TrimLeft(l, " \t"))
			w.printf("\\mbox{}%s%s\\par\n", strings.Repeat("~", min(indent, 40)), w.text(l))
		}
		w.printf("}\n")
	})
}

func (w *texWriter) list(b block) {
	kind, mark := "itemize", `\item{}`
	if b.Ordered {
		kind = "enumerate"
	}
	if w.depth >= maxNestedLists {
		mark = `\par\textbullet{} `
	}
	w.environment(kind, func() {
		for _, item := range b.Items {
			w.printf("\n%s", mark)
			w.blocks(item)
		}
	})
}

// maxColumns is how many columns a table has at most; what stands in further
// ones goes into the last.
const maxColumns = 12

// table writes rows of cells of equal width. Rows shorter than the head are
// filled up, longer ones have been cut by the reader. A row begins with braces:
// a bracket after the end of a row would be taken for a length.
func (w *texWriter) table(rows [][][]inline) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return
	}
	n := min(len(rows[0]), maxColumns)
	w.printf("\n{\\footnotesize\\setlength{\\tabcolsep}{3pt}\\begin{longtable}{@{}*{%d}{>{\\raggedright\\arraybackslash}p{\\dimexpr\\linewidth/%d-6pt}}@{}}\n\\hline\n", n, n)
	for i, row := range rows {
		cells := make([]string, n)
		for j, cell := range row {
			if j >= n {
				cells[n-1] += " / "
			}
			cells[min(j, n-1)] += w.inlines(cell, 0)
		}
		w.printf("{}%s \\tabularnewline\n", strings.Join(cells, " & "))
		if i == 0 {
			w.printf("\\hline\\endhead\n")
		}
	}
	w.printf("\\hline\n\\end{longtable}}\n")
}
