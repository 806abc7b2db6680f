// Package mark holds the two marks by which things of ours are known: the
// line that ends a report, and the variable that tells a process it belongs to
// a seat. It stands alone, so that the hook program stays small.
package mark

import "bytes"

// Complete is the line that ends a seat's loop when it is the last non-empty
// line of the report and nothing else stands on that line.
const Complete = "<!-- RESEARCH_COMPLETE -->"

// Child is set in the environment of every process a seat starts, to the run's
// id. The plugin's own hooks do nothing where it is set.
const Child = "RESEARCH_COUNCIL_CHILD"

// Ends reports whether a report is marked complete, given its last bytes. A
// marker in prose, in the middle, or inside a code fence that is still open
// marks nothing.
func Ends(tail []byte) bool {
	tail = bytes.TrimSpace(tail)
	at := bytes.LastIndexByte(tail, '\n') + 1
	if string(bytes.TrimSpace(tail[at:])) != Complete {
		return false
	}
	fences := 0
	for line := range bytes.Lines(tail[:at]) {
		if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~")) {
			fences++
		}
	}
	return fences%2 == 0
}
