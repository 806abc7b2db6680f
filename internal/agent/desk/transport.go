package desk

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/base/jsonl"
)

// maxMessageBytes bounds a message of the client, in bytes. It is far above what a
// call may hold, so that one which holds too much is still answered as a call.
const maxMessageBytes = 16 << 20

// stdioTransport is MCP's stdio transport, one JSON-RPC message a line. A line that is no
// message is answered with an error and the next one is read: an agent's slip
// must not take its desk away.
type stdioTransport struct {
	lines  chan line
	closed chan struct{}
	ended  chan struct{} // closed when the input is at its end
	once   sync.Once

	mu       sync.Mutex
	out      io.Writer
	pending  int           // calls that have not been answered
	answered chan struct{} // holds one when a call has been answered
}

type line struct {
	data []byte
	long bool
	err  error
}

func newStdioTransport(in io.Reader, out io.Writer) *stdioTransport {
	w := &stdioTransport{lines: make(chan line), closed: make(chan struct{}), ended: make(chan struct{}), answered: make(chan struct{}, 1), out: out}
	go w.readLines(bufio.NewReader(in))
	return w
}

// readLines reads until the input ends. Reading stdin cannot be interrupted: the
// goroutine may outlive the connection, as long as the process.
func (w *stdioTransport) readLines(in *bufio.Reader) {
	defer close(w.ended)
	for {
		data, size, err := jsonl.ReadLine(in, nil, maxMessageBytes)
		l := line{data, size > maxMessageBytes, err}
		select {
		case w.lines <- l:
		case <-w.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// Connect makes the wire its own connection: there is one.
func (w *stdioTransport) Connect(context.Context) (mcp.Connection, error) { return w, nil }

// SessionID is empty: the connection is the session.
func (w *stdioTransport) SessionID() string { return "" }

// Read gives the next message. The connection takes the end for a reason to
// give up whatever is under way, so that it is told when that is answered.
func (w *stdioTransport) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-w.closed:
			return nil, io.EOF
		case <-w.ended:
			return nil, w.waitForCalls(ctx)
		case l := <-w.lines:
			if msg, err := w.decodeLine(l); msg != nil || err != nil {
				return msg, err
			}
		}
	}
}

// shutdownTimeout is how long calls under way may take once nobody asks any more:
// what was asked just before is still answered, and no host waits for a page.
const shutdownTimeout = 500 * time.Millisecond

// waitForCalls waits until all calls are answered, for so long.
func (w *stdioTransport) waitForCalls(ctx context.Context) error {
	enough := time.After(shutdownTimeout)
	for w.pendingCalls() > 0 {
		select {
		case <-w.answered:
		case <-ctx.Done():
			return ctx.Err()
		case <-w.closed:
			return io.EOF
		case <-enough:
			return io.EOF
		}
	}
	return io.EOF
}

func (w *stdioTransport) pendingCalls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending
}

// decodeLine decodes a line; nil for one that holds none.
func (w *stdioTransport) decodeLine(l line) (jsonrpc.Message, error) {
	if l.long {
		return nil, w.writeError(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d KiB", maxMessageBytes>>10))
	}
	if blank(l.data) {
		return nil, nil
	}
	msg, err := jsonrpc.DecodeMessage(l.data)
	if err != nil || !json.Valid(l.data) { // decoding alone passes over what follows
		return nil, w.writeError(jsonrpc.CodeParseError, "the line is no JSON-RPC message")
	}
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
		w.mu.Lock()
		w.pending++
		w.mu.Unlock()
	}
	return msg, nil
}

func blank(data []byte) bool {
	for _, c := range data {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// writeError answers what has no id to answer to.
func (w *stdioTransport) writeError(code int, message string) error {
	return w.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, message))
}

// Write sends a message.
func (w *stdioTransport) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode an answer: %w", err)
	}
	if err := w.write(data); err != nil {
		return err
	}
	if _, ok := msg.(*jsonrpc.Response); ok {
		w.mu.Lock()
		w.pending--
		w.mu.Unlock()
		select {
		case w.answered <- struct{}{}:
		default: // it holds one
		}
	}
	return nil
}

func (w *stdioTransport) write(data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.out.Write(append(data, '\n'))
	return err
}

// Close ends Read.
func (w *stdioTransport) Close() error {
	w.once.Do(func() { close(w.closed) })
	return nil
}
