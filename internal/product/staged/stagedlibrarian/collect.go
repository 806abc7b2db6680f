package stagedlibrarian

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/product/staged"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of what one agent of the collection brings and looks for.
const (
	minFacts        = 5 // below it the question as a whole is looked for too
	maxFacts        = 25
	maxQueries      = 8
	maxPlanned      = 40 // subtopics or agents of a plan that are looked at
	queryIterations = 2  // iterations of each search
	topicIterations = 6  // and of the one for the question as a whole
	maxRecurring    = 5  // terms that recur, told as an insight

	quoteRunes = 4000 // runes of a quotation; a longer one is no passage
	maxPath    = 2000 // bytes of a source
)

// AgentQueries is what one agent of the collection looks for.
type AgentQueries struct {
	Topic     string // the person's question
	Shard     librarian.Shard
	Queries   []string          // searched for one by one
	Subtopics []staged.Subtopic // of which the agent's facts are; query by query where there are as many
}

// QueriesFor is what a plan asks of an agent. One the plan does not know, or
// asks nothing, looks for the question itself.
func QueriesFor(topic string, p staged.Plan, id string) AgentQueries {
	e := AgentQueries{Topic: topic}
	p.Subtopics, p.Agents = p.Subtopics[:min(len(p.Subtopics), maxPlanned)], p.Agents[:min(len(p.Agents), maxPlanned)]
	p = staged.Normalise(p, staged.Agents) // as the program has it that dealt the agents out
	var a staged.Assignment
	for _, one := range p.Agents {
		if one.ID == id {
			a = one
		}
	}
	for _, s := range p.Subtopics {
		if isNumberedID(s.ID, 'T') && slices.Contains(a.Subtopics, s.ID) && len(e.Subtopics) < maxQueries {
			e.Subtopics = append(e.Subtopics, s)
		}
	}
	e.Queries = textsWithWords(a.Queries)
	if len(e.Queries) == 0 {
		for _, s := range e.Subtopics {
			e.Queries = append(e.Queries, strings.Join(append([]string{s.Title}, s.Questions[:min(len(s.Questions), 3)]...), " "))
		}
	}
	if e.Queries = textsWithWords(e.Queries); len(e.Queries) == 0 {
		e.Queries = textsWithWords([]string{a.Focus})
	}
	return e
}

// isNumberedID reports whether an id is a letter and a number from 1 to 99.
func isNumberedID(id string, letter byte) bool {
	return (len(id) == 2 || len(id) == 3) && id[0] == letter && id[1] != '0' && strings.Trim(id[1:], "0123456789") == ""
}

// textsWithWords are the texts of a list that hold words.
func textsWithWords(list []string) []string {
	var out []string
	for _, s := range list[:min(len(list), maxInput)] {
		if s = cleanLine(s); len(words.Split(s)) > 0 && len(out) < maxQueries {
			out = append(out, s)
		}
	}
	return out
}

// collector is one agent's collection under way.
type collector struct {
	AgentQueries
	lib     librarian.Library
	told    func(query string, found int) error
	found   [][]librarian.Finding // by query
	kept    []librarian.Finding
	about   []string // the subtopic of each kept
	missing map[string]bool
}

// Collect brings what an agent looks for: the findings of each query in turn, the best first,
// no two of the same lines or nearly the same words. Told hears of each query
// that is done.
func Collect(ctx context.Context, e AgentQueries, lib librarian.Library, told func(query string, found int) error) (staged.AgentAnswer, error) {
	c := collector{AgentQueries: e, lib: lib, told: told, missing: map[string]bool{}}
	for _, q := range e.Queries {
		if err := c.search(ctx, q, queryIterations); err != nil {
			return staged.AgentAnswer{}, err
		}
	}
	c.keepBest(c.found)
	if len(c.kept) < minFacts {
		if err := c.search(ctx, e.Topic, topicIterations); err != nil {
			return staged.AgentAnswer{}, err
		}
		c.keepBest(c.found[len(c.found)-1:])
	}
	return c.result(), nil
}

func (c *collector) search(ctx context.Context, query string, iterations int) error {
	r, err := librarian.Research(ctx, librarian.Question{Topic: query, Shard: c.Shard, Iterations: iterations}, c.lib, func(librarian.Result) error { return nil })
	if err != nil {
		return fmt.Errorf("look for %q: %w", plain.Line(query, shownTopic), err)
	}
	for _, m := range r.Missing {
		c.missing[plain.Line(m, titleRunes)] = true
	}
	c.found = append(c.found, librarian.BestFirst(r.Findings))
	return c.told(plain.Line(query, shownTopic), len(r.Findings))
}

// keepBest takes the best of each query, then the second best of each, and so on.
func (c *collector) keepBest(found [][]librarian.Finding) {
	longest := 0
	for _, list := range found {
		longest = max(longest, len(list))
	}
	for rank := range longest {
		for query, list := range found {
			if rank < len(list) && len(c.kept) < maxFacts && isUsableSize(list[rank]) && !c.isKept(list[rank]) {
				c.kept = append(c.kept, list[rank])
				c.about = append(c.about, c.subtopic(query, list[rank]))
			}
		}
	}
}

// isUsableSize reports whether a finding is of a size that can be handed on.
func isUsableSize(f librarian.Finding) bool {
	return utf8.RuneCountInString(f.Quote) <= quoteRunes && len(f.Cite()) <= maxPath && strings.TrimSpace(f.Quote) != "" && factText(f) != ""
}

// factText is what a finding claims, as the statement of a fact.
func factText(f librarian.Finding) string { return cleanLine(withoutEmphasis(f.Claim())) }

// isKept reports whether a finding's lines, or nearly its words, are kept already.
func (c *collector) isKept(f librarian.Finding) bool {
	return slices.ContainsFunc(c.kept, f.Repeats)
}

// subtopic is the one a finding is of: that of its query, else the one whose
// words it shares most of.
func (c *collector) subtopic(query int, f librarian.Finding) string {
	switch {
	case len(c.Subtopics) == 0:
		return ""
	case len(c.Subtopics) == len(c.Queries) && len(c.found) == len(c.Queries):
		return c.Subtopics[query].ID
	}
	best, most := c.Subtopics[0].ID, 0.0
	for _, s := range c.Subtopics {
		if like := f.Similarity(s.Title + " " + strings.Join(s.Questions[:min(len(s.Questions), 3)], " ")); like > most {
			best, most = s.ID, like
		}
	}
	return best
}

func (c *collector) result() staged.AgentAnswer {
	g := staged.AgentAnswer{Facts: []staged.Fact{}}
	for i, f := range c.kept {
		g.Facts = append(g.Facts, staged.Fact{Statement: factText(f), Quote: f.Quote, Source: f.Cite(), Subtopic: c.about[i]})
	}
	g.Insights = c.insights()
	return g
}

// insights are counts; a program has no others.
func (c *collector) insights() []string {
	files := map[string]int{}
	for _, f := range c.kept {
		files[f.Path]++
	}
	if len(c.kept) == 0 {
		return append([]string{"Nothing was found by the words of the queries; that says something about these files and this way of searching alone."}, c.gaps()...)
	}
	paths := slices.Sorted(maps.Keys(files))
	slices.SortStableFunc(paths, func(a, b string) int { return files[b] - files[a] })
	out := []string{fmt.Sprintf("Counted by a program: %s from %s, most of them (%d) from %s.", plural.Of(len(c.kept), "passage"), plural.Of(len(files), "file"), files[paths[0]], plain.Line(paths[0], shownTopic))}
	if terms := c.recurringTerms(); len(terms) > 0 {
		out = append(out, "Terms that recur in these passages: "+strings.Join(terms, ", ")+".")
	}
	return append(out, c.gaps()...)
}

// recurringTerms are terms that several of the passages share.
func (c *collector) recurringTerms() []string {
	var out []string
	for _, t := range librarian.RecurringTerms(c.kept) {
		if len(out) < maxRecurring {
			out = append(out, fmt.Sprintf("“%s” (in %d)", plain.Line(t.Name, titleRunes), t.In))
		}
	}
	return out
}

// gaps are what was looked for and not found.
func (c *collector) gaps() []string {
	var out []string
	if missing := slices.Sorted(maps.Keys(c.missing)); len(missing) > 0 {
		out = append(out, "Words of the queries that stand in no file that was read: "+quoteTerms(missing[:min(len(missing), maxListed)])+".")
	}
	var bare []string
	for _, s := range c.Subtopics {
		if !slices.Contains(c.about, s.ID) {
			bare = append(bare, plain.Line(s.ID, titleRunes))
		}
	}
	if len(bare) > 0 {
		out = append(out, "Subtopics without a passage: "+strings.Join(bare, ", ")+".")
	}
	return out
}

// collection is the turn of one of its agents: brief and plan lie in the seat's
// folder.
func collection(ctx context.Context, t *librarian.Turn) error {
	lib, err := t.Library(ctx, t.Shard)
	if err != nil {
		return err
	}
	texts, err := t.Inputs(2)
	if err != nil {
		return err
	}
	var p staged.Plan
	if err := decode(texts[1], "plan", &p); err != nil {
		return err
	}
	e, n := QueriesFor(t.Topic, p, t.Agent), 0
	e.Shard = t.Shard
	g, err := Collect(ctx, e, lib, func(query string, found int) error {
		n++
		return t.Note(n, plural.Of(found, "passage")+" on "+query)
	})
	if err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	return t.Answer(g, fmt.Sprintf("%s and %s", plural.Of(len(g.Facts), "fact"), plural.Of(len(g.Insights), "insight")))
}
