package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// visitor is the SDK's own client at `council mcp`.
type visitor struct {
	*host
	*mcp.ClientSession
	shown atomic.Pointer[string] // what the person was asked last
	told  atomic.Int64           // notifications of progress
}

// visit starts the server with a client whose person answers as told; nil for one that
// cannot ask them.
func (h *host) visit(person *mcp.ElicitResult) *visitor {
	program, err := exec.LookPath("council")
	require.NoError(h, err)
	cmd := exec.Command(program, "mcp")
	cmd.Dir, cmd.Env = h.project, h.environ
	v := &visitor{host: h}
	o := &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { v.told.Add(1) }}
	if person != nil {
		o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			v.shown.Store(&r.Params.Message)
			return person, nil
		}
	}
	v.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(h.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(h, err)
	h.Cleanup(func() { _ = v.Close() }) // it may be closed
	return v
}

// ask calls a tool and gives its text, its data, and whether it refused.
func (v *visitor) ask(tool string, args map[string]any) (text string, data gjson.Result, refused bool) {
	v.Helper()
	p := &mcp.CallToolParams{Name: tool, Arguments: args}
	p.SetProgressToken(tool)
	r, err := v.CallTool(v.Context(), p)
	require.NoError(v, err)
	require.Len(v, r.Content, 1)
	out, err := json.Marshal(r.StructuredContent)
	require.NoError(v, err)
	return r.Content[0].(*mcp.TextContent).Text, gjson.ParseBytes(out), r.IsError
}

// TestAWholeRunOverMCP plans, begins, awaits and reads a run of the librarian.
func TestAWholeRunOverMCP(t *testing.T) {
	t.Parallel()
	for name, person := range map[string]*mcp.ElicitResult{"the person is asked": {Action: "accept", Content: map[string]any{"yes": true}}, "the client cannot ask": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			v := h.visit(person)
			text, plan, refused := v.ask("plan_council", map[string]any{"question": "When does the kettle rest?", "scope": "docs", "web": true, "max_usd": 4, "max_minutes": 30})
			require.False(t, refused, text)
			require.Contains(t, text, "at most $4.00, 30m00s")
			require.Contains(t, text, "web      searched by openalex, ")
			require.Empty(t, h.runs(), "a plan is no run")
			text, begun, refused := v.ask("start_council", map[string]any{"plan": plan.Get("plan").Str, "code": plan.Get("code").Str})
			require.False(t, refused, text)
			require.Equal(t, []string{begun.Get("run").Str}, h.runs())
			if person != nil {
				require.Contains(t, *v.shown.Load(), "When does the kettle rest?")
				require.Contains(t, *v.shown.Load(), "at most $4.00, 30m00s")
			}
			r, err := supervisor.Read(h.project, begun.Get("run").Str)
			require.NoError(t, err)
			require.Equal(t, "When does the kettle rest?", r.Setup.Topic)
			require.Equal(t, filepath.Join(h.project, "docs"), r.Setup.Scope)
			require.Equal(t, 4.0, r.Setup.Limits.USD)
			require.True(t, r.Setup.Web)
			require.Empty(t, r.Setup.Session, "it is no session's")

			for text = ""; !strings.Contains(text, "Next: report"); {
				text, _, refused = v.ask("wait", map[string]any{"seconds": 60})
				require.False(t, refused, text)
			}
			require.Positive(t, v.told.Load())
			_, claims, _ := v.ask("claims", nil)
			require.Positive(t, claims.Get("total").Int())
			require.False(t, claims.Get("preliminary").Bool())
			_, passage, _ := v.ask("passage", map[string]any{"claim": claims.Get("claims.0.id").Str})
			require.Equal(t, "The kettle rests while it is empty.", passage.Get("passages.0.passage").Str)
			require.True(t, passage.Get("passages.0.stored").Bool())
			text, report, _ := v.ask("report", nil)
			require.Contains(t, text, "The kettle rests while it is empty")
			require.FileExists(t, report.Get("file").Str)
			_, disputes, _ := v.ask("disputes", nil)
			require.Zero(t, disputes.Get("total").Int())
			text, again, _ := v.ask("start_council", map[string]any{"plan": plan.Get("plan").Str, "code": plan.Get("code").Str})
			require.True(t, again.Get("already").Bool(), text)
			require.Len(t, h.runs(), 1)
			text, _, refused = v.ask("cancel", map[string]any{"run": begun.Get("run").Str})
			require.False(t, refused)
			require.Contains(t, text, "has ended already (completed")
			require.NoError(t, v.Close(), "the program ends with status 0")
		})
	}
}

// A client of the protocol before asks the person when the server does.
func TestThePersonIsAskedByAnOlderClient(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.start()
	h.message(map[string]any{"jsonrpc": "2.0", "id": "h", "method": "initialize", "params": map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"elicitation": map[string]any{}}, "clientInfo": map[string]any{"name": "test", "version": "0"}}})
	h.answer(`"h"`)
	h.message(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	h.call(2, "plan_council", map[string]any{"question": "When does the kettle rest?"}, nil)
	plan := gjson.Get(h.answer("2"), "result.structuredContent")
	h.call(3, "start_council", map[string]any{"plan": plan.Get("plan").Str, "code": plan.Get("code").Str}, nil)
	asked := ""
	for asked == "" {
		<-h.more
		h.mu.Lock()
		for _, line := range h.lines {
			if gjson.Get(line, "method").Str == "elicitation/create" {
				asked = line
			}
		}
		h.mu.Unlock()
	}
	require.Empty(t, h.runs())
	require.Contains(t, gjson.Get(asked, "params.message").Str, "Begin this council?")
	h.message(map[string]any{"jsonrpc": "2.0", "id": gjson.Get(asked, "id").Value(), "result": map[string]any{"action": "accept", "content": map[string]any{"yes": true}}})
	require.Contains(t, h.answer("3"), "has begun and goes on by itself")
	require.Len(t, h.runs(), 1)
}

// Whoever is asked and does not say yes begins nothing, whatever the model sends.
func TestThePersonsWordCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		person *mcp.ElicitResult
		then   string
	}{
		{&mcp.ElicitResult{Action: "decline"}, "is void: the person has said no to it"},
		{&mcp.ElicitResult{Action: "accept", Content: map[string]any{"yes": false}}, "is void: the person has said no to it"},
		{&mcp.ElicitResult{Action: "cancel"}, "the person has not said yes"},
	} {
		h := newHost(t)
		v := h.visit(c.person)
		_, plan, _ := v.ask("plan_council", map[string]any{"question": "When does the kettle rest?"})
		for _, want := range []string{", and nothing began", c.then} {
			text, _, refused := v.ask("start_council", map[string]any{"plan": plan.Get("plan").Str, "code": plan.Get("code").Str})
			require.True(t, refused)
			require.Contains(t, text, want)
		}
		require.Empty(t, h.runs())
	}
}

// A note is the person's: asked, they say it from within any agent; where they cannot be
// asked it is refused there, as at the command line.
func TestANoteIsThePersons(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	require.NoError(t, os.WriteFile(h.config, []byte("seats: [librarian]\ncommands: {local: {program: fake-seat, args: [wait], model: m}}\n"), 0o600))
	id := h.begin()
	h.environ = append(h.environ, "CLAUDECODE=1")
	silent, asked := h.visit(nil), h.visit(&mcp.ElicitResult{Action: "accept", Content: map[string]any{"yes": true}})
	text, _, refused := silent.ask("note", map[string]any{"run": id, "text": "Mind the lid."})
	require.True(t, refused, text)
	require.Contains(t, text, "only a person can say something to a run")
	text, _, refused = asked.ask("note", map[string]any{"run": id, "text": "Mind the lid."})
	require.False(t, refused, text)
	require.Contains(t, *asked.shown.Load(), "Mind the lid.")
}

func TestAServerOutsideOfAProject(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.project = "/"
	program, err := exec.LookPath("council")
	require.NoError(t, err)
	for _, dir := range []string{"/", h.home} {
		cmd := exec.Command(program, "mcp")
		cmd.Dir, cmd.Env = dir, h.environ
		v := &visitor{host: h}
		v.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		require.NoError(t, err)
		text, _, refused := v.ask("plan_council", map[string]any{"question": "Why?"})
		require.True(t, refused)
		require.Contains(t, text, "`council mcp --project DIR`")
		require.NoError(t, v.Close())
	}
	h.project = h.home
	out, err := h.council("mcp", "--project", filepath.Join(h.home, "nowhere"))
	require.Error(t, err)
	require.Empty(t, out)
}

// What was approved is what runs: not another server's plan, nor one whose seats are others
// by now.
func TestAPlanIsItsServers(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	one, other := h.visit(nil), h.visit(nil)
	_, plan, _ := one.ask("plan_council", map[string]any{"question": "When does the kettle rest?", "seats": []string{"librarian", "codex"}})
	yes := map[string]any{"plan": plan.Get("plan").Str, "code": plan.Get("code").Str}
	text, _, refused := other.ask("start_council", yes)
	require.True(t, refused)
	require.Contains(t, text, "there is no such plan here")
	programs, err := filepath.Glob(filepath.Join(filepath.Dir(h.project), "bin", "codex"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(programs[0]))
	text, _, refused = one.ask("start_council", yes)
	require.True(t, refused)
	require.Contains(t, text, "nothing began: since the plan was made who can take part has changed")
	require.Contains(t, text, "codex: not found in PATH")
	require.Empty(t, h.runs())
}

// A run is nobody's connection: its server may be killed, and its supervisor too, which is
// told.
func TestARunOutlivesItsServer(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	id := h.begin()
	h.start()
	h.handshake()
	h.call(2, "wait", map[string]any{"run": id, "seconds": 60}, nil)
	require.NoError(t, h.cmd.Process.Kill())
	<-h.ended
	before, alive := supervisor.Alive(h.project, id)
	require.True(t, alive)
	v := h.visit(nil)
	text, st, _ := v.ask("status", nil)
	require.Equal(t, "running", st.Get("state").Str, text)
	after, _ := supervisor.Alive(h.project, id)
	require.Equal(t, before.PID, after.PID)

	proctest.Kill(t, after.PID)
	text, st, _ = v.ask("wait", map[string]any{"run": id, "seconds": 60})
	require.Equal(t, "stopped", st.Get("state").Str, text)
	require.Contains(t, st.Get("needs_person").Str, "council resume "+id)
	text, st, refused := v.ask("cancel", map[string]any{"run": id})
	require.False(t, refused, text)
	require.Equal(t, "cancelled", st.Get("state").Str)
}

func TestWaitingForWhatWaitsForThePerson(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	_, _ = h.council("staged", "--quiet", "--scope", "docs", "How does it pace itself?") // it ends with 5: it waits
	require.Len(t, h.runs(), 1)
	v := h.visit(nil)
	text, st, _ := v.ask("wait", map[string]any{"seconds": 600})
	require.Equal(t, "waiting for the person", st.Get("state").Str, text)
	require.Contains(t, text, "Only the person answers, in a terminal: council resume")
	require.False(t, st.Get("timed_out").Bool())
}

// Half a yes is none.
func TestHalfALineIsNoYes(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.start()
	h.handshake()
	h.call(2, "plan_council", map[string]any{"question": "When does the kettle rest?"}, nil)
	plan := gjson.Get(h.answer("2"), "result.structuredContent")
	line := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"start_council","arguments":{"plan":"` + plan.Get("plan").Str + `","code":"` + plan.Get("code").Str + `"}}`
	_, err := h.in.Write([]byte(line))
	require.NoError(t, err)
	require.NoError(t, h.in.Close())
	<-h.ended
	require.NoError(t, h.cmd.Wait())
	require.Empty(t, h.runs())
}

// The server ends as it is told; what it was doing to a run is done.
func TestTheServerEnds(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		id := h.begin()
		h.start()
		h.handshake()
		h.call(2, "cancel", map[string]any{"run": id}, nil)
		h.sync(1)
		require.NoError(t, h.cmd.Process.Signal(sig))
		<-h.ended
		require.NoError(t, h.cmd.Wait())
		_, alive := supervisor.Alive(h.project, id)
		st, err := h.council("status", id, "--json")
		require.NoError(t, err)
		require.Equal(t, map[bool]string{true: "running", false: "cancelled"}[alive], gjson.Get(st, "status").Str, "whole, or not at all")
	}
}

// A run that came with a repository is not gone on with over MCP either, and nothing of a
// folder that is a link is read.
func TestAPlantedRunIsNoRun(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	other := filepath.Join(h.home, runIDs["F"])
	h.finished(runIDs["F"])
	at := filepath.Join(h.project, workspace.Runs, runIDs["F"])
	require.NoError(t, os.Rename(at, other))
	require.NoError(t, os.Symlink(other, at))
	v := h.visit(nil)
	for _, tool := range []string{"status", "report", "claims", "disputes", "wait"} {
		text, _, refused := v.ask(tool, map[string]any{"run": runIDs["F"]})
		require.True(t, refused, tool)
		require.Contains(t, text, "there is no run")
	}
	_, list, _ := v.ask("list_runs", nil)
	require.Zero(t, list.Get("total").Int())
}
