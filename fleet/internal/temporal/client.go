package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

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
	text, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	hash, err := f.Store.Say(ctx, text)
	if err != nil {
		return false, err
	}
	in := In{Run: r.Run(), Request: hash, Queue: r.Queue(), Tenant: r.Tenant, Priority: r.Priority, Beat: beat}
	asked := 0
	begin := func() error {
		asked++
		_, err := f.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: in.Run, TaskQueue: Commands, WorkflowExecutionErrorWhenAlreadyStarted: true,
			WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
			Priority:              temporal.Priority{PriorityKey: r.Priority, FairnessKey: r.Tenant},
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

// isLate reports whether the server has not answered in time.
func isLate(err error) bool {
	var late *serviceerror.DeadlineExceeded
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late)
}

// Status is how far a fleet is.
type Status struct {
	Runs  map[string]int64 `json:"runs"` // by what the server calls it: Running, Completed, Failed, Canceled
	Under []UnderWay       `json:"under_way,omitempty"`
}

// UnderWay is a run that is not over.
type UnderWay struct {
	Run    string `json:"run"`
	Holder string `json:"holder,omitempty"` // the worker that was heard of last
	Facts  int    `json:"facts,omitempty"`  // in the store, as it said then
	Tries  int32  `json:"tries,omitempty"`  // of this piece of work, from 1
	Why    string `json:"why,omitempty"`    // the last one ended
}

const onlyCouncil = `WorkflowType = "` + RunWorkflow + `"`

// Status counts the runs and tells of some that are under way.
func (f *Fleet) Status(ctx context.Context, most int32, conv converter.DataConverter) (Status, error) {
	out := Status{Runs: map[string]int64{}}
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
		one := UnderWay{Run: e.GetExecution().GetWorkflowId()}
		d, err := f.Client.DescribeWorkflowExecution(ctx, one.Run, "")
		if err != nil {
			return out, fmt.Errorf("look at run %s: %w", one.Run, err)
		}
		for _, p := range d.GetPendingActivities() {
			one.Tries, one.Why = p.GetAttempt(), why(failures(conv).FailureToError(p.GetLastFailure()))
			_ = conv.FromPayloads(p.GetHeartbeatDetails(), &one.Facts, &one.Holder) // none of it is needed
		}
		out.Under = append(out.Under, one)
	}
	return out, nil
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

// Over lists the runs that are over.
func (f *Fleet) Over(ctx context.Context) ([]string, error) {
	var runs []string
	var next []byte
	for {
		page, err := f.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: f.Namespace, Query: onlyCouncil + ` AND ExecutionStatus != "Running"`, PageSize: 1000, NextPageToken: next})
		if err != nil {
			return nil, fmt.Errorf("list the runs: %w", err)
		}
		for _, e := range page.GetExecutions() {
			runs = append(runs, e.GetExecution().GetWorkflowId())
		}
		if next = page.GetNextPageToken(); len(next) == 0 {
			slices.SortFunc(runs, strings.Compare)
			return slices.Compact(runs), nil
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
