// Package finding holds what reviewers of code say is wrong with it, and makes
// one list of it.
//
// Five reviewers read the same files, each for one kind of fault. Decode takes
// what one of them wrote, Locate looks its quotation up in the file, Merge
// makes one finding of what several say of one place, Apply enters what a
// synthesizer and a checker of another family say of the merged ones, Batch
// and Report write Markdown, Count and Worse count.
//
// What a reviewer says of its own finding decides nothing: only a quotation
// that the program found in the file is located. More reviewers make a finding
// surer, never graver. Nothing disappears: what is a false positive or a
// duplicate is kept with its reason.
//
// Texts, names and code of a finding are foreign. Which files exist, and
// reading them, is left to others.
package finding

import (
	"cmp"
	"slices"
)

// Kinds of findings, one for each reviewer.
const (
	Bugs        = "bugs"
	Security    = "security"
	Errors      = "errors"
	Performance = "performance"
	Stack       = "stack" // how the languages, libraries and build are used
)

// Severities, the gravest first.
const (
	Critical = "critical"
	Serious  = "high"
	Moderate = "medium"
	Minor    = "low"
	Info     = "info"
)

// How sure a reviewer is.
const (
	High   = "High"
	Medium = "Medium"
	Low    = "Low"
)

// What came of looking a quotation up.
const (
	Located    = "located"    // it stands where it was said to stand
	Moved      = "moved"      // it stands elsewhere in the file; the line is corrected
	Missing    = "missing"    // it does not stand in the file
	Unreadable = "unreadable" // the file could not be read
)

// Finding is one fault that one reviewer says is in the code.
type Finding struct {
	ID          string `json:"id,omitempty"` // unique among one reviewer's findings of one batch
	Kind        string `json:"kind"`
	Severity    string `json:"severity"`
	Confidence  string `json:"confidence"`
	File        string `json:"file"` // slash path from the root of the repository
	Line        int    `json:"line"` // from 1
	EndLine     int    `json:"end_line,omitempty"`
	Category    string `json:"category"` // a short slug, such as "nil-dereference"
	Title       string `json:"title"`
	Description string `json:"description"`
	Impact      string `json:"impact,omitempty"`
	Fix         string `json:"fix,omitempty"`
	Code        string `json:"code,omitempty"` // whole lines as they stand in the file
	CWE         string `json:"cwe,omitempty"`  // such as "CWE-79"

	// What follows is filled in by the program.

	Reviewer string `json:"reviewer,omitempty"`
	Seat     string `json:"seat,omitempty"`
	Family   string `json:"family,omitempty"`
	Batch    int    `json:"batch,omitempty"`
	State    string `json:"state,omitempty"`  // "" before it was looked for
	Reason   string `json:"reason,omitempty"` // for the state, where there is one
}

// IsLocated reports whether the finding's quotation stands in its file.
func (f *Finding) IsLocated() bool { return f.State == Located || f.State == Moved }

// Author is who wrote a file of findings.
type Author struct {
	Reviewer, Seat, Family string
	Batch                  int
}

// Kinds are the kinds of findings in the order they are shown in.
func Kinds() []string { return []string{Bugs, Security, Errors, Performance, Stack} }

// Reviewers are the names of the five reviewing agents, in the order of Kinds.
func Reviewers() []string {
	return []string{"bug-hunter", "security-auditor", "error-inspector", "performance-detector", "stack-reviewer"}
}

// KindOf is the kind of findings a reviewer looks for; "" for who is none.
func KindOf(reviewer string) string {
	if i := slices.Index(Reviewers(), reviewer); i >= 0 {
		return Kinds()[i]
	}
	return ""
}

// ReviewerOf is who looks for a kind of findings; "" for what is no kind.
func ReviewerOf(kind string) string {
	if i := slices.Index(Kinds(), kind); i >= 0 {
		return Reviewers()[i]
	}
	return ""
}

// FileOf is the name of the file that a batch's findings of a kind are shown
// in; "" for what is no kind.
func FileOf(kind string) string {
	if ReviewerOf(kind) == "" {
		return ""
	}
	return kind + ".md"
}

// Severities are all severities, the gravest first.
func Severities() []string { return []string{Critical, Serious, Moderate, Minor, Info} }

// Confidences are all confidences, the surest first.
func Confidences() []string { return []string{High, Medium, Low} }

// States are all states of a finding that was looked for, the surest first.
func States() []string { return []string{Located, Moved, Missing, Unreadable} }

// indexIn is the place of a word in a list, beyond its end for one that is not in
// it.
func indexIn(list []string, word string) int {
	if i := slices.Index(list, word); i >= 0 {
		return i
	}
	return len(list)
}

// severityRank is the place of a severity among Severities.
func severityRank(severity string) int {
	switch severity {
	case Critical:
		return 0
	case Serious:
		return 1
	case Moderate:
		return 2
	case Minor:
		return 3
	case Info:
		return 4
	}
	return 5
}

// confidenceRank is the place of a confidence among Confidences.
func confidenceRank(confidence string) int {
	switch confidence {
	case High:
		return 0
	case Medium:
		return 1
	case Low:
		return 2
	}
	return 3
}

// compareGravity orders findings by how grave, how well proven and how sure they are,
// and then by place and by every other field: two findings are equal in it
// only if they are the same.
func compareGravity(a, b *Finding) int {
	if c := cmp.Compare(severityRank(a.Severity), severityRank(b.Severity)); c != 0 {
		return c
	}
	if a.IsLocated() != b.IsLocated() {
		return cmp.Compare(proof(a), proof(b))
	}
	if c := cmp.Compare(confidenceRank(a.Confidence), confidenceRank(b.Confidence)); c != 0 {
		return c
	}
	return comparePlaces(a, b)
}

// proof is 0 for a finding whose code was found and 1 for any other.
func proof(f *Finding) int {
	if f.IsLocated() {
		return 0
	}
	return 1
}

// comparePlaces orders findings by place, and then by every other field.
func comparePlaces(a, b *Finding) int {
	if a.File != b.File {
		return cmp.Compare(a.File, b.File)
	}
	if c := cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.EndLine, b.EndLine)); c != 0 {
		return c
	}
	if c := cmp.Or(cmp.Compare(indexIn(Kinds(), a.Kind), indexIn(Kinds(), b.Kind)), cmp.Compare(a.Batch, b.Batch)); c != 0 {
		return c
	}
	words := func(f *Finding) []string {
		return []string{
			f.Category, f.Reviewer, f.Seat, f.ID, f.Title, f.Description, f.Severity, f.Confidence, f.Code,
			f.CWE, f.Impact, f.Fix, f.Family, f.State, f.Reason, f.Kind,
		}
	}
	return slices.Compare(words(a), words(b))
}
