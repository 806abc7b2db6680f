package telemetry

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// names is the spans' names, each with its parent's.
func names(spans []Span) []string {
	of := map[string]string{"": "-"}
	for _, s := range spans {
		of[s.ID] = s.Name
	}
	var list []string
	for _, s := range spans {
		list = append(list, of[s.Parent]+" > "+s.Name+" ("+string(s.Status)+")")
	}
	return list
}

func TestARunBecomesATree(t *testing.T) {
	require.Equal(t, []string{
		"research gemini > invoke_agent gemini (error)",
		"research claude > invoke_agent claude (ok)",
		"stage research > research claude (ok)",
		"research gemini > invoke_agent gemini (ok)",
		"stage research > research gemini (ok)",
		"invoke_workflow council > stage research (ok)",
		"- > invoke_workflow council (ok)",
	}, names(Spans(wholeRun())))
}

func TestNothingPeopleOrModelsWroteIsToldUnasked(t *testing.T) {
	data, err := json.Marshal(Spans(wholeRun()))
	require.NoError(t, err)
	require.NotContains(t, string(data), secret)
}
