package claim

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/research-council/research-council/internal/base/jsonl"
	"github.com/research-council/research-council/internal/evidence/source"
)

// A ExternalMerger merges more claims than fit into memory, by the rules of [Merge]. They
// are read twice: once to be compared, and again to be written. In between only
// numbers are kept of each. Fill it with [Pile.Read], then empty it with
// [Pile.Merge].
type ExternalMerger struct {
	Unknown []Refusal // of what claims contradict: what not one line is called; known once it is merged
	statements
	claims      chunked[claimRecord]
	names       []string          // seats and families
	nameNumbers map[string]uint32 // their places in names + 1; 0 is nobody
	lineStarts  []int64           // where the line of each statement's first claim begins
	objections  []objection       // what claims say of others
	cols        rawFields
	window      window
}

// claimRecord is what is kept of a claim.
type claimRecord struct {
	line, statement, seat, family uint32
	source                        uint64 // a hash of its source's identity
	kind, confidence              uint8  // in types and confidences
	critical, planned, reasoned   bool
}

// objection is what a claim says of others: that they do not hold if it does.
type objection struct {
	claim uint32 // its place
	names []string
}

// Read takes in claims as JSON Lines with the fields that [Decode] reads, and
// beside them seat (or agent) and family. Lines that are none are refused and
// the next one is read. Errors are those of reading, and of refused.
func (p *ExternalMerger) Read(in io.Reader, refused func(Refusal) error) error {
	p.nameNumbers = map[string]uint32{"": 0}
	return eachLine(in, func(n int, at int64, line []byte) error {
		err := errTooLong
		if len(line) > 0 {
			err = p.add(n, at, line)
		}
		if err != nil {
			return refused(Refusal{Line: n, Reason: err.Error()})
		}
		return nil
	})
}

var errTooLong = fmt.Errorf("longer than %d KiB", LineLimit>>10)

// eachLine calls do for every line that is not blank, with its number and the
// byte it begins at; without the line when it is too long.
func eachLine(in io.Reader, do func(n int, at int64, line []byte) error) error {
	for l, err := range jsonl.Lines(in, LineLimit) {
		if err != nil {
			return fmt.Errorf("read line %d: %w", l.Number, err)
		}
		line := bytes.TrimSpace(l.Text)
		if len(line) == 0 && !l.Long {
			continue
		}
		if err := do(l.Number, l.At, line); err != nil {
			return err
		}
	}
	return nil
}

func (p *ExternalMerger) add(n int, at int64, line []byte) error {
	if err := p.cols.read(line); err != nil {
		return err
	}
	text, src, err := p.cols.textAndSource()
	if err != nil {
		return err
	}
	it := claimRecord{line: uint32(n), reasoned: len(src) == 0}
	for _, f := range []struct {
		name string
		vals [2][]byte
		into *uint32
	}{{"seat", [2][]byte{p.cols.seat, p.cols.agent}, &it.seat}, {"family", [2][]byte{p.cols.family}, &it.family}} {
		name, err := firstContent(f.name, f.vals[:]...)
		if err != nil {
			return err
		}
		*f.into = p.nameNumber(name)
	}
	p.setDetails(&it, source.Identify(string(src)))
	var old bool
	if it.statement, old = p.statements.add(text); !old {
		p.lineStarts = append(p.lineStarts, at)
	}
	names, problem := decodeObjections(p.cols.contradicts)
	if problem != "" {
		return errors.New(problem)
	}
	if len(names) > 0 {
		p.objections = append(p.objections, objection{uint32(p.claims.len()), names})
	}
	p.claims.add(it)
	return nil
}

// setDetails takes over what a line says of its claim and its source.
func (p *ExternalMerger) setDetails(it *claimRecord, src source.Source) {
	p.buffer = append(p.buffer[:0], src.Key...)
	it.source = sum(p.buffer).lo
	it.confidence = enum(p.cols.confidence, High, Medium, Low).rank()
	it.critical, it.planned = parseBool(p.cols.critical), len(p.cols.questions) > 2 && len(parseQuestions(p.cols.questions)) > 0
	it.kind = sourceType(enum(p.cols.kind, Official, Code, Community, Standard), src).rank()
}

// nameNumber numbers a name.
func (p *ExternalMerger) nameNumber(name []byte) uint32 {
	n, ok := p.nameNumbers[string(name)]
	if !ok {
		p.names = append(p.names, string(name))
		n = uint32(len(p.names))
		p.nameNumbers[string(name)] = n
	}
	return n
}

// rereadText reads the text of a statement once more.
func (p *ExternalMerger) rereadText(lines io.ReaderAt, n uint32) (string, error) {
	line, err := p.window.line(lines, p.lineStarts[n])
	if err != nil {
		return "", err
	}
	if err := p.cols.read(line); err != nil {
		return "", err
	}
	text, _, err := p.cols.textAndSource()
	return string(text), err
}

// window is a part of a file. It is wide while lines are asked for that stand
// close behind one another, and narrow while they are not.
type window struct {
	bytes []byte
	at    int64
}

const (
	smallRead = 1 << 10
	largeRead = LineLimit
)

// line gives the line that begins at a byte.
func (w *window) line(file io.ReaderAt, at int64) ([]byte, error) {
	if line, ok := w.buffered(at); ok {
		return line, nil
	}
	size := smallRead
	if ahead := at - w.at; ahead >= 0 && ahead < int64(len(w.bytes)+largeRead/4) {
		size = largeRead
	}
	for ; ; size = largeRead {
		if cap(w.bytes) < largeRead {
			w.bytes = make([]byte, largeRead)
		}
		n, err := file.ReadAt(w.bytes[:size], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		w.bytes, w.at = w.bytes[:n], at
		if line, ok := w.buffered(at); ok || err != nil || size == largeRead {
			return line, nil
		}
	}
}

// buffered gives a line that the window holds; of one that does not end there what
// it holds.
func (w *window) buffered(at int64) ([]byte, bool) {
	if at < w.at || at >= w.at+int64(len(w.bytes)) {
		return nil, false
	}
	line := w.bytes[at-w.at:]
	end := bytes.IndexByte(line, '\n')
	if end < 0 {
		return line, false
	}
	return line[:end], true
}
