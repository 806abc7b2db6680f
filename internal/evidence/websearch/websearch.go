// Package websearch looks for pages: it asks the engines that somebody has set up, all
// at once and each at its pace, and makes one list of what they find.
//
// What it gives are leads, never evidence. An engine that fails is told with its
// reason, and the others answer all the same. What was asked and found is kept for a
// day in a folder, so that the same question to the same engine is paid once, however
// many seats ask it. A key goes to its engine's own address alone: no redirect is
// followed, and nothing of it stands in what is kept or said.
package websearch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// Asker asks a service of the web, as [archive.Services] do.
type Asker interface {
	Ask(ctx context.Context, c archive.Call) (archive.Reply, error)
	Postpone(ctx context.Context, address string, pause time.Duration) error
}

// Options say whom to ask and how.
type Options struct {
	Services []engine.Service
	Key      func(engine.Service) (string, error) // its key, "" for none; nil where none has one
	Web      Asker
	Folder   string           // where answers are kept; "" for nowhere
	Clock    func() time.Time // nil for the machine's
}

// Search asks engines. It may be used by many goroutines.
type Search struct {
	o       Options
	engines []asked
	keeping keeper
}

// asked is an engine and how it is reached.
type asked struct {
	engine.Engine
	engine.Service
}

// Open makes ready. An error names the service that cannot be asked.
func Open(o Options) (*Search, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	s := &Search{o: o, keeping: keeper{folder: o.Folder, clock: o.Clock}}
	for _, service := range o.Services {
		e, ok := engine.Named(service.Engine)
		if !ok {
			return nil, fmt.Errorf("there is no search engine %q; there are %s", service.Engine, strings.Join(engine.Names(), ", "))
		}
		if service.URL == "" {
			return nil, fmt.Errorf("search engine %s has no address", e.Name)
		}
		s.engines = append(s.engines, asked{e, service})
	}
	return s, nil
}

// Kinds are what can be searched, in the usual order.
func (s *Search) Kinds() []engine.Kind {
	return engine.KindsOf(s.o.Services)
}

// Question is what to look for.
type Question struct {
	Words string
	Kind  engine.Kind // "" leaves it to the program
	Limit int         // leads wanted at most
}

// Outcome is what came of one engine.
type Outcome struct {
	Engine  string  `json:"engine"`
	Leads   int     `json:"leads"`
	Kept    bool    `json:"kept,omitempty"` // from an answer of the same day
	USD     float64 `json:"usd,omitempty"`  // what the question has cost
	Problem string  `json:"problem,omitempty"`
}

// Answer is what was found.
type Answer struct {
	Leads    []Lead    `json:"leads"`
	Outcomes []Outcome `json:"outcomes"` // of the engines that were asked, in the order they are set up
}

// USD is what the question has cost.
func (a Answer) USD() (sum float64) {
	for _, o := range a.Outcomes {
		sum += o.USD
	}
	return sum
}

// maxTime bounds one question to all engines: who is not there by then is left out.
const maxTime = 25 * time.Second

// Find asks. It is an error where no engine can be asked, or none has answered.
func (s *Search) Find(ctx context.Context, q Question) (Answer, error) {
	chosen := s.choose(q)
	if len(chosen) == 0 {
		return Answer{}, fmt.Errorf("no engine that is set searches that; choose a kind: %s", joined(s.Kinds()))
	}
	timed, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	outcomes, lists := make([]Outcome, len(chosen)), make([][]engine.Lead, len(chosen))
	var all sync.WaitGroup
	for i, e := range chosen {
		all.Go(func() { outcomes[i], lists[i] = s.ask(timed, e, q) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return Answer{}, ctx.Err()
	}
	a := Answer{Outcomes: outcomes, Leads: []Lead{}}
	names, byName := []string{}, map[string][]engine.Lead{}
	for i, e := range chosen {
		names, byName[e.Name] = append(names, e.Name), lists[i]
	}
	a.Leads = append(a.Leads, Merge(names, byName)...)
	a.Leads = a.Leads[:min(len(a.Leads), q.Limit)]
	if problems := a.problems(); len(problems) == len(chosen) {
		return a, errors.New("no search engine has answered: " + strings.Join(problems, "; "))
	}
	return a, nil
}

func (a Answer) problems() []string {
	var list []string
	for _, o := range a.Outcomes {
		if o.Problem != "" {
			list = append(list, o.Engine+": "+o.Problem)
		}
	}
	return list
}

func joined(kinds []engine.Kind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// general are the kinds that questions of all sorts are put to.
var general = []engine.Kind{engine.Papers, engine.Encyclopedia, engine.Discussions}

// choose picks the engines of a question: those of its kind, or, where it names none,
// those of the whole web, else the first of each kind that answers questions of all
// sorts. Code, packages and copies are asked for by their kind.
func (s *Search) choose(q Question) []asked {
	kind := q.Kind
	if kind == "" && slices.Contains(s.Kinds(), engine.Web) {
		kind = engine.Web
	}
	var list []asked
	for _, e := range s.engines {
		first := kind == "" && slices.Contains(general, e.Kind) && !slices.ContainsFunc(list, func(o asked) bool { return o.Kind == e.Kind })
		if e.Kind == kind || first {
			list = append(list, e)
		}
	}
	return list
}

// perEngine is how many leads are asked of each engine: more than are shown, so that
// those that several have found rise.
const perEngine = 20

// ask asks one engine, or what is kept of the same question.
func (s *Search) ask(ctx context.Context, e asked, q Question) (Outcome, []engine.Lead) {
	out := Outcome{Engine: e.Name}
	fail := func(err error) (Outcome, []engine.Lead) {
		out.Problem = plain.Line(err.Error(), maxProblem)
		return out, nil
	}
	name := keptName(e.Name, e.URL, q.Words)
	leads, ok := s.keeping.find(name)
	if !ok {
		unlock, err := s.keeping.lock(ctx, name)
		if err != nil {
			return fail(errors.New("no answer in time"))
		}
		defer unlock()
		leads, ok = s.keeping.find(name) // another may have asked meanwhile
	}
	if ok {
		out.Leads, out.Kept = len(leads), true
		return out, leads
	}
	call, err := s.call(e, q)
	if err != nil {
		return fail(err)
	}
	reply, err := s.o.Web.Ask(ctx, call)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fail(errors.New("no answer in time"))
	case err != nil:
		return fail(err)
	case reply.Status == http.StatusUnauthorized || reply.Status == http.StatusForbidden && e.Login == engine.NeedsKey:
		return fail(fmt.Errorf("it does not take the key (status %d)", reply.Status))
	case reply.Status == http.StatusTooManyRequests || reply.Status == http.StatusServiceUnavailable:
		return fail(fmt.Errorf("it is asked too often (status %d)", reply.Status))
	case reply.Status == http.StatusBadRequest || reply.Status == http.StatusUnprocessableEntity:
		return fail(fmt.Errorf("it does not take the question or the key, or is asked too often (status %d)", reply.Status))
	case reply.Status != http.StatusOK:
		return fail(fmt.Errorf("status %d", reply.Status))
	}
	out.USD = e.Service.USD
	leads, pause, err := e.Read(reply.Body)
	if pause > 0 {
		_ = s.o.Web.Postpone(ctx, call.URL, pause) // the next question may come too early, which it will say
	}
	if err != nil {
		return fail(err)
	}
	out.Leads = len(leads)
	s.keeping.keep(name, kept{Engine: e.Name, Words: q.Words, Leads: leads})
	return out, leads
}

// maxProblem bounds why an engine has failed, in runes.
const maxProblem = 200

// errNothingToAsk is that an engine cannot look for such words.
var errNothingToAsk = errors.New("it looks for copies of an address: ask it with the address alone")

// call is the request to an engine.
func (s *Search) call(e asked, q Question) (archive.Call, error) {
	key := ""
	if s.o.Key != nil {
		var err error
		if key, err = s.o.Key(e.Service); err != nil {
			return archive.Call{}, err
		}
	}
	if key == "" && e.Login == engine.NeedsKey {
		return archive.Call{}, errors.New("it has no key")
	}
	r, ok := e.Request(engine.Question{Base: e.URL, Words: q.Words, Limit: perEngine, Key: key, Contact: e.Service.Contact})
	if !ok {
		return archive.Call{}, errNothingToAsk
	}
	call := archive.Call{Method: r.Method, URL: r.URL, Header: r.Header, Body: r.Body, Pace: e.Pace}
	if e.Engine.Contact {
		call.Contact = e.Service.Contact
	}
	return call, nil
}
