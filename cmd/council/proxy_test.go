package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/engine/flow"
	"research-council/internal/host/request"
	"research-council/internal/host/view"
)

func TestThePlanNamesTheProxy(t *testing.T) {
	e, project := house(t, "network: {proxy: 'http://proxy.test:3128'}")
	s, err := prepareCouncil(e, project, request.Request{Topic: "How does Raft elect a leader?"})
	require.NoError(t, err)
	require.Equal(t, "http://proxy.test:3128", s.Network.Proxy)
	plan := view.Plan(s, forecastOf(s))
	require.Contains(t, plan, "http://proxy.test:3128")
	require.Contains(t, plan, "not seen from here")

	plain, project := house(t, "")
	s, err = prepareCouncil(plain, project, request.Request{Topic: "How does Raft elect a leader?"})
	require.NoError(t, err)
	require.NotContains(t, view.Plan(s, forecastOf(s)), "proxy")
}

func TestSeatsInheritTheProxyOfTheConfiguration(t *testing.T) {
	e := env{environ: []string{"PATH=/bin", "https_proxy=http://old.test:1", "NO_PROXY=a.test"}}
	require.Equal(t, e.environ, environment(e, flow.Network{}))
	require.Equal(t, []string{"PATH=/bin", "NO_PROXY=a.test"}, environment(e, flow.Network{Proxy: "none"}))
	require.Equal(t, []string{"PATH=/bin", "NO_PROXY=a.test", "HTTPS_PROXY=http://new.test:2", "HTTP_PROXY=http://new.test:2"},
		environment(e, flow.Network{Proxy: "http://new.test:2"}))
}
