package steering

import (
	"errors"
	"fmt"
	"time"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
)

// Note leaves what a person says to the next iteration of a campaign, and gives
// it as it was kept. An agent on whose behalf it is said, by, is refused.
func Note(project string, r flow.Run, text, by string) (string, error) {
	if by != "" {
		return "", usage.Errorf("only a person can say something to a campaign, and this program runs on behalf of %s; what is typed at the session that owns the campaign reaches it by itself", by)
	}
	if r.Status != "" {
		return "", fmt.Errorf("the campaign %q has ended (%s), and no iteration would hear it%s", campaign.Of(r.Setup.Own).Name, PlainStatus(r.Status), campaign.NextCommand(r))
	}
	text, err := supervisor.CheckNote(text)
	if err != nil {
		return "", usage.Of(err)
	}
	return text, supervisor.LeaveNote(project, r.Setup.ID, text, time.Now())
}

// Retry lets features that have failed for good be tried again, those named or
// all of them, and says what that has changed. An agent on whose behalf it is
// asked for, by, is refused, and so is a campaign somebody works on.
func Retry(o supervisor.Options, r flow.Run, features []string, by string) (changes []string, err error) {
	if by != "" {
		return nil, usage.Errorf("only a person can have a feature tried again, and this program runs on behalf of %s: say it in a terminal of your own", by)
	}
	if r.Status == flow.Cancelled {
		return nil, errors.New(CancelledText(r))
	}
	if h, alive := supervisor.Alive(o.Project, o.ID); alive {
		return nil, fmt.Errorf("process %d works on the campaign %q; stop it first (Ctrl-C there, or close its session)", h.PID, campaign.Of(r.Setup.Own).Name)
	}
	return campaignwork.EditList(o, campaignwork.ListRequest{Person: true, Retry: true, Feature: features})
}

// UpdateFeatureList brings the feature list of a campaign that nobody works on in
// step with what has changed around it, and says what that is: what a person has
// edited, where a person asks, and what failed for reasons they have mended
// since.
func UpdateFeatureList(o supervisor.Options, r flow.Run, person bool) (now flow.Run, changes []string, err error) {
	if _, alive := supervisor.Alive(o.Project, o.ID); alive {
		return r, nil, nil // whoever works on it puts the list back
	}
	changes, err = campaignwork.EditList(o, campaignwork.ListRequest{Person: person, Mended: true})
	if err != nil || len(changes) == 0 {
		return r, nil, err
	}
	r, err = supervisor.Read(o.Project, o.ID)
	return r, changes, err
}

// Decide keeps a person's word on a change, for whoever goes on with the
// campaign.
func Decide(o supervisor.Options, r flow.Run, w campaignwork.PersonVerdict) error {
	name := campaign.Of(r.Setup.Own).Slug
	if h, alive := supervisor.Alive(o.Project, o.ID); alive {
		return fmt.Errorf("process %d works on the campaign %q; it waits for nobody", h.PID, name)
	}
	err := campaignwork.DecideChange(o, w)
	switch {
	case errors.Is(err, supervisor.ErrNotAsked):
		return fmt.Errorf("the campaign %q does not wait for a word on %s; `council status %s` says what it waits for", name, w.Feature, r.Setup.ID)
	case errors.Is(err, campaignwork.ErrChanged):
		return fmt.Errorf("%s: %w; `council campaign resume %s` tests it again and asks again", w.Feature, err, name)
	}
	return err
}

// DecidedText says what becomes of a campaign a change of which was decided.
func DecidedText(r flow.Run) string {
	return fmt.Sprintf("Noted. `council campaign resume %s` goes on, or /research-council:continue-auto in its session.", campaign.Of(r.Setup.Own).Slug)
}
