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
	rest []byte // the beginning of a line whose end is not there yet
	skip bool   // the line under way is too long
	buf  []byte
}

// NewTail follows the file of a path, which need not be there yet.
func NewTail(path string) *Tail { return &Tail{path: path} }

// Next returns the whole lines that have come since the last call, without
// their line breaks, at most a few megabytes of them; none when nothing is
// new. They are valid until the next call.
func (t *Tail) Next() ([][]byte, error) {
	if t.file == nil {
		f, err := os.Open(t.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("follow %s: %w", t.path, err)
		}
		t.file = f
	}
	const most = 4 << 20
	if t.buf == nil {
		t.buf = make([]byte, 64<<10)
	}
	chunk := append([]byte(nil), t.rest...)
	t.rest = t.rest[:0]
	for len(chunk) < most {
		n, err := t.file.Read(t.buf)
		chunk = append(chunk, t.buf[:n]...)
		if errors.Is(err, io.EOF) || n == 0 {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("follow %s: %w", t.path, err)
		}
	}
	return t.split(chunk), nil
}

func (t *Tail) split(chunk []byte) [][]byte {
	var lines [][]byte
	for {
		line, rest, found := bytes.Cut(chunk, []byte{'\n'})
		if !found {
			break
		}
		if !t.skip && len(line) <= mostLine {
			lines = append(lines, line)
		}
		t.skip = false
		chunk = rest
	}
	if len(chunk) > mostLine {
		t.skip, chunk = true, nil
	}
	t.rest = append(t.rest[:0], chunk...)
	return lines
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
