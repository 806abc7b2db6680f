package export

import "strings"

// Formula are the commands that signs of formulas are set by.
func Formula() map[string]bool {
	m := map[string]bool{"prime": true}
	for i, w := range strings.Fields(formulaSigns) {
		if i%2 == 1 {
			m[w] = true
		}
	}
	return m
}
