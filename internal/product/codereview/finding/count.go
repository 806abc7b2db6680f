package finding

import "slices"

// Counts are numbers of merged findings. Every severity, kind, confidence and
// state has its number, be it zero. What was taken out counts in False alone.
type Counts struct {
	Total      int            `json:"total"`
	Disputed   int            `json:"disputed"`
	Confirmed  int            `json:"confirmed"` // by a checker
	False      int            `json:"false_positives"`
	Severity   map[string]int `json:"severity"`
	Kind       map[string]int `json:"kind"`
	Confidence map[string]int `json:"confidence"`
	State      map[string]int `json:"state"`
}

// Count counts merged findings.
func Count(list []Merged) Counts {
	c := Counts{Severity: zeros(Severities()), Kind: zeros(Kinds()), Confidence: zeros(Confidences()), State: zeros(States())}
	for _, m := range list {
		if !m.Stands() {
			c.False++
			continue
		}
		c.Total++
		c.Severity[m.Severity]++
		c.Kind[m.Kind]++
		c.Confidence[m.Confidence]++
		c.State[m.State]++
		switch m.Status {
		case Disputed:
			c.Disputed++
		case Confirmed:
			c.Confirmed++
		}
	}
	return c
}

func zeros(words []string) map[string]int {
	m := map[string]int{}
	for _, w := range words {
		m[w] = 0
	}
	return m
}

// NotDismissed are the findings that were not taken out.
func NotDismissed(list []Merged) []Merged {
	return slices.DeleteFunc(slices.Clone(list), func(m Merged) bool { return !m.Stands() })
}

// Dismissed are the findings that were taken out.
func Dismissed(list []Merged) []Merged { return slices.DeleteFunc(slices.Clone(list), Merged.Stands) }

// Gravest are the first n findings that stand, the gravest first: what a second
// look is worth most at.
func Gravest(list []Merged, n int) []Merged {
	all := sorted(NotDismissed(list))
	return all[:max(0, min(n, len(all)))]
}

// CountAtLeast counts the findings that stand, have their code in the file and are at
// least as grave as a severity; none is as grave as a word that is no severity.
func CountAtLeast(list []Merged, least string) int {
	limit, n := severityRank(least), 0
	if limit == len(Severities()) {
		return 0
	}
	for _, m := range list {
		if m.Stands() && m.State != Missing && severityRank(m.Severity) <= limit {
			n++
		}
	}
	return n
}
