package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
)

// homeOf is a machine with claude in its PATH, and a project.
func homeOf(t *testing.T) (program.Env, string) {
	t.Helper()
	home, bin, project := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	for _, name := range []string{"claude", "council", "council-hook"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755))
	}
	vars := map[string]string{"COUNCIL_CONFIG": filepath.Join(home, "config.yaml"), "HOME": home}
	return program.Env{Getenv: func(name string) string { return vars[name] }, Dir: project, Self: filepath.Join(bin, "council")}, project
}

// begunFor lays down a campaign of a session and, when it is its turn, what
// that is.
func begunFor(t *testing.T, e program.Env, project, name, session string, host flow.Process) (run *workspace.Folder, turn func(), records string) {
	t.Helper()
	req := request.Request{Topic: "Why?"}
	req.Name = name
	setup, err := prepare.Campaign(e, project, session, campaign.Research, req)
	require.NoError(t, err)
	setup.Host = host
	f, err := product.Begin(setup, time.Now())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	records = f.Join(workspace.Seats, flow.Host)
	return f, func() {
		require.NoError(t, f.Mkdir(workspace.Seats+"/"+flow.Host))
		data, err := json.Marshal(campaignwork.SessionTurn{
			Task: "explore/1/session", Role: "explore", Prompt: f.Join("session", "prompt.md"), Folder: records, Record: filepath.Join(records, "explore-1.md"),
		})
		require.NoError(t, err)
		require.NoError(t, f.Write(campaignwork.TurnFile, data))
	}, records
}

func at(e program.Env, project, session string) *Desk {
	vars := map[string]string{"CLAUDE_PROJECT_DIR": project, "CLAUDE_CODE_SESSION_ID": session}
	inner := e.Getenv
	e.Getenv = func(name string) string {
		if v, ok := vars[name]; ok {
			return v
		}
		return inner(name)
	}
	return NewDesk(e)
}

func TestTheDeskOfASessionSitsInItsIteration(t *testing.T) {
	e, project := homeOf(t)
	require.NoError(t, os.WriteFile(e.Getenv("COUNCIL_CONFIG"), []byte("search: {engines: [searxng], services: {searxng: {url: 'http://127.0.0.1:1'}}}\n"), 0o600))
	mine := at(e, project, "mine")
	require.Empty(t, mine.SearchKinds())
	_, err := mine.Find()
	require.ErrorIs(t, err, errNoIteration, "nothing was ever begun")
	require.False(t, mine.HasCampaign())
	left, err := os.ReadDir(project)
	require.NoError(t, err)
	require.Empty(t, left, "looking leaves nothing")

	f, turn, records := begunFor(t, e, project, "kettles", "mine", flow.Process{})
	_, err = at(e, project, "mine").Find()
	require.ErrorIs(t, err, errNoIteration, "it is not the session's turn yet")
	require.True(t, mine.HasCampaign(), "before its first turn")
	require.True(t, mine.HasCampaign())
	require.False(t, at(e, project, "another").HasCampaign())

	turn()
	o, err := at(e, project, "mine").Find()
	require.NoError(t, err)
	require.Equal(t, []string{f.Path, flow.Host, records, filepath.Join(records, "open.md")}, []string{o.Run, o.Seat, o.Dir, o.Open})
	_, err = at(e, project, "another").Find()
	require.ErrorIs(t, err, errNoIteration, "a session next door has no part in it")

	equipped, err := at(e, project, "mine").OpenArchive(o)
	require.NoError(t, err)
	require.NotNil(t, equipped.Archive)
	require.NotNil(t, equipped.Web, "it searches by the engines of its campaign")
	require.Equal(t, f.Join("turns", "explore-1-session-0"), equipped.Web.Turn(), "what that costs is told to its turn")
	require.Equal(t, []engine.Kind{engine.Web}, mine.SearchKinds())
	require.DirExists(t, f.Join("sources"))

	require.NoError(t, os.WriteFile(filepath.Join(records, "explore-1.md"), []byte("done\n"), 0o600))
	_, err = at(e, project, "mine").Find()
	require.ErrorIs(t, err, errNoIteration, "the iteration has ended")
	require.True(t, mine.HasCampaign(), "the next one may come")
	require.NoError(t, workspace.RemoveState(project, filepath.Base(f.Path)))
	require.False(t, mine.HasCampaign())
}

// A session whose context was cleared has another id than its desk was started
// with, but the same process.
func TestTheDeskOfASessionKnowsItsProcess(t *testing.T) {
	e, project := homeOf(t)
	parent, err := proc.Identify(os.Getppid())
	require.NoError(t, err)
	_, turn, _ := begunFor(t, e, project, "older", "elsewhere", flow.Process{PID: parent.PID, Start: parent.Start + "0"})
	turn()
	_, err = at(e, project, "before-clear").Find()
	require.ErrorIs(t, err, errNoIteration, "its process number has been given to another since")

	f, turn, _ := begunFor(t, e, project, "kettles", "after-clear", flow.Process{PID: parent.PID, Start: parent.Start})
	turn()
	o, err := at(e, project, "before-clear").Find()
	require.NoError(t, err)
	require.Equal(t, f.Path, o.Run)
	require.True(t, at(e, project, "before-clear").HasCampaign())
}
