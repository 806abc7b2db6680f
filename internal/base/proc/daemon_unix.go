//go:build unix

package proc

import (
	"bufio"
	"errors"
	"os"
	"syscall"
)

// Daemon starts a process that outlives us, whoever ends us and with whatever:
// it has a session of its own, no terminal, and no parent but the system's
// first process, so that it does not belong to the tree a host ends with its
// hook. Its output goes to a log file; "" is none.
func (s Starter) Daemon(argv, env []string, dir, log string) (Identity, error) {
	if len(argv) == 0 {
		return Identity{}, errors.New("start a daemon: no program is named")
	}
	order, err := Spec{Argv: argv, Env: env, Dir: dir, Stdout: log, Stderr: log}.encodeOrder()
	if err != nil {
		return Identity{}, wrapError("start "+argv[0]+" as a daemon", err)
	}
	var answer report
	err = s.tryKeepers(func(program string) (err error) {
		answer, err = startIntermediate(program, order)
		return err
	})
	if err == nil && answer.child.PID == 0 {
		err = errors.New(answer.err)
	}
	return answer.child, wrapError("start "+argv[0]+" as a daemon", err)
}

// startIntermediate starts the process between us and the daemon, and waits for its
// answer and its end.
func startIntermediate(program string, order []byte) (answer report, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return report{}, err
	}
	defer null.Close()
	var p pipeEnds
	defer func() { closeAll(append(p.ours, p.theirs...)...) }()
	for _, write := range []bool{true, false} { // order, answer
		if err := p.add(write); err != nil {
			return report{}, err
		}
	}
	process, err := os.StartProcess(program, []string{program, daemonCommand}, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: []*os.File{p.theirs[0], p.theirs[1], null},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return report{}, errors.Join(errNoKeeper, err)
	}
	closeAll(p.theirs...)
	_, err = p.ours[0].Write(order)
	closeAll(p.ours[0])
	if err == nil {
		answer, err = readReport(bufio.NewReader(p.ours[1]))
	}
	how, waited := process.Wait()
	if errors.Is(waited, errReaped) {
		waited = nil // as in follow
	} else if err != nil && waited == nil && how.Success() {
		err = errors.Join(errNoKeeper, err)
	}
	return answer, errors.Join(err, waited)
}

// daemonMain is the life of the process in between: it starts the daemon, says
// who it is, and ends, so that the daemon is nobody's child.
func daemonMain() int {
	closeOnExecAll()
	id, err := startDaemon()
	answer := report{child: id}
	switch {
	case errors.Is(err, errProtocol):
		return 0 // whoever understands is asked next
	case err != nil:
		answer = report{err: err.Error()}
	}
	if answer.write(os.Stdout) != nil || err != nil {
		return 1
	}
	return 0
}

// releaserMain is daemonMain, where that is what a program was started for.
func releaserMain(command string) (code int, mine bool) {
	if command != daemonCommand {
		return 0, false
	}
	return daemonMain(), true
}

func startDaemon() (Identity, error) {
	spec, err := readOrder(bufio.NewReader(os.Stdin))
	if err != nil {
		return Identity{}, wrapError("read the order", err)
	}
	path, argv, err := command(spec, spec.Env)
	if err != nil {
		return Identity{}, err
	}
	files, err := streams(spec)
	if err != nil {
		return Identity{}, err
	}
	p, err := os.StartProcess(path, argv, &os.ProcAttr{
		Dir: spec.Dir, Env: append([]string{}, spec.Env...), Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return Identity{}, err
	}
	return Identify(p.Pid) // it is there until we have waited for it, which we never do
}
