package temporal

import (
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

const (
	noticeWorkflow = "council-notice"
	noticeActivity = "notice"
	noticeTries    = 30             // which come to about a day; what it says is in the run's changes.md
	noticeTime     = 48 * time.Hour // that a worker with the run's seats has to be there
)

// leaveNotice has people told what has changed in a run, by a workflow of its own: the run
// is over, and the next of its schedule is not to wait until a channel takes the notice.
func leaveNotice(ctx workflow.Context, in In, hash string) error {
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: "notice:" + in.Run, TaskQueue: Commands, ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON,
	}), noticeWorkflow, in, hash)
	return child.GetChildWorkflowExecution().Get(ctx, nil)
}

// tell has one worker after the other tell people, until a channel has taken the notice or about
// a day is over.
func tell(ctx workflow.Context, in In, hash string) error {
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: begunQueue(in.Queue), ScheduleToCloseTimeout: noticeTime, StartToCloseTimeout: 5 * time.Minute,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 30 * time.Second, BackoffCoefficient: 2, MaximumInterval: time.Hour, MaximumAttempts: noticeTries},
	}), noticeActivity, in.Run, hash).Get(ctx, nil)
}
