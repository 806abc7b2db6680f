package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A share is how many answers were wrong of how many. Of the others some are
// only shown with the words that a quotation leaves out.
type share struct {
	Wrong    int `json:"wrong"`
	Remarked int `json:"remarked"`
	Of       int `json:"of"`
}

func (s share) String() string { return percent(s.Wrong, s.Of) }

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
}

func (s share) add(a answer) share {
	s.Of++
	if !a.right() {
		s.Wrong++
	}
	if a.remarked {
		s.Remarked++
	}
	return s
}

func (s share) plus(other share) share {
	return share{s.Wrong + other.Wrong, s.Remarked + other.Remarked, s.Of + other.Of}
}

// Counted is the share of wrong answers by kind and part.
type counted map[string]map[string]share

func count(answers []answer) counted {
	c := counted{}
	for _, a := range answers {
		if c[a.Kind] == nil {
			c[a.Kind] = map[string]share{}
		}
		c[a.Kind][a.part] = c[a.Kind][a.part].add(a)
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
	fmt.Fprint(out, "| quotations | goal, at most % | cases | before, % | now, % | shown, % | cases unseen | before, % | now, % | shown, % | cases of the second set | before, % | now, % | shown, % |\n|---|"+strings.Repeat("---:|", 13)+"\n")
	for _, row := range append(rows(c), totals(c)...) {
		fmt.Fprintf(out, "| %s | %s |", row.name, row.goal)
		for _, part := range []string{develop, measure, later} {
			var was, is share
			for _, kind := range row.kinds {
				was, is = was.plus(before[kind][part]), is.plus(c[kind][part])
			}
			fmt.Fprintf(out, " %d | %s | %s | %s |", is.Of, was, is, percent(is.Remarked, is.Of))
		}
		fmt.Fprintln(out)
	}
	return nil
}

// shares writes those of a directory.
func shares(out io.Writer, c counted) error {
	fmt.Fprint(out, "| quotations | goal, at most % | cases | now, % | shown, % |\n|---|---:|---:|---:|---:|\n")
	for _, row := range append(rows(c), totals(c)...) {
		var is share
		for _, kind := range row.kinds {
			is = is.plus(c[kind][given])
		}
		fmt.Fprintf(out, "| %s | %s | %d | %s | %s |\n", row.name, row.goal, is.Of, is, percent(is.Remarked, is.Of))
	}
	return nil
}

// A row of a table is of one kind, or of several together.
type row struct {
	name, goal string
	kinds      []string
}

func rows(c counted) []row {
	var list []row
	for _, kind := range slices.Backward(slices.Sorted(maps.Keys(c))) {
		list = append(list, row{cmp.Or(names[kind], kind), fmt.Sprintf("%g", goal(kind)), []string{kind}})
	}
	return list
}

func totals(c counted) []row {
	truly, falsely := row{name: "**all: true, rejected or blamed**"}, row{name: "**all: false, accepted in silence**"}
	for kind := range c {
		if (quotation{Kind: kind}).isTrue() {
			truly.kinds = append(truly.kinds, kind)
		} else {
			falsely.kinds = append(falsely.kinds, kind)
		}
	}
	return []row{truly, falsely}
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
	"F-code": "code altered", "F-short": "a short sentence altered", "F-boilerplate": "a boilerplate line altered", "F-bracket": "brackets that replace what decides", "F-comparator": "comparator turned", "F-cut-head": "cut behind what governs it", "F-cut-tail": "cut before what limits it",
	"F-date": "date changed", "F-ellipsis-hides": "ellipsis that hides a limit", "F-exchange": "a word exchanged for its opposite", "F-far-ellipsis": "subject and predicate of two sentences",
	"F-heading-join": "under a heading it does not stand under", "F-invented": "invented", "F-magnitude": "magnitude changed", "F-name": "name changed", "F-negation": "negation put in or dropped",
	"F-number": "number changed", "F-omit": "words left out in silence", "F-paraphrase": "paraphrase", "F-rejected-quote": "what the document itself rejects",
	"F-stitched-rows": "rows mixed", "F-swap": "sentences exchanged", "F-unit": "unit changed", "F-wrong-column": "columns mixed",
}

// list writes wrong answers.
func list(out io.Writer, answers []answer, kind, of string) error {
	for _, a := range answers {
		if a.right() || a.part != of && a.part != given || kind != "all" && a.Kind != kind {
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
