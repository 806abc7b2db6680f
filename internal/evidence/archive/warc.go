package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/evidence/warc"
)

// WriteWARC writes the newest snapshot of each source as one file of WARC 1.1:
// what came as a response, the page its scripts made and the text as its conversions, and what the archive
// knows of it as metadata. Bodies are written decoded; the fields of the header
// that spoke of their encoding keep their values under X-Archive-Orig-. The same
// archive gives the same file.
func (a *Archive) WriteWARC(w io.Writer) error {
	out := warc.NewWriter(w)
	list := a.Snapshots()
	started := time.Unix(0, 0)
	if len(list) > 0 {
		started = list[0].Fetched
	}
	about := "software: " + a.o.UserAgent + "\r\nformat: WARC file version 1.1\r\nrobots: obey\r\n"
	info, err := out.Write(warc.Record{Type: warc.Info, Date: started, MIME: warc.FieldsType, Block: []byte(about)})
	if err != nil {
		return err
	}
	for _, s := range list {
		if err := a.writeSnapshot(out, info, s); err != nil {
			return fmt.Errorf("write %s: %w", shortLine(s.Key), err)
		}
	}
	return nil
}

func (a *Archive) writeSnapshot(out *warc.Writer, info string, s Snapshot) error {
	target := s.Final
	if target == "" {
		target = "urn:x-research-council:" + shortName(s.Key)
	}
	of := []warc.Field{{Name: "WARC-Warcinfo-ID", Value: info}}
	if (s.Status != 0 || s.State == Stale) && s.Final != "" {
		head, body, err := a.response(s)
		if err != nil {
			return err
		}
		id, err := out.Write(warc.Record{
			Type: warc.Response, Date: s.Fetched, Target: target, MIME: warc.ResponseType, Payload: len(head), Fields: of, Block: append(head, body...),
		})
		if err != nil {
			return err
		}
		of = append(of, warc.Field{Name: "WARC-Refers-To", Value: id})
	}
	if s.Rendered != nil {
		document, err := a.store.bytes(s.Rendered.Document)
		if err != nil {
			return err
		}
		if _, err := out.Write(warc.Record{
			Type: warc.Conversion, Date: s.Fetched, Target: target, MIME: "text/html; charset=utf-8", Fields: of, Block: document,
		}); err != nil {
			return err
		}
	}
	if s.Text != "" {
		text, err := a.Text(s)
		if err != nil {
			return err
		}
		if _, err := out.Write(warc.Record{
			Type: warc.Conversion, Date: s.Fetched, Target: target, MIME: "text/plain; charset=utf-8", Fields: of, Block: []byte(text),
		}); err != nil {
			return err
		}
	}
	known, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = out.Write(warc.Record{Type: warc.Metadata, Date: s.Fetched, Target: target, MIME: "application/json", Fields: of, Block: known})
	return err
}

// response is the answer as it came, its body decoded.
func (a *Archive) response(s Snapshot) (head, body []byte, err error) {
	body, err = a.Bytes(s)
	if err != nil && (s.Body != "" || !errors.Is(err, fs.ErrNotExist)) {
		return nil, nil, err
	}
	status := s.Status
	if s.State == Stale {
		status = http.StatusOK // of the archived copy
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	for _, field := range s.Header {
		name, _, _ := strings.Cut(field, ":")
		switch strings.ToLower(name) {
		case "content-encoding", "transfer-encoding", "content-length":
			b.WriteString("X-Archive-Orig-")
		}
		b.WriteString(field + "\r\n")
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(body))
	return b.Bytes(), body, nil
}
