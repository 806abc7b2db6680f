package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// whole reads a file that may be JSON over any lines.
func (r *reading) whole(in io.Reader) {
	data, err := io.ReadAll(io.LimitReader(in, int64(r.File)+1))
	if len(data) > r.File {
		data = data[:r.File]
		err = fmt.Errorf("the file is longer than %d MiB", r.File>>20)
	}
	data = blanked(data)
	if list, ok := r.values(data); ok {
		for _, v := range list {
			r.one(v.line, v.data, len(v.data) > r.Line)
		}
	} else {
		r.lines(bytes.NewReader(data))
	}
	if err != nil {
		r.refuse(bytes.Count(data, []byte("\n"))+1, "reading stopped here: "+err.Error())
	}
}

// blanked is a file without what stands around its records, each line in its
// place.
func blanked(data []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		if around(bare(line)) {
			line = []byte("\n")
		}
		out.Write(line)
	}
	return out.Bytes()
}

// value is a JSON value and the line on which it begins.
type value struct {
	line int
	data []byte
}

// values reads a file as JSON values one behind the other; false when it is not
// that from beginning to end.
func (r *reading) values(data []byte) ([]value, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	var list []value
	at := counter{data: data}
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return list, true
		}
		if err != nil {
			return nil, false
		}
		list = append(list, r.elements(&at, int(d.InputOffset())-len(raw), raw)...)
	}
}

// counter counts the lines before offsets that never go back.
type counter struct {
	data     []byte
	at, seen int
}

func (c *counter) line(offset int) int {
	offset = max(c.at, min(offset, len(c.data)))
	c.seen += bytes.Count(c.data[c.at:offset], []byte("\n"))
	c.at = offset
	return c.seen + 1
}

// elements are the values of a list, or of the one an object holds, or the
// value itself. It begins at an offset of the file.
func (r *reading) elements(at *counter, offset int, raw json.RawMessage) []value {
	list := raw
	if raw[0] == '{' {
		list = r.List(raw)
	}
	if len(list) == 0 || list[0] != '[' {
		return []value{{at.line(offset), raw}}
	}
	offset += max(0, bytes.Index(raw, list))
	d := json.NewDecoder(bytes.NewReader(list))
	_, _ = d.Token() // it is known to begin with a bracket
	var found []value
	for d.More() {
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			break
		}
		found = append(found, value{at.line(offset + int(d.InputOffset()) - len(raw)), raw})
	}
	return found
}
