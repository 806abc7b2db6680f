package prepare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/research-council/research-council/internal/host/program"

	"github.com/stretchr/testify/require"
)

const private = "KEY=nobody has let anybody read it"

// Plans are made without asking anybody, and repeat the question: an agent gets
// none of a file that is not a question's.
func TestAnAgentsPlanReadsOnlyTheFileOfAQuestion(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	secret := file(".env", private)
	link := filepath.Join(dir, "linked", topicFile)
	require.NoError(t, os.Mkdir(filepath.Dir(link), 0o700))
	require.NoError(t, os.Symlink(secret, link))
	agents := map[string]string{"CLAUDECODE": "1"}
	for name, c := range map[string]struct {
		file string
		dry  bool
		vars map[string]string
		read bool
	}{
		"a question":              {file(topicFile, "How?"), true, agents, true},
		"any other file":          {secret, true, agents, false},
		"a link with that name":   {link, true, agents, false},
		"a run, which asks first": {secret, false, agents, true},
		"a person's plan":         {secret, true, nil, true},
	} {
		e := program.Env{Getenv: func(name string) string { return c.vars[name] }, Dir: dir}
		topic, err := Question{File: c.file, Plan: c.dry}.Read(e, nil)
		require.Equal(t, c.read, err == nil, name)
		require.Equal(t, c.read, topic != "", name)

		in, err := os.Open(c.file)
		require.NoError(t, err)
		e.Stdin = in
		_, err = Question{Plan: c.dry}.Read(e, []string{"-"})
		require.Equal(t, !c.dry || c.vars == nil, err == nil, "%s, on standard input", name)
		require.NoError(t, in.Close())
	}
	e := program.Env{Stdin: strings.NewReader("How?\n"), Getenv: func(name string) string { return agents[name] }, Dir: dir}
	topic, err := Question{Plan: true}.Read(e, []string{"-"})
	require.NoError(t, err)
	require.Equal(t, "How?", topic, "what is piped in was written there")
	for command, want := range map[string]string{"": "council run ", "staged": "council staged "} {
		_, err = Question{Command: command}.Read(e, nil)
		require.ErrorContains(t, err, want)
	}
}

// What the skill tells a session to do is what the program takes.
func TestTheSkillNamesTheFileOfAQuestion(t *testing.T) {
	text, err := os.ReadFile("../../../skills/council-research/SKILL.md")
	require.NoError(t, err)
	require.Contains(t, string(text), "council run --dry-run --topic-file FOLDER/"+topicFile)
	require.Contains(t, string(text), "allowed-tools: Bash(council run --dry-run *)\n")
}
