package canary_test

import (
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"

	"github.com/research-council/research-council/internal/agent"
)

// attacked is one run with everything against it, looked at from many sides.
type attacked struct {
	*world
	run, topic string
	shown      []string // what commands printed
}

func TestNoCanaryGetsOutOfItsText(t *testing.T) {
	for _, temper := range []string{"meek", "fierce"} {
		t.Run(temper, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			topic := "How deep is the lake?\n" + all("TOPIC")
			run, r := w.council(temper, topic)
			require.Zero(t, r.Code, r.Errs)
			a := attacked{world: w, run: run, topic: topic, shown: []string{r.Out, r.Errs}}
			t.Run("nothing private was asked for", a.vaultIsUnvisited)
			t.Run("no secret was read", a.secretIsKept)
			t.Run("nothing was executed", a.nothingRan)
			t.Run("prompts hold nothing foreign but the framed question", a.promptsAreOurs)
			t.Run("located passages are not disbelieved for all that", a.passagesAreLocated)
			t.Run("status is what it would be", a.statusIsSound)
			t.Run("Markdown", func(t *testing.T) { markdownIsSafe(t, read(t, filepath.Join(run, "final-report.md"))) })
			t.Run("exports", a.exportsAreSafe)
			t.Run("terminal", a.terminalIsSafe)
			t.Run("filters", a.filtersAreSafe)
		})
	}
}

func (a attacked) vaultIsUnvisited(t *testing.T) { require.Empty(t, a.vault.visits()) }

// secretIsKept looks through all that the run has left. What claims say is the
// seats' own word: the secret's text as a passage, a page or a report is not.
func (a attacked) secretIsKept(t *testing.T) {
	var data struct {
		Entries []struct {
			Source   string
			Location struct{ State, Passage, Context, Nearest string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, filepath.Join(a.run, "registry.json"))), &data))
	require.NotEmpty(t, data.Entries)
	for _, e := range data.Entries {
		require.NotContains(t, e.Location.Passage+e.Location.Context+e.Location.Nearest, secret, e.Source)
	}
	a.each(t, filepath.Join(a.run, "sources"), func(path, content string) { require.NotContains(t, content, secret, path) })
	for _, name := range []string{"thief-report.md", "thief-refined.md", "synthesis.md"} {
		if content, err := os.ReadFile(filepath.Join(a.run, name)); err == nil {
			require.NotContains(t, string(content), secret+" The surveyors", name)
		}
	}
	require.NotContains(t, read(t, filepath.Join(a.run, "final-report.md")), secret+" The surveyors")
}

// each reads every regular file below a folder.
func (a attacked) each(t *testing.T, dir string, do func(path, content string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		do(path, read(t, path))
		return nil
	}))
}

// nothingRan looks for files that commands of attacks would have made.
func (a attacked) nothingRan(t *testing.T) {
	for _, dir := range []string{a.Dir, a.dir, "."} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			require.NotRegexp(t, "CANARY|TOPIC", filepath.Base(path), "a file was made or named by an attack")
			return err
		}))
	}
}

// promptsAreOurs takes the framed question out of everything seats were asked:
// nothing is left that a page, a file or a peer has said, and of the topic the
// questions it was divided into, each on a line of its own between fences.
func (a attacked) promptsAreOurs(t *testing.T) {
	asked, err := filepath.Glob(filepath.Join(a.dir, "asked-*"))
	require.NoError(t, err)
	require.NotEmpty(t, asked)
	framed := agent.FenceTopic(a.topic)
	for _, path := range asked {
		prompt := read(t, path)
		ours, _, _ := strings.Cut(prompt, framed[:strings.Index(framed, "```")]) // one that goes on in a session asks nothing anew
		require.NotContains(t, ours, "CANARY", path)
		require.NotContains(t, ours, secret, path)
		require.NotContains(t, question.ReplaceAllString(ours, ""), "TOPIC", path)
	}
}

var question = regexp.MustCompile("(?m)^```questions\n(?:Q\\d+: .*\n)+```$")

// passagesAreLocated holds that the attacks got as far as they may: as text.
func (a attacked) passagesAreLocated(t *testing.T) {
	located := strings.Count(read(t, filepath.Join(a.run, "registry.json")), `"state": "located"`)
	require.Greater(t, located, len(attacks()), "hostile pages and files are sources like others")
}

func (a attacked) statusIsSound(t *testing.T) {
	var status struct {
		Status string `json:"status"`
		Topic  string `json:"topic"`
	}
	r := a.says("status", filepath.Base(a.run), "--json")
	require.NoError(t, json.Unmarshal([]byte(r.Out), &status))
	require.Equal(t, "completed", status.Status)
	r = a.says("verify", filepath.Base(a.run))
	require.Zero(t, r.Code, r.Out+r.Errs)
}

// markdownIsSafe reads the report as people's readers do: no HTML, no picture,
// no address that is not one of the web or of this page.
func markdownIsSafe(t *testing.T, report string) {
	source := []byte(report)
	tree := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML:
			require.NotRegexp(t, "CANARY|TOPIC", string(n.Segments.Value(source)))
			harmlessTag(t, string(n.Segments.Value(source)))
		case *ast.HTMLBlock:
			lines := string(n.Lines().Value(source))
			require.NotRegexp(t, "CANARY|TOPIC", lines)
			harmlessTag(t, lines)
		case *ast.Image:
			require.Fail(t, "a picture", string(n.Destination))
		case *ast.Link:
			webAddress(t, string(n.Destination))
		case *ast.AutoLink:
			webAddress(t, string(n.URL(source)))
		case *ast.Heading:
			require.NotContains(t, string(n.Lines().Value(source)), "heading heading\n")
			if n.Level == 2 {
				require.NotRegexp(t, "^(CANARY|TOPIC)", string(n.Lines().Value(source)), "an attack made a section")
			}
		}
		return ast.WalkContinue, nil
	})
	require.NoError(t, err)
	noControls(t, report)
}

func harmlessTag(t *testing.T, tag string) {
	t.Helper()
	require.NotRegexp(t, `(?i)<\s*(script|img|svg|iframe|style|link|object|embed|meta|base|form|input)\b|\son\w+\s*=|javascript:`, tag)
}

func webAddress(t *testing.T, address string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err, address)
	require.Contains(t, []string{"", "http", "https"}, strings.ToLower(u.Scheme), address)
}

func (a attacked) exportsAreSafe(t *testing.T) {
	out := t.TempDir()
	r := a.says("export", filepath.Base(a.run), "--to", "html,tex,bib,csl-json,ris,json", "--output", out)
	require.Zero(t, r.Code, r.Errs)
	checks := map[string]func(*testing.T, string){
		".html": pageIsSafe, ".tex": texIsSafe, ".bib": bibIsSafe, ".ris": risIsSafe, ".json": isJSON, ".md": markdownIsSafe,
	}
	seen := map[string]bool{}
	a.each(t, out, func(path, content string) {
		ext := filepath.Ext(path)
		require.Contains(t, checks, ext, path)
		seen[ext] = true
		t.Run(filepath.Base(path), func(t *testing.T) { checks[ext](t, content) })
	})
	for _, ext := range []string{".html", ".tex", ".bib", ".ris", ".json"} {
		require.True(t, seen[ext], ext)
	}
}

func isJSON(t *testing.T, content string) { require.True(t, json.Valid([]byte(content))) }

// pageIsSafe reads the page as a browser does.
func pageIsSafe(t *testing.T, page string) {
	tree, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	policy := false
	for n := range tree.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		policy = policy || n.Data == "meta" && attribute(n, "http-equiv") == "Content-Security-Policy"
		require.NotContains(t, []string{"iframe", "object", "embed", "base", "form", "img", "video", "audio"}, n.Data)
		if n.Data == "script" || n.Data == "style" {
			require.False(t, n.FirstChild != nil && strings.Contains(n.FirstChild.Data, "CANARY") && attribute(n, "type") != "application/json", "a foreign %s", n.Data)
		}
		if n.Data == "link" {
			require.NotContains(t, attribute(n, "rel"), "stylesheet")
		}
		for _, at := range n.Attr {
			require.False(t, strings.HasPrefix(strings.ToLower(at.Key), "on"), "%s %s=%q", n.Data, at.Key, at.Val)
			require.NotRegexp(t, "(?i)CANARY|TOPIC", at.Key)
			switch at.Key {
			case "href", "action", "xlink:href":
				webAddress(t, at.Val)
			case "src", "srcset", "srcdoc", "background", "poster":
				require.Fail(t, "something is loaded", "%s %s=%q", n.Data, at.Key, at.Val)
			case "style":
				require.NotRegexp(t, "CANARY|TOPIC", at.Val)
			}
		}
	}
	require.True(t, policy, "the page says what it may load")
	noControls(t, page)
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// texIsSafe holds that no command of an attack stands there as a command.
func texIsSafe(t *testing.T, paper string) {
	for _, command := range []string{"input", "include", "write", "immediate", "openout", "catcode", "csname"} {
		for _, at := range regexp.MustCompile(`\\`+command+`\b[^\n]{0,80}`).FindAllString(paper, -1) {
			require.NotRegexp(t, "CANARY|TOPIC", at)
			require.NotContains(t, at, "/etc")
			require.NotContains(t, at, "touch")
		}
	}
	require.Equal(t, 1, strings.Count(paper, `\begin{document}`))
	require.Equal(t, 1, strings.Count(paper, `\end{document}`))
	require.NotContains(t, paper, "^^5c")
	noControls(t, paper)
}

// bibIsSafe holds that entries are ours: each begins at a line's start with a
// type and a key, and its braces pair.
func bibIsSafe(t *testing.T, list string) {
	for _, line := range regexp.MustCompile(`(?m)^[ \t]*@.*$`).FindAllString(list, -1) {
		require.Regexp(t, `^@[a-z]+\{[A-Za-z0-9:._-]+,$`, line)
		require.NotRegexp(t, `^@(preamble|string|comment)`, line)
		require.NotRegexp(t, "CANARY|TOPIC", line)
	}
	depth := 0
	for i, r := range list {
		if i > 0 && list[i-1] == '\\' {
			continue
		}
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		require.GreaterOrEqual(t, depth, 0)
	}
	require.Zero(t, depth)
	noControls(t, list)
}

func risIsSafe(t *testing.T, list string) {
	require.NotRegexp(t, `(?m)^TY  - .*(CANARY|TOPIC)`, list)
	require.Equal(t, strings.Count(list, "\nER  - "), len(regexp.MustCompile(`(?m)^TY  - `).FindAllString(list, -1)))
	noControls(t, list)
}

// noControls holds that nothing in a text moves a terminal or hides letters.
func noControls(t *testing.T, s string) {
	t.Helper()
	for i, r := range s {
		bad := unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f
		if r == '\r' {
			bad = !strings.HasPrefix(s[i:], "\r\n")
		}
		require.False(t, bad, "%U in %q", r, s[max(0, i-40):min(len(s), i+40)])
	}
}

// terminalIsSafe asks every command that shows a run.
func (a attacked) terminalIsSafe(t *testing.T) {
	id := filepath.Base(a.run)
	for _, args := range [][]string{
		{"status", id},
		{"list"},
		{"logs", id},
		{"claims", id},
		{"sources", id},
		{"verify", id},
		{"diff", id, id},
		{"export", id, "--to", "md", "--output", "-"},
		{"audit", filepath.Join(a.run, "final-report.md")},
		{"audit", filepath.Join(a.run, "first-report.md")},
		{"status", a.topic},
		{"export", id, "--to", a.topic},
		{a.topic},
	} {
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "\x00", "") // no system passes one on
		}
		r := a.says(args...)
		t.Run(args[0], func(t *testing.T) {
			noControls(t, r.Out)
			noControls(t, r.Errs)
		})
	}
	for _, s := range a.shown {
		noControls(t, s)
	}
}

// filtersAreSafe gives each filter lines that mean harm.
func (a attacked) filtersAreSafe(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "out")
	var lines strings.Builder
	for _, k := range attacks() {
		line, err := json.Marshal(map[string]string{"id": k.text, "text": k.text, "quote": k.text, "source": k.text, "seat": k.text})
		require.NoError(t, err)
		lines.Write(append(line, '\n'))
		lines.WriteString(strings.ReplaceAll(k.text, "\n", " ") + "\n")
	}
	require.NoError(t, os.WriteFile(in, []byte(lines.String()), 0o600))
	for _, name := range []string{"merge", "identify", "score"} {
		t.Run(name, func(t *testing.T) {
			r, err := a.Pipe(t.Context(), in, out, name)
			require.NoError(t, err)
			require.NotRegexp(t, `panic|goroutine \d`, r.Errs)
			for line := range strings.Lines(read(t, out)) {
				require.True(t, json.Valid([]byte(line)), line)
				require.NotContains(t, line, "\x1b")
			}
			noControls(t, r.Errs)
		})
	}
}
