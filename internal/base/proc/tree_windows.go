package proc

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

// canAsk: nothing asks a process to end that does not share our console.
const canAsk = false

func (t *tree) terminate() error { return errors.New("nothing asks a process to end here") }

// kill ends everybody, and returns who that was. Who is born meanwhile is found by
// the next look.
func (t *tree) kill() ([]Identity, error) {
	living, _, err := t.refresh()
	for _, id := range living {
		killIdentity(id)
	}
	return living, err
}

func killIdentity(id Identity) {
	const access = windows.PROCESS_TERMINATE | windows.PROCESS_QUERY_LIMITED_INFORMATION
	process, err := windows.OpenProcess(access, false, uint32(id.PID))
	if err != nil {
		return // it has ended, or is another user's
	}
	defer windows.CloseHandle(process)
	if s, err := stateOf(process, id.PID); err == nil && s.Identity == id {
		_ = windows.TerminateProcess(process, 1) // it may have ended in the meantime
	}
}

// readProcess reads what the system says of a process.
func readProcess(pid int) (processState, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return processState{}, os.NewSyscallError("OpenProcess", err)
	}
	defer windows.CloseHandle(process)
	s, err := stateOf(process, pid)
	if err != nil {
		return s, err
	}
	var basic windows.PROCESS_BASIC_INFORMATION
	if err := windows.NtQueryInformationProcess(process, windows.ProcessBasicInformation, unsafe.Pointer(&basic), uint32(unsafe.Sizeof(basic)), nil); err != nil {
		return s, os.NewSyscallError("NtQueryInformationProcess", err)
	}
	s.parent = int(basic.InheritedFromUniqueProcessId)
	return s, nil
}

// stateOf tells when a process has started, and whether it has ended: it stays as
// long as somebody holds it.
func stateOf(process windows.Handle, pid int) (processState, error) {
	var started, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &started, &ended, &kernel, &user); err != nil {
		return processState{}, os.NewSyscallError("GetProcessTimes", err)
	}
	s := processState{Identity: Identity{PID: pid, Start: strconv.FormatInt(started.Nanoseconds(), 10)}}
	event, err := windows.WaitForSingleObject(process, 0)
	if err != nil { // we may not wait for it
		s.ended = ended != windows.Filetime{}
		return s, nil
	}
	s.ended = event == windows.WAIT_OBJECT_0
	return s, nil
}

// processes lists every process we may see. A parent that is younger than its
// child is none: its pid was used again.
func processes() ([]processState, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(snapshot)
	var list []processState
	started := map[int]string{}
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		s, err := readProcess(int(entry.ProcessID))
		if err != nil {
			continue // it has ended in the meantime, or is another user's
		}
		s.parent = int(entry.ParentProcessID)
		started[s.PID] = s.Start
		list = append(list, s)
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, os.NewSyscallError("Process32Next", err)
	}
	for i, s := range list {
		if p, known := started[s.parent]; !known || isYounger(p, s.Start) {
			list[i].parent = 0
		}
	}
	return list, nil
}

// isYounger compares times of start, which are numbers without a leading zero.
func isYounger(a, b string) bool {
	return len(a) > len(b) || len(a) == len(b) && a > b
}

// hasMark tells whether a process was started with a mark. What we may not read
// is another user's.
func hasMark(pid int, mark string) bool {
	const access = windows.PROCESS_QUERY_INFORMATION | windows.PROCESS_VM_READ
	process, err := windows.OpenProcess(access, false, uint32(pid))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(process)
	environ, err := environOf(process)
	return err == nil && containsMark(strings.ReplaceAll(environ, "\x00\x00", "\x00"), mark)
}

// maxEnviron is more than the environment of a process holds, in bytes.
const maxEnviron = 1 << 20

// environOf reads the environment a process was started with out of its memory, as
// debuggers do.
func environOf(process windows.Handle) (string, error) {
	var basic windows.PROCESS_BASIC_INFORMATION
	err := windows.NtQueryInformationProcess(process, windows.ProcessBasicInformation, unsafe.Pointer(&basic), uint32(unsafe.Sizeof(basic)), nil)
	if err != nil {
		return "", err
	}
	var block windows.PEB
	if err := readMemory(process, uintptr(unsafe.Pointer(basic.PebBaseAddress)), unsafe.Pointer(&block), unsafe.Sizeof(block)); err != nil {
		return "", err
	}
	var parameters windows.RTL_USER_PROCESS_PARAMETERS
	if err := readMemory(process, uintptr(unsafe.Pointer(block.ProcessParameters)), unsafe.Pointer(&parameters), unsafe.Sizeof(parameters)); err != nil {
		return "", err
	}
	if parameters.EnvironmentSize < 2 || parameters.EnvironmentSize > maxEnviron {
		return "", errors.New("its environment has no size")
	}
	text := make([]uint16, parameters.EnvironmentSize/2)
	if err := readMemory(process, uintptr(parameters.Environment), unsafe.Pointer(&text[0]), uintptr(2*len(text))); err != nil {
		return "", err
	}
	return string(utf16.Decode(text)), nil
}

func readMemory(process windows.Handle, at uintptr, into unsafe.Pointer, size uintptr) error {
	return windows.ReadProcessMemory(process, at, (*byte)(into), size, nil)
}
