package panel

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/markdown"
)

// RevisionBrief is the points for the synthesis that follows, in Markdown. All that
// reviewers wrote is quoted line by line, so that none of it can pass for a
// heading.
func (r Result) RevisionBrief() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What the reviewers want mended\n\nVerdict: %s. %s.\n", r.FinalVerdict, r.Reason)
	if len(r.Points) == 0 {
		b.WriteString("\nNo reviewer has named an issue.\n")
	}
	for i, p := range r.Points {
		fmt.Fprintf(&b, "\n## Point %d\n\nSeverity: %s. Reviewers who name it: %d.\n", i+1, cmp.Or(p.Severity, "not said"), p.Reviewers)
		if len(p.Claims) > 0 {
			fmt.Fprintf(&b, "Claims: %s.\n", strings.Join(p.Claims, ", "))
		}
		quotation(&b, "Part of the report", p.Section)
		quotation(&b, "What is wrong", p.Issues...)
		quotation(&b, "What would mend it", p.Fixes...)
	}
	return b.String()
}

// quotation writes foreign texts below a label, a line each, if there are any.
func quotation(b *strings.Builder, label string, texts ...string) {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return plainLine(s) == "" })
	if len(texts) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n\n", label)
	for _, s := range texts {
		fmt.Fprintf(b, "> - %s\n", leading(plainLine(s)))
	}
}

// leading escapes what at the beginning of a line makes more than text of it.
func leading(s string) string {
	if s != "" && strings.IndexByte("#>-+=*_~`|<[:\\", s[0]) >= 0 {
		return `\` + s
	}
	return escapeNumbering(s)
}

// OtherReviews is what a reviewer is shown of the others before it reviews once
// more: their first reviews as quoted data, without seat, family or model.
// Reviewer A, B, … are in an order of what they wrote, which tells nothing of
// who they are.
func OtherReviews(own string, opinions []Opinion) string {
	var reviews []*Review
	for _, o := range opinions {
		if o.Agent != own && voteProblem(o.First) == "" {
			reviews = append(reviews, o.First)
		}
	}
	slices.SortFunc(reviews, func(a, b *Review) int { return cmp.Compare(a.digest(), b.digest()) })
	var b strings.Builder
	b.WriteString("# What the other reviewers wrote\n")
	if len(reviews) == 0 {
		b.WriteString("\nNo other review has come.\n")
	}
	for i, r := range reviews {
		fmt.Fprintf(&b, "\n## Reviewer %s\n\nVerdict: %s.\n", letter(i), r.Verdict)
		r.quoted(&b)
	}
	return b.String()
}

func (r *Review) digest() string {
	sum := sha256.Sum256([]byte(r.canonical()))
	return string(sum[:])
}

// letter is A, B, …, Z, A2, B2, …
func letter(i int) string {
	s := string(rune('A' + i%26))
	if i >= 26 {
		s += strconv.Itoa(i/26 + 1)
	}
	return s
}

func (r *Review) quoted(b *strings.Builder) {
	var scores, issues []string
	for _, name := range criteria(r.Scores) {
		scores = append(scores, fmt.Sprintf("%s: %s", name, number(r.Scores[name])))
	}
	for _, is := range r.Issues {
		issues = append(issues, is.sentence())
	}
	quotation(b, "Scores from 0 to 10", scores...)
	quotation(b, "Summary", r.Summary)
	quotation(b, "Strengths", r.Strengths...)
	quotation(b, "Issues", issues...)
}

// sentence is an issue on one line.
func (is Issue) sentence() string {
	s := plainLine(is.Issue)
	if part := plainLine(is.Section); part != "" {
		s = part + ": " + s
	}
	if severity := plainLine(is.Severity); severity != "" {
		s = "(" + severity + ") " + s
	}
	if claims := claimsOf(is); len(claims) > 0 {
		s += " [" + strings.Join(claims, ", ") + "]"
	}
	if fix := plainLine(is.Fix); fix != "" {
		s += " Fix: " + fix
	}
	return s
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Markdown is what stands in the final report under its heading on the review,
// without that heading. Foreign text is escaped to the last mark.
func (r Result) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.headline())
	fmt.Fprintf(&b, "- Verdict: %s\n", escaped(r.FinalVerdict))
	fmt.Fprintf(&b, "- How it came about: %s\n", escaped(r.Reason))
	fmt.Fprintf(&b, "- Agreement: %.0f %% of the valid votes agree with the verdict\n", 100*r.ConsensusScore)
	fmt.Fprintf(&b, "- Valid votes: %d of %d reviewers; %s\n", r.Valid, r.Asked, r.familiesText())
	fmt.Fprintf(&b, "- Mean score: %s (the bar is %.1f)\n", r.meanText(), MinMeanScore)
	fmt.Fprintf(&b, "- Confidence: %s\n", escaped(r.Confidence))
	r.votes(&b)
	r.open(&b)
	return b.String()
}

// meanText is the mean score, rounded down: 6.96 is under the bar of 7.
func (r Result) meanText() string {
	if !slices.ContainsFunc(r.ModelScores, func(m ModelScore) bool { return len(m.Scores) > 0 }) {
		return "none was given"
	}
	return strconv.FormatFloat(math.Floor(10*r.MeanScore)/10, 'f', 1, 64)
}

func (r Result) headline() string {
	switch r.FinalVerdict {
	case Approved:
		return "The reviewers have approved this report."
	case Rejected:
		return "**Not approved.** The reviewers have rejected this report."
	case Unverified:
		return "**Not approved.** The reviewers' votes approve this report, and nothing it rests on is verified."
	case NeedsRevision:
		if len(r.Blocked) > 0 {
			return "**Not approved.** Two thirds of the reviewers approve this report, and something stands against it."
		}
		return "**Not approved.** The reviewers want this report revised."
	}
	return "**Not approved.** There were too few valid reviews for a verdict."
}

func (r Result) familiesText() string {
	if len(r.Families) == 0 {
		return "of no known family"
	}
	names := make([]string, len(r.Families))
	for i, f := range r.Families {
		names[i] = escaped(f)
	}
	if r.SingleFamily {
		return "single family: " + names[0]
	}
	return fmt.Sprintf("%d families: %s", len(names), strings.Join(names, ", "))
}

func (r Result) votes(b *strings.Builder) {
	if len(r.ModelScores) == 0 {
		return
	}
	b.WriteString("\n| Reviewer | Family | Model | Alone | In the end | Mean score | Remarks |\n|---|---|---|---|---|---|---|\n")
	for _, v := range r.ModelScores {
		score := ""
		if len(v.Scores) > 0 {
			score = strconv.FormatFloat(v.Mean, 'f', 1, 64)
		}
		for _, cell := range []string{cmp.Or(v.Agent, v.Seat), v.Family, v.Model, v.First, v.Verdict, score, v.Reason} {
			fmt.Fprintf(b, "| %s ", cmp.Or(escaped(cell), "–"))
		}
		b.WriteString("|\n")
	}
}

// open writes what reviewers want mended.
func (r Result) open(b *strings.Builder) {
	if len(r.Points) == 0 {
		b.WriteString("\nNo reviewer has named anything that is open.\n")
		return
	}
	b.WriteString("\nWhat the reviewers leave open:\n\n")
	for _, p := range r.Points {
		part := cmp.Or(escaped(p.Section), "the whole report")
		fmt.Fprintf(b, "- %s (%s, %s", part, cmp.Or(escaped(p.Severity), "severity not said"), reviewers(p.Reviewers))
		if len(p.Claims) > 0 {
			fmt.Fprintf(b, ", on %s", escaped(strings.Join(p.Claims, ", ")))
		}
		b.WriteString(")\n")
		for _, s := range p.Issues {
			fmt.Fprintf(b, "  - %s\n", escaped(s))
		}
	}
}

func reviewers(n int) string {
	if n == 1 {
		return "1 reviewer"
	}
	return strconv.Itoa(n) + " reviewers"
}

// escaped is foreign text on one line of Markdown, which it may begin.
func escaped(s string) string { return markdown.Escape(plainLine(s), true) }

// escapeNumbering escapes what would begin a numbered list.
func escapeNumbering(s string) string {
	rest := strings.TrimLeft(s, "0123456789")
	at := len(s) - len(rest)
	if at == 0 || rest == "" || rest[0] != '.' && rest[0] != ')' || len(rest) > 1 && rest[1] != ' ' {
		return s
	}
	return s[:at] + `\` + rest
}
