package serve

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product"
	productcouncil "github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/test/chromium"
)

// The pictures of the pages that the documentation shows.
func TestPicturesOfThePages(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t)
	project := filepath.Join(t.TempDir(), "kitchen")
	require.NoError(t, os.Mkdir(project, 0o700))
	finished(t, project)
	const topic = "Which kettle boils a litre fastest?"
	now := time.Date(2026, 2, 22, 15, 12, 0, 0, time.UTC)
	began := now.Add(-42 * time.Minute)
	setup := flow.Setup{ID: openID, Workflow: "council", Topic: topic, Root: project, Tier: "max", Loop: loop.Default(), Seats: []flow.Seat{{Name: "claude", Kind: "claude", Brand: "anthropic"}, {Name: "codex", Kind: "codex", Brand: "openai"}}}
	f, err := product.Begin(setup, began)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	dir := f.Path
	attend(t, dir)
	tells(t, dir,
		flow.Event{Kind: flow.StageEntered, At: began.Add(4 * time.Minute), Stage: productcouncil.Research, Visit: 1, Tasks: []flow.Task{{ID: "a", Seat: "claude", Role: agent.Research}, {ID: "b", Seat: "codex", Role: agent.Research}}},
		flow.Event{Kind: flow.TurnStarted, At: began.Add(4 * time.Minute), Task: "a", Turn: 1},
		flow.Event{Kind: flow.TurnStarted, At: began.Add(4 * time.Minute), Task: "b", Turn: 1},
		flow.Event{Kind: flow.TurnEnded, At: began.Add(20 * time.Minute), Task: "b", Turn: 1, Result: &flow.Result{Iterations: 2, USD: 0.6}},
		flow.Event{Kind: flow.TaskEnded, At: began.Add(20 * time.Minute), Task: "b", Outcome: loop.Complete},
		flow.Event{Kind: flow.TurnEnded, At: began.Add(28 * time.Minute), Task: "a", Turn: 1, Result: &flow.Result{Iterations: 3, USD: 1.48}},
		flow.Event{Kind: flow.TaskEnded, At: began.Add(28 * time.Minute), Task: "a", Outcome: loop.Complete},
		flow.Event{Kind: flow.StageEntered, At: began.Add(31 * time.Minute), Stage: productcouncil.Refinement, Visit: 1, Tasks: []flow.Task{{ID: "c", Seat: "claude", Role: agent.Refinement}, {ID: "d", Seat: "codex", Role: agent.Refinement}}},
	)
	records(t, dir, "A kettle of 3 kW boils a litre in three minutes.")
	records(t, dir, "A lid shortens the time by a tenth.")
	writeJSON(t, dir, "status.json", status.Status{
		ID: openID, Workflow: "council", Topic: topic, Status: "running", Phase: "refinement", Step: 4, Steps: 13, Folder: dir, Began: began, At: now,
		Course: []status.Part{
			{Name: "0 Scope & Plan", State: "done", Took: 4 * time.Minute},
			{Name: "1 Parallel Research", State: "done", Took: 27 * time.Minute},
			{Name: "2 Synthesis + GapDetect", State: "now", Since: began.Add(31 * time.Minute)},
			{Name: "3 Conditional Validation", State: "next"},
			{Name: "4 Report", State: "next"},
		},
		Seats: []status.Seat{
			{Name: "claude", Role: "refinement", State: "running", Iteration: 3, Iterations: 10, Activity: "reads notes/kettles.md", Active: now},
			{Name: "codex", Role: "refinement", State: "running", Iteration: 2, Iterations: 10, Activity: "searches: kettle power and time", Active: now},
			{Name: "librarian", Role: "research", State: "complete", Iteration: 8, Iterations: 10},
		},
		Claims: map[string]claim.Tally{"claude": {Located: 14, NotFound: 1, Refused: 2}, "codex": {Located: 9, NotFound: 2}, "librarian": {Located: 11}},
		Spent:  status.Money{USD: 2.41, Reported: true, Tokens: 412_000, Turns: 7}, Limits: status.Limits{USD: 12},
	})
	x := serveProject(t, project)
	x.server.now = func() time.Time { return now }
	b.Scheme("light")
	b.Size(1200, 700)
	b.Open(x.server.URL())
	b.Open(x.run(openID, ""))
	b.Await("document.body.textContent.includes('A lid shortens')")
	require.Contains(t, b.Eval("document.querySelector('.figures').textContent"), " left")
	require.Equal(t, "0", b.Eval("[...document.querySelectorAll('.lanes tbody td:nth-child(5)')].filter((e) => e.textContent === '').length"), "each seat tells of its claims")
	b.Eval("document.querySelector('.facts').remove()") // it names the folder, below what is shown
	b.Picture("serve-live")
	b.Open(x.run(doneID, "claims"))
	b.Picture("serve-claims")
}
