package claim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/jsonl"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/quote"
	"github.com/research-council/research-council/internal/evidence/source"
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
// quote and source (or evidence). Several passages stand in passages, a list of
// objects with quote and source. A claim without text or source is refused:
// without evidence it does not count. One whose kind is inference or
// recommendation has rests_on instead, a list of claims by their ids or by the id that
// its seat gave them. A claim may name in contradicts, in the same way, those that do
// not hold if it does. A line with withdraws, such an id, and reason makes no claim: it
// withdraws one of the seat's own. What else a line may say of its claim: confidence (High, Medium, Low, in any case), source_type (official_doc,
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
	known := make(map[string]bool, len(drafts)+len(more))
	key := func(d Draft) string {
		data, _ := json.Marshal(d) // strings, lists and truths
		return string(data)
	}
	for _, d := range drafts {
		known[key(d)] = true
	}
	for _, d := range more {
		if k := key(d); !known[k] {
			known[k] = true
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
	if d.Withdraws != "" {
		_ = enc.Encode(WrittenWithdrawal{d.Withdraws, d.Reason, d.ReplacedBy}) // strings
		return b.Bytes()
	}
	_ = enc.Encode(d.written()) // strings, lists and truths
	return b.Bytes()
}

func (d Draft) written() Written {
	w := Written{
		ID: d.Handle, Text: d.Text, Kind: d.Kind, Quote: d.Quote, Source: d.Source, RestsOn: d.RestsOn, Contradicts: d.Contradicts,
		Confidence: d.Confidence, Type: d.Type, Questions: d.Questions, Critical: d.Critical, InsteadOf: d.InsteadOf, Blast: d.Blast, Pitfall: d.Pitfall,
	}
	if len(d.More) > 0 {
		w.Passages = append([]Reference{{d.Quote, d.Source}}, d.More...)
		w.Quote, w.Source = "", ""
	}
	return w
}

// Written is a claim as its seat makes it and as a line of a file holds it.
type Written struct {
	ID          string      `json:"id,omitempty"` // its seat's own name for it
	Kind        Kind        `json:"kind,omitempty"`
	Text        string      `json:"text"`
	Quote       string      `json:"quote,omitempty"`
	Source      string      `json:"source,omitempty"`
	Passages    []Reference `json:"passages,omitempty"` // where it takes several
	RestsOn     []string    `json:"rests_on,omitempty"`
	Contradicts []string    `json:"contradicts,omitempty"`
	Confidence  Confidence  `json:"confidence,omitempty"`
	Type        SourceType  `json:"source_type,omitempty"`
	Questions   []string    `json:"questions,omitempty"`
	Critical    bool        `json:"critical,omitempty"`
	InsteadOf   string      `json:"instead_of,omitempty"` // a critical claim of its seat whose place it takes
	Blast       bool        `json:"blast_radius,omitempty"`
	Pitfall     bool        `json:"pitfall,omitempty"`
}

// WrittenWithdrawal is a line that withdraws a claim of its seat.
type WrittenWithdrawal struct {
	Withdraws  string `json:"withdraws"` // the claim's id
	Reason     string `json:"reason"`
	ReplacedBy string `json:"replaced_by,omitempty"` // a claim of its seat that says what holds instead
}

// claimLine is a claim as a line holds it. What may be of any type is looked at
// later.
type claimLine struct {
	Text, Claim, Quote, Source, Evidence json.RawMessage

	ID          json.RawMessage
	Kind        json.RawMessage
	Passages    json.RawMessage
	RestsOn     json.RawMessage `json:"rests_on"`
	Contradicts json.RawMessage
	Withdraws   json.RawMessage
	ReplacedBy  json.RawMessage `json:"replaced_by"`
	Reason      json.RawMessage
	Confidence  json.RawMessage
	Type        json.RawMessage `json:"source_type"`
	Questions   json.RawMessage
	Critical    json.RawMessage
	InsteadOf   json.RawMessage `json:"instead_of"`
	Blast       json.RawMessage `json:"blast_radius"`
	Pitfall     json.RawMessage
}

func decodeLine(line []byte) (Draft, string) {
	var w claimLine
	if err := json.Unmarshal(line, &w); err != nil {
		return Draft{}, "no JSON object that can be read"
	}
	if len(w.Withdraws) > 0 {
		return w.withdrawal()
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
	var problem string
	if d.Contradicts, problem = decodeObjections(w.Contradicts); problem != "" {
		return Draft{}, problem
	}
	kind, problem := decodeKind(w.Kind)
	if problem != "" {
		return Draft{}, problem
	}
	if d.Kind = kind; kind.RestsOnClaims() {
		d.Quote, d.Source, d.Type = "", "", ""
		d.RestsOn, problem = decodeGrounds(w.RestsOn, kind)
		return d, problem
	}
	if problem := d.decodePassages(w.Passages); problem != "" {
		return Draft{}, problem
	}
	printed := source.Identify(d.Source).Kind == source.Experiment // for this claim: it may be one figure
	switch {
	case d.Source == "" && len(w.RestsOn) > 2:
		return Draft{}, "a fact rests on words of a source; what rests on other claims is an inference or a recommendation"
	case d.Source == "":
		return Draft{}, "it has no source, and without evidence it does not count"
	case d.Quote != "" && !printed && quote.TooShort(d.Quote):
		return Draft{}, "its quotation is too short to show anything; quote the sentence it stands in"
	}
	return d, ""
}

func decodeKind(raw json.RawMessage) (Kind, string) {
	if len(raw) == 0 {
		return Fact, ""
	}
	said, _ := content(raw)
	kind, known := parseKind(string(said))
	if !known {
		return Fact, "its kind is none of " + kindNames()
	}
	return kind, ""
}

// decodeGrounds reads what an inference or a recommendation rests on.
func decodeGrounds(raw json.RawMessage, kind Kind) ([]string, string) {
	var said []any
	if json.Unmarshal(raw, &said) != nil {
		var one any
		_ = json.Unmarshal(raw, &one) // nothing is none
		said = []any{one}
	}
	var grounds []string
	for _, v := range said {
		s, _ := v.(string)
		grounds = addUnique(grounds, claimName(s))
	}
	switch {
	case len(grounds) == 0:
		return nil, fmt.Sprintf("no passage proves %s: name in rests_on the claims it rests on, and record each of them first as a fact", article(kind))
	case len(grounds) > maxGrounds:
		return nil, fmt.Sprintf("it rests on more than %d claims; name those that decide", maxGrounds)
	}
	return grounds, ""
}

func article(kind Kind) string {
	if kind == Inference {
		return "an inference"
	}
	return "a " + kind.String()
}

// decodePassages takes over a list of passages behind the one that stands in quote
// and source, each once.
func (d *Draft) decodePassages(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var list []struct{ Quote, Source json.RawMessage }
	if json.Unmarshal(raw, &list) != nil {
		return "its passages are no list of objects with quote and source"
	}
	var all []Reference
	if d.Source != "" || d.Quote != "" {
		all = append(all, Reference{d.Quote, d.Source})
	}
	for i, p := range list {
		var r Reference
		for _, f := range []struct {
			name string
			raw  json.RawMessage
			into *string
		}{{"quote", p.Quote, &r.Quote}, {"source", p.Source, &r.Source}} {
			if problem := decodeField(f.name, f.raw, f.into); problem != "" {
				return fmt.Sprintf("of passage %d %s", i+1, problem)
			}
		}
		if !slices.ContainsFunc(all, func(o Reference) bool {
			return o.Source == r.Source && collapseSpace(o.Quote) == collapseSpace(r.Quote)
		}) {
			all = append(all, r)
		}
	}
	if len(all) > maxPassages {
		return fmt.Sprintf("it has more than %d passages; what takes so many is several claims", maxPassages)
	}
	for i, r := range all {
		switch {
		case len(all) == 1:
		case r.Source == "" || r.Quote == "":
			return fmt.Sprintf("passage %d lacks its quotation or its source", i+1)
		case quote.TooShort(r.Quote):
			return fmt.Sprintf("the quotation of passage %d is too short to show anything; quote the sentence it stands in", i+1)
		}
	}
	if len(all) > 0 {
		d.Quote, d.Source, d.More = all[0].Quote, all[0].Source, all[1:]
	}
	if len(d.More) == 0 {
		d.More = nil
	}
	return ""
}

// maxHandle bounds a seat's own name for a claim, in runes.
const maxHandle = 40

// decodeHandle is a seat's own name for a claim; what looks like an id of the registry
// is none.
func decodeHandle(raw json.RawMessage) string {
	said, _ := content(raw)
	handle := plain.Line(string(said), maxHandle)
	if idNumber("C", strings.ToUpper(handle)) > 0 {
		return ""
	}
	return handle
}

// draft is what the line says of its claim, without what is unknown.
func (w claimLine) draft() Draft {
	instead, _ := content(w.InsteadOf)
	return Draft{
		Type:       enum(w.Type, Official, Code, Community, Standard),
		Confidence: enum(w.Confidence, High, Medium, Low),
		Questions:  parseQuestions(w.Questions),
		Critical:   parseBool(w.Critical), Blast: parseBool(w.Blast), Pitfall: parseBool(w.Pitfall), InsteadOf: claimName(string(instead)),
		Handle: decodeHandle(w.ID),
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
	if id, one := bytes.CutPrefix(raw, []byte(`["`)); one { // as nearly every one is
		if id, one = bytes.CutSuffix(id, []byte(`"]`)); one && plainString(raw[1:len(raw)-1]) && !bytes.ContainsRune(id, '"') {
			return questionIDs([]any{string(id)})
		}
	}
	var said []any
	if json.Unmarshal(raw, &said) != nil {
		var one any
		_ = json.Unmarshal(raw, &one) // nothing is none
		said = []any{one}
	}
	return questionIDs(said)
}

// questionIDs are the ids in a list.
func questionIDs(said []any) []string {
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
