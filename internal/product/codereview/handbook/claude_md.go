package handbook

import (
	"bytes"
	"strings"
)

// Pointer is the line by which CLAUDE.md takes AGENTS.md in.
const Pointer = "@" + Name

// PointToAgents makes the text of a CLAUDE.md point to the AGENTS.md beside it and
// reports whether that changed it. A new one is that line alone. One that is
// there gains the line where it does not point there yet, at its end, or, where
// a code block is left open, at its beginning; every other byte stays.
func PointToAgents(existing []byte) ([]byte, bool) {
	text := bytes.TrimPrefix(existing, []byte(bom))
	code, unclosed := fencedLines(text)
	for i := unclosed + 1; unclosed >= 0 && i < len(code); i++ {
		code[i] = true
	}
	if isUTF16(existing) || hasPointer(text, code) {
		return existing, false
	}
	mark, eol := existing[:len(existing)-len(text)], ending(text)
	var out []byte
	switch {
	case len(text) == 0:
		out = []byte(Pointer + eol)
	case unclosed >= 0:
		out = append([]byte(Pointer+eol+eol), text...)
	default:
		out = appendPart(text, []byte(Pointer+eol), eol)
	}
	return append(bytes.Clone(mark), out...), true
}

// hasPointer reports whether a text takes AGENTS.md in somewhere: as a word outside
// code.
func hasPointer(text []byte, code []bool) bool {
	n := -1
	for l := range bytes.Lines(text) {
		if n++; code[n] {
			continue
		}
		for word := range strings.FieldsSeq(string(l)) {
			if word = strings.TrimRight(word, ".,;:)"); word == Pointer || word == "@./"+Name {
				return true
			}
		}
	}
	return false
}
