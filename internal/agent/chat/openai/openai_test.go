package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	adapter "github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/agent/chat/openai"
	"github.com/research-council/research-council/test/loopback"
)

const (
	secret = "sk-secret-0123456789"
	dir    = "/run/seats/openai"
	report = dir + "/review.json"
	kept   = dir + "/answer.json"
)

// seat is a chat seat on a disk of its own that outlives its processes.
type seat struct {
	turn   agent.Turn
	files  map[string]string
	stream string // of the last process
	write  func(path string) error
	out    io.Writer // instead of a stream
	now    time.Time
	keyErr error
	box    openai.Toolbox
}

func newSeat(url string) *seat {
	return &seat{
		turn: agent.Turn{
			Run: "20260101-120000-abcdef", Seat: "openai", Role: agent.Review, MaxIterations: 3, Council: "/opt/council",
			Session: "11111111-2222-4333-8444-555555555555", Model: "m", Effort: "low",
			Dir: dir, Report: report, State: dir + "/state.txt", Open: dir + "/open.md", Inputs: []string{dir + "/inputs/report.md"},
			Prompt: "Review the report.", Topic: "What is it?", Server: agent.Server{BaseURL: url + "/v1", KeyEnv: "A_KEY"},
		},
		files: map[string]string{dir + "/inputs/report.md": "It is water.", dir + "/open.md": ""},
		write: func(string) error { return nil },
	}
}

func (s *seat) read(path string) ([]byte, error) {
	text, ok := s.files[path]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// do takes the turn as the driver does, and hands it to the adapter to judge.
func (s *seat) do(ctx context.Context, t testing.TB) agent.Reply {
	t.Helper()
	spec, err := adapter.Kind().Spec(s.turn)
	require.NoError(t, err)
	for _, f := range spec.Files {
		s.files[f.Path] = string(f.Data)
	}
	var out bytes.Buffer
	d := openai.TurnIO{
		Read: s.read, Now: func() time.Time { return s.now }, Out: &out,
		Key: func(agent.Server) (string, error) { return secret, s.keyErr },
		Toolbox: func(context.Context, adapter.Assignment) (openai.Toolbox, func(), error) {
			return s.box, func() {}, nil
		},
		Write: func(path string, data []byte) error {
			if err := s.write(path); err != nil {
				return err
			}
			s.files[path] = string(data)
			return nil
		},
	}
	if s.out != nil {
		d.Out = io.MultiWriter(s.out, &out)
	}
	exit := agent.Exit{}
	if err := openai.Main(ctx, spec.Argv[2], d); err != nil {
		exit.Code, exit.Stderr = 1, []byte("council: "+err.Error())
		require.NotContains(t, err.Error(), secret)
	}
	s.stream = out.String()
	exit.Stdout = strings.NewReader(s.stream)
	return adapter.Kind().Read(s.turn, exit)
}

func (s *seat) again(resume string) {
	s.turn.Resume, s.turn.Iteration = resume, s.turn.Iteration+1
}

// clean requires that the key is nowhere that lasts.
func (s *seat) clean(t testing.TB) {
	t.Helper()
	require.NotContains(t, s.stream, secret)
	for name, text := range s.files {
		require.NotContains(t, text, secret, name)
	}
}

func scenario(t testing.TB, text string) loopback.Scenario {
	s, err := loopback.Parse([]byte(text))
	require.NoError(t, err)
	return s
}

func TestAnAnswerIsTheReport(t *testing.T) {
	server := loopback.Chat(t, scenario(t, `rules: [{steps: [{text: "{\"verdict\": \"pass\"}", usage: {input: 100, cached: 40, output: 7}}]}]`))
	s := newSeat(server.URL)
	reply := s.do(t.Context(), t)
	require.Nil(t, reply.Fault)
	require.Equal(t, agent.Usage{Input: 100, CachedInput: 40, Output: 7}, reply.Usage)
	require.Equal(t, []string{"m"}, reply.Models)
	require.Equal(t, s.turn.Session, reply.Session)
	require.Equal(t, "{\"verdict\": \"pass\"}\n\n"+agent.Marker+"\n", s.files[report])
	s.clean(t)

	q := server.Requests()[0]
	require.Equal(t, "/v1/chat/completions", q.Path)
	require.Equal(t, "Bearer "+secret, q.Header.Get("Authorization"))
	body := gjson.ParseBytes(q.Body)
	require.Equal(t, "low", body.Get("reasoning_effort").Str)
	require.True(t, body.Get("stream").Bool())
	require.Equal(t, []string{"system", "user"}, speakers(body))
	require.Contains(t, q.System, report)
	for _, part := range []string{"Review the report.", "What is it?", "inputs/report.md", "It is water."} {
		require.Contains(t, q.FirstUser, part)
	}
}

func speakers(body gjson.Result) []string {
	var list []string
	for _, m := range body.Get("messages").Array() {
		list = append(list, m.Get("role").Str)
	}
	return list
}

func TestWhatIsNotSetIsNotSent(t *testing.T) {
	server := loopback.Chat(t, scenario(t, `rules: [{steps: [{text: Fine.}]}]`))
	said, err := openai.Ask(t.Context(), openai.Question{Server: agent.Server{BaseURL: server.URL}, Model: "m", Talk: []adapter.Message{{Speaker: adapter.User, Text: "Hi \xff"}}, Heard: func(int) {}})
	require.NoError(t, err)
	require.Equal(t, "Fine.", said.Text)
	q := server.Requests()[0]
	require.Equal(t, "/chat/completions", q.Path)
	require.Empty(t, q.Header.Get("Authorization"), "a server without a key is asked without one")
	require.False(t, gjson.GetBytes(q.Body, "reasoning_effort").Exists())
	require.Equal(t, "Hi \uFFFD", q.FirstUser)
}

func TestTheEnvironmentDoesNotSayWhomToAsk(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
	t.Setenv("OPENAI_API_KEY", "another")
	t.Setenv("OPENAI_ORG_ID", "org")
	server := loopback.Chat(t, scenario(t, `rules: [{steps: [{text: Fine.}]}]`))
	require.Nil(t, newSeat(server.URL).do(t.Context(), t).Fault)
	require.Equal(t, "Bearer "+secret, server.Requests()[0].Header.Get("Authorization"))
	require.Empty(t, server.Requests()[0].Header.Get("OpenAI-Organization"))
}

func TestWhatAServerRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		step    string
		class   agent.Class
		after   time.Duration
		message string
	}{
		"a rate limit":             {`{status: 429, message: Slow down., headers: {Retry-After: "7"}}`, agent.Retryable, 7 * time.Second, "429: Slow down."},
		"a rate limit in ms":       {`{status: 429, headers: {Retry-After-Ms: "1500"}}`, agent.Retryable, 1500 * time.Millisecond, "429"},
		"a rate limit with a part": {`{status: 429, headers: {Retry-After: "0.5"}}`, agent.Retryable, 500 * time.Millisecond, "429"},
		"a rate limit gone by":     {`{status: 429, headers: {Retry-After: "Wed, 21 Oct 2015 07:28:00 GMT"}}`, agent.Retryable, 0, "429"},
		"a rate limit of nonsense": {`{status: 429, headers: {Retry-After: "soon"}}`, agent.Retryable, 0, "429"},
		"a rate limit for ever":    {`{status: 429, headers: {Retry-After: "1e300"}}`, agent.Retryable, 0, "429"},
		"a spent quota":            {`{status: 429, code: insufficient_quota, message: Pay., headers: {Retry-After: "7"}}`, agent.Terminal, 0, "429: Pay."},
		"a wrong key":              {`{status: 401, message: "Incorrect API key provided: sk-secr****6789."}`, agent.Terminal, 0, "the server does not accept the key of A_KEY"},
		"no such model":            {`{status: 404, message: "The model m does not exist"}`, agent.Terminal, 0, "The model m does not exist"},
		"too long a question":      {`{status: 400, code: context_length_exceeded, message: Too long.}`, agent.Terminal, 0, "400: Too long."},
		"a failure of its own":     {`{status: 500, headers: {Retry-After: "2"}}`, agent.Retryable, 2 * time.Second, "500"},
		"overload":                 {`{status: 503}`, agent.Retryable, 0, "503"},
		"an error in the stream":   {`{code: server_error, message: Later.}`, agent.Retryable, 0, "Later."},
		"a quota in the stream":    {`{code: insufficient_quota, message: Pay.}`, agent.Terminal, 0, "Pay."},
		"no connection":            {`{drop: true}`, agent.Retryable, 0, "cannot be reached"},
		"half an answer":           {`{text: "Half of this answer is all that comes of it.", cut: true}`, agent.Retryable, 0, "broke off"},
		"an answer without text":   {`{}`, agent.Degenerate, 0, "without an answer"},
		"thought alone":            {`{stop: length}`, agent.Degenerate, 0, "before it came to an answer"},
		"a filter":                 {`{text: "Half of", stop: content_filter}`, agent.Degenerate, 0, "filter"},
		"a call of a tool":         {`{stop: tool_calls}`, agent.Degenerate, 0, "tool_calls"},
	} {
		t.Run(name, func(t *testing.T) {
			server := loopback.Chat(t, scenario(t, "rules: [{steps: ["+c.step+"]}]"))
			s := newSeat(server.URL)
			s.files[report] = "what was there"
			reply := s.do(t.Context(), t)
			require.NotNil(t, reply.Fault)
			require.Equal(t, c.class, reply.Fault.Class, reply.Fault.Message)
			require.Equal(t, c.after, reply.Fault.RetryAfter)
			require.Contains(t, reply.Fault.Message, c.message)
			require.NotContains(t, reply.Fault.Message, "sk-secr")
			require.Len(t, server.Requests(), 1, "whoever runs the turn tries again")
			require.Equal(t, "what was there", s.files[report])
			require.NotContains(t, s.files, kept)
			s.clean(t)
		})
	}
}

func TestARateLimitIsWaitedForByWhoeverRunsTheTurn(t *testing.T) {
	server := loopback.Chat(t, scenario(t, `rules: [{steps: [{status: 429, headers: {Retry-After: "3"}}, {text: Fine.}]}]`))
	s := newSeat(server.URL)
	require.Equal(t, 3*time.Second, s.do(t.Context(), t).Fault.RetryAfter)
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Contains(t, s.files[report], "Fine.")
}

// answering is a server that is no fake of any vendor's: it says what it is told.
func answering(t testing.TB, kind string, body []byte) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(body) // a client that has heard enough is no fault
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const (
	streamed = "text/event-stream"
	single   = "application/json; charset=utf-8"
)

func piece(text, finish string) string {
	end := "null"
	if finish != "" {
		end = `"` + finish + `"`
	}
	return `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":` + end + "}]}\n\n"
}

func TestWhatOddServersSay(t *testing.T) {
	for name, c := range map[string]struct {
		kind, body string
		class      agent.Class
		says       string // the report, or the message of the fault
	}{
		"the answer in one piece":   {single, `{"model":"m","choices":[{"index":0,"message":{"content":"Fine."},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, "", "Fine."},
		"a refusal in one piece":    {single, `{"choices":[{"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}]}`, agent.Degenerate, "the model refused: I will not."},
		"an error in one piece":     {single, `{"error":{"message":"No.","code":"model_not_found"}}`, agent.Terminal, "No."},
		"an error that is a word":   {single, `{"error":"model not found"}`, agent.Retryable, "broke off"},
		"JSON that is none":         {single, `{"choices":[`, agent.Retryable, "broke off"},
		"JSON of something else":    {single, `[1]`, agent.Retryable, "broke off"},
		"no choices":                {single, `{"choices":[]}`, agent.Retryable, "broke off"},
		"no [DONE]":                 {streamed, piece("Fine.", "stop"), "", "Fine."},
		"comments and other events": {streamed, ": PROCESSING\n\nevent: ping\nretry: 3\n\n" + piece("Fi", "") + ": x\n\n" + piece("ne.", "stop"), "", "Fine."},
		"line ends of another kind": {streamed, strings.ReplaceAll(piece("Fine.", "stop"), "\n", "\r\n"), "", "Fine."},
		"a second choice":           {streamed, piece("Fi", "") + strings.Replace(piece("no", ""), `"index":0`, `"index":1`, 1) + piece("ne.", "stop"), "", "Fine."},
		"null choices at the end":   {streamed, piece("Fine.", "stop") + `data: {"choices":null,"usage":{"prompt_tokens":1,"completion_tokens":2}}` + "\n\n", "", "Fine."},
		"Groq's own tokens":         {streamed, piece("Fine.", "stop") + `data: {"choices":[],"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}` + "\n\n", "", "Fine."},
		"a refusal in pieces":       {streamed, strings.ReplaceAll(piece("I will ", "")+piece("not.", "stop"), "content", "refusal"), agent.Degenerate, "the model refused: I will not."},
		"bytes that are no UTF-8":   {streamed, piece("caf\xe9 is fine", "stop"), "", "caf\uFFFD is fine"},
		"nothing":                   {streamed, "", agent.Retryable, "broke off"},
		"only the end":              {streamed, "data: [DONE]\n\n", agent.Retryable, "broke off"},
		"no end":                    {streamed, piece("Fine.", "") + "data: [DONE]\n\n", agent.Retryable, "broke off"},
		"an event that is no JSON":  {streamed, piece("Fi", "") + "data: ne.\n\n", agent.Retryable, "broke off"},
		"a word in the stream":      {streamed, `data: {"error":"model is loading"}` + "\n\n", agent.Retryable, "model is loading"},
		"an error that is null":     {streamed, strings.ReplaceAll(piece("Fine.", "stop"), `"model"`, `"error":null,"model"`), "", "Fine."},
		"fields of another kind":    {streamed, piece("Fi", "") + `data: {"choices":[{"index":"x","delta":{"content":["no"],"refusal":7},"finish_reason":0}],"model":[]}` + "\n\n" + piece("ne.", "stop"), "", "Fine."},
		"arrays without an end":     {streamed, "data: " + strings.Repeat("[", 20<<20) + "\n\n", agent.Retryable, "broke off"},
		"a page":                    {"text/html", "<html>Log in</html>", agent.Retryable, "broke off"},
		"a line without an end":     {streamed, "data: " + strings.Repeat("x", 40<<20), agent.Retryable, "broke off"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSeat(answering(t, c.kind, []byte(c.body)))
			reply := s.do(t.Context(), t)
			if c.class == "" {
				require.Nil(t, reply.Fault)
				require.Equal(t, c.says+"\n\n"+agent.Marker+"\n", s.files[report])
				return
			}
			require.NotNil(t, reply.Fault)
			require.Equal(t, c.class, reply.Fault.Class)
			require.Contains(t, reply.Fault.Message, c.says)
		})
	}
}

func TestTokensAreFoundWhereverTheyAreTold(t *testing.T) {
	for _, body := range []string{
		`data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":2}}` + "\n\n",
		`data: {"choices":[],"usage":null,"x_groq":{"usage":{"prompt_tokens":11,"completion_tokens":2}}}` + "\n\n",
	} {
		reply := newSeat(answering(t, streamed, []byte(piece("Fine.", "stop")+body))).do(t.Context(), t)
		require.Equal(t, agent.Usage{Input: 11, Output: 2}, reply.Usage)
	}
}

func TestAPageForAnErrorIsTold(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		for range 64 { // more than is read of an error
			_, _ = w.Write(bytes.Repeat([]byte("<p>"), 1<<17)) // a client that has heard enough is no fault
		}
	}))
	defer server.Close()
	fault := newSeat(server.URL).do(t.Context(), t).Fault
	require.Equal(t, agent.Retryable, fault.Class)
	require.Equal(t, "502: Bad Gateway", fault.Message)
}

func TestAKeyFollowsNoRedirection(t *testing.T) {
	other := loopback.Chat(t, scenario(t, `rules: [{steps: [{text: Stolen.}]}]`))
	server := httptest.NewServer(http.RedirectHandler(other.URL+"/v1/chat/completions", http.StatusPermanentRedirect))
	defer server.Close()
	fault := newSeat(server.URL).do(t.Context(), t).Fault
	require.Equal(t, agent.Terminal, fault.Class)
	require.Contains(t, fault.Message, "308: the server points elsewhere")
	require.Empty(t, other.Requests())
}

func TestAHugeAnswerIsGivenUp(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	for name, url := range map[string]string{
		"in pieces": answering(t, streamed, []byte(strings.Repeat(piece(text, ""), 9)+piece("", "stop"))),
		"as one":    answering(t, single, []byte(`{"choices":[{"message":{"content":"`+strings.Repeat(text, 9)+`"},"finish_reason":"stop"}]}`)),
		"as JSON":   answering(t, single, []byte(`{"x":"`+strings.Repeat(text, 60)+`"}`)),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSeat(url)
			fault := s.do(t.Context(), t).Fault
			require.Equal(t, agent.Degenerate, fault.Class)
			require.Contains(t, fault.Message, "larger than")
			require.NotContains(t, s.files, report)
		})
	}
}

func TestATurnThatIsEndedEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := loopback.Chat(t, loopback.Scenario{Play: func(loopback.Request) (loopback.Step, bool) {
		cancel()
		return loopback.Step{Hang: true}, true
	}})
	s := newSeat(server.URL)
	require.NotNil(t, s.do(ctx, t).Fault)
	require.NotContains(t, s.stream, `"error"`, "it is nobody's fault but ours")
	require.NotContains(t, s.files, report)
}

func TestATurnHasItsTime(t *testing.T) {
	for name, step := range map[string]string{"before it is answered": `{hang: true}`, "in the middle": `{text: Half of this., cut: true, hang: true}`} {
		t.Run(name, func(t *testing.T) {
			s := newSeat(loopback.Chat(t, scenario(t, "rules: [{steps: ["+step+"]}]")).URL)
			s.turn.Deadline = 50 * time.Millisecond
			require.Equal(t, agent.TimedOut, s.do(t.Context(), t).Fault.Class)
			require.NotContains(t, s.files, report)
		})
	}
}

func TestAContinuedTurnSendsTheConversationAgain(t *testing.T) {
	server := loopback.Chat(t, scenario(t, `rules: [{steps: [{text: "First, at length", stop: length}, {text: Second.}]}]`))
	s := newSeat(server.URL)
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Equal(t, "First, at length\n", s.files[report], "what was cut off is not complete")

	s.again("Mend it.")
	s.files[dir+"/open.md"] = "- The score is missing.\n"
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Equal(t, "Second.\n\n"+agent.Marker+"\n", s.files[report])
	body := gjson.ParseBytes(server.Requests()[1].Body)
	require.Equal(t, []string{"system", "user", "assistant", "user"}, speakers(body))
	require.Equal(t, "First, at length\n", body.Get("messages.2.content").Str)
	last := body.Get("messages.3.content").Str
	for _, part := range []string{"Mend it.", "cut off", "The score is missing."} {
		require.Contains(t, last, part)
	}
}

func TestAReportOfAnotherConversationIsNotGoneOnFrom(t *testing.T) {
	server := loopback.Chat(t, scenario(t, `rules: [{steps: [{text: First., stop: length}, {drop: true}, {text: Anew.}]}]`))
	s := newSeat(server.URL)
	require.Nil(t, s.do(t.Context(), t).Fault)
	s.turn.Session = "22222222-2222-4333-8444-555555555555"
	require.NotNil(t, s.do(t.Context(), t).Fault)
	s.turn.Resume = "Go on."
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Equal(t, []string{"system", "user"}, speakers(gjson.ParseBytes(server.Requests()[2].Body)))
	require.Contains(t, s.files[report], "Anew.")
}

// An answer is paid for once, wherever its process is killed after it came.
func TestAnAnswerThatCameIsNotAskedForAgain(t *testing.T) {
	broken := errors.New("killed")
	for name, kill := range map[string]func(*seat){
		"before the report": func(s *seat) {
			s.write = func(path string) error {
				if path == report {
					return broken
				}
				return nil
			}
		},
		"before it was told": func(s *seat) { s.out = untilTheEnd{broken} },
	} {
		t.Run(name, func(t *testing.T) {
			server := loopback.Chat(t, scenario(t, `rules: [{steps: [{text: Fine., usage: {input: 9, output: 4}}, {text: Paid twice.}]}]`))
			s := newSeat(server.URL)
			kill(s)
			require.NotNil(t, s.do(t.Context(), t).Fault)

			s.write, s.out = func(string) error { return nil }, nil
			s.turn.Resume = "You were interrupted."
			reply := s.do(t.Context(), t)
			require.Nil(t, reply.Fault)
			require.Equal(t, agent.Usage{Input: 9, Output: 4}, reply.Usage)
			require.Contains(t, s.files[report], "Fine.")
			require.Len(t, server.Requests(), 1)

			s.turn.Iteration++
			require.Nil(t, s.do(t.Context(), t).Fault)
			require.Len(t, server.Requests(), 2, "the next iteration is another turn")
		})
	}
}

// untilTheEnd breaks at the event that tells of the end.
type untilTheEnd struct{ err error }

func (w untilTheEnd) Write(p []byte) (int, error) {
	if gjson.GetBytes(p, "type").Str == adapter.Ended {
		return 0, w.err
	}
	return len(p), nil
}

func TestWhatWasKeptAndCannotBeReadIsNoAnswer(t *testing.T) {
	server := loopback.Chat(t, scenario(t, `rules: [{steps: [{text: Fine.}]}]`))
	for _, text := range []string{"", "{", "[]", `{"text":"x"}`} {
		s := newSeat(server.URL)
		s.files[kept] = text
		require.Nil(t, s.do(t.Context(), t).Fault)
		require.Contains(t, s.files[report], "Fine.")
	}
}

func TestAServerThatRepeatsTheKeyIsNotRepeated(t *testing.T) {
	for name, step := range map[string]string{
		"in its answer":          `{text: "Your key is %s, is it not?"}`,
		"in its error":           `{status: 400, message: "Bad key %s", code: "%s"}`,
		"in its stream":          `{code: "%s", message: "Bad key %s"}`,
		"where it refuses a key": `{status: 401, message: "Bad key %s"}`,
	} {
		t.Run(name, func(t *testing.T) {
			server := loopback.Chat(t, scenario(t, "rules: [{steps: ["+strings.ReplaceAll(step, "%s", secret)+"]}]"))
			s := newSeat(server.URL)
			s.do(t.Context(), t)
			s.clean(t)
		})
	}
}

func TestWithoutAKeyNobodyIsAsked(t *testing.T) {
	server := loopback.Chat(t, loopback.Scenario{})
	s := newSeat(server.URL)
	s.keyErr = errors.New("A_KEY is not set")
	fault := s.do(t.Context(), t).Fault
	require.Equal(t, agent.Terminal, fault.Class)
	require.Equal(t, "A_KEY is not set", fault.Message)
	require.Empty(t, server.Requests())
}

func TestAFileThatIsMissingIsOurOwnFault(t *testing.T) {
	server := loopback.Chat(t, loopback.Scenario{})
	s := newSeat(server.URL)
	delete(s.files, dir+"/inputs/report.md")
	fault := s.do(t.Context(), t).Fault
	require.Equal(t, agent.Degenerate, fault.Class)
	require.Contains(t, fault.Message, "inputs/report.md")
	require.Empty(t, server.Requests())
}

func TestProgressIsToldOnceASecond(t *testing.T) {
	server := loopback.Chat(t, loopback.Scenario{Rules: []loopback.Rule{{Steps: []loopback.Step{{Text: strings.Repeat("é", 2000)}}}}})
	s := newSeat(server.URL)
	s.now = time.Unix(1, 0)
	require.Nil(t, s.do(t.Context(), t).Fault)
	var notes []string
	for line := range strings.Lines(s.stream) {
		if gjson.Get(line, "type").Str == adapter.Noted {
			notes = append(notes, gjson.Get(line, "note").Str)
		}
	}
	require.Equal(t, []string{"thinking"}, notes, "the clock stands still")
}

func TestATurnThatIsNoneIsSaid(t *testing.T) {
	for text, want := range map[string]string{"": "read the turn", "{": "read the turn", `{"prompt": "/nowhere"}`: "read the question"} {
		s := newSeat("http://127.0.0.1:1")
		s.files["/turn.json"] = text
		d := openai.TurnIO{Read: s.read, Now: time.Now, Out: io.Discard, Key: func(agent.Server) (string, error) { return "", nil }}
		require.ErrorContains(t, openai.Main(t.Context(), "/turn.json", d), want)
	}
	require.ErrorContains(t, openai.Main(t.Context(), "/no.json", openai.TurnIO{Read: newSeat("").read}), "read the turn")
}

// hostile is a good answer with some of its bytes changed, or no answer at all.
func hostile(good string) *rapid.Generator[[]byte] {
	words := []string{"null", "[]", "{}", "-1", "1e999", `"\u0000"`, "\n\n", "data: ", "data: [DONE]\n\n", `{"error":`, "\xff", `"`, "]}"}
	return rapid.Custom(func(t *rapid.T) []byte {
		if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
			return rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		}
		body := []byte(good)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(body)).Draw(t, "at")
			end := min(len(body), at+rapid.IntRange(0, 12).Draw(t, "gone"))
			body = slices.Concat(body[:at], []byte(rapid.SampledFrom(words).Draw(t, "word")), body[end:])
		}
		return body
	})
}

// Whatever bytes a server sends, a turn ends in a report that is text, or in a
// fault that leaves the report as it was.
func TestAnyBytesEndInAReportOrAFault(t *testing.T) {
	var kind string
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(body) // a client that has heard enough is no fault
	}))
	defer server.Close()
	good := map[string]string{
		streamed: piece("Fi", "") + piece("ne.", "stop") + `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}` + "\n\ndata: [DONE]\n\n",
		single:   `{"model":"m","choices":[{"index":0,"message":{"content":"Fine.","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`,
	}
	rapid.Check(t, func(r *rapid.T) {
		kind = rapid.SampledFrom([]string{streamed, single}).Draw(r, "kind of answer")
		body = hostile(good[kind]).Draw(r, "body")
		s := newSeat(server.URL)
		reply := s.do(t.Context(), t)
		for line := range strings.Lines(s.stream) {
			require.True(r, json.Valid([]byte(line)), line)
		}
		require.GreaterOrEqual(r, reply.Usage.Input, int64(0))
		if reply.Fault != nil {
			require.NotContains(r, s.files, report)
			return
		}
		require.True(r, utf8.ValidString(s.files[report]))
		require.NotEmpty(r, strings.TrimSpace(s.files[report]))
	})
}
