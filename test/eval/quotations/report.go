package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

// A share is how many answers were wrong of how many.
type share struct {
	Wrong int `json:"wrong"`
	Of    int `json:"of"`
}

func (s share) String() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*float64(s.Wrong)/float64(s.Of))
}

func (s share) add(a answer) share {
	s.Of++
	if !a.right() {
		s.Wrong++
	}
	return s
}

// Counted is the share of wrong answers by kind and half.
type counted map[string]map[string]share

func count(answers []answer) counted {
	c := counted{}
	for _, a := range answers {
		if c[a.Kind] == nil {
			c[a.Kind] = map[string]share{}
		}
		c[a.Kind][half(a.Doc)] = c[a.Kind][half(a.Doc)].add(a)
	}
	return c
}

func figures(out io.Writer, c counted) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(c)
}

// goal is the share of wrong answers that is wanted at most, in percent.
func goal(kind string) float64 {
	if (quotation{Kind: kind}).isTrue() {
		return 2
	}
	return 1
}

// table writes the shares as Markdown, beside those of the gate before it knew
// of any of this.
func table(out io.Writer, c counted) error {
	before, err := readBefore()
	if err != nil {
		return err
	}
	fmt.Fprint(out, "| quotations | goal, at most % | cases | before, % | now, % | cases unseen | before, % | now, % |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	total := map[string]map[string][2]share{"true, rejected or blamed": {}, "false, accepted in silence": {}}
	for _, kind := range slices.Backward(slices.Sorted(maps.Keys(c))) {
		sum := total["false, accepted in silence"]
		if (quotation{Kind: kind}).isTrue() {
			sum = total["true, rejected or blamed"]
		}
		fmt.Fprintf(out, "| %s | %g |", names[kind], goal(kind))
		for _, h := range []string{develop, measure} {
			was, is := before[kind][h], c[kind][h]
			fmt.Fprintf(out, " %d | %s | %s |", is.Of, was, is)
			sum[h] = [2]share{{sum[h][0].Wrong + was.Wrong, sum[h][0].Of + was.Of}, {sum[h][1].Wrong + is.Wrong, sum[h][1].Of + is.Of}}
		}
		fmt.Fprintln(out)
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(total))) {
		fmt.Fprintf(out, "| **all: %s** | |", name)
		for _, h := range []string{develop, measure} {
			fmt.Fprintf(out, " %d | %s | %s |", total[name][h][1].Of, total[name][h][0], total[name][h][1])
		}
		fmt.Fprintln(out)
	}
	return nil
}

func readBefore() (counted, error) {
	data, err := files.ReadFile("testdata/before.json")
	if err != nil {
		return nil, err
	}
	var c counted
	return c, json.Unmarshal(data, &c)
}

// names says of each kind what it is.
var names = map[string]string{
	"T-boilerplate": "boilerplate lines", "T-bracket": "[sic], a gloss or a changed letter in brackets", "T-case": "another first letter, no full stop",
	"T-citation-kept": "citation marks kept", "T-citation-out": "citation marks left out", "T-code": "code", "T-context": "with all that governs it",
	"T-ellipsis": "fair ellipsis", "T-heading": "headings", "T-hyphen": "words divided at line ends", "T-list": "lists", "T-markup": "Markdown or HTML in either",
	"T-page": "across page headers and footers", "T-science": "formulas written plainly", "T-short": "short sentences", "T-table": "rows of tables",
	"T-trim": "cut where nothing limits", "T-typography": "typography", "T-verbatim": "verbatim",
	"F-bracket": "brackets that replace what decides", "F-comparator": "comparator turned", "F-cut-head": "cut behind what governs it", "F-cut-tail": "cut before what limits it",
	"F-date": "date changed", "F-ellipsis-hides": "ellipsis that hides a limit", "F-exchange": "a word exchanged for its opposite", "F-far-ellipsis": "subject and predicate of two sentences",
	"F-heading-join": "under a heading it does not stand under", "F-invented": "invented", "F-magnitude": "magnitude changed", "F-name": "name changed", "F-negation": "negation put in or dropped",
	"F-number": "number changed", "F-omit": "words left out in silence", "F-paraphrase": "paraphrase", "F-rejected-quote": "what the document itself rejects",
	"F-stitched-rows": "rows mixed", "F-swap": "sentences exchanged", "F-unit": "unit changed", "F-wrong-column": "columns mixed",
}

// list writes wrong answers.
func list(out io.Writer, answers []answer, kind, of string) error {
	for _, a := range answers {
		if a.right() || half(a.Doc) != of || kind != "all" && a.Kind != kind {
			continue
		}
		fmt.Fprintf(out, "%s %s\n  %q\n", a.ID, a.Kind, a.Quote)
		if a.Finding != "" {
			fmt.Fprintf(out, "  wanted: %s\n", a.Finding)
		}
		if a.Found {
			fmt.Fprintf(out, "  %s %v\n", a.Match.Tier, a.Match.Findings)
		} else {
			fmt.Fprintf(out, "  refused %v, nearest %q\n", a.Match.Findings, a.Nearest)
		}
	}
	return nil
}

// byLanguage writes the wrong answers of each kind and language.
func byLanguage(out io.Writer, answers []answer) error {
	sum := map[string]share{}
	for _, a := range answers {
		sum[a.Kind+" "+a.Lang] = sum[a.Kind+" "+a.Lang].add(a)
	}
	for _, key := range slices.Sorted(maps.Keys(sum)) {
		if sum[key].Wrong > 0 {
			fmt.Fprintf(out, "%s %d of %d\n", key, sum[key].Wrong, sum[key].Of)
		}
	}
	return nil
}
