package relation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What has one holder only, and what is recommended for one end. The first group is the
// question, the second the answer, or the other way round.
var rivalForms = sync.OnceValue(func() []rivalForm {
	const superlative = `(?:best|worst|largest|biggest|greatest|smallest|highest|lowest|longest|shortest|fastest|slowest|oldest|youngest|newest|first|last|only|main|primary|leading|cheapest|strongest|weakest|deepest|tallest|second[- ]largest|most [a-z]+|least [a-z]+)`
	const held = `(?:licen[cs]e|default(?: [\w-]+){0,2}|[\w-]+ default|capital|founder|author|inventor|chief executive|ceo|president|chairman|headquarters|successor|predecessor|currency|maintainer)`
	var list []rivalForm
	for _, f := range []rivalForm{
		{said: `^(?:the )?(` + superlative + ` .+?) (?:is|are|was|were) (.+)$`, answer: 2},
		{said: `^(.+?) (?:is|are|was|were|has become|remains?) the (` + superlative + ` .+)$`, answer: 1},
		{said: `^(the ` + held + `(?: (?:of|for) .+?)?) (?:is|are|was|were) (.+)$`, answer: 2},
		{said: `^(?:you should |we should |the (?:team|project|report|authors|reviewers) )?(?:always )?(?:use|prefer|choose|pick|recommends?(?: using)?|adopt) (.+?) ((?:for|as) .+)$`, answer: 1},
	} {
		f.pattern = regexp.MustCompile(`(?i)` + f.said)
		list = append(list, f)
	}
	return list
})

// rivalForm is a form of sentences that give one answer to a question.
type rivalForm struct {
	said    string
	pattern *regexp.Regexp
	answer  int // the group that has it
}

// longestAnswer is how many words of content an answer has at most.
const longestAnswer = 6

// rivalAnswers is what two sentences of one form answer otherwise to one question: the
// largest, the default, what to use for it. Neither may say more than that, and no
// year, version or place may tell the two questions apart.
func rivalAnswers(one, other string) Finding {
	a, b := firstClause(one), firstClause(other)
	var question, answer [2]string
	for _, f := range rivalForms() {
		for i, text := range [2]string{a, b} {
			found := f.pattern.FindStringSubmatch(text)
			if found == nil || question[i] != "" || strings.Contains(strings.ToLower(text), "one of the") {
				continue
			}
			question[i], answer[i] = found[3-f.answer], found[f.answer]
		}
	}
	if question[0] == "" || question[1] == "" {
		return Finding{}
	}
	p, q := Read(question[0]), Read(question[1])
	x, y := Read(answer[0]), Read(answer[1])
	if !sameBag(p, q) || !areRivals(p, x, y) || !areRivals(p, y, x) {
		return Finding{}
	}
	return Finding{Kind: Contradicts, Dispute: Fact, Detail: fmt.Sprintf("%q against %q", strings.TrimSpace(answer[0]), strings.TrimSpace(answer[1]))}
}

// firstClause is a sentence up to where it adds something.
func firstClause(text string) string {
	text = strings.TrimRight(strings.TrimSpace(text), ".")
	if at := strings.IndexAny(text, ",;:("); at >= 0 {
		text = text[:at]
	}
	return strings.TrimSpace(text)
}

// sameBag reports whether two phrases have the same words of content and quantities.
func sameBag(p, q Meaning) bool {
	d := newLikening(p, q)
	return len(d.turned)+len(d.numbers)+len(d.restA)+len(d.restB) == 0 && !d.unclear && slices.Equal(d.scopeA, d.scopeB) && len(d.a.terms) > 1 &&
		!slices.ContainsFunc(append(slices.Clone(d.one), d.another...), func(it item) bool { return !it.matched && !isLight(it.stem) })
}

// areRivals reports whether an answer is short, names no case and shares no word with
// another, but for those of the question.
func areRivals(question, x, y Meaning) bool {
	asked := func(stem string) bool {
		return slices.ContainsFunc(question.terms, func(t term) bool { return t.stem == stem })
	}
	if len(x.terms) == 0 || len(x.terms) > longestAnswer || len(x.scope) > 0 || slices.ContainsFunc(x.quantities, func(q quantity) bool { return q.sort == calendar || q.placed }) {
		return false
	}
	return !slices.ContainsFunc(x.terms, func(t term) bool {
		return t.placed || t.aside || t.negated || slices.ContainsFunc(y.terms, func(o term) bool { return o.stem == t.stem && !asked(t.stem) || o.pole.axis != "" && o.pole == t.pole })
	})
}
