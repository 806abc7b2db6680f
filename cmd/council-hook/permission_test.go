package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/hook"
)

// wish is what a session asks its person for.
type wish struct {
	session, tool, mode string
	input               map[string]any
	cwd                 string // from the project
	env                 []string
	ruled               bool // a rule says to ask
}

// granted reports whether it is allowed in the person's place. Whatever else
// comes, the hook says nothing and ends with 0.
func (w wish) granted(t *testing.T, root string) bool {
	t.Helper()
	if w.session == "" {
		w.session = "mine"
	}
	offers := 1
	if w.ruled {
		offers = 0
	}
	in, err := json.Marshal(map[string]any{
		"session_id": w.session, "cwd": filepath.Join(root, w.cwd), "permission_mode": w.mode, "hook_event_name": "PermissionRequest",
		"tool_name": w.tool, "tool_input": w.input, "permission_suggestions": slices.Repeat([]string{"x"}, offers),
	})
	require.NoError(t, err)
	env := append([]string{"RESEARCH_COUNCIL_BIN=/no/such/council", "CLAUDE_PLUGIN_ROOT=/plug in", "CLAUDE_PROJECT_DIR=" + root}, w.env...)
	got := call(t, env, strings.NewReader(string(in)), "permission-request")
	if got.stdout == "" {
		require.Equal(t, answer{}, got)
		return false
	}
	require.Equal(t, answer{stdout: string(hook.PermitAnswer())}, got)
	return true
}

func bash(command string) wish {
	return wish{tool: "Bash", input: map[string]any{"command": command}}
}

func writing(path string) wish {
	return wish{tool: "Write", input: map[string]any{"file_path": path, "content": "council campaign end"}}
}

const desk = "research/" + id + "/seats/session/"

func TestWhatRecordsAnIterationIsAllowed(t *testing.T) {
	root := campaign(t)
	linked := filepath.Join(t.TempDir(), "linked")
	require.NoError(t, os.Symlink(root, linked))
	edit := writing(filepath.Join(root, desk, "explore-1.md"))
	edit.tool = "Edit"
	relative := writing("session/x.md")
	relative.cwd = "research/" + id + "/seats"
	behind := writing(filepath.Join(linked, desk, "x.md"))
	behind.env = []string{"CLAUDE_PROJECT_DIR=" + linked}
	real := writing(filepath.Join(root, desk, "x.md"))
	real.env = behind.env
	for name, w := range map[string]wish{
		"the next iteration":  bash("council campaign begin"),
		"a verb":              bash("council campaign end --file - <<'END'\nIt is done; $all of it.\nEND"),
		"a verb by its path":  bash("'/plug in/bin/council' campaign record --claims - < " + desk + "claims.jsonl"),
		"a file of its own":   bash("council campaign record --section report/a --file " + desk + "a.md"),
		"a file of the paper": bash("council campaign record --section plan/a --file " + filepath.Join(root, "docs/research-go-rust/a.md")),
		"the desk":            {tool: "mcp__plugin_research-council_desk__record_claim", input: map[string]any{"text": "x"}},
		"a record":            writing(filepath.Join(root, desk, "sections/report/analysis.md")),
		"an edit":             edit,
		"a file from the cwd": relative,
		"from the project":    writing(desk + "feature.json"),
		"behind a link":       behind,
		"before a link":       real,
	} {
		t.Run(name, func(t *testing.T) { require.True(t, w.granted(t, root)) })
	}
}

func TestAnythingElseIsLeftToThePerson(t *testing.T) {
	root := campaign(t)
	unboxed := bash("council campaign end")
	unboxed.input["dangerouslyDisableSandbox"] = true
	planning := bash("council campaign end")
	planning.mode = "plan"
	unplugged, nameless := bash("/bin/council campaign end"), bash("'' campaign end")
	unplugged.env, nameless.env = []string{"CLAUDE_PLUGIN_ROOT="}, []string{"CLAUDE_PLUGIN_ROOT="}
	ruled := bash("council campaign end")
	ruled.ruled = true
	home := writing("~/.bashrc")
	home.cwd = desk
	trimmed := writing(" /etc/passwd")
	trimmed.cwd = desk
	up := writing("../session/x.md")
	up.cwd = desk
	notebook := writing(filepath.Join(root, desk, "x.md"))
	notebook.tool = "NotebookEdit"
	for name, w := range map[string]wish{
		"another program":        bash("go test ./..."),
		"two programs":           bash("council campaign end; id"),
		"another verb":           bash("council campaign run research x y"),
		"another's council":      bash("/tmp/council campaign end"),
		"a PDF":                  bash("council pdf docs/research-go-rust/go-rust-report.tex"),
		"a file of the project":  bash("council campaign record --claims main.go"),
		"the project's .env":     bash("council campaign end --file - < .env"),
		"another seat's file":    bash("council campaign end --file research/" + id + "/seats/claude/x.md"),
		"another campaign":       bash("council campaign begin research --arguments - <<'A'\n'x' 'y'\nA"),
		"more money":             bash("council campaign begin continue-auto --arguments '--max-usd 500'"),
		"out of the sandbox":     unboxed,
		"in plan mode":           planning,
		"what a rule asks for":   ruled,
		"another server's tools": {tool: "mcp__desk__record_claim"},
		"another tool":           {tool: "WebFetch", input: map[string]any{"url": "https://a.invalid"}},
		"no tool":                {},
		"no command":             {tool: "Bash"},
		"no file":                {tool: "Write"},
		"the project's files":    writing(filepath.Join(root, "main.go")),
		"another seat's":         writing(filepath.Join(root, "research", id, "seats/claude/x.md")),
		"another run's":          writing(strings.Replace(filepath.Join(root, desk, "x.md"), "a1b2c3", "ffffff", 1)),
		"the folder itself":      writing(filepath.Join(root, desk)),
		"up and out":             writing(root + "/" + desk + "../../journal.jsonl"),
		"up and in":              up,
		"up and elsewhere":       writing(root + "/" + desk + "../../../../../etc/passwd"),
		"the like of it":         writing(filepath.Join(root, "x", desk, "x.md")),
		"a home":                 home,
		"a name that is trimmed": trimmed,
		"a name with a break":    writing(filepath.Join(root, desk, "x\n.md")),
		"the host's settings":    writing(filepath.Join(root, desk, ".claude/settings.json")),
		"a hidden file":          writing(filepath.Join(root, desk, "sections/.mcp.json")),
		"no plugin":              unplugged,
		"no program":             nameless,
		"a notebook":             notebook,
		"a relative project":     {tool: "Write", input: map[string]any{"file_path": "/" + desk + "x.md"}, env: []string{"CLAUDE_PROJECT_DIR=."}},
	} {
		t.Run(name, func(t *testing.T) { require.False(t, w.granted(t, root)) })
	}
}

func TestOnlyTheOwnerOfAnOpenCampaignIsAllowedAnything(t *testing.T) {
	root := campaign(t)
	council, _ := project(t, "research")
	closed := campaign(t)
	state := filepath.Join(closed, hook.StateFiles(id)[0])
	data, err := os.ReadFile(state)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(state, []byte(strings.Replace(string(data), "active: true", "active: false", 1)), 0o600))
	for _, w := range []wish{bash("council campaign end"), writing(desk + "x.md"), {tool: "mcp__plugin_research-council_desk__list_claims"}} {
		require.True(t, w.granted(t, root))
		require.False(t, w.granted(t, council), "a council is no campaign")
		require.False(t, w.granted(t, closed))
		require.False(t, w.granted(t, t.TempDir()))
		seat, other := w, w
		seat.env, other.session = []string{marker.ChildVariable + "=" + id}, "other"
		require.False(t, seat.granted(t, root))
		require.False(t, other.granted(t, root))
	}
}

// Whichever step on the way to a record is a link, a pipe or a file, the person
// is asked.
func TestARecordBehindALinkIsLeftToThePerson(t *testing.T) {
	const file = desk + "sections/report/analysis.md"
	for _, name := range []string{"research", "research/" + id, "research/" + id + "/seats", strings.TrimSuffix(desk, "/"), desk + "sections", desk + "sections/report", file} {
		t.Run(name, func(t *testing.T) {
			root := campaign(t)
			require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(root, file), nil, 0o600))
			require.True(t, writing(file).granted(t, root))
			path, outside := filepath.Join(root, name), filepath.Join(t.TempDir(), "outside")
			require.NoError(t, os.Rename(path, outside))
			require.NoError(t, os.Symlink(outside, path))
			require.False(t, writing(file).granted(t, root))
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Symlink("nowhere", path))
			require.False(t, writing(file).granted(t, root), "a link to nothing can be written through")
			require.NoError(t, os.Remove(path))
			require.NoError(t, proctest.NamedPipe(path))
			require.False(t, writing(file).granted(t, root))
		})
	}
}

// A table of commands a session may come to run: which campaign, which project,
// which limits and which files is never the session's to say.
func TestCommandsOfACampaignsSession(t *testing.T) {
	root := campaign(t)
	papers := filepath.Join(root, "docs/research-go-rust")
	require.NoError(t, os.MkdirAll(filepath.Join(papers, "turns/1"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(papers, "turns/1/r.jsonl"), nil, 0o600))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(papers, "link-to-etc")))
	data, err := os.ReadFile("testdata/commands.jsonl")
	require.NoError(t, err)
	type row struct{ Tool, Session, Command, Expect, Why string }
	rows := []row{
		{"Bash", "owner", strings.Repeat("A", 200_000), "not-allow", "a very long word"},
		{"Bash", "owner", "council campaign begin" + strings.Repeat(" ", 100_000) + "--project /x", "not-allow", "an argument behind many blanks"},
	}
	for line := range strings.Lines(string(data)) {
		var r row
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		rows = append(rows, r)
	}
	for _, r := range rows {
		command := strings.NewReplacer("$DIR", papers, "research-shop", "research-go-rust").Replace(r.Command)
		w := bash(command)
		w.session = map[string]string{"owner": "mine", "foreign": "other", "owner-of-none": "nobody", "child": "mine", "": " "}[r.Session]
		if r.Session == "child" {
			w.env = []string{marker.ChildVariable + "=" + id}
		}
		w.tool, _, w.input["dangerouslyDisableSandbox"] = strings.Cut(r.Tool, "+")
		allowed := w.granted(t, root)
		if r.Expect != "allow-or-ask" {
			require.Equal(t, r.Expect == "allow", allowed, "%s: %.200q", r.Why, r.Command)
		}
	}
}
