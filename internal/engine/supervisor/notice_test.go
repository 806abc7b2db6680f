package supervisor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/output/notify"
	"github.com/research-council/research-council/internal/product/staged"
)

// fakeTelegram takes messages of a bot in, by the Bot API's sendMessage.
type fakeTelegram struct {
	*httptest.Server
	mu    sync.Mutex
	texts []string
	down  bool
}

const botToken = "123456:fake-token-of-a-bot"

func newTelegram(t *testing.T) *fakeTelegram {
	f := &fakeTelegram{}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// ServeHTTP answers one call of the Bot API.
func (f *fakeTelegram) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var m struct {
		Chat string `json:"chat_id"`
		Text string `json:"text"`
	}
	w.Header().Set("Content-Type", "application/json")
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err != nil || r.Method != http.MethodPost || r.URL.Path != "/bot"+botToken+"/sendMessage":
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"ok":false,"error_code":404,"description":"Not Found"}`)
	case json.Unmarshal(body, &m) != nil || m.Chat == "" || m.Text == "":
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"ok":false,"error_code":400,"description":"Bad Request: message text is empty"}`)
	case f.down:
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}`)
	default:
		f.texts = append(f.texts, m.Text)
		_, _ = io.WriteString(w, `{"ok":true,"result":{"message_id":1,"date":1771770600,"chat":{"id":1,"type":"private"}}}`)
	}
}

// heard reports whether a message with these words has come.
func (f *fakeTelegram) heard(words string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.texts, func(text string) bool { return slices.Contains(strings.Split(text, "\n"), words) })
}

func (c *councilRun) telling(f *fakeTelegram) supervisor.Options {
	o := c.options()
	conf := notify.Config{Timeout: 10 * time.Second, Desktop: "off"}
	conf.Telegram.Server, conf.Telegram.Chat, conf.Telegram.TokenEnv = f.URL, "42", "TEST_BOT_TOKEN"
	notifier := notify.New(conf, func(string) string { return botToken })
	o.Notify = func(ctx context.Context, n supervisor.Notice) []error {
		return notifier.Send(ctx, notify.Message{Title: n.Title, Body: n.Text, Run: n.Run, Level: n.Level, At: n.At, Folder: n.Folder})
	}
	return o
}

func TestEachStageIsToldByTelegram(t *testing.T) {
	t.Parallel()
	f := newTelegram(t)
	c := newReview(t, nil)
	r := c.staged(c.telling(f))
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	for i, stage := range staged.Stages() {
		require.True(t, f.heard(fmt.Sprintf("Stage %d/8: %s", i+1, stage)), "%d: %q", i+1, f.texts)
	}
	require.True(t, f.heard("Waiting for you: 10 questions wait for answers"))
	require.True(t, f.heard("Waiting for you: the brief waits for a person to confirm it"))
	require.True(t, f.heard("Research complete: "+r.Reason))
	require.Len(t, f.texts, 11, "and nothing twice: %q", f.texts)
	require.Empty(t, r.Issues)
	c.nowhere(botToken)
}

func TestNoticesThatAreNotTakenStopNothing(t *testing.T) {
	t.Parallel()
	f := newTelegram(t)
	f.down = true
	c := newReview(t, nil)
	r := c.staged(c.telling(f))
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.NotEmpty(t, r.Issues)
	for _, is := range append(r.Issues, c.status().Issues...) {
		require.Equal(t, flow.NoticeFailed, is.Code)
		require.Contains(t, is.Detail, "blocked by the user")
	}
	c.nowhere(botToken)
}

func TestAStageThatTakesTooLongIsToldOnceAndGoesOn(t *testing.T) {
	t.Parallel()
	f := newTelegram(t)
	slow := "#! it takes its time\nwhile [ ! -e \"$CALLS/go\" ]; do sleep 0.02; done; sleep 0.5\ncat > \"$RESEARCH_REPORT_PATH\" <<'END'\n" + alone()["planning"] + "\nEND\n"
	c := newReview(t, map[string]string{"planning": slow})
	staged.Of(c.setup.Own).SLA = map[string]time.Duration{staged.Planning: 200 * time.Millisecond, staged.Discovery: time.Hour}
	done := make(chan flow.Run, 1)
	go func() { done <- c.staged(c.telling(f)) }()
	const said = "planning has taken longer than the 200ms it was given"
	until(t, "it is told", func() bool { return f.heard(said) })
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "go"), nil, 0o600)) // half a second more: it is not told again
	r := <-done
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, []string{flow.TooSlow}, codes(r.Issues))
	require.Equal(t, said, r.Issues[0].Detail)
	require.Equal(t, staged.Planning, r.Issues[0].Stage)
	require.Equal(t, []string{flow.TooSlow}, codes(c.status().Issues))
	require.Equal(t, 1, c.turns("ada", "planning"))
}

func TestASourceThatCannotBeReadIsAnIssue(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.NotFoundHandler())
	gone := web.URL + "/gone"
	closed := httptest.NewServer(http.NotFoundHandler())
	away := closed.URL + "/away"
	closed.Close()
	t.Cleanup(web.Close)
	c := newReview(t, map[string]string{"collection-A1": brings(
		fact("The collector paces itself by the heap goal.", "The collector paces itself by the heap goal and by what the mutators allocate.", "pace.md:1"),
		fact("The page says so.", "All that is written on this page is as true as can be.", gone),
		fact("So does the other.", "All that is written on this page is as true as can be.", away),
	)})
	c.setup.Network = flow.Network{Private: []string{"127.0.0.1"}, Timeout: 5 * time.Second}
	r := c.staged(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, []string{flow.SourceFailed, flow.SourceFailed}, codes(r.Issues), "each is told once: %v", r.Issues)
	told := r.Issues[0].Detail + "\n" + r.Issues[1].Detail
	require.Contains(t, told, gone)
	require.Contains(t, told, away)
	require.Equal(t, codes(r.Issues), codes(c.status().Issues))
	stats := read[staged.FactCheckResult](c, staged.FactcheckFile).Stats
	require.Equal(t, 1, stats.Verified)
	require.Equal(t, 2, stats.Unverified)
}
