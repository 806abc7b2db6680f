package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/jsonl"
	"github.com/research-council/research-council/internal/base/plain"
)

// Names in the folder in which a worker leaves its records.
const (
	QuestionsFile = "questions.jsonl"
	IssuesFile    = "issues.jsonl"
	CoderNoteFile = "feature.json"
	SectionsDir   = "sections" // and below it report and plan
)

// Bounds of records, far above what an honest worker leaves.
const (
	MaxRecordLine = 64 << 10 // bytes of a line
	MaxRecords    = 5000     // lines of a file that hold something
	maxRefused    = jsonl.MaxTold
	maxTextRunes  = 2000 // runes of a question, an issue, a remedy
	maxRefs       = 100  // ids of one record
)

// Refused is a line that is no record.
type Refused = jsonl.Refusal

// Question is a question of the research.
type Question struct {
	Text     string
	Answered []string // ids of the claims that answer it; none while it is open
}

// DecodeQuestions reads what a worker asks and answers, JSON Lines of
// {"question": "…"} and {"question": "…", "answered": ["C12"]}. A question is
// known by its words, whatever their case and the space between them; once
// answered it stays so. What is no such line is refused and the next one read.
func DecodeQuestions(r io.Reader) ([]Question, []Refused) {
	var list []Question
	at := map[string]int{}
	refused := eachRecord(r, func(line []byte) string {
		var in struct {
			Question string   `json:"question"`
			Answered []string `json:"answered"`
		}
		if problem := object(line, &in); problem != "" {
			return problem
		}
		text := plain.Line(in.Question, maxTextRunes)
		if text == "" {
			return "it has no question"
		}
		ids, problem := claimIDs(in.Answered)
		if problem != "" {
			return problem
		}
		key := strings.ToLower(text)
		i, known := at[key]
		if !known {
			i, at[key] = len(list), len(list)
			list = append(list, Question{Text: text})
		}
		list[i].Answered = addUnique(list[i].Answered, ids)
		return ""
	})
	return list, refused
}

// claimIDs reads ids of claims.
func claimIDs(list []string) (ids []string, problem string) {
	for _, id := range list {
		id = strings.ToUpper(strings.TrimSpace(id))
		if !numbered("C", id) {
			return nil, fmt.Sprintf("%q is no claim's id; they look like C12", plain.Line(id, 20))
		}
		ids = append(ids, id)
	}
	return ids, ""
}

// numbered reports whether an id is the letter and a number from 1.
func numbered(letter, id string) bool {
	digits, is := strings.CutPrefix(id, letter)
	return is && digits != "" && len(digits) <= 9 && digits[0] != '0' && strings.Trim(digits, "0123456789") == ""
}

// addUnique adds what a list does not have yet, up to its bound.
func addUnique(list, more []string) []string {
	for _, s := range more {
		if len(list) < maxRefs && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// CoderNote is what a coder says of the feature it worked on. Nothing follows
// from it but where to look: the program runs the tests itself.
type CoderNote struct {
	ID      string   `json:"id"`
	Outcome string   `json:"claims"` // pass or fail
	Summary string   `json:"summary,omitempty"`
	Files   []string `json:"files,omitempty"` // changed, relative to the project
	Tests   []string `json:"tests,omitempty"` // added
	Cause   string   `json:"cause,omitempty"` // of a failure: [Environment] where it lies around the project
}

// Environment is the cause of a failure that somebody can mend without touching
// the code: no room on the disk, no network, a tool that is not there.
const Environment = "environment"

// DecodeCoderNote reads it.
func DecodeCoderNote(data []byte) (CoderNote, error) {
	if len(data) > MaxRecordLine {
		return CoderNote{}, fmt.Errorf("read %s: it is longer than %d KiB", CoderNoteFile, MaxRecordLine>>10)
	}
	var c CoderNote
	if problem := object(bytes.TrimSpace(data), &c); problem != "" {
		return CoderNote{}, fmt.Errorf("read %s: %s", CoderNoteFile, problem)
	}
	c.Outcome, c.Summary = strings.ToLower(strings.TrimSpace(c.Outcome)), plain.Line(c.Summary, maxTextRunes)
	if c.Outcome != "pass" && c.Outcome != "fail" {
		return CoderNote{}, fmt.Errorf("read %s: it claims %q; say pass or fail", CoderNoteFile, plain.Line(c.Outcome, 20))
	}
	if c.ID = plain.Line(c.ID, 40); c.ID == "" {
		return CoderNote{}, fmt.Errorf("read %s: it names no feature", CoderNoteFile)
	}
	c.Files, c.Tests = plainNames(c.Files), plainNames(c.Tests)
	return c, nil
}

// Verdict is what a critic says of a change that is to become a feature.
type Verdict struct {
	Accept  bool          `json:"accept"`
	Reason  string        `json:"reason"`
	Checked string        `json:"checked"` // what it has looked at or run, and what it saw
	Tests   []TestVerdict `json:"tests,omitempty"`
}

// TestVerdict is what it says of a test that was there and is not run any more.
type TestVerdict struct {
	Test   string `json:"test"`
	Accept bool   `json:"accept"`
	Reason string `json:"reason"`
}

// DecodeVerdict reads it. missing are the tests that are not run any more: a
// change that loses one is only accepted with a reason for that very test.
func DecodeVerdict(data []byte, missing []string) (Verdict, error) {
	if len(data) > MaxRecordLine {
		return Verdict{}, fmt.Errorf("read the judgement: it is longer than %d KiB", MaxRecordLine>>10)
	}
	var in struct {
		Accept          *bool
		Reason, Checked string
		Tests           []TestVerdict
	}
	if problem := object(extractObject(data), &in); problem != "" {
		return Verdict{}, fmt.Errorf("read the judgement: %s", problem)
	}
	if in.Accept == nil {
		return Verdict{}, errors.New(`read the judgement: it does not say "accept": true or false`)
	}
	v := Verdict{Accept: *in.Accept, Reason: plain.Line(in.Reason, maxTextRunes), Checked: plain.Line(in.Checked, maxTextRunes)}
	if v.Reason == "" || v.Checked == "" {
		return Verdict{}, errors.New(`read the judgement: it needs a "reason", and in "checked" what was looked at`)
	}
	for _, t := range in.Tests[:min(len(in.Tests), MaxRecords)] {
		v.Tests = append(v.Tests, TestVerdict{plain.Line(t.Test, maxTextRunes), t.Accept, plain.Line(t.Reason, maxTextRunes)})
	}
	if !v.Accept {
		return v, nil
	}
	for _, name := range missing {
		at := slices.IndexFunc(v.Tests, func(t TestVerdict) bool { return t.Test == name })
		switch {
		case at < 0 || v.Tests[at].Reason == "":
			return Verdict{}, fmt.Errorf("read the judgement: it accepts the change, and \"tests\" says nothing of %s", name)
		case !v.Tests[at].Accept:
			return Verdict{}, fmt.Errorf("read the judgement: it accepts the change, and not that %s is gone", name)
		}
	}
	return v, nil
}

// extractObject is the JSON object in an answer: without a fence around it, and
// without the mark of its end.
func extractObject(data []byte) []byte {
	from, to := bytes.IndexByte(data, '{'), bytes.LastIndexByte(data, '}')
	if from < 0 || to < from {
		return nil
	}
	return data[from : to+1]
}

// plainNames are foreign names, each a line.
func plainNames(list []string) []string {
	var names []string
	for _, s := range list {
		if s = plain.Line(s, maxTextRunes); s != "" {
			names = addUnique(names, []string{s})
		}
	}
	return names
}

// object reads a line as a JSON object, or says why it is none.
func object(line []byte, into any) string {
	if len(line) == 0 || line[0] != '{' {
		return "no JSON object"
	}
	var form *json.UnmarshalTypeError
	err := json.Unmarshal(line, into)
	switch {
	case errors.As(err, &form):
		return fmt.Sprintf("its %s may be no %s", strings.ToLower(plain.Line(form.Field, 20)), form.Value)
	case err != nil:
		return "no JSON object that can be read"
	}
	return ""
}

// eachRecord hands on the objects of a file of records.
func eachRecord(r io.Reader, take func([]byte) string) []Refused {
	form := jsonl.Format{Line: MaxRecordLine, MaxLines: MaxRecords, Rest: func(_, last, n int) Refused {
		return Refused{Line: last, Reason: fmt.Sprintf("up to here %d more lines are no records either", n)}
	}}
	return form.Each(r, func(_ int, line []byte) string { return take(line) })
}
