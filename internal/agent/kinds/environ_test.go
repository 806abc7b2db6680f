package kinds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/kinds"
)

func TestEnviron(t *testing.T) {
	parent := []string{
		"PATH=/bin", "HOME=/h", "LC_ALL=C", "XDG_CONFIG_HOME=/x", "https_proxy=http://p", "PATHOLOGY=no", "broken", "=odd",
		"SSH_AUTH_SOCK=/s", "DATABASE_URL=d", "GITHUB_TOKEN=g", "GITHUB_SHA=s", "NODE_OPTIONS=--inspect", "LD_PRELOAD=/evil.so",
		"ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL=u", "CLAUDE_CODE_OAUTH_TOKEN=o", "CLAUDE_CONFIG_DIR=/c",
		"OPENAI_API_KEY=k", "OPENAI_BASE_URL=b", "CODEX_API_KEY=x", "CODEX_HOME=/cx",
		"GEMINI_API_KEY=m", "GOOGLE_API_KEY=n", "GOOGLE_APPLICATION_CREDENTIALS=/gac", "GOOGLE_GEMINI_BASE_URL=gb",
		"AWS_SECRET_ACCESS_KEY=w", "AZURE_CLIENT_SECRET=z",
		"CLAUDECODE=1", "CLAUDE_PID=7", "CLAUDE_PLUGIN_ROOT=/p", "CLAUDE_PLUGIN_DATA=/d", "CLAUDE_PROJECT_DIR=/pr",
		"CLAUDE_CODE_SESSION_ID=s", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_CHILD_NOTES_DIR=/n", "CLAUDE_CODE_ENTRYPOINT=cli",
		"CLAUDE_CODE_MESSAGING_SOCKET=/m", "CLAUDE_CODE_MESSAGING_TOKEN=t", "CLAUDE_ENV_FILE=/e", "CLAUDE_EFFORT=low",
		"RESEARCH_COUNCIL_CHILD=other",
	}
	basics := []string{"PATH", "HOME", "LC_ALL", "XDG_CONFIG_HOME", "https_proxy"}
	for _, c := range []struct {
		name, kind string
		also       []string // in the parent
		want       []string // beyond the basics
	}{
		{name: "an executable gets the basics alone", kind: "command"},
		{name: "an unknown kind too", kind: "acme"},
		{
			name: "claude gets its key, endpoint and login", kind: "claude",
			want: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"},
		},
		{
			name: "claude on Bedrock gets the AWS login", kind: "claude", also: []string{"CLAUDE_CODE_USE_BEDROCK=1"},
			want: []string{
				"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR",
				"CLAUDE_CODE_USE_BEDROCK", "AWS_SECRET_ACCESS_KEY",
			},
		},
		{
			name: "claude with Bedrock switched off does not", kind: "claude", also: []string{"CLAUDE_CODE_USE_BEDROCK=0"},
			want: []string{
				"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_USE_BEDROCK",
			},
		},
		{
			name: "claude on Vertex gets Google's credentials but no Gemini key", kind: "claude", also: []string{"CLAUDE_CODE_USE_VERTEX=true", "CLOUD_ML_REGION=eu"},
			want: []string{
				"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR",
				"CLAUDE_CODE_USE_VERTEX", "CLOUD_ML_REGION", "GOOGLE_APPLICATION_CREDENTIALS",
			},
		},
		{
			name: "codex gets its own", kind: "codex",
			want: []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY", "CODEX_HOME"},
		},
		{
			name: "gemini gets its own", kind: "gemini",
			want: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_GEMINI_BASE_URL"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := kinds.Of(c.kind).Environ(append(parent, c.also...))
			names := make([]string, 0, len(got))
			for name := range got {
				names = append(names, name)
			}
			require.ElementsMatch(t, append(append([]string{}, basics...), c.want...), names)
		})
	}
}

func TestTheLastOfTwoEntriesWins(t *testing.T) {
	require.Equal(t, map[string]string{"PATH": "/b=c"}, kinds.Of("").Environ([]string{"PATH=/a", "PATH=/b=c"}))
}
