//go:build unix

package proc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ownImage is how the system names the program of a process to itself, where it
// does.
const ownImage = "/proc/self/exe"

// errReaped says that the system has reaped a child by itself.
const errReaped = syscall.ECHILD

// File descriptors a keeper finds open.
const (
	lifelineFD = 3
	statusFD   = 4
)

// startKeeper starts the keeper and hands it its order on standard input. It returns
// where the keeper tells how things stand.
func (p *Process) startKeeper(program string, order []byte) (*os.File, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	var ends pipeEnds
	defer func() { closeAll(ends.theirs...) }()
	for _, write := range []bool{true, true, false} { // order, lifeline, status
		if err := ends.add(write); err != nil {
			closeAll(ends.ours...)
			return nil, err
		}
	}
	p.process, err = os.StartProcess(program, []string{program, keeperCommand}, &os.ProcAttr{
		Dir: "/", Env: marked(nil, p.mark), Files: []*os.File{ends.theirs[0], null, null, ends.theirs[1], ends.theirs[2]},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		closeAll(ends.ours...)
		return nil, errors.Join(errNoKeeper, err)
	}
	closeAll(ends.theirs...)
	ends.theirs = nil
	p.keeper, err = Identify(p.process.Pid) // it is there until we have waited for it
	if err == nil {
		_, err = ends.ours[0].Write(order)
	}
	if err = errors.Join(err, ends.ours[0].Close()); err != nil {
		closeAll(ends.ours[1:]...)
		if p.exitedCleanly() { // it ends, for its lifeline is closed
			err = errors.Join(errNoKeeper, err)
		}
		return nil, err
	}
	p.lifeline = ends.ours[1]
	return ends.ours[2], nil
}

// command is the program to start and its arguments.
func command(spec Spec, env []string) (path string, argv []string, err error) {
	path, err = lookup(spec.Argv[0], spec.Dir, env)
	return path, spec.Argv, err
}

// lookup finds a program by the PATH of the environment it will run in.
func lookup(program, dir string, env []string) (string, error) {
	if strings.ContainsRune(program, '/') {
		if !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		return program, executable(program)
	}
	for _, entry := range env {
		dirs, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(dirs) {
			if path := filepath.Join(dir, program); filepath.IsAbs(dir) && executable(path) == nil {
				return path, nil
			}
		}
	}
	return "", errors.New(program + " is not found in its PATH")
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New(path + " is a folder")
	case info.Mode()&0o111 == 0:
		return errors.New(path + " is not executable")
	}
	return nil
}
