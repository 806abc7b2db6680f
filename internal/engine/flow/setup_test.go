package flow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
)

func TestASetupGoesWithItsProject(t *testing.T) {
	for _, c := range []struct{ says, scope, moved string }{
		{"a scope in the project has gone with it", "/a/thing/docs", "/b/docs"},
		{"the project itself is a scope", "/a/thing", "/b"},
		{"a folder beside it stays where it is", "/a/thingummy/docs", "/a/thingummy/docs"},
		{"no scope stays none", "", ""},
	} {
		t.Run(c.says, func(t *testing.T) {
			got := flow.Setup{Root: "/a/thing", Scope: c.scope}.MovedTo("/b")
			require.Equal(t, flow.Setup{Root: "/b", Scope: c.moved}, got)
		})
	}
	stays := flow.Setup{Root: "/a/thing", Scope: "/a/thing/docs"}
	require.Equal(t, stays, stays.MovedTo("/a/thing"))
}
