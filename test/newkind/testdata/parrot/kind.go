// Package parrot speaks with a command line that there is only in a test.
package parrot

import (
	_ "embed"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

//go:embed defaults.yaml
var defaults []byte

// Kind is the parrot.
func Kind() agent.Kind {
	return agent.Kind{
		Name: "parrot", Adapter: Adapter{}, ChoosesSession: true, Usage: agent.UsageAtEnd,
		Inherits: func(map[string]string) []string { return []string{"PARROT_*"} },
		Marks:    "PARROT_TALKS", Defaults: defaults,
		Program: &agent.Program{
			Tested: "1.2.3", Oldest: "1.0.0", Help: []string{"--help"}, Flags: []string{"--report", "--model"},
			Install: "adopt one",
			Login: func(i agent.Installation) agent.Finding {
				if i.Getenv("PARROT_SEEDS") != "" {
					return agent.KeyLogin("PARROT_SEEDS")
				}
				return agent.NoLogin("set PARROT_SEEDS")
			},
		},
	}
}

// Adapter makes processes of the parrot out of turns.
type Adapter struct{}

// Spec is the first or a continued turn.
func (Adapter) Spec(t agent.Turn) (agent.Spec, error) {
	if err := t.Check(); err != nil {
		return agent.Spec{}, fmt.Errorf("parrot seat: %w", err)
	}
	return agent.Spec{
		Argv: []string{t.Program, "--model", t.Model, "--report", t.Report},
		Env:  t.Environment(nil), Dir: t.Dir, Stdin: []byte(t.PromptText()),
	}, nil
}

// Read judges the turn by its last line and its exit status.
func (Adapter) Read(t agent.Turn, x agent.Exit) agent.Reply {
	m := new(meter)
	agent.Feed(m, x.Stdout)
	reply := agent.Reply{Session: t.Session, Text: m.said, Usage: m.usage, Fault: x.Interruption()}
	if reply.Fault == nil && x.Code != 0 {
		reply.Fault = agent.NewFault(agent.Terminal, "%s", x.LastErrorLine())
	}
	return reply
}

// Note is what it says.
func (Adapter) Note(line []byte) string {
	return plain.Line(gjson.GetBytes(line, "said").Str, agent.NoteLimit)
}

// Meter takes the counts of its last line.
func (Adapter) Meter(agent.Turn) agent.Meter { return new(meter) }

type meter struct {
	said  string
	usage agent.Usage
}

// Add takes the next line.
func (m *meter) Add(line []byte) {
	if agent.Event(line) {
		m.said = gjson.GetBytes(line, "said").Str
		m.usage = agent.Usage{Input: gjson.GetBytes(line, "heard").Int(), Output: gjson.GetBytes(line, "spoken").Int()}
	}
}

// Used is what it has told.
func (m *meter) Used() []agent.Usage { return []agent.Usage{m.usage} }
