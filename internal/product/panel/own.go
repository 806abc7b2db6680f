package panel

import "github.com/research-council/research-council/internal/engine/flow"

// What a review of a report keeps in the facts and the status of its run, under
// its own name.
const own = "panel"

// OwnResult is what a review came to, as the status of its run carries it.
func OwnResult(r *Result) flow.Own { return flow.Hold(own, r) }

// ResultOf is what a review came to; nil where none was counted.
func ResultOf(o flow.Own) *Result { return flow.Held[Result](o, own) }
