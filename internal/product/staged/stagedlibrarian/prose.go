package stagedlibrarian

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/product/staged"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of the report's text, in items of each list or as said.
const (
	maxWritten    = 60
	maxFurther    = 12   // usable facts that no finding has named
	maxOpen       = 12   // facts that are not usable
	maxTaken      = 4000 // runes taken over between two citations
	maxCitedRange = 200  // bytes between the brackets of a citation
	quotedRunes   = 400  // of a passage shown beside its finding
	minBeyond     = 5    // words a passage has beyond its statement to be shown
	maxItemWords  = 70   // of one finding, risk or the like
)

// Words of each section at most. Together they leave room below
// what a reader has time for, and are read in a few minutes.
const (
	summaryWords  = 300
	findingsWords = 400
	adviceWords   = 150
	riskWords     = 200
	blindWords    = 100
)

// Prose is the text of the report: what the stages before have come to, each
// sentence with the ids of the facts it rests on. Ids the registry does not
// hold are left out, and so is everything Markdown or a browser would obey.
func Prose(e Evidence, s staged.SynthesisResult, v staged.AdvocateResult) []byte {
	p := &reportText{preparedEvidence: prepareEvidence(e), shown: map[string]bool{}}
	p.writeSummary(s)
	p.writeKeyFindings(s)
	p.writeRecommendations(s)
	p.writeRisks(v)
	p.writeBlindSpots(v)
	p.writeMethod()
	fmt.Fprintf(&p.out, "%s\n", agent.Marker)
	return p.out.Bytes()
}

// reportText is a report being written.
type reportText struct {
	*preparedEvidence
	out   bytes.Buffer
	shown map[string]bool // passages
	left  int             // words that the section has room for
}

// section begins a section with room for so many words.
func (t *reportText) section(title string, room int) {
	t.block("## %s", title)
	t.left = room
}

// fits takes the room that a text needs, where there is some.
func (t *reportText) fits(text string) bool {
	n := words.Count(text)
	if n > t.left {
		return false
	}
	t.left -= n
	return true
}

// firstWords is a text up to its n-th word.
func firstWords(s string, n int) string {
	list := words.Split(s)
	if len(list) <= n {
		return s
	}
	last := list[n-1]
	return s[:last.Start+len(last.Text)] + "…"
}

func (t *reportText) block(format string, args ...any) { fmt.Fprintf(&t.out, format+"\n\n", args...) }

// bullets writes a list, and otherwise where it is empty.
func (t *reportText) bullets(list []string, otherwise string) {
	if len(list) == 0 {
		t.block("%s", otherwise)
		return
	}
	left := 0
	for _, one := range list {
		if !t.fits(one) {
			left++
			continue
		}
		fmt.Fprintf(&t.out, "- %s\n", one)
	}
	if left > 0 {
		fmt.Fprintf(&t.out, "- %d more stand in the answers of the stages before.\n", left)
	}
	t.out.WriteByte('\n')
}

// knownIDs are the ids of a list that the registry holds, each once.
func (t *reportText) knownIDs(list []string) []string {
	var out []string
	for _, id := range list[:min(len(list), maxInput)] {
		if _, ok := t.entries[id]; ok && !slices.Contains(out, id) && len(out) < maxIDs {
			out = append(out, id)
		}
	}
	return out
}

// sentence is foreign text as a sentence of Markdown. Citations in it are kept,
// and those of ids are added where it has none.
func (t *reportText) sentence(s string, claims []string) string {
	out, cites := t.withCitations(firstWords(s, maxItemWords))
	if ids := t.knownIDs(claims); !cites && len(ids) > 0 && out != "" {
		out = strings.TrimRight(out, ".") + t.citation(ids) + "."
	}
	return out
}

// citation is a citation behind a sentence. Of facts that are not usable it says
// so.
func (t *reportText) citation(ids []string) string {
	s := " [" + strings.Join(ids, ", ") + "]"
	loose := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, sure := t.usable[id]
		return sure
	})
	switch len(loose) {
	case 0:
		return s
	case len(ids):
		return s + " (unconfirmed)"
	}
	return s + " (unconfirmed: " + strings.Join(loose, ", ") + ")"
}

// withCitations is foreign text with the citations in it, and whether it has any. A
// text without a letter or a digit is none.
func (t *reportText) withCitations(s string) (string, bool) {
	var b strings.Builder
	cites, worded := false, false
	for s != "" {
		before, ids, rest := t.cutCitation(s)
		body := strings.TrimSpace(before)
		if trimmed := strings.TrimLeft(body, ".,;:!? "); b.Len() > 0 {
			b.WriteString(body[:min(len(body)-len(trimmed), 1)])
			body = trimmed
		}
		if said := librarian.SentenceUpTo(maxTaken, body); said != "" {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(said)
			worded = worded || showsText(said)
		}
		if len(ids) > 0 && b.Len() > 0 {
			cites = true
			b.WriteString(t.citation(ids))
		}
		if strings.HasSuffix(body, ".") && b.Len() > 0 {
			b.WriteByte('.')
		}
		s = rest
	}
	if !worded {
		return "", false
	}
	return endSentence(b.String()), cites
}

// showsText reports whether Markdown shows a letter or a digit, the letters of an
// escaped ampersand aside.
func showsText(said string) bool {
	return strings.ContainsFunc(strings.ReplaceAll(said, "&amp;", ""), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// endSentence is a sentence of Markdown that ends like one, and does not begin
// like an item of a numbered list.
func endSentence(s string) string {
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	number := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if number > 0 && number < len(s) && strings.IndexByte(".)", s[number]) >= 0 {
		return s[:number] + `\` + s[number:]
	}
	return s
}

// cutCitation cuts a text at its first citation: what stands before it, the ids of
// it that the registry holds, and what follows.
func (t *reportText) cutCitation(s string) (before string, ids []string, rest string) {
	for at := 0; ; {
		open := strings.IndexByte(s[at:], '[')
		if open < 0 {
			return s, nil, ""
		}
		open += at
		end := strings.IndexByte(s[open:min(len(s), open+maxCitedRange)], ']')
		if end < 0 {
			at = open + 1
			continue
		}
		if list, ok := parseIDs(s[open+1 : open+end]); ok {
			return s[:open], t.knownIDs(list), s[open+end+1:]
		}
		at = open + 1
	}
}

// parseIDs reads what stands in the brackets of a citation.
func parseIDs(s string) ([]string, bool) {
	list := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' || r == ' ' })
	for _, id := range list {
		if !isClaimID(id) {
			return nil, false
		}
	}
	return list, len(list) > 0
}

func (t *reportText) writeSummary(s staged.SynthesisResult) {
	t.section("Executive Summary", summaryWords)
	t.block("The question: %s", endSentence(sayOr(firstWords(t.Topic, maxItemWords), "it is empty")))
	summary, cites := t.withCitations(firstWords(strings.ToValidUTF8(s.Summary, "\ufffd"), summaryWords/2))
	if summary != "" {
		t.block("%s", summary)
	}
	t.left -= words.Count(summary)
	var parts []string
	for _, c := range librarian.Dissimilar(t.All, leadingFacts) {
		if t.fits(c.Cited()) {
			parts = append(parts, c.Cited())
		}
	}
	if !cites && len(parts) > 0 {
		t.block("The located facts that bear most on the question by the words they share with it: %s", strings.Join(parts, " "))
	}
	if goal := librarian.Sentence(firstWords(t.Brief.Goal, maxItemWords)); goal != "" {
		t.block("The goal of the research, as the brief has it: %s", endSentence(goal))
	}
	if !strings.Contains(s.Summary, t.verificationText()) {
		t.block("%s", t.verificationText())
	}
}

func sayOr(s, otherwise string) string {
	if s = librarian.Sentence(s); s != "" {
		return s
	}
	return otherwise
}

// writeKeyFindings are the findings of the synthesis by theme, and then usable
// facts that none of them rests on.
func (t *reportText) writeKeyFindings(s staged.SynthesisResult) {
	t.section("Key Findings", findingsWords)
	theme, order := t.themesByFact()
	groups, used := t.findingsByTheme(s.Findings[:min(len(s.Findings), maxWritten)], theme)
	for _, name := range order {
		if len(groups[name]) > 0 {
			t.block("### On %s", librarian.EscapeProse(plain.Line(name, 60)))
			t.bullets(groups[name], "")
		}
	}
	if len(groups) > 1 && len(groups[""]) > 0 {
		t.block("### On other points")
	}
	if len(groups[""]) > 0 || len(groups) == 0 {
		t.bullets(groups[""], "The synthesis has no finding.")
	}
	t.writeFurtherFacts(used)
}

// findingsByTheme are findings by the theme of the first of their facts that has one,
// and the ids they use.
func (t *reportText) findingsByTheme(findings []staged.Finding, theme map[string]string) (groups map[string][]string, used map[string]bool) {
	groups, used = map[string][]string{}, map[string]bool{}
	for _, f := range findings {
		ids, name := t.knownIDs(f.Claims), ""
		for _, id := range ids {
			used[id] = true
			if name == "" {
				name = theme[id]
			}
		}
		if line := t.sentence(f.Finding, ids); line != "" {
			groups[name] = append(groups[name], line+t.sourceQuote(f.Finding, ids))
		}
	}
	return groups, used
}

// themesByFact are the themes of the usable facts: that of each id, and their
// names in order.
func (t *reportText) themesByFact() (theme map[string]string, order []string) {
	theme = map[string]string{}
	themes, _ := t.Themes()
	for _, one := range themes {
		order = append(order, one.Name)
		for _, c := range one.Claims {
			theme[c.ID] = one.Name
		}
	}
	return theme, order
}

// sourceQuote shows, once, the words of the source of a finding that says less than
// they do; comment signs and line breaks are left out. Words with a gap are not
// the source's own in a row.
func (t *reportText) sourceQuote(finding string, ids []string) string {
	if len(ids) == 0 || len(t.entries[ids[0]].Location.LeftOut) > 0 {
		return ""
	}
	var parts []string
	for line := range strings.Lines(t.entries[ids[0]].Quote) {
		parts = append(parts, withoutCommentSign(line))
	}
	quote := strings.Join(strings.Fields(withoutEmphasis(strings.Join(parts, " "))), " ")
	if utf8.RuneCountInString(quote) > quotedRunes || len(words.Split(quote)) < len(words.Split(finding))+minBeyond {
		return ""
	}
	said := librarian.Sentence(quote)
	if said == "" || t.shown[said] {
		return ""
	}
	t.shown[said] = true
	return fmt.Sprintf(" Around it the source says: “%s” [%s].", said, ids[0])
}

// withoutCommentSign is a line without the sign of a comment or an item before it.
func withoutCommentSign(line string) string {
	line = strings.TrimSpace(line)
	for _, sign := range []string{"///", "//", "/**", "/*", "* ", "# ", "> ", "- "} {
		if rest, ok := strings.CutPrefix(line, sign); ok {
			return rest
		}
	}
	return line
}

// writeFurtherFacts are usable facts no finding rests on.
func (t *reportText) writeFurtherFacts(used map[string]bool) {
	rest := slices.DeleteFunc(slices.Clone(t.All), func(c librarian.Statement) bool { return used[c.ID] })
	more := librarian.Dissimilar(rest, maxFurther)
	if len(more) == 0 {
		return
	}
	t.block("### Further located facts")
	lines := make([]string, len(more))
	for i, c := range more {
		lines[i] = c.Cited()
	}
	t.bullets(lines, "")
}

func (t *reportText) writeRecommendations(s staged.SynthesisResult) {
	t.section("Recommendations", adviceWords)
	var lines []string
	for _, r := range s.Recommendations[:min(len(s.Recommendations), maxWritten)] {
		what, why := t.sentence(r.Recommendation, nil), t.sentence(r.Rationale, r.Claims)
		if line := strings.TrimSpace(what + " " + why); what != "" {
			lines = append(lines, line)
		}
	}
	t.bullets(lines, "The synthesis has no recommendation.")
}

func (t *reportText) writeRisks(v staged.AdvocateResult) {
	t.section("Risks and Counterarguments", riskWords)
	var lines []string
	for _, r := range v.Risks[:min(len(v.Risks), maxWritten)] {
		line := t.sentence(r.Risk, r.Claims)
		if line == "" {
			continue
		}
		lines = append(lines, line+riskDegrees(r)+withPrefix(t.sentence(r.Mitigation, nil), " What softens it: "))
	}
	t.bullets(lines, "The devil's advocate has named no risk.")
	lines = nil
	list := v.Counterarguments[:min(len(v.Counterarguments), maxWritten)]
	if len(list) == 0 {
		list = t.counterarguments()
	}
	for _, c := range list {
		if argument := t.sentence(c.Argument, c.Claims); argument != "" {
			lines = append(lines, strings.TrimSpace(withPrefix(t.sentence(c.Against, nil), "Against: ")+" "+argument))
		}
	}
	t.block("### What speaks against single findings")
	t.bullets(lines, "None was named, and the registry holds no open conflict between these facts. That is no proof that the sources agree.")
}

// withPrefix puts words before a sentence, where there is one.
func withPrefix(sentence, before string) string {
	if sentence == "" {
		return ""
	}
	return before + sentence
}

// riskDegrees are how likely and how bad a risk was said to be.
func riskDegrees(r staged.Risk) string {
	s := ""
	for _, d := range [][2]string{{"Likelihood", r.Likelihood}, {"Impact", r.Impact}} {
		if slices.Contains([]string{"low", "medium", "high"}, d[1]) {
			s += " " + d[0] + ": " + d[1] + "."
		}
	}
	return s
}

func (t *reportText) writeBlindSpots(v staged.AdvocateResult) {
	t.section("Blind Spots", blindWords)
	var lines []string
	for _, b := range v.BlindSpots[:min(len(v.BlindSpots), maxWritten)] {
		if line := t.sentence(b, nil); line != "" {
			lines = append(lines, line)
		}
	}
	t.bullets(lines, "The devil's advocate has named none, which is no proof that there is none.")
}

// writeMethod says how the report came to be and what it cannot say.
func (t *reportText) writeMethod() {
	t.section("Method and Limits", findingsWords)
	t.block("A program put this report together; no model wrote or judged its text. The findings, recommendations, risks and blind spots are those of the stages before, taken over as they stand; facts were ordered by how many of the question's words they hold and how they read.")
	t.block("Each quotation was looked for in its source by the program. %s", t.verificationText())
	t.block("It cannot tell what follows from these facts, whether two sources contradict each other in other words than those compared, or whether a source is right. That is for the reader, who finds each quotation by its number.")
	if len(t.Brief.SuccessCriteria) > 0 {
		t.block("Success criteria of the brief, which no program can hold this report to:")
		t.bullets(limitedSentences(t.Brief.SuccessCriteria), "")
	}
	if len(t.unsure) == 0 {
		t.block("No fact was refused.")
		return
	}
	t.block("Facts that were not located, or that judges do not bear out:")
	var lines []string
	for _, c := range t.unsure[:min(len(t.unsure), maxOpen)] {
		lines = append(lines, fmt.Sprintf("%s [%s] (unconfirmed).%s", sayOr(t.entries[c.ID].Text, "A fact without words"), c.ID, withPrefix(endSentence(librarian.Sentence(c.Reason)), " The reason: ")))
	}
	t.bullets(lines, "")
	if n := len(t.unsure) - maxOpen; n > 0 {
		t.block("There are %d more of these.", n)
	}
}

func limitedSentences(list []string) []string {
	var out []string
	for _, s := range list[:min(len(list), maxListed)] {
		if s = librarian.Sentence(s); s != "" {
			out = append(out, endSentence(s))
		}
	}
	return out
}

// prose is the turn of the report: brief, findings, advocate, fact-check and
// registry lie in the seat's folder, and behind them what a review asks.
func prose(_ context.Context, t *librarian.Turn) error {
	texts, err := t.Inputs(5)
	if err != nil {
		return err
	}
	e, err := evidence(texts, 3, 4)
	if err != nil {
		return err
	}
	e.Topic = t.Topic
	if len(texts) > 5 {
		e.Revision = texts[5]
	}
	var s staged.SynthesisResult
	var v staged.AdvocateResult
	for i, one := range []struct {
		called string
		into   any
	}{{"brief", &e.Brief}, {"findings", &s}, {"answer of the devil's advocate", &v}} {
		if err := decode(texts[i], one.called, one.into); err != nil {
			return err
		}
	}
	return t.Report(Prose(e, s, v), fmt.Sprintf("a report of %s", plural.Of(len(s.Findings), "finding")))
}
