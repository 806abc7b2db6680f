// Package warc writes WARC 1.1 (ISO 28500:2017), the form in which archives of
// the web exchange what they fetched.
//
// A file is a sequence of records, each a few named fields and a block of
// bytes. [Writer] gives every record its digest and an id that follows from
// its content, so that the same records are the same file. Which records to
// write is left to others.
package warc

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
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
