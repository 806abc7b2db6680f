package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/council"
)

// served is a server of a new project with the librarian.
func served(t testing.TB) *Server {
	t.Helper()
	project, conf := t.TempDir(), filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(conf, []byte("seats: [librarian]\nlimits: {usd: 5, minutes: 60}\n"), 0o600))
	vars := map[string]string{"COUNCIL_CONFIG": conf, "HOME": filepath.Dir(conf)}
	return newServer(Options{Env: program.Env{Getenv: func(name string) string { return vars[name] }, Dir: project, Self: "/nonexistent/council"}, Project: project})
}

// ended lays down a run that has ended.
func (s *Server) ended(t testing.TB, id string) string {
	t.Helper()
	f, err := product.Begin(flow.Setup{ID: id, Workflow: council.Workflow().Name, Topic: "Why?", Root: s.Project, Seats: []flow.Seat{flow.LibrarianSeat()}}, time.Now())
	require.NoError(t, err)
	require.NoError(t, f.Close())
	put(t, f.Path, workspace.Status, status.Status{ID: id, Workflow: "council", Topic: "Why?", Status: "completed", Phase: "synthesis", Step: 13, Steps: 13, Folder: f.Path, Began: time.Now(), At: time.Now()})
	return f.Path
}

func put(t testing.TB, dir, name string, v any) {
	t.Helper()
	data, is := v.([]byte)
	if !is {
		var err error
		data, err = json.Marshal(v)
		require.NoError(t, err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
}

const oneRun = "20260221-090000-00ff00"

func TestACodeIsGoodForAWhile(t *testing.T) {
	s := served(t)
	now := time.Now()
	s.now = func() time.Time { return now }
	_, out, err := s.plan(t.Context(), nil, planArgs{Question: "When does it rest?"})
	require.NoError(t, err)
	for after, want := range map[time.Duration]string{planLife - time.Minute: "", -2 * time.Hour: "", planLife + time.Minute: "is too old: it was made 1h01m ago", 25 * time.Hour: "is too old"} {
		_, err := s.plans.claim(out.Plan, out.Code, now.Add(after))
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
	}
	require.NoDirExists(t, filepath.Join(s.Project, workspace.Runs))
}

func TestACodeIsNotGuessed(t *testing.T) {
	s := served(t)
	_, out, err := s.plan(t.Context(), nil, planArgs{Question: "When does it rest?"})
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(out.Code), 26, "128 bits of base 32")
	for range maxTries {
		_, err := s.plans.claim(out.Plan, "AAAAAAAAAAAAAAAAAAAAAAAAAA", s.now())
		require.ErrorContains(t, err, "this is not the code")
	}
	_, err = s.plans.claim(out.Plan, out.Code, s.now())
	require.ErrorContains(t, err, "is void: too many wrong codes were tried")
	require.NoError(t, filepath.WalkDir(s.Project, func(path string, _ os.DirEntry, err error) error {
		require.Equal(t, s.Project, path, "nothing of a plan is on disk")
		return err
	}))
}

// A client lowers the limits of the configuration, and raises none.
func TestLimitsAreAsConfigured(t *testing.T) {
	s := served(t)
	for _, c := range []struct {
		usd     float64
		minutes int
		want    string
	}{{2, 30, ""}, {5, 60, ""}, {5.01, 0, "at most $5.00; the person raises limits.usd"}, {2, 61, "at most the 60 of the configuration"}} {
		_, out, err := s.plan(t.Context(), nil, planArgs{Question: "When does it rest?", USD: &c.usd, Minutes: c.minutes})
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.usd, out.Limits.USD)
	}
	_, out, err := s.plan(t.Context(), nil, planArgs{Question: "When does it rest?"})
	require.NoError(t, err)
	require.Equal(t, limits{USD: 5, Minutes: 60, Turns: out.Limits.Turns}, out.Limits)
}

func TestAProjectThatCannotBeWritten(t *testing.T) {
	s := served(t)
	require.NoError(t, os.WriteFile(filepath.Join(s.Project, workspace.Runs), nil, 0o400))
	_, _, err := s.plan(t.Context(), nil, planArgs{Question: "When does it rest?"})
	require.ErrorContains(t, err, "cannot write to "+filepath.Join(s.Project, workspace.Runs))
	_, _, err = s.status(t.Context(), nil, runArgs{})
	require.NoError(t, err)
}

func TestManyRuns(t *testing.T) {
	s := served(t)
	for i := range 60 {
		s.ended(t, fmt.Sprintf("20260221-0900%02d-00ff00", i%60))
	}
	r, out, err := s.status(t.Context(), nil, runArgs{})
	require.NoError(t, err)
	require.Len(t, out.Runs, 10)
	require.Equal(t, "20260221-090059-00ff00", out.Runs[0].Run, "the newest first")
	require.Contains(t, r.Content[0].(*sdk.TextContent).Text, "and 50 more: list_runs")
	seen := map[string]bool{}
	for next := ""; ; {
		_, list, err := s.listRuns(t.Context(), nil, listArgs{Cursor: next, Limit: 25})
		require.NoError(t, err)
		require.Equal(t, 60, list.Total)
		for _, x := range list.Runs {
			seen[x.Run] = true
		}
		if next = list.Next; next == "" {
			break
		}
	}
	require.Len(t, seen, 60)
}

// Pages of a list that grows give no claim twice, and lose none.
func TestPagesOfAListThatGrows(t *testing.T) {
	s := served(t)
	dir := s.ended(t, oneRun)
	var reg claim.Registry
	grow := func(n int) {
		for range n {
			reg.Entries = append(reg.Entries, claim.Entry{ID: fmt.Sprintf("C%d", len(reg.Entries)+1), Text: strings.Repeat("Long words. ", 100), Source: "a.md:1", Seats: []string{"claude"}, Location: claim.Location{State: claim.Unchecked}})
		}
		put(t, dir, claim.RegistryFile, reg)
	}
	grow(9)
	var seen []string
	for next := ""; ; {
		_, page, err := s.claims(t.Context(), nil, claimsArgs{Limit: 5, Cursor: next})
		require.NoError(t, err)
		for _, c := range page.Claims {
			require.NotContains(t, seen, c.ID)
			seen = append(seen, c.ID)
		}
		if next = page.Next; next == "" {
			break
		}
		if len(reg.Entries) < 11 {
			grow(1)
		}
	}
	require.Len(t, seen, len(reg.Entries))
}

// What an answer holds is bounded, however many there are and however long.
func TestAnswersAreBounded(t *testing.T) {
	s := served(t)
	dir := s.ended(t, oneRun)
	long := strings.Repeat("記憶 and 👩‍🔬 words ", 1000)
	var reg claim.Registry
	for i := range 60 {
		e := claim.Entry{ID: fmt.Sprintf("C%d", i+1), Text: long, Source: "https://example.org/" + strings.Repeat("x", 5000), Seats: []string{"claude"}, Location: claim.Location{State: claim.Located, Passage: long, Nearest: long, LeftOut: []string{long, long}, Within: []string{long}}, Quote: long}
		for range 20 * (1 - min(i, 1)) {
			e.Passages = append(e.Passages, claim.Passage{Reference: claim.Reference{Quote: long, Source: e.Source}, Location: e.Location})
		}
		reg.Entries = append(reg.Entries, e)
		reg.Conflicts = append(reg.Conflicts, claim.Conflict{ID: fmt.Sprintf("D%d", i+1), A: "C1", B: fmt.Sprintf("C%d", i+1), Detail: long, Settle: long, Resolution: long})
	}
	put(t, dir, claim.RegistryFile, reg)
	put(t, dir, flow.FinalReport, []byte(long))
	for name, call := range map[string]func() (*sdk.CallToolResult, any, error){
		"claims": func() (*sdk.CallToolResult, any, error) {
			return three(s.claims(t.Context(), nil, claimsArgs{Limit: 50}))
		},
		"passage": func() (*sdk.CallToolResult, any, error) {
			return three(s.passage(t.Context(), nil, passageArgs{Claim: "C1"}))
		},
		"disputes": func() (*sdk.CallToolResult, any, error) {
			return three(s.disputes(t.Context(), nil, disputesArgs{Limit: 50}))
		},
		"report": func() (*sdk.CallToolResult, any, error) { return three(s.report(t.Context(), nil, reportArgs{})) },
	} {
		r, out, err := call()
		require.NoError(t, err, name)
		data, err := json.Marshal(out)
		require.NoError(t, err)
		require.LessOrEqual(t, len(r.Content[0].(*sdk.TextContent).Text)+len(data), 34_000, name)
		require.True(t, utf8.ValidString(r.Content[0].(*sdk.TextContent).Text) && utf8.Valid(data), name)
	}
}

func three[T any](r *sdk.CallToolResult, out T, err error) (*sdk.CallToolResult, any, error) {
	return r, out, err
}

func TestASourceThatIsNotStored(t *testing.T) {
	s := served(t)
	dir := s.ended(t, oneRun)
	put(t, dir, claim.RegistryFile, claim.Registry{Entries: []claim.Entry{{
		ID: "C1", Text: "It rests.", Quote: "It rests.", Source: "a.md:1", Key: "file:a.md", Seats: []string{"claude"},
		Location: claim.Location{State: claim.Located, Passage: "It rests.", End: 9, Text: strings.Repeat("a", 64)},
	}}})
	_, out, err := s.passage(t.Context(), nil, passageArgs{Claim: "C1"})
	require.NoError(t, err)
	require.Equal(t, "It rests.", out.Passages[0].Text)
	require.False(t, out.Passages[0].Stored)
	require.Contains(t, out.Passages[0].Why, "as it was kept when it was located, without context")
}

func TestAReportThatChanges(t *testing.T) {
	s := served(t)
	dir := s.ended(t, oneRun)
	put(t, dir, flow.FinalReport, []byte(strings.Repeat("One sentence.\n\n", 2000)))
	_, _, err := s.report(t.Context(), nil, reportArgs{})
	require.NoError(t, err)
	put(t, dir, flow.FinalReport, []byte(strings.Repeat("Another one.\n\n", 2000)))
	for _, c := range []struct {
		part    int
		changed bool
	}{{2, true}, {1, false}, {2, false}} {
		r, _, err := s.report(t.Context(), nil, reportArgs{Part: &c.part})
		require.NoError(t, err)
		require.Equal(t, c.changed, strings.Contains(r.Content[0].(*sdk.TextContent).Text, "THE REPORT HAS CHANGED"))
	}
}

func TestAddressesKeepNoSecret(t *testing.T) {
	for in, want := range map[string]string{
		"https://user:pw@host/x?token=abc&page=2": "https://host/x?token=...&page=2",
		"https://host/x?page=2&X-Amz-Signature=1": "https://host/x?page=2&X-Amz-Signature=...",
		"https://host/x?a=%20b":                   "https://host/x?a=%20b",
		"notes/token=3.md:4":                      "notes/token=3.md:4",
		"doi:10.1000/1":                           "doi:10.1000/1",
	} {
		require.Equal(t, want, address(in))
	}
}

// Parts put together are the text, wherever it is cut.
func FuzzParts(f *testing.F) {
	f.Add(strings.Repeat("a", 30_000))
	f.Add(strings.Repeat("👩‍🔬é\n\n## नमस्ते ", 2000))
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(strings.Repeat(text, 1+20_000/(1+len(text))), "\ufffd")
		list := parts(text)
		require.Equal(t, text, strings.Join(list, ""))
		for _, p := range list {
			require.LessOrEqual(t, len(p), partBytes)
			require.True(t, utf8.ValidString(p))
		}
	})
}

// Whatever a client sends as the arguments of a tool, it is answered in one line of JSON, and
// nothing begins.
func FuzzCalls(f *testing.F) {
	for _, seed := range [][2]string{
		{"plan_council", `{"question":"Q?","max_usd":1e400}`},
		{"plan_council", `{"question":"a\u0000","scope":"../x","seats":["claude"]}`},
		{"start_council", `{"plan":"x","code":"y"}`},
		{"status", `{"run":"../../etc"}`},
		{"wait", `{"seconds":0}`},
		{"claims", `{"state":"located","cursor":"C1.0","limit":3}`},
		{"passage", `{"claim":"C1"}`},
		{"report", `{"part":1}`},
		{"report", `{"part":-9}`},
		{"disputes", `{}`},
		{"list_runs", `{"cursor":"."}`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	s := served(f)
	dir := s.ended(f, oneRun)
	put(f, dir, flow.FinalReport, []byte("# Report\n"))
	put(f, dir, claim.RegistryFile, claim.Registry{Entries: []claim.Entry{{ID: "C1", Text: "It rests.", Source: "a.md:1", Seats: []string{"claude"}}}})
	f.Fuzz(func(t *testing.T, tool string, args []byte) {
		if tool == "wait" && !bytes.Equal(args, []byte(`{"seconds":0}`)) || tool == "cancel" || tool == "note" || !json.Valid(args) {
			t.Skip("it takes its time, or is no call")
		}
		var line bytes.Buffer
		require.NoError(t, json.Compact(&line, args))
		name, err := json.Marshal(tool)
		require.NoError(t, err)
		hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}` + "\n"
		var out bytes.Buffer
		one := newServer(s.Options)
		one.Env.Stdin, one.Env.Stdout = strings.NewReader(hello+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":`+string(name)+`,"arguments":`+line.String()+"}}\n"), io.Writer(&out)
		require.NoError(t, Serve(context.Background(), one.Options))
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		require.Len(t, lines, 2)
		for _, l := range lines {
			require.True(t, json.Valid([]byte(l)) && utf8.ValidString(l), l)
			require.NotContains(t, l, "the server failed")
		}
		ids, err := workspace.List(s.Project)
		require.NoError(t, err)
		require.Len(t, ids, 1)
	})
}
