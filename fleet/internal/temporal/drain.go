package temporal

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const (
	drainWorkflow = "council-drain"
	drainActivity = "drain"
	drainTime     = 10 * time.Second // that a worker has to answer
)

// workerQueue is polled by one worker alone.
func workerQueue(name string) string { return "worker:" + name }

// tellWorker has a worker take nothing new; it returns how many runs it finishes first.
func tellWorker(ctx workflow.Context, name string) (runs int, err error) {
	err = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: workerQueue(name), ScheduleToCloseTimeout: drainTime,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	}), drainActivity).Get(ctx, &runs)
	return runs, err
}

// listen hears that this worker is to drain.
func (w *Worker) listen(places room, die func(error)) (worker.Worker, error) {
	p := worker.New(w.Client, workerQueue(w.Carrier.Name), worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityTaskPollers: 1, OnFatalError: die, Identity: w.Carrier.Name})
	p.RegisterActivityWithOptions(func(context.Context) (int, error) {
		w.gate.close()
		return len(places), nil
	}, activity.RegisterOptions{Name: drainActivity})
	if err := p.Start(); err != nil {
		return nil, fmt.Errorf("take work from Temporal: %w", err)
	}
	return p, nil
}

// ErrNoWorker says that no worker of a name is there.
var ErrNoWorker = errors.New("no worker of this name answers; `council-fleet status` names those that are there")

// Drain has a worker take nothing new and end when what it has is over; it returns how many
// runs it finishes first.
func (f *Fleet) Drain(ctx context.Context, name string) (runs int, err error) {
	run, err := f.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: "drain:" + name, TaskQueue: Commands, WorkflowExecutionTimeout: 2 * drainTime,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, drainWorkflow, name)
	if err == nil {
		err = run.Get(ctx, &runs)
	}
	if temporal.IsTimeoutError(err) {
		return 0, fmt.Errorf("%s: %w", name, ErrNoWorker)
	}
	if err != nil {
		return 0, fmt.Errorf("drain %s: %w", name, err)
	}
	return runs, nil
}
