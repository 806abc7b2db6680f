package reading

import "strings"

// closings looks for the marks with which something ends, in a text that is gone through once:
// where each stands next is remembered, so that one which never comes is looked for once.
type closings struct {
	text string
	at   map[string]int
}

// next is where a mark stands from a place on, -1 where it does not.
func (c *closings) next(from int, mark string) int {
	at, known := c.at[mark]
	if known && (at < 0 || at >= from) {
		return at
	}
	if at = strings.Index(c.text[from:], mark); at >= 0 {
		at += from
	}
	if c.at == nil {
		c.at = map[string]int{}
	}
	c.at[mark] = at
	return at
}
