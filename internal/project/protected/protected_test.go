package protected_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/project/protected"
)

func TestWhatLaterSessionsObeyIsProtectedAtAnyDepth(t *testing.T) {
	for _, name := range []string{
		"CLAUDE.md", "AGENTS.md", "GEMINI.md", "CLAUDE.local.md", "claude.md", "CLAUDE.MD", "pkg/deep/CLAUDE.md", "pkg/AGENTS.md", "AGENTS.override.md",
		".claude/settings.json", ".claude/settings.local.json", ".claude/commands/x.md", ".claude/agents/x.md", ".CLAUDE/settings.json",
		"sub/.claude/skills/x/SKILL.md", ".mcp.json", "sub/.mcp.json", ".github/workflows/ci.yml", ".GitHub/workflows/x.yml",
		"sub/.github/copilot-instructions.md", ".envrc", "sub/.envrc", ".git/config", ".git/hooks/pre-commit", ".git/info/attributes", ".GIT/config",
		".gitmodules", ".gitattributes", "sub/.gitattributes", ".codex/config.toml", ".gemini/settings.json", ".cursorrules", ".cursor/rules/x.mdc",
		"src/../CLAUDE.md", "./CLAUDE.md", "CLAUDE.md/", "CLAUDE.md\u200b", "\uff23LAUDE.md", ".git\u200c/config", "GIT~1/config", "CLAUDE~1", `.claude\settings.json`,
		".husky/pre-commit", ".husky/_/h", ".githooks/commit-msg", ".git. /config", "/CLAUDE.md", "../../.envrc",
	} {
		require.True(t, protected.IsProtected(name), "%q", name)
	}
}

func TestWhatOnlyLooksLikeItIsNot(t *testing.T) {
	for _, name := range []string{
		"docs/claude-notes.md", "src/agents.go", "src/github/client.go", ".gitignore", "env/rc.go", "CLAUDE.mdx", "testdata/claude.json", "README.md",
		"", ".", "a~1", "git/config", "backup~", "notes~2.txt", "CLAUDE.md.orig",
	} {
		require.False(t, protected.IsProtected(name), "%q", name)
	}
}

func TestAPersonNamesAFileOrAFolder(t *testing.T) {
	named := []string{"CLAUDE.md", ".github/workflows", "./pkg/*/AGENTS.md"}
	for name, want := range map[string]bool{
		"CLAUDE.md": true, "sub/CLAUDE.md": false, ".github/workflows/ci.yml": true, ".github/copilot-instructions.md": false,
		"pkg/a/AGENTS.md": true, "pkg/a/b/AGENTS.md": false, "": false,
	} {
		require.Equal(t, want, protected.IsNamedBy(named, name), "%q", name)
	}
}

func TestEveryNameIsProtectedHoweverItIsSpelled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(protected.Names()).Draw(t, "name")
		var b strings.Builder
		for _, r := range name {
			if rapid.Bool().Draw(t, "upper") {
				b.WriteString(strings.ToUpper(string(r)))
			} else {
				b.WriteString(strings.ToLower(string(r)))
			}
			if rapid.IntRange(0, 4).Draw(t, "joiner") == 0 {
				b.WriteRune('\u200d')
			}
		}
		dir := rapid.SampledFrom([]string{"", "a/", "a/b/../", "./"}).Draw(t, "dir")
		if !protected.IsProtected(dir + b.String() + rapid.SampledFrom([]string{"", "/", "/x", ".", " "}).Draw(t, "end")) {
			t.Fatalf("%q", dir+b.String())
		}
	})
}
