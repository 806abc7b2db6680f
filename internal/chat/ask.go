package chat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/tidwall/gjson"

	"research-council/internal/agent"
	"research-council/internal/agent/chat"
	"research-council/internal/respite"
)

// Bounds of an answer on the wire. A stream tells each word in some hundred
// bytes, so that it may weigh a multiple of the answer.
const (
	quiet       = 15 * time.Minute // in which something has to come: models think for minutes in silence
	mostStream  = 64 * chat.MostAnswer
	mostFailure = 1 << 20 // of the body of an error
)

// Question is what a server is asked.
type Question struct {
	Server agent.Server
	Key    string // "" for a server that wants none
	Model  string
	Effort string // "" leaves the model's own
	Talk   []chat.Message
	Heard  func(letters int) // is told, at every piece, how much of the answer has come
}

// Said is an answer that came to its end.
type Said struct {
	Text    string
	Refusal string // what the model says instead of an answer
	Model   string // the one that answered
	Finish  string // why it ended
	Usage   chat.Usage
}

// Ask makes one request. It honours HTTPS_PROXY and its like, follows no
// redirection, and asks for a stream; an answer that comes in one piece is taken
// too. An error is a failure as the adapter's event tells it, or that of ctx
// when it was cancelled.
func Ask(ctx context.Context, q Question) (Said, error) { return ask(ctx, q, quiet) }

func ask(ctx context.Context, q Question, quiet time.Duration) (Said, error) {
	life, end := context.WithCancelCause(ctx)
	defer end(nil)
	watch := time.AfterFunc(quiet, func() { end(errSilent) })
	defer watch.Stop()
	said, response, err := q.hear(life, func() { watch.Reset(quiet) })
	switch {
	case err == nil:
		return said, nil
	case ctx.Err() != nil:
		return Said{}, late(ctx)
	case errors.Is(context.Cause(life), errSilent):
		err = errSilent
	}
	return Said{}, q.fault(err, response)
}

// hear makes the request and follows the answer to its end; alive is called
// whenever something comes. The response is nil where there is none.
func (q Question) hear(ctx context.Context, alive func()) (Said, *http.Response, error) {
	var response *http.Response
	service := openai.NewChatCompletionService(options(q, alive)...)
	stream := service.NewStreaming(ctx, params(q), option.WithResponseInto(&response))
	defer stream.Close()
	h := hearing{q: q}
	err := stream.Err()
	switch {
	case err != nil:
	case response.StatusCode >= http.StatusMultipleChoices:
		err = errRedirected
	case whole(response):
		err = h.whole(response.Body)
	default:
		err = h.stream(stream)
	}
	if err == nil && h.said.Finish == "" {
		err = io.ErrUnexpectedEOF
	}
	return h.said, response, err
}

var (
	errSilent     = errors.New("nothing was heard of the server for " + quiet.String())
	errRedirected = errors.New("the server points elsewhere; put the address it means into the configuration")
	errLarge      = errors.New("the answer is larger than a report may be")
)

// late is the end of the turn's time, or of our own.
func late(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return failed(chat.Late, "the turn's time was up before the answer came")
	}
	return ctx.Err()
}

// options lead a request to the server. The client takes nothing else from the
// environment than a proxy.
func options(q Question, alive func()) []option.RequestOption {
	list := []option.RequestOption{
		option.WithBaseURL(q.Server.BaseURL), option.WithHTTPClient(client()), option.WithMaxRetries(0),
		option.WithMiddleware(func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			response, err := next(r)
			if response != nil && response.Body != nil {
				response.Body = newBody(response, alive)
			}
			return response, err
		}),
	}
	if q.Key != "" {
		list = append(list, option.WithAPIKey(q.Key))
	}
	return list
}

func client() *http.Client {
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		usual = usual.Clone()
		usual.ResponseHeaderTimeout = quiet
		c.Transport = usual
	}
	return c
}

func params(q Question) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:           q.Model,
		ReasoningEffort: openai.ReasoningEffort(q.Effort),
		StreamOptions:   openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	for _, m := range q.Talk {
		text := strings.ToValidUTF8(m.Text, "\uFFFD")
		switch m.Speaker {
		case chat.System:
			p.Messages = append(p.Messages, openai.SystemMessage(text))
		case chat.Assistant:
			p.Messages = append(p.Messages, openai.AssistantMessage(text))
		default:
			p.Messages = append(p.Messages, openai.UserMessage(text))
		}
	}
	return p
}

// body bounds what is read of a response, and tells that something came.
type body struct {
	io.ReadCloser
	left  int64
	over  error // once nothing is left
	alive func()
}

func newBody(r *http.Response, alive func()) *body {
	if r.StatusCode >= http.StatusBadRequest {
		return &body{r.Body, mostFailure, io.EOF, alive}
	}
	return &body{r.Body, mostStream, errLarge, alive}
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

// whole reports whether an answer comes in one piece.
func whole(r *http.Response) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// hearing is what has come of an answer.
type hearing struct {
	q       Question
	said    Said
	text    strings.Builder
	refusal strings.Builder
	letters int
}

func (h *hearing) stream(s *ssestream.Stream[openai.ChatCompletionChunk]) error {
	for s.Next() {
		c := s.Current()
		for _, choice := range c.Choices {
			if choice.Index != 0 {
				continue
			}
			if err := h.add(choice.Delta.Content, choice.Delta.Refusal); err != nil {
				return err
			}
			if choice.FinishReason != "" {
				h.said.Finish = choice.FinishReason
			}
		}
		h.about(c.Model, c.RawJSON())
		h.q.Heard(h.letters)
	}
	h.said.Text, h.said.Refusal = h.text.String(), h.refusal.String()
	if h.said.Finish != "" {
		return nil // it came to its end, whatever befell the connection then
	}
	return s.Err()
}

func (h *hearing) add(text, refusal string) error {
	if h.text.Len()+h.refusal.Len()+len(text)+len(refusal) > chat.MostAnswer {
		return errLarge
	}
	h.text.WriteString(text)
	h.refusal.WriteString(refusal)
	h.letters += utf8.RuneCountInString(text)
	return nil
}

// about notes the model and the tokens: OpenAI tells these in the last piece,
// Groq under a name of its own as well.
func (h *hearing) about(model, raw string) {
	if model != "" {
		h.said.Model = model
	}
	found := gjson.GetMany(raw, "usage", "x_groq.usage")
	for _, u := range found {
		if !u.IsObject() {
			continue
		}
		number := func(name string) int64 { return agent.Count(u.Get(name).Float()) } // some write them as text
		h.said.Usage = chat.Usage{Input: number("prompt_tokens"), Output: number("completion_tokens"), Cached: number("prompt_tokens_details.cached_tokens")}
		return
	}
}

// mostWhole bounds an answer that comes in one piece: JSON may take six bytes
// for one.
const mostWhole = 6*chat.MostAnswer + 1<<20

func (h *hearing) whole(from io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(from, mostWhole+1))
	if err != nil {
		return err
	}
	if len(data) > mostWhole {
		return errLarge
	}
	if gjson.GetBytes(data, "error").IsObject() {
		return &ssestream.StreamError{Event: ssestream.Event{Data: data}}
	}
	var c openai.ChatCompletion
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	if len(c.Choices) == 0 {
		return io.ErrUnexpectedEOF
	}
	first := c.Choices[0]
	if err := h.add(first.Message.Content, first.Message.Refusal); err != nil {
		return err
	}
	h.said.Text, h.said.Refusal, h.said.Finish = h.text.String(), h.refusal.String(), first.FinishReason
	h.about(c.Model, string(data))
	return nil
}

// fault says what went wrong. Words of the server are taken for what they say
// to people alone: the status and the code tell what it was.
func (q Question) fault(err error, r *http.Response) error {
	var said *ssestream.StreamError
	var address *url.Error
	switch {
	case errors.As(err, &said):
		return q.refused(0, said.Event.Data, 0)
	case errors.Is(err, errRedirected):
		return q.refused(r.StatusCode, encode(err.Error()), 0)
	case r != nil && r.StatusCode >= http.StatusBadRequest:
		data, _ := io.ReadAll(r.Body) // what cannot be read says nothing
		return q.refused(r.StatusCode, data, patience(r.Header))
	case errors.Is(err, errLarge):
		return failed(chat.Large, "%s", err)
	case errors.Is(err, errSilent):
		return failed(chat.Silent, "%s", err)
	case r != nil:
		return failed(chat.Broken, "the answer broke off: %s", err)
	case errors.As(err, &address):
		err = address.Err
	}
	return failed(chat.Unreachable, "%s cannot be reached: %s", q.Server.BaseURL, err)
}

// encode is an error in the API's form.
func encode(message string) []byte {
	data, err := json.Marshal(map[string]any{"error": map[string]string{"message": message}})
	if err != nil {
		return nil
	}
	return data
}

// refused is an error the server answered with. What it says of a key is not
// repeated: it may hold a part of it.
func (q Question) refused(status int, data []byte, wait time.Duration) *failure {
	e := gjson.GetBytes(data, "error")
	message := e.Get("message").String()
	if e.Type == gjson.String { // Ollama's own form
		message = e.Str
	}
	code := e.Get("code").String()
	if code == "" {
		code = e.Get("type").String()
	}
	f := failed(chat.Refused, "%s", told(status, message))
	if status == http.StatusUnauthorized || status == http.StatusForbidden || code == "invalid_api_key" {
		f.Message = told(status, "the server does not accept "+q.keyName())
	}
	f.Status, f.Code, f.RetryAfter = status, agent.Plain(hidden(code, q.Key), 80), wait.Milliseconds()
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

func told(status int, message string) string {
	if message == "" {
		message = http.StatusText(status)
	}
	if status == 0 {
		return message
	}
	return strconv.Itoa(status) + ": " + message
}

// patience is how long the server asks to be left alone; 0 when it does not say,
// or asks for more than anybody waits.
func patience(h http.Header) time.Duration {
	wait, ok := respite.Asked(h.Get, time.Now())
	if !ok || wait > longest {
		return 0
	}
	return wait
}

// longest bounds what a server can ask for; more is no wish to be honoured.
const longest = 24 * time.Hour
