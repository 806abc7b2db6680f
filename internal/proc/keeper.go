package proc

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// KeeperMain is the life of a keeper: it takes its order from standard input,
// starts the process, and ends only when nothing of the tree is left. It
// returns the exit status of the keeper itself.
func KeeperMain() int {
	runtime.LockOSThread() // the child is told by the death of this thread
	lifeline, status := os.NewFile(lifelineFD, "lifeline"), os.NewFile(statusFD, "status")
	if lifeline == nil || status == nil {
		return 1
	}
	shut()
	words := json.NewEncoder(status)
	end := make(chan struct{}, 1)
	heedChildren()
	listen(lifeline, end)
	adopt()
	var spec Spec
	err := json.NewDecoder(os.Stdin).Decode(&spec)
	if err == nil {
		err = keep(spec, words, end)
	}
	if err != nil {
		_ = words.Encode(word{Error: err.Error()}) // nobody else can be told
		return 1
	}
	return 0
}

// heedChildren undoes an inherited disregard of SIGCHLD, with which the system
// would reap children itself and tell nobody how they ended.
func heedChildren() { signal.Notify(make(chan os.Signal, 1), syscall.SIGCHLD) }

// listen makes one word of everything that ends a keeper: the lifeline and the
// signals that ask a process to end.
func listen(lifeline io.Reader, end chan<- struct{}) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	tell := func() {
		select {
		case end <- struct{}{}:
		default:
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, lifeline) // returns when its other end is closed
		tell()
	}()
	go func() {
		for range signals {
			tell()
		}
	}()
}

func keep(spec Spec, words *json.Encoder, end <-chan struct{}) error {
	pid, err := launch(spec)
	if err != nil {
		return err
	}
	child, err := Identify(pid)
	if err != nil {
		child = Identity{PID: pid} // it has ended already
	}
	if err := words.Encode(word{Child: &child}); err != nil {
		endTree(os.Getpid(), 0) // nobody waits for it any more
		return fmt.Errorf("tell of the child: %w", err)
	}
	grace := spec.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	last := await(pid, grace, end)
	endTree(os.Getpid(), 0)
	last.Gone = true
	return words.Encode(last)
}

// launch starts the process in a group of its own, its streams on files.
func launch(spec Spec) (int, error) {
	env := marked(spec.Env, spec.Mark)
	path, err := lookup(spec.Argv[0], env)
	if err != nil {
		return 0, err
	}
	files, err := streams(spec)
	if err != nil {
		return 0, err
	}
	defer closeAll(files...)
	process, err := os.StartProcess(path, spec.Argv, &os.ProcAttr{Dir: spec.Dir, Env: env, Files: files, Sys: childAttr()})
	if err != nil {
		return 0, err
	}
	pid := process.Pid
	return pid, process.Release()
}

func streams(spec Spec) ([]*os.File, error) {
	in := spec.Stdin
	if in == "" {
		in = os.DevNull
	}
	stdin, err := os.Open(in)
	if err != nil {
		return nil, err
	}
	files := []*os.File{stdin}
	for _, name := range []string{spec.Stdout, spec.Stderr} {
		if name == "" {
			name = os.DevNull
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			closeAll(files...)
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// await reaps everything that ends until the process itself has, and ends the
// tree when it is asked to.
func await(pid int, grace time.Duration, end <-chan struct{}) word {
	gone := make(chan word, 1)
	go func() { gone <- reap(pid) }()
	select {
	case last := <-gone:
		return last
	case <-end:
	}
	terminate(os.Getpid())
	select {
	case last := <-gone:
		last.Ended = true
		leave(grace)
		return last
	case <-time.After(grace):
	}
	for {
		killOnce(os.Getpid())
		select {
		case last := <-gone:
			last.Ended = true
			return last
		case <-time.After(time.Millisecond):
		}
	}
}

// leave gives what is left of a tree its grace, but no longer than it takes.
func leave(grace time.Duration) {
	for until := time.Now().Add(grace); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if reapAll(); len(descendants(os.Getpid())) == 0 {
			return
		}
	}
}

// reap waits for children until the process has ended.
func reap(pid int) word {
	for {
		var status syscall.WaitStatus
		var usage syscall.Rusage
		got, err := syscall.Wait4(-1, &status, 0, &usage)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return word{Code: -1}
		case got != pid || status.Stopped() || status.Continued():
			continue
		}
		last := word{Code: status.ExitStatus(), CPU: cpu(usage), MaxRSS: usage.Maxrss * rssUnit}
		if status.Signaled() {
			last.Code, last.Signal = -1, signalName(status.Signal())
		}
		return last
	}
}

// reapAll takes in every child that has ended.
func reapAll() {
	for {
		got, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if got <= 0 || err != nil {
			return
		}
	}
}

func cpu(u syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGKILL: "SIGKILL",
		syscall.SIGTERM: "SIGTERM", syscall.SIGSEGV: "SIGSEGV", syscall.SIGABRT: "SIGABRT", syscall.SIGPIPE: "SIGPIPE", syscall.SIGBUS: "SIGBUS",
	}
	if name, ok := names[s]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}
