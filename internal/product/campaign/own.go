package campaign

import (
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// What a campaign keeps in the facts of its run, under its own name.
const own = "campaign"

// Own is a campaign's setup as a run carries it.
func Own(s *Setup) flow.Own { return flow.Hold(own, s) }

// Of is a campaign's setup; nil for what is no campaign.
func Of(o flow.Own) *Setup { return flow.Held[Setup](o, own) }

// OwnTally is what was counted, as an assessment carries it.
func OwnTally(t *Tally) flow.Own { return flow.Hold(own, t) }

// TallyOf is what was counted; nil where nothing of a campaign was.
func TallyOf(o flow.Own) *Tally { return flow.Held[Tally](o, own) }

// OwnEdit is an edit of the feature list as a fact carries it.
func OwnEdit(e *feature.Edit) flow.Own { return flow.Hold(own, e) }

// EditOf is an edit of the feature list; nil where the fact has none.
func EditOf(o flow.Own) *feature.Edit { return flow.Held[feature.Edit](o, own) }
