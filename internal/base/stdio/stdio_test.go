package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/stdio"
)

const (
	hello       = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	ping        = `{"jsonrpc":"2.0","id":"last","method":"ping"}`
)

// answers are the lines a server without tools answers some lines and a last ping with.
func answers(t testing.TB, lines ...string) []string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
	server, client := io.Pipe()
	from, to := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- stdio.Serve(context.Background(), s, server, to)
		_ = to.Close() // a pipe always closes
	}()
	go func() { // a server that is at its end reads no more
		_, _ = io.WriteString(client, strings.Join(append(lines, ping), "\n")+"\n")
	}()
	var got []string
	for said := bufio.NewReader(from); ; { // calls are answered in any order: until the server is at its end
		line, err := said.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, got)
		got = append(got, strings.TrimSuffix(line, "\n"))
		if strings.Contains(line, `"id":"last"`) {
			_ = client.Close() // a pipe always closes
		}
	}
	require.NoError(t, <-done)
	return got
}

// What is no message is answered as JSON-RPC has it, with the id where there is one, and
// the next message too.
func TestWhatIsNoMessageIsAnswered(t *testing.T) {
	const refused = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`
	const unread = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`
	for line, want := range map[string]string{
		"hello": unread, `{"bad json`: unread, "\xff\xff": unread, `{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"ping"}`: unread,
		`{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":NaN}}`: unread, strings.Repeat("[", 100_000): unread,
		`{"jsonrpc":"2.0","id":3,"method":"ping"}{"jsonrpc":"2.0","id":4,"method":"ping"}`: unread,
		"5": refused, "null": refused, `"ping"`: refused, "[]": refused, "[5]": refused, "{}": refused, `{"jsonrpc":"2.0"}`: refused,
		`[{"jsonrpc":"2.0","id":3,"method":"ping"}]`: refused,
		`{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`: refused,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                             refused,
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`:                             refused,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:                               refused,
		`{"jsonrpc":"2.0","id":[1],"method":"ping"}`:                              refused,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                              refused,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`:                 refused,
		`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`:                            refused,
		`{"id":3,"method":"ping"}`:                                                `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`,
		`{"jsonrpc":"1.0","id":"x","method":"ping"}`:                              `{"jsonrpc":"2.0","id":"x","error":{"code":-32600,`,
		`{"jsonrpc":2.0,"id":3,"method":"ping"}`:                                  `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":3,"method":5}`:                                     `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":3,"METHOD":"ping"}`:                                `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":3,"method":"ping","result":{}}`:                    `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":[1]}`:             `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,`,
		strings.ReplaceAll(hello, "hello", "again"):                               `{"jsonrpc":"2.0","id":"again","error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":3,"method":"` + strings.Repeat("x", 17<<20) + `"}`: refused,
	} {
		got := answers(t, hello, initialized, line)
		require.Len(t, got, 3, "%.100s: %.300v", line, got)
		require.True(t, slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, want) }), "%.100s: %.300s", line, got)
	}
}

func TestWhatIsAMessageStaysOne(t *testing.T) {
	for line, want := range map[string]string{
		"":                                      "",
		" \t\r":                                 "",
		`{"jsonrpc":"2.0","id":77,"result":{}}`: "",
		`{"jsonrpc":"2.0","id":7,"error":5}`:    "",
		`{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"x"}}`:                                               "",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}`:                                     "",
		`{"jsonrpc":"2.0","id":3,"method":"ping"}` + "  \r":                                                                   `"id":3,"result":{}`,
		"\t" + `{"jsonrpc":"2.0","id":"3","method":"ping","params":null}`:                                                     `"id":"3","result":{}`,
		`{"jsonrpc":"2.0","id":-9007199254740991,"method":"ping"}`:                                                            `"id":-9007199254740991,"result":{}`,
		`{"jsonrpc":"2.0","id":"☃ \" \\ \n","method":"ping"}`:                                                                 `"id":"☃ \" \\ \n","result":{}`,
		`{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`: `"id":3,"result":{}`,
	} {
		got := answers(t, hello, initialized, line)
		require.Contains(t, strings.Join(got, "\n"), want, line)
		require.Len(t, got, map[bool]int{true: 2, false: 3}[want == ""], line)
	}
	require.Contains(t, answers(t, "\ufeff"+hello)[0], `"id":"hello","result"`)
}

// A call that nobody answers holds nothing up once the input has ended, and a context that
// is done ends it all.
func TestServingEnds(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
	mcp.AddTool(s, &mcp.Tool{Name: "hang"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		select {}
	})
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang","arguments":{}}}`
	require.NoError(t, stdio.Serve(t.Context(), s, strings.NewReader(hello+"\n"+initialized+"\n"+call+"\n"+call), io.Discard))
	ctx, cancel := context.WithCancel(t.Context())
	in, client := io.Pipe()
	defer client.Close()
	go func() {
		_, _ = io.WriteString(client, hello+"\n"+initialized+"\n"+call+"\n")
		cancel()
	}()
	require.True(t, errors.Is(stdio.Serve(ctx, s, in, io.Discard), context.Canceled))
}

// Whatever comes, each line that goes is one message, and the last call is answered.
func FuzzServe(f *testing.F) {
	for _, line := range []string{"hello", "[" + ping + "]", `{"jsonrpc":"2.0","id":1e3,"method":"tools/call","params":{}}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"x"}}`, "\ufeff{}", `{"jsonrpc":"2.0","id":9,"result":null}`, "a\nb\r\n{"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "last") || strings.Contains(line, "hello") {
			t.Skip("it answers for others")
		}
		for _, got := range answers(t, hello, initialized, line) {
			require.True(t, json.Valid([]byte(got)) && utf8.ValidString(got), "%q", got)
		}
	})
}
