package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/test/eval/pairs"
)

// comparison measures how claims are compared.
func comparison(_ context.Context, b bench) (Result, error) {
	list, err := pairs.Read()
	if err != nil {
		return Result{}, err
	}
	short, err := pairs.ReadShort()
	if err != nil {
		return Result{}, err
	}
	after, err := pairs.ReadAfter()
	if err != nil {
		return Result{}, err
	}
	labels := map[string]int{}
	for _, p := range list {
		labels[p.Label]++
	}
	const times = 20
	rules, shortRules, afterRules := pairs.Rules(list), pairs.Rules(short), pairs.Rules(after)
	r := Result{
		Inputs: fmt.Sprintf("%d pairs of claims that strangers have labelled (`test/eval/pairs/testdata`), of which the writers of the rules have seen none: same %d, narrower %d, contradicts %d, condition %d, unrelated %d. Scripted judges err each on its own, and then say any of the other four things; %d rounds of all pairs, seed %d. Beside them stand %d pairs of short sentences (`opposed.jsonl`: 50 that say the same, 50 that clash, 50 that do neither), by a stranger too, which the writers of the rules have seen, and %d that the writer of the rules wrote when they were done (`after.jsonl`: same 14, clash 26, neither 20).",
			len(list), labels["same"], labels["narrower"], labels["contradicts"], labels["condition"], labels["unrelated"], times, b.seed, len(short), len(after)),
		Bars: []Bar{
			bar("precision of what the rules alone call the same", rules.Same.Precision(), .97, rules.Same),
			bar("precision of what the rules alone call a possible conflict", rules.Contradicts.Precision(), .9, rules.Contradicts),
			bar("precision of what the rules alone call the same, of short sentences", shortRules.Same.Precision(), .97, shortRules.Same),
			bar("precision of what the rules alone call a possible conflict, of short sentences", shortRules.Contradicts.Precision(), .9, shortRules.Contradicts),
			bar("precision of what the rules alone call the same, of sentences written after them", afterRules.Same.Precision(), .97, afterRules.Same),
			bar("precision of what the rules alone call a possible conflict, of sentences written after them", afterRules.Contradicts.Precision(), .9, afterRules.Contradicts),
		},
		Tables: []Table{{Head: []string{"who compares", "same: precision", "recall", "conflict: precision", "recall", "conflict that families agree on: precision", "recall"}}},
	}
	for _, row := range []struct {
		who string
		o   pairs.Outcome
	}{{"the rules alone", rules}, {"the rules alone, short sentences", shortRules}, {"the rules alone, sentences written after them", afterRules}} {
		r.Tables[0].Rows = append(r.Tables[0].Rows, []string{row.who, percent(row.o.Same.Precision()), percent(row.o.Same.Recall()), percent(row.o.Contradicts.Precision()), percent(row.o.Contradicts.Recall()), "", ""})
	}
	dice := rand.New(rand.NewPCG(b.seed, 11))
	for _, families := range []int{2, 3} {
		for _, share := range []float64{0, .05, .1, .2} {
			all, firm := pairs.Judged(list, families, share, times, dice)
			r.Tables[0].Rows = append(r.Tables[0].Rows, []string{
				fmt.Sprintf("%d families that err on %.0f %%", families, share*100), percent(all.Same.Precision()), percent(all.Same.Recall()),
				percent(all.Contradicts.Precision()), percent(all.Contradicts.Recall()), percent(firm.Precision()), percent(firm.Recall()),
			})
			if families == 3 && share == .1 {
				r.Bars = append(r.Bars, bar("precision of what three families, each wrong on 10 %, merge", all.Same.Precision(), .97, all.Same))
			}
		}
	}
	r.Bars = append(r.Bars, Bar{"pairs forbidden to be called the same that are the same", "≤ 5 %", fmt.Sprintf("%d of %d", rules.Forbidden.Said-rules.Forbidden.Right, labels["same"]), 20*(rules.Forbidden.Said-rules.Forbidden.Right) <= labels["same"]})
	proposed := Table{Head: []string{"pairs proposed for a claim, at most", "pairs", "claims", "recall of those that have to do with each other"}}
	for _, most := range []int{3, relation.MostPairs} {
		found, said, claims := pairs.Proposed(list, most)
		proposed.Rows = append(proposed.Rows, []string{fmt.Sprint(most), fmt.Sprint(said), fmt.Sprint(claims), percent(found.Recall())})
		if most == relation.MostPairs {
			r.Bars = append(r.Bars, bar("recall of the pairs proposed", found.Recall(), .95, pairs.Count{Said: found.There, Right: found.Right}))
		}
	}
	r.Tables = append(r.Tables, proposed)
	return r, nil
}

// bar is a share that is to be no less.
func bar(what string, got, least float64, c pairs.Count) Bar {
	return Bar{what, fmt.Sprintf("≥ %.0f %%", least*100), fmt.Sprintf("%s (%d of %d)", percent(got), c.Right, c.Said), got >= least}
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", share*100) }
