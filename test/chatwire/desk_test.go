package chatwire

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/agent/chat/toolbox"
	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/base/stdio"
)

// page is what a fetch of an address finds.
type page struct {
	Title, Text, Then string
	PadToTokens       int `yaml:"pad_to_tokens"`
}

// words are the text of the page.
func (p page) words() string {
	var b strings.Builder
	b.WriteString(p.Text)
	for b.Len() < 4*p.PadToTokens {
		b.WriteString("honey ")
	}
	return b.String() + p.Then
}

// desk stands in for a research desk: it has its tools, the pages of a case, and
// forgets nothing that is recorded.
type desk struct {
	t     *testing.T
	pages map[string]page
	found map[string]string // of a search

	mu     sync.Mutex
	asked  map[string][]string // what reached a tool
	claims []claim
	made   int
}

type claim struct{ id, text string }

func newDesk(t *testing.T, usual map[string]yaml.Node, own map[string]page) *desk {
	d := &desk{t: t, pages: map[string]page{}, found: map[string]string{}, asked: map[string][]string{}}
	for name, node := range usual {
		if name != "search_web" {
			var p page
			require.NoError(t, node.Decode(&p))
			d.pages[name] = p
			continue
		}
		var results map[string][]map[string]string
		require.NoError(t, node.Decode(&results))
		for query, list := range results {
			data, err := json.Marshal(list)
			require.NoError(t, err)
			d.found[query] = string(data)
		}
	}
	maps.Copy(d.pages, own)
	return d
}

// given are the arguments of the desk's tools.
type given struct {
	Query, URL, Text, Source, Quote, ID string
	Limit                               int
}

// serve is the desk over MCP.
func (d *desk) serve(ctx context.Context) *toolbox.Desk {
	s := mcp.NewServer(&mcp.Implementation{Name: "desk"}, &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
	for name, needs := range map[string][]string{
		"search_web": {"query"}, "fetch_source": {"url"}, "search_sources": {"query"}, "record_claim": {"text"}, "withdraw_claim": {"id"}, "list_claims": {}, "open_questions": {},
	} {
		schema := json.RawMessage(`{"type":"object"}`)
		s.AddTool(&mcp.Tool{Name: name, Description: "The desk's.", InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, ok := d.call(name, needs, r.Params.Arguments)
			return &mcp.CallToolResult{IsError: !ok, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		})
	}
	in, toDesk := io.Pipe()
	fromDesk, out := io.Pipe()
	go func() { _ = out.CloseWithError(stdio.Serve(ctx, s, in, out)) }()
	return &toolbox.Desk{In: toDesk, Out: fromDesk}
}

func (d *desk) call(name string, needs []string, arguments json.RawMessage) (string, bool) {
	var in given
	var has map[string]any
	if json.Unmarshal(arguments, &in) != nil || json.Unmarshal(arguments, &has) != nil {
		return "the arguments cannot be read", false
	}
	for _, n := range needs {
		if has[n] == nil {
			return "the parameter " + n + " is missing", false
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked[name] = append(d.asked[name], in.Query+in.URL)
	return d.answer(name, in)
}

func (d *desk) answer(name string, in given) (string, bool) {
	switch name {
	case "search_web":
		if found := d.found[in.Query]; found != "" {
			return found, true
		}
		return "[]", true
	case "fetch_source":
		address, _, _ := strings.Cut(in.URL, "#")
		p, ok := d.pages[address]
		if !ok {
			return "there is no such page", false
		}
		text := p.words()
		if in.Limit > 0 && len(text) > in.Limit {
			text = text[:in.Limit] + " [more follows]"
		}
		return address + "\n" + p.Title + "\n" + text, true
	case "record_claim":
		d.made++
		d.claims = append(d.claims, claim{fmt.Sprintf("C%d", d.made), in.Text})
		return fmt.Sprintf("C%d is recorded.", d.made), true
	case "withdraw_claim":
		left := len(d.claims)
		d.claims = slices.DeleteFunc(d.claims, func(c claim) bool { return c.id == in.ID })
		return in.ID + " is withdrawn.", len(d.claims) < left
	}
	var b strings.Builder
	for _, c := range d.claims {
		fmt.Fprintf(&b, "%s: %s\n", c.id, c.text)
	}
	return "They are:\n" + b.String(), true
}

func (d *desk) idOf(text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.claims {
		if c.text == text {
			return c.id
		}
	}
	return ""
}

// lay lays the files of a case into a folder.
func lay(t *testing.T, scope string, files map[string]yaml.Node) {
	require.NoError(t, os.MkdirAll(scope, 0o755))
	for name, node := range files {
		path := filepath.Join(scope, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if node.Kind == yaml.ScalarNode {
			require.NoError(t, os.WriteFile(path, []byte(node.Value), 0o600))
			continue
		}
		var special struct {
			Symlink, Repeat, Base64 string
			FIFO                    bool `yaml:"fifo"`
			Bytes                   int
		}
		require.NoError(t, node.Decode(&special))
		switch {
		case special.Symlink != "":
			require.NoError(t, os.Symlink(special.Symlink, path))
		case special.FIFO:
			require.NoError(t, proctest.NamedPipe(path))
		case special.Base64 != "":
			data, err := base64.StdEncoding.DecodeString(special.Base64)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, data, 0o600))
		default:
			text := strings.Repeat(special.Repeat, special.Bytes/len(special.Repeat))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
	}
}
