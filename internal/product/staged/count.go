package staged

import (
	"fmt"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

// Count reads the JSON a seat has answered in a role and counts what its gate
// asks for. Only what says something counts, and only once.
func Count(role string, data []byte) (Output, error) {
	o, err := count(role, data)
	if err != nil {
		return Output{}, fmt.Errorf("count the answer of %s: %w", plain.Line(role, 40), err)
	}
	return o, nil
}

func count(role string, data []byte) (Output, error) {
	switch role {
	case agent.Questions:
		q, err := decodeAnswer[Questions](data)
		return Output{Questions: len(q.WithIDs().Questions)}, err
	case agent.Brief:
		b, err := decodeAnswer[Brief](data)
		return Output{Brief: b.isComplete()}, err
	case agent.Planning:
		p, err := decodeAnswer[Plan](data)
		p = Normalise(p, Agents)
		return Output{Subtopics: len(p.Subtopics), Agents: p.Agents}, err
	case agent.Collection:
		g, err := decodeAnswer[AgentAnswer](data)
		return Output{Facts: len(g.usableFacts()), Insights: len(uniqueLines(g.Insights))}, err
	case agent.Findings:
		r, err := decodeAnswer[SynthesisResult](data)
		return Output{Recommendations: r.recommendations()}, err
	case agent.Advocate:
		r, err := decodeAnswer[AdvocateResult](data)
		return Output{Risks: r.risks()}, err
	}
	return Output{}, fmt.Errorf("nothing is counted in this role")
}

// decodeAnswer reads a model's answer.
func decodeAnswer[T any](data []byte) (T, error) {
	var v T
	err := decode(data, maxAnswerBytes, &v)
	return v, err
}

// isComplete reports whether the brief has what its gate asks for.
func (b Brief) isComplete() bool {
	return plainLine(b.Topic) != "" && plainLine(b.Goal) != "" && len(uniqueLines(b.SuccessCriteria)) > 0
}

func (r SynthesisResult) recommendations() int {
	var list []string
	for _, one := range r.Recommendations {
		list = append(list, one.Recommendation)
	}
	return len(uniqueLines(list))
}

func (r AdvocateResult) risks() int {
	var list []string
	for _, one := range r.Risks {
		list = append(list, one.Risk)
	}
	return len(uniqueLines(list))
}
