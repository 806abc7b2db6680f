package telemetry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// told is metrics in lines: name, attributes, value.
func told(list []Metric) []string {
	var lines []string
	for _, m := range list {
		for _, p := range m.Points {
			var about []string
			for _, name := range slices.Sorted(maps.Keys(p.Attributes)) {
				about = append(about, fmt.Sprint(name[strings.LastIndex(name, ".")+1:], "=", p.Attributes[name]))
			}
			line := fmt.Sprintf("%s{%s} %v", m.Name, strings.Join(about, " "), p.Value)
			if m.Histogram {
				line += fmt.Sprint(" of ", p.Count)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func TestWhatIsCountedInARun(t *testing.T) {
	require.Equal(t, []string{
		"gen_ai.client.token.usage{name=invoke_agent name=anthropic model=model-a model=model-a type=input} 900 of 1",
		"gen_ai.client.token.usage{name=invoke_agent name=anthropic model=model-a model=model-a type=output} 100 of 1",
		"gen_ai.invoke_agent.duration{type=retryable name=gemini name=invoke_agent name=gcp.gen_ai model=model-g role=research} 120 of 1",
		"gen_ai.invoke_agent.duration{name=claude name=invoke_agent name=anthropic model=model-a role=research} 240 of 1",
		"gen_ai.invoke_agent.duration{name=gemini name=invoke_agent name=gcp.gen_ai model=model-g role=research} 60 of 1",
		"gen_ai.workflow.duration{name=council} 780 of 1",
		"research_council.cost{brand=anthropic estimated=false role=research seat=claude stage=research} 0.5",
		"research_council.cost{brand=google estimated=true role=research seat=gemini stage=research} 0.25",
		"research_council.faults{type=retryable brand=google seat=gemini} 1",
		"research_council.gates{move=done stage=research} 1",
		"research_council.issues{code=data_source_failed} 1",
		"research_council.runs{status=completed workflow=council} 1",
		"research_council.stage.duration{stage=research} 660 of 1",
		"research_council.tokens{brand=anthropic role=research seat=claude stage=research} 1000",
		"research_council.tokens{brand=google role=research seat=gemini stage=research} 510",
		"research_council.turns{brand=anthropic outcome=ok role=research seat=claude stage=research} 1",
		"research_council.turns{brand=google outcome=ok role=research seat=gemini stage=research} 1",
		"research_council.turns{brand=google outcome=retryable role=research seat=gemini stage=research} 1",
	}, told(Metrics(wholeRun())))
}

func TestValuesFallIntoTheirBuckets(t *testing.T) {
	var m meter
	of := Metric{Name: "n", Bounds: []float64{1, 5, 10}}
	for _, v := range []float64{0, 1, 1.5, 10, 11, 1000} {
		m.addToHistogram(of, v, nil)
	}
	p := m.snapshot()[0].Points[0]
	require.Equal(t, []uint64{2, 1, 1, 2}, p.Buckets, "a bound is the last of its bucket")
	require.Equal(t, uint64(6), p.Count)
	require.Equal(t, 1023.5, p.Value)
}

func TestAReadingDoesNotChange(t *testing.T) {
	var m meter
	of := Metric{Name: "n", Bounds: []float64{1}}
	m.addToHistogram(of, 0, Attributes{"a": "b"})
	before := m.snapshot()
	m.addToHistogram(of, 0, Attributes{"a": "b"})
	require.Equal(t, uint64(1), before[0].Points[0].Buckets[0])
	require.Equal(t, uint64(2), m.snapshot()[0].Points[0].Count)
}
