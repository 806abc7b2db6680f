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
package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Spec is a process to start. Paths may be relative to our own folder, the
// program's, where it holds a slash, to Dir.
type Spec struct {
	Argv      []string      `json:"argv"` // Argv[0] is a path or is looked up in the Env's PATH
	Env       []string      `json:"env"`  // NAME=value, the whole environment
	Dir       string        `json:"dir"`
	Stdin     string        `json:"stdin"`      // a file fed as standard input; "" is none
	Stdout    string        `json:"stdout"`     // a file to append to, made where needed; "" is none
	Stderr    string        `json:"stderr"`     // the same
	Grace     time.Duration `json:"grace"`      // between TERM and KILL; 0 is DefaultGrace
	Mark      string        `json:"mark"`       // NAME=value added to Env, by which Sweep finds what is left
	MaxOutput int64         `json:"max_output"` // bytes each output file may grow by before the tree is killed; 0 is DefaultMaxOutput
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

// Starter starts processes. Keeper is how this program is started as a keeper:
// a path and the arguments before the keeper's own.
type Starter struct{ Keeper []string }

// NewStarter starts keepers as this very program with the word "keeper". The
// running image is named by the system itself where it can be, so that a
// program replaced on disk in the meantime does no harm.
func NewStarter(executable string) Starter {
	const image = "/proc/self/exe"
	if _, err := os.Stat(image); err == nil {
		executable = image
	}
	return Starter{Keeper: []string{executable, "keeper"}}
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

// word is a line a keeper writes on its status pipe: first who the child is or
// why there is none, last how it ended.
type word struct {
	Child  *Identity     `json:"child,omitempty"`
	Error  string        `json:"error,omitempty"`
	Gone   bool          `json:"gone,omitempty"`
	Code   int           `json:"code,omitempty"`
	Signal string        `json:"signal,omitempty"`
	Ended  bool          `json:"ended,omitempty"`
	Flood  bool          `json:"flood,omitempty"`
	Left   []Identity    `json:"left,omitempty"` // what could not be ended
	CPU    time.Duration `json:"cpu,omitempty"`
	MaxRSS int64         `json:"max_rss,omitempty"`
}

// File descriptors a keeper finds open.
const (
	lifelineFD = 3
	statusFD   = 4
)

// Start starts a process under a keeper and returns once it runs. A process
// that cannot be started is an error that says why.
func (s Starter) Start(spec Spec) (*Process, error) {
	if len(spec.Argv) == 0 {
		return nil, errors.New("start a process: no program is named")
	}
	order, err := spec.order()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Argv[0], err)
	}
	p, status, err := s.keep(order, marked(nil, spec.Mark))
	if err != nil {
		return nil, fmt.Errorf("start a keeper for %s: %w", spec.Argv[0], err)
	}
	p.mark = spec.Mark
	words := json.NewDecoder(status)
	var first word
	if err := words.Decode(&first); err != nil || first.Child == nil {
		closeAll(p.lifeline, status)
		_, _ = p.process.Wait() // it ends by itself, having started nothing
		if first.Error == "" {
			first.Error = "its keeper ended early"
		}
		return nil, fmt.Errorf("start %s: %s", spec.Argv[0], first.Error)
	}
	p.child, p.exit.Started = *first.Child, time.Now()
	go p.follow(words, status)
	return p, nil
}

// order is what a keeper is told; it works in a folder of its own, so that
// every path is a whole one.
func (s Spec) order() ([]byte, error) {
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
	return json.Marshal(s)
}

// pipes are the pairs of pipe ends between us and another process.
type pipes struct{ ours, theirs []*os.File }

// add opens a pipe; the end that is ours is to be written or read.
func (p *pipes) add(write bool) error {
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

// keep starts the keeper and hands it its order on standard input.
func (s Starter) keep(order []byte, env []string) (*Process, *os.File, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	var p pipes
	defer func() { closeAll(p.theirs...) }()
	for _, write := range []bool{true, true, false} { // order, lifeline, status
		if err := p.add(write); err != nil {
			closeAll(p.ours...)
			return nil, nil, err
		}
	}
	process, err := os.StartProcess(s.Keeper[0], s.Keeper, &os.ProcAttr{
		Dir: "/", Env: env, Files: []*os.File{p.theirs[0], null, null, p.theirs[1], p.theirs[2]},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		closeAll(p.ours...)
		return nil, nil, err
	}
	closeAll(p.theirs...)
	p.theirs = nil
	keeper, err := Identify(process.Pid) // it is there until we have waited for it
	if err == nil {
		_, err = p.ours[0].Write(order)
	}
	if err = errors.Join(err, p.ours[0].Close()); err != nil {
		closeAll(p.ours[1:]...)
		_, _ = process.Wait() // it ends, for its lifeline is closed
		return nil, nil, err
	}
	return &Process{keeper: keeper, process: process, lifeline: p.ours[1], done: make(chan struct{})}, p.ours[2], nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing is buffered in them
	}
}

// follow waits for the keeper's last word and for the keeper itself.
func (p *Process) follow(words *json.Decoder, status io.Closer) {
	defer close(p.done)
	var last word
	err := words.Decode(&last)
	_ = status.Close() // it was opened to read
	_, waited := p.process.Wait()
	p.End()
	p.exit.Code, p.exit.Signal, p.exit.Ended, p.exit.CPU, p.exit.MaxRSS = last.Code, last.Signal, last.Ended, last.CPU, last.MaxRSS
	p.exit.Err = last.err()
	if err != nil || !last.Gone {
		p.exit.Code, p.exit.Signal = -1, signalName(syscall.SIGKILL)
		p.exit.Err = newTree(p.mark, p.child).end(0) // its keeper was killed
	}
	if waited != nil && !errors.Is(waited, syscall.ECHILD) { // the system has reaped it where we inherited a disregard of SIGCHLD
		p.exit.Err = errors.Join(p.exit.Err, fmt.Errorf("wait for the keeper: %w", waited))
	}
	p.exit.Finished = time.Now()
}

func (w word) err() error {
	switch {
	case len(w.Left) > 0:
		return stays(w.Left)
	case w.Error != "":
		return errors.New(w.Error)
	case w.Flood:
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
	return "", fmt.Errorf("%s is not found in its PATH", program)
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not executable", path)
	}
	return nil
}
