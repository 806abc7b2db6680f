package supervisor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/schema"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/verify"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// newReview is staged research of one agent, for what comes after it.
func newReview(t *testing.T, but map[string]string) *councilRun {
	c := newStaged(t, and(alone(), but))
	staged.Of(c.setup.Own).Agents, staged.Of(c.setup.Own).Revisions = 1, 0
	return c
}

func TestReviewersVote(t *testing.T) {
	t.Parallel()
	const dumb = "#! no login\nexit 77\n"
	open := func(verdict string) string { return opinion(verdict, "The pace is not measured.") }
	for name, c := range map[string]struct {
		answers map[string]string
		verdict string
		valid   int
		reason  string // why the run has failed; "" when it has not
	}{
		"all fail": {map[string]string{"review": dumb}, panel.NoQuorum, 0, "Gate failed: review — no quorum: no valid vote"},
		"one is left": {
			map[string]string{"ada.review": dumb, "cid.review": "I like it."},
			panel.NoQuorum, 1,
			"Gate failed: review — no quorum: 1 valid vote",
		},
		"two of three approve":   {map[string]string{"cid.review": open("rejected"), "cid.reconsider": open("rejected")}, panel.Approved, 3, ""},
		"one fails, two approve": {map[string]string{"bea.review": dumb}, panel.Approved, 2, ""},
		"three of three opinions": {
			map[string]string{"bea.review": open("needs_revision"), "bea.reconsider": open("needs_revision"), "cid.review": open("rejected"), "cid.reconsider": open("rejected")},
			panel.NeedsRevision, 3, "Gate failed: review — needs_revision, and 0 of 0 revisions are spent",
		},
		"two of three reject": {
			map[string]string{"bea.review": open("rejected"), "bea.reconsider": open("rejected"), "cid.review": open("rejected"), "cid.reconsider": open("rejected")},
			panel.Rejected, 3, "Gate failed: review — the consilium has rejected the report",
		},
		"who is silent the second time votes as before": {map[string]string{"bea.reconsider": dumb, "cid.reconsider": dumb}, panel.Approved, 3, ""},
		"two change their minds":                        {map[string]string{"bea.reconsider": open("rejected"), "cid.reconsider": open("rejected")}, panel.Rejected, 3, "rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := newReview(t, c.answers)
			r := run.staged(run.options())
			result := read[panel.Result](run, panel.VerdictFile)
			require.Equal(t, c.verdict, result.FinalVerdict, r.Reason)
			require.Equal(t, c.valid, result.Valid)
			require.Equal(t, 3, result.Asked)
			_, problems := schema.Check("verdict", []byte(run.file(panel.VerdictFile)))
			require.Empty(t, problems)
			report := run.file(flow.FinalReport)
			require.Equal(t, 1, strings.Count(report, "## Review\n"))
			require.Equal(t, c.valid == 0, strings.Contains(report, "**No reviewer has read this report.**"))
			if c.reason == "" {
				require.Equal(t, flow.Completed, r.Status, r.Reason)
				require.Contains(t, report, "The reviewers have approved this report.")
				require.NotContains(t, report, "Not approved")
				return
			}
			require.Equal(t, flow.Failed, r.Status)
			require.Contains(t, r.Reason, c.reason)
			require.Contains(t, report, "Not approved")
			require.Contains(t, report, "This run did not complete: failed")
			require.Contains(t, report, "The first text", "the report stays")
			require.NotContains(t, report, "The reviewers have approved")
			require.Equal(t, "review", run.state().CurrentStage)
			v, err := verify.Run(run.folder())
			require.NoError(t, err)
			require.Empty(t, v.Problems)
			require.Equal(t, r.Reason, run.state().Error)
			place := filepath.Join(run.folder(), flow.FinalReport)
			require.NoError(t, os.WriteFile(place, []byte(strings.ReplaceAll(report, "This run did not complete: failed", "This run is approved")), 0o600))
			for range 2 {
				v, err = verify.Run(run.folder())
				require.NoError(t, err)
				require.Len(t, v.Problems, 1, "a report that hides how its run ended, and then none")
				require.Equal(t, flow.FinalReport, v.Problems[0].Place)
				require.NoError(t, os.RemoveAll(place))
			}
		})
	}
}

func TestOneSeatMayReviewThriceAndItIsSaid(t *testing.T) {
	t.Parallel()
	c := newReview(t, nil)
	c.setup.Panel = []flow.Seat{c.setup.Seats[0], c.setup.Seats[0], c.setup.Seats[0]}
	r := c.staged(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	result := read[panel.Result](c, panel.VerdictFile)
	require.Equal(t, 3, result.Valid)
	require.True(t, result.SingleFamily)
	require.Equal(t, panel.Low, result.Confidence)
	require.Contains(t, c.file(flow.FinalReport), "single family")
	for _, what := range []string{"review-1-R1", "review-1-R2", "review-1-R3", "reconsider-1-R1", "reconsider-1-R2", "reconsider-1-R3"} {
		require.Equal(t, 1, c.turns("ada", what), "each has a turn of its own")
	}
}

// Reviewers see nothing of each other before they have written, and no names
// after it.
func TestReviewersHearTheOthersWithoutTheirNames(t *testing.T) {
	t.Parallel()
	spy := func(answer string) string {
		return "#! it looks around\nls -R \"$PWD\" > \"$CALLS/sees-$SEAT-$what\"; cat inputs/* > \"$CALLS/reads-$SEAT-$what\"\ncat > \"$RESEARCH_REPORT_PATH\" <<'END'\n" + answer + "\n<!-- RESEARCH_COMPLETE -->\nEND\n"
	}
	but := map[string]string{"reconsider": spy(opinion("approved", ""))}
	issues := map[string]string{"ada": "The pace is not measured.", "bea": "The limit lacks its date.", "cid": "The logs are left out."}
	for seat, issue := range issues {
		but[seat+".review"] = spy(opinion("needs_revision", issue))
	}
	c := newReview(t, but)
	r := c.staged(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	i := 0
	for _, seat := range []string{"ada", "bea", "cid"} {
		i++
		alone := c.told(fmt.Sprintf("reads-%s-review-1-R%d", seat, i))
		heard := c.told(fmt.Sprintf("reads-%s-reconsider-1-R%d", seat, i))
		require.Contains(t, alone, "The first text", "it has the report")
		for other, issue := range issues {
			require.NotContains(t, alone, issue)
			require.Contains(t, heard, issue, "%s hears %s", seat, other)
		}
		others := c.in(fmt.Sprintf("seats/%s/reconsider.1.R%d/inputs/others.md", seat, i))
		require.Contains(t, others, "Reviewer B")
		for other := range issues {
			require.NotContains(t, others, other, "no names")
			require.NotContains(t, others, "R1")
		}
	}
	for _, score := range read[panel.Result](c, panel.VerdictFile).ModelScores {
		require.True(t, score.Changed)
		require.Equal(t, "needs_revision", score.First)
		require.Equal(t, "approved", score.Verdict)
	}
}

// remembering answers, and keeps what it read.
func remembering(answer string) string {
	return "#! it remembers\nmkdir -p \"$CALLS/read-$what-$n\"; cp inputs/* \"$CALLS/read-$what-$n/\"\ncat > \"$RESEARCH_REPORT_PATH\" <<'END'\n" + answer + "\n<!-- RESEARCH_COMPLETE -->\nEND\n"
}

func TestARevisionReachesTheReport(t *testing.T) {
	t.Parallel()
	again := opinion("needs_revision", "The pace is not measured.")
	worded := func(word string) string { return strings.ReplaceAll(prose(word), "C2", "C1") }
	c := newReview(t, map[string]string{
		"review": again, "reconsider": again, "review-3": opinion("approved", ""), "findings": remembering(wellSaid()["findings"]),
		"prose.1": worded("first"), "prose.2": remembering(worded("second")), "prose.3": remembering(worded("third")),
	})
	staged.Of(c.setup.Own).Revisions = 2
	r := c.staged(c.options())
	require.Equal(t, flow.Failed, r.Status)
	require.Contains(t, r.Reason, "Gate failed: review — needs_revision, and 2 of 2 revisions are spent")
	report := c.file(flow.FinalReport)
	require.Contains(t, report, "The third text")
	require.NotContains(t, report, "The first text", "the old report does not come back")
	require.NotContains(t, report, "The second text")
	require.Contains(t, report, "Not approved")
	require.Contains(t, report, "sent the work back to the synthesis 2 times")

	_, err := os.Stat(filepath.Join(c.calls, "read-findings-1", panel.RevisionFile))
	require.True(t, os.IsNotExist(err), "at first there is nothing to mend")
	for _, place := range []string{"read-findings-2", "read-findings-3", "read-prose-2", "read-prose-3"} {
		require.Contains(t, c.told(filepath.Join(place, panel.RevisionFile)), "The pace is not measured.")
	}
	require.Equal(t, 3, c.turns("ada", "findings"))
	advocates := c.turns("ada", "advocate") + c.turns("bea", "advocate") + c.turns("cid", "advocate")
	require.Equal(t, 3, advocates, "all that follows the synthesis is made anew")
	require.Zero(t, c.turns("ada", "advocate"), "the advocate is of another family than the synthesis")
	require.Equal(t, 1, c.turns("ada", "collection-A1"), "and nothing before it")
	st := c.state()
	require.Equal(t, 2, st.Iteration)
	require.Equal(t, 2, st.MaxIterations)
	require.Equal(t, "failed", st.Status)
	require.NotContains(t, st.Outputs, "review")

	require.NoError(t, supervisor.Reopen(c.options(), r.Setup, ""))
	c.says(map[string]string{"review": opinion("approved", ""), "reconsider": opinion("approved", ""), "prose.4": worded("fourth")})
	r = c.supervise(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	report = c.file(flow.FinalReport)
	require.Contains(t, report, "The fourth text")
	require.Contains(t, report, "The reviewers have approved this report.")
	_, problems := schema.Check("state", []byte(c.file(staged.StateFile)))
	require.Empty(t, problems)
}

// A review may stand behind a council too.
func TestACouncilIsReviewed(t *testing.T) {
	t.Parallel()
	reviewer := `case "$RESEARCH_REPORT_PATH" in */review-*|*/reconsider-*) ` + panelist + ` exit 0 ;; esac` + "\n" + good
	c := newCouncil(t, map[string]string{"ada": reviewer, "bea": reviewer, "cid": reviewer})
	c.setup.Panel = c.setup.Seats
	again := opinion("needs_revision", "The pace is not measured.")
	c.says(map[string]string{"review-1": again, "reconsider-1": again, "review": opinion("approved", ""), "reconsider": opinion("approved", ""), "review-1-R1": again, "review-1-R2": again, "reconsider-1-R1": again, "reconsider-1-R2": again})
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, 1, panel.Revisions(r))
	require.Contains(t, c.file(flow.FinalReport), "The reviewers have approved this report.")
	require.Contains(t, c.file(panel.RevisionFile), "No reviewer has named an issue.")
	v, err := verify.Run(c.folder())
	require.NoError(t, err)
	require.Empty(t, v.Problems)
}

func TestAReviewThatNobodyCanGiveIsTold(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good, "bea": good, "cid": good})
	c.setup.Unreviewed = true
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	top, _, _ := strings.Cut(c.file(flow.FinalReport), "\n## ")
	require.Contains(t, top, "A review was asked for, and no reviewer with a model could take part.")
}

// A reviewed campaign rests on claims that others have judged: without their
// votes nothing of it is verified, and reviewers approve nothing that is not.
func TestAReviewedCampaignIsVotedOn(t *testing.T) {
	const dumb = "#! no login\nexit 77\n"
	const two = `if [ $ROLE = explore ] && [ $N = 1 ]; then for k in 4 5; do fact "Kettle number $k boils a litre of water in $((100+k)) seconds."; done; fi
[ $ROLE = conclude ] && section report executive-summary 'They boil. [C1] So does the other. [C2]'
`
	for name, x := range map[string]struct {
		votes, verdict string
		approved       bool
	}{
		"others support both":   {ballots, claim.Supports, true},
		"no judge can be heard": {dumb, claim.Unjudged, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCampaign(t, campaign.Research, two)
			for _, name := range []string{"bea", "cid", "eve"} {
				path := filepath.Join(c.calls, name+".sh")
				require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nCALLS='"+c.calls+"'; SEAT="+name+"\n"+panelist), 0o700))
				c.setup.Panel = append(c.setup.Panel, flow.Seat{Name: name, Kind: "command", Brand: name, Program: path})
			}
			c.says(map[string]string{"votes": x.votes, "review": opinion("approved", ""), "reconsider": opinion("approved", "")})
			r := c.run()
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			for _, e := range read[claim.Registry](c, claim.RegistryFile).Entries {
				require.Equal(t, x.verdict, e.Verdict(), e.ID)
			}
			result := read[panel.Result](c, panel.VerdictFile)
			require.Equal(t, x.approved, result.FinalVerdict == panel.Approved, result.Reason)
			require.Equal(t, x.approved, strings.Contains(c.file(flow.FinalReport), "The reviewers have approved this report."))
			checked, err := verify.Run(c.folder())
			require.NoError(t, err)
			require.Empty(t, checked.Problems)
		})
	}
}
