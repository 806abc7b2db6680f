package notify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/output/notify"
)

var done = notify.Message{
	Title: "Phase A complete — transitioning to planning", Body: "21 findings in 47 sources\n<!channel> & more",
	Run: "20260222-143000-a1b2c3", At: time.Date(2026, 2, 22, 14, 30, 0, 0, time.FixedZone("", 3600)), Folder: "/home/ada/project",
}

// quiet is a configuration without channels.
func quiet() notify.Config {
	return notify.Config{
		Timeout: 10 * time.Second, Desktop: config.DesktopOff,
		Ntfy: config.Ntfy{Server: "http://ntfy.invalid"}, Telegram: config.Telegram{Server: "http://telegram.invalid", TokenEnv: "BOT"},
	}
}

func TestWithoutChannelsNothingIsSent(t *testing.T) {
	n := notify.New(quiet(), environment())
	require.Empty(t, n.Channels())
	require.Empty(t, n.Send(t.Context(), done))
	var none *notify.Notifier
	require.Empty(t, none.Channels())
	require.Empty(t, none.Missing())
	require.Empty(t, none.WithTerminal(os.Stderr).Send(t.Context(), done))
}

func TestAWebhookGetsJSON(t *testing.T) {
	var got mail
	c := quiet()
	c.Webhook = config.Webhook{URL: serve(t, fakeWebhook(&got, "Bearer t0ken")), Headers: map[string]string{"Authorization": "HOOK"}}
	n := notify.New(c, environment("HOOK= Bearer t0ken\n"))
	require.Equal(t, []string{"webhook"}, n.Channels())
	require.Empty(t, n.Send(t.Context(), done))
	require.Equal(t, map[string]any{
		"title": done.Title, "body": done.Body, "run": done.Run, "level": "info", "at": "2026-02-22T13:30:00Z",
	}, got.only(t))
}

func TestSlackGetsTextThatNamesNobody(t *testing.T) {
	var got mail
	c := quiet()
	c.Slack.URLEnv = "SLACK"
	n := notify.New(c, environment("SLACK="+serve(t, fakeSlack(&got, "/services/T0/B0/s3cret"))+"/services/T0/B0/s3cret"))
	require.Empty(t, n.Send(t.Context(), done))
	require.Equal(t, map[string]any{
		"text": "Phase A complete — transitioning to planning\n21 findings in 47 sources\n&lt;!channel&gt; &amp; more", "mrkdwn": false,
	}, got.only(t))
}

func TestTelegramGetsPlainText(t *testing.T) {
	var got mail
	c := quiet()
	c.Telegram.Server, c.Telegram.Chat = serve(t, fakeTelegram(&got, "123:ABC-def", "-100123"))+"/", "-100123"
	n := notify.New(c, environment("BOT=123:ABC-def"))
	require.Empty(t, n.Send(t.Context(), done))
	letter := got.only(t)
	require.Equal(t, done.Title+"\n"+done.Body, letter["text"])
	require.NotContains(t, letter, "parse_mode")
}

func TestTelegramGetsAtMost4096UnitsCutBetweenLetters(t *testing.T) {
	for name, letter := range map[string]string{"one unit": "x", "two units": "🙂", "three bytes, one unit": "日"} {
		t.Run(name, func(t *testing.T) {
			var got mail
			c := quiet()
			c.Telegram.Server, c.Telegram.Chat = serve(t, fakeTelegram(&got, "1:a", "7")), "7"
			m := notify.Message{Title: "t", Body: strings.Repeat(letter, 5000)}
			require.Empty(t, notify.New(c, environment("BOT=1:a")).Send(t.Context(), m))
			text := got.only(t)["text"].(string)
			require.True(t, utf8.ValidString(text))
			require.NotContains(t, text, "\uFFFD")
			require.True(t, strings.HasSuffix(text, letter+"…"))
			require.Greater(t, len(utf16.Encode([]rune(text))), 4090)
		})
	}
}

func TestNtfyGetsTextAndHeaders(t *testing.T) {
	for name, row := range map[string]struct {
		message notify.Message
		want    map[string]any
	}{
		"a title of other letters": {
			notify.Message{Title: "Фаза A — готово 🙂 " + strings.Repeat("длинный ", 12), Body: "b"},
			map[string]any{"title": strings.TrimSpace("Фаза A — готово 🙂 " + strings.Repeat("длинный ", 12)), "message": "b", "priority": "3", "tags": "books"},
		},
		"a warning without a body": {
			notify.Message{Title: "F003 failed", Level: notify.Warning},
			map[string]any{"title": "F003 failed", "message": "F003 failed", "priority": "4", "tags": "warning"},
		},
		"a title that would be further headers": {
			notify.Message{Title: "x\r\nPriority: 1", Body: "b", Level: notify.Error},
			map[string]any{"title": "x Priority: 1", "message": "b", "priority": "5", "tags": "rotating_light"},
		},
		"more than it takes as text": {
			notify.Message{Title: "t", Body: strings.Repeat("日", 3000)},
			map[string]any{"title": "t", "message": strings.Repeat("日", 1364) + "…", "priority": "3", "tags": "books"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got mail
			c := quiet()
			c.Ntfy = config.Ntfy{Server: serve(t, fakeNtfy(&got, "my-topic", "tk_s3cret")), TopicEnv: "TOPIC", TokenEnv: "TOKEN"}
			n := notify.New(c, environment("TOPIC=my-topic", "TOKEN=tk_s3cret"))
			require.Empty(t, n.Send(t.Context(), row.message))
			require.Equal(t, row.want, got.only(t))
		})
	}
}

func TestWhatAServiceSaysOfAFaultIsTold(t *testing.T) {
	var got mail
	c := quiet()
	c.Ntfy = config.Ntfy{Server: serve(t, fakeNtfy(&got, "topic", "tk_right")), Topic: "topic", TokenEnv: "NTFY"}
	c.Slack.URLEnv = "SLACK"
	c.Telegram.Server, c.Telegram.Chat = serve(t, fakeTelegram(&got, "1:a", "7")), "8"
	c.Webhook = config.Webhook{URL: serve(t, fakeWebhook(&got, "right")), Headers: map[string]string{"Authorization": "HOOK"}}
	n := notify.Hasty(c, environment("NTFY=tk_wrong", "SLACK="+serve(t, fakeSlack(&got, "/right"))+"/wrong", "BOT=1:a", "HOOK=wrong"))
	require.Equal(t, []string{"webhook", "ntfy", "slack", "telegram"}, n.Channels())
	require.Equal(t, []string{
		"webhook: 401 Unauthorized", "ntfy: 401 Unauthorized: unauthorized", "slack: 404 Not Found: no_service",
		"telegram: 400 Bad Request: Bad Request: chat not found",
	}, texts(n.Send(t.Context(), done)))
	require.Zero(t, got.taken())
}

func texts(errs []error) []string {
	var list []string
	for _, err := range errs {
		list = append(list, err.Error())
	}
	return list
}

func TestSecretsThatAreNotSetAreToldByTheNameOfTheirVariable(t *testing.T) {
	c := quiet()
	c.Webhook = config.Webhook{URLEnv: "HOOK", Headers: map[string]string{"X-Key": "KEY"}}
	c.Ntfy = config.Ntfy{Server: "http://ntfy.invalid", TopicEnv: "TOPIC"}
	c.Slack.URLEnv, c.Telegram.Chat = "SLACK", "7"
	n := notify.New(c, environment("SLACK=s3cret without a scheme", "KEY=k"))
	want := []string{"webhook: HOOK is not set", "ntfy: TOPIC is not set", "slack: SLACK holds no http or https address", "telegram: BOT is not set"}
	require.Equal(t, want, n.Missing())
	require.Equal(t, want, texts(n.Send(t.Context(), done)))
}

// flaky answers with a fault as often as told, then well.
func flaky(m *mail, faults int, fault http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if m.try() <= faults {
			fault(w, r)
			return
		}
		w.WriteHeader(http.StatusOK)
	}
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func TestAFurtherTryIsMadeWhereItMayHelp(t *testing.T) {
	cut := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	for name, row := range map[string]struct {
		fault  http.HandlerFunc
		faults int
		tries  int
		says   string
	}{
		"it is taken at once":                     {status(500), 0, 1, ""},
		"busy once":                               {status(429), 1, 2, ""},
		"busy once, and said until when":          {status(429, "Retry-After", "0"), 1, 2, ""},
		"busy until a date that has passed":       {status(503, "Retry-After", "Sun, 22 Feb 2026 14:30:00 GMT"), 1, 2, ""},
		"busy for longer than anybody waits":      {status(429, "Retry-After", "3600"), 9, 1, "webhook: 429 Too Many Requests (it asks to wait 1h0m0s)"},
		"busy for longer than numbers go":         {status(429, "Retry-After", "99999999999"), 9, 1, "webhook: 429 Too Many Requests (it asks to wait"},
		"busy in words nobody knows":              {status(429, "Retry-After", "soon"), 1, 2, ""},
		"broken twice":                            {status(500), 2, 3, ""},
		"broken for good":                         {status(502), 9, 3, "webhook: 502 Bad Gateway"},
		"refused for what it is":                  {status(400), 9, 1, "webhook: 400 Bad Request"},
		"gone":                                    {status(410), 9, 1, "webhook: 410 Gone"},
		"a number that is no status of the books": {status(599), 9, 3, "webhook: 599"},
		"a connection that breaks":                {cut, 1, 2, ""},
		"a connection that breaks each time":      {cut, 9, 3, "webhook: no proper answer"},
	} {
		t.Run(name, func(t *testing.T) {
			var got mail
			c := quiet()
			c.Webhook.URL = serve(t, flaky(&got, row.faults, row.fault))
			errs := notify.Hasty(c, environment()).Send(t.Context(), done)
			if row.says == "" {
				require.Empty(t, errs)
			} else {
				require.Len(t, errs, 1)
				require.ErrorContains(t, errs[0], row.says)
			}
			require.Equal(t, row.tries, got.tried())
		})
	}
}

func TestTelegramsWishToBeLeftAloneIsHeard(t *testing.T) {
	var got mail
	c := quiet()
	c.Telegram.Chat = "7"
	c.Telegram.Server = serve(t, flaky(&got, 9, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 300","parameters":{"retry_after":300}}`))
	}))
	errs := notify.Hasty(c, environment("BOT=1:a")).Send(t.Context(), done)
	require.Equal(t, []string{"telegram: 429 Too Many Requests: Too Many Requests: retry after 300 (it asks to wait 5m0s)"}, texts(errs))
	require.Equal(t, 1, got.tried())
}

func TestAHostThatRefusesIsTold(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	c := quiet()
	c.Webhook.URL = "http://" + address + "/s3cret"
	require.Equal(t, []string{"webhook: connect: connection refused"}, texts(notify.Hasty(c, environment()).Send(t.Context(), done)))
}

func TestAChannelThatHangsHoldsNobodyUp(t *testing.T) {
	var got mail
	c := quiet()
	c.Timeout = 2 * time.Second // also for the channel that works, on a machine that has much to do
	c.Webhook.URL = serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(new(any)) // the server sees the other side leave once it has read all
		<-r.Context().Done()
	})
	c.Slack.URLEnv = "SLACK"
	deaf := make(chan struct{})
	t.Cleanup(func() { close(deaf) })
	n := notify.New(c, environment("SLACK="+serve(t, fakeSlack(&got, "/")))).With("deaf", func(context.Context, notify.Message) error {
		<-deaf
		return nil
	})
	errs := n.Send(t.Context(), done)
	require.Len(t, errs, 2)
	require.ErrorContains(t, errs[0], "webhook: no answer")
	require.EqualError(t, errs[1], "deaf: no answer within 2s")
	require.NotEmpty(t, got.only(t))
}

func TestASenderThatLeavesIsNotHeldUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := notify.New(quiet(), environment()).With("deaf", func(_ context.Context, _ notify.Message) error {
		cancel()
		<-t.Context().Done()
		return nil
	})
	require.ErrorIs(t, n.Send(ctx, done)[0], context.Canceled)
}

func TestAChannelThatPanicsFailsAlone(t *testing.T) {
	n := notify.New(quiet(), environment()).
		With("broken", func(context.Context, notify.Message) error { panic("s3cret") }).
		With("whole", func(context.Context, notify.Message) error { return nil })
	outcomes := n.SendAll(t.Context(), done)
	require.EqualError(t, outcomes[0].Err, "broken: it broke")
	require.Equal(t, notify.Outcome{Channel: "whole"}, outcomes[1])
}

func TestNoRedirectIsFollowed(t *testing.T) {
	for _, code := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			var elsewhere mail
			other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.try() })
			c := quiet()
			c.Telegram.Chat, c.Telegram.Server = "7", serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other+r.URL.Path, code) })
			errs := notify.Hasty(c, environment("BOT=1:s3cret")).Send(t.Context(), done)
			require.Len(t, errs, 1)
			require.ErrorContains(t, errs[0], "it has moved; set the new address")
			require.NotContains(t, errs[0].Error(), "s3cret")
			require.Zero(t, elsewhere.tried())
		})
	}
}

func TestAnAnswerWithoutEndIsNotReadToItsEnd(t *testing.T) {
	c := quiet()
	c.Slack.URLEnv = "SLACK"
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		for garbage := bytes.Repeat([]byte("\x1b[2J<html>\x00"), 1000); ; {
			if _, err := w.Write(garbage); err != nil {
				return
			}
		}
	})
	require.Equal(t, []string{"slack: 400 Bad Request"}, texts(notify.Hasty(c, environment("SLACK="+address)).Send(t.Context(), done)))
}

// whisper gives every form in which a server may repeat what it was sent.
func whisper(w http.ResponseWriter, r *http.Request, code int, split string) {
	said := r.URL.String() + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + r.Header.Get("X-Key") + " " + url.QueryEscape(r.Header.Get("X-Key"))
	if len(said) > 20 {
		said += said[:20] + split + said[20:]
	}
	w.Header().Set("Location", "http://elsewhere.invalid"+r.URL.Path)
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": said, "description": said})
}

func TestNoErrorTellsASecret(t *testing.T) {
	codes := []int{302, 400, 401, 404, 429, 500}
	rapid.Check(t, func(rt *rapid.T) {
		signs := rapid.StringMatching(`[A-Za-z0-9:%/+=&?"'<>\\. _-]{8,40}`)
		secrets := map[string]string{}
		for _, name := range []string{"KEY", "NTFY", "BOT"} {
			secrets[name] = strings.TrimSpace("q" + signs.Draw(rt, name) + "z")
		}
		path := rapid.StringMatching(`[A-Za-z0-9]{12,20}`).Draw(rt, "path")
		code, split := rapid.SampledFrom(codes).Draw(rt, "code"), rapid.SampledFrom([]string{"", "\x00", "\x1b[1m", "\u200b"}).Draw(rt, "split")
		address := serve(t, func(w http.ResponseWriter, r *http.Request) { whisper(w, r, code, split) })
		if rapid.Bool().Draw(rt, "nobody there") {
			address = "http://127.0.0.1:1"
		}
		c := quiet()
		c.Webhook = config.Webhook{URLEnv: "HOOK", Headers: map[string]string{"X-Key": "KEY"}}
		c.Ntfy = config.Ntfy{Server: address, Topic: "topic", TokenEnv: "NTFY"}
		c.Slack.URLEnv = "SLACK"
		c.Telegram.Server, c.Telegram.Chat = address, "7"
		n := notify.Hasty(c, func(name string) string {
			if value := secrets[name]; value != "" {
				return value
			}
			return address + "/" + path
		})
		errs := n.Send(t.Context(), done)
		require.Len(rt, errs, 4)
		for _, err := range errs {
			for _, secret := range append([]string{path}, secrets["KEY"], secrets["NTFY"], secrets["BOT"]) {
				for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
					require.NotContains(rt, err.Error(), form)
				}
			}
		}
	})
}

func TestTextsReachChannelsAsLinesOfText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := notify.Clean(notify.Message{Title: rapid.String().Draw(t, "title"), Body: string(rapid.SliceOf(rapid.Byte()).Draw(t, "body")), Level: rapid.String().Draw(t, "level")})
		require.NotEmpty(t, m.Title)
		require.False(t, m.At.IsZero())
		require.Contains(t, []string{notify.Info, notify.Warning, notify.Error}, m.Level)
		for _, r := range m.Title + strings.ReplaceAll(m.Body, "\n", "") {
			require.True(t, r >= ' ' && (r < 0x7f || r >= 0xa0), "%q", r)
		}
		require.True(t, utf8.ValidString(m.Body))
	})
}

func TestATerminalIsToldInItsTongue(t *testing.T) {
	m := notify.Message{Title: "F003; passes", Body: "5 of 12\nfeatures\x1b]0;owned\x07\u009c"}
	for name, row := range map[string]struct {
		env  []string
		want string
	}{
		"most terminals":     {[]string{"TERM=xterm-256color"}, "\x1b]9;F003; passes: 5 of 12 features\a\a"},
		"VTE":                {[]string{"TERM=xterm-256color", "VTE_VERSION=7600"}, "\x1b]777;notify;F003, passes;5 of 12 features\a\a"},
		"foot":               {[]string{"TERM=foot"}, "\x1b]777;notify;F003, passes;5 of 12 features\a\a"},
		"one without words":  {[]string{"TERM=dumb"}, "\a"},
		"the system console": {[]string{"TERM=linux"}, "\a"},
		"one nobody named":   {nil, "\a"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, notify.Ring(&b, environment(row.env...), m))
			require.Equal(t, row.want, b.String())
		})
	}
	var b bytes.Buffer
	require.NoError(t, notify.Ring(&b, environment("TERM=xterm"), notify.Message{Title: "4;1;50 is no progress"}))
	require.Equal(t, "\x1b]9; is no progress\a\a", b.String())
}

func TestWhatIsNoTerminalIsNotRung(t *testing.T) {
	c := quiet()
	c.Terminal = true
	n := notify.New(c, environment("TERM=xterm"))
	require.Empty(t, n.WithTerminal(new(bytes.Buffer)).Channels())
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	require.Empty(t, n.WithTerminal(w).Channels())
}

// The program is given the texts as arguments after a first one that is no
// option: none of them is a part of the script or an option.
func TestMacOSGetsTextsAsArguments(t *testing.T) {
	dir := t.TempDir()
	fake := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\0' \"$a\"; done > \"$OUT\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "osascript"), []byte(fake), 0o755))
	t.Setenv("PATH", dir)
	for _, text := range []string{`"`, "`id`", `$(id)`, `" & (do shell script "id") & "`, `\`, "-e", "--", `“quoted”`, "日本"} {
		out := filepath.Join(t.TempDir(), "argv")
		t.Setenv("OUT", out)
		require.NoError(t, notify.AppleScript(t.Context(), notify.Message{Title: text, Body: text, Folder: "/home/ada/" + text}))
		argv, err := os.ReadFile(out)
		require.NoError(t, err)
		args := strings.Split(strings.TrimSuffix(string(argv), "\x00"), "\x00")
		require.Equal(t, "-e", args[0])
		require.NotContains(t, args[1], "id")
		require.Equal(t, []string{"council", text, text, text}, args[2:])
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "osascript"), []byte("#!/bin/sh\necho 'not allowed' >&2\nexit 1\n"), 0o755))
	require.EqualError(t, notify.AppleScript(t.Context(), done), "osascript: exit status 1 not allowed")
}
