package library_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/library"
	"github.com/research-council/research-council/internal/evidence/provenance"
)

const earlier = "20261101-101010-a1b2c3"

// project is a small project in which the council has worked before.
func project(t *testing.T) string {
	root := t.TempDir()
	dir := filepath.Join(root, "project")
	for name, text := range map[string]string{
		"docs/guide.md":               "# Guide\n\nRetries back off exponentially.\nThe limit is five attempts.\n",
		"docs/sub folder/über uns.md": "Wir antworten innerhalb von zwei Tagen.\n", "docs/100%.md": "Percent names are ordinary.\n",
		"docs/a:12.md": "A colon in the name is legal.\n", "docs/research-notes.md": "An ordinary file of the user with research in its name.\n",
		"docs/research-retry/report.md": "Only in the campaign report.\n", ".deep-review/report.md": "Only in the review.\n",
		"notes.txt": "Outside the scope docs: the password rule is old.\n", "src/retry.go": "package retry\n\n// Do retries at most five times.\n",
		"papers/research/thesis.md":                "The thesis of the user is a source.\n",
		"research/" + earlier + "/final-report.md": "# Report\n\nRetries back off linearly.\n",
		"research/" + earlier + "/alpha-report.md": "Only in the seat report.\n",
		"../outside/secret.txt":                    "The outside file holds a secret.\n",
		"../project2/docs/guide.md":                "Retries back off exponentially.\n",
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink("guide.md", filepath.Join(dir, "docs", "link-in.md")))
	require.NoError(t, os.Symlink("../../outside/secret.txt", filepath.Join(dir, "docs", "link-out.md")))
	return dir
}

func look(l *library.Library, source, quotation string) claim.Entry {
	return claim.Locate(claim.Register(nil, []claim.Draft{{Text: "x", Quote: quotation, Source: l.Canonical(source), Seat: "ada"}}), l.ArchivedOnly())[0]
}

func TestAFileIsFoundByEveryWayToNameIt(t *testing.T) {
	dir := project(t)
	rows, err := os.ReadFile("testdata/source-paths.tsv")
	require.NoError(t, err)
	for row := range strings.Lines(string(rows)) {
		cells := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		id, scope, source, quotation, want, why := cells[0], cells[1], strings.ReplaceAll(cells[2], "{PROJECT}", dir), cells[3], cells[4], cells[5]
		if scope == "project" {
			scope = "."
		}
		l, err := library.Open(filepath.Join(dir, scope), nil)
		require.NoError(t, err)
		e := look(l, source, quotation)
		require.NoError(t, l.Close())
		about := id + " " + why + ": " + string(e.Location.State) + ", " + e.Location.Reason
		switch {
		case strings.HasPrefix(want, "located"):
			require.Equal(t, claim.Located, e.Location.State, about)
			if strings.Contains(want, "docs/guide.md:3") {
				require.Equal(t, 3, e.Location.First, about)
				require.Equal(t, "file:guide.md", e.Key, "%s: one source, however it is named", about)
			}
		case strings.Contains(want, "written by the product"):
			require.Equal(t, claim.NotFound, e.Location.State, about)
			require.Contains(t, e.Location.Reason, "written by research-council", about)
		default:
			require.NotEqual(t, claim.Located, e.Location.State, about)
			require.NotContains(t, e.Location.Passage+e.Location.Nearest, "secret", about)
			require.NotContains(t, e.Location.Reason, dir, "no path of this machine is told")
		}
	}
}

func TestWhatTheProgramHasWrittenIsNoSourceWhereverItLies(t *testing.T) {
	dir := project(t)
	seat := []byte(strings.Repeat("What an agent wrote in an earlier run, copied by hand. ", 3))
	for name, data := range map[string][]byte{
		"docs/exported.md":                       provenance.Markdown([]byte("# Report\n\nRetries back off linearly.\n"), earlier),
		"docs/exported.tex":                      provenance.Comment([]byte("\\section{Report}\nRetries back off linearly.\n"), "%", earlier),
		"research/" + earlier + "/bea-report.md": seat,
		"docs/copied.md":                         seat,
		"docs/moved/" + provenance.MarkerFile:    nil,
		"docs/moved/seats/alpha/notes.md":        []byte("Notes of a seat.\n"),
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
	for scope, refs := range map[string][]string{
		"docs":       {"exported.md", "exported.tex", "copied.md", "moved/seats/alpha/notes.md"},
		"docs/moved": {"seats/alpha/notes.md"},
		".":          {"docs/exported.md", "docs/copied.md", "docs/moved/seats/alpha/notes.md", "research/" + earlier + "/bea-report.md"},
	} {
		l, err := library.Open(filepath.Join(dir, scope), nil)
		require.NoError(t, err)
		for _, ref := range refs {
			_, err := l.ArchivedOnly().Text(ref)
			require.ErrorContains(t, err, "written by research-council", "%s in %s", ref, scope)
		}
		require.NoError(t, l.Close())
	}
}
