package finding

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/plural"
)

// Batch is the Markdown of what one reviewer has found in one batch, the
// gravest first, and of what was dropped because its code is not in the file.
func Batch(kind string, batch int, list, dropped []Finding) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Batch %d: %s\n\n%s, by %s. %s.\n",
		batch, text(kind, shownName), plural.Forms(len(list), "finding", "findings"), text(ReviewerOf(kind), shownName), bySeverity(list))
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b Finding) int { return graver(&a, &b) })
	for i, f := range sorted {
		fmt.Fprintf(&b, "\n## %d. %s: %s\n\n", i+1, f.Severity, prose(f.Title))
		head(&b, f)
		body(&b, f)
	}
	if len(dropped) > 0 {
		b.WriteString("\n## Dropped\n\nTheir code does not stand in the files, also when asked again.\n\n")
	}
	for _, f := range dropped {
		fmt.Fprintf(&b, "- %s: %s (%s)\n", where(f.File, f.Line, f.EndLine), prose(f.Title), text(f.Reason, shownText))
	}
	return []byte(b.String())
}

// head is what is known of a finding in a few words.
func head(b *strings.Builder, f Finding) {
	fmt.Fprintf(b, "- Where: %s\n", at(f))
	fmt.Fprintf(b, "- Confidence: %s\n", text(f.Confidence, shownName))
	fmt.Fprintf(b, "- Category: %s", text(f.Category, shownName))
	if f.CWE != "" {
		fmt.Fprintf(b, ", %s", text(f.CWE, shownName))
	}
	b.WriteByte('\n')
}

// body is what a finding says.
func body(b *strings.Builder, f Finding) {
	fmt.Fprintf(b, "\n%s\n\n%s\n\n%s\n", paragraphs("What: ", f.Description), paragraphs("Impact: ", f.Impact), paragraphs("Fix: ", f.Fix))
	if strings.TrimSpace(f.Code) == "" {
		return
	}
	b.WriteByte('\n')
	block(b, f.Code, f.File)
}

// at is a finding's place.
func at(f Finding) string {
	place := where(f.File, f.Line, f.EndLine)
	switch f.State {
	case Missing:
		return place + " (the code quoted does not stand there: " + text(f.Reason, shownText) + ")"
	case Unreadable:
		return place + " (the file could not be read: " + text(f.Reason, shownText) + ")"
	}
	return place
}

// where are lines of a file.
func where(file string, from, to int) string {
	if to > from {
		return shown(fmt.Sprintf("%s:%d-%d", file, from, to))
	}
	return shown(fmt.Sprintf("%s:%d", file, from))
}

func bySeverity(list []Finding) string {
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
