package serve

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/status"
)

// The example of the documentation, which has no journal, is shown with its report, its
// claims and disputes, and nothing can be done to it.
func TestAReportWithoutAJournalIsShown(t *testing.T) {
	temp := t.TempDir()
	project, kept, err := Keep("../../../docs/examples/council", temp)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(kept.Topic, "BorgBackup 1.2 or restic 0.14"), kept.Topic)
	x := serveWith(t, Options{Projects: []string{project}, Kept: &kept})
	for page, want := range map[string][]string{
		"":          {WithoutJournal, "Read the report", "151 in all"},
		"report":    {"restic"},
		"claims":    {"151 of 151 claims"},
		"claims/C1": {"Passage"},
		"sources":   {"restic"},
		"disputes":  {"D1"},
		"agreement": {"restic"},
		"votes":     {""},
		"log":       {WithoutJournal},
		"changes":   {""},
	} {
		code, body := x.get(x.run(kept.ID, page))
		require.Equal(t, http.StatusOK, code, "%s: %s", page, body)
		for _, w := range want {
			require.Contains(t, body, w, page)
		}
		require.NotContains(t, body, "Start a run")
		require.NotContains(t, body, `method="post"`)
	}
	for name := range x.server.writes() {
		code, _ := x.post(kept.ID, name, url.Values{})
		require.GreaterOrEqual(t, code, 400, name)
	}
	before, err := os.ReadDir("../../../docs/examples/council")
	require.NoError(t, err)
	for _, e := range before {
		require.NotEqual(t, "status.json", e.Name(), "what somebody keeps is left as it is")
	}
}

func TestWhatIsNoReportIsNotKept(t *testing.T) {
	dir := t.TempDir()
	_, _, err := Keep(dir, t.TempDir())
	require.ErrorContains(t, err, "has no final-report.md")
	write1(t, dir, "final-report.md", "# Kettles\n\nThey boil.\n")
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "registry.json")))
	_, kept, err := Keep(dir, t.TempDir())
	require.NoError(t, err)
	require.Equal(t, "Kettles", kept.Topic)
	require.NoFileExists(t, filepath.Join(kept.Folder, "registry.json"))
	write1(t, dir, "journal.jsonl", "{}\n")
	_, _, err = Keep(dir, t.TempDir())
	require.ErrorContains(t, err, "with its journal")
	require.Equal(t, status.Status{}.Spent, kept.Spent)
}
