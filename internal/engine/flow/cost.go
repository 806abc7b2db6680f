package flow

import "github.com/research-council/research-council/internal/agent"

// AddUsage reckons what a turn has used of money and tokens. What a seat counts
// over its whole session is differenced with what it told before; a counter
// that stands lower than before has begun anew. What it does not price is priced
// by the configuration, and what that does not price either is told apart.
func (r *Result) AddUsage(s Setup, seat Seat, before SessionTotal, uses []agent.Usage) {
	for _, u := range uses {
		u = u.Bounded()
		if u.Cumulative {
			r.Total = SessionTotal{USD: u.USD, Tokens: u.Input + u.Output, Input: u.Input, Output: u.Output, Cached: u.CachedInput}
			u = since(before, u)
		}
		r.add(s, seat, u)
	}
}

// AddSearches adds what searches of the web have cost by the price lists of their
// engines, in USD.
func (r *Result) AddSearches(usd float64) {
	if usd = agent.USD(usd); usd > 0 {
		r.USD, r.Estimated = r.USD+usd, true
	}
}

// since is what has come to a session's counts.
func since(before SessionTotal, u agent.Usage) agent.Usage {
	if u.Input+u.Output >= before.Tokens {
		u.Input, u.Output, u.CachedInput = max(0, u.Input-before.Input), max(0, u.Output-before.Output), max(0, u.CachedInput-before.Cached)
	}
	if u.USD >= before.USD {
		u.USD -= before.USD
	}
	return u
}

func (r *Result) add(s Setup, seat Seat, u agent.Usage) {
	u.CachedInput = min(u.CachedInput, u.Input)
	tokens := u.Input + u.Output
	r.Tokens += tokens
	r.Input, r.Output, r.Cached = r.Input+u.Input, r.Output+u.Output, r.Cached+u.CachedInput
	r.Reckoned = r.Reckoned || u.Reckoned && tokens > 0
	price, known := s.PriceOf(seat, u.Model)
	switch {
	case u.Reported:
		r.USD, r.Reported = r.USD+max(0, u.USD), true
	case tokens == 0:
	case known || seat.Free: // one that costs nothing has no price, or one of nothing
		r.USD, r.Estimated = r.USD+price.Of(u), true
	default:
		const again = 10 // what is read again from a cache costs about a tenth
		r.Unpriced += tokens
		r.Counted += tokens - u.CachedInput + u.CachedInput/again
	}
}

// PriceOf is the configured price of a model at a seat, "" for the seat's own.
// One that is not in the configuration is taken to cost what the seat's own
// does; false when neither is known.
func (s Setup) PriceOf(seat Seat, model string) (Price, bool) {
	for _, name := range []string{model, seat.Model} {
		if p, ok := s.Prices[name]; ok && name != "" {
			return p, true
		}
	}
	return seat.Price, seat.Price != Price{}
}

// Of is the cost of tokens in USD. A price that tells none for what comes from
// a cache has it cost as much as the rest of the input.
func (p Price) Of(u agent.Usage) float64 {
	if p.Cached == 0 {
		p.Cached = p.Input
	}
	return (p.Input*float64(u.Input-u.CachedInput) + p.Cached*float64(u.CachedInput) + p.Output*float64(u.Output)) / 1e6
}
