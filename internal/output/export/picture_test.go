package export_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/test/chromium"
)

// The pictures of the report that the documentation shows.
func TestPicturesOfTheReport(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t)
	file := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(file, []byte(write(t, council(), export.HTML)), 0o600))
	b.Scheme("light")
	b.Size(1200, 600)
	b.Open("file://" + file)
	b.Picture("report")
	b.Eval("document.querySelector(\"" + inText + "\").click()")
	b.Await("!document.querySelector('#panel').hidden")
	b.Picture("report-evidence")
}
