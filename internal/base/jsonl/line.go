package jsonl

import (
	"bufio"
	"errors"
	"io"
	"iter"
)

// Line is a line of a file.
type Line struct {
	Number int    // from 1
	At     int64  // the byte of the file it begins at
	Text   []byte // with its end; valid until the next line
	Long   bool   // it is longer than may be, and its text is not held
}

// Lines are the lines of a file. An error of reading is the last thing given,
// with the number of the line it came in.
func Lines(in io.Reader, most int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		from := bufio.NewReaderSize(in, min(most, 64<<10))
		l := Line{Number: 1}
		for {
			text, size, err := ReadLine(from, l.Text[:0], most)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Line{Number: l.Number, At: l.At}, err)
				return
			}
			l.Text, l.Long = text, size > int64(most)
			if size == 0 || !yield(l, nil) || err != nil {
				return
			}
			l.Number, l.At = l.Number+1, l.At+size
		}
	}
}

// ReadLine appends a line with its end to buf, or nothing of it when it has
// more than most bytes. It gives how many it had, and an error beside what was
// read before it, as [bufio.Reader.ReadSlice] does.
func ReadLine(in *bufio.Reader, buf []byte, most int) (line []byte, size int64, err error) {
	start := len(buf)
	for {
		part, err := in.ReadSlice('\n')
		if size += int64(len(part)); size > int64(most) {
			buf = buf[:start]
		} else {
			buf = append(buf, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, size, err
		}
	}
}
