package desk

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/base/stdio"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// Session is the desk of a person's session: it is started with the session,
// long before there is anything to research, and serves whichever seat the
// session sits in when a tool is called.
type Session struct {
	// Find says whose desk it is now: Run, Seat and Dir. Its error is what
	// every tool answers. It is asked at each call.
	Find func() (Options, error)
	// Equip adds what the seat's desk needs beside, once for each Dir.
	Equip   func(Options) (Options, error)
	Version string // of the program, told to the client
	// Needed says whether the tools are listed now; they are always where it is
	// nil. It is asked every [lookEvery], and has to be cheap.
	Needed func() bool
	// Kinds are what of the web can be searched now; nil, or none, for nothing.
	Kinds func() []engine.Kind

	mu    sync.Mutex
	desks map[string]*Desk // by Dir; each is kept, since a call may still be under way at it
}

// lookEvery is how often it is asked whether the tools are needed: a session that has begun
// a campaign may call an agent for it at once, and that is offered what is listed then.
const lookEvery = 100 * time.Millisecond

// sessionDescription tells the session what the desk is for.
const sessionDescription = `The desk of the research council's campaigns. Its tools are listed while this session has one, and answer only while an iteration of it is under way.`

// Serve answers calls until in ends, which is no error, or ctx is done. Until a
// tool is called it touches nothing.
func (s *Session) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	own := server(s.Version, sessionDescription, s.Needed != nil)
	ctx, end := context.WithCancel(ctx)
	var listing sync.WaitGroup
	if s.Needed == nil {
		addTools(own, false, s.desk)
		s.addWebSearch(own)
	} else {
		listing.Go(func() { s.list(ctx, own) })
	}
	err := stdio.Serve(ctx, own, in, out)
	end()
	listing.Wait()
	return errors.Join(err, s.close())
}

// list lists the tools while they are needed; the client is told of each change.
func (s *Session) list(ctx context.Context, own *mcp.Server) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for listed := false; ; {
		needed := s.Needed()
		switch {
		case needed && !listed:
			addTools(own, false, s.desk)
			s.addWebSearch(own)
		case !needed && listed:
			own.RemoveTools(append([]string{webTool}, toolNames...)...)
		}
		listed = needed
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// addWebSearch adds the search of the web where there is any.
func (s *Session) addWebSearch(own *mcp.Server) {
	if s.Kinds == nil {
		return
	}
	if kinds := s.Kinds(); len(kinds) > 0 {
		addWebSearch(own, kinds, s.desk)
	}
}

// desk is the one that answers now.
func (s *Session) desk() (*Desk, error) {
	o, err := s.Find()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := filepath.Clean(o.Dir)
	if d, ok := s.desks[at]; ok {
		return d, nil
	}
	if o, err = s.Equip(o); err != nil {
		return nil, err
	}
	d, err := Open(o)
	if err != nil {
		return nil, err
	}
	if s.desks == nil {
		s.desks = map[string]*Desk{}
	}
	s.desks[at] = d
	return d, nil
}

func (s *Session) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, d := range s.desks {
		err = errors.Join(err, d.Close())
	}
	return err
}
