package claim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"research-council/internal/base/jsonl"
	"research-council/internal/base/plain"
	"research-council/internal/evidence/quote"
)

// Bounds on what one seat may claim, far above what an honest one writes: a
// claim is a sentence, its quotation a passage.
const (
	FieldLimit   = 16 << 10  // bytes of a field
	LineLimit    = 256 << 10 // bytes of a line; three full fields fit, most of their bytes escaped
	FileLimit    = 4 << 20   // bytes of a file
	RefusalLimit = jsonl.MaxTold
)

// Refusal is a line that is no claim.
type Refusal = jsonl.Refusal

// Decode reads claims as JSON Lines, objects with the strings text (or claim),
// quote and source (or evidence). A claim without text or source is refused:
// without evidence it does not count. What else a line may say of its claim:
// confidence (High, Medium, Low, in any case), source_type (official_doc,
// code_reference, community, standard), questions (a list of ids such as
// "Q1"), and critical, blast_radius and pitfall (true or false). Of these a
// value that is unknown is dropped and the claim kept, since nothing depends
// on it that the program does not check.
//
// A line that is no claim is refused and the next one read: any bytes may come,
// and what can be read is. What stands around the lines is passed over, as
// [jsonl] says.
func Decode(r io.Reader, seat, round string) ([]Draft, []Refusal) {
	form := jsonl.Format{File: FileLimit, Line: LineLimit, Rest: jsonl.RemainderRefusal("are no claims either")}
	return jsonl.Decode(r, form, func(line []byte) (Draft, string) {
		d, problem := decodeLine(line)
		d.Seat, d.Round = seat, round
		return d, problem
	})
}

// AppendNew puts drafts behind others that are not among them.
func AppendNew(drafts, more []Draft) []Draft {
	for _, d := range more {
		if !slices.ContainsFunc(drafts, func(old Draft) bool { return reflect.DeepEqual(old, d) }) {
			drafts = append(drafts, d)
		}
	}
	return drafts
}

// Line is a draft as a line that [Decode] reads back. Whose it is is not in it.
func (d Draft) Line() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(Written{d.Text, d.Quote, d.Source, d.Confidence, d.Type, d.Questions, d.Critical, d.Blast, d.Pitfall}) // strings, lists and truths
	return b.Bytes()
}

// Written is a claim as its seat makes it and as a line of a file holds it.
type Written struct {
	Text       string     `json:"text"`
	Quote      string     `json:"quote"`
	Source     string     `json:"source"`
	Confidence Confidence `json:"confidence,omitempty"`
	Type       SourceType `json:"source_type,omitempty"`
	Questions  []string   `json:"questions,omitempty"`
	Critical   bool       `json:"critical,omitempty"`
	Blast      bool       `json:"blast_radius,omitempty"`
	Pitfall    bool       `json:"pitfall,omitempty"`
}

// claimLine is a claim as a line holds it. What may be of any type is looked at
// later.
type claimLine struct {
	Text, Claim, Quote, Source, Evidence json.RawMessage

	Confidence json.RawMessage
	Type       json.RawMessage `json:"source_type"`
	Questions  json.RawMessage
	Critical   json.RawMessage
	Blast      json.RawMessage `json:"blast_radius"`
	Pitfall    json.RawMessage
}

func decodeLine(line []byte) (Draft, string) {
	var w claimLine
	if err := json.Unmarshal(line, &w); err != nil {
		return Draft{}, "no JSON object that can be read"
	}
	d := w.draft()
	for _, f := range []struct {
		name string
		raw  json.RawMessage
		into *string
	}{
		{"text", w.Text, &d.Text},
		{"claim", w.Claim, &d.Text},
		{"quote", w.Quote, &d.Quote},
		{"source", w.Source, &d.Source},
		{"evidence", w.Evidence, &d.Source},
	} {
		if *f.into != "" {
			continue // under its other name
		}
		if problem := decodeField(f.name, f.raw, f.into); problem != "" {
			return Draft{}, problem
		}
	}
	if d.Text == "" {
		return Draft{}, "it has no text"
	}
	if d.Source == "" {
		return Draft{}, "it has no source, and without evidence it does not count"
	}
	if d.Quote != "" && quote.TooShort(d.Quote) {
		return Draft{}, "its quotation is too short to show anything; quote the sentence it stands in"
	}
	return d, ""
}

// draft is what the line says of its claim, without what is unknown.
func (w claimLine) draft() Draft {
	return Draft{
		Type:       enum(w.Type, Official, Code, Community, Standard),
		Confidence: enum(w.Confidence, High, Medium, Low),
		Questions:  parseQuestions(w.Questions),
		Critical:   parseBool(w.Critical), Blast: parseBool(w.Blast), Pitfall: parseBool(w.Pitfall),
	}
}

// enum is the one of the values that is meant, or "".
func enum[T ~string](raw json.RawMessage, values ...T) T {
	if len(raw) == 0 {
		return ""
	}
	said, _ := content(raw)
	for _, v := range values {
		if bytes.EqualFold(said, []byte(v)) {
			return v
		}
	}
	return ""
}

func parseBool(raw json.RawMessage) bool {
	return string(raw) == "true" || enum(raw, "true") != ""
}

// maxQuestions bounds how many questions one claim answers.
const maxQuestions = 100

// parseQuestions reads a list of ids, or one id. What is none is dropped.
func parseQuestions(raw json.RawMessage) []string {
	var said []any
	if json.Unmarshal(raw, &said) != nil {
		var one any
		_ = json.Unmarshal(raw, &one) // nothing is none
		said = []any{one}
	}
	var ids []string
	for _, v := range said[:min(len(said), maxQuestions)] {
		s, _ := v.(string)
		if s = strings.ToUpper(strings.TrimSpace(s)); idNumber("Q", s) > 0 {
			ids = addUnique(ids, s)
		}
	}
	return ids
}

func decodeField(name string, raw json.RawMessage, into *string) string {
	if len(raw) == 0 {
		return ""
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Sprintf("its %s is no string", name)
	}
	*into = plain.Trimmed(*into)
	if len(*into) > FieldLimit {
		return fmt.Sprintf("its %s is longer than %d KiB", name, FieldLimit>>10)
	}
	return ""
}
