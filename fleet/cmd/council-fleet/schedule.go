package main

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/fleet/internal/temporal"
	"github.com/research-council/research-council/internal/base/usage"
)

func scheduleCommand(p *place) *cobra.Command {
	c := &cobra.Command{
		Use: "schedule", Short: "Have a question run again and again", Args: cobra.ArbitraryArgs,
		Long:    "Have a question run again and again. Each run is compared with the last one that was\ncompleted: its changes.md says what is new and what is gone. While one is under way the next is skipped.",
		Example: "  council-fleet schedule add question.jsonl --every 168h --now\n  council-fleet schedule add question.jsonl --cron '0 6 * * MON' --zone Europe/Berlin --name heater\n  council-fleet schedule pause heater",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage.Errorf("%q is no command of schedule: use add, list, pause, resume or remove", args[0])
			}
			return c.Help()
		},
	}
	list := &cobra.Command{
		Use: "list", Short: "List the standing questions, a line each", Args: exactly(0),
		Example: "  council-fleet schedule list",
		RunE: func(c *cobra.Command, _ []string) error {
			fleet, err := p.open(c.Context())
			if err != nil {
				return err
			}
			all, err := fleet.Schedules(c.Context())
			for _, s := range all {
				err = errors.Join(err, json.NewEncoder(c.OutOrStdout()).Encode(s))
			}
			return err
		},
	}
	c.AddCommand(scheduleAddCommand(p), list)
	for what, short := range map[string]string{
		temporal.PauseSchedule: "Begin no run of it until it is resumed", temporal.ResumeSchedule: "Begin runs of it again",
		temporal.RemoveSchedule: "Begin no run of it any more; a run under way goes on",
	} {
		c.AddCommand(&cobra.Command{
			Use: what + " NAME", Short: short, Args: exactly(1), Example: "  council-fleet schedule " + what + " heater",
			RunE: func(c *cobra.Command, args []string) error {
				fleet, err := p.open(c.Context())
				if err != nil {
					return err
				}
				return fleet.Reschedule(c.Context(), args[0], what)
			},
		})
	}
	return c
}

// goodName is what a schedule may be called: its runs are called after it.
var goodName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,47}$`)

func scheduleAddCommand(p *place) *cobra.Command {
	var s temporal.Standing
	var beat time.Duration
	var now bool
	c := &cobra.Command{
		Use: "add QUESTION.jsonl", Short: "Have the question of a batch line run again and again", Args: exactly(1),
		Long:    "Have the question of one batch line run again and again. Its name is that of --name, else\nthe line's id, else it follows from its content; the same schedule added again is left as it is.",
		Example: "  council-fleet schedule add question.jsonl --every 168h --now\n  council-fleet schedule add question.jsonl --cron '0 6 * * MON' --zone Europe/Berlin",
		RunE: func(c *cobra.Command, args []string) error {
			list, err := readBatch(args[0])
			if err != nil {
				return err
			}
			switch {
			case len(list) > 1:
				return usage.Errorf("%s: it has %d lines; a schedule is one", args[0], len(list))
			case (s.Cron == "") == (s.Every == 0):
				return usage.Errorf("say when: --every or --cron, one of them")
			case s.Cron == "" && s.Zone != "":
				return usage.Errorf("--zone is for --cron")
			case s.Cron == "" && s.Every < time.Minute:
				return usage.Errorf("--every: at least 1m")
			case s.Every%time.Second != 0:
				return usage.Errorf("--every: use whole seconds")
			case strings.HasPrefix(s.Cron, "TZ=") || strings.HasPrefix(s.Cron, "CRON_TZ="):
				return usage.Errorf("--cron: name the time zone by --zone")
			}
			if s.Name == "" {
				if s.Name = list[0].Label; s.Name == "" {
					s.Name = list[0].Run()
				}
			}
			if !goodName.MatchString(s.Name) {
				return usage.Errorf("%q is no name of a schedule: use --name with at most 48 of a-z, 0-9 and -", s.Name)
			}
			if err := checkBeat(beat); err != nil {
				return err
			}
			fleet, err := p.open(c.Context())
			if err != nil {
				return err
			}
			isNew, err := fleet.Schedule(c.Context(), s, list[0], beat, now)
			if errors.Is(err, temporal.ErrTimes) || errors.Is(err, temporal.ErrOther) {
				return usage.Of(err)
			}
			if err != nil {
				return err
			}
			return json.NewEncoder(c.OutOrStdout()).Encode(map[string]any{"schedule": s.Name, "new": isNew})
		},
	}
	c.Flags().StringVar(&s.Name, "name", "", "what it is called")
	c.Flags().StringVar(&s.Cron, "cron", "", "when it runs: minute, hour, day of the month, month, day of the week")
	c.Flags().StringVar(&s.Zone, "zone", "", "the time zone of --cron, as Europe/Berlin (default UTC)")
	c.Flags().DurationVar(&s.Every, "every", 0, "how often it runs, counted from now, as 168h")
	c.Flags().BoolVar(&s.Notify, "notify", false, "tell people what has changed, by the channels that council has on the worker that ends the run")
	c.Flags().BoolVar(&now, "now", false, "begin a run at once")
	beatFlag(c, &beat)
	return c
}
