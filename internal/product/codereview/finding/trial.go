package finding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"research-council/internal/base/jsonl"
)

// Trial is a command that a second look has had the program run on a copy of
// the code, to see whether a finding is true. It is the program's own record:
// no reviewer writes it.
type Trial struct {
	Finding string    `json:"finding"` // id of the merged finding
	Seat    string    `json:"seat"`
	Command []string  `json:"command"`
	Files   []Added   `json:"files,omitempty"` // laid into the copy before
	Exit    int       `json:"exit"`
	Cut     string    `json:"cut,omitempty"`   // why it did not come to its own end; "" where it did
	Tests   string    `json:"tests,omitempty"` // how many came out how, where a runner has told
	Seconds float64   `json:"seconds"`
	Tail    string    `json:"tail"` // the end of what it said
	At      time.Time `json:"at"`
}

// Added is a file that was added to the copy or replaced in it.
type Added struct {
	Path   string `json:"path"` // slash-separated, from the top of the code
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
}

// MostTrials bounds the trials of one seat.
const MostTrials = 40

// DecodeTrials reads records of trials, one JSON object a line. What is none is
// passed over: a line may have been cut short.
func DecodeTrials(r io.Reader) []Trial {
	var list []Trial
	const line, file = 1 << 20, 64 << 20 // bytes
	jsonl.Format{Line: line, File: file}.Each(r, func(_ int, data []byte) string {
		var t Trial
		if json.Unmarshal(data, &t) == nil && t.Finding != "" && len(t.Command) > 0 && len(list) < MostTrials {
			list = append(list, t)
		}
		return ""
	})
	return list
}

// Tried enters trials into the findings they were made for.
func Tried(list []Merged, trials []Trial) []Merged {
	list = slices.Clone(list)
	for i := range list {
		for _, t := range trials {
			if t.Finding == list[i].ID {
				list[i].Trials = append(list[i].Trials[:len(list[i].Trials):len(list[i].Trials)], t)
			}
		}
	}
	return list
}

// tried tells of a trial in a line.
func tried(t Trial) string {
	end := fmt.Sprintf("ended with %d", t.Exit)
	if t.Cut != "" {
		end = escapeText(t.Cut, shownName)
	}
	line := fmt.Sprintf("Run by the program for %s: %s, %s after %.1f s", escapeText(cmp.Or(t.Seat, "somebody"), shownName), commandOf(t), end, t.Seconds)
	if t.Tests != "" {
		line += ", " + escapeText(t.Tests, shownName)
	}
	for _, f := range t.Files {
		line += fmt.Sprintf("; with %s (SHA-256 %s)", codeName(f.Path), escapeText(f.SHA256[:min(len(f.SHA256), 12)], shownName))
	}
	return line
}

// commandOf is the command as code in a line, its words quoted where a shell
// would want it.
func commandOf(t Trial) string {
	words := slices.Clone(t.Command)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"`$\\|&;<>()*?[]{}~#!") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return codeName(strings.Join(words, " "))
}

// mostShown bounds the trials of a finding whose output is shown.
const mostShown = 3

// outputs shows what trials of a finding have said.
func outputs(b *strings.Builder, m Merged) {
	for _, t := range m.Trials[max(0, len(m.Trials)-mostShown):] {
		if strings.TrimSpace(t.Tail) == "" {
			continue
		}
		fmt.Fprintf(b, "\nWhat %s said at its end:\n\n", commandOf(t))
		writeCode(b, t.Tail, "")
	}
}
