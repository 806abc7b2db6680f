// Package caller is who runs this program, a person or an agent, and what of it
// only a person may ask. What a model could have typed is refused by name.
package caller

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product/campaign"
)

// Agent is the agent that runs this program, as far as its environment
// tells; "" for a person.
func Agent(getenv func(string) string) string {
	if getenv(agent.ChildVariable) != "" {
		return "a seat of a run"
	}
	for _, k := range kinds.CommandLines() {
		if k.Marks != "" && getenv(k.Marks) != "" {
			return cmp.Or(k.Title, k.Name)
		}
	}
	return ""
}

// SpeaksFor is the agent on whose behalf this program speaks to a run, "" for a
// person.
func SpeaksFor(e program.Env, project string, r flow.Run) string {
	if who := Agent(e.Getenv); who != "" {
		return who
	}
	return workerOf(e, project, r.Setup.ID)
}

// ForPerson is what surrounds the program where a person has been asked and has said
// yes, whichever agent has started it. A seat stays one.
func ForPerson(e program.Env) program.Env {
	getenv := e.Getenv
	e.Getenv = func(name string) string {
		if slices.ContainsFunc(kinds.CommandLines(), func(k agent.Kind) bool { return k.Marks != "" && k.Marks == name }) {
			return ""
		}
		return getenv(name)
	}
	return e
}

// RequirePerson refuses inside a session of Claude Code and inside a seat what only a
// person may say.
func RequirePerson(e program.Env, project string, r flow.Run) error {
	if e.Getenv("CLAUDE_CODE_SESSION_ID") != "" || workerOf(e, project, r.Setup.ID) != "" {
		return errors.New("this is a person's to say, in a terminal of their own: here a model could have typed it")
	}
	return nil
}

// MayEnd refuses those who work on a run to end it: a seat, and the session that
// works on a campaign by itself. What a person types in that session comes by
// its hook.
func MayEnd(e program.Env, project, id string) error {
	switch who := workerOf(e, project, id); who {
	case "":
		return nil
	case sessionAtWork:
		return usage.Errorf("this session works on the campaign of run %s and does not end it: the user types /research-council:cancel-research, or `council finish` or `council cancel` in a terminal of their own", id)
	default:
		return usage.Errorf("%s does not end the run it works in", who)
	}
}

const (
	seatAtWork    = "a seat"
	sessionAtWork = "the session that works on it"
)

// workerOf is who of those who work on a run runs this program, "" for nobody
// as far as it can be told: by the environment, and by the processes this one
// comes from, which tell it also where the environment was cleared. What has
// left the tree of a session and cleared its environment cannot be told; of a
// seat [proc.Within] says when. Whoever has the user's rights can also write
// into the run's folder itself, or end its processes: this keeps a worker from
// ending its run by the commands it finds, no more.
func workerOf(e program.Env, project, id string) string {
	if e.Getenv(agent.ChildVariable) != "" || proc.Within(supervisor.ProcessMark(id)) {
		return seatAtWork
	}
	r, err := supervisor.Read(project, id)
	if err != nil || campaign.Of(r.Setup.Own) == nil || campaign.Worker(r).Name != flow.Host {
		return "" // a run that cannot be read can still be ended
	}
	if e.Getenv("CLAUDE_CODE_SESSION_ID") == r.Setup.Session || proc.Within("", SessionProcess(project, r)) {
		return sessionAtWork
	}
	return ""
}

// SessionProcess is the process of the session that owns a campaign.
func SessionProcess(project string, r flow.Run) proc.Identity {
	f, err := workspace.Open(project, r.Setup.ID)
	if err != nil {
		return proc.Identity{}
	}
	defer f.Close()
	return supervisor.HostProcess(f, r.Setup)
}

// SessionStarter is the agent that has started the session itself, where the
// system tells with what environment it was started; "" for a person.
func SessionStarter(e program.Env) string {
	if e.Getenv(agent.ChildVariable) != "" {
		return Agent(e.Getenv)
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", e.HostProcess().PID))
	if err != nil {
		return ""
	}
	return Agent(func(name string) string {
		for entry := range strings.SplitSeq(string(data), "\x00") {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	})
}
