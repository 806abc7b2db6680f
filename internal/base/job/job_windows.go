package job

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Job is a process and all that comes of it.
type Job struct{ handle windows.Handle }

// New is a job that nobody is in. Whoever is in it when we end is ended.
func New() (*Job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	j := &Job{handle}
	if err := j.limit(windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// limit bounds the job, beside that it ends with its last handle.
func (j *Job) limit(bounds windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION) error {
	bounds.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	_, err := windows.SetInformationJobObject(j.handle, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&bounds)), uint32(unsafe.Sizeof(bounds)))
	return os.NewSyscallError("SetInformationJobObject", err)
}

// Bound bounds what each process of the job may hold in memory, in bytes, and how
// long it may compute.
func (j *Job) Bound(memory uint64, computing time.Duration) error {
	var bounds windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	bounds.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY | windows.JOB_OBJECT_LIMIT_PROCESS_TIME
	bounds.ProcessMemoryLimit = uintptr(memory)
	bounds.BasicLimitInformation.PerProcessUserTimeLimit = int64(computing / 100) // in units of 100 ns
	return j.limit(bounds)
}

// MayLeave lets those leave the job that are started to outlive who starts them.
func (j *Job) MayLeave() error {
	var bounds windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	bounds.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK
	return j.limit(bounds)
}

// Enter takes in this process itself, for the rest of its life.
func (j *Job) Enter() error {
	return os.NewSyscallError("AssignProcessToJobObject", windows.AssignProcessToJobObject(j.handle, windows.CurrentProcess()))
}

// Attr is what a process of the job is started with. It is alone in its console's
// group, so that Ctrl-C is ours to hear, and it waits to be taken in: what it
// would start before that would be in no job.
func (*Job) Attr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED}
}

// Take takes in a process that was started with [Job.Attr], and lets it run. One
// that cannot be taken in is ended.
func (j *Job) Take(first *os.Process) error {
	err := j.take(first)
	if err != nil {
		_ = first.Kill() // it has run nothing yet
	}
	return err
}

func (j *Job) take(first *os.Process) error {
	var failed error
	err := first.WithHandle(func(handle uintptr) {
		failed = os.NewSyscallError("AssignProcessToJobObject", windows.AssignProcessToJobObject(j.handle, windows.Handle(handle)))
		if failed == nil {
			failed = resume(uint32(first.Pid))
		}
	})
	return errors.Join(err, failed)
}

// resume lets the threads of a process run that was started to wait.
func resume(pid uint32) error {
	list, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(list)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(list, &entry); err == nil; err = windows.Thread32Next(list, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return os.NewSyscallError("OpenThread", err)
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread) // nothing is lost with it
		if err != nil {
			return os.NewSyscallError("ResumeThread", err)
		}
	}
	if errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil
	}
	return os.NewSyscallError("Thread32Next", err)
}

// Ask asks the first process of the job to end, as Ctrl-Break in its console does:
// nothing else asks a program that has no window. It hears that where it shares
// our console.
func (*Job) Ask(first *os.Process) error {
	return os.NewSyscallError("GenerateConsoleCtrlEvent", windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(first.Pid)))
}

// killedCode is the exit status of what [Job.Kill] ends.
const killedCode = 1

// Kill ends all of the job; that nobody is left is fine. The first process may
// not have been taken in yet.
func (j *Job) Kill(first *os.Process) error {
	err := os.NewSyscallError("TerminateJobObject", windows.TerminateJobObject(j.handle, killedCode))
	if killed := first.Kill(); killed != nil && !errors.Is(killed, os.ErrProcessDone) && err != nil {
		return errors.Join(err, killed)
	}
	return nil
}

// basicAccounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type basicAccounting struct {
	userTime, kernelTime, periodUserTime, periodKernelTime int64
	pageFaults, processes, active, terminated              uint32
}

// Use is what the job has used, in all its processes, and how many it has now.
type Use struct {
	Living int
	CPU    time.Duration
	Memory int64 // the most that one process has held, in bytes
}

// Use tells that.
func (j *Job) Use() (Use, error) {
	var counted basicAccounting
	if err := j.query(windows.JobObjectBasicAccountingInformation, unsafe.Pointer(&counted), unsafe.Sizeof(counted)); err != nil {
		return Use{}, err
	}
	var bounds windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if err := j.query(windows.JobObjectExtendedLimitInformation, unsafe.Pointer(&bounds), unsafe.Sizeof(bounds)); err != nil {
		return Use{}, err
	}
	return Use{int(counted.active), time.Duration(counted.userTime+counted.kernelTime) * 100, int64(bounds.PeakProcessMemoryUsed)}, nil
}

func (j *Job) query(class int32, into unsafe.Pointer, size uintptr) error {
	return os.NewSyscallError("QueryInformationJobObject", windows.QueryInformationJobObject(j.handle, class, uintptr(into), uint32(size), nil))
}

// Close lets go of the job, which ends who is left in it.
func (j *Job) Close() { _ = windows.CloseHandle(j.handle) } // nothing is lost with it
