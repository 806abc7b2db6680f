package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/sessionloop"
)

// loopSeat is what the loop's hook is told of the seat it belongs to.
type loopSeat struct {
	report, state, open string // paths
	maxIterations       int    // iterations
}

const (
	defaultIterations = 10
	maxTailBytes      = 4 << 10  // bytes of a report's end that may bear the mark
	maxReportBytes    = 16 << 20 // bytes of a report whose code fences are followed
)

// loopHook lets a seat end its turn, or sends it back to its report. Without a
// durable count there is no further turn: a loop nobody counts has no end.
func loopHook(args []string, stdin io.Reader, stdout, stderr io.Writer) {
	gemini := args[1] == "after-agent"
	defer func() {
		if recover() != nil {
			warn(stderr, "fault in the hook; the seat is let go")
			letGo(stdout, gemini)
		}
	}()
	call, whole := hook.Decode(stdin)
	gemini = gemini || call.Gemini || call.Event == "AfterAgent"
	if !whole {
		warn(stderr, "the host's input is no JSON object; the seat is let go")
		letGo(stdout, gemini)
		return
	}
	s := parseSeat(args[2:], stderr)
	n := s.nextIteration(stderr)
	switch {
	case n == 0:
		letGo(stdout, gemini)
	case gemini:
		_, _ = stdout.Write(hook.Deny(s.reason(), s.screenText(n)))
	default:
		_, _ = stdout.Write(hook.Block(s.reason(), s.screenText(n)))
	}
}

// letGo ends a turn: by silence, but Gemini CLI is told.
func letGo(stdout io.Writer, gemini bool) {
	if gemini {
		_, _ = stdout.Write(hook.Allow())
	}
}

func parseSeat(args []string, stderr io.Writer) loopSeat {
	s := loopSeat{report: os.Getenv("RESEARCH_REPORT_PATH"), state: os.Getenv("RESEARCH_STATE_PATH"), maxIterations: defaultIterations}
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
			warn(stderr, "no option is called "+strings.ToValidUTF8(args[i], "?"))
		}
	}
	if n, err := strconv.Atoi(most); err == nil && n > 0 {
		s.maxIterations = n
	}
	return s
}

// nextIteration is the number of the iteration that is to begin; 0 lets the seat go.
func (s loopSeat) nextIteration(stderr io.Writer) int {
	if s.report == "" || s.state == "" {
		warn(stderr, "no report or no state file is named; the seat is let go")
		return 0
	}
	if s.isReportComplete() || s.isStopWanted() {
		return 0
	}
	n, err := count(s.state, s.maxIterations)
	if err != nil {
		warn(stderr, "the iteration cannot be counted; the seat is let go")
		return 0
	}
	return n
}

// isStopWanted reports whether the supervisor wants no more, by a file beside the
// state file.
func (s loopSeat) isStopWanted() bool {
	_, err := os.Lstat(filepath.Join(filepath.Dir(s.state), "enough"))
	return err == nil
}

// isReportComplete reports whether the report is marked complete. It is read as a whole
// only when its end bears the mark. An answer that is one JSON object bears none, and
// is done once it is whole: the supervisor says what is wrong with it. What cannot be
// read is not done: the count bounds the loop.
func (s loopSeat) isReportComplete() bool {
	f, size, err := openRegular(s.report)
	if err != nil {
		return false
	}
	defer f.Close()
	if s.isAnswer() {
		_, whole := hook.Decode(io.LimitReader(f, maxReportBytes))
		return whole
	}
	tail, err := readAt(f, max(0, size-maxTailBytes), maxTailBytes)
	if err != nil || !marker.EndsMarked(tail) {
		return false
	}
	if size > maxReportBytes {
		return true
	}
	whole, err := readAt(f, 0, size)
	return err == nil && marker.IsComplete(whole)
}

// openRegular opens a file and nothing else: a named pipe would hold the hook,
// and with it a host, for ever.
func openRegular(path string) (*os.File, int64, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|disk.NoWait, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("no regular file")
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func readAt(f *os.File, from, most int64) ([]byte, error) {
	data := make([]byte, most)
	n, err := f.ReadAt(data, from)
	if err == io.EOF {
		err = nil
	}
	return data[:n], err
}

// count raises the iteration in the state file by one, durably and under a
// lock, and returns it; 0 when the most has been reached.
func count(path string, most int) (int, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|disk.NoLink, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := sessionloop.Lock(f, lockWait); err != nil {
		return 0, err
	}
	text, err := readAt(f, 0, maxCountBytes)
	if err != nil {
		return 0, err
	}
	now, err := strconv.Atoi(strings.TrimSpace(string(text)))
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
	if len(text) > len(next) {
		if err := f.Truncate(int64(len(next))); err != nil {
			return 0, err
		}
	}
	return now + 1, datasync(f)
}

const (
	maxCountBytes = 32              // bytes of the state file that may hold the number
	lockWait      = 3 * time.Second // Gemini CLI ends no hook that hangs
)

// isAnswer reports whether what is asked for is one JSON object, and no report.
func (s loopSeat) isAnswer() bool { return filepath.Ext(s.report) == ".json" }

func (s loopSeat) reason() string {
	if s.isAnswer() {
		return "There is no whole JSON object in " + s.report + " yet. Write your answer there, as you were told at the start."
	}
	text := "Continue researching. Read your report, find its gaps and what is thin or unproven, and deepen it."
	if s.hasOpenQuestions() {
		text += " " + s.open + " lists the citations that failed and the questions still open."
	}
	return text + " End it with " + marker.CompleteMarker + " as the last line only when it is truly comprehensive."
}

func (s loopSeat) hasOpenQuestions() bool {
	info, err := os.Lstat(s.open)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

func (s loopSeat) screenText(n int) string {
	return "Research iteration " + strconv.Itoa(n) + "/" + strconv.Itoa(s.maxIterations)
}
