package steering

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/product/campaign"
)

// PlainStatus is a status as people read it.
func PlainStatus(s flow.Status) string { return strings.ReplaceAll(string(s), "_", " ") }

// CancelledText says that a campaign does not go on, and how another begins.
func CancelledText(r flow.Run) string {
	return fmt.Sprintf("the campaign %q was cancelled for good%s", campaign.Of(r.Setup.Own).Name, campaign.NextCommand(r))
}

// WaitingText says what a campaign waits for that only a person can give.
func WaitingText(r flow.Run) string {
	return fmt.Sprintf("Campaign %q waits for a person: %s. Tell them so, and end your turn: nothing is left to be done before they have seen to it. `/research-council:continue-auto %s` then goes on.",
		plain.Line(campaign.Of(r.Setup.Own).Name, 100), strings.TrimSuffix(plain.Line(r.Judged.Reason, 2000), "."), campaign.Of(r.Setup.Own).Slug)
}

// EndedText says how a campaign has ended.
func EndedText(r flow.Run) string {
	c, st := campaign.Of(r.Setup.Own), campaign.StateOf(r)
	text := fmt.Sprintf("Campaign %q has ended: %s.", plain.Line(c.Name, 100), st.Status)
	if r.Reason != "" {
		text += " " + r.Reason + "."
	}
	return text + fmt.Sprintf(" What it has come to is in %s. Nothing is left to be done in it; a loop around it can stop.", c.Folder())
}

// UnfinishedFeatures says that a campaign has come to its end with features that do not
// pass; "" when all do.
func UnfinishedFeatures(r flow.Run) string {
	if campaign.Of(r.Setup.Own) == nil || r.Status != flow.Completed {
		return ""
	}
	st := campaign.StateOf(r)
	if st.Complete == st.Total {
		return ""
	}
	return fmt.Sprintf("%d of %d features do not pass; %s says why", st.Total-st.Complete, st.Total, campaign.Of(r.Setup.Own).Folder()+"/"+campaign.Features)
}
