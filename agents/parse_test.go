package agents

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASubagentsFileIsRead(t *testing.T) {
	a, err := parse("x.md", []byte("---\nname: x\ndescription: when it rains\nmodel: inherit\ntools: Read, , mcp__desk\ncolor: red\n---\n\nDo it.\n\n"))
	require.NoError(t, err)
	require.Equal(t, Agent{Name: "x", Description: "when it rains", Model: "inherit", Tools: []string{"Read", "mcp__desk"}, Prompt: "Do it.\n"}, a)
}

func TestAFileThatIsNoSubagentIsNamed(t *testing.T) {
	for _, text := range []string{"", "Do it.\n", "---\nname: [x\n---\nDo it.\n", "---\nname: x\n"} {
		_, err := parse("x.md", []byte(text))
		require.ErrorContains(t, err, "read subagent x.md: front matter", "%q", text)
	}
	_, err := read("missing.md")
	require.ErrorContains(t, err, "read subagent missing.md")
}
