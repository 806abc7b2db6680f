package mcp

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/control"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

// Bounds of plans.
const (
	planLife   = time.Hour // prices, logins and limits change
	maxPlans   = 32        // of more the oldest is forgotten
	maxTries   = 5         // of a code that is not a plan's
	leastUSD   = 0.01      // starts one turn of the cheapest model
	mostUSD    = 1000      // a slip of units is no wish
	shownTopic = 1500      // bytes of a question in a plan
)

// planned is a run that waits for a yes.
type planned struct {
	setup   flow.Setup
	request request.Request
	code    string
	made    time.Time
	tries   int
	void    string // why it can be begun no more; "" where it can
	begun   bool
}

// plans are those of one client, by the id their run would have. They are in memory
// alone: what is on disk a seat or the session could read.
type plans struct {
	mu    sync.Mutex
	byID  map[string]*planned
	order []string // the oldest first
}

func (p *plans) keep(one *planned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID == nil {
		p.byID = map[string]*planned{}
	}
	p.byID[one.setup.ID] = one
	if p.order = append(p.order, one.setup.ID); len(p.order) > maxPlans {
		delete(p.byID, p.order[0])
		p.order = p.order[1:]
	}
}

// claim is the plan that a code is good for, or why it is good for none. Whoever guesses
// voids the plan.
func (p *plans) claim(id, code string, now time.Time) (*planned, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.byID[id]
	switch {
	case one == nil:
		return nil, errors.New("there is no such plan here; call plan_council again with the question, and show its plan to the person")
	case subtle.ConstantTimeCompare([]byte(one.code), []byte(code)) != 1:
		if one.tries++; one.tries >= maxTries && !one.begun {
			one.void = "too many wrong codes were tried"
		}
		return nil, fmt.Errorf("this is not the code of plan %s, and nothing began; use the code that came with that very plan, after the person has said yes to it", id)
	case one.begun:
		return one, nil
	case one.void != "":
		return nil, fmt.Errorf("plan %s is void: %s; plan again with plan_council", id, one.void)
	case now.Sub(one.made) > planLife:
		return nil, fmt.Errorf("plan %s is too old: it was made %s ago and is good for %s; plan again with plan_council", id, view.FormatDuration(now.Sub(one.made)), view.FormatDuration(planLife))
	}
	return one, nil
}

type planArgs struct {
	Question string   `json:"question"`
	Scope    string   `json:"scope"`
	Seats    []string `json:"seats"`
	Tier     string   `json:"tier"`
	USD      *float64 `json:"max_usd"`
	Minutes  int      `json:"max_minutes"`
	Web      bool     `json:"web"`
}

// limits are those of a planned run; what is not there is not limited.
type limits struct {
	USD     float64 `json:"usd,omitempty"`
	Minutes float64 `json:"minutes,omitempty"`
	Turns   int     `json:"turns"`
}

func (l limits) String() string {
	money := "no limit in money"
	if l.USD > 0 {
		money = "at most " + view.Dollars(l.USD)
	}
	if l.Minutes > 0 {
		money += ", " + view.FormatDuration(time.Duration(l.Minutes*float64(time.Minute)))
	}
	return money + ", " + plural.Of(l.Turns, "turn")
}

type planResult struct {
	Says     string   `json:"says"`
	Plan     string   `json:"plan"`
	Code     string   `json:"code"`
	Expires  string   `json:"expires"`
	Question string   `json:"question"`
	Seats    []string `json:"seats"`
	Missing  []string `json:"missing,omitempty"`
	Scope    string   `json:"scope,omitempty"`
	Estimate []string `json:"estimate"`
	Limits   limits   `json:"limits"`
	Notes    []string `json:"notes,omitempty"`
	Running  []string `json:"running,omitempty"`
}

// plan is the tool plan_council.
func (s *Server) plan(_ context.Context, _ *sdk.CallToolRequest, in planArgs) (*sdk.CallToolResult, planResult, error) {
	req, err := s.request(in)
	if err != nil {
		return nil, planResult{}, err
	}
	setup, err := prepare.Council(s.Env, s.Project, req)
	if err != nil {
		return nil, planResult{}, err
	}
	one := &planned{setup: setup, request: req, code: rand.Text(), made: s.now()}
	s.plans.keep(one)
	out := s.planResult(one)
	out.Says = out.text(s, setup)
	return said(out.Says), out, nil
}

// request is what the arguments ask for, held to what a client may.
func (s *Server) request(in planArgs) (request.Request, error) {
	none := request.Request{}
	if err := s.checkProject(); err != nil {
		return none, err
	}
	if err := checkQuestion(in.Question); err != nil {
		return none, err
	}
	conf, err := s.Env.Config()
	if err != nil {
		return none, err
	}
	req := request.Request{Topic: in.Question, Scope: in.Scope, Seats: in.Seats, Tier: in.Tier, Minutes: in.Minutes, Web: in.Web}
	if strings.ContainsRune(in.Scope, 0) {
		return none, errors.New("scope: name a folder of the project")
	}
	if most := conf.Limits.Minutes; most > 0 && in.Minutes > most {
		return none, fmt.Errorf("max_minutes: a client may set at most the %d of the configuration; the person raises limits.minutes there (`council config path`)", most)
	}
	if in.USD == nil {
		return req, nil
	}
	most := conf.Limits.USD
	if most == 0 {
		most = mostUSD
	}
	switch req.USD = *in.USD; {
	case !(req.USD >= leastUSD) || math.IsInf(req.USD, 0):
		return none, fmt.Errorf("max_usd: nothing can be done for less than %s; leave it out for the limit of the configuration", view.Dollars(leastUSD))
	case req.USD > most:
		return none, fmt.Errorf("max_usd: a client may set at most %s; the person raises limits.usd in the configuration (`council config path`)", view.Dollars(most))
	}
	return req, nil
}

// checkProject says why no run can be begun, or nil.
func (s *Server) checkProject() error {
	if s.Unfit != "" {
		return errors.New(s.Unfit)
	}
	dir := filepath.Join(s.Project, workspace.Runs)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		dir = s.Project // it is made there
	}
	if err := disk.CheckWritable(dir); err != nil {
		return fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	return nil
}

// checkQuestion refuses what no person would ask, or would see otherwise than the seats do.
func checkQuestion(q string) error {
	if err := request.CheckTopic(q); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), request.NeedHuman+": "))
	}
	lines := strings.ReplaceAll(q, "\r\n", "\n")
	switch {
	case plain.Text(lines) != lines:
		return errors.New("the question has control characters, or characters that are never seen; send it without them")
	case strings.ContainsRune(q, '\ufffd'):
		return errors.New("the question has a character that was not valid text (U+FFFD); send the person's own words")
	case !strings.ContainsFunc(q, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }):
		return errors.New("the question has no words; ask the person what to find out")
	}
	return nil
}

func (s *Server) planResult(one *planned) planResult {
	setup := one.setup
	f := runs.Forecast(setup)
	p := view.NewPlannedRun(setup, f)
	out := planResult{
		Plan: setup.ID, Code: one.code, Expires: one.made.Add(planLife).UTC().Format(time.RFC3339), Question: shortened(setup.Topic),
		Seats: p.Seats, Missing: p.Missing, Scope: setup.Scope, Estimate: view.Forecast(f),
		Limits: limits{USD: setup.Limits.USD, Minutes: setup.Limits.Time.Minutes(), Turns: setup.Limits.Turns},
		Notes:  append(slices.Clone(p.Warnings), p.Lowered...),
	}
	if note := prepare.LimitNote(setup); note != "" {
		out.Notes = append(out.Notes, note)
	}
	if families(setup) < 2 {
		out.Notes = append(out.Notes, "fewer than two families of models take part: nobody independent votes on what is claimed")
	}
	for _, x := range s.open() {
		out.Running = append(out.Running, fmt.Sprintf("run %s is %s here already, at %s: %s", x.ID, stateOf(x), view.Price(x), plain.Line(x.Topic, 120)))
	}
	return out
}

// families counts those whose models take part.
func families(setup flow.Setup) int {
	brands := map[string]bool{}
	for _, seat := range setup.Seats {
		if seat.HasModel() {
			brands[seat.Brand] = true
		}
	}
	return len(brands)
}

// shortened is a long question by its head and its tail.
func shortened(q string) string {
	if len(q) <= shownTopic {
		return q
	}
	tail := q[runeStart(q, len(q)-shownTopic/3):]
	return fmt.Sprintf("%s\n[… %d bytes in all; all of it is researched …]\n%s", q[:runeStart(q, shownTopic*2/3)], len(q), tail)
}

// runeStart is the place at or before another at which a character begins.
func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && text[at]&0xc0 == 0x80 {
		at--
	}
	return at
}

// text is a plan as the person is to see it.
func (p planResult) text(s *Server, setup flow.Setup) string {
	var b strings.Builder
	b.WriteString("A plan. Nothing has begun and nothing is spent.\n")
	for _, r := range p.Running {
		b.WriteString("note     " + r + "\n")
	}
	b.WriteString(p.shown(s, setup))
	fmt.Fprintf(&b, "\nShow the person this whole plan. When they have said yes to it, call start_council with plan %q and code %q: good once, until %s. If they want it otherwise, plan again.\n", p.Plan, p.Code, p.Expires)
	return b.String()
}

// shown is what of a plan a yes is about.
func (p planResult) shown(s *Server, setup flow.Setup) string {
	var b strings.Builder
	fmt.Fprintf(&b, "question %s\n", p.Question)
	text := view.Plan(setup, runs.Forecast(setup))
	for line := range strings.Lines(text) {
		b.WriteString(s.inWords(line))
	}
	fmt.Fprintf(&b, "limits   %s\n", p.Limits)
	for _, n := range p.Notes {
		if !strings.Contains(text, plain.Terminal(n)) {
			fmt.Fprintf(&b, "note     %s\n", n)
		}
	}
	fmt.Fprintf(&b, "project  %s\n", s.Project)
	return bounded(b.String(), maxText-1500)
}

type startArgs struct {
	Plan string `json:"plan"`
	Code string `json:"code"`
}

type startResult struct {
	Says    string `json:"says"`
	Run     string `json:"run"`
	Folder  string `json:"folder"`
	Already bool   `json:"already,omitempty"`
}

// start is the tool start_council.
func (s *Server) start(_ context.Context, req *sdk.CallToolRequest, in startArgs) (*sdk.CallToolResult, startResult, error) {
	one, err := s.plans.claim(in.Plan, in.Code, s.now())
	if err != nil {
		return nil, startResult{}, err
	}
	if !one.begun && canAsk(req) {
		question := s.planResult(one).shown(s, one.setup) + "\nBegin this council? It goes on by itself and costs what it costs, up to its limits."
		word, ask := s.asked.answer(req, "start "+one.setup.ID, question, "Begin it")
		switch {
		case ask != nil:
			return ask, startResult{}, nil
		case word == no:
			s.plans.end(one, "the person has said no to it")
			return nil, startResult{}, errors.New("the person has said no, and nothing began; do not ask again unless they bring it up")
		case word != agreed:
			return nil, startResult{}, errors.New("the person has not said yes, and nothing began: " + notAsked)
		}
	}
	s.steering.Lock()
	defer s.steering.Unlock()
	return s.begin(one)
}

// begin begins a planned run once, as it was planned.
func (s *Server) begin(one *planned) (*sdk.CallToolResult, startResult, error) {
	out := startResult{Run: one.setup.ID, Folder: filepath.Join(s.Project, workspace.Runs, one.setup.ID), Already: one.begun}
	if one.begun {
		out.Says = fmt.Sprintf("Run %s has begun already, and nothing new has; see status.\n", out.Run)
		return said(out.Says), out, nil
	}
	if why := s.changed(one); why != "" {
		s.plans.end(one, why)
		return nil, out, fmt.Errorf("nothing began: since the plan was made %s; plan again with plan_council and show the person the new plan", why)
	}
	err := control.Begin(s.Env, one.setup)
	if runs.CheckOwn(s.Project, one.setup.ID) == nil {
		s.plans.begin(one)
		s.mu.Lock()
		s.begun = out.Run
		s.mu.Unlock()
	}
	if err != nil {
		return nil, out, err
	}
	out.Says = fmt.Sprintf("Run %s has begun and goes on by itself, also without this session.\nFiles: %s\nNow: wait (again and again) or status, cancel to end it; then report.\n", out.Run, out.Folder)
	return said(out.Says), out, nil
}

func (p *plans) end(one *planned, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one.void = why
}

func (p *plans) begin(one *planned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one.begun = true
}

// changed is what is not any more as it was planned; "" where all is.
func (s *Server) changed(one *planned) string {
	again, err := prepare.Council(s.Env, s.Project, one.request)
	if err != nil {
		return "it cannot be prepared any more (" + err.Error() + ")"
	}
	again.ID = one.setup.ID
	if reflect.DeepEqual(again, one.setup) {
		return ""
	}
	was, is := view.SeatNames(one.setup), view.SeatNames(again)
	if was != is {
		text := fmt.Sprintf("who can take part has changed: it was %s, it is %s", was, is)
		for _, m := range again.Missing {
			text += fmt.Sprintf("; %s: %s", m.Seat, m.Reason)
		}
		return text
	}
	return "configuration or environment have changed"
}
