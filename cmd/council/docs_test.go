package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/program"
)

// documents are the Markdown files that people read, from this folder. Reports
// of examples are what runs have written, and changes tell of what was.
func documents(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../../*.md")
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir("../../docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") && !strings.Contains(path, "docs/examples/") {
			list = append(list, path)
		}
		return err
	}))
	return slices.DeleteFunc(list, func(path string) bool { return filepath.Base(path) == "CHANGELOG.md" })
}

// block is a fenced piece of a page: what stands behind the fence, and the lines
// in it.
type block struct{ info, text string }

func blocks(t *testing.T, page string) []block {
	t.Helper()
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	var list []block
	for _, m := range regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		list = append(list, block{m[1], m[2]})
	}
	return list
}

// What a page tells people to type works: the command is there, and so are its
// flags, and it takes so many arguments.
func TestTheCommandLinesOfPagesParse(t *testing.T) {
	lines := 0
	for _, page := range documents(t) {
		for _, b := range blocks(t, page) {
			if b.info != "" && b.info != "sh" && b.info != "sh run" {
				continue
			}
			for _, args := range commandLines(b.text) {
				lines++
				require.NoError(t, parses(args), "%s: council %s", page, strings.Join(args, " "))
			}
		}
	}
	require.Greater(t, lines, 100)
}

// A `council …` within a sentence may leave arguments out.
func TestTheCommandsInSentencesOfPagesExist(t *testing.T) {
	for _, page := range documents(t) {
		data, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile("`(?:bin/)?council ([^`\n]+)`").FindAllStringSubmatch(string(data), -1) {
			for _, args := range commandLines("council " + m[1]) {
				root := documentedRoot()
				if args[0] == "COMMAND" || strings.HasPrefix(args[0], "-") || args[0] == "…" {
					continue
				}
				c, rest, err := root.Find(args)
				require.NoError(t, err, "%s: council %s", page, m[1])
				require.NotEqual(t, root, c, "%s: council %s", page, m[1])
				require.NoError(t, flagsParse(c, rest), "%s: council %s", page, m[1])
			}
		}
	}
}

func documentedRoot() *cobra.Command {
	root := rootCommand(program.Env{Stdin: strings.NewReader(""), Stdout: &strings.Builder{}, Stderr: &strings.Builder{}, Getenv: func(string) string { return "" }})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

func parses(args []string) error {
	root := documentedRoot()
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if c == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return fmt.Errorf("no such command: %s", rest[0])
	}
	if err := flagsParse(c, rest); err != nil {
		return err
	}
	if help, _ := c.Flags().GetBool("help"); help {
		return nil
	}
	return c.ValidateArgs(c.Flags().Args())
}

// flagsParse reads flags; a value that a sentence leaves out is no fault.
func flagsParse(c *cobra.Command, args []string) error {
	c.InitDefaultHelpFlag()
	err := c.ParseFlags(args)
	if err != nil && strings.Contains(err.Error(), "needs an argument") {
		return nil
	}
	return err
}

// commandLines are the calls of council in lines for a shell: what it is given,
// a list each.
func commandLines(text string) [][]string {
	var list [][]string
	text = strings.ReplaceAll(text, "\\\n", " ")
	ending := ""
	for line := range strings.Lines(text) {
		if ending != "" { // within a here-document
			if strings.TrimSpace(line) == ending {
				ending = ""
			}
			continue
		}
		if m := regexp.MustCompile(`<<'?([A-Z]+)'?`).FindStringSubmatch(line); m != nil {
			ending = m[1]
			line = strings.Replace(line, m[0], "", 1)
		}
		for _, words := range simpleCommands(strings.TrimSpace(line)) {
			for len(words) > 0 && regexp.MustCompile(`^[A-Z_]+=`).MatchString(words[0]) {
				words = words[1:]
			}
			if len(words) > 1 && (words[0] == "council" || words[0] == "bin/council") {
				list = append(list, words[1:])
			}
		}
	}
	return list
}

// simpleCommands cuts a line of a shell into its commands and their words. What
// it is redirected from or to is left out, and so is a remark.
func simpleCommands(line string) [][]string {
	var list [][]string
	var words []string
	var word strings.Builder
	quote, begun := rune(0), false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == '#' && !begun:
			end()
			return append(list, withoutRedirections(words))
		case r == '|' || r == ';' || r == '&':
			end()
			list, words = append(list, withoutRedirections(words)), nil
		case r == ' ' || r == '\t':
			end()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return append(list, withoutRedirections(words))
}

func withoutRedirections(words []string) []string {
	var kept []string
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "<" || words[i] == ">" || words[i] == ">>":
			i++
		default:
			kept = append(kept, words[i])
		}
	}
	return kept
}

// What pages mark with "sh run" is run as it stands, by a shell, with no account
// and no network: each page in an empty folder.
func TestWhatPagesMarkIsRun(t *testing.T) {
	dir := t.TempDir()
	marked := 0
	for _, page := range documents(t) {
		var lines strings.Builder
		for _, b := range blocks(t, page) {
			if b.info == "sh run" {
				lines.WriteString(b.text)
			}
		}
		if lines.Len() == 0 {
			continue
		}
		marked++
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		script := "exec sh -e page.sh\n-- page.sh --\n" + lines.String()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(script), 0o600))
	}
	require.GreaterOrEqual(t, marked, 2)
	testscript.Run(t, testscript.Params{
		Dir: dir, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			if err := surround(e); err != nil {
				return err
			}
			e.Setenv("PATH", e.Getenv("PATH")+string(filepath.ListSeparator)+os.Getenv("PATH"))
			return nil
		},
	})
}

// What a run leaves in its folder has a row in the reference, by its name or by
// the folder it lies in.
func TestTheFilesOfARunAreTold(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/files.md")
	require.NoError(t, err)
	_, of, found := strings.Cut(string(page), "## In a run's folder\n")
	require.True(t, found)
	var told []string
	for _, m := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(of, -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			name, _, _ = strings.Cut(strings.Trim(name, "`"), "/")
			told = append(told, strings.ReplaceAll(name, "<seat>", "*"))
		}
	}
	dir := t.TempDir()
	script := "exec council run -q --seats librarian --scope notes 'When does the heater start?'\ntold research\n-- notes/a.md --\nThe heater starts when the water is below 58 degrees.\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.txtar"), []byte(script), 0o600))
	testscript.Run(t, testscript.Params{
		Dir: dir, Setup: surround,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"told": func(ts *testscript.TestScript, _ bool, args []string) {
			runs, err := filepath.Glob(ts.MkAbs(filepath.Join(args[0], "*", "journal.jsonl")))
			ts.Check(err)
			if len(runs) != 1 {
				ts.Fatalf("%d runs", len(runs))
			}
			entries, err := os.ReadDir(filepath.Dir(runs[0]))
			ts.Check(err)
			for _, e := range entries {
				hit := strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), ".lock") || slices.ContainsFunc(told, func(pattern string) bool {
					match, err := filepath.Match(pattern, e.Name())
					return err == nil && match
				})
				if !hit {
					ts.Fatalf("docs/reference/files.md has no row for %s", e.Name())
				}
			}
		}},
	})
}
