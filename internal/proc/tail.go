package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// mostLine bounds a line a Tail gives, in bytes; a longer one is left out.
const mostLine = 1 << 20

// Tail follows a file that grows.
type Tail struct {
	path string
	file *os.File
	buf  []byte // what has been read; a line whose end is not there yet stands first
	next []byte // what will be read into, while buf's lines are in use
	rest int    // bytes of the line at the beginning of buf
	skip bool   // that line is too long
	long int    // lines left out
}

// mostRead bounds what one call of Next reads, in bytes.
const mostRead = 4 << 20

// NewTail follows the file of a path, which need not be there yet.
func NewTail(path string) *Tail { return &Tail{path: path} }

// Next returns the whole lines that have come since the last call, without
// their line breaks, at most a few megabytes of them; none when nothing is
// new. They are valid until the next call. A line beyond a megabyte is left
// out and counted.
func (t *Tail) Next() ([][]byte, error) {
	if t.file == nil {
		f, err := os.Open(t.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("follow %s: %w", t.path, err)
		}
		t.file, t.buf, t.next = f, make([]byte, 64<<10), make([]byte, 64<<10)
	}
	end := t.rest
	for end < mostRead {
		if end == len(t.buf) {
			t.buf = append(t.buf, make([]byte, len(t.buf))...)
		}
		n, err := t.file.Read(t.buf[end:])
		end += n
		if errors.Is(err, io.EOF) || n == 0 {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("follow %s: %w", t.path, err)
		}
	}
	return t.split(end), nil
}

// split gives the lines in what has been read, and keeps the beginning of the
// next one for the next call.
func (t *Tail) split(end int) [][]byte {
	last := bytes.LastIndexByte(t.buf[t.rest:end], '\n') // the rest holds none
	if last < 0 {
		t.rest = end
		if end > mostLine {
			t.rest, t.skip = 0, true
		}
		return nil
	}
	whole := t.rest + last + 1
	lines := make([][]byte, 0, bytes.Count(t.buf[:whole], []byte{'\n'}))
	for line := range bytes.Lines(t.buf[:whole]) {
		if t.skip || len(line)-1 > mostLine {
			t.long++
		} else {
			lines = append(lines, line[:len(line)-1])
		}
		t.skip = false
	}
	if len(t.next) < len(t.buf) {
		t.next = make([]byte, len(t.buf))
	}
	t.rest = copy(t.next, t.buf[whole:end])
	t.buf, t.next = t.next, t.buf
	return lines
}

// Skipped is how many lines were left out because they are longer than a
// megabyte.
func (t *Tail) Skipped() int { return t.long }

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
