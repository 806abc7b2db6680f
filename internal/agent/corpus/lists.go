package corpus

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// lists are where stems stand, while an index is built. Most stems of a folder
// stand in one passage or two, and would cost more to keep apart than what is
// said of them: now and then all that is open is packed into one piece.
type lists struct {
	open   map[string]*postingList
	size   int // bytes that the open ones take, about
	packed []string
}

// postingList is where a stem stands, as [postings] reads it.
type postingList struct {
	data     []byte
	passages int
	last     int // the passage added last
}

// What is open at once, and what a stem of it takes beside its list, in bytes.
const (
	maxOpen      = 4 << 20
	openListCost = 128
)

// add notes that a stem stands in a passage, as often in its head and in its
// body. Passages come in their order.
func (l *lists) add(stem string, passage int, n stemCount) {
	at := l.open[stem]
	if at == nil {
		at = &postingList{}
		l.open[strings.Clone(stem)] = at // a stem is often a part of its text
		l.size += openListCost
	}
	before := len(at.data)
	for _, number := range []int{passage - at.last, n.head, n.body} {
		at.data = binary.AppendUvarint(at.data, uint64(number))
	}
	at.passages, at.last = at.passages+1, passage
	l.size += len(at.data) - before
}

// pack puts what is open into one piece, sorted by stems, where it is much.
func (l *lists) pack(least int) {
	if l.size < least || len(l.open) == 0 {
		return
	}
	var to []byte
	for _, stem := range slices.Sorted(maps.Keys(l.open)) {
		at := l.open[stem]
		to = appendNumber(appendNumber(appendText(to, stem), at.passages), at.last)
		to = append(appendNumber(to, len(at.data)), at.data...)
	}
	l.packed = append(l.packed, string(to))
	l.size = 0
	clear(l.open)
}

// merged gives each stem in their order with all of its list, which is valid
// until the next one.
func (l *lists) merged(yield func(stem string, list postingList) error) error {
	l.pack(0)
	pieces := make([]*piece, len(l.packed))
	for i, p := range l.packed {
		pieces[i] = &piece{decoder: decoder{left: p}}
		pieces[i].advance()
	}
	var all postingList
	for {
		pieces = slices.DeleteFunc(pieces, func(p *piece) bool { return p.ended })
		if len(pieces) == 0 {
			return nil
		}
		stem := slices.MinFunc(pieces, func(a, b *piece) int { return strings.Compare(a.stem, b.stem) }).stem
		all = postingList{data: all.data[:0]}
		for _, p := range pieces { // in the order of their passages
			if p.stem == stem {
				all.join(p)
				p.advance()
			}
		}
		if err := yield(stem, all); err != nil {
			return err
		}
	}
}

// piece is what is packed, as far as it has been read.
type piece struct {
	decoder
	stem  string // the list of this one is next
	ended bool
}

func (p *piece) advance() {
	p.ended = p.left == ""
	p.stem = p.text()
}

// join adds the list a piece has next, whose first passage is counted from the
// beginning of all.
func (l *postingList) join(p *piece) {
	passages, last := p.number(), p.number()
	d := decoder{left: p.text()}
	l.data = appendNumber(l.data, d.number()-l.last)
	l.data = append(l.data, d.left...)
	l.passages, l.last = l.passages+passages, last
}
