package watch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/proc"
)

// search looks for words in a transcript, a bounded piece at a time: from what is in
// view towards the beginning, or towards the end.
type search struct {
	needle  string // in small letters; "" while nothing is looked for
	running bool
	down    bool
	file    int
	at      int64 // everything between here and what was in view has been looked through
	passed  int64 // bytes looked through
	said    string
	last    *hit // nil before the first
}

// slice is how long a search goes on before the screen is drawn again.
const slice = 60 * time.Millisecond

// find begins to look for words.
func (t *transcript) find(needle string, down bool, height int) {
	t.searched = search{needle: strings.ToLower(clean(needle)), said: "searching"}
	t.next(down, height)
}

// placeOfTop is the stream and the place from where a search begins: the window is
// looked through first by its rows.
func (t *transcript) placeOfTop(down bool) (int, int64) {
	if len(t.pieces) == 0 {
		return -1, 0
	}
	if down {
		last := t.pieces[len(t.pieces)-1]
		return last.file, last.to
	}
	return t.pieces[0].file, t.pieces[0].from
}

// hit is a row that was found: of which piece, and which of its rows.
type hit struct {
	file int
	from int64
	row  int
}

// hits are the first rows of a piece's lines that hold what is looked for.
func (s search) hits(p piece) []int {
	var rows []int
	line := -1
	for i, row := range p.rows {
		if strings.HasPrefix(row, lineMark) {
			if line++; line < len(p.said) && strings.Contains(strings.ToLower(p.said[line]), s.needle) {
				rows = append(rows, i)
			}
		}
	}
	return rows
}

// inWindow looks through the window, from the last hit on, or from what is in view.
func (t *transcript) inWindow(height int) bool {
	s := &t.searched
	from, at := t.top+height, 0
	if s.down {
		from = t.top - 1
	}
	var all []int // rows of the window
	for _, p := range t.pieces {
		if s.last != nil && s.last.file == p.file && s.last.from == p.from {
			from = at + s.last.row
		}
		for _, row := range s.hits(p) {
			all = append(all, at+row)
		}
		at += len(p.rows)
	}
	if !s.down {
		slices.Reverse(all)
	}
	for _, row := range all {
		if s.down && row > from || !s.down && row < from {
			t.show(row, height)
			return true
		}
	}
	return false
}

const found = "found"

// show puts a row of the window into the middle of what is in view.
func (t *transcript) show(row, height int) {
	at := row
	for _, p := range t.pieces {
		if at < len(p.rows) {
			t.searched.last = &hit{p.file, p.from, at}
			break
		}
		at -= len(p.rows)
	}
	t.top = row - height/2
	for t.top < 0 && t.addEarlier() {
	}
	t.top = max(0, t.top)
	for t.top+height > t.rowCount() && t.addLater() {
	}
	t.top = min(t.top, max(0, t.rowCount()-height))
	t.searched.running, t.searched.said = false, found
}

// next goes on to the next hit.
func (t *transcript) next(down bool, height int) {
	t.searched.down, t.follow = down, false
	if t.searched.needle == "" || t.inWindow(height) {
		return
	}
	t.searched.running, t.searched.passed = true, 0
	t.searched.file, t.searched.at = t.placeOfTop(down)
}

// step looks on for as long as a slice; false when the search has come to its end.
func (t *transcript) step(height int) bool {
	s := &t.searched
	for began := time.Now(); s.running && time.Since(began) < slice; {
		p, ok := t.nextPiece()
		if !ok {
			s.running, s.said = false, "not found"
			if s.down {
				s.said += " below"
			} else {
				s.said += " above"
			}
			return false
		}
		s.file, s.at = p.file, p.to
		if !s.down {
			s.at = p.from
		}
		s.passed += p.to - p.from
		s.said = fmt.Sprintf("searching, %d MB looked through", s.passed>>20)
		if rows := s.hits(p); len(rows) > 0 {
			row := rows[len(rows)-1]
			if s.down {
				row = rows[0]
			}
			t.pieces, t.top = []piece{p}, 0
			t.show(row, height)
		}
	}
	return s.running
}

// nextPiece is the next piece that may hold what is looked for; the others are passed
// over by their bytes, where the words are such as stand there as they are.
func (t *transcript) nextPiece() (piece, bool) {
	s := &t.searched
	if s.down {
		return t.later(s.file, s.at)
	}
	file, to := s.file, s.at
	for file >= 0 {
		if to == 0 {
			file--
			if file >= 0 {
				to = t.files[file].size
			}
			continue
		}
		from := max(0, to-pieceBytes)
		if word := longestWord(s.needle); from > 0 && word != "" {
			data, err := proc.ReadPiece(t.files[file].path, from, to)
			at := bytes.IndexByte(data, '\n')
			if err == nil && at >= 0 && at < len(data)-1 && !bytes.Contains(bytes.ToLower(data), []byte(word)) {
				return piece{file: file, from: from + int64(at) + 1, to: to}, true
			}
		}
		return t.pieceBefore(file, to), true
	}
	return piece{}, false
}

// longestWord is the longest word of what is looked for that stands in a stream letter
// by letter as it is shown.
func longestWord(needle string) string {
	longest := ""
	for word := range strings.FieldsFuncSeq(needle, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if len(word) > len(longest) {
			longest = word
		}
	}
	return longest
}
