// Package trial is a command that was run to see whether a finding in code is
// true, as the program has recorded it: no reviewer writes it. Who runs it, and
// what it says of a finding, is left to others.
package trial

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/jsonl"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// Names in a run's folder.
const (
	ChecksFile = "checks.json"    // who looks at what once more
	CopyList   = "copy-files.txt" // the files that are copied for them to try findings out
)

// RecordsFile is the file, from the run's folder, of what the program has run
// for a seat's second look.
func RecordsFile(seat string) string { return claim.Records + "/" + seat + ".trials.jsonl" }

// Record is one run, on a copy of the code.
type Record struct {
	Finding string    `json:"finding"` // id of the merged finding
	Seat    string    `json:"seat"`
	Command []string  `json:"command"`
	Files   []File    `json:"files,omitempty"` // laid into the copy before
	Exit    int       `json:"exit"`
	Cut     string    `json:"cut,omitempty"`   // why it did not come to its own end; "" where it did
	Tests   string    `json:"tests,omitempty"` // how many came out how, where a runner has told
	Seconds float64   `json:"seconds"`
	Tail    string    `json:"tail"` // the end of what it said
	At      time.Time `json:"at"`
}

// File is a file that was added to the copy or replaced in it.
type File struct {
	Path   string `json:"path"` // slash-separated, from the top of the code
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
}

// CommandLine is a command as people read it, its words quoted where a shell would
// want it.
func CommandLine(command []string) string {
	quoted := make([]string, len(command))
	for i, w := range command {
		if quoted[i] = w; w == "" || strings.ContainsAny(w, " \t\n'\"`$\\|&;<>()*?[]{}~#!") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// Most bounds the trials of one seat.
const Most = 40

// Decode reads records of trials, one JSON object a line. What is none is
// passed over: a line may have been cut short.
func Decode(r io.Reader) []Record {
	var list []Record
	const line, file = 1 << 20, 64 << 20 // bytes
	jsonl.Format{Line: line, File: file}.Each(r, func(_ int, data []byte) string {
		var t Record
		if json.Unmarshal(data, &t) == nil && t.Finding != "" && len(t.Command) > 0 && len(list) < Most {
			list = append(list, t)
		}
		return ""
	})
	return list
}
