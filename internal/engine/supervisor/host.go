package supervisor

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"research-council/internal/agent"
	"research-council/internal/base/proc"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/workspace"
	"research-council/internal/product/recipe"
)

// The host's session is a seat whose turns its own Stop hooks deliver: the
// prompt lies in the run's folder, the hooks point the session to it and tell
// us through the inbox when it has stopped.

// Names in the run's folder that the host's session is pointed to.
const (
	SynthesisPrompt = workspace.Prompts + "/synthesis.md" // what it is asked to write
	hostOpenItems   = workspace.Session + "/open.md"      // what it should mend in its draft
	HostFile        = workspace.Session + "/host.json"    // its process now, a [flow.Process], where it was opened again
)

// askForSynthesis lays down what the session is asked and waits for its draft. A draft
// that has to be mended is moved aside, so that the hooks ask again.
func (s *supervisor) askForSynthesis(t *turn) error {
	text, err := s.synthesisPrompt(t.task.Task, s.folder.Join(recipe.SynthesisFile), s.paths(t.task.Reads))
	if err != nil {
		return err
	}
	if err := s.folder.Write(SynthesisPrompt, []byte(text)); err != nil {
		return err
	}
	if t.number == 1 && t.task.Clean && s.folder.Filled(recipe.SynthesisFile) { // the one that is to be revised
		if err := s.folder.Rename(recipe.SynthesisFile, fmt.Sprintf("%s/%s%d.md", workspace.Session, revisedPrefix, recipe.Revisions(s.run))); err != nil {
			return fmt.Errorf("set the draft aside: %w", err)
		}
	}
	if problems := t.task.Loop.Artefact.Problems; t.number > 1 && len(problems) > 0 && s.folder.Filled(recipe.SynthesisFile) {
		old := fmt.Sprintf("%s/%s%d.md", workspace.Session, asidePrefix, t.number-1)
		if err := s.folder.Write(hostOpenItems, []byte(mendInstructions(s.folder.Join(old), problems))); err != nil {
			return err
		}
		if err := s.folder.Rename(recipe.SynthesisFile, old); err != nil {
			return fmt.Errorf("set the draft aside: %w", err)
		}
	}
	go s.reportResult(t, func() flow.Result { return s.awaitDraft(t) })
	return nil
}

func mendInstructions(draft string, problems []string) string {
	text := "The draft was set aside as " + draft + ". Mend this in it and write it again:\n"
	for _, p := range problems {
		text += "- " + p + "\n"
	}
	return text
}

func (s *supervisor) paths(names []string) []string {
	var list []string
	for _, n := range names {
		list = append(list, s.folder.Join(n))
	}
	return list
}

// maxHostAbsence is for how long the host's process may be away (a session that is
// closed and opened again) before a seat takes its place.
const maxHostAbsence = 20 * time.Second

func (s *supervisor) awaitDraft(t *turn) flow.Result {
	deadline := time.NewTimer(s.setup.Turn)
	defer deadline.Stop()
	look := time.NewTicker(watchInterval)
	defer look.Stop()
	seen := time.Now()
	for {
		select {
		case stopped := <-t.ending:
			return s.hostResult(t, &agent.Fault{Class: agent.TimedOut, Message: "the session's time was up"}, stopped)
		case <-deadline.C:
			return s.hostResult(t, &agent.Fault{Class: agent.TimedOut, Message: "the session took too long"}, false)
		case n := <-t.notes:
			if res, over := s.handleHostNote(t, n); over {
				return res
			}
		case now := <-look.C:
			if host := s.host(); host.PID == 0 || host.Alive() {
				seen = now
			}
			if now.Sub(seen) > maxHostAbsence {
				return s.hostResult(t, &agent.Fault{Class: agent.Terminal, Message: "the session is gone"}, false)
			}
		}
	}
}

// staysInInbox reports whether a note stays in the inbox. What the session's hooks say
// of its synthesis is for the turn in which it was asked: it stays until that
// turn has ended, and while the turn is yet to be started again, as after a kill.
// It may so be heard twice, which changes nothing.
func (s *supervisor) staysInInbox(n workspace.Note) bool {
	switch n.Kind {
	case workspace.SessionStopped, workspace.SessionGaveUp, workspace.SessionEnded, workspace.StopFailure:
	default:
		return false
	}
	at := slices.IndexFunc(s.run.Tasks, func(t flow.TaskState) bool { return t.Seat == flow.Host && !isIteration(t.Task) && !t.Ended() })
	if at < 0 || n.Session != s.run.Setup.Session || s.run.Status != "" {
		return false
	}
	t := s.turns[s.run.Tasks[at].ID]
	if t == nil || slices.ContainsFunc(t.given, func(g workspace.Note) bool { return g.ID() == n.ID() }) {
		return true
	}
	if t.notify(n) { // or else at the next look
		t.given = append(t.given, n)
	}
	return true
}

// host is the process of the session: the one that began the run, or the one
// its hooks have told of since.
func (s *supervisor) host() proc.Identity { return HostProcess(s.folder, s.setup) }

// HostProcess is the process of the session that owns a run, as it was told
// last.
func HostProcess(f *workspace.Folder, setup flow.Setup) proc.Identity {
	now := setup.Host
	if data, err := f.Read(HostFile); err == nil {
		var later flow.Process
		if json.Unmarshal(data, &later) == nil && later.PID != 0 {
			now = later
		}
	}
	return proc.Identity{PID: now.PID, Start: now.Start}
}

func (s *supervisor) handleHostNote(t *turn, n workspace.Note) (flow.Result, bool) {
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
func (s *supervisor) hasNewDraft(n workspace.Note) bool {
	draft, err := s.folder.Read(recipe.SynthesisFile)
	if err != nil || len(draft) == 0 {
		return false
	}
	if digest(draft) == n.Detail {
		return true
	}
	names, err := s.folder.Names(workspace.Session)
	if err != nil {
		return true // it has a draft, and nothing was set aside
	}
	for _, name := range names {
		if !strings.HasPrefix(name, asidePrefix) && !strings.HasPrefix(name, revisedPrefix) {
			continue
		}
		if old, err := s.folder.Read(workspace.Session + "/" + name); err == nil && n.Detail != "" && digest(old) == n.Detail {
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

func (s *supervisor) hostResult(t *turn, fault *agent.Fault, stopped bool) flow.Result {
	res := flow.Result{Fault: fault, Stopped: stopped, Iterations: 1, Session: s.setup.Session}
	if s.folder.Filled(recipe.SynthesisFile) {
		res.Artefact = s.measure(t.task.Task, recipe.SynthesisFile)
	}
	return res
}

// seat finds a seat of the run, a reviewer's too, or the one of last resort.
func (s *supervisor) seat(name string) (flow.Seat, bool) {
	if seat, ok := s.setup.Seat(name); ok {
		return seat, true
	}
	last := recipe.LibrarianSeat()
	return last, name == last.Name
}

// openItemsFile is the file in a seat's folder that lists what it should mend or
// look into.
func openItemsFile(t flow.Task) string { return path.Join(taskFolder(t), "open.md") }
