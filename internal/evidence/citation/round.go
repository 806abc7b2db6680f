package citation

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

// roundForm are numbers in round brackets.
var roundForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[(（]([0-9]{1,3}(?:\s?[-–—,，、;；]\s?[0-9]{1,3}){0,9})[)）]`)
})

// roundNumbersIn finds what may be markers in round brackets in a block: numbers of which
// an entry of the list has one at least, at the end of a clause or alone in a cell. An
// enumeration has them before what it counts: (1) this, (2) that.
func (r *numberReader) roundNumbersIn(i int) []bareNumber {
	b := &r.blocks[i]
	if b.kind == heading || !strings.ContainsAny(b.text, "(（") {
		return nil
	}
	var out []bareNumber
	for _, m := range roundForm().FindAllStringSubmatchIndex(b.text, -1) {
		n := bareNumber{block: i, piece: stated.Span{From: m[0], To: m[1]}}
		n.labels, _ = labelsOf(b.text[m[2]:m[3]])
		known := slices.ContainsFunc(n.labels, func(l string) bool { return r.hasLabel(r.scopeOf[i], l) })
		behind := m[0] > 0 && b.text[m[0]-1] == ' ' || b.kind == row || b.isUnspaced(m[0])
		if known && m[0] > 0 && behind && b.endsClause(mark{at: m[0], end: m[1]}) && !b.isMarked(n.piece) {
			out = append(out, n)
		}
	}
	return out
}

// readRoundNumbers finds markers that are numbers in round brackets, in a report that has a
// numbered list of sources and hardly a marker of another kind. They have to refer to half
// of the list: a few chance numbers are none.
func (r *numberReader) readRoundNumbers(c convention) bool {
	if c.labelled == 0 || c.numbers*3 > c.labelled {
		return false
	}
	var found []bareNumber
	meant := map[string]bool{}
	for i := range r.blocks {
		if !r.isRunning(i) {
			continue
		}
		for _, n := range r.roundNumbersIn(i) {
			found = append(found, n)
			for _, l := range n.labels {
				for _, one := range r.resolveLabel(l).written {
					if r.hasLabel(r.scopeOf[i], one) {
						meant[one] = true
					}
				}
			}
		}
	}
	if len(meant)*2 < c.labelled || len(found) < 3 {
		return false
	}
	r.markBareNumbers(found)
	return true
}

// isUnspaced reports whether a script without blanks stands before a place.
func (b *block) isUnspaced(at int) bool {
	last, _ := utf8.DecodeLastRuneInString(b.text[:at])
	return words.Unspaced(last) || last > utf8.RuneSelf && strings.ContainsRune("。，、」』％", last)
}
