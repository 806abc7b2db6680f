package notion_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/output/notion"
	notiontest "github.com/research-council/research-council/test/notion"
)

func TestRequestsKeepThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := notiontest.New()
		c := near(s, 350*time.Millisecond)
		began := time.Now()
		for range 7 {
			_, err := c.Count(t.Context(), s.Parent)
			require.NoError(t, err)
		}
		require.Equal(t, 6*350*time.Millisecond, time.Since(began))
	})
}

func TestABusyServerIsLeftAloneAsLongAsItAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := notiontest.New()
		c := near(s, time.Millisecond)
		for _, header := range []func() string{
			func() string { return "60" },
			func() string { return time.Now().Add(time.Minute).UTC().Format(http.TimeFormat) },
		} {
			began := time.Now()
			s.Plan(1, notiontest.Fault{Status: 429, Code: "rate_limited", RetryAfter: header()})
			_, err := c.Count(t.Context(), s.Parent)
			require.NoError(t, err)
			require.InDelta(t, time.Minute, time.Since(began), float64(time.Second))
		}
	})
}

func TestNobodyWaitsInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := notiontest.New()
		c := near(s, time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		s.Plan(1, notiontest.Fault{Status: 429, Code: "rate_limited", RetryAfter: "90"})
		_, err := c.Count(ctx, s.Parent)
		require.EqualError(t, err, "count the blocks of a page: Notion answered 429 rate_limited: It went wrong, as was planned (it asks to wait 1m30s)")
		s.Plan(1, notiontest.Fault{Status: 429, Code: "rate_limited", RetryAfter: "86400"})
		_, err = c.Count(t.Context(), s.Parent)
		require.ErrorContains(t, err, "it asks to wait 24h")
		var e *notion.Error
		require.ErrorAs(t, err, &e)
		require.False(t, e.Terminal)
		require.Less(t, time.Since(began), time.Second)
	})
}

func TestTriesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := notiontest.New()
		for n := 1; n < 100; n++ {
			s.Fail(n, http.StatusServiceUnavailable, "service_unavailable")
		}
		_, err := near(s, 350*time.Millisecond).Count(t.Context(), s.Parent)
		var e *notion.Error
		require.ErrorAs(t, err, &e)
		require.False(t, e.Terminal)
		require.Equal(t, 503, e.Status)
		require.Equal(t, "service_unavailable", e.Code)
		require.Len(t, s.Requests(), 6)
	})
}

func TestAnEndComesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := notiontest.New()
		began := time.Now()
		for what, prepare := range map[string]func(){
			"while the pace is kept":   func() {},
			"while a server is busy":   func() { s.Plan(1, notiontest.Fault{Status: 429, RetryAfter: "120"}) },
			"while a server is silent": func() { s.Plan(1, notiontest.Fault{Hold: make(chan struct{})}) },
			"while a server is broken": func() { s.Fail(1, 500, "internal_server_error") },
			"before anything is sent":  nil,
		} {
			c := near(s, 2*time.Minute)
			ctx, cancel := context.WithCancelCause(t.Context())
			gone := errors.New("gone")
			if prepare == nil {
				cancel(gone)
			} else {
				prepare()
				time.AfterFunc(time.Minute, func() { cancel(gone) })
			}
			at := time.Now()
			err := c.Replace(ctx, s.Parent, notion.Blocks([]byte("text")))
			require.ErrorIs(t, err, gone, what)
			require.LessOrEqual(t, time.Since(at), time.Minute, what)
			time.Sleep(24 * time.Hour)
		}
		require.Greater(t, time.Since(began), 24*time.Hour)
	})
}

func TestASilentServerIsNotWaitedForLongerThanIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := notiontest.New()
		c := near(s, 0)
		s.Plan(1, notiontest.Fault{Hold: make(chan struct{})})
		began := time.Now()
		_, err := c.Count(t.Context(), s.Parent)
		require.NoError(t, err, "the second try is answered")
		require.Equal(t, time.Minute, time.Since(began))
		for n := 1; n < 10; n++ {
			s.Plan(n, notiontest.Fault{Hold: make(chan struct{})})
		}
		_, err = c.Count(t.Context(), s.Parent)
		require.EqualError(t, err, "count the blocks of a page: no answer from Notion: none in 1m0s")
		require.Equal(t, 7*time.Minute, time.Since(began))
	})
}

func TestWhatWillNotGoBetterIsTerminalAndSaysWhatToDo(t *testing.T) {
	s := notiontest.Start(t)
	page := s.NewPageBelow(s.Parent, "Lake")
	hidden := s.NewPageBelow(s.Parent, "Hidden")
	s.Unshare(hidden)
	trash := s.NewPageBelow(s.Parent, "Old")
	s.Trash(trash)
	good := client(t, s)
	bad, err := notion.New(notion.Config{Server: s.URL, Parent: s.Parent}, environment("NOTION_TOKEN", "ntn_wrong"))
	require.NoError(t, err)
	blocks := notion.Blocks([]byte("text"))
	for _, c := range []struct {
		what   string
		do     func() error
		status int
		code   string
		says   string
	}{
		{"a wrong token", func() error { return bad.Replace(t.Context(), page, blocks) }, 401, "unauthorized", "put the token of an integration"},
		{"a page not shared", func() error { return good.Replace(t.Context(), hidden, blocks) }, 404, "object_not_found", "share the page"},
		{"a page in the trash", func() error { return good.Replace(t.Context(), trash, blocks) }, 200, "in_trash", "restore the page"},
		{"no right to write", func() error {
			s.Fail(1, 403, "restricted_resource")
			_, err := good.Create(t.Context(), "Lake")
			return err
		}, 403, "restricted_resource", "let the integration read, insert"},
		{"a block of no type", func() error { return good.Replace(t.Context(), page, []notion.Block{{Type: "dance"}}) }, 400, "validation_error", "should be defined"},
	} {
		before := len(s.Requests())
		err := c.do()
		var e *notion.Error
		require.ErrorAs(t, err, &e, c.what)
		require.True(t, e.Terminal, c.what)
		require.Equal(t, c.status, e.Status, c.what)
		require.Equal(t, c.code, e.Code, c.what)
		require.ErrorContains(t, err, c.says, c.what)
		require.NotContains(t, err.Error(), "\n")
		require.LessOrEqual(t, len(s.Requests())-before, 3, c.what)
		require.Equal(t, c.code == "object_not_found" || c.code == "in_trash", notion.IsGone(err), c.what)
	}
	require.ErrorContains(t, good.Replace(t.Context(), "../users/me", blocks), "32 hexadecimal digits")
	_, err = good.Count(t.Context(), "")
	require.ErrorContains(t, err, "32 hexadecimal digits")
}

// Whatever a server says, the token is in no error.
func TestTheTokenIsInNoError(t *testing.T) {
	for _, token := range []string{"ntn_s3cret0123", "secret_letters_alone"} {
		say(t, token)
	}
}

func say(t *testing.T, token string) {
	echo := http.NewServeMux()
	echo.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		said := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		status := map[string]int{"GET": 400, "POST": 401, "PATCH": 500}[r.Method]
		w.Header().Set("Location", "http://"+r.Host+"/"+said)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"code":"` + said + `","message":"bad ` + said + ` ` + said[:4] + `\u0000` + said[4:] + `"}`))
	})
	web := httptest.NewServer(echo)
	defer web.Close()
	config := notion.Config{Server: web.URL, Parent: strings.Repeat("a", 32)}
	c, err := notion.New(config, environment("NOTION_TOKEN", token))
	require.NoError(t, err)
	_, _, find := c.Find(t.Context(), "mark")
	_, create := c.Create(t.Context(), "title")
	_, count := c.Count(t.Context(), config.Parent)
	web.CloseClientConnections()
	web.Close()
	dead := c.Replace(t.Context(), config.Parent, nil)
	for _, err := range []error{find, create, count, dead} {
		require.Error(t, err)
		require.NotContains(t, err.Error(), token)
	}
	for _, check := range c.Access(t.Context()) {
		require.NotContains(t, check.Finding+check.Remedy, token)
	}
}

func TestTheTokenGoesNowhereElse(t *testing.T) {
	asked := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Header.Get("Authorization") }))
	defer other.Close()
	web := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer web.Close()
	c, err := notion.New(notion.Config{Server: web.URL, Parent: strings.Repeat("a", 32)}, environment("NOTION_TOKEN", "ntn_s3cret"))
	require.NoError(t, err)
	_, err = c.Create(t.Context(), "title")
	require.ErrorContains(t, err, "it has moved: set its new address")
	require.Empty(t, asked)
}

func TestAccessSaysWhatToDo(t *testing.T) {
	s := notiontest.Start(t)
	hidden, trash, base := s.NewPage("Hidden"), s.NewPage("Old"), s.NewDatabase("Base")
	s.Unshare(hidden)
	s.Trash(trash)
	for _, c := range []struct {
		what, parent, kind, token string
		found                     []notion.Check
	}{
		{"all is well", s.Parent, "page", s.Token, []notion.Check{{OK: true, Finding: `the token is that of "Council"`}, {OK: true, Finding: "the parent can be reached"}}},
		{"a wrong token", s.Parent, "page", "ntn_wrong", []notion.Check{{Finding: "the token cannot be used: Notion answered 401 unauthorized: API token is invalid", Remedy: "put the token of an integration of this workspace into the variable or file the configuration names"}}},
		{"a page not shared", hidden, "page", s.Token, []notion.Check{{OK: true, Finding: `the token is that of "Council"`}, {
			Finding: "the parent cannot be reached: Notion answered 404 object_not_found: Could not find page with ID: " + hidden + ". Make sure the relevant pages and databases are shared with your integration",
			Remedy:  "share the page or database with the integration (its menu, Connections)",
		}}},
		{"a page in the trash", trash, "page", s.Token, []notion.Check{{OK: true, Finding: `the token is that of "Council"`}, {Finding: "the parent is in the trash", Remedy: "restore it in Notion"}}},
		{"a database taken for a page", base, "page", s.Token, []notion.Check{{OK: true, Finding: `the token is that of "Council"`}, {Finding: "the parent is no page", Remedy: "set parent_kind to what it is, page or database"}}},
		{"a page taken for a database", s.Parent, "database", s.Token, []notion.Check{{OK: true, Finding: `the token is that of "Council"`}, {Finding: "the parent is no database", Remedy: "set parent_kind to what it is, page or database"}}},
	} {
		client, err := notion.New(notion.Config{Server: s.URL, Parent: c.parent, ParentKind: c.kind}, environment("NOTION_TOKEN", c.token))
		require.NoError(t, err, c.what)
		require.Equal(t, c.found, client.Access(t.Context()), c.what)
	}
}

// Whatever a server answers is a value or an error.
func FuzzAnswers(f *testing.F) {
	f.Add(200, []byte(`{"object":"list","results":[{"id":"00000001-0000-4000-8000-000000000001","type":"quote","has_children":true}],"has_more":true,"next_cursor":"x"}`))
	f.Add(200, []byte(`{"results":[{"id":"../users/me","type":"paragraph"}]}`))
	f.Add(200, []byte(`{"results":[{"id":null,"type":3}],"next_cursor":null}`))
	f.Add(200, []byte(`{"id":"0123456789abcdef0123456789abcdef","url":"javascript:alert(1)"}`))
	f.Add(200, []byte(`{"id":"0123456789abcdef0123456789abcdef","url":"https://x.invalid/\u001b[31m","properties":{"a":{"title":[{"plain_text":"mark"}]}}}`))
	f.Add(400, []byte(`{"code":"validation_error","message":"a\nb"}`))
	f.Add(404, []byte(`{"code":"Object Not Found\n","message":["x"]}`))
	f.Add(500, []byte(`<html>`))
	f.Add(302, []byte(``))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		s := notiontest.New()
		c := near(s, 0).Through(direct{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			require.Regexp(t, `^/v1/(pages|users/me|(pages|blocks)/[0-9a-f-]{36}(/children)?)$`, r.URL.Path)
			w.WriteHeader(status)
			_, _ = w.Write(body)
		})})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p, err := c.Create(ctx, "mark")
		rowText(t, err)
		if err == nil {
			require.Regexp(t, `^https?://`, p.URL)
			require.Len(t, p.ID, 36)
		}
		_, _, err = c.Find(ctx, "mark")
		rowText(t, err)
		rowText(t, c.Replace(ctx, s.Parent, notion.Blocks([]byte("- a\n- [b](https://x.invalid)"))))
		_, err = c.Count(ctx, s.Parent)
		rowText(t, err)
		for _, check := range c.Access(ctx) {
			rowText(t, errors.New(check.Finding+check.Remedy))
		}
	})
}

// rowText requires an error, if there is one, to be a line for people.
func rowText(t *testing.T, err error) {
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		require.NotContains(t, err.Error(), "\x1b")
	}
}
