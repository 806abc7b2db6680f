package proc

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

const (
	// maxLineBytes bounds a line a Tail gives, in bytes; a longer one is left out.
	maxLineBytes = 1 << 20
	// firstBuffer is what a Tail reads at once, in bytes, until more comes than
	// that; mostBuffer holds the longest line and as much again.
	firstBuffer = 64 << 10
	maxBuffer   = 2 * maxLineBytes
)

// Tail follows a file that grows. While nothing is new, a look costs one read.
type Tail struct {
	path       string
	file       *os.File
	buf        []byte
	lineStart  int  // where in buf the line begins whose end is not there yet
	scanned    int  // up to where in buf that line was looked through
	end        int  // where in buf what was read ends
	inLongLine bool // a line under way is too long
}

// NewTail follows the file of a path, which need not be there yet.
func NewTail(path string) *Tail { return &Tail{path: path} }

// Next returns whole lines that have come since the last call, without their
// line breaks, up to two megabytes of them; none when nothing is new. They are
// valid until the next call. A line beyond a megabyte is left out.
func (t *Tail) Next() ([][]byte, error) {
	if err := t.open(); t.file == nil {
		return nil, err
	}
	for {
		end, err := t.readMore()
		if err != nil {
			return nil, wrapError("follow "+t.path, err)
		}
		if list := t.takeLines(); end || len(list) > 0 {
			return list, nil
		}
	}
}

// readMore reads what is new into the buffer, and tells whether that was all. What
// stands before it, the beginning of a line, moves to the front.
func (t *Tail) readMore() (end bool, err error) {
	t.end = copy(t.buf, t.buf[t.lineStart:t.end])
	t.scanned -= t.lineStart
	t.lineStart = 0
	for t.end < maxBuffer {
		t.growBuffer()
		n, err := t.file.Read(t.buf[t.end:])
		t.end += n
		if n == 0 {
			return true, ignoreEnd(err)
		}
	}
	return false, nil
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (t *Tail) open() error {
	if t.file != nil {
		return nil
	}
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wrapError("follow "+t.path, err)
	}
	t.file = f
	return nil
}

// growBuffer sees to it that something can be read.
func (t *Tail) growBuffer() {
	if t.end < len(t.buf) {
		return
	}
	larger := make([]byte, max(firstBuffer, 2*len(t.buf)))
	copy(larger, t.buf)
	t.buf = larger
}

// takeLines cuts what was read into lines.
func (t *Tail) takeLines() [][]byte {
	var list [][]byte
	for {
		i := bytes.IndexByte(t.buf[t.scanned:t.end], '\n')
		if i < 0 {
			break
		}
		line := t.buf[t.lineStart : t.scanned+i]
		t.scanned += i + 1
		t.lineStart = t.scanned
		switch {
		case t.inLongLine:
			t.inLongLine = false
		case len(line) > maxLineBytes:
		default:
			list = append(list, line)
		}
	}
	t.scanned = t.end
	if t.end-t.lineStart > maxLineBytes && !t.inLongLine {
		t.inLongLine = true
	}
	if t.inLongLine {
		t.lineStart = t.end
	}
	return list
}

// Close lets go of the file.
func (t *Tail) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

// LastBytes reads at most the last n bytes of a file.
func LastBytes(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > n {
		if _, err := f.Seek(-n, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, n))
}

// ReadPiece reads the bytes of a file from one place up to another, or as many of
// them as there are.
func ReadPiece(path string, from, to int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, to-from)
	n, err := f.ReadAt(data, from)
	if n > 0 {
		err = nil
	}
	return data[:n], err
}
