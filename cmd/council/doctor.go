package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/doctor"
	"github.com/research-council/research-council/internal/host/program"
)

func doctorCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Say what would keep a run from going well",
		Long: "Try out the configuration, the folder, the hook, the keeper and each seat's program, and say whose login is used and who pays. Exit code 1 when no run can go well; a seat that cannot take part is a warning.",

		Example: "council doctor\ncouncil doctor --json",
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := doctorSubject(c, e)
			if err != nil {
				return err
			}
			r := doctor.Examine(c.Context(), s, doctor.Real(e.Self, s.Hook, program.Find))
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
}

func doctorSubject(c *cobra.Command, e program.Env) (doctor.Subject, error) {
	project, err := projectForNewRun(c, e)
	if err != nil {
		return doctor.Subject{}, err
	}
	s := doctor.Subject{Project: project, Self: e.Self, Environ: e.Environ, Home: e.Getenv("HOME"), Root: os.Geteuid() == 0, OS: runtime.GOOS}
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
