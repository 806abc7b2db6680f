package vote_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/vote"
)

// What an experiment printed around several passages stands on a ballot once, in whole
// lines, with a mark where something is left out; a passage of another place has its own
// context.
func TestABallotTellsOnceWhatAnExperimentPrinted(t *testing.T) {
	var lines []string
	for _, step := range strings.Fields("clone split push pull merge fetch commit status log gc") {
		lines = append(lines, "step "+step+" "+strings.Repeat("=", 70), "it ended with exit code 0 after "+step, "")
	}
	all := strings.Join(lines, "\n")
	quoting := func(id string, quotes ...string) claim.Entry {
		e := claim.Entry{ID: id, Text: "Claim " + id + "."}
		for _, q := range quotes {
			l := claim.Locate(claim.Register(nil, []claim.Draft{{Text: "It is so.", Quote: q, Source: "experiment:E1", Seat: "a"}}), printer{all})[0].Location
			require.Equal(t, claim.Located, l.State, l.Reason)
			e.Passages = append(e.Passages, claim.Passage{Reference: claim.Reference{Quote: q, Source: "experiment:E1"}, Location: l})
		}
		return e
	}
	asked := []claim.Entry{quoting("C1", "it ended with exit code 0 after clone", "it ended with exit code 0 after split"), quoting("C2", "it ended with exit code 0 after split", "it ended with exit code 0 after gc")}
	paper := vote.BallotPaper(asked, claim.Registry{})
	require.Equal(t, 1, strings.Count(paper, "> step clone ="), paper)
	require.Equal(t, 1, strings.Count(paper, "> step gc ="))
	require.Equal(t, 3, strings.Count(paper, "> it ended with exit code 0 after split\n"), "two passages, and around them")
	require.Equal(t, 1, strings.Count(paper, "\n> […]\n"))
	require.NotContains(t, paper, "it stands")
	require.NotRegexp(t, `(?m)^> =`, paper, "lines are whole")
}

// printer is an archive that has one experiment.
type printer struct{ text string }

func (p printer) Text(string) (claim.Text, error) {
	return claim.Text{Body: p.text, Made: "Experiment of a, a seat of this run: sh a.sh (exit code 0)."}, nil
}
