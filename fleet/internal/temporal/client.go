package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"golang.org/x/sync/errgroup"

	"github.com/research-council/research-council/fleet/internal/batch"
	"github.com/research-council/research-council/fleet/internal/carry"
	"github.com/research-council/research-council/fleet/internal/store"
)

// Fleet is what submitters and people ask of a server and a store.
type Fleet struct {
	Client    client.Client
	Namespace string
	Store     *store.Store
	Converter converter.DataConverter // as [Converter] makes it
}

// Submitted is what became of a batch.
type Submitted struct {
	New   int      `json:"new"`
	There int      `json:"there"` // asked for before, by the same content
	Runs  []string `json:"runs"`  // of every line, in order
}

const (
	submitAtOnce = 16
	submitTries  = 5
)

// Submit begins the runs of a batch. A run that is there already, under way or over, is
// left as it is: the same batch can be submitted again after a submit that broke off.
func (f *Fleet) Submit(ctx context.Context, list []batch.Request, beat time.Duration) (Submitted, error) {
	out := Submitted{Runs: make([]string, len(list))}
	queues := map[string]bool{}
	for i, r := range list {
		out.Runs[i] = r.Run()
		queues[r.Queue()] = true
	}
	for q := range queues {
		if err := f.Store.Ask(ctx, q); err != nil {
			return out, err
		}
	}
	var mu sync.Mutex
	group, sub := errgroup.WithContext(ctx)
	group.SetLimit(submitAtOnce)
	for _, r := range list {
		group.Go(func() error {
			begun, err := f.begin(sub, r, beat)
			mu.Lock()
			defer mu.Unlock()
			if begun {
				out.New++
			} else if err == nil {
				out.There++
			}
			return err
		})
	}
	return out, group.Wait()
}

// begin begins one run; false where it is there.
func (f *Fleet) begin(ctx context.Context, r batch.Request, beat time.Duration) (bool, error) {
	in, err := f.say(ctx, r, beat)
	if err != nil {
		return false, err
	}
	asked := 0
	begin := func() error {
		asked++
		_, err := f.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: in.Run, TaskQueue: Commands, WorkflowExecutionErrorWhenAlreadyStarted: true,
			WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
			Priority:              temporal.Priority{PriorityKey: r.Priority, FairnessKey: r.Tenant}, Memo: in.memo(),
		}, RunWorkflow, in)
		return err
	}
	for err = begin(); isLate(err) && ctx.Err() == nil && asked < submitTries; {
		err = begin() // a server that has much to do
	}
	var there *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &there) {
		return asked > 1, nil // the answer to a try before got lost
	}
	if err != nil {
		return false, fmt.Errorf("begin run %s: %w", in.Run, err)
	}
	return true, nil
}

// say keeps a request in the store, and is what its workflow begins with.
func (f *Fleet) say(ctx context.Context, r batch.Request, beat time.Duration) (In, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return In{}, err
	}
	hash, err := f.Store.Say(ctx, text)
	return In{Run: r.Run(), Request: hash, Queue: r.Queue(), Label: r.Label, Tenant: r.Tenant, Priority: r.Priority, Beat: beat}, err
}

// labelMemo is the submitter's own name of a run, as the server keeps it beside the run.
const labelMemo = "id"

// memo is what a run is listed with.
func (in In) memo() map[string]any { return map[string]any{labelMemo: in.Label} }

// labelOf is the submitter's own name of a run that was listed; "" of none.
func (f *Fleet) labelOf(memo *commonpb.Memo) (label string) {
	if p := memo.GetFields()[labelMemo]; p != nil {
		_ = f.Converter.FromPayload(p, &label) // one that cannot be read is none
	}
	return label
}

// isLate reports whether the server has not answered in time.
func isLate(err error) bool {
	var late *serviceerror.DeadlineExceeded
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late)
}

// Status is how far a fleet is.
type Status struct {
	Runs  map[string]int64 `json:"runs"` // by what the server calls it: Running, Completed, Failed, Canceled
	Under []UnderWay       `json:"under_way,omitempty"`

	Paused  *store.Paused `json:"paused,omitempty"` // what nothing new is begun of
	Workers []Heard       `json:"workers,omitempty"`
}

// Heard is a worker that the server has heard of within the last minutes.
type Heard struct {
	Name string    `json:"name"`
	At   time.Time `json:"heard"`
}

// UnderWay is a run that is not over.
type UnderWay struct {
	Run    string `json:"run"`
	Label  string `json:"id,omitempty"`     // the submitter's own name for it
	Holder string `json:"holder,omitempty"` // the worker that was heard of last
	Facts  int    `json:"facts,omitempty"`  // in the store, as it said then
	Tries  int32  `json:"tries,omitempty"`  // of this piece of work, from 1
	Why    string `json:"why,omitempty"`    // the last one ended
}

const onlyCouncil = `WorkflowType = "` + RunWorkflow + `"`

// Status counts the runs and tells of some that are under way.
func (f *Fleet) Status(ctx context.Context, most int32) (Status, error) {
	out := Status{Runs: map[string]int64{}}
	p, err := f.Store.Paused(ctx)
	if err != nil {
		return out, err
	}
	if p.All || len(p.Seats) > 0 {
		out.Paused = &p
	}
	if out.Workers, err = f.workers(ctx); err != nil {
		return out, err
	}
	counts, err := f.Client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: f.Namespace, Query: onlyCouncil + " GROUP BY ExecutionStatus"})
	if err != nil {
		return out, fmt.Errorf("count the runs: %w", err)
	}
	for _, g := range counts.GetGroups() {
		var name string
		if err := converter.GetDefaultDataConverter().FromPayload(g.GetGroupValues()[0], &name); err != nil {
			return out, fmt.Errorf("count the runs: %w", err)
		}
		out.Runs[name] = g.GetCount()
	}
	list, err := f.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: f.Namespace, Query: onlyCouncil + ` AND ExecutionStatus = "Running"`, PageSize: most})
	if err != nil {
		return out, fmt.Errorf("list the runs: %w", err)
	}
	for _, e := range list.GetExecutions() {
		one := UnderWay{Run: e.GetExecution().GetWorkflowId(), Label: f.labelOf(e.GetMemo())}
		d, err := f.Client.DescribeWorkflowExecution(ctx, one.Run, "")
		if err != nil {
			return out, fmt.Errorf("look at run %s: %w", one.Run, err)
		}
		for _, p := range d.GetPendingActivities() {
			one.Tries, one.Why = p.GetAttempt(), why(failures(f.Converter).FailureToError(p.GetLastFailure()))
			_ = f.Converter.FromPayloads(p.GetHeartbeatDetails(), &one.Facts, &one.Holder) // none of it is needed
		}
		out.Under = append(out.Under, one)
	}
	return out, nil
}

// workers are those that ask the server for work.
func (f *Fleet) workers(ctx context.Context) ([]Heard, error) {
	queue, err := f.Client.DescribeTaskQueue(ctx, Commands, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return nil, fmt.Errorf("ask which workers there are: %w", err)
	}
	heard := map[string]time.Time{}
	for _, p := range queue.GetPollers() {
		if at := p.GetLastAccessTime().AsTime().Truncate(time.Second); at.After(heard[p.GetIdentity()]) {
			heard[p.GetIdentity()] = at
		}
	}
	var list []Heard
	for _, name := range slices.Sorted(maps.Keys(heard)) {
		list = append(list, Heard{name, heard[name]})
	}
	return list, nil
}

// why a worker has ended, without what the server adds; "" of none.
func why(err error) string {
	var said *temporal.ApplicationError
	switch {
	case errors.As(err, &said):
		return said.Message()
	case err != nil:
		return err.Error()
	}
	return ""
}

// Cancel ends a run for good; what was found is kept.
func (f *Fleet) Cancel(ctx context.Context, run string) error {
	return told(run, f.Client.CancelWorkflow(ctx, run, ""))
}

// Say says something to a run. The words go into the store, and a reference to the run.
func (f *Fleet) Say(ctx context.Context, run, kind string, words []byte) error {
	said := carry.Said{Kind: kind}
	if len(words) > 0 {
		hash, err := f.Store.Say(ctx, words)
		if err != nil {
			return err
		}
		said.Hash = hash
	}
	return told(run, f.Client.SignalWorkflow(ctx, run, "", SaidSignal, said))
}

func told(run string, err error) error {
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return fmt.Errorf("run %s is not under way here", run)
	}
	return err
}

// Knows reports whether the server has a run, under way or over.
func (f *Fleet) Knows(ctx context.Context, run string) (bool, error) {
	_, err := f.Client.DescribeWorkflowExecution(ctx, run, "")
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for run %s: %w", run, err)
	}
	return true, nil
}

// Over are the runs that are over, and the submitter's own name of each.
func (f *Fleet) Over(ctx context.Context) (map[string]string, error) {
	return f.list(ctx, onlyCouncil+` AND ExecutionStatus != "Running"`)
}

// Begun are the runs that are not over, in the same form.
func (f *Fleet) Begun(ctx context.Context) (map[string]string, error) {
	return f.list(ctx, onlyCouncil+` AND ExecutionStatus = "Running"`)
}

func (f *Fleet) list(ctx context.Context, query string) (map[string]string, error) {
	runs := map[string]string{}
	var next []byte
	for {
		page, err := f.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: f.Namespace, Query: query, PageSize: 1000, NextPageToken: next})
		if err != nil {
			return nil, fmt.Errorf("list the runs: %w", err)
		}
		for _, e := range page.GetExecutions() {
			runs[e.GetExecution().GetWorkflowId()] = f.labelOf(e.GetMemo())
		}
		if next = page.GetNextPageToken(); len(next) == 0 {
			return runs, nil
		}
	}
}

// Converter is what reads what passed the server.
func Converter(key []byte) (converter.DataConverter, error) {
	codec, err := newCodec(key)
	if err != nil {
		return nil, err
	}
	return dataConverter(codec), nil
}
