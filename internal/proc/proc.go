// Package proc starts every child process under a keeper and ends whole trees.
//
// A keeper is a small process of its own session between us and a seat. It
// adopts what the seat's tree lets go (where the system has subreapers), holds
// the read end of a lifeline whose write end only we have, and when that
// closes, however we died, it ends the tree: TERM, grace, then STOP and KILL
// to every descendant, again until none is left. A child's stdout and stderr
// are its log files and never pipes: nothing hangs on a grandchild that holds
// one open, and following a hundred of them costs next to nothing.
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
	"strings"
	"sync"
	"syscall"
	"time"
)

// Spec is a process to start.
type Spec struct {
	Argv   []string      `json:"argv"` // Argv[0] is a path or is looked up in the Env's PATH
	Env    []string      `json:"env"`  // NAME=value, the whole environment
	Dir    string        `json:"dir"`
	Stdin  string        `json:"stdin"`  // a file fed as standard input; "" is none
	Stdout string        `json:"stdout"` // a file to append to, made where needed
	Stderr string        `json:"stderr"` // the same
	Grace  time.Duration `json:"grace"`  // between TERM and KILL; 0 is one second
	Mark   string        `json:"mark"`   // NAME=value added to Env, by which Sweep finds what is left
}

// DefaultGrace is the time a tree has between TERM and KILL.
const DefaultGrace = time.Second

// Identity names a process for good.
type Identity struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // when it started, as the system counts; with the boot's id where known
}

// Exit is how a process ended.
type Exit struct {
	Code     int           // exit status; -1 when a signal ended it
	Signal   string        // the signal's name, as SIGKILL; "" for none
	Ended    bool          // End was asked for, or the keeper was told to end
	Err      error         // it could not be started, or its keeper was lost
	Finished time.Time     // when the whole tree was gone
	CPU      time.Duration // of the process and what it waited for
	MaxRSS   int64         // bytes
}

// Starter starts processes. Keeper is how this program is started as a keeper:
// a path and the arguments before the keeper's own.
type Starter struct{ Keeper []string }

// Process is a child under its keeper.
type Process struct {
	keeper   Identity
	child    Identity
	process  *os.Process
	lifeline *os.File
	done     chan struct{}
	end      sync.Once
	ended    bool // written before the lifeline closes, read after done
	exit     Exit
}

// word is a line a keeper writes on its status pipe.
type word struct {
	Child  *Identity     `json:"child,omitempty"`
	Error  string        `json:"error,omitempty"`
	Gone   bool          `json:"gone,omitempty"`
	Code   int           `json:"code,omitempty"`
	Signal string        `json:"signal,omitempty"`
	Ended  bool          `json:"ended,omitempty"`
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
	order, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Argv[0], err)
	}
	p, status, err := s.keep(order)
	if err != nil {
		return nil, fmt.Errorf("start a keeper for %s: %w", spec.Argv[0], err)
	}
	words := json.NewDecoder(status)
	var first word
	if err := words.Decode(&first); err != nil || first.Child == nil {
		p.lifeline.Close()
		status.Close()
		_, _ = p.process.Wait() // it ends by itself, having started nothing
		if first.Error == "" {
			first.Error = "its keeper ended early"
		}
		return nil, fmt.Errorf("start %s: %s", spec.Argv[0], first.Error)
	}
	p.child = *first.Child
	go p.follow(words, status)
	return p, nil
}

// keep starts the keeper and hands it its order on standard input.
func (s Starter) keep(order []byte) (*Process, *os.File, error) {
	var files [6]*os.File // read and write ends of order, lifeline, status
	for i := 0; i < len(files); i += 2 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(files[:]...)
			return nil, nil, err
		}
		files[i], files[i+1] = r, w
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		closeAll(files[:]...)
		return nil, nil, err
	}
	process, err := os.StartProcess(s.Keeper[0], s.Keeper, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: []*os.File{files[0], null, null, files[2], files[5]},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	closeAll(files[0], files[2], files[5], null)
	if err != nil {
		closeAll(files[1], files[3], files[4])
		return nil, nil, err
	}
	_, err = files[1].Write(order)
	if err = errors.Join(err, files[1].Close()); err != nil {
		closeAll(files[3], files[4])
		_, _ = process.Wait()
		return nil, nil, err
	}
	keeper, err := Identify(process.Pid)
	if err != nil {
		keeper = Identity{PID: process.Pid} // it has ended already; the status pipe tells why
	}
	return &Process{keeper: keeper, process: process, lifeline: files[3], done: make(chan struct{})}, files[4], nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// follow waits for the keeper's last word and for the keeper itself.
func (p *Process) follow(words *json.Decoder, status io.Closer) {
	var last word
	err := words.Decode(&last)
	status.Close()
	_, waited := p.process.Wait()
	p.exit = Exit{Code: last.Code, Signal: last.Signal, Ended: last.Ended, CPU: last.CPU, MaxRSS: last.MaxRSS, Finished: time.Now()}
	if err != nil || !last.Gone {
		p.exit = Exit{Code: -1, Signal: "SIGKILL", Err: nil, Finished: time.Now()}
		p.lost()
	}
	if waited != nil && !errors.Is(waited, syscall.ECHILD) { // the system has reaped it where we inherited a disregard of SIGCHLD
		p.exit.Err = fmt.Errorf("wait for the keeper: %w", waited)
	}
	p.lifeline.Close()
	close(p.done)
}

// lost ends the tree of a child whose keeper was killed.
func (p *Process) lost() {
	if err := EndIdentity(p.child, 0); err != nil {
		p.exit.Err = err
	}
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
func (p *Process) End() { p.end.Do(func() { p.lifeline.Close() }) }

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

// marked adds the mark to an environment.
func marked(env []string, mark string) []string {
	if mark == "" {
		return env
	}
	return append(env[:len(env):len(env)], mark)
}

// lookup finds a program by the PATH of the environment it will run in.
func lookup(program string, env []string) (string, error) {
	if strings.ContainsRune(program, '/') {
		return program, executable(program)
	}
	for _, entry := range env {
		dirs, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		for dir := range strings.SplitSeq(dirs, ":") {
			if path := dir + "/" + program; dir != "" && executable(path) == nil {
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
