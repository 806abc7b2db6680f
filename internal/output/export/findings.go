package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// Bounds on what a report shows, so that one of thousands of claims can still
// be read. What is left out is counted.
const (
	maxFindings  = 400
	maxEvidence  = 5   // quotations of one finding
	maxConflicts = 100 // shown side by side
	maxFailed    = 100 // claims that were not verified
	maxUngrouped = 40  // each has a heading of its own where nothing groups them
	maxQuote     = 600 // letters
)

// claimGroup is what one claim or several alike say, all of them located.
type claimGroup struct {
	head   claim.Entry
	others []claim.Entry
	group  claim.Group // the zero one where the claim stands alone
}

// topic is a part of the findings under one heading.
type topic struct {
	title    string // "" where each finding has its own
	findings []claimGroup
}

// findings sets the located claims by theme, then the conflicts side by side,
// then the claims that were not verified, apart.
func (s *typesetter) findings() string {
	all := s.rankedGroups()
	shown := all[:min(len(all), maxFindings)]
	var b strings.Builder
	if len(all) == 0 {
		b.WriteString(placeholderNote("No finding is verified yet."))
	}
	if len(shown) < len(all) {
		fmt.Fprintf(&b, "Of %d findings this report shows %d: those that are critical, agreed and best founded come first. The registry of the run holds all of them.\n", len(all), len(shown))
	}
	for _, t := range s.topics(shown) {
		b.WriteString(s.topic(t))
	}
	b.WriteString(s.conflicts())
	b.WriteString(s.unverified(claim.NotFound, "Claims Whose Quotation Was Not Found", "These are no findings: their source was read and does not hold the words that were quoted."))
	b.WriteString(s.unverified(claim.Unchecked, "Claims That Could Not Be Checked", "These are no findings either: their source could not be read."))
	return b.String()
}

// rankedGroups puts located claims that say the same together, the best first.
func (s *typesetter) rankedGroups() []claimGroup {
	groups := map[string]claim.Group{}
	for _, g := range s.Registry.Groups {
		for _, id := range g.Members {
			groups[id] = g
		}
	}
	var list []claimGroup
	at := map[string]int{} // of a group in list
	for _, e := range s.entries {
		if e.Location.State != claim.Located {
			continue
		}
		g, grouped := groups[e.ID]
		if i, begun := at[g.ID]; grouped && begun {
			list[i].others = append(list[i].others, e)
			continue
		}
		if grouped {
			at[g.ID] = len(list)
		}
		list = append(list, claimGroup{head: e, group: g})
	}
	slices.SortStableFunc(list, func(a, b claimGroup) int { return cmp.Compare(b.rank(), a.rank()) })
	return list
}

// rank orders findings: what the answer hangs on, then what several sources
// say, then by confidence.
func (f claimGroup) rank() int {
	w := map[claim.Confidence]int{claim.High: 2, claim.Medium: 1}[f.head.Confidence]
	if f.group.Sources > 1 {
		w += 3
	}
	if f.head.Critical {
		w += 6
	}
	return w
}

// topics groups findings: by the themes that are given, else by the questions
// the claims name, else by how many sources say the same.
func (s *typesetter) topics(list []claimGroup) []topic {
	themes := s.themes()
	if len(themes) == 0 && len(list) <= maxUngrouped {
		return []topic{{findings: list}}
	}
	if len(themes) == 0 {
		agreed, single := topic{title: "Said by Several Sources"}, topic{title: "Said by One Source"}
		for _, f := range list {
			if f.group.Sources > 1 {
				agreed.findings = append(agreed.findings, f)
			} else {
				single.findings = append(single.findings, f)
			}
		}
		return []topic{agreed, single}
	}
	return byTheme(list, themes)
}

func byTheme(list []claimGroup, themes []Theme) []topic {
	of := map[string]int{} // the first theme of a claim
	topics := make([]topic, len(themes)+1)
	for i, t := range themes {
		topics[i].title = t.Title
		for _, id := range t.Claims {
			if _, ok := of[id]; !ok {
				of[id] = i
			}
		}
	}
	topics[len(themes)].title = "Further Findings"
	for _, f := range list {
		i, ok := of[f.head.ID]
		for j := 0; !ok && j < len(f.others); j++ {
			i, ok = of[f.others[j].ID]
		}
		if !ok {
			i = len(themes)
		}
		topics[i].findings = append(topics[i].findings, f)
	}
	return topics
}

// themes are those given, else one for each question that claims name.
func (s *typesetter) themes() []Theme {
	if len(s.paper.Themes) > 0 {
		return s.paper.Themes
	}
	at := map[string]int{}
	var list []Theme
	for _, e := range s.entries {
		for _, q := range e.Questions {
			if _, ok := at[q]; !ok {
				at[q] = len(list)
				list = append(list, Theme{Title: "Question " + q})
			}
			list[at[q]].Claims = append(list[at[q]].Claims, e.ID)
		}
	}
	slices.SortStableFunc(list, func(a, b Theme) int {
		return cmp.Or(cmp.Compare(len(a.Title), len(b.Title)), cmp.Compare(a.Title, b.Title))
	})
	return list
}

func (s *typesetter) topic(t topic) string {
	if len(t.findings) == 0 {
		return ""
	}
	var b strings.Builder
	if t.title != "" {
		b.WriteString(s.heading(1, t.title))
	}
	for i, f := range t.findings {
		if t.title == "" {
			b.WriteString(s.heading(1, fmt.Sprintf("Finding %d: %s", i+1, short(f.head.Text, maxHeading))))
		}
		b.WriteString(s.finding(f))
	}
	return b.String()
}

// maxHeading is how many letters of a claim stand in a heading.
const maxHeading = 80

// finding sets a claim with its evidence, its sources and its confidence.
func (s *typesetter) finding(f claimGroup) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n\\paragraph{%s} %s\n\\begin{description}\n", f.head.ID, latexText(short(f.head.Text, maxLine)))
	evidence := append([]claim.Entry{f.head}, f.others...)
	for _, e := range evidence[:min(len(evidence), maxEvidence)] {
		fmt.Fprintf(&b, "\\item[Evidence] %s\n", s.quotationText(e))
	}
	if more := len(evidence) - maxEvidence; more > 0 {
		fmt.Fprintf(&b, "\\item[Evidence] and %d more claims that say the same.\n", more)
	}
	fmt.Fprintf(&b, "\\item[Sources] %s\n\\item[Confidence] %s\n\\end{description}\n", s.sourcesOf(evidence), s.confidenceText(f))
	return b.String()
}

// quotationText sets a claim's quotation with its source, or says what a conclusion rests on.
func (s *typesetter) quotationText(e claim.Entry) string {
	if e.Kind.RestsOnClaims() {
		return "An " + latexText(restsOn(e)) + "."
	}
	quote := cmp.Or(e.Quote, e.Location.Passage)
	place := e.ID
	if e.Location.First > 0 {
		place += ", lines " + strings.ReplaceAll(claim.Lines(e.Location.First, e.Location.Last), "-", "--")
	}
	return "“" + latexText(short(quote, maxQuote)) + "”" + omissions(e, latexText) + " " + s.citeSource(e, place)
}

// sourcesOf cites the sources of claims, each once.
func (s *typesetter) sourcesOf(list []claim.Entry) string {
	var keys []string
	for _, e := range list[:min(len(list), maxEvidence)] {
		ref := s.refer(e)
		s.used[ref] = true
		if !slices.Contains(keys, ref.Key) {
			keys = append(keys, ref.Key)
		}
	}
	return `\citep{` + strings.Join(keys, ",") + `}`
}

// confidenceText says what the evidence is worth and why.
func (s *typesetter) confidenceText(f claimGroup) string {
	parts := []string{latexText(cmp.Or(line(string(f.head.Confidence)), "not weighed"))}
	if f.group.Sources > 1 {
		parts = append(parts, fmt.Sprintf("%d independent sources", f.group.Sources))
	}
	if v := f.head.Verdict(); v != "" {
		parts = append(parts, latexText("votes: "+v))
	}
	if doubt := f.head.Location.Doubt; doubt != "" {
		parts = append(parts, latexText(short(doubt, maxTitle)))
	}
	for _, c := range s.Registry.Conflicts {
		if c.A == f.head.ID || c.B == f.head.ID {
			parts = append(parts, "in conflict with "+latexText(otherSide(c, f.head.ID)))
		}
	}
	return strings.Join(parts, "; ") + "."
}

// otherSide is the other side of a conflict.
func otherSide(c claim.Conflict, id string) string {
	if c.A == id {
		return line(c.B)
	}
	return line(c.A)
}

// conflicts sets the two sides of each conflict beside one another.
func (s *typesetter) conflicts() string {
	var b strings.Builder
	n := 0
	for _, c := range s.Registry.Conflicts {
		left, l := s.known[c.A]
		right, r := s.known[c.B]
		if !l || !r {
			continue
		}
		if n++; n <= maxConflicts {
			b.WriteString(s.conflict(c, left, right))
		}
	}
	if n == 0 {
		return ""
	}
	if n > maxConflicts {
		fmt.Fprintf(&b, "\nOf %d conflicts %d are shown.\n", n, maxConflicts)
	}
	return s.heading(1, "Conflicts") + b.String()
}

func (s *typesetter) conflict(c claim.Conflict, sides ...claim.Entry) string {
	var claims, quotes, worth []string
	for _, e := range sides {
		claims = append(claims, "\\textbf{"+e.ID+"} "+latexText(short(e.Text, maxLine)))
		quotes = append(quotes, s.quotationText(e))
		about := "; quotation "
		if e.Kind.RestsOnClaims() {
			about = "; "
		}
		worth = append(worth, "Confidence: "+latexText(cmp.Or(line(string(e.Confidence)), "not weighed"))+about+stateOf(e)+".")
	}
	about := fmt.Sprintf("By %s (%s): %s", line(string(c.Kind)), line(string(c.Severity)), short(c.Detail, maxTitle))
	row := func(cells []string) string { return "{}" + strings.Join(cells, " & ") + " \\\\\n" }
	return fmt.Sprintf("\n\\paragraph{%s} %s. %s %s\n", latexText(line(c.ID)), latexText(strings.TrimRight(about, ": .")), latexText(conflictStatus(c)), latexText(short(c.Resolution, maxTitle))) +
		"\\begin{longtable}{@{}*{2}{>{\\raggedright\\arraybackslash}p{\\dimexpr0.5\\linewidth-6pt}}@{}}\n\\toprule\n" +
		row(claims) + "\\midrule\n" + row(quotes) + row(worth) + "\\bottomrule\n\\end{longtable}\n"
}

// conflictStatus is what has become of a conflict.
func conflictStatus(c claim.Conflict) string {
	switch c.Status {
	case "resolved_A":
		return "Settled: " + line(c.A) + " holds."
	case "resolved_B":
		return "Settled: " + line(c.B) + " holds."
	case "still_divergent":
		return "It was judged, and nothing decided it."
	case claim.Dismissed:
		return "Families have read both and say that it is none."
	}
	return "It is open."
}

// unverified lists the claims in a state, apart from the findings.
func (s *typesetter) unverified(state claim.State, title, note string) string {
	var b strings.Builder
	n := 0
	for _, e := range s.entries {
		if e.Location.State != state && (state != claim.Unchecked || e.Location.State != "") {
			continue
		}
		if n++; n > maxFailed {
			continue
		}
		fmt.Fprintf(&b, "\\item{} %s: %s", e.ID, latexText(short(e.Text, maxQuote)))
		if e.Location.Reason != "" {
			b.WriteString(" (" + latexText(short(e.Location.Reason, maxTitle)) + ")")
		}
		b.WriteString(" " + s.citeSource(e, "quotation "+stateOf(e)) + "\n")
	}
	if n == 0 {
		return ""
	}
	if n > maxFailed {
		note += fmt.Sprintf(" Of %d the first %d are shown.", n, maxFailed)
	}
	return s.heading(1, title) + note + "\n\\begin{itemize}\n" + b.String() + "\\end{itemize}\n"
}
