package provenance_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/provenance"
)

const run = "20261101-101010-a1b2c3"

func TestATextOfOursIsKnownWhereverItIsCopiedTo(t *testing.T) {
	text := provenance.Markdown([]byte("# Report\n\nRetries back off.\n"), run)
	require.True(t, provenance.HasImprint(text))
	require.Equal(t, run, provenance.RunID(text))
	require.Equal(t, text, provenance.Markdown(text, run), "once is enough")
	require.True(t, strings.HasPrefix(string(text), "# Report\n\nRetries back off.\n"))
	tex := provenance.Comment([]byte("\\end{document}"), "%", run)
	require.Equal(t, run, provenance.RunID(tex))
	require.False(t, provenance.HasImprint([]byte("# Notes\n\nresearch-council writes reports.\n")))
	require.Empty(t, provenance.RunID([]byte("# Notes")))
	require.NotContains(t, string(provenance.Markdown([]byte("x"), "--> <script>")), "script")
}

func TestOurFoldersAreKnownByName(t *testing.T) {
	for name, ours := range map[string]bool{
		"research/" + run + "/final-report.md": true, run + "/a.md": true, "old/" + run: true, ".deep-review/report.md": true,
		"docs/research-retry": true, "a/docs/research-retry/sections": true,
		"papers/research/thesis.md": false, "research/notes.md": false, "docs": false, "src/research-x": false,
	} {
		require.Equal(t, ours, provenance.HasOwnName(name), name)
	}
}

func TestOurFoldersAreKnownByWhatLiesInThem(t *testing.T) {
	files := fstest.MapFS{"kept/old/" + provenance.MarkerFile: {}, "kept/old/seats/a/notes.md": {}, "kept/mine.md": {}}
	require.True(t, provenance.HasMarker(files, "kept/old/seats/a"))
	require.True(t, provenance.HasMarker(files, "kept/old"))
	require.False(t, provenance.HasMarker(files, "kept"))
}

func TestACopyOfWhatAnAgentWroteIsKnown(t *testing.T) {
	report := []byte(strings.Repeat("Only in the seat's report. ", 10))
	page := []byte(strings.Repeat("The page of somebody else. ", 10))
	w := provenance.ListRunFiles(fstest.MapFS{
		"research/" + run + "/alpha-report.md":        {Data: report},
		"research/" + run + "/sources/blobs/ab":       {Data: page},
		"research/" + run + "/seats/a/inputs/plan.md": {Data: page},
		"research/mine/notes.md":                      {Data: page},
	}, fstest.MapFS{})
	began := time.Date(2026, 11, 1, 10, 10, 10, 0, time.UTC)
	later := began.Add(time.Hour)
	require.True(t, w.Contains(report, began))
	require.True(t, w.Contains(report, later))
	require.False(t, w.Contains(report, began.Add(-time.Second)), "a seat has copied what was there before")
	require.False(t, w.Contains(page, later), "what was archived or given is not ours")
	require.False(t, w.Contains(append(report, '.'), later))
}
