package stated

import (
	"github.com/research-council/research-council/internal/base/words"
)

// Sentences cuts a text into sentences, but no quotation in two.
func Sentences(text string, whole []Span) []Span {
	var out []Span
	for _, s := range words.Sentences(text) {
		if n := len(out); n > 0 && IsInside(whole, s.Start) {
			out[n-1].To = s.End
			continue
		}
		out = append(out, Span{From: s.Start, To: s.End})
	}
	return out
}

// IsInside reports whether a place lies within one of some spans, which are in
// order.
func IsInside(whole []Span, at int) bool {
	for _, e := range whole {
		if e.From < at && at < e.To {
			return true
		}
		if e.From >= at {
			return false
		}
	}
	return false
}
