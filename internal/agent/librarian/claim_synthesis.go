package librarian

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/evidence/claim"

	"research-council/internal/base/plain"
	"research-council/internal/base/plural"
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
	s := synthesis{Arrangement: Arrange(topic, entries)}
	s.summary()
	s.findings()
	s.consensus()
	s.contrast()
	s.novel()
	s.open(reports)
	s.method()
	fmt.Fprintf(&s, "%s\n", agent.Marker)
	return s.Bytes()
}

// synthesis is one being written.
type synthesis struct {
	*Arrangement
	bytes.Buffer
}

// synthesise is the turn of the last phase: the reports and, last, the registry
// lie in the seat's folder.
func synthesise(_ context.Context, t *Turn) error {
	texts, err := t.readInputs()
	if err != nil {
		return err
	}
	if len(texts) == 0 {
		return Refusal("there is no registry to make a synthesis of")
	}
	last := len(texts) - 1
	reg, err := claim.ParseRegistry([]byte(texts[last]))
	if err != nil {
		return Refusal("the registry cannot be read: " + err.Error())
	}
	return t.Report(Synthesise(t.Topic, reg.Entries, texts[:last]), fmt.Sprintf("a synthesis of %s", plural.Of(len(reg.Entries), "claim")))
}

func (s *synthesis) line(format string, args ...any) { fmt.Fprintf(s, format+"\n\n", args...) }

func (s *synthesis) list(claims []Statement) {
	for _, c := range claims {
		fmt.Fprintf(s, "- %s\n", c.Cited())
	}
	if len(claims) > 0 {
		s.WriteByte('\n')
	}
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

func (s *synthesis) summary() {
	s.line("## Executive Summary")
	if len(s.All) == 0 {
		s.line("No seat made a claim that can be used, of %s in all. The question stays open.", plural.Of(s.claimCount(), "claim"))
		return
	}
	best := Dissimilar(s.All, summaryClaims)
	parts := make([]string, len(best))
	for i, c := range best {
		parts[i] = c.Cited()
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

func (s *synthesis) findings() {
	s.line("## Key Findings")
	themes, rest := s.Themes()
	for _, t := range themes {
		s.line("**On %s**", EscapeProse(plain.Line(t.Name, 60))) // no title: a theme can be named like a section
		s.list(Dissimilar(t.Claims, themeClaims))
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
	s.list(Dissimilar(rest, n))
}

func (s *synthesis) consensus() {
	s.line("## Areas of Strong Consensus")
	var shared []Statement
	for _, c := range s.All {
		if len(c.Seats) > 1 {
			shared = append(shared, c)
		}
	}
	for _, c := range shared[:min(len(shared), consensusClaims)] {
		fmt.Fprintf(s, "- Claimed by %s: %s\n", strings.Join(sentencesOf(c.Seats), ", "), c.Cited())
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
		out[i] = Sentence(s)
	}
	return out
}

// sharedSubjects are the themes that several seats found from different sources.
func (s *synthesis) sharedSubjects() []string {
	var lines []string
	themes, _ := s.Themes()
	for _, t := range themes {
		seats, sources := map[string]bool{}, map[string]bool{}
		var ids []string
		for _, c := range t.Claims {
			for _, seat := range c.Seats {
				seats[seat] = true
			}
			sources[c.Key] = true
			if len(ids) < subjectClaims {
				ids = append(ids, "["+c.ID+"]")
			}
		}
		if len(seats) > 1 && len(sources) > 1 {
			lines = append(lines, fmt.Sprintf("On %s, %s quote %s: %s.", EscapeProse(t.Name), plural.Of(len(seats), "seat"), plural.Of(len(sources), "source"), strings.Join(ids, " ")))
		}
	}
	return lines
}

func (s *synthesis) contrast() {
	s.line("## Areas of Disagreement or Nuance")
	n := 0
	for i, a := range s.All {
		for _, b := range s.All[i+1:] {
			if n < contrasts && a.Contradicts(b) {
				n++
				fmt.Fprintf(s, "- To be read side by side, since they share their subject and differ in a number or a negation: %s %s\n", a.Cited(), b.Cited())
			}
		}
	}
	if n > 0 {
		s.WriteByte('\n')
	} else {
		s.line("No two claims share their subject and differ in a number or a negation. That is no proof that the sources agree.")
	}
	var limits []Statement
	for _, c := range s.All {
		if slices.ContainsFunc(strings.Fields(strings.ToLower(c.Text)), func(w string) bool { return qualifiers[strings.Trim(w, ".,;:()")] }) {
			limits = append(limits, c)
		}
	}
	if len(limits) > 0 {
		s.line("Claims that hold under a condition or name an exception:")
		s.list(Dissimilar(limits, qualified))
	}
}

var (
	qualifiers = wordSet("unless except only however although though but otherwise until may might sometimes approximately roughly")
	negations  = wordSet("not no never cannot without none neither nor isn't doesn't don't won't can't aren't nicht kein keine pas non")
)

func (s *synthesis) novel() {
	s.line("## Novel Insights")
	var late []Statement
	for _, c := range s.All {
		if len(c.Rounds) == 1 && c.Rounds[0] == agent.Refinement {
			late = append(late, c)
		}
	}
	if len(late) == 0 {
		s.line("Reading one another led the seats to no claim they had not made before.")
		return
	}
	s.line("Claims that were made only after the seats had read one another:")
	s.list(Dissimilar(late, novelClaims))
}

func (s *synthesis) open(reports []string) {
	s.line("## Remaining Open Questions")
	var lines []string
	for _, r := range reports {
		for _, q := range openQuestions(r) {
			if q = Sentence(q); len(q) > 20 && !slices.Contains(lines, q) && len(lines) < openLines {
				lines = append(lines, q)
			}
		}
	}
	for _, c := range s.concepts {
		none := func(o Statement) bool { return o.stems[c.stems[0]] }
		if len(lines) < openLines+4 && !slices.ContainsFunc(s.All, none) {
			lines = append(lines, "No claim speaks of "+span(Sentence(c.name))+", which the question asks about")
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
		case inside && BulletLength(line) > 0 && !strings.HasPrefix(line[BulletLength(line):], "None"):
			out = append(out, line[BulletLength(line):])
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
