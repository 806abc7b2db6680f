package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/research-council/research-council/internal/host/view"
)

// maxLineBytes bounds a line of a filter's input, in bytes: a whole page may stand
// in one.
const maxLineBytes = 128 << 20

// filter answers each line of JSON Lines with one line, as soon as it is read.
// A line that cannot be answered gets {"line": N, "error": "…"} and the next
// one is read; the exit code then says that some failed.
func filter(in io.Reader, out io.Writer, answer func(line []byte) (any, error)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLineBytes)
	buffered := bufio.NewWriter(out)
	failed := false
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		reply, err := answer(line)
		if err != nil {
			failed = true
			reply = lineError{Line: n, Error: view.ErrorLine(err)}
		}
		if err := errors.Join(encodeLine(buffered, reply), buffered.Flush()); err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read line %d: %w", n+1, err)
	}
	if failed {
		return exitCode(codeFailed)
	}
	return nil
}

// lineError is the answer to a line that has none.
type lineError struct {
	Line  int    `json:"line"`
	Error string `json:"error"`
}
