package watch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/logs"
	"github.com/research-council/research-council/internal/host/view"
)

// Bounds of what is read of streams and kept, in bytes.
const (
	pieceBytes  = 256 << 10
	windowBytes = 2 << 20  // of the streams, as they stand on disk
	longBytes   = 16 << 20 // of a line that is passed over at once
)

// stream is one file of a turn.
type stream struct {
	path, turn string
	errors     bool // what the program wrote to its standard error
	size       int64
}

// piece is whole lines of a stream, or a part of a line too long to be shown.
type piece struct {
	file     int // of the transcript's streams
	from, to int64
	long     bool
	said     []string // its lines in plain words
	rows     []string // the same, cut to the width
}

// transcript is a window on the streams of a seat's turns: the pieces around what
// is looked at, never the whole.
type transcript struct {
	run, seat, kind string
	stages          []string
	live            bool // its last line may not be whole yet
	files           []stream
	pieces          []piece
	width           int
	top             int  // the first row that is shown
	follow          bool // the end stays in view
	searched        search
}

func newTranscript(run, seat, kind string, stages []string) *transcript {
	return &transcript{run: run, seat: seat, kind: kind, stages: stages, follow: true, live: true}
}

// list looks which streams there are. What is no plain file, as a pipe, is passed over.
func (t *transcript) list() {
	var files []stream
	for _, name := range logs.Turns(filepath.Join(t.run, workspace.Turns), t.seat, t.stages) {
		for _, file := range []string{supervisor.StdoutFile, supervisor.StderrFile} {
			at := filepath.Join(t.run, workspace.Turns, name, file)
			info, err := os.Lstat(at)
			if err == nil && info.Mode().IsRegular() {
				files = append(files, stream{at, name, file == supervisor.StderrFile, info.Size()})
			}
		}
	}
	t.files = files
}

// rowCount is how many rows the window holds.
func (t *transcript) rowCount() (n int) {
	for _, p := range t.pieces {
		n += len(p.rows)
	}
	return n
}

// resize cuts the rows to another width and keeps what is looked at in view.
func (t *transcript) resize(width int) {
	if width == t.width || width < 1 {
		return
	}
	before, at := t.top, 0
	for i := range t.pieces {
		inside := before >= 0 && before < len(t.pieces[i].rows)
		share := 0.0
		if inside && len(t.pieces[i].rows) > 0 {
			share = float64(before) / float64(len(t.pieces[i].rows))
		}
		before -= len(t.pieces[i].rows)
		t.pieces[i].rows = t.cutRows(t.pieces[i].said, width)
		if inside {
			t.top = at + int(share*float64(len(t.pieces[i].rows)))
		}
		at += len(t.pieces[i].rows)
	}
	t.width = width
}

// lineMark begins the first row of each line.
const lineMark = "▏ "

func (t *transcript) cutRows(said []string, width int) []string {
	var rows []string
	for _, line := range said {
		for i, row := range wrap(line, max(1, width-2)) {
			if i == 0 {
				rows = append(rows, lineMark+row)
			} else {
				rows = append(rows, "  "+row)
			}
		}
	}
	return rows
}

// say makes a piece of what stands between two places of a stream.
func (t *transcript) say(file int, from, to int64, data []byte) piece {
	p := piece{file: file, from: from, to: to}
	if from == 0 && !t.files[file].errors {
		p.said = append(p.said, "— turn "+strings.ReplaceAll(t.files[file].turn, "_", " ")+" —")
	}
	for line := range bytes.Lines(data) {
		if text := t.words(file, bytes.TrimRight(line, "\r\n")); text != "" {
			p.said = append(p.said, clean(text))
		}
	}
	p.rows = t.cutRows(p.said, t.width)
	return p
}

// maxSaid bounds what is shown of one line, in runes.
const maxSaid = 4000

// words says a line of a stream in plain words; "" for one that says nothing to a
// person. Of a line that was written over, what stood there last is shown.
func (t *transcript) words(file int, line []byte) string {
	if at := bytes.LastIndexByte(line, '\r'); at >= 0 {
		line = line[at+1:]
	}
	if t.files[file].errors {
		if text := plain.Line(string(line[:min(len(line), 4000)]), maxSaid); text != "" {
			return "! " + text
		}
		return ""
	}
	return plain.Line(view.Called(kinds.Words(t.kind, line)), maxSaid)
}

// longPiece stands for a part of a line that is too long.
func (t *transcript) longPiece(file int, from, to int64) piece {
	p := piece{file: file, from: from, to: to, long: true}
	p.said = []string{fmt.Sprintf("… %.1f MB of one line are not shown", float64(to-from)/(1<<20))}
	p.rows = t.cutRows(p.said, t.width)
	return p
}

// earlier reads the piece that ends at a place of a stream.
func (t *transcript) earlier(file int, to int64) (piece, bool) {
	for ; file >= 0; file-- {
		if to < 0 {
			to = t.files[file].size
			if t.live && file >= len(t.files)-2 {
				to = t.wholeEnd(file, to)
			}
		}
		if to > 0 {
			return t.pieceBefore(file, to), true
		}
		to = -1
	}
	return piece{}, false
}

// wholeEnd is where the last whole line of a stream that still grows ends.
func (t *transcript) wholeEnd(file int, to int64) int64 {
	from := max(0, to-pieceBytes)
	data, err := proc.ReadPiece(t.files[file].path, from, to)
	if err != nil {
		return 0
	}
	if at := bytes.LastIndexByte(data, '\n'); at >= 0 {
		return from + int64(at) + 1
	}
	if from == 0 {
		return 0
	}
	return to
}

func (t *transcript) pieceBefore(file int, to int64) piece {
	for from := max(0, to-pieceBytes); ; from = max(0, from-pieceBytes) {
		data, err := proc.ReadPiece(t.files[file].path, from, min(to, from+pieceBytes))
		if err != nil {
			return piece{file: file, from: 0, to: to, said: []string{"! it cannot be read"}, rows: []string{lineMark + "! it cannot be read"}}
		}
		at := bytes.IndexByte(data[:max(0, len(data)-1)], '\n')
		switch {
		case from == 0 && to <= pieceBytes:
			return t.say(file, 0, to, data)
		case to-from <= pieceBytes && at >= 0:
			return t.say(file, from+int64(at)+1, to, data[at+1:])
		case from == 0:
			return t.longPiece(file, 0, to)
		case at >= 0:
			last := bytes.LastIndexByte(data, '\n')
			return t.longPiece(file, from+int64(last)+1, to)
		case to-from >= longBytes:
			return t.longPiece(file, from, to)
		}
	}
}

// later reads the piece that begins at a place of a stream, as far as its lines are
// whole.
func (t *transcript) later(file int, from int64) (piece, bool) {
	for ; file < len(t.files); file, from = file+1, 0 {
		size := t.files[file].size
		if from >= size {
			continue
		}
		to := min(size, from+pieceBytes)
		data, err := proc.ReadPiece(t.files[file].path, from, to)
		if err != nil {
			continue
		}
		at := bytes.LastIndexByte(data, '\n')
		grows := t.live && file >= len(t.files)-2
		switch {
		case at >= 0:
			return t.say(file, from, from+int64(at)+1, data[:at+1]), true
		case len(data) == pieceBytes:
			return t.passOver(file, from, size), true
		case !grows:
			return t.say(file, from, to, data), true
		}
	}
	return piece{}, false
}

// passOver is a line too long, up to its end or as far as it is passed over at once.
func (t *transcript) passOver(file int, from, size int64) piece {
	for at := from; ; at += pieceBytes {
		data, err := proc.ReadPiece(t.files[file].path, at, min(size, at+pieceBytes))
		end := bytes.IndexByte(data, '\n')
		switch {
		case err != nil || at+int64(len(data)) >= size && end < 0 || at-from >= longBytes:
			return t.longPiece(file, from, at+int64(len(data)))
		case end >= 0:
			return t.longPiece(file, from, at+int64(end)+1)
		}
	}
}

// addEarlier puts the piece before the window in front of it; false when there is none,
// or when it is part of a line too long, which is enough for once.
func (t *transcript) addEarlier() bool {
	file, to := len(t.files)-1, int64(-1)
	if len(t.pieces) > 0 {
		file, to = t.pieces[0].file, t.pieces[0].from
		if to == 0 {
			file, to = file-1, -1
		}
	}
	p, ok := t.earlier(file, to)
	if !ok {
		return false
	}
	if len(t.pieces) > 0 && p.long && t.pieces[0].long && p.file == t.pieces[0].file {
		t.pieces[0] = t.longPiece(p.file, p.from, t.pieces[0].to)
		return false
	}
	t.pieces, t.top = slices.Insert(t.pieces, 0, p), t.top+len(p.rows)
	for t.bytes() > windowBytes && len(t.pieces) > 2 && t.firstRowOf(len(t.pieces)-1) > t.top+maxScreenRows {
		t.pieces = t.pieces[:len(t.pieces)-1]
	}
	return !p.long
}

// maxScreenRows is more rows than a terminal shows.
const maxScreenRows = 500

// addLater puts the piece behind the window at its end; false as addEarlier.
func (t *transcript) addLater() bool {
	file, from := 0, int64(0)
	if n := len(t.pieces); n > 0 {
		file, from = t.pieces[n-1].file, t.pieces[n-1].to
	}
	p, ok := t.later(file, from)
	if !ok {
		return false
	}
	if n := len(t.pieces); n > 0 && t.pieces[n-1].long && p.file == t.pieces[n-1].file && from > 0 {
		if p.long {
			t.pieces[n-1] = t.longPiece(p.file, t.pieces[n-1].from, p.to)
			return false
		}
	}
	t.pieces = append(t.pieces, p)
	for t.bytes() > windowBytes && len(t.pieces) > 2 && (t.follow || len(t.pieces[0].rows) < t.top) {
		t.top = max(0, t.top-len(t.pieces[0].rows))
		t.pieces = t.pieces[1:]
	}
	return !p.long
}

func (t *transcript) bytes() (n int64) {
	for _, p := range t.pieces {
		if !p.long {
			n += p.to - p.from
		}
	}
	return n
}

func (t *transcript) firstRowOf(i int) (n int) {
	for _, p := range t.pieces[:i] {
		n += len(p.rows)
	}
	return n
}

// atEnd reports whether the window reaches to the end of what there is.
func (t *transcript) atEnd() bool {
	n := len(t.pieces)
	if n == 0 {
		return len(t.files) == 0
	}
	_, more := t.later(t.pieces[n-1].file, t.pieces[n-1].to)
	return !more
}

// toEnd shows the end, read from there backwards.
func (t *transcript) toEnd(height int) {
	t.pieces, t.top, t.follow = nil, 0, true
	for t.rowCount() <= height && t.bytes() < windowBytes && t.addEarlier() {
	}
	t.top = max(0, t.rowCount()-height)
}

// toStart shows the beginning.
func (t *transcript) toStart(height int) {
	t.pieces, t.top, t.follow = nil, 0, false
	for t.rowCount() <= height && t.bytes() < windowBytes && t.addLater() {
	}
}

// maxAtOnce bounds how many pieces that have come are read in one look; more, and
// what lies between is left for whoever scrolls back.
const maxAtOnce = 4

// grow takes in what has come since the last look.
func (t *transcript) grow(height int) {
	t.list()
	n := len(t.pieces)
	if n > 0 {
		last := t.pieces[n-1]
		if last.file >= len(t.files) || t.files[last.file].size < last.to {
			t.toEnd(height) // it was replaced
			return
		}
	}
	if n == 0 {
		t.toEnd(height)
		return
	}
	if !t.follow && t.bytes() > windowBytes {
		return
	}
	for i := 0; t.addLater(); i++ {
		if i == maxAtOnce {
			if t.follow {
				t.toEnd(height)
			}
			return
		}
	}
	if t.follow {
		t.join()
		t.top = max(0, t.rowCount()-height)
	}
}

// join makes one of small pieces that came one after the other.
func (t *transcript) join() {
	for i := len(t.pieces) - 1; i > 0 && len(t.pieces) > 8; i-- {
		a, b := &t.pieces[i-1], t.pieces[i]
		if a.file == b.file && a.to == b.from && !a.long && !b.long && b.to-a.from < pieceBytes {
			a.to, a.said, a.rows = b.to, append(a.said, b.said...), append(a.rows, b.rows...)
			t.pieces = slices.Delete(t.pieces, i, i+1)
		}
	}
}

// scroll moves what is shown by rows and reads on where the window ends.
func (t *transcript) scroll(by, height int) {
	t.top += by
	for t.top < 0 && t.addEarlier() {
	}
	t.top = max(0, t.top)
	for t.top+height > t.rowCount() && t.addLater() {
	}
	most := max(0, t.rowCount()-height)
	t.top = min(t.top, most)
	t.follow = by >= 0 && t.top == most && t.atEnd()
}

// shown are the rows in view.
func (t *transcript) shown(height int) []string {
	var rows []string
	at := 0
	for _, p := range t.pieces {
		for _, row := range p.rows {
			if at >= t.top && at < t.top+height {
				rows = append(rows, row)
			}
			at++
		}
	}
	return rows
}

// below is how many rows of the window stand below those in view.
func (t *transcript) below(height int) int { return max(0, t.rowCount()-t.top-height) }
