// Package chatwire has a chat seat speak with a server that answers byte for byte as
// testdata/cases.yaml says. The cases were written from what the seat is to do and from
// what servers are known to answer, by who had not seen the code. A case that this
// program decides otherwise says so under "differs", and under "here" what holds
// instead; one that is not played says why under "left_out".
package chatwire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/agent/chat/openai"
	"github.com/research-council/research-council/internal/agent/chat/toolbox"
)

const (
	key      = "sk-secret-0123456789"
	tries    = 4 // of a turn whose fault passes, as who runs turns makes them
	patience = time.Minute
)

// sheet is the file of cases.
type sheet struct {
	Desk  map[string]yaml.Node `yaml:"default_desk"`
	Seat  settings             `yaml:"default_seat"`
	Cases []play               `yaml:"cases"`
}

type settings struct {
	Model, Question, Effort string
	Window, Output          int
}

// play is a case.
type play struct {
	Name    string
	Differs string
	LeftOut string `yaml:"left_out"`
	Here    *play
	Seat    yaml.Node
	Models  string
	Desk    map[string]page
	Folder  map[string]yaml.Node
	Server  []step
	Then    map[string]yaml.Node
}

func load(t *testing.T) sheet {
	data, err := os.ReadFile("testdata/cases.yaml")
	require.NoError(t, err)
	var all sheet
	require.NoError(t, yaml.Unmarshal(data, &all))
	return all
}

// as is the case as it holds here.
func (p play) as() play {
	h := p.Here
	if h == nil {
		return p
	}
	if h.Seat.Kind != 0 {
		p.Seat = h.Seat
	}
	if h.Server != nil {
		p.Server = h.Server
	}
	if h.Folder != nil {
		p.Folder = h.Folder
	}
	for name, node := range h.Then {
		p.Then[name] = node
	}
	return p
}

// run is a case that is being played.
type run struct {
	*testing.T
	server  *server
	desk    *desk
	turn    agent.Turn
	streams string
	used    agent.Usage
	fault   *agent.Fault
	waited  time.Duration // that the server asked for
}

func TestTheCasesOfTheWire(t *testing.T) {
	all := load(t)
	require.Greater(t, len(all.Cases), 100)
	for _, p := range all.Cases {
		t.Run(p.Name, func(t *testing.T) {
			if p.LeftOut != "" {
				t.Skip(p.LeftOut)
			}
			p = p.as()
			r := newRun(t, all, p)
			r.take()
			r.judge(p)
		})
	}
}

func newRun(t *testing.T, all sheet, p play) *run {
	s := all.Seat
	if p.Seat.Kind != 0 {
		s.Window = max(s.Window, 0)
		var own map[string]any
		require.NoError(t, p.Seat.Decode(&own))
		if w, told := own["window"]; told && w == nil {
			s.Window = 0
		}
		require.NoError(t, p.Seat.Decode(&s))
	}
	base := t.TempDir()
	own, scope := filepath.Join(base, "seat"), filepath.Join(base, "scope")
	require.NoError(t, os.MkdirAll(own, 0o755))
	lay(t, scope, p.Folder)
	r := &run{T: t, desk: newDesk(t, all.Desk, p.Desk)}
	r.server = newServer(t, p, scope, r.desk)
	r.turn = agent.Turn{
		Run: "20260101-120000-abcdef", Seat: "chat", Role: agent.Research, MaxIterations: 3, Council: "/opt/council",
		Session: "11111111-2222-4333-8444-555555555555", Model: s.Model, Effort: s.Effort, Dir: own, Scope: scope,
		Report: filepath.Join(own, "report.md"), State: filepath.Join(own, "state.txt"), Open: filepath.Join(own, "open.md"),
		Prompt: s.Question, Topic: s.Question, Desk: []string{"/opt/council", "desk"},
		Server: agent.Server{BaseURL: r.server.URL + "/v1", KeyEnv: "A_KEY", Window: s.Window, Output: s.Output},
	}
	return r
}

// take takes the turn as who runs turns does: what passes is tried again, a process
// that was killed is followed by another, a report that was cut off is asked for again.
func (r *run) take() {
	for range tries {
		r.fault = r.process()
		if r.fault != nil {
			r.waited += r.fault.RetryAfter
		}
		switch {
		case r.server.wasKilled():
		case r.fault != nil && r.fault.Class != agent.Retryable:
			return
		case r.fault == nil && strings.Contains(r.report(), agent.Marker):
			return
		case r.fault == nil:
			r.turn.Resume, r.turn.Iteration = "Go on.", r.turn.Iteration+1
		}
	}
}

// process is one process of the turn.
func (r *run) process() *agent.Fault {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	r.server.kills(cancel)
	spec, err := chat.Kind().Spec(r.turn)
	require.NoError(r, err)
	for _, f := range spec.Files {
		require.NoError(r, os.WriteFile(f.Path, f.Data, 0o600))
	}
	var out bytes.Buffer
	d := openai.TurnIO{
		Read: os.ReadFile, Now: time.Now, Out: &out,
		Write:   func(path string, data []byte) error { return os.WriteFile(path, data, 0o600) },
		Key:     func(agent.Server) (string, error) { return key, nil },
		Toolbox: r.openToolbox,
	}
	exit := agent.Exit{}
	if err := openai.Main(ctx, spec.Argv[2], d); err != nil {
		exit.Code, exit.Stderr = 1, []byte("council: "+err.Error())
	}
	require.False(r, errors.Is(ctx.Err(), context.DeadlineExceeded), "it hangs")
	r.streams += out.String() + string(exit.Stderr)
	exit.Stdout = &out
	reply := chat.Kind().Read(r.turn, exit)
	r.used.Input += reply.Usage.Input
	r.used.CachedInput += reply.Usage.CachedInput
	r.used.Output += reply.Usage.Output
	r.used.Reckoned = r.used.Reckoned || reply.Usage.Reckoned
	return reply.Fault
}

func (r *run) openToolbox(ctx context.Context, a chat.Assignment) (openai.Toolbox, func(), error) {
	box, err := toolbox.Open(ctx, toolbox.Options{Desk: r.desk.serve(ctx), Own: r.turn.Dir, Folders: a.Folders})
	if err != nil {
		return nil, nil, err
	}
	return box, func() { _ = box.Close() }, nil
}

func (r *run) report() string {
	data, err := os.ReadFile(r.turn.Report)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(r, err)
	}
	return string(data)
}

// strings of a decoded body, a line each.
func stringsOf(body []byte) string {
	var b strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	var v any
	if json.Unmarshal(body, &v) == nil {
		walk(v)
	}
	return b.String()
}

// statusOK is the status of an answer that names none.
func statusOK(status int) int {
	if status == 0 {
		return http.StatusOK
	}
	return status
}
