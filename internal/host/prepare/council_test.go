package prepare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product"
)

// house is a machine with the given programs in its PATH, and a project.
func house(t *testing.T, conf string, programs ...string) (program.Env, string) {
	t.Helper()
	home, bin, project := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	for _, name := range append(programs, "council", "council-hook") {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755))
	}
	file := filepath.Join(home, "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte(conf), 0o600))
	vars := map[string]string{"COUNCIL_CONFIG": file, "HOME": home}
	return program.Env{Getenv: func(name string) string { return vars[name] }, Dir: project, Self: filepath.Join(bin, "council")}, project
}

func TestWhatARunIsSetUpWith(t *testing.T) {
	for name, c := range map[string]struct {
		conf string
		req  request.Request
		want func(t *testing.T, s flow.Setup)
	}{
		"as configured": {"", request.Request{}, func(t *testing.T, s flow.Setup) {
			require.Equal(t, "max", s.Tier)
			require.Equal(t, 10, s.Loop.Iterations)
			require.Equal(t, 8*time.Hour, s.Limits.Time)
			require.Zero(t, s.Limits.USD)
			require.Equal(t, (10+5)*2*2+(3+5)*2*5+6+3, s.Limits.Turns)
			require.Equal(t, 2*time.Hour, s.Turn)
		}},
		"under test": {"", request.Request{Test: true}, func(t *testing.T, s flow.Setup) {
			require.Equal(t, "cheap", s.Tier)
			require.Equal(t, 2, s.Loop.Iterations)
			require.Equal(t, 30*time.Minute, s.Limits.Time)
			require.InDelta(t, 1, s.Limits.USD, 0)
		}},
		"a test keeps its cap on money": {"", request.Request{Test: true, USD: 50}, func(t *testing.T, s flow.Setup) {
			require.InDelta(t, 1, s.Limits.USD, 0)
		}},
		"a test may cost less": {"", request.Request{Test: true, USD: 0.25, Iterations: 4, Tier: "standard", Minutes: 7}, func(t *testing.T, s flow.Setup) {
			require.InDelta(t, 0.25, s.Limits.USD, 0)
			require.Equal(t, 4, s.Loop.Iterations)
			require.Equal(t, "standard", s.Tier)
			require.Equal(t, 7*time.Minute, s.Limits.Time)
		}},
		"what is asked for goes before what is configured": {
			"limits: {usd: 3, iterations: 4, turns: 9, turn_minutes: 5}\ntier: standard\n",
			request.Request{USD: 7, Iterations: 2, Tier: "max"},
			func(t *testing.T, s flow.Setup) {
				require.InDelta(t, 7, s.Limits.USD, 0)
				require.Equal(t, 2, s.Loop.Iterations)
				require.Equal(t, "max", s.Tier)
				require.Equal(t, 9, s.Limits.Turns)
				require.Equal(t, 5*time.Minute, s.Turn)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, project := house(t, c.conf, "claude", "codex")
			c.req.Topic = "How?"
			s, err := Council(e, project, c.req)
			require.NoError(t, err)
			require.True(t, workspace.ValidID(s.ID))
			require.Equal(t, project, s.Root)
			c.want(t, s)
		})
	}
}

func TestWhoTakesPart(t *testing.T) {
	e, project := house(t, "", "claude", "codex")
	s, err := Council(e, project, request.Request{Topic: "How?"})
	require.NoError(t, err)
	require.Len(t, s.Seats, 2)
	require.Equal(t, filepath.Dir(e.Self), filepath.Dir(s.Seats[0].Program))
	require.Equal(t, []flow.Missing{{Seat: "gemini", Reason: "not found in PATH; install it with: npm install -g @google/gemini-cli"}}, s.Missing)

	s, err = Council(e, project, request.Request{Topic: "How?", Seats: []string{"librarian", "claude"}})
	require.NoError(t, err)
	require.Len(t, s.Seats, 4, "the librarian is three seats")

	require.NoError(t, os.Remove(filepath.Join(filepath.Dir(e.Self), "council-hook")))
	_, err = Council(e, project, request.Request{Topic: "How?"})
	require.ErrorContains(t, err, "council-hook is not to be found beside")
	_, err = Council(e, project, request.Request{Topic: "How?", Seats: []string{"librarian"}})
	require.NoError(t, err, "the librarian needs no hook")

	e, project = house(t, "")
	s, err = Council(e, project, request.Request{Topic: "How?"})
	require.NoError(t, err)
	require.Equal(t, config.Librarians(), []string{s.Seats[0].Name, s.Seats[1].Name, s.Seats[2].Name})
	require.Len(t, s.Missing, 3, "those who were expected are named all the same")
	require.False(t, s.Unreviewed, "nobody has asked for a review")
	s, err = Council(e, project, request.Request{Topic: "How?", Seats: []string{"librarian"}, Review: true})
	require.NoError(t, err)
	require.Empty(t, s.Panel)
	require.True(t, s.Unreviewed)
}

func TestAnyQuestionReachesTheJournalWhole(t *testing.T) {
	for name, topic := range map[string]string{
		"quotes and shell":     "it's \"so\" $(id) `id` $HOME * ? ; & |",
		"front matter":         "a\n---\nactive: false\nphase: done\n---\nb",
		"a NUL and controls":   "a\x00b\x1b[2J\r\x7f\u0085",
		"right to left":        "\u202eabc\u202c \u2066def\u2069 مرحبا",
		"line separators, BOM": "\ufeffa\u2028b\u2029c",
		"HTML and JSON":        `<script>"}\u0000{"</script>`,
		"200 KB":               strings.Repeat("Как это работает? ", 8000),
	} {
		t.Run(name, func(t *testing.T) {
			e, project := house(t, "")
			s, err := Council(e, project, request.Request{Topic: topic})
			require.NoError(t, err)
			s.Session = "a-session"
			f, err := product.Begin(s, time.Now())
			require.NoError(t, err)
			require.NoError(t, f.Close())
			r, err := supervisor.Read(project, s.ID)
			require.NoError(t, err)
			require.Equal(t, topic, r.Setup.Topic)
			state, err := workspace.ReadState(project, s.ID)
			require.NoError(t, err)
			require.True(t, state.Active)
			require.Equal(t, "research", state.Phase)
		})
	}
}

func TestAScopeIsResolved(t *testing.T) {
	project, other := t.TempDir(), t.TempDir()
	real, err := filepath.EvalSymlinks(project)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(project, "docs"), 0o700))
	require.NoError(t, os.Symlink("docs", filepath.Join(project, "inside")))
	require.NoError(t, os.Symlink(other, filepath.Join(project, "outside")))
	for scope, want := range map[string]string{".": real, "docs": filepath.Join(real, "docs"), "./docs/": filepath.Join(real, "docs")} {
		got, err := Scope(project, request.Request{Scope: scope})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(project, "app", "web"), 0o700))
	for scope, want := range map[string]string{"../docs": "app", "../../docs": "app/web", ".": "docs", "../docs/../docs": "docs"} {
		got, err := Scope(project, request.Request{Scope: scope, ScopeFrom: filepath.Join(project, want)})
		require.NoError(t, err, "from a subfolder")
		require.Equal(t, filepath.Join(real, "docs"), got)
	}
	for scope, problem := range map[string]string{
		"outside": "leads to", "inside": "through a symlink", other: "by a relative path", project: "by a relative path",
		"..": "leads to", "docs/../..": "leads to", "docs/../inside": "through a symlink",
	} {
		_, err = Scope(project, request.Request{Scope: scope})
		require.ErrorContains(t, err, problem, scope)
		require.ErrorContains(t, err, "--scope-outside", scope)
	}
	got, err := Scope(project, request.Request{Scope: other, ScopeOutside: true})
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(got))
}
