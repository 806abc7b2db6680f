package finding

import (
	"fmt"
	"slices"
	"strings"
)

// Batch is the Markdown of what one reviewer has found in one batch, the
// gravest first, and of what was dropped because its code is not in the file.
func Batch(kind string, batch int, list, dropped []Finding) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Batch %d: %s\n\n", batch, text(kind, shownName))
	fmt.Fprintf(&b, "%s, by %s. %s.\n", number1(len(list), "finding"), text(ReviewerOf(kind), shownName), bySeverity(list))
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b Finding) int { return graver(&a, &b) })
	for i, f := range sorted {
		fmt.Fprintf(&b, "\n## %d. %s: %s\n\n", i+1, f.Severity, text(f.Title, shownTitle))
		head(&b, f)
		body(&b, f)
	}
	if len(dropped) > 0 {
		b.WriteString("\n## Dropped\n\nTheir code does not stand in the files, also when asked again.\n\n")
	}
	for _, f := range dropped {
		fmt.Fprintf(&b, "- %s (%s): %s\n", text(f.Title, shownTitle), at(f), text(f.Reason, shownText))
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
	fmt.Fprintf(b, "\nWhat: %s\n\nImpact: %s\n\nFix: %s\n", said(f.Description), said(f.Impact), said(f.Fix))
	if strings.TrimSpace(f.Code) == "" {
		return
	}
	b.WriteByte('\n')
	block(b, f.Code, f.File)
}

func said(s string) string {
	if s = prose(s); strings.TrimSpace(s) != "" {
		return s
	}
	return "not said"
}

// at is a finding's place.
func at(f Finding) string {
	place := shown(fmt.Sprintf("%s:%d", f.File, f.Line))
	if f.EndLine > f.Line {
		place = shown(fmt.Sprintf("%s:%d-%d", f.File, f.Line, f.EndLine))
	}
	switch f.State {
	case Missing, Unreadable:
		return place + " (not found there: " + text(f.Reason, shownText) + ")"
	case Moved:
		return place + " (" + text(f.Reason, shownText) + ")"
	}
	return place
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

func number1(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
