package agent

import "cmp"

// A Estimate estimates the use of a turn whose seat has not told it: every
// call of the model reads again all that was said and shown before it. What a
// seat holds of its own, such as its system prompt, is not in it.
type Estimate struct {
	context int64 // tokens the call under way reads
	fresh   int64 // of these those no call has read before
	said    int   // bytes the call under way has written
	before  Usage // of the calls before
}

// bytesPerToken is the usual rule of thumb for English and for code.
const bytesPerToken = 4

// EstimateTokens is about how many tokens so many bytes of text come to.
func EstimateTokens(size int) int64 { return (int64(size) + bytesPerToken - 1) / bytesPerToken }

// NewEstimate begins with what a turn asks.
func NewEstimate(t Turn) *Estimate {
	asked := EstimateTokens(cmp.Or(t.Asked, len(t.PromptText())))
	return &Estimate{context: asked, fresh: asked}
}

// AddOutput takes in bytes that the model has written.
func (r *Estimate) AddOutput(size int) { r.said += size }

// AddInput takes in bytes that were shown to the model, as a tool's result: they
// end one call and begin the next.
func (r *Estimate) AddInput(size int) {
	r.before = r.Used()
	r.fresh = EstimateTokens(r.said) + EstimateTokens(size)
	r.context += r.fresh
	r.said = 0
}

// Used is what the calls come to, the one under way included.
func (r *Estimate) Used() Usage {
	return Usage{
		Input: r.before.Input + r.context, CachedInput: r.before.CachedInput + r.context - r.fresh,
		Output: r.before.Output + EstimateTokens(r.said), Reckoned: true,
	}
}
