package stagedlibrarian

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/staged"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of what speaks against findings.
const (
	oldYears     = 5    // years behind the newest one named from which a source counts as old
	firstYear    = 1900 // that a number of four digits may be
	lastYear     = 2100
	maxArguments = 10
	maxCompared  = 60 // facts compared with one another
)

// Advocate names what counts say against findings: where they rest on one source,
// on what cannot be used or on what is old, what contradicts them in the
// registry, and what of the question they leave out.
func Advocate(e Evidence, s staged.SynthesisResult) staged.AdvocateResult {
	r := prepareEvidence(e)
	return staged.AdvocateResult{Risks: r.findRisks(s), Counterarguments: r.counterarguments(), BlindSpots: r.blindSpots()}
}

func (r *preparedEvidence) findRisks(s staged.SynthesisResult) []staged.Risk {
	var out []staged.Risk
	add := func(ids []string, risk, mitigation string) {
		if len(ids) > 0 {
			out = append(out, staged.Risk{Risk: risk, Mitigation: mitigation, Claims: firstIDs(ids)})
		}
	}
	n := len(r.All)
	add(r.unusableIDs(s), fmt.Sprintf("%s on facts that were not located or not supported.", restCountText(len(r.unusableIDs(s)))), "Leave them out, or check the facts first.")
	add(r.singleSourceFacts(), fmt.Sprintf("Resting on a single source each: %d of %s. Where the source errs, so does the report.", len(r.singleSourceFacts()), plural.Of(n, "located fact")), "Look for an independent second source.")
	if list := r.factsBySource(); len(list) > 1 && 2*len(list[0].ids) > n {
		add(list[0].ids, fmt.Sprintf("More than half of the located facts (%d of %d) come from %s: its view is the report's.", len(list[0].ids), n, list[0].name()), "Read other sources on the same points.")
	}
	add(idsOf(r.unsure), fmt.Sprintf("Not located, or not supported: %d of %s, because: %s. What they would tell is missing or unsure.", len(r.unsure), plural.Of(len(r.usable)+len(r.unsure), "fact"), r.reasons()), "Check these by hand.")
	add(r.unjudgedFacts(), fmt.Sprintf("Of %s it was only looked up that their words stand in their sources; that they mean what is said of them was not judged.", plural.Of(len(r.unjudgedFacts()), "located fact")), "Let somebody read the passages.")
	add(r.factsWhere(func(c librarian.Statement) bool { return r.usable[c.ID].Support == "qualifies" }), "The sources of some facts qualify what is said of them.", "Read the conditions around the quotations.")
	if ids, newest := r.outdatedFacts(); len(ids) > 0 {
		add(ids, fmt.Sprintf("%s no year later than %d, while others name %d: they may be out of date.", factsNameText(len(ids)), newest-oldYears, newest), "Look for what has changed since.")
	}
	return append(out, staged.Risk{
		Risk:       "Facts and their order come of the words they hold: a sentence that holds the words and misses the point counts like one that answers.",
		Mitigation: "Read the passages of the key findings where they stand.",
	})
}

func restCountText(n int) string {
	if n == 1 {
		return "A finding or recommendation rests"
	}
	return fmt.Sprintf("Findings or recommendations rest, by %d ids,", n)
}

func factsNameText(n int) string {
	if n == 1 {
		return "1 located fact names"
	}
	return fmt.Sprintf("%d located facts name", n)
}

// unusableIDs are the ids of the registry that findings rest on without being
// usable.
func (r *preparedEvidence) unusableIDs(s staged.SynthesisResult) []string {
	var out []string
	for _, f := range s.Findings[:min(len(s.Findings), maxInput)] {
		for _, id := range f.Claims[:min(len(f.Claims), maxInput)] {
			_, known := r.entries[id]
			_, sure := r.usable[id]
			if known && !sure && len(out) < maxIDs && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// outdatedFacts are the usable facts all of whose years lie far behind the newest year
// that any of them names, and that year. There is no other clock here.
func (r *preparedEvidence) outdatedFacts() (ids []string, newest int) {
	latest := map[string]int{}
	for _, c := range r.All {
		for _, w := range words.Split(c.Source + " " + c.Text + " " + c.Quote) {
			if y, err := strconv.Atoi(w.Text); err == nil && len(w.Text) == 4 && y >= firstYear && y < lastYear {
				latest[c.ID] = max(latest[c.ID], y)
				newest = max(newest, y)
			}
		}
	}
	return r.factsWhere(func(c librarian.Statement) bool { return latest[c.ID] > 0 && latest[c.ID] <= newest-oldYears }), newest
}

// counterarguments is what the registry holds against facts.
func (r *preparedEvidence) counterarguments() []staged.Counterargument {
	out := []staged.Counterargument{}
	for _, c := range r.disputed {
		a, b := r.entries[c.A], r.entries[c.B]
		if _, sure := r.usable[a.ID]; !sure {
			a, b = b, a
		}
		out = append(out, staged.Counterargument{
			Against:  claimSentence(a),
			Argument: "Another fact says: " + claimSentence(b) + " The two are in conflict" + conflictDetail(c) + ", and nobody has settled it.",
			Claims:   []string{a.ID, b.ID},
		})
	}
	for _, c := range r.unsure {
		if c.Support == "contradicts" && len(out) < maxArguments {
			out = append(out, staged.Counterargument{
				Against: claimSentence(r.entries[c.ID]), Argument: "A judge holds that its own source contradicts it.", Claims: []string{c.ID},
			})
		}
	}
	return append(out, r.contradictingPairs(maxArguments-len(out))...)
}

func conflictDetail(c claim.Conflict) string {
	parts := strings.TrimSpace(plainSentence(string(c.Kind)))
	if d := plainSentence(c.Detail); d != "" {
		parts = strings.TrimPrefix(parts+": "+d, ": ")
	}
	if parts == "" {
		return ""
	}
	return " (" + parts + ")"
}

func claimSentence(e claim.Entry) string { return fmt.Sprintf("%s [%s].", plainSentence(e.Text), e.ID) }

// contradictingPairs are pairs of usable facts that share their subject and differ in a
// number or a negation, up to n of them.
func (r *preparedEvidence) contradictingPairs(n int) []staged.Counterargument {
	var out []staged.Counterargument
	list := r.All[:min(len(r.All), maxCompared)]
	for i, a := range list {
		for _, b := range list[i+1:] {
			if len(out) < n && a.Contradicts(b) && !r.isKnownConflict(a.ID, b.ID) {
				out = append(out, staged.Counterargument{
					Against:  claimSentence(a.Entry),
					Argument: "To be read beside it, since the two share their subject and differ in a number or a negation: " + claimSentence(b.Entry) + " Whether they contradict each other was not judged.",
					Claims:   []string{a.ID, b.ID},
				})
			}
		}
	}
	return out
}

// isKnownConflict reports whether two facts are a conflict of the registry already.
func (r *preparedEvidence) isKnownConflict(a, b string) bool {
	return slices.ContainsFunc(r.disputed, func(c claim.Conflict) bool { return c.A == a && c.B == b || c.A == b && c.B == a })
}

// blindSpots is what nobody has looked at, as far as words and counts show it.
func (r *preparedEvidence) blindSpots() []string {
	out := []string{}
	for _, term := range r.unmetTerms() {
		out = append(out, "No located fact speaks of “"+term+"”, which the question asks about.")
	}
	if list := r.emptySubtopics(); len(list) > 0 {
		out = append(out, "Of these subtopics no fact was located, or none is supported: "+strings.Join(list, ", ")+".")
	}
	return append(out, "What stands in no source that was searched, or in other words than the ones searched for, was not seen; no count can tell how much that is.")
}

// advocate is the turn of the devil's advocate: fact-check, findings and registry
// lie in the seat's folder.
func advocate(_ context.Context, t *librarian.Turn) error {
	texts, err := t.Inputs(3)
	if err != nil {
		return err
	}
	e, err := evidence(texts, 0, 2)
	if err != nil {
		return err
	}
	e.Topic = t.Topic
	var s staged.SynthesisResult
	if err := decode(texts[1], "findings", &s); err != nil {
		return err
	}
	v := Advocate(e, s)
	return t.Answer(v, fmt.Sprintf("%s and %s, counted", plural.Of(len(v.Risks), "risk"), plural.Of(len(v.Counterarguments), "counterargument")))
}
