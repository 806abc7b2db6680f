package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/agent"
	"research-council/internal/base/usage"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/journal"
	"research-council/internal/engine/status"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/caller"
	"research-council/internal/host/view"
	"research-council/internal/product/campaign"
	"research-council/internal/product/campaign/steering"
	"research-council/internal/product/panel"
	"research-council/internal/product/recipe"
)

// readStatus reads a run's status.json, and sees whether anybody works on the
// run. One that is not there yet is an fs.ErrNotExist. What stands beside a
// journal of another format is not read.
func readStatus(project, id string) (status.Status, error) {
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
	s.Supervisor = 0
	if s.Status != "running" {
		return s
	}
	s.Paused = whyPaused(project, s.ID)
	if h, alive := supervisor.Alive(project, s.ID); alive {
		s.Supervisor = h.PID
	}
	if s.Supervisor != 0 && s.Paused == "" {
		return s
	}
	for i := range s.Seats {
		if s.Seats[i].State == "running" {
			s.Seats[i].State = "waiting"
		}
	}
	return s
}

// whyPaused is why a run cannot go on for now; "" where it can.
func whyPaused(project, id string) string {
	f, err := workspace.Open(project, id)
	if err != nil {
		return ""
	}
	defer f.Close()
	return agent.PlainLine(f.PausedReason(), 1000)
}

// checkedStatus is the status of a run whose journal holds from its first line to
// its last.
func checkedStatus(project, id string) (status.Status, error) {
	if _, err := supervisor.Facts(project, id); err != nil {
		return status.Status{}, err
	}
	return currentStatus(project, id)
}

// currentStatus is a run's status, out of its journal where status.json does not
// tell it, with the votes of its reviewers.
func currentStatus(project, id string) (status.Status, error) {
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
	if err := readJSON(f, recipe.VerdictFile, &votes); err == nil {
		s.Votes = &votes
	}
	return s, nil
}

func statusOf(project, id string) (status.Status, error) {
	if s, err := readStatus(project, id); err == nil {
		return s, nil
	} // or else the journal tells, as far as it can be read
	w, r, err := supervisor.Load(project, id)
	if err != nil {
		return status.Status{}, err
	}
	f, err := workspace.Open(project, id)
	if err != nil {
		return status.Status{}, err
	}
	defer f.Close()
	s := status.Of(w, r, f.Path)
	if campaign.Of(r.Setup.Own) != nil {
		s = s.WithCampaign(recipe.CampaignState(r), r)
	}
	if f.Filled(recipe.FinalReport) {
		s.Report = f.Join(recipe.FinalReport)
	}
	return withSupervisor(s, project), nil
}

// pick is the run a command means: the one named, or else the newest of those
// under way, or else the newest. One that another release wrote is refused.
func pick(c *cobra.Command, e env, args []string) (project, id string, err error) {
	project, id, err = pickAny(c, e, args)
	if err == nil {
		err = checkReadable(project, id)
	}
	return project, id, err
}

// checkReadable refuses a run whose journal this program does not understand. What is
// damaged or lost in one that it does is for the command to say.
func checkReadable(project, id string) error {
	_, err := supervisor.Facts(project, id)
	if errors.As(err, new(*journal.ForeignFormat)) || errors.As(err, new(*journal.NotAFile)) || errors.As(err, new(*flow.UnknownFact)) {
		return err
	}
	return nil
}

// pickAny is the run a command means, whatever its journal is.
func pickAny(c *cobra.Command, e env, args []string) (project, id string, err error) {
	project, err = projectWithRuns(c, e)
	if err != nil {
		return "", "", err
	}
	ids, err := workspace.List(project)
	if err != nil {
		return "", "", err
	}
	if len(args) == 1 && !workspace.ValidID(args[0]) {
		if r, err := steering.Pick(project, args[0]); err == nil {
			return project, r.Setup.ID, nil
		}
	}
	if len(args) == 1 {
		return project, args[0], checkRunID(project, args[0], ids)
	}
	if len(ids) == 0 {
		return "", "", fmt.Errorf("there are no runs in %s; begin one with `council run`, or name the folder with --project", project)
	}
	if live := runningIDs(project, ids); len(live) > 0 {
		return project, live[len(live)-1], nil
	}
	return project, ids[len(ids)-1], nil
}

func checkRunID(project, id string, ids []string) error {
	switch {
	case !workspace.ValidID(id):
		return usage.Errorf("%q is no run id (they look like 20260222-143000-a1b2c3); `council list` shows them", id)
	case !slices.Contains(ids, id):
		return fmt.Errorf("there is no run %s in %s; `council list` shows them, --project names another folder", id, project)
	}
	return nil
}

// runningIDs are the runs somebody works on. One that has ended, and whose
// supervisor is only putting its things away, is none.
func runningIDs(project string, ids []string) []string {
	var live []string
	for _, id := range ids {
		if _, alive := supervisor.Alive(project, id); !alive {
			continue
		}
		if st, err := readStatus(project, id); err == nil && !st.IsOpen() {
			continue
		}
		live = append(live, id)
	}
	return live
}

// ids completes a run's id.
func ids(e env) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		project, err := projectWithRuns(c, e)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list, err := workspace.List(project)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		slices.Reverse(list)
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

func statusCommand(e env) *cobra.Command {
	return &cobra.Command{
		Use: "status [ID]", Short: "Say how far a run is",
		Example: "council status\ncouncil status 20260222-143000-a1b2c3 --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			project, id, err := pick(c, e, args)
			if err != nil {
				return err
			}
			s, err := checkedStatus(project, id)
			if err != nil {
				return err
			}
			if asJSON(c) {
				return encode(e.stdout, s)
			}
			_, err = fmt.Fprint(e.stdout, view.Screen(s, time.Now(), widthOf(e.stdout)))
			return err
		},
	}
}

func listCommand(e env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the runs of a project, the newest first", Example: "council list\ncouncil list --project ~/src/thing --json",
		RunE: func(c *cobra.Command, _ []string) error {
			project, err := projectWithRuns(c, e)
			if err != nil {
				return err
			}
			runs, err := allRuns(e, project)
			if err != nil {
				return err
			}
			if asJSON(c) {
				return encode(e.stdout, runs)
			}
			if len(runs) == 0 {
				fmt.Fprintf(e.stderr, "There are no runs in %s.\n", project)
				return nil
			}
			_, err = fmt.Fprint(e.stdout, view.List(runs, time.Now(), widthOf(e.stdout)))
			return err
		},
	}
}

// allRuns reads every run of a project, the newest first. A run that cannot be
// read is named and left out.
func allRuns(e env, project string) ([]status.Status, error) {
	list, err := workspace.List(project)
	if err != nil {
		return nil, err
	}
	runs := []status.Status{}
	for _, id := range slices.Backward(list) {
		s, err := checkedStatus(project, id)
		if err != nil {
			warnUnreadable(e, id, err)
			continue
		}
		runs = append(runs, s)
	}
	slices.SortStableFunc(runs, func(a, b status.Status) int { return b.Began.Compare(a.Began) }) // ids tell seconds apart alone
	return runs, nil
}

func warnUnreadable(e env, id string, err error) {
	fmt.Fprintf(e.stderr, "council: %s cannot be read: %s\n", id, errorLine(err))
}

func resumeCommand(e env) *cobra.Command {
	var inBackground, quiet bool
	var said personInput
	c := &cobra.Command{
		Use: "resume [ID]", Short: "Go on with a run that was stopped, or that waits for you",
		Example: `council resume
council resume 20260222-143000-a1b2c3 --detach
council resume 20260222-143000-a1b2c3 --input answers.json
council resume 20260222-143000-a1b2c3 --confirm`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			project, id, err := pickOpen(c, e, args)
			if err != nil {
				return err
			}
			f, err := workspace.Open(project, id)
			if err != nil {
				return err
			}
			defer f.Close()
			w := work{folder: f, project: project, quiet: quiet}
			w.from = w.progressEnd()
			if err := said.give(e, project, id); err != nil {
				return err
			}
			if err := reopenRun(e, project, id); err != nil {
				return err
			}
			if waits, err := stillWaits(c, e, w, inBackground); waits || err != nil {
				return err
			}
			if inBackground {
				return detach(c, e, f, project)
			}
			return workAndReport(c, e, w)
		},
	}
	c.Flags().BoolVar(&inBackground, "detach", false, "work in the background and return at once")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress lines")
	c.Flags().StringVar(&said.answers, "input", "", "a file with the answers the run waits for; - for standard input")
	c.Flags().BoolVar(&said.confirm, "confirm", false, "confirm the brief the run shows; only a person at a terminal can")
	return c
}

// pickOpen is the run to go on with: the one named, or the newest that has not
// ended and nobody works on.
func pickOpen(c *cobra.Command, e env, args []string) (project, id string, err error) {
	project, id, err = pickAny(c, e, args)
	if err != nil {
		return "", "", err
	}
	candidates := []string{id}
	if len(args) == 0 {
		if candidates, err = workspace.List(project); err != nil {
			return "", "", err
		}
	}
	why := ""
	for _, id := range slices.Backward(candidates) {
		s, err := checkedStatus(project, id)
		if err != nil && len(args) > 0 {
			return "", "", err
		}
		if err != nil {
			continue
		}
		if why = whyNotResumable(s); why == "" {
			return project, id, nil
		}
		if _, r, err := supervisor.Load(project, id); err == nil && campaign.Of(r.Setup.Own) != nil && r.Status != "" {
			why = fmt.Sprintf("the campaign %q has ended (%s)%s", campaign.Of(r.Setup.Own).Name, steering.PlainStatus(r.Status), steering.NextCommand(r))
		}
	}
	if len(args) > 0 {
		return "", "", errors.New(why)
	}
	return "", "", fmt.Errorf("no run in %s waits to be taken up; `council list` shows what there is", project)
}

// whyNotResumable says why there is nothing to take up in a run; "" when there is.
func whyNotResumable(s status.Status) string {
	switch {
	case !s.IsOpen() && !s.CanReopen():
		return fmt.Sprintf("run %s has ended (%s); begin a new one with `council %s`", s.ID, strings.ReplaceAll(s.Status, "_", " "), newRunCommand(s))
	case s.Supervisor != 0:
		return fmt.Sprintf("process %d works on run %s already; follow it with `council watch %s`", s.Supervisor, s.ID, s.ID)
	}
	return ""
}

// newRunCommand is the command that begins a further run of the same kind.
func newRunCommand(s status.Status) string {
	switch {
	case s.Staged != nil:
		return "staged"
	case s.Review != nil:
		return "review"
	}
	return "run"
}

func cancelCommand(e env) *cobra.Command {
	return &cobra.Command{
		Use: "cancel [ID]", Short: "End a run for good; what was found is kept",
		Example: "council cancel\ncouncil cancel 20260222-143000-a1b2c3",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			project, id, err := pick(c, e, args)
			if err != nil {
				return err
			}
			if err := refuseAmbiguous(project, args); err != nil {
				return err
			}
			s, err := currentStatus(project, id)
			if err == nil && !s.IsOpen() {
				return fmt.Errorf("run %s has ended already (%s); there is nothing to cancel", id, strings.ReplaceAll(s.Status, "_", " "))
			}
			if err := cancel(c.Context(), e, project, id); err != nil {
				return err
			}
			return tellCancelled(c, e, project, id)
		},
	}
}

// cancel ends a run for good, for anybody but those who work on it.
func cancel(ctx context.Context, e env, project, id string) error {
	if err := caller.MayEnd(e.Env, project, id); err != nil {
		return err
	}
	return supervisor.Cancel(ctx, e.SupervisorOptions(project, id), "the user cancelled it")
}

// refuseAmbiguous refuses to guess which of several runs is to be cancelled.
func refuseAmbiguous(project string, args []string) error {
	if len(args) > 0 {
		return nil
	}
	all, err := workspace.List(project)
	if err != nil {
		return err
	}
	if live := runningIDs(project, all); len(live) > 1 {
		return usage.Errorf("%d runs are under way (%s); name the one to cancel", len(live), strings.Join(live, ", "))
	}
	return nil
}

func tellCancelled(c *cobra.Command, e env, project, id string) error {
	if asJSON(c) {
		s, err := currentStatus(project, id)
		if err != nil {
			return err
		}
		return encode(e.stdout, s)
	}
	_, err := fmt.Fprintf(e.stdout, "Run %s is cancelled; nothing of it runs any more. What was found is kept in %s.\n", id, folderOf(project, id))
	return err
}

func folderOf(project, id string) string {
	f, err := workspace.Open(project, id)
	if err != nil {
		return project
	}
	defer f.Close()
	return f.Path
}
