package recipe

import (
	"fmt"
	"slices"

	"research-council/internal/engine/flow"
	"research-council/internal/product/campaign"
	"research-council/internal/product/staged"
)

// Notice is what people are told of a campaign, or of staged research, wherever
// they are.
type Notice struct {
	Text  string
	Level string // info, warning or error
}

// Notices says what a fact means for a campaign or for staged research, in the run
// after it; nothing for most facts.
func Notices(after flow.Run, e flow.Event) []Notice {
	switch {
	case staged.Of(after.Setup.Own) != nil:
		return stagedNotices(after, e)
	case campaign.Of(after.Setup.Own) == nil:
		return nil
	}
	switch e.Kind {
	case flow.StageJudged:
		return judgedNotices(after, e)
	case flow.RunEnded:
		return endNotices(after)
	}
	return nil
}

func judgedNotices(r flow.Run, e flow.Event) []Notice {
	phases := campaign.Of(r.Setup.Own).Mode.Phases()
	switch {
	case e.Stage == Publish && slices.Contains(phases, campaign.PhaseB) && e.Verdict.Move == flow.Next:
		return []Notice{{Text: "Phase A complete — transitioning to planning", Level: "info"}}
	case e.Stage == Handover && slices.Contains(phases, campaign.PhaseC) && e.Verdict.Move == flow.Next:
		return []Notice{{Text: "Phase B complete — transitioning to implementation", Level: "info"}}
	case e.Stage == Test, e.Stage == Keep: // a feature fails in both, and passes once it is kept
		return featureNotices(r)
	}
	return nil
}

func featureNotices(r flow.Run) []Notice {
	before := r
	before.Stage, before.Tasks = "", nil
	return tallyNotices(tallyOf(r.Tasks[0]), CampaignState(before).Tally)
}

// tallyNotices tells what became of a feature, from what was counted and what was
// before.
func tallyNotices(now, before campaign.Tally) []Notice {
	switch {
	case now.Feature == "" || now.Failed:
		return nil
	case now.Passed:
		return []Notice{{Text: fmt.Sprintf("Feature %s passes (%d/%d)", now.Feature, now.Complete, now.Total), Level: "info"}}
	case now.Lost > before.Lost:
		text := fmt.Sprintf("Feature %s failed for good", now.Feature)
		if n := now.Blocked - before.Blocked; n > 0 {
			text += fmt.Sprintf("; blocked by it: %d", n)
		}
		return []Notice{{Text: text, Level: "warning"}}
	}
	return nil
}

func endNotices(r flow.Run) []Notice {
	if r.Status != flow.Completed {
		return []Notice{{Text: fmt.Sprintf("Campaign %s: %s", r.Status.Words(), r.Reason), Level: "error"}}
	}
	if text := implementedText(r); text != "" {
		return []Notice{{Text: text, Level: "info"}}
	}
	if campaign.Of(r.Setup.Own).Mode == campaign.ResearchAndPlan {
		return []Notice{{Text: "Research and plan complete", Level: "info"}}
	}
	return []Notice{{Text: "Research complete", Level: "info"}}
}

// stagedNotices tells of each stage as it begins, of what waits for a person, and
// of the end.
func stagedNotices(r flow.Run, e flow.Event) []Notice {
	switch e.Kind {
	case flow.StageEntered:
		if text := StageLine(r); text != "" {
			return []Notice{{Text: text, Level: "info"}}
		}
	case flow.StageJudged:
		if e.Verdict.Move == flow.Ask {
			return []Notice{{Text: "Waiting for you: " + e.Verdict.Reason, Level: "warning"}}
		}
	case flow.IssueMet:
		if e.Issue.Code == flow.TooSlow {
			return []Notice{{Text: e.Issue.Detail, Level: "warning"}}
		}
	case flow.RunEnded:
		if r.Status == flow.Completed {
			return []Notice{{Text: "Research complete: " + r.Reason, Level: "info"}}
		}
		return []Notice{{Text: fmt.Sprintf("Research %s: %s", r.Status.Words(), r.Reason), Level: "error"}}
	}
	return nil
}

// StageLine announces the stage of staged research that has just begun, as
// "Stage 2/8: planning"; "" where the run is in the middle of one.
func StageLine(r flow.Run) string {
	part := StagedPart(r)
	if n := len(r.History); n > 0 && partOf(r.History[n-1].Stage) == part {
		return ""
	}
	stages := staged.Stages()
	return fmt.Sprintf("Stage %d/%d: %s", slices.Index(stages, part)+1, len(stages), part)
}
