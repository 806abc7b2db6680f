package finding

import (
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// Bounds of looking for a quotation.
const (
	// LineTolerance is by how many lines a reviewer may miss the line and still be
	// said to have told it.
	LineTolerance = 3
	// MinSearchable is how many characters, blanks apart, a quotation has at least that
	// is looked for elsewhere than at the line told: "return nil, err" is
	// anywhere.
	MinSearchable = 16
	// MaxPlaces is in how many places of a file a quotation may stand at most to
	// be looked for elsewhere than near the line told.
	MaxPlaces = 5

	maxSpan = 200 // lines that a reviewer may tell at most and mean a place
)

// Locator is the text of a file made ready for many quotations. It does not
// change and may be used by many at once.
type Locator struct {
	lines  []int          // of each line that is not blank, its number
	ids    []int          // and what it says: equal numbers say the same
	known  map[string]int // what says which
	places [][]int        // of each thing said, where in lines it is said, ascending
	hashes []uint64       // of all before each place
	powers []uint64       // of base
}

// base of the hashes of runs of lines; any odd number does, for a run that
// seems right is compared once more.
const base = 0x9e3779b97f4a7c15

// Index makes a text ready. Time and memory are linear in its length.
func Index(text string) *Locator {
	l := &Locator{known: map[string]int{}, hashes: []uint64{0}, powers: []uint64{1}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		said := trimLine(line)
		if said == "" {
			continue
		}
		id, old := l.known[said]
		if !old {
			id = len(l.known)
			l.known[said] = id
			l.places = append(l.places, nil)
		}
		l.places[id] = append(l.places[id], len(l.ids))
		l.hashes = append(l.hashes, l.hashes[len(l.ids)]*base+uint64(id)+1)
		l.powers = append(l.powers, l.powers[len(l.ids)]*base)
		l.lines, l.ids = append(l.lines, n), append(l.ids, id)
	}
	return l
}

// trimLine is a line without its indent and the blanks at its end. Bytes that
// are no UTF-8 count as JSON has them.
func trimLine(line string) string {
	line = strings.TrimSpace(strings.ToValidUTF8(line, "\ufffd"))
	if !strings.Contains(line, "\ufffd\ufffd") {
		return line
	}
	for strings.Contains(line, "\ufffd\ufffd") {
		line = strings.ReplaceAll(line, "\ufffd\ufffd", "\ufffd")
	}
	return line
}

// Locate looks for a finding's quotation and gives the finding with State, and
// where it was found with Line and EndLine of the quotation.
//
// The lines of the quotation must stand in the file one behind the other, as
// they are but for their indent, blanks at their ends and blank lines. A line
// of the quotation that is only "…" or "...", behind the mark of a comment or
// not, stands for any lines. Of several places the one nearest to the line told
// is meant. It is Located when it begins within Tolerance of that line, or
// lies within the lines told, and else Moved. A quotation that is too short, or
// in more than Common places, counts only where it was said to be.
func (l *Locator) Locate(f Finding) Finding {
	q, reason := l.quotation(f)
	if reason == "" {
		reason = l.setLocation(&f, q)
	}
	if reason != "" {
		f.State, f.Reason = Missing, reason
	}
	return f
}

// setLocation enters where a quotation stands, or says why it does not.
func (l *Locator) setLocation(f *Finding, q quotation) string {
	at, ok := l.nearest(q, f.Line)
	if !ok {
		return "its lines stand in the file, but not in this order or not together; quote them as they stand there"
	}
	told := span{f.Line, min(max(f.Line, f.EndLine), f.Line+maxSpan)}
	near := at.isNear(told)
	switch {
	case q.size < MinSearchable && at.from != told.from:
		return fmt.Sprintf("the quotation does not stand at line %d, and is too short to be looked for elsewhere; quote more lines", told.from)
	case !near && q.common():
		return fmt.Sprintf("the quotation does not stand at line %d, and stands in too many other places; quote more lines", told.from)
	}
	f.Line, f.EndLine = at.from, at.to
	f.State, f.Reason = Located, ""
	if !near {
		f.State, f.Reason = Moved, fmt.Sprintf("said to be at line %d", told.from)
	}
	return ""
}

// span is from one line of a file to another.
type span struct{ from, to int }

func (s span) isInside(o span) bool { return s.from >= o.from && s.to <= o.to }

func (s span) isNear(told span) bool {
	return distance(s.from, told.from) <= LineTolerance || s.isInside(told)
}

func distance(a, b int) int { return max(a-b, b-a) }

// quotation is what is looked for.
type quotation struct {
	parts [][]int // what its lines say, cut where it leaves lines out
	found [][]int // where in a file each part begins, ascending; of one part alone the nearest places
	size  int     // characters, blanks apart
}

// common reports whether every part of a quotation stands in many places.
func (q quotation) common() bool {
	return !slices.ContainsFunc(q.found, func(at []int) bool { return len(at) <= MaxPlaces })
}

// quotation reads the lines of a quotation, or says why they cannot stand in
// the file.
func (l *Locator) quotation(f Finding) (q quotation, reason string) {
	n, open := 0, false // open: the next line goes on with the last part
	for line := range strings.Lines(f.Code) {
		n++
		said := trimLine(line)
		switch id, known := l.known[said]; {
		case said == "":
		case elision(said):
			open = false
		case !known:
			return q, fmt.Sprintf("line %d of the quotation stands nowhere in the file; quote whole lines as they stand there", n)
		case open:
			q.parts[len(q.parts)-1] = append(q.parts[len(q.parts)-1], id)
			q.size += nonBlankCount(said)
		default:
			q.parts, open = append(q.parts, []int{id}), true
			q.size += nonBlankCount(said)
		}
	}
	if len(q.parts) == 0 {
		return q, "no code is quoted; quote the lines as they stand in the file"
	}
	most := len(l.ids)
	if len(q.parts) == 1 {
		most = MaxPlaces + 1 // to know the nearest, and that it is common
	}
	for _, part := range q.parts {
		q.found = append(q.found, l.find(part, f.Line, most))
	}
	return q, ""
}

// elision reports whether a line says that lines are left out.
func elision(line string) bool {
	for _, mark := range []string{"//", "#", "--", ";", "%", "/*", "<!--"} {
		line = strings.TrimPrefix(line, mark)
	}
	line = strings.TrimSuffix(strings.TrimSuffix(line, "*/"), "-->")
	line = strings.TrimSpace(line)
	return line == "…" || line == "..."
}

func nonBlankCount(line string) int {
	n := 0
	for _, r := range line {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// find gives places at which a run of lines begins, ascending: of all of them
// so many that are nearest to a line. Only the places of its rarest line are
// looked at.
func (l *Locator) find(part []int, line, most int) []int {
	rarest := 0
	for i, id := range part {
		if len(l.places[id]) < len(l.places[part[rarest]]) {
			rarest = i
		}
	}
	want := uint64(0)
	for _, id := range part {
		want = want*base + uint64(id) + 1
	}
	var found []int
	for from := range l.byDistance(l.places[part[rarest]], rarest, line) {
		to := from + len(part)
		if to <= len(l.ids) && l.hashes[to]-l.hashes[from]*l.powers[len(part)] == want {
			if found = append(found, from); len(found) == most {
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

// byDistance gives what is so many places before each of some places, which are
// ascending, in the order of how far it is from a line; of two as far the
// earlier one first.
func (l *Locator) byDistance(places []int, back, line int) iter.Seq[int] {
	first, _ := slices.BinarySearch(places, back)
	places = places[first:]
	at := func(i int) int { return l.lines[places[i]-back] }
	return func(yield func(int) bool) {
		after := sort.Search(len(places), func(i int) bool { return at(i) >= line })
		before := after - 1
		for before >= 0 || after < len(places) {
			next := after
			if after == len(places) || before >= 0 && line-at(before) <= at(after)-line {
				next, before = before, before-1
			} else {
				after++
			}
			if !yield(places[next] - back) {
				return
			}
		}
	}
}

// nearest gives the place of a quotation that begins nearest to a line; of one
// with several parts each place is the shortest from where its first begins.
func (l *Locator) nearest(q quotation, line int) (span, bool) {
	for from := range l.byDistance(q.found[0], 0, line) {
		if to, ok := l.quotationEnd(q, from); ok {
			return span{l.lines[from], l.lines[to-1]}, true
		}
	}
	return span{}, false
}

// quotationEnd is where a quotation ends whose first part begins at a place.
func (l *Locator) quotationEnd(q quotation, from int) (to int, ok bool) {
	to = from
	for i, part := range q.parts {
		n, _ := slices.BinarySearch(q.found[i], to)
		if n == len(q.found[i]) {
			return 0, false
		}
		at := q.found[i][n]
		if to = at + len(part); !slices.Equal(l.ids[at:to], part) {
			return 0, false // another run with the same hash
		}
	}
	return to, true
}
