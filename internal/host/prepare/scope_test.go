package prepare

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

func TestAQuestionOfTheProjectHasItForItsScope(t *testing.T) {
	e, project := house(t, "", "claude", "codex")
	real, err := filepath.EvalSymlinks(project)
	require.NoError(t, err)
	s, err := Council(e, project, request.Request{Topic: "How do we handle retries?", Seats: []string{"claude"}})
	require.NoError(t, err)
	require.Equal(t, real, s.Scope)
	require.Contains(t, view.Plan(s, runs.Forecast(s)), `speaks of it ("we")`)

	s, err = Council(e, project, request.Request{Topic: "How does Raft elect a leader?", Seats: []string{"claude"}})
	require.NoError(t, err)
	require.Empty(t, s.Scope)
	require.NotContains(t, view.Plan(s, runs.Forecast(s)), "the scope is")
}
