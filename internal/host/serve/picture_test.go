package serve

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/test/chromium"
)

// The pictures of the pages that the documentation shows.
func TestPicturesOfThePages(t *testing.T) {
	b := chromium.Start(t)
	project := filepath.Join(t.TempDir(), "kitchen")
	require.NoError(t, os.Mkdir(project, 0o700))
	finished(t, project)
	const topic = "Which kettle boils a litre fastest?"
	dir := begin(t, project, openID, topic)
	attend(t, dir)
	records(t, dir, "A kettle of 3 kW boils a litre in three minutes.")
	records(t, dir, "A lid shortens the time by a tenth.")
	now := time.Date(2026, 2, 22, 15, 12, 0, 0, time.UTC)
	writeJSON(t, dir, "status.json", status.Status{
		ID: openID, Workflow: "council", Topic: topic, Status: "running", Phase: "research", Step: 2, Steps: 6, Folder: dir, Began: now.Add(-42 * time.Minute), At: now,
		Course: []status.Part{{Name: "Plan", State: "done"}, {Name: "Research", State: "now"}, {Name: "Refinement", State: "next"}, {Name: "Judgement", State: "next"}, {Name: "Synthesis", State: "next"}},
		Seats: []status.Seat{
			{Name: "claude", Role: "research", State: "running", Iteration: 3, Iterations: 10, Activity: "reads notes/kettles.md", Active: now},
			{Name: "codex", Role: "research", State: "running", Iteration: 2, Iterations: 10, Activity: "searches: kettle power and time", Active: now},
			{Name: "librarian", Role: "research", State: "complete", Iteration: 8, Iterations: 10},
		},
		Spent: status.Money{USD: 2.41, Reported: true, Tokens: 412_000, Turns: 7}, Limits: status.Limits{USD: 12},
	})
	x := serveProject(t, project)
	x.server.now = func() time.Time { return now }
	b.Scheme("light")
	b.Size(1200, 700)
	b.Open(x.server.URL())
	b.Open(x.run(openID, ""))
	b.Await("document.body.textContent.includes('A lid shortens')")
	b.Eval("document.querySelector('.facts').remove()") // it names the folder, below what is shown
	b.Picture("serve-live")
	b.Open(x.run(doneID, "claims"))
	b.Picture("serve-claims")
}
