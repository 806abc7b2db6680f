package render

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"

	"github.com/research-council/research-council/internal/base/job"
)

// pipe is a browser that is driven over two pipes, in the words of its DevTools protocol.
// It listens on no port.
type pipe struct {
	within context.Context // ends with the browser, or with whoever wanted it
	fail   context.CancelCauseFunc
	cmd    *exec.Cmd
	held   *job.Job
	to     *os.File
	from   *os.File
	read   chan struct{} // closed when nothing more is read
	clean  func()

	mu        sync.Mutex
	last      int
	waiting   map[int]chan message
	listeners map[string]func(message)
}

type message struct {
	ID      int             `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *refusal        `json:"error,omitempty"`
}

// refusal is what the browser says when it does not do what it is asked.
type refusal struct {
	Message string `json:"message"`
}

func (r *refusal) Error() string { return "the browser refuses: " + r.Message }

// maxMessage bounds what the browser may say at once, in bytes.
const maxMessage = 64 << 20

// errEnded says that the browser has ended by itself.
var errEnded = errors.New("the browser has ended, as one does that runs out of memory")

// listen has events of a session heard.
func (p *pipe) listen(session string, heard func(message)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listeners[session] = heard
}

// send asks for something and does not wait for an answer.
func (p *pipe) send(session, method string, params any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.write(session, method, params)
	return err
}

func (p *pipe) write(session, method string, params any) (id int, err error) {
	p.last++
	asked := map[string]any{"id": p.last, "method": method}
	if params != nil {
		asked["params"] = params
	}
	if session != "" {
		asked["sessionId"] = session
	}
	data, err := json.Marshal(asked)
	if err == nil {
		_, err = p.to.Write(append(data, 0))
	}
	return p.last, err
}

// call asks for something and reads the answer.
func (p *pipe) call(ctx context.Context, session, method string, params, answer any) error {
	got := make(chan message, 1)
	p.mu.Lock()
	id, err := p.write(session, method, params)
	p.waiting[id] = got
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case m := <-got:
		if m.Error != nil {
			return fmt.Errorf("%s: %w", method, m.Error)
		}
		if answer == nil {
			return nil
		}
		return json.Unmarshal(m.Result, answer)
	}
}

// readAll hands out what the browser says until it says nothing more.
func (p *pipe) readAll() {
	defer close(p.read)
	in := bufio.NewReaderSize(p.from, 64<<10)
	for {
		data, err := readMessage(in)
		if err != nil {
			p.fail(errEnded)
			return
		}
		var m message
		if json.Unmarshal(data, &m) != nil {
			p.fail(errors.New("the browser says what cannot be read"))
			return
		}
		p.mu.Lock()
		got, heard := p.waiting[m.ID], p.listeners[m.Session]
		delete(p.waiting, m.ID)
		p.mu.Unlock()
		switch {
		case m.ID != 0 && got != nil:
			got <- m
		case m.ID == 0 && heard != nil:
			heard(m)
		}
	}
}

// readMessage reads up to the byte that ends a message.
func readMessage(in *bufio.Reader) ([]byte, error) {
	var data []byte
	for {
		part, err := in.ReadSlice(0)
		data = append(data, part...)
		switch {
		case err == nil:
			return data[:len(data)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(data) > maxMessage:
			return nil, io.ErrShortBuffer
		}
	}
}

// reason is why a page could not be rendered, in words for people.
func (p *pipe) reason(ctx context.Context, err error) error {
	switch cause := context.Cause(p.within); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded):
		return errors.New("they came to no end")
	case ctx.Err() != nil:
		return ctx.Err()
	case cause != nil:
		return cause
	}
	return err
}

// end ends the browser, all of its processes and what it has kept.
func (p *pipe) end() {
	p.fail(errEnded)
	_ = p.held.Kill(p.cmd.Process) // that it has gone is fine
	_ = p.cmd.Wait()               // how it ended is of no interest
	_, _ = p.to.Close(), p.from.Close()
	<-p.read
	p.held.Close()
	p.clean()
}
