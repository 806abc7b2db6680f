package librarian

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/evidence/claim"

	"research-council/internal/base/plain"
	"research-council/internal/base/plural"
	"research-council/internal/base/words"
)

// Bounds of a synthesis, in claims or lines of each part.
const (
	summaryClaims   = 5
	maxThemes       = 7
	themeClaims     = 5
	otherClaims     = 6
	consensusClaims = 8
	subjectClaims   = 6
	contrasts       = 6
	qualified       = 5
	novelClaims     = 8
	openLines       = 12
)

// Synthesise arranges the claims of a registry into the draft of a final
// report, each cited by its id and by nothing else. It joins claims by the
// words they share and counts who made them; it does not judge. Where no
// quotation was located it says so. Of the seats' reports it takes the open
// questions.
func Synthesise(topic string, entries []claim.Entry, reports []string) []byte {
	s := newSynthesis(topic, entries)
	s.summary()
	s.findings()
	s.consensus()
	s.contrast()
	s.novel()
	s.open(reports)
	s.method()
	fmt.Fprintf(s, "%s\n", agent.Marker)
	return s.Bytes()
}

// synthesisTurn is the turn of the last phase: the reports and, last, the registry
// lie in the seat's folder.
func (d TurnIO) synthesisTurn(a assignment, topic string) error {
	texts, err := d.readFiles(a.Inputs)
	if err != nil {
		return err
	}
	if len(texts) == 0 {
		return refusalError("there is no registry to make a synthesis of")
	}
	last := len(texts) - 1
	reg, err := claim.ParseRegistry([]byte(texts[last]))
	if err != nil {
		return refusalError("the registry cannot be read: " + err.Error())
	}
	if err := d.Write(a.Report, Synthesise(topic, reg.Entries, texts[:last])); err != nil {
		return fmt.Errorf("write synthesis: %w", err)
	}
	return d.writeEvent(event{Type: resulted, Text: fmt.Sprintf("a synthesis of %s", plural.Of(len(reg.Entries), "claim"))})
}

// statement is a claim made ready.
type statement struct {
	claim.Entry
	said  string
	stems map[string]bool
	worth float64
}

type synthesis struct {
	bytes.Buffer
	concepts []concept
	all      []statement // those that can be used, the best first
	refuted  []string    // ids of those whose quotations were not found
	unused   []string    // ids of those that say nothing in words
	states   map[claim.State]int
	seats    []string
}

func newSynthesis(topic string, entries []claim.Entry) *synthesis {
	s := &synthesis{states: map[claim.State]int{}, concepts: concepts(topic)}
	seats := map[string]bool{}
	for _, e := range entries {
		s.states[e.Location.State]++
		for _, seat := range e.Seats {
			seats[seat] = true
		}
	}
	s.seats = slices.Sorted(maps.Keys(seats))
	for _, e := range entries {
		said := sentenceText(e.Text)
		switch {
		case e.Location.State == claim.NotFound:
			s.refuted = append(s.refuted, e.ID)
		case len(words.Split(said)) == 0:
			s.unused = append(s.unused, e.ID)
		default:
			s.all = append(s.all, statement{Entry: e, said: said, stems: stemSet(e.Text)})
		}
	}
	s.weigh(topic)
	return s
}

func stemSet(text string) map[string]bool {
	m := map[string]bool{}
	for _, st := range words.Stems(text) {
		m[st] = true
	}
	return m
}

// sentenceText is a claim's text as a sentence of Markdown without its full stop:
// without addresses, brackets that could be citations, HTML.
func sentenceText(text string) string { return sentenceUpTo(500, text) }

// sentenceUpTo is the same with so many runes at most.
func sentenceUpTo(limit int, text string) string {
	fields := slices.DeleteFunc(strings.Fields(dropInvisible(text)), func(w string) bool {
		lowered := strings.ToLower(w)
		return strings.Contains(w, "://") || strings.Contains(lowered, "www.") || strings.Contains(w, "](")
	})
	s := plain.Line(strings.Join(fields, " "), limit)
	s = strings.NewReplacer("[", "(", "]", ")").Replace(s)
	if strings.Count(s, "`")%2 == 1 {
		s = strings.ReplaceAll(s, "`", "'")
	}
	return strings.TrimRight(strings.ReplaceAll(escapeProse(s), "&", "&amp;"), ". ")
}

// weigh orders the claims: by how much of the question they and their
// quotations meet, by how they read, by who makes them, and by the place their
// seats gave them.
func (s *synthesis) weigh(topic string) {
	found := map[string]int{}
	whole := make([]map[string]bool, len(s.all))
	for i, c := range s.all {
		whole[i] = stemSet(c.Text + " " + c.Quote)
		for st := range whole[i] {
			found[st]++
		}
	}
	for i, c := range s.concepts {
		s.concepts[i].weight = inverseFrequency(len(s.all), found[c.stems[0]])
	}
	s.concepts = compounds(s.concepts, found)
	rank := newRanker(s.concepts, topic)
	met := func(stems map[string]bool) float64 {
		return rank.coverage(func(st string) bool { return stems[st] })
	}
	places := s.positionScores()
	for i, c := range s.all {
		one := sentence{text: c.Text, size: len(strings.Fields(c.Text)), stems: c.stems}
		about := 0.7*met(c.stems) + 0.3*met(whole[i]) + 0.4*rank.readability(one) + 0.4*places[i]
		s.all[i].worth = command(c.Text)*about + 0.2*float64(len(c.Seats)-1) + baseWorth(rank, c, one)
	}
	slices.SortStableFunc(s.all, func(a, b statement) int { return compare(b.worth, a.worth) })
}

// baseWorth is what speaks for a claim or against it whatever is asked.
func baseWorth(rank ranker, c statement, one sentence) float64 {
	v := 0.0
	if rank.isDefinition(one) {
		v += 0.25
	}
	if leans(one) {
		v -= 0.4 // it is not understood by itself
	}
	if !c.located() {
		return v
	}
	if path, _, ok := strings.Cut(c.Source, ":"); ok && shardOf(path) == Community {
		v -= 0.3 // what surrounds a work tells less of it than the work does
	}
	return v + 0.4
}

// positionScores are how early each claim stands among those of its first seat, from 1
// for the first down to nothing.
func (s *synthesis) positionScores() []float64 {
	seat := func(c statement) string { return strings.Join(c.Seats[:min(len(c.Seats), 1)], "") }
	total, n := map[string]int{}, map[string]int{}
	for _, c := range s.all {
		total[seat(c)]++
	}
	out := make([]float64, len(s.all))
	for i, c := range s.all {
		out[i] = 1 - float64(n[seat(c)])/float64(total[seat(c)])
		n[seat(c)]++
	}
	return out
}

func (s *synthesis) line(format string, args ...any) { fmt.Fprintf(s, format+"\n\n", args...) }

func (s *synthesis) list(claims []statement) {
	for _, c := range claims {
		fmt.Fprintf(s, "- %s\n", c.cited())
	}
	if len(claims) > 0 {
		s.WriteByte('\n')
	}
}

func (c statement) located() bool { return c.Location.State == claim.Located }

func (c statement) cited() string {
	if c.located() {
		return fmt.Sprintf("%s [%s].", c.said, c.ID)
	}
	return fmt.Sprintf("%s (reported; not looked up) [%s].", c.said, c.ID)
}

// citations writes ids as citations, the first of them where there are many.
func citations(ids []string) string {
	const most = 12
	list := "[" + strings.Join(ids[:min(len(ids), most)], ", ") + "]"
	if len(ids) > most {
		list += " and others"
	}
	return list
}

// dissimilar are the first n claims no two of which say nearly the same.
func dissimilar(all []statement, n int) []statement {
	var out []statement
	for _, c := range all {
		same := func(o statement) bool { return similarity(c.stems, o.stems) > 0.5 }
		if len(out) < n && !slices.ContainsFunc(out, same) {
			out = append(out, c)
		}
	}
	return out
}

func (s *synthesis) summary() {
	s.line("## Executive Summary")
	if len(s.all) == 0 {
		s.line("No seat made a claim that can be used, of %s in all. The question stays open.", plural.Of(s.claimCount(), "claim"))
		return
	}
	best := dissimilar(s.all, summaryClaims)
	parts := make([]string, len(best))
	for i, c := range best {
		parts[i] = c.cited()
	}
	s.line("%s", strings.Join(parts, " "))
	s.line("These claims bear most on the question, in the words of %s. %s", plural.Of(len(s.seats), "seat"), s.verificationText())
}

// verificationText says how much of what is claimed was looked up.
func (s *synthesis) verificationText() string {
	n, of := s.states[claim.Located], s.claimCount()
	switch {
	case n == 0:
		return "No quotation could be looked up, so none of this is even located."
	case n == of:
		return "All quotations of the council were located in their sources; whether the sources are right was not judged."
	}
	return fmt.Sprintf("Of all %d claims the quotations of %d were located in their sources; what was only reported says so. Whether the sources are right was not judged.", of, n)
}

func (s *synthesis) claimCount() int {
	n := 0
	for _, k := range s.states {
		n += k
	}
	return n
}

// theme is a term that several claims share.
type theme struct {
	name   string
	claims []statement
}

// themes divides the claims: each belongs to the first theme it fits, what fits
// none is left.
func (s *synthesis) themes() (themes []theme, rest []statement) {
	g := newTermWeights()
	for _, c := range s.all {
		counts := map[string]int{}
		g.addText(c.Text, counts)
		g.addPassage(counts, c.worth)
	}
	asked := map[string]bool{}
	for _, c := range s.concepts {
		for _, st := range c.stems {
			asked[st] = true
		}
	}
	rest = s.all
	for _, k := range g.themeTerms(len(s.all)) {
		stems := strings.Fields(k)
		if hasAll(asked, stems) || len(themes) == maxThemes {
			continue
		}
		t := theme{name: g.usualSpelling(k)}
		var others []statement
		for _, c := range rest {
			if hasAll(c.stems, stems) {
				t.claims = append(t.claims, c)
			} else {
				others = append(others, c)
			}
		}
		if len(t.claims) > 1 {
			themes, rest = append(themes, t), others
		}
	}
	return themes, rest
}

// themeTerms are the terms that tell most of the claims apart: in several, and not
// in nearly all.
func (g termWeights) themeTerms(total int) []string {
	keys := slices.DeleteFunc(g.topTerms(2), func(k string) bool { return g.in[k] > max(2, total/3) })
	value := func(k string) float64 {
		v := g.weight[k]
		if strings.Contains(k, " ") {
			v *= 1.8
		}
		return v
	}
	slices.SortStableFunc(keys, func(a, b string) int { return compare(value(b), value(a)) })
	return keys
}

func (s *synthesis) findings() {
	s.line("## Key Findings")
	themes, rest := s.themes()
	for _, t := range themes {
		s.line("**On %s**", escapeProse(plain.Line(t.name, 60))) // no title: a theme can be named like a section
		s.list(dissimilar(t.claims, themeClaims))
	}
	if len(themes) > 0 && len(rest) > 0 {
		s.line("**Further findings**")
	}
	if len(themes) == 0 && len(rest) == 0 {
		s.line("There is no claim to report.")
	}
	n := otherClaims
	if len(themes) == 0 {
		n = 2 * otherClaims
	}
	s.list(dissimilar(rest, n))
}

func (s *synthesis) consensus() {
	s.line("## Areas of Strong Consensus")
	var shared []statement
	for _, c := range s.all {
		if len(c.Seats) > 1 {
			shared = append(shared, c)
		}
	}
	for _, c := range shared[:min(len(shared), consensusClaims)] {
		fmt.Fprintf(s, "- Claimed by %s: %s\n", strings.Join(sentencesOf(c.Seats), ", "), c.cited())
	}
	if len(shared) > 0 {
		s.WriteByte('\n')
	}
	subjects := s.sharedSubjects()
	for _, line := range subjects {
		fmt.Fprintf(s, "- %s\n", line)
	}
	switch {
	case len(subjects) > 0:
		s.line("\nSeats that speak of one subject from sources of their own need not agree on it; that has to be read.")
	case len(shared) == 0:
		s.line("No claim was made by more than one seat, and no subject was found by several from sources of their own.")
	}
}

func sentencesOf(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = sentenceText(s)
	}
	return out
}

// sharedSubjects are the themes that several seats found from different sources.
func (s *synthesis) sharedSubjects() []string {
	var lines []string
	themes, _ := s.themes()
	for _, t := range themes {
		seats, sources := map[string]bool{}, map[string]bool{}
		var ids []string
		for _, c := range t.claims {
			for _, seat := range c.Seats {
				seats[seat] = true
			}
			sources[c.Key] = true
			if len(ids) < subjectClaims {
				ids = append(ids, "["+c.ID+"]")
			}
		}
		if len(seats) > 1 && len(sources) > 1 {
			lines = append(lines, fmt.Sprintf("On %s, %s quote %s: %s.", escapeProse(t.name), plural.Of(len(seats), "seat"), plural.Of(len(sources), "source"), strings.Join(ids, " ")))
		}
	}
	return lines
}

func (s *synthesis) contrast() {
	s.line("## Areas of Disagreement or Nuance")
	n := 0
	for i, a := range s.all {
		for _, b := range s.all[i+1:] {
			if n < contrasts && contradict(a, b) {
				n++
				fmt.Fprintf(s, "- To be read side by side, since they share their subject and differ in a number or a negation: %s %s\n", a.cited(), b.cited())
			}
		}
	}
	if n > 0 {
		s.WriteByte('\n')
	} else {
		s.line("No two claims share their subject and differ in a number or a negation. That is no proof that the sources agree.")
	}
	var limits []statement
	for _, c := range s.all {
		if slices.ContainsFunc(strings.Fields(strings.ToLower(c.Text)), func(w string) bool { return qualifiers[strings.Trim(w, ".,;:()")] }) {
			limits = append(limits, c)
		}
	}
	if len(limits) > 0 {
		s.line("Claims that hold under a condition or name an exception:")
		s.list(dissimilar(limits, qualified))
	}
}

var (
	qualifiers = wordSet("unless except only however although though but otherwise until may might sometimes approximately roughly")
	negations  = wordSet("not no never cannot without none neither nor isn't doesn't don't won't can't aren't nicht kein keine pas non")
)

// contradict reports whether two claims speak of one subject and are unlike in
// their numbers or in saying not.
func contradict(a, b statement) bool {
	if similarity(a.stems, b.stems) < 0.45 || a.Quote == b.Quote {
		return false
	}
	one, other := sortedNumbers(a.Text), sortedNumbers(b.Text)
	return one != other && one != "" && other != "" || hasNegation(a.Text) != hasNegation(b.Text)
}

func sortedNumbers(s string) string {
	var out []string
	for _, w := range words.Split(s) {
		if w.Text[0] >= '0' && w.Text[0] <= '9' {
			out = append(out, w.Text)
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

func hasNegation(s string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(s)), func(w string) bool { return negations[strings.Trim(w, ".,;:()")] })
}

func (s *synthesis) novel() {
	s.line("## Novel Insights")
	var late []statement
	for _, c := range s.all {
		if len(c.Rounds) == 1 && c.Rounds[0] == agent.Refinement {
			late = append(late, c)
		}
	}
	if len(late) == 0 {
		s.line("Reading one another led the seats to no claim they had not made before.")
		return
	}
	s.line("Claims that were made only after the seats had read one another:")
	s.list(dissimilar(late, novelClaims))
}

func (s *synthesis) open(reports []string) {
	s.line("## Remaining Open Questions")
	var lines []string
	for _, r := range reports {
		for _, q := range openQuestions(r) {
			if q = sentenceText(q); len(q) > 20 && !slices.Contains(lines, q) && len(lines) < openLines {
				lines = append(lines, q)
			}
		}
	}
	for _, c := range s.concepts {
		none := func(o statement) bool { return o.stems[c.stems[0]] }
		if len(lines) < openLines+4 && !slices.ContainsFunc(s.all, none) {
			lines = append(lines, "No claim speaks of "+span(sentenceText(c.name))+", which the question asks about")
		}
	}
	if len(s.refuted) > 0 {
		lines = append(lines, fmt.Sprintf("The quotations of %s were not found in their sources, so these prove nothing: %s", plural.Of(len(s.refuted), "claim"), citations(s.refuted)))
	}
	if len(s.unused) > 0 {
		lines = append(lines, fmt.Sprintf("%s no words that could be arranged: %s", claimsHaveText(len(s.unused)), citations(s.unused)))
	}
	if len(lines) == 0 {
		lines = []string{"The seats named none, and every term of the question is met by a claim"}
	}
	for _, l := range lines {
		fmt.Fprintf(s, "- %s.\n", l)
	}
	s.WriteByte('\n')
}

// openQuestions are the items under a report's heading for open questions.
func openQuestions(report string) []string {
	var out []string
	inside := false
	for line := range strings.Lines(limitReport(report)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			inside = strings.Contains(strings.ToLower(line), "open question")
		case inside && bulletOf(line) > 0 && !strings.HasPrefix(line[bulletOf(line):], "None"):
			out = append(out, line[bulletOf(line):])
		}
	}
	return out
}

func (s *synthesis) method() {
	s.line("## Methodology Note")
	s.line("This synthesis is extractive: no model wrote or judged it. A program arranged %s of %s by the words they share, ordered them by how much of the question's words they hold and how they read, and put each into the seat's own words. Of their quotations %d were located in their sources, %d could not be looked up, and %d were not found and left out.",
		plural.Of(s.claimCount(), "claim"), s.participantsText(), s.states[claim.Located], s.states[claim.Unchecked], s.states[claim.NotFound])
	s.line("It cannot tell whether a passage supports its claim, whether two sources contradict each other, or what follows from them. That is for the reader, who finds each quotation by its number.")
}

func (s *synthesis) participantsText() string {
	if len(s.seats) == 0 {
		return "no seat"
	}
	return plural.Of(len(s.seats), "seat") + " (" + strings.Join(sentencesOf(s.seats), ", ") + ")"
}

func claimsHaveText(n int) string {
	if n == 1 {
		return "1 claim has"
	}
	return fmt.Sprintf("%d claims have", n)
}
