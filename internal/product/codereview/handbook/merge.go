package handbook

import (
	"bytes"
	"slices"
	"strings"
)

// bom is the mark some editors begin a text with.
const bom = "\xef\xbb\xbf"

// Merge puts a document into the text of an AGENTS.md and reports whether that
// changed it. A text without our part gets it at its end; one that has it gets
// it replaced in its place. Every byte outside the marks stays as it is, and
// our part takes the line ends of the text. Merging again changes nothing.
//
// Marks count where they stand alone on a line and in no code block. Of a
// begin mark that is not followed by its end only the mark itself goes, and so
// of an end mark without a begin: what stands around them may be a person's. Of
// several parts of ours the first is replaced, the others go.
//
// A text in UTF-16 is left alone, as Markdown readers would do.
func Merge(existing []byte, ours Document) ([]byte, bool) {
	if isUTF16(existing) {
		return existing, false
	}
	text := bytes.TrimPrefix(existing, []byte(bom))
	merged := append(bytes.Clone(existing[:len(existing)-len(text)]), replacePart(text, Render(ours))...)
	return merged, !bytes.Equal(merged, existing)
}

func isUTF16(text []byte) bool {
	return bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff})
}

// ending is how the first line of a text ends, or would with a line feed.
func ending(text []byte) string {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.HasSuffix(first, []byte("\r")) {
		return "\r\n"
	}
	return "\n"
}

// replacePart puts a part where ours is, or at the end.
func replacePart(existing, part []byte) []byte {
	lines := splitLines(existing)
	matchMarks(lines)
	var before, after []byte // of the first part of ours
	placed := false
	for _, l := range lines {
		switch {
		case l.role == ours:
			placed = true
		case l.role == theirs && placed:
			after = append(after, l.bytes...)
		case l.role == theirs:
			before = append(before, l.bytes...)
		}
	}
	eol := ending(slices.Concat(before, after))
	if len(before)+len(after) == 0 {
		eol = ending(existing) // nothing of people's: as it was
	}
	part = bytes.ReplaceAll(part, []byte("\n"), []byte(eol))
	if !placed {
		return appendPart(before, part, eol)
	}
	return slices.Concat(before, part, after)
}

// appendPart puts a part below a text, with an empty line between.
func appendPart(text, part []byte, eol string) []byte {
	if len(text) == 0 {
		return part
	}
	out := bytes.Clone(text)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, eol...)
	}
	if !bytes.HasSuffix(out, []byte(eol+eol)) {
		out = append(out, eol...)
	}
	return append(out, part...)
}

// lineOwner says whose a line is.
type lineOwner int

const (
	theirs lineOwner = iota
	opening
	closing
	ours    // inside a part, marks included
	dropped // a mark that has lost its other
)

type textLine struct {
	bytes []byte // with its end
	role  lineOwner
}

// splitLines makes lines of a text and finds the marks.
func splitLines(text []byte) []textLine {
	var lines []textLine
	code, _ := fencedLines(text) // after a block that stays open all would be code, ours too
	for l := range bytes.Lines(text) {
		t := textLine{bytes: l}
		bare := strings.TrimRight(string(l), " \t\r\n")
		switch {
		case code[len(lines)]:
		case bare == Begin:
			t.role = opening
		case bare == End:
			t.role = closing
		}
		lines = append(lines, t)
	}
	return lines
}

// matchMarks gives all marks and what is between a begin and its end their roles.
func matchMarks(lines []textLine) {
	open := -1
	for i := range lines {
		switch lines[i].role {
		case opening:
			if open >= 0 {
				lines[open].role = dropped
			}
			open = i
		case closing:
			if open < 0 {
				lines[i].role = dropped
				continue
			}
			for j := open; j <= i; j++ {
				lines[j].role = ours
			}
			open = -1
		}
	}
	if open >= 0 {
		lines[open].role = dropped
	}
}

// fencedLines finds the lines that are inside fenced code blocks, and the line at
// which a block begins that is never closed, -1 for none: the lines after that
// are not counted as inside.
func fencedLines(text []byte) (inside []bool, unclosed int) {
	var open []byte
	from := 0
	for l := range bytes.Lines(text) {
		inside = append(inside, false)
		run, rest := fence(l)
		switch {
		case run == nil:
		case open == nil:
			if run[0] == '~' || bytes.IndexByte(rest, '`') < 0 {
				open, from = run, len(inside)
			}
		case run[0] == open[0] && len(run) >= len(open) && len(rest) == 0:
			for i := from; i < len(inside)-1; i++ {
				inside[i] = true
			}
			open = nil
		}
	}
	if open == nil {
		return inside, -1
	}
	return inside, from - 1
}

// fence is the run of three or more backticks or tildes that a line begins
// with, by CommonMark (0.31, 4.5), and what follows it; nil for any other line.
func fence(line []byte) (run, rest []byte) {
	bare := bytes.TrimLeft(line, " ")
	if len(line)-len(bare) > 3 || len(bare) == 0 || bare[0] != '`' && bare[0] != '~' {
		return nil, nil
	}
	rest = bytes.TrimLeft(bare, string(bare[:1]))
	n := len(bare) - len(rest)
	if n < 3 {
		return nil, nil
	}
	return bare[:n], bytes.TrimSpace(rest)
}
