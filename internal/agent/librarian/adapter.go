package librarian

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

// Adapter makes processes of the council executable itself out of turns.
type Adapter struct{}

// Names of the files a turn finds in its folder.
const (
	turnFile  = "turn.json"
	topicFile = "topic.md"
	claimFile = "claims.jsonl"
	IndexFile = "corpus.db" // in the run's folder, for all librarians of the run
	planFile  = "plan.json" // there too: the run's plan
)

// assignment is a turn as its process reads it.
type assignment struct {
	Seat          string   `json:"seat"`
	Role          string   `json:"role"`
	Agent         string   `json:"agent,omitempty"` // as the plan of the collection calls it
	Shard         Shard    `json:"shard"`
	Topic         string   `json:"topic"` // path of the file that holds it: it may be any bytes
	Scope         string   `json:"scope"`
	Index         string   `json:"index"`
	Plan          string   `json:"plan"`
	Report        string   `json:"report"`
	State         string   `json:"state"`
	Claims        string   `json:"claims"`
	Inputs        []string `json:"inputs"`
	MaxIterations int      `json:"max_iterations"`
}

// Spec is the process that does the turn. It keeps no session: research over
// the same files is the same each time, so a continued turn does it again.
func (Adapter) Spec(t agent.Turn) (agent.Spec, error) {
	t.Program = t.Council
	if t.Hook == "" {
		t.Hook = t.Council // it has none and needs none
	}
	if err := t.Check(); err != nil {
		return agent.Spec{}, fmt.Errorf("librarian: %w", err)
	}
	run, err := runFolder(t.Dir)
	if err != nil {
		return agent.Spec{}, err
	}
	file := func(name string) string { return filepath.Join(t.Dir, name) }
	data, err := json.MarshalIndent(assignment{
		Seat: t.Seat, Role: t.Role, Agent: planAgent(t), Shard: ShardOf(t.Seat), Topic: file(topicFile),
		Scope: t.Scope, Index: filepath.Join(run, IndexFile), Plan: filepath.Join(run, planFile),
		Report: t.Report, State: t.State, Claims: file(claimFile), Inputs: t.Inputs, MaxIterations: t.MaxIterations,
	}, "", "  ")
	if err != nil {
		return agent.Spec{}, fmt.Errorf("librarian: %w", err)
	}
	return agent.Spec{
		Argv: append([]string{t.Council, "librarian", file(turnFile)}, t.Args...),
		Env:  t.Environment(nil),
		Dir:  t.Dir,
		Files: []agent.File{
			{Path: file(topicFile), Data: []byte(t.Topic)},
			{Path: file(turnFile), Data: append(data, '\n')},
		},
	}, nil
}

// planAgent is the agent of the plan that a turn is done as: what stands behind
// the seat in the id of its task.
func planAgent(t agent.Turn) string {
	name, ok := strings.CutPrefix(t.Task[strings.LastIndexByte(t.Task, '/')+1:], t.Seat+".")
	if !ok {
		return ""
	}
	return name
}

// runFolder is the folder above the one of all seats.
func runFolder(dir string) (string, error) {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if filepath.Base(at) == "seats" {
			return filepath.Dir(at), nil
		}
	}
	return "", errors.New("librarian: the folder of the seat lies in no folder of seats")
}

// Events of the stream, one JSON object a line.
const (
	started   = "start"
	iterated  = "iteration"
	resulted  = "result"
	refusal   = "refusal" // it cannot be done, now or later
	noticeMax = 300       // runes of a refusal
)

// event is a line of the stream.
type event struct {
	Type string `json:"type"`
	N    int    `json:"n,omitempty"`
	Note string `json:"note,omitempty"`
	Text string `json:"text,omitempty"`
}

// Read judges the turn by its stream and its exit status.
func (Adapter) Read(_ agent.Turn, x agent.Exit) agent.Reply {
	reply := agent.Reply{}
	done, refused := false, ""
	for line := range agent.Events(x.Stdout) {
		e := gjson.ParseBytes(line)
		switch e.Get("type").Str {
		case resulted:
			done, reply.Text = true, e.Get("text").Str
		case refusal:
			refused = plain.Line(e.Get("text").Str, noticeMax)
		}
	}
	reply.Fault = fault(x, done, refused)
	return reply
}

func fault(x agent.Exit, done bool, refused string) *agent.Fault {
	if cut := x.Interruption(); cut != nil {
		return cut
	}
	switch {
	case refused != "":
		return agent.NewFault(agent.Terminal, "%s", refused)
	case x.Code != 0:
		return agent.NewFault(agent.Degenerate, "status %d: %s", x.Code, x.LastErrorLine())
	case !done:
		return agent.NewFault(agent.Degenerate, "it ended without a result")
	}
	return nil
}

// Meter counts nothing: no model is called.
func (Adapter) Meter(agent.Turn) agent.Meter { return meter{} }

type meter struct{}

func (meter) Add([]byte) {}

func (meter) Used() []agent.Usage { return nil }

// Note is what a line of the stream says to a person.
func (Adapter) Note(line []byte) string {
	if !agent.Event(line) {
		return ""
	}
	e := gjson.ParseBytes(line)
	if e.Get("type").Str == refusal {
		return plain.Line(e.Get("text").Str, agent.NoteLimit)
	}
	return plain.Line(e.Get("note").Str, agent.NoteLimit)
}
