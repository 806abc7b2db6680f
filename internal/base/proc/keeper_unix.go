//go:build unix

package proc

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// keeperMain is the life of a keeper: it takes its order from standard input,
// starts the process, and ends only when nothing of the tree is left. It
// returns the exit status of the keeper itself.
func keeperMain() int {
	runtime.LockOSThread() // the child is told by the death of this thread
	closeOnExecAll()
	status := os.NewFile(statusFD, "status")
	resetSIGCHLD()
	end := endSignals(os.NewFile(lifelineFD, "lifeline"))
	spec, err := readOrder(bufio.NewReader(os.Stdin))
	if err == nil {
		err = runKeeper(spec, status, end)
	} else if !errors.Is(err, errProtocol) {
		err = wrapError("read the order", err)
	}
	if err == nil || errors.Is(err, errProtocol) { // then whoever understands is asked next
		return 0
	}
	_ = report{err: err.Error()}.write(status) // nobody else can be told
	return 1
}

// resetSIGCHLD undoes an inherited disregard of SIGCHLD, with which the system
// would reap children itself and tell nobody how they ended.
func resetSIGCHLD() { signal.Notify(make(chan os.Signal, 1), syscall.SIGCHLD) }

// endSignals makes one channel of everything that ends a keeper: the lifeline and
// the signals that ask a process to end.
func endSignals(lifeline io.Reader) <-chan os.Signal {
	end := make(chan os.Signal, 1) // one is enough, more are dropped
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		_, _ = io.Copy(io.Discard, lifeline) // returns when its other end is closed
		select {
		case end <- syscall.SIGHUP:
		default:
		}
	}()
	return end
}

// kept is what a keeper knows of those it keeps.
type kept struct {
	tree       *tree
	noChildren chan struct{} // closed when we have no child at all
}

// launch starts the child. We wait for everybody ourselves; package os would
// start another process first, to see how the system lets it wait.
func (k *keeper) launch(path string, spec Spec, files []*os.File) error {
	if err := becomeSubreaper(); err != nil {
		return wrapError("adopt what the tree lets go", err)
	}
	k.noChildren = make(chan struct{})
	var fds []uintptr
	for _, f := range files {
		fds = append(fds, f.Fd())
	}
	pid, err := syscall.ForkExec(path, spec.Argv, &syscall.ProcAttr{Dir: spec.Dir, Env: spec.Env, Files: fds, Sys: childAttr()})
	runtime.KeepAlive(files) // until then, none may be closed for want of use
	if err != nil {
		return wrapError(path, err)
	}
	me, err := Self()
	if err != nil {
		return err
	}
	if k.child, err = Identify(pid); err != nil { // it is there until we have waited for it
		return err
	}
	k.tree = newTree("", me, k.child)
	if !hasSubreaper {
		k.tree.mark = spec.Mark // what leaves the tree does not come to us
	}
	go k.reapChildren()
	return nil
}

// endTree ends what is left of the tree: TERM and grace, unless that is 0, then
// KILL until we have no child. It returns who does not end.
func (k *keeper) endTree(grace time.Duration) ([]Identity, error) {
	select {
	case <-k.noChildren:
		if hasSubreaper {
			return nil, nil
		}
	default:
	}
	if grace > 0 {
		_ = k.tree.terminate() // killing, which follows, tells what is wrong
		if k.awaitNoChildren(grace) {
			return nil, nil
		}
	}
	for until := time.Now().Add(killTimeout); ; {
		killed, err := k.tree.kill()
		if k.awaitNoChildren(killInterval) {
			return nil, nil
		}
		if time.Now().After(until) {
			return killed, err
		}
	}
}

// awaitNoChildren waits until nobody is left, or for some time.
func (k *keeper) awaitNoChildren(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-k.noChildren:
	case <-timer.C:
		return false
	}
	for !hasSubreaper {
		if living, _, err := k.tree.refresh(); err == nil && len(living) == 0 {
			break
		}
		select {
		case <-time.After(killInterval):
		case <-timer.C:
			return false
		}
	}
	return true
}

// reapChildren takes in everybody who ends until we have no child. That the child has
// ended is told once we know whether it has left anybody.
func (k *keeper) reapChildren() {
	var last report
	options := 0
	for {
		var status syscall.WaitStatus
		var usage syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, options, &usage)
		if err == syscall.EINTR {
			continue
		}
		if options != 0 && pid <= 0 {
			k.ended <- childEnd{last, hasSubreaper && err != nil} // before none is closed: whoever sees that asks for this
			options = 0
		}
		if err != nil {
			close(k.noChildren)
			return
		}
		if pid == k.child.PID {
			last, options = exitReport(status, usage), syscall.WNOHANG
		}
	}
}

// exitReport puts into words how a child has ended.
func exitReport(status syscall.WaitStatus, usage syscall.Rusage) report {
	w := report{
		code:   status.ExitStatus(), // -1 where a signal ended it
		cpu:    cpu(usage),
		maxRSS: int64(usage.Maxrss) * rssUnit,
	}
	if status.Signaled() {
		w.signal = signalName(status.Signal())
	}
	return w
}

func cpu(u syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// signalName is the name of a signal as POSIX spells it, where POSIX has it.
func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGABRT:
		return "SIGABRT"
	case syscall.SIGALRM:
		return "SIGALRM"
	case syscall.SIGBUS:
		return "SIGBUS"
	case syscall.SIGFPE:
		return "SIGFPE"
	case syscall.SIGHUP:
		return "SIGHUP"
	case syscall.SIGILL:
		return "SIGILL"
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGPIPE:
		return "SIGPIPE"
	case syscall.SIGPROF:
		return "SIGPROF"
	case syscall.SIGQUIT:
		return "SIGQUIT"
	case syscall.SIGSEGV:
		return "SIGSEGV"
	case syscall.SIGSYS:
		return "SIGSYS"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGTRAP:
		return "SIGTRAP"
	case syscall.SIGUSR1:
		return "SIGUSR1"
	case syscall.SIGUSR2:
		return "SIGUSR2"
	case syscall.SIGVTALRM:
		return "SIGVTALRM"
	case syscall.SIGXCPU:
		return "SIGXCPU"
	case syscall.SIGXFSZ:
		return "SIGXFSZ"
	}
	return "signal " + strconv.Itoa(int(s))
}
