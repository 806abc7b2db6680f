// Package marker holds the two marks by which things of ours are known: the
// line that ends a report, and the variable that tells a process it belongs to
// a seat. It stands alone, so that the hook program stays small.
package marker

import "bytes"

// CompleteMarker is the line that ends a seat's loop when it is the last non-empty
// line of the report and nothing else stands on that line.
const CompleteMarker = "<!-- RESEARCH_COMPLETE -->"

// ChildVariable is set in the environment of every process a seat starts, to the run's
// id. The plugin's own hooks do nothing where it is set.
const ChildVariable = "RESEARCH_COUNCIL_CHILD"

// EndsMarked reports whether the last non-empty line is the mark, and nothing else.
// The end of a report is enough to say so.
func EndsMarked(tail []byte) bool {
	_, last := cutLastLine(tail)
	return string(last) == CompleteMarker
}

// IsComplete reports whether a whole report is marked complete: [EndsMarked], and no code
// fence is open there. A mark in prose or in the middle marks nothing.
func IsComplete(report []byte) bool { return EndsWith(report, CompleteMarker) }

// EndsWith reports whether the last non-empty line of a whole text is the mark
// and nothing else, and no code fence is open there.
func EndsWith(text []byte, mark string) bool {
	before, last := cutLastLine(text)
	if string(last) != mark {
		return false
	}
	var open []byte // the run of backticks or tildes that opened a fence
	for line := range bytes.Lines(before) {
		run, rest := fence(line)
		switch {
		case run == nil:
		case open == nil:
			if run[0] != '`' || bytes.IndexByte(rest, '`') < 0 {
				open = run
			}
		case run[0] == open[0] && len(run) >= len(open) && len(rest) == 0:
			open = nil
		}
	}
	return open == nil
}

// cutLastLine separates the last non-empty line from what stands before it.
func cutLastLine(text []byte) (before, last []byte) {
	text = bytes.TrimSpace(text)
	at := bytes.LastIndexByte(text, '\n') + 1
	return text[:at], bytes.TrimSpace(text[at:])
}

// fence is the run of three or more backticks or tildes that a line begins
// with, and what follows it; nil for any other line. The rules are CommonMark's
// (0.31, 4.5), but for the indent, which lists make large.
func fence(line []byte) (run, rest []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '`' && line[0] != '~' {
		return nil, nil
	}
	rest = bytes.TrimLeft(line, string(line[0]))
	n := len(line) - len(rest)
	if n < 3 {
		return nil, nil
	}
	return line[:n], bytes.TrimSpace(rest)
}
