package librarian

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"research-council/internal/agent"
	"research-council/internal/pipeline"
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

// MakePlan divides a question into subtopics by the headings under which its
// words stand in the files and by the terms these passages share, and deals the
// subtopics out to agents. The first subtopic is the question itself.
func MakePlan(ctx context.Context, topic string, brief pipeline.Brief, lib Library) (pipeline.Plan, error) {
	if slices.Equal(brief.SuccessCriteria, ownCriteria(topic)) {
		brief.SuccessCriteria = nil // they hold for any question and say nothing of this one
	}
	asked := strings.Join(append([]string{topic, topic, brief.Goal}, slices.Concat(brief.InScope, brief.SuccessCriteria)...), "\n")
	r, err := begin(ctx, Question{Topic: asked, Iterations: 1}, lib)
	if err != nil {
		return pipeline.Plan{}, err
	}
	parts, err := r.parts(ctx, topic, brief)
	if err != nil {
		return pipeline.Plan{}, err
	}
	p := pipeline.Plan{Quality: quality(topic, r)}
	core := strings.Join(r.core(topic), " ")
	for i, one := range parts {
		p.Subtopics = append(p.Subtopics, pipeline.Subtopic{
			ID: fmt.Sprintf("T%d", i+1), Title: one.title,
			Questions: []string{agent.Plain("What do the files say on this that bears on "+bearing(core), lineRunes) + "?"},
		})
	}
	p.Agents = deal(p.Subtopics, parts, core)
	return p, nil
}

func bearing(core string) string {
	if core == "" {
		return "the question"
	}
	return quoted(strings.Fields(core))
}

// core are the words of the question that tell most in these files, or its
// first ones where none stands there.
func (r *researcher) core(topic string) []string {
	have := stemSet(topic)
	var out []string
	for _, c := range r.rank.concepts {
		if holds(have, c.stems) && len(out) < queryTerms {
			out = append(out, strings.Fields(agent.Plain(c.name, titleRunes))...)
		}
	}
	if len(out) == 0 {
		return termsOf(topic, queryTerms)
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
func (r *researcher) wishes(topic string, brief pipeline.Brief) []part {
	asked := stemSet(topic)
	var out []part
	add := func(called, wish string) {
		var new []string
		for _, c := range r.rank.concepts {
			if holds(stemSet(wish), c.stems) && !holds(asked, c.stems) && len(new) < queryTerms {
				new = append(new, c.name)
			}
		}
		if len(new) > 0 && len(out) < mostWishes {
			out = append(out, part{called + agent.Plain(wish, shownTopic), strings.Join(new, " ")})
		}
	}
	add("The goal of the brief: ", brief.Goal)
	for _, s := range brief.InScope {
		add("In scope: ", s)
	}
	add("The success criteria: ", strings.Join(brief.SuccessCriteria, "; "))
	return out
}

// parts are the subtopics: the question, what the brief adds to it, headings,
// shared terms, and where these are few what can be asked of any subject.
func (r *researcher) parts(ctx context.Context, topic string, brief pipeline.Brief) ([]part, error) {
	out := append([]part{{title: "The question itself: " + agent.Plain(topic, shownTopic)}}, r.wishes(topic, brief)...)
	headings, err := r.headings(ctx)
	if err != nil {
		return nil, err
	}
	out = append(out, headings...)
	leads, err := r.leads(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for terms to divide the question by: %w", err)
	}
	seen := stemSet(strings.Join(titlesOf(headings), " "))
	most := len(out) + mostTerms
	for _, l := range leads {
		name := agent.Plain(l.name, titleRunes)
		if len(out) < most && !holds(seen, l.stems) {
			out = append(out, part{"The term “" + name + "”, which the passages found share", name})
		}
	}
	for _, s := range sides {
		if len(out) < fewestParts {
			out = append(out, part{s.title, s.query})
		}
	}
	return out, nil
}

func titlesOf(parts []part) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.query
	}
	return out
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
func (r *researcher) headings(ctx context.Context) ([]part, error) {
	q := Query{Any: r.stems(), Limit: headingPassage}
	if len(q.Any) == 0 {
		return nil, nil
	}
	passages, err := r.lib.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search the files for headings: %w", err)
	}
	var out []part
	var taken []map[string]bool
	for _, s := range sections(r.candidates(passages, lead{})) {
		stems := stemSet(s.title)
		like := func(o map[string]bool) bool { return alike(stems, o) > 0.5 }
		if len(out) == mostHeadings || slices.ContainsFunc(taken, like) {
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
func quality(topic string, r *researcher) []string {
	out := []string{
		"Every fact has a quotation that stands word for word in its source, at the lines given.",
		"Every subtopic has a fact whose quotation was located, or the report says that it has none.",
		"Every finding cites the facts it rests on by their ids; one that rests on a single source is named as such.",
		"Facts that were not verified are listed with the reason and prove nothing.",
	}
	have := stemSet(topic)
	var missing []string
	for _, m := range r.result.Missing {
		if holds(have, Stems(m)) && len(missing) < mostListed {
			missing = append(missing, agent.Plain(m, titleRunes))
		}
	}
	if len(missing) > 0 {
		out = append(out, agent.Plain("The report says that these terms of the question stand in no file: "+quoted(missing), answerRunes-1)+".")
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
	return d.answer(a, p, fmt.Sprintf("%s for %s, by headings and shared terms", counted(len(p.Subtopics), "subtopic"), counted(len(p.Agents), "agent")))
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
	b.SuccessCriteria = b.SuccessCriteria[:min(len(b.SuccessCriteria), mostListed)]
	return b, err
}
