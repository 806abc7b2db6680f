package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/citation"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/guard"
)

// findings are what there is to mend or to know, the worst first.
func (a *auditor) findings(r Result) []Finding {
	out := []Finding{}
	for _, f := range a.doc.Findings {
		out = append(out, Finding{Kind: string(f.Fault), Line: f.Line, What: f.Detail, Times: f.Times})
	}
	for _, s := range a.sources {
		out = append(out, a.sourceFindings(s)...)
	}
	out = append(append(out, a.copyFindings()...), a.uncheckedFindings(r.quotations())...)
	for _, q := range r.quotations() {
		out = append(out, a.quotationFindings(q)...)
	}
	for _, st := range r.Statements {
		out = append(out, a.numberFindings(st)...)
		if st.About == No {
			out = append(out, a.wrongSourceFinding(st))
		}
	}
	out = mergeRepeated(out)
	order := map[string]int{}
	for i, k := range Kinds() {
		order[k.Name] = i
	}
	for i := range out {
		out[i].Severity = severity(out[i].Kind)
	}
	slices.SortStableFunc(out, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(order[x.Kind], order[y.Kind]), cmp.Compare(x.Line, y.Line))
	})
	return out
}

// mergeRepeated makes one finding of those that say the same of the same words,
// wherever the report repeats them.
func mergeRepeated(list []Finding) []Finding {
	type said struct{ kind, what, report string }
	at := map[said]int{}
	var out []Finding
	for _, f := range list {
		key := said{f.Kind, f.What, f.Report}
		i, known := at[key]
		if !known {
			at[key] = len(out)
			out = append(out, f)
			continue
		}
		out[i].Times = max(1, out[i].Times) + max(1, f.Times)
	}
	return out
}

// sourceFindings are the findings about one source.
func (a *auditor) sourceFindings(s *sourceText) []Finding {
	var out []Finding
	add := func(kind, what string) {
		out = append(out, Finding{Kind: kind, Line: s.Line, What: what, Key: s.Key, Report: s.Address, Times: len(s.References)})
	}
	because := ""
	if s.Reason != "" {
		because = ": " + s.Reason
	}
	switch s.State {
	case archive.LikelyInvented:
		add("invented", s.Name()+" is not there and no archive has ever seen it"+because)
	case archive.Gone:
		add("dead", s.Name()+" is gone"+because)
	case archive.Stale:
		add("stale", s.Name()+" is gone; an archived copy was read"+because)
	case archive.Moved:
		add("moved", s.Name()+" is elsewhere now"+because)
	case archive.Blocked:
		add("blocked", s.Name()+" is not shown to programs"+because)
	case archive.Unreachable:
		add("unreachable", s.Name()+" could not be fetched"+because)
	case Unchecked:
		if s.outside {
			add("outside", s.Name()+strings.TrimPrefix(s.Reason, "it")+", so nobody has looked into it; --scope names another folder")
		}
	}
	if s.Retracted {
		add("retracted", s.Name()+" was retracted"+colon(s.Notice))
	}
	if s.Mismatch != "" {
		add("mismatch", s.Name()+" leads to another work than the one it names: "+s.Mismatch)
	}
	for _, w := range s.Warnings {
		switch {
		case strings.HasPrefix(w, "line "):
			add("bad-lines", s.Name()+": "+w)
		case s.State.Readable():
			add("warning", s.Name()+": "+w)
		}
	}
	return out
}

func colon(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

func (a *auditor) nameOf(key string) string {
	for _, s := range a.sources {
		if s.Key == key {
			return s.Name()
		}
	}
	return key
}

// uncheckedFindings are the quotations that could not be looked for: one finding for
// each source and reason. Of those that nobody meant to look for, off line,
// the counts tell enough.
func (a *auditor) uncheckedFindings(quotations []Quotation) []Finding {
	var out []Finding
	at := map[string]int{}
	for _, q := range quotations {
		if q.State != claim.Unchecked || q.Source < 0 || a.sources[q.Source].State == Unchecked {
			continue // said of its source, or of its marker
		}
		i, known := at[q.Reason]
		if !known {
			i = len(out)
			at[q.Reason] = i
			out = append(out, Finding{Kind: "unchecked", Line: q.Line, Report: q.Text, Key: a.sources[q.Source].Key})
		}
		out[i].Times++
		quotations := "A quotation"
		if out[i].Times > 1 {
			quotations = fmt.Sprintf("%d quotations", out[i].Times)
		}
		out[i].What = quotations + " could not be looked for: " + q.Reason
	}
	return out
}

func (a *auditor) quotationFindings(q Quotation) []Finding {
	f := Finding{Line: q.Line, Report: q.Text, Source: q.Nearest}
	name := "its source"
	if q.Source >= 0 {
		f.Key, name = a.sources[q.Source].Key, a.sources[q.Source].Name()
	}
	switch {
	case q.State == claim.Unchecked, q.Source >= 0 && q.State == claim.NotFound && !a.sources[q.Source].readable:
		return nil // said of its source
	case q.State == claim.NotFound && len(q.Findings) > 0:
		f.Kind, f.What = "altered", fmt.Sprintf("%s says something else: %s.", name, differences(q.Findings))
	case q.State == claim.NotFound && q.Instead != "":
		f.Kind, f.What = "unlocated", fmt.Sprintf("The quotation does not stand in %s, but in %s.", name, a.nameOf(q.Instead))
	case q.State == claim.NotFound:
		f.Kind, f.What = "unlocated", fmt.Sprintf("The quotation does not stand in %s.", name)
	case q.Aside:
		f.Kind, f.Source, f.What = "aside", q.Passage, fmt.Sprintf("The quotation stands in %s, but outside the article: in a menu, a comment or a footer.", name)
	case len(q.Findings) > 0:
		f.Kind, f.Source, f.What = "differs", q.Passage, fmt.Sprintf("The quotation stands in %s, with words to look at: %s.", name, differences(q.Findings))
	default:
		return nil
	}
	return []Finding{f}
}

// differences says in what a quotation and its source differ.
func differences(list []guard.Finding) string {
	var out []string
	for i, f := range list {
		if i == 4 {
			out = append(out, "…")
			break
		}
		switch {
		case slices.Contains([]guard.Kind{guard.Begins, guard.GoesOn, guard.Answered, guard.Omitted, guard.Joined, guard.Renamed, guard.Noted, guard.Struck, guard.Hidden}, f.Kind):
			out = append(out, f.String())
		case f.Quote == "":
			out = append(out, fmt.Sprintf("%s %q is missing", f.Kind, f.Text))
		case f.Text == "":
			out = append(out, fmt.Sprintf("%s %q is not there", f.Kind, f.Quote))
		default:
			out = append(out, fmt.Sprintf("%s %q, there %q", f.Kind, f.Quote, f.Text))
		}
	}
	return strings.Join(out, "; ")
}

// numberFindings is one finding for a statement's numbers.
func (a *auditor) numberFindings(st Statement) []Finding {
	var missing, instead []string
	for _, n := range st.Numbers {
		if n.State == No {
			missing = append(missing, n.Text)
			if n.Instead != "" && len(instead) < 3 {
				instead = append(instead, n.Text+" in "+a.nameOf(n.Instead))
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	verb, names := "does", a.sourceNames(st)
	if len(st.Sources) > 1 {
		verb = "do"
	}
	what := fmt.Sprintf("%s %s not hold %s", names, verb, strings.Join(missing, ", "))
	if len(instead) > 0 {
		what += " (" + strings.Join(instead, ", ") + ")"
	}
	return []Finding{{Kind: "number", Line: st.Line, What: what + ".", Report: st.Text, Times: len(missing)}}
}

func (a *auditor) sourceNames(st Statement) string {
	var names []string
	for _, s := range st.Sources {
		names = append(names, a.sources[s].Name())
	}
	return strings.Join(names, ", ")
}

func (a *auditor) wrongSourceFinding(st Statement) Finding {
	what := fmt.Sprintf("%s does not speak of this: %.0f %% of the statement's words, by weight, stand near one another in it", a.sourceNames(st), 100*st.Coverage)
	if better := a.betterSource(st); better != nil {
		what += "; " + better.Name() + " does"
	}
	return Finding{Kind: "wrong-source", Line: st.Line, What: what + ".", Report: st.Text}
}

// betterSource is another source of the report that does speak of a statement.
func (a *auditor) betterSource(st Statement) *sourceText {
	var best *sourceText
	most := max(0.4, 2*st.Coverage)
	for i, s := range a.sources {
		if !s.readable || slices.Contains(st.Sources, i) {
			continue
		}
		if share, _ := a.weights.Coverage(st.Text, s.page); share > most {
			best, most = s, share
		}
	}
	return best
}

// countAll counts.
func (a *auditor) countAll(r Result) Counts {
	c := Counts{
		Statements: len(r.Statements), References: len(a.doc.References), Sources: len(a.sources),
		States: map[archive.State]int{},
	}
	for _, s := range a.sources {
		c.States[s.State]++
		switch {
		case s.readable:
			c.Read++
		case s.State != archive.Gone && s.State != archive.LikelyInvented:
			c.Unread++
		}
		if s.CopyOf != "" {
			c.Copies++
		}
	}
	for _, st := range r.Statements {
		c.About += oneIf(st.About == Yes)
		c.NotAbout += oneIf(st.About == No)
		for _, n := range st.Numbers {
			c.Numbers++
			c.NumbersFound += oneIf(n.State == Yes)
			c.NumbersNot += oneIf(n.State == No)
		}
	}
	for _, q := range r.quotations() {
		c.Quotations++
		c.Located += oneIf(q.State == claim.Located)
		c.NotFound += oneIf(q.State == claim.NotFound)
	}
	for _, f := range a.doc.Findings {
		c.Structure += a.weightOf(f)
	}
	return c
}

// weightOf is how many references and statements a fault of structure touches: a
// list nothing refers to is as many as it has entries. Several lists stand each behind
// the section they belong to, so that a reader knows that much.
func (a *auditor) weightOf(f citation.Finding) int {
	if f.Fault != citation.NoMarkers || f.Times > 1 {
		return max(1, f.Times)
	}
	n := 0
	for _, ref := range a.doc.References {
		n += oneIf(ref.Listed)
	}
	return n
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// KindList lists the kinds of findings for people, a line each.
func KindList() string {
	var b strings.Builder
	for _, k := range Kinds() {
		fmt.Fprintf(&b, "  %-12s %s (%s)\n", k.Name, k.What, k.Severity)
	}
	return strings.TrimRight(b.String(), "\n")
}
