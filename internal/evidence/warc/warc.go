// Package warc writes and reads WARC 1.1 (ISO 28500:2017), the form in which
// archives of the web exchange what they fetched.
//
// A file is a sequence of records, each a few named fields and a block of
// bytes. [Writer] gives every record its digest and an id that follows from
// its content, so that the same records are the same file; [Reader] gives them
// back and says where a digest does not fit. Which records to write is left to
// others.
package warc

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// The types of records that are written here.
const (
	Info       = "warcinfo"
	Request    = "request"
	Response   = "response"
	Resource   = "resource"
	Metadata   = "metadata"
	Conversion = "conversion" // another form of a record's content
)

// The MIME types of blocks that are not a source's own.
const (
	FieldsType   = "application/warc-fields"
	RequestType  = "application/http; msgtype=request"
	ResponseType = "application/http; msgtype=response"
)

// Field is one named field of a record.
type Field struct{ Name, Value string }

// Record is one record. ID, Date and the digests are fields of their own and
// not in Fields.
type Record struct {
	Type    string
	ID      string // "<urn:uuid:…>"; given by Write where it is ""
	Date    time.Time
	Target  string // WARC-Target-URI, "" for none
	MIME    string // of the block
	Payload int    // where the payload begins in the block, as behind the header of an HTTP answer; 0 when it is the block
	Fields  []Field
	Block   []byte
}

// Writer writes records.
type Writer struct{ to io.Writer }

// NewWriter gives a writer.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write writes a record and returns its id.
func (w *Writer) Write(r Record) (string, error) {
	if r.Payload < 0 || r.Payload > len(r.Block) {
		return "", fmt.Errorf("write WARC record: its payload begins at %d of %d", r.Payload, len(r.Block))
	}
	if r.ID == "" {
		r.ID = recordID(r)
	}
	var b bytes.Buffer
	b.WriteString("WARC/1.1\r\n")
	put := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + fieldValue(value) + "\r\n")
		}
	}
	put("WARC-Type", r.Type)
	put("WARC-Record-ID", r.ID)
	put("WARC-Date", r.Date.UTC().Format(time.RFC3339Nano))
	put("WARC-Target-URI", r.Target)
	for _, f := range r.Fields {
		put(f.Name, f.Value)
	}
	put("WARC-Block-Digest", Digest(r.Block))
	if r.Payload > 0 {
		put("WARC-Payload-Digest", Digest(r.Block[r.Payload:]))
	}
	put("Content-Type", r.MIME)
	put("Content-Length", strconv.Itoa(len(r.Block)))
	b.WriteString("\r\n")
	b.Write(r.Block)
	b.WriteString("\r\n\r\n")
	if _, err := w.to.Write(b.Bytes()); err != nil {
		return "", fmt.Errorf("write WARC record: %w", err)
	}
	return r.ID, nil
}

// Digest is the SHA-256 of a block in the form of WARC fields.
func Digest(block []byte) string {
	sum := sha256.Sum256(block)
	return "sha256:" + base32.StdEncoding.EncodeToString(sum[:])
}

// recordID makes an id out of all that a record says: a UUID of version 8
// (RFC 9562), which leaves its bits to the application.
func recordID(r Record) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q%q%q%q%q%d\n", r.Type, r.Date.UTC().Format(time.RFC3339Nano), r.Target, r.MIME, r.Fields, r.Payload)
	h.Write(r.Block)
	u := h.Sum(nil)[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// fieldValue keeps a value from ending its field.
func fieldValue(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

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
func (r *Reader) Next() (Record, error) {
	version, err := r.readLine(maxHeader)
	if errors.Is(err, io.EOF) && version == "" {
		return Record{}, io.EOF
	}
	r.n++
	if err != nil || version != "WARC/1.1" && version != "WARC/1.0" {
		return Record{}, r.damaged("it does not begin as one", err)
	}
	rec, about, err := r.readHeader()
	if err != nil {
		return Record{}, err
	}
	if about.length < 0 || about.length > maxBlock {
		return Record{}, r.damaged("no usable length", nil)
	}
	var block bytes.Buffer
	if _, err := io.CopyN(&block, r.from, about.length); err != nil {
		return Record{}, r.damaged("it is cut", err)
	}
	rec.Block = block.Bytes()
	var end [4]byte
	if _, err := io.ReadFull(r.from, end[:]); err != nil || string(end[:]) != "\r\n\r\n" {
		return Record{}, r.damaged("it does not end as one", err)
	}
	return rec, r.checkDigests(&rec, about)
}

// recordChecks are the fields that a record is checked by.
type recordChecks struct {
	length         int64
	block, payload string
}

func (r *Reader) readHeader() (Record, recordChecks, error) {
	var rec Record
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
		if err := rec.setField(&a, name, strings.TrimSpace(value)); err != nil {
			return rec, a, r.damaged("its "+name, err)
		}
	}
}

func (rec *Record) setField(a *recordChecks, name, value string) (err error) {
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
		rec.Fields = append(rec.Fields, Field{name, value})
	}
	return err
}

// checkDigests holds the record against its digests; those of other algorithms are
// passed over.
func (r *Reader) checkDigests(rec *Record, a recordChecks) error {
	if strings.HasPrefix(rec.MIME, "application/http") {
		if at := bytes.Index(rec.Block, []byte("\r\n\r\n")); at >= 0 {
			rec.Payload = at + 4
		}
	}
	for _, c := range []struct{ want, got string }{{a.block, Digest(rec.Block)}, {a.payload, Digest(rec.Block[rec.Payload:])}} {
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
