package carry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/batch"
	"github.com/research-council/research-council/fleet/internal/carry"
	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/fleet/internal/store/storetest"
)

// programs is the folder of council and council-hook, built once.
var programs string

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "seat" {
		os.Exit(scriptedSeat(os.Args[2]))
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", dir+"/", "./cmd/council", "./cmd/council-hook")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	programs = dir
	return m.Run()
}

// scriptedSeat is a seat that says the same to whatever it is asked, and notes each call.
func scriptedSeat(calls string) int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	f, err := os.OpenFile(calls, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	fmt.Fprintln(f, os.Getenv("RESEARCH_COUNCIL_TURN"))
	_ = f.Close()
	report := os.Getenv("RESEARCH_REPORT_PATH")
	said := strings.Repeat("The kettle rests while it is empty, as its notes say at some length and for good reason. ", 4)
	claim := `{"text":"The kettle rests.","quote":"The kettle rests while it is empty.","source":"notes.md:1"}` + "\n" +
		`{"text":"The kettle sings when it boils.","quote":"The kettle sings when it boils.","source":"notes.md"}` + "\n"
	_ = os.WriteFile(filepath.Join(filepath.Dir(report), "claims.jsonl"), []byte(claim), 0o600)
	if os.WriteFile(report, []byte("# Kettles\n\n"+said+os.Getenv("RESEARCH_COUNCIL_TURN")+"\n\n<!-- RESEARCH_COMPLETE -->\n"), 0o600) != nil {
		return 1
	}
	fmt.Println(`{"text":"done","usd":0.01}`)
	return 0
}

// fleet is a store, workers with folders of their own, and the calls their seats had.
type fleet struct {
	*testing.T
	memory *storetest.Memory
	store  *store.Store
	calls  string
	config string
	git    string
	commit string
}

func newFleet(t *testing.T) *fleet {
	dir := t.TempDir()
	f := &fleet{T: t, memory: &storetest.Memory{}, calls: filepath.Join(dir, "calls"), config: filepath.Join(dir, "config.yaml"), git: filepath.Join(dir, "notes")}
	f.store = store.New(f.memory, []byte("a key"))
	seat := fmt.Sprintf("{program: %q, args: [seat, %q], brand: %%s}", os.Args[0], f.calls)
	require.NoError(t, os.WriteFile(f.config, []byte("commands:\n  one: "+fmt.Sprintf(seat, "a")+"\n  two: "+fmt.Sprintf(seat, "b")+"\n"), 0o600))
	require.NoError(t, os.MkdirAll(f.git, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(f.git, "notes.md"), []byte("The kettle rests while it is empty.\n\nThe kettle sings when it boils.\n"), 0o600))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "notes"}} {
		out, err := exec.Command("git", append([]string{"-C", f.git}, args...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	head, err := exec.Command("git", "-C", f.git, "rev-parse", "HEAD").Output()
	require.NoError(t, err)
	f.commit = strings.TrimSpace(string(head))
	return f
}

func (f *fleet) worker(name string) *carry.Worker {
	dir := f.TempDir()
	return &carry.Worker{
		Name: name, Store: f.store, Dir: dir, Council: filepath.Join(programs, "council"), Hook: filepath.Join(programs, "council-hook"),
		Environ:  []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "COUNCIL_CONFIG=" + f.config},
		Patience: time.Minute, Grace: time.Second,
	}
}

// job keeps a request as a submitter does.
func (f *fleet) job(line string) carry.Job {
	req, err := batch.Parse([]byte(line))
	require.NoError(f, err)
	text, err := json.Marshal(req)
	require.NoError(f, err)
	hash, err := f.store.Say(context.Background(), text)
	require.NoError(f, err)
	return carry.Job{Run: req.Run(), Request: hash}
}

func (f *fleet) question() carry.Job {
	return f.job(fmt.Sprintf(`{"question":"When does the kettle rest?","seats":["one","two"],"no_plan":true,"max_iterations":2,"scope":{"git":"file://%s","commit":"%s"}}`, f.git, f.commit))
}

// turns are the turns seats were called for, each as often as it was.
func (f *fleet) turns() map[string]int {
	data, err := os.ReadFile(f.calls)
	if !errors.Is(err, fs.ErrNotExist) { // nobody has been called yet
		require.NoError(f, err)
	}
	all := map[string]int{}
	for turn := range strings.Lines(string(data)) {
		all[strings.TrimSpace(turn)]++
	}
	return all
}

// checked fetches a run and has council itself verify it.
func (f *fleet) checked(run string) ledger.Ledger {
	project := f.TempDir()
	l, err := f.store.Ledger(context.Background(), run)
	require.NoError(f, err)
	_, err = f.store.Fetch(context.Background(), run, filepath.Join(project, "research", l.ID))
	require.NoError(f, err)
	verify := exec.Command(filepath.Join(programs, "council"), "verify", "--project", project, l.ID)
	verify.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + project}
	out, err := verify.CombinedOutput()
	require.NoError(f, err, string(out))
	return l
}

func never(int) {}

func TestARunIsCarriedToItsEnd(t *testing.T) {
	f := newFleet(t)
	job := f.question()
	facts := 0
	end, err := f.worker("a").Carry(t.Context(), job, func(n int) { facts = n })
	require.NoError(t, err)
	require.Equal(t, "completed", end.Status)
	require.True(t, end.Final)
	require.Equal(t, end.Facts, facts)
	require.Equal(t, "final-report.md", end.Report)
	require.Equal(t, &end, f.checked(job.Run).End)
	calls := f.turns()

	again, err := f.worker("b").Carry(t.Context(), job, never)
	require.NoError(t, err)
	require.Equal(t, end, again)
	require.Equal(t, calls, f.turns(), "a run that has ended is not begun again")
}

// A worker that is cut off in mid-run leaves a run that another, with another folder,
// brings to its end; no turn whose end is in the store is taken again.
func TestAnotherWorkerGoesOn(t *testing.T) {
	f := newFleet(t)
	job := f.question()
	paid := map[string]int{} // turns whose end was in the store at a loss, and how often they had been called for
	for i, after := range []int{6, 20, 40} {
		ctx, stop := context.WithCancelCause(t.Context())
		_, err := f.worker(fmt.Sprint("lost", i)).Carry(ctx, job, func(facts int) {
			if facts >= after {
				stop(carry.ErrCutOff)
			}
		})
		stop(nil)
		require.ErrorIs(t, err, carry.ErrCutOff)
		calls := f.turns()
		for turn := range f.endedTurns(job.Run) {
			paid[turn] = calls[turn]
		}
	}
	require.NotEmpty(t, paid)
	end, err := f.worker("last").Carry(t.Context(), job, never)
	require.NoError(t, err)
	require.Equal(t, "completed", end.Status)
	require.Equal(t, 4, f.checked(job.Run).Epoch)
	for turn, times := range f.turns() {
		if before, is := paid[turn]; is {
			require.Equal(t, before, times, "%s was paid for already", turn)
		}
	}
}

// endedTurns are the turns that the journal has as ended and not stopped.
func (f *fleet) endedTurns(run string) map[string]bool {
	dir := filepath.Join(f.TempDir(), "run")
	l, err := f.store.Fetch(context.Background(), run, dir)
	require.NoError(f, err)
	data, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	require.NoError(f, err)
	ended := map[string]bool{}
	for line := range bytes.Lines(data) {
		var one struct {
			Fact struct {
				Kind, Task string
				Turn       int
				Result     struct{ Stopped bool }
			}
		}
		require.NoError(f, json.Unmarshal(line, &one))
		if one.Fact.Kind == "turn.ended" && !one.Fact.Result.Stopped && !strings.HasSuffix(one.Fact.Task, "/program") {
			ended[fmt.Sprintf("%s/%s-%d", l.ID, strings.ReplaceAll(one.Fact.Task, "/", "-"), one.Fact.Turn)] = true
		}
	}
	return ended
}

func TestARunIsCancelled(t *testing.T) {
	f := newFleet(t)
	job := f.question()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	end, err := f.worker("a").Carry(ctx, job, func(facts int) {
		if facts >= 6 {
			stop(carry.ErrCancelled)
		}
	})
	require.NoError(t, err)
	require.Equal(t, "cancelled", end.Status)
	require.True(t, end.Final)
	require.Equal(t, "cancelled", f.checked(job.Run).End.Status)
}

// A store that takes nothing any more stops the run in time; when it does again, the
// same worker goes on with what lies in its folder.
func TestAStoreThatTakesNothingStopsTheRun(t *testing.T) {
	f := newFleet(t)
	job := f.question()
	w := f.worker("a")
	w.Patience = time.Second
	down := false
	f.memory.Fails = func() (bool, bool) { return down, false }
	_, err := w.Carry(t.Context(), job, func(facts int) { down = facts >= 6 })
	require.ErrorIs(t, err, carry.ErrStore)
	f.memory.Fails, w.Patience = nil, time.Minute
	end, err := w.Carry(t.Context(), job, never)
	require.NoError(t, err)
	require.Equal(t, "completed", end.Status)
	f.checked(job.Run)
}

// A worker that was replaced while it worked finds so at its next fact.
func TestAWorkerThatWasReplacedStops(t *testing.T) {
	f := newFleet(t)
	job := f.question()
	taken := false
	_, err := f.worker("a").Carry(t.Context(), job, func(facts int) {
		if facts >= 6 && !taken {
			taken = true
			_, err := f.store.Take(t.Context(), job.Run, "b", time.Now())
			require.NoError(t, err)
		}
	})
	require.ErrorIs(t, err, store.ErrLost)
	l, err := f.store.Ledger(t.Context(), job.Run)
	require.NoError(t, err)
	require.Equal(t, "b", l.Holder)
	require.Equal(t, 2, l.Epoch)
}

func TestARequestThatCouncilRefuses(t *testing.T) {
	f := newFleet(t)
	job := f.job(`{"question":"Why?","seats":["nobody"]}`)
	end, err := f.worker("a").Carry(t.Context(), job, never)
	require.NoError(t, err)
	require.Equal(t, "refused", end.Status)
	require.True(t, end.Final)
	require.Contains(t, end.Reason, "nobody")
}

func TestWhatIsSaidReachesOnlyWhoCarriesTheRun(t *testing.T) {
	f := newFleet(t)
	err := f.worker("a").Deliver(t.Context(), "council-0", carry.Said{Kind: carry.Finish})
	require.ErrorIs(t, err, carry.ErrNotHere)
}

func TestAFinishReachesTheRun(t *testing.T) {
	f := newFleet(t)
	job := f.question()
	w := f.worker("a")
	said := false
	end, err := w.Carry(t.Context(), job, func(facts int) {
		if facts >= 6 && !said {
			said = true
			require.NoError(t, w.Deliver(t.Context(), job.Run, carry.Said{Kind: carry.Finish}))
		}
	})
	require.NoError(t, err)
	require.True(t, end.Final)
	dir := filepath.Join(t.TempDir(), "run")
	_, err = f.store.Fetch(t.Context(), job.Run, dir)
	require.NoError(t, err)
	journal, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(journal), `"kind":"finish.asked"`)
}
