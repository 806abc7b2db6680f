package finding_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/product/codereview/finding"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// review is a small review with a bit of everything.
func review() finding.Final {
	open := said("error-inspector", "one", "store/read.go", 41, "unchecked-error", "Error of `os.Open` is ignored")
	open.Severity, open.Confidence, open.CWE, open.EndLine = finding.Serious, finding.High, "CWE-391", 42
	open.Code, open.Impact, open.Fix = "f, _ := os.Open(name)\ndefer f.Close()", "A missing file panics in `f.Close`.", "Return the error."
	nilled := said("bug-hunter", "two", "store/read.go", 42, "nil-dereference", "The error of os.Open is not checked, so f may be nil")
	again := said("error-inspector", "one", "store/write.go", 9, "unchecked-error", "Error of Flush is ignored")
	traversal := said("security-auditor", "two", "http/serve.go", 77, "path-traversal", "Users choose the file that is served")
	traversal.Severity = finding.Critical
	style := said("stack-reviewer", "one", "go.mod", 3, "toolchain", "The go line is too low for range over int")
	style.Severity, style.State, style.Reason = finding.Info, finding.Missing, "line 1 of the quotation stands nowhere in the file"
	wrong := said("performance-detector", "one", "store/read.go", 90, "allocation", "A slice grows in the loop")

	all := finding.Merge([]finding.Finding{open, nilled, again, traversal, style, wrong})
	id := map[string]string{}
	for _, m := range all {
		id[m.File+":"+m.Category] = m.ID
	}
	all = finding.Apply(all, []finding.Judgement{
		{ID: id["store/read.go:allocation"], Verdict: finding.SaysFalse, Reason: "The slice has its capacity from the start.", By: "synthesizer"},
		{ID: id["http/serve.go:path-traversal"], Verdict: finding.SaysRefuted, Reason: "Line 70 cleans the path.", By: "checker"},
		{ID: id["store/read.go:unchecked-error"], Verdict: finding.SaysConfirmed, By: "checker"},
	})
	return finding.Final{
		Root: "shop", Commit: "0123abcd", Since: "v1.2", Files: 12, Lines: 3456, Batches: 2,
		Findings: finding.NotDismissed(all), False: finding.Dismissed(all),
		Dropped: map[string]int{"bug-hunter": 2},
		Themes: []finding.Theme{{
			Title: "Errors are dropped at the edges", Text: "What the disk says is not passed on.",
			Findings: []string{id["store/read.go:unchecked-error"], id["store/write.go:unchecked-error"], "F-none"},
		}},
		Summary: "Sound on the whole; the store drops errors.",
		Unseen:  []finding.Gap{{Reviewer: "performance-detector", Batch: 2, Reason: "no file, asked twice"}},
		LeftOut: map[string]int{"generated": 1, "binary": 3},
		Skipped: []finding.Skipped{{File: "logo.png", Reason: "binary", Why: "by its extension"}, {File: "api.pb.go", Reason: "generated"}},
		Unread:  []finding.Skipped{{File: "api.pb.go", Reason: "generated", Why: "its name is that of a generator's output"}}, Deleted: []string{"old.go"},
		Seats: []finding.Seat{{Name: "north", Role: "bug-hunter", Model: "m-1", Family: "one", Outcome: "completed"}},
		Cost:  "$1.50 (estimated from tokens and configured prices)", Status: "completed",
		Began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Ended: time.Date(2026, 1, 2, 4, 4, 5, 0, time.UTC),
	}
}

func TestTheReportAsItIs(t *testing.T) { golden(t, "report.md", finding.Report(review())) }

func TestTheFileOfABatchAsItIs(t *testing.T) {
	f := review()
	var list []finding.Finding
	for _, m := range f.Findings {
		if m.Kind == finding.Errors {
			list = append(list, m.Members[0])
		}
	}
	dropped := said("error-inspector", "one", "store/gone.go", 4, "swallowed", "Error is swallowed")
	dropped.State, dropped.Reason = finding.Missing, "line 2 of the quotation stands nowhere in the file"
	golden(t, "errors.md", finding.Batch(finding.Errors, 2, list, []finding.Finding{dropped}))
}

func TestAReviewWithoutAnythingIsAReportToo(t *testing.T) {
	report := string(finding.Report(finding.Final{Root: "empty", Status: "failed", Reason: "no seat answered"}))
	require.Contains(t, report, "ended as failed: no seat answered")
	require.Contains(t, report, "None.")
	require.Contains(t, string(finding.Batch(finding.Bugs, 1, nil, nil)), "0 findings, by bug-hunter")
}

// structure is what a reader of Markdown makes of a text.
type structure struct {
	headings, links, code []string
	images, html, tables  int
	strong                int
}

func parse(source []byte) structure {
	var s structure
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			s.headings = append(s.headings, fmt.Sprintf("%d %s", n.Level, n.Lines().Value(source)))
		case *ast.Link:
			s.links = append(s.links, string(n.Destination))
		case *ast.AutoLink:
			s.links = append(s.links, string(n.URL(source)))
		case *ast.FencedCodeBlock:
			s.code = append(s.code, string(n.Lines().Value(source)))
		case *ast.CodeBlock:
			s.code = append(s.code, "indented")
		case *ast.Image:
			s.images++
		case *ast.HTMLBlock, *ast.RawHTML:
			s.html++
		case *extast.Table:
			s.tables++
		case *ast.Emphasis, *extast.Strikethrough, *extast.TaskCheckBox, *ast.Blockquote:
			s.strong++
		}
		return ast.WalkContinue, nil
	})
	return s
}

// hostile are texts that want to be more than text.
func hostile(t *rapid.T, label string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{
		"# Heading", "\n\n## Findings\n\n", "\nunderlined\n===\n", "[link](https://evil.invalid)", "![image](http://evil.invalid/x.png)", "<script>alert(1)</script>",
		"<b>", "https://evil.invalid/x", "www.evil.invalid", "someone@evil.invalid", "mailto:someone@evil.invalid", "`", "``", "```\n", "~~~\n", "\n| a | b |\n|---|---|\n| 1 | 2 |\n",
		"**bold**", "_under_", "*", "_", "~~gone~~", "- [x] done", "\n> quoted", "\n    indented", "&lt;", "&#60;", "\\", "\\`", "$x$", "<!-- RESEARCH_COMPLETE -->", "\n---\n",
		"\x1b[31mred", "\u202e", "\x00", "\xff", "\r", "[x]: https://evil.invalid", "[^1]", "a", " ", "word", "C#", "1.", "+", "<https://evil.invalid>", "|", "!", "]", "[", "(", ")", "ftp://evil.invalid",
	}), 0, 6).Draw(t, label)
	return strings.Join(parts, "")
}

func TestNoTextOfAModelIsMoreThanText(t *testing.T) {
	entry := regexp.MustCompile(`^(2|3) [0-9]+\. (critical|high|medium|low|info): `)
	theme := regexp.MustCompile(`^3 `)
	rapid.Check(t, func(t *rapid.T) {
		f := finding.Finding{
			ID: "L1", Kind: finding.Bugs, Reviewer: "bug-hunter", Seat: hostile(t, "seat"), Family: hostile(t, "family"), Severity: finding.Serious, Confidence: finding.High,
			File: hostile(t, "file"), Line: 3, EndLine: 4, Category: "x", Title: hostile(t, "title"), Description: hostile(t, "description"), Impact: hostile(t, "impact"), Fix: hostile(t, "fix"),
			Code: hostile(t, "code"), State: rapid.SampledFrom(finding.States()).Draw(t, "state"), Reason: hostile(t, "reason"),
		}
		checked := parse(finding.Batch(finding.Bugs, 1, []finding.Finding{f}, []finding.Finding{f}))
		require.Len(t, checked.headings, 3)
		require.Equal(t, structure{headings: checked.headings, code: checked.code}, checked)

		all := finding.Merge([]finding.Finding{f})
		all = finding.Apply(all, []finding.Judgement{{ID: all[0].ID, Verdict: finding.SaysRefuted, Reason: hostile(t, "judged"), By: hostile(t, "by")}})
		out := all[0]
		out.Status = finding.FalsePositive
		report := finding.Report(finding.Final{
			Root: hostile(t, "root"), Commit: hostile(t, "commit"), Since: hostile(t, "since"), Findings: all, False: []finding.Merged{out},
			Dropped: map[string]int{hostile(t, "dropped"): 1}, Themes: []finding.Theme{{Title: hostile(t, "theme"), Text: hostile(t, "text"), Findings: []string{all[0].ID}}},
			Summary: hostile(t, "summary"), Unseen: []finding.Gap{{Reviewer: hostile(t, "reviewer"), Reason: hostile(t, "gap")}}, LeftOut: map[string]int{hostile(t, "left"): 1},
			Unread: []finding.Skipped{{File: hostile(t, "unread"), Reason: hostile(t, "skip"), Why: hostile(t, "why")}}, Deleted: []string{hostile(t, "deleted")},
			Seats: []finding.Seat{{Name: hostile(t, "name"), Role: hostile(t, "role"), Model: hostile(t, "model"), Outcome: hostile(t, "outcome")}}, Status: "stopped", Reason: hostile(t, "why"),
		})
		s := parse(report)
		var sections []string
		for _, h := range s.headings {
			if !entry.MatchString(h) && !theme.MatchString(h) {
				sections = append(sections, strings.SplitN(h, " ", 3)[1])
			}
		}
		require.Len(t, s.headings, 9)
		require.Equal(t, []string{"Review", "Severities", "Findings", "Across", "False", "Not", "Method"}, sections)
		require.Equal(t, []string{"#not-seen", "#not-seen"}, s.links)
		require.LessOrEqual(t, len(s.code), 1, "one quotation, one block")
		require.Equal(t, structure{headings: s.headings, links: s.links, code: s.code, tables: 1}, s)
		require.NotContains(t, string(report), "\x1b")
		require.NotContains(t, string(report), "\u202e")
	})
}

func TestCodeStandsInTheReportAsItIs(t *testing.T) {
	f := said("bug-hunter", "one", "a.md", 1, "x", "t")
	f.Code = "````\n# not a heading\n```\n\tx := `raw`\u202e"
	s := parse(finding.Batch(finding.Bugs, 1, []finding.Finding{f}, nil))
	require.Equal(t, []string{"````\n# not a heading\n```\n\tx := `raw`⟨U+202E⟩\n"}, s.code)
}

func TestNumbersInAReportAreCounted(t *testing.T) {
	f := review()
	c := finding.Count(f.Findings)
	report := string(finding.Report(f))
	require.Contains(t, report, fmt.Sprintf("| all | %d |", c.Total))
	for _, s := range finding.Severities() {
		require.Contains(t, report, fmt.Sprintf("| %s | %d |", s, c.Severity[s]))
	}
	require.Contains(t, report, "Taken out as false: 1.")
	f.Findings = append(f.Findings, f.False...)
	require.Equal(t, report, string(finding.Report(f)), "what was taken out is told once")
	require.NotContains(t, report, "F-none", "a theme names no finding that is not there")
}
