package panel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
)

// Quorum is how many valid votes a verdict takes.
const Quorum = 2

// MinMeanScore is the mean of all reviewers' scores, of 10, that an approval needs.
const MinMeanScore = 7.0

// Evidence is what the report rests on, as the program has counted it.
type Evidence struct {
	Claims   int // 0 for a report that makes none
	Verified int // of these, those whose passage supports them by the votes
	Unjudged int // located, and judged by nobody
}

// Opinion is all that came of one reviewer.
type Opinion struct {
	Agent  string // the reviewer's name in the panel, unlike all others
	Seat   string
	Family string // of the model
	Model  string
	First  *Review // written alone; nil when that turn failed
	Last   *Review // written after the others were heard; nil when that turn failed, and then First counts
	Reason string  // what went wrong, if anything did
}

// How far a verdict can be relied on.
const (
	High   = "high"
	Medium = "medium"
	Low    = "low"
)

// Result is the verdict of the panel and how it came about.
type Result struct {
	FinalVerdict   string          `json:"final_verdict"`
	ConsensusScore float64         `json:"consensus_score"` // the share of valid votes that agree with the verdict, 0 to 1
	ModelScores    []ModelScore    `json:"model_scores"`
	Points         []RevisionPoint `json:"unified_tz"`
	Valid          int             `json:"valid"`                // votes
	Asked          int             `json:"asked"`                // reviewers
	Families       []string        `json:"families"`             // of those whose votes are valid
	SingleFamily   bool            `json:"single_family"`        // all valid votes are of one family
	Confidence     string          `json:"confidence"`           // high, medium or low
	MeanScore      float64         `json:"mean_score"`           // of the reviewers' means, of those that gave scores; 0 when none did
	Blocked        []string        `json:"blocked_by,omitempty"` // why two thirds who approve are not enough
	Reason         string          `json:"reason"`               // one line
}

// ModelScore is what one reviewer said.
type ModelScore struct {
	Seat    string             `json:"seat"`
	Agent   string             `json:"agent"`
	Family  string             `json:"family"`
	Model   string             `json:"model,omitempty"`
	Verdict string             `json:"verdict,omitempty"` // "" when there is no valid vote
	First   string             `json:"first_verdict,omitempty"`
	Changed bool               `json:"changed"` // the second verdict is another than the first
	Scores  map[string]float64 `json:"scores,omitempty"`
	Mean    float64            `json:"mean,omitempty"` // of the scores
	Reason  string             `json:"reason,omitempty"`
}

// reviewerVote is what one reviewer said, with the review that counts; nil for none.
type reviewerVote struct {
	ModelScore
	review       *Review
	reconsidered bool // it is the one written after the others were heard
}

// Conclude makes the opinions a verdict, by counting. A reviewer's last valid
// review is its vote; one without is no vote. With fewer than [Quorum] valid
// votes there is no_quorum. Two thirds of them approve or reject; all else
// needs revision. An approval needs more than votes: no critical issue in any
// of the reviews that count, and a mean score of at least [MinMeanScore]; else it needs
// revision. Of a report none of whose claims is verified it is unverified,
// which no revision mends. Where families sit beside each other each has one
// vote, which its reviewers share. Where one sits alone its reviewers, in turns
// of their own, have a vote each, and the result says that they are of one
// family.
//
// The consensus score is the share of the votes that agree with the verdict;
// where votes were split and the verdict is needs_revision for that, those
// agree who voted so. Without a quorum it is 0.
//
// Confidence is high when all who were asked voted alike, medium when two
// thirds did, else low; with two families it is medium at most, with one low.
func Conclude(opinions []Opinion, evidence Evidence) Result {
	ballots := reviewerVotes(opinions)
	r := Result{Asked: len(opinions), ModelScores: []ModelScore{}, Families: []string{}}
	for _, v := range ballots {
		r.ModelScores = append(r.ModelScores, v.ModelScore)
		if v.review == nil {
			continue
		}
		r.Valid++
		if f := family(v.Family); f != "" && !slices.Contains(r.Families, f) {
			r.Families = append(r.Families, f)
		}
	}
	slices.Sort(r.Families)
	r.SingleFamily = r.Valid > 0 && len(r.Families) < 2
	r.MeanScore = overallMean(ballots)
	votes := countVotes(ballots, r.Families)
	if r.FinalVerdict = votes.verdict(r.Valid); r.FinalVerdict == Approved {
		r.FinalVerdict, r.Blocked = r.checkApproval(ballots, evidence)
	}
	if r.FinalVerdict != NoQuorum {
		r.ConsensusScore = votes.share(r.FinalVerdict)
	}
	r.Confidence = r.confidence(votes)
	r.Points = mergeIssues(ballots)
	r.Reason = r.reason(votes)
	if n := countFirstOnly(ballots); n > 0 {
		r.Reason += fmt.Sprintf("; %s the first review, since the second turn failed", plural.Forms(n, "vote is", "votes are"))
	}
	return r
}

// checkApproval looks at what an approval by votes does not see.
func (r Result) checkApproval(ballots []reviewerVote, evidence Evidence) (verdict string, why []string) {
	verdict = Approved
	if n := countCritical(ballots); n > 0 {
		verdict, why = NeedsRevision, append(why, plural.Forms(n, "critical issue is", "critical issues are")+" open")
	}
	switch {
	case !slices.ContainsFunc(ballots, func(b reviewerVote) bool { return len(b.Scores) > 0 }):
		verdict, why = NeedsRevision, append(why, "no reviewer gave a score")
	case r.MeanScore < MinMeanScore:
		verdict, why = NeedsRevision, append(why, fmt.Sprintf("the mean score is %.1f of 10, under the bar of %.1f", math.Floor(10*r.MeanScore)/10, MinMeanScore))
	}
	if evidence.Claims > 0 && evidence.Verified == 0 {
		verdict, why = Unverified, append(why, fmt.Sprintf("none of %s is verified: %d located and unjudged", plural.Forms(evidence.Claims, "claim", "claims"), evidence.Unjudged))
	}
	return verdict, why
}

// countCritical counts the critical issues of the reviews that count.
func countCritical(ballots []reviewerVote) int {
	n := 0
	for _, b := range ballots {
		if b.review == nil {
			continue
		}
		for _, is := range b.review.Issues {
			if grade(is.Severity) == Critical {
				n++
			}
		}
	}
	return n
}

// overallMean is the mean of the means of all reviews that count and have scores.
func overallMean(ballots []reviewerVote) float64 {
	sum, n := 0.0, 0
	for _, b := range ballots {
		if len(b.Scores) > 0 {
			sum += b.Mean
			n++
		}
	}
	return sum / float64(max(1, n))
}

// countFirstOnly counts the votes of reviewers who have not spoken again.
func countFirstOnly(ballots []reviewerVote) int {
	n := 0
	for _, b := range ballots {
		if b.review != nil && !b.reconsidered {
			n++
		}
	}
	return n
}

// votes are how often each verdict was given: by reviewers, and by votes, which
// the reviewers of a family share where several families sit.
type votes struct {
	by    map[string]int
	voted map[string]float64
	all   float64
}

func countVotes(ballots []reviewerVote, families []string) votes {
	sits := map[string]float64{} // reviewers of a family whose vote counts
	for _, b := range ballots {
		if b.review != nil {
			sits[family(b.Family)]++
		}
	}
	v := votes{by: map[string]int{}, voted: map[string]float64{}}
	for _, b := range ballots {
		if b.review == nil {
			continue
		}
		weight := 1.0
		if len(families) > 1 {
			weight /= sits[family(b.Family)]
		}
		v.by[b.Verdict]++
		v.voted[b.Verdict] += weight
		v.all += weight
	}
	return v
}

// share is how much of the votes a verdict has, 0 to 1.
func (v votes) share(verdict string) float64 { return v.voted[verdict] / max(1, v.all) }

// hasTwoThirds reports whether a verdict has two thirds. Shares of votes are not
// exact in binary.
func (v votes) hasTwoThirds(verdict string) bool { return v.share(verdict) > 2.0/3-1e-9 }

// verdict is the rule of two thirds.
func (v votes) verdict(valid int) string {
	switch {
	case valid < Quorum:
		return NoQuorum
	case v.hasTwoThirds(Approved):
		return Approved
	case v.hasTwoThirds(Rejected):
		return Rejected
	}
	return NeedsRevision
}

func (r Result) confidence(v votes) string {
	switch {
	case r.FinalVerdict == NoQuorum || len(r.Families) < 2 || !v.hasTwoThirds(r.FinalVerdict):
		return Low
	case len(r.Families) == 2 || v.by[r.FinalVerdict] < r.Asked:
		return Medium
	}
	return High
}

func (r Result) reason(v votes) string {
	if r.FinalVerdict == NoQuorum {
		return fmt.Sprintf("no quorum: %d of %d reviewers gave a valid vote, and %d are needed", r.Valid, r.Asked, Quorum)
	}
	s := fmt.Sprintf("%d of %d valid votes say %s", v.by[r.FinalVerdict], r.Valid, r.FinalVerdict)
	switch {
	case len(r.Blocked) > 0:
		s = fmt.Sprintf("%d of %d valid votes say %s, and that is not enough: %s", v.by[Approved], r.Valid, Approved, strings.Join(r.Blocked, "; "))
	case !v.hasTwoThirds(r.FinalVerdict):
		s = fmt.Sprintf("the votes are split, with no two thirds for or against: %d of %d say %s", v.by[r.FinalVerdict], r.Valid, r.FinalVerdict)
	}
	if n := len(r.Families); n > 1 && n < r.Valid {
		s += fmt.Sprintf("; %d families, a vote each", n)
	}
	if r.Valid < r.Asked {
		s += fmt.Sprintf("; %d of %d reviewers gave no valid vote", r.Asked-r.Valid, r.Asked)
	}
	if r.SingleFamily {
		s += "; single family"
	}
	return s
}

// family is the same for one family, however it is written.
func family(s string) string { return strings.ToLower(plainLine(s)) }

// reviewerVotes are what all reviewers said, in an order of their own. Of several
// who bear one name nobody can tell who they are: none of them has a vote.
func reviewerVotes(opinions []Opinion) []reviewerVote {
	named := map[string]int{}
	for _, o := range opinions {
		named[o.Agent]++
	}
	var list []reviewerVote
	for _, o := range ordered(opinions) {
		if o.Agent != "" && named[o.Agent] > 1 {
			o.First, o.Last = nil, nil
			o.Reason = withReason("several reviewers bear this name", o.Reason)
		}
		list = append(list, o.vote())
	}
	return list
}

// ordered are the opinions in an order that does not depend on how they came.
func ordered(opinions []Opinion) []Opinion {
	type keyed struct {
		Opinion
		key string
	}
	list := make([]keyed, len(opinions))
	for i, o := range opinions {
		list[i] = keyed{o, strings.Join([]string{o.Agent, o.Seat, o.Family, o.Model, o.Reason, o.First.canonical(), o.Last.canonical()}, "\x00")}
	}
	slices.SortFunc(list, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	sorted := make([]Opinion, len(list))
	for i, k := range list {
		sorted[i] = k.Opinion
	}
	return sorted
}

// canonical is a review as bytes: the same for the same review, "" for none.
// One with a score that JSON cannot hold is no vote, and is told by its text.
func (r *Review) canonical() string {
	if r == nil {
		return ""
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Sprintf("%q %q %q %q", r.Verdict, r.Summary, r.Strengths, r.Issues)
	}
	return string(data)
}

// vote is what the opinion comes to.
func (o Opinion) vote() reviewerVote {
	b := reviewerVote{ModelScore: ModelScore{Seat: o.Seat, Agent: o.Agent, Family: o.Family, Model: o.Model, Reason: plainLine(o.Reason)}}
	first, last := voteProblem(o.First), voteProblem(o.Last)
	if first == "" {
		b.First, b.review = o.First.Verdict, o.First
	}
	switch {
	case last == "":
		b.review, b.reconsidered = o.Last, true
		b.Changed = first == "" && o.First.Verdict != o.Last.Verdict
	case first == "":
		b.Reason = withReason("the first review counts, since the second turn brought "+last, b.Reason)
	default:
		b.Reason = withReason("no vote, since the first turn brought "+first+" and the second "+last, b.Reason)
		return b
	}
	b.Verdict, b.Scores, b.Mean = b.review.Verdict, b.review.Scores, mean(b.review.Scores)
	return b
}

// voteProblem says why a review is no vote; "" when it is one.
func voteProblem(r *Review) string {
	if r == nil {
		return "nothing"
	}
	if err := r.checkVote(); err != nil {
		return "no review that can be counted (" + err.Error() + ")"
	}
	return ""
}

func withReason(ours, theirs string) string {
	if theirs == "" {
		return ours
	}
	return ours + ": " + theirs
}

// criteria are the names of scores, sorted.
func criteria(scores map[string]float64) []string { return slices.Sorted(maps.Keys(scores)) }

func mean(scores map[string]float64) float64 {
	sum := 0.0
	for _, name := range criteria(scores) { // in one order, so that the sum is always the same
		sum += scores[name]
	}
	return sum / float64(max(1, len(scores)))
}
