package supervisor

import (
	"errors"
	"fmt"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// What people say to a run while it goes on comes through its inbox, so that it
// is there whoever works on the run, or nobody does.

// MostNote bounds what is said to a run at a time, in bytes.
const MostNote = 8 << 10

// CheckNote gives what a person says as a note has it, or says why it is none.
func CheckNote(text string) (string, error) {
	text = plain.Trimmed(text)
	switch {
	case text == "":
		return "", errors.New("there is nothing in the note")
	case len(text) > MostNote:
		return "", fmt.Errorf("the note has %d KiB, it may have %d: write what is longer into a file of the project and name that", (len(text)+1023)>>10, MostNote>>10)
	}
	return text, nil
}

// LeaveNote leaves a person's note for the next iteration of a campaign. The text is
// one of [CheckNote].
func LeaveNote(project, id, text string, now time.Time) error {
	return dropNote(project, id, workspace.Note{Kind: workspace.PersonSaid, Detail: text, At: now.UTC()})
}

// AskToFinish asks a run to research no more and to write down what there is.
// Asking again changes nothing.
func AskToFinish(project, id string, now time.Time) error {
	return dropNote(project, id, workspace.Note{Kind: workspace.FinishAsked, Detail: flow.FinishedEarly, At: now.UTC()})
}

func dropNote(project, id string, n workspace.Note) error {
	f, err := workspace.Open(project, id)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.DropNote(n)
}

// handlePersonNote takes in what a person says; false for every other note. What was
// taken in before, by a supervisor that was killed right after, is left.
func (s *supervisor) handlePersonNote(n workspace.Note) (bool, error) {
	by := flow.ByCommand
	switch n.Kind {
	case workspace.FinishAsked:
		if s.Now.Finish != "" || s.Now.Status != "" {
			return true, nil
		}
		return true, s.recordFacts(flow.Event{Kind: flow.FinishAsked, Reason: n.Detail})
	case workspace.PersonSaid:
	case workspace.SessionSaid:
		if by = flow.BySession; n.Session != s.Now.Setup.Session {
			return true, nil
		}
	default:
		return false, nil
	}
	text, err := CheckNote(n.Detail)
	if err != nil || !s.Flow.Heeds {
		return true, nil // nobody could heed it
	}
	for _, known := range s.Now.Notes {
		if known.ID == n.ID() {
			return true, nil
		}
	}
	return true, s.recordFacts(flow.Event{Kind: flow.NoteGiven, Note: &flow.Note{ID: n.ID(), By: by, Text: text}})
}
