package finding

import (
	"cmp"
	"slices"
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
	Fingerprint string      `json:"fingerprint"` // of file, kind and code: it outlives a change elsewhere in the file
	Status      string      `json:"status"`
	SeverityBy  string      `json:"severity_by,omitempty"` // the reviewer that says this severity
	Reviewers   []string    `json:"reviewers"`
	Seats       []string    `json:"seats,omitempty"`
	Families    []string    `json:"families,omitempty"`
	Members     []Finding   `json:"members"`             // what was said, the gravest first
	Also        []Place     `json:"also,omitempty"`      // where the same pattern was found, as findings of their own
	AlsoMore    int         `json:"also_more,omitempty"` // places of the pattern beyond those in Also
	Judgements  []Judgement `json:"judgements,omitempty"`
	Trials      []Trial     `json:"trials,omitempty"` // what the program has run for those who looked once more
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
	groups := gather(list)
	all := make([]Merged, len(groups))
	for i, g := range groups {
		all[i] = join(g.members)
	}
	name(all)
	all = arranged(all)
	point(all)
	return all
}

// arranged are findings in the order they are shown in.
func arranged(all []Merged) []Merged {
	order := make([]*Merged, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortFunc(order, worse)
	sorted := make([]Merged, len(all))
	for i, m := range order {
		sorted[i] = *m
	}
	return sorted
}

// worse orders merged findings as they are shown.
func worse(a, b *Merged) int {
	if c := cmp.Or(cmp.Compare(gravity(a.Severity), gravity(b.Severity)), cmp.Compare(proof(&a.Finding), proof(&b.Finding)),
		cmp.Compare(doubt(a.Confidence), doubt(b.Confidence)), cmp.Compare(len(b.Members), len(a.Members))); c != 0 {
		return c
	}
	return earlier(&a.Finding, &b.Finding)
}

// join makes one finding of those that say the same.
func join(list []*Finding) Merged {
	slices.SortFunc(list, graver)
	members := make([]Finding, 0, len(list))
	for i, f := range list {
		if i == 0 || *f != *list[i-1] {
			members = append(members, *f)
		}
	}
	lead := leader(members)
	m := Merged{Finding: *lead, Status: Open, Members: members, SeverityBy: lead.Reviewer}
	for i := range members {
		m.Reviewers = with(m.Reviewers, members[i].Reviewer)
		m.Seats = with(m.Seats, members[i].Seat)
		m.Families = with(m.Families, members[i].Family)
	}
	m.Confidence = sureness(members)
	return m
}

// leader is the gravest of the members whose code was found, if there are any.
func leader(members []Finding) *Finding {
	for i := range members {
		if members[i].Found() {
			return &members[i]
		}
	}
	return &members[0]
}

// sureness is the confidence in what the members say.
func sureness(members []Finding) string {
	best := len(Confidences()) - 1
	var voice *Finding // the first that was found
	several := 0       // 1 when another has found it too
	for i := range members {
		f := &members[i]
		if !f.Found() {
			continue
		}
		best = min(best, doubt(f.Confidence))
		if voice == nil {
			voice = f
		} else if f.Reviewer != voice.Reviewer || f.Seat != voice.Seat || f.Family != voice.Family {
			several = 1
		}
	}
	return Confidences()[max(0, best-several)]
}

// with is a sorted list with one more word, unless it is empty or there.
func with(list []string, word string) []string {
	i, there := slices.BinarySearch(list, word)
	if there || word == "" {
		return list
	}
	return slices.Insert(list, i, word)
}
