package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product"
)

// Ids of the runs of a test: one under way, one that has ended, one of another project.
const (
	openID    = "20260222-143000-a1b2c3"
	doneID    = "20260221-090000-00ff00"
	foreignID = "20260220-080000-0abcde"
)

// served is a server with a client that has opened its address.
type served struct {
	t       testing.TB
	server  *Server
	project string
	client  *http.Client
	base    string // http://127.0.0.1:port
}

// serveProject serves a project for the length of a test.
func serveProject(t testing.TB, projects ...string) *served {
	t.Helper()
	env := program.Env{Getenv: func(string) string { return "" }, Environ: os.Environ(), Dir: projects[0], Self: "/nonexistent/council"}
	return serveWith(t, Options{Env: env, Projects: projects, Person: true})
}

// serveWith serves what options say for the length of a test.
func serveWith(t testing.TB, o Options) *served {
	t.Helper()
	s, err := Open(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	x := &served{t: t, server: s, project: o.Projects[0], client: &http.Client{Jar: jar}, base: "http://" + s.listener.Addr().String()}
	answer, err := x.client.Get(s.URL())
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Empty(t, answer.Request.URL.RawQuery, "the token is not left in the address")
	require.NoError(t, answer.Body.Close())
	return x
}

// run is the address of a page of a run of the first project.
func (x *served) run(id, page string) string {
	return x.base + "/run/" + newProject(x.project).Key + "/" + id + "/" + page
}

func (x *served) get(address string) (int, string) {
	x.t.Helper()
	answer, err := x.client.Get(address)
	require.NoError(x.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(x.t, err)
	return answer.StatusCode, string(body)
}

// page is a page that is there.
func (x *served) page(id, page string) string {
	x.t.Helper()
	code, body := x.get(x.run(id, page))
	require.Equal(x.t, http.StatusOK, code, body)
	return body
}

// post sends a form of the pages, and gives the page that comes after it.
func (x *served) post(id, action string, fields url.Values) (int, string) {
	x.t.Helper()
	fields.Set("write", x.server.access.write)
	r, err := http.NewRequest(http.MethodPost, x.run(id, action), strings.NewReader(fields.Encode()))
	require.NoError(x.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", x.base)
	answer, err := x.client.Do(r)
	require.NoError(x.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(x.t, err)
	return answer.StatusCode, string(body)
}

// begin lays down a run of a council.
func begin(t testing.TB, project, id, topic string) string {
	t.Helper()
	f, err := product.Begin(flow.Setup{ID: id, Workflow: "council", Topic: topic, Root: project, Seats: []flow.Seat{flow.LibrarianSeat()}}, time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return f.Path
}

func write1(t testing.TB, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

func writeJSON(t testing.TB, dir, name string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	write1(t, dir, name, string(data))
}

// end writes the status of a run that has ended.
func end1(t testing.TB, dir, id, topic string) {
	t.Helper()
	found := 71.5
	writeJSON(t, dir, "status.json", status.Status{
		ID: id, Workflow: "council", Topic: topic, Status: "completed", Phase: "synthesis", Step: 13, Steps: 13, Score: &found, Mode: "decision", Tier: "max", Folder: dir,
		Began: time.Date(2026, 2, 21, 9, 0, 0, 0, time.UTC), At: time.Date(2026, 2, 21, 9, 30, 0, 0, time.UTC),
		Course: []status.Part{{Name: "Plan", State: "done"}, {Name: "Research", State: "done"}, {Name: "Debate", State: "skipped"}},
		Seats:  []status.Seat{{Name: "claude", Role: "research", State: "complete", Iteration: 3, Iterations: 10, Model: "large"}, {Name: "codex", Role: "research", State: "failed", Reason: "no answer"}},
		Spent:  status.Money{USD: 1.25, Reported: true, Tokens: 123456, Turns: 7, Elapsed: 30 * time.Minute},
	})
}

// archived puts a text into a run's archive and gives its hash.
func archived(t testing.TB, dir, name, text string) string {
	t.Helper()
	a, err := archive.Open(filepath.Join(dir, "sources"), archive.Options{})
	require.NoError(t, err)
	defer a.Close()
	s, err := a.AddLocal(context.Background(), name, []byte(text))
	require.NoError(t, err)
	require.NotEmpty(t, s.Text)
	return s.Text
}

// located is where the n-th occurrence of a passage stands in a text.
func located(text, hash, passage string, n int) claim.Location {
	at := -1
	for range n {
		at += 1 + strings.Index(text[at+1:], passage)
	}
	first := 1 + strings.Count(text[:at], "\n")
	return claim.Location{State: claim.Located, Tier: "exact", First: first, Last: first + strings.Count(passage, "\n"), Start: at, End: at + len(passage), Passage: passage, Context: passage, Text: hash, Snapshot: hash}
}

const kettles = "About kettles 😀😀\n\nA kettle boils a litre in 3 minutes.\nIn the mountains it differs:\n    if high {\n\t\tA kettle boils a litre in 3 minutes.\n    }\nThe end.\n"

// finished lays down a run that has ended, with claims of two seats, a dispute and a report.
func finished(t testing.TB, project string) string {
	t.Helper()
	const topic = "How fast does a kettle boil?"
	dir := begin(t, project, doneID, topic)
	hash := archived(t, dir, "notes/kettles.md", kettles)
	twice := located(kettles, hash, "A kettle boils a litre in 3 minutes.", 2)
	twice.Within = []string{"if high {"}
	reg := claim.Registry{
		Entries: []claim.Entry{
			{
				ID: "C1", Text: "A kettle boils a litre in three minutes.", Quote: "A kettle boils a litre in 3 minutes.", Source: "notes/kettles.md:6", Key: "file:notes/kettles.md", Type: claim.Code, Confidence: claim.Medium, Seats: []string{"claude", "codex"}, Families: []string{"anthropic", "openai"}, Rounds: []string{"research"}, Questions: []string{"Q1"}, Critical: true, Location: twice,
				Support: &claim.Support{Verdict: claim.Supports, Votes: []claim.Vote{{Seat: "codex", Family: "openai", Answer: claim.Supports, Reason: "it says so"}, {Seat: "claude", Family: "anthropic", Answer: claim.Qualifies, Reason: "in the mountains"}}},
			},
			{ID: "C2", Text: "It takes five minutes.", Quote: "five minutes", Source: "https://example.com/slow", Key: "url:https://example.com/slow", Type: claim.Community, Confidence: claim.Low, Seats: []string{"codex"}, Families: []string{"openai"}, Rounds: []string{"research"}, Questions: []string{"Q2"}, Location: claim.Location{State: claim.NotFound, Reason: "the page was read and has no such words", Nearest: "four minutes"}},
			{ID: "C10", Text: "Nobody knows.", Source: "https://example.com/gone", Key: "url:https://example.com/gone", Seats: []string{"claude"}, Families: []string{"anthropic"}, Rounds: []string{"research"}, Location: claim.Location{State: claim.Unchecked, Reason: "it could not be reached"}},
			{ID: "C11", Kind: claim.Recommendation, Text: "Use a lid.", RestsOn: []string{"C1"}, Seats: []string{"claude"}, Families: []string{"anthropic"}, Rounds: []string{"research"}, Questions: []string{"Q1"}, Location: claim.Location{State: claim.Reasoned}},
		},
		Groups:    []claim.Group{{ID: "C1", Members: []string{"C1", "C11"}, Seats: []string{"claude", "codex"}, Families: []string{"anthropic", "openai"}}},
		Conflicts: []claim.Conflict{{ID: "D1", A: "C1", B: "C2", Kind: claim.ByFact, Severity: claim.P0, Detail: "three against five minutes", Settle: "a kettle and a watch", Status: "open"}},
	}
	reg.Relations = []relation.Relation{
		{A: "C1", B: "C2", Kind: relation.Contradicts, Words: "three", Voices: []relation.Voice{{Family: "anthropic", Kind: relation.Contradicts}, {Family: "openai", Kind: relation.Contradicts}}},
		{A: "C1", B: "C11", Kind: relation.Condition, Condition: "with <b> a lid", Voices: []relation.Voice{{Family: "anthropic", Kind: relation.Condition}, {Family: "openai", Kind: relation.Condition}}},
		{A: "C2", B: "C10", Kind: relation.Wider, Single: true, Voices: []relation.Voice{{Family: "openai", Kind: relation.Wider}}},
		{A: "C1", B: "C10", Kind: relation.Undecided, Voices: []relation.Voice{{Family: "anthropic", Kind: relation.Same}, {Family: "openai", Kind: relation.Narrower}}},
		{A: "C10", B: "C11", Kind: relation.Unrelated},
	}
	writeJSON(t, dir, claim.RegistryFile, reg)
	write1(t, dir, "final-report.md", "# Kettles\n\nA kettle boils a litre in three minutes [\\[1\\]](#c1 \"C1\"), or [five](https://example.com/slow).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<a id=\"c1\"></a>\n\n<script>document.title='PWNED'</script>\n\n[no](javascript:alert(1)) ![x](https://canary.invalid/x.png)\n")
	write1(t, dir, "final-report.html", "<!DOCTYPE html><title>Kettles</title><script>document.title='PWNED'</script><img src=https://canary.invalid/x.png><h1>Kettles</h1>")
	write1(t, dir, "progress.log", "14:30 Phase 1 \x1b[2J begins\n")
	end1(t, dir, doneID, topic)
	return dir
}

// manyClaims are n claims of as many kinds as there are.
func manyClaims(n int) claim.Registry {
	var reg claim.Registry
	states := []claim.State{claim.Located, claim.NotFound, claim.Unchecked}
	for i := range n {
		words := strings.Repeat(fmt.Sprintf("The scheduler steals %d goroutines from another processor. ", i), 3)
		reg.Entries = append(reg.Entries, claim.Entry{
			ID: fmt.Sprintf("C%d", i+1), Text: words[:100], Quote: words[:150], Source: fmt.Sprintf("https://example.com/%d", i%300), Key: fmt.Sprintf("url:https://example.com/%d", i%300), Type: claim.Community,
			Confidence: claim.Medium, Questions: []string{fmt.Sprintf("Q%d", i%7+1)}, Seats: []string{[]string{"claude", "codex", "gemini"}[i%3]}, Families: []string{"family"}, Rounds: []string{"research"},
			Location: claim.Location{State: states[i%3], Tier: "exact", First: 1, Last: 2, Start: 10, End: 160, Passage: words[:150], Context: words, Snapshot: strings.Repeat("a", 64), Text: strings.Repeat("b", 64)},
			Support:  &claim.Support{Verdict: claim.Supports, Votes: []claim.Vote{{Seat: "codex", Family: "openai", Answer: claim.Supports, Reason: "The passage says so."}}},
		})
	}
	return reg
}
