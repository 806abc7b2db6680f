// Package warcfile reads the WARC files that we write, so that tests can look
// into them: a second reading beside that of warc.mjs.
package warcfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/evidence/warc"
)

// What a reader refuses: larger headers and blocks are no record of ours.
const (
	maxHeader = 1 << 20
	maxBlock  = 1 << 30
)

// ErrDigest says that a block is not what was written.
var ErrDigest = errors.New("the digest does not fit")

// Reader reads the records of an uncompressed file.
type Reader struct {
	from *bufio.Reader
	n    int
}

// NewReader gives a reader.
func NewReader(r io.Reader) *Reader { return &Reader{from: bufio.NewReader(r)} }

// Next gives the next record, or [io.EOF] behind the last. An error that wraps
// [ErrDigest] comes with the record, and reading can go on.
func (r *Reader) Next() (warc.Record, error) {
	version, err := r.readLine(maxHeader)
	if errors.Is(err, io.EOF) && version == "" {
		return warc.Record{}, io.EOF
	}
	r.n++
	if err != nil || version != "WARC/1.1" && version != "WARC/1.0" {
		return warc.Record{}, r.damaged("it does not begin as one", err)
	}
	rec, about, err := r.readHeader()
	if err != nil {
		return warc.Record{}, err
	}
	if about.length < 0 || about.length > maxBlock {
		return warc.Record{}, r.damaged("no usable length", nil)
	}
	var block bytes.Buffer
	if _, err := io.CopyN(&block, r.from, about.length); err != nil {
		return warc.Record{}, r.damaged("it is cut", err)
	}
	rec.Block = block.Bytes()
	var end [4]byte
	if _, err := io.ReadFull(r.from, end[:]); err != nil || string(end[:]) != "\r\n\r\n" {
		return warc.Record{}, r.damaged("it does not end as one", err)
	}
	return rec, r.checkDigests(&rec, about)
}

// recordChecks are the fields that a record is checked by.
type recordChecks struct {
	length         int64
	block, payload string
}

func (r *Reader) readHeader() (warc.Record, recordChecks, error) {
	var rec warc.Record
	a := recordChecks{length: -1}
	for left := maxHeader; ; {
		line, err := r.readLine(left)
		if err != nil {
			return rec, a, r.damaged("its header is cut", err)
		}
		if line == "" {
			return rec, a, nil
		}
		if left -= len(line); left <= 0 {
			return rec, a, r.damaged("its header has no end", nil)
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return rec, a, r.damaged("a field without a colon", nil)
		}
		if err := setField(&rec, &a, name, strings.TrimSpace(value)); err != nil {
			return rec, a, r.damaged("its "+name, err)
		}
	}
}

func setField(rec *warc.Record, a *recordChecks, name, value string) (err error) {
	switch strings.ToLower(name) {
	case "warc-type":
		rec.Type = value
	case "warc-record-id":
		rec.ID = value
	case "warc-date":
		rec.Date, err = time.Parse(time.RFC3339Nano, value)
	case "warc-target-uri":
		rec.Target = value
	case "content-type":
		rec.MIME = value
	case "content-length":
		a.length, err = strconv.ParseInt(value, 10, 64)
	case "warc-block-digest":
		a.block = value
	case "warc-payload-digest":
		a.payload = value
	default:
		rec.Fields = append(rec.Fields, warc.Field{Name: name, Value: value})
	}
	return err
}

// checkDigests holds the record against its digests; those of other algorithms are
// passed over.
func (r *Reader) checkDigests(rec *warc.Record, a recordChecks) error {
	if strings.HasPrefix(rec.MIME, "application/http") {
		if at := bytes.Index(rec.Block, []byte("\r\n\r\n")); at >= 0 {
			rec.Payload = at + 4
		}
	}
	for _, c := range []struct{ want, got string }{{a.block, warc.Digest(rec.Block)}, {a.payload, warc.Digest(rec.Block[rec.Payload:])}} {
		if strings.HasPrefix(c.want, "sha256:") && c.want != c.got {
			return fmt.Errorf("WARC record %d (%q): %w", r.n, rec.ID, ErrDigest)
		}
	}
	return nil
}

// readLine reads up to CRLF or LF.
func (r *Reader) readLine(most int) (string, error) {
	var b []byte
	for {
		part, err := r.from.ReadSlice('\n')
		b = append(b, part...)
		if len(b) > most {
			return "", errors.New("a line without an end")
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && len(b) > 0 {
			return string(b), io.ErrUnexpectedEOF
		}
		return strings.TrimRight(string(b), "\r\n"), err
	}
}

func (r *Reader) damaged(what string, err error) error {
	if err == nil {
		return fmt.Errorf("WARC record %d: %s", r.n, what)
	}
	if errors.Is(err, io.EOF) { // the end of the file alone is io.EOF
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("WARC record %d: %s: %w", r.n, what, err)
}
