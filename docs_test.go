package council_test

import (
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark/ast"

	"github.com/research-council/research-council/internal/base/commonmark"
)

// pages are the Markdown files that people read here, from the module's root.
func pages(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("*.md")
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir("docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			list = append(list, path)
		}
		return err
	}))
	require.Contains(t, list, "README.md")
	require.Contains(t, list, filepath.FromSlash("docs/guide/first-council.md"))
	return list
}

const mostOfREADME = 6 << 10

func TestTheREADMEIsShort(t *testing.T) {
	require.LessOrEqual(t, len(text(t, "README.md")), mostOfREADME, "it is for whoever sees this for the first time; the rest stands in docs")
}

func TestLinksLeadSomewhere(t *testing.T) {
	anchors := map[string]map[string]bool{}
	for _, page := range pages(t) {
		for _, to := range links(t, page) {
			u, err := url.Parse(to)
			require.NoError(t, err, "%s: %s", page, to)
			if u.Scheme != "" {
				require.Contains(t, []string{"http", "https"}, u.Scheme, "%s: %s", page, to)
				continue
			}
			file := page
			if u.Path != "" {
				require.False(t, strings.HasPrefix(u.Path, "/"), "%s: %s", page, to)
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(u.Path))
				_, err := os.Stat(file)
				require.NoError(t, err, "%s: %s", page, to)
			}
			if u.Fragment == "" {
				continue
			}
			require.True(t, strings.HasSuffix(file, ".md"), "%s: %s", page, to)
			if anchors[file] == nil {
				anchors[file] = anchorsOf(t, file)
			}
			require.True(t, anchors[file][u.Fragment], "%s: %s: %s has no such heading", page, to, file)
		}
	}
}

// links are the destinations of a page's links and pictures.
func links(t *testing.T, page string) []string {
	t.Helper()
	var list []string
	require.NoError(t, ast.Walk(commonmark.Parse([]byte(text(t, page)), commonmark.GitHub).Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Link:
				list = append(list, string(n.Destination))
			case *ast.Image:
				list = append(list, string(n.Destination))
			}
		}
		return ast.WalkContinue, nil
	}))
	return list
}

// anchorsOf are the places of a page that a link can lead to, as code hosts name
// them: its headings, and what has an id of its own.
func anchorsOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	source := []byte(text(t, page))
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(`<a (?:id|name)="([^"]+)"`).FindAllSubmatch(source, -1) {
		all[string(m[1])] = true
	}
	require.NoError(t, ast.Walk(commonmark.Parse(source, commonmark.GitHub).Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, is := n.(*ast.Heading); is && entering {
			name := slug(words(h, source))
			for again, plain := 1, name; all[name]; again++ {
				name = plain + "-" + strconv.Itoa(again)
			}
			all[name] = true
		}
		return ast.WalkContinue, nil
	}))
	return all
}

func words(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if leaf, is := c.(*ast.Text); is {
			b.Write(leaf.Segment.Value(source))
			continue
		}
		b.WriteString(words(c, source))
	}
	return b.String()
}

func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, heading)
}

// Every page can be reached from the index or from the README.
func TestEveryPageIsLinkedTo(t *testing.T) {
	reached, open := map[string]bool{"README.md": true}, []string{"README.md"}
	for len(open) > 0 {
		page := open[0]
		open = open[1:]
		for _, to := range links(t, page) {
			to, _, _ = strings.Cut(to, "#")
			file := filepath.Join(filepath.Dir(page), filepath.FromSlash(to))
			if strings.HasSuffix(file, ".md") && !strings.Contains(to, ":") && !reached[file] {
				reached[file] = true
				open = append(open, file)
			}
		}
	}
	for _, page := range pages(t) {
		if strings.HasPrefix(page, "docs") && filepath.Base(filepath.Dir(page)) != "adr" {
			require.True(t, reached[page], "%s: nothing leads to it", page)
		}
	}
}

// What a page says is shown by a test is shown by one that is there.
func TestTheTestsThatPagesNameExist(t *testing.T) {
	out, err := exec.Command("git", "grep", "-hoE", "^func (Test|Benchmark|Fuzz)[A-Za-z0-9_]+", "--", "*_test.go").Output()
	if err != nil {
		t.Skip("no git repository: ", err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		known[strings.TrimSpace(strings.TrimPrefix(line, "func "))] = true
	}
	named := 0
	for _, page := range pages(t) {
		for _, m := range regexp.MustCompile("`((?:Test|Benchmark)[A-Z][A-Za-z0-9]+)`").FindAllStringSubmatch(text(t, page), -1) {
			named++
			require.True(t, known[m[1]], "%s: %s", page, m[1])
		}
	}
	require.Positive(t, named)
}

func TestTheSlashCommandsThatPagesNameExist(t *testing.T) {
	named := 0
	for _, page := range pages(t) {
		for _, m := range regexp.MustCompile(`/research-council:([a-z-]+)`).FindAllStringSubmatch(text(t, page), -1) {
			named++
			require.FileExists(t, "commands/"+m[1]+".md", page)
		}
	}
	require.Positive(t, named)
}

// The targets of make that pages name are there.
func TestTheTargetsThatPagesNameExist(t *testing.T) {
	makefile := text(t, "Makefile")
	for _, page := range pages(t) {
		for _, m := range regexp.MustCompile("(?m)(?:`|^|&& )make ([a-z-]+)").FindAllStringSubmatch(text(t, page), -1) {
			require.Regexp(t, "(?m)^"+m[1]+":", makefile, "%s: make %s", page, m[1])
		}
	}
}

// What is installed by an address is installed from where the module lies: `make
// module` moves both.
func TestTheAddressesOfTheREADMEAreTheModules(t *testing.T) {
	module := regexp.MustCompile(`(?m)^module (github\.com/(\S+))$`).FindStringSubmatch(text(t, "go.mod"))
	require.NotNil(t, module)
	for _, page := range []string{"README.md", filepath.FromSlash("docs/hosts.md")} {
		for _, line := range []string{
			"claude plugin install research-council --marketplace " + module[2] + "@release",
			"gemini extensions install https://" + module[1],
			"curl -fsSL https://" + module[1] + "/releases/latest/download/install.sh ",
		} {
			require.Contains(t, text(t, page), line, page)
		}
	}
}

// The figures that the README shows are those that were measured.
func TestTheFiguresOfTheREADMEAreMeasured(t *testing.T) {
	evaluation := text(t, "docs/EVALUATION.md")
	measured := map[string]string{
		"planted faults found, of " + strconv.Itoa(kindsOfFaults(evaluation)) + " kinds": "recall over all faults",
		"honest claims refused or wrongly marked":                                        "false alarms over all honest twins",
		"faults the report cites as if they were sound":                                  "planted faults that the final report cites as if they were sound",
		"a byte turned over in a finished run is found":                                  "one byte turned over in the journal, in what was published or in the archive is found",
	}
	rows := table(t, "README.md", "promise")
	require.Len(t, rows, len(measured))
	for _, row := range rows {
		require.Contains(t, measured, row[0])
		require.Contains(t, evaluation, "| "+measured[row[0]]+" | "+row[1]+" | "+row[2]+" |", row[0])
	}
}

// kindsOfFaults counts the rows of the table of planted faults.
func kindsOfFaults(evaluation string) int {
	return len(regexp.MustCompile(`(?m)^\| [^|]+ \| (?:quotation|source) \| `).FindAllString(evaluation, -1))
}
