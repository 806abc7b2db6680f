package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
)

// Batch is the Markdown of what one reviewer has found in one batch, the
// gravest first, and of what was dropped because its code is not in the file.
func Batch(kind string, batch int, list, dropped []Finding) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Batch %d: %s\n\n%s, by %s. %s.\n",
		batch, escapeText(kind, shownName), plural.Forms(len(list), "finding", "findings"), escapeText(ReviewerOf(kind), shownName), severityCounts(list))
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b Finding) int { return compareGravity(&a, &b) })
	for i, f := range sorted {
		fmt.Fprintf(&b, "\n## %d. %s: %s\n\n", i+1, f.Severity, escapeProse(f.Title))
		writeHeader(&b, f)
		writeBody(&b, f)
	}
	if len(dropped) > 0 {
		b.WriteString("\n## Dropped\n\nTheir code does not stand in the files, also when asked again.\n\n")
	}
	for _, f := range dropped {
		fmt.Fprintf(&b, "- %s: %s (%s)\n", linesText(f.File, f.Line, f.EndLine), escapeProse(f.Title), escapeText(f.Reason, shownText))
	}
	return []byte(b.String())
}

// writeHeader is what is known of a finding in a few words.
func writeHeader(b *strings.Builder, f Finding) {
	fmt.Fprintf(b, "- Where: %s\n", placeText(f))
	fmt.Fprintf(b, "- Confidence: %s\n", escapeText(f.Confidence, shownName))
	fmt.Fprintf(b, "- Category: %s", escapeText(f.Category, shownName))
	if f.CWE != "" {
		fmt.Fprintf(b, ", %s", escapeText(f.CWE, shownName))
	}
	b.WriteByte('\n')
}

// writeBody is what a finding says.
func writeBody(b *strings.Builder, f Finding) {
	fmt.Fprintf(b, "\n%s\n\n%s\n\n%s\n", paragraphs("What: ", f.Description), paragraphs("Impact: ", f.Impact), paragraphs("Fix: ", f.Fix))
	if strings.TrimSpace(f.Code) == "" {
		return
	}
	b.WriteByte('\n')
	writeCode(b, f.Code, f.File)
}

// placeText is a finding's place.
func placeText(f Finding) string {
	place := linesText(f.File, f.Line, f.EndLine)
	switch f.State {
	case Missing:
		return place + " (the code quoted does not stand there: " + escapeText(f.Reason, shownText) + ")"
	case Unreadable:
		return place + " (the file could not be read: " + escapeText(f.Reason, shownText) + ")"
	}
	return place
}

// linesText are lines of a file.
func linesText(file string, from, to int) string {
	if to > from {
		return codeName(fmt.Sprintf("%s:%d-%d", file, from, to))
	}
	return codeName(fmt.Sprintf("%s:%d", file, from))
}

func severityCounts(list []Finding) string {
	count := zeros(Severities())
	for _, f := range list {
		count[f.Severity]++
	}
	var parts []string
	for _, s := range Severities() {
		parts = append(parts, fmt.Sprintf("%s %d", s, count[s]))
	}
	return strings.Join(parts, ", ")
}
