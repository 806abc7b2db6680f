package main

import (
	"os"

	"github.com/research-council/research-council/internal/base/job"
)

// become runs another program in the place of this one, which ends as that does, and
// whose end ends it: here no process becomes another one. It returns only where the
// program cannot be started.
func become(path string, argv []string) error {
	held, err := job.New()
	if err != nil {
		return err
	}
	if err := held.MayLeave(); err != nil { // as a run's supervisor does
		return err
	}
	p, err := os.StartProcess(path, argv, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: held.Attr()})
	if err != nil {
		return err
	}
	if err := held.Take(p); err != nil {
		return err
	}
	how, err := p.Wait()
	if err != nil {
		return err
	}
	os.Exit(how.ExitCode())
	return nil
}
