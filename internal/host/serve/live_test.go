package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product"
	productcouncil "github.com/research-council/research-council/internal/product/council"
)

// underWay writes the status of a run that goes on; each call is a later moment.
func underWay(t testing.TB, dir, id string, moment int) {
	t.Helper()
	at := time.Date(2026, 2, 22, 14, 30, moment, 0, time.UTC)
	data, err := json.Marshal(status.Status{
		ID: id, Workflow: "council", Topic: "Is it under way?", Status: "running", Phase: "research", Step: 1, Steps: 4, Folder: dir, Began: at.Add(-time.Hour), At: at,
		Course: []status.Part{{Name: "Plan", State: "done"}, {Name: "Research", State: "now"}, {Name: "Report", State: "next"}},
		Seats:  []status.Seat{{Name: "claude", Role: "research", State: "running", Iteration: 2, Iterations: 10, Activity: fmt.Sprintf("reads page %d <img src=x>", moment), Active: at}},
		Spent:  status.Money{USD: float64(moment), Reported: true, Tokens: int64(1000 * moment), Turns: 1}, Limits: status.Limits{USD: 50},
	})
	require.NoError(t, err)
	aside := filepath.Join(dir, "status.json.new")
	require.NoError(t, os.WriteFile(aside, data, 0o600))
	require.NoError(t, os.Rename(aside, filepath.Join(dir, "status.json")))
}

// attend has this process work on a run. It must not be cancelled then.
func attend(t testing.TB, dir string) {
	t.Helper()
	me, err := proc.Self()
	require.NoError(t, err)
	lease, err := journal.TakeLease(dir, journal.Holder{PID: me.PID, Start: me.Start}, time.Now())
	require.NoError(t, err)
	t.Cleanup(func() { _ = lease.Release() })
}

// records adds a claim to those a seat has recorded.
func records(t testing.TB, dir, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, claim.Records), 0o700))
	f, err := os.OpenFile(filepath.Join(dir, claim.RecordsFile("claude")), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	line, err := json.Marshal(map[string]string{"text": text, "quote": "A kettle boils a litre in three minutes.", "source": "https://example.com", "state": "unchecked"})
	require.NoError(t, err)
	_, err = f.Write(append(line, '\n'))
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// events reads a stream of events: name and data of each.
func (x *served) events(address string) func() (name, data string) {
	x.t.Helper()
	answer, err := x.client.Get(address)
	require.NoError(x.t, err)
	require.Equal(x.t, http.StatusOK, answer.StatusCode)
	require.Equal(x.t, "text/event-stream", answer.Header.Get("Content-Type"))
	x.t.Cleanup(func() { _ = answer.Body.Close() })
	in := bufio.NewReader(answer.Body)
	return func() (name, data string) {
		for {
			one, err := in.ReadString('\n')
			if err != nil {
				return "closed", ""
			}
			one = strings.TrimSuffix(one, "\n")
			if one == "" {
				return name, data
			}
			if text, is := strings.CutPrefix(one, "event: "); is {
				name = text
			}
			if text, is := strings.CutPrefix(one, "data: "); is {
				data += text + "\n"
			}
		}
	}
}

func TestARunUnderWayIsFollowed(t *testing.T) {
	project := t.TempDir()
	dir := begin(t, project, openID, "Is it under way?")
	attend(t, dir)
	underWay(t, dir, openID, 1)
	x := serveProject(t, project)
	body := x.page(openID, "")
	require.Contains(t, body, `<noscript><meta http-equiv="refresh" content="5"></noscript>`)
	require.Contains(t, body, "reads page 1 &lt;img src=x&gt;")
	next := x.events(x.run(openID, "events"))
	until := func(want string) {
		t.Helper()
		for range 12 {
			name, data := next()
			require.NotEqual(t, "closed", name)
			require.NotContains(t, data, "<img")
			require.Contains(t, []string{"state", "standing"}, name)
			if strings.Contains(data, want) {
				return
			}
		}
		require.Fail(t, "it is not told: "+want)
	}
	until("reads page 1")
	underWay(t, dir, openID, 2)
	until("reads page 2")
	evil := "A claim\n\ndata: {\"x\":1}\nevent: end\n\n<script>alert(1)</script>"
	records(t, dir, evil)
	until("event: end &lt;script&gt;alert(1)")
	underWay(t, dir, openID, 3)
	until("spend over time: $3.00")
	end1(t, dir, openID, "Is it under way?")
	name, data := next()
	require.Equal(t, "end", name)
	require.Equal(t, "completed\n", data)
	name, _ = next()
	require.Equal(t, "closed", name)
	require.NoError(t, os.RemoveAll(dir))
	code, _ := x.get(x.run(openID, ""))
	require.Equal(t, http.StatusNotFound, code)
}

func TestClaimsAreToldBeforeThereIsARegistry(t *testing.T) {
	project := t.TempDir()
	dir := begin(t, project, openID, "Is it under way?")
	attend(t, dir)
	x := serveProject(t, project)
	require.Contains(t, x.page(openID, "claims"), "There are no claims in this run yet.")
	records(t, dir, "A kettle is <quick>.")
	writeJSON(t, dir, "status.json", status.Status{
		ID: openID, Workflow: "council", Topic: "Is it under way?", Status: "running", Phase: "research", Step: 1, Steps: 4, Folder: dir,
		Claims: map[string]claim.Tally{"claude": {Located: 28, NotFound: 3}, "codex": {Located: 1}},
	})
	for page, what := range map[string]string{"claims": "claims", "agreement": "claims", "sources": "sources", "disputes": "disputes"} {
		body := x.page(openID, page)
		require.Contains(t, body, "There are no "+what+" to list yet: 29 claims located so far; they are listed once the researchers have been compared.", page)
		require.Contains(t, body, "A kettle is &lt;quick&gt;.", page)
		require.Contains(t, body, "</span> unchecked</span> <span class=\"who\">claude</span>", page)
	}
	_, err := runs.Registry(project, openID)
	require.EqualError(t, err, "run "+openID+" has no registry yet: 29 claims located so far; they are listed once the researchers have been compared")
}

func TestTheListIsFollowed(t *testing.T) {
	project := t.TempDir()
	dir := begin(t, project, openID, "Is it under way?")
	underWay(t, dir, openID, 1)
	x := serveProject(t, project)
	next := x.events(x.base + "/events")
	name, data := next()
	require.Equal(t, "standing", name)
	require.Contains(t, data, "paused", "nobody works on it")
	end1(t, dir, openID, "Is it under way?")
	_, data = next()
	require.Contains(t, data, "completed")
}

// There is room for so many readers; one more is told so, and all others are served.
func TestReadersOfEventsAreBounded(t *testing.T) {
	project := t.TempDir()
	dir := begin(t, project, openID, "Is it under way?")
	underWay(t, dir, openID, 1)
	x := serveProject(t, project)
	for range mostEvents {
		x.events(x.run(openID, "events"))
	}
	code, body := x.get(x.run(openID, "events"))
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Contains(t, body, "close some")
	x.page(openID, "")
}

// A run's page says how long its phases took, and by its own pace how long it may yet go on.
func TestWhatIsLeftIsTold(t *testing.T) {
	project, began := t.TempDir(), time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)
	setup := flow.Setup{ID: openID, Workflow: "council", Topic: "Is it under way?", Root: project, Tier: "cheap", Loop: loop.Default(), Seats: []flow.Seat{{Name: "claude", Kind: "claude", Brand: "anthropic"}}}
	f, err := product.Begin(setup, began)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	attend(t, f.Path)
	x := serveProject(t, project)
	at := began
	x.server.now = func() time.Time { return at }
	require.Contains(t, x.page(openID, ""), "too early to say how much longer")
	at = began.Add(time.Hour)
	tells(t, f.Path,
		flow.Event{Kind: flow.StageEntered, At: began, Stage: productcouncil.Research, Visit: 1, Tasks: []flow.Task{{ID: "research.1", Seat: "claude", Role: agent.Research}}},
		flow.Event{Kind: flow.TurnStarted, At: began, Task: "research.1", Turn: 1},
		flow.Event{Kind: flow.TurnEnded, At: began.Add(40 * time.Minute), Task: "research.1", Turn: 1, Result: &flow.Result{Iterations: 4}},
		flow.Event{Kind: flow.TaskEnded, At: began.Add(40 * time.Minute), Task: "research.1", Outcome: loop.Complete},
		flow.Event{Kind: flow.StageEntered, At: began.Add(50 * time.Minute), Stage: productcouncil.Registry, Visit: 1, Tasks: []flow.Task{{ID: "registry.1", Seat: flow.Program}}},
	)
	next := x.events(x.run(openID, "events"))
	for name, data := next(); ; name, data = next() {
		require.NotEqual(t, "closed", name)
		if name != "standing" {
			continue
		}
		require.Regexp(t, `<dt>Time</dt><dd>1h00m <small>45 min–2 h left</small>`, data)
		require.Regexp(t, `Research</span> <span class="state good">.*</span> <span class="took">50m00s</span>`, data)
		require.Regexp(t, `<span class="took">10m00s so far</span>`, data)
		return
	}
}

// tells adds facts to a run's journal.
func tells(t testing.TB, dir string, events ...flow.Event) {
	t.Helper()
	j, before, err := journal.Open(dir)
	require.NoError(t, err)
	defer j.Close()
	for i, e := range events {
		e.Seq = len(before) + i + 1
		data, err := json.Marshal(e)
		require.NoError(t, err)
		require.NoError(t, j.Append(data))
	}
}
