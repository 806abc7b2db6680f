package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// MaxBodyWords is how many words a report has before the line of its appendix, so that
// it is read in ten minutes. A synthesis that keeps to [MaxDraftWords] leaves room for
// what the program says there; the program takes no more than what is left.
const MaxBodyWords = 2500

// What the body shows of each list at most, and what is kept for the lines that say how
// much more there is.
const (
	maxAdvice        = 3
	maxBodyPositions = 2 // of one question
	maxDisputes      = 3
	maxRejected      = 5
	restWords        = 150
)

// gather lists what the body shows the most important of.
func (p *page) gather() {
	all := claim.Answers(p.Registry)
	p.answers = slices.Concat(withAnswers(all, true), withAnswers(all, false))
	p.disputes, p.possible = disputeSection{p}.sortedConflicts()
	for _, e := range slices.Concat(p.Registry.Entries, p.withdrawn) {
		if rejection(e) != "" {
			p.rejections = append(p.rejections, e)
		}
	}
	critical := claim.Critical(claim.Counted(p.Registry.Entries))
	slices.SortStableFunc(p.rejections, func(a, b claim.Entry) int {
		return cmp.Compare(rejectionSection{p}.weightOfRejected(b, critical), rejectionSection{p}.weightOfRejected(a, critical))
	})
	p.rejections = spread(p.rejections)
	p.shown = map[string]int{}
}

// fit decides how much of its lists the program shows in the body: the most important
// of each first, then the next of each, as long as there is room. A review for which
// there is none stands below the line. It gives the sections of both.
func (p *page) fit(head []string, prose map[string][]string) (body, below []string) {
	body, below = p.Form.Body(), p.Form.Appendix()
	trial := *p
	trial.refs = p.refs.clone()
	room := MaxBodyWords - restWords - countWords(head) - countWords(glanceSection{&trial}.glance()) - countWords(glanceSection{&trial}.bookkeeping())
	for _, name := range body {
		room -= countWords(prose[name]) + words.Count(name)
	}
	if review := countWords(ownLines(p.Review)); review > room {
		body = slices.DeleteFunc(body, func(name string) bool { return name == reviewEnd })
		below = append([]string{reviewEnd}, below...)
	} else {
		room -= review
	}
	disputes, recommended := disputeSection{&trial}, adviceSection{&trial}
	lists := []struct {
		section string
		most    int
		item    func(n int) []string
	}{
		{divergence, disputes.mostDisputes(), func(n int) []string { return disputes.dispute(p.disputes[n]) }},
		{advice, len(recommended.bodyAdvice(recommended.mostAdvice())), func(n int) []string { return texts(recommended.bodyAdvice(n + 1)[n:]) }},
		{rejected, min(len(p.rejections), maxRejected), func(n int) []string { return []string{rejectionSection{&trial}.rejection(p.rejections[n])} }},
	}
	for n := range max(maxDisputes, maxAnswers, maxRejected) {
		for _, l := range lists {
			if n >= l.most || p.shown[l.section] < n {
				continue
			}
			if size := countWords(l.item(n)); size <= room {
				room -= size
				p.shown[l.section]++
			}
		}
	}
	return body, below
}

// countWords is how many words a reader sees in lines of Markdown.
func countWords(lines []string) int {
	d := parse([]byte(strings.Join(lines, "\n")), false)
	return d.countBlock(d.Root)
}

// countBlock is how many words a reader sees in a block, what is code and what are
// titles with them.
func (d document) countBlock(top ast.Node) int {
	n := 0
	_ = ast.Walk(top, func(block ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case !entering:
			return ast.WalkContinue, nil
		case running(block):
			n += words.Count(d.plainText(block))
		case block.Kind() == ast.KindFencedCodeBlock || block.Kind() == ast.KindCodeBlock:
			n += words.Count(d.Lines(block))
		default:
			return ast.WalkContinue, nil
		}
		return ast.WalkSkipChildren, nil
	})
	return n
}
