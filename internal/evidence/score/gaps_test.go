package score_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
)

func TestAGapThatNothingWithinReachCanCloseIsMarked(t *testing.T) {
	constant := claim.Entry{ID: "C1", Text: "It syncs every 10 ms.", Source: "wal.go:3", Key: "file:wal.go", Type: claim.Code, Critical: true, Seats: []string{"a"}, Families: []string{"x"}, Location: claim.Location{State: claim.Located}}
	told := constant
	told.ID, told.Text, told.Source, told.Key, told.Type = "C2", "Teams run it with five nodes.", "https://forum.example.org/1", "url:forum.example.org/1", claim.Community
	for name, c := range map[string]struct {
		entries []claim.Entry
		in      score.Input
		open    []string // what is asked for
		here    []string // what is marked instead
	}{
		"a constant of one source file": {[]claim.Entry{constant}, score.Input{}, []string{
			"no located claim rests on official documentation or a standard", "no located claim rests on the community: cases, measurements, accounts of use",
			"no located claim tells of a known mistake or danger",
		}, []string{"code, a standard or an experiment alone says C1"}},
		"off line": {[]claim.Entry{constant}, score.Input{NoWeb: true}, []string{"no located claim tells of a known mistake or danger"}, []string{
			"no located claim rests on official documentation or a standard", "no located claim rests on the community: cases, measurements, accounts of use", "code, a standard or an experiment alone says C1",
		}},
		"a figure that others may have too": {[]claim.Entry{told}, score.Input{}, []string{
			"no located claim rests on official documentation or a standard", "no located claim rests on code", "fewer than 2 independent located sources for C2",
			"no located claim tells of a known mistake or danger",
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var open, here []string
			for _, g := range score.Measure(claim.Registry{Entries: c.entries}, c.in).Gaps {
				if g.NotHere != "" {
					here = append(here, g.What)
					continue
				}
				open = append(open, g.What)
			}
			require.Equal(t, c.open, open)
			require.Equal(t, c.here, here)
		})
	}
}

func TestConclusionsCountAsNoQuotations(t *testing.T) {
	f := claim.Entry{ID: "C1", Text: "It syncs every 10 ms.", Source: "wal.go:3", Key: "file:wal.go", Type: claim.Code, Seats: []string{"a"}, Location: claim.Location{State: claim.Located}}
	r := claim.Entry{ID: "C2", Kind: claim.Recommendation, Text: "Take the other.", RestsOn: []string{"C1"}, Seats: []string{"a"}, Critical: true, Location: claim.Location{State: claim.Reasoned}}
	alone, both := score.Measure(claim.Registry{Entries: []claim.Entry{f}}, score.Input{}), score.Measure(claim.Registry{Entries: []claim.Entry{f, r}}, score.Input{})
	require.Equal(t, alone, both)
}
