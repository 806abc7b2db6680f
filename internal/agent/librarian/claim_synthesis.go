package librarian

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/evidence/claim"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of a synthesis. Somebody reads it in five minutes.
const (
	summaryClaims = 3
	passageWords  = 380 // of all passages together
	partClaims    = 5   // of each question
	flatClaims    = 12  // where there is one question
	otherClaims   = 3   // that belong to no question
	openLines     = 8
)

// Synthesise arranges the claims of a registry into the draft of a final
// report, each cited by its id and by nothing else, and each written once: by the
// parts of the question, what says what a thing is before what is said of it. It
// goes by the words they share and counts who made them; it does not judge. Where
// no quotation was located it says so. Of the seats' reports it takes the open
// questions. A section about which there is nothing to say is left out. What seats
// recommend the report lists, with who holds it and who does not; here it would be taken
// for the answer.
func Synthesise(q Question, entries []claim.Entry, reports []string) []byte {
	s := synthesis{Arrangement: Arrange(q.wording(), slices.DeleteFunc(slices.Clone(entries), isNoPassage))}
	s.topic, s.planned = q.Topic, q.Planned
	parts, others := s.Parts()
	s.summary(parts)
	s.findings(parts, others)
	s.consensus()
	s.open(parts, reports)
	s.method()
	fmt.Fprintf(&s, "%s\n", agent.Marker)
	return s.Bytes()
}

// isNoPassage reports whether a claim is none that can be shown as found: advice, or
// what its seat has withdrawn, judges have refuted or nothing holds up.
func isNoPassage(e claim.Entry) bool {
	return e.Kind == claim.Recommendation || e.IsWithdrawn() || e.Location.State == claim.Unfounded || e.Verdict() == claim.Contradicts
}

// synthesis is one being written.
type synthesis struct {
	*Arrangement
	bytes.Buffer
	written []Statement // up to now
	words   int         // of them
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
	return t.Report(Synthesise(t.question(), asOne(reg), texts[:last]), fmt.Sprintf("a synthesis of %s", plural.Of(len(reg.Entries), "claim")))
}

// asOne are the entries of a registry, of each group the located one it is known by, held
// by all who say the same.
func asOne(reg claim.Registry) []claim.Entry {
	var list []claim.Entry
	groups := map[string]claim.Group{}
	for _, g := range reg.Groups {
		for _, id := range g.Members {
			groups[id] = g
		}
	}
	told := map[string]bool{}
	for _, e := range reg.Entries {
		g, grouped := groups[e.ID]
		switch {
		case !grouped || e.Location.State != claim.Located:
		case told[g.ID]:
			continue
		default:
			told[g.ID] = true
			e.Seats = g.Seats
		}
		list = append(list, e)
	}
	return list
}

func (s *synthesis) line(format string, args ...any) { fmt.Fprintf(s, format+"\n\n", args...) }

func (s *synthesis) list(claims []Statement) {
	for _, c := range claims {
		fmt.Fprintf(s, "- %s\n", c.Cited())
	}
	s.WriteByte('\n')
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

// summary says how much was found for what, and what says best what it is about.
func (s *synthesis) summary(parts []Part) {
	s.line("## Executive Summary")
	best := s.take(bestOf(parts), summaryClaims)
	if len(best) == 0 {
		s.line("No seat made a claim that can be used, of %s in all. The question stays open.", plural.Of(s.claimCount(), "claim"))
		return
	}
	said := make([]string, len(best))
	for i, c := range best {
		said[i] = c.Cited()
	}
	s.line("%s", strings.Join(said, " "))
	s.line("%s", s.verificationText())
}

// bestOf are the claims of all parts, the first of each before the second of any.
func bestOf(parts []Part) []Statement {
	var out []Statement
	for i := 0; ; i++ {
		before := len(out)
		for _, p := range parts {
			if i < len(p.Claims) {
				out = append(out, p.Claims[i])
			}
		}
		if len(out) == before {
			return out
		}
	}
}

// take takes up to n claims no two of which say nearly the same, and that nothing
// written up to now says, as long as there is room for them.
func (s *synthesis) take(from []Statement, n int) []Statement {
	var out []Statement
	for _, c := range from {
		size := len(words.Split(c.said))
		same := func(o Statement) bool { return o.ID == c.ID || Similarity(c.stems, o.stems) > 0.5 }
		if len(out) == n || s.words+size > passageWords || slices.ContainsFunc(s.written, same) {
			continue
		}
		s.words += size
		out, s.written = append(out, c), append(s.written, c)
	}
	return out
}

// verificationText says how much of what is claimed was looked up.
func (s *synthesis) verificationText() string {
	n, of := s.states[claim.Located], s.claimCount()
	switch {
	case n == 0:
		return "No quotation could be looked up, so none of this is even located."
	case n == of:
		return "All quotations were located in their sources; whether the sources are right was not judged."
	}
	return fmt.Sprintf("Of all %d claims the quotations of %d were located in their sources; what else stands here says what it is. Whether the sources are right was not judged.", of, n)
}

// findings are the passages by the parts of the question. What the summary has said
// is not said again.
func (s *synthesis) findings(parts []Part, others []Statement) {
	s.line("## Key Findings")
	at := s.Len()
	n := partClaims
	if len(parts) == 1 {
		n = flatClaims
	}
	share := (passageWords - s.words) / max(len(parts), 1)
	for i, p := range parts {
		limit := passageWords - share*(len(parts)-1-i)
		chosen := s.takeWithin(limit, p.Claims, n)
		if len(chosen) == 0 {
			continue
		}
		if name := Sentence(plain.Line(p.Name, maxPartName)); len(parts) > 1 && name != "" {
			s.line("**%s**", name) // no title: a part can be named like a section
		}
		s.list(definitionsFirst(chosen))
	}
	if more := s.take(others, otherClaims); len(more) > 0 {
		s.line("**Other passages**")
		s.list(definitionsFirst(more))
	}
	if s.Len() == at && len(s.written) > 0 {
		s.line("There is no further passage than the ones above.")
	} else if s.Len() == at {
		s.line("There is no claim to report.")
	}
}

// maxPartName bounds how a part of the question is shown, in runes.
const maxPartName = 160

// takeWithin is take with a limit of words written in all.
func (s *synthesis) takeWithin(limit int, from []Statement, n int) []Statement {
	var out []Statement
	for _, c := range from {
		if s.words < limit && len(out) < n {
			out = append(out, s.take([]Statement{c}, 1)...)
		}
	}
	return out
}

// definitionsFirst are claims with those first that say what something is.
func definitionsFirst(list []Statement) []Statement {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b Statement) int {
		switch {
		case a.defines == b.defines:
			return 0
		case a.defines:
			return -1
		}
		return 1
	})
	return out
}

// consensus names what several seats claim, by ids: the words stand elsewhere or
// make room for others.
func (s *synthesis) consensus() {
	by := map[string][]string{}
	var order []string
	for _, c := range s.All {
		if len(c.Seats) < 2 {
			continue
		}
		who := strings.Join(sentencesOf(c.Seats), ", ")
		if by[who] == nil {
			order = append(order, who)
		}
		by[who] = append(by[who], c.ID)
	}
	if len(order) == 0 {
		return
	}
	s.line("## Areas of Strong Consensus")
	for _, who := range order[:min(len(order), openLines)] {
		fmt.Fprintf(s, "- Claimed by %s: %s.\n", who, citations(by[who]))
	}
	s.WriteByte('\n')
}

func sentencesOf(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Sentence(s)
	}
	return out
}

// open says which parts of the question nothing was found for, and what the seats
// have left open.
func (s *synthesis) open(parts []Part, reports []string) {
	var lines []string
	for _, p := range parts {
		if name := Sentence(plain.Line(p.Name, maxPartName)); len(p.Claims) == 0 && len(parts) > 1 && name != "" {
			lines = append(lines, fmt.Sprintf("No passage holds enough words of this part of the question: “%s”", name))
		}
	}
	for _, r := range reports {
		for _, q := range openQuestions(r) {
			if q = Sentence(q); len(q) > 20 && !slices.Contains(lines, q) && len(lines) < openLines {
				lines = append(lines, q)
			}
		}
	}
	if len(s.refuted) > 0 {
		lines = append(lines, fmt.Sprintf("The quotations of %s were not found in their sources, so these prove nothing: %s", plural.Of(len(s.refuted), "claim"), citations(s.refuted)))
	}
	if len(s.unused) > 0 {
		lines = append(lines, fmt.Sprintf("%s no words that could be arranged: %s", claimsHaveText(len(s.unused)), citations(s.unused)))
	}
	if len(lines) == 0 {
		return
	}
	s.line("## Remaining Open Questions")
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
	s.line("This synthesis is extractive: no model wrote or judged it. A program arranged %s of %s by the words they share, ordered them by how much of the question's words they hold and how they read, and put each into the seat's own words. Of their quotations it could look up and locate %d in their sources, could not look up %d, and left out %d as not found.",
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
