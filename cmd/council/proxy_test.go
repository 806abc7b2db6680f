package main

import (
	"testing"

	"github.com/stretchr/testify/require"

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
