package export_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/output/export"
)

// A copy of what this program has written is known again, in every form.
func TestEveryFormCarriesTheImprint(t *testing.T) {
	p := publication("So [C1].", registry())
	p.ID = "20261101-101010-a1b2c3"
	for _, form := range export.Forms() {
		text := []byte(write(t, p, form))
		require.Contains(t, string(text), provenance.Line(p.ID), form)
		require.Equal(t, p.ID, provenance.RunID(text), form)
	}
	page, err := extract.Text([]byte(write(t, p, export.HTML)), "text/html", "")
	require.NoError(t, err)
	require.Contains(t, page.Text, provenance.Line(p.ID), "as a page of the web")
}

// What is set of an article or of a campaign's paper says in its text whose it
// is.
func TestAPDFOfOursIsKnown(t *testing.T) {
	pdftotext := installed(t, "pdftotext")
	p := publication("So [C1].", registry())
	p.ID = "20261101-101010-a1b2c3"
	own := paper()
	own.ID, own.Template = p.ID, []byte("\\documentclass{article}\n\\begin{document}\nMine.\n%% council: key-findings\n\\end{document}\n")
	for name, text := range map[string]string{"an article": write(t, p, export.TeX), "a paper in a template of one's own": typeset(t, own)} {
		for _, engine := range []string{"pdflatex", "xelatex"} {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.tex"), []byte(text), 0o600))
			cmd := exec.Command(installed(t, engine), "-interaction=nonstopmode", "a.tex")
			cmd.Dir = dir
			_ = cmd.Run() // references that are not there are no matter here
			data, err := os.ReadFile(filepath.Join(dir, "a.pdf"))
			require.NoError(t, err)
			read, err := extract.Text(data, "application/pdf", "")
			require.NoError(t, err)
			require.Contains(t, read.Text, provenance.Line(p.ID), "%s by %s", name, engine)
			shown, err := exec.Command(pdftotext, filepath.Join(dir, "a.pdf"), "-").Output()
			require.NoError(t, err)
			require.Contains(t, string(shown), provenance.Line(p.ID), "%s by %s", name, engine)
		}
	}
}
