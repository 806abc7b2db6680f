package librarian

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"research-council/internal/claim"
	"research-council/internal/pipeline"

	"research-council/internal/plural"
)

// Bounds of what speaks against findings.
const (
	oldYears     = 5    // years behind the newest one named from which a source counts as old
	firstYear    = 1900 // that a number of four digits may be
	lastYear     = 2100
	mostArgued   = 10
	comparedMost = 60 // facts compared with one another
)

// Speak names what counts say against findings: where they rest on one source,
// on what cannot be used or on what is old, what contradicts them in the
// registry, and what of the question they leave out.
func Speak(e Evidence, s pipeline.SynthesisResult) pipeline.AdvocateResult {
	r := newReading(e)
	return pipeline.AdvocateResult{Risks: r.risks(s), Counterarguments: r.against(), BlindSpots: r.blind()}
}

func (r *reading) risks(s pipeline.SynthesisResult) []pipeline.Risk {
	var out []pipeline.Risk
	add := func(ids []string, risk, mitigation string) {
		if len(ids) > 0 {
			out = append(out, pipeline.Risk{Risk: risk, Mitigation: mitigation, Claims: few(ids)})
		}
	}
	n := len(r.all)
	add(r.loose(s), fmt.Sprintf("%s on facts that were not located or not supported.", rests(len(r.loose(s)))), "Leave them out, or check the facts first.")
	add(r.single(), fmt.Sprintf("Resting on a single source each: %d of %s. Where the source errs, so does the report.", len(r.single()), plural.Of(n, "located fact")), "Look for an independent second source.")
	if list := r.sources(); len(list) > 1 && 2*len(list[0].ids) > n {
		add(list[0].ids, fmt.Sprintf("More than half of the located facts (%d of %d) come from %s: its view is the report's.", len(list[0].ids), n, list[0].name()), "Read other sources on the same points.")
	}
	add(idsOf(r.unsure), fmt.Sprintf("Not located, or not supported: %d of %s, because: %s. What they would tell is missing or unsure.", len(r.unsure), plural.Of(len(r.usable)+len(r.unsure), "fact"), r.reasons()), "Check these by hand.")
	add(r.unjudged(), fmt.Sprintf("Of %s it was only looked up that their words stand in their sources; that they mean what is said of them was not judged.", plural.Of(len(r.unjudged()), "located fact")), "Let somebody read the passages.")
	add(r.having(func(c statement) bool { return r.usable[c.ID].Support == "qualifies" }), "The sources of some facts qualify what is said of them.", "Read the conditions around the quotations.")
	if ids, newest := r.old(); len(ids) > 0 {
		add(ids, fmt.Sprintf("%s no year later than %d, while others name %d: they may be out of date.", naming(len(ids)), newest-oldYears, newest), "Look for what has changed since.")
	}
	return append(out, pipeline.Risk{
		Risk:       "Facts and their order come of the words they hold: a sentence that holds the words and misses the point counts like one that answers.",
		Mitigation: "Read the passages of the key findings where they stand.",
	})
}

func rests(n int) string {
	if n == 1 {
		return "A finding or recommendation rests"
	}
	return fmt.Sprintf("Findings or recommendations rest, by %d ids,", n)
}

func naming(n int) string {
	if n == 1 {
		return "1 located fact names"
	}
	return fmt.Sprintf("%d located facts name", n)
}

// loose are the ids of the registry that findings rest on without being
// usable.
func (r *reading) loose(s pipeline.SynthesisResult) []string {
	var out []string
	for _, f := range s.Findings[:min(len(s.Findings), mostHanded)] {
		for _, id := range f.Claims[:min(len(f.Claims), mostHanded)] {
			_, known := r.entries[id]
			_, sure := r.usable[id]
			if known && !sure && len(out) < mostIDs && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// old are the usable facts all of whose years lie far behind the newest year
// that any of them names, and that year. There is no other clock here.
func (r *reading) old() (ids []string, newest int) {
	latest := map[string]int{}
	for _, c := range r.all {
		for _, w := range words(c.Source + " " + c.Text + " " + c.Quote) {
			if y, err := strconv.Atoi(w.text); err == nil && len(w.text) == 4 && y >= firstYear && y < lastYear {
				latest[c.ID] = max(latest[c.ID], y)
				newest = max(newest, y)
			}
		}
	}
	return r.having(func(c statement) bool { return latest[c.ID] > 0 && latest[c.ID] <= newest-oldYears }), newest
}

// against is what the registry holds against facts.
func (r *reading) against() []pipeline.Counterargument {
	out := []pipeline.Counterargument{}
	for _, c := range r.disputed {
		a, b := r.entries[c.A], r.entries[c.B]
		if _, sure := r.usable[a.ID]; !sure {
			a, b = b, a
		}
		out = append(out, pipeline.Counterargument{
			Against:  sentenceOf(a),
			Argument: "Another fact says: " + sentenceOf(b) + " The two are in conflict" + detail(c) + ", and nobody has settled it.",
			Claims:   []string{a.ID, b.ID},
		})
	}
	for _, c := range r.unsure {
		if c.Support == "contradicts" && len(out) < mostArgued {
			out = append(out, pipeline.Counterargument{
				Against: sentenceOf(r.entries[c.ID]), Argument: "A judge holds that its own source contradicts it.", Claims: []string{c.ID},
			})
		}
	}
	return append(out, r.unlike(mostArgued-len(out))...)
}

func detail(c claim.Conflict) string {
	parts := strings.TrimSpace(plainly(string(c.Kind)))
	if d := plainly(c.Detail); d != "" {
		parts = strings.TrimPrefix(parts+": "+d, ": ")
	}
	if parts == "" {
		return ""
	}
	return " (" + parts + ")"
}

func sentenceOf(e claim.Entry) string { return fmt.Sprintf("%s [%s].", plainly(e.Text), e.ID) }

// unlike are pairs of usable facts that share their subject and differ in a
// number or a negation, up to n of them.
func (r *reading) unlike(n int) []pipeline.Counterargument {
	var out []pipeline.Counterargument
	list := r.all[:min(len(r.all), comparedMost)]
	for i, a := range list {
		for _, b := range list[i+1:] {
			if len(out) < n && differ(a, b) && !r.paired(a.ID, b.ID) {
				out = append(out, pipeline.Counterargument{
					Against:  sentenceOf(a.Entry),
					Argument: "To be read beside it, since the two share their subject and differ in a number or a negation: " + sentenceOf(b.Entry) + " Whether they contradict each other was not judged.",
					Claims:   []string{a.ID, b.ID},
				})
			}
		}
	}
	return out
}

// paired reports whether two facts are a conflict of the registry already.
func (r *reading) paired(a, b string) bool {
	return slices.ContainsFunc(r.disputed, func(c claim.Conflict) bool { return c.A == a && c.B == b || c.A == b && c.B == a })
}

// blind is what nobody has looked at, as far as words and counts show it.
func (r *reading) blind() []string {
	out := []string{}
	for _, term := range r.unmet() {
		out = append(out, "No located fact speaks of “"+term+"”, which the question asks about.")
	}
	if list := r.bare(); len(list) > 0 {
		out = append(out, "Of these subtopics no fact was located, or none is supported: "+strings.Join(list, ", ")+".")
	}
	return append(out, "What stands in no source that was searched, or in other words than the ones searched for, was not seen; no count can tell how much that is.")
}

// advocate is the turn of the devil's advocate: fact-check, findings and
// registry lie in the seat's folder.
func (d Desk) advocate(a assignment, topic string) error {
	texts, err := d.handed(a, 3)
	if err != nil {
		return err
	}
	e, err := evidence(texts, 0, 2)
	if err != nil {
		return err
	}
	e.Topic = topic
	var s pipeline.SynthesisResult
	if err := decode(texts[1], "findings", &s); err != nil {
		return err
	}
	v := Speak(e, s)
	return d.answer(a, v, fmt.Sprintf("%s and %s, counted", plural.Of(len(v.Risks), "risk"), plural.Of(len(v.Counterarguments), "counterargument")))
}
