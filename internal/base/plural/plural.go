// Package plural writes a number with what it counts.
package plural

import (
	"strconv"
	"strings"
)

// Of is a number with its noun: "1 file", "2 files", "0 copies".
func Of(n int, noun string) string {
	if root, ok := strings.CutSuffix(noun, "y"); ok && root != "" && !strings.ContainsRune("aeiou", rune(root[len(root)-1])) {
		return Forms(n, noun, root+"ies")
	}
	return Forms(n, noun, noun+"s")
}

// Forms is a number with the word for one and that for any other number.
func Forms(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}
