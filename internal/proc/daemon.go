package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Main lets a program be started as a keeper or as the one that lets a daemon
// go. It is called first of all, with os.Args; mine is false when the
// arguments are the program's own.
func Main(args []string) (code int, mine bool) {
	if len(args) < 2 {
		return 0, false
	}
	switch args[1] {
	case "keeper":
		return KeeperMain(), true
	case "daemon":
		return daemonMain(), true
	}
	return 0, false
}

// Daemon starts a process that outlives us, whoever ends us and with whatever:
// it has a session of its own, no terminal, and no parent but the system's
// first process, so that it does not belong to the tree a host ends with its
// hook. Its output goes to a log file; "" is none.
func (s Starter) Daemon(argv, env []string, dir, log string) (Identity, error) {
	if len(argv) == 0 {
		return Identity{}, errors.New("start a daemon: no program is named")
	}
	order, err := Spec{Argv: argv, Env: env, Dir: dir, Stdout: log, Stderr: log}.order()
	if err != nil {
		return Identity{}, fmt.Errorf("start %s as a daemon: %w", argv[0], err)
	}
	answer, err := s.between(order)
	if err != nil {
		return Identity{}, fmt.Errorf("start %s as a daemon: %w", argv[0], err)
	}
	if answer.Child == nil {
		return Identity{}, fmt.Errorf("start %s as a daemon: %s", argv[0], answer.Error)
	}
	return *answer.Child, nil
}

// between starts the process between us and the daemon, and waits for its
// answer and its end.
func (s Starter) between(order []byte) (answer word, err error) {
	var p pipes
	defer func() { closeAll(append(p.ours, p.theirs...)...) }()
	for _, write := range []bool{true, false} { // order, answer
		if err := p.add(write); err != nil {
			return word{}, err
		}
	}
	process, err := os.StartProcess(s.Keeper[0], []string{s.Keeper[0], "daemon"}, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: []*os.File{p.theirs[0], p.theirs[1], nil},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return word{}, err
	}
	closeAll(p.theirs...)
	_, err = p.ours[0].Write(order)
	closeAll(p.ours[0])
	if err == nil {
		err = json.NewDecoder(p.ours[1]).Decode(&answer)
	}
	_, waited := process.Wait()
	if errors.Is(waited, syscall.ECHILD) {
		waited = nil // as in follow
	}
	return answer, errors.Join(err, waited)
}

// daemonMain is the life of the process in between: it starts the daemon, says
// who it is, and ends, so that the daemon is nobody's child.
func daemonMain() int {
	shut()
	answer := word{}
	id, err := letGo()
	if err != nil {
		answer.Error = err.Error()
	} else {
		answer.Child = &id
	}
	if json.NewEncoder(os.Stdout).Encode(answer) != nil || err != nil {
		return 1
	}
	return 0
}

func letGo() (Identity, error) {
	var spec Spec
	if err := json.NewDecoder(os.Stdin).Decode(&spec); err != nil {
		return Identity{}, err
	}
	path, err := lookup(spec.Argv[0], spec.Dir, spec.Env)
	if err != nil {
		return Identity{}, err
	}
	files, err := streams(spec)
	if err != nil {
		return Identity{}, err
	}
	p, err := os.StartProcess(path, spec.Argv, &os.ProcAttr{
		Dir: spec.Dir, Env: append([]string{}, spec.Env...), Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return Identity{}, err
	}
	return Identify(p.Pid) // it is there until we have waited for it, which we never do
}
