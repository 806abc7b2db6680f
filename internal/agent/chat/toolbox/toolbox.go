// Package toolbox is what a chat seat's model can do: the tools of its desk that
// look things up and record claims, and three that read files.
//
// It promises that nothing is run; that nothing is written but what the desk records
// and, for who leaves records in its folder, files of such names there; that files are read in the folders it is opened for and nowhere else, none of which
// the name says that it holds a secret; and that every answer is bounded. What an
// answer says is foreign: telling the model so is left to who asks.
package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/base/plain"
)

// Desk is where a desk is spoken with, over MCP.
type Desk struct {
	In  io.WriteCloser // what it reads
	Out io.ReadCloser  // what it says
}

// Box is the tools of one turn.
type Box struct {
	session *mcp.ClientSession // with the desk; nil for none
	tools   []chat.Tool
	files   *files
}

// deskTools are the tools that are taken from a desk. Whatever else it offers, such
// as to run a command, a model behind a server is not given.
var deskTools = []string{"search_web", "fetch_source", "search_sources", "record_claim", "withdraw_claim", "list_claims", "open_questions"}

// Options say what a turn may do.
type Options struct {
	Desk    *Desk    // nil for none
	Own     string   // the seat's folder
	Folders []string // that may be read beside it
	Records bool     // files may be left in the seat's folder
}

// Open opens the tools.
func Open(ctx context.Context, o Options) (*Box, error) {
	b := &Box{}
	var err error
	if b.files, err = openFiles(o); err != nil {
		return nil, err
	}
	if o.Desk != nil {
		if err := b.connect(ctx, *o.Desk); err != nil {
			return nil, errors.Join(fmt.Errorf("open the desk: %w", err), b.Close())
		}
	}
	b.tools = append(b.tools, fileTools...)
	if o.Records {
		b.tools = append(b.tools, writeFile)
	}
	return b, nil
}

// connect takes over the tools of a desk.
func (b *Box) connect(ctx context.Context, desk Desk) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "research-council chat seat"}, nil)
	var err error
	if b.session, err = client.Connect(ctx, &mcp.IOTransport{Reader: desk.Out, Writer: desk.In}, nil); err != nil {
		return err
	}
	for tool, err := range b.session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if !slices.Contains(deskTools, tool.Name) {
			continue
		}
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			return err
		}
		b.tools = append(b.tools, chat.Tool{Name: tool.Name, Description: tool.Description, Schema: schema})
	}
	return nil
}

// Close gives desk and folders back.
func (b *Box) Close() error {
	var err error
	if b.session != nil {
		err = b.session.Close()
	}
	return errors.Join(err, b.files.close())
}

// Tools are the tools, the desk's first.
func (b *Box) Tools() []chat.Tool { return b.tools }

// Call answers a call in about so many bytes at most.
func (b *Box) Call(ctx context.Context, c chat.Call, limit int) (text string, failed bool) {
	text, err := b.files.call(ctx, c, limit)
	if errors.Is(err, errNotMine) {
		text, err = b.ask(ctx, c)
	}
	if err != nil {
		return plain.Line(err.Error(), maxErrorRunes), true
	}
	return cut(text, limit), false
}

// maxErrorRunes bounds what is said of a call that failed.
const maxErrorRunes = 1500

// errNotMine is that a tool is the desk's.
var errNotMine = errors.New("it is no tool that reads files")

// ask has the desk answer.
func (b *Box) ask(ctx context.Context, c chat.Call) (string, error) {
	if b.session == nil {
		return "", fmt.Errorf("there is no tool %q", c.Name)
	}
	result, err := b.session.CallTool(ctx, &mcp.CallToolParams{Name: c.Name, Arguments: json.RawMessage(c.Arguments)})
	if err != nil {
		return "", err
	}
	var parts []string
	for _, content := range result.Content {
		if t, ok := content.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	text := strings.Join(parts, "\n")
	if result.IsError {
		return "", errors.New(text)
	}
	return text, nil
}

// cut is a text of so many bytes at most, and says so where it was longer.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return fmt.Sprintf("%s\n[cut: %d of %d bytes are shown; ask for less at once]", strings.ToValidUTF8(text[:limit], ""), limit, len(text))
}
