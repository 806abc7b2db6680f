package mcp

import (
	"crypto/rand"
	"encoding/json"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What the person says who is asked by their client.
const (
	agreed    = "yes"
	no        = "no"
	dismissed = "" // they have closed it, or nobody was there
)

// notAsked says what a question without an answer comes to.
const notAsked = "they have closed the question, or nobody is there to be asked. A person begins a run in a session where they see the question, or in a terminal (council run)"

// asked are the questions that a client has been given for the person and has not
// answered yet, by a word of the server's that comes back with the answer.
type asked struct {
	mu   sync.Mutex
	open map[string]string // what each is about
}

// mostAsked bounds how many wait for an answer.
const mostAsked = 64

// canAsk reports whether the client can put a form to the person.
func canAsk(req *sdk.CallToolRequest) bool {
	p := req.Session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return false
	}
	c := p.Capabilities.Elicitation
	return c.Form != nil || c.URL == nil // neither named is a form, as it was at first
}

// answer is what the person says to a question about something, where the call brings
// that; else the result by which the client asks them.
func (a *asked) answer(req *sdk.CallToolRequest, about, question, label string) (word string, ask *sdk.CallToolResult) {
	const name = "person"
	if given, is := req.Params.InputResponses[name].(*sdk.ElicitResult); is && a.take(req.Params.RequestState, about) {
		switch yes, _ := given.Content["yes"].(bool); {
		case given.Action == "accept" && yes:
			return agreed, nil
		case given.Action == "accept" || given.Action == "decline":
			return no, nil
		}
		return dismissed, nil
	}
	schema, _ := json.Marshal(map[string]any{"type": "object", "required": []string{"yes"}, "properties": map[string]any{"yes": map[string]any{"type": "boolean", "title": label}}})
	return "", &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{name: &sdk.ElicitParams{Message: question, RequestedSchema: json.RawMessage(schema)}},
		RequestState:  a.put(about),
	}
}

func (a *asked) put(about string) (state string) {
	state = rand.Text()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil || len(a.open) >= mostAsked {
		a.open = map[string]string{} // who asks so often waits for no answer
	}
	a.open[state] = about
	return state
}

// take reports whether something was asked under a word; it is answered once.
func (a *asked) take(state, about string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.open[state] == about && state != ""
	if known {
		delete(a.open, state)
	}
	return known
}
