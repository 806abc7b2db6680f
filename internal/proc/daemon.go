package proc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Self names this process.
func Self() (Identity, error) { return Identify(os.Getpid()) }

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
// hook. Its output goes to a log file.
func (s Starter) Daemon(argv, env []string, dir, log string) (Identity, error) {
	order, err := json.Marshal(Spec{Argv: argv, Env: env, Dir: dir, Stdout: log, Stderr: log})
	if err != nil {
		return Identity{}, fmt.Errorf("start daemon: %w", err)
	}
	orderRead, orderWrite, err := os.Pipe()
	if err != nil {
		return Identity{}, fmt.Errorf("start daemon: %w", err)
	}
	defer closeAll(orderRead, orderWrite)
	answerRead, answerWrite, err := os.Pipe()
	if err != nil {
		return Identity{}, fmt.Errorf("start daemon: %w", err)
	}
	defer closeAll(answerRead, answerWrite)
	args := []string{s.Keeper[0], "daemon"}
	between, err := os.StartProcess(args[0], args, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: []*os.File{orderRead, answerWrite, nil},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return Identity{}, fmt.Errorf("start daemon: %w", err)
	}
	answerWrite.Close()
	_, err = orderWrite.Write(order)
	if err = errors.Join(err, orderWrite.Close()); err != nil {
		return Identity{}, fmt.Errorf("start daemon: %w", err)
	}
	var w word
	err = json.NewDecoder(bufio.NewReader(answerRead)).Decode(&w)
	_, waited := between.Wait()
	if errors.Is(waited, syscall.ECHILD) {
		waited = nil // as in follow
	}
	switch {
	case w.Error != "":
		return Identity{}, fmt.Errorf("start daemon: %s", w.Error)
	case err != nil || waited != nil || w.Child == nil:
		return Identity{}, fmt.Errorf("start daemon: %w", errors.Join(errors.New("no word of it"), err, waited))
	}
	return *w.Child, nil
}

// daemonMain is the life of the process in between: it starts the daemon, says
// who it is, and ends, so that the daemon is nobody's child.
func daemonMain() int {
	shut()
	answer := json.NewEncoder(os.Stdout)
	var spec Spec
	err := json.NewDecoder(os.Stdin).Decode(&spec)
	var id Identity
	if err == nil {
		id, err = letGo(spec)
	}
	if err != nil {
		_ = answer.Encode(word{Error: err.Error()}) // nobody else can be told
		return 1
	}
	if err := answer.Encode(word{Child: &id}); err != nil {
		return 1
	}
	return 0
}

func letGo(spec Spec) (Identity, error) {
	path, err := lookup(spec.Argv[0], spec.Env)
	if err != nil {
		return Identity{}, err
	}
	files, err := streams(spec)
	if err != nil {
		return Identity{}, err
	}
	defer closeAll(files...)
	p, err := os.StartProcess(path, spec.Argv, &os.ProcAttr{Dir: spec.Dir, Env: spec.Env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		return Identity{}, err
	}
	id, err := Identify(p.Pid)
	return id, errors.Join(err, p.Release())
}
