// Package mcp gives the runs of a project to any MCP client, as tools: a council is
// planned, begun after a yes, watched, read and steered from whatever session has
// this server.
//
// Whoever calls a tool is a model, and what it was led to by a page it has read is
// not what a person wants. So a run is begun in two steps: a plan with its estimate
// and a code for exactly that plan, then the code; and where the client can ask the
// person itself, it is the person's answer that counts. What only a person may say
// has no tool here. A run is never the connection's: it goes on when the client
// leaves.
//
// Runs are read as by the other doors and steered by package control. What comes
// from questions, agents and sources is data: bounded, without what could deceive a
// terminal, and named as what a source says.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/stdio"
	"github.com/research-council/research-council/internal/host/program"
)

// Options say whose runs are served.
type Options struct {
	Env     program.Env // answers go to its Stdout, calls come from its Stdin
	Project string      // the folder with the runs, absolute
	Unfit   string      // why no run can be begun in it; "" where one can
}

// Server answers the calls of one client.
type Server struct {
	Options
	now   func() time.Time
	plans plans
	asked asked
	kept  keptRegistry

	steering sync.Mutex // held while something is done to a run

	mu      sync.Mutex
	begun   string            // the run this client has begun last
	reports map[string]string // by run the version of the report whose parts the client reads
}

// Serve answers calls until the client leaves, which is no error, or ctx is done. What is
// being done to a run then is done whole.
func Serve(ctx context.Context, o Options) error {
	in, out := o.Env.Stdin, o.Env.Stdout
	s := newServer(o)
	err := stdio.Serve(ctx, s.server(), in, out)
	s.steering.Lock() // for good: nothing is begun any more
	return err
}

func newServer(o Options) *Server {
	s := &Server{Options: o, now: time.Now, reports: map[string]string{}}
	s.Env.Stdin, s.Env.Stdout, s.Env.Stderr = bytes.NewReader(nil), io.Discard, io.Discard // nobody at a terminal is meant
	return s
}

// about is what a client is told of the server.
const about = `Research councils: several agents research one question for minutes to hours, and a program checks every quotation. Begin one with plan_council, show the person its plan and estimate, and call start_council only after their yes. A run goes on by itself, also when this session ends: use wait (again and again) or status, then report, claims and passage.`

func (s *Server) server() *sdk.Server {
	server := sdk.NewServer(
		&sdk.Implementation{Name: "research-council", Title: "Research council", Version: s.Env.Version},
		&sdk.ServerOptions{Instructions: about, Logger: slog.New(slog.DiscardHandler), Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}},
	)
	s.addTools(server)
	server.AddReceivingMiddleware(s.guard)
	return server
}

// Bounds of what comes and goes.
const (
	maxArguments = 4 << 20 // bytes of a call's arguments, as JSON
	maxError     = 700     // runes of an error
	maxText      = 12_000  // bytes of an answer's text; with the same as data it stays below what hosts warn of
)

// guard makes a failure of a tool an answer of one line that the model can read and act
// on, and lets no seat of a run use the tools: it would read its rivals.
func (s *Server) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		if method != "tools/call" {
			return next(ctx, method, req)
		}
		defer func() {
			if p := recover(); p != nil {
				result, err = refusal(fmt.Sprintf("the server failed: %v", p)), nil
			}
		}()
		p, ok := req.GetParams().(*sdk.CallToolParamsRaw)
		switch {
		case ok && s.Env.Getenv(agent.ChildVariable) != "":
			return refusal("a seat of a run has no councils: it neither begins nor reads one"), nil
		case ok && len(p.Arguments) > maxArguments:
			return refusal(fmt.Sprintf("the arguments are too long: %d bytes, at most %d are taken", len(p.Arguments), maxArguments)), nil
		}
		result, err = next(ctx, method, req)
		if err != nil && !errors.As(err, new(*jsonrpc.Error)) {
			return refusal(s.inWords(err.Error())), nil
		}
		if err != nil {
			return nil, err
		}
		if r, is := result.(*sdk.CallToolResult); is && r.IsError && len(r.Content) == 1 {
			text, _ := r.Content[0].(*sdk.TextContent)
			r.Content, r.StructuredContent = refusal(s.inWords(withArguments(p.Name, text.Text))).Content, nil
		}
		return result, nil
	}
}

func refusal(why string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: content(plain.Line(why, maxError))}
}

func content(text string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: text}} }

// said is an answer in words.
func said(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: content(bounded(text, maxText))}
}

// bounded cuts a text to so many bytes, at a character.
func bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:runeStart(text, most-len("…"))] + "…"
}

// inWords says what will not do by the names of arguments, not of flags.
func (s *Server) inWords(text string) string {
	return strings.NewReplacer(
		" by a relative path, or add --scope-outside", " by a relative path", ", or add --scope-outside", "", "; --scope names another folder", "; scope names another folder", "name it with --scope", "name that as scope", "--scope ", "scope ", "--seats ", "seats ", "--tier ", "tier ", "--state ", "state ",
	).Replace(text)
}

// withArguments adds to what is wrong with the arguments of a tool which there are.
func withArguments(name, text string) string {
	rest, is := strings.CutPrefix(text, `validating "arguments": `)
	if !is {
		return text
	}
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == name })
	if i < 0 {
		return rest
	}
	var schema struct {
		Required   []string
		Properties map[string]struct{ Enum []string }
	}
	if err := json.Unmarshal([]byte(tools[i].in), &schema); err != nil {
		return rest
	}
	var names []string
	for name, p := range schema.Properties {
		if slices.Contains(schema.Required, name) {
			name += " (needed)"
		}
		if len(p.Enum) > 0 {
			name += " (" + strings.Join(p.Enum, ", ") + ")"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return fmt.Sprintf("%s takes %s. %s", name, strings.Join(names, ", "), plain.Line(rest, 200))
}
