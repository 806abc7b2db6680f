package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/retryafter"
)

// Bounds of an answer on the wire. A stream tells each word in some hundred
// bytes, so that it may weigh a multiple of the answer.
const (
	quietTimeout = 15 * time.Minute // in which something has to come: models think for minutes in silence
	maxStream    = 64 * chat.MaxAnswer
	maxFailure   = 1 << 20 // of the body of an error
)

// Question is what a server is asked.
type Question struct {
	Server agent.Server
	Key    string // "" for a server that wants none
	Model  string
	Effort string // "" leaves the model's own
	Talk   []chat.Message
	Tools  []chat.Tool       // what it may call
	Closed bool              // it may call none of them now
	Lacks  Features          // what the server does not take, and is not sent
	Heard  func(letters int) // is told, at every piece, how much of the answer has come
}

// Features are parts of a request that not every server takes.
type Features struct {
	Tools  bool `json:"tools,omitempty"`  // calls of tools, in the API's form
	Max    bool `json:"max,omitempty"`    // max_completion_tokens, instead of which it takes max_tokens
	Effort bool `json:"effort,omitempty"` // reasoning_effort
	Count  bool `json:"count,omitempty"`  // stream_options

	Thought bool `json:"thought,omitempty"` // reasoning_content of an answer before
	IDs     bool `json:"ids,omitempty"`     // ids of calls but of nine letters and digits
}

// Completion is an answer that came to its end.
type Completion struct {
	Text    string
	Thought string // where the server tells it in a field of its own
	Calls   []chat.Call
	Refusal string // what the model says instead of an answer
	Model   string // the one that answered
	Finish  string // why it ended
	Usage   chat.Usage
}

// Ask makes one request. It honours HTTPS_PROXY and its like, follows no
// redirection, and asks for a stream; an answer that comes in one piece is taken
// too. An error is a failure as the adapter's event tells it, or that of ctx
// when it was cancelled.
func Ask(ctx context.Context, q Question) (Completion, error) { return ask(ctx, q, quietTimeout) }

func ask(ctx context.Context, q Question, quiet time.Duration) (Completion, error) {
	life, end := context.WithCancelCause(ctx)
	defer end(nil)
	watch := time.AfterFunc(quiet, func() { end(errSilent) })
	defer watch.Stop()
	var said Completion
	response, err := q.post(life, func() { watch.Reset(quiet) })
	if err == nil {
		defer response.Body.Close()
		said, err = q.readAnswer(response)
	}
	switch {
	case err == nil:
		return said, nil
	case ctx.Err() != nil:
		return Completion{}, timeoutError(ctx)
	case errors.Is(context.Cause(life), errSilent):
		err = errSilent
	}
	return Completion{}, q.failureOf(err, response)
}

// readAnswer follows an answer to its end.
func (q Question) readAnswer(response *http.Response) (Completion, error) {
	h := answerReader{q: q}
	var err error
	switch {
	case response.StatusCode >= http.StatusBadRequest:
		return Completion{}, errRefused
	case response.StatusCode >= http.StatusMultipleChoices:
		return Completion{}, errRedirected
	case isWhole(response):
		err = h.readWhole(response.Body)
	default:
		err = h.stream(response.Body)
	}
	switch {
	case err != nil:
	case h.said.Finish == "":
		err = io.ErrUnexpectedEOF
	case slices.Contains(brokenOff, h.said.Finish):
		err = fmt.Errorf("the server ended it with %q", h.said.Finish)
	}
	return h.said, err
}

// brokenOff is why servers end an answer that they cannot finish: OpenRouter, DeepSeek.
var brokenOff = []string{"error", "insufficient_system_resource"}

var (
	errSilent     = errors.New("nothing was heard of the server for " + quietTimeout.String())
	errRefused    = errors.New("the server answered with an error")
	errRedirected = errors.New("the server points elsewhere; put the address it means into the configuration")
	errLarge      = errors.New("the answer is larger than a report may be")
)

// serverError is an error in the API's form that came as an answer, or in its midst.
type serverError struct{ text string }

func (serverError) Error() string { return errRefused.Error() }

// timeoutError is the end of the turn's time, or of our own.
func timeoutError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return newFailure(chat.Late, "the turn's time was up before the answer came")
	}
	return ctx.Err()
}

// post makes the request; alive is called whenever something comes. Nothing is
// taken from the environment but a proxy.
func (q Question) post(ctx context.Context, alive func()) (*http.Response, error) {
	address, err := url.JoinPath(q.Server.BaseURL, "chat/completions")
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(q.request())
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream, application/json")
	r.Header.Set("User-Agent", userAgent)
	if q.Key != "" {
		r.Header.Set("Authorization", "Bearer "+q.Key)
	}
	response, err := client().Do(r)
	if err != nil {
		return nil, err
	}
	response.Body = newBody(response, alive)
	return response, nil
}

// userAgent says who asks.
const userAgent = "research-council"

func client() *http.Client {
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		usual = usual.Clone()
		usual.ResponseHeaderTimeout = quietTimeout
		c.Transport = usual
	}
	return c
}

// request is the body of a request for a chat completion
// (https://platform.openai.com/docs/api-reference/chat/create).
type request struct {
	Model         string         `json:"model"`
	Messages      []message      `json:"messages"`
	Tools         []tool         `json:"tools,omitempty"`
	Choice        string         `json:"tool_choice,omitempty"`
	Effort        string         `json:"reasoning_effort,omitempty"`
	Max           int            `json:"max_completion_tokens,omitempty"`
	OldMax        int            `json:"max_tokens,omitempty"` // the same, of servers that know no other
	Stream        bool           `json:"stream"`
	StreamOptions *streamOptions `json:"stream_options,omitempty"`
}

type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	Reasoning  string     `json:"reasoning_content,omitempty"` // DeepSeek refuses answers of tools without it
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type toolCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function calledTool      `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"` // Google signs there what its models have thought
}

type calledTool struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

func (q Question) request() request {
	r := request{Model: q.Model, Effort: q.Effort, Max: q.Server.Output, Stream: true, StreamOptions: &streamOptions{IncludeUsage: true}}
	if q.Lacks.Max {
		r.Max, r.OldMax = 0, q.Server.Output
	}
	if q.Lacks.Effort {
		r.Effort = ""
	}
	if q.Lacks.Count {
		r.StreamOptions = nil
	}
	for _, t := range q.Tools {
		r.Tools = append(r.Tools, tool{functionType, function{t.Name, t.Description, t.Schema}})
	}
	if q.Closed && len(r.Tools) > 0 {
		r.Choice = "none"
	}
	for _, m := range q.Talk {
		said := message{Role: m.Speaker, Content: m.Text, ToolCallID: m.Answers, Reasoning: m.Thought}
		if q.Lacks.Thought {
			said.Reasoning = ""
		}
		for _, c := range m.Calls {
			if c.Spoken {
				continue // the text holds it
			}
			said.ToolCalls = append(said.ToolCalls, toolCall{c.ID, functionType, calledTool{c.Name, object(c.Arguments)}, c.Extra})
		}
		r.Messages = append(r.Messages, said)
	}
	return r
}

// object is the arguments of a call as servers take them back: those that are no
// object were refused, and would be again.
func object(arguments string) string {
	if json.Valid([]byte(arguments)) && gjson.Parse(arguments).IsObject() {
		return arguments
	}
	return "{}"
}

// functionType is the one kind of tool that servers of all makes know.
const functionType = "function"

// body bounds what is read of a response, and tells that something came.
type body struct {
	io.ReadCloser
	left  int64
	over  error // once nothing is left
	alive func()
}

func newBody(r *http.Response, alive func()) *body {
	if r.StatusCode >= http.StatusBadRequest {
		return &body{r.Body, maxFailure, io.EOF, alive}
	}
	return &body{r.Body, maxStream, errLarge, alive}
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.over
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	b.alive()
	return n, err
}

// isWhole reports whether an answer comes in one piece.
func isWhole(r *http.Response) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// answerReader is what has come of an answer.
type answerReader struct {
	q       Question
	said    Completion
	text    strings.Builder
	refusal strings.Builder
	thought strings.Builder
	calls   callsReader
	letters int
}

// stream hears an answer in pieces, to the last one or [DONE].
func (h *answerReader) stream(from io.Reader) error {
	var err error
	for event, broken := range events(from) {
		if err = broken; err != nil || strings.HasPrefix(event, "[DONE]") {
			break
		}
		if err = h.piece(event); err != nil {
			break
		}
		h.q.Heard(h.letters)
	}
	h.take()
	if h.said.Finish != "" && !errors.Is(err, errLarge) {
		return nil // it came to its end, whatever befell the connection then
	}
	return err
}

// take makes an answer of what has come.
func (h *answerReader) take() {
	h.said.Text, h.said.Refusal, h.said.Calls = h.text.String(), h.refusal.String(), h.calls.calls()
	h.said.Thought = h.thought.String()
}

func (h *answerReader) piece(event string) error {
	p, err := decode(event)
	if err != nil {
		return err
	}
	if p.Get("error").Type != gjson.Null { // an object, or a word
		return serverError{event}
	}
	for _, choice := range p.Get("choices").Array() {
		if choice.Get("index").Int() != 0 {
			continue // it was not asked for
		}
		if err := h.choice(choice, "delta"); err != nil {
			return err
		}
	}
	h.noteUsage(p)
	return nil
}

// decode reads a piece of an answer, or the whole of it. Fields of another kind
// than expected are taken for absent; [json.Valid] bounds the depth.
func decode(text string) (gjson.Result, error) {
	if !json.Valid([]byte(text)) {
		return gjson.Result{}, errors.New("it is no JSON")
	}
	p := gjson.Parse(text)
	if !p.IsObject() {
		return gjson.Result{}, errors.New("it is no JSON object")
	}
	return p, nil
}

// choice takes what a choice says under a name: delta of a piece, message of a
// whole answer.
func (h *answerReader) choice(c gjson.Result, name string) error {
	said := c.Get(name)
	if err := h.add(said.Get("content").Str, said.Get("refusal").Str); err != nil {
		return err
	}
	if thought := said.Get("reasoning_content").Str; h.thought.Len()+len(thought) <= maxThought {
		h.thought.WriteString(thought)
	}
	for i, call := range said.Get("tool_calls").Array() {
		if err := h.calls.add(call, i); err != nil {
			return err
		}
	}
	if why := c.Get("finish_reason").Str; why != "" {
		h.said.Finish = why
	}
	return nil
}

func (h *answerReader) add(text, refusal string) error {
	if h.text.Len()+h.refusal.Len()+len(text)+len(refusal) > chat.MaxAnswer {
		return errLarge
	}
	h.text.WriteString(text)
	h.refusal.WriteString(refusal)
	h.letters += utf8.RuneCountInString(text)
	return nil
}

// noteUsage notes the model and the tokens: OpenAI tells these in the last piece,
// Groq under a name of its own as well.
func (h *answerReader) noteUsage(p gjson.Result) {
	if model := p.Get("model").Str; model != "" {
		h.said.Model = model
	}
	for _, name := range []string{"usage", "x_groq.usage"} {
		u := p.Get(name)
		if !u.IsObject() {
			continue
		}
		number := func(name string) int64 { return agent.TokenCount(u.Get(name).Float()) }                                                                                                            // some write them as text
		h.said.Usage = chat.Usage{Input: number("prompt_tokens"), Output: number("completion_tokens"), Cached: max(number("prompt_tokens_details.cached_tokens"), number("prompt_cache_hit_tokens"))} // the latter is DeepSeek's
		return
	}
}

// maxThought bounds what is kept of a model's thoughts, in bytes.
const maxThought = 1 << 20

// maxWhole bounds an answer that comes in one piece: JSON may take six bytes
// for one.
const maxWhole = 6*chat.MaxAnswer + 1<<20

func (h *answerReader) readWhole(from io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(from, maxWhole+1))
	if err != nil {
		return err
	}
	if len(data) > maxWhole {
		return errLarge
	}
	c, err := decode(string(data))
	if err != nil {
		return err
	}
	if c.Get("error").IsObject() {
		return serverError{c.Raw}
	}
	if err := h.choice(c.Get("choices.0"), "message"); err != nil {
		return err
	}
	h.take()
	h.noteUsage(c)
	return nil
}

// failureOf says what went wrong. Words of the server are taken for what they say
// to people alone: the status and the code tell what it was.
func (q Question) failureOf(err error, r *http.Response) error {
	var said serverError
	var address *url.Error
	switch {
	case errors.As(err, &said):
		return q.refusal(0, []byte(said.text), 0)
	case errors.Is(err, errRedirected):
		return q.refusal(r.StatusCode, encode(err.Error()), 0)
	case r != nil && r.StatusCode >= http.StatusBadRequest:
		data, _ := io.ReadAll(r.Body) // what cannot be read says nothing
		return q.refusal(r.StatusCode, data, retryAfter(r.Header))
	case errors.Is(err, errLarge):
		return newFailure(chat.Large, "%s", err)
	case errors.Is(err, errSilent):
		return newFailure(chat.Silent, "%s", err)
	case r != nil:
		return newFailure(chat.Broken, "the answer broke off: %s", err)
	case errors.As(err, &address):
		err = address.Err
	}
	return newFailure(chat.Unreachable, "%s cannot be reached: %s", q.Server.BaseURL, err)
}

// encode is an error in the API's form.
func encode(message string) []byte {
	data, err := json.Marshal(map[string]any{"error": map[string]string{"message": message}})
	if err != nil {
		return nil
	}
	return data
}

// refusal is an error the server answered with. What it says of a key is not
// repeated: it may hold a part of it.
func (q Question) refusal(status int, data []byte, wait time.Duration) *failure {
	if list := gjson.ParseBytes(data); list.IsArray() { // Google's
		data = []byte(list.Get("0").Raw)
	}
	e := gjson.GetBytes(data, "error")
	message := e.Get("message").String()
	if e.Type == gjson.String { // Ollama's own form
		message = e.Str
	}
	for _, name := range []string{"message", "detail"} { // Mistral's
		if message == "" {
			message = gjson.GetBytes(data, name).String()
		}
	}
	code := e.Get("code").String()
	if code == "" {
		code = e.Get("type").String()
	}
	f := newFailure(chat.Refused, "%s", statusMessage(status, message))
	if status == http.StatusUnauthorized || status == http.StatusForbidden || code == "invalid_api_key" {
		f.Message = statusMessage(status, "the server does not accept "+q.keyName())
	}
	f.param = e.Get("param").String()
	f.Status, f.Code, f.RetryAfter = status, plain.Line(redactKey(code, q.Key), 80), wait.Milliseconds()
	return f
}

func (q Question) keyName() string {
	switch {
	case q.Server.KeyEnv != "":
		return "the key of " + q.Server.KeyEnv
	case q.Server.KeyFile != "":
		return "the key in " + q.Server.KeyFile
	}
	return "a request without a key"
}

func statusMessage(status int, message string) string {
	if message == "" {
		message = http.StatusText(status)
	}
	if status == 0 {
		return message
	}
	return strconv.Itoa(status) + ": " + message
}

// retryAfter is how long the server asks to be left alone; 0 when it does not say,
// or asks for more than anybody waits.
func retryAfter(h http.Header) time.Duration {
	wait, ok := retryafter.FromHeaders(h.Get, time.Now())
	if !ok || wait > maxRetryAfter {
		return 0
	}
	return wait
}

// maxRetryAfter bounds what a server can ask for; more is no wish to be honoured.
const maxRetryAfter = 24 * time.Hour
