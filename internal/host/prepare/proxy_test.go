package prepare

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

func TestThePlanNamesTheProxy(t *testing.T) {
	e, project := house(t, "network: {proxy: 'http://proxy.test:3128'}")
	s, err := Council(e, project, request.Request{Topic: "How does Raft elect a leader?"})
	require.NoError(t, err)
	require.Equal(t, "http://proxy.test:3128", s.Network.Proxy)
	plan := view.Plan(s, runs.Forecast(s))
	require.Contains(t, plan, "http://proxy.test:3128")
	require.Contains(t, plan, "not seen from here")

	plain, project := house(t, "")
	s, err = Council(plain, project, request.Request{Topic: "How does Raft elect a leader?"})
	require.NoError(t, err)
	require.NotContains(t, view.Plan(s, runs.Forecast(s)), "proxy")
}
