package supervisor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// File is a file a run begins with: what its preparation has found out already.
type File struct {
	Name string // in the run's folder
	Data []byte
}

// Begin lays down a new run: its folder with the files it begins with, the
// journal's first fact and, where a session owns the run, the state file. A run
// that cannot be laid down whole leaves nothing behind.
func Begin(products []Product, setup flow.Setup, now time.Time, files ...File) (*workspace.Folder, error) {
	p, _, err := productOf(products, flow.Run{Setup: setup})
	if err != nil {
		return nil, err
	}
	if err := p.Reserve(setup, false, now); err != nil {
		return nil, err
	}
	f, err := workspace.Create(setup.Root, setup.ID)
	if err != nil {
		p.Release(setup)
		return nil, err
	}
	err = writeFiles(f, files)
	if err == nil {
		err = initRun(p, f, setup, now)
	}
	if err != nil {
		p.Release(setup)
		return nil, errors.Join(err, f.Close(), os.RemoveAll(f.Path))
	}
	return f, nil
}

func writeFiles(f *workspace.Folder, files []File) error {
	for _, file := range files {
		if err := f.Write(file.Name, file.Data); err != nil {
			return err
		}
	}
	return nil
}

func initRun(p Product, f *workspace.Folder, setup flow.Setup, now time.Time) error {
	j, _, err := journal.Open(f.Path)
	if err != nil {
		return err
	}
	first := flow.Event{Seq: 1, At: now.UTC(), Kind: flow.RunBegun, Setup: &setup}
	fact, err := json.Marshal(first)
	if err != nil {
		return errors.Join(fmt.Errorf("write fact: %w", err), j.Close())
	}
	if err := errors.Join(j.Append(fact), j.Close()); err != nil {
		return err
	}
	w, _ := p.Workflow(setup)
	plan, err := json.MarshalIndent(setup.Plan, "", "  ")
	if err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	if err := f.Write(PlanFile, append(plan, '\n')); err != nil {
		return err
	}
	if err := f.Log(now, status.LogLine(w, flow.Evolve(flow.Run{}, first), first)); err != nil {
		return fmt.Errorf("begin progress log: %w", err)
	}
	return bindSession(p, setup, setup.Session, now)
}

// bindSession lays down the state file by which a session owns a run; without a
// session there is none.
func bindSession(p Product, setup flow.Setup, session string, now time.Time) error {
	if session == "" {
		return nil
	}
	st := workspace.NewState(setup.ID, session, setup.Topic, setup.Loop.Iterations, now)
	st.Release = setup.Release
	return workspace.CreateState(setup.Root, p.Session(setup, st))
}

// Alive tells who works on a run, and whether that process lives.
func Alive(project, id string) (journal.Holder, bool) {
	f, err := workspace.Open(project, id)
	if err != nil {
		return journal.Holder{}, false
	}
	defer f.Close()
	h, err := journal.ReadHolder(f.Path)
	if err != nil || h.PID == 0 {
		return h, false
	}
	return h, proc.Identity{PID: h.PID, Start: h.Start}.Alive()
}

// Detach starts a supervisor that outlives its starter, the host's hooks and a
// closed terminal, and returns its pid. Where one lives already, that is it; who
// only amends the run is none.
func Detach(o Options) (int, error) {
	if h, alive := Alive(o.Project, o.ID); alive && !h.Amends {
		return h.PID, nil
	}
	if err := CheckBegunHere(o.Project, o.ID); err != nil {
		return 0, err
	}
	f, err := workspace.Open(o.Project, o.ID)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	argv := []string{o.Council, "supervise", "--project", o.Project, o.ID}
	id, err := proc.NewStarter(o.Council, o.Hook).Daemon(argv, o.Environ, o.Project, f.Join("supervisor.log"))
	if err != nil {
		return 0, fmt.Errorf("start the supervisor: %w", err)
	}
	return id.PID, nil
}

// Cancel ends a run for good: a tombstone first, then the supervisor gets a
// moment to end its turns, then whatever is left is ended from outside. What
// was found is kept.
func Cancel(ctx context.Context, o Options, reason string) error {
	f, err := workspace.Open(o.Project, o.ID)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Write(workspace.Tombstone, []byte(reason)); err != nil {
		return err
	}
	h, alive := Alive(o.Project, o.ID)
	if alive {
		awaitEnd(ctx, proc.Identity{PID: h.PID, Start: h.Start})
	}
	if _, err := proc.EndMarked(ProcessMark(o.ID)); err != nil {
		return fmt.Errorf("end what is left of the run: %w", err)
	}
	if err := conclude(ctx, o, f); err != nil {
		return err
	}
	if err := workspace.RemoveState(o.Project, o.ID); err != nil && !errors.Is(err, workspace.ErrNoState) {
		return err
	}
	return nil
}

// cancelGrace is how long a supervisor has to end its run after a cancel, before
// it is ended: the whole has to be over within two seconds.
const cancelGrace = 1300 * time.Millisecond

func awaitEnd(ctx context.Context, supervisor proc.Identity) {
	ctx, cancel := context.WithTimeout(ctx, cancelGrace)
	defer cancel()
	for look := time.NewTicker(20 * time.Millisecond); supervisor.Alive(); {
		select {
		case <-ctx.Done():
			look.Stop()
			_ = proc.EndIdentity(supervisor, 0) // what it leaves is swept next
			return
		case <-look.C:
		}
	}
}

// conclude writes the end of a cancelled run whose supervisor could not, and
// the report of what is known: it may have been ended between the two.
func conclude(ctx context.Context, o Options, f *workspace.Folder) error {
	_, r, err := Load(o.Products, o.Project, o.ID)
	if err != nil || r.Status != "" && f.Filled(flow.FinalReport) {
		return err
	}
	o.Record = nil // it is told by whoever looks at the run next: nobody waits for a collector
	_, err = superviseAny(ctx, o)
	return err
}

// ErrNotAsked says that a run does not wait for what a person has said.
var ErrNotAsked = errors.New("the run does not wait for this answer")

// ProcessMark is the mark by which every process of a run can be found.
func ProcessMark(id string) string { return "RESEARCH_COUNCIL_TURN=" + id + "/" }

// Reopen lets a run that nobody works on go on with another worker or under
// other limits: those of the setup, in the session named, or headless where
// none is.
// One that came from elsewhere stays trusted.
func Reopen(o Options, setup flow.Setup, session string) error {
	if err := CheckBegunHere(o.Project, o.ID); err != nil {
		return err
	}
	if err := reopen(o, setup, session); err != nil {
		return err
	}
	if err := CheckBegunHere(o.Project, o.ID); !errors.Is(err, ErrForeign) {
		return err
	}
	return Trust(o.Project, o.ID)
}

func reopen(o Options, setup flow.Setup, session string) error {
	o.Record = nil // as in Give
	s, err := open(o, false)
	if err != nil {
		return err
	}
	defer s.close()
	if s.Now.Status == "" {
		if err := s.recover(); err != nil {
			return err
		}
	}
	stage, moves := s.product.Reopened(s.Now)
	if stage == "" {
		stage = cmp.Or(s.Now.Stage, s.Flow.Stages[0].Name)
	}
	if !moves {
		setup.Session = s.Setup.Session
		return s.recordFacts(flow.Event{Kind: flow.RunReopened, Stage: stage, Setup: &setup, Reason: "taken up again"})
	}
	setup.Session = session
	if err := bindSession(s.product, setup, session, time.Now()); err != nil {
		return err
	}
	return s.recordFacts(flow.Event{Kind: flow.RunReopened, Stage: stage, Setup: &setup, Reason: "taken up by another worker or under other limits"})
}
