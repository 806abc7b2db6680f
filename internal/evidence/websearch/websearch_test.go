package websearch_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/websearch"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
	"github.com/research-council/research-council/test/engines"
)

// results are what every engine has to find.
var results = []engines.Result{
	{Title: "How kettles boil", URL: "https://a.example/boil", Snippet: "Water boils at 100 degrees & steam rises.", DOI: "10.1000/boil", Published: "2021-03-04"},
	{Title: "Kettles and scale", URL: "https://b.example/scale", Snippet: "Scale forms on the element.", DOI: "10.1000/scale", Published: "2022-05-06"},
}

// open is a search by some engines of a server; answers are kept in a folder.
func open(t *testing.T, s *engines.Server, folder string, names ...string) *websearch.Search {
	t.Helper()
	a, err := archive.Open(t.TempDir(), archive.Options{Pace: -1, Retries: -1, Timeout: 5 * time.Second})
	require.NoError(t, err)
	var services []engine.Service
	var hosts []string
	for _, name := range names {
		services = append(services, engine.Service{Engine: name, URL: s.Base(name), USD: 0.01, Contact: "somebody@example.org"})
		u, err := url.Parse(s.Base(name))
		require.NoError(t, err)
		hosts = append(hosts, u.Hostname())
	}
	web, err := a.Services(hosts...)
	require.NoError(t, err)
	found, err := websearch.Open(websearch.Options{
		Services: services, Web: web, Folder: folder,
		Key: func(v engine.Service) (string, error) { return s.Key(v.Engine), nil },
	})
	require.NoError(t, err)
	return found
}

// question is one that an engine can look for.
func question(name string) websearch.Question {
	if name == "wayback" {
		return websearch.Question{Words: "https://a.example/boil", Kind: engine.Archived, Limit: 8}
	}
	e, _ := engine.Named(name)
	return websearch.Question{Words: "kettles", Kind: e.Kind, Limit: 8}
}

func TestEachEngineIsAskedAsItDocuments(t *testing.T) {
	for _, name := range engine.Names() {
		t.Run(name, func(t *testing.T) {
			s := engines.Start(t, results)
			a, err := open(t, s, "", name).Find(t.Context(), question(name))
			require.NoError(t, err)
			require.NotEmpty(t, a.Leads)
			require.Empty(t, a.Outcomes[0].Problem)
			require.InDelta(t, 0.01, a.USD(), 1e-9)
			require.Len(t, s.Requests(name), 1)
			for _, l := range a.Leads {
				require.NotEmpty(t, l.Title)
				require.NotContains(t, l.Title+l.Snippet, "<")
				require.NotContains(t, l.Title+l.Snippet, "&amp;")
			}
			if name != "wayback" {
				require.Contains(t, a.Leads[0].Title+a.Leads[0].Snippet, "ettle")
			}
		})
	}
}

func TestAnEngineThatIsBusyOrRefusesIsToldAndStopsNothing(t *testing.T) {
	for _, name := range engine.Names() {
		t.Run(name, func(t *testing.T) {
			s, other := engines.Start(t, results), "searxng"
			if name == other {
				other = "brave"
			}
			s.Busy(name, 10)
			q := question(name)
			found := open(t, s, "", name, other)
			if e, _ := engine.Named(name); e.Kind != engine.Web {
				_, err := found.Find(t.Context(), q)
				require.ErrorContains(t, err, name+": ")
				q = question(other)
			}
			a, err := found.Find(t.Context(), q)
			require.NoError(t, err)
			require.NotEmpty(t, a.Leads)
		})
	}
}

func TestHostileAnswersAreLeadsToPagesOrAProblem(t *testing.T) {
	for what, answer := range engines.Hostile() {
		for _, name := range []string{"searxng", "brave", "openalex", "arxiv", "wikipedia", "wayback", "github"} {
			t.Run(what+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := engines.Start(t, results)
				s.Fail(name, 10, answer)
				a, err := open(t, s, "", name).Find(t.Context(), question(name))
				if err != nil {
					require.NotContains(t, err.Error(), "\n")
					require.Less(t, len(err.Error()), 600)
					require.NotContains(t, err.Error(), "\x1b")
					return
				}
				for _, l := range a.Leads {
					u, err := url.Parse(l.URL)
					require.NoError(t, err)
					require.Contains(t, []string{"http", "https"}, u.Scheme)
					require.Nil(t, u.User)
					require.False(t, strings.ContainsAny(l.Title+l.Snippet, "\n\x1b\x00"))
					require.LessOrEqual(t, len([]rune(l.Title)), 200)
				}
			})
		}
	}
}

func TestTheSameQuestionIsPaidOnceADay(t *testing.T) {
	s := engines.Start(t, results)
	folder := t.TempDir()
	for i := range 3 {
		a, err := open(t, s, folder, "brave").Find(t.Context(), websearch.Question{Words: " Kettles ", Limit: 5})
		require.NoError(t, err)
		require.Len(t, a.Leads, 2)
		require.Equal(t, i > 0, a.Outcomes[0].Kept)
	}
	require.Len(t, s.Requests("brave"), 1)
}

// Two processes that ask the same at once have one answer paid for. Each has a search of
// its own here, as it would.
func TestTheSameQuestionAtOnceIsPaidOnce(t *testing.T) {
	var asked atomic.Int32
	second := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 2 {
			close(second)
		}
		select {
		case <-second: // nobody waits for the other
		case <-time.After(300 * time.Millisecond):
		}
		_, _ = w.Write([]byte(`{"query":"kettles","results":[{"url":"https://a.example/boil","title":"How kettles boil","content":"They boil."}]}`))
	}))
	t.Cleanup(s.Close)
	folder := t.TempDir()
	var all sync.WaitGroup
	var kept atomic.Int32
	for range 2 {
		a, err := archive.Open(t.TempDir(), archive.Options{Pace: -1, Retries: -1})
		require.NoError(t, err)
		web, err := a.Services("127.0.0.1")
		require.NoError(t, err)
		own, err := websearch.Open(websearch.Options{Services: []engine.Service{{Engine: "searxng", URL: s.URL, USD: 0.01}}, Web: web, Folder: folder})
		require.NoError(t, err)
		all.Go(func() {
			found, err := own.Find(t.Context(), websearch.Question{Words: "kettles", Limit: 5})
			if err == nil && len(found.Leads) == 1 && found.Outcomes[0].Kept {
				kept.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, asked.Load())
	require.EqualValues(t, 1, kept.Load(), "and the other has it too")
}

// answering is an engine that always answers.
type answering struct{ asked atomic.Int32 }

func (a *answering) Ask(context.Context, archive.Call) (archive.Reply, error) {
	a.asked.Add(1)
	return archive.Reply{Status: http.StatusOK, Body: []byte(`{"query":"kettles","results":[{"url":"https://a.example/boil","title":"How kettles boil","content":"They boil."}]}`)}, nil
}
func (a *answering) Postpone(context.Context, string, time.Duration) error { return nil }

// A process that holds a question and is stopped, a folder that takes nothing, and an answer
// that is damaged or of tomorrow keep nobody from the answer.
func TestAnAnswerIsHadWhateverBecameOfAnother(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, folder, kept string){
		"the holder is stopped": func(t *testing.T, _, kept string) {
			lock := flock.New(strings.TrimSuffix(kept, ".json") + ".lock")
			held, err := lock.TryLock()
			require.True(t, held, err)
			require.NoError(t, os.Remove(kept))
			t.Cleanup(func() { _ = lock.Unlock() })
		},
		"the answer is cut": func(t *testing.T, _, kept string) {
			require.NoError(t, os.Truncate(kept, 9))
		},
		"the answer is of tomorrow": func(t *testing.T, _, kept string) {
			data, err := os.ReadFile(kept)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(kept, bytes.Replace(data, []byte(`"at":"20`), []byte(`"at":"30`), 1), 0o600))
		},
		"the lock is a folder": func(t *testing.T, _, kept string) {
			lock := strings.TrimSuffix(kept, ".json") + ".lock"
			require.NoError(t, os.Remove(lock))
			require.NoError(t, os.MkdirAll(filepath.Join(lock, "x"), 0o700))
			require.NoError(t, os.Remove(kept))
		},
		"the folder is a file": func(t *testing.T, folder, _ string) {
			require.NoError(t, os.RemoveAll(folder))
			require.NoError(t, os.WriteFile(folder, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				folder, web := filepath.Join(t.TempDir(), "kept"), &answering{}
				s, err := websearch.Open(websearch.Options{Services: []engine.Service{{Engine: "searxng", URL: "https://searx.example"}}, Web: web, Folder: folder})
				require.NoError(t, err)
				ask := func() websearch.Answer {
					found, err := s.Find(t.Context(), websearch.Question{Words: "kettles", Limit: 5})
					require.NoError(t, err)
					require.Len(t, found.Leads, 1)
					return found
				}
				require.False(t, ask().Outcomes[0].Kept)
				kept, err := filepath.Glob(filepath.Join(folder, "*.json"))
				require.NoError(t, err)
				require.Len(t, kept, 1)
				harm(t, folder, kept[0])
				ask()
				ask()
				require.LessOrEqual(t, web.asked.Load(), int32(3))
			})
		})
	}
}

func TestLeadsAreMergedAsAPersonWouldExpect(t *testing.T) {
	for _, m := range engines.Merges() {
		t.Run(m.Name, func(t *testing.T) {
			lists := map[string][]engine.Lead{}
			var names []string
			for _, name := range engine.Names() {
				for _, r := range m.Lists[name] {
					lists[name] = append(lists[name], engine.Lead{Title: r.Title, URL: r.URL, Snippet: r.Snippet, DOI: r.DOI, Published: r.Published})
				}
				if len(m.Lists[name]) > 0 {
					names = append(names, name)
				}
			}
			var got []string
			for _, l := range websearch.Merge(names, lists) {
				got = append(got, l.URL)
			}
			require.Len(t, got, m.Pages)
			for i, want := range m.Want {
				require.True(t, m.Is(got[i], want), "%q where %q ought to be, of %q", got[i], want, got)
			}
		})
	}
}

func TestWhomAQuestionIsPutTo(t *testing.T) {
	keyless := engine.Keyless()
	for _, c := range []struct {
		names []string
		kind  engine.Kind
		asked []string
	}{
		{[]string{"searxng", "brave", "openalex"}, "", []string{"searxng", "brave"}},
		{[]string{"searxng", "openalex", "arxiv"}, engine.Papers, []string{"openalex", "arxiv"}},
		{keyless, "", []string{"openalex", "wikipedia", "stackexchange"}},
		{keyless, engine.Packages, []string{"crates"}},
		{keyless, engine.Code, []string{"github"}},
	} {
		s := engines.Start(t, results)
		a, err := open(t, s, "", c.names...).Find(t.Context(), websearch.Question{Words: "kettles", Kind: c.kind, Limit: 5})
		require.NoError(t, err)
		var asked []string
		for _, o := range a.Outcomes {
			asked = append(asked, o.Engine)
		}
		require.Equal(t, c.asked, asked)
	}
	_, err := open(t, engines.Start(t, results), "", "npm").Find(t.Context(), websearch.Question{Words: "kettles", Limit: 5})
	require.ErrorContains(t, err, "choose a kind: packages")
}
