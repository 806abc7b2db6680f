package tex

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// packageStub are a few commands, in one line, for a package that is not there, so
// that what uses it still says what it says. A package not named here is
// simply left out; what its commands do then is mended where it matters.
func packageStub(pkg string) string {
	switch pkg {
	case "natbib":
		return `\makeatletter\newcommand\counciltex@cite[2][]{\cite{#2}}\newcommand\citep{\@ifstar\counciltex@citeb\counciltex@citeb}\def\counciltex@citeb{\@ifnextchar[\counciltex@citec\cite}\def\counciltex@citec[#1]{\@ifnextchar[{\counciltex@cited}{\cite[#1]}}\def\counciltex@cited[#1]{\cite[#1]}` +
			`\let\citet\citep\let\citealp\citep\let\citealt\citep\let\citeauthor\citep\let\citeyear\citep\let\citeyearpar\citep\newcommand\setcitestyle[1]{}\newcommand\bibpunct[7][]{}` +
			`\let\counciltex@style\bibliographystyle\renewcommand\bibliographystyle[1]{\counciltex@style{plain}}\makeatother`
	case "enumitem":
		return `\let\counciltexitemize\itemize\renewcommand\itemize[1][]{\counciltexitemize}\let\counciltexenumerate\enumerate\renewcommand\enumerate[1][]{\counciltexenumerate}` +
			`\let\counciltexdescription\description\renewcommand\description[1][]{\counciltexdescription}\newcommand\setlist[2][]{}`
	case "booktabs":
		return `\let\toprule\hline\let\midrule\hline\let\bottomrule\hline\def\cmidrule#1#{\cline}\def\addlinespace{\noalign{\smallskip}}`
	case "hyperref":
		return `\newcommand\href[3][]{#3}\newcommand\url[1]{\texttt{\detokenize{#1}}}\let\nolinkurl\url\newcommand\hypersetup[1]{}\newcommand\texorpdfstring[2]{#1}\newcommand\autoref[1]{\ref{#1}}\newcommand\hyperlink[2]{#2}\newcommand\hypertarget[2]{#2}\newcommand\phantomsection{}\newcommand\urlstyle[1]{}`
	case "url", "xurl":
		return `\providecommand\url[1]{\texttt{\detokenize{#1}}}\providecommand\urlstyle[1]{}`
	case "xcolor", "color":
		return `\providecommand\color[2][]{}\providecommand\textcolor[3][]{#3}\providecommand\definecolor[3]{}\providecommand\colorlet[2]{}\providecommand\colorbox[3][]{#3}`
	case "graphicx":
		return `\newcommand\includegraphics[2][]{[\detokenize{#2}]}`
	case "listings":
		return `\newcommand\lstset[1]{}` // and listings become verbatim
	case "fontspec":
		return `\makeatletter\def\counciltex@font{\@ifnextchar[\counciltex@fonta\counciltex@fontb}\def\counciltex@fonta[#1]#2{\@ifnextchar[\counciltex@fontc{}}\def\counciltex@fontb#1{\@ifnextchar[\counciltex@fontc{}}\def\counciltex@fontc[#1]{}\let\setmainfont\counciltex@font\let\setsansfont\counciltex@font\let\setmonofont\counciltex@font\newcommand\defaultfontfeatures[2][]{}\makeatother`
	}
	return ""
}

var (
	usePackage = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\(?:usepackage|RequirePackage)\s*(\[[^\]]*\])?\s*\{([^}]*)\}`)
	})
	useStyle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\bibliographystyle\s*\{[^}]*\}`) })
)

// removeMissingFile takes a missing file out of the line that asks for it.
func (c *texCopy) removeMissingFile(f finding) (int, string) {
	pkg, isPackage := strings.CutSuffix(f.what, ".sty")
	if !isPackage {
		if i := f.line - 1; i >= 0 && i < len(c.lines) && c.isFixable(i) {
			return f.line, c.asText(i)
		}
		return f.line, ""
	}
	for i, line := range c.lines {
		for _, m := range usePackage().FindAllStringSubmatchIndex(line, -1) {
			list := strings.Split(line[m[4]:m[5]], ",")
			at := slices.IndexFunc(list, func(p string) bool { return strings.TrimSpace(p) == pkg })
			if at < 0 {
				continue
			}
			now := packageStub(pkg)
			if rest := slices.Delete(list, at, at+1); len(rest) > 0 {
				now += `\usepackage{` + strings.Join(rest, ",") + `}`
			}
			c.lines[i] = line[:m[0]] + now + line[m[1]:]
			if pkg == "listings" {
				c.useVerbatim()
			}
			how := fmt.Sprintf("the package %s is left out", pkg)
			if packageStub(pkg) != "" {
				how += ", plain commands stand for its own"
			}
			return i + 1, how
		}
	}
	return f.line, ""
}

// useVerbatim sets listings as LaTeX itself can.
func (c *texCopy) useVerbatim() {
	begin := regexp.MustCompile(`\\begin\{lstlisting\}(?:\[[^\]]*\])?`)
	for i, line := range c.lines {
		c.lines[i] = strings.ReplaceAll(begin.ReplaceAllLiteralString(line, `\begin{verbatim}`), `\end{lstlisting}`, `\end{verbatim}`)
	}
}

// removeMissingFont takes out the line that asks for a font that is not there.
func (c *texCopy) removeMissingFont(f finding) (int, string) {
	bare := strings.ReplaceAll(f.what, " ", "")
	for i, line := range c.lines {
		if c.isFixable(i) && strings.Contains(line, "font") && strings.Contains(strings.ReplaceAll(line, " ", ""), bare) {
			return i + 1, c.removeLine(i)
		}
	}
	return f.line, ""
}

// useOutlineFonts asks for fonts that are there as outlines, where the paper's own
// would have to be drawn point by point.
func (c *texCopy) useOutlineFonts() (int, string) {
	i := c.documentStart()
	if i < 0 || strings.Contains(c.text(), "{lmodern}") {
		return 0, ""
	}
	c.lines[i] = strings.Replace(c.lines[i], `\begin{document}`, `\usepackage{lmodern}\begin{document}`, 1)
	return 0, "Latin Modern stands for the paper's own fonts"
}

// usePlainStyle asks bibtex for the style that is always there.
func (c *texCopy) usePlainStyle(name string) (int, string) {
	if name == "plain" {
		return 0, ""
	}
	for i, line := range c.lines {
		if useStyle().MatchString(line) {
			c.lines[i] = useStyle().ReplaceAllLiteralString(line, `\bibliographystyle{plain}`)
			return i + 1, "the style plain stands for " + name
		}
	}
	return 0, ""
}

var (
	item  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\bibitem\s*(?:\[(?s:.*?)\])?\s*%?\s*\{([^}]*)\}`) })
	field = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(author|title|year|url)\s*=\s*[{"]`)
	})
	safe = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^https?://[A-Za-z0-9./?=&+:;,_~-]+$`) })
)

// keyAt is the key of the reference that a line of a .bbl file belongs to.
func keyAt(bbl string, line int) string {
	lines := strings.Split(bbl, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	before := strings.Join(lines[:line], "\n")
	all := item().FindAllStringSubmatch(before, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// rewriteEntry writes an entry of the bibliography anew with nothing in it that
// TeX would read as more than text.
func (c *texCopy) rewriteEntry(key string) (int, string) {
	start, end := entry(c.bib, key)
	if key == "" || start < 0 {
		return 0, ""
	}
	line := 1 + strings.Count(c.bib[:start], "\n")
	values := map[string]string{"title": key}
	text := c.bib[start:end]
	for _, m := range field().FindAllStringSubmatchIndex(text, -1) {
		name, value := strings.ToLower(text[m[2]:m[3]]), fieldValue(text[m[1]-1:])
		values[name] = escapeText(strings.NewReplacer("{", "", "}", "").Replace(value))
		if name == "url" && safe().MatchString(value) {
			values["howpublished"] = value
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "@misc{%s, title = {{%s}}", key, values["title"])
	for _, name := range []string{"author", "year"} {
		if values[name] != "" {
			fmt.Fprintf(&b, ", %s = {{%s}}", name, values[name])
		}
	}
	if url := values["howpublished"]; url != "" {
		fmt.Fprintf(&b, `, howpublished = {\url{%s}}`, url)
	}
	now := b.String() + "}"
	if strings.TrimSpace(text) == now {
		return line, ""
	}
	c.bib = c.bib[:start] + now + strings.Repeat("\n", strings.Count(text, "\n")) + c.bib[end:]
	return line, "the entry " + key + " is set as plain text"
}

// fieldValue is the value of a field whose first character is the brace or the
// quotation mark before it.
func fieldValue(text string) string {
	open := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			open++
		case '}':
			open--
		}
		if i > 0 && i < len(text) && open == 0 && (text[i] == '}' || text[0] == '"' && text[i] == '"') {
			return strings.TrimSpace(text[1:i])
		}
	}
	return strings.TrimSpace(text[1:])
}

// entry finds where an entry of a bibliography lies; -1 when it is not there.
func entry(bib, key string) (start, end int) {
	at := regexp.MustCompile(`(?m)^\s*@\w+\s*\{\s*` + regexp.QuoteMeta(key) + `\s*,`).FindStringIndex(bib)
	if at == nil {
		return -1, -1
	}
	open := 0
	for i := at[0]; i < len(bib); i++ {
		switch bib[i] {
		case '\\':
			i++
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return at[0], i + 1
			}
		}
	}
	return at[0], len(bib)
}
