package survey_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/project/survey"
)

// whole holds a text to what people and terminals may be shown: printable
// UTF-8, and Markdown without links, images and HTML. It gives its headings.
func whole(t require.TestingT, md []byte) []string {
	require.True(t, utf8.Valid(md))
	for _, r := range string(md) {
		require.True(t, r == '\n' || unicode.IsPrint(r), "%q", r)
	}
	var headings []string
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(md))
	require.NoError(t, ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link, *ast.Image, *ast.AutoLink, *ast.RawHTML, *ast.HTMLBlock:
			require.Failf(t, "more than text", "%s in %q", n.Kind(), md)
		case *ast.Heading:
			if entering {
				headings = append(headings, string(n.Lines().Value(md)))
			}
		}
		return ast.WalkContinue, nil
	}))
	return headings
}

func TestNamesAreQuotedAsGitDoes(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.go": "a/b.go", "日本/ü.go": "日本/ü.go", "a b": "a b", " a": `" a"`, "a\nb": `"a\nb"`, "\x1b[31m": `"\033[31m"`, `a"b\c`: `"a\"b\\c"`,
		"`id`": `"\140id\140"`, "a|b": `"a\174b"`, "\u202eexe": `"\342\200\256exe"`, "\xff": `"\377"`, "": `""`, "a\ufeff": `"a\357\273\277"`,
	} {
		require.Equal(t, want, survey.Quote(name))
		back, err := survey.Unquote(want)
		require.NoError(t, err)
		require.Equal(t, name, back)
	}
	for _, broken := range []string{`"`, `"a`, `"a"b"`, `"\"`, `"\x"`, `"\18"`, `"\400"`, `"\777"`} {
		_, err := survey.Unquote(broken)
		require.Error(t, err, broken)
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("a\nb")
	f.Add(`"\n"`)
	f.Add("\xff\u202e`|")
	f.Fuzz(func(t *testing.T, name string) {
		quoted := survey.Quote(name)
		back, err := survey.Unquote(quoted)
		require.NoError(t, err)
		require.Equal(t, name, back)
		for _, r := range quoted {
			require.True(t, unicode.IsPrint(r) && r != '`' && r != '|', "%q", quoted)
		}
		again, _ := survey.Unquote(name) // any text may be read
		_ = survey.Quote(again)
	})
}

// names are such as could break what they are written into.
func names() *rapid.Generator[string] {
	nasty := rapid.SampledFrom([]string{
		"\n# Forged", "`", "``", "|", "<b>", "[x](y)", "![x](y)", "\x1b[2J", "\u202e", "\r", "../", "<!-- x -->", "www.x.invalid", "http://x.invalid", "\xff", " ", "-", "x",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(nasty, 1, 6).Draw(t, "parts"), "")
	})
}

func TestNoNameBreaksWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var files []survey.File
		for i := range rapid.IntRange(1, 12).Draw(t, "files") {
			words := names().Draw(t, "words")
			f := survey.File{Path: fmt.Sprintf("%s/%s%d", names().Draw(t, "folder"), names().Draw(t, "name"), i), Language: words, Kind: survey.Source, Lines: 5, Churn: i}
			if rapid.Bool().Draw(t, "out") {
				f.Skip, f.Reasons = survey.SkipGenerated, []string{words}
			} else {
				f.Entry = words
			}
			files = append(files, f)
		}
		ranked := survey.Rank(files)
		word := names().Draw(t, "word")
		m := survey.Map{Name: word, Commit: word, Branch: word, Since: word, History: word, Notes: []string{word}, Files: ranked}
		allowed := []string{"Discovery", "Languages", "Folders", "Entry points", "Riskiest files", "Changed most", "Left out"}
		for _, h := range whole(t, survey.Discovery(m)) {
			require.True(t, strings.HasPrefix(h, "generated (") || contains(allowed, h), h)
		}
		batches := survey.Batches(ranked, survey.Limits{Files: 3})
		for i, h := range whole(t, survey.BatchPlan(batches)) {
			require.Equal(t, []string{"Batch plan", fmt.Sprintf("Batch %d", i)}[min(i, 1)], h)
		}
		var reviewed []string
		for _, f := range ranked {
			if f.Reviewed() {
				reviewed = append(reviewed, f.Path)
			}
		}
		back, err := survey.ReadFileList(survey.FileList(ranked))
		require.NoError(t, err)
		require.Equal(t, reviewed, back)

		s := survey.State{
			Phase: survey.PhaseReview, Batch: 1, Batches: 2, Commit: word, Since: word, Findings: map[string]int{word: 1},
			Reviews:  []survey.Work{{Batch: 1, Reviewer: word, State: survey.Running}},
			Failures: []survey.Failure{{Batch: 1, Reviewer: word, Reason: word}},
		}
		for _, h := range whole(t, survey.Progress(s)) {
			require.True(t, contains([]string{"Progress of the review", "Findings", "Batches", "What went wrong"}, h), h)
		}
	})
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func TestADiscoverySaysWhatThereIs(t *testing.T) {
	files := []survey.File{
		classify("cmd/x/main.go", "package main\n\nfunc main() {}\n"), classify("README.md", "# X\n"), classify("go.sum", "x\n"), classify("vendor/a.go", "x\n"),
	}
	files[0].Churn = 3
	got := string(survey.Discovery(survey.Map{
		Name: "x", Commit: "0123456789", Branch: "main", Dirty: true, History: "7 commits of the year before HEAD", Notes: []string{"left out: 1 thing"}, Files: survey.Rank(files),
	}))
	require.Equal(t, `# Discovery

- Project: `+"`x`"+`
- Commit: `+"`0123456789` on `main`"+`, with changes that are not committed
- Files: 4, of them reviewed 1 with 3 lines, left out 3
- History: 7 commits of the year before HEAD
- left out: 1 thing

## Languages

| Language | Files | Lines |
|---|---:|---:|
| Go | 1 | 3 |

## Folders

| Folder | Files | Lines |
|---|---:|---:|
| `+"`cmd/x`"+` | 1 | 3 |

## Entry points

- `+"`cmd/x/main.go`"+`: main package

## Riskiest files

| Risk | File | Why |
|---:|---|---|
| 21.0 | `+"`cmd/x/main.go`"+` | 3 commits a year; 3 lines; entry point: main package |

## Changed most

- `+"`cmd/x/main.go`"+`: 3 commits

## Left out

### generated (1)

- `+"`go.sum`"+`: a lock file

### prose (1)

- `+"`README.md`"+`: Markdown

### vendored (1)

- `+"`vendor/a.go`"+`: in vendor/
`, got)
	require.Contains(t, string(survey.Discovery(survey.Map{})), "There is nothing to review.")
}

func TestAStateComesBack(t *testing.T) {
	s := survey.State{
		Version: 1, Run: "r", Phase: survey.PhaseReview, Batch: 2, Batches: 3, Files: 60, Lines: 9000, Findings: map[string]int{"high": 2, "odd": 1},
		Reviews: []survey.Work{
			{Batch: 1, Reviewer: "bug-hunter", Seat: "a", State: survey.Done, Findings: 3, Tries: 1},
			{Batch: 1, Reviewer: "stack-reviewer", Seat: "a", State: survey.Missing, Tries: 2},
			{Batch: 2, Reviewer: "bug-hunter", Seat: "b", State: survey.Running, Tries: 1},
		},
		Failures: []survey.Failure{{Batch: 1, Reviewer: "stack-reviewer", Reason: "no file came"}},
		Started:  time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC),
	}
	data, err := s.Encode()
	require.NoError(t, err)
	var back survey.State
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, s, back)
	require.Equal(t, `# Progress of the review

- Phase: review
- Batch: 2 of 3
- To review: 60 files, 9000 lines
- Started: 2024-05-01 12:00:00 UTC

## Findings

| Severity | Findings |
|---|---:|
| critical | 0 |
| high | 2 |
| medium | 0 |
| low | 0 |
| info | 0 |
| odd | 1 |
| all | 3 |

## Batches

| Batch | bug-hunter | stack-reviewer |
|---:|---|---|
| 1 | 3 findings | missing, try 2 |
| 2 | running |  |
| 3 |  |  |

## What went wrong

- Batch 1, stack-reviewer: no file came
`, string(survey.Progress(s)))
}

func TestTheProgressOfALongReviewStaysShort(t *testing.T) {
	s := survey.State{Phase: survey.PhaseReview, Batch: 1500, Batches: 3000}
	for n := range 3000 {
		s.Reviews = append(s.Reviews, survey.Work{Batch: n + 1, Reviewer: "bug-hunter", State: survey.Waiting})
	}
	text := string(survey.Progress(s))
	require.Contains(t, text, "| 1500 |")
	require.NotContains(t, text, "| 1 | w")
	require.Contains(t, text, "Not shown: 2900 more batches.")
}

func TestPathsOfAnyBytesPassThroughJSON(t *testing.T) {
	b := survey.Batch{Number: 1, Files: []survey.File{{Path: "a\xff\nb", Lines: 3}, {Path: `"q`}, {Path: "日"}}}
	data, err := json.Marshal(b)
	require.NoError(t, err)
	var back survey.Batch
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, b, back)
}

func TestSignificantFolders(t *testing.T) {
	src := func(path string, lines int) survey.File {
		return survey.File{Path: path, Kind: survey.Source, Language: "Go", Lines: lines}
	}
	main := src("cmd/x/main.go", 10)
	main.Entry = "main package"
	tests := []survey.File{src("e2e/a.go", 500), src("e2e/b.go", 500), src("e2e/c.go", 500)}
	for i := range tests {
		tests[i].Test = true
	}
	vendored := src("vendor/v.go", 5000)
	vendored.Skip = survey.SkipVendored
	deep := src("1/2/3/4/5/6/7/8/9/a.go", 5000)
	files := append(tests, main, vendored, deep, src("big/a.go", 300), src("small/a.go", 299), src("big/in/side/a.go", 1), src("big/in/side/b.go", 1), src("big/in/side/c.go", 1),
		survey.File{Path: "conf/a.yaml", Kind: survey.Config, Lines: 900})
	folders, more := survey.Significant(files)
	require.Zero(t, more)
	var got []string
	for _, d := range folders {
		got = append(got, fmt.Sprint(d.Path, d.Children))
	}
	require.Equal(t, []string{".[big cmd/x]", "big[big/in/side]", "big/in/side[]", "cmd/x[]"}, got)
	require.Equal(t, []string{"Go"}, folders[1].Languages)
	require.Equal(t, "cmd/x/main.go", folders[3].Entries[0].Path)

	var many []survey.File
	for i := range survey.MaxFolders + 5 {
		many = append(many, src(fmt.Sprintf("d%d/a.go", i), 300+i))
	}
	folders, more = survey.Significant(many)
	require.Len(t, folders, survey.MaxFolders)
	require.Equal(t, 6, more, "the top stays, the smallest go")
	none, _ := survey.Significant([]survey.File{vendored})
	require.Empty(t, none)
}

func TestAListOfFilesIsReadAsItWasWritten(t *testing.T) {
	list, err := survey.ReadFileList([]byte("a.go\r\n\n\"t\\tab.go\"\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"a.go", "t\tab.go"}, list, "a blank line names nothing, quotes hold what a line cannot")
	_, err = survey.ReadFileList([]byte("a.go\n\"never closed\n"))
	require.ErrorContains(t, err, "read the list of files")
}

// What is shown of a large repository is its largest part, with the sum of the rest.
func TestTheDiscoveryOfALargeRepositoryStaysShort(t *testing.T) {
	var files []survey.File
	for i := range 1000 {
		files = append(files, survey.File{Path: fmt.Sprintf("pkg%04d/main.go", i), Language: "Go", Kind: survey.Source, Entry: "main package", Lines: 1})
	}
	files[999].Lines = 50
	text := string(survey.Discovery(survey.Map{Files: files}))
	require.Contains(t, text, "| Go | 1000 | 1049 |")
	require.Contains(t, text, "| `pkg0999` | 1 | 50 |", "the largest folder is among those shown")
	require.NotContains(t, text, "| `pkg0998` |")
	require.Regexp(t, `\n\| (\d+) more \| (\d+) \| (\d+) \|\n`, text)
	require.Regexp(t, `\n- and \d+ more\n`, text)
	require.Less(t, strings.Count(text, "\n"), 500)
}
