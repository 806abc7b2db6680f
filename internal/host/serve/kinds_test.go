package serve

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/reviewwork"
)

// reviewed lays down a review of code that has ended.
func reviewed(t testing.TB, project string) {
	t.Helper()
	f, err := product.Begin(flow.Setup{ID: doneID, Workflow: codereview.Name, Topic: "review", Root: project, Seats: []flow.Seat{flow.LibrarianSeat()}, Own: codereview.Own(&codereview.Setup{Docs: codereview.DocsOff})}, time.Now())
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, os.MkdirAll(filepath.Join(project, "src"), 0o700))
	write1(t, project, "src/a.go", "package a\n\nfunc A() {\n\tvar p *int\n\t*p = 1 // <b>\n}\n")
	one := func(id, severity, file, code string, at int) finding.Merged {
		return finding.Merged{Finding: finding.Finding{ID: id, Kind: finding.Bugs, Severity: severity, Confidence: finding.High, File: file, Line: at, Category: "nil-dereference", Title: "It fails <i>" + id, Description: "p is nil.", Fix: "Make one.", Code: code}, Reviewers: []string{"bug-hunter"}, Families: []string{"anthropic"}, Status: "confirmed"}
	}
	gone := one("F3", finding.Minor, "src/a.go", "it was so", 3)
	outside := one("F4", finding.Info, "../secret.go", "", 1)
	taken := one("F5", finding.Minor, "src/a.go", "", 1)
	taken.Status = finding.FalsePositive
	list := []finding.Merged{one("F1", finding.Critical, "src/a.go", "\t*p = 1 // <b>", 5), one("F2", finding.Minor, "src/gone.go", "nothing()", 1), gone, outside, taken}
	writeJSON(t, f.Path, codereview.FindingsFile, reviewwork.Reviewed{ID: doneID, Files: 1, Counts: finding.Count(list), Findings: list})
	writeJSON(t, f.Path, "status.json", status.Status{ID: doneID, Workflow: codereview.Name, Topic: "review", Status: "completed", Own: codereview.OwnStatus(&codereview.Status{Phase: "publish"})})
}

func TestAReviewShowsItsFindingsAtTheirLines(t *testing.T) {
	project := filepath.Join(t.TempDir(), "p")
	require.NoError(t, os.Mkdir(project, 0o700))
	write1(t, filepath.Dir(project), "secret.go", canary)
	reviewed(t, project)
	x := serveProject(t, project)
	body := x.page(doneID, "findings")
	require.Contains(t, body, "<li><code><mark>\t*p = 1 // &lt;b&gt;</mark></code></li>")
	require.Contains(t, body, `aria-label="code of src/a.go from line 1"`)
	require.Contains(t, body, "As it was quoted; the file is another now, or not there.</p>\n<pre tabindex=\"0\" aria-label=\"code\">nothing()</pre>")
	require.Contains(t, body, "it was so</pre>")
	require.Contains(t, body, "It fails &lt;i&gt;F1")
	require.NotContains(t, body, canary)
	require.NotContains(t, body, "F5")
	require.Contains(t, x.page(doneID, "findings?taken=1"), "F5")
	body = x.page(doneID, "findings?severity=critical&file=src%2Fa.go")
	require.Contains(t, body, `id="F1"`)
	require.NotContains(t, body, `id="F2"`)
	require.Contains(t, x.page(doneID, "findings?severity=none"), "No finding fits")
	require.Contains(t, x.page(doneID, ""), "See what was found")
}

func TestACampaignShowsItsFeaturesAndPapers(t *testing.T) {
	project := t.TempDir()
	own := campaign.Setup{Name: "Shelf", Slug: "shelf", Mode: campaign.Implement}
	f, err := product.Begin(flow.Setup{ID: openID, Workflow: campaign.Workflow(own.Mode).Name, Topic: "a shelf", Root: project, Seats: []flow.Seat{flow.LibrarianSeat()}, Own: campaign.Own(&own)}, time.Now())
	require.NoError(t, err)
	require.NoError(t, f.Close())
	dir := filepath.Join(project, own.Folder())
	require.NoError(t, os.MkdirAll(dir, 0o700))
	writeJSON(t, dir, campaign.Features, feature.List{Features: []feature.Feature{
		{ID: "F001", Name: "Boards", State: feature.Passed, Passes: true, Commit: "0123456789abcdef", Shown: "TestBoards fails before and passes after"},
		{ID: "F002", Name: "Nails <b>", State: feature.Failed, Attempts: 3, Reason: "it falls", Tried: []feature.Attempt{{Reason: "a test is red"}}},
	}})
	write1(t, dir, campaign.Progress, "F001: before: 3 tests pass; after: 4 tests pass\n")
	write1(t, dir, "shelf-report.pdf", "%PDF-1.4 a paper")
	write1(t, dir, "fake.pdf", "<script>document.title='PWNED'</script>")
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link.pdf")))
	writeJSON(t, f.Path, "status.json", status.Status{ID: openID, Workflow: "campaign", Topic: "a shelf", Status: "running", Began: time.Now(), Own: campaign.OwnStatus(&campaign.Status{Name: "Shelf", Mode: "implement", Phase: "Phase C", Iteration: 3, Iterations: 9, Features: campaign.FeatureCounts{Total: 2, Complete: 1, Failed: 1}})})
	x := serveProject(t, project)
	body := x.page(openID, "campaign")
	for _, want := range []string{"✓</span> passes", "✕</span> failed", "0123456789<", "TestBoards fails before", "Nails &lt;b&gt;", "a test is red", "after: 4 tests pass", "shelf-report.pdf", "1 <small>of 2 pass"} {
		require.Contains(t, body, want)
	}
	require.NotContains(t, body, "link.pdf")
	code, paper := x.get(x.run(openID, "paper?name=shelf-report.pdf"))
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, "%PDF-1.4 a paper", paper)
	for _, name := range []string{"fake.pdf", "link.pdf", "..%2Ffake.pdf", "feature-list.json", "", "%2Fetc%2Fpasswd"} {
		code, _ := x.get(x.run(openID, "paper?name="+name))
		require.Equal(t, http.StatusNotFound, code, name)
	}
	for note, want := range map[string]string{"Use oak\r\n<script>": "Noted", " \t\u3000": "there is nothing in the note"} {
		_, body := x.post(openID, "note", map[string][]string{"note": {note}})
		require.Contains(t, body, want)
		require.NotContains(t, body, "<script>\n")
	}
	notes, err := os.ReadDir(filepath.Join(f.Path, "inbox"))
	require.NoError(t, err)
	require.Len(t, notes, 1)
}
