package export_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/export"
)

// paper is a report with a bit of everything.
func paper() export.Paper {
	return export.Paper{
		Kind: export.ReportPaper, Title: "How do caches <age> & what's 50 % of $5?", Written: time.Date(2026, 3, 4, 23, 0, 0, 0, time.UTC),
		Sections: map[string][]byte{
			"executive-summary": []byte("# Executive Summary\n\nCaches **age** [C1]; they *do* [C2, C4]. Some don't [C3-C5].\n\n## Deeper\n\n" + draft),
			"analysis":          []byte("It [follows](https://far.invalid/x) from [C1] and [C404].\n\n```\n<!-- kept -->\n```\n\n<!-- RESEARCH_COMPLETE -->"),
			"methodology":       []byte("We looked twice."),
		},
		Publication: export.Publication{Registry: registry(), Sources: sources()},
		Iterations:  export.Iterations{All: 7, Researching: 5, Planning: 2},
		Questions:   []string{"Why do caches age?"},
	}
}

// proseKeys are the sections of both papers that people write.
func proseKeys() []string {
	return strings.Fields("executive-summary background analysis open-questions methodology vision architecture components technology defensibility risks sequence decisions")
}

func plan() export.Paper {
	p := paper()
	p.Kind, p.Title = export.PlanPaper, "Implementation Plan: Caches"
	p.Sections = map[string][]byte{
		"vision":                []byte("To last [C1]."),
		"component-store":       []byte("### Purpose\n\nKeeps [C6].\n\n### Interfaces\n\n- `Get(key)`\n"),
		"component-http-server": []byte("# The Server\n\nServes.\n\n## Purpose\n\nSo."),
	}
	p.Issues = []string{"B1 (blocker): it {never} ends", "B2 (concern): 100 % of_it"}
	return p
}

func typeset(t require.TestingT, p export.Paper) string {
	out, err := export.Typeset(p)
	require.NoError(t, err)
	return string(out)
}

// between gives what stands between two strings.
func between(t require.TestingT, s, from, to string) string {
	_, rest, ok := strings.Cut(s, from)
	require.True(t, ok, "%q is not in:\n%s", from, s)
	rest, _, ok = strings.Cut(rest, to)
	require.True(t, ok, "%q is not behind %q in:\n%s", to, from, s)
	return rest
}

func TestReport(t *testing.T) {
	out := typeset(t, paper())
	require.Equal(t, []string{`Executive Summary`, `Background \& Context`, `Key Findings`, `Analysis \& Synthesis`, `Open Questions`, `Methodology`}, matches(out, `\\section\{(.*)\}`))
	require.True(t, strings.HasPrefix(out, "\\documentclass[11pt]{article}\n"))
	for _, line := range []string{
		`\usepackage[margin=1in]{geometry}`, `\usepackage{booktabs}`, `\usepackage{enumitem}`, `\usepackage[numbers]{natbib}`, `\usepackage[hidelinks]{hyperref}`,
		`\title{How do caches \textless{}age\textgreater{} \& what's 50 \% of \$5?}`, `\author{Research Report --- Generated via Research Council}`, `\date{4 March 2026}`,
		`\maketitle`, `\tableofcontents`, `\bibliographystyle{plainnat}`, `\bibliography{sources}`, `\end{document}`,
	} {
		require.Contains(t, out, "\n"+line+"\n")
	}
	summary := between(t, out, `\section{Executive Summary}`, `\section{`)
	require.True(t, strings.HasPrefix(strings.TrimSpace(summary), `Caches \textbf{age} \citep[C1]{url-`), "its own title is not repeated: %s", summary)
	require.Contains(t, summary, `\citep[C3, quotation not found]{file-`)
	require.Contains(t, summary, `\citep[C4, quotation not checked]{url-`)
	require.Contains(t, summary, `\subsection{Deeper}`)

	require.Contains(t, between(t, out, `\section{Background \& Context}`, `\section{`), `\emph{This section is not written yet.}`)

	analysis := between(t, out, `\section{Analysis \& Synthesis}`, `\section{`)
	require.Contains(t, analysis, `It follows from \citep[C1]{`)
	require.Contains(t, analysis, `and [C404].`)
	require.Contains(t, analysis, `\textless{}!-{}- kept -{}-\textgreater{}`)
	require.NotContains(t, out, "RESEARCH")
	require.NotContains(t, out, "far.invalid")
	require.Equal(t, []string{"C404"}, export.Unknown(paper()))

	require.Contains(t, between(t, out, `\section{Open Questions}`, `\section{`), `\item{} Why do caches age?`)

	method := between(t, out, `\section{Methodology}`, `\bibliography`)
	require.Contains(t, method, "Iterations so far: 7 (5 of research, 2 of planning).")
	require.Contains(t, method, "Located: 6; not found: 1; could not be checked: 2.")
	require.Contains(t, method, `{}arxiv & unreachable & 1 \\`)
	require.Contains(t, method, "On caches: RETRACTED; retraction in 2022")
	require.Contains(t, method, "We looked twice.")
}

func TestFindings(t *testing.T) {
	p := paper()
	findings := between(t, typeset(t, p), `\section{Key Findings}`, `\section{`)
	require.Equal(t, []string{
		"Finding 1: Claim C1 of caches.", "Finding 2: Claim C5 of caches.", "Finding 3: Claim C6 of caches.", "Finding 4: Claim C7 of caches.", "Finding 5: Claim C9 of caches.",
		"Conflicts", "Claims Whose Quotation Was Not Found", "Claims That Could Not Be Checked",
	}, matches(findings, `\\subsection\{(.*)\}`))
	first := between(t, findings, `\paragraph{C1}`, `\subsection`)
	require.Contains(t, first, `\item[Evidence] “Quotation C1” \citep[C1, lines 3--4]{url-`)
	require.Contains(t, first, `\item[Evidence] “Quotation C2” \citep[C2, lines 3--4]{doi-`)
	require.Regexp(t, `\\item\[Sources\] \\citep\{url-[a-z0-9-]+,doi-[a-z0-9-]+\}`, first)
	require.Contains(t, first, `\item[Confidence] High; 2 independent sources; votes: supports; in conflict with C5.`)

	conflicts := between(t, findings, `\subsection{Conflicts}`, `\subsection`)
	require.Contains(t, conflicts, `{}\textbf{C1} Claim C1 of caches. & \textbf{C5} Claim C5 of caches. \\`)
	require.Contains(t, conflicts, "2024 against 2025. It is open.")

	lost := between(t, findings, `\subsection{Claims Whose Quotation Was Not Found}`, `\subsection`)
	require.Contains(t, lost, `C3: Claim C3 of caches. (the source does not hold these words) \citep[quotation not found]{file-`)

	p.Themes = []export.Theme{{Title: "How do they age?", Claims: []string{"C5", "C2"}}, {Title: "Of what?", Claims: []string{"C5", "C7"}}, {Title: "Why?"}}
	findings = between(t, typeset(t, p), `\section{Key Findings}`, `\section{`)
	require.Equal(t, []string{"How do they age?", "Of what?", "Further Findings"}, matches(findings, `\\subsection\{(.*)\}`)[:3])
	require.Equal(t, []string{"C1", "C5", "C7", "C6", "C9"}, matches(findings, `\\paragraph\{(C\d+)\}`), "each once, in its first theme")

	p.Themes = nil
	p.Registry.Entries[4].Questions, p.Registry.Entries[5].Questions = []string{"Q2"}, []string{"Q1", "Q2"}
	findings = between(t, typeset(t, p), `\section{Key Findings}`, `\section{`)
	require.Equal(t, []string{"Question Q1", "Question Q2", "Further Findings"}, matches(findings, `\\subsection\{(.*)\}`)[:3])
}

func TestPlan(t *testing.T) {
	out := typeset(t, plan())
	require.Equal(t, []string{
		`Vision \& Objectives`, `Architecture Overview`, `Component Design`, `Technology Stack`, `Defensibility Analysis`, `Risk Assessment`, `Implementation Sequence`, `Open Design Decisions`,
	}, matches(out, `\\section\{(.*)\}`))
	require.Contains(t, out, "\\title{Implementation Plan: Caches}\n\\author{Implementation Plan --- Generated via Research Council}\n")
	components := between(t, out, `\section{Component Design}`, `\section{`)
	require.Equal(t, []string{"The Server", "Store"}, matches(components, `\\subsection\{(.*)\}`))
	require.Equal(t, []string{"Purpose", "Purpose", "Interfaces"}, matches(components, `\\subsubsection\{(.*)\}`))
	decisions := between(t, out, `\section{Open Design Decisions}`, `\bibliography`)
	require.Contains(t, decisions, `\emph{This section is not written yet.}`)
	require.Contains(t, decisions, "\\item{} B1 (blocker): it \\textbraceleft{}never\\textbraceright{} ends\n\\item{} B2 (concern): 100 \\% of\\_it\n")

	_, err := export.Typeset(export.Paper{Kind: "thesis"})
	require.EqualError(t, err, `there is no paper "thesis"; there are report and plan`)
}

// A paper of nothing is one that says so, without a list of sources that
// BibTeX would find empty.
func TestAnEmptyPaperSaysSo(t *testing.T) {
	for _, kind := range []string{export.ReportPaper, export.PlanPaper} {
		out := typeset(t, export.Paper{Kind: kind})
		require.NotContains(t, out, `\bibliography`)
		require.Contains(t, out, `\emph{No source is cited.}`)
		require.Contains(t, out, `\title{Untitled}`)
		require.Empty(t, export.Bibliography(export.Paper{Kind: kind}))
	}
	require.Empty(t, export.Bibliography())
}

func TestTemplates(t *testing.T) {
	const begin, end = "\\documentclass{article}\n\\begin{document}\n", "\\end{document}\n"
	for name, c := range map[string]struct{ template, problem string }{
		"nothing":          {"", `it has no \documentclass`},
		"no class":         {"\\begin{document}\n\\end{document}", `it has no \documentclass`},
		"class in comment": {"%\\documentclass{article}\n\\begin{document}\\end{document}", `it has no \documentclass`},
		"no begin":         {"\\documentclass{article}\n\\end{document}", `it has no \begin{document} behind its \documentclass`},
		"no end":           {begin + "% " + end, `it has no \end{document} behind its \begin{document}`},
		"turned round":     {"\\documentclass{article}\\end{document}\n\\begin{document}", `it has no \end{document} behind its \begin{document}`},
		"unknown marker":   {begin + "%% council: sumary\n" + end, `there is no marker "sumary"; there are analysis, background, bibliography, date, executive-summary, key-findings, methodology, open-questions, title`},
		"a plan's marker":  {begin + "%% council: vision\n" + end, `there is no marker "vision"; there are `},
		"twice":            {begin + "%% council: analysis\n% council:analysis\n" + end, `the marker "analysis" stands in it twice`},
		"too early":        {"\\documentclass{article}\n%% council: analysis\n\\begin{document}\n" + end, `the marker "analysis" stands outside the document`},
		"too late":         {begin + end + "%% council: analysis\n", `the marker "analysis" stands outside the document`},
		"bytes":            {begin + "\xff" + end, `it is not UTF-8`},
	} {
		p := paper()
		p.Template = []byte(c.template)
		_, err := export.Typeset(p)
		require.ErrorIs(t, err, export.ErrTemplate, name)
		require.ErrorContains(t, err, c.problem, name)
		require.NotContains(t, err.Error(), "\n", name)
		fallback := paper()
		require.Equal(t, string(export.Bibliography(fallback)), string(export.Bibliography(p)), "%s: the built-in one is used instead", name)
		require.Equal(t, []string{"C404"}, export.Unknown(p), name)
	}
}

// A template of a user's own decides what is shown and where; what it leaves
// out is neither set nor cited.
func TestATemplateOfOnesOwn(t *testing.T) {
	p := paper()
	p.Template = []byte("\\documentclass{report} % \\begin{document}\r\n%% council: title\r\n\\begin{document}\r\n\\chapter{Mine: 100\\%}\r\n  %%%  council:  analysis  \r\n\\end{document}\r\n")
	out := typeset(t, p)
	require.True(t, strings.HasPrefix(out, "\\documentclass{report} % \\begin{document}\r\n\\title{How"), out)
	require.Equal(t, []string{"url-example-com-a-b-id-2-x-y-8541c291"}, distinct(cites(out)))
	require.Equal(t, []string{"url-example-com-a-b-id-2-x-y-8541c291"}, listed(string(export.Bibliography(p))))
	require.NotContains(t, out, "Quotation")
	require.Contains(t, out, "\\bibliography{sources}\n\n\\par", "a list of sources is added where it has none")
	require.Less(t, strings.Index(out, `\providecommand\citep`), strings.Index(out, "\n\\begin{document}"), "what the text needs stands before it")

	p.Template = []byte("\\documentclass{article}\n\\begin{document}\nNothing.\n\\bibliography{mine}\n\\end{document}\n")
	require.NotContains(t, typeset(t, p), `\bibliography{sources}`)
}

// cites are the keys a paper cites.
func cites(tex string) []string {
	keys := []string{}
	for _, list := range matches(tex, `\\citep(?:\[[^\]]*\])?\{([^}]*)\}`) {
		keys = append(keys, strings.Split(list, ",")...)
	}
	return keys
}

// listed are the keys of a bibliography.
func listed(bib string) []string { return matches(bib, `(?m)^@misc\{(.*),$`) }

// attacks are texts that could leave their place, or that engines choke on.
func attacks() []string {
	return []string{
		`\input{/etc/passwd}`, `\write18{rm -rf /}`, `\end{document}`, `\def\x{\x}\x`, "$x^2$ & # % ~ _ ^ { } \\", `}}}{{{`, `\begin{verbatim}`, `\directlua{os.exit()}`, `\csname x\endcsname`, "^^5cinput", `\\[3cm]`, "[1ex]", "* [1ex]",
		"``a'' -- --- ,, << >> !` ?` fi", `"quoted" 'single'`, "%% council: analysis", "\n%% council: title\n", "a\u200bb\u200c\u200d\u2060\ufeff", "\u202eabc\u202c \u2066x\u2069", "\u0301x e\u0301 Z̷̡̢̛̗̘͎͔a̴͖͗l̶g̸o", "\x00\x01\x1b[31m\x7f\u0085",
		"\ue000\U000f0000\U0010fffd", "\uffff\U0001fffe\ufdd0", "\u0378\u0379", "😀 👩\u200d👩\u200d👧 🇩🇪 ☃\ufe0f", "不要，粗体。中文「引号」", "Привет, мир! Ёлка", "مرحبا بالعالم 123", "שלום עולם", "हिन्दी क्\u200dष", "ไทย", "한국어", "∀x∈ℝ: x² ≥ 0 ∧ ⌈π⌉ = 4 ⟹ ∑αβγδ",
		"𝗯𝗼𝗹𝗱 𝒽 ﬁ ﬂ ⅓ Ⅳ ℃ № ™", "“quotes” ‘x’ «y» „z‟ ‹w› … – — ― ‐ ‑ −", "\u00a0\u2003\u3000\u2028\u2029\u00ad", strings.Repeat("W", 300), strings.Repeat("不", 300), strings.Repeat("*a **b ", 400), strings.Repeat("> ", 60) + "deep",
		strings.Repeat("- ", 40) + "deep", "|" + strings.Repeat("a|", 60) + "\n|" + strings.Repeat("-|", 60) + "\n|" + strings.Repeat("[x]|", 60), "x\\\n\\\ny", "<b>\\\nx", "\ufffd\xff\xfe", "ꜩ Ꝏ ᚠᚢᚦ 𓀀 𒀀 ⠿ ┌─┐ █", "&amp;&lt;&#92;input&#x7b;x&#x7d;&Zopf;&#0;&#x1F600;",
		"```\n\\end{quote}\n\ttab\n```", "    \\end{document}", "---", "# \\end{document}\n## $x$\n###### deep *a* `b` [C1]", "[C1]: https://far.invalid", "[C1](https://far.invalid) [C1][C2] ![C3](x)", "[C0][C00][C999999999][C9999999999]", "[C1, and C2 & C3; C4–C6]", "[C1-C999999]",
		"Rock and Roll, and, others", ",", "and", "{", "}", "\\", "\\\\", "%", "a, b, c, d, e", "others", "von der and Leyen, Ursula", "~", "{\\", "@misc{x,", "\"", "#", "= {", "(x) (y)(2020)", "]", "[", "\u2003and\u2003",
	}
}

// anyWords are any text at all, and what could do harm.
func anyWords() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(attacks()), rapid.String(), rapid.StringOfN(rapid.RuneFrom(nil, unicode.Cf, unicode.Mn, unicode.Co, unicode.Cc, unicode.Sm, unicode.So, unicode.Han, unicode.Arabic), 0, 20, -1),
		rapid.StringOf(rapid.RuneFrom([]rune(`\{}$&#%_^~"'<>|,@=-*[]()`+"`\n :;C123"))), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
}

// anyPaper has any words wherever words may come from outside.
func anyPaper() *rapid.Generator[export.Paper] {
	return rapid.Custom(func(t *rapid.T) export.Paper {
		words := func(what string) string { return anyWords().Draw(t, what) }
		p := paper()
		p.Kind = rapid.SampledFrom([]string{export.ReportPaper, export.PlanPaper}).Draw(t, "kind")
		p.Title, p.Questions, p.Issues = words("title"), []string{words("question")}, []string{words("issue")}
		p.Registry = anyRegistry().Draw(t, "registry")
		for i := range p.Registry.Entries {
			e := &p.Registry.Entries[i]
			e.Text, e.Quote, e.Location.Reason = words("text"), words("quote"), words("reason")
			p.Sources[e.Key] = export.Source{Title: words("title"), Authors: []string{words("author"), words("author")}, Published: words("published"), State: words("state"), Reason: words("why"), Notice: words("notice")}
		}
		for _, key := range append(proseKeys(), "component-x") {
			p.Sections[key] = []byte(words("prose") + " [C1] " + words("prose") + "\n\n" + anyDraft().Draw(t, "draft"))
		}
		if rapid.Bool().Draw(t, "themes") {
			p.Themes = []export.Theme{{Title: words("theme"), Claims: []string{"C1", "C2"}}}
		}
		return p
	})
}

// known are the commands papers are made of, beside those of the templates.
const known = `citep cite item emph textbf texttt textasciicircum textasciitilde textbackslash textbraceleft textbraceright textless textgreater textbar textasciigrave textquotedbl textbullet
textsuperscript textsubscript ensuremath allowbreak leavevmode newline mbox par medskip hrule subsection subsubsection paragraph subparagraph texorpdfstring title date bibliography bibliographystyle
begin end footnotesize setlength tabcolsep raggedright arraybackslash dimexpr linewidth hline endhead tabularnewline toprule midrule bottomrule ttfamily section maketitle tableofcontents providecommand`

// Whatever words come, they are text: papers hold no command but the
// program's, braces that match, and letters that engines set; what they cite
// is what the bibliography lists.
func TestNoWordIsACommand(t *testing.T) {
	commands := map[string]bool{}
	for _, c := range strings.Fields(known) {
		commands[c] = true
	}
	for c := range export.Formula() {
		commands[c] = true
	}
	rapid.Check(t, func(t *rapid.T) {
		p := anyPaper().Draw(t, "paper")
		out, bib := typeset(t, p), string(export.Bibliography(p))
		_, body, _ := strings.Cut(out, "\n\\begin{document}")
		require.Equal(t, distinct(cites(out)), listed(bib))
		for _, text := range []string{body, bib} {
			require.Zero(t, depth(text))
			require.False(t, strings.ContainsFunc(text, unset), "%q", text)
			for _, c := range matches(text, `\\([a-zA-Z@]+)`) {
				require.True(t, commands[c], "a command of somebody else: \\%s in\n%s", c, text)
			}
			require.Empty(t, matches(strings.ReplaceAll(text, `\\`, ""), `\\([^a-zA-Z$&#%_])`))
		}
		require.Equal(t, strings.Count(body, `\begin{`), strings.Count(body, `\end{`)-1+0, body)
		require.NotRegexp(t, `[^\\]%`, body, "no comment")
	})
}

// depth is how many braces are open at the end of a text.
func depth(text string) int {
	text = strings.NewReplacer(`\\`, "", `\{`, "", `\}`, "").Replace(text)
	return strings.Count(text, "{") - strings.Count(text, "}")
}

// unset reports whether a character is none that engines set.
func unset(r rune) bool {
	return r != '\n' && r != '\u200c' && r != '\u200d' && !unicode.IsGraphic(r) || unicode.Is(unicode.Variation_Selector, r)
}

func TestThePaperIsRepeatable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPaper().Draw(t, "paper")
		require.Equal(t, typeset(t, p), typeset(t, p))
		require.Equal(t, export.Bibliography(p, plan()), export.Bibliography(plan(), p, p))
	})
}

func TestNonLatin(t *testing.T) {
	for text, want := range map[string]bool{
		"plain": false, "naïve “Größe” – 5 € ½ ™ Łódź ř": false, "Привет": true, "不": true, "😀": true, "α": true, "\ufffd": false, "": false, "ự": true,
	} {
		require.Equal(t, want, export.NonLatin([]byte(text)), text)
	}
	p := paper()
	require.True(t, export.NonLatin([]byte(typeset(t, p))), "a source's title is")
	p.Sections, p.Sources = map[string][]byte{"analysis": []byte("5 μm ≤ x → ∞, Δ² ₂ − “ﬁ” a\u200bb\u00a0c")}, nil
	require.False(t, export.NonLatin([]byte(typeset(t, p))), "signs of formulas are commands")
	p.Sections["background"] = []byte("Σωκράτης")
	require.True(t, export.NonLatin([]byte(typeset(t, p))))
	require.Contains(t, typeset(t, p), "Σωκράτης")
}

// many is a report of many claims on few sources.
func many(n int) export.Paper {
	p := paper()
	p.Registry = claim.Registry{}
	for i := range n {
		e := entry(fmt.Sprintf("C%d", i+1), fmt.Sprintf("https://far.invalid/%d", i%150), located("Quotation"))
		e.Text = fmt.Sprintf("Caches of kind %d keep %d %% of what they hold for %d hours & more.", i, i%100, i)
		e.Critical = i == n-1
		p.Registry.Entries = append(p.Registry.Entries, e)
		if i < 50 { // styles run out of letters for those of one name and year
			p.Sources[e.Key] = export.Source{Title: "A page", Authors: []string{"Müller, Jürgen"}, Published: "2024"}
		}
	}
	return p
}

func TestAReportOfManyClaimsIsCut(t *testing.T) {
	out := typeset(t, many(1000))
	require.Contains(t, out, "Of 1000 findings this report shows 400")
	require.Len(t, matches(out, `\\paragraph\{(C\d+)\}`), 400)
	require.Equal(t, "C1000", matches(out, `\\paragraph\{(C\d+)\}`)[0], "what the answer hangs on comes first")
	require.Less(t, len(matches(out, `\\(?:sub)?section\{(.*)\}`)), 20, "the table of contents stays short")
}

func BenchmarkTypeset(b *testing.B) {
	p := many(2000)
	for b.Loop() {
		if _, err := export.Typeset(p); err != nil {
			b.Fatal(err)
		}
	}
}

// set builds papers as a person would, and gives what the last run said of
// them.
func set(t *testing.T, engine, bibtex string, papers ...export.Paper) string {
	t.Helper()
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8"}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s %v: %s", name, args, out[max(0, len(out)-3000):])
		return string(out)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sources.bib"), export.Bibliography(papers...), 0o600))
	said := ""
	for i, p := range papers {
		name := fmt.Sprintf("paper%d", i)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".tex"), []byte(typeset(t, p)), 0o600))
		tex := []string{"-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", name + ".tex"}
		draft := append([]string{map[string]string{"pdflatex": "-draftmode", "xelatex": "-no-pdf", "lualatex": "-draftmode"}[engine]}, tex...)
		run(engine, draft...)
		run(bibtex, name)
		run(engine, draft...)
		said += run(engine, tex...)
		require.FileExists(t, filepath.Join(dir, name+".pdf"))
	}
	return said
}

// wholePaper has every attack wherever words may stand.
func wholePaper(kind string) export.Paper {
	p := paper()
	p.Kind = kind
	list := attacks()
	prose := strings.Join(list, " [C1]\n\n")
	p.Title, p.Questions, p.Issues = strings.Join(list[:30], " "), list, list
	p.Registry = claim.Registry{}
	for i, a := range list {
		e := entry(fmt.Sprintf("C%d", i+1), fmt.Sprintf("https://far.invalid/%d?a=%%20&b={x}#c_%d", i, i), []claim.Location{located(a), {State: claim.NotFound, Reason: a}}[i%2])
		e.Text, e.Quote = a, a
		p.Registry.Entries = append(p.Registry.Entries, e)
		p.Sources[e.Key] = export.Source{Title: a, Authors: []string{a, list[(i+7)%len(list)]}, Published: "2020", State: a, Reason: a, Notice: a}
		if i > 0 {
			p.Registry.Conflicts = append(p.Registry.Conflicts, claim.Conflict{ID: "D1", A: "C1", B: e.ID, Detail: a, Resolution: a})
		}
	}
	p.Sections = map[string][]byte{"component-x": []byte("# " + list[0] + "\n\n" + prose)}
	for _, key := range proseKeys() {
		p.Sections[key] = []byte(prose)
	}
	return p
}

// TeX and BibTeX set papers whatever they hold, with every reference defined.
func TestTeXSetsPapers(t *testing.T) {
	for engine, papers := range map[string][]export.Paper{
		"pdflatex": {paper(), many(1000), wholePaper(export.ReportPaper), wholePaper(export.PlanPaper)},
		"xelatex":  {wholePaper(export.ReportPaper)},
		"lualatex": {wholePaper(export.ReportPaper)},
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			complete(t, engine)
			out := set(t, engine, installed(t, "bibtex"), papers...)
			require.NotRegexp(t, regexp.MustCompile(`(?i)undefined|multiply|LaTeX Error`), out)
		})
	}
}

func TestBiberReadsTheSourcesOfPapers(t *testing.T) {
	biber := installed(t, "biber")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sources.bib"), export.Bibliography(paper(), plan(), wholePaper(export.ReportPaper)), 0o600))
	cmd := exec.Command(biber, "--tool", "--nolog", "--output-file=out.bib", "sources.bib")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NotRegexp(t, `(?i)\bWARN\b|\bERROR\b`, string(out))
}
