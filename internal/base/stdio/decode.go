package stdio

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// fault is why a line is no message. The id is that of the message where it has one
// that can be answered to, as JSON; nil where not.
type fault struct {
	code    int64
	id      json.RawMessage
	message string
}

func invalid(id json.RawMessage, message string) *fault {
	return &fault{jsonrpc.CodeInvalidRequest, id, message}
}

// maxDepth is how deep values may stand in one another.
const maxDepth = 256

// decode reads a line. A blank one, and an answer that cannot be read, are neither a
// message nor a fault: nobody waits to be told.
func decode(data []byte, first bool) (jsonrpc.Message, *fault) {
	if first {
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
	}
	data = bytes.Trim(data, " \t\r\n")
	switch {
	case len(data) == 0:
		return nil, nil
	case !utf8.Valid(data):
		return nil, &fault{jsonrpc.CodeParseError, nil, "the line is no JSON-RPC message: it is not UTF-8"}
	case !json.Valid(data):
		return nil, &fault{jsonrpc.CodeParseError, nil, "the line is no JSON-RPC message"}
	case data[0] == '[':
		return nil, invalid(nil, "batches are not taken: send one message a line")
	case data[0] != '{':
		return nil, invalid(nil, "the line is no JSON-RPC message")
	case depth(data) > maxDepth:
		return nil, invalid(nil, "values stand deeper in one another than "+strconv.Itoa(maxDepth))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, &fault{jsonrpc.CodeParseError, nil, "the line is no JSON-RPC message"}
	}
	if _, asks := fields["method"]; !asks && (fields["result"] != nil || fields["error"] != nil) {
		msg, err := jsonrpc.DecodeMessage(data)
		if err != nil {
			return nil, nil
		}
		return msg, nil
	}
	return decodeRequest(fields)
}

// decodeRequest reads a call or a notification.
func decodeRequest(fields map[string]json.RawMessage) (jsonrpc.Message, *fault) {
	raw, called := fields["id"]
	id, usable := readID(raw)
	if !usable {
		raw = nil
	}
	var version, method string
	switch {
	case called && !usable:
		return nil, invalid(nil, "an id is a string or a whole number that fits in 53 bits")
	case json.Unmarshal(fields["jsonrpc"], &version) != nil, version != "2.0":
		return nil, invalid(raw, `the message has no "jsonrpc": "2.0"`)
	case json.Unmarshal(fields["method"], &method) != nil, method == "":
		return nil, invalid(raw, "the message has no method")
	case fields["result"] != nil || fields["error"] != nil:
		return nil, invalid(raw, "a message is a request or an answer, not both")
	}
	params := fields["params"]
	if string(params) == "null" {
		params = nil
	}
	if params != nil && params[0] != '{' {
		return nil, &fault{jsonrpc.CodeInvalidParams, raw, "params is an object"}
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: params}, nil
}

// readID reads an id that can be answered to as it is. One that is not there is that of
// a notification.
func readID(raw json.RawMessage) (id jsonrpc.ID, usable bool) {
	var text string
	switch {
	case raw == nil:
		return id, true
	case raw[0] == '"':
		if json.Unmarshal(raw, &text) != nil {
			return id, false
		}
		id, _ = jsonrpc.MakeID(text) // a string is one
		return id, true
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	const most = 1 << 53
	if err != nil || n > most-1 || n < 1-most {
		return id, false
	}
	id, _ = jsonrpc.MakeID(float64(n)) // a number is one
	return id, true
}

// depth is how deep values of valid JSON stand in one another.
func depth(data []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}
