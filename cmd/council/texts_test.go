package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/research-council/research-council/internal/host/program"

	"github.com/stretchr/testify/require"
)

// A line that a skill, an agent or a command tells somebody to type has to
// work: the command is there, and so are its flags.
func TestTheLinesThatTextsTellExist(t *testing.T) {
	code := regexp.MustCompile("`council ([^`]+)`")
	flags := regexp.MustCompile(`--([a-z-]+)`)
	root := rootCommand(program.Env{Stdin: strings.NewReader(""), Stdout: &strings.Builder{}, Stderr: &strings.Builder{}})
	lines := 0
	for _, pattern := range []string{"skills/*/SKILL.md", "skills/*/references/*.md", "agents/*.md", "commands/*.md"} {
		files, err := filepath.Glob("../../" + pattern)
		require.NoError(t, err)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			for _, m := range code.FindAllStringSubmatch(string(text), -1) {
				lines++
				words := strings.Fields(m[1])
				c, _, err := root.Find(words)
				require.NoError(t, err, "%s: council %s", f, m[1])
				require.NotEqual(t, root, c, "%s: council %s", f, m[1])
				for _, flag := range flags.FindAllStringSubmatch(m[1], -1) {
					known := c.Flags().Lookup(flag[1]) != nil || root.PersistentFlags().Lookup(flag[1]) != nil
					require.True(t, known, "%s: council %s has no --%s", f, c.CommandPath(), flag[1])
				}
			}
		}
	}
	require.Positive(t, lines)
}

// The flags a skill lists are those of a run.
func TestTheFlagsThatTheSkillListsExist(t *testing.T) {
	text, err := os.ReadFile("../../skills/council-research/SKILL.md")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(text), "\n## Flags\n")
	require.True(t, found)
	c := runCommand(program.Env{})
	for _, m := range regexp.MustCompile("`--([a-z-]+)").FindAllStringSubmatch(list, -1) {
		require.NotNil(t, c.Flags().Lookup(m[1]), "--%s", m[1])
	}
}
