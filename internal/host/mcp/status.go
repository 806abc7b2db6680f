package mcp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

// unreadable is the state of a run whose files tell nothing.
const unreadable = "unreadable"

// stateOf is how a run stands in a word.
func stateOf(s status.Status) string {
	switch {
	case s.Status == status.Paused:
		return "waiting for the person"
	case s.Status == "running" && s.Paused != "":
		return "paused"
	case s.IsUnattended():
		return "stopped"
	}
	return s.Status
}

// needs is what the run wants of the person; "" for nothing.
func needs(s status.Status) string {
	switch {
	case s.Asking != nil:
		return fmt.Sprintf("%s. Only the person answers, in a terminal: council resume %s", strings.TrimSuffix(s.Asking.Reason, "."), s.ID)
	case stateOf(s) == "paused":
		return s.Paused
	case stateOf(s) == "stopped":
		return fmt.Sprintf("nobody works on the run any more. The person lets it go on in a terminal (council resume %s), or it is ended with cancel", s.ID)
	}
	return ""
}

// ids are the runs of the project that are this user's own, the newest first.
func (s *Server) ids() []string {
	all, err := workspace.List(s.Project)
	if err != nil {
		return nil // there is no folder of runs to be read
	}
	all = slices.DeleteFunc(all, func(id string) bool { return runs.CheckOwn(s.Project, id) != nil })
	slices.Reverse(all)
	return all
}

// statusOf is how far a run is. One that cannot be read is told as that.
func (s *Server) statusOf(id string) status.Status {
	st, err := runs.Status(s.Project, id)
	if err != nil {
		return status.Status{ID: id, Status: unreadable, Reason: err.Error()}
	}
	if st.Status == "running" && st.Supervisor == 0 && s.now().Sub(st.At).Abs() < starting {
		st.Supervisor = os.Getpid() // one is about to take it up
	}
	return st
}

// starting is how long after a run's last fact a supervisor may be on its way.
const starting = 5 * time.Second

// open are the runs under way, the newest first.
func (s *Server) open() []status.Status {
	var list []status.Status
	for _, id := range s.ids() {
		if st := s.statusOf(id); st.IsOpen() {
			list = append(list, st)
		}
	}
	return list
}

// pick is the run a call means: the one it names, or the one that is clear without.
func (s *Server) pick(word string) (string, error) {
	ids := s.ids()
	if word != "" {
		if !workspace.ValidID(word) || !slices.Contains(ids, word) {
			return "", fmt.Errorf("there is no run %q in %s; there are %s", plain.Line(word, 60), s.Project, named(ids))
		}
		return word, nil
	}
	open := s.open()
	s.mu.Lock()
	begun := s.begun
	s.mu.Unlock()
	switch {
	case len(ids) == 0:
		return "", fmt.Errorf("no run in %s; plan_council is how one begins", s.Project)
	case slices.ContainsFunc(open, func(x status.Status) bool { return x.ID == begun }):
		return begun, nil
	case len(open) == 1:
		return open[0].ID, nil
	case len(open) == 0 && len(ids) == 1:
		return ids[0], nil
	case len(open) == 0 && begun != "":
		return begun, nil
	}
	return "", fmt.Errorf("say which run is meant; there are %s", named(ids))
}

func named(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	text := strings.Join(ids[:min(len(ids), 5)], ", ")
	if len(ids) > 5 {
		text += fmt.Sprintf(" and %d more (list_runs)", len(ids)-5)
	}
	return text
}

type runArgs struct {
	Run string `json:"run"`
}

// brief is a run in a list.
type brief struct {
	Run      string `json:"run"`
	State    string `json:"state"`
	Question string `json:"question"`
	Began    string `json:"began,omitempty"`
	Cost     string `json:"cost,omitempty"`
	Here     bool   `json:"begun_here,omitempty"` // by this client
	Reason   string `json:"reason,omitempty"`
}

// seatNow is a seat of a run and what it does.
type seatNow struct {
	Name  string `json:"name"`
	Role  string `json:"role,omitempty"`
	State string `json:"state"`
	At    int    `json:"iteration"`
	Of    int    `json:"iterations"`
	Idle  int    `json:"idle_seconds,omitempty"` // since its last sign of life
	Says  string `json:"says,omitempty"`
}

// statusResult is a run, or several in brief.
type statusResult struct {
	Says     string       `json:"says"`
	Run      string       `json:"run,omitempty"`
	State    string       `json:"state,omitempty"`
	Question string       `json:"question,omitempty"`
	Phase    string       `json:"phase,omitempty"`
	Step     int          `json:"step,omitempty"`
	Steps    int          `json:"steps,omitempty"`
	Began    string       `json:"began,omitempty"`
	Elapsed  int          `json:"elapsed_seconds,omitempty"`
	USD      *float64     `json:"cost_usd,omitempty"`
	Cost     string       `json:"cost,omitempty"`
	Seats    []seatNow    `json:"seats,omitempty"`
	Claims   *claim.Tally `json:"claims,omitempty"`
	Needs    string       `json:"needs_person,omitempty"`
	Reason   string       `json:"reason,omitempty"`
	Report   string       `json:"report,omitempty"`
	Folder   string       `json:"folder,omitempty"`
	TimedOut bool         `json:"timed_out,omitempty"`
	Runs     []brief      `json:"runs,omitempty"`
}

// status is the tool status.
func (s *Server) status(_ context.Context, _ *sdk.CallToolRequest, in runArgs) (*sdk.CallToolResult, statusResult, error) {
	id, err := s.pick(in.Run)
	switch {
	case err != nil && in.Run != "":
		return nil, statusResult{}, err
	case err != nil && len(s.ids()) == 0:
		return said(err.Error() + "\n"), statusResult{Says: err.Error()}, nil
	case err != nil:
		list, total, _ := s.briefs("", 10)
		text := listText(list)
		if more := total - len(list); more > 0 {
			text += fmt.Sprintf("and %d more: list_runs\n", more)
		}
		return said(text), statusResult{Says: fmt.Sprintf("%d runs; name the one that is meant", total), Runs: list}, nil
	}
	st := s.statusOf(id)
	if st.Status == unreadable {
		return nil, statusResult{}, fmt.Errorf("run %s cannot be read: %s; its files are left as they are, and `council verify %s` may tell more", id, st.Reason, id)
	}
	return said(s.tell(st)), s.result(st), nil
}

// tell is a run in words, with what may be done next.
func (s *Server) tell(st status.Status) string {
	return view.Text(st, s.now()) + next(st) + "\n"
}

// next is what may be done next about a run.
func next(st status.Status) string {
	switch want := needs(st); {
	case want != "":
		return "It needs the person: " + plain.Terminal(want)
	case st.IsOpen():
		return "It goes on by itself. Next: wait, or cancel to end it."
	case st.Report != "":
		return "It has ended. Next: report, then claims, passage, disputes."
	}
	return "It has ended without a report; claims shows what there is."
}

func (s *Server) result(st status.Status) statusResult {
	usd := math.Round(st.Spent.USD*1e6) / 1e6
	out := statusResult{
		Says: next(st), Run: st.ID, State: stateOf(st), Question: plain.Line(st.Topic, 400), Phase: st.Phase, Step: st.Step, Steps: st.Steps, Elapsed: int(max(0, view.Elapsed(st, s.now())).Seconds()),
		USD: &usd, Cost: view.Cost(st), Needs: needs(st), Reason: plain.Line(st.Reason, 400), Report: st.Report, Folder: st.Folder,
	}
	if !st.Began.IsZero() {
		out.Began = st.Began.UTC().Format(time.RFC3339)
	}
	for _, x := range st.Seats[:min(len(st.Seats), 24)] {
		seat := seatNow{Name: x.Name, Role: x.Role, State: x.State, At: x.Iteration, Of: x.Iterations, Says: plain.Line(x.Reason, 160)}
		if x.State == "running" {
			seat.Says = plain.Line(x.Activity, 160)
			if !x.Active.IsZero() {
				seat.Idle = int(max(0, s.now().Sub(x.Active)).Seconds())
			}
		}
		out.Seats = append(out.Seats, seat)
	}
	tally := st.Recorded()
	if st.Evidence != nil {
		tally = claim.Tally{Located: st.Evidence.Located, NotFound: st.Evidence.NotFound}
	}
	if tally != (claim.Tally{}) {
		out.Claims = &tally
	}
	return out
}

type listArgs struct {
	Cursor string `json:"cursor"`
	Limit  int    `json:"limit"`
}

type listResult struct {
	Runs  []brief `json:"runs"`
	Total int     `json:"total"`
	Next  string  `json:"next_cursor,omitempty"`
}

// Bounds of a list.
const (
	usualLimit = 20
	maxLimit   = 50
)

// pageSize is how many a page has.
func pageSize(limit int) int {
	if limit == 0 {
		return usualLimit
	}
	return min(limit, maxLimit)
}

// listRuns is the tool list_runs.
func (s *Server) listRuns(_ context.Context, _ *sdk.CallToolRequest, in listArgs) (*sdk.CallToolResult, listResult, error) {
	after, err := readCursor(in.Cursor, "runs")
	if err != nil {
		return nil, listResult{}, err
	}
	list, total, next := s.briefs(after, pageSize(in.Limit))
	out := listResult{Runs: list, Total: total}
	text := listText(list)
	if next != "" {
		out.Next = cursor("runs", next)
		text += fmt.Sprintf("%d runs in all; the next page: cursor %q\n", total, out.Next)
	}
	if total == 0 {
		text = fmt.Sprintf("no run in %s\n", s.Project)
	}
	return said(text), out, nil
}

// briefs are some runs after one, those under way first and then the newest.
func (s *Server) briefs(after string, most int) (list []brief, total int, next string) {
	var all []status.Status
	for _, id := range s.ids() {
		all = append(all, s.statusOf(id))
	}
	slices.SortStableFunc(all, func(a, b status.Status) int {
		return map[bool]int{true: 1}[b.IsOpen()] - map[bool]int{true: 1}[a.IsOpen()]
	})
	list = []brief{}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := 1 + slices.IndexFunc(all, func(x status.Status) bool { return x.ID == after })
	for _, x := range all[at:] {
		if len(list) == most {
			return list, len(all), list[len(list)-1].Run
		}
		one := brief{Run: x.ID, State: stateOf(x), Question: plain.Line(x.Topic, 160), Here: x.ID == s.begun, Reason: plain.Line(x.Reason, 160)}
		if !x.Began.IsZero() {
			one.Began, one.Cost = x.Began.UTC().Format(time.RFC3339), view.Price(x)
		}
		list = append(list, one)
	}
	return list, len(all), ""
}

func listText(list []brief) string {
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "%s  %s  %s  “%s”", r.Run, strings.ReplaceAll(r.State, "_", " "), r.Cost, r.Question)
		if r.Here {
			b.WriteString("  (begun from here)")
		}
		if r.State == unreadable {
			b.WriteString("  " + r.Reason)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Times of waiting.
const (
	usualWait  = 45 * time.Second // what every host lets a call take
	maxWait    = 10 * time.Minute
	lookEvery  = 500 * time.Millisecond
	tellAfter  = time.Second // a change is told at the soonest
	tellAtMost = 10 * time.Second
)

type waitArgs struct {
	Run     string   `json:"run"`
	Seconds *float64 `json:"seconds"`
}

// wait is the tool wait.
func (s *Server) wait(ctx context.Context, req *sdk.CallToolRequest, in waitArgs) (*sdk.CallToolResult, statusResult, error) {
	id, err := s.pick(in.Run)
	if err != nil {
		return nil, statusResult{}, err
	}
	long := usualWait
	if in.Seconds != nil {
		long = min(time.Duration(*in.Seconds*float64(time.Second)), maxWait)
	}
	st, over := s.await(ctx, id, long, newProgress(ctx, req))
	switch {
	case ctx.Err() != nil:
		return nil, statusResult{}, fmt.Errorf("stopped waiting; run %s goes on as before", id)
	case st.Status == unreadable:
		return nil, statusResult{}, errors.New(st.Reason)
	}
	out, text := s.result(st), s.tell(st)
	if !over {
		out.TimedOut = true
		out.Says = fmt.Sprintf("Run %s is still running after %s of waiting; call wait again.", id, view.FormatDuration(long))
		if in.Seconds != nil && *in.Seconds > maxWait.Seconds() {
			out.Says += fmt.Sprintf(" One call waits %s at most.", view.FormatDuration(maxWait))
		}
		text = out.Says + "\n" + text
	}
	return said(text), out, nil
}

// await waits until a run has ended or needs the person, or for so long.
func (s *Server) await(ctx context.Context, id string, long time.Duration, p *progress) (st status.Status, over bool) {
	enough := time.After(long)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		st = s.statusOf(id)
		if !st.IsOpen() || needs(st) != "" {
			return st, true
		}
		p.tell(st)
		select {
		case <-ctx.Done():
			return st, false
		case <-enough:
			return st, false
		case <-look.C:
		}
	}
}

// progress tells a client that has asked for it how far a run is.
type progress struct {
	send  func(done, of float64, text string)
	step  int // of the run, which never goes back here
	tells int // in this step
	last  string
	at    time.Time
}

func newProgress(ctx context.Context, req *sdk.CallToolRequest) *progress {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return &progress{send: func(done, of float64, text string) {
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: of, Message: text}) // a client that is gone is told nothing
	}}
}

// tell tells of a change, and from time to time that there is none. What is told always
// grows: within a step by parts of it.
func (p *progress) tell(s status.Status) {
	if p == nil {
		return
	}
	text := progressText(s)
	if since := time.Since(p.at); since < tellAfter || text == p.last && since < tellAtMost {
		return
	}
	if s.Step > p.step {
		p.step, p.tells = s.Step, 0
	}
	p.tells++
	p.last, p.at = text, time.Now()
	p.send(max(0, float64(p.step)-1)+float64(p.tells)/float64(p.tells+1), float64(max(s.Steps, p.step)), text)
}

func progressText(s status.Status) string {
	parts := []string{view.Place(s)}
	if text := view.ClaimsText(s); text != "" {
		parts = append(parts, "claims: "+text)
	}
	n := 0
	for _, x := range s.Seats {
		if x.State == "running" {
			n++
		}
	}
	if n > 0 {
		parts = append(parts, plural.Of(n, "seat")+" at work")
	}
	return plain.Line(strings.Join(parts, "; "), 300)
}
