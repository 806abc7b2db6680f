package audit

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/citation"
)

// maxShown bounds foreign words in a line for people, in runes.
const maxShown = 200

// Write tells a result to people: what was found, the worst first, then a
// table of what was counted. Nothing foreign can reach a terminal as more than
// words.
func Write(w io.Writer, r Result) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s: %s\n", plain.Line(r.Report, maxShown), headline(r))
	if r.Run != "" {
		fmt.Fprintf(b, "Written in run %s; its files are looked for in the scope of that run, %s.\n", r.Run, plain.Line(r.Scope, maxShown))
	}
	findings(b, r.Findings)
	table(b, r)
	fmt.Fprintf(b, "\n%s\n", r.Note)
	return b.Flush()
}

// maxOfAKind bounds the findings of one kind that are told to people.
const maxOfAKind = 50

// findings tells findings under the names of their kinds.
func findings(b io.Writer, list []Finding) {
	for len(list) > 0 {
		kind, n := list[0].Kind, 1
		for n < len(list) && list[n].Kind == kind {
			n++
		}
		fmt.Fprintf(b, "\n%s (%s): %s\n", kind, list[0].Severity, kindDescription(kind))
		for _, f := range list[:min(n, maxOfAKind)] {
			finding(b, f)
		}
		if n > maxOfAKind {
			fmt.Fprintf(b, "  and %d more, which --json tells\n", n-maxOfAKind)
		}
		list = list[n:]
	}
}

func headline(r Result) string {
	if !r.Understood {
		return "style not understood, so no grade; seen: " + seen(r.Seen)
	}
	serious := 0
	for _, f := range r.Findings {
		if f.Severity != Remark {
			serious++
		}
	}
	found := "nothing to mend"
	switch {
	case serious == 1:
		found = "1 thing to mend"
	case serious > 1:
		found = fmt.Sprintf("%d things to mend", serious)
	}
	of := ""
	if r.structural() {
		of = " for structure alone"
	}
	if open := r.Open(); open != "" {
		found += "; " + open
	}
	return fmt.Sprintf("grade %s, %.0f of 100%s; %s", r.Grade.Letter, r.Grade.Score, of, found)
}

// seen tells what stands in a report where markers stand.
func seen(list []citation.Seen) string {
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s, %d times", plain.Line(strings.Join(s.Examples, " "), maxShown), s.Times))
	}
	return strings.Join(out, "; ")
}

// Open says what of a result could not be checked; "" where all was.
func (r Result) Open() string {
	c := r.Counts
	var open []string
	part := func(n, all int, what, not string) {
		if all != 1 {
			what += "s"
		}
		if n > 0 {
			open = append(open, fmt.Sprintf("%d of %d %s not %s", n, all, what, not))
		}
	}
	part(c.Unread, c.Sources, "source", "read")
	part(c.Quotations-c.Located-c.NotFound, c.Quotations, "quotation", "looked for")
	return strings.Join(open, ", ")
}

func finding(b io.Writer, f Finding) {
	where := "report"
	if f.Line > 0 {
		where = fmt.Sprintf("line %d", f.Line)
	}
	fmt.Fprintf(b, "  %-10s %s\n", where, plain.Line(f.What, 2*maxShown))
	switch f.Kind {
	case "altered", "unlocated", "differs", "aside":
		fmt.Fprintf(b, "             report: “%s”\n", plain.Line(f.Report, maxShown))
		if f.Source != "" {
			fmt.Fprintf(b, "             source: “%s”\n", plain.Line(f.Source, maxShown))
		}
	case "number", "wrong-source":
		fmt.Fprintf(b, "             report: %s\n", plain.Line(f.Report, maxShown))
	case "invented", "dead", "stale", "moved", "blocked", "unreachable", "outside", "retracted", "mismatch":
		if f.Report != "" && !strings.Contains(f.What, f.Report) {
			fmt.Fprintf(b, "             %s\n", plain.Line(f.Report, maxShown))
		}
	}
}

// table tells the counts.
func table(b io.Writer, r Result) {
	c := r.Counts
	var of []string
	for _, s := range states() {
		if n := c.States[s]; n > 0 {
			of = append(of, fmt.Sprintf("%d %s", n, s))
		}
	}
	if c.Copies > 0 {
		of = append(of, fmt.Sprintf("%d repeat another", c.Copies))
	}
	fmt.Fprintf(b, "\n%-12s %5d  %s\n", "sources", c.Sources, strings.Join(of, ", "))
	row := func(name string, all, good, bad int, goodWord, badWord string) {
		fmt.Fprintf(b, "%-12s %5d  %d %s, %d %s, %d unchecked\n", name, all, good, goodWord, bad, badWord, all-good-bad)
	}
	row("quotations", c.Quotations, c.Located, c.NotFound, "located", "not found")
	row("numbers", c.Numbers, c.NumbersFound, c.NumbersNot, "in their source", "not in it")
	row("statements", c.Statements, c.About, c.NotAbout, "their source speaks of", "it does not")
	fmt.Fprintf(b, "%-12s %5d  faults; references %d, statements with references %d, sentences %d\n", "structure", c.Structure, c.References, c.Statements, r.Sentences)
	if r.Grade.Letter == "" {
		fmt.Fprintf(b, "\nno grade\n  %s\n", r.Grade.Why)
		return
	}
	fmt.Fprintf(b, "\ngrade %s, %.0f of 100\n", r.Grade.Letter, r.Grade.Score)
	for _, p := range r.Grade.Parts {
		fmt.Fprintf(b, "  %3.0f %% %s (%d of %d), weight %.0f\n", 100*float64(p.Good)/float64(p.Of), p.Name, p.Good, p.Of, p.Weight)
	}
	fmt.Fprintf(b, "  %s\n", r.Grade.Why)
}
