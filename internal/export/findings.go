package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"research-council/internal/claim"
)

// Bounds on what a report shows, so that one of thousands of claims can still
// be read. What is left out is counted.
const (
	mostFindings  = 400
	mostEvidence  = 5   // quotations of one finding
	mostConflicts = 100 // shown side by side
	mostFailed    = 100 // claims that were not verified
	fewFindings   = 40  // each has a heading of its own where nothing groups them
	longestQuote  = 600 // letters
)

// finding is what one claim or several alike say, all of them located.
type finding struct {
	head   claim.Entry
	others []claim.Entry
	group  claim.Group // the zero one where the claim stands alone
}

// topic is a part of the findings under one heading.
type topic struct {
	title    string // "" where each finding has its own
	findings []finding
}

// findings sets the located claims by theme, then the conflicts side by side,
// then the claims that were not verified, apart.
func (s *setter) findings() string {
	all := s.found()
	shown := all[:min(len(all), mostFindings)]
	var b strings.Builder
	if len(all) == 0 {
		b.WriteString(italic("No finding is verified yet."))
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

// found puts located claims that say the same together, the best first.
func (s *setter) found() []finding {
	groups := map[string]claim.Group{}
	for _, g := range s.Registry.Groups {
		for _, id := range g.Members {
			groups[id] = g
		}
	}
	var list []finding
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
		list = append(list, finding{head: e, group: g})
	}
	slices.SortStableFunc(list, func(a, b finding) int { return cmp.Compare(b.weight(), a.weight()) })
	return list
}

// weight orders findings: what the answer hangs on, then what several sources
// say, then by confidence.
func (f finding) weight() int {
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
func (s *setter) topics(list []finding) []topic {
	themes := s.themes()
	if len(themes) == 0 && len(list) <= fewFindings {
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

func byTheme(list []finding, themes []Theme) []topic {
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
func (s *setter) themes() []Theme {
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

func (s *setter) topic(t topic) string {
	if len(t.findings) == 0 {
		return ""
	}
	var b strings.Builder
	if t.title != "" {
		b.WriteString(s.head(1, t.title))
	}
	for i, f := range t.findings {
		if t.title == "" {
			b.WriteString(s.head(1, fmt.Sprintf("Finding %d: %s", i+1, short(f.head.Text, longestHeading))))
		}
		b.WriteString(s.finding(f))
	}
	return b.String()
}

// longestHeading is how many letters of a claim stand in a heading.
const longestHeading = 80

// finding sets a claim with its evidence, its sources and its confidence.
func (s *setter) finding(f finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n\\paragraph{%s} %s\n\\begin{description}\n", f.head.ID, typed(short(f.head.Text, longestLine)))
	evidence := append([]claim.Entry{f.head}, f.others...)
	for _, e := range evidence[:min(len(evidence), mostEvidence)] {
		fmt.Fprintf(&b, "\\item[Evidence] %s\n", s.quoted(e))
	}
	if more := len(evidence) - mostEvidence; more > 0 {
		fmt.Fprintf(&b, "\\item[Evidence] and %d more claims that say the same.\n", more)
	}
	fmt.Fprintf(&b, "\\item[Sources] %s\n\\item[Confidence] %s\n\\end{description}\n", s.sourcesOf(evidence), s.confidence(f))
	return b.String()
}

// quoted sets a claim's quotation with its source.
func (s *setter) quoted(e claim.Entry) string {
	quote := cmp.Or(e.Quote, e.Location.Passage)
	place := e.ID
	if e.Location.First > 0 {
		place += ", lines " + strings.ReplaceAll(claim.Lines(e.Location.First, e.Location.Last), "-", "--")
	}
	return "“" + typed(short(quote, longestQuote)) + "”" + leftOut(e, typed) + " " + s.source(e, place)
}

// sourcesOf cites the sources of claims, each once.
func (s *setter) sourcesOf(list []claim.Entry) string {
	var keys []string
	for _, e := range list[:min(len(list), mostEvidence)] {
		ref := s.refer(e)
		s.used[ref] = true
		if !slices.Contains(keys, ref.Key) {
			keys = append(keys, ref.Key)
		}
	}
	return `\citep{` + strings.Join(keys, ",") + `}`
}

// confidence says what the evidence is worth and why.
func (s *setter) confidence(f finding) string {
	parts := []string{typed(cmp.Or(line(string(f.head.Confidence)), "not weighed"))}
	if f.group.Sources > 1 {
		parts = append(parts, fmt.Sprintf("%d independent sources", f.group.Sources))
	}
	if v := f.head.Verdict(); v != "" {
		parts = append(parts, typed("votes: "+v))
	}
	if doubt := f.head.Location.Doubt; doubt != "" {
		parts = append(parts, typed(short(doubt, longestTitle)))
	}
	for _, c := range s.Registry.Conflicts {
		if c.A == f.head.ID || c.B == f.head.ID {
			parts = append(parts, "in conflict with "+typed(rival(c, f.head.ID)))
		}
	}
	return strings.Join(parts, "; ") + "."
}

// rival is the other side of a conflict.
func rival(c claim.Conflict, id string) string {
	if c.A == id {
		return line(c.B)
	}
	return line(c.A)
}

// conflicts sets the two sides of each conflict beside one another.
func (s *setter) conflicts() string {
	var b strings.Builder
	n := 0
	for _, c := range s.Registry.Conflicts {
		left, l := s.known[c.A]
		right, r := s.known[c.B]
		if !l || !r {
			continue
		}
		if n++; n <= mostConflicts {
			b.WriteString(s.conflict(c, left, right))
		}
	}
	if n == 0 {
		return ""
	}
	if n > mostConflicts {
		fmt.Fprintf(&b, "\nOf %d conflicts %d are shown.\n", n, mostConflicts)
	}
	return s.head(1, "Conflicts") + b.String()
}

func (s *setter) conflict(c claim.Conflict, sides ...claim.Entry) string {
	var claims, quotes, worth []string
	for _, e := range sides {
		claims = append(claims, "\\textbf{"+e.ID+"} "+typed(short(e.Text, longestLine)))
		quotes = append(quotes, s.quoted(e))
		worth = append(worth, "Confidence: "+typed(cmp.Or(line(string(e.Confidence)), "not weighed"))+"; quotation "+stateOf(e)+".")
	}
	about := fmt.Sprintf("By %s (%s): %s", line(string(c.Kind)), line(string(c.Severity)), short(c.Detail, longestTitle))
	row := func(cells []string) string { return "{}" + strings.Join(cells, " & ") + " \\\\\n" }
	return fmt.Sprintf("\n\\paragraph{%s} %s. %s %s\n", typed(line(c.ID)), typed(strings.TrimRight(about, ": .")), typed(standing(c)), typed(short(c.Resolution, longestTitle))) +
		"\\begin{longtable}{@{}*{2}{>{\\raggedright\\arraybackslash}p{\\dimexpr0.5\\linewidth-6pt}}@{}}\n\\toprule\n" +
		row(claims) + "\\midrule\n" + row(quotes) + row(worth) + "\\bottomrule\n\\end{longtable}\n"
}

// standing is what has become of a conflict.
func standing(c claim.Conflict) string {
	switch c.Status {
	case "resolved_A":
		return "Settled: " + line(c.A) + " holds."
	case "resolved_B":
		return "Settled: " + line(c.B) + " holds."
	case "still_divergent":
		return "It was judged, and nothing decided it."
	}
	return "It is open."
}

// unverified lists the claims in a state, apart from the findings.
func (s *setter) unverified(state claim.State, title, note string) string {
	var b strings.Builder
	n := 0
	for _, e := range s.entries {
		if e.Location.State != state && (state != claim.Unchecked || e.Location.State != "") {
			continue
		}
		if n++; n > mostFailed {
			continue
		}
		fmt.Fprintf(&b, "\\item{} %s: %s", e.ID, typed(short(e.Text, longestQuote)))
		if e.Location.Reason != "" {
			b.WriteString(" (" + typed(short(e.Location.Reason, longestTitle)) + ")")
		}
		b.WriteString(" " + s.source(e, "quotation "+stateOf(e)) + "\n")
	}
	if n == 0 {
		return ""
	}
	if n > mostFailed {
		note += fmt.Sprintf(" Of %d the first %d are shown.", n, mostFailed)
	}
	return s.head(1, title) + note + "\n\\begin{itemize}\n" + b.String() + "\\end{itemize}\n"
}
