package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/session"
	"github.com/research-council/research-council/internal/host/settings"
	"github.com/research-council/research-council/internal/host/view"
)

func statusLineCommand(e program.Env) *cobra.Command {
	var wrapped string
	var install, remove, isTrial bool
	c := &cobra.Command{
		Use: "statusline --install | --remove | [--wrap COMMAND]", Short: "Print one line on the session's run, for Claude Code's status line",
		Long: `Print one line on the run of a Claude Code session: how far it is, each seat with
its iteration, quotations located and not found, cost, time; for ten minutes
after its end how it ended, its score and its report. Nothing where the session
has no run.

--install has Claude Code show it: it puts this program into its settings of
yours (settings.json in ~/.claude, or in CLAUDE_CONFIG_DIR) and leaves all else
there as it stands. The lines of a status line that you have stay above ours.
--remove gives back what was there. --dry-run says what either would do.

By hand the same is

{"statusLine": {"type": "command", "command": "` + e.Self + ` statusline", "refreshInterval": 5}}

with --wrap and the command that stood there before.`,
		Example: `council statusline --install
council statusline --remove --dry-run
council statusline --wrap '~/.claude/statusline.sh' < status.json`,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case install && remove:
				return usage.Errorf("--install and --remove are two things; name one of them")
			case (install || remove) && wrapped != "":
				return usage.Errorf("--install keeps the status line that stands in the settings by itself; leave --wrap out")
			case install, remove:
				return setStatusLine(c, e, install, isTrial)
			case isTrial:
				return usage.Errorf("--dry-run goes with --install or --remove")
			}
			if view.IsTerminal(e.Stdin) {
				return usage.Errorf("the status line is fed by Claude Code; `council statusline --install` sets it up")
			}
			return session.WriteStatusLine(c.Context(), e, wrapped)
		},
	}
	c.Flags().StringVar(&wrapped, "wrap", "", "a status line command of your own, whose lines are shown above")
	c.Flags().BoolVar(&install, "install", false, "put it into your settings of Claude Code")
	c.Flags().BoolVar(&remove, "remove", false, "take it out again")
	c.Flags().BoolVar(&isTrial, "dry-run", false, "say what --install or --remove would do, and change nothing")
	c.Flags().Bool(settings.AddedInterval, false, "the refreshInterval beside this command came with it")
	_ = c.Flags().MarkHidden(settings.AddedInterval) // the flag is there
	return c
}

// setStatusLine puts our line into the person's settings of Claude Code, or takes it out.
func setStatusLine(c *cobra.Command, e program.Env, install, isTrial bool) error {
	path, err := settings.Path(e.Getenv("CLAUDE_CONFIG_DIR"), e.Getenv("HOME"))
	if err != nil {
		return err
	}
	var command string
	changed, err := settings.Change(path, isTrial, func(data []byte) ([]byte, error) {
		change := settings.Remove
		if install {
			change = func(data []byte) ([]byte, error) { return settings.Install(data, e.Self) }
		}
		after, err := change(data)
		if err == nil {
			command, _, err = settings.Command(after)
		}
		return after, err
	})
	if err != nil {
		return err
	}
	if asJSON(c) {
		return encode(e.Stdout, map[string]any{"file": path, "changed": changed && !isTrial, "would_change": changed, "command": command})
	}
	if _, err := fmt.Fprintln(e.Stdout, plain.Terminal(statusLineChange(path, command, install, changed, isTrial))); err != nil {
		return err
	}
	return warnOfProjectsLine(c, e)
}

// statusLineChange says what was done to settings, or would be.
func statusLineChange(path, command string, install, changed, isTrial bool) string {
	switch {
	case install && !changed:
		return "Claude Code's status line shows runs already; " + path + " stays as it is."
	case !changed:
		return "Claude Code's status line shows no runs; " + path + " stays as it is."
	case install && isTrial:
		return "Would put this into " + path + " as the command of Claude Code's status line: " + command
	case install:
		return "Claude Code's status line shows the run of its session from now on: " + command + " (" + path + "). `council statusline --remove` gives back what was there."
	case command == "" && isTrial:
		return "Would take the status line out of " + path
	case isTrial:
		return "Would put this into " + path + " again, as the command of Claude Code's status line: " + command
	case command == "":
		return "Claude Code's status line is taken out of " + path + ", as before."
	}
	return "Claude Code's status line is what it was before: " + command + " (" + path + ")."
}

// warnOfProjectsLine says where a status line of the project goes before the person's.
func warnOfProjectsLine(c *cobra.Command, e program.Env) error {
	project, err := projectForNewRun(c, e)
	if err != nil {
		return nil // the settings are the person's, whatever there is here
	}
	for _, file := range settings.OfProject(project) {
		data, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if command, ours, err := settings.Command(data); err == nil && command != "" && !ours {
			_, err := fmt.Fprintln(e.Stderr, "council: "+plain.Terminal(file)+" has a status line of its own, which goes first in this project")
			return err
		}
	}
	return nil
}
