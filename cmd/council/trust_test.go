package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product"
)

// A run whose files are younger than it is came from elsewhere: only a person lets it
// start the programs it names.
func TestARunFromElsewhereIsTrustedByAPersonAlone(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	project := t.TempDir()
	f, err := product.Begin(flow.Setup{ID: campID, Workflow: "council", Topic: "Why?", Root: project, Seats: []flow.Seat{flow.LibrarianSeat()}}, time.Now().Add(-2*time.Hour))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	vars := map[string]string{}
	council := func(args ...string) (int, string) {
		var out bytes.Buffer
		e := program.Env{Stdin: strings.NewReader("y\n"), Stdout: &out, Stderr: &out, Dir: project, Self: "council", Getenv: func(name string) string { return vars[name] }}
		code := run(context.Background(), append([]string{"resume", campID}, args...), e)
		return code, out.String()
	}
	for _, args := range [][]string{nil, {"--detach"}} {
		code, said := council(args...)
		require.Equal(t, 1, code, said)
		require.Equal(t, 1, strings.Count(said, "\n"), said)
		require.Contains(t, said, "was not begun here")
		require.Contains(t, said, "`council resume "+campID+" --trust`")
		require.NotContains(t, said, "laid down")
	}
	vars[agent.ChildVariable] = "1"
	code, said := council("--trust")
	require.Equal(t, 2, code, said)
	require.Contains(t, said, "only a person can trust a run from elsewhere")
	require.ErrorIs(t, supervisor.CheckBegunHere(project, campID), supervisor.ErrForeign)
	delete(vars, agent.ChildVariable)
	_, said = council("--trust", "--input", "no-such-file")
	require.NotContains(t, said, "was not begun here")
	require.NoError(t, supervisor.CheckBegunHere(project, campID))
}

// A copy of a fleet's run is answered in the fleet, and worked on there alone, until a person
// takes it over.
func TestACopyOfAFleetsRunIsNotResumed(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	project := t.TempDir()
	f, err := product.Begin(flow.Setup{ID: campID, Workflow: "council", Topic: "Why?", Root: project, Seats: []flow.Seat{flow.LibrarianSeat()}}, time.Now().Add(-2*time.Hour))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, workspace.MarkMirrored(project, campID, workspace.Mirrored{Run: "council-e0f9", Store: "s3://runs?region=eu-west-1"}))
	vars := map[string]string{}
	council := func(args ...string) (int, string) {
		var out bytes.Buffer
		e := program.Env{Stdin: strings.NewReader("y\n"), Stdout: &out, Stderr: &out, Dir: project, Self: "council", Getenv: func(name string) string { return vars[name] }}
		code := run(context.Background(), append([]string{"resume", campID}, args...), e)
		return code, out.String()
	}
	facts, err := os.ReadFile(f.Join("journal.jsonl"))
	require.NoError(t, err)
	for _, args := range [][]string{nil, {"--trust"}, {"--confirm"}, {"--trust", "--input", "answers.json"}} {
		code, said := council(args...)
		require.Equal(t, 1, code, said)
		require.Equal(t, 1, strings.Count(said, "\n"), said)
		require.Contains(t, said, "council-e0f9 in s3://runs?region=eu-west-1")
		require.Contains(t, said, "`council-fleet answer council-e0f9 FILE`")
	}
	now, err := os.ReadFile(f.Join("journal.jsonl"))
	require.NoError(t, err)
	require.Equal(t, string(facts), string(now))
	vars[agent.ChildVariable] = "1"
	code, said := council("--from-fleet")
	require.Equal(t, 2, code, said)
	require.Contains(t, said, "only a person can take a run over from a fleet")
	delete(vars, agent.ChildVariable)
	_, said = council("--from-fleet", "--input", "no-such-file")
	require.Contains(t, said, "was not begun here", "whom it comes from is another question")
	require.NoError(t, supervisor.CheckNotMirrored(project, campID))
}
