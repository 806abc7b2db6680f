package supervisor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// Run is a run that is worked on, as its product sees it. Its work may be done
// on many goroutines; Now alone belongs to the supervisor's own, and whoever
// works beside that is given a copy.
type Run struct {
	Options
	Folder     *workspace.Folder
	Setup      flow.Setup // it never changes, so turns may read it
	Flow       flow.Workflow
	Now        flow.Run               // as it is
	Life       context.Context        // of this supervisor: what it does itself ends with it
	Background sync.WaitGroup         // what is waited for before it is over
	Amends     bool                   // somebody only says what it is to go on with
	FolderOf   func(flow.Task) string // a seat works at a task in, below that of all seats

	signals  chan signal
	lastSign time.Time // when the supervisor before this one gave its last sign of life, where that was killed
}

// Log adds to the progress log. A log that cannot be written stops nothing:
// the journal has the fact.
func (s *Run) Log(text string) { _ = s.Folder.Log(time.Now(), text) }

// WriteJSON writes values as JSON into the run's folder.
func (s *Run) WriteJSON(files map[string]any) error {
	for name, v := range files {
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if err := s.Folder.Write(name, append(data, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Seat finds a seat of the run, a reviewer's too, or the one of last resort.
func (s *Run) Seat(name string) (flow.Seat, bool) {
	if seat, ok := s.Setup.Seat(name); ok {
		return seat, true
	}
	last := flow.LibrarianSeat()
	return last, name == last.Name
}

// Host is the process of the session: the one that began the run, or the one
// its hooks have told of since.
func (s *Run) Host() proc.Identity { return HostProcess(s.Folder, s.Setup) }

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

// OpenItemsFile is the file in a seat's folder that lists what it should mend or
// look into.
func (s *Run) OpenItemsFile(t flow.Task) string { return path.Join(s.TaskFolder(t), "open.md") }

// TaskFolder is the folder a seat works in, from the run's folder.
func (s *Run) TaskFolder(t flow.Task) string { return path.Join(workspace.Seats, s.FolderOf(t)) }

// ReportIssue makes a fact, from outside the supervisor's own goroutine, of something
// that went wrong and stops nothing.
func (s *Run) ReportIssue(code, seat, detail string) {
	is := flow.Issue{Code: code, Seat: seat, Detail: plain.Line(detail, MaxForeignRunes)}
	select {
	case s.signals <- signal{event: &flow.Event{Kind: flow.IssueMet, Issue: &is}}:
	case <-s.Life.Done(): // nobody listens any more
	}
}

// plainRelease is the release of this program, without the commit it was built
// from.
func (s *Run) plainRelease() string {
	release, _, _ := strings.Cut(s.Release, " ")
	return release
}

// copyInputs copies published artefacts into a seat's folder, where every CLI lets
// it read, and returns their paths.
func (s *Run) copyInputs(t flow.Task) ([]string, error) {
	var paths []string
	for _, name := range t.Reads {
		data, err := s.Folder.Read(name)
		if err != nil {
			return nil, fmt.Errorf("hand %s to %s: %w", name, t.Seat, err)
		}
		copied := path.Join(s.TaskFolder(t), InputsDir, name)
		if err := s.Folder.Mkdir(path.Dir(copied)); err != nil {
			return nil, fmt.Errorf("hand %s to %s: %w", name, t.Seat, err)
		}
		if err := s.Folder.Write(copied, data); err != nil {
			return nil, err
		}
		paths = append(paths, s.Folder.Join(copied))
	}
	return paths, nil
}

// Published is what a task has left in the run's folder.
func (s *Run) Published(t flow.TaskState) []byte {
	data, err := s.Folder.Read(t.Writes)
	if err != nil {
		s.Log(fmt.Sprintf("%s: what it wrote cannot be read: %v", t.Seat, err))
	}
	return data
}

// HasDesk reports whether a seat's CLI is given a desk.
func (s *Run) HasDesk(name string) bool {
	seat, ok := s.Seat(name)
	return ok && kinds.Of(seat.Kind).Desk
}

// MayRun reports whether a seat can be lent a desk that runs commands.
func (s *Run) MayRun(name string) bool {
	seat, ok := s.Seat(name)
	return ok && kinds.Of(seat.Kind).Runs()
}

// CopyTo copies a text to a file that the person has named, "" for none. It
// replaces what an earlier copy of this run has left there, and anything else
// only where the person lets it.
func (s *Run) CopyTo(name string, text []byte) {
	if name == "" {
		return
	}
	was := DeliveredCopies(s.Folder)
	over := workspace.Replaceable{Any: s.Setup.Force, Own: was[name]}
	if err := workspace.WriteUserFile(s.Setup.Root, name, text, over); err != nil {
		s.Log("A copy could not be made: " + err.Error())
		return
	}
	was[name] = workspace.Sum(text)
	if err := s.WriteJSON(map[string]any{copiesFile: was}); err != nil {
		s.Log(err.Error())
	}
}

// DeliveredCopies are the files a run has left a copy in, each with its SHA-256.
func DeliveredCopies(f *workspace.Folder) map[string]string {
	made := map[string]string{}
	if data, err := f.Read(copiesFile); err == nil && json.Unmarshal(data, &made) != nil {
		return map[string]string{}
	}
	return made
}

// LoseSession says that a task waits for a session that is gone.
func (s *Run) LoseSession(task string) { s.signals <- signal{task: task, sessionLost: true} }

// Notice is what people are told, wherever they are.
type Notice struct {
	Title  string // "" for that of every run
	Text   string
	Level  string // info, warning or error
	Run    string
	Folder string // where there is more; "" for the run's own
	At     time.Time
}

// SendNotice tells people. Nobody waits for it, and none that fails stops
// anything.
func (s *Run) SendNotice(n Notice) {
	if s.Notify == nil {
		return
	}
	n.Title, n.Folder, n.Run, n.At = cmp.Or(n.Title, "Research Council"), cmp.Or(n.Folder, s.Folder.Path), s.ID, time.Now().UTC()
	s.Background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.Life), time.Minute)
		defer cancel()
		for _, err := range s.Notify(ctx, n) {
			s.Log("A notification was not delivered: " + err.Error())
			s.ReportIssue(flow.NoticeFailed, "", err.Error())
		}
	})
}

// HostFile is, in a run's folder, the process of the host's session now, a
// [flow.Process], where that was opened again.
const HostFile = workspace.Session + "/host.json"

// copiesFile says what was copied where, by the SHA-256 of each file.
const copiesFile = "copies.json"

// MaxForeignRunes bounds what is repeated of foreign texts, in runes.
const MaxForeignRunes = 300
