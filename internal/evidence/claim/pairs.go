package claim

import (
	"slices"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/relation"
)

// PairsToCompare are the pairs of entries that families should be asked about, at
// most so many, in this order: those of which a seat says that not both hold, half of
// them at most; pieces of advice of different families on one question, each with each;
// what the rules or one family see in conflict; inferences of different families on one
// question, a sixth of them; of [relation.Candidates] what may well
// clash; and then the rest. Of what is left for these two a third is kept for what may
// clash, and the rest has two thirds, so that copies of one sentence do not use up what judges read.
// Of a group one entry stands for all, and a claim whose quotation was not found, or
// that rests on nothing that holds, is not worth the question. Pairs that are judged
// are not asked about again.
func PairsToCompare(reg Registry, most int) [][2]Entry { return choosePairs(reg, most, nil) }

// PairsWith are those of the pairs in which one of these entries stands, which have come
// after others were compared; at most so many.
func PairsWith(reg Registry, these []Entry, most int) [][2]Entry {
	with := map[string]bool{}
	for _, e := range these {
		with[e.ID] = true
	}
	return choosePairs(reg, most, with)
}

// choosePairs chooses pairs in which one of the entries stands; nil for any.
func choosePairs(reg Registry, most int, with map[string]bool) [][2]Entry {
	c := choice{asked: map[[2]string]bool{}, most: most, with: with}
	for _, r := range reg.Relations {
		c.asked[[2]string{r.A, r.B}] = true
	}
	stated := statedPairs(reg)
	c.add(stated[:min(len(stated), (most+1)/2)]...)
	entries := comparable(reg)
	slices.SortStableFunc(entries, func(a, b Entry) int { // bounds leave out the last
		switch {
		case with[a.ID] == with[b.ID]:
			return 0
		case with[a.ID]:
			return -1
		}
		return 1
	})
	advice := answerPairs(entries)
	c.addUpTo(most/2, advice)
	possible := possiblePairs(reg)
	c.addUpTo(most/2, possible)
	conclusions := conclusionPairs(entries)
	c.addUpTo(min(len(c.pairs)+most/6, most/2), conclusions)
	clashing, others := candidatePairs(entries)
	c.addUpTo(len(c.pairs)+(most-len(c.pairs))/3, clashing)
	for _, rest := range [][][2]Entry{others, clashing, advice, conclusions, possible, stated} {
		c.add(rest...)
	}
	return c.pairs
}

// choice is what is chosen of pairs, each once.
type choice struct {
	asked map[[2]string]bool
	pairs [][2]Entry
	most  int
	with  map[string]bool // one of a pair; nil for any
}

func (c *choice) add(pairs ...[2]Entry) { c.addUpTo(c.most, pairs) }

// addUpTo adds pairs while there are fewer than so many in all.
func (c *choice) addUpTo(most int, pairs [][2]Entry) {
	for _, p := range pairs {
		if byID(p[0].ID, p[1].ID) > 0 {
			p[0], p[1] = p[1], p[0]
		}
		ids := [2]string{p[0].ID, p[1].ID}
		if c.with != nil && !c.with[ids[0]] && !c.with[ids[1]] {
			continue
		}
		if ids[0] != ids[1] && !c.asked[ids] && len(c.pairs) < most {
			c.asked[ids] = true
			c.pairs = append(c.pairs, p)
		}
	}
}

// possiblePairs are the sides of conflicts that nobody has agreed on nor denied.
func possiblePairs(reg Registry) [][2]Entry {
	d := newDocket(reg)
	var pairs [][2]Entry
	for _, c := range reg.Conflicts {
		a, okA := d.entries[c.A]
		b, okB := d.entries[c.B]
		if okA && okB && c.Possible && c.Status != Dismissed {
			pairs = append(pairs, [2]Entry{a, b})
		}
	}
	return pairs
}

// candidatePairs are the likely pairs of entries: those that may well clash, and the
// others without what groups imply. A fact and a recommendation are never the same, and
// a pair of them would take the place of two facts that may be.
func candidatePairs(entries []Entry) (clashing, others [][2]Entry) {
	advice := func(e Entry) bool { return e.Kind == Recommendation }
	for _, alike := range [][]Entry{
		slices.DeleteFunc(slices.Clone(entries), advice),
		slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return !advice(e) }),
	} {
		one, other := candidatesAmong(alike)
		clashing, others = append(clashing, one...), append(others, other...)
	}
	return clashing, others
}

// mostPairs is in how many pairs an entry is at most that judges are shown: more than
// the rules look at, since the first are often claims of its own seat.
const mostPairs = relation.MostPairs + 2

// candidatesAmong are the likely pairs of entries of which each may be the same as any
// other.
func candidatesAmong(entries []Entry) (clashing, others [][2]Entry) {
	statements := make([]relation.Statement, len(entries))
	for i, e := range entries {
		statements[i] = relation.Statement{ID: e.ID, Text: e.Text, Source: e.Key, First: e.Location.First, Last: e.Location.Last, Questions: e.Questions, Measured: e.Type == Experiment}
		if len(e.Families) == 1 {
			statements[i].Family = e.Families[0]
		}
	}
	one, other := relation.Sort(statements, relation.Candidates(statements, mostPairs))
	for _, p := range one {
		clashing = append(clashing, [2]Entry{entries[p.A], entries[p.B]})
	}
	for _, p := range other {
		others = append(others, [2]Entry{entries[p.A], entries[p.B]})
	}
	return clashing, others
}

// NotJudged are the claims that stages have brought and nobody has voted on, and those that
// votes have seen resting on others than now: of both what somebody still makes and whose
// quotation was located, or that rest on claims that hold.
func NotJudged(entries []Entry, stages ...string) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool {
		holds := e.Location.State == Located || e.Location.State == Reasoned
		isNew := e.Support == nil && e.isOf(stages) || e.Support != nil && e.Support.Former
		return !holds || e.IsWithdrawn() || !isNew
	})
}

// isOf reports whether one of some stages has brought a claim.
func (e Entry) isOf(stages []string) bool {
	return slices.ContainsFunc(stages, func(s string) bool { return slices.Contains(e.Rounds, s) })
}

// Shaken are the claims that votes were given on and that rest, in however many steps, on
// one that a claim brought by a stage has been found to contradict since.
func Shaken(reg Registry, stages ...string) []Entry {
	fallen := map[string]bool{}
	for _, c := range reg.Conflicts {
		for _, side := range [2]string{c.A, c.B} {
			against := slices.DeleteFunc(reg.Contradicting(side), func(o Entry) bool { return !o.isOf(stages) })
			for _, id := range reg.SameAs(side) {
				fallen[id] = fallen[id] || len(against) > 0
			}
		}
	}
	above := restingOn(reg.Entries, fallen)
	return slices.DeleteFunc(slices.Clone(reg.Entries), func(e Entry) bool {
		return !above[e.ID] || e.Support == nil || e.Support.Former || !e.Holds() || e.IsWithdrawn()
	})
}

// restingOn are the claims that rest on some of these, in however many steps.
func restingOn(entries []Entry, grounds map[string]bool) map[string]bool {
	above := map[string]bool{}
	for more := true; more; {
		more = false
		for _, e := range entries {
			rests := slices.ContainsFunc(e.RestsOn, func(id string) bool { return grounds[id] || above[id] })
			if rests && !above[e.ID] {
				above[e.ID], more = true, true
			}
		}
	}
	return above
}

// isComparable reports whether a claim is worth comparing: its quotation may stand in
// its source, or what it rests on holds, and somebody claims it.
func (e Entry) isComparable() bool {
	return e.Location.State != NotFound && e.Location.State != Unfounded && !e.IsWithdrawn()
}

// comparable are the entries worth comparing, by their ids: of a group the first.
func comparable(reg Registry) []Entry {
	stands := map[string]string{} // for the others of its group
	for _, g := range reg.Groups {
		for _, id := range g.Members {
			stands[id] = g.ID
		}
	}
	var list []Entry
	for _, e := range reg.Entries {
		if first, grouped := stands[e.ID]; e.isComparable() && (!grouped || first == e.ID) {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return byID(a.ID, b.ID) })
	return list
}

// maxAnswers bounds how many pieces of advice are held against each other.
const maxAnswers = 48

// answerPairs are the recommendations on one question, each with each, those of
// different families first, and of these those first that are alike in their words; what
// names no question speaks to the whole, and what answers another part first has to speak of
// the same. Behind them each stands with facts and inferences
// of other families that advise something too, where they speak of the same; where nobody
// recommends anything as such, these stand with each other.
func answerPairs(entries []Entry) [][2]Entry {
	var answers, asides []Entry
	for _, e := range entries {
		switch {
		case e.Kind == Recommendation:
			answers = append(answers, e)
		case len(asides) < maxAnswers && relation.Advises(e.Text):
			asides = append(asides, e)
		}
	}
	nobody := len(answers) == 0
	answers = append(answers, asides...)
	topics := topicsOf(entries)
	var rivals, kin, besides [][2]Entry
	for _, pair := range pairsOnAQuestion(answers[:min(len(answers), maxAnswers)]) {
		given := pair[0].Kind == Recommendation && pair[1].Kind == Recommendation
		switch kindred := areKindred(pair); {
		case given && areOnOthers(pair) && !topics.share(pair):
		case given && !kindred:
			rivals = append(rivals, pair)
		case given:
			kin = append(kin, pair)
		case kindred:
		case nobody, (pair[0].Kind == Recommendation || pair[1].Kind == Recommendation) && !pair[0].restsOn(pair[1]) && topics.share(pair):
			besides = append(besides, pair)
		}
	}
	return slices.Concat(rivals, kin, besides)
}

// topics knows in how many of the entries each stem of their words is.
type topics struct {
	count map[string]int
	of    int
}

func topicsOf(entries []Entry) topics {
	t := topics{map[string]int{}, len(entries)}
	for _, e := range entries {
		for _, stem := range distinctStems(e.Text) {
			t.count[stem]++
		}
	}
	return t
}

func distinctStems(text string) []string {
	list := words.Stems(text)
	slices.Sort(list)
	return slices.Compact(list)
}

// share reports whether two entries have two words or more that few others have: what
// nearly all name, and how they give advice, says nothing.
func (t topics) share(pair [2]Entry) bool {
	n := 0
	others := distinctStems(pair[1].Text)
	for _, stem := range distinctStems(pair[0].Text) {
		if _, found := slices.BinarySearch(others, stem); found && t.count[stem] <= max(3, t.of/12) {
			n++
		}
	}
	return n > 1
}

// areOnOthers reports whether two entries answer different parts of the question first, and
// neither the whole of it.
func areOnOthers(pair [2]Entry) bool {
	one, other := pair[0].asked()[0], pair[1].asked()[0]
	return one != other && one != WholeQuestion && other != WholeQuestion
}

// restsOn reports whether one of two entries rests on the other.
func (e Entry) restsOn(o Entry) bool {
	return slices.Contains(e.RestsOn, o.ID) || slices.Contains(o.RestsOn, e.ID)
}

// conclusionPairs are inferences of different families that answer one planned question,
// those first that are alike in their words.
func conclusionPairs(entries []Entry) [][2]Entry {
	drawn := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Kind != Inference || len(e.Questions) == 0 })
	return slices.DeleteFunc(pairsOnAQuestion(drawn[:min(len(drawn), maxAnswers)]), areKindred)
}

// areKindred reports whether one family alone says both of two entries.
func areKindred(pair [2]Entry) bool {
	a, b := pair[0].Families, pair[1].Families
	return len(a) == 1 && len(b) == 1 && a[0] == b[0]
}

// pairsOnAQuestion are the entries that answer one question, each with each, those that
// are alike in their words first.
func pairsOnAQuestion(entries []Entry) [][2]Entry {
	statements := make([]relation.Statement, len(entries))
	for i, e := range entries {
		statements[i] = relation.Statement{ID: e.ID, Text: e.Text}
	}
	var pairs [][2]Entry
	told := map[relation.Pair]bool{}
	add := func(p relation.Pair) {
		if a, b := entries[p.A], entries[p.B]; !told[p] && a.SharesQuestion(b) {
			pairs = append(pairs, [2]Entry{a, b})
		}
		told[p] = true
	}
	for _, p := range relation.Candidates(statements, relation.MostPairs) {
		add(p)
	}
	for i := range entries {
		for j := i + 1; j < len(entries); j++ {
			add(relation.Pair{A: i, B: j})
		}
	}
	return pairs
}

// SharesQuestion reports whether two entries answer one question.
func (e Entry) SharesQuestion(o Entry) bool {
	return slices.ContainsFunc(e.asked(), func(q string) bool { return slices.Contains(o.asked(), q) })
}

// WholeQuestion is the id of the question that every plan has: what was asked.
const WholeQuestion = "Q1"

// asked are the questions an entry answers, the whole where it names none.
func (e Entry) asked() []string {
	if len(e.Questions) == 0 {
		return []string{WholeQuestion}
	}
	return e.Questions
}
