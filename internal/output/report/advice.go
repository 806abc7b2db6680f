package report

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// adviceSection writes of a page what seats recommend.
type adviceSection struct{ *page }

// recommended says in one of two sections what seats recommend beside what the text says,
// and who holds either: with the answer what is opposed, as far as it leaves room there for
// the findings, and behind them, where the text has any, all else. The rest stands in the
// appendix.
func (p adviceSection) recommended(section string, hasFindings bool) []string {
	all := p.bodyAdvice(p.shown[advice])
	lines, last := all, advice
	if p.byModel && hasFindings {
		last = findings
		top, rest := topLines(slices.DeleteFunc(slices.Clone(all), func(l adviceLine) bool { return !l.opposed }))
		lines = top
		if section == findings {
			lines = append(slices.Clone(rest), slices.DeleteFunc(slices.Clone(all), func(l adviceLine) bool { return l.opposed })...)
		}
	} else if section != advice {
		return nil
	}
	var out []string
	if len(lines) > 0 {
		out = spaced([]string{"What the researchers recommend, and who of them:"}, texts(lines))
	}
	if section == last && p.leavesOutAdvice(all) {
		out = spaced(out, []string{"All that the researchers recommend, question by question, stands under " + allAdvice + " in the appendix."})
	}
	return out
}

// allRecommended is all that seats recommend, where the body leaves any of it out.
func (p adviceSection) allRecommended() []string {
	if !p.leavesOutAdvice(p.bodyAdvice(p.shown[advice])) {
		return nil
	}
	return texts(p.adviceLines(maxRows, maxMembers, func(claim.Position, string) bool { return false }))
}

// adviceLine is what seats recommend on a question, and the first id of each position
// that it tells.
type adviceLine struct {
	text    string
	told    []string
	opposed bool
}

// texts are the lines as a list.
func texts(lines []adviceLine) []string {
	var out []string
	for _, l := range lines {
		out = append(out, "- "+l.text+".")
	}
	return out
}

// mostAdvice is how many lines the body has at most: fewer where a synthesis says what
// to do.
func (p adviceSection) mostAdvice() int {
	if p.byModel {
		return maxAdvice
	}
	return maxAnswers
}

// bodyAdvice are the lines of the body: what the text cites is not said again.
func (p adviceSection) bodyAdvice(most int) []adviceLine {
	return p.adviceLines(most, maxBodyPositions, func(one claim.Position, question string) bool {
		if question == claim.WholeQuestion {
			return slices.ContainsFunc(one.IDs, func(id string) bool { return p.refs.advised[id] })
		}
		return p.isNamed(one)
	})
}

// isNamed reports whether the text cites a position.
func (p adviceSection) isNamed(one claim.Position) bool {
	return slices.ContainsFunc(one.IDs, func(id string) bool { return p.refs.named[id] })
}

// leavesOutAdvice reports whether there are recommendations that neither the text nor
// lines tell.
func (p adviceSection) leavesOutAdvice(lines []adviceLine) bool {
	told := map[string]bool{}
	for _, l := range lines {
		for _, id := range l.told {
			told[id] = true
		}
	}
	return slices.ContainsFunc(p.answers, func(a claim.Answer) bool {
		return slices.ContainsFunc(a.Positions, func(one claim.Position) bool { return !told[one.IDs[0]] && !p.isNamed(one) })
	})
}

// maxOpposed bounds the positions on a question that cannot all be followed: a reader who
// has to choose sees them all.
const maxOpposed = 4

// adviceLines says of each question what seats recommend and who holds it: at most so
// many lines with so many positions each. What stands under one question is not said
// again under another, and what is told above only by whom it is held; but where
// positions are opposed, all are said.
func (p adviceSection) adviceLines(most, positions int, above func(one claim.Position, question string) bool) []adviceLine {
	var lines []adviceLine
	said := map[string]bool{}
	for _, a := range p.answers {
		if len(lines) == most {
			break
		}
		line := adviceLine{opposed: a.Opposed}
		var parts []string
		more := 0
		for _, one := range a.Positions {
			switch {
			case said[one.IDs[0]]:
			case above(one, a.Question) && !a.Opposed:
				said[one.IDs[0]] = true
				if a.Question == claim.WholeQuestion && len(parts) == 0 {
					parts = append(parts, "the recommendation on top"+p.holders(one, a))
				}
			case len(line.told) == positions && (!a.Opposed || len(line.told) == maxOpposed):
				more++
			default:
				said[one.IDs[0]] = true
				line.told = append(line.told, one.IDs[0])
				parts = append(parts, p.adviceText(one.IDs[0])+withPrefix(" ", p.refs.referenceLinks([]claim.Entry{p.refs.known[one.IDs[0]]}))+p.holders(one, a))
			}
		}
		if len(parts) > 0 {
			line.text = "**" + questionName(p.Plan, a.Question) + "** " + strings.Join(parts, "; ") + andMore(more) + held(a)
			lines = append(lines, line)
		}
	}
	return lines
}

// adviceText is what is recommended, between quotation marks.
func (p adviceSection) adviceText(id string) string {
	return "“" + strings.TrimRight(whole(p.refs.known[id].Text, wholeClaim), ".") + "”"
}

// holders are who holds a position, who recommends what it contradicts, and what has
// been settled against it since.
func (p adviceSection) holders(one claim.Position, a claim.Answer) string {
	return " (" + escapeForeign(enumerate(one.Seats), 120) + againstText(p.Registry.Conflicts, one, a) + p.lostText(one) + ")"
}

// lostText says of a position that a dispute was settled against it, or that a claim it
// rests on no longer holds; "" for neither.
func (p adviceSection) lostText(one claim.Position) string {
	for _, c := range p.Registry.Conflicts {
		lost := map[string]string{claim.ResolvedA: c.B, claim.ResolvedB: c.A}[c.Status]
		if lost != "" && !c.Possible && slices.Contains(one.IDs, lost) && !disputeSection(p).isMoot(c) {
			return "; **no longer as worded:** dispute " + escapeForeign(c.ID, 20) + " was settled against it"
		}
	}
	if e := p.refs.known[one.IDs[0]]; e.Location.State == claim.Reasoned && e.Location.Reason != "" {
		return "; **in part without ground:** " + escapeForeign(e.Location.Reason, reasonInLine)
	}
	return ""
}

// againstText names who recommends on the same question what a position contradicts; ""
// for nobody.
func againstText(conflicts []claim.Conflict, one claim.Position, a claim.Answer) string {
	var against []string
	for _, c := range conflicts {
		if !c.IsCertain() {
			continue
		}
		for _, pair := range [][2]string{{c.A, c.B}, {c.B, c.A}} {
			other := slices.IndexFunc(a.Positions, func(o claim.Position) bool { return slices.Contains(o.IDs, pair[1]) })
			if other >= 0 && slices.Contains(one.IDs, pair[0]) {
				against = append(against, a.Positions[other].Seats...)
			}
		}
	}
	slices.Sort(against)
	if against = slices.Compact(against); len(against) == 0 {
		return ""
	}
	return "; **against** " + escapeForeign(enumerate(against), 120)
}

// withAnswers are the answers that are opposed, or those that are not.
func withAnswers(list []claim.Answer, opposed bool) []claim.Answer {
	return slices.DeleteFunc(slices.Clone(list), func(a claim.Answer) bool { return a.Opposed != opposed })
}

// questionName are the words of a planned question, with a colon behind what is none;
// the first is the topic, which is the title.
func questionName(plan scope.Plan, id string) string {
	at := slices.IndexFunc(plan.Questions, func(q scope.Question) bool { return q.ID == id })
	switch {
	case id == claim.WholeQuestion:
		return "The question as a whole:"
	case at < 0:
		return "Question " + escapeForeign(id, 20) + ":"
	}
	said := strings.Replace(whole(plan.Questions[at].Text, wholeQuestion), ",…", " …", 1)
	if strings.HasSuffix(said, "?") {
		return said
	}
	return said + ":"
}

// held says behind an answer whether families agree on it.
func held(a claim.Answer) string {
	switch {
	case a.Agreed:
		return "; several models agree on it"
	case a.Opposed:
		return "; they cannot all be followed: see " + divergence
	case len(a.Positions) == 1:
		return "; said by one model alone"
	}
	return ""
}

// recommendedBriefly is what seats recommend on the weightiest questions, in a line.
func recommendedBriefly(p *page) string {
	var parts []string
	for _, l := range (adviceSection{p}).adviceLines(maxGlance, 1, func(claim.Position, string) bool { return false }) {
		parts = append(parts, l.text)
	}
	return strings.Join(parts, ". ")
}
