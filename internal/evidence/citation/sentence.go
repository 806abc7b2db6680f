package citation

import "research-council/internal/base/words"

// extent is a part of a block's text, End exclusive.
type extent struct{ from, to int }

func (e extent) contains(at int) bool { return e.from <= at && at < e.to }

// split cuts a text into sentences, but no quotation in two.
func split(text string, whole []extent) []extent {
	var out []extent
	for _, s := range words.Sentences(text) {
		if n := len(out); n > 0 && isInside(whole, s.Start) {
			out[n-1].to = s.End
			continue
		}
		out = append(out, extent{s.Start, s.End})
	}
	return out
}

// isInside reports whether a place lies within one of some extents, which are in
// order.
func isInside(whole []extent, at int) bool {
	for _, e := range whole {
		if e.from < at && at < e.to {
			return true
		}
		if e.from >= at {
			return false
		}
	}
	return false
}
