package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/trial"
)

// Tried enters trials into the findings they were made for.
func Tried(list []Merged, trials []trial.Record) []Merged {
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
func tried(t trial.Record) string {
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

// commandOf is the command as code in a line.
func commandOf(t trial.Record) string { return codeName(trial.CommandLine(t.Command)) }

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
