package stagedlibrarian

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/staged"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
)

// Evidence is what the later stages of staged research start from.
type Evidence struct {
	Topic    string // the person's question
	Brief    staged.Brief
	Check    staged.FactCheckResult
	Registry claim.Registry
	Revision string // what a review asks to have changed; "" for nothing
}

// Bounds of what is told of evidence.
const (
	maxIDs      = 12      // ids of one statement
	maxRevision = 4 << 10 // bytes of a revision that are read
	maxIDDigits = 6
)

// preparedEvidence is evidence made ready: facts the registry does not hold are gone.
type preparedEvidence struct {
	Evidence
	*librarian.Arrangement                               // of the usable facts, those first that bear most on the question
	usable                 map[string]staged.CheckedFact // verified, qualified, or located and unjudged; by id
	unsure                 []staged.CheckedFact          // the others
	entries                map[string]claim.Entry        // all of the registry, by id
	group                  map[string]claim.Group        // that an entry is in
	named                  map[string]bool               // ids the revision names
	disputed               []claim.Conflict              // nobody has settled, each about a usable fact
}

func prepareEvidence(e Evidence) *preparedEvidence {
	r := &preparedEvidence{
		Evidence: e, usable: map[string]staged.CheckedFact{}, entries: map[string]claim.Entry{},
		group: map[string]claim.Group{}, named: map[string]bool{},
	}
	r.Revision = strings.ToValidUTF8(e.Revision[:min(len(e.Revision), maxRevision)], "\ufffd")
	for _, w := range words.Split(r.Revision) {
		r.named[w.Text] = isClaimID(w.Text)
	}
	for _, one := range e.Registry.Entries {
		if _, twice := r.entries[one.ID]; !twice && isClaimID(one.ID) {
			r.entries[one.ID] = one
		}
	}
	for _, g := range e.Registry.Groups {
		for _, id := range g.Members {
			r.group[id] = g
		}
	}
	facts := r.facts()
	r.disputed = r.conflicts()
	r.Arrangement = librarian.Arrange(strings.Join([]string{e.Topic, e.Topic, e.Brief.Goal, r.Revision}, "\n"), facts)
	slices.SortStableFunc(r.All, func(a, b librarian.Statement) int { return doubtOrder(r.named[a.ID]) - doubtOrder(r.named[b.ID]) })
	return r
}

// doubtOrder puts what is doubted behind what is not.
func doubtOrder(doubted bool) int {
	if doubted {
		return 1
	}
	return 0
}

// facts sorts the facts that were checked and gives the usable ones, the
// first of them where there are more than anybody reads.
func (r *preparedEvidence) facts() []claim.Entry {
	var out []claim.Entry
	for _, c := range r.Check.Usable() {
		one, ok := r.entries[c.ID]
		if _, twice := r.usable[c.ID]; ok && !twice {
			r.usable[c.ID] = c
			out = append(out, one)
		}
	}
	seen := map[string]bool{}
	for _, c := range r.Check.Unverified {
		_, ok := r.entries[c.ID]
		if _, twice := r.usable[c.ID]; ok && !twice && !seen[c.ID] {
			seen[c.ID] = true
			r.unsure = append(r.unsure, c)
		}
	}
	return out[:min(len(out), maxInput)]
}

// isClaimID reports whether a word is the id of a claim.
func isClaimID(id string) bool {
	return len(id) > 1 && len(id) <= 1+maxIDDigits && id[0] == 'C' && id[1] != '0' && strings.Trim(id[1:], "0123456789") == ""
}

// plainSentence is foreign text for a sentence of an answer: one line, without
// brackets that could be citations and without its full stop.
func plainSentence(s string) string {
	s = strings.NewReplacer("[", "(", "]", ")").Replace(cleanLine(withoutEmphasis(s)))
	return strings.TrimRight(s, ". ")
}

// singleSourceFacts are the usable facts that rest on one source alone.
func (r *preparedEvidence) singleSourceFacts() []string {
	return r.factsWhere(func(c librarian.Statement) bool { return r.group[c.ID].Sources < 2 })
}

// countJudged counts the usable facts of which judges have said so; "" is for those
// that nobody has judged.
func (r *preparedEvidence) countJudged(verdict string) int {
	n := 0
	for _, c := range r.usable {
		if c.Support == verdict {
			n++
		}
	}
	return n
}

// unjudgedFacts are the usable facts of which nobody has said that their passages
// support them.
func (r *preparedEvidence) unjudgedFacts() []string {
	return r.factsWhere(func(c librarian.Statement) bool { return r.usable[c.ID].Support == "" })
}

// factsWhere are the ids of the usable facts that fit.
func (r *preparedEvidence) factsWhere(fits func(librarian.Statement) bool) []string {
	var out []string
	for _, c := range r.All {
		if fits(c) {
			out = append(out, c.ID)
		}
	}
	return out
}

func idsOf(list []staged.CheckedFact) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.ID
	}
	return out
}

// factsOf counts ids, and says when not all of them are given.
func factsOf(ids []string) string {
	s := plural.Of(len(ids), "fact")
	if len(ids) > maxIDs {
		s += fmt.Sprintf(" (the first %d are named here)", maxIDs)
	}
	return s
}

// firstIDs are the first ids of a list, never nil.
func firstIDs(ids []string) []string { return append([]string{}, ids[:min(len(ids), maxIDs)]...) }

// reasons says why facts are not usable, and of how many each holds.
func (r *preparedEvidence) reasons() string {
	n := map[string]int{}
	for _, c := range r.unsure {
		reason := plainSentence(c.Reason)
		if reason == "" {
			reason = "no reason given"
		}
		n[plain.Line(reason, shownTopic)]++
	}
	keys := slices.Sorted(maps.Keys(n))
	slices.SortStableFunc(keys, func(a, b string) int { return n[b] - n[a] })
	parts := make([]string, 0, maxRecurring)
	for _, k := range keys[:min(len(keys), maxRecurring)] {
		parts = append(parts, fmt.Sprintf("%s (%d)", k, n[k]))
	}
	return strings.Join(parts, "; ")
}

// sourceFacts is a source and the usable facts it holds.
type sourceFacts struct {
	key string
	ids []string
}

// factsBySource are the sources of the usable facts, those first that hold most.
func (r *preparedEvidence) factsBySource() []sourceFacts {
	at := map[string]int{}
	var out []sourceFacts
	for _, c := range r.All {
		if _, ok := at[c.Key]; !ok {
			at[c.Key] = len(out)
			out = append(out, sourceFacts{key: c.Key})
		}
		s := &out[at[c.Key]]
		s.ids = append(s.ids, c.ID)
	}
	slices.SortStableFunc(out, func(a, b sourceFacts) int { return len(b.ids) - len(a.ids) })
	return out
}

// name is a source in a sentence. Addresses are left to the list of sources.
func (s sourceFacts) name() string {
	if name := plainSentence(strings.TrimPrefix(s.key, "file:")); name != "" && !strings.Contains(name, "://") && !strings.Contains(strings.ToLower(name), "www.") {
		return plain.Line(name, shownTopic)
	}
	return "the source of " + s.ids[0]
}

// unmetTerms are the terms of the question that no usable fact holds.
func (r *preparedEvidence) unmetTerms() []string {
	have := map[string]bool{}
	for _, c := range r.All {
		for _, st := range append(words.Stems(c.Text), words.Stems(c.Quote)...) {
			have[st] = true
		}
	}
	var out []string
	for _, term := range librarian.UnmetTerms(r.Topic, have) {
		out = append(out, plainSentence(term))
	}
	return out[:min(len(out), maxListed)]
}

// emptySubtopics are the subtopics of facts none of which is usable.
func (r *preparedEvidence) emptySubtopics() []string {
	have, out := map[string]bool{}, []string{}
	for _, c := range r.usable {
		have[c.Subtopic] = true
	}
	for _, c := range r.unsure {
		if s := c.Subtopic; isNumberedID(s, 'T') && !have[s] && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxListed)]
}

// conflicts are the conflicts nobody has settled, between facts that the
// registry holds and of which one at least is usable.
func (r *preparedEvidence) conflicts() []claim.Conflict {
	var out []claim.Conflict
	for _, c := range r.Registry.Conflicts {
		_, a := r.entries[c.A]
		_, b := r.entries[c.B]
		_, sureA := r.usable[c.A]
		_, sureB := r.usable[c.B]
		settled := c.Status == claim.ResolvedA || c.Status == claim.ResolvedB
		if a && b && (sureA || sureB) && !settled && len(out) < maxListed {
			out = append(out, c)
		}
	}
	return out
}

// evidence reads what a turn was handed: which of its texts are the fact-check
// and the registry, by their places.
func evidence(texts []string, check, registry int) (Evidence, error) {
	var e Evidence
	if err := decode(texts[check], "fact-check", &e.Check); err != nil {
		return e, err
	}
	reg, err := claim.ParseRegistry([]byte(texts[registry]))
	if err != nil {
		return e, librarian.Refusal("the registry cannot be read: " + err.Error())
	}
	e.Registry = reg
	return e, nil
}
