package campaignwork

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/project/confine"
	"github.com/research-council/research-council/internal/project/shell"
)

// A campaign's project is worked in by commands that a model has written, or
// that run what one has written: its tests, its init.sh, its worker's shell.

// shellOptions say what such a command may touch: the project, but for what the
// program keeps in it.
func (s *box) shellOptions() shell.Options {
	c := campaign.Of(s.Setup.Own)
	return shell.Options{
		Project: s.Setup.Root, Kept: s.programFolders(), Named: c.Paths, Hosts: c.Hosts, Pass: c.Variables,
		Environ: s.Environ, Council: s.Council, Hook: s.Hook, Mark: supervisor.ProcessMark(s.ID) + "command",
		Custody: s.custodyOf("command"),
	}
}

// programFolders are the folders in the project that are the program's own.
func (s *box) programFolders() []string {
	list, err := filepath.Glob(s.papers.Path[:len(s.papers.Path)-len(campaign.Of(s.Setup.Own).Slug)] + "*")
	if err != nil { // a sign of a pattern stands in the project's own path
		list = []string{s.papers.Path}
	}
	return append(list, filepath.Dir(s.Folder.Path))
}

// openShell opens the shell of the project, once.
func (s *box) openShell() (*shell.Shell, error) {
	s.shelling.Lock()
	defer s.shelling.Unlock()
	if s.commands != nil {
		return s.commands, nil
	}
	opened, err := shell.Open(s.Life, s.shellOptions())
	if err != nil {
		return nil, err
	}
	s.commands = opened
	if why := opened.CheckConfined(); why != nil {
		s.Log("Commands in the project are not confined: " + why.Error())
	}
	if removed, err := opened.Trim(maxCachedBytes); err != nil || removed > 0 {
		s.Log(trimMessage(removed, err))
	}
	return opened, nil
}

// maxCachedBytes bounds what the box of a project may keep from one run to the next:
// what tools have fetched and built there.
const maxCachedBytes = 5 << 30

// trimMessage says what became of what the box had kept.
func trimMessage(removed int64, err error) string {
	if err != nil {
		return "What the project's box has kept could not be removed: " + err.Error()
	}
	return fmt.Sprintf("The project's box had kept %d MiB, which are removed: they will be fetched and built anew", removed>>20)
}

// packages says where packages come from; nil where there is no box. The package
// managers are asked once.
func (s *box) packages() *confine.Packages {
	opened, err := s.openShell()
	if err != nil {
		return nil
	}
	return opened.Packages()
}

// canConfine reports whether commands in the project are confined here.
func (s *box) canConfine() bool {
	opened, err := s.openShell()
	return err == nil && opened.CheckConfined() == nil
}

// shellFile says, in the run's folder, how a worker's commands are run.
const shellFile = "shell.json"

// shellArgv is the argument vector by which a worker without a desk runs a
// command line, which is added to it.
func (s *box) shellArgv() []string {
	return []string{s.Council, "campaign", "shell", "--at", s.Folder.Join(shellFile)}
}

// writeShellSettings lets a worker run commands: in the project, with its own folder,
// and with what is protected put back after each.
func (s *box) writeShellSettings(t agent.Turn) error {
	o := s.shellOptions()
	o.Packages = s.packages()
	o.Writable, o.Custody, o.Mark = []string{t.Dir}, s.custodyOf(t.Task), supervisor.ProcessMark(s.ID)+"shell"
	return o.Save(func(data []byte) error { return s.Folder.Write(shellFile, data) })
}

// closeShell ends the way out of the box.
func (s *box) closeShell() error {
	if s.commands == nil {
		return nil
	}
	return s.commands.Close()
}

// runCommand runs a command line in the project; log, in the run's folder, gets
// what it says. An error says that it could not be run, and nothing of what it
// would have come to.
func (s *box) runCommand(line, log string, most time.Duration) (shell.Result, error) {
	return s.runInShell(shell.Command{Line: line, Log: s.Folder.Join(log), Timeout: most})
}

// runInShell runs a command in the project's shell, and puts back what it
// changed of what is protected.
func (s *box) runInShell(c shell.Command) (shell.Result, error) {
	opened, err := s.openShell()
	if err != nil {
		return shell.Result{}, err
	}
	result, err := s.withProtection(func() (shell.Result, error) {
		return opened.Run(s.Life, c)
	})
	if err == nil && result.Err != nil {
		err = fmt.Errorf("`%s`: %w", c.Line, result.Err)
	}
	if len(result.PutBack) > 0 {
		s.progress(fmt.Sprintf("`%s` had written to %s, put back as they were", c.Line, listNames(result.PutBack)))
	}
	return result, err
}

// withProtection runs a command while what is protected is kept, to be put back
// after it.
func (s *box) withProtection(run func() (shell.Result, error)) (shell.Result, error) {
	own := s.custodyOf("command")
	if own.HasCopies() { // the program ended while one ran
		if _, err := own.Restore(); err != nil {
			return shell.Result{}, err
		}
	}
	if err := own.CopyProtected(); err != nil {
		return shell.Result{}, err
	}
	result, err := run()
	return result, errors.Join(err, own.DropCopies())
}
