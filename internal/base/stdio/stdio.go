// Package stdio is MCP's stdio transport, one JSON-RPC message a line, for servers
// that do not fall over what a client sends. A line that is no message is answered
// with a JSON-RPC error and the next one is read; what a message says is left to
// the server.
package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/base/jsonl"
)

// Bounds of what a client sends.
const (
	maxMessageBytes = 16 << 20 // of a message: far above what a call may hold, so that one which holds too much is still answered as a call
	maxPending      = 512      // calls that are not answered yet; beyond, nothing more is read until one is
)

// shutdownTimeout is how long calls under way may take once nobody asks any more:
// what was asked just before is still answered, and no host waits for a page.
const shutdownTimeout = 500 * time.Millisecond

// Serve has a server answer until the input ends, which is no error, or ctx is done,
// which is that of ctx.
func Serve(ctx context.Context, s *mcp.Server, in io.Reader, out io.Writer) error {
	t := newTransport(in, out)
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.Run(run, t) }()
	select {
	case err := <-done:
		return err
	case <-t.ended:
	case <-ctx.Done():
	}
	select {
	case <-done: // whatever else
	case <-time.After(2 * shutdownTimeout): // a call does not heed that it is given up
	}
	return ctx.Err()
}

// transport is one connection.
type transport struct {
	lines  chan line
	closed chan struct{}
	ended  chan struct{} // closed when the input is at its end
	once   sync.Once

	mu       sync.Mutex
	out      io.Writer
	pending  map[jsonrpc.ID]bool // calls that have not been answered
	answered chan struct{}       // holds one when a call has been answered
}

type line struct {
	data  []byte
	long  bool
	first bool
	err   error
}

func newTransport(in io.Reader, out io.Writer) *transport {
	t := &transport{lines: make(chan line), closed: make(chan struct{}), ended: make(chan struct{}), answered: make(chan struct{}, 1), pending: map[jsonrpc.ID]bool{}, out: out}
	go t.readLines(bufio.NewReader(in))
	return t
}

// readLines reads until the input ends. Reading stdin cannot be interrupted: the
// goroutine may outlive the connection, as long as the process.
func (t *transport) readLines(in *bufio.Reader) {
	defer close(t.ended)
	for first := true; ; first = false {
		data, size, err := jsonl.ReadLine(in, nil, maxMessageBytes)
		l := line{data, size > maxMessageBytes, first, err}
		select {
		case t.lines <- l:
		case <-t.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// Connect makes the transport its own connection: there is one.
func (t *transport) Connect(context.Context) (mcp.Connection, error) { return t, nil }

// SessionID is empty: the connection is the session.
func (t *transport) SessionID() string { return "" }

// Read gives the next message. The connection takes the end for a reason to
// give up whatever is under way, so that it is told when that is answered.
func (t *transport) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if err := t.waitForCalls(ctx, maxPending-1, nil); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-t.closed:
			return nil, io.EOF
		case <-t.ended:
			if err := t.waitForCalls(ctx, 0, time.After(shutdownTimeout)); err != nil {
				return nil, err
			}
			return nil, io.EOF
		case l := <-t.lines:
			if msg, err := t.take(l); msg != nil || err != nil {
				return msg, err
			}
		}
	}
}

// waitForCalls waits until at most so many calls are not answered yet, or it is enough.
func (t *transport) waitForCalls(ctx context.Context, most int, enough <-chan time.Time) error {
	for t.pendingCalls() > most {
		select {
		case <-t.answered:
		case <-ctx.Done():
			return ctx.Err()
		case <-t.closed:
			return io.EOF
		case <-enough:
			return io.EOF
		}
	}
	return nil
}

func (t *transport) pendingCalls() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.pending)
}

// take decodes a line; nil for one that holds no message, which has been answered.
func (t *transport) take(l line) (jsonrpc.Message, error) {
	if l.long {
		return nil, t.refuse(&fault{jsonrpc.CodeInvalidRequest, nil, fmt.Sprintf("the message is longer than %d KiB", maxMessageBytes>>10)})
	}
	msg, fault := decode(l.data, l.first)
	if fault != nil {
		return nil, t.refuse(fault)
	}
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
		t.mu.Lock()
		twice := t.pending[r.ID]
		t.pending[r.ID] = true
		t.mu.Unlock()
		if twice {
			return nil, t.refuse(invalid(nil, "the id is that of a call under way"))
		}
	}
	return msg, nil
}

// refuse answers what was no message.
func (t *transport) refuse(f *fault) error {
	id := f.id
	if id == nil {
		id = json.RawMessage("null")
	}
	return t.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, f.code, f.message))
}

// Write sends a message.
func (t *transport) Write(_ context.Context, msg jsonrpc.Message) error {
	response, is := msg.(*jsonrpc.Response)
	if is && response.Error != nil && !errors.As(response.Error, new(*jsonrpc.Error)) {
		copied := *response // without a code it would be 0, which is none
		copied.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: response.Error.Error()}
		msg = &copied
	}
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode an answer: %w", err)
	}
	if err := t.write(data); err != nil {
		return err
	}
	if is {
		t.mu.Lock()
		delete(t.pending, response.ID)
		t.mu.Unlock()
		select {
		case t.answered <- struct{}{}:
		default: // it holds one
		}
	}
	return nil
}

func (t *transport) write(data []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := t.out.Write(append(data, '\n'))
	return err
}

// Close ends Read.
func (t *transport) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}
