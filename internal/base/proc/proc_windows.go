package proc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// ownImage is nothing: a running program's file cannot be replaced here.
const ownImage = ""

// errReaped is nothing that happens here: a child stays until we let go of it.
var errReaped = errors.New("the system has reaped it")

// hidden starts a program with a console that nobody sees, for itself and all that
// comes of it. Without one, each program of it would open a window.
const hidden = windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP

// startKeeper starts the keeper and hands it its order on standard input, which
// stays open: it is its lifeline. It returns where the keeper tells how things
// stand.
func (p *Process) startKeeper(program string, order []byte) (*os.File, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	var ends pipeEnds
	defer func() { closeAll(ends.theirs...) }()
	for _, write := range []bool{true, false} { // order and lifeline, status
		if err := ends.add(write); err != nil {
			closeAll(ends.ours...)
			return nil, err
		}
	}
	p.process, err = os.StartProcess(program, []string{program, keeperCommand}, &os.ProcAttr{
		Env: marked([]string{systemRoot()}, p.mark), Files: []*os.File{ends.theirs[0], ends.theirs[1], null},
		Sys: &syscall.SysProcAttr{CreationFlags: hidden},
	})
	if err != nil {
		closeAll(ends.ours...)
		return nil, errors.Join(errNoKeeper, err)
	}
	closeAll(ends.theirs...)
	ends.theirs = nil
	p.keeper, err = Identify(p.process.Pid) // it is there until we let go of it
	if err == nil {
		_, err = ends.ours[0].Write(order)
	}
	if err != nil {
		closeAll(ends.ours...)
		if p.exitedCleanly() { // it ends, for its lifeline is closed
			err = errors.Join(errNoKeeper, err)
		}
		return nil, err
	}
	p.lifeline = ends.ours[0]
	return ends.ours[1], nil
}

// systemRoot is the entry without which no program finds Windows' own libraries.
func systemRoot() string { return "SYSTEMROOT=" + os.Getenv("SYSTEMROOT") }

// Daemon starts a process that outlives us, whoever ends us and with whatever: it
// has a console of its own that nobody sees, and leaves the job of whoever has
// started us where that lets anybody go. Its output goes to a log file; "" is
// none.
func (s Starter) Daemon(argv, env []string, dir, log string) (Identity, error) {
	if len(argv) == 0 {
		return Identity{}, errors.New("start a daemon: no program is named")
	}
	id, err := startDaemon(Spec{Argv: argv, Env: env, Dir: dir, Stdin: os.DevNull, Stdout: log, Stderr: log})
	return id, wrapError("start "+argv[0]+" as a daemon", err)
}

func startDaemon(spec Spec) (Identity, error) {
	for _, name := range []*string{&spec.Stdout, &spec.Stderr} {
		if *name == "" {
			*name = os.DevNull
		}
	}
	path, argv, err := command(spec, spec.Env)
	if err != nil {
		return Identity{}, err
	}
	files, err := streams(spec)
	if err != nil {
		return Identity{}, err
	}
	defer closeAll(files...)
	attr := &os.ProcAttr{Dir: spec.Dir, Env: append([]string{}, spec.Env...), Files: files}
	var p *os.Process
	for _, flags := range []uint32{hidden | windows.CREATE_BREAKAWAY_FROM_JOB, hidden} {
		attr.Sys = &syscall.SysProcAttr{CreationFlags: flags}
		if p, err = os.StartProcess(path, argv, attr); !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			break // else the job we are in keeps everybody
		}
	}
	if err != nil {
		return Identity{}, err
	}
	id, err := Identify(p.Pid)
	return id, errors.Join(err, p.Release())
}

// releaserMain is nobody's life here: a daemon needs nobody in between.
func releaserMain(string) (code int, mine bool) { return 0, false }

// command is the program to start and its arguments. A batch file is never
// started: Windows hands its arguments to a shell, which reads in them. The
// program it stands for is started itself, as npm's say it.
func command(spec Spec, env []string) (path string, argv []string, err error) {
	if path, err = lookup(spec.Argv[0], spec.Dir, env); err != nil {
		return "", nil, err
	}
	if !isBatch(path) {
		return path, spec.Argv, nil
	}
	behind, err := behindShim(path)
	if err != nil {
		return "", nil, err
	}
	if len(behind) > 1 { // by node
		if behind[0], err = lookup(behind[0], filepath.Dir(path), env); err != nil {
			return "", nil, wrapError("start "+path, err)
		}
	}
	return behind[0], append(behind, spec.Argv[1:]...), nil
}

// lookup finds a program by the PATH of the environment it will run in.
func lookup(program, dir string, env []string) (string, error) {
	if strings.ContainsAny(program, `/\`) || filepath.VolumeName(program) != "" {
		if !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		if path := executable(program); path != "" {
			return path, nil
		}
		_, err := os.Stat(program)
		if err == nil {
			err = errors.New(program + " is no program")
		}
		return "", err
	}
	for _, entry := range env {
		name, dirs, _ := strings.Cut(entry, "=")
		if !strings.EqualFold(name, "PATH") {
			continue
		}
		for _, dir := range filepath.SplitList(dirs) {
			if path := executable(filepath.Join(dir, program)); filepath.IsAbs(dir) && path != "" {
				return path, nil
			}
		}
	}
	return "", errors.New(program + " is not found in its PATH")
}

// executable is the file that a name of a program stands for; "" for none.
func executable(name string) string {
	endings := []string{".exe", ".com", ".cmd", ".bat"}
	for _, ending := range endings {
		if strings.EqualFold(filepath.Ext(name), ending) {
			endings = []string{""}
			break
		}
	}
	for _, ending := range endings {
		if info, err := os.Stat(name + ending); err == nil && info.Mode().IsRegular() {
			return name + ending
		}
	}
	return ""
}

func isBatch(path string) bool {
	ending := filepath.Ext(path)
	return strings.EqualFold(ending, ".cmd") || strings.EqualFold(ending, ".bat")
}
