package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"research-council/internal/hook"
	"research-council/internal/mark"
)

// seat is what the loop's hook is told of the seat it belongs to.
type seat struct {
	report, state, open string
	most                int
}

const (
	defaultIterations = 10
	mostTail          = 4 << 10 // bytes of a report's end that are looked at
)

// loopHook lets a seat end its turn, or sends it back to its report. Without a
// durable count there is no further turn: a loop nobody counts has no end.
func loopHook(args []string, stdin io.Reader, stdout, stderr io.Writer) {
	gemini := args[1] == "after-agent"
	defer func() {
		if recover() != nil && gemini {
			_, _ = stdout.Write(hook.Allow())
		}
	}()
	if !gemini {
		call, _ := hook.Decode(stdin)
		gemini = call.Gemini || call.Event == "AfterAgent"
	}
	n, open := goOn(seatOf(args[2:], stderr), stderr)
	switch {
	case n > 0 && gemini:
		_, _ = stdout.Write(hook.Deny(open.reason(), open.words(n)))
	case n > 0:
		_, _ = stdout.Write(hook.Block(open.reason(), open.words(n)))
	case gemini:
		_, _ = stdout.Write(hook.Allow())
	}
}

func seatOf(args []string, stderr io.Writer) seat {
	s := seat{report: os.Getenv("RESEARCH_REPORT_PATH"), state: os.Getenv("RESEARCH_STATE_PATH"), most: defaultIterations}
	most := os.Getenv("RESEARCH_MAX_ITERS")
	for i := 0; i+1 < len(args); i += 2 {
		switch args[i] {
		case "--report":
			s.report = args[i+1]
		case "--state":
			s.state = args[i+1]
		case "--max":
			most = args[i+1]
		case "--open":
			s.open = args[i+1]
		default:
			complain(stderr, "no option is called "+strings.ToValidUTF8(args[i], "?"))
		}
	}
	if n, err := strconv.Atoi(most); err == nil && n > 0 {
		s.most = n
	}
	return s
}

// goOn is the number of the iteration that is to begin; 0 lets the seat go.
func goOn(s seat, stderr io.Writer) (int, seat) {
	if s.report == "" || s.state == "" || done(s.report) {
		return 0, s
	}
	if _, err := os.Lstat(filepath.Join(filepath.Dir(s.state), "enough")); err == nil {
		return 0, s
	}
	n, err := count(s.state, s.most)
	if err != nil {
		complain(stderr, "the iteration cannot be counted; the seat is let go")
		return 0, s
	}
	return n, s
}

// done looks at the end of a report for the marker.
func done(report string) bool {
	f, err := os.Open(report)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	tail := make([]byte, mostTail)
	n, err := f.ReadAt(tail, max(0, info.Size()-mostTail))
	if err != nil && err != io.EOF {
		return false
	}
	return mark.Ends(tail[:n])
}

// count raises the iteration in the state file by one, durably and under a
// lock, and returns it; 0 when the most has been reached.
func count(path string, most int) (int, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	fd := int(f.Fd())
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		return 0, err
	}
	buf := make([]byte, 32)
	n, err := f.ReadAt(buf, 0)
	if err != nil && err != io.EOF {
		return 0, err
	}
	now, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil || now < 1 {
		now = 1
	}
	if now >= most {
		return 0, nil
	}
	next := strconv.Itoa(now+1) + "\n"
	if _, err := f.WriteAt([]byte(next), 0); err != nil {
		return 0, err
	}
	if n > len(next) {
		if err := f.Truncate(int64(len(next))); err != nil {
			return 0, err
		}
	}
	return now + 1, datasync(fd)
}

func (s seat) reason() string {
	text := "Continue researching. Read your report, find its gaps and what is thin or unproven, and deepen it."
	if s.open != "" && filled(s.open) {
		text += " " + s.open + " lists what has to be mended."
	}
	return text + " End it with <!-- RESEARCH_COMPLETE --> as the last line only when it is truly comprehensive."
}

func (s seat) words(n int) string {
	return "Research iteration " + strconv.Itoa(n) + "/" + strconv.Itoa(s.most)
}
