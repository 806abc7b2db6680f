package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// MaxProblems bounds what [Lint] tells at once.
const MaxProblems = 20

// MaxDraftWords is how many words a draft may have. The program adds what is
// disputed, rejected and left open; all together is read in ten minutes.
const MaxDraftWords = 1500

// Lint tells what a further turn should mend in the draft of a synthesis, each
// in one line for its writer: sections that are missing or empty, citations of
// claims the registry does not hold, links, addresses, numbered references and
// HTML typed by hand, text behind the marker. A missing marker is no problem
// here, and neither is a list of sources: that one is made anew in any case.
func (f Form) Lint(draft []byte, entries []claim.Entry) []string {
	if len(bytes.TrimSpace(draft)) == 0 {
		return []string{"The draft is empty."}
	}
	l := linter{document: parse(draft, false).withForm(f), known: byID(entries), told: map[string]bool{}}
	sections := l.splitSections()
	l.checkSections(sections)
	for _, s := range sections {
		switch s.name {
		case sourceList:
			continue
		case noSection:
			l.addProblem(fmt.Sprintf("The section %q is made from the registry; leave it out.", l.title(s.blocks[0])))
			continue
		}
		for _, block := range s.blocks {
			l.checkBlock(block)
		}
	}
	if !l.cited && len(entries) > 0 {
		l.addProblem("No claim is cited. Every sentence that states a finding cites the claims it rests on by their ids, as in [C1] or [C1, C2].")
	}
	if behindMarker(draft) {
		l.addProblem("Something stands behind the marker. The marker is the last line.")
	}
	if n := l.count(sections); n > MaxDraftWords {
		l.addProblem(fmt.Sprintf("The draft has %d words; a reader has time for %d. Keep what a reader can act on.", n, MaxDraftWords))
	}
	if len(draft) > Limit {
		l.addProblem(fmt.Sprintf("The draft is longer than %d KiB.", Limit>>10))
	}
	return l.problems[:min(len(l.problems), MaxProblems)]
}

// title is the first heading of a section, for its writer.
func (l *linter) title(block ast.Node) string { return plain.Line(l.plainText(block), maxShown) }

type linter struct {
	document
	known    map[string]claim.Entry
	cited    bool
	problems []string
	told     map[string]bool
}

func (l *linter) addProblem(problem string) {
	if !l.told[problem] && len(l.problems) <= MaxProblems {
		l.told[problem] = true
		l.problems = append(l.problems, problem)
	}
}

func (l *linter) checkSections(sections []section) {
	said := map[string]bool{}
	there := map[string]bool{}
	for _, s := range sections {
		there[s.name] = true
		for _, block := range s.blocks {
			said[s.name] = said[s.name] || l.hasText(block)
		}
	}
	for _, name := range l.form.Headings() {
		switch {
		case name == sourceList || said[name]:
		case there[name]:
			l.addProblem(fmt.Sprintf("The section %q is empty.", name))
		case l.form.isOptional(name):
		default:
			l.addProblem(fmt.Sprintf("The section %q is missing; its heading is ## %s.", name, name))
		}
	}
}

// count counts the words of what a reader reads.
func (d document) count(sections []section) int {
	n := 0
	for _, s := range sections {
		if s.name == sourceList || s.name == noSection || s.name == d.form.method() {
			continue
		}
		for _, block := range s.blocks {
			n += d.countBlock(block)
		}
	}
	return n
}

// hasText reports whether a block says anything.
func (d document) hasText(block ast.Node) bool {
	for _, n := range textBlocks(block) {
		if words.Count(d.plainText(n)) > 0 {
			return true
		}
	}
	return false
}

// checkBlock looks into a block and whatever it holds.
func (l *linter) checkBlock(top ast.Node) {
	_ = ast.Walk(top, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case !entering:
			return ast.WalkContinue, nil
		case n.Kind() == ast.KindHTMLBlock:
			l.reportHTML(l.Lines(n))
			return ast.WalkSkipChildren, nil
		case l.isChart(n):
			l.checkChart(l.Lines(n))
			return ast.WalkSkipChildren, nil
		case !running(n):
			return ast.WalkContinue, nil
		case imitates(l.document, n) != "":
			l.addProblem(fmt.Sprintf("%q begins a line that only the program writes; leave the line out.", imitates(l.document, n)))
		}
		l.checkRunningText(l.pieces(n))
		return ast.WalkSkipChildren, nil
	})
}

func (l *linter) checkRunningText(pieces []piece) {
	for _, p := range pieces {
		switch p.kind {
		case runOfText:
			l.checkWords(p.text)
		case linkStart, address:
			l.reportAddress(p.text)
		case html:
			l.reportHTML(p.text)
		}
	}
}

func (l *linter) checkWords(s string) {
	for _, m := range findMarks(s) {
		switch {
		case m.cited != "":
			l.checkCitation(m.cited)
		case m.typed != "":
			l.addProblem(fmt.Sprintf("%s is a reference typed by hand; cite claims by their ids, references are numbered later.", plain.Line(m.typed, maxShown)))
		default:
			l.reportAddress(m.url)
		}
	}
}

func (l *linter) checkCitation(citation string) {
	for _, id := range ids(citation) {
		e, ok := l.known[id]
		switch {
		case !ok:
			l.addProblem(fmt.Sprintf("There is no claim %s in the registry.", id))
			continue
		case e.IsWithdrawn():
			l.addProblem(fmt.Sprintf("%s was withdrawn: %s. Cite another claim, or leave out what rests on it.", id, strings.TrimRight(plain.Line(e.Location.Reason, 2*maxShown), ".")))
		}
		l.cited = true
	}
}

// maxShown is how much of a foreign text a problem shows, in runes.
const maxShown = 60

func (l *linter) reportAddress(url string) {
	l.addProblem(fmt.Sprintf("The address or link %q was typed; cite the claim's id instead.", plain.Line(url, maxShown)))
}

func (l *linter) reportHTML(s string) {
	if s = strings.TrimSpace(s); s != agent.Marker {
		l.addProblem(fmt.Sprintf("There is HTML: %q. Write plain Markdown.", plain.Line(s, maxShown)))
	}
}

// behindMarker reports whether anything but the marker follows a line that is
// the marker.
func behindMarker(draft []byte) bool {
	seen := false
	for line := range bytes.Lines(draft) {
		line = bytes.TrimSpace(line)
		if string(line) == agent.Marker {
			seen = true
			continue
		}
		if seen && len(line) > 0 {
			return true
		}
	}
	return false
}
