package stagedlibrarian

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/staged"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of findings.
const (
	leadingFacts      = 4 // of the summary
	factsOfTheme      = 2 // findings of one theme
	otherFacts        = 6 // and of none
	maxKeyFindings    = 16
	maxRevisionPoints = 5 // points of a review that are repeated
)

// Findings arranges the usable facts: the summary and the findings are their
// statements, in an order made of the words they share with the question; the
// recommendations are what the counts suggest a reader does next. It fails
// where no fact of the registry is usable.
func Findings(e Evidence) (staged.SynthesisResult, error) {
	r := prepareEvidence(e)
	if len(r.All) == 0 {
		return staged.SynthesisResult{}, librarian.Refusal("no fact of the registry was located, so nothing can be found in it")
	}
	return staged.SynthesisResult{Summary: r.summaryText(), Findings: r.keyFindings(), Recommendations: r.recommendations()}, nil
}

// summaryText is the summary.
func (r *preparedEvidence) summaryText() string {
	var parts []string
	for _, c := range librarian.Dissimilar(r.All, leadingFacts) {
		parts = append(parts, fmt.Sprintf("%s [%s].", plainSentence(c.Text), c.ID))
	}
	parts = append(parts, "These statements are words of the sources and bear most on the question by the terms they share with it; a program chose them, and no model wrote or judged this summary.", r.verificationText())
	if r.Revision != "" {
		parts = append(parts, "The order follows the words of the review that asked for changes as well; facts it names come last.")
	}
	return strings.Join(parts, " ")
}

// verificationText says how much is verified.
func (r *preparedEvidence) verificationText() string {
	s := fmt.Sprintf("Of %s, %d are verified: judges have voted that their passages support them.", plural.Of(len(r.usable)+len(r.unsure), "fact"), r.countJudged(claim.Supports))
	if n := r.countJudged(claim.Qualifies); n > 0 {
		s += fmt.Sprintf(" %d are qualified by their passages.", n)
	}
	if n := r.countJudged(""); n > 0 {
		s += fmt.Sprintf(" %d are located, unjudged: their words stand in their sources, and nobody has judged whether they bear them out.", n)
	}
	s += fmt.Sprintf(" These come from %s.", plural.Of(r.sourceCount(), "source"))
	if len(r.usable) > maxInput {
		s += fmt.Sprintf(" Only the first %d were looked at here.", maxInput)
	}
	return s
}

// sourceCount is how many sources the usable facts have.
func (r *preparedEvidence) sourceCount() int {
	keys := map[string]bool{}
	for id := range r.usable {
		keys[r.entries[id].Key] = true
	}
	return len(keys)
}

// keyFindings are the findings: facts of each theme, then others.
func (r *preparedEvidence) keyFindings() []staged.Finding {
	themes, rest := r.Themes()
	var picked []librarian.Statement
	for _, t := range themes {
		picked = append(picked, librarian.Dissimilar(t.Claims, factsOfTheme)...)
	}
	picked = append(picked, librarian.Dissimilar(rest, otherFacts)...)
	for _, c := range librarian.Dissimilar(r.All, leadingFacts) {
		if !slices.ContainsFunc(picked, func(o librarian.Statement) bool { return o.ID == c.ID }) {
			picked = append(picked, c)
		}
	}
	var out []staged.Finding
	for _, c := range picked[:min(len(picked), maxKeyFindings)] {
		out = append(out, staged.Finding{Finding: plainSentence(c.Text) + r.doubtNote(c.ID) + ".", Claims: r.sameFacts(c)})
	}
	return out
}

// doubtNote is what was said against a usable fact.
func (r *preparedEvidence) doubtNote(id string) string {
	s := ""
	if r.usable[id].Support == "qualifies" {
		s += " (its source was held to qualify this)"
	}
	if r.named[id] {
		s += " (the review names this fact)"
	}
	return s
}

// sameFacts are the ids of a fact and of those that say the same or nearly so.
func (r *preparedEvidence) sameFacts(c librarian.Statement) []string {
	ids := []string{c.ID}
	for _, o := range r.All {
		_, grouped := r.group[c.ID]
		if o.ID != c.ID && (grouped && r.group[o.ID].ID == r.group[c.ID].ID || c.Repeats(o) && !c.Contradicts(o)) {
			ids = append(ids, o.ID)
		}
	}
	return firstIDs(ids)
}

// recommendations is what a reader may do next, as far as counts can tell.
func (r *preparedEvidence) recommendations() []staged.Recommendation {
	var out []staged.Recommendation
	add := func(what, why string, ids []string) {
		out = append(out, staged.Recommendation{Recommendation: what, Rationale: why, Claims: firstIDs(ids)})
	}
	top := r.factsBySource()[0]
	add("Read "+top.name()+" first, around the passages that are quoted of it.",
		fmt.Sprintf("It holds %d of %s, at least as many as any other source; what stands around a quotation was not taken over.", len(top.ids), plural.Of(len(r.All), "located fact")), top.ids)
	for _, point := range r.revisionPoints() {
		add("Answer what the review asks: “"+point+"”.", "It is repeated because a program can follow its words and not its sense.", nil)
	}
	if c := r.disputed; len(c) > 0 {
		add(fmt.Sprintf("Settle %s between facts before relying on either side.", plural.Of(len(c), "open conflict")), "The facts speak of one thing and differ in a word that decides what they say.", []string{c[0].A, c[0].B})
	}
	if ids := r.singleSourceFacts(); len(ids) > 0 {
		add(fmt.Sprintf("Look for a second, independent source for %s.", factsOf(ids)), "Each of them rests on one source only: nothing else that was found says the same.", ids)
	}
	if len(r.unsure) > 0 {
		add(fmt.Sprintf("Check %s by hand before anything is built on what is said there.", factsOf(idsOf(r.unsure))), "Not located, or not supported, because: "+r.reasons()+".", idsOf(r.unsure))
	}
	if ids := r.unjudgedFacts(); len(ids) > 0 {
		add(fmt.Sprintf("Have somebody read whether the passages of %s support what is said.", factsOf(ids)), "Their quotations stand in their sources; whether they mean it was judged by nobody.", ids)
	}
	if terms := r.unmetTerms(); len(terms) > 0 {
		add("Look for sources on "+quoteTerms(terms)+".", "The question asks about it, and no located fact holds the words.", nil)
	}
	return r.fillRecommendations(out)
}

// fillRecommendations adds what can always be recommended until there are enough.
func (r *preparedEvidence) fillRecommendations(out []staged.Recommendation) []staged.Recommendation {
	best := r.factsWhere(func(librarian.Statement) bool { return true })
	for _, more := range []staged.Recommendation{
		{Recommendation: "Ask again in other words.", Rationale: "Passages were found by words; what the sources say in others was not seen."},
		{Recommendation: "Find out of which time the sources of the key findings are.", Rationale: "Nobody has checked whether what they say still holds.", Claims: firstIDs(best)},
	} {
		if len(out) < staged.Recommendations {
			out = append(out, more)
		}
	}
	return out
}

// revisionPoints are the first items of the list in a revision.
func (r *preparedEvidence) revisionPoints() []string {
	var out []string
	for line := range strings.Lines(r.Revision) {
		line = strings.TrimSpace(line)
		if n := librarian.BulletLength(line); n > 0 && len(out) < maxRevisionPoints {
			if p := plainSentence(line[n:]); len(words.Split(p)) > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// findings is the turn of the synthesis: brief, fact-check, registry and, where a
// review wants changes, these lie in the seat's folder.
func findings(_ context.Context, t *librarian.Turn) error {
	texts, err := t.Inputs(3)
	if err != nil {
		return err
	}
	e, err := evidence(texts, 1, 2)
	if err != nil {
		return err
	}
	e.Topic = t.Topic
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
	return t.Answer(s, fmt.Sprintf("%s and %s", plural.Of(len(s.Findings), "finding"), plural.Of(len(s.Recommendations), "recommendation")))
}
