package score

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/scope"
)

// claimUnit is what counts as one claim: the entries of a group, or one that stands
// alone.
type claimUnit struct {
	id      string
	members []claim.Entry
}

// registryCounts is what was counted in a registry.
type registryCounts struct {
	reg       claim.Registry
	units     []claimUnit
	counted   int         // units with a member that counts
	types     []string    // covered source types, in the order official, code, community
	critical  []claimUnit // those that ought to be verified
	kind      string      // what these are, for people
	verified  int
	crossed   int      // verified in independent sources
	single    []string // ids of critical ones that were not located in as many
	unjudged  []string // ids of those that were, and that votes do not support there
	questions []string
	answered  []string
	pitfalls  bool
}

func countRegistry(reg claim.Registry, in Input) registryCounts {
	s := registryCounts{reg: reg, units: groupUnits(reg), questions: in.Questions}
	if len(s.questions) == 0 {
		s.questions = []string{topicQuestion}
	}
	s.critical, s.kind = s.criticalUnits()
	for _, u := range s.critical {
		if slices.ContainsFunc(u.members, claim.Entry.Verified) {
			s.verified++
		}
		switch {
		case independent(u, reg.Copies, claim.Entry.Verified) >= Independent:
			s.crossed++
		case independent(u, reg.Copies, IsEvidence) >= Independent:
			s.unjudged = append(s.unjudged, u.id)
		default:
			s.single = append(s.single, u.id)
		}
	}
	for _, u := range s.units {
		if slices.ContainsFunc(u.members, IsEvidence) {
			s.counted++
		}
	}
	s.pitfalls = s.anyEvidence(func(e claim.Entry) bool { return e.Pitfall })
	s.types = s.coveredTypes()
	s.answered = s.answeredQuestions(len(in.Questions) > 0)
	return s
}

// topicQuestion is the id of the question that every plan has.
const topicQuestion = "Q1"

// groupUnits gathers the entries of each group. Entries in no group are one each.
func groupUnits(reg claim.Registry) []claimUnit {
	home := map[string]string{}
	for _, g := range reg.Groups {
		for _, id := range g.Members {
			home[id] = g.ID
		}
	}
	at := map[string]int{}
	var units []claimUnit
	for _, e := range reg.Entries {
		id := e.ID
		if g, ok := home[e.ID]; ok {
			id = g
		}
		i, ok := at[id]
		if !ok || id == "" { // without ids nothing is known to be the same
			i, at[id] = len(units), len(units)
			units = append(units, claimUnit{id: id})
		}
		units[i].members = append(units[i].members, e)
	}
	return units
}

// IsEvidence reports whether a claim is evidence: the program located its
// quotation, and no vote found the passage to contradict it.
func IsEvidence(e claim.Entry) bool {
	return e.Location.State == claim.Located && e.Verdict() != claim.Contradicts
}

// anyEvidence reports whether a claim that counts is so.
func (s registryCounts) anyEvidence(is func(claim.Entry) bool) bool {
	return slices.ContainsFunc(s.reg.Entries, func(e claim.Entry) bool { return IsEvidence(e) && is(e) })
}

// criticalUnits are the claims the answer hangs on: those flagged by their authors
// and those that answer a planned question. Where there is none, all are.
func (s registryCounts) criticalUnits() ([]claimUnit, string) {
	var list []claimUnit
	for _, u := range s.units {
		if slices.ContainsFunc(u.members, s.isCritical) {
			list = append(list, u)
		}
	}
	if len(list) == 0 {
		return s.units, "claims (none is critical)"
	}
	return list, "critical claims"
}

func (s registryCounts) isCritical(e claim.Entry) bool { return e.Critical || s.answersPlanned(e) }

// answersPlanned reports whether a claim answers a planned question.
func (s registryCounts) answersPlanned(e claim.Entry) bool {
	return slices.ContainsFunc(e.Questions, func(q string) bool { return slices.Contains(s.questions, q) })
}

// independent counts the sources of a claim's evidence of a kind; one that
// repeats another's text is the same.
func independent(u claimUnit, copies map[string]string, is func(claim.Entry) bool) int {
	origins := map[string]bool{}
	for _, e := range u.members {
		if is(e) {
			origins[origin(e.Key, copies)] = true
		}
	}
	return len(origins)
}

// origin follows copies to the text they repeat. The bound ends a circle.
func origin(key string, copies map[string]string) string {
	for range len(copies) {
		next, ok := copies[key]
		if !ok {
			break
		}
		key = next
	}
	return key
}

func (s registryCounts) coveredTypes() []string {
	var types []string
	for _, t := range []struct {
		name string
		of   []claim.SourceType
	}{
		{"official", []claim.SourceType{claim.Official, claim.Standard}},
		{"code", []claim.SourceType{claim.Code}},
		{"community", []claim.SourceType{claim.Community, claim.Publication}},
	} {
		if s.anyEvidence(func(e claim.Entry) bool { return slices.Contains(t.of, e.Type) }) {
			types = append(types, t.name)
		}
	}
	return types
}

// answeredQuestions lists the questions that a counted claim answers. The topic as a
// whole is also answered once all its parts are; and where nothing was
// planned, by any claim that counts.
func (s registryCounts) answeredQuestions(planned bool) []string {
	var list []string
	for _, q := range s.questions {
		if s.anyEvidence(func(e claim.Entry) bool { return slices.Contains(e.Questions, q) }) {
			list = append(list, q)
		}
	}
	parts := len(s.questions) - 1
	whole := slices.Contains(s.questions, topicQuestion) && !slices.Contains(list, topicQuestion)
	if whole && (parts > 0 && len(list) == parts || !planned && s.counted > 0) {
		list = append([]string{topicQuestion}, list...)
	}
	return list
}

// maxNamed bounds the ids a gap names.
const maxNamed = 12

// findGaps lists what is missing, in the order of the dimensions.
func (s registryCounts) findGaps() []Gap {
	var gaps []Gap
	add := func(d scope.Dimension, format string, args ...any) {
		gaps = append(gaps, Gap{d, fmt.Sprintf(format, args...)})
	}
	for _, t := range []struct{ name, what string }{
		{"official", "official documentation or a standard"}, {"code", "code"}, {"community", "the community: cases, measurements, accounts of use"},
	} {
		if !slices.Contains(s.types, t.name) {
			add(scope.Diversity, "no located claim rests on %s", t.what)
		}
	}
	if len(s.units) == 0 {
		add(scope.CrossChecked, "there is no claim to verify")
	}
	if len(s.single) > 0 {
		add(scope.CrossChecked, "fewer than %d independent located sources for %s", Independent, listIDs(s.single))
	}
	if len(s.unjudged) > 0 {
		add(scope.CrossChecked, "located in %d independent sources, and not judged to be supported by as many: %s", Independent, listIDs(s.unjudged))
	}
	var unanswered []string
	for _, q := range s.questions {
		if !slices.Contains(s.answered, q) {
			unanswered = append(unanswered, q)
		}
	}
	if len(unanswered) > 0 {
		add(scope.Questions, "no located claim answers %s", listIDs(unanswered))
	}
	if !s.pitfalls {
		add(scope.Pitfalls, "no located claim tells of a known mistake or danger")
	}
	return gaps
}

func listIDs(ids []string) string {
	if len(ids) <= maxNamed {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:maxNamed], ", "), len(ids)-maxNamed)
}
