package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/runs"
)

// How a run under way is watched.
const (
	lookEvery  = 2 * time.Second  // how often its files are looked at
	tellEvery  = 30 * time.Second // something is said at least so often, by which a reader that is gone is seen
	mostEvents = 64               // readers at a time
	mostDrafts = 30               // claims that are shown as they come
	mostPoints = 240              // of the drawing of what was spent
	leftShare  = 1000             // of the time of each run one part in so many goes into what is left of it
	forgetted  = 10 * time.Minute // what nobody watches is forgotten
)

// point is what a run had cost at a time.
type point struct {
	at     time.Time
	usd    float64
	tokens int64
}

// watchers keep, for runs that are looked at while they go on, what has grown.
type watchers struct {
	seats chan struct{} // one for each reader of events
	mu    sync.Mutex
	runs  map[string]*watched
}

// watched is what has grown in one run.
type watched struct {
	mu     sync.Mutex
	looked time.Time
	tails  map[string]*proc.Tail // of the files of claims
	last   []recorded
	spent  []point

	journal runs.Follower
}

// recorded is a claim with what came of looking for its quotation when it was recorded.
type recorded struct {
	claim.Draft
	state claim.State
}

func newWatchers() *watchers {
	return &watchers{seats: make(chan struct{}, mostEvents), runs: map[string]*watched{}}
}

// of is what is kept of a run. What nobody has looked at for a while is let go of.
func (x *watchers) of(v *visit) *watched {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := v.now()
	for path, w := range x.runs {
		if path != v.folder.Path && now.Sub(w.looked) > forgetted {
			w.close()
			delete(x.runs, path)
		}
	}
	w := x.runs[v.folder.Path]
	if w == nil {
		w = &watched{tails: map[string]*proc.Tail{}, journal: runs.Follower{Project: v.project.Path, ID: v.id, Now: v.now, Share: leftShare}}
		x.runs[v.folder.Path] = w
	}
	w.looked = now
	return w
}

func (w *watched) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.tails {
		_ = t.Close() // it was opened to read
	}
	w.tails = map[string]*proc.Tail{}
}

// claims are those that seats have recorded last, the newest at the end.
func (x *watchers) claims(v *visit) []recorded {
	w := x.of(v)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range recordFiles(v.folder) {
		if w.tails[name] == nil {
			w.tails[name] = proc.NewTail(v.folder.Join(claim.Records, name))
		}
		lines, err := w.tails[name].Next()
		if err != nil || len(lines) == 0 {
			continue // it is looked at again
		}
		for _, line := range lines {
			var found struct{ State claim.State }
			_ = json.Unmarshal(line, &found) // what cannot be read is no claim either
			drafts, _ := claim.Decode(bytes.NewReader(line), strings.TrimSuffix(name, ".jsonl"), "")
			for _, d := range drafts {
				w.last = append(w.last, recorded{d, found.State})
			}
		}
	}
	w.last = w.last[max(0, len(w.last)-mostDrafts):]
	return w.last
}

// recordFiles are the files of what seats have claimed.
func recordFiles(f *workspace.Folder) []string {
	names, err := f.Names(claim.Records)
	if err != nil {
		return nil // nobody has recorded a claim
	}
	var list []string
	for _, name := range names {
		if strings.HasSuffix(name, ".jsonl") && !strings.HasSuffix(name, ".trials.jsonl") && !strings.HasSuffix(name, ".refused.jsonl") {
			list = append(list, name)
		}
	}
	return list
}

// points are what a run had cost from time to time: once out of its journal, then as its
// status tells.
func (x *watchers) points(v *visit) []point {
	w := x.of(v)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spent == nil {
		w.spent = spentByJournal(v)
	}
	s := v.status
	if n := len(w.spent); !s.At.IsZero() && (n == 0 || w.spent[n-1].at.Before(s.At)) {
		w.spent = append(w.spent, point{s.At, s.Spent.USD, s.Spent.Tokens})
	}
	if len(w.spent) > mostPoints { // every second one tells as much
		kept := w.spent[:0]
		for i, p := range w.spent {
			if i%2 == 0 || i == len(w.spent)-1 {
				kept = append(kept, p)
			}
		}
		w.spent = kept
	}
	return w.spent
}

func spentByJournal(v *visit) []point {
	events, err := supervisor.Facts(v.project.Path, v.id)
	if err != nil || len(events) == 0 {
		return []point{}
	}
	sum := point{at: events[0].At}
	list := []point{sum}
	for _, e := range events {
		if e.Result != nil && (e.Result.USD > 0 || e.Result.Tokens > 0) {
			sum.at, sum.usd, sum.tokens = e.At, sum.usd+e.Result.USD, sum.tokens+e.Result.Tokens
			list = append(list, sum)
		}
	}
	return list
}

// left is how long a run may yet take, by its own pace.
func (x *watchers) left(v *visit) forecast.Span {
	w := x.of(v)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.journal.Look(v.status)
	return w.journal.Left
}

// stream is an answer that goes on: events, as browsers read them.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// open begins a stream where there is room for one more reader; done gives the room back.
func (x *watchers) open(w http.ResponseWriter) (s stream, done func(), ok bool) {
	select {
	case x.seats <- struct{}{}:
	default:
		refuse(w, http.StatusServiceUnavailable, "too many pages are open that follow runs; close some")
		return s, nil, false
	}
	w.Header().Set("Content-Type", "text/event-stream")
	return stream{w, http.NewResponseController(w)}, func() { <-x.seats }, true
}

// tell sends one event; a reader that takes nothing for a while is gone.
func (s stream) tell(event, data string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "event: %s\n", event)
	for one := range strings.SplitSeq(strings.ReplaceAll(data, "\r", ""), "\n") {
		b.WriteString("data: " + one + "\n")
	}
	b.WriteString("\n")
	_ = s.control.SetWriteDeadline(time.Now().Add(20 * time.Second)) // a server that has none waits on
	if _, err := s.w.Write([]byte(b.String())); err != nil {
		return err
	}
	return s.control.Flush()
}

// follow looks again and again whether something is new, and tells it, until the reader
// is gone or look says that it was the last.
func follow(r *http.Request, look func(due bool) (over bool, err error)) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	told := time.Now()
	for {
		due := time.Since(told) >= tellEvery
		if due {
			told = time.Now()
		}
		if over, err := look(due); over || err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}

// serveEvents tells how the run stands whenever that has changed, and that it has ended.
func serveEvents(v *visit) error {
	s, done, ok := v.watch.open(v.w)
	if !ok {
		return nil
	}
	defer done()
	last := ""
	follow(v.r, func(due bool) (bool, error) {
		if v.project.checkRun(v.id) != nil {
			return true, s.tell("end", "gone")
		}
		now := v.signature()
		if now == last && !due {
			return false, nil
		}
		last = now
		st, err := v.library.status(v.project, v.id)
		if err != nil {
			return false, s.tell("wait", "") // it may be in the middle of a change
		}
		v.status = st
		if !st.IsOpen() {
			return true, s.tell("end", stateWord(st))
		}
		if err := s.tell("state", string(v.stateMarkup())); err != nil {
			return true, err
		}
		if st.Asking != nil {
			return false, s.tell("asks", st.Asking.Since.String())
		}
		return false, s.tell("standing", v.standing().String())
	})
	return nil
}

// signature changes when one of the files does that tell how the run stands.
func (v *visit) signature() string {
	var b strings.Builder
	for _, name := range append([]string{workspace.Status, "lease", "paused.txt"}, recordPaths(v.folder)...) {
		if info, err := os.Lstat(v.folder.Join(name)); err == nil {
			fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano())
		}
	}
	_, alive := supervisor.Alive(v.project.Path, v.id)
	fmt.Fprintln(&b, alive)
	return b.String()
}

func recordPaths(f *workspace.Folder) []string {
	names := recordFiles(f)
	for i := range names {
		names[i] = filepath.Join(claim.Records, names[i])
	}
	return names
}

// watchRuns tells the list of runs whenever one of them has changed.
func (s *Server) watchRuns(w http.ResponseWriter, r *http.Request) {
	out, done, ok := s.watch.open(w)
	if !ok {
		return
	}
	defer done()
	q, last := readRunsQuery(r.URL.Query()), ""
	follow(r, func(due bool) (bool, error) {
		all := s.library.all()
		var now strings.Builder
		for _, l := range all {
			fmt.Fprintln(&now, l.ID, stateWord(l.Status), l.Facts, l.Spent.Tokens, l.Phase)
		}
		if now.String() == last && !due {
			return false, nil
		}
		last = now.String()
		var m markup
		m.runsTable(s, all, q)
		return false, out.tell("standing", m.String())
	})
}
