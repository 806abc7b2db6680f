package finding

import (
	"cmp"
	"slices"

	"github.com/research-council/research-council/internal/evidence/trial"
)

// Statuses of a merged finding.
const (
	Open          = "open"
	Confirmed     = "confirmed"      // a checker has borne it out
	Disputed      = "disputed"       // somebody denies it and somebody stands by it
	FalsePositive = "false_positive" // taken out, with the reasons
)

// Merged is one fault, however many say it. The fields of its Finding are
// those of the gravest member whose code was found, but for ID, Severity and
// Confidence.
type Merged struct {
	Finding
	Fingerprint string         `json:"fingerprint"` // of file, kind and code: it outlives a change elsewhere in the file
	Status      string         `json:"status"`
	SeverityBy  string         `json:"severity_by,omitempty"` // the reviewer that says this severity
	Reviewers   []string       `json:"reviewers"`
	Seats       []string       `json:"seats,omitempty"`
	Families    []string       `json:"families,omitempty"`
	Members     []Finding      `json:"members"`             // what was said, the gravest first
	Also        []Place        `json:"also,omitempty"`      // where the same pattern was found, as findings of their own
	AlsoMore    int            `json:"also_more,omitempty"` // places of the pattern beyond those in Also
	Judgements  []Judgement    `json:"judgements,omitempty"`
	Trials      []trial.Record `json:"trials,omitempty"` // what the program has run for those who looked once more
}

// Place is where another finding is.
type Place struct {
	ID   string `json:"id"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// Stands reports whether a finding was not taken out.
func (m Merged) Stands() bool { return m.Status != FalsePositive }

// Merge makes one finding of all that say the same, the gravest first and the
// same in whatever order they come. Time is about linear.
//
// Two findings are of one place when their lines, of one file, overlap or
// touch. They say the same when they are of one place and
//
//   - of the same kind and category; or
//   - of the same CWE; or
//   - their titles mean the same: each half of whose words the other
//     has in title or description, and neither denies what the other
//     says nor has other numbers.
//
// One reviewer's two findings say the same only when they begin on one line
// and are of the same category or title: a reviewer that lists two means two.
// Findings whose code is not in the file are merged with their like alone, so
// that an invention cannot lean on a true finding.
//
// The severity is the highest that a member says whose code was found, for the
// others are no evidence. The confidence is the highest of these, and one step
// more where several reviewers, seats or families have found it each by itself. The
// same fault in several places of a folder is no one finding: each has the
// others' places in Also.
func Merge(list []Finding) []Merged {
	groups := groupSame(list)
	all := make([]Merged, len(groups))
	for i, g := range groups {
		all[i] = mergeGroup(g.members)
	}
	setIDs(all)
	all = sorted(all)
	setSamePlaces(all)
	return all
}

// sorted are findings in the order they are shown in.
func sorted(all []Merged) []Merged {
	order := make([]*Merged, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortFunc(order, compareMerged)
	sorted := make([]Merged, len(all))
	for i, m := range order {
		sorted[i] = *m
	}
	return sorted
}

// compareMerged orders merged findings as they are shown.
func compareMerged(a, b *Merged) int {
	if c := cmp.Or(cmp.Compare(severityRank(a.Severity), severityRank(b.Severity)), cmp.Compare(proof(&a.Finding), proof(&b.Finding)),
		cmp.Compare(confidenceRank(a.Confidence), confidenceRank(b.Confidence)), cmp.Compare(len(b.Members), len(a.Members))); c != 0 {
		return c
	}
	return comparePlaces(&a.Finding, &b.Finding)
}

// mergeGroup makes one finding of those that say the same.
func mergeGroup(list []*Finding) Merged {
	slices.SortFunc(list, compareGravity)
	members := make([]Finding, 0, len(list))
	for i, f := range list {
		if i == 0 || *f != *list[i-1] {
			members = append(members, *f)
		}
	}
	lead := gravestMember(members)
	m := Merged{Finding: *lead, Status: Open, Members: members, SeverityBy: lead.Reviewer}
	for i := range members {
		m.Reviewers = insertUnique(m.Reviewers, members[i].Reviewer)
		m.Seats = insertUnique(m.Seats, members[i].Seat)
		m.Families = insertUnique(m.Families, members[i].Family)
	}
	m.Confidence = jointConfidence(members)
	return m
}

// gravestMember is the gravest of the members whose code was found, if there are any.
func gravestMember(members []Finding) *Finding {
	for i := range members {
		if members[i].IsLocated() {
			return &members[i]
		}
	}
	return &members[0]
}

// jointConfidence is the confidence in what the members say.
func jointConfidence(members []Finding) string {
	best := len(Confidences()) - 1
	var voice *Finding // the first that was found
	several := 0       // 1 when another has found it too
	for i := range members {
		f := &members[i]
		if !f.IsLocated() {
			continue
		}
		best = min(best, confidenceRank(f.Confidence))
		if voice == nil {
			voice = f
		} else if f.Reviewer != voice.Reviewer || f.Seat != voice.Seat || f.Family != voice.Family {
			several = 1
		}
	}
	return Confidences()[max(0, best-several)]
}

// insertUnique is a sorted list with one more word, unless it is empty or there.
func insertUnique(list []string, word string) []string {
	i, there := slices.BinarySearch(list, word)
	if there || word == "" {
		return list
	}
	return slices.Insert(list, i, word)
}
