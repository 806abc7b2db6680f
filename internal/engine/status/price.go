package status

import (
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
)

// Price is what work has cost, as far as it is known.
type Price struct {
	USD       float64 `json:"usd"`
	Estimated bool    `json:"estimated,omitempty"`
	Reported  bool    `json:"reported,omitempty"`
	Tokens    int64   `json:"tokens"`
	Unpriced  int64   `json:"unpriced,omitempty"` // of the tokens those without a price: usd is without them
}

// NewPrice is the price of what turns have cost.
func NewPrice(c flow.Cost) Price {
	return Price{USD: c.USD, Estimated: c.Estimated, Reported: c.Reported, Tokens: c.Tokens, Unpriced: c.Unpriced}
}

// Plus adds prices.
func (p Price) Plus(q Price) Price {
	return Price{p.USD + q.USD, p.Estimated || q.Estimated, p.Reported || q.Reported, p.Tokens + q.Tokens, p.Unpriced + q.Unpriced}
}

// Brief is what work has cost in a word.
func (p Price) Brief() string {
	return budget.Spent{USD: p.USD, Estimated: p.Estimated, Reported: p.Reported, Tokens: p.Tokens, Unpriced: p.Unpriced}.Brief()
}
