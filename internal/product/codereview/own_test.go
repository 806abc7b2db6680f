package codereview_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product/codereview"
)

func TestWhatARunHoldsOfAReviewIsReadBack(t *testing.T) {
	setup := &codereview.Setup{Docs: codereview.DocsOff, Files: 3, Lines: 400}
	require.Equal(t, setup, codereview.Of(codereview.Own(setup)))
	require.Nil(t, codereview.Of(flow.Own{}), "of another product")
	tally := &codereview.Tally{Files: 2}
	require.Equal(t, tally, codereview.TallyOf(codereview.OwnTally(tally)))
	require.Nil(t, codereview.TallyOf(flow.Own{}))
	far := &codereview.Status{Phase: "inspect", Batch: 1, Batches: 2, Findings: map[string]int{"high": 1}}
	require.Equal(t, far, codereview.StatusOf(status.Status{Own: codereview.OwnStatus(far)}))
	require.Nil(t, codereview.StatusOf(status.Status{}))
}

func TestASetupThatCannotBeReviewedIsRefused(t *testing.T) {
	valid := codereview.Setup{Docs: codereview.DocsWrite, Files: 10, Lines: 1000, FailOn: "high"}
	require.NoError(t, valid.Valid())
	for says, edit := range map[string]func(*codereview.Setup){
		`not "later"`:                func(s *codereview.Setup) { s.Docs = "later" },
		`"awful" is no severity`:     func(s *codereview.Setup) { s.FailOn = "awful" },
		"documents are only shown":   func(s *codereview.Setup) { s.Code = "/elsewhere" },
		"no fewer than one file":     func(s *codereview.Setup) { s.Files = -1 },
		"than one file and one line": func(s *codereview.Setup) { s.Lines = -1 },
	} {
		s := valid
		edit(&s)
		require.ErrorContains(t, s.Valid(), says)
	}
}
