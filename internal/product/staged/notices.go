package staged

import (
	"fmt"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
)

// Notices tells of each stage as it begins, of what waits for a person, and
// of the end.
func Notices(r flow.Run, e flow.Event) []status.Notice {
	switch e.Kind {
	case flow.StageEntered:
		if text := StageLine(r); text != "" {
			return []status.Notice{{Text: text, Level: "info"}}
		}
	case flow.StageJudged:
		if e.Verdict.Move == flow.Ask {
			return []status.Notice{{Text: "Waiting for you: " + e.Verdict.Reason, Level: "warning"}}
		}
	case flow.IssueMet:
		if e.Issue.Code == flow.TooSlow {
			return []status.Notice{{Text: e.Issue.Detail, Level: "warning"}}
		}
	case flow.RunEnded:
		if r.Status == flow.Completed {
			return []status.Notice{{Text: "Research complete: " + r.Reason, Level: "info"}}
		}
		return []status.Notice{{Text: fmt.Sprintf("Research %s: %s", r.Status.Words(), r.Reason), Level: "error"}}
	}
	return nil
}
