package score

import (
	"fmt"
	"slices"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// Unseen estimates how many distinct claims no seat has found yet.
type Unseen struct {
	Seats    int     `json:"seats"`            // that found any
	Observed int     `json:"observed"`         // distinct claims that count
	Once     int     `json:"once"`             // found by exactly one seat
	Twice    int     `json:"twice"`            // by exactly two
	AtLeast  float64 `json:"at_least"`         // further claims; 0 when there is a reason
	Reason   string  `json:"reason,omitempty"` // why there is no estimate
}

// researchStage is the one in which seats search alone. Later they have read one
// another, and a claim found twice says nothing.
const researchStage = "research"

// Estimate is how many claims are unseen, by the bias-corrected estimator of
// Chao for incidence data (A. Chao, Biometrics 43, 1987, 783-791; corrected
// form as in Chao 2005):
//
//	(m−1)/m · f1·(f1−1) / (2·(f2+1))
//
// where m seats searched, f1 claims were found by one and f2 by two of them.
// It is a lower bound: seats told to look in different places, and claims of
// unequal prominence, leave more unseen. Claims of later stages are left out
// where stages are known; it is best reckoned when the first stage has ended,
// since an entry does not say which seat joined it when.
func estimate(reg claim.Registry, units []claimUnit) *Unseen {
	staged := slices.ContainsFunc(reg.Entries, func(e claim.Entry) bool { return slices.Contains(e.Rounds, researchStage) })
	var u Unseen
	var all []string
	shared := false
	for _, one := range units {
		seats := finders(one, staged)
		if len(seats) == 0 {
			continue
		}
		u.Observed++
		all = append(all, seats...)
		shared = shared || len(seats) > 1
		switch len(seats) {
		case 1:
			u.Once++
		case 2:
			u.Twice++
		}
	}
	slices.Sort(all)
	u.Seats = len(slices.Compact(all))
	switch {
	case u.Observed == 0:
		u.Reason = "no claim was located"
	case u.Seats < 2:
		u.Reason = "only one seat found claims: there is nothing to compare"
	case !shared:
		u.Reason = "no claim was found by two seats: what is unseen has no bound"
	default:
		m, f1, f2 := float64(u.Seats), float64(u.Once), float64(u.Twice)
		u.AtLeast = max(0, hundredths((m-1)/m*f1*(f1-1)/(2*(f2+1)))) // and never -0
	}
	return &u
}

// finders are the seats that found a claim, each once.
func finders(u claimUnit, staged bool) []string {
	var seats []string
	for _, e := range u.members {
		if IsEvidence(e) && (!staged || slices.Contains(e.Rounds, researchStage)) {
			seats = append(seats, e.Seats...)
		}
	}
	slices.Sort(seats)
	return slices.Compact(seats)
}

// String says it to people.
func (u Unseen) String() string {
	if u.Reason != "" {
		return "not estimated: " + u.Reason
	}
	return fmt.Sprintf("at least %.0f more (%d found, %d of them by one seat alone, %d by two)", u.AtLeast, u.Observed, u.Once, u.Twice)
}
