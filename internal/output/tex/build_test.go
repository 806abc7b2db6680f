package tex

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/test/cli"
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "council-tex-cache-")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", dir) // font tables, made once for all tests
	os.Setenv("HOME", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// each runs a test with every engine that is here, and skips the others.
func each(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			needs(t, e.name)
			test(t, e.name)
		})
	}
}

// needs skips a test whose engine is not here. xelatex and pdflatex stand for
// the others, of which lualatex makes tables of all fonts first, unless the whole
// matrix is asked for.
func needs(t *testing.T, engine string) {
	t.Helper()
	if engine != "xelatex" && engine != "pdflatex" {
		cli.InMatrix(t)
	}
	if !slices.Contains(Engines(""), engine) {
		t.Skipf("%s is not installed, or is not used on this system", engine)
	}
}

// laid writes a paper and its bibliography into a folder of their own.
func laid(t *testing.T, text, bib string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "a paper.tex")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	if bib != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, bibliography), []byte(bib), 0o600))
	}
	return file
}

// built builds a paper, which has to go well, and leaves the source as it was.
func built(t *testing.T, file string, o Options) Result {
	t.Helper()
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	r, err := Build(context.Background(), file, o)
	require.NoError(t, err, "%+v", r.Problems)
	require.Empty(t, r.Skipped)
	require.Equal(t, strings.TrimSuffix(file, ".tex")+".pdf", r.PDF)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), ".council-*"))
	require.NoError(t, err)
	require.Empty(t, left)
	return r
}

// shown is the text a PDF shows, in one line.
func shown(t *testing.T, pdf string) string {
	t.Helper()
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed: what the PDF shows is not looked at")
	}
	out, err := exec.Command(program, "-q", pdf, "-").Output()
	require.NoError(t, err)
	return strings.Join(strings.Fields(string(out)), " ")
}

const bib = `@misc{doe, author = {Doe, Jane and Li, Wei}, title = {Caches \& queues}, year = {2020}, howpublished = {\url{https://a.invalid/x_y}}}
@misc{roe, author = {{Roe}}, title = {On {\#}1}, year = {2021}}
`

const head = `\documentclass[11pt]{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{lmodern}\else\usepackage{fontspec}\fi
\usepackage{booktabs,natbib}
\usepackage[hidelinks]{hyperref}
\begin{document}
`

// light is a head that is read fast, for what is wrong in a body whatever
// packages there are.
const light = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{lmodern}\n\\begin{document}\n"

func TestPapersAreBuilt(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		r := built(t, laid(t, head+`\tableofcontents
\section{Findings}\label{a}
As \citet{doe} say \citep{doe,roe}, see section~\ref{a}. Escapes: \& \% \$ \# \_ \{ \} \textasciitilde{} \textasciicircum{} \textbackslash{} fin.
\begin{tabular}{ll}\toprule one & two\\\midrule three & four\\\bottomrule\end{tabular}
\begin{verbatim}
if a && b { return "#%$" }
\end{verbatim}
\bibliographystyle{plainnat}
\bibliography{sources}
\end{document}
`, bib), Options{Engine: engine})
		require.Equal(t, engine, r.Engine)
		require.Empty(t, r.Problems)
		text := shown(t, r.PDF)
		require.NotContains(t, text, "??")
		require.NotContains(t, text, "(?)")
		for _, part := range []string{"Doe and Li", "Caches & queues", "On #1", "see section 1", "1 Findings 1", "one two three four", `if a && b { return "#%$" }`} {
			require.Contains(t, text, part)
		}
		require.Regexp(t, `Escapes: & % \$ # _ \{ \} . . \\ fin`, text)
	})
}

func TestLettersOfAllScripts(t *testing.T) {
	const text = "Русский \\textbf{жирный} и \\emph{косой}, код \\texttt{привет}. 中文内容在这里。"
	for _, engine := range []string{"xelatex", "lualatex", "latexmk"} {
		t.Run(engine, func(t *testing.T) {
			needs(t, engine)
			r := built(t, laid(t, head+"\\section{Привет}\n"+text+" \\citep{ru}\n\\bibliographystyle{plainnat}\\bibliography{sources}\\end{document}\n",
				"@misc{ru, author={{Жуков}}, title={Объём}, year={2020}}\n"), Options{Engine: engine})
			text := shown(t, r.PDF)
			for _, r := range r.Problems { // a machine without such a font says so
				require.Contains(t, r.Text, "no font here has")
			}
			if len(r.Problems) > 0 {
				t.Skipf("a font is missing here: %+v", r.Problems)
			}
			for _, part := range []string{"Русский жирный и косой", "привет", "中文内容在这里。", "Жуков", "Объём"} {
				require.Contains(t, text, part)
			}
		})
	}
}

func TestWithoutUnicodeQuestionMarksStand(t *testing.T) {
	needs(t, "pdflatex")
	r := built(t, laid(t, head+"Latin é. Привет, мир. 中文 and 😀.\n\\end{document}\n", ""), Options{Engine: "pdflatex"})
	require.Len(t, r.Problems, 3, "%+v", r.Problems)
	require.Equal(t, "question marks stand for them", r.Problems[0].Mended)
	require.Equal(t, len(strings.Split(head, "\n")), r.Problems[0].Line)
	require.Contains(t, shown(t, r.PDF), "Latin é. ??????, ???. ?? and ?.")
}

func TestUnicodeIsTakenToTheEngineThatReadsIt(t *testing.T) {
	needs(t, "xelatex")
	r := built(t, laid(t, head+"Привет.\n\\end{document}\n", ""), Options{})
	require.Equal(t, "xelatex", r.Engine)
}

func TestAPaperForAnotherEngineIsTakenToIt(t *testing.T) {
	needs(t, "pdflatex")
	needs(t, "xelatex")
	r := built(t, laid(t, "\\documentclass{article}\\usepackage{fontspec}\n\\begin{document}Latin.\\end{document}\n", ""), Options{})
	require.Equal(t, "xelatex", r.Engine)
}

func TestWhatTeXCannotDigestIsMended(t *testing.T) {
	needs(t, "pdflatex")
	for name, c := range map[string]struct {
		body   string
		line   int // of the body
		mended string
		shows  string
	}{
		"a stray &":                     {"Salt & pepper.", 1, setAsText, "Salt & pepper."},
		"an unknown command":            {"One.\n\\nosuch{two} three", 2, setAsText, `\nosuch{two} three`},
		"mathematics by mistake":        {"The file a_b.go", 1, setAsText, "The file a_b.go"},
		"a parameter sign":              {"Issue #12", 1, setAsText, "Issue #12"},
		"a group nobody closes":         {"Fine.\n\\textbf{never\n\nLater.", 2, setAsText, `\textbf{never`},
		"a group nobody opened":         {"Fine. }", 1, setAsText, "Fine. }"},
		"a row with too many cells":     {"\\begin{tabular}{ll}\na & b & c & d \\\\\nx & y \\\\\n\\end{tabular}", 2, setAsText, "x y"},
		"an item that is broken":        {"\\begin{itemize}\n\\item one\n\\item two_2\n\\end{itemize}", 3, setAsText, "two_2"},
		"a list nobody ends":            {"\\begin{itemize}\n\\item one", 3, `\end{itemize} was put before it`, "one"},
		"an end of nothing":             {"Fine.\n\\end{quote}\nLater.", 2, takenOut, "Fine. Later."},
		"an environment that is not":    {"\\begin{nosuch}", 1, setAsText, "Later"},
		"a list without an item":        {"\\begin{itemize}\nwords\n\\end{itemize}", 1, `\item was put behind it`, "words"},
		"a rule in the middle of a row": {"\\begin{tabular}{l}\na\n\\hline\n\\end{tabular}", 3, takenOut, "a"},
		"a file elsewhere":              {"\\input{gone}", 1, setAsText, `\input{gone}`},
		"bytes that are no text":        {"a\xff\x00b", 1, "question marks stand for them", "a??b"},
	} {
		t.Run(name, func(t *testing.T) {
			body := c.body
			if name == "an environment that is not" {
				body += "\nLater\n\\end{nosuch}"
			}
			r := built(t, laid(t, light+body+"\n\\end{document}\n", ""), Options{Engine: "pdflatex"})
			require.NotEmpty(t, r.Problems)
			require.Equal(t, "a paper.tex", r.Problems[0].File)
			require.Equal(t, c.line+strings.Count(light, "\n"), r.Problems[0].Line, "%+v", r.Problems)
			require.Equal(t, c.mended, r.Problems[0].Mended)
			require.Contains(t, strings.NewReplacer("“", `"`, "”", `"`).Replace(shown(t, r.PDF)), c.shows)
		})
	}
}

func TestAPaperWithoutItsEndIsMended(t *testing.T) {
	needs(t, "pdflatex")
	r := built(t, laid(t, head+"Text.", ""), Options{Engine: "pdflatex"})
	require.Equal(t, `\end{document} was put there`, r.Problems[0].Mended)
}

func TestTheBibliographyIsMended(t *testing.T) {
	needs(t, "pdflatex")
	file := laid(t, head+"\\citep{doe,bad,gone}\n\\bibliographystyle{nosuchstyle}\n\\bibliography{sources}\n\\end{document}\n",
		bib+"@misc{bad, author = {{A \\nosuch B}}, title = {R & D}, year = {2020}, howpublished = {\\url{https://b.invalid/}}}\n")
	r := built(t, file, Options{Engine: "pdflatex"})
	var told []string
	for _, p := range r.Problems {
		told = append(told, fmt.Sprintf("%s:%d %s", p.File, p.Line, p.Mended))
	}
	require.Equal(t, []string{
		fmt.Sprintf("a paper.tex:%d the style plain stands for nosuchstyle", strings.Count(head, "\n")+2),
		"sources.bib:3 the entry bad is set as plain text",
		fmt.Sprintf("a paper.tex:%d ", strings.Count(head, "\n")+1), // gone is in no bibliography
	}, told)
	require.Contains(t, shown(t, r.PDF), "R & D")
}

func TestMissingPackagesHaveStandIns(t *testing.T) {
	needs(t, "pdflatex")
	const text = `\documentclass{article}\usepackage[T1]{fontenc}\usepackage{lmodern}
\usepackage{natbib}
\usepackage[hidelinks]{hyperref}
\usepackage{booktabs, enumitem,xcolor,graphicx,listings}
\usepackage[expansion]{nosuchpackage}
\hypersetup{pdftitle={A}}\setlist{nosep}
\begin{document}
\citep{doe} \citet[p.~1]{doe} \citep[see][p.~2]{roe} \href{https://a.invalid/}{a link} \url{https://b.invalid/x_y}
\begin{tabular}{ll}\toprule a & b\\\cmidrule(lr){1-2} c & d\\\bottomrule\end{tabular}
\begin{itemize}[noitemsep]
\item one
\end{itemize}
\begin{enumerate}[label=(a)]
\item two
\end{enumerate}
\textcolor{red}{red} \includegraphics[width=1cm]{no_picture}
\begin{lstlisting}[language=Go]
x := "#%"
\end{lstlisting}
\bibliographystyle{plainnat}
\bibliography{sources}
\end{document}
`
	c := newTexCopy(text, bib)
	for _, pkg := range []string{"natbib", "hyperref", "booktabs", "enumitem", "xcolor", "graphicx", "listings"} {
		_, how := c.removeMissingFile(finding{kind: noFile, what: pkg + ".sty"})
		require.Equal(t, "the package "+pkg+" is left out, plain commands stand for its own", how)
	}
	require.Len(t, c.lines, strings.Count(text, "\n")+1)
	// natbib's own style needs natbib's commands, so plain stands for it.
	r := built(t, laid(t, c.text(), "@misc{doe, author={Doe, Jane}, title={Caches}, year={2020}}\n@misc{roe, author={{Roe}}, title={On}, year={2021}}\n"), Options{Engine: "pdflatex"})
	require.Len(t, r.Problems, 1)
	require.Equal(t, "the package nosuchpackage is left out", r.Problems[0].Mended)
	shows := shown(t, r.PDF)
	for _, part := range []string{"[1] [1, p. 1] [2, p. 2] a link https://b.invalid/x_y", "• one", "1. two", "red [no_picture]", `x := "#%"`, "Jane Doe. Caches"} {
		require.Contains(t, strings.ReplaceAll(shows, "”", `"`), part)
	}
}

func TestMendingEnds(t *testing.T) {
	needs(t, "pdflatex")
	file := laid(t, light+strings.Repeat("A & B\n\n", 2*maxFixes)+"\\end{document}\n", "")
	old := filepath.Join(filepath.Dir(file), "a paper.pdf")
	require.NoError(t, os.WriteFile(old, []byte("old"), 0o600))
	r, err := Build(context.Background(), file, Options{Engine: "pdflatex"})
	require.ErrorContains(t, err, "Misplaced alignment tab character &. (after 20 mends)")
	require.Len(t, r.Problems, maxFixes+1)
	require.Empty(t, r.PDF)
	data, err := os.ReadFile(old)
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
}

func TestWithoutTeXNothingIsBuilt(t *testing.T) {
	file := laid(t, head+"x\\end{document}", "")
	r, err := Build(context.Background(), file, Options{Path: t.TempDir()})
	require.NoError(t, err)
	require.Equal(t, Result{Skipped: noEngineReason(Options{})}, r)
	require.Contains(t, r.Skipped, "install TeX")
	require.NoFileExists(t, strings.TrimSuffix(file, ".tex")+".pdf")
	require.Empty(t, Engines(t.TempDir()))
}

func TestWhatIsNoPaperIsRefused(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.tex")
	require.NoError(t, proctest.NamedPipe(pipe))
	for _, name := range []string{"gone.tex", "pipe.tex", "paper.md"} {
		_, err := Build(context.Background(), filepath.Join(dir, name), Options{})
		require.Error(t, err, name)
	}
}

// A paper reaches for a secret beside it and for a file it would like to make.
func TestAPaperReachesNothing(t *testing.T) {
	if !canSandbox() {
		t.Skip("this system cannot hold a process to a jail; papers are screened here")
	}
	each(t, func(t *testing.T, engine string) {
		for name, attack := range attacks(engine) {
			t.Run(name, func(t *testing.T) {
				outside, temporary := t.TempDir(), t.TempDir()
				t.Setenv("TMPDIR", temporary) // papers are built below it
				secret, out := filepath.Join(outside, "secret.txt"), filepath.Join(outside, "out.txt")
				require.NoError(t, os.WriteFile(secret, []byte("hushhushhush\n"), 0o644))
				body := strings.NewReplacer("SECRET", secret, "OUT", out).Replace(attack)
				file := laid(t, "\\documentclass{article}\n\\begin{document}\nBefore.\n\n"+body+"\n\nAfter.\n\\end{document}\n", "")
				r, err := Build(context.Background(), file, Options{Engine: engine, Timeout: time.Minute})
				require.Equal(t, []string{"secret.txt"}, within(t, outside))
				require.Empty(t, within(t, temporary))
				require.Subset(t, []string{"a paper.tex", "a paper.pdf"}, within(t, filepath.Dir(file)))
				if err == nil {
					inside := unpacked(t, r.PDF)
					require.NotContains(t, inside, "hushhushhush")
					require.NotContains(t, inside, "root:x:0")
					require.NotContains(t, strings.ReplaceAll(shown(t, r.PDF), " ", ""), "hushhushhush")
				}
			})
		}
	})
}

// within are the names of what is in a folder.
func within(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// attacks are what a paper may try with an engine.
func attacks(engine string) map[string]string {
	list := map[string]string{
		"a program":      `\immediate\write18{touch OUT}`,
		"a file read":    `\input{SECRET}`,
		"a file hidden":  `^^5cinput{SECRET}`,
		"a file written": `\newwrite\f\immediate\openout\f=OUT \immediate\write\f{x}\immediate\closeout\f`,
	}
	switch engine {
	case "pdflatex":
		list["a program by a pipe"] = `\input{|"touch OUT"}`
		list["a file read by name"] = `\makeatletter\@@input SECRET \makeatother`
		list["a file read by lines"] = `\newread\f\openin\f=SECRET \ifeof\f none\else\read\f to\x\x\fi`
		list["the list of users"] = `\input{/etc/passwd}`
		list["a file above"] = `\newwrite\f\immediate\openout\f=../../out \immediate\write\f{x}\immediate\closeout\f`
		list["a PDF object"] = `\immediate\pdfobj stream file {SECRET}\pdfinfo{/S \the\pdflastobj\space 0 R}`
	case "xelatex", "tectonic":
		list = map[string]string{"a PDF object": `\special{pdf:fstream @x (SECRET)}\special{pdf:docinfo << /S @x >>}`, "a file read": list["a file read"], "a program": list["a program"]}
	case "lualatex":
		list = map[string]string{
			"Lua":       `\directlua{os.execute("touch OUT") pcall(io.popen,"touch OUT") pcall(os.spawn,{"touch","OUT"}) local f=io.open("OUT","w") if f then f:write("x") f:close() end pcall(lfs.mkdir,"OUT") pcall(os.remove,"SECRET") pcall(os.rename,"SECRET","OUT")}`,
			"Lua reads": `\directlua{local f=io.open("SECRET") if f then tex.print(f:read("*a")) end local p=io.popen("cat SECRET") if p then tex.print(p:read("*a")) end}`,
		}
	case "latexmk":
		list = map[string]string{"its own orders": `\newwrite\f\immediate\openout\f=latexmkrc \immediate\write\f{system("touch OUT");}\immediate\closeout\f\immediate\openout\f=.latexmkrc \immediate\write\f{system("touch OUT");}\immediate\closeout\f`}
	}
	return list
}

// unpacked is a PDF with its streams as they were before they were packed.
func unpacked(t *testing.T, pdf string) string {
	t.Helper()
	data, err := os.ReadFile(pdf)
	require.NoError(t, err)
	var b strings.Builder
	b.Write(data)
	for _, m := range regexp.MustCompile(`(?s)stream\r?\n(.*?)endstream`).FindAllSubmatch(data, -1) {
		if r, err := zlib.NewReader(bytes.NewReader(m[1])); err == nil {
			_, _ = io.Copy(&b, r) // what can be unpacked of it
		}
	}
	return b.String()
}

func TestTheJailIsNotOurs(t *testing.T) {
	needs(t, "pdflatex")
	built(t, laid(t, head+"x\\end{document}", ""), Options{Engine: "pdflatex"})
	for range 50 { // every thread there is
		_, err := os.ReadFile("/etc/passwd")
		require.NoError(t, err)
	}
}

func TestAPaperWithoutAnEndIsEndedWithAllItStarted(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		file := laid(t, "\\documentclass{article}\n\\begin{document}\n\\loop\\iftrue\\repeat\n\\end{document}\n", "")
		r, err := Build(context.Background(), file, Options{Engine: engine, Timeout: 2 * time.Second})
		require.ErrorContains(t, err, "TeX was not done after 2s and was ended")
		require.Empty(t, r.PDF)
	})
}

func TestAGroupIsGoneAtTheDeadline(t *testing.T) {
	path := t.TempDir()
	program := filepath.Join(path, "endless")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nsleep 1000 &\necho $!\nwait\n"), 0o755))
	b, err := newBuildFolder(Options{Timeout: time.Minute, Path: path + ":/usr/bin:/bin"})
	require.NoError(t, err)
	defer b.remove()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	said, err := b.run(ctx, false, "endless")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var pid int
	_, err = fmt.Sscan(string(said), &pid)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return gone(pid) }, 10*time.Second, 10*time.Millisecond)
}

// gone reports whether a process has ended, also if nobody has asked how.
func gone(pid int) bool {
	if p, err := os.FindProcess(pid); err != nil || p.Signal(syscall.Signal(0)) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestOutputIsBounded(t *testing.T) {
	needs(t, "pdflatex")
	file := laid(t, "\\documentclass{article}\n\\begin{document}\n\\newwrite\\f\\immediate\\openout\\f=big \\def\\x{xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}\n\\loop\\immediate\\write\\f{\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x\\x}\\iftrue\\repeat\n\\end{document}\n", "")
	_, err := Build(context.Background(), file, Options{Engine: "pdflatex"})
	require.ErrorContains(t, err, "file size limit exceeded")
}

func TestOfWhatIsSaidTheEndIsKept(t *testing.T) {
	var said tailBuffer
	for range 5 {
		_, err := said.Write(bytes.Repeat([]byte("x"), maxOutput))
		require.NoError(t, err)
	}
	_, err := said.Write([]byte("end"))
	require.NoError(t, err)
	require.LessOrEqual(t, len(said.bytes), 2*maxOutput+3)
	require.True(t, bytes.HasSuffix(said.bytes, []byte("end")))
}

func TestACallerWhoLeavesIsNotKept(t *testing.T) {
	needs(t, "pdflatex")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Build(ctx, laid(t, head+"x\\end{document}", ""), Options{Engine: "pdflatex"})
	require.ErrorIs(t, err, context.Canceled)
}

// Where the system has no jail a paper is screened, and built all the same.
func TestScreenedPapersKeepTheirText(t *testing.T) {
	c := newTexCopy(head+`Fine \citep{doe} \textbf{x}.
\immediate\write18{touch x}
\input{/etc/passwd}
\csname input\endcsname x
\begin{in\empty put}
^^5cinput x
\special{pdf:fstream @x (y)}
\end{document}`, "")
	problems := c.neutralise()
	require.Len(t, problems, 6)
	for i, p := range problems {
		require.Equal(t, strings.Count(head, "\n")+2+i, p.Line)
		require.Equal(t, setAsText, p.Mended)
	}
	needs(t, "pdflatex")
	require.Contains(t, shown(t, built(t, laid(t, c.text(), ""), Options{Engine: "pdflatex"}).PDF), `\input{/etc/passwd}`)
}

func BenchmarkBuild(b *testing.B) {
	for _, engine := range Engines("") {
		b.Run(engine, func(b *testing.B) {
			dir := b.TempDir()
			file := filepath.Join(dir, "paper.tex")
			body := head + strings.Repeat("\\section{One} Some words \\citep{doe}.\n\n", 100) + "\\bibliographystyle{plainnat}\\bibliography{sources}\\end{document}"
			require.NoError(b, os.WriteFile(file, []byte(body), 0o600))
			require.NoError(b, os.WriteFile(filepath.Join(dir, bibliography), []byte(bib), 0o600))
			for b.Loop() {
				_, err := Build(context.Background(), file, Options{Engine: engine})
				require.NoError(b, err)
			}
		})
	}
}
