package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// readValues reads a file that may be JSON over any lines.
func (r *reading) readValues(in io.Reader) {
	data, err := io.ReadAll(io.LimitReader(in, int64(r.File)+1))
	if len(data) > r.File {
		data = data[:r.File]
		err = fmt.Errorf("the file is longer than %d MiB", r.File>>20)
	}
	data = blankDecoration(data)
	if list, ok := r.splitValues(data); ok {
		for _, v := range list {
			r.takeObject(v.line, v.data, len(v.data) > r.Line)
		}
	} else {
		r.readLines(bytes.NewReader(data))
	}
	if err != nil {
		r.refuse(bytes.Count(data, []byte("\n"))+1, "reading stopped here: "+err.Error())
	}
}

// blankDecoration is a file without what stands around its records, each line in its
// place.
func blankDecoration(data []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		if isDecoration(trimLine(line)) {
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

// splitValues reads a file as JSON values one behind the other; false when it is not
// that from beginning to end.
func (r *reading) splitValues(data []byte) ([]value, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	var list []value
	at := lineCounter{data: data}
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return list, true
		}
		if err != nil {
			return nil, false
		}
		list = append(list, r.listElements(&at, int(d.InputOffset())-len(raw), raw)...)
	}
}

// lineCounter counts the lines before offsets that never go back.
type lineCounter struct {
	data     []byte
	at, seen int
}

func (c *lineCounter) line(offset int) int {
	offset = max(c.at, min(offset, len(c.data)))
	c.seen += bytes.Count(c.data[c.at:offset], []byte("\n"))
	c.at = offset
	return c.seen + 1
}

// listElements are the values of a list, or of the one an object holds, or the
// value itself. It begins at an offset of the file.
func (r *reading) listElements(at *lineCounter, offset int, raw json.RawMessage) []value {
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
