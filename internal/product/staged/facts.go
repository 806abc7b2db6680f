package staged

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// usableFacts are those that can be looked for: with a statement and a source, each
// once. Ids are for the registry to give.
func (g AgentAnswer) usableFacts() []Fact {
	kept, seen := []Fact{}, map[[3]string]bool{}
	for _, f := range g.Facts {
		f.ID, f.Statement, f.Quote, f.Source = "", plainLine(f.Statement), plain.Trimmed(f.Quote), plainLine(f.Source)
		k := [3]string{key(f.Statement), key(f.Quote), f.Source}
		if f.Statement == "" || f.Source == "" || seen[k] {
			continue
		}
		seen[k] = true
		kept = append(kept, f)
	}
	return kept
}

// HasFacts reports whether an agent has brought data: one fact at least that
// can be looked for. Insights alone are none, since nothing can be checked.
func (g AgentAnswer) HasFacts() bool { return g.Problem == "" && len(g.usableFacts()) > 0 }

// Collect makes the output of the collection of what its agents brought, in
// their order: facts that can be looked for and insights that say something.
func Collect(list []AgentAnswer) CollectionResult {
	r := CollectionResult{Agents: []AgentAnswer{}}
	for _, g := range list {
		g.Facts, g.Insights = g.usableFacts(), uniqueLines(g.Insights)
		r.Agents = append(r.Agents, g)
	}
	return r
}

// Output counts the collection for its gate.
func (r CollectionResult) Output() Output {
	o := Output{Planned: len(r.Agents)}
	for _, g := range r.Agents {
		o.Facts += len(g.usableFacts())
		o.Insights += len(uniqueLines(g.Insights))
		if g.HasFacts() {
			o.Returned++
		}
	}
	return o
}

// Drafts are an agent's facts as claims to be registered.
func Drafts(g AgentAnswer) []claim.Draft {
	var list []claim.Draft
	for _, f := range g.usableFacts() {
		list = append(list, claim.Draft{
			Text: f.Statement, Quote: f.Quote, Source: f.Source,
			Seat: g.Seat, Family: g.Family, Round: Collection,
		})
	}
	return list
}

// FactCheck divides the facts of a registry and counts them. A fact is verified
// when its quotation was located and judges have voted that the passage
// supports it as worded. Where they say that it qualifies it, it is qualified;
// where nobody has judged, as nobody can while judges is false, it is located
// and unjudged, which verifies nothing. All others are unverified, with the
// reason. Sources are counted of all but these, copies of one text once.
func FactCheck(reg claim.Registry, judges bool) FactCheckResult {
	r := FactCheckResult{Verified: []CheckedFact{}, Qualified: []CheckedFact{}, Unjudged: []CheckedFact{}, Unverified: []CheckedFact{}}
	sources := map[string]bool{}
	for _, e := range reg.Entries {
		into := r.listFor(e)
		*into = append(*into, checkFact(e, judges))
		if into != &r.Unverified {
			sources[original(reg, e.Key)] = true
		}
		if e.Location.State == claim.Located {
			r.Stats.Located++
		}
	}
	s := &r.Stats
	s.Total, s.Judges, s.Sources = len(reg.Entries), judges, len(sources)
	s.Verified, s.Qualified, s.Unjudged, s.Unverified = len(r.Verified), len(r.Qualified), len(r.Unjudged), len(r.Unverified)
	s.Supported = s.Verified
	return r
}

// listFor is where a fact belongs.
func (r *FactCheckResult) listFor(e claim.Entry) *[]CheckedFact {
	switch e.Verdict() {
	case claim.Supports:
		return &r.Verified
	case claim.Qualifies:
		return &r.Qualified
	case claim.Unjudged:
		return &r.Unjudged
	}
	return &r.Unverified
}

// original is the source whose text another repeats, or the source itself.
func original(reg claim.Registry, source string) string {
	if of, copied := reg.Copies[source]; copied {
		return of
	}
	return source
}

// checkFact says of one fact what became of it.
func checkFact(e claim.Entry, judges bool) CheckedFact {
	c := CheckedFact{
		Fact:     Fact{ID: e.ID, Statement: e.Text, Quote: e.Quote, Source: e.Source},
		Families: slices.Clone(e.Families), LeftOut: slices.Clone(e.Location.LeftOut),
	}
	switch v := e.Verdict(); v {
	case "":
		c.Reason = missing(e)
		return c
	case claim.Unjudged:
		c.Reason = unjudgedReason(e.Support, judges)
	default:
		c.Support, c.Reason = v, judgement(e.Support, v)
	}
	if e.Location.Doubt != "" {
		c.Reason = strings.TrimPrefix(c.Reason+"; in doubt: "+shortLine(e.Location.Doubt), "; ")
	}
	return c
}

// judgement is what is to be said of a verdict.
func judgement(s *claim.Support, verdict string) string {
	switch {
	case verdict == claim.Supports && s.Own:
		return shortLine(s.Reason)
	case verdict == claim.Supports:
		return ""
	case verdict == claim.Qualifies:
		return withReason("the passage bears it out in part only", voterReason(s, verdict))
	case verdict == claim.Contradicts:
		return withReason("judges hold that the passage contradicts it", voterReason(s, verdict))
	}
	return withReason("no majority of judges holds that the passage supports it", s.Reason)
}

// unjudgedReason says why nobody has judged a located fact.
func unjudgedReason(s *claim.Support, judges bool) string {
	const located = "located, unjudged"
	switch {
	case !judges:
		return located + ": there is nobody with a model to judge whether the passage supports the statement"
	case s != nil:
		return withReason(located, s.Reason)
	}
	return located + ": it was on no ballot"
}

// voterReason is the reason the first of those gave who answered so.
func voterReason(s *claim.Support, answer string) string {
	for _, v := range s.Votes {
		if v.Answer == answer && v.Reason != "" {
			return v.Reason
		}
	}
	return s.Reason
}

// missing says why a quotation was not located.
func missing(e claim.Entry) string {
	l := e.Location
	if blank(e.Quote) {
		return "no quotation was given"
	}
	if l.State != claim.NotFound {
		return withReason("the source could not be read", l.Reason)
	}
	reason := withReason("the quotation was not found in its source", l.Reason)
	for _, f := range l.Findings {
		reason += fmt.Sprintf("; the %s differs", f.Kind)
		break
	}
	if l.Nearest != "" {
		reason += fmt.Sprintf("; the nearest passage is %q", plain.Line(l.Nearest, maxQuotedRunes))
	}
	return reason
}

// singleSpaced is a text with single blanks.
func singleSpaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// WithSubtopics gives each fact the subtopic under which an agent has brought it: the
// registry does not know of them.
func (r FactCheckResult) WithSubtopics(brought []AgentAnswer) FactCheckResult {
	of := map[string]string{}
	for _, d := range brought {
		for _, f := range d.Facts {
			of[singleSpaced(f.Statement)] = f.Subtopic
		}
	}
	for _, list := range [][]CheckedFact{r.Verified, r.Qualified, r.Unjudged, r.Unverified} {
		for i := range list {
			list[i].Subtopic = of[singleSpaced(list[i].Statement)]
		}
	}
	return r
}
