package claim

import (
	"fmt"
	"slices"

	"github.com/research-council/research-council/internal/base/plain"
)

// Withdrawal is a seat's word that it no longer makes a claim. It is final: who would
// claim the same again has to say what is different.
type Withdrawal struct {
	Seat       string `json:"seat"`
	Reason     string `json:"reason"`
	ReplacedBy string `json:"replaced_by,omitempty"` // the id of a claim of the seat that says what holds instead
}

// maxReason bounds why a claim is withdrawn, in runes.
const maxReason = 400

// withdrawal reads a line that withdraws a claim instead of making one.
func (w claimLine) withdrawal() (Draft, string) {
	var d Draft
	if problem := decodeField("withdraws", w.Withdraws, &d.Withdraws); problem != "" {
		return Draft{}, problem
	}
	if problem := decodeField("reason", w.Reason, &d.Reason); problem != "" {
		return Draft{}, problem
	}
	if problem := decodeField("replaced_by", w.ReplacedBy, &d.ReplacedBy); problem != "" {
		return Draft{}, problem
	}
	d.Withdraws, d.ReplacedBy, d.Reason = claimName(d.Withdraws), claimName(d.ReplacedBy), plain.Line(d.Reason, maxReason)
	switch {
	case len(w.Text)+len(w.Claim) > 0:
		return Draft{}, "a line makes a claim or withdraws one, not both"
	case d.Withdraws == "":
		return Draft{}, "it withdraws a claim without its id"
	case d.Reason == "":
		return Draft{}, "it gives no reason for withdrawing " + d.Withdraws
	case d.ReplacedBy == d.Withdraws:
		return Draft{}, d.Withdraws + " cannot replace itself"
	}
	return d, ""
}

// withdrawnBy reports whether a seat has withdrawn a claim.
func (e *Entry) withdrawnBy(seat string) bool {
	return slices.ContainsFunc(e.Withdrawn, func(w Withdrawal) bool { return w.Seat == seat })
}

// withdraw takes a seat's claim back. It stays in the registry; where another seat
// claims it too, it stands as that one's.
func (r *registry) withdraw(place int, d Draft) {
	e := &r.entries[place]
	if !slices.Contains(e.Seats, d.Seat) || e.withdrawnBy(d.Seat) {
		return
	}
	e.Withdrawn = append(e.Withdrawn, Withdrawal{d.Seat, d.Reason, d.ReplacedBy})
	e.Contradicts = slices.DeleteFunc(e.Contradicts, func(o Objection) bool { return o.Seat == d.Seat })
	refuted := e.Verdict() == Contradicts
	if len(e.Seats) == 1 {
		if !refuted {
			e.Location, e.Support = Location{}, nil
		}
		e.Location.State, e.Location.Reason, e.Confidence = Withdrawn, d.Reason, Low
		return
	}
	if !refuted {
		e.uncall(d.Seat)
	}
	e.Seats = slices.DeleteFunc(e.Seats, func(seat string) bool { return seat == d.Seat })
	kin := func(seat string) bool { return r.familyOf(seat) == d.Family }
	if len(e.Families) > 1 && !slices.ContainsFunc(e.Seats, kin) {
		e.Families = slices.DeleteFunc(e.Families, func(family string) bool { return family == d.Family })
	}
}

// replaceGrounds lets what rests on a claim that nobody makes any more rest on the one
// that its author has put in its place; at has the places of entries by their ids. Who
// judged that it follows saw the former, so that a vote for it is qualified by that.
func (r *registry) replaceGrounds(at map[string]int) {
	for i := range r.entries {
		e := &r.entries[i]
		grounds := e.RestsOn
		e.RestsOn = nil
		for _, old := range grounds {
			now := replacement(r.entries, at, old)
			if now == old || now == e.ID {
				e.RestsOn = addUnique(e.RestsOn, old)
				continue
			}
			e.RestsOn = addUnique(e.RestsOn, now)
			if e.Support == nil {
				continue
			}
			support := *e.Support
			if support.Former = true; support.Verdict == Supports {
				support.Verdict, support.Reason = Qualifies, fmt.Sprintf("judges saw it resting on %s, which its author has replaced by %s", old, now)
			}
			e.Support = &support
		}
	}
}

// replacement is the claim that stands for one that was withdrawn, the claim itself where
// none does.
func replacement(entries []Entry, at map[string]int, id string) string {
	now := id
	for range maxReplacements {
		place, known := at[now]
		if !known {
			return id
		}
		e := entries[place]
		if !e.IsWithdrawn() {
			return now
		}
		if len(e.Withdrawn) == 0 {
			return id
		}
		if now = e.Withdrawn[len(e.Withdrawn)-1].ReplacedBy; now == "" {
			return id
		}
	}
	return id
}

// maxReplacements bounds how often a claim is worded anew.
const maxReplacements = 20

// familyOf is the family of a seat, as far as a claim that it alone makes tells it.
func (r *registry) familyOf(seat string) string {
	for _, e := range r.entries {
		if len(e.Seats) == 1 && len(e.Families) == 1 && e.Seats[0] == seat {
			return e.Families[0]
		}
	}
	return ""
}

// IsWithdrawn reports whether nobody makes a claim any more.
func (e Entry) IsWithdrawn() bool { return e.Location.State == Withdrawn }

// WasRefuted reports whether a claim was withdrawn once judges had voted that its own
// passage says otherwise, or that it does not follow.
func (e Entry) WasRefuted() bool {
	return e.IsWithdrawn() && e.Support != nil && e.Support.Verdict == Contradicts
}

// beforeWithdrawal is a claim as it was when judges had refuted it and nobody had
// withdrawn it yet; any other is as it is.
func (e Entry) beforeWithdrawal() Entry {
	if !e.WasRefuted() {
		return e
	}
	e.Location.State, e.Location.Reason = Located, ""
	if e.Kind.RestsOnClaims() {
		e.Location.State = Reasoned
	}
	return e
}

// Counted are the entries that count in a score: those that somebody still claims, and
// those that were withdrawn once they were refuted, as they were before, so that no
// seat takes a refutation back.
func Counted(entries []Entry) []Entry {
	var counted []Entry
	for _, e := range entries {
		if e = e.beforeWithdrawal(); !e.IsWithdrawn() {
			counted = append(counted, e)
		}
	}
	return counted
}

// Standing are the entries that somebody still claims.
func Standing(entries []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), Entry.IsWithdrawn)
}
