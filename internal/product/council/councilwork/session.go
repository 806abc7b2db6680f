package councilwork

import (
	"fmt"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
)

// The host's session is a seat whose turns its own Stop hooks deliver: the
// prompt lies in the run's folder, the hooks point the session to it and tell
// us through the inbox when it has stopped.

// Names in the run's folder that the host's session is pointed to.
const (
	SynthesisPrompt = workspace.Prompts + "/synthesis.md" // what it is asked to write
	hostOpenItems   = workspace.Session + "/open.md"      // what it should mend in its draft
)

// askForSynthesis lays down what the session is asked and waits for its draft. A draft
// that has to be mended is moved aside, so that the hooks ask again.
func (s *Work) askForSynthesis(t *supervisor.HostTurn) (func() flow.Result, error) {
	var reads []string
	for _, name := range t.Task.Reads {
		reads = append(reads, s.Folder.Join(name))
	}
	if err := s.writeDigest("."); err != nil {
		return nil, err
	}
	text, err := s.synthesisPrompt(t.Task.Task, s.Folder.Join(council.SynthesisFile), reads)
	if err != nil {
		return nil, err
	}
	if err := s.Folder.Write(SynthesisPrompt, []byte(text)); err != nil {
		return nil, err
	}
	if t.Number == 1 && t.Task.Clean && s.Folder.Filled(council.SynthesisFile) { // the one that is to be revised
		if err := s.Folder.Rename(council.SynthesisFile, fmt.Sprintf("%s/%s%d.md", workspace.Session, revisedPrefix, panel.Revisions(s.Now))); err != nil {
			return nil, fmt.Errorf("set the draft aside: %w", err)
		}
	}
	if problems := t.Task.Loop.Artefact.Problems; t.Number > 1 && len(problems) > 0 && s.Folder.Filled(council.SynthesisFile) {
		old := fmt.Sprintf("%s/%s%d.md", workspace.Session, asidePrefix, t.Number-1)
		if err := s.Folder.Write(hostOpenItems, []byte(mendInstructions(s.Folder.Join(old), problems))); err != nil {
			return nil, err
		}
		if err := s.Folder.Rename(council.SynthesisFile, old); err != nil {
			return nil, fmt.Errorf("set the draft aside: %w", err)
		}
	}
	return func() flow.Result { return s.awaitDraft(t) }, nil
}

func mendInstructions(draft string, problems []string) string {
	text := "The draft was set aside as " + draft + ". Mend this in it and write it again:\n"
	for _, p := range problems {
		text += "- " + p + "\n"
	}
	return text
}

// MaxHostAbsence is for how long the host's process may be away (a session that is
// closed and opened again) before a seat takes its place.
const MaxHostAbsence = 20 * time.Second

func (s *Work) awaitDraft(t *supervisor.HostTurn) flow.Result {
	deadline := time.NewTimer(s.Setup.Turn)
	defer deadline.Stop()
	look := time.NewTicker(supervisor.WatchInterval)
	defer look.Stop()
	seen := time.Now()
	for {
		select {
		case stopped := <-t.Ending:
			return s.hostResult(t, &agent.Fault{Class: agent.TimedOut, Message: "the session's time was up"}, stopped)
		case <-deadline.C:
			return s.hostResult(t, &agent.Fault{Class: agent.TimedOut, Message: "the session took too long"}, false)
		case n := <-t.Notes:
			if res, over := s.handleHostNote(t, n); over {
				return res
			}
		case now := <-look.C:
			if host := s.Host(); host.PID == 0 || host.Alive() {
				seen = now
			}
			if now.Sub(seen) > MaxHostAbsence {
				return s.hostResult(t, &agent.Fault{Class: agent.Terminal, Message: "the session is gone"}, false)
			}
		}
	}
}

func (s *Work) handleHostNote(t *supervisor.HostTurn, n workspace.Note) (flow.Result, bool) {
	switch n.Kind {
	case workspace.SessionStopped:
		if !s.hasNewDraft(n) {
			return flow.Result{}, false
		}
		return s.hostResult(t, nil, false), true
	case workspace.SessionGaveUp:
		return s.hostResult(t, &agent.Fault{Class: agent.Terminal, Message: "the session was asked three times and wrote nothing"}, false), true
	case workspace.SessionEnded:
		return s.hostResult(t, &agent.Fault{Class: agent.Terminal, Message: "the session has ended"}, false), true
	case workspace.StopFailure:
		return s.hostResult(t, &agent.Fault{Class: agent.Terminal, Message: "the session failed: " + n.Detail}, false), true
	}
	return flow.Result{}, false
}

// hasNewDraft reports whether a session that has stopped has left its draft: one
// that a note tells of and that was set aside since is that of an earlier turn,
// unless the session has written the same words again.
func (s *Work) hasNewDraft(n workspace.Note) bool {
	draft, err := s.Folder.Read(council.SynthesisFile)
	if err != nil || len(draft) == 0 {
		return false
	}
	if workspace.Sum(draft) == n.Detail {
		return true
	}
	names, err := s.Folder.Names(workspace.Session)
	if err != nil {
		return true // it has a draft, and nothing was set aside
	}
	for _, name := range names {
		if !strings.HasPrefix(name, asidePrefix) && !strings.HasPrefix(name, revisedPrefix) {
			continue
		}
		if old, err := s.Folder.Read(workspace.Session + "/" + name); err == nil && n.Detail != "" && workspace.Sum(old) == n.Detail {
			return false
		}
	}
	return true
}

// Beginnings of the names of drafts that were set aside, in the session's folder.
const (
	asidePrefix   = "draft-"
	revisedPrefix = "revised-"
)

func (s *Work) hostResult(t *supervisor.HostTurn, fault *agent.Fault, stopped bool) flow.Result {
	res := flow.Result{Fault: fault, Stopped: stopped, Iterations: 1, Session: s.Setup.Session}
	if s.Folder.Filled(council.SynthesisFile) {
		res.Artefact = s.MeasureFile(council.SynthesisFile, func(data []byte) loop.Artefact { return s.Measure(t.Task.Task, data) })
	}
	return res
}
