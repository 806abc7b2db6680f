package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/control"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

// pick is the run a command means: the one named, or else the newest of those
// under way, or else the newest. One that another release wrote is refused.
func pick(c *cobra.Command, e program.Env, args []string) (project, id string, err error) {
	project, id, err = pickAny(c, e, args)
	if err == nil {
		err = runs.CheckReadable(project, id)
	}
	return project, id, err
}

// pickAny is the run a command means, whatever its journal is.
func pickAny(c *cobra.Command, e program.Env, args []string) (project, id string, err error) {
	if project, err = projectWithRuns(c, e); err != nil {
		return "", "", err
	}
	if len(args) == 0 {
		id, err = runs.Newest(project)
	} else {
		id, err = runs.Pick(project, args[0])
	}
	return project, id, err
}

// ids completes a run's id.
func ids(e program.Env) cobra.CompletionFunc {
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

func statusCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "status [ID]", Short: "Say how far a run is",
		Example: "council status\ncouncil status 20260222-143000-a1b2c3 --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			project, id, err := pick(c, e, args)
			if err != nil {
				return err
			}
			s, err := runs.Checked(project, id)
			if err != nil {
				return err
			}
			if asJSON(c) {
				return encode(e.Stdout, s)
			}
			_, err = fmt.Fprint(e.Stdout, view.Screen(s, time.Now(), view.Width(e.Stdout)))
			return err
		},
	}
}

func listCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"runs"}, Short: "List the runs of a project, the newest first",
		Long:    "List the runs of a project, the newest first. As `council runs` on a terminal it is a list to choose from: Enter watches a run.",
		Example: "council list\ncouncil runs\ncouncil list --project ~/src/thing --json",
		RunE: func(c *cobra.Command, _ []string) error {
			project, err := projectWithRuns(c, e)
			if err != nil {
				return err
			}
			if c.CalledAs() == "runs" && !asJSON(c) && hasScreen(e) {
				return showScreen(c, e, project, "")
			}
			all, err := allRuns(e, project)
			if err != nil {
				return err
			}
			if asJSON(c) {
				return encode(e.Stdout, all)
			}
			if len(all) == 0 {
				fmt.Fprintf(e.Stderr, "There are no runs in %s.\n", project)
				return nil
			}
			_, err = fmt.Fprint(e.Stdout, view.List(all, time.Now(), view.Width(e.Stdout)))
			return err
		},
	}
}

// allRuns reads every run of a project, the newest first. A run that cannot be
// read is named and left out.
func allRuns(e program.Env, project string) ([]status.Status, error) {
	list, err := workspace.List(project)
	if err != nil {
		return nil, err
	}
	all := []status.Status{}
	for _, id := range slices.Backward(list) {
		s, err := runs.Checked(project, id)
		if err != nil {
			warnUnreadable(e, id, err)
			continue
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b status.Status) int { return b.Began.Compare(a.Began) }) // ids tell seconds apart alone
	return all, nil
}

func warnUnreadable(e program.Env, id string, err error) {
	fmt.Fprintf(e.Stderr, "council: %s cannot be read: %s\n", id, view.ErrorLine(err))
}

func resumeCommand(e program.Env) *cobra.Command {
	var inBackground, quiet, trusts, fromFleet bool
	var said dialogue.Input
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
			if err := checkTrusted(c.Context(), e, project, id, trusts, fromFleet); err != nil {
				return err
			}
			f, err := workspace.Open(project, id)
			if err != nil {
				return err
			}
			defer f.Close()
			w := work{folder: f, project: project, quiet: quiet}
			w.from = w.progressEnd()
			if err := control.GoOn(e, project, id, said); err != nil {
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
	c.Flags().BoolVar(&trusts, "trust", false, "work on a run that came from elsewhere, with the programs it names")
	c.Flags().BoolVar(&fromFleet, "from-fleet", false, "work here on the copy of a fleet's run, whether or not the fleet does too: what both do is paid twice")
	c.Flags().StringVar(&said.Answers, "input", "", "a file with the answers, or the edited plan, that the run waits for; - for standard input")
	c.Flags().BoolVar(&said.Confirm, "confirm", false, "confirm the brief the run shows; only a person at a terminal can")
	return c
}

// pickOpen is the run to go on with: the one named, or the newest that has not
// ended and nobody works on.
func pickOpen(c *cobra.Command, e program.Env, args []string) (project, id string, err error) {
	project, id, err = pickAny(c, e, args)
	switch {
	case err != nil:
		return "", "", err
	case len(args) > 0:
		return project, id, runs.CheckResumable(project, id)
	}
	id, err = runs.NewestResumable(project)
	return project, id, err
}

func cancelCommand(e program.Env) *cobra.Command {
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
			if err := control.CheckCancellable(project, id); err != nil {
				return err
			}
			if err := control.Cancel(c.Context(), e, project, id); err != nil {
				return err
			}
			return tellCancelled(c, e, project, id)
		},
	}
}

// refuseAmbiguous refuses to guess which of several runs is to be ended.
func refuseAmbiguous(project string, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return runs.RefuseSeveral(project)
}

func tellCancelled(c *cobra.Command, e program.Env, project, id string) error {
	if asJSON(c) {
		s, err := runs.Status(project, id)
		if err != nil {
			return err
		}
		return encode(e.Stdout, s)
	}
	_, err := fmt.Fprintf(e.Stdout, "Run %s is cancelled; nothing of it runs any more. What was found is kept in %s.\n", id, folderOf(project, id))
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
