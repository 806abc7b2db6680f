package proc

import (
	"bufio"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/research-council/research-council/internal/base/job"
)

// keeperMain is the life of a keeper. Its standard input is its order and, after
// that, its lifeline; what it tells it writes to its standard output: Windows
// knows no further descriptors by number.
func keeperMain() int {
	end := make(chan os.Signal, 1) // one is enough, more are dropped
	signal.Notify(end, os.Interrupt, syscall.SIGTERM)
	order := bufio.NewReader(os.Stdin)
	spec, err := readOrder(order)
	if err != nil {
		return 0 // whoever understands is asked next
	}
	go func() {
		_, _ = io.Copy(io.Discard, order) // returns when its other end is closed
		select {
		case end <- os.Interrupt:
		default:
		}
	}()
	if err := runKeeper(spec, os.Stdout, end); err != nil {
		_ = report{err: err.Error()}.write(os.Stdout) // nobody else can be told
		return 1
	}
	return 0
}

// kept is what a keeper knows of those it keeps. Should the keeper be killed, the
// system ends the job with it.
type kept struct {
	job     *job.Job
	process *os.Process
	waited  chan struct{} // closed when the child has ended
}

// launch starts the child in a job.
func (k *keeper) launch(path string, spec Spec, files []*os.File) (err error) {
	if k.job, err = job.New(); err != nil {
		return err
	}
	k.process, err = os.StartProcess(path, spec.Argv, &os.ProcAttr{Dir: spec.Dir, Env: spec.Env, Files: files, Sys: k.job.Attr()})
	if err != nil {
		return wrapError(path, err)
	}
	if k.child, err = Identify(k.process.Pid); err != nil { // it is there until we let go of it
		_ = k.process.Kill() // it has run nothing yet
		return err
	}
	if err := k.job.Take(k.process); err != nil {
		return wrapError("take the child into a job", err)
	}
	k.waited = make(chan struct{})
	go k.awaitChild()
	return nil
}

// awaitChild waits for the child and tells how it has ended.
func (k *keeper) awaitChild() {
	how, err := k.process.Wait()
	last := childEnd{report: report{code: -1}}
	if err == nil {
		last.code = how.ExitCode()
	}
	if use, err := k.job.Use(); err == nil {
		last.cpu, last.maxRSS, last.alone = use.CPU, use.Memory, use.Living == 0
	}
	k.ended <- last
	close(k.waited)
}

// endTree ends what is left of the job: Ctrl-Break and grace, unless that is 0,
// then the end of the whole job. It returns who does not end.
func (k *keeper) endTree(grace time.Duration) ([]Identity, error) {
	if grace > 0 && !k.awaitNobody(0) {
		if k.job.Ask(k.process) == nil && k.awaitNobody(grace) {
			return nil, nil
		}
	}
	err := k.job.Kill(k.process)
	if k.awaitNobody(killTimeout) {
		return nil, nil
	}
	return []Identity{k.child}, err
}

// awaitNobody waits until nobody is left in the job, or for some time.
func (k *keeper) awaitNobody(within time.Duration) bool {
	for until := time.Now().Add(within); ; time.Sleep(killInterval) {
		if use, err := k.job.Use(); err == nil && use.Living == 0 {
			<-k.waited
			return true
		}
		if !time.Now().Before(until) {
			return false
		}
	}
}
