package kinds_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
)

func TestEveryKindIsWhole(t *testing.T) {
	names := map[string]bool{}
	for _, k := range kinds.All() {
		require.NotEmpty(t, k.Name)
		require.False(t, names[k.Name], "%s is there once", k.Name)
		names[k.Name] = true
		require.NotNil(t, k.Adapter, k.Name)
		require.Equal(t, k.Adapter, kinds.Of(k.Name).Adapter)
	}
	require.Nil(t, kinds.Of("nobody").Adapter)
	require.Equal(t, "claude", kinds.Host().Name)
}

func TestEveryCommandLineCanBeFoundLookedAtAndConfigured(t *testing.T) {
	nothing := agent.Installation{
		Run:    func(...string) agent.Output { return agent.Output{} },
		Getenv: func(string) string { return "" },
		Exists: func(string) bool { return false },
		System: "linux",
	}
	for _, k := range kinds.CommandLines() {
		p := k.Program
		require.Regexp(t, `^\d+\.\d+\.\d+$`, p.Tested, k.Name)
		require.Regexp(t, `^\d+\.\d+\.\d+$`, p.Oldest, k.Name)
		require.NotEmpty(t, p.Help, k.Name)
		require.NotEmpty(t, p.Flags, k.Name)
		require.NotEmpty(t, p.Install, k.Name)
		require.NotEmpty(t, k.Inherits(nil), k.Name)
		found := p.Login(nothing)
		require.Equal(t, agent.LevelWarning, found.Level, "%s: a machine where nothing is has no login", k.Name)
		require.NotEmpty(t, found.Remedy, k.Name)
		var told struct{ Brand, Program string }
		require.NoError(t, yaml.Unmarshal(k.Defaults, &told), k.Name)
		require.NotEmpty(t, told.Brand, k.Name)
		require.NotEmpty(t, told.Program, k.Name)
	}
	require.Equal(t, []string{"claude", "codex", "gemini"}, named(kinds.CommandLines()))
}

func named(list []agent.Kind) (names []string) {
	for _, k := range list {
		names = append(names, k.Name)
	}
	return names
}
