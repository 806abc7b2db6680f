package librarian

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
)

// How far other seats' reports are followed.
const (
	maxPeerReport = 512 << 10 // bytes read of a report
	suggestions   = 12        // terms followed
	suggestedPick = 2         // findings taken for each
)

// Refine does the research again and then follows terms that other seats'
// reports use and the own first report does not. Of those reports nothing is
// taken but the terms, and of these none that the library does not know. What
// it returns holds all that [Research] finds.
func Refine(ctx context.Context, q Question, own string, peers []string, lib Library, each func(Result) error) (Result, error) {
	r, err := newResearcher(ctx, q, lib)
	if err != nil {
		return Result{}, err
	}
	if err := r.research(ctx, func(Result) error { return nil }); err != nil {
		return Result{}, err
	}
	r.result.Refined = true
	leads, err := r.suggestedLeads(ctx, own, peers)
	if err != nil {
		return Result{}, err
	}
	leads = leads[:min(len(leads), q.Iterations*leadsAtOnce)]
	for part := range slices.Chunk(leads, leadsAtOnce) {
		if err := r.followSuggested(ctx, part); err != nil {
			return Result{}, err
		}
		if err := r.findUndefined(ctx); err != nil {
			return Result{}, err
		}
		if err := each(r.result); err != nil {
			return r.result, err
		}
	}
	return r.result, nil
}

// followSuggested follows suggested terms.
func (r *researcher) followSuggested(ctx context.Context, leads []lead) error {
	var step Step
	for _, l := range leads {
		before := len(r.result.Findings)
		step.Followed = append(step.Followed, l.name)
		r.result.Suggested = append(r.result.Suggested, l.name)
		if err := r.follow(ctx, l, suggestedPick, before+suggestedPick); err != nil {
			return err
		}
		if len(r.result.Findings) == before {
			r.result.Barren = append(r.result.Barren, l.name)
		}
		step.New += len(r.result.Findings) - before
	}
	r.result.Pursued = append(r.result.Pursued, step)
	return nil
}

// suggestedLeads are the terms of other reports worth following: names and pairs of
// words that stand there more than once, are rare in the library, and do not
// stand in the own report.
func (r *researcher) suggestedLeads(ctx context.Context, own string, peers []string) ([]lead, error) {
	g := newTermWeights()
	for _, p := range peers {
		counts := map[string]int{}
		for _, line := range distinctSentences(withoutReferences(limitReport(p))) {
			g.addText(line, counts)
		}
		for key, n := range counts {
			g.in[key] += n
			g.weight[key] += 1 + math.Log(float64(n))
		}
	}
	known := map[string]bool{}
	for _, s := range words.Stems(limitReport(own)) {
		known[s] = true
	}
	keys := slices.DeleteFunc(g.topTerms(2), func(k string) bool {
		return !words.IsCodeName(g.usualSpelling(k)) && g.in[k] < 3 || hasAll(known, strings.Fields(k))
	})
	all, err := r.weighLeads(ctx, g, keys)
	if err != nil {
		return nil, err
	}
	return r.distinctLeads(all, suggestions), nil
}

func (r *researcher) weighLeads(ctx context.Context, g termWeights, keys []string) ([]lead, error) {
	found, err := r.lib.Frequencies(ctx, strings.Fields(strings.Join(keys, " ")))
	if err != nil {
		return nil, fmt.Errorf("look up terms of other reports: %w", err)
	}
	total := r.result.Stats.Total(All)
	var out []lead
	for _, k := range keys {
		l := lead{name: g.usualSpelling(k), stems: strings.Fields(k)}
		sum := 0.0
		for _, s := range l.stems {
			if found[s] == 0 {
				sum = math.Inf(-1)
			}
			sum += inverseFrequency(total, found[s])
		}
		if l.score = g.weight[k] * sum; l.score > 0 {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b lead) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	return out, nil
}

// distinctSentences are a report's sentences, each once: a summary repeats what
// stands below it.
func distinctSentences(s string) []string {
	var out []string
	seen := map[string]bool{}
	for _, cut := range words.Sentences(s) {
		if one := strings.Trim(s[cut.Start:cut.End], " .>"); !seen[one] {
			seen[one] = true
			out = append(out, one)
		}
	}
	return out
}

func limitReport(s string) string { return s[:min(len(s), maxPeerReport)] }

// withoutReferences drops from a report what points to sources: addresses, paths,
// lines. Names of files are no subject.
func withoutReferences(s string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(s), func(w string) bool {
		if strings.Contains(w, "/") {
			return true
		}
		_, after, ok := strings.Cut(w, ":")
		return ok && after != "" && unicode.IsDigit(rune(after[0]))
	}), " ")
}

// refine is the turn of the second phase: the own report, the others' and the
// registry lie in the seat's folder.
func refine(ctx context.Context, t *Turn) error {
	lib, err := t.Library(ctx, t.Shard)
	if err != nil {
		return err
	}
	texts, err := t.readInputs()
	if err != nil {
		return err
	}
	own, peers := "", []string(nil)
	if len(texts) > 1 {
		own, peers = texts[0], texts[1:len(texts)-1] // the last is the registry
	}
	q := t.question()
	r, err := Refine(ctx, q, own, peers, lib, func(r Result) error {
		n := len(r.Pursued)
		return t.finishIteration(r, iterationEnd{n, r.Pursued[n-1], n == q.Iterations})
	})
	if err != nil {
		return fmt.Errorf("refinement: %w", err)
	}
	if err := t.writeResult(r, true); err != nil {
		return err
	}
	return t.finish(r)
}
