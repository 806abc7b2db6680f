package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/control"
	"github.com/research-council/research-council/internal/host/view"
)

type noteArgs struct {
	Run  string `json:"run"`
	Text string `json:"text"`
}

type noteResult struct {
	Run     string `json:"run"`
	Note    string `json:"note"`
	Reaches string `json:"reaches"`
}

// note is the tool note. The person is asked where they can be; else it is left as by the
// command line, which refuses it where an agent is known to have started this.
func (s *Server) note(_ context.Context, req *sdk.CallToolRequest, in noteArgs) (*sdk.CallToolResult, noteResult, error) {
	id, err := s.named(in.Run)
	if err != nil {
		return nil, noteResult{}, err
	}
	r, err := supervisor.Read(s.Project, id)
	if err != nil {
		return nil, noteResult{}, err
	}
	env := s.Env
	if canAsk(req) {
		question := fmt.Sprintf("A note to those who work on run %s, in your name:\n\n%s\n\nLeave it?", id, cut(in.Text, maxText/2))
		word, ask := s.asked.answer(req, "note "+id+"\x00"+in.Text, question, "Leave it")
		if ask != nil {
			return ask, noteResult{}, nil
		}
		if word != agreed {
			return nil, noteResult{}, errors.New("the person has not said yes, and no note was left: " + notAsked)
		}
		env = caller.ForPerson(env)
	}
	s.steering.Lock()
	defer s.steering.Unlock()
	kept, err := control.Note(env, s.Project, r, in.Text)
	if err != nil {
		return nil, noteResult{}, err
	}
	out := noteResult{Run: id, Note: plain.Line(kept, 400), Reaches: control.NoteReaches(r)}
	return said(fmt.Sprintf("Noted for run %s; %s.\n", id, out.Reaches)), out, nil
}

// named is the run that a call has to name.
func (s *Server) named(word string) (string, error) {
	if word == "" {
		return "", fmt.Errorf("say which run; there are %s", named(s.ids()))
	}
	return s.pick(word)
}

type cancelResult struct {
	Says      string `json:"says"`
	Run       string `json:"run"`
	State     string `json:"state"`
	Cancelled bool   `json:"cancelled"` // by this call
}

// cancel is the tool cancel. Giving up the call gives up nothing of it.
func (s *Server) cancel(ctx context.Context, _ *sdk.CallToolRequest, in runArgs) (*sdk.CallToolResult, cancelResult, error) {
	id, err := s.named(in.Run)
	if err != nil {
		return nil, cancelResult{}, err
	}
	s.steering.Lock()
	defer s.steering.Unlock()
	st := s.statusOf(id)
	if st.Status != unreadable && !st.IsOpen() {
		word := strings.ReplaceAll(st.Status, "_", " ")
		text := fmt.Sprintf("Run %s has ended already (%s, %s); nothing was changed.\n", id, word, st.At.UTC().Format("2006-01-02 15:04:05 UTC"))
		return said(text), cancelResult{Says: text, Run: id, State: st.Status}, nil
	}
	if err := control.Cancel(context.WithoutCancel(ctx), s.Env, s.Project, id); err != nil {
		return nil, cancelResult{}, err
	}
	st = s.statusOf(id)
	text := fmt.Sprintf("Run %s is cancelled; nothing of it runs any more. It cost %s. What was found is kept in %s.\n", id, view.Cost(st), st.Folder)
	s.mu.Lock()
	if s.begun != id {
		text += "It was begun by somebody else than this session.\n"
	}
	s.mu.Unlock()
	return said(text), cancelResult{Says: text, Run: id, State: st.Status, Cancelled: true}, nil
}
