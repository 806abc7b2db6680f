package agent

import "math"

// No session has counted as many tokens, or cost as much, as these. A figure
// beyond them is taken for the bound itself: it passes every limit of a run,
// and sums of such figures stay numbers.
const (
	MaxTokens = int64(1) << 40
	MaxUSD    = 1e9
)

// TokenCount is a number of tokens that a stream tells: nothing is given back, and
// what is no number counts as nothing.
func TokenCount(told float64) int64 {
	return int64(clamp(told, float64(MaxTokens)))
}

// USD is a cost that a stream tells, by the same rule.
func USD(told float64) float64 { return clamp(told, MaxUSD) }

func clamp(told, most float64) float64 {
	if math.IsNaN(told) {
		return 0
	}
	return min(max(0, told), most)
}

// Plus adds the counts of v to those of u, and leaves the rest of u alone.
func (u Usage) Plus(v Usage) Usage {
	u, v = u.Bounded(), v.Bounded()
	u.Input, u.Output, u.CachedInput = u.Input+v.Input, u.Output+v.Output, u.CachedInput+v.CachedInput
	return u.Bounded()
}

// Bounded holds every figure within what can be.
func (u Usage) Bounded() Usage {
	bound := func(n int64) int64 { return min(max(0, n), MaxTokens) }
	u.Input, u.Output, u.CachedInput = bound(u.Input), bound(u.Output), bound(u.CachedInput)
	u.USD = USD(u.USD)
	return u
}
