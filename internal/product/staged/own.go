package staged

import "github.com/research-council/research-council/internal/engine/flow"

// What staged research keeps in the facts of its run, under its own name.
const own = "staged"

// Own is the setup of staged research as a run carries it.
func Own(s *Setup) flow.Own { return flow.Hold(own, s) }

// Of is the setup of staged research; nil for what is none.
func Of(o flow.Own) *Setup { return flow.Held[Setup](o, own) }

// OwnOutput is what a stage came to, as an assessment carries it.
func OwnOutput(o *Output) flow.Own { return flow.Hold(own, o) }

// OutputOf is what a stage came to; nil where it was none of staged research.
func OutputOf(o flow.Own) *Output { return flow.Held[Output](o, own) }
