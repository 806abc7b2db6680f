package temporal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/research-council/research-council/fleet/internal/batch"
	"github.com/research-council/research-council/fleet/internal/ledger"
)

const (
	standingWorkflow = "council-standing"
	scheduleName     = "council-schedule:" // and the name: a schedule's id at the server
	standingMemo     = "standing"
	catchUp          = time.Hour // a run that was missed by more is not made up for
)

// Standing is a question that runs again and again.
type Standing struct {
	Name   string        `json:"name"`
	Cron   string        `json:"cron,omitempty"`
	Zone   string        `json:"zone,omitempty"`   // of Cron, a name of the IANA database; "" is UTC
	Every  time.Duration `json:"-"`                // instead of Cron
	Notify bool          `json:"notify,omitempty"` // what has changed is told by the worker's channels
	Run    string        `json:"content"`          // the name the same line has as a run of a batch
}

// standing begins one run of a standing question, and sees it to its end; it returns the name
// of the run that the next one is compared with: the last that was completed.
func standing(ctx workflow.Context, name string, in In) (before string, err error) {
	if workflow.HasLastCompletionResult(ctx) {
		if err := workflow.GetLastCompletionResult(ctx, &before); err != nil {
			return "", err
		}
	}
	in.Run, in.Previous = name+"-"+workflow.GetInfo(ctx).WorkflowStartTime.UTC().Format("20060102T150405Z"), before
	var end ledger.End
	err = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: in.Run, TaskQueue: Commands, WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON, Memo: in.memo(),
		Priority: temporal.Priority{PriorityKey: in.Priority, FairnessKey: in.Tenant},
	}), RunWorkflow, in).Get(ctx, &end)
	if err == nil && end.Status == "completed" {
		return in.Run, nil
	}
	return before, nil //nolint:nilerr // the run itself says what became of it
}

// ErrOther says that a schedule of a name is there, with another question or at other times.
var ErrOther = errors.New("a schedule of this name is there, with other content or at other times: choose another --name, or remove it first")

// Schedule has a question run again and again; false where it does already. What is wrong
// with its times is [ErrTimes]. now begins a run at once.
func (f *Fleet) Schedule(ctx context.Context, s Standing, r batch.Request, beat time.Duration, now bool) (bool, error) {
	in, err := f.say(ctx, r, beat)
	if err != nil {
		return false, err
	}
	if err := f.Store.Ask(ctx, r.Queue()); err != nil {
		return false, err
	}
	in.Notify = s.Notify
	spec := client.ScheduleSpec{TimeZoneName: s.Zone}
	if s.Every > 0 { // counted from now
		spec.Intervals = []client.ScheduleIntervalSpec{{Every: s.Every, Offset: time.Duration(time.Now().Unix()) * time.Second % s.Every}}
	} else {
		spec.CronExpressions = []string{s.Cron}
	}
	s.Run = r.Run()
	_, err = f.Client.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: scheduleName + s.Name, Spec: spec, CatchupWindow: catchUp, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP, TriggerImmediately: now,
		Memo:   map[string]any{standingMemo: kept{s, s.Every}},
		Action: &client.ScheduleWorkflowAction{ID: scheduleName + s.Name, Workflow: standingWorkflow, TaskQueue: Commands, Args: []any{s.Name, in}},
	})
	var bad *serviceerror.InvalidArgument
	switch {
	case errors.Is(err, temporal.ErrScheduleAlreadyRunning):
		d, err := f.Client.ScheduleClient().GetHandle(ctx, scheduleName+s.Name).Describe(ctx)
		if err != nil {
			return false, fmt.Errorf("look at schedule %s: %w", s.Name, err)
		}
		if there, ok := f.standingOf(d.Memo); !ok || there != s {
			return false, fmt.Errorf("%s: %w", s.Name, ErrOther)
		}
		return false, nil
	case errors.As(err, &bad):
		return false, fmt.Errorf("%w: %s", ErrTimes, bad.Error())
	case err != nil:
		return false, fmt.Errorf("schedule %s: %w", s.Name, err)
	}
	return true, nil
}

// ErrTimes says that the server does not understand when a question is to run.
var ErrTimes = errors.New("the server does not understand when")

// kept is a standing question as the server keeps it beside the schedule, encrypted.
type kept struct {
	Standing Standing
	Every    time.Duration
}

func (f *Fleet) standingOf(memo *commonpb.Memo) (Standing, bool) {
	var k kept
	p := memo.GetFields()[standingMemo]
	if p == nil || f.Converter.FromPayload(p, &k) != nil {
		return Standing{}, false
	}
	k.Standing.Every = k.Every
	return k.Standing, true
}

// Scheduled is a standing question as it is listed.
type Scheduled struct {
	Standing
	Every  string     `json:"every,omitempty"`
	Paused bool       `json:"paused,omitempty"`
	Next   *time.Time `json:"next,omitempty"`
	Last   *time.Time `json:"last,omitempty"` // when the last run was begun
}

// Schedules lists the standing questions; the server may need a moment to list a new one.
func (f *Fleet) Schedules(ctx context.Context) ([]Scheduled, error) {
	all := []Scheduled{}
	list, err := f.Client.ScheduleClient().List(ctx, client.ScheduleListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the schedules: %w", err)
	}
	for list.HasNext() {
		e, err := list.Next()
		if err != nil {
			return nil, fmt.Errorf("list the schedules: %w", err)
		}
		s, ok := f.standingOf(e.Memo)
		if !ok || !strings.HasPrefix(e.ID, scheduleName) {
			continue // somebody else's, in the same namespace
		}
		one := Scheduled{Standing: s, Paused: e.Paused}
		if s.Every > 0 {
			one.Every = s.Every.String()
		}
		if n := len(e.RecentActions); n > 0 {
			one.Last = &e.RecentActions[n-1].ActualTime
		}
		if len(e.NextActionTimes) > 0 && !e.Paused {
			one.Next = &e.NextActionTimes[0]
		}
		all = append(all, one)
	}
	return all, nil
}

// ErrNoSchedule says that there is none of a name.
var ErrNoSchedule = errors.New("there is no schedule of this name; `council-fleet schedule list` names them")

// What is done to a schedule; runs under way go on.
const (
	PauseSchedule  = "pause"
	ResumeSchedule = "resume"
	RemoveSchedule = "remove"
)

// Reschedule pauses, resumes or removes a schedule.
func (f *Fleet) Reschedule(ctx context.Context, name, what string) (err error) {
	h := f.Client.ScheduleClient().GetHandle(ctx, scheduleName+name)
	switch what {
	case PauseSchedule:
		err = h.Pause(ctx, client.SchedulePauseOptions{})
	case ResumeSchedule:
		err = h.Unpause(ctx, client.ScheduleUnpauseOptions{})
	case RemoveSchedule:
		err = h.Delete(ctx)
	}
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return fmt.Errorf("%s: %w", name, ErrNoSchedule)
	}
	if err != nil {
		return fmt.Errorf("%s schedule %s: %w", what, name, err)
	}
	return nil
}
