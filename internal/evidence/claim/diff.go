package claim

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/relation"
)

// Difference is what has changed from one registry to another, of the same
// question or not.
type Difference struct {
	Gained  []Entry  `json:"gained"`  // claims only the newer one has
	Lost    []Entry  `json:"lost"`    // claims only the older one has
	Changed []Change `json:"changed"` // claims both have, of which something else holds now
	Drifted []Drift  `json:"drifted"` // sources whose text is another now

	// Reworded are claims that say of the same passage the same in other words: a model
	// words anew what it finds again. Nothing has changed by them.
	Reworded []Change `json:"reworded,omitempty"`
}

// Change is a claim that both registries have.
type Change struct {
	Old  Entry    `json:"old"`
	New  Entry    `json:"new"`
	What []string `json:"what"` // location, support, confidence, doubt or quotation
}

// Drift is a source whose text was another when the newer registry was made.
type Drift struct {
	Key     string `json:"key"`
	Source  string `json:"source"`
	OldText string `json:"old_text"` // SHA-256 of the text that was searched
	NewText string `json:"new_text"`
}

// Diff compares two registries. A claim is the same where its words and its
// source are, or its passage and what it says of it; its id tells nothing, because every
// run counts anew.
func Diff(older, newer Registry) Difference {
	before := map[string][]Entry{}
	for _, e := range older.Entries {
		k := e.identity()
		before[k] = append(before[k], e)
	}
	var d Difference
	quoted := map[string]bool{} // by a claim of the newer registry, word for word
	for _, e := range newer.Entries {
		quoted[e.identity()+"\x00"+collapseSpace(e.Quote)] = true
	}
	for _, e := range newer.Entries {
		k := e.identity()
		same := before[k]
		at := slices.IndexFunc(same, func(o Entry) bool { return collapseSpace(o.Quote) == collapseSpace(e.Quote) })
		if at < 0 { // one whose own words are no longer there
			at = slices.IndexFunc(same, func(o Entry) bool { return !quoted[k+"\x00"+collapseSpace(o.Quote)] })
		}
		if at < 0 {
			d.Gained = append(d.Gained, e)
			continue
		}
		if what := changedFields(same[at], e); len(what) > 0 {
			d.Changed = append(d.Changed, Change{Old: same[at], New: e, What: what})
		}
		before[k] = slices.Delete(slices.Clone(same), at, at+1)
	}
	for _, e := range older.Entries {
		k := e.identity()
		if at := slices.IndexFunc(before[k], func(o Entry) bool { return o.ID == e.ID }); at >= 0 {
			d.Lost = append(d.Lost, e)
		}
	}
	d.matchReworded()
	d.Drifted = drifted(older, newer)
	return d
}

// matchReworded takes claims that were lost and gained in other words alone from what was
// lost and gained. One of which something else holds besides is a change.
func (d *Difference) matchReworded() {
	var gained []Entry
	for _, e := range d.Gained {
		at := slices.IndexFunc(d.Lost, func(o Entry) bool { return rewords(o, e) })
		if at < 0 {
			gained = append(gained, e)
			continue
		}
		c := Change{Old: d.Lost[at], New: e, What: changedFields(d.Lost[at], e)}
		d.Lost = slices.Delete(d.Lost, at, at+1)
		if len(c.What) > 0 {
			d.Changed = append(d.Changed, c)
			continue
		}
		d.Reworded = append(d.Reworded, c)
	}
	d.Gained = gained
	if len(d.Lost) == 0 {
		d.Lost = nil
	}
}

// rewords reports whether two claims of a source quote one passage of it, and differ neither in
// words that decide nor in a way that forbids to call them the same. What rests on other
// claims has no passage: there the rules have to know that it says the same.
func rewords(old, now Entry) bool {
	if old.Kind != now.Kind || old.Key != now.Key || old.IsWithdrawn() != now.IsWithdrawn() {
		return false
	}
	if old.Kind.RestsOnClaims() {
		return relation.SaySame(old.Text, now.Text)
	}
	if len(old.Passages) != len(now.Passages) || !overlap(old.Quote, now.Quote) || len(guard.Compare(guard.Words(old.Text), guard.Words(now.Text))) > 0 {
		return false
	}
	for i, p := range old.Passages {
		if now.Passages[i].Key != p.Key || !overlap(p.Quote, now.Passages[i].Quote) {
			return false
		}
	}
	_, differ := relation.Veto(relation.Read(old.Text), relation.Read(now.Text))
	return differ == ""
}

// overlap reports whether one quotation is the other, or a part of it.
func overlap(a, b string) bool {
	a, b = collapseSpace(a), collapseSpace(b)
	return a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}

func allPassages(entries []Entry) []Passage {
	var list []Passage
	for _, e := range entries {
		list = append(list, e.Evidence()...)
	}
	return list
}

func changedFields(old, now Entry) []string {
	var what []string
	for name, differs := range map[string]bool{
		"location":   old.Location.State != now.Location.State,
		"support":    supportVerdict(old) != supportVerdict(now),
		"confidence": old.Confidence != now.Confidence,
		"doubt":      old.Location.Doubt != now.Location.Doubt, // as that a paper was retracted
		"quotation":  collapseSpace(old.Quote) != collapseSpace(now.Quote) && !overlap(old.Quote, now.Quote),
	} {
		if differs {
			what = append(what, name)
		}
	}
	slices.Sort(what)
	return what
}

func supportVerdict(e Entry) string {
	if e.Support == nil {
		return ""
	}
	return e.Support.Verdict
}

// drifted lists the sources both registries have read, with other texts.
func drifted(older, newer Registry) []Drift {
	texts := map[string]string{}
	for _, p := range allPassages(older.Entries) {
		if p.Location.Text != "" {
			texts[p.Key] = p.Location.Text
		}
	}
	seen := map[string]bool{}
	var list []Drift
	for _, e := range allPassages(newer.Entries) {
		old, known := texts[e.Key]
		if !known || e.Location.Text == "" || old == e.Location.Text || seen[e.Key] {
			continue
		}
		seen[e.Key] = true
		list = append(list, Drift{Key: e.Key, Source: e.Source, OldText: old, NewText: e.Location.Text})
	}
	slices.SortFunc(list, func(a, b Drift) int { return strings.Compare(a.Key, b.Key) })
	return list
}

// IsEmpty reports whether nothing has changed but words.
func (d Difference) IsEmpty() bool {
	return len(d.Gained)+len(d.Lost)+len(d.Changed)+len(d.Drifted) == 0
}

// TouchesClaims reports whether a claim was gained or lost, or something else holds of one.
// A text that has changed elsewhere than in their passages, as a page that counts its
// visitors, touches none.
func (d Difference) TouchesClaims() bool {
	return len(d.Gained)+len(d.Lost)+len(d.Changed) > 0
}
