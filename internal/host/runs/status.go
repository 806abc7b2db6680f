// Package runs is what is known of a project's runs from outside: how far each
// is, who works on it, which are under way, what finished ones teach of the next
// one. It reads what supervisors leave, and the journal where that is missing.
package runs

import (
	"errors"
	"fmt"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/tally"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/panel"
)

// Read reads a run's status.json, and sees whether anybody works on the
// run. One that is not there yet is an fs.ErrNotExist. What stands beside a
// journal of another format is not read.
func Read(project, id string) (status.Status, error) {
	f, err := workspace.Open(project, id)
	if err != nil {
		return status.Status{}, err
	}
	defer f.Close()
	if err := journal.CheckFormat(f.Path); err != nil {
		return status.Status{}, err
	}
	data, err := f.Read(workspace.Status)
	if err != nil {
		return status.Status{}, fmt.Errorf("read status: %w", err)
	}
	s, err := status.Parse(data)
	if err != nil {
		return status.Status{}, err
	}
	if s.ID != id {
		return status.Status{}, fmt.Errorf("read status: it is of the run %q", s.ID)
	}
	return withSupervisor(s, project), nil
}

// withSupervisor notes who works on a run: without a supervisor nothing is running.
func withSupervisor(s status.Status, project string) status.Status {
	s.Supervisor, s.Starting = 0, false
	if s.Status != "running" {
		return s
	}
	s.Paused = whyPaused(project, s.ID)
	if h, alive := supervisor.Alive(project, s.ID); alive {
		s.Supervisor = h.PID
	}
	s.Starting = s.Supervisor == 0 && s.Paused == "" && s.Facts <= 1 && time.Since(s.Began).Abs() < startTime
	if (s.Supervisor != 0 || s.Starting) && s.Paused == "" {
		return s
	}
	for i := range s.Seats {
		if s.Seats[i].State == "running" {
			s.Seats[i].State = "waiting"
		}
	}
	return s
}

// startTime is how long after a run was laid down, with one fact, its supervisor may be
// on its way.
const startTime = 10 * time.Second

// whyPaused is why a run cannot go on for now; "" where it can.
func whyPaused(project, id string) string {
	f, err := workspace.Open(project, id)
	if err != nil {
		return ""
	}
	defer f.Close()
	return plain.Line(f.PausedReason(), 1000)
}

// Checked is the status of a run whose journal holds from its first line to
// its last.
func Checked(project, id string) (status.Status, error) {
	if _, err := supervisor.Facts(project, id); err != nil {
		return status.Status{}, err
	}
	return Status(project, id)
}

// Status is a run's status, out of its journal where status.json does not
// tell it, with the votes of its reviewers.
func Status(project, id string) (status.Status, error) {
	s, err := statusOf(project, id)
	if err != nil {
		return s, err
	}
	f, err := workspace.Open(project, id)
	if err != nil {
		return s, err
	}
	defer f.Close()
	var votes panel.Result
	if err := f.ReadJSON(panel.VerdictFile, &votes); err == nil {
		s.Votes = panel.OwnResult(&votes)
	}
	return s, nil
}

func statusOf(project, id string) (status.Status, error) {
	if s, err := Read(project, id); err == nil {
		return s, nil
	} // or else the journal tells, as far as it can be read
	w, r, err := product.Load(project, id)
	if err != nil {
		return status.Status{}, err
	}
	f, err := workspace.Open(project, id)
	if err != nil {
		return status.Status{}, err
	}
	defer f.Close()
	s := status.Of(w, r, f.Path)
	s.Claims = tally.New(f.Path).Of(status.SeatNames(r))
	if f.Filled(flow.FinalReport) {
		s.Report = f.Join(flow.FinalReport)
	}
	return withSupervisor(s, project), nil
}

// CheckReadable refuses a run whose journal this program does not understand. What is
// damaged or lost in one that it does is for the command to say.
func CheckReadable(project, id string) error {
	_, err := supervisor.Facts(project, id)
	if errors.As(err, new(*journal.ForeignFormat)) || errors.As(err, new(*journal.NotAFile)) || errors.As(err, new(*flow.UnknownFact)) {
		return err
	}
	return nil
}

// Running are the runs somebody works on. One that has ended, and whose
// supervisor is only putting its things away, is none.
func Running(project string, ids []string) []string {
	var live []string
	for _, id := range ids {
		if _, alive := supervisor.Alive(project, id); !alive {
			continue
		}
		if st, err := Read(project, id); err == nil && !st.IsOpen() {
			continue
		}
		live = append(live, id)
	}
	return live
}

// Cancelled reports whether a run was cancelled and has ended.
func Cancelled(project, id string) bool {
	f, err := workspace.Open(project, id)
	if err != nil {
		return false
	}
	defer f.Close()
	st, err := Read(project, id)
	return err == nil && f.Has(workspace.Tombstone) && !st.IsOpen()
}

// MissingCopy says that a copy the person has asked for is not there; "" when
// every one is.
func MissingCopy(project string, r flow.Run) string {
	wanted := []string{r.Setup.Output}
	if w := product.WorkflowOf(r.Setup); w.Copies != nil {
		wanted = append(wanted, w.Copies(r.Setup)...)
	}
	f, err := workspace.Open(project, r.Setup.ID)
	if err != nil {
		return ""
	}
	defer f.Close()
	made := supervisor.DeliveredCopies(f)
	for _, name := range wanted {
		if name != "" && made[name] == "" {
			return fmt.Sprintf("%q could not be written; `council logs %s` says why, and the run's folder has what was to be copied", name, r.Setup.ID)
		}
	}
	return ""
}
