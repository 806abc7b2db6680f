package seats_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/loopback"
)

// worker is the seat that can be trusted with a project.
func worker(t *testing.T) seat {
	s := seats[0]
	s.program = cli.Path(t, s.Name)
	return s
}

// atWork has a turn work in a repository of its own, with a desk in the run's
// folder there. The paths hold what a shell and a pattern would read.
func (s seat) atWork(t *testing.T, url, bin string) agent.Turn {
	return s.atWorkIn(t, "a project's [é] (*)", url, bin)
}

func (s seat) atWorkIn(t *testing.T, name, url, bin string) agent.Turn {
	turn := s.turn(t, &model{url: url})
	turn.Project = filepath.Join(filepath.Dir(turn.Dir), name)
	run := filepath.Join(turn.Project, "research", turn.Run)
	turn.Dir = filepath.Join(run, "seats", s.Name)
	turn.Report, turn.State = filepath.Join(turn.Dir, "code-1.md"), filepath.Join(turn.Dir, "state.txt")
	turn.Role, turn.MaxIterations, turn.Council = agent.Code, 1, bin
	require.NoError(t, os.MkdirAll(turn.Dir, 0o700))
	for _, args := range [][]string{
		{"init", "-q"},
		{"-c", "user.name=T", "-c", "user.email=t@t.invalid", "commit", "-q", "--allow-empty", "-m", "first"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = turn.Project
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	turn.Desk = []string{
		bin, "desk", "--run", run, "--seat", turn.Seat, "--dir", turn.Dir,
		"--open", filepath.Join(turn.Dir, "open.md"), "--plan", filepath.Join(run, "plan.json"), "--network", `{"private":["127.0.0.1"],"pace":1}`,
	}
	return turn
}

// results are the answers of tools in the last request of a session, by the
// number of the call.
func results(q loopback.Request) []gjson.Result {
	return gjson.GetBytes(q.Body, `messages.#(role=="user")#.content|@flatten|#(type=="tool_result")#`).Array()
}

func TestAWorkersAgentsWorkSideBySideAndHaveTheDesk(t *testing.T) {
	cli.InMatrix(t)
	s, bin, page := worker(t), council(t), site(t)
	both := []loopback.Call{
		{Name: "Agent", Input: map[string]any{"description": "one", "prompt": "Find one.", "subagent_type": "researcher"}},
		{Name: "Agent", Input: map[string]any{"description": "two", "prompt": "Find two.", "subagent_type": "analyst"}},
	}
	server := loopback.Anthropic(t, loopback.Scenario{Play: func(q loopback.Request) (loopback.Step, bool) {
		switch sub, done := strings.Contains(q.Session, "/"), len(results(q)); {
		case q.Inner != "":
			return loopback.Step{}, false
		case !sub && done == 0:
			return loopback.Step{Tools: both}, true
		case sub && done == 0: // late enough for the other to have asked
			claim := call("record_claim", map[string]any{"text": q.LastUser + " Water boils.", "quote": boils, "source": page})
			claim.Delay = 2 * time.Second
			return claim, true
		case sub:
			return loopback.Step{Text: "I have found it."}, true
		}
		return loopback.Step{Text: "done"}, true
	}})
	turn := s.atWork(t, server.URL, bin)
	turn.Agents = map[string]agent.Helper{
		"researcher": {Description: "Finds.", Prompt: "You find 'things', $HOME and `all`.", Tools: []string{"WebSearch", "Read", "mcp__desk__record_claim"}, Model: "sonnet"},
		"analyst":    {Description: "Analyses.", Prompt: "You read.", Tools: []string{"Read", "mcp__desk"}},
	}
	reply, _ := s.run(t, turn)
	require.Nil(t, reply.Fault)
	require.Equal(t, "done", reply.Text)
	turns := server.Turns()
	require.Len(t, turns, 6)
	require.NotEqual(t, turns[1].Session, turns[2].Session, "the second began before the first was answered")
	tools := map[string][]string{}
	for _, q := range turns[1:3] {
		tools[q.Model] = q.Tools
	}
	require.Contains(t, tools, "claude-sonnet-5-5", "by its alias")
	require.Contains(t, tools["claude-sonnet-5-5"], "WebSearch")
	require.Contains(t, tools["claude-sonnet-5-5"], "mcp__desk__record_claim")
	require.NotContains(t, tools["claude-sonnet-5-5"], "Bash")
	require.NotContains(t, tools["claude-sonnet-5-5"], "mcp__desk__list_claims")
	require.Contains(t, tools[s.model], "mcp__desk__list_claims", "a server's name stands for all its tools")
	found := texts(recorded(t, turn))
	slices.Sort(found)
	require.Equal(t, []string{"Find one. Water boils.", "Find two. Water boils."}, found)
	for _, r := range results(turns[5]) {
		require.Contains(t, r.Raw, "I have found it.", "the whole answer comes back in the foreground")
	}
	require.Greater(t, reply.Usage.Output, int64(5*50), "their tokens count")
}

// TestWhatAWorkerMayDo has the worker run commands one after another. What is
// said after a command is what it may not have written.
func TestWhatAWorkerMayDo(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	const run = "research/20260101-120000-abcdef/"
	bin := council(t)
	for name, c := range map[string]struct {
		role    string
		allow   []string
		passes  []string
		refused []string
	}{
		"code": {
			role: agent.Code, allow: []string{"Bash(go version)", "Bash(echo a, b)"},
			passes: []string{
				"git status --short", "git diff", "git log --oneline -1", "git show HEAD", "ls && git status",
				"council campaign end x", "cd research && council campaign end x", "council campaign end x; git status", "council campaign end x | head -3",
				bin + " campaign end x", agent.Shell([]string{bin}) + " campaign end x",
				"council campaign record - <<'EOF'\nWhat's found: 50% of $HOME; `x` (a|b) > c & \"d\"\nEOF",
				"council campaign record < " + run + "seats/claude/claude-settings.json",
				`printf '%s\n' '{"text":"x","quote":"y; $z & a | b"}' | council campaign record`,
				"go version", "go version && git status", "echo a, b",
				"echo x > main.go", "echo x > " + run + "seats/claude/questions.jsonl",
			},
			refused: []string{
				"git push", "git push origin main", "git commit -m x", "git add .", "git stash", "git status && git push", "go version; git push",
				"go vet ./...", "council run why", "council cancel", "council campaign run full-auto x y", "council campaign begin research", "council campaign resume", "rm -rf research", "ls /", "cat /etc/passwd", "env -i ls",
				"git diff --output=main.go", "git diff --no-index /dev/null /etc/passwd",
				"FOO=1 council campaign end x", "$(council campaign end x)", "council campaign end x > ../out",
				`council campaign record <<'EOF'` + "\n" + `{"text":"x"}` + "\nEOF", // braces beside quotes: a worker writes a file instead
				"echo x > .git/hooks/post-commit", "echo x > .claude/settings.json", "echo x > .mcp.json",
				"echo x > " + run + "journal.jsonl", "echo x > " + run + "registry.json", "echo x > " + run + "sources/index.jsonl",
				"echo x > " + run + "seats/claude/claude-settings.json", "echo x > " + run + "seats/claude/state.txt",
				"echo x > docs/research-a/feature-list.json", "echo x > docs/research-a/a-state.md", "echo x > docs/research-a/a-plan.tex",
				"echo x > docs/research-a/sources.bib", "echo x > docs/research-a/progress.txt", "echo x > docs/research-a/transcripts/a.md",
			},
		},
		"explore": {
			role:    agent.Explore,
			passes:  []string{"git log -1", "council campaign end x", "echo x > " + run + "seats/claude/questions.jsonl"},
			refused: []string{"echo x > main.go", "echo x > docs/a.md", "echo x > " + run + "seats/codex/claims.jsonl"},
		},
		"code of a person who lets it use git": {
			role: agent.Code, allow: []string{"Bash(git:*)"},
			passes: []string{"git branch other", "git status -s"},
			refused: []string{
				"git push", "git  push", "git commit -F - <<'EOF'\nx\nEOF", "echo x | git commit -F -", "(git push)", "command git push",
				"git status; git reset --hard", "git -C . push", "git -c a.b=c push", "git --no-pager push", "/usr/bin/git push", "GIT_DIR=x git push",
				"bash -c 'git push'", "git stash", "git checkout .", "git switch other", "git clean -fd", "git rebase HEAD", "git branch -D other",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := worker(t)
			commands := slices.Concat(c.passes, c.refused)
			server := loopback.Anthropic(t, loopback.Scenario{Play: func(q loopback.Request) (loopback.Step, bool) {
				if n := len(results(q)); q.Inner == "" && n < len(commands) {
					return loopback.Step{Shell: commands[n]}, true
				}
				return loopback.Step{Text: "done"}, q.Inner == ""
			}})
			turn := s.atWork(t, server.URL, bin)
			turn.Role, turn.Allow = c.role, c.allow
			reply, _ := s.run(t, turn)
			require.Nil(t, reply.Fault)
			turns := server.Turns()
			answers := results(turns[len(turns)-1])
			require.Len(t, answers, len(commands))
			var wrong []string
			for i, command := range commands {
				refused := answers[i].Get("is_error").Bool() && strings.Contains(answers[i].Raw, "denied")
				if refused != (i >= len(c.passes)) {
					wrong = append(wrong, fmt.Sprintf("%s: %.200s", command, answers[i].Get("content")))
				}
			}
			require.Empty(t, wrong)
			require.Contains(t, strings.Join(turns[0].Tools, " "), "Agent Bash Edit")
		})
	}
}

// A coder writes the project by its own program's tools, whoever it is: but not
// what the program keeps there, nor elsewhere.
func TestACoderWritesTheProjectByItsOwnTools(t *testing.T) {
	const run = "research/20260101-120000-abcdef/"
	bin := council(t)
	each(t, func(t *testing.T, s seat) {
		name := "a project's [é] (*)"
		if s.Name == "codex" { // takes such signs in a path for a pattern
			name = "a project's é"
		}
		written := []string{"new.go", "sub/new.go", "docs/research-notes.md", run + "seats/" + s.Name + "/feature.json"}
		refused := []string{run + "journal.jsonl", ".git/hooks/post-commit", "../beside.go"}
		if s.Name != "codex" { // what it writes of these is put back by the driver
			refused = append(refused, "docs/research-a/feature-list.json", "CLAUDE.md", "sub/.claude/settings.json")
		}
		var steps []loopback.Step
		server := vendors[s.Name](t, loopback.Scenario{Play: func(q loopback.Request) (loopback.Step, bool) {
			if q.Inner != "" || len(steps) == 0 {
				return loopback.Step{Text: "done"}, q.Inner == ""
			}
			step := steps[0]
			steps = steps[1:]
			return step, true
		}})
		turn := s.atWorkIn(t, name, server.URL, bin)
		turn.Shell = []string{bin}
		for _, dir := range []string{"sub/.claude", "docs/research-a"} {
			require.NoError(t, os.MkdirAll(filepath.Join(turn.Project, dir), 0o700))
		}
		for _, name := range slices.Concat(written, refused) {
			steps = append(steps, loopback.Step{Write: &loopback.File{Path: filepath.Join(turn.Project, name), Content: "new\n"}})
		}
		reply, _ := s.run(t, turn)
		require.Nil(t, reply.Fault)
		for _, name := range written {
			require.FileExists(t, filepath.Join(turn.Project, name))
		}
		for _, name := range refused {
			require.NoFileExists(t, filepath.Join(turn.Project, name))
		}
	})
}
