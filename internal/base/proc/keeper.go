package proc

import (
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
	err := runKeeper(status, end)
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

func runKeeper(status io.Writer, end <-chan os.Signal) error {
	spec, err := readOrder(os.Stdin)
	if err != nil {
		return wrapError("read the order", err)
	}
	if err := becomeSubreaper(); err != nil {
		return wrapError("adopt what the tree lets go", err)
	}
	k, err := startChild(spec)
	if err != nil {
		return err
	}
	if err := (report{child: k.child}).write(status); err != nil {
		_, _ = k.endTree(0) // nobody waits for it any more
		return wrapError("tell of the child", err)
	}
	return k.awaitEnd(end).write(status)
}

// keeper is what a keeper keeps.
type keeper struct {
	child      Identity
	tree       *tree
	grace      time.Duration
	output     []outputFile
	most       int64
	ended      chan childEnd // the child has
	noChildren chan struct{} // closed when we have no child at all
}

// childEnd is how the child has ended. Alone is told where it has left nobody, so
// that nobody has to be looked for among all processes there are.
type childEnd struct {
	report
	alone bool
}

// outputFile is a file that was some bytes long when the child started.
type outputFile struct {
	*os.File
	before int64
}

// startChild starts the child, in a group of its own, its streams on files.
func startChild(spec Spec) (*keeper, error) {
	env := marked(spec.Env, spec.Mark)
	path, err := lookup(spec.Argv[0], spec.Dir, env)
	if err != nil {
		return nil, err
	}
	files, err := streams(spec)
	if err != nil {
		return nil, err
	}
	k := &keeper{grace: spec.Grace, most: spec.MaxOutput, ended: make(chan childEnd, 1), noChildren: make(chan struct{})}
	if k.grace == 0 {
		k.grace = DefaultGrace
	}
	if k.most == 0 {
		k.most = DefaultMaxOutput
	}
	for _, f := range files[1:] {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		k.output = append(k.output, outputFile{f, info.Size()})
	}
	pid, err := launch(path, spec, env, files)
	if err != nil {
		return nil, err
	}
	me, err := Self()
	if err != nil {
		return nil, err
	}
	if k.child, err = Identify(pid); err != nil { // it is there until we have waited for it
		return nil, err
	}
	k.tree = newTree("", me, k.child)
	if !hasSubreaper {
		k.tree.mark = spec.Mark // what leaves the tree does not come to us
	}
	go k.reapChildren()
	return k, nil
}

// launch starts the child. We wait for everybody ourselves; package os would
// start another process first, to see how the system lets it wait.
func launch(path string, spec Spec, env []string, files []*os.File) (pid int, err error) {
	var fds []uintptr
	for _, f := range files {
		fds = append(fds, f.Fd())
	}
	pid, err = syscall.ForkExec(path, spec.Argv, &syscall.ProcAttr{Dir: spec.Dir, Env: env, Files: fds, Sys: childAttr()})
	runtime.KeepAlive(files) // until then, none may be closed for want of use
	return pid, wrapError(path, err)
}

// streams opens a process's standard input, output and error.
func streams(spec Spec) ([]*os.File, error) {
	stdin, err := os.Open(spec.Stdin)
	if err != nil {
		return nil, err
	}
	files := []*os.File{stdin}
	for _, name := range []string{spec.Stdout, spec.Stderr} {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			closeAll(files...)
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// awaitEnd waits until the child ends or has to, and clears away its tree.
func (k *keeper) awaitEnd(end <-chan os.Signal) report {
	const glance = 250 * time.Millisecond // a disk takes a few hundred MB in it at most
	look := time.NewTicker(glance)
	defer look.Stop()
	for {
		select {
		case last := <-k.ended:
			if last.alone {
				last.gone = true
				return last.report
			}
			return k.finalReport(last.report, k.grace)
		case <-end:
			return k.finalReport(report{ended: true}, k.grace)
		case <-look.C:
			if k.exceedsOutput() {
				return k.finalReport(report{flooded: true}, 0)
			}
		}
	}
}

func (k *keeper) exceedsOutput() bool {
	for _, f := range k.output {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size()-f.before > k.most {
			return true
		}
	}
	return false
}

// finalReport clears the tree away and completes the last word with how the child
// ended, if that is not known yet.
func (k *keeper) finalReport(last report, grace time.Duration) report {
	left, err := k.endTree(grace)
	select {
	case how := <-k.ended:
		how.ended, how.flooded = last.ended, last.flooded
		last = how.report
	default:
	}
	last.gone, last.left = true, left
	if err != nil && len(left) == 0 {
		last.err = err.Error()
	}
	return last
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
		maxRSS: usage.Maxrss * rssUnit,
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
