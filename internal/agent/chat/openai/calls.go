package openai

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent/chat"
)

// Bounds of the calls of one answer.
const (
	maxCalls     = 64      // side by side
	maxArguments = 4 << 20 // bytes of arguments, in all
)

// callsReader is what has come of calls of tools. A stream tells the id and the
// name of a call once and its arguments in pieces, each under the call's index; a
// server that gives no index sends each call whole.
type callsReader struct {
	list []*callPieces
	size int
}

type callPieces struct {
	index     int64
	id, name  string
	arguments strings.Builder
	extra     string
}

// add takes a piece, the nth of its event.
func (r *callsReader) add(piece gjson.Result, nth int) error {
	at, told := int64(nth), piece.Get("index")
	if told.Type == gjson.Number {
		at = told.Int()
	}
	id := piece.Get("id").Str
	call := r.call(at, id)
	if call == nil {
		if len(r.list) == maxCalls {
			return errLarge
		}
		call = &callPieces{index: at}
		r.list = append(r.list, call)
	}
	if id != "" {
		call.id = id
	}
	if name := piece.Get("function.name").Str; name != "" {
		call.name = name
	}
	if extra := piece.Get("extra_content"); extra.IsObject() {
		call.extra = extra.Raw
	}
	arguments := piece.Get("function.arguments")
	text := arguments.Str
	if arguments.IsObject() { // some servers send the object itself
		text = arguments.Raw
	}
	if r.size += len(text); r.size > maxArguments {
		return errLarge
	}
	call.arguments.WriteString(text)
	return nil
}

// call is the call that a piece belongs to, the latest with its index; a piece
// with another id begins a call of its own.
func (r *callsReader) call(index int64, id string) *callPieces {
	for i := len(r.list) - 1; i >= 0; i-- {
		if c := r.list[i]; c.index == index {
			if id != "" && c.id != "" && id != c.id {
				return nil
			}
			return c
		}
	}
	return nil
}

// calls are the calls in their order, with the ids that the server gave them.
func (r *callsReader) calls() []chat.Call {
	var list []chat.Call
	for _, c := range r.list {
		list = append(list, chat.Call{ID: c.id, Name: c.name, Arguments: c.arguments.String(), Extra: json.RawMessage(c.extra)})
	}
	return list
}
