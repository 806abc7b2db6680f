// Package temporal speaks to the server: a workflow a run, the activity that carries it,
// and what submitters and people ask. It is the only one that imports Temporal's SDK.
//
// What passes the server is references into the store and figures, encrypted. Nothing
// is believed because an activity was started once: package store decides who has a
// run.
package temporal

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/research-council/research-council/fleet/internal/carry"
	"github.com/research-council/research-council/fleet/internal/ledger"
)

// In is what a workflow begins with.
type In struct {
	Run      string
	Request  string // its hash in the store
	Queue    string // of its seats
	Label    string // the submitter's own name for it
	Tenant   string
	Priority int
	Previous string        // the run before of a standing question, "" of none
	Notify   bool          // people are told what has changed since
	Beat     time.Duration // a worker that is not heard of for so long has lost its run
}

// State is what a workflow tells when it is asked.
type State struct {
	Waits bool // for a person
	Ends  *ledger.End
}

// Names at the server.
const (
	RunWorkflow     = "council"
	SaidSignal      = "said"
	StateQuery      = "state"
	carryActivity   = "carry"
	deliverActivity = "deliver"
	// Commands is the queue of the workflows themselves.
	Commands = "council"
)

// carryIn is what the activity is told.
type carryIn struct {
	Job    carry.Job
	Cancel bool // the run has waited for a person and is to end instead
}

// run is one workflow.
type run struct {
	in    In
	state State
	said  []carry.Said // answers and confirmations that no carrier has had yet
	begun bool         // a worker has had it
}

// Run carries a run to its end, over as many workers as it takes, and lets people speak to it.
func Run(ctx workflow.Context, in In) (ledger.End, error) {
	r := &run{in: in}
	if err := workflow.SetQueryHandler(ctx, StateQuery, func() (State, error) { return r.state, nil }); err != nil {
		return ledger.End{}, err
	}
	for {
		end, err := r.carry(ctx, false)
		r.state.Ends = &end
		switch {
		case err != nil:
			return end, err
		case end.Final && end.Status == "cancelled":
			return end, temporal.NewCanceledError(end)
		case end.Final && end.Notice != "":
			return end, leaveNotice(workflowWithout(ctx), in, end.Notice)
		case end.Final:
			return end, nil
		}
		if err := r.awaitPerson(ctx); err != nil {
			end, stopped := r.carry(workflowWithout(ctx), true)
			if stopped != nil {
				return end, stopped
			}
			return end, temporal.NewCanceledError(end)
		}
	}
}

// workflowWithout is a context that a cancel has not ended.
func workflowWithout(ctx workflow.Context) workflow.Context {
	without, _ := workflow.NewDisconnectedContext(ctx)
	return without
}

// carry has workers carry the run. The first one finds it in the queue of its seats; once
// it is begun it goes on by a queue of its own, which no pause holds.
func (r *run) carry(ctx workflow.Context, cancel bool) (ledger.End, error) {
	in := carryIn{Job: carry.Job{Run: r.in.Run, Request: r.in.Request, Previous: r.in.Previous, Notify: r.in.Notify, Said: r.said}, Cancel: cancel}
	r.said = nil
	for {
		begun := r.begun
		end, err := r.on(ctx, in)
		r.begun = true
		if begun || !lost(err) {
			return end, err
		}
		if ctx.Err() != nil { // it was cancelled while nobody had it
			ctx, in.Cancel = workflowWithout(ctx), true
		}
	}
}

// lost reports whether the first worker of a run is gone or has given it up.
func lost(err error) bool {
	var said *temporal.ApplicationError
	return temporal.IsTimeoutError(err) || errors.As(err, &said) && said.Type() == lostType
}

const (
	lostType    = "lost"
	timeoutType = "TemporalTimeout:" // and its kind: what the server calls them in a retry policy
)

// begunQueue is where runs wait that have been begun.
func begunQueue(queue string) string { return "begun:" + queue }

// on has one worker after the other carry the run, and hands on what people say meanwhile.
func (r *run) on(ctx workflow.Context, in carryIn) (end ledger.End, err error) {
	queue, moves := r.in.Queue, []string{lostType, timeoutType + "Heartbeat", timeoutType + "StartToClose"}
	if r.begun {
		queue, moves = begunQueue(queue), nil
	}
	future := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: queue, StartToCloseTimeout: longest, HeartbeatTimeout: r.in.Beat, WaitForCancellation: true,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, NonRetryableErrorTypes: moves},
		Priority:    temporal.Priority{PriorityKey: r.in.Priority, FairnessKey: r.in.Tenant},
	}), carryActivity, in)
	done := false
	listen := workflow.NewSelector(ctx).AddFuture(future, func(f workflow.Future) {
		done, err = true, f.Get(ctx, &end)
	}).AddReceive(workflow.GetSignalChannel(ctx, SaidSignal), func(c workflow.ReceiveChannel, _ bool) {
		var said carry.Said
		c.Receive(ctx, &said)
		r.hear(ctx, said)
	})
	for !done {
		listen.Select(ctx)
	}
	return end, err
}

// longest is how long one worker may carry a run.
const longest = 14 * 24 * time.Hour

// hear takes in what a person says while the run is carried.
func (r *run) hear(ctx workflow.Context, said carry.Said) {
	if said.Kind == carry.Answer || said.Kind == carry.Confirm {
		r.said = append(r.said, said)
		return
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		_ = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			TaskQueue: deliverQueue(r.in.Run), StartToCloseTimeout: time.Minute,
			RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: 10 * time.Second},
		}), deliverActivity, r.in.Run, said).Get(ctx, nil) // a run that ends first hears nothing more
	})
}

// deliverQueue is polled by whoever carries the run.
func deliverQueue(run string) string { return "run:" + run }

// awaitPerson waits until somebody answers or confirms; an error says that the run is
// cancelled.
func (r *run) awaitPerson(ctx workflow.Context) error {
	r.state.Waits = true
	defer func() { r.state.Waits = false }()
	for len(r.said) == 0 {
		var said carry.Said
		channel := workflow.GetSignalChannel(ctx, SaidSignal)
		gone := error(nil)
		workflow.NewSelector(ctx).AddReceive(channel, func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, &said) }).
			AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { gone = ctx.Err() }).Select(ctx)
		if gone != nil {
			return gone
		}
		if said.Kind == carry.Answer || said.Kind == carry.Confirm {
			r.said = append(r.said, said)
		}
	}
	return nil
}
