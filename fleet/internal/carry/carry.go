package carry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/fleet/internal/batch"
	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// Why a carrier is to stop, as causes of its context.
var (
	ErrCancelled = errors.New("the run was cancelled")
	ErrHandOver  = errors.New("this worker stops; another goes on with the run")
	ErrCutOff    = errors.New("nothing was heard of the server for so long that the run is somebody else's")
)

// ErrStore says that the store took nothing for too long: the run rests until it does.
var ErrStore = errors.New("the store takes nothing")

// Said is what a person says to a run; the words are in the store.
type Said struct {
	Kind string `json:"kind"` // finish, note, answer, confirm
	Hash string `json:"hash,omitempty"`
}

// Kinds of what is said.
const (
	Finish  = "finish"
	Note    = "note"
	Answer  = "answer"
	Confirm = "confirm"
)

// Waiting is the status of a run that asks a person.
const Waiting = "paused_for_input"

// Job is a run to carry.
type Job struct {
	Run      string
	Request  string // hash of the request, in the store
	Previous string // a run to compare with, "" of none
	Notify   bool   // people are told by this worker's channels when something has changed since
	Said     []Said // answers and confirmations it has waited for
}

// Worker carries runs.
type Worker struct {
	Name     string // of this worker; a worker that comes back has the same
	Store    *store.Store
	Dir      string // holds a folder for each run
	Council  string // the executable
	Hook     string // council-hook
	Environ  []string
	Tell     func(string)  // takes a line for whoever looks after the worker; nil for nobody
	Patience time.Duration // how long a run goes on while the store takes nothing
	Grace    time.Duration // between TERM and KILL of a child

	mu      sync.Mutex
	carried map[string]*carrying // by their runs
}

const (
	look = 50 * time.Millisecond // how often the journal is looked at
	full = 5 * time.Second       // how often everything else is
)

// carrying is one run under way.
type carrying struct {
	*Worker
	job     Job
	req     batch.Request
	keeper  *store.Keeper
	project string
	folder  string // "" until the run is laid down
	former  string // id of the run to compare with, laid down beside it; "" of none
	told    func(facts int)
	facts   int
}

// Carry takes a run and works on it until it has ended, waits for a person, or ctx is
// done, whose cause says why; told hears how many facts are in the store. A run that has ended
// already is not begun again.
func (w *Worker) Carry(ctx context.Context, job Job, told func(facts int)) (ledger.End, error) {
	c := &carrying{Worker: w, job: job, told: told, project: filepath.Join(w.Dir, job.Run, "project")}
	if err := c.take(ctx); err != nil {
		return ledger.End{}, err
	}
	defer c.keeper.Close()
	if end := c.keeper.Ledger().End; end != nil && end.Final {
		return *end, nil
	}
	if err := c.prepare(ctx); err != nil {
		return ledger.End{}, err
	}
	end, err := c.work(ctx)
	if err == nil && end.Final {
		_ = os.RemoveAll(filepath.Join(w.Dir, job.Run)) // all of it is in the store
	}
	return end, err
}

// take reads what is asked and takes the run, however often the store fails.
func (c *carrying) take(ctx context.Context) error {
	return c.retry(ctx, func() (err error) {
		text, err := c.Store.Said(ctx, c.job.Request)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &c.req); err != nil {
			return fmt.Errorf("read the request: %w", err)
		}
		c.keeper, err = c.Store.Take(ctx, c.job.Run, c.Name, time.Now())
		return err
	})
}

// retry does something again while the store fails, for as long as the worker has
// patience.
func (c *carrying) retry(ctx context.Context, do func() error) error {
	pause := time.NewTicker(retryEvery)
	defer pause.Stop()
	for began := time.Now(); ; {
		err := do()
		if err == nil || errors.Is(err, store.ErrLost) || errors.Is(err, store.ErrDamaged) {
			return err
		}
		if time.Since(began) > c.Patience {
			return fmt.Errorf("%w: %w", ErrStore, err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-pause.C:
		}
	}
}

const retryEvery = 500 * time.Millisecond

// prepare has the run's folder lie here as it is in the store, or as it went on here.
func (c *carrying) prepare(ctx context.Context) error {
	l := c.keeper.Ledger()
	if err := os.MkdirAll(c.project, 0o700); err != nil {
		return fmt.Errorf("make a folder for the run: %w", err)
	}
	runs := filepath.Join(c.project, workspace.Runs)
	if err := c.awaitFormer(ctx, runs); err != nil {
		return err
	}
	if err := c.layScope(ctx); err != nil {
		return err
	}
	if l.ID == "" || !workspace.ValidID(l.ID) { // what was begun here never reached the store
		if err := os.RemoveAll(runs); err != nil {
			return fmt.Errorf("make a folder for the run: %w", err)
		}
		return c.layFormer(ctx, runs)
	}
	c.folder = filepath.Join(runs, l.ID)
	if !c.keeper.Continues(c.folder) {
		err := c.retry(ctx, func() error {
			if err := os.RemoveAll(runs); err != nil {
				return err
			}
			_, err := c.Store.Fetch(ctx, c.job.Run, c.folder)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := c.layFormer(ctx, runs); err != nil {
		return err
	}
	c.facts = countFacts(c.folder)
	return c.keeper.Open(c.folder, l.ID)
}

// awaitFormer waits until nobody works on a run any more in the folder of a former life
// of this worker: its keepers end what it had started.
func (c *carrying) awaitFormer(ctx context.Context, runs string) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		if !someoneWorks(runs) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

func someoneWorks(runs string) bool {
	entries, _ := os.ReadDir(runs) // a folder that is not there holds nobody
	for _, e := range entries {
		h, err := journal.ReadHolder(filepath.Join(runs, e.Name()))
		if err == nil && h.PID != 0 && (proc.Identity{PID: h.PID, Start: h.Start}).Alive() {
			return true
		}
	}
	return false
}

func countFacts(dir string) int {
	data, err := os.ReadFile(filepath.Join(dir, journal.Name))
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte{'\n'})
}

// work starts council and sees it to its end.
func (c *carrying) work(ctx context.Context) (ledger.End, error) {
	args, err := c.args(ctx)
	if err != nil {
		return ledger.End{}, err
	}
	out, log := c.file("stdout"), c.file("stderr")
	_ = os.Remove(out)
	_ = os.Remove(log)
	p, err := proc.NewStarter(c.Council, c.Hook).Start(proc.Spec{
		Argv: append([]string{c.Council}, args...), Env: c.environ(), Dir: c.project, Stdout: out, Stderr: log, Grace: c.Grace,
	})
	if err != nil {
		return ledger.End{}, err
	}
	c.carry(true)
	err = c.follow(ctx, p)
	c.carry(false)
	if cause := context.Cause(ctx); ctx.Err() != nil && !errors.Is(cause, ErrCancelled) && !errors.Is(cause, ErrHandOver) || errors.Is(err, store.ErrLost) {
		p.End()
		<-p.Done()
		return ledger.End{}, errors.Join(err, cause)
	}
	return c.leave(ctx, p, err)
}

func (c *carrying) file(name string) string { return filepath.Join(c.Dir, c.job.Run, name) }

// environ is the worker's, with a place of its own for what council remembers of runs
// that are trusted.
func (c *carrying) environ() []string {
	return append(c.Environ, "XDG_STATE_HOME="+filepath.Join(c.Dir, "state"), "RESEARCH_COUNCIL_IN_PLACE=1")
}

// carry notes where the run lies while it is worked on, for [Worker.Deliver].
func (c *carrying) carry(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.carried == nil {
		c.carried = map[string]*carrying{}
	}
	if delete(c.carried, c.job.Run); on {
		c.carried[c.job.Run] = c
	}
}

// args are what council is started with: to begin the run, or to go on with it.
func (c *carrying) args(ctx context.Context) ([]string, error) {
	if c.folder == "" {
		question := c.file("question.txt")
		if err := os.WriteFile(question, []byte(c.req.Question), 0o600); err != nil {
			return nil, fmt.Errorf("write the question: %w", err)
		}
		scope := ""
		if c.req.Scope != nil {
			scope = scopeName
		}
		args := append(c.req.Args(question, scope), "--project="+c.project)
		if c.former != "" {
			args = append(args, "--previous="+c.former)
		}
		return args, nil
	}
	args := []string{"resume", "--trust", "--quiet", "--json", "--project=" + c.project}
	if statusIn(c.folder).Status == Waiting {
		for _, s := range c.job.Said {
			switch s.Kind {
			case Confirm:
				args = append(args, "--confirm")
			case Answer:
				words, err := c.Store.Said(ctx, s.Hash)
				if err == nil {
					err = os.WriteFile(c.file("answer"), words, 0o600)
				}
				if err != nil {
					return nil, err
				}
				args = append(args, "--input="+c.file("answer"))
			}
		}
	}
	return append(args, filepath.Base(c.folder)), nil
}

// follow brings what comes into the store until the child has ended, ctx is done, or
// the store has taken nothing for too long.
func (c *carrying) follow(ctx context.Context, p *proc.Process) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	good, whole := time.Now(), time.Now()
	size := int64(-1)
	for {
		select {
		case <-p.Done():
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		now := c.journalSize()
		if now < 0 || now == size && time.Since(whole) < full {
			good = time.Now() // there is nothing that waits
			continue
		}
		err := c.sync(ctx, nil)
		switch {
		case err == nil:
			size, good, whole = now, time.Now(), time.Now()
		case errors.Is(err, store.ErrLost):
			return err
		case time.Since(good) > c.Patience:
			return fmt.Errorf("%w: %w", ErrStore, err)
		}
	}
}

// journalSize is how long the run's journal is, -1 while there is none.
func (c *carrying) journalSize() int64 {
	if c.folder == "" && !c.find() {
		return -1
	}
	info, err := os.Stat(filepath.Join(c.folder, journal.Name))
	if err != nil {
		return -1
	}
	return info.Size()
}

// find finds the folder of the run that the child has begun.
func (c *carrying) find() bool {
	ids, err := workspace.List(c.project)
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == c.former })
	if err != nil || len(ids) == 0 {
		return false
	}
	dir := filepath.Join(c.project, workspace.Runs, ids[0])
	if info, err := os.Stat(filepath.Join(dir, journal.Name)); err != nil || info.Size() == 0 {
		return false
	}
	if err := c.keeper.Open(dir, ids[0]); err != nil {
		return false
	}
	c.folder = dir
	return true
}

const syncTime = 30 * time.Second

func (c *carrying) sync(ctx context.Context, end *ledger.End) error {
	ctx, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	n, err := c.keeper.Sync(ctx, time.Now(), end)
	if c.facts += n; n > 0 {
		c.told(c.facts)
	}
	return err
}

// leave ends what is still under way, in the way the cause asks for, and brings the last
// of it into the store.
func (c *carrying) leave(ctx context.Context, p *proc.Process, why error) (ledger.End, error) {
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrCancelled) && c.tombstone() {
		select {
		case <-p.Done():
		case <-time.After(cancelTime):
		}
	}
	p.End()
	<-p.Done()
	c.journalSize() // it may have been begun just now
	end := c.end(p.Wait())
	if errors.Is(cause, ErrCancelled) && !end.Final {
		end.Status, end.Final = "cancelled", true
	}
	end.Notice = c.noticeOf(ctx, end)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	err := c.retry(ctx, func() error {
		switch {
		case c.folder != "":
			return c.sync(ctx, &end)
		case end.Final:
			return c.keeper.Rest(ctx, time.Now(), end)
		}
		return nil
	})
	switch {
	case err != nil:
		return end, err
	case end.Final, end.Status == Waiting:
		return end, nil
	case why != nil:
		return end, why
	}
	return end, fmt.Errorf("council ended with code %d and the run is not over: %s", end.Code, c.lastWords())
}

const (
	cancelTime = 5 * time.Second  // that council has to write the end of a cancelled run
	leaveTime  = 60 * time.Second // for the last of a run
)

// tombstone has council end the run for good; false where there is none yet.
func (c *carrying) tombstone() bool {
	if c.folder == "" {
		return false
	}
	f, err := workspace.Open(c.project, filepath.Base(c.folder))
	if err != nil {
		return false
	}
	defer f.Close()
	return f.Write(workspace.Tombstone, []byte("the user cancelled it")) == nil
}

// status is what is read of status.json.
type status struct {
	Status string    `json:"status"`
	Score  *float64  `json:"score"`
	Report string    `json:"report"`
	Facts  int       `json:"facts"`
	Began  time.Time `json:"began"`
	At     time.Time `json:"at"`
	Spent  struct {
		USD float64 `json:"usd"`
	} `json:"spent"`
}

func statusIn(dir string) (s status) {
	data, err := os.ReadFile(filepath.Join(dir, workspace.Status))
	if err != nil || json.Unmarshal(data, &s) != nil {
		return status{}
	}
	return s
}

// usageCode is council's exit code for a mistake in what was asked.
const usageCode = 2

// end is what became of the run.
func (c *carrying) end(exit proc.Exit) ledger.End {
	if c.folder == "" {
		end := ledger.End{Status: "unbegun", Code: exit.Code}
		if exit.Code == usageCode {
			end.Status, end.Reason, end.Final = "refused", c.lastWords(), true
		}
		return end
	}
	s := statusIn(c.folder)
	end := ledger.End{Status: s.Status, Code: exit.Code, Facts: countFacts(c.folder), USD: s.Spent.USD, Seconds: s.At.Sub(s.Began).Seconds()}
	if s.Score != nil {
		end.Score = *s.Score
	}
	if s.Report != "" {
		end.Report = filepath.Base(s.Report)
	}
	switch s.Status {
	case "completed", "failed", "cancelled", "out_of_budget", "no_evidence":
		end.Final = true
	}
	return end
}

// lastWords is the last line council has said.
func (c *carrying) lastWords() string {
	data, _ := proc.LastBytes(c.file("stderr"), 4<<10) // none is no word
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.TrimPrefix(strings.ToValidUTF8(lines[len(lines)-1], "?"), "council: ")
}

// ErrNotHere says that a run is not worked on by this worker.
var ErrNotHere = errors.New("this worker does not carry the run")

// Deliver gives a run that is worked on here what a person says.
func (w *Worker) Deliver(ctx context.Context, run string, said Said) error {
	w.mu.Lock()
	c, here := w.carried[run]
	w.mu.Unlock()
	if !here {
		return ErrNotHere
	}
	ids, err := workspace.List(c.project)
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == c.former })
	if err != nil || len(ids) == 0 {
		return errors.Join(ErrNotHere, err)
	}
	f, err := workspace.Open(c.project, ids[0])
	if err != nil {
		return err
	}
	defer f.Close()
	note := workspace.Note{Kind: workspace.FinishAsked, Detail: "finished early", At: time.Now().UTC()}
	if said.Kind == Note {
		words, err := w.Store.Said(ctx, said.Hash)
		if err != nil {
			return err
		}
		note.Kind, note.Detail = workspace.PersonSaid, string(words)
	}
	return f.DropNote(note)
}
