package runs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/reviewwork"
)

// FindingsLine is how many findings there are, in one line.
func FindingsLine(done reviewwork.Reviewed) string {
	if done.Files == 0 {
		return "nothing was reviewed: " + cmp.Or(done.Reason, "there was no source file to review")
	}
	var parts []string
	for _, severity := range finding.Severities() {
		parts = append(parts, fmt.Sprintf("%d %s", done.Counts.Severity[severity], severity))
	}
	text := plural.Forms(done.Counts.Total, "finding", "findings") + ": " + strings.Join(parts, ", ")
	outside := 0
	for _, n := range done.Outside {
		outside += n
	}
	if outside > 0 {
		text += fmt.Sprintf("; %d more outside of what was reviewed", outside)
	}
	if n := len(done.Unseen); n > 0 {
		text += "; " + plural.Forms(n, "part", "parts") + " of the code not seen by every reviewer"
	}
	if n := len(done.Unread); n > 0 {
		text += "; " + plural.Forms(n, "file", "files") + " that may be code read by nobody"
	}
	return text
}

// SkippedText names the files that no reviewer was given, a line each where they
// may be code and one for each other reason.
func SkippedText(done reviewwork.Reviewed) string {
	var b strings.Builder
	few := func(names []string, all int) string {
		names = names[:min(len(names), maxNamedFiles)]
		if more := all - len(names); more > 0 {
			names = append(slices.Clone(names), fmt.Sprintf("and %d more", more))
		}
		return strings.Join(names, ", ")
	}
	if len(done.Deleted) > 0 {
		fmt.Fprintf(&b, "deleted: %s\n", few(done.Deleted, len(done.Deleted)))
	}
	for _, reason := range slices.Sorted(maps.Keys(done.LeftOut)) {
		var names []string
		for _, s := range done.Skipped {
			if s.Reason == reason {
				names = append(names, s.File)
			}
		}
		fmt.Fprintf(&b, "left out, %s, %s: %s\n", reason, plural.Forms(done.LeftOut[reason], "file", "files"), few(names, done.LeftOut[reason]))
	}
	if n := len(done.Unread); n > 0 {
		fmt.Fprintf(&b, "%s may be code, and nobody has read %s; --allow-unread names what needs no reading:\n", plural.Forms(n, "file that was left out", "files that were left out"), finding.ItOrThem(n))
		for _, s := range done.Unread[:min(n, maxNamedFiles)] {
			fmt.Fprintf(&b, "  %s: %s\n", s.File, strings.TrimSuffix(s.Reason+", "+s.Why, ", "))
		}
		if n > maxNamedFiles {
			fmt.Fprintf(&b, "  and %d more\n", n-maxNamedFiles)
		}
	}
	return b.String()
}

// maxNamedFiles bounds the names of one sort that the terminal is told.
const maxNamedFiles = 10
