package servers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// A person's session searches the web at the desk of its campaign, by the engines that are
// set, and what that costs is counted. The session is this test: it has the desk that its
// host would start.
func TestASessionSearchesTheWebAtItsDesk(t *testing.T) {
	h := newHouse(t, "")
	h.configure("network: {pace: 1ms}\nsearch:\n  engines: [searxng]\n  services: {searxng: {url: \"" + h.searxng() + "\", usd: 0.25}}\n")
	person := h.env
	h.env = append(slices.Clone(person), "CLAUDE_CODE_SESSION_ID=a-session", "CLAUDE_PROJECT_DIR="+filepath.Join(h.dir, "project"))
	h.done("campaign", "begin", "research", "--arguments", "'kettles' 'What are kettles made of?' --research 1")
	t.Cleanup(func() {
		h.env = person // in a terminal of their own
		_, said, code := h.ended(exec.Command(filepath.Join(bin, "council"), "cancel", "kettles"))
		require.Zero(t, code, said)
	})

	cmd := h.program("desk", "--session")
	cmd.Dir, cmd.Env = filepath.Join(h.dir, "project"), h.env
	desk, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = desk.Close() })
	require.Eventually(t, func() bool {
		tools, err := desk.ListTools(t.Context(), nil)
		require.NoError(t, err)
		var names []string
		for _, tool := range tools.Tools {
			names = append(names, tool.Name)
		}
		return strings.Contains(strings.Join(names, " "), "search_web")
	}, 20*time.Second, 100*time.Millisecond)
	found, err := desk.CallTool(t.Context(), &mcp.CallToolParams{Name: "search_web", Arguments: map[string]any{"query": "kettle steel"}})
	require.NoError(t, err)
	require.False(t, found.IsError)
	require.Contains(t, found.Content[0].(*mcp.TextContent).Text, h.web.Direct(pages()[0].URL))
	require.EqualValues(t, 1, h.asked.Load())

	record := gjson.Get(h.file("session", "turn.json"), "record").Str
	require.NoError(t, os.WriteFile(record, []byte("Pages on kettles were looked for, and what they say is still to be read. The next direction is what they are made of.\n"), 0o600))
	require.Eventually(t, func() bool {
		return strings.Contains(h.file("journal.jsonl"), `"usd":0.25`)
	}, 30*time.Second, 100*time.Millisecond, "what a search has cost is a fact of its turn")
	require.Zero(t, h.abroad.Load())
}
