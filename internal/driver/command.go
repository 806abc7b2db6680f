package driver

import (
	"fmt"
	"path/filepath"
	"time"

	"research-council/internal/shell"
)

// A campaign's project is worked in by commands that a model has written, or
// that run what one has written: its tests, its init.sh, its worker's shell.

// shellOptions say what such a command may touch: the project, but for what the
// program keeps in it.
func (s *supervisor) shellOptions() shell.Options {
	c := s.setup.Campaign
	return shell.Options{
		Project: s.setup.Root, Kept: s.kept(), Named: c.Paths, Hosts: c.Hosts, Pass: c.Variables,
		Environ: s.Environ, Council: s.Council, Hook: s.Hook,
	}
}

// kept are the folders in the project that are the program's own.
func (s *supervisor) kept() []string {
	list, err := filepath.Glob(s.papers.Path[:len(s.papers.Path)-len(s.setup.Campaign.Slug)] + "*")
	if err != nil { // a sign of a pattern stands in the project's own path
		list = []string{s.papers.Path}
	}
	return append(list, filepath.Dir(s.folder.Path))
}

// openShell opens the shell of the project, once.
func (s *supervisor) openShell() (*shell.Shell, error) {
	s.shelling.Lock()
	defer s.shelling.Unlock()
	if s.commands != nil {
		return s.commands, nil
	}
	opened, err := shell.Open(s.life, s.shellOptions())
	if err != nil {
		return nil, err
	}
	s.commands = opened
	if why := opened.Confined(); why != nil {
		s.log("Commands in the project are not confined: " + why.Error())
	}
	return opened, nil
}

// closeShell ends the way out of the box.
func (s *supervisor) closeShell() error {
	if s.commands == nil {
		return nil
	}
	return s.commands.Close()
}

// runCommand runs a command line in the project; log, in the run's folder, gets
// what it says. An error says that it could not be run, and nothing of what it
// would have come to.
func (s *supervisor) runCommand(line, log string, most time.Duration) (shell.Result, error) {
	opened, err := s.openShell()
	if err != nil {
		return shell.Result{}, err
	}
	result, err := opened.Run(s.life, shell.Command{Line: line, Log: s.folder.Join(log), Most: most, Mark: Mark(s.ID) + "command"})
	if err == nil && result.Err != nil {
		err = fmt.Errorf("`%s`: %w", line, result.Err)
	}
	return result, err
}
