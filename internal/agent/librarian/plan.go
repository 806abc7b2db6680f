package librarian

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"research-council/internal/product/staged"

	"research-council/internal/base/plain"
	"research-council/internal/base/plural"
	"research-council/internal/base/words"
)

// Bounds of a plan.
const (
	maxHeadings    = 5 // subtopics that are headings of the files
	maxTermParts   = 2 // and terms that what answers has in common
	maxBriefParts  = 4 // and what the brief asks for beyond the question
	minParts       = 3 // subtopics at least
	minAgents      = 3
	queryTerms     = 4 // words of the question in each query
	headingPassage = breadth
)

// generalAspects are what can be looked for on any subject; they stand in where the
// files give too few subtopics. The words are searched for.
var generalAspects = []struct{ title, query string }{
	{"What it is: definitions and purpose", "defined means purpose called"},
	{"When it does not hold: conditions, exceptions and limits", "unless except only limit until"},
	{"How it is done: steps and causes", "first then because before after"},
}

// subtopicDraft is a subtopic in the making.
type subtopicDraft struct {
	title, query string
}

// planner is a plan in the making.
type planner struct {
	*researcher
	brief  staged.Brief
	beyond map[string]bool // stems of what is out of scope
}

// MakePlan divides a question into subtopics by what its brief adds to it, by
// the headings under which its words stand in the files and by the terms these
// passages share, and deals the subtopics out to agents. The first subtopic is
// the question itself.
func MakePlan(ctx context.Context, topic string, brief staged.Brief, lib Library) (staged.Plan, error) {
	r, err := begin(ctx, Question{Topic: topic, Iterations: 1}, lib)
	if err != nil {
		return staged.Plan{}, err
	}
	p := planner{researcher: r, brief: brief, beyond: map[string]bool{}}
	asked := stemSet(topic)
	for st := range stemSet(strings.Join(brief.OutOfScope, " ")) {
		p.beyond[st] = !asked[st] && !dullStems()[st]
	}
	parts, err := p.parts(ctx)
	if err != nil {
		return staged.Plan{}, err
	}
	core := p.coreTerms()
	plan := staged.Plan{Quality: p.qualityCriteria()}
	for i, one := range parts {
		plan.Subtopics = append(plan.Subtopics, staged.Subtopic{
			ID: fmt.Sprintf("T%d", i+1), Title: one.title,
			Questions: []string{plain.Line("What do the files say on this that bears on "+termsOrQuestion(core), lineRunes) + "?"},
		})
	}
	plan.Agents = dealSubtopics(plan.Subtopics, parts, strings.Join(core, " "))
	return plan, nil
}

func termsOrQuestion(core []string) string {
	if len(core) == 0 {
		return "the question"
	}
	return quoteTerms(core)
}

// coreTerms are the words of the question that tell most in these files, or its
// first ones where none stands there.
func (p *planner) coreTerms() []string {
	var out []string
	for _, c := range p.rank.concepts[:min(len(p.rank.concepts), queryTerms)] {
		out = append(out, plain.Line(c.name, titleRunes))
	}
	if len(out) == 0 {
		return termsOf(p.result.Topic, queryTerms)
	}
	return out
}

// dealSubtopics gives each agent every so manieth subtopic.
func dealSubtopics(subtopics []staged.Subtopic, parts []subtopicDraft, core string) []staged.Assignment {
	n := min(max(len(parts), minAgents), staged.Agents)
	agents := make([]staged.Assignment, n)
	for i, s := range subtopics {
		a := &agents[i%n]
		a.Subtopics = append(a.Subtopics, s.ID)
		if q := plain.Line(core+" "+parts[i].query, lineRunes); q != "" {
			a.Queries = append(a.Queries, q)
		}
		a.Focus = strings.TrimPrefix(a.Focus+"; "+s.Title, "; ")
	}
	for i := range agents {
		agents[i].ID = fmt.Sprintf("A%d", i+1)
		agents[i].Focus = plain.Line("Passages found by their words on: "+agents[i].Focus, answerRunes)
	}
	return agents
}

// briefParts are the parts of the brief that hold words the files know and the
// question does not have.
func (p *planner) briefParts(ctx context.Context) ([]subtopicDraft, error) {
	type wish struct{ called, text string }
	list := []wish{{"The goal of the brief: ", strings.Replace(" "+p.brief.Goal, decisionLabel, " ", 1)}}
	for _, s := range p.brief.InScope {
		list = append(list, wish{"In scope: ", s})
	}
	if !slices.Equal(p.brief.SuccessCriteria, ownCriteria(p.result.Topic)) { // those say nothing of this question
		list = append(list, wish{"The success criteria: ", strings.Join(p.brief.SuccessCriteria, "; ")})
	}
	var out []subtopicDraft
	for _, w := range list[:min(len(list), maxListed)] {
		terms, err := p.newWords(ctx, w.text)
		if err != nil {
			return nil, err
		}
		if len(terms) > 0 && len(out) < maxBriefParts {
			out = append(out, subtopicDraft{w.called + plain.Line(w.text, shownTopic), strings.Join(terms, " ")})
		}
	}
	return out, nil
}

// newWords are the words of a text that stand in the files and not in the
// question, those first that tell most.
func (p *planner) newWords(ctx context.Context, text string) ([]string, error) {
	asked := stemSet(p.result.Topic)
	fresh := slices.DeleteFunc(concepts(text), func(c concept) bool {
		return hasAll(asked, c.stems) || dullWord(c.name) || commandWords()[strings.ToLower(c.name)]
	})
	known, _, err := weigh(ctx, p.lib, fresh)
	if err != nil {
		return nil, fmt.Errorf("look up the terms of the brief: %w", err)
	}
	var out []string
	for _, c := range known[:min(len(known), queryTerms)] {
		out = append(out, plain.Line(c.name, titleRunes))
	}
	return out, nil
}

// parts are the subtopics: the question, what the brief adds to it, headings,
// shared terms, and where these are few what can be asked of any subject.
func (p *planner) parts(ctx context.Context) ([]subtopicDraft, error) {
	out := []subtopicDraft{{title: "The question itself: " + plain.Line(p.result.Topic, shownTopic)}}
	for _, more := range []func(context.Context) ([]subtopicDraft, error){p.briefParts, p.headingParts, p.termParts} {
		parts, err := more(ctx)
		if err != nil {
			return nil, err
		}
		for _, one := range parts {
			if !slices.ContainsFunc(out, func(o subtopicDraft) bool { return o.query == one.query }) {
				out = append(out, one)
			}
		}
	}
	for _, s := range generalAspects {
		if len(out) < minParts {
			out = append(out, subtopicDraft{s.title, s.query})
		}
	}
	return out, nil
}

// termParts are those the passages found have in common.
func (p *planner) termParts(ctx context.Context) ([]subtopicDraft, error) {
	leads, err := p.leads(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for terms to divide the question by: %w", err)
	}
	var out []subtopicDraft
	for _, l := range leads {
		if name := plain.Line(l.name, titleRunes); len(out) < maxTermParts && !p.isOutOfScope(name) {
			out = append(out, subtopicDraft{"The term “" + name + "”, which the passages found share", name})
		}
	}
	return out, nil
}

// isOutOfScope reports whether a title has a word of what is out of scope.
func (p *planner) isOutOfScope(title string) bool {
	return slices.ContainsFunc(words.Stems(title), func(st string) bool { return p.beyond[st] })
}

// emptyTitles are words of headings that name no subject.
var emptyTitles = sync.OnceValue(func() map[string]bool {
	return stemsOf(wordSet("introduction overview content contents table license licence changelog index readme reference references appendix summary see also note notes background general misc faq todo about"), stopWords())
})

// section is a heading and how well what stands below it answers.
type section struct {
	title, path string
	worth       float64
}

// headingParts are the headings of documents below which the words of the question
// stand, the best first, no two much alike.
func (p *planner) headingParts(ctx context.Context) ([]subtopicDraft, error) {
	q := Query{Any: p.stems(), Limit: headingPassage}
	if len(q.Any) == 0 {
		return nil, nil
	}
	passages, err := p.lib.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search the files for headings: %w", err)
	}
	var out []subtopicDraft
	var taken []map[string]bool
	for _, s := range sections(p.candidates(passages, lead{})) {
		stems := stemSet(s.title)
		like := func(o map[string]bool) bool { return similarity(stems, o) > 0.5 }
		if len(out) == maxHeadings || p.isOutOfScope(s.title) || slices.ContainsFunc(taken, like) {
			continue
		}
		taken = append(taken, stems)
		out = append(out, subtopicDraft{fmt.Sprintf("Section “%s” of %s", s.title, plain.Line(s.path, titleRunes)), s.title})
	}
	return out, nil
}

// sections sums up by heading how well passages answer.
func sections(candidates []candidate) []section {
	at := map[string]int{}
	var out []section
	for _, c := range candidates {
		levels := strings.Split(c.Head, " › ")
		title := plain.Line(levels[len(levels)-1], titleRunes)
		if !formOf(c.Path).document || title == "" || isEmptyTitle(title) {
			continue
		}
		key := strings.ToLower(title) + "\x00" + c.Path
		if _, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, section{title: title, path: c.Path})
		}
		out[at[key]].worth += c.score
	}
	slices.SortStableFunc(out, func(a, b section) int {
		if c := compare(b.worth, a.worth); c != 0 {
			return c
		}
		return strings.Compare(a.title+a.path, b.title+b.path)
	})
	return out
}

// isEmptyTitle reports whether a title names no subject.
func isEmptyTitle(title string) bool {
	stems := words.Stems(title)
	return !slices.ContainsFunc(stems, func(s string) bool { return !emptyTitles()[s] })
}

// qualityCriteria are criteria that a program can hold the research to.
func (p *planner) qualityCriteria() []string {
	out := []string{
		"Every fact has a quotation that stands word for word in its source, at the lines given.",
		"Every subtopic has a fact whose quotation was located, or the report says that it has none.",
		"Every finding cites the facts it rests on by their ids; one that rests on a single source is named as such.",
		"Facts that were not located, or that judges do not bear out, are listed with the reason and prove nothing.",
	}
	var missing []string
	for _, m := range p.result.Missing[:min(len(p.result.Missing), maxListed)] {
		missing = append(missing, plain.Line(m, titleRunes))
	}
	if len(missing) > 0 {
		out = append(out, plain.Line("The report says that these terms of the question stand in no file that was read: "+quoteTerms(missing), answerRunes-1)+".")
	}
	return out
}

// planTurn is the turn of the planning: the brief lies in the seat's folder. The
// seat's shard bounds what it collects, not what it plans for.
func (d TurnIO) planTurn(ctx context.Context, a assignment, topic string) error {
	a.Shard = All
	lib, err := d.openLibrary(ctx, a)
	if err != nil {
		return err
	}
	brief, err := d.readBrief(a)
	if err != nil {
		return err
	}
	p, err := MakePlan(ctx, topic, brief, lib)
	if err != nil {
		return fmt.Errorf("planning: %w", err)
	}
	return d.writeAnswer(a, p, fmt.Sprintf("%s for %s, by headings and shared terms", plural.Of(len(p.Subtopics), "subtopic"), plural.Of(len(p.Agents), "agent")))
}

// readBrief is the brief, the first thing that is handed over.
func (d TurnIO) readBrief(a assignment) (staged.Brief, error) {
	var b staged.Brief
	texts, err := d.inputTexts(a, 1)
	if err != nil {
		return b, err
	}
	err = decode(texts[0], "brief", &b)
	b.InScope = b.InScope[:min(len(b.InScope), maxListed)]
	b.OutOfScope = b.OutOfScope[:min(len(b.OutOfScope), maxListed)]
	b.SuccessCriteria = b.SuccessCriteria[:min(len(b.SuccessCriteria), maxListed)]
	return b, err
}
