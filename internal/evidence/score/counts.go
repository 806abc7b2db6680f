package score

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// claimUnit is what counts as one claim: the entries of a group, or one that stands
// alone.
type claimUnit struct {
	id      string
	members []claim.Entry
}

// registryCounts is what was counted in a registry.
type registryCounts struct {
	offline   bool // pages were asked for, and none could be fetched
	all       claim.Registry
	reg       claim.Registry // of facts alone
	reasoned  []claim.Entry  // the claims that rest on these
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
	sound     float64           // mean of the units' soundness
	first     map[string]string // of a passage the first source that has it
}

func countRegistry(reg claim.Registry, in Input) registryCounts {
	reg.Entries = claim.Counted(reg.Entries)
	all := reg
	reg, reasoned := splitFacts(reg)
	s := registryCounts{offline: in.NoWeb && !in.CodeOnly, all: all, reg: reg, reasoned: reasoned, units: groupUnits(reg), questions: in.Questions, first: firstSources(reg)}
	if len(s.questions) == 0 {
		s.questions = []string{topicQuestion}
	}
	s.critical, s.kind = s.criticalUnits()
	for _, u := range s.critical {
		if slices.ContainsFunc(u.members, claim.Entry.Verified) {
			s.verified++
		}
		switch {
		case s.independent(u, claim.Entry.Verified) >= Independent, readers(u) >= Independent:
			s.crossed++
		case s.independent(u, IsEvidence) >= Independent:
			s.unjudged = append(s.unjudged, u.id)
		default:
			s.single = append(s.single, u.id)
		}
	}
	for _, u := range s.units {
		if slices.ContainsFunc(u.members, IsEvidence) {
			s.counted++
		}
		s.sound += u.soundness() / float64(len(s.units))
	}
	s.pitfalls = s.anyEvidence(func(e claim.Entry) bool { return e.Pitfall })
	s.types = s.coveredTypes()
	s.answered = s.answeredQuestions(len(in.Questions) > 0)
	return s
}

// topicQuestion is the id of the question that every plan has.
const topicQuestion = claim.WholeQuestion

// splitFacts takes out of a registry what rests on other claims: it quotes nothing, so
// that there is nothing of it to be counted.
func splitFacts(reg claim.Registry) (facts claim.Registry, reasoned []claim.Entry) {
	facts, facts.Entries = reg, nil
	for _, e := range reg.Entries {
		if e.Kind.RestsOnClaims() {
			reasoned = append(reasoned, e)
			continue
		}
		facts.Entries = append(facts.Entries, e)
	}
	return facts, reasoned
}

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

// criticalUnits are the claims the answer hangs on: those flagged by their authors,
// a handful a question. Where there is none, those that answer a planned question
// are, and where there is none of these either, all.
func (s registryCounts) criticalUnits() ([]claimUnit, string) {
	for _, is := range []func(claim.Entry) bool{s.flagged(), s.answersPlanned} {
		var list []claimUnit
		for _, u := range s.units {
			if slices.ContainsFunc(u.members, is) {
				list = append(list, u)
			}
		}
		if len(list) > 0 {
			return list, "critical claims"
		}
	}
	return s.units, "claims (none is critical)"
}

// flagged tells the claims that their authors call critical, as far as they may.
func (s registryCounts) flagged() func(claim.Entry) bool {
	within := claim.Critical(slices.Concat(s.reg.Entries, s.reasoned))
	return func(e claim.Entry) bool { return within[e.ID] }
}

// answersPlanned reports whether a claim answers a planned question.
func (s registryCounts) answersPlanned(e claim.Entry) bool {
	return slices.ContainsFunc(e.Questions, func(q string) bool { return slices.Contains(s.questions, q) })
}

// independent counts the sources of a claim's evidence of a kind; one that
// repeats another's text is the same, and what a seat has made for its claim is
// none beside others.
func (s registryCounts) independent(u claimUnit, is func(claim.Entry) bool) int {
	origins, made := map[string]bool{}, 0
	for _, e := range u.members {
		switch {
		case !is(e):
		case e.Type == claim.Experiment:
			made = 1
		default:
			origins[s.origin(e)] = true
		}
	}
	return max(len(origins), made)
}

// definesMatter reports whether there can be no second source beside an entry's: the
// code, the standard, and what the program itself has run.
func definesMatter(e claim.Entry) bool {
	return e.Type == claim.Code || e.Type == claim.Standard || e.Type == claim.Experiment
}

// readers counts the model families that have read the same in a source that defines
// the matter, where there can be no second: those that claim it and those whose
// votes support it.
func readers(u claimUnit) int {
	families := map[string]bool{}
	for _, e := range u.members {
		if !e.Verified() || !definesMatter(e) {
			continue
		}
		for _, f := range e.Families {
			families[f] = true
		}
		for _, v := range e.Support.Votes {
			families[v.Family] = families[v.Family] || v.Answer == claim.Supports
		}
	}
	n := 0
	for _, reads := range families {
		if reads {
			n++
		}
	}
	return n
}

// origin is the source that is first to have the passage of an entry, copies followed.
func (s registryCounts) origin(e claim.Entry) string {
	key := e.Key
	if p := passageOf(e); p != "" {
		key = s.first[p]
	}
	return origin(key, s.reg.Copies)
}

// firstSources says of each passage which source has it first.
func firstSources(reg claim.Registry) map[string]string {
	first := map[string]string{}
	for _, e := range reg.Entries {
		if p := passageOf(e); p != "" && first[p] == "" {
			first[p] = e.Key
		}
	}
	return first
}

// minPassage is how many words a passage has at least for its repetition to be no
// chance.
const minPassage = 5

// passageOf is a located passage as it is compared with others: its words; "" for
// one too short to be known again.
func passageOf(e claim.Entry) string {
	list := words.Tokens(e.Location.Passage)
	if len(list) < minPassage || e.Location.State != claim.Located {
		return ""
	}
	return strings.Join(list, " ")
}

// Soundness of a claim by the best evidence for it: 1 is a passage of which votes
// say that it supports the claim, 0 one that was not found, or that says otherwise.
const (
	soundUnjudged = 0.8 // its words are there, and nobody has judged them
	soundDoubtful = 0.6 // elided, nearly the same, qualified, disputed or from a doubtful source
	soundUnread   = 0.2 // its source could not be read
)

func (u claimUnit) soundness() float64 {
	best := 0.0
	for _, e := range u.members {
		best = max(best, soundness(e))
	}
	return best
}

func soundness(e claim.Entry) float64 {
	switch {
	case e.Location.State == claim.Unchecked:
		return soundUnread
	case !IsEvidence(e):
		return 0
	case e.Location.Doubt != "", len(e.Location.Findings) > 0, !claim.IsSure(e.Location), e.Verdict() == claim.Qualifies, e.Verdict() == claim.Undecided:
		return soundDoubtful
	case e.Verified():
		return 1
	}
	return soundUnjudged
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
		if s.anyEvidence(func(e claim.Entry) bool {
			return slices.Contains(t.of, e.Type) && s.origin(e) == origin(e.Key, s.reg.Copies)
		}) {
			types = append(types, t.name)
		}
	}
	return types
}

// answeredQuestions lists the questions that a counted claim answers, or one that
// rests on such. The topic as a
// whole is also answered once all its parts are; and where nothing was
// planned, by any claim that counts.
func (s registryCounts) answeredQuestions(planned bool) []string {
	var list []string
	for _, q := range s.questions {
		if s.anyEvidence(func(e claim.Entry) bool { return slices.Contains(e.Questions, q) }) ||
			slices.ContainsFunc(s.reasoned, func(e claim.Entry) bool { return e.Holds() && slices.Contains(e.Questions, q) }) {
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

// unanswered lists the questions that no counted claim answers.
func (s registryCounts) unanswered() []string {
	return slices.DeleteFunc(slices.Clone(s.questions), func(q string) bool { return slices.Contains(s.answered, q) })
}

// unansweredCritical lists the critical questions that nobody has answered by a
// claim that stands and that an answer hangs on: a fact about the matter alone is
// none.
func (s registryCounts) unansweredCritical(critical []string) []string {
	return slices.DeleteFunc(slices.Clone(critical), func(q string) bool {
		return s.anyEvidence(func(e claim.Entry) bool { return e.Critical && slices.Contains(e.Questions, q) }) ||
			slices.ContainsFunc(s.reasoned, func(e claim.Entry) bool { return e.Holds() && slices.Contains(e.Questions, q) })
	})
}

// maxNamed bounds the ids a gap names.
const maxNamed = 12

// findGaps lists what is missing, in the order of the dimensions.
func (s registryCounts) findGaps() []Gap {
	var gaps []Gap
	add := func(d scope.Dimension, format string, args ...any) {
		gaps = append(gaps, Gap{Dimension: d, What: fmt.Sprintf(format, args...)})
	}
	for _, t := range []struct{ name, what string }{
		{"official", "official documentation or a standard"}, {"code", "code"}, {"community", "the community: cases, measurements, accounts of use"},
	} {
		if !slices.Contains(s.types, t.name) {
			add(scope.Diversity, "no located claim rests on %s", t.what)
			if s.offline {
				gaps[len(gaps)-1].NotHere = "no page could be fetched, and the files at hand have none"
			}
		}
	}
	if len(s.units) == 0 {
		add(scope.CrossChecked, "there is no claim to verify")
	}
	if alone := s.singleWhere(false); len(alone) > 0 {
		add(scope.CrossChecked, "fewer than %d independent located sources for %s", Independent, listIDs(alone))
	}
	if defined := s.singleWhere(true); len(defined) > 0 {
		add(scope.CrossChecked, "code, a standard or an experiment alone says %s", listIDs(defined))
		gaps[len(gaps)-1].NotHere = "it defines the matter, so there is no second source; what counts is that two model families read it alike"
	}
	if len(s.unjudged) > 0 {
		add(scope.CrossChecked, "located in %d independent sources, and not judged to be supported by as many: %s", Independent, listIDs(s.unjudged))
	}
	if unanswered := s.unanswered(); len(unanswered) > 0 {
		add(scope.Questions, "no located claim answers %s", listIDs(unanswered))
	}
	if !s.pitfalls {
		add(scope.Pitfalls, "no located claim tells of a known mistake or danger")
	}
	return gaps
}

// singleWhere are the critical claims without a second source, those whose source
// defines the matter or the others.
func (s registryCounts) singleWhere(defined bool) []string {
	var list []string
	for _, u := range s.critical {
		of := slices.ContainsFunc(u.members, func(e claim.Entry) bool {
			return IsEvidence(e) && definesMatter(e)
		})
		if of == defined && slices.Contains(s.single, u.id) {
			list = append(list, u.id)
		}
	}
	return list
}

func listIDs(ids []string) string {
	if len(ids) <= maxNamed {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:maxNamed], ", "), len(ids)-maxNamed)
}
