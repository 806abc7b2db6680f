package librarian

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/quote"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// Question is what is to be researched.
type Question struct {
	Topic      string           // the person's words; any bytes
	Planned    []scope.Question // what somebody has made of it, which is what is looked for; none where nobody has
	Shard      Shard
	Iterations int // at most, at least 1
}

// wording is what is looked for: the planned questions, else the person's words.
func (q Question) wording() string {
	if len(q.Planned) == 0 {
		return q.Topic
	}
	var texts []string
	for _, p := range q.Planned {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// How wide each search is and how much is taken of it.
const (
	breadth     = 150 // passages looked at for the question itself
	depth       = 50  // and for each term followed
	firstPicks  = 8   // findings taken for the question itself
	laterPicks  = 3   // and for each term followed
	leadsAtOnce = 3   // terms followed in one iteration
	leadsTried  = 9   // and where they lead to nothing, at most
	maxFindings = 40
	minCoverage = 0.2 // share of the question a passage meets at least; four of its field count as one
	floorShare  = 0.5 // findings are at least this good, measured by the best
)

// Finding is a passage that answers, and the words of it that do.
type Finding struct {
	Passage
	Theme string // the term that led to it; "" for the question itself
	New   bool   // it came of refinement
	Said  string // what it says, on one line, without comment signs; for code its lines
	Lead  string // the sentence of it that says most by itself
	Quote string // the same words as Said in the bytes of the file, comment signs and all
	From  int    // the quotation's first line
	To    int    // and last
	Prose bool   // it is text, not code

	leadFrom, leadTo int     // lines of Lead
	leadWorth        float64 // how well Lead would do in a summary
	stems            map[string]bool
	sentences        []sentence
	score            float64
}

// Cite writes a finding's place as path:first-last, or as the address of its page.
func (f Finding) Cite() string { return f.place(f.From, f.To) }

func (f Finding) place(first, last int) string {
	if f.Address != "" {
		return f.Address
	}
	return cite(f.Path, first, last)
}

// Repeats reports whether two findings share lines, or nearly all of their words.
func (f Finding) Repeats(o Finding) bool {
	return o.Path == f.Path && o.From <= f.To && f.From <= o.To || Similarity(o.stems, f.stems) > maxSimilarity
}

// Similarity is the share of the words of a finding and a text that stand in
// both.
func (f Finding) Similarity(text string) float64 { return Similarity(StemSet(text), f.stems) }

func cite(path string, first, last int) string {
	if first == last {
		return fmt.Sprintf("%s:%d", path, first)
	}
	return fmt.Sprintf("%s:%d-%d", path, first, last)
}

// Step is one iteration: what was searched for and what came of it.
type Step struct {
	Followed []string // the terms followed; none in the first, which asks the question itself
	New      int      // findings added
}

// Result is what research has come to.
type Result struct {
	Question
	Concepts []string // the question's terms that stand somewhere, those that tell most first
	Missing  []string // those that stand nowhere
	Findings []Finding
	Steps    []Step
	Dry      bool // it ended because nothing new came up
	Changed  int  // findings dropped because their file has changed since it was indexed
	Stats    Stats

	Unmet     []string // terms of the question that stand in files and in no finding
	Undefined []string // names the findings speak of that no file declares or has for a heading
	Refined   bool     // other seats' reports were read
	Pursued   []Step   // what was followed of them, iteration by iteration
	Suggested []string // terms of theirs that were followed
	Barren    []string // those of them that led to nothing
}

// researcher is research under way.
type researcher struct {
	lib      Library
	rank     ranker
	result   Result
	seen     map[string]bool // passages taken, by place
	followed map[string]bool // stems of terms followed
	best     float64
	feedback []candidate // what answers best in all shards: where the question's field and terms to follow are learnt
}

// Research answers a question from a library. After each iteration it hands
// out what it has so far; an error of each ends it. A library that holds
// nothing on the question gives a result without findings and no error.
func Research(ctx context.Context, q Question, lib Library, each func(Result) error) (Result, error) {
	r, err := newResearcher(ctx, q, lib)
	if err != nil {
		return Result{}, err
	}
	err = r.research(ctx, each)
	return r.result, err
}

func (r *researcher) research(ctx context.Context, each func(Result) error) error {
	for n := 1; n <= r.result.Iterations && !r.result.Dry; n++ {
		if err := r.iterate(ctx, n); err != nil {
			return err
		}
		r.result.Dry = n > 1 && r.result.Steps[n-1].New == 0 || len(r.result.Findings) == 0
		if err := r.findUndefined(ctx); err != nil {
			return err
		}
		if err := each(r.result); err != nil {
			return err
		}
	}
	return nil
}

// newResearcher makes research ready: its terms are looked up, its field learnt.
func newResearcher(ctx context.Context, q Question, lib Library) (*researcher, error) {
	known, missing, err := weighConcepts(ctx, lib, concepts(q.wording()))
	if err != nil {
		return nil, fmt.Errorf("look up the question's terms: %w", err)
	}
	r := &researcher{
		lib: lib, rank: newRanker(known, q.wording()), seen: map[string]bool{}, followed: map[string]bool{},
		result: Result{Question: q, Missing: missing, Stats: lib.Stats()},
	}
	for _, c := range known {
		r.result.Concepts = append(r.result.Concepts, c.name)
	}
	return r, r.learnField(ctx)
}

// iterate is one iteration: the question itself, or the most promising terms of
// what has been found.
func (r *researcher) iterate(ctx context.Context, n int) error {
	before := len(r.result.Findings)
	if n == 1 {
		if err := r.search(ctx, lead{}); err != nil {
			return err
		}
		r.addStep(nil, before)
		return nil
	}
	leads, err := r.leads(ctx)
	if err != nil {
		return err
	}
	var names []string
	for i, l := range leads {
		if i >= leadsAtOnce && len(r.result.Findings) > before {
			break
		}
		names = append(names, l.name)
		if err := r.search(ctx, l); err != nil {
			return err
		}
	}
	r.addStep(names, before)
	return nil
}

func (r *researcher) addStep(names []string, before int) {
	r.result.Steps = append(r.result.Steps, Step{Followed: names, New: len(r.result.Findings) - before})
}

// search looks for the question itself, or for a term that is followed.
func (r *researcher) search(ctx context.Context, l lead) error {
	if l.name == "" {
		return r.searchAndTake(ctx, l, breadth, firstPicks)
	}
	return r.follow(ctx, l, laterPicks, maxFindings)
}

// follow looks for a term and takes up to n findings, as long as there are no
// more than most in all.
func (r *researcher) follow(ctx context.Context, l lead, n, most int) error {
	for _, s := range l.stems {
		r.followed[s] = true
	}
	return r.searchAndTake(ctx, l, depth, min(n, most-len(r.result.Findings)))
}

// searchAndTake searches and takes the best of what is new.
func (r *researcher) searchAndTake(ctx context.Context, l lead, limit, picks int) error {
	any := r.stems()
	if len(any) == 0 {
		return nil
	}
	any = append(any, slices.Sorted(maps.Keys(r.rank.field))...)
	passages, err := r.lib.Search(ctx, Query{Any: any, Must: l.stems, Shard: r.result.Shard, Limit: limit})
	if err != nil {
		return fmt.Errorf("search the files: %w", err)
	}
	for _, c := range chooseDiverse(r.candidates(passages, l), r.result.Findings, picks, floorShare*r.best) {
		r.takeFinding(c, l.name)
	}
	return nil
}

// stems are what the question is searched by.
func (r *researcher) stems() []string {
	var out []string
	for _, c := range r.rank.concepts {
		out = append(out, c.all()...)
	}
	return out
}

// candidates judges passages. The best answer to the question itself sets the
// measure for all others.
func (r *researcher) candidates(passages []Passage, l lead) []candidate {
	var out []candidate
	for i, p := range passages {
		if r.seen[cite(p.Path, p.First, p.Last)] || r.rank.isAside(p) {
			continue
		}
		c := r.rank.judgePassage(p, 1-float64(i)/float64(len(passages)), l.stems)
		if c.cover == 0 || c.cover+c.field/4 < minCoverage {
			continue
		}
		out = append(out, c)
		if l.name == "" {
			r.best = max(r.best, c.score)
		}
	}
	return out
}

// takeFinding makes a finding of a candidate, where its file still says so and it is
// long enough to be quoted.
func (r *researcher) takeFinding(c candidate, theme string) {
	r.seen[cite(c.Path, c.First, c.Last)] = true
	f := r.finding(c)
	f.Theme, f.New = theme, r.result.Refined
	now, err := r.lib.Lines(f.Path, f.From, f.To)
	if err != nil || !strings.Contains(now, f.Quote) {
		r.result.Changed++
		return
	}
	f.Said = claim.Readable(f.Path, f.Said)
	if quote.TooShort(f.Quote) {
		return // a heading of a word, say: it shows nothing
	}
	r.result.Findings = append(r.result.Findings, f)
}

func (r *researcher) finding(c candidate) Finding {
	f := Finding{Passage: c.Passage, stems: c.stems, sentences: c.sentences, score: c.score}
	if c.from == c.to {
		return r.quoteExcerpt(f)
	}
	picked := c.sentences[c.from:c.to]
	var said []string
	for _, s := range picked {
		said = append(said, s.text)
	}
	best, last := c.sentences[c.best], picked[len(picked)-1]
	f.Prose, f.Said, f.Lead = true, strings.Join(said, " "), best.text
	f.leadFrom, f.leadTo, f.leadWorth = best.first, best.last, r.rank.summaryScore(best, c.score)
	f.Quote, f.From, f.To = c.Text[picked[0].from:last.to], picked[0].first, last.last
	return f
}

// excerptLines is how many lines of code are quoted.
const excerptLines = 8

// quoteExcerpt quotes the lines of code that hold most of the question's terms.
func (r *researcher) quoteExcerpt(f Finding) Finding {
	lines := strings.Split(f.Text, "\n")
	at, top := 0, -1.0
	for i := 0; i == 0 || i+excerptLines <= len(lines); i++ {
		have := map[string]bool{}
		for _, s := range words.Stems(strings.Join(lines[i:min(i+excerptLines, len(lines))], "\n")) {
			have[s] = true
		}
		if v := r.rank.coverage(func(s string) bool { return have[s] }); v > top+1e-9 {
			at, top = i, v
		}
	}
	end := min(at+excerptLines, len(lines))
	for end > at+1 && strings.TrimSpace(lines[end-1]) == "" {
		end--
	}
	for at < end-1 && strings.TrimSpace(lines[at]) == "" {
		at++
	}
	f.Quote = strings.Join(lines[at:end], "\n")
	f.Said, f.From, f.To = f.Quote, f.First+at, f.First+end-1
	return f
}

// BestFirst are findings, the best first, in an order that is always the same.
func BestFirst(findings []Finding) []Finding {
	out := slices.Clone(findings)
	slices.SortStableFunc(out, func(a, b Finding) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.From - b.From
	})
	return out
}
