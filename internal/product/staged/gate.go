package staged

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// GateInput is what a gate knows beside the output of its stage.
type GateInput struct {
	Asked     bool // a person has been shown what there is to say something to
	Confirmed bool // a person has confirmed the brief
}

// Ruling is what a gate says. At most one of the three is true; with none the
// run has failed.
type Ruling struct {
	Pass   bool
	Wait   bool   // for a person
	Retry  bool   // the stage, as often as [Deliveries] allows
	Reason string // one line; of a failure as it stands behind "Gate failed: <stage> — "
}

// Judge is the gate of a stage. It passes nothing that it cannot judge: an
// output that is missing, counts that cannot be, a stage that is unknown.
func Judge(stage string, o Output, g GateInput) Ruling {
	if problem := o.invalidCount(); problem != "" {
		return Ruling{Reason: problem}
	}
	switch stage {
	case Discovery:
		return judgeBrief(o, g)
	case Planning:
		return judgePlan(o)
	case Collection:
		return judgeCollection(o)
	case Factcheck:
		return judgeFacts(o.Stats)
	case Synthesis:
		return atLeast(o.Recommendations, Recommendations, "recommendation")
	case DevilsAdvocate:
		return atLeast(o.Risks, 1, "risk")
	case Report:
		return judgeDelivery(o.Report)
	}
	return fail("there is no such stage")
}

func pass(format string, args ...any) Ruling {
	return Ruling{Pass: true, Reason: fmt.Sprintf(format, args...)}
}

func fail(format string, args ...any) Ruling {
	return Ruling{Reason: fmt.Sprintf(format, args...)}
}

// invalidCount says which counts cannot be; "" when all can.
func (o Output) invalidCount() string {
	counts := []int{
		o.Questions, o.Subtopics, o.Facts, o.Insights, o.Planned, o.Returned, o.Recommendations, o.Risks,
	}
	if s := o.Stats; s != nil {
		counts = append(counts, s.Total, s.Located, s.Supported, s.Qualified, s.Unjudged, s.Verified, s.Unverified, s.Sources)
	}
	if o.Report != nil {
		counts = append(counts, o.Report.Blocks)
	}
	for _, n := range counts {
		if n < 0 {
			return fmt.Sprintf("it cannot be judged: a count is %d", n)
		}
	}
	return ""
}

// atLeast passes what there is enough of.
func atLeast(n, least int, what string) Ruling {
	if n < least {
		return fail("%s, and at least %d %s needed", countNoun(n, what), least, isAre(least))
	}
	return pass("%s", countNoun(n, what))
}

// countNoun is a number of things in words.
func countNoun(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func judgeBrief(o Output, g GateInput) Ruling {
	switch {
	case o.Brief && g.Confirmed:
		return pass("a person has confirmed the brief")
	case o.Brief:
		return Ruling{Wait: true, Reason: "the brief waits for a person to confirm it"}
	case g.Asked:
		return Ruling{Wait: true, Reason: "the questions wait for a person's answers; there is no brief with topic, goal and success criteria yet"}
	}
	return Ruling{Wait: true, Reason: "there is no brief with topic, goal and success criteria yet"}
}

func judgePlan(o Output) Ruling {
	if o.Subtopics == 0 {
		return atLeast(0, 1, "subtopic")
	}
	if len(o.Agents) == 0 {
		return atLeast(0, 1, "agent")
	}
	for _, a := range o.Agents {
		if !isSafeID(a.ID) {
			return fail("it cannot be judged: an agent of the plan has no id")
		}
	}
	return pass("%s for %s", countNoun(len(o.Agents), "agent"), countNoun(o.Subtopics, "subtopic"))
}

func judgeCollection(o Output) Ruling {
	switch {
	case o.Planned == 0:
		return fail("no agent was planned")
	case o.Returned > o.Planned:
		return fail("it cannot be judged: %d of %d agents returned data", o.Returned, o.Planned)
	}
	said := fmt.Sprintf("%d of %s returned data", o.Returned, countNoun(o.Planned, "agent"))
	if least := MinReturned(o.Planned); o.Returned < least {
		return fail("%s, and at least %d %s needed", said, least, isAre(least))
	}
	return pass("%s", said)
}

// MinReturned is how many of the planned agents have to bring data: 60 % of them,
// rounded up, which is 3 of 5.
func MinReturned(planned int) int { return planned/5*3 + (planned%5*3+4)/5 }

// judgeFacts wants one verified fact. Where nobody is there to judge, located
// facts go on as what they are: they can be built on, and nothing built on them
// can be approved. Where judges were asked and none was heard, they can be
// asked again.
func judgeFacts(s *Stats) Ruling {
	if s == nil {
		return fail("it cannot be judged: nothing was counted")
	}
	facts := countNoun(s.Total, "fact")
	switch sum := s.Verified + s.Qualified + s.Unjudged + s.Unverified; {
	case sum > s.Total:
		return fail("it cannot be judged: %d are told of %s", sum, facts)
	case s.Total == 0:
		return fail("there are no facts to verify")
	case s.Verified > 0:
		return pass("%d of %s verified", s.Verified, facts)
	case s.Unjudged > 0 && !s.Judges:
		return pass("0 of %s verified: %d located, unjudged; nobody with a model is there to judge, and the report cannot be approved", facts, s.Unjudged)
	case s.Unjudged > 0:
		return fail("none of %s is verified, and at least 1 is needed: %d located, unjudged, because no judge could be heard", facts, s.Unjudged)
	}
	return fail("none of %s could be verified, and at least 1 is needed", facts)
}

func judgeDelivery(r *ReportResult) Ruling {
	if problem := r.undeliveredReason(); problem != "" {
		return Ruling{Retry: true, Reason: problem}
	}
	if r.Local {
		return pass("delivered as a file of %s; Notion is not set up", countNoun(r.Blocks, "block"))
	}
	return pass("delivered to Notion in %s", countNoun(r.Blocks, "block"))
}

// undeliveredReason says why a report has not arrived; "" when it has.
func (r *ReportResult) undeliveredReason() string {
	switch {
	case r == nil:
		return "the report was not delivered"
	case r.Problem != "":
		return "the report was not delivered: " + shortLine(r.Problem)
	case r.Local && blank(r.File):
		return "there is no file of the report"
	case !r.Local && !isWebAddress(r.NotionURL):
		return "the report has no address in Notion"
	case !r.Local && blank(r.PageID):
		return "the report has no page id in Notion"
	case r.Blocks < Blocks:
		return fmt.Sprintf("the report has %s, and at least %d are needed", countNoun(r.Blocks, "block"), Blocks)
	}
	return ""
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// withReason adds a reason of somebody else to ours.
func withReason(ours, theirs string) string {
	if theirs = shortLine(theirs); theirs != "" {
		return ours + ": " + theirs
	}
	return ours
}

// maxQuotedRunes bounds foreign words within a line of ours, in runes.
const maxQuotedRunes = 300

// shortLine is foreign text on one line of ours.
func shortLine(s string) string { return plain.Line(s, maxQuotedRunes) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }
