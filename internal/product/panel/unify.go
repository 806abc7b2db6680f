package panel

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
)

// RevisionPoint is one thing to mend, as one or several reviewers want it.
type RevisionPoint struct {
	Section   string   `json:"section"` // the part of the report; "" for the whole
	Claims    []string `json:"claims,omitempty"`
	Issues    []string `json:"issues"`
	Fixes     []string `json:"fixes,omitempty"`
	Severity  string   `json:"severity,omitempty"` // the gravest that was said
	Reviewers int      `json:"reviewers"`          // who name it
}

// rank is how grave a severity is; 0 for none that is known.
func rank(severity string) int {
	switch grade(severity) {
	case Critical:
		return 3
	case Major:
		return 2
	case Minor:
		return 1
	}
	return 0
}

// comparedIssue is an issue as it is compared: all that say the same of the same
// claims in the same part of the report.
type comparedIssue struct {
	part      string // the section's key
	sections  []string
	text      string
	fixes     []string
	claims    []string
	severity  string
	reviewers []int

	words    []string       // of content, sorted, each once
	deciding [][]string     // words that decide what it says, by [decidingKinds], sorted, each once
	denies   bool           // it denies
	seen     *comparedIssue // the last one it was compared with
}

// mergeIssues makes the issues of the votes that count points, none of which is
// lost: the gravest first, then what most reviewers name, then by section.
func mergeIssues(votes []reviewerVote) []RevisionPoint {
	points := []RevisionPoint{}
	for _, part := range parts(collectIssues(votes)) {
		for _, group := range groupIssues(part) {
			points = append(points, point(group))
		}
	}
	slices.SortFunc(points, func(a, b RevisionPoint) int {
		return cmp.Or(
			rank(b.Severity)-rank(a.Severity), b.Reviewers-a.Reviewers, cmp.Compare(a.Section, b.Section),
			slices.Compare(a.Issues, b.Issues), slices.Compare(a.Claims, b.Claims),
		)
	})
	return points
}

// collectIssues reads the issues, those that are the same as one.
func collectIssues(votes []reviewerVote) []*comparedIssue {
	same := map[string]*comparedIssue{}
	var list []*comparedIssue
	for reviewer, v := range votes {
		if v.review == nil {
			continue
		}
		for _, is := range v.review.Issues {
			text := cmp.Or(plainLine(is.Issue), plainLine(is.Fix))
			if text == "" {
				continue
			}
			claims := claimsOf(is)
			k := strings.Join(append([]string{sectionKey(is.Section), compareKey(text)}, claims...), "\x00")
			r := same[k]
			if r == nil {
				r = &comparedIssue{part: sectionKey(is.Section), text: text, claims: claims}
				same[k] = r
				list = append(list, r)
			}
			r.add(is, reviewer)
		}
	}
	return list
}

func (r *comparedIssue) add(is Issue, reviewer int) {
	r.sections = append(r.sections, plainLine(is.Section))
	if text, fix := plainLine(is.Issue), plainLine(is.Fix); text != "" {
		r.text = min(r.text, text) // of two spellings the same one, whoever came first
		if fix != "" {
			r.fixes = append(r.fixes, fix)
		}
	}
	if rank(is.Severity) > rank(r.severity) {
		r.severity = grade(is.Severity)
	}
	if !slices.Contains(r.reviewers, reviewer) {
		r.reviewers = append(r.reviewers, reviewer)
	}
}

// compareKey is the same for texts that differ in case and white space alone.
func compareKey(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// parts are the issues of each part of the report, all in an order of their
// own.
func parts(list []*comparedIssue) [][]*comparedIssue {
	slices.SortFunc(list, func(a, b *comparedIssue) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.text, b.text), slices.Compare(a.claims, b.claims))
	})
	var parts [][]*comparedIssue
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(r *comparedIssue) bool { return r.part != list[0].part })
		if n < 0 {
			n = len(list)
		}
		parts, list = append(parts, list[:n]), list[n:]
	}
	return parts
}

func point(group []*comparedIssue) RevisionPoint {
	slices.SortFunc(group, func(a, b *comparedIssue) int {
		return cmp.Or(rank(b.severity)-rank(a.severity), cmp.Compare(a.text, b.text), slices.Compare(a.claims, b.claims))
	})
	p := RevisionPoint{Severity: group[0].severity}
	var sections []string
	var reviewers []int
	seen := map[string]bool{}
	for _, r := range group {
		if !seen["issue"+compareKey(r.text)] {
			p.Issues = append(p.Issues, r.text)
		}
		seen["issue"+compareKey(r.text)] = true
		slices.Sort(r.fixes)
		for _, fix := range r.fixes {
			if !seen["fix"+compareKey(fix)] {
				p.Fixes = append(p.Fixes, fix)
			}
			seen["fix"+compareKey(fix)] = true
		}
		p.Claims = append(p.Claims, r.claims...)
		sections = append(sections, r.sections...)
		reviewers = append(reviewers, r.reviewers...)
	}
	p.Claims = ids(p.Claims)
	slices.SortFunc(sections, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) })
	p.Section = sections[0]
	slices.Sort(reviewers)
	p.Reviewers = len(slices.Compact(reviewers))
	return p
}

// claimsOf are the claims an issue names, in its list or in its words.
func claimsOf(is Issue) []string {
	var list []string
	for _, s := range is.Claims {
		list = append(list, mentioned(s)...)
	}
	return ids(append(list, mentioned(is.Issue)...))
}

// mentioned are the ids of claims in a text: C1, [C2], c3.
func mentioned(s string) []string {
	var list []string
	for _, w := range words.Tokens(s) {
		if n := claimNumber(w); n > 0 {
			list = append(list, "C"+strconv.Itoa(n))
		}
	}
	return list
}

// claimNumber is the number of a claim's id, 0 for what is none.
func claimNumber(word string) int {
	if len(word) < 2 || len(word) > 8 || word[0] != 'C' && word[0] != 'c' || word[1] < '1' || word[1] > '9' {
		return 0
	}
	n, err := strconv.Atoi(word[1:])
	if err != nil {
		return 0
	}
	return n
}

// ids are sorted by their numbers, each once.
func ids(list []string) []string {
	slices.SortFunc(list, func(a, b string) int { return claimNumber(a) - claimNumber(b) })
	return slices.Compact(list)
}
