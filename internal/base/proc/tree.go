package proc

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrHidden says that the system does not show us its processes, so that none can
// be told from another that has its number later.
var ErrHidden = errors.New("/proc is not mounted, by which processes are told apart")

// processState is what we read of a process.
type processState struct {
	Identity
	parent   int
	ended    bool  // it has ended and waits to be reaped
	resident int64 // bytes of memory it holds; 0 where that is not told
}

// tree is a set of processes that are ended together: those it was given or
// that bear its mark, and all that comes of them while it is looked at. Its
// members stay members when their parent dies.
type tree struct {
	mark  string         // see bears; "" for none
	known map[int]string // start times by pid
}

func newTree(mark string, roots ...Identity) *tree {
	t := &tree{mark: mark, known: map[int]string{}}
	for _, id := range roots {
		t.known[id.PID] = id.Start
	}
	return t
}

// Size is how many processes a child and what came of it are now, and how many
// bytes of memory they hold together, where the system tells. What several share
// is counted for each.
func (p *Process) Size() (processes int, memory int64, err error) {
	t := newTree("", p.child)
	living, _, err := t.refresh()
	if err != nil {
		return 0, 0, err
	}
	for _, id := range living {
		if s, err := readProcess(id.PID); err == nil { // else it has ended meanwhile
			memory += s.resident
		}
	}
	return len(living), memory, nil
}

// refresh takes in what has come of the tree since the last look. It lists who
// lives, and tells whether any of them is new. We ourselves are never in the
// list: who ends a tree from within goes on to the end.
func (t *tree) refresh() (living []Identity, fresh bool, err error) {
	all, err := processes()
	if err != nil {
		return nil, false, wrapError("list processes", err)
	}
	me := os.Getpid()
	children, next := map[int][]processState{}, []processState(nil)
	for _, s := range all {
		children[s.parent] = append(children[s.parent], s)
		if t.known[s.PID] == s.Start || !s.ended && t.mark != "" && hasMark(s.PID, t.mark) {
			next = append(next, s)
		}
	}
	now := map[int]string{}
	for ; len(next) > 0; next = next[1:] {
		s := next[0]
		if _, seen := now[s.PID]; seen {
			continue
		}
		now[s.PID] = s.Start
		next = append(next, children[s.PID]...)
		if s.PID != me && !s.ended {
			living, fresh = append(living, s.Identity), fresh || t.known[s.PID] != s.Start
		}
	}
	t.known = now
	return living, fresh, nil
}

const (
	// killTimeout is how long we go on killing: who is still there hangs in the
	// system or has another user's rights.
	killTimeout = 5 * time.Second
	// killInterval is the time between two looks at a tree that is ending.
	killInterval = 2 * time.Millisecond
)

// end ends the tree: TERM and grace, unless that is 0 or nothing can be asked to
// end here, then KILL until nobody is left.
func (t *tree) end(grace time.Duration) error {
	if grace > 0 && canAsk {
		if err := t.terminate(); err != nil {
			return err
		}
		for until := time.Now().Add(grace); time.Now().Before(until); time.Sleep(killInterval) {
			if living, _, err := t.refresh(); err != nil || len(living) == 0 {
				return err
			}
		}
	}
	_, err := t.finish()
	return err
}

// finish kills until nobody is left, and returns who was ended.
func (t *tree) finish() ([]Identity, error) {
	ended := map[Identity]struct{}{}
	for until := time.Now().Add(killTimeout); ; time.Sleep(killInterval) {
		killed, err := t.kill()
		for _, id := range killed {
			ended[id] = struct{}{}
		}
		if err == nil && len(killed) > 0 && time.Now().After(until) {
			err = notEndingError(killed)
		}
		if err != nil || len(killed) == 0 {
			return slices.Collect(maps.Keys(ended)), err
		}
	}
}

func notEndingError(left []Identity) error {
	pids := make([]string, len(left))
	for i, id := range left {
		pids[i] = strconv.Itoa(id.PID)
	}
	return errors.New("processes that do not end: " + strings.Join(pids, " "))
}

// Self names this process.
func Self() (Identity, error) { return Identify(os.Getpid()) }

// Identify names the process that has a pid now.
func Identify(pid int) (Identity, error) {
	s, err := readProcess(pid)
	if err != nil {
		return Identity{}, wrapError("identify process "+strconv.Itoa(pid), err)
	}
	return s.Identity, nil
}

// Alive reports whether the process is still there; a stopped one is, one that
// has ended and only waits to be reaped is not.
func (id Identity) Alive() bool {
	s, err := readProcess(id.PID)
	return err == nil && !s.ended && s.Identity == id
}

// EndIdentity ends a process and its tree, if it is still that process: TERM
// and grace first, unless that is 0, then KILL until nobody is left.
func EndIdentity(id Identity, grace time.Duration) error {
	if !id.Alive() {
		return nil
	}
	return newTree("", id).end(grace)
}

// EndMarked ends every process of this user that was started with a mark in its
// environment, and all that has come of it, until nobody is left, and returns
// whom it ended. The mark is an entry as Spec's Mark, or the beginning of such
// entries up to a slash: NAME=run finds NAME=run/turn, but not NAME=run2.
func EndMarked(mark string) ([]Identity, error) {
	if !strings.Contains(strings.Trim(mark, "="), "=") {
		return nil, errors.New("sweep: no mark is given")
	}
	ended, err := newTree(mark).finish()
	if err != nil {
		return ended, wrapError("sweep", err)
	}
	return ended, nil
}

// Within tells whether this process, or one it comes from, was started with a
// mark, as Sweep understands it, or is one of those named. The keeper of a
// child bears its mark too, out of the child's reach, and adopts whoever leaves
// the child's tree, so that clearing the environment or leaving the tree does
// not lead out. It cannot be told of a process whose keeper was killed, nor,
// on systems without subreapers, of one that has left the tree and cleared its
// environment.
func Within(mark string, ids ...Identity) bool {
	pid := os.Getpid()
	for range mostAncestors {
		s, err := readProcess(pid)
		if err != nil {
			return false // another user's, or outside of what we see
		}
		if slices.Contains(ids, s.Identity) || mark != "" && hasMark(pid, mark) {
			return true
		}
		pid = s.parent
	}
	return false
}

// mostAncestors is more than any process has; parents that are read one after
// another, while pids are used again, could otherwise lead in a circle.
const mostAncestors = 1 << 10

// containsMark tells whether an environment, its entries ended by NULs, holds a mark
// as Sweep understands it.
func containsMark(environ, mark string) bool {
	for entry := range strings.SplitSeq(environ, "\x00") {
		rest, found := strings.CutPrefix(entry, mark)
		if found && (rest == "" || rest[0] == '/' || strings.HasSuffix(mark, "/")) {
			return true
		}
	}
	return false
}
