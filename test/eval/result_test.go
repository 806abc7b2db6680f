package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/test/eval/plant"
)

func TestTheDocumentHasAPlaceForEveryPart(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "EVALUATION.md"))
	require.NoError(t, err)
	for _, p := range parts() {
		text, err := insert(string(data), p.name, "measured $1")
		require.NoError(t, err)
		require.Contains(t, text, "<!-- eval: "+p.name+" -->\nmeasured $1\n<!-- end of "+p.name+" -->")
		again, err := insert(text, p.name, "measured $1")
		require.NoError(t, err)
		require.Equal(t, text, again)
	}
	_, err = insert("nothing", "faults", "x")
	require.ErrorContains(t, err, "no marks")
}

func TestAMissedBarIsAnError(t *testing.T) {
	require.NoError(t, Result{Bars: []Bar{{"a", "≥ 1", "1", true}}}.Missed("p"))
	require.ErrorContains(t, Result{Bars: []Bar{{"a", "≥ 1", "0", false}}}.Missed("p"), "p: a is 0, the bar is ≥ 1")
	require.Error(t, Result{Text: "| typo | **missed** |"}.Missed("p"))
}

func TestAPartWithoutItsDataIsAnErrorAndLeavesNoResult(t *testing.T) {
	b := bench{data: t.TempDir(), results: t.TempDir()}
	for _, p := range parts() {
		if p.name != "structure" && p.name != "wrongsource" {
			continue
		}
		err := b.do(t.Context(), p, b.results, io.Discard)
		require.ErrorIs(t, err, os.ErrNotExist)
		require.ErrorContains(t, err, p.name+": not measured")
	}
	entries, err := os.ReadDir(b.results)
	require.NoError(t, err)
	require.Empty(t, entries, "the figures of the document stay as they are")
}

func TestPartsAreChosenByTheirNames(t *testing.T) {
	for only, want := range map[string]int{"": len(parts()), "audit": 1, "drift,audit": 2} {
		list, err := choose(only)
		require.NoError(t, err)
		require.Len(t, list, want, only)
	}
	_, err := choose("audit,adit")
	require.EqualError(t, err, `there is no part "adit" to measure`)
}

func TestCellsDoNotBreakATable(t *testing.T) {
	require.Equal(t, "| a\\|b |\n|---|\n| c d |\n", Table{Head: []string{"a|b"}, Rows: [][]string{{"c\nd"}}}.Markdown())
}

func TestWhatCountsAsCaught(t *testing.T) {
	marked := verdict{state: claim.Located, marks: []plant.Mark{plant.MarkRetracted}}
	for _, c := range []struct {
		name  string
		v     verdict
		fault plant.Fault
		want  plant.Want
		is    bool
	}{
		{"not found", verdict{state: claim.NotFound}, plant.Stitched, plant.Refused, true},
		{"not looked for", verdict{state: claim.Unchecked}, plant.Stitched, plant.Refused, true},
		{"located", verdict{state: claim.Located}, plant.Stitched, plant.Refused, false},
		{"an outage taken for a verdict", verdict{state: claim.NotFound}, plant.Outage, plant.Unchecked, false},
		{"an outage", verdict{state: claim.Unchecked}, plant.Outage, plant.Unchecked, true},
		{"marked", marked, plant.Retracted, plant.Flagged, true},
		{"marked with something else", marked, plant.Comment, plant.Flagged, false},
		{"lost", verdict{}, plant.Stitched, plant.Refused, false},
		{"lost and to be flagged", verdict{}, plant.Comment, plant.Flagged, false},
	} {
		require.Equal(t, c.is, c.v.caught(c.fault, c.want), c.name)
	}
	honest := plant.Claim{Twin: plant.Retracted, Want: plant.Located}
	require.True(t, marked.accuses(honest))
	require.False(t, verdict{state: claim.Located}.accuses(honest))
	require.True(t, verdict{state: claim.Unchecked}.accuses(honest))
	require.False(t, verdict{state: claim.Located, marks: []plant.Mark{plant.MarkElided}}.accuses(plant.Claim{Twin: plant.LeftOut, Writing: plant.Ellipsis}))
}
