package campaignwork

import (
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/project/shell"
)

// initScript sets up what the project needs. The worker writes it, the program
// runs it, confined as the worker's own commands are.
const initScript = "init.sh"

const (
	initTime       = 30 * time.Minute
	initLog        = workspace.Turns + "/init.log"
	initReportFile = "init.txt" // what came of it, for the worker
)

// initialise runs the campaign's init.sh, where there is one. That it fails, or
// cannot be run, is told and stops nothing: the tests decide what the project
// needs.
func (s *box) initialise() error {
	script := path.Join(campaign.Of(s.Setup.Own).Folder(), initScript)
	if !s.papers.Filled(initScript) {
		return s.Folder.Remove(initReportFile)
	}
	opened, err := s.openShell()
	if err != nil {
		return err
	}
	if why := opened.CheckConfined(); why != nil {
		return s.recordInit(fmt.Sprintf("%s was not run: commands cannot be confined here (%s). Run it by hand, if what it does is wanted", script, why))
	}
	if err := errors.Join(s.Folder.Mkdir(workspace.Turns), s.Folder.Write(initLog, nil)); err != nil {
		return err
	}
	s.Log("running " + script)
	result, err := s.runCommand("sh "+agent.Shell([]string{script}), initLog, initTime)
	if err := s.Life.Err(); err != nil {
		return err
	}
	if err != nil {
		return s.recordInit(fmt.Sprintf("%s could not be run: %v", script, err))
	}
	return s.recordInit(s.initResult(script, result))
}

// initialiseCopy runs the campaign's init.sh in a copy of the project. It reports
// whether there is one that has run.
func (s *box) initialiseCopy(dir, name string) (bool, error) {
	if !s.papers.Filled(initScript) || !s.canConfine() {
		return false, nil
	}
	log := path.Join(workspace.Turns, "init-"+name+".log")
	if err := errors.Join(s.Folder.Mkdir(workspace.Turns), s.Folder.Write(log, nil)); err != nil {
		return false, err
	}
	line := "sh " + agent.Shell([]string{s.papers.Join(initScript)})
	_, err := s.runInOwnShell(shell.Command{Line: line, Dir: dir, Log: s.Folder.Join(log), Timeout: initTime}, dir)
	return err == nil, s.Life.Err() // how it ends is not asked: the tests decide
}

// initResult puts into words how the script went.
func (s *box) initResult(script string, r shell.Result) string {
	said, err := proc.LastBytes(s.Folder.Join(initLog), maxTailBytes)
	if err != nil {
		said = nil
	}
	switch {
	case r.Late:
		return fmt.Sprintf("%s did not end within %s\n%s", script, initTime, said)
	case r.Code != 0:
		return fmt.Sprintf("%s ended with %d\n%s", script, r.Code, said)
	}
	return fmt.Sprintf("%s ended well\n%s", script, said)
}

// recordInit keeps what came of the script for the worker, and tells its first
// line to people.
func (s *box) recordInit(text string) error {
	s.progress(plain.Line(text, supervisor.MaxForeignRunes))
	return s.Folder.Write(initReportFile, []byte(text))
}

// initReport is what the worker is told of it.
func (s *box) initReport() string {
	data, err := s.Folder.Read(initReportFile)
	if err != nil {
		return ""
	}
	return string(data)
}
