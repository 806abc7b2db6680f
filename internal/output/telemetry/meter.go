package telemetry

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/engine/flow"
)

// Metric is what has been counted or measured from the beginning of a run.
type Metric struct {
	Name        string    `json:"name"`
	Unit        string    `json:"unit"`
	Description string    `json:"description"`
	Histogram   bool      `json:"histogram,omitempty"` // otherwise a sum that only grows
	Bounds      []float64 `json:"bounds,omitempty"`    // upper ones of a histogram's buckets, but for the last
	Points      []Point   `json:"points"`              // each with other attributes
}

// Point is a metric's value for some attributes.
type Point struct {
	Attributes Attributes `json:"attributes"`
	Value      float64    `json:"value"`             // of a sum; the sum of what a histogram has seen
	Count      uint64     `json:"count,omitempty"`   // of what a histogram has seen
	Buckets    []uint64   `json:"buckets,omitempty"` // one more than bounds
}

// Metrics are a run's by its facts, from its first one.
func Metrics(events []flow.Event) []Metric {
	var t tracer
	var m meter
	for _, e := range events {
		for _, s := range t.apply(e) {
			m.countSpan(s)
		}
	}
	return m.snapshot()
}

// meter counts spans that have ended. What it says follows from the spans
// alone, so that a run which is taken up goes on counting where it was.
type meter struct {
	began  time.Time
	series map[string]*Metric
	points map[string]*Point // by metric and attributes
}

// durations are the bounds of times in seconds, as the conventions for
// generative AI have them for workflows.
func durations() []float64 { return []float64{1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200} }

// tokenBounds are the bounds of tokens, as the same conventions have them.
func tokenBounds() []float64 {
	return []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
}

// countSpan counts one span that has ended.
func (m *meter) countSpan(s Span) {
	if m.began.IsZero() || s.Start.Before(m.began) {
		m.began = s.Start
	}
	switch s.Attributes.stringValue(levelKey) {
	case levelTurn:
		m.countTurn(s)
	case levelStage:
		m.countStage(s)
	case levelRun:
		m.countRun(s)
	}
}

func (m *meter) countTurn(s Span) {
	a := s.Attributes
	whose := []string{"research_council.seat", "research_council.brand", "research_council.role", "research_council.stage"}
	m.addToSum(Metric{Name: "research_council.turns", Unit: "{turn}", Description: "Turns that have ended."}, 1, a.selected(append(whose, "research_council.outcome")...))
	if s.Status == Error {
		m.addToSum(Metric{Name: "research_council.faults", Unit: "{fault}", Description: "Turns that have ended with a fault."}, 1, a.selected(append(whose[:2:2], "error.type")...))
	}
	if tokens, _ := a["research_council.tokens"].(int64); tokens > 0 {
		m.addToSum(Metric{Name: "research_council.tokens", Unit: "{token}", Description: "Tokens that turns have used, read and written."}, float64(tokens), a.selected(whose...))
	}
	if usd, _ := a["research_council.cost.usd"].(float64); usd > 0 {
		m.addToSum(Metric{Name: "research_council.cost", Unit: "USD", Description: "What turns have cost."}, usd, a.selected(append(whose, "research_council.cost.estimated")...))
	}
	m.countTokens(s)
	seconds := s.End.Sub(s.Start).Seconds()
	if s.Kind != Client {
		m.addToHistogram(Metric{Name: "research_council.work.duration", Unit: "s", Description: "Time the program's own work took.", Bounds: durations()}, seconds, a.selected("research_council.role", "error.type"))
		return
	}
	m.addToHistogram(Metric{Name: "gen_ai.invoke_agent.duration", Unit: "s", Description: "Time a turn of a seat took.", Bounds: durations()},
		seconds, a.selected("gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.provider.name", "gen_ai.request.model", "research_council.role", "error.type"))
}

// countTokens counts tokens by their type where the seat tells them apart.
func (m *meter) countTokens(s Span) {
	for kind, name := range map[string]string{"input": "gen_ai.usage.input_tokens", "output": "gen_ai.usage.output_tokens"} {
		n, ok := s.Attributes[name].(int64)
		if !ok {
			continue
		}
		a := s.Attributes.selected("gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.response.model")
		a["gen_ai.token.type"] = kind
		m.addToHistogram(Metric{Name: "gen_ai.client.token.usage", Unit: "{token}", Description: "Tokens a turn has used.", Bounds: tokenBounds()}, float64(n), a)
	}
}

func (m *meter) countStage(s Span) {
	stage := s.Attributes.selected("research_council.stage")
	m.addToHistogram(Metric{Name: "research_council.stage.duration", Unit: "s", Description: "Time a visit of a stage took.", Bounds: durations()}, s.End.Sub(s.Start).Seconds(), stage)
	for _, e := range s.Events {
		if e.Name == "gate" {
			a := e.Attributes.selected("research_council.gate.move")
			a["research_council.stage"] = stage["research_council.stage"]
			m.addToSum(Metric{Name: "research_council.gates", Unit: "{judgement}", Description: "What gates have judged."}, 1, a)
		}
	}
	m.countIssues(s)
}

func (m *meter) countIssues(s Span) {
	for _, e := range s.Events {
		if e.Name == string(flow.IssueMet) {
			m.addToSum(Metric{Name: "research_council.issues", Unit: "{issue}", Description: "What went wrong on the way."}, 1, e.Attributes.selected("research_council.issue.code", "research_council.stage"))
		}
	}
}

func (m *meter) countRun(s Span) {
	m.addToSum(Metric{Name: "research_council.runs", Unit: "{run}", Description: "Runs that have ended."}, 1, s.Attributes.selected("research_council.workflow", "research_council.status"))
	m.addToHistogram(Metric{Name: "gen_ai.workflow.duration", Unit: "s", Description: "Time a run took, pauses included.", Bounds: durations()}, s.End.Sub(s.Start).Seconds(), s.Attributes.selected("gen_ai.workflow.name", "error.type"))
	m.countIssues(s)
}

// addToSum adds to a sum.
func (m *meter) addToSum(of Metric, n float64, a Attributes) { m.pointFor(of, a).Value += n }

// addToHistogram adds to a histogram. A value that is a bound counts below it.
func (m *meter) addToHistogram(of Metric, value float64, a Attributes) {
	of.Histogram = true
	p := m.pointFor(of, a)
	if p.Buckets == nil {
		p.Buckets = make([]uint64, len(of.Bounds)+1)
	}
	i, _ := slices.BinarySearch(of.Bounds, value)
	p.Buckets[i]++
	p.Count++
	p.Value += value
}

func (m *meter) pointFor(of Metric, a Attributes) *Point {
	if m.series == nil {
		m.series, m.points = map[string]*Metric{}, map[string]*Point{}
	}
	if m.series[of.Name] == nil {
		m.series[of.Name] = &of
	}
	key, _ := json.Marshal(a) // strings and bools: it cannot fail, and sorts them
	name := of.Name + "\x00" + string(key)
	if m.points[name] == nil {
		m.points[name] = &Point{Attributes: a}
	}
	return m.points[name]
}

// snapshot is a copy of what has been counted, in the order of names and
// attributes.
func (m *meter) snapshot() []Metric {
	names := make([]string, 0, len(m.points))
	for name := range m.points {
		names = append(names, name)
	}
	slices.Sort(names)
	var list []Metric
	for _, key := range names {
		name, _, _ := strings.Cut(key, "\x00")
		if len(list) == 0 || list[len(list)-1].Name != name {
			list = append(list, *m.series[name])
		}
		p := *m.points[key]
		p.Buckets = slices.Clone(p.Buckets)
		last := &list[len(list)-1]
		last.Points = append(last.Points, p)
	}
	return list
}
