package librarian

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"research-council/internal/agent"
	"research-council/internal/pipeline"

	"research-council/internal/plural"
)

// Bounds of a plan.
const (
	mostHeadings   = 5 // subtopics that are headings of the files
	mostTerms      = 2 // and terms that what answers has in common
	mostWishes     = 4 // and what the brief asks for beyond the question
	fewestParts    = 3 // subtopics at least
	fewestAgents   = 3
	queryTerms     = 4 // words of the question in each query
	headingPassage = breadth
)

// sides are what can be looked for on any subject; they stand in where the
// files give too few subtopics. The words are searched for.
var sides = []struct{ title, query string }{
	{"What it is: definitions and purpose", "defined means purpose called"},
	{"When it does not hold: conditions, exceptions and limits", "unless except only limit until"},
	{"How it is done: steps and causes", "first then because before after"},
}

// part is a subtopic in the making.
type part struct {
	title, query string
}

// planner is a plan in the making.
type planner struct {
	*researcher
	brief  pipeline.Brief
	beyond map[string]bool // stems of what is out of scope
}

// MakePlan divides a question into subtopics by what its brief adds to it, by
// the headings under which its words stand in the files and by the terms these
// passages share, and deals the subtopics out to agents. The first subtopic is
// the question itself.
func MakePlan(ctx context.Context, topic string, brief pipeline.Brief, lib Library) (pipeline.Plan, error) {
	r, err := begin(ctx, Question{Topic: topic, Iterations: 1}, lib)
	if err != nil {
		return pipeline.Plan{}, err
	}
	p := planner{researcher: r, brief: brief, beyond: map[string]bool{}}
	asked := stemSet(topic)
	for st := range stemSet(strings.Join(brief.OutOfScope, " ")) {
		p.beyond[st] = !asked[st] && !dull()[st]
	}
	parts, err := p.parts(ctx)
	if err != nil {
		return pipeline.Plan{}, err
	}
	core := p.core()
	plan := pipeline.Plan{Quality: p.quality()}
	for i, one := range parts {
		plan.Subtopics = append(plan.Subtopics, pipeline.Subtopic{
			ID: fmt.Sprintf("T%d", i+1), Title: one.title,
			Questions: []string{agent.Plain("What do the files say on this that bears on "+bearing(core), lineRunes) + "?"},
		})
	}
	plan.Agents = deal(plan.Subtopics, parts, strings.Join(core, " "))
	return plan, nil
}

func bearing(core []string) string {
	if len(core) == 0 {
		return "the question"
	}
	return quoted(core)
}

// core are the words of the question that tell most in these files, or its
// first ones where none stands there.
func (p *planner) core() []string {
	var out []string
	for _, c := range p.rank.concepts[:min(len(p.rank.concepts), queryTerms)] {
		out = append(out, agent.Plain(c.name, titleRunes))
	}
	if len(out) == 0 {
		return termsOf(p.result.Topic, queryTerms)
	}
	return out
}

// deal gives each agent every so manieth subtopic.
func deal(subtopics []pipeline.Subtopic, parts []part, core string) []pipeline.Assignment {
	n := min(max(len(parts), fewestAgents), pipeline.Agents)
	agents := make([]pipeline.Assignment, n)
	for i, s := range subtopics {
		a := &agents[i%n]
		a.Subtopics = append(a.Subtopics, s.ID)
		if q := agent.Plain(core+" "+parts[i].query, lineRunes); q != "" {
			a.Queries = append(a.Queries, q)
		}
		a.Focus = strings.TrimPrefix(a.Focus+"; "+s.Title, "; ")
	}
	for i := range agents {
		agents[i].ID = fmt.Sprintf("A%d", i+1)
		agents[i].Focus = agent.Plain("Passages found by their words on: "+agents[i].Focus, answerRunes)
	}
	return agents
}

// wishes are the parts of the brief that hold words the files know and the
// question does not have.
func (p *planner) wishes(ctx context.Context) ([]part, error) {
	type wish struct{ called, text string }
	list := []wish{{"The goal of the brief: ", strings.Replace(" "+p.brief.Goal, decides, " ", 1)}}
	for _, s := range p.brief.InScope {
		list = append(list, wish{"In scope: ", s})
	}
	if !slices.Equal(p.brief.SuccessCriteria, ownCriteria(p.result.Topic)) { // those say nothing of this question
		list = append(list, wish{"The success criteria: ", strings.Join(p.brief.SuccessCriteria, "; ")})
	}
	var out []part
	for _, w := range list[:min(len(list), mostListed)] {
		terms, err := p.beside(ctx, w.text)
		if err != nil {
			return nil, err
		}
		if len(terms) > 0 && len(out) < mostWishes {
			out = append(out, part{w.called + agent.Plain(w.text, shownTopic), strings.Join(terms, " ")})
		}
	}
	return out, nil
}

// beside are the words of a text that stand in the files and not in the
// question, those first that tell most.
func (p *planner) beside(ctx context.Context, text string) ([]string, error) {
	asked := stemSet(p.result.Topic)
	fresh := slices.DeleteFunc(concepts(text), func(c concept) bool {
		return holds(asked, c.stems) || dullWord(c.name) || commands()[strings.ToLower(c.name)]
	})
	known, _, err := weigh(ctx, p.lib, fresh)
	if err != nil {
		return nil, fmt.Errorf("look up the terms of the brief: %w", err)
	}
	var out []string
	for _, c := range known[:min(len(known), queryTerms)] {
		out = append(out, agent.Plain(c.name, titleRunes))
	}
	return out, nil
}

// parts are the subtopics: the question, what the brief adds to it, headings,
// shared terms, and where these are few what can be asked of any subject.
func (p *planner) parts(ctx context.Context) ([]part, error) {
	out := []part{{title: "The question itself: " + agent.Plain(p.result.Topic, shownTopic)}}
	for _, more := range []func(context.Context) ([]part, error){p.wishes, p.headings, p.terms} {
		parts, err := more(ctx)
		if err != nil {
			return nil, err
		}
		for _, one := range parts {
			if !slices.ContainsFunc(out, func(o part) bool { return o.query == one.query }) {
				out = append(out, one)
			}
		}
	}
	for _, s := range sides {
		if len(out) < fewestParts {
			out = append(out, part{s.title, s.query})
		}
	}
	return out, nil
}

// terms are those the passages found have in common.
func (p *planner) terms(ctx context.Context) ([]part, error) {
	leads, err := p.leads(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for terms to divide the question by: %w", err)
	}
	var out []part
	for _, l := range leads {
		if name := agent.Plain(l.name, titleRunes); len(out) < mostTerms && !p.out(name) {
			out = append(out, part{"The term “" + name + "”, which the passages found share", name})
		}
	}
	return out, nil
}

// out reports whether a title has a word of what is out of scope.
func (p *planner) out(title string) bool {
	return slices.ContainsFunc(Stems(title), func(st string) bool { return p.beyond[st] })
}

// emptyTitles are words of headings that name no subject.
var emptyTitles = sync.OnceValue(func() map[string]bool {
	return stemsOf(set("introduction overview content contents table license licence changelog index readme reference references appendix summary see also note notes background general misc faq todo about"), stopWords())
})

// section is a heading and how well what stands below it answers.
type section struct {
	title, path string
	worth       float64
}

// headings are the headings of documents below which the words of the question
// stand, the best first, no two much alike.
func (p *planner) headings(ctx context.Context) ([]part, error) {
	q := Query{Any: p.stems(), Limit: headingPassage}
	if len(q.Any) == 0 {
		return nil, nil
	}
	passages, err := p.lib.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search the files for headings: %w", err)
	}
	var out []part
	var taken []map[string]bool
	for _, s := range sections(p.candidates(passages, lead{})) {
		stems := stemSet(s.title)
		like := func(o map[string]bool) bool { return alike(stems, o) > 0.5 }
		if len(out) == mostHeadings || p.out(s.title) || slices.ContainsFunc(taken, like) {
			continue
		}
		taken = append(taken, stems)
		out = append(out, part{fmt.Sprintf("Section “%s” of %s", s.title, agent.Plain(s.path, titleRunes)), s.title})
	}
	return out, nil
}

// sections sums up by heading how well passages answer.
func sections(candidates []candidate) []section {
	at := map[string]int{}
	var out []section
	for _, c := range candidates {
		levels := strings.Split(c.Head, " › ")
		title := agent.Plain(levels[len(levels)-1], titleRunes)
		if !formOf(c.Path).document || title == "" || vain(title) {
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

// vain reports whether a title names no subject.
func vain(title string) bool {
	stems := Stems(title)
	return !slices.ContainsFunc(stems, func(s string) bool { return !emptyTitles()[s] })
}

// quality are criteria that a program can hold the research to.
func (p *planner) quality() []string {
	out := []string{
		"Every fact has a quotation that stands word for word in its source, at the lines given.",
		"Every subtopic has a fact whose quotation was located, or the report says that it has none.",
		"Every finding cites the facts it rests on by their ids; one that rests on a single source is named as such.",
		"Facts that were not located, or that judges do not bear out, are listed with the reason and prove nothing.",
	}
	var missing []string
	for _, m := range p.result.Missing[:min(len(p.result.Missing), mostListed)] {
		missing = append(missing, agent.Plain(m, titleRunes))
	}
	if len(missing) > 0 {
		out = append(out, agent.Plain("The report says that these terms of the question stand in no file that was read: "+quoted(missing), answerRunes-1)+".")
	}
	return out
}

// plan is the turn of the planning: the brief lies in the seat's folder. The
// seat's shard bounds what it collects, not what it plans for.
func (d Desk) plan(ctx context.Context, a assignment, topic string) error {
	a.Shard = All
	lib, err := d.library(ctx, a)
	if err != nil {
		return err
	}
	brief, err := d.briefOf(a)
	if err != nil {
		return err
	}
	p, err := MakePlan(ctx, topic, brief, lib)
	if err != nil {
		return fmt.Errorf("planning: %w", err)
	}
	return d.answer(a, p, fmt.Sprintf("%s for %s, by headings and shared terms", plural.Of(len(p.Subtopics), "subtopic"), plural.Of(len(p.Agents), "agent")))
}

// briefOf is the brief, the first thing that is handed over.
func (d Desk) briefOf(a assignment) (pipeline.Brief, error) {
	var b pipeline.Brief
	texts, err := d.handed(a, 1)
	if err != nil {
		return b, err
	}
	err = decode(texts[0], "brief", &b)
	b.InScope = b.InScope[:min(len(b.InScope), mostListed)]
	b.OutOfScope = b.OutOfScope[:min(len(b.OutOfScope), mostListed)]
	b.SuccessCriteria = b.SuccessCriteria[:min(len(b.SuccessCriteria), mostListed)]
	return b, err
}
