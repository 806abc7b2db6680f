package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/claim"
	"research-council/internal/vote"
)

// facts are those that can be looked for: with a statement and a source, each
// once. Ids are for the registry to give.
func (g Gathered) facts() []Fact {
	kept, seen := []Fact{}, map[[3]string]bool{}
	for _, f := range g.Facts {
		f.ID, f.Statement, f.Quote, f.Source = "", line(f.Statement), claim.Clean(f.Quote), line(f.Source)
		k := [3]string{key(f.Statement), key(f.Quote), f.Source}
		if f.Statement == "" || f.Source == "" || seen[k] {
			continue
		}
		seen[k] = true
		kept = append(kept, f)
	}
	return kept
}

// Returned reports whether an agent has brought data: one fact at least that
// can be looked for. Insights alone are none, since nothing can be checked.
func (g Gathered) Returned() bool { return g.Problem == "" && len(g.facts()) > 0 }

// Collect makes the output of the collection of what its agents brought, in
// their order: facts that can be looked for and insights that say something.
func Collect(list []Gathered) CollectionResult {
	r := CollectionResult{Agents: []Gathered{}}
	for _, g := range list {
		g.Facts, g.Insights = g.facts(), lines(g.Insights)
		r.Agents = append(r.Agents, g)
	}
	return r
}

// Output counts the collection for its gate.
func (r CollectionResult) Output() Output {
	o := Output{Planned: len(r.Agents)}
	for _, g := range r.Agents {
		o.Facts += len(g.facts())
		o.Insights += len(lines(g.Insights))
		if g.Returned() {
			o.Returned++
		}
	}
	return o
}

// Drafts are an agent's facts as claims to be registered.
func Drafts(g Gathered) []claim.Draft {
	var list []claim.Draft
	for _, f := range g.facts() {
		list = append(list, claim.Draft{
			Text: f.Statement, Quote: f.Quote, Source: f.Source,
			Seat: g.Seat, Family: g.Family, Round: Collection,
		})
	}
	return list
}

// FactCheck divides the facts of a registry into those that are verified and
// the others, and counts both. A fact is verified when its quotation was
// located and other families hold that the passage supports or qualifies it.
// Where there is no vote, as there cannot be any while judged is false, a
// located quotation has to do, and the fact says so. Sources are counted of
// the verified facts, copies of one text once.
func FactCheck(reg claim.Registry, judged bool) FactCheckResult {
	r := FactCheckResult{Verified: []Checked{}, Unverified: []Checked{}}
	sources := map[string]bool{}
	for _, e := range reg.Entries {
		c, ok := check(e, judged)
		r.Stats.count(e, c, ok)
		if !ok {
			r.Unverified = append(r.Unverified, c)
			continue
		}
		r.Verified = append(r.Verified, c)
		sources[original(reg, e.Key)] = true
	}
	r.Stats.Sources = len(sources)
	return r
}

// original is the source whose text another repeats, or the source itself.
func original(reg claim.Registry, source string) string {
	if of, copied := reg.Copies[source]; copied {
		return of
	}
	return source
}

func (s *Stats) count(e claim.Entry, c Checked, verified bool) {
	s.Total++
	if e.Location.State == claim.Located {
		s.Located++
	}
	switch {
	case !verified:
		s.Unverified++
		return
	case c.Support == "":
		s.Unjudged++
	default:
		s.Supported++
	}
	s.Verified++
}

// check looks at one fact.
func check(e claim.Entry, judged bool) (c Checked, verified bool) {
	c = Checked{
		Fact:     Fact{ID: e.ID, Statement: e.Text, Quote: e.Quote, Source: e.Source},
		Families: slices.Clone(e.Families),
	}
	if e.Location.State != claim.Located {
		c.Reason = missing(e)
		return c, false
	}
	if e.Support == nil || len(e.Support.Votes) == 0 {
		if c.Reason = unjudged(e.Support, judged); e.Location.Doubt != "" {
			c.Reason += "; in doubt: " + said(e.Location.Doubt)
		}
		return c, true
	}
	c.Support = e.Support.Verdict
	switch e.Support.Verdict {
	case vote.Supports, vote.Qualifies:
		if e.Location.Doubt != "" {
			c.Reason = "in doubt: " + said(e.Location.Doubt)
		}
		return c, true
	case vote.Contradicts:
		c.Reason = because("other families hold that the passage contradicts it", voiced(e.Support, vote.Contradicts))
	default:
		c.Reason = because("other families could not say that the passage supports it", e.Support.Reason)
	}
	return c, false
}

// unjudged says why a located fact has no support.
func unjudged(s *claim.Support, judged bool) string {
	const located = "the quotation was located, and nobody of another family has judged whether it supports the statement"
	switch {
	case !judged:
		return "the quotation was located, and there is no other family to judge whether it supports the statement"
	case s != nil:
		return because(located, s.Reason)
	}
	return located
}

// voiced is the reason the first of those gave who answered so.
func voiced(s *claim.Support, answer string) string {
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
		return because("the source could not be read", l.Reason)
	}
	reason := because("the quotation was not found in its source", l.Reason)
	for _, f := range l.Findings {
		reason += fmt.Sprintf("; the %s differs", f.Kind)
		break
	}
	if l.Nearest != "" {
		reason += fmt.Sprintf("; the nearest passage is %q", agent.Plain(l.Nearest, mostSaid))
	}
	return reason
}

// spaced is a text with single blanks.
func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// Under gives each fact the subtopic under which an agent has brought it: the
// registry does not know of them.
func (r FactCheckResult) Under(brought []Gathered) FactCheckResult {
	of := map[string]string{}
	for _, d := range brought {
		for _, f := range d.Facts {
			of[spaced(f.Statement)] = f.Subtopic
		}
	}
	for _, list := range [][]Checked{r.Verified, r.Unverified} {
		for i := range list {
			list[i].Subtopic = of[spaced(list[i].Statement)]
		}
	}
	return r
}
