package export

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
	judges "github.com/research-council/research-council/internal/evidence/vote"
)

// restsOn says in three lines what a report rests on: what was claimed and located,
// who has judged it, and what is disputed or did not hold.
func (p *Page) restsOn() []string {
	facts, reasoned := p.factsOf()
	if len(facts)+reasoned == 0 {
		return []string{"No claim was recorded, so nothing here has evidence that was checked."}
	}
	return []string{p.locatedText(facts, reasoned), p.judgedText(facts), p.disputedText()}
}

// factsOf gives the claims that quote sources, and counts the others. What was withdrawn
// nobody claims any more: it is none of these.
func (p *Page) factsOf() (facts []claim.Entry, reasoned int) {
	for _, c := range claim.Standing(p.Registry.Entries) {
		if c.Kind.RestsOnClaims() {
			reasoned++
			continue
		}
		facts = append(facts, c)
	}
	return facts, reasoned
}

func (p *Page) locatedText(facts []claim.Entry, reasoned int) string {
	sources, seats, families, states := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[claim.State]int{}
	for _, c := range facts {
		states[c.Location.State]++
		for _, one := range c.Evidence() {
			sources[one.Key] = true
		}
		for _, name := range c.Seats {
			seats[name] = true
		}
		for _, name := range c.Families {
			families[name] = true
		}
	}
	located, lost, withdrawn := states[claim.Located], states[claim.NotFound], len(p.Registry.Entries)-len(facts)-reasoned
	said := fmt.Sprintf("Rests on %s from %s", plural.Of(len(facts), "claim"), plural.Of(len(sources), "source"))
	if len(seats) > 0 {
		said += ", by " + plural.Of(len(seats), "researcher")
	}
	if len(families) > 1 {
		said += fmt.Sprintf(" of %d models", len(families))
	}
	said += fmt.Sprintf(": quotations located %d, not found %d, not checked %d", located, lost, len(facts)-located-lost)
	if reasoned > 0 {
		said += fmt.Sprintf("; %s drawn from them", plural.Of(reasoned, "conclusion"))
	}
	if withdrawn > 0 {
		said += fmt.Sprintf("; withdrawn %d", withdrawn)
	}
	return said + "."
}

func (p *Page) judgedText(facts []claim.Entry) string {
	verdicts := map[string]int{}
	rivals := 0
	for _, c := range facts {
		verdicts[c.Verdict()]++
		if c.Verified() && !c.Support.Own {
			rivals++
		}
	}
	if verdicts[claim.Supports]+verdicts[claim.Qualifies]+verdicts[claim.Contradicts]+verdicts[claim.Undecided] == 0 {
		return "Nobody has judged whether the passages support the claims." + p.scoreText()
	}
	return fmt.Sprintf("Judges say of the passages: supported %d (by judges of another model %d), in part %d, contradicted %d, undecided %d, unjudged %d.",
		verdicts[claim.Supports], rivals, verdicts[claim.Qualifies], verdicts[claim.Contradicts], verdicts[claim.Undecided], verdicts[claim.Unjudged]) + p.scoreText()
}

func (p *Page) scoreText() string {
	if !p.Score.IsMeaningful() {
		return ""
	}
	return " Coverage " + score.FormatScore(clamp(p.Score.Final, 100)) + " of 100."
}

// disputedText counts disputes as the text does, what was rejected as the filter does,
// and says what it took.
func (p *Page) disputedText() string {
	said := fmt.Sprintf("%s. Claims rejected after checking %d.", cmp.Or(judges.Tally(p.Registry.Conflicts), p.undisputedText()), p.standingCounts()[isRejected])
	if began, ended := p.span(); ended.After(began) {
		said += " Took " + ended.Sub(began).Round(time.Second).String() + "."
	}
	var spent budget.Spent
	for _, u := range p.Uses {
		spent = spent.Plus(u.Spent())
	}
	if len(p.Uses) > 0 {
		said += " Cost: " + spent.Cost() + "."
	}
	return said
}

// undisputedText says where no claims are in conflict whether seats recommend the same.
func (p *Page) undisputedText() string {
	if slices.ContainsFunc(claim.Answers(p.Registry), p.Registry.Differ) {
		return "No claim is disputed, but recommendations differ"
	}
	return "No claim is disputed"
}

// standingCounts counts the claims of which each of the filter's words holds.
func (p *Page) standingCounts() map[string]int {
	count := map[string]int{}
	for _, list := range p.standing {
		for _, word := range list {
			count[word]++
		}
	}
	return count
}
