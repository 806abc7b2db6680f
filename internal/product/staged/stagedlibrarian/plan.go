package stagedlibrarian

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/product/staged"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of a plan.
const (
	maxHeadings   = 5 // subtopics that are headings of the files
	maxTermParts  = 2 // and terms that what answers has in common
	maxBriefParts = 4 // and what the brief asks for beyond the question
	minParts      = 3 // subtopics at least
	minAgents     = 3
	queryTerms    = 4 // words of the question in each query
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
	*librarian.Overview
	topic  string
	brief  staged.Brief
	beyond map[string]bool // stems of what is out of scope
}

// MakePlan divides a question into subtopics by what its brief adds to it, by
// the headings under which its words stand in the files and by the terms these
// passages share, and deals the subtopics out to agents. The first subtopic is
// the question itself.
func MakePlan(ctx context.Context, topic string, brief staged.Brief, lib librarian.Library) (staged.Plan, error) {
	known, err := librarian.Survey(ctx, topic, lib)
	if err != nil {
		return staged.Plan{}, err
	}
	p := planner{Overview: known, topic: topic, brief: brief, beyond: map[string]bool{}}
	asked := librarian.StemSet(topic)
	for st := range librarian.StemSet(strings.Join(brief.OutOfScope, " ")) {
		p.beyond[st] = !asked[st] && !librarian.IsDull(st)
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
	if out := p.first(p.Known); len(out) > 0 {
		return out
	}
	return librarian.Terms(p.topic, queryTerms)
}

// first are the first of a list of terms, as many as a query takes.
func (p *planner) first(terms []string) []string {
	var out []string
	for _, t := range terms[:min(len(terms), queryTerms)] {
		out = append(out, plain.Line(t, titleRunes))
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
	if !slices.Equal(p.brief.SuccessCriteria, ownCriteria(p.topic)) { // those say nothing of this question
		list = append(list, wish{"The success criteria: ", strings.Join(p.brief.SuccessCriteria, "; ")})
	}
	var out []subtopicDraft
	for _, w := range list[:min(len(list), maxListed)] {
		fresh, err := p.NewWords(ctx, w.text)
		if err != nil {
			return nil, fmt.Errorf("look up the terms of the brief: %w", err)
		}
		if terms := p.first(fresh); len(terms) > 0 && len(out) < maxBriefParts {
			out = append(out, subtopicDraft{w.called + plain.Line(w.text, shownTopic), strings.Join(terms, " ")})
		}
	}
	return out, nil
}

// parts are the subtopics: the question, what the brief adds to it, headings,
// shared terms, and where these are few what can be asked of any subject.
func (p *planner) parts(ctx context.Context) ([]subtopicDraft, error) {
	out := []subtopicDraft{{title: "The question itself: " + plain.Line(p.topic, shownTopic)}}
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
	terms, err := p.SharedTerms(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for terms to divide the question by: %w", err)
	}
	var out []subtopicDraft
	for _, t := range terms {
		if name := plain.Line(t, titleRunes); len(out) < maxTermParts && !p.isOutOfScope(name) {
			out = append(out, subtopicDraft{"The term “" + name + "”, which the passages found share", name})
		}
	}
	return out, nil
}

// isOutOfScope reports whether a title has a word of what is out of scope.
func (p *planner) isOutOfScope(title string) bool {
	return slices.ContainsFunc(words.Stems(title), func(st string) bool { return p.beyond[st] })
}

// headingParts are the headings of documents below which the words of the question
// stand, the best first, no two much alike.
func (p *planner) headingParts(ctx context.Context) ([]subtopicDraft, error) {
	sections, err := p.Sections(ctx)
	if err != nil {
		return nil, err
	}
	var out []subtopicDraft
	var taken []map[string]bool
	for _, s := range sections {
		stems := librarian.StemSet(s.Title)
		like := func(o map[string]bool) bool { return librarian.Similarity(stems, o) > 0.5 }
		if len(out) == maxHeadings || p.isOutOfScope(s.Title) || slices.ContainsFunc(taken, like) {
			continue
		}
		taken = append(taken, stems)
		out = append(out, subtopicDraft{fmt.Sprintf("Section “%s” of %s", s.Title, plain.Line(s.Path, titleRunes)), s.Title})
	}
	return out, nil
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
	for _, m := range p.Missing[:min(len(p.Missing), maxListed)] {
		missing = append(missing, plain.Line(m, titleRunes))
	}
	if len(missing) > 0 {
		out = append(out, plain.Line("The report says that these terms of the question stand in no file that was read: "+quoteTerms(missing), answerRunes-1)+".")
	}
	return out
}

// plan is the turn of the planning: the brief lies in the seat's folder. The
// seat's shard bounds what it collects, not what it plans for.
func plan(ctx context.Context, t *librarian.Turn) error {
	lib, err := t.Library(ctx, librarian.All)
	if err != nil {
		return err
	}
	brief, err := readBrief(t)
	if err != nil {
		return err
	}
	p, err := MakePlan(ctx, t.Topic, brief, lib)
	if err != nil {
		return fmt.Errorf("planning: %w", err)
	}
	return t.Answer(p, fmt.Sprintf("%s for %s, by headings and shared terms", plural.Of(len(p.Subtopics), "subtopic"), plural.Of(len(p.Agents), "agent")))
}

// readBrief is the brief, the first thing that is handed over.
func readBrief(t *librarian.Turn) (staged.Brief, error) {
	var b staged.Brief
	texts, err := t.Inputs(1)
	if err != nil {
		return b, err
	}
	err = decode(texts[0], "brief", &b)
	b.InScope = b.InScope[:min(len(b.InScope), maxListed)]
	b.OutOfScope = b.OutOfScope[:min(len(b.OutOfScope), maxListed)]
	b.SuccessCriteria = b.SuccessCriteria[:min(len(b.SuccessCriteria), maxListed)]
	return b, err
}
