package finding

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"research-council/internal/mark"
)

// Bounds on what one reviewer may write of one batch, far above what an honest
// one writes.
const (
	FileLimit    = 4 << 20   // bytes of a file
	LineLimit    = 256 << 10 // bytes of one finding as it is written
	TextLimit    = 8 << 10   // bytes of a description, impact or fix
	TitleLimit   = 300       // bytes of a title
	CodeLimit    = 16 << 10  // bytes of a quotation
	PathLimit    = 1 << 10   // bytes of a path
	MostFindings = 5000      // of one file
	RefusalLimit = 20        // refusals told one by one
)

// Refusal is a line that is no finding.
type Refusal struct {
	Line   int    // counted from 1; that of the first when several are told as one
	Reason string // for its writer, on one line, without anything from the line itself
}

// Decode reads findings as JSON Lines, one object a line with the fields of
// [Finding] down to cwe. Required are severity, confidence, file, line, title
// and description; kind is the reviewer's own unless the line says another.
// The program's own fields are not read. A JSON array of findings, an object
// {"findings": […]} and objects that run over several lines are read too;
// blank lines, fences of code and the mark that ends a report are passed over.
//
// A line that is no finding is refused with a reason, and the next one read:
// any bytes may come. What is no UTF-8 becomes U+FFFD.
func Decode(r io.Reader, by Author) ([]Finding, []Refusal) {
	d := decoder{by: by, ids: map[string]bool{}}
	each(r, &d.refused, d.finding)
	return d.list, d.refused.all()
}

type decoder struct {
	by      Author
	ids     map[string]bool
	list    []Finding
	refused refusals
}

func (d *decoder) finding(line int, data []byte) {
	if len(d.list) == MostFindings {
		d.refused.add(line, fmt.Sprintf("beyond the first %d findings of a file", MostFindings))
		return
	}
	f, problem := read(data, d.by)
	if problem != "" {
		d.refused.add(line, problem)
		return
	}
	if f.ID == "" || d.ids[f.ID] {
		f.ID = d.unused(line)
	}
	d.ids[f.ID] = true
	d.list = append(d.list, f)
}

// unused is an id of a line that nothing has yet.
func (d *decoder) unused(line int) string {
	id := fmt.Sprintf("L%d", line)
	for n := 2; d.ids[id]; n++ {
		id = fmt.Sprintf("L%d.%d", line, n)
	}
	return id
}

// refusals tells the first ones one by one and the rest as one.
type refusals struct {
	list        []Refusal
	more, first int
}

func (r *refusals) add(line int, reason string) {
	if len(r.list) < RefusalLimit {
		r.list = append(r.list, Refusal{line, reason})
		return
	}
	if r.more == 0 {
		r.first = line
	}
	r.more++
}

func (r *refusals) all() []Refusal {
	if r.more > 0 {
		return append(r.list, Refusal{r.first, fmt.Sprintf("this and %d more lines cannot be used either", r.more-1)})
	}
	return r.list
}

// each calls do with every object of a file and the line on which it begins.
func each(r io.Reader, refused *refusals, do func(line int, data []byte)) {
	data, err := io.ReadAll(io.LimitReader(r, FileLimit+1))
	if len(data) > FileLimit {
		data = data[:FileLimit]
		err = fmt.Errorf("the file is longer than %d MiB", FileLimit>>20)
	}
	data = bare(data)
	if values, ok := whole(data); ok {
		for _, v := range values {
			one(v, refused, do)
		}
	} else {
		lines(data, refused, do)
	}
	if err != nil {
		refused.add(bytes.Count(data, []byte("\n"))+1, "reading stopped here: "+err.Error())
	}
}

// bare blanks out the lines that only stand around findings.
func bare(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var out bytes.Buffer
	for line := range bytes.Lines(data) {
		text := bytes.TrimSpace(line)
		if string(text) == mark.Complete || bytes.HasPrefix(text, []byte("```")) {
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

// whole reads a file as JSON values one behind the other; false when it is not
// that from beginning to end.
func whole(data []byte) ([]value, bool) {
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
		list = append(list, elements(&at, int(d.InputOffset())-len(raw), raw)...)
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

// elements are the values of an array, or of the findings of an object, or the
// value itself. The array begins at an offset of the file.
func elements(at *counter, offset int, raw json.RawMessage) []value {
	array := raw
	if raw[0] == '{' {
		var holder struct{ Findings, Judgements json.RawMessage }
		_ = json.Unmarshal(raw, &holder) // what has neither is one object
		array = holder.Findings
		if len(array) == 0 {
			array = holder.Judgements
		}
		offset += max(0, bytes.Index(raw, array))
	}
	if len(array) == 0 || array[0] != '[' {
		return []value{{at.line(offset), raw}}
	}
	d := json.NewDecoder(bytes.NewReader(array))
	_, _ = d.Token() // it is known to begin with a bracket
	var list []value
	for d.More() {
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			break
		}
		list = append(list, value{at.line(offset + int(d.InputOffset()) - len(raw)), raw})
	}
	return list
}

// lines reads a file line by line.
func lines(data []byte, refused *refusals, do func(int, []byte)) {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(line), []byte(",")))
		if len(line) > 0 && string(line) != "[" && string(line) != "]" {
			one(value{n, line}, refused, do)
		}
	}
}

// one hands on a value that may be an object.
func one(v value, refused *refusals, do func(int, []byte)) {
	switch {
	case len(v.data) > LineLimit:
		refused.add(v.line, fmt.Sprintf("longer than %d KiB", LineLimit>>10))
	case v.data[0] != '{':
		refused.add(v.line, "no JSON object")
	default:
		do(v.line, v.data)
	}
}
