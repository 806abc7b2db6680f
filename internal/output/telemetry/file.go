package telemetry

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Name is the file of a run's spans in its folder.
const Name = "trace.jsonl"

// sentName is beside it and says how many bytes of it a collector has taken in.
const sentName = "trace.sent"

// spanFile is a run's trace.jsonl. It is not safe for concurrent use.
type spanFile struct {
	root  *os.Root
	out   *os.File
	size  int64 // of its whole lines
	known map[string]bool
	err   error // the first that writing met
}

// openSpanFile opens or creates the file in a run's folder and learns which spans
// it holds. A last line without an end was torn by a crash and is cut off; a
// line that is no span is passed over.
func openSpanFile(folder string) (*spanFile, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the run's folder: %w", err)
	}
	f := &spanFile{root: root, known: map[string]bool{}}
	if f.out, err = root.OpenFile(Name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", Name, err), root.Close())
	}
	if err := f.readKnown(); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", Name, err), f.close())
	}
	return f, nil
}

func (f *spanFile) readKnown() error {
	lines := bufio.NewReader(f.out)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		f.size += int64(len(line))
		if s, ok := parseSpan(line); ok {
			f.known[s.ID] = true
		}
	}
	return f.out.Truncate(f.size)
}

// parseSpan reads a line; false for one that is no span.
func parseSpan(line []byte) (Span, bool) {
	var s Span
	return s, json.Unmarshal(line, &s) == nil && s.isComplete()
}

// isComplete reports whether a span has what every one has.
func (s Span) isComplete() bool {
	trace, err := hex.DecodeString(s.Trace)
	id, err2 := hex.DecodeString(s.ID)
	parent, err3 := hex.DecodeString(s.Parent)
	return errors.Join(err, err2, err3) == nil && len(trace) == 16 && len(id) == 8 && (len(parent) == 8 || s.Parent == "") && !s.End.IsZero()
}

// appendSpan appends a span unless it is there. After the first error nothing is
// written any more: a torn line would spoil the next.
func (f *spanFile) appendSpan(s Span) {
	if f.known[s.ID] {
		return
	}
	f.known[s.ID] = true
	if f.err != nil {
		return
	}
	line, err := json.Marshal(s)
	if err == nil {
		_, err = f.out.Write(append(line, '\n'))
	}
	if err != nil {
		f.err = fmt.Errorf("write %s: %w", Name, err)
		return
	}
	f.size += int64(len(line) + 1)
}

// readBatch reads whole lines from a place in the file on, at least one and no more
// than fit a request, up to size. next is where the line after them begins.
func (f *spanFile) readBatch(from, size int64) (spans []Span, next int64) {
	const mostSpans, mostBytes = 512, 1 << 20
	lines := bufio.NewReader(io.NewSectionReader(f.out, from, size-from))
	for next = from; len(spans) < mostSpans && next-from < mostBytes; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return spans, next
		}
		next += int64(len(line))
		if s, ok := parseSpan(line); ok {
			spans = append(spans, s)
		}
	}
	return spans, next
}

// sentBytes is how much of the file a collector has taken in; 0 where that is not
// known or cannot be.
func (f *spanFile) sentBytes() int64 {
	data, err := f.root.ReadFile(sentName)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil || n < 0 || n > f.size {
		return 0
	}
	return n
}

// storeSent notes how much of the file a collector has taken in. Without the note
// spans are sent once more, as the same spans.
func (f *spanFile) storeSent(end int64) {
	_ = f.root.WriteFile(sentName, strconv.AppendInt(nil, end, 10), 0o600)
}

func (f *spanFile) close() error {
	return errors.Join(f.err, f.out.Close(), f.root.Close())
}
