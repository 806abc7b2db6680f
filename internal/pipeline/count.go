package pipeline

import (
	"fmt"

	"research-council/internal/agent"
)

// Count reads the JSON a seat has answered in a role and counts what its gate
// asks for. Only what says something counts, and only once.
func Count(role string, data []byte) (Output, error) {
	o, err := count(role, data)
	if err != nil {
		return Output{}, fmt.Errorf("count the answer of %s: %w", agent.Plain(role, 40), err)
	}
	return o, nil
}

func count(role string, data []byte) (Output, error) {
	switch role {
	case agent.Questions:
		q, err := read[Questions](data)
		return Output{Questions: len(q.Numbered().Questions)}, err
	case agent.Brief:
		b, err := read[Brief](data)
		return Output{Brief: b.complete()}, err
	case agent.Planning:
		p, err := read[Plan](data)
		p = Normalise(p, Agents)
		return Output{Subtopics: len(p.Subtopics), Agents: p.Agents}, err
	case agent.Collection:
		g, err := read[Gathered](data)
		return Output{Facts: len(g.facts()), Insights: len(lines(g.Insights))}, err
	case agent.Findings:
		r, err := read[SynthesisResult](data)
		return Output{Recommendations: r.recommendations()}, err
	case agent.Advocate:
		r, err := read[AdvocateResult](data)
		return Output{Risks: r.risks()}, err
	}
	return Output{}, fmt.Errorf("nothing is counted in this role")
}

// read reads a model's answer.
func read[T any](data []byte) (T, error) {
	var v T
	err := decode(data, mostAnswer, &v)
	return v, err
}

// complete reports whether the brief has what its gate asks for.
func (b Brief) complete() bool {
	return line(b.Topic) != "" && line(b.Goal) != "" && len(lines(b.SuccessCriteria)) > 0
}

func (r SynthesisResult) recommendations() int {
	var list []string
	for _, one := range r.Recommendations {
		list = append(list, one.Recommendation)
	}
	return len(lines(list))
}

func (r AdvocateResult) risks() int {
	var list []string
	for _, one := range r.Risks {
		list = append(list, one.Risk)
	}
	return len(lines(list))
}
