package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/base/userfile"
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

{"statusLine": {"type": "command", "command": "` + e.Command() + ` statusline", "refreshInterval": 5}}

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
	c.Flags().String(settings.Added, "", "what of the status line came with this command, for --remove")
	_ = c.Flags().MarkHidden(settings.Added) // the flag is there
	return c
}

// setStatusLine puts our line into the person's settings of Claude Code, or takes it out.
func setStatusLine(c *cobra.Command, e program.Env, install, isTrial bool) error {
	path, err := settings.Path(e.Getenv("CLAUDE_CONFIG_DIR"), e.Getenv("HOME"))
	if err != nil {
		return err
	}
	change := settings.Remove
	if install {
		change = func(data []byte) ([]byte, error) { return settings.Install(data, e.Command()) }
	}
	byHand := false
	done, err := userfile.Change(path, isTrial, func(data []byte) ([]byte, error) {
		after, err := change(data)
		if byHand = errors.Is(err, settings.ErrByHand); byHand {
			return data, nil
		}
		return after, err
	})
	if err != nil && install {
		err = fmt.Errorf("%w (`council statusline --help` shows what to put there by hand)", err)
	}
	if err != nil {
		return err
	}
	x := statusLineChange{File: path, Changed: done.Any() && !isTrial, WouldChange: done.Any()}
	x.Old, _, _ = settings.Command(done.Before) // they have just been read
	x.New, _, _ = settings.Command(done.After)
	switch {
	case asJSON(c):
		err = encode(e.Stdout, x)
	case byHand:
		_, err = fmt.Fprintln(e.Stdout, plain.Terminal(path+" stays as it is: "+settings.ErrByHand.Error()))
	default:
		_, err = fmt.Fprintln(e.Stdout, plain.Terminal(x.text(install, isTrial)))
	}
	if err == nil && done.CutOff {
		_, err = fmt.Fprintln(e.Stderr, "council: "+plain.Terminal(path)+" had a second name, a hard link, which was cut off and has the old text")
	}
	if off := settings.Off(done.After); err == nil && install && off != "" {
		_, err = fmt.Fprintln(e.Stderr, "council: "+plain.Terminal(path)+" has "+off+", with which Claude Code shows no status line")
	}
	if err == nil && install {
		err = warnOfProjectsLine(c, e)
	}
	return err
}

// statusLineChange is what was done to settings, or would be.
type statusLineChange struct {
	File        string `json:"file"`
	Old         string `json:"old_command"`
	New         string `json:"new_command"`
	Changed     bool   `json:"changed"`
	WouldChange bool   `json:"would_change"`
}

func (x statusLineChange) text(install, isTrial bool) string {
	switch {
	case install && !x.WouldChange:
		return x.File + " already runs council statusline; it stays as it is."
	case !x.WouldChange && x.Old != "":
		return "The status line in " + x.File + " is not ours and is left as it is: nothing of ours was there."
	case !x.WouldChange:
		return x.File + " stays as it is: nothing of ours was there."
	case install && isTrial:
		return "Would put this into " + x.File + " as the command of Claude Code's status line: " + x.New
	case install:
		return "Claude Code's status line shows the run of its session from now on: " + x.New + " (" + x.File + "). `council statusline --remove` gives back what was there."
	case x.New == "" && isTrial:
		return "Would take the status line out of " + x.File
	case isTrial:
		return "Would put this into " + x.File + " again, as the command of Claude Code's status line: " + x.New
	case x.New == "":
		return "Claude Code's status line is taken out of " + x.File + "; what was there before is there again."
	}
	return "Claude Code's status line is what it was before: " + x.New + " (" + x.File + ")."
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
			_, err := fmt.Fprintln(e.Stderr, "council: "+plain.Terminal(file)+" has a status line of its own, which wins in this project")
			return err
		}
	}
	return nil
}
