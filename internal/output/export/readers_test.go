package export_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/readers"
)

// taken is what a reader takes a reference for.
type taken struct {
	ID, Title, DOI, URL, Note string
	Author                    []struct{ Family, Given, Literal string }
	Issued                    struct {
		Parts [][]int `json:"date-parts"`
	}
}

func (k taken) year() int {
	if len(k.Issued.Parts) == 0 || len(k.Issued.Parts[0]) == 0 {
		return 0
	}
	return k.Issued.Parts[0][0]
}

// names are the authors, as a person would read them.
func (k taken) names() string {
	var list []string
	for _, a := range k.Author {
		list = append(list, strings.TrimSpace(a.Given+" "+a.Family+a.Literal))
	}
	return strings.Join(list, "; ")
}

// ask asks once what a publication's references are in each form.
func ask(t *testing.T, p export.Publication) map[export.Form][]taken {
	t.Helper()
	type list struct {
		Form export.Form `json:"form"`
		Text string      `json:"text"`
	}
	forms := []export.Form{export.BibTeX, export.CSL, export.RIS}
	var lists []list
	for _, f := range forms {
		lists = append(lists, list{f, write(t, p, f)})
	}
	input, err := json.Marshal(lists)
	require.NoError(t, err)
	var answers [][]taken
	require.NoError(t, json.Unmarshal(readers.Ask(t, "citation", input, "references.mjs"), &answers))
	require.Len(t, answers, len(forms))
	all := map[export.Form][]taken{}
	for i, f := range forms {
		all[f] = answers[i]
	}
	return all
}

// Another program reads the same references out of BibTeX, CSL-JSON and RIS.
func TestCitationJSReadsTheReferences(t *testing.T) {
	for f, items := range ask(t, publication(draft, registry())) {
		require.Len(t, items, 8, f)
		page, paper, file := items[0], items[1], items[2]
		require.Equal(t, `50 % of {caches} & "more" #1 a_b c^d ~e <f> \ $g$ 不要`, page.Title, f)
		require.Equal(t, "Rock and Roll, Inc.; Jürgen Müller; The Cache Group", strings.Replace(page.names(), "Roll Inc.", "Roll, Inc.", 1), f) // RIS has no sign for a comma in a name
		require.Equal(t, 2024, page.year(), f)
		require.Equal(t, "https://www.example.com/a_(b)?id=2&x=~y", page.URL, f)
		require.Contains(t, page.Note, hash, f)
		require.Equal(t, "10.1000/xyz_(1)", paper.DOI, f)
		require.Equal(t, "Ada Lovelace; José García Márquez", paper.names(), f)
		require.Equal(t, 2021, paper.year(), f)
		require.Contains(t, paper.Note, "RETRACTED", f)
		require.Equal(t, "docs/cache_file.md", file.Title, f)
		require.Equal(t, 0, items[4].year(), "%s: what is no year is none", f)
	}
}

// anyPublication has many references with any titles and authors.
func anyPublication(n int) export.Publication {
	words := rapid.OneOf(rapid.StringN(1, 20, -1), rapid.StringMatching(`[ -~]{1,40}`), rapid.StringMatching(`[{}\\$&#%_^~"'<>|,@= a-z]{1,30}`))
	var reg claim.Registry
	p := export.Publication{Sources: map[string]export.Source{}}
	var draft strings.Builder
	for i := range n {
		e := entry(fmt.Sprintf("C%d", i+1), fmt.Sprintf("https://example.com/%d", i), located("Quotation"))
		e.Text, e.Quote = words.Example(3*i), words.Example(3*i+1)
		reg.Entries = append(reg.Entries, e)
		p.Sources[e.Key] = export.Source{Title: words.Example(3*i + 2), Authors: []string{words.Example(5 * i), words.Example(7 * i)}, Published: fmt.Sprint(1900 + i), Reason: words.Example(11 * i), State: "moved", Notice: words.Example(13 * i)}
		fmt.Fprintf(&draft, "So %s [C%d].\n\n", words.Example(17*i), i+1)
	}
	full := publication(draft.String(), reg)
	p.Report, p.Registry, p.Score = full.Report, reg, full.Score
	return p
}

// Whatever titles and authors hold, readers find every reference, in order,
// with its title and as many authors.
func TestCitationJSReadsAnyTitle(t *testing.T) {
	all := ask(t, anyPublication(60))
	want := all[export.CSL]
	for f, got := range all {
		require.Len(t, got, 60, f)
		for i := range want {
			require.Equal(t, want[i].ID, got[i].ID, f)
			require.Equal(t, want[i].URL, got[i].URL, f)
			require.Equal(t, want[i].year(), got[i].year(), f)
			require.Equal(t, plainly(want[i].Title), plainly(got[i].Title), f)
			require.Len(t, got[i].Author, len(want[i].Author), f)
		}
	}
}

// plainly leaves out what readers change in titles by rules of their own:
// white space, and the look of quotation marks and dashes.
func plainly(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'", "''", `"`, "``", `"`, "`", "'", "\u00a0", " ").Replace(s)), "")
}

// axe-core finds nothing wrong with the page.
func TestAxeFindsNothingInThePage(t *testing.T) {
	out := string(readers.Ask(t, "citation", []byte(write(t, publication(draft, registry()), export.HTML)), "page.mjs"))
	require.Regexp(t, `^passed: [0-9]+\n$`, out)
}

// installed gives the path of a program, or skips the test.
func installed(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// call runs a program in a folder that holds a publication's exports.
func call(t *testing.T, p export.Publication, program string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range export.Forms() {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "report"+f.Extension()), []byte(write(t, p, f)), 0o600))
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// TeX sets the article, without another program, an undefined reference or a
// doubled label.
func TestTeXSetsTheArticle(t *testing.T) {
	for _, program := range []string{"pdflatex", "xelatex", "lualatex"} {
		t.Run(program, func(t *testing.T) {
			if program == "lualatex" { // it makes tables of all fonts first
				cli.InMatrix(t)
			}
			tex := complete(t, program)
			once := tex + " -no-shell-escape -interaction=nonstopmode -halt-on-error report.tex"
			out := call(t, publication(draft, registry()), "sh", "-c", once+" >first && "+once+" && test -s report.pdf")
			require.NotRegexp(t, regexp.MustCompile(`(?i)undefined|multiply|LaTeX Error`), out)
			call(t, anyPublication(12), "sh", "-c", once+" && test -s report.pdf")
		})
	}
}

// complete gives the path of a TeX that can set anything: many are installed
// in part.
func complete(t *testing.T, program string) string {
	t.Helper()
	tex, dir := installed(t, program), t.TempDir()
	const least = `\documentclass{article}\usepackage{iftex,array,longtable,hyperref}\ifPDFTeX\usepackage[T1]{fontenc}\else\usepackage{fontspec}\fi\begin{document}x\end{document}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "least.tex"), []byte(least), 0o600))
	cmd := exec.Command(tex, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "least.tex")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	if err := cmd.Run(); err != nil {
		t.Skipf("%s is not installed as a whole: it cannot set an empty article", program)
	}
	return tex
}

func TestPandocReadsTheReferencesAndTheArticle(t *testing.T) {
	pandoc := installed(t, "pandoc")
	p := publication(draft, registry())
	for format, file := range map[string]string{"bibtex": "report.bib", "csljson": "report.csl.json"} {
		var items []taken
		require.NoError(t, json.Unmarshal([]byte(call(t, p, pandoc, "-f", format, "-t", "csljson", file)), &items))
		require.Len(t, items, 8, format)
		for _, i := range items {
			if strings.HasPrefix(i.ID, "doi-") {
				require.Equal(t, "10.1000/xyz_(1)", i.DOI, format)
				require.Equal(t, "Ada Lovelace; José García Márquez", i.names(), format)
			}
		}
	}
	require.Contains(t, call(t, p, pandoc, "-f", "latex", "-t", "plain", "report.tex"), "Caches age")
}

func TestBiberReadsTheReferences(t *testing.T) {
	biber := installed(t, "biber")
	for name, p := range map[string]export.Publication{"one of everything": publication(draft, registry()), "any words": anyPublication(60)} {
		out := call(t, p, biber, "--tool", "--nolog", "--output-file=out.bib", "report.bib")
		require.NotRegexp(t, `(?i)\bWARN\b|\bERROR\b`, out, name)
		require.Regexp(t, `INFO - Writing`, out, name)
	}
}
