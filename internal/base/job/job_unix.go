//go:build unix

package job

import (
	"errors"
	"os"
	"syscall"
)

// Job is a process and what it starts, as far as that stays in its group.
type Job struct{}

// New is a job that nobody is in.
func New() (*Job, error) { return &Job{}, nil }

// Attr is what a process of the job is started with.
func (*Job) Attr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Take takes in a process that was started with [Job.Attr], and lets it run.
func (*Job) Take(*os.Process) error { return nil }

// Ask asks all of the job to end.
func (*Job) Ask(first *os.Process) error { return signal(first, syscall.SIGTERM) }

// Kill ends all of the job; that nobody is left is fine.
func (*Job) Kill(first *os.Process) error { return signal(first, syscall.SIGKILL) }

// Close lets go of the job.
func (*Job) Close() {}

func signal(first *os.Process, s syscall.Signal) error {
	if err := syscall.Kill(-first.Pid, s); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
