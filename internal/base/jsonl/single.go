package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// IsSingle reports whether an input is a single value over many lines, and no JSON
// lines: whether its first line, of which at most so many bytes are looked at,
// begins a value and does not end it. All of the input is still to be read from
// the reader it gives.
func IsSingle(in io.Reader, most int) (all io.Reader, single bool, err error) {
	var head bytes.Buffer
	first, err := firstLine(io.TeeReader(in, &head), most)
	return io.MultiReader(&head, in), err == nil && !json.Valid(first) && beginsValue(first), err
}

// firstLine reads up to the end of the first line that is not blank. The
// reader is read by single blocks and may be left behind that end.
func firstLine(r io.Reader, most int) ([]byte, error) {
	var line []byte
	block := make([]byte, 64<<10)
	for len(line) < most {
		n, err := r.Read(block)
		line = append(line, block[:n]...)
		if text := bytes.TrimLeft(line, " \t\r\n"); bytes.IndexByte(text, '\n') >= 0 {
			return text[:bytes.IndexByte(text, '\n')], nil
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return bytes.TrimSpace(line), nil
}

// beginsValue reports whether a line begins an object or an array that goes on.
func beginsValue(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && (line[0] == '{' || line[0] == '[') && (len(line) == 1 || !bytes.HasSuffix(line, []byte("}")) && !bytes.HasSuffix(line, []byte("]")))
}
