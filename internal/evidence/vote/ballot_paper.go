package vote

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// BallotPaper is the ballot a judge reads, in Markdown: each claim with its passages,
// what stands around them, and where they come from; of one that rests on other claims
// of the registry, these, each with what contradicts it. How an experiment was made stands
// there once, below the first claim that quotes it, and with it what it printed around all
// passages. What is quoted stands behind ">" line by line, so that it cannot end the
// quotation it stands in.
func BallotPaper(asked []claim.Entry, registry claim.Registry) string {
	var b strings.Builder
	b.WriteString("# Ballot\n")
	told := map[string]string{} // how experiments were made, with the claim below which it stands
	printed := aroundQuoted(asked)
	for _, e := range asked {
		if e.Kind.RestsOnClaims() {
			fmt.Fprintf(&b, "\n## %s\n\nClaim, %s: does it follow from what it rests on?\n\n%s\n%s", e.ID, kindNoun(e), blockQuote(e.Text), groundsList(e, registry))
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\nClaim:\n\n%s\n", e.ID, blockQuote(e.Text))
		passages := e.Evidence()
		for i, p := range passages {
			number := ""
			if len(passages) > 1 {
				number = fmt.Sprintf(" %d of %d, together they have to bear it out", i+1, len(passages))
			}
			b.WriteString(passageText(p, number, e.ID, told, printed[p.Source]))
		}
	}
	return b.String()
}

func passageText(p claim.Passage, number, id string, told map[string]string, printed []piece) string {
	out := fmt.Sprintf("Passage%s:\n\n%s\n", number, blockQuote(claim.Readable(p.Source, p.Location.Passage)))
	if first := told[p.Location.Made]; first != "" {
		out += fmt.Sprintf("It is what an experiment has printed, not what a source says; command, files and what stands around it are under %s.\n\n", first)
	} else if p.Location.Made != "" {
		told[p.Location.Made] = id
		out += fmt.Sprintf("It is what an experiment has printed, not what a source says; constants it prints are no measurement:\n\n%s\n", blockQuote(filesOnce(bySomebody(p.Location.Made), id, told)))
		if len(printed) > 0 {
			out += fmt.Sprintf("It printed, around all that is quoted of it on this ballot:\n\n%s\n", blockQuote(claim.Readable(p.Source, piecesText(printed))))
		}
	}
	if len(p.Location.LeftOut) > 0 {
		out += fmt.Sprintf("The quotation leaves out of it, or of the sentence around it:\n\n%s\n", blockQuote(strings.Join(p.Location.LeftOut, "\n")))
	}
	if len(p.Location.Within) > 0 {
		out += fmt.Sprintf("It stands in:\n\n%s\n", blockQuote(strings.Join(p.Location.Within, "\n")))
	}
	if !slices.ContainsFunc(printed, func(o piece) bool { return o.holds(p.Location) }) {
		out += contextText(p)
	}
	return out + fmt.Sprintf("Source:\n\n%s", blockQuote(p.Source))
}

// contextText is what stands before and behind a passage, which itself is not told again;
// the whole context where the passage does not stand in it as it is.
func contextText(p claim.Passage) string {
	l := p.Location
	before, behind, found := strings.Cut(l.Context, l.Passage)
	if l.Passage == "" || !found {
		if text := claim.Readable(p.Source, l.Context); strings.TrimSpace(text) != "" {
			return fmt.Sprintf("In its context:\n\n%s\n", blockQuote(text))
		}
		return ""
	}
	out := ""
	for _, part := range []struct{ where, text string }{{"Before it stands", before}, {"Behind it stands", behind}} {
		if text := claim.Readable(p.Source, part.text); strings.TrimSpace(text) != "" {
			out += fmt.Sprintf("%s:\n\n%s\n", part.where, blockQuote(text))
		}
	}
	return out
}

// bySomebody is how an experiment was made without whose it is: judges do not know whose
// claims they judge.
func bySomebody(made string) string {
	return madeBy().ReplaceAllString(made, "An experiment of this run")
}

// madeBy is how [experiment.Record.Title] begins.
var madeBy = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Experiment of [^,:]+, a seat of this run`)
})

// filesOnce is how an experiment was made, without the text of files that stand on the paper
// already: the next experiment of a seat often has them too.
func filesOnce(made, id string, told map[string]string) string {
	const short = 200 // bytes
	files := strings.Split(made, fileMark)
	for i, file := range files {
		switch first := told[fileMark+file]; {
		case i == 0 || len(file) < short:
		case first != "":
			name, _, _ := strings.Cut(file, ":\n")
			files[i] = name + ": as it stands under " + first + "."
		default:
			told[fileMark+file] = id
		}
	}
	return strings.Join(files, fileMark)
}

// fileMark begins the text of a file in how an experiment was made.
const fileMark = "\n\nIts file "

// groundsList lists the claims that one rests on, and says of each whether it holds and
// what contradicts it.
func groundsList(e claim.Entry, registry claim.Registry) string {
	var b strings.Builder
	b.WriteString("It rests on:\n\n")
	for _, id := range e.RestsOn {
		ground, known := registry.Entry(id)
		switch {
		case !known:
			fmt.Fprintf(&b, "%s, which is not in the registry\n", plain.Line(id, maxID))
			continue
		case !ground.Holds():
			fmt.Fprintf(&b, "%s, which does not hold:\n\n%s\n", id, blockQuote(ground.Text))
			continue
		}
		fmt.Fprintf(&b, "%s:\n\n%s\n", id, blockQuote(ground.Text))
		for _, other := range registry.Contradicting(id) {
			fmt.Fprintf(&b, "But %s contradicts %s, as those found who compared them:\n\n%s\n", other.ID, id, blockQuote(other.Text))
		}
	}
	return b.String()
}

// maxID bounds what is shown of an id that no claim has, in runes.
const maxID = 40

// BallotIDs are the ids of the claims on a ballot, as [BallotPaper] writes it.
func BallotIDs(paper []byte) []string {
	var ids []string
	for line := range strings.Lines(string(paper)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// blockQuote is foreign text as a quotation of Markdown.
func blockQuote(s string) string {
	return "> " + strings.ReplaceAll(plain.Trimmed(s), "\n", "\n> ") + "\n"
}
