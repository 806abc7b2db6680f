package librarian

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/claim"
	"research-council/internal/pipeline"

	"research-council/internal/plural"
)

// Bounds of findings.
const (
	leadingFacts = 4 // of the summary
	factsOfTheme = 2 // findings of one theme
	otherFacts   = 6 // and of none
	mostKeys     = 16
	asked        = 5 // points of a review that are repeated
)

// Findings arranges the usable facts: the summary and the findings are their
// statements, in an order made of the words they share with the question; the
// recommendations are what the counts suggest a reader does next. It fails
// where no fact of the registry is usable.
func Findings(e Evidence) (pipeline.SynthesisResult, error) {
	r := newReading(e)
	if len(r.all) == 0 {
		return pipeline.SynthesisResult{}, refused("no fact of the registry was located, so nothing can be found in it")
	}
	return pipeline.SynthesisResult{Summary: r.answer(), Findings: r.keys(), Recommendations: r.advice()}, nil
}

// answer is the summary.
func (r *reading) answer() string {
	var parts []string
	for _, c := range varied(r.all, leadingFacts) {
		parts = append(parts, fmt.Sprintf("%s [%s].", plainly(c.Text), c.ID))
	}
	parts = append(parts, "These statements are words of the sources and bear most on the question by the terms they share with it; a program chose them, and no model wrote or judged this summary.", r.tally())
	if r.Revision != "" {
		parts = append(parts, "The order follows the words of the review that asked for changes as well; facts it names come last.")
	}
	return strings.Join(parts, " ")
}

// tally says how much is verified.
func (r *reading) tally() string {
	s := fmt.Sprintf("Of %s, %d are verified: judges have voted that their passages support them.", plural.Of(len(r.usable)+len(r.unsure), "fact"), r.judged(claim.Supports))
	if n := r.judged(claim.Qualifies); n > 0 {
		s += fmt.Sprintf(" %d are qualified by their passages.", n)
	}
	if n := r.judged(""); n > 0 {
		s += fmt.Sprintf(" %d are located, unjudged: their words stand in their sources, and nobody has judged whether they bear them out.", n)
	}
	s += fmt.Sprintf(" These come from %s.", plural.Of(r.origins(), "source"))
	if len(r.usable) > mostHanded {
		s += fmt.Sprintf(" Only the first %d were looked at here.", mostHanded)
	}
	return s
}

// origins is how many sources the usable facts have.
func (r *reading) origins() int {
	keys := map[string]bool{}
	for id := range r.usable {
		keys[r.entries[id].Key] = true
	}
	return len(keys)
}

// keys are the findings: facts of each theme, then others.
func (r *reading) keys() []pipeline.Finding {
	themes, rest := r.themes()
	var picked []statement
	for _, t := range themes {
		picked = append(picked, varied(t.claims, factsOfTheme)...)
	}
	picked = append(picked, varied(rest, otherFacts)...)
	for _, c := range varied(r.all, leadingFacts) {
		if !slices.ContainsFunc(picked, func(o statement) bool { return o.ID == c.ID }) {
			picked = append(picked, c)
		}
	}
	var out []pipeline.Finding
	for _, c := range picked[:min(len(picked), mostKeys)] {
		out = append(out, pipeline.Finding{Finding: plainly(c.Text) + r.note(c.ID) + ".", Claims: r.same(c)})
	}
	return out
}

// note is what was said against a usable fact.
func (r *reading) note(id string) string {
	s := ""
	if r.usable[id].Support == "qualifies" {
		s += " (its source was held to qualify this)"
	}
	if r.named[id] {
		s += " (the review names this fact)"
	}
	return s
}

// same are the ids of a fact and of those that say the same or nearly so.
func (r *reading) same(c statement) []string {
	ids := []string{c.ID}
	for _, o := range r.all {
		_, grouped := r.group[c.ID]
		if o.ID != c.ID && (grouped && r.group[o.ID].ID == r.group[c.ID].ID || alike(c.stems, o.stems) > tooLike && !differ(c, o)) {
			ids = append(ids, o.ID)
		}
	}
	return few(ids)
}

// advice is what a reader may do next, as far as counts can tell.
func (r *reading) advice() []pipeline.Recommendation {
	var out []pipeline.Recommendation
	add := func(what, why string, ids []string) {
		out = append(out, pipeline.Recommendation{Recommendation: what, Rationale: why, Claims: few(ids)})
	}
	top := r.sources()[0]
	add("Read "+top.name()+" first, around the passages that are quoted of it.",
		fmt.Sprintf("It holds %d of %s, at least as many as any other source; what stands around a quotation was not taken over.", len(top.ids), plural.Of(len(r.all), "located fact")), top.ids)
	for _, point := range r.points() {
		add("Answer what the review asks: “"+point+"”.", "It is repeated because a program can follow its words and not its sense.", nil)
	}
	if c := r.disputed; len(c) > 0 {
		add(fmt.Sprintf("Settle %s between facts before relying on either side.", plural.Of(len(c), "open conflict")), "The facts speak of one thing and differ in a word that decides what they say.", []string{c[0].A, c[0].B})
	}
	if ids := r.single(); len(ids) > 0 {
		add(fmt.Sprintf("Look for a second, independent source for %s.", factsOf(ids)), "Each of them rests on one source only: nothing else that was found says the same.", ids)
	}
	if len(r.unsure) > 0 {
		add(fmt.Sprintf("Check %s by hand before anything is built on what is said there.", factsOf(idsOf(r.unsure))), "Not located, or not supported, because: "+r.reasons()+".", idsOf(r.unsure))
	}
	if ids := r.unjudged(); len(ids) > 0 {
		add(fmt.Sprintf("Have somebody read whether the passages of %s support what is said.", factsOf(ids)), "Their quotations stand in their sources; whether they mean it was judged by nobody.", ids)
	}
	if terms := r.unmet(); len(terms) > 0 {
		add("Look for sources on "+quoted(terms)+".", "The question asks about it, and no located fact holds the words.", nil)
	}
	return r.filled(out)
}

// filled adds what can always be recommended until there are enough.
func (r *reading) filled(out []pipeline.Recommendation) []pipeline.Recommendation {
	best := r.having(func(statement) bool { return true })
	for _, more := range []pipeline.Recommendation{
		{Recommendation: "Ask again in other words.", Rationale: "Passages were found by words; what the sources say in others was not seen."},
		{Recommendation: "Find out of which time the sources of the key findings are.", Rationale: "Nobody has checked whether what they say still holds.", Claims: few(best)},
	} {
		if len(out) < pipeline.Recommendations {
			out = append(out, more)
		}
	}
	return out
}

// points are the first items of the list in a revision.
func (r *reading) points() []string {
	var out []string
	for line := range strings.Lines(r.Revision) {
		line = strings.TrimSpace(line)
		if n := bulletOf(line); n > 0 && len(out) < asked {
			if p := plainly(line[n:]); len(words(p)) > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// findings is the turn of the synthesis: brief, fact-check, registry and, where
// a review wants changes, these lie in the seat's folder.
func (d Desk) findings(a assignment, topic string) error {
	texts, err := d.handed(a, 3)
	if err != nil {
		return err
	}
	e, err := evidence(texts, 1, 2)
	if err != nil {
		return err
	}
	e.Topic = topic
	if err := decode(texts[0], "brief", &e.Brief); err != nil {
		return err
	}
	if len(texts) > 3 {
		e.Revision = texts[3]
	}
	s, err := Findings(e)
	if err != nil {
		return err
	}
	return d.answer(a, s, fmt.Sprintf("%s and %s", plural.Of(len(s.Findings), "finding"), plural.Of(len(s.Recommendations), "recommendation")))
}
