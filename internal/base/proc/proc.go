// Package proc starts every child process under a keeper and ends whole trees.
//
// A keeper is a small process of its own session between us and a child. It
// adopts what the child's tree lets go (where the system has subreapers),
// holds the read end of a lifeline whose write end only we have, and when that
// closes, however we died, it ends the tree: TERM, grace, then STOP and KILL
// to every descendant, again until none is left. A child's stdout and stderr
// are its log files and never pipes: nothing hangs on a grandchild that holds
// one open, and following a hundred of them costs next to nothing.
//
// Two things are beyond it. A process that has taken another user's rights
// hears no signal of ours; after some patience it is named in the error. And
// where the keeper itself is killed, what has left the tree and cleared its
// environment is not found again; on systems without subreapers that holds
// for what had left the tree before the keeper looked.
//
// Processes are named by pid and start time, for pids are used again. What a
// process means is left to others.
//
// A keeper starts with every child, so it is the hook's small program where
// that can be had: this package links neither fmt nor a codec.
package proc

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Spec is a process to start. Paths may be relative to our own folder, the
// program's, where it holds a slash, to Dir.
type Spec struct {
	Argv      []string // Argv[0] is a path or is looked up in the Env's PATH
	Env       []string // NAME=value, the whole environment
	Dir       string
	Stdin     string        // a file fed as standard input; "" is none
	Stdout    string        // a file to append to, made where needed; "" is none
	Stderr    string        // the same
	Grace     time.Duration // between TERM and KILL; 0 is DefaultGrace
	Mark      string        // NAME=value added to Env, by which Sweep finds what is left
	MaxOutput int64         // bytes each output file may grow by before the tree is killed; 0 is DefaultMaxOutput
}

const (
	// DefaultGrace is the time a tree has between TERM and KILL.
	DefaultGrace = time.Second
	// DefaultMaxOutput is what a child may write, in bytes: a disk's worth of
	// harm less than a child gone wild does, and far more than any seat says.
	DefaultMaxOutput = 1 << 30
)

// ErrFlood says that a process was killed because it wrote too much.
var ErrFlood = errors.New("its output grew beyond bounds")

// Identity names a process for good.
type Identity struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // when it started, as the system counts; with the boot's id where known
}

// Exit is how a process ended.
type Exit struct {
	Code     int           // exit status; -1 when a signal ended it
	Signal   string        // the signal's name, as SIGKILL; "" for none
	Ended    bool          // it ended because End was called, or its keeper was told to end
	Err      error         // ErrFlood, or some of the tree could not be ended; nil for a child that merely failed
	Started  time.Time     // when it ran
	Finished time.Time     // when the whole tree was gone
	CPU      time.Duration // of the process and what it waited for
	MaxRSS   int64         // bytes
}

// Starter starts processes. Keepers are the programs that can be a keeper, by
// path, the one to be asked first at the front: they call [Main]. One that is
// not there, or does not know what a keeper is, is passed over for the next.
type Starter struct{ Keepers []string }

// NewStarter starts keepers as the small program hook, and as the program
// executable, which is the running one, where hook is "" or is no such program:
// a library's user or a test may have built executable alone. The running
// image is named by the system itself where it can be, so that a program
// replaced on disk in the meantime does no harm.
func NewStarter(executable, hook string) Starter {
	if _, err := os.Stat(ownImage); ownImage != "" && err == nil {
		executable = ownImage
	}
	if hook == "" {
		return Starter{Keepers: []string{executable}}
	}
	return Starter{Keepers: []string{hook, executable}}
}

// errNoKeeper says that a program is no keeper: it is not there, or has ended well
// without a word. It has started nothing.
var errNoKeeper = errors.New("the program is no keeper of this release")

// tryKeepers tries the programs that can be keepers until one is fit.
func (s Starter) tryKeepers(try func(program string) error) error {
	err := errors.New("no program is named")
	for _, program := range s.Keepers {
		if err = try(program); !errors.Is(err, errNoKeeper) {
			return err
		}
	}
	return err
}

// Process is a child under its keeper.
type Process struct {
	keeper   Identity
	child    Identity
	mark     string
	process  *os.Process
	lifeline *os.File
	end      sync.Once
	done     chan struct{}
	exit     Exit // whole once done is closed
}

// Start starts a process under a keeper and returns once it runs. A process
// that cannot be started is an error that says why.
func (s Starter) Start(spec Spec) (*Process, error) {
	if len(spec.Argv) == 0 {
		return nil, errors.New("start a process: no program is named")
	}
	order, err := spec.encodeOrder()
	if err != nil {
		return nil, wrapError("start "+spec.Argv[0], err)
	}
	p := &Process{mark: spec.Mark, done: make(chan struct{})}
	err = s.tryKeepers(func(program string) error { return p.startUnder(program, order) })
	if err != nil {
		return nil, wrapError("start "+spec.Argv[0], err)
	}
	return p, nil
}

// startUnder has a keeper start the process, and waits for its first word.
func (p *Process) startUnder(program string, order []byte) error {
	status, err := p.startKeeper(program, order)
	if err != nil {
		return wrapError("start a keeper", err)
	}
	words := bufio.NewReader(status)
	first, err := readReport(words)
	if err == nil && first.child.PID != 0 {
		p.child, p.exit.Started = first.child, time.Now()
		go p.awaitKeeper(words, status)
		return nil
	}
	closeAll(p.lifeline, status)
	unfit := p.exitedCleanly() // it ends by itself, having started nothing
	switch {
	case first.err != "":
		return errors.New(first.err)
	case unfit:
		return wrapError("start a keeper", errNoKeeper)
	}
	return errors.New("its keeper ended early")
}

// exitedCleanly takes in a keeper that ends before it has told of a child, and tells
// whether it has ended as a program does that is none.
func (p *Process) exitedCleanly() (unfit bool) {
	how, err := p.process.Wait()
	return err == nil && how.Success()
}

// encodeOrder is what a keeper is told; it works in a folder of its own, so that
// every path is a whole one.
func (s Spec) encodeOrder() ([]byte, error) {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, err
	}
	s.Dir = dir
	for _, path := range []*string{&s.Stdin, &s.Stdout, &s.Stderr} {
		if *path == "" {
			*path = os.DevNull
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	return s.encode()
}

// pipeEnds are the pairs of pipe ends between us and another process.
type pipeEnds struct{ ours, theirs []*os.File }

// add opens a pipe; the end that is ours is to be written or read.
func (p *pipeEnds) add(write bool) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	if write {
		r, w = w, r
	}
	p.ours, p.theirs = append(p.ours, r), append(p.theirs, w)
	return nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing is buffered in them
	}
}

// awaitKeeper waits for the keeper's last word and for the keeper itself.
func (p *Process) awaitKeeper(words *bufio.Reader, status io.Closer) {
	defer close(p.done)
	last, err := readReport(words)
	_ = status.Close() // it was opened to read
	_, waited := p.process.Wait()
	p.End()
	p.exit.Code, p.exit.Signal, p.exit.Ended, p.exit.CPU, p.exit.MaxRSS = last.code, last.signal, last.ended, last.cpu, last.maxRSS
	p.exit.Err = last.exitError()
	if err != nil || !last.gone {
		p.exit.Code, p.exit.Signal = -1, "SIGKILL"
		p.exit.Err = newTree(p.mark, p.child).end(0) // its keeper was killed
	}
	if waited != nil && !errors.Is(waited, errReaped) { // the system has reaped it where we inherited a disregard of SIGCHLD
		p.exit.Err = errors.Join(p.exit.Err, wrapError("wait for the keeper", waited))
	}
	p.exit.Finished = time.Now()
}

// exitError is what went wrong with ending the tree, or was done by it.
func (w report) exitError() error {
	switch {
	case len(w.left) > 0:
		return notEndingError(w.left)
	case w.err != "":
		return errors.New(w.err)
	case w.flooded:
		return ErrFlood
	}
	return nil
}

// Keeper names the keeper.
func (p *Process) Keeper() Identity { return p.keeper }

// Child names the process itself.
func (p *Process) Child() Identity { return p.child }

// Done closes when the process and its whole tree are gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits until the process and its whole tree are gone.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// End asks for the end of the whole tree and returns at once.
func (p *Process) End() { p.end.Do(func() { _ = p.lifeline.Close() }) }

// marked adds the mark to an environment.
func marked(env []string, mark string) []string {
	if mark == "" {
		return append([]string{}, env...) // never nil, which would be our own
	}
	return append(env[:len(env):len(env)], mark)
}
