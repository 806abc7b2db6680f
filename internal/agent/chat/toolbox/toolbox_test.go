package toolbox_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/agent/chat/toolbox"
	"github.com/research-council/research-council/internal/base/stdio"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

// opened are the tools over a scope, without a desk.
func opened(t *testing.T, files map[string]string) (b *toolbox.Box, own, scope string) {
	t.Helper()
	own, scope = t.TempDir(), t.TempDir()
	write(t, own, map[string]string{"inputs/registry.md": "C1: it rests\n"})
	write(t, scope, files)
	b, err := toolbox.Open(t.Context(), toolbox.Options{Own: own, Folders: []string{scope}, Records: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b, own, scope
}

func call(b *toolbox.Box, name string, arguments any) (string, bool) {
	data, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return b.Call(context.Background(), chat.Call{ID: "c1", Name: name, Arguments: string(data)}, 8000)
}

type object = map[string]any

func TestFilesAreReadByLines(t *testing.T) {
	b, own, scope := opened(t, map[string]string{"docs/kettle.md": "one\ntwo\nthree\nfour\n"})
	for name, path := range map[string]string{"below the scope": "docs/kettle.md", "by its whole path": filepath.Join(scope, "docs", "kettle.md")} {
		text, failed := call(b, "read_file", object{"path": path, "line": 2})
		require.False(t, failed, "%s: %s", name, text)
		require.Contains(t, text, "lines 2 to 4 of 4")
		require.Contains(t, text, "2\ttwo\n3\tthree\n4\tfour")
		require.NotContains(t, text, "one")
	}
	text, failed := call(b, "read_file", object{"path": filepath.Join(own, "inputs", "registry.md")})
	require.False(t, failed)
	require.Contains(t, text, "C1: it rests", "what it is handed can be read")
	text, failed = call(b, "read_file", object{"path": "docs/kettle.md", "limit": 6})
	require.False(t, failed)
	require.Contains(t, text, "go on with line 2")
}

func TestNothingElseIsRead(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, map[string]string{"secret.txt": "the canary"})
	b, _, scope := opened(t, map[string]string{".env": "KEY=canary", "id_rsa": "canary", "blob.bin": "\x00\xff\xfe canary", "a.md": "fine"})
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(scope, "link.md")))
	require.NoError(t, os.Symlink(outside, filepath.Join(scope, "folder")))
	for _, path := range []string{
		"../" + filepath.Base(outside) + "/secret.txt", filepath.Join(outside, "secret.txt"), "/etc/passwd", "link.md", "folder/secret.txt", ".env", "id_rsa", "nothing.md", ".", "", "a.md\x00",
	} {
		text, failed := call(b, "read_file", object{"path": path})
		require.True(t, failed, "%q: %s", path, text)
		require.NotContains(t, text, "canary", path)
		require.NotContains(t, text, "root:", path)
	}
	for _, tool := range []string{"list_files", "grep"} {
		text, _ := call(b, tool, object{"pattern": "canary"})
		require.NotContains(t, text, ".env")
		require.NotContains(t, text, "id_rsa")
		require.NotContains(t, text, "secret.txt")
		_, failed := call(b, tool, object{"pattern": "x", "path": "../"})
		require.True(t, failed)
	}
}

func TestFilesAreListedAndSearched(t *testing.T) {
	b, _, _ := opened(t, map[string]string{"docs/kettle.md": "It rests.\nIt boils.\n", "src/a.go": "package a // boils\n", ".git/config": "boils"})
	text, failed := call(b, "list_files", object{})
	require.False(t, failed)
	require.Contains(t, text, "docs/kettle.md (20 bytes)\nsrc/a.go")
	require.NotContains(t, text, ".git")
	text, _ = call(b, "list_files", object{"path": "docs"})
	require.NotContains(t, text, "a.go")
	text, _ = call(b, "list_files", object{"name": "*.go"})
	require.NotContains(t, text, "kettle")
	text, failed = call(b, "grep", object{"pattern": "boils"})
	require.False(t, failed)
	require.Contains(t, text, "docs/kettle.md:2: It boils.")
	require.Contains(t, text, "src/a.go:1: package a")
	text, _ = call(b, "grep", object{"pattern": "never"})
	require.Equal(t, "No line matches.", text)
	text, failed = call(b, "grep", object{"pattern": "("})
	require.True(t, failed)
	require.Contains(t, text, "missing closing )")
}

func TestWhatIsNotSearchedIsSaid(t *testing.T) {
	b, _, _ := opened(t, map[string]string{"big.log": strings.Repeat("a line of the log\n", 100_000), "a.md": "It rests.\n"})
	text, failed := call(b, "grep", object{"pattern": "line"})
	require.False(t, failed)
	require.Equal(t, "No line matches.\nNot searched, as no text or larger than 1 MiB: 1 of the files.", text)
	text, _ = call(b, "grep", object{"pattern": "rests"})
	require.Contains(t, text, "a.md:1: It rests.")
	require.Contains(t, text, "1 of the files")
}

func TestAnswersAreBounded(t *testing.T) {
	b, _, _ := opened(t, map[string]string{"long.md": strings.Repeat("a long line of a page\n", 20_000), "one.md": strings.Repeat("x", 100_000)})
	for _, arguments := range []object{{"path": "long.md"}, {"path": "one.md"}, {"path": "long.md", "limit": 1 << 30}} {
		text, failed := call(b, "read_file", arguments)
		require.False(t, failed)
		require.Less(t, len(text), 9000)
	}
	text, _ := call(b, "grep", object{"pattern": "long"})
	require.Less(t, len(text), 9000)
}

// served is a desk that offers tools of two kinds.
func served(t *testing.T) *toolbox.Desk {
	s := mcp.NewServer(&mcp.Implementation{Name: "desk"}, &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
	for _, name := range []string{"search_sources", "run_command", "record_claim"} {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "It does " + name}, func(_ context.Context, _ *mcp.CallToolRequest, in struct {
			Query string `json:"query,omitempty"`
		},
		) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{IsError: in.Query == "bad", Content: []mcp.Content{&mcp.TextContent{Text: name + " heard " + in.Query}}}, nil, nil
		})
	}
	in, toDesk := io.Pipe()
	fromDesk, out := io.Pipe()
	go func() { _ = out.CloseWithError(stdio.Serve(t.Context(), s, in, out)) }()
	return &toolbox.Desk{In: toDesk, Out: fromDesk}
}

func TestADesksToolsAreTakenOverButThoseThatRunSomething(t *testing.T) {
	b, err := toolbox.Open(t.Context(), toolbox.Options{Desk: served(t), Own: t.TempDir()})
	require.NoError(t, err)
	var names []string
	for _, tool := range b.Tools() {
		names = append(names, tool.Name)
		require.True(t, json.Valid(tool.Schema))
	}
	require.Equal(t, []string{"record_claim", "search_sources", "read_file", "list_files", "grep"}, names)
	text, failed := call(b, "search_sources", object{"query": "kettles"})
	require.False(t, failed)
	require.Equal(t, "search_sources heard kettles", text)
	text, failed = call(b, "search_sources", object{"query": "bad"})
	require.True(t, failed)
	require.Contains(t, text, "heard bad")
	require.NoError(t, b.Close())
}

func TestADeskThatIsNotThereIsSaid(t *testing.T) {
	in, toDesk := io.Pipe()
	fromDesk, out := io.Pipe()
	require.NoError(t, in.Close())
	require.NoError(t, out.Close())
	_, err := toolbox.Open(t.Context(), toolbox.Options{Desk: &toolbox.Desk{In: toDesk, Out: fromDesk}, Own: t.TempDir()})
	require.ErrorContains(t, err, "open the desk")
}

func TestRecordsAreLeftInTheSeatsFolderAndNowhereElse(t *testing.T) {
	b, own, scope := opened(t, map[string]string{"a.md": "fine"})
	write(t, own, map[string]string{"talk.json": "{}"})
	text, failed := call(b, "write_file", object{"path": filepath.Join(own, "sections", "plan", "vision.md"), "text": "# Vision"})
	require.False(t, failed, text)
	for range 2 {
		_, failed = call(b, "write_file", object{"path": "questions.jsonl", "text": `{"question": "Why?"}`, "append": true})
		require.False(t, failed)
	}
	data, err := os.ReadFile(filepath.Join(own, "questions.jsonl"))
	require.NoError(t, err)
	require.Equal(t, "{\"question\": \"Why?\"}\n{\"question\": \"Why?\"}\n", string(data))
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(own, "link")))
	for _, path := range []string{filepath.Join(scope, "a.md"), "../a.md", "/tmp/a.md", "link/a.md", "talk.json", "inputs/registry.md", "run.sh", "sections", "", "."} {
		_, failed = call(b, "write_file", object{"path": path, "text": "canary"})
		require.True(t, failed, path)
	}
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, left)

	reads, err := toolbox.Open(t.Context(), toolbox.Options{Own: own})
	require.NoError(t, err)
	defer reads.Close()
	_, failed = call(reads, "write_file", object{"path": "a.md", "text": "x"})
	require.True(t, failed, "who leaves no records has no such tool")
}
