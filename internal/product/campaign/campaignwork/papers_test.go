package campaignwork

import (
	"context"
	"os"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/council/councilwork"
)

// newPress is the press of a campaign with a paper, on a machine without TeX.
func newPress(t *testing.T, ctx context.Context) (*press, flow.Run) {
	t.Helper()
	project := t.TempDir()
	folder, err := workspace.Create(project, "20260222-143000-a1b2c3")
	require.NoError(t, err)
	papers, err := workspace.OpenPublic(project, "docs/research-a-topic")
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, folder.Close())
		require.NoError(t, papers.Close())
	})
	require.NoError(t, folder.Mkdir(PublishedDir))
	run := &supervisor.Run{Folder: folder, Life: ctx, Options: supervisor.Options{Environ: []string{"PATH=" + t.TempDir()}}}
	council, err := councilwork.New(run, nil)
	require.NoError(t, err)
	s := &press{records: &records{council}, papers: papers}
	r := flow.Run{Setup: flow.Setup{Own: campaign.Own(&campaign.Setup{Name: "A topic", Slug: "a-topic"})}}
	require.NoError(t, papers.Write(paperName(campaign.Of(r.Setup.Own), "report"), []byte("\\documentclass{article}\n\\begin{document}x\\end{document}\n")))
	return s, r
}

// A paper that was not built is built once TeX is there, or the campaign is
// taken up.
func TestAPaperCountsAsBuiltOnlyWhenABuildHasEnded(t *testing.T) {
	t.Parallel()
	over, end := context.WithCancel(t.Context())
	end()
	for name, ctx := range map[string]context.Context{"no TeX is there": t.Context(), "the supervisor was stopped": over} {
		s, r := newPress(t, ctx)
		paper := paperName(campaign.Of(r.Setup.Own), "report")
		s.buildPDFsLocked(r)
		s.buildPDFsLocked(r)
		text, err := s.papers.Read(paper)
		require.NoError(t, err)
		require.False(t, s.isBuilt(paper, text), name)
		s.markBuilt(paper, text)
		require.True(t, s.isBuilt(paper, text), name)
	}
}

// What is not built is told once.
func TestWhyAPaperIsNotBuiltIsToldOnce(t *testing.T) {
	t.Parallel()
	s, r := newPress(t, t.Context())
	s.buildPDFsLocked(r)
	once, err := os.ReadFile(s.Folder.Join(workspace.Progress))
	require.NoError(t, err)
	require.Contains(t, string(once), "is not made a PDF")
	s.buildPDFsLocked(r)
	again, err := os.ReadFile(s.Folder.Join(workspace.Progress))
	require.NoError(t, err)
	require.Equal(t, string(once), string(again))
}

// The folder of the papers is people's: only what the program has left goes.
func TestAPersonsFilesStayBesideThePapers(t *testing.T) {
	t.Parallel()
	s, _ := newPress(t, t.Context())
	theirs := []string{"notes.new", "a-topic-report.tex.new", "minutes.2024.new", "x.new.md"}
	ours := []string{"a-topic-report.tex.17446744073709551615.new", "sources.bib.1844674407370955.new"}
	for _, name := range append(theirs, ours...) {
		require.NoError(t, os.WriteFile(s.papers.Join(name), []byte("x"), 0o600))
	}
	inside := path.Join(PublishedDir, ours[0])
	require.NoError(t, os.WriteFile(s.Folder.Join(inside), []byte("x"), 0o600))
	s.removeTempFiles()
	for _, name := range theirs {
		require.True(t, s.papers.Has(name), name)
	}
	for _, name := range ours {
		require.False(t, s.papers.Has(name), name)
	}
	require.False(t, s.Folder.Has(inside))
}
