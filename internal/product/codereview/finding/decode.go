package finding

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/research-council/research-council/internal/base/jsonl"
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
	MaxFindings  = 5000      // of one file
	RefusalLimit = jsonl.MaxTold
)

// Refusal is a line that is no finding.
type Refusal = jsonl.Refusal

// Decode reads findings as JSON Lines, one object a line with the fields of
// [Finding] down to cwe. Required are severity, confidence, file, line, title
// and description; kind is the reviewer's own unless the line says another.
// The program's own fields are not read. A JSON array of findings, an object
// {"findings": […]} and objects that run over several lines are read too; what
// stands around them is passed over, as [jsonl] says.
//
// A line that is no finding is refused with a reason, and the next one read:
// any bytes may come. What is no UTF-8 becomes U+FFFD.
func Decode(r io.Reader, by Author) ([]Finding, []Refusal) {
	d := decoder{by: by, ids: map[string]bool{}}
	refused := form().Each(r, d.finding)
	return d.list, refused
}

// form is that of the files that reviewers write.
func form() jsonl.Format {
	return jsonl.Format{File: FileLimit, Line: LineLimit, List: listInside, Rest: jsonl.RemainderRefusal("cannot be used either")}
}

// listInside is what stands under findings or judgements.
func listInside(object json.RawMessage) json.RawMessage {
	var holder struct{ Findings, Judgements json.RawMessage }
	_ = json.Unmarshal(object, &holder) // what has neither is one object
	if len(holder.Findings) > 0 {
		return holder.Findings
	}
	return holder.Judgements
}

type decoder struct {
	by   Author
	ids  map[string]bool
	list []Finding
}

func (d *decoder) finding(line int, data []byte) string {
	if len(d.list) == MaxFindings {
		return fmt.Sprintf("beyond the first %d findings of a file", MaxFindings)
	}
	f, problem := parseFinding(data, d.by)
	if problem != "" {
		return problem
	}
	if f.ID == "" || d.ids[f.ID] {
		f.ID = d.unused(line)
	}
	d.ids[f.ID] = true
	d.list = append(d.list, f)
	return ""
}

// unused is an id of a line that nothing has yet.
func (d *decoder) unused(line int) string {
	id := fmt.Sprintf("L%d", line)
	for n := 2; d.ids[id]; n++ {
		id = fmt.Sprintf("L%d.%d", line, n)
	}
	return id
}
