package librarian

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/words"
)

// Overview tells what a library has on a question: where its words stand and
// what stands there with them, of which a plan of the research can be made.
type Overview struct {
	Known   []string // the terms of the question that stand in the library, those that tell most first
	Missing []string // those that stand nowhere

	r *researcher
}

// Survey looks a question up in a library.
func Survey(ctx context.Context, topic string, lib Library) (*Overview, error) {
	r, err := newResearcher(ctx, Question{Topic: topic, Iterations: 1}, lib)
	if err != nil {
		return nil, err
	}
	return &Overview{Known: r.result.Concepts, Missing: r.result.Missing, r: r}, nil
}

// NewWords are the words of a text that stand in the files and not in the
// question, those first that tell most.
func (o *Overview) NewWords(ctx context.Context, text string) ([]string, error) {
	asked := StemSet(o.r.result.Topic)
	fresh := slices.DeleteFunc(concepts(text), func(c concept) bool {
		return hasAll(asked, c.stems) || isDullWord(c.name) || commandWords()[strings.ToLower(c.name)]
	})
	known, _, err := weighConcepts(ctx, o.r.lib, fresh)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range known {
		out = append(out, c.name)
	}
	return out, nil
}

// SharedTerms are those that the best answers have in common beyond the
// question, those first that most speaks for.
func (o *Overview) SharedTerms(ctx context.Context) ([]string, error) {
	leads, err := o.r.leads(ctx)
	var out []string
	for _, l := range leads {
		out = append(out, l.name)
	}
	return out, err
}

// Section is a heading of a document below which words of the question stand.
type Section struct {
	Title, Path string
	worth       float64 // how well what stands below it answers
}

// Sections are the headings of documents below which the words of the question
// stand, the best first. Headings that name no subject are left out.
func (o *Overview) Sections(ctx context.Context) ([]Section, error) {
	q := Query{Any: o.r.stems(), Limit: breadth}
	if len(q.Any) == 0 {
		return nil, nil
	}
	passages, err := o.r.lib.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search the files for headings: %w", err)
	}
	return sections(o.r.candidates(passages, lead{})), nil
}

// sections sums up by heading how well passages answer.
func sections(candidates []candidate) []Section {
	at := map[string]int{}
	var out []Section
	for _, c := range candidates {
		levels := strings.Split(c.Head, " › ")
		title := plain.Line(levels[len(levels)-1], termRunes)
		if !formOf(c.Path).document || title == "" || isEmptyTitle(title) {
			continue
		}
		key := strings.ToLower(title) + "\x00" + c.Path
		if _, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, Section{Title: title, Path: c.Path})
		}
		out[at[key]].worth += c.score
	}
	slices.SortStableFunc(out, func(a, b Section) int {
		if c := cmp.Compare(b.worth, a.worth); c != 0 {
			return c
		}
		return strings.Compare(a.Title+a.Path, b.Title+b.Path)
	})
	return out
}

// emptyTitles are words of headings that name no subject.
var emptyTitles = sync.OnceValue(func() map[string]bool {
	return stemsOf(wordSet("introduction overview content contents table license licence changelog index readme reference references appendix summary see also note notes background general misc faq todo about"), stopWords())
})

// isEmptyTitle reports whether a title names no subject.
func isEmptyTitle(title string) bool {
	stems := words.Stems(title)
	return !slices.ContainsFunc(stems, func(s string) bool { return !emptyTitles()[s] })
}
