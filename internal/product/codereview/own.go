package codereview

import "github.com/research-council/research-council/internal/engine/flow"

// What a review of code keeps in the facts of its run, under its own name.
const own = "code_review"

// Own is the setup of a review of code as a run carries it.
func Own(s *Setup) flow.Own { return flow.Hold(own, s) }

// Of is the setup of a review of code; nil for what is none.
func Of(o flow.Own) *Setup { return flow.Held[Setup](o, own) }

// OwnTally is what was counted, as an assessment carries it.
func OwnTally(t *Tally) flow.Own { return flow.Hold(own, t) }

// TallyOf is what was counted; nil where nothing of a review of code was.
func TallyOf(o flow.Own) *Tally { return flow.Held[Tally](o, own) }
