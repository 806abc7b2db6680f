package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/doctor"
	"github.com/research-council/research-council/internal/host/program"
)

func doctorCommand(e program.Env) *cobra.Command {
	var fix, yes, dryRun bool
	c := &cobra.Command{
		Use: "doctor", Short: "Say what would keep a run from going well, and mend it",
		Long: `Try out the configuration, the folder, the hook, the keeper and each seat's
program, and say whose login is used and who pays. Exit code 1 when no run can
go well; a seat that cannot take part is a warning.

--fix mends what can be mended safely: programs that have lost their execute
bits, copies of the programs that are damaged or that nothing runs from, a
status line whose program is gone, the plugin enabled twice (where you say yes).
It says what it did and what it cannot, never writes into your configuration,
and downloads nothing. Exit code 1 while something is broken. --dry-run mends
nothing and shows in JSON what could be.`,

		Example: "council doctor\ncouncil doctor --json\ncouncil doctor --fix",
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := doctorSubject(c, e)
			if err != nil {
				return err
			}
			m := doctor.Real(e.Self, s.Hook, program.Find)
			m.Search = e.TrySearch
			if fix && !dryRun {
				return mend(c, e, s, m, yes)
			}
			r := doctor.Examine(c.Context(), s, m)
			if asJSON(c) {
				err = encode(e.Stdout, r)
			} else {
				_, err = fmt.Fprint(e.Stdout, cleanLines(r.Text()))
			}
			if err == nil && !r.Fit {
				err = exitCode(codeFailed)
			}
			return err
		},
	}
	c.Flags().BoolVar(&fix, "fix", false, "mend what can be mended safely")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "with --fix: say yes to what is asked")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "with --fix: mend nothing")
	return c
}

// mend mends, and says what is left.
func mend(c *cobra.Command, e program.Env, s doctor.Subject, m doctor.Machine, yes bool) error {
	person := dialogue.AtTerminal(e)
	agrees := func(f doctor.Check) bool {
		if yes || person == nil {
			return yes
		}
		text, err := person.Line(c.Context(), f.Finding+". "+f.Remedy+". Do it? [y/N]")
		return err == nil && (strings.EqualFold(text, "y") || strings.EqualFold(text, "yes"))
	}
	o := doctor.Fix(c.Context(), s, m, agrees)
	var err error
	if asJSON(c) {
		err = encode(e.Stdout, o)
	} else {
		_, err = fmt.Fprint(e.Stdout, cleanLines(o.Text()))
	}
	if err == nil && len(o.Left) > 0 {
		err = exitCode(codeFailed)
	}
	return err
}

func doctorSubject(c *cobra.Command, e program.Env) (doctor.Subject, error) {
	project, err := projectForNewRun(c, e)
	if err != nil {
		return doctor.Subject{}, err
	}
	s := doctor.Subject{Project: project, Self: e.Self, Command: e.Command(), Environ: e.Environ, Home: e.Getenv("HOME"), Root: os.Geteuid() == 0, OS: runtime.GOOS}
	if s.ConfigPath, s.ConfigFault = config.Path(e.Getenv); s.ConfigFault == nil {
		s.Config, s.ConfigFault = program.LoadConfig(s.ConfigPath)
	}
	if s.ConfigFault != nil {
		if s.Config, err = config.Parse(nil); err != nil {
			return s, err
		}
	}
	if s.Hook, err = e.HookProgram(); err != nil {
		s.HookProblem = err.Error()
	}
	return s, nil
}

// cleanLines makes several lines safe for a terminal.
func cleanLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(plain.Terminal(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}
