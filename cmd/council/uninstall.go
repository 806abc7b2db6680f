package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/footprint"
	"github.com/research-council/research-council/internal/host/program"
)

// uninstallOptions is what an uninstallation was asked for.
type uninstallOptions struct{ yes, dryRun, keepConfig, stopRuns bool }

func uninstallCommand(e program.Env) *cobra.Command {
	var o uninstallOptions
	c := &cobra.Command{
		Use: "uninstall", Short: "Take everything of this program away but your runs",
		Long: `Show what this program has left on the machine, ask, and remove it: our line in
Claude Code's status line (what was there before is there again), the plugin and
its marketplace in each host by the host's own command, configuration,
completions, notes, copies of the programs. Runs stay, and so does what is not
ours for certain; it is named. The program itself goes as it came.

A run that is going is named first. Its copy of the program stays until it has
ended, unless you have it stopped; it can be resumed by a later installation.
Exit code 1 where something is left.`,
		Example: `council uninstall --dry-run
council uninstall
council uninstall --yes --keep-config`,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c, e) },
	}
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "ask nothing; runs that are going are not stopped by that")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would be removed, and remove nothing")
	c.Flags().BoolVar(&o.keepConfig, "keep-config", false, "leave the configuration")
	c.Flags().BoolVar(&o.stopRuns, "stop-runs", false, "stop runs that are going first, as Ctrl-C does")
	return c
}

func (o uninstallOptions) run(c *cobra.Command, e program.Env) error {
	if who := caller.Agent(e.Getenv); who != "" && !o.dryRun {
		return usage.Errorf("this is a person's to say, and it was started by %s: type it in a terminal of your own; --dry-run shows the list", who)
	}
	project, err := projectForNewRun(c, e)
	if err != nil {
		return err
	}
	f, err := footprint.Look(c.Context(), e, project, footprint.Options{KeepConfig: o.keepConfig, Completions: completionTexts(c.Root())})
	if err != nil {
		return err
	}
	person := dialogue.AtTerminal(e)
	if asJSON(c) {
		person = nil
	}
	if !o.yes && !o.dryRun && person == nil {
		return usage.Errorf("nobody can be asked here: --yes removes it, --dry-run shows the list")
	}
	if !asJSON(c) {
		o.show(e, f)
	}
	if o.dryRun {
		if asJSON(c) {
			return encode(e.Stdout, f)
		}
		return nil
	}
	if !o.yes {
		if err := o.ask(c.Context(), person, f); err != nil {
			return err
		}
	}
	return o.remove(c, e, f)
}

func (o uninstallOptions) show(e program.Env, f footprint.Footprint) {
	if head := "This is of the program here:"; len(f.Items) > 0 {
		if o.dryRun {
			head = "Without --dry-run this would be removed:"
		}
		fmt.Fprintln(e.Stdout, head)
	} else {
		fmt.Fprintln(e.Stdout, "There is nothing to remove.")
	}
	writeLines(e, f.List())
	if o.dryRun || len(f.Items) == 0 {
		writeLines(e, f.RunsText())
	}
}

func writeLines(e program.Env, lines []string) {
	for _, line := range lines {
		fmt.Fprintln(e.Stdout, plain.Terminal(line))
	}
}

// errNotRemoved says that nobody has said yes.
var errNotRemoved = errors.New("nothing was removed")

// ask asks for one yes to all of it, and what is to become of runs that are going.
func (o *uninstallOptions) ask(ctx context.Context, person *dialogue.Person, f footprint.Footprint) error {
	if len(f.Running) > 0 && !o.stopRuns {
		text, err := person.Line(ctx, "Runs are going. s: stop them (they can be resumed later), l: leave them and what they use, anything else: remove nothing [N]")
		switch {
		case err != nil:
			return fmt.Errorf("%w; %w", err, errNotRemoved)
		case strings.EqualFold(text, "s") || strings.EqualFold(text, "stop"):
			o.stopRuns = true
		case !strings.EqualFold(text, "l"):
			return errNotRemoved
		}
	}
	if len(f.Items) == 0 {
		return nil
	}
	text, err := person.Line(ctx, "Remove all this? [y/N]")
	switch {
	case err != nil:
		return fmt.Errorf("%w; %w", err, errNotRemoved)
	case !strings.EqualFold(text, "y") && !strings.EqualFold(text, "yes"):
		return errNotRemoved
	}
	return nil
}

func (o uninstallOptions) remove(c *cobra.Command, e program.Env, f footprint.Footprint) error {
	if o.stopRuns {
		if err := f.Stop(c.Context()); err != nil {
			return err
		}
	}
	err := f.Remove(c.Context())
	if asJSON(c) {
		err = errors.Join(encode(e.Stdout, f), err)
	} else if len(f.Items) > 0 {
		writeLines(e, f.Outcome())
	}
	if why := f.Unsure(); why != "" {
		return errors.Join(err, errors.New(why))
	}
	if err == nil {
		err = failedIf(len(f.Left()) > 0)
	}
	return err
}

// completionTexts are the completions of each shell as this release makes them.
func completionTexts(root *cobra.Command) map[string]string {
	texts := map[string]string{}
	for shell, write := range map[string]func(*bytes.Buffer) error{
		"bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"zsh":  func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
	} {
		var b bytes.Buffer
		if write(&b) == nil {
			texts[shell] = b.String()
		}
	}
	return texts
}
