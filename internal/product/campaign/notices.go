package campaign

import (
	"fmt"
	"slices"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
)

// Notices says what a fact means for a campaign, in the run after it;
// nothing for most facts.
func Notices(after flow.Run, e flow.Event) []status.Notice {
	switch e.Kind {
	case flow.StageJudged:
		return judgedNotices(after, e)
	case flow.RunEnded:
		return endNotices(after)
	}
	return nil
}

func judgedNotices(r flow.Run, e flow.Event) []status.Notice {
	phases := Of(r.Setup.Own).Mode.Phases()
	switch {
	case e.Stage == Publish && slices.Contains(phases, PhaseB) && e.Verdict.Move == flow.Next:
		return []status.Notice{{Text: "Phase A complete — transitioning to planning", Level: "info"}}
	case e.Stage == Handover && slices.Contains(phases, PhaseC) && e.Verdict.Move == flow.Next:
		return []status.Notice{{Text: "Phase B complete — transitioning to implementation", Level: "info"}}
	case e.Stage == Test, e.Stage == Keep: // a feature fails in both, and passes once it is kept
		return featureNotices(r)
	}
	return nil
}

func featureNotices(r flow.Run) []status.Notice {
	before := r
	before.Stage, before.Tasks = "", nil
	return tallyNotices(tallyOf(r.Tasks[0]), StateOf(before).Tally)
}

// tallyNotices tells what became of a feature, from what was counted and what was
// before.
func tallyNotices(now, before Tally) []status.Notice {
	switch {
	case now.Feature == "" || now.Failed:
		return nil
	case now.Passed:
		return []status.Notice{{Text: fmt.Sprintf("Feature %s passes (%d/%d)", now.Feature, now.Complete, now.Total), Level: "info"}}
	case now.Lost > before.Lost:
		text := fmt.Sprintf("Feature %s failed for good", now.Feature)
		if n := now.Blocked - before.Blocked; n > 0 {
			text += fmt.Sprintf("; blocked by it: %d", n)
		}
		return []status.Notice{{Text: text, Level: "warning"}}
	}
	return nil
}

func endNotices(r flow.Run) []status.Notice {
	if r.Status != flow.Completed {
		return []status.Notice{{Text: fmt.Sprintf("Campaign %s: %s", r.Status.Words(), r.Reason), Level: "error"}}
	}
	if text := implementedText(r); text != "" {
		return []status.Notice{{Text: text, Level: "info"}}
	}
	if Of(r.Setup.Own).Mode == ResearchAndPlan {
		return []status.Notice{{Text: "Research and plan complete", Level: "info"}}
	}
	return []status.Notice{{Text: "Research complete", Level: "info"}}
}
