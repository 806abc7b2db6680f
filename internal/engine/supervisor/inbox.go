package supervisor

import (
	"slices"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/workspace"
)

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
	at := slices.IndexFunc(s.Now.Tasks, func(t flow.TaskState) bool { return t.Seat == flow.Host && s.work.HearsStop(t.Task) && !t.Ended() })
	if at < 0 || n.Session != s.Now.Setup.Session || s.Now.Status != "" {
		return false
	}
	t := s.turns[s.Now.Tasks[at].ID]
	if t == nil || slices.ContainsFunc(t.given, func(g workspace.Note) bool { return g.ID() == n.ID() }) {
		return true
	}
	if t.notify(n) { // or else at the next look
		t.given = append(t.given, n)
	}
	return true
}

// checkInbox looks at what comes from outside: the tombstone and the inbox.
func (s *supervisor) checkInbox() (acted bool, err error) {
	if s.Now.Cancel == "" && s.Folder.Has(workspace.Tombstone) {
		why, err := s.Folder.Read(workspace.Tombstone)
		if err != nil {
			why = []byte("cancelled")
		}
		return true, s.recordFacts(flow.Event{Kind: flow.CancelAsked, Reason: plain.Line(string(why), MaxForeignRunes)})
	}
	notes, err := s.Folder.Notes()
	if err != nil {
		return false, err
	}
	for _, n := range notes {
		if s.staysInInbox(n) {
			continue
		}
		if err := s.processNote(n); err != nil {
			return true, err
		}
		acted = true
	}
	return acted, nil
}

// processNote acts on a note and removes it.
func (s *supervisor) processNote(n workspace.Note) error {
	if err := s.handleNote(n); err != nil {
		return err
	}
	return s.Folder.RemoveNote(n)
}

// handleNote hands a hook's word to the host's turn, if one is under way; what is
// worth keeping becomes a fact. Notes of other sessions are none of ours.
func (s *supervisor) handleNote(n workspace.Note) error {
	if mine, err := s.handlePersonNote(n); mine {
		return err
	}
	if n.Session != s.Now.Setup.Session {
		return nil
	}
	if err := s.checkHookRelease(n.Release); err != nil {
		return err
	}
	for _, t := range s.turns {
		t.notify(n)
	}
	s.work.Note(n)
	switch n.Kind {
	case workspace.SessionMoved:
		return s.recordFacts(flow.Event{Kind: flow.SessionMoved, Session: n.Detail, Reason: "its context was cleared"})
	case workspace.SessionEnded:
		return s.recordFacts(flow.Event{Kind: flow.SessionMoved, Reason: n.Detail})
	case workspace.PreCompact:
		return s.recordFacts(flow.Event{Kind: flow.SessionCompacted, Reason: n.Detail})
	case workspace.StopFailure:
		s.Log("The session could not go on: " + n.Detail)
	}
	return nil
}

// checkHookRelease tells, once, of hooks of another release than the supervisor's.
func (s *supervisor) checkHookRelease(release string) error {
	other := hook.ReleaseMismatch("the session's hook", release, "the supervisor", s.plainRelease())
	met := func(is flow.Issue) bool { return is.Code == flow.OtherRelease && is.Detail == other }
	if other == "" || s.Now.Status != "" || slices.ContainsFunc(s.Now.Issues, met) {
		return nil
	}
	return s.recordFacts(flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.OtherRelease, Detail: other}})
}
