package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/test/eval/plant"
	"github.com/research-council/research-council/test/eval/stage"
	"github.com/research-council/research-council/test/web"
)

// How much is planted: enough for one miss in a hundred to show.
const (
	eachFault   = 200 // claims with each fault of a quotation, and as many honest twins
	eachSource  = 100 // sources with each fault, and as many harmless twins
	hosts       = 61
	claimsAPage = 6
)

// families are the seats, each of a family of its own. The first makes half of
// all claims, the others a quarter each.
func families() []string { return []string{"northern", "southern", "eastern"} }

// faults plants faults in a web and in what seats claim about it, runs a
// council of these seats, and holds its registry and report against the plan.
func faults(ctx context.Context, b bench) (Result, error) {
	plan, err := plant.New(plant.Size{
		Seed: b.seed, Each: eachFault, Sources: eachSource, Hosts: hosts, Seats: len(families()), PerPage: claimsAPage,
	})
	if err != nil {
		return Result{}, err
	}
	dir := filepath.Join(b.tmp, "faults")
	played, err := play(ctx, b.bin, dir, plan)
	if err != nil {
		return Result{}, err
	}
	tally := played.tally()
	r := Result{Inputs: fmt.Sprintf(
		"Seed %d: %d claims of %d seats about %d pages on %d hosts, in %d languages; one `council run --debate off`.",
		b.seed, len(plan.Claims), len(families()), len(plan.Pages), hosts, len(plant.Languages()))}
	r.Tables = []Table{tally.perFault(), tally.perWay("written as", tally.writings), tally.perWay("served as", tally.manners), tally.perWay("language", tally.languages)}
	r.Bars = tally.bars()
	if err := tally.tell(filepath.Join(b.results, "faults-wrong.txt")); err != nil {
		return r, err
	}
	bars, err := played.report(ctx)
	r.Bars = append(r.Bars, bars...)
	return r, err
}

// played is a run and what there is to say about it.
type played struct {
	plan     *plant.Plan
	stage    *stage.Stage
	run      string
	registry claim.Registry
	entries  map[string]*claim.Entry // by source and quotation
	archive  *archive.Archive
	direct   func(string) string
}

// play serves a plan and runs a council on it. When it returns, the web is
// closed.
func play(ctx context.Context, bin, dir string, plan *plant.Plan) (*played, error) {
	w, err := plan.Serve()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	s, err := stage.New(bin, dir)
	if err != nil {
		return nil, err
	}
	run, err := hold(ctx, s, plan, w)
	if err != nil {
		return nil, err
	}
	return open(plan, s, run, w.Direct)
}

// hold runs a council of seats that claim what the plan says, and gives the
// folder of its run.
func hold(ctx context.Context, s *stage.Stage, plan *plant.Plan, w *web.Web) (string, error) {
	var seats []stage.Seat
	for i, family := range families() {
		file := filepath.Join(s.Dir, family+".jsonl")
		if err := os.WriteFile(file, lines(plan, i, w.Direct), 0o600); err != nil {
			return "", err
		}
		seats = append(seats, stage.Seat{Name: family, Brand: family, Args: []string{file}})
	}
	if err := s.Configure(w, seats...); err != nil {
		return "", err
	}
	run, result, err := s.Run(ctx, "--quiet", "--seats", strings.Join(families(), ","), "--debate", "off", "What do the institutes report?")
	if err == nil && result.Code != 0 {
		err = fmt.Errorf("the council ended with %d: %s", result.Code, result.Errs)
	}
	return run, err
}

// open reads what a run has left.
func open(plan *plant.Plan, s *stage.Stage, run string, direct func(string) string) (*played, error) {
	p := &played{plan: plan, stage: s, run: run, direct: direct, entries: map[string]*claim.Entry{}}
	var err error
	if p.registry, err = stage.Registry(run); err != nil {
		return nil, err
	}
	for i := range p.registry.Entries {
		e := &p.registry.Entries[i]
		p.entries[e.Source+"\x00"+e.Quote] = e
	}
	p.archive, err = archive.Open(filepath.Join(run, "sources"), archive.Options{})
	return p, err
}

// lines are the claims of a seat as it writes them.
func lines(plan *plant.Plan, seat int, direct func(string) string) []byte {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	for _, c := range plan.Claims {
		if c.Seat == seat {
			_ = out.Encode(map[string]any{ // into memory
				"text": c.Text, "quote": c.Quote, "source": direct(c.Source), "source_type": "official_doc", "confidence": "High",
			})
		}
	}
	return b.Bytes()
}

// entry is what the registry has of a claim; nil when it lacks it.
func (p *played) entry(c plant.Claim) *claim.Entry {
	return p.entries[p.direct(c.Source)+"\x00"+plain.Trimmed(c.Quote)]
}

// verdict is what the program says of a claim.
type verdict struct {
	state claim.State
	marks []plant.Mark // what it holds against one that is located
	why   string
}

func (p *played) verdict(c plant.Claim) verdict {
	e := p.entry(c)
	if e == nil {
		return verdict{why: "the registry lacks it"}
	}
	v := verdict{state: e.Location.State, why: e.Location.Reason}
	if e.Location.Tier == "elided" {
		v.marks = append(v.marks, plant.MarkElided)
	}
	if p.copied(e.Key) {
		v.marks = append(v.marks, plant.MarkCopy)
	}
	for doubt, mark := range doubts() {
		if strings.Contains(e.Location.Doubt, doubt) {
			v.marks = append(v.marks, mark)
		}
	}
	if s, ok := p.archive.Lookup(e.Key); ok && s.Record != nil && s.Record.Retracted {
		v.marks = append(v.marks, plant.MarkRetracted)
	}
	return v
}

// doubts are what the registry says of a passage that is located all the same,
// and the marks these words stand for.
func doubts() map[string]plant.Mark {
	return map[string]plant.Mark{"outside the article": plant.MarkAside, "truncated": plant.MarkTruncated}
}

// copied reports whether a source counts as one with another, whichever of the
// two is called the copy.
func (p *played) copied(key string) bool {
	for a, b := range p.registry.Copies {
		if a == key || b == key {
			return true
		}
	}
	return false
}

// caught reports whether the verdict is what a fault asks for.
func (v verdict) caught(f plant.Fault, w plant.Want) bool {
	switch w {
	case plant.Unchecked:
		return v.state == claim.Unchecked
	case plant.Flagged:
		return v.state != "" && (v.state != claim.Located || slices.Contains(v.marks, f.Mark()))
	}
	return v.state == claim.NotFound || v.state == claim.Unchecked
}

// accuses reports whether the verdict holds the fault of its twin against an
// honest claim.
func (v verdict) accuses(c plant.Claim) bool {
	marked := c.Twin.Mark() != "" && slices.Contains(v.marks, c.Twin.Mark())
	if c.Twin == plant.LeftOut && c.Writing == plant.Ellipsis {
		marked = false // it says itself that words are left out
	}
	if c.Twin == plant.Copy && c.Manner == plant.PlainPage {
		marked = false // it is the text that others copy
	}
	return v.state != claim.Located || marked
}

// rate is a count of a count.
type rate struct{ hit, all int }

func (r *rate) count(hit bool) {
	r.all++
	if hit {
		r.hit++
	}
}

func (r *rate) String() string { return share(r.hit, r.all) }

type tally struct {
	recall, alarm                map[plant.Fault]*rate
	writings, manners, languages map[string]*rate // false alarms
	wrong                        []string         // examples
}

func (p *played) tally() *tally {
	t := &tally{map[plant.Fault]*rate{}, map[plant.Fault]*rate{}, map[string]*rate{}, map[string]*rate{}, map[string]*rate{}, nil}
	for _, c := range p.plan.Claims {
		v := p.verdict(c)
		if c.Fault != plant.None {
			hit := v.caught(c.Fault, c.Want)
			at(t.recall, c.Fault).count(hit)
			t.note(!hit, "missed", c.Fault, c, v)
			continue
		}
		alarm := v.accuses(c)
		for _, r := range []*rate{at(t.alarm, c.Twin), at(t.writings, string(c.Writing)), at(t.manners, string(c.Manner)), at(t.languages, c.Lang)} {
			r.count(alarm)
		}
		t.note(alarm, "false alarm", c.Twin, c, v)
		if c.Twin != plant.Copy { // any honest source can be taken for a copy
			doubled := slices.Contains(v.marks, plant.MarkCopy)
			at(t.alarm, plant.Copy).count(doubled)
			t.note(doubled, "false alarm", plant.Copy, c, v)
		}
	}
	return t
}

func (t *tally) note(wrong bool, what string, f plant.Fault, c plant.Claim, v verdict) {
	if wrong {
		t.wrong = append(t.wrong, fmt.Sprintf("%s (%s): %s, %s, %s, %s: %s, %s %v: %q", what, f, c.ID, c.Lang, c.Manner, c.Writing, v.state, v.why, v.marks, c.Quote))
	}
}

func at[K comparable](m map[K]*rate, k K) *rate {
	if m[k] == nil {
		m[k] = &rate{}
	}
	return m[k]
}

func sort(f plant.Fault) plant.Sort {
	all := plant.Faults()
	return all[slices.IndexFunc(all, func(s plant.Sort) bool { return s.Fault == f })]
}

func (t *tally) perFault() Table {
	table := Table{Head: []string{"fault", "in the", "what it is", "has to be", "planted", "recall", "honest twins", "false alarms"}}
	for _, s := range plant.Faults() {
		r, a := at(t.recall, s.Fault), at(t.alarm, s.Fault)
		table.Rows = append(table.Rows, []string{
			string(s.Fault), string(s.Place), s.What, string(s.Want), fmt.Sprint(r.all), r.String(), fmt.Sprint(a.all), a.String(),
		})
	}
	return table
}

func (t *tally) perWay(name string, ways map[string]*rate) Table {
	table := Table{Head: []string{"honest claims " + name, "claims", "false alarms"}}
	var names []string
	for n := range ways {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		table.Rows = append(table.Rows, []string{n, fmt.Sprint(ways[n].all), ways[n].String()})
	}
	return table
}

// bars hold for each fault, not only for all of them together.
func (t *tally) bars() []Bar {
	worst, most := plant.Faults()[0].Fault, plant.Faults()[0].Fault
	caught, alarms := rate{}, rate{}
	for _, s := range plant.Faults() {
		r, a := at(t.recall, s.Fault), at(t.alarm, s.Fault)
		caught.hit, caught.all = caught.hit+r.hit, caught.all+r.all
		alarms.hit, alarms.all = alarms.hit+a.hit, alarms.all+a.all
		if r.part() < t.recall[worst].part() {
			worst = s.Fault
		}
		if a.part() > t.alarm[most].part() {
			most = s.Fault
		}
	}
	return []Bar{
		{"recall over all faults", "≥ 99 %", caught.String(), caught.part() >= 0.99},
		{"recall of the worst fault (" + string(worst) + ")", "≥ 99 %", t.recall[worst].String(), t.recall[worst].part() >= 0.99},
		{"false alarms over all honest twins", "≤ 1 %", alarms.String(), alarms.part() <= 0.01},
		{"false alarms of the worst twin (" + string(most) + ")", "≤ 1 %", t.alarm[most].String(), t.alarm[most].part() <= 0.01},
	}
}

func (r *rate) part() float64 {
	if r.all == 0 {
		return 0
	}
	return float64(r.hit) / float64(r.all)
}

// tell writes down every verdict that is wrong, for whoever mends it.
func (t *tally) tell(path string) error {
	return os.WriteFile(path, []byte(strings.Join(t.wrong, "\n")+"\n"), 0o644)
}
