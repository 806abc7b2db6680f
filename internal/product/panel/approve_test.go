package panel

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vote is a reviewer's review with one score, or without any below zero, and
// with issues of these severities.
func vote(verdict string, score float64, severities ...string) *Review {
	r := &Review{Verdict: verdict, Scores: map[string]float64{"accuracy": score}, Summary: "s"}
	if score == unscored {
		r.Scores = nil
	}
	for i, s := range severities {
		r.Issues = append(r.Issues, Issue{Section: "Key Findings", Issue: fmt.Sprintf("issue %d", i), Severity: s})
	}
	return r
}

const unscored = -1000.0

// bench seats reviewers of families of their own, who say the same twice.
func bench(reviews ...*Review) []Opinion {
	var list []Opinion
	for i, r := range reviews {
		o := Opinion{Agent: fmt.Sprintf("R%d", i+1), Family: fmt.Sprintf("family%d", i), First: r, Last: r}
		if r == nil {
			o.Reason = "timed out"
		}
		list = append(list, o)
	}
	return list
}

func TestWhatAnApprovalTakes(t *testing.T) {
	yes := func(score float64, severities ...string) *Review { return vote(Approved, score, severities...) }
	oneFamily := bench(yes(9), yes(9))
	oneFamily[1].Family = oneFamily[0].Family
	withdrawn := bench(yes(9), yes(9), yes(9))
	withdrawn[0].First = yes(9, Critical)
	silent := bench(yes(9), yes(9), vote(Rejected, 4))
	silent[0].Last, silent[0].Reason = nil, "timed out"
	for _, c := range []struct {
		name     string
		opinions []Opinion
		want     string
		said     []string
	}{
		{"clean", bench(yes(9), yes(8.5), yes(8.8)), Approved, nil},
		{"a critical issue though all approve", bench(yes(9, Critical), yes(8.5), yes(8.8)), NeedsRevision, []string{"1 critical issue is open", "3 of 3 valid votes say approved"}},
		{"a critical issue of the minority", bench(yes(9), yes(8.5), vote(Rejected, 8, Critical)), NeedsRevision, []string{"1 critical issue is open"}},
		{"two of three, and the mean over the bar", bench(yes(9), yes(8.5), vote(Rejected, 6.9)), Approved, []string{"2 of 3"}},
		{"a mean under the bar though all approve", bench(yes(5), yes(4), yes(5.5)), NeedsRevision, []string{"mean score is 4.8 of 10", "bar of 7.0"}},
		{"a mean a hair under the bar is not shown as the bar", bench(yes(7), yes(6.96)), NeedsRevision, []string{"6.9 of 10"}},
		{"the mean at the bar", bench(yes(7), yes(7)), Approved, nil},
		{"one vote left", bench(yes(9), nil, nil), NoQuorum, nil},
		{"all failed", bench(nil, nil, nil), NoQuorum, nil},
		{"two valid votes", bench(yes(9), yes(9), nil), Approved, []string{"1 of 3 reviewers gave no valid vote"}},
		{"two of three reject", bench(vote(Rejected, 3), vote(Rejected, 3), yes(10)), Rejected, nil},
		{"none has two thirds", bench(yes(9), vote(Rejected, 9), vote(NeedsRevision, 9)), NeedsRevision, []string{"split"}},
		{"a lone family in two turns", oneFamily, Approved, []string{"single family"}},
		{"a lone turn", bench(yes(9)), NoQuorum, nil},
		{"one without scores", bench(yes(9), yes(unscored)), Approved, nil},
		{"nobody gave a score", bench(yes(unscored), yes(unscored)), NeedsRevision, []string{"no reviewer gave a score"}},
		{"scores out of range are no votes", bench(yes(95), yes(90), yes(99)), NoQuorum, nil},
		{"a score that is no number", bench(yes(math.NaN()), yes(9), yes(9)), Approved, []string{"1 of 3 reviewers gave no valid vote"}},
		{"a score below nothing", bench(yes(-1), yes(9), yes(9)), Approved, []string{"1 of 3 reviewers gave no valid vote"}},
		{"critical in capitals", bench(yes(9, "CRITICAL"), yes(9), yes(9)), NeedsRevision, nil},
		{"critical with blanks", bench(yes(9, " critical "), yes(9), yes(9)), NeedsRevision, nil},
		{"an unknown severity is no minor one", bench(yes(9, "blocker"), yes(9), yes(9)), Approved, []string{"1 of 3 reviewers gave no valid vote"}},
		{"major issues alone", bench(yes(9, Major, Major, Major), yes(9), yes(9)), Approved, nil},
		{"a critical issue that was withdrawn", withdrawn, Approved, nil},
		{"an approval of the first round alone is said", silent, Approved, []string{"1 vote is the first review"}},
	} {
		r := Conclude(c.opinions, Evidence{})
		require.Equal(t, c.want, r.FinalVerdict, "%s: %s", c.name, r.Reason)
		for _, words := range c.said {
			require.Contains(t, r.Reason, words, c.name)
		}
		require.Equal(t, r.FinalVerdict == Approved, strings.HasPrefix(r.Markdown(), "The reviewers have approved"), c.name)
	}
}

func TestNobodyCanApproveWhatNothingVerifies(t *testing.T) {
	good := bench(vote(Approved, 9), vote(Approved, 9))
	require.Equal(t, Approved, Conclude(good, Evidence{}).FinalVerdict, "a report that makes no claim")
	require.Equal(t, Approved, Conclude(good, Evidence{Claims: 9, Verified: 1}).FinalVerdict)
	r := Conclude(good, Evidence{Claims: 9, Unjudged: 7})
	require.Equal(t, Unverified, r.FinalVerdict)
	require.Contains(t, r.Reason, "none of 9 claims is verified: 7 located and unjudged")
	require.Contains(t, r.Markdown(), "**Not approved.**")
	require.Equal(t, Rejected, Conclude(bench(vote(Rejected, 9), vote(Rejected, 9)), Evidence{Claims: 9}).FinalVerdict)
}
