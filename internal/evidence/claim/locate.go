package claim

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Locate looks for every quotation in its source, first in the lines that were
// cited and then in the whole of it, and returns the registry with what came
// of it: where each passage stands, and what the evidence is worth. A claim of
// several passages is located when all of them are. What rests on other claims is
// held against these, see [Ground]. A nil library has no texts.
func Locate(entries []Entry, lib Library) []Entry {
	located := slices.Clone(entries)
	shelf := textCache{lib: lib, texts: map[string]*sourceText{}}
	for i, e := range located {
		switch {
		case e.Kind.RestsOnClaims(), e.IsWithdrawn():
			continue
		case len(e.Passages) == 0:
			located[i].Location = shelf.locate(Reference{e.Quote, e.Source})
		default:
			located[i].Passages = slices.Clone(e.Passages)
			for n, p := range e.Passages {
				located[i].Passages[n].Location = shelf.locate(p.Reference)
			}
			located[i].Location = jointLocation(located[i].Passages)
		}
		located[i].Confidence = evidenceConfidence(located[i])
	}
	return Ground(located)
}

// jointLocation is that of a claim that it takes several passages to prove: the
// first's where all are located, else that of the first that is not, with which are
// not and why.
func jointLocation(list []Passage) Location {
	joint := list[0].Location
	var amiss []string
	for i, p := range list {
		l := p.Location
		switch {
		case l.State != Located:
			if len(amiss) == 0 || l.State == NotFound && joint.State != NotFound {
				joint = l
			}
			amiss = append(amiss, fmt.Sprintf("passage %d of %d, %s: %s", i+1, len(list), p.Source, l.Reason))
		case i > 0 && len(amiss) == 0:
			joint.add(l)
		}
	}
	if len(amiss) > 0 {
		joint.Reason = strings.Join(amiss, "; ")
	}
	return joint
}

// add takes over what is to be said against another passage of the same claim.
func (l *Location) add(other Location) {
	l.Doubt = cmp.Or(l.Doubt, other.Doubt)
	l.Findings = slices.Concat(l.Findings, other.Findings)
	l.LeftOut = slices.Concat(l.LeftOut, other.LeftOut)
	if IsSure(*l) && !IsSure(other) {
		l.Tier = other.Tier
	}
}

// evidenceConfidence is the confidence an entry's evidence gives, whatever its seats said:
// by where its words stand, in what sort of source, and by the votes. What its
// own family alone has judged is not held for sure.
func evidenceConfidence(e Entry) Confidence {
	switch {
	case e.Location.State != Located, e.Location.Doubt != "", e.Verdict() == Contradicts:
		return Low
	case IsSure(e.Location) && len(e.Location.Findings) == 0 && e.Verified() && !e.Support.Own && !slices.ContainsFunc(e.Evidence(), isWeakWitness):
		return High
	}
	return Medium
}

// isWeakWitness reports whether a passage stands in a source that does not speak for
// what the claim is about.
func isWeakWitness(p Passage) bool { return p.Type != Official && p.Type != Standard && p.Type != Code }

// textCache keeps what was taken from the library: each source is read once.
type textCache struct {
	lib   Library
	texts map[string]*sourceText
}

type sourceText struct {
	Text
	ref     string
	words   *quote.Text
	lines   []int // where each line begins
	printed bool  // by a program: it has lines, and no sentences
	err     error
}

func (s *textCache) locate(r Reference) Location {
	src := source.Identify(r.Source)
	if src.Kind == source.Other {
		return Location{State: Unchecked, Reason: "the source is neither an address nor a file"}
	}
	t := s.load(r.Source, src)
	var absent Absent
	switch {
	case errors.Is(t.err, ErrRemote):
		return Location{State: Unchecked, Reason: "the source was not fetched"}
	case errors.As(t.err, &absent):
		return Location{State: NotFound, Reason: plain.Trimmed(absent.Reason)}
	case errors.Is(t.err, fs.ErrNotExist):
		return Location{State: NotFound, Reason: "there is no such source"}
	case t.err != nil:
		return Location{State: Unchecked, Reason: plain.Trimmed(t.err.Error())}
	case r.Quote == "":
		return Location{State: Unchecked, Reason: "no quotation was given"}
	}
	l := t.locate(r.Quote, src.First, src.Last)
	if src.Kind == source.Experiment {
		if l.Findings = slices.DeleteFunc(l.Findings, isAboutItsSentence); len(l.Findings) == 0 {
			l.Findings = nil
		}
	}
	return l
}

// isAboutItsSentence reports a finding about the sentence a passage was taken from. What
// a program prints is lines.
func isAboutItsSentence(f guard.Finding) bool {
	return f.Kind == guard.Begins || f.Kind == guard.GoesOn || f.Kind == guard.Answered
}

func (s *textCache) load(ref string, src source.Source) *sourceText {
	if src.Kind == source.File {
		ref = src.Path
	}
	if t, ok := s.texts[ref]; ok {
		return t
	}
	t := &sourceText{ref: ref, printed: src.Kind == source.Experiment, err: ErrRemote}
	if s.lib != nil {
		t.Text, t.err = s.lib.Text(ref)
	}
	if t.err == nil {
		t.FirstLine = max(t.FirstLine, 1)
		if t.printed {
			t.words = quote.IndexLines(t.Body)
		} else {
			t.words = quote.Index(t.Body)
		}
		t.lines = lineStarts(t.Body)
	}
	s.texts[ref] = t
	return t
}

func lineStarts(s string) []int {
	starts := []int{0}
	for i := range len(s) {
		if s[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// locate looks in the lines cited, 0 for none, and then everywhere.
func (t *sourceText) locate(quoted string, first, last int) Location {
	if from, to, ok := t.span(first, last); ok {
		if m, ok := t.words.FindWithin(quoted, from, to); ok {
			l := t.at(m)
			if cited := strings.Trim(t.Body[from:to], "\r\n"); len(cited) <= maxCited && len(cited) > len(l.Context) {
				l.Context = cited
			}
			return l
		}
	}
	r := t.words.FindOrExplain(quoted)
	if !r.Found {
		return t.notFoundLocation(r)
	}
	l := t.at(r.Match)
	if first > 0 {
		l.Reason = fmt.Sprintf("the lines cited were %s", Lines(first, last))
	}
	return l
}

// notFoundLocation says what is known of a quotation that was not found.
func (t *sourceText) notFoundLocation(r quote.Result) Location {
	l := Location{
		State: NotFound, Reason: notFoundReason(r.Match.Findings), Nearest: Readable(t.ref, r.Nearest), Findings: r.Match.Findings,
		Snapshot: t.Snapshot, Text: t.Hash,
	}
	if t.Partial != "" && len(l.Findings) == 0 {
		l.State, l.Reason = Unchecked, "only a part of the source could be read: "+plain.Trimmed(t.Partial)
	}
	return l
}

// notFoundReason says why a quotation was not found.
func notFoundReason(found []guard.Finding) string {
	var words []string
	for _, f := range found {
		if f.Kind == guard.Gap {
			words = append(words, fmt.Sprintf("%q", plain.Trimmed(f.Text)))
		}
	}
	if len(words) == 0 {
		return "the source does not hold these words"
	}
	return "an ellipsis leaves out " + strings.Join(words, ", ") + ", without which the quotation says something else"
}

// omissions is what a quotation leaves out of the text, for people and judges to
// see beside it.
func (t *sourceText) omissions(gaps []quote.Span) []string {
	var list []string
	for _, g := range gaps {
		list = append(list, shortenGap(plain.Trimmed(strings.Join(strings.Fields(Readable(t.ref, t.Body[g.Start:g.End])), " "))))
	}
	return list
}

// shortenGap cuts the middle out of a long gap and says how long it is.
func shortenGap(gap string) string {
	const head, tail = 200, 80
	runes := []rune(gap)
	if len(runes) <= head+tail {
		return gap
	}
	return fmt.Sprintf("%s […, %d characters in all] %s", string(runes[:head]), len(runes), string(runes[len(runes)-tail:]))
}

// span is the span of lines, if the text has them.
func (t *sourceText) span(first, last int) (from, to int, ok bool) {
	first, last = first-t.FirstLine, min(last-t.FirstLine+1, len(t.lines))
	if first < 0 || first >= last {
		return 0, 0, false
	}
	to = len(t.Body)
	if last < len(t.lines) {
		to = t.lines[last]
	}
	return t.lines[first], to, true
}

func (t *sourceText) at(m quote.Match) Location {
	doubt := plain.Trimmed(t.Doubt)
	if t.Aside != nil && t.Aside(m.Start, m.End) {
		doubt = "it stands outside the article, in a menu, a comment or a footer"
	}
	if t.printed {
		m.Gaps = slices.DeleteFunc(m.Gaps, func(g quote.Span) bool { return g.End <= m.Start || m.End <= g.Start })
	}
	if t.Doubts != nil && doubt == "" {
		doubt = t.Doubts(t.Body[m.Start:m.End])
	}
	if len(m.Misspelt) > 0 && doubt == "" {
		doubt = spelling(m.Misspelt)
	}
	within := headingsAbove(t.ref, t.Body, m.Start)
	if within == nil && !isHTML(t.ref) {
		within = enclosingBlocks(t.Body, m.Start)
	}
	around := contextAround
	if t.printed {
		around = linesAround
	}
	return Location{
		Doubt: doubt, Findings: m.Findings, LeftOut: t.omissions(m.Gaps),
		State: Located, Tier: string(m.Tier), First: t.line(m.Start), Last: t.line(max(m.Start, m.End-1)),
		Start: m.Start, End: m.End, Passage: t.Body[m.Start:m.End], Context: around(t.Body, m.Start, m.End), Within: within,
		Snapshot: t.Snapshot, Text: t.Hash, Made: t.Made,
	}
}

// spelling says which words a quotation has otherwise than its source.
func spelling(list []quote.Misspelling) string {
	var said []string
	for _, m := range list {
		said = append(said, fmt.Sprintf("“%s” stands there as “%s”", m.Quoted, m.Source))
	}
	return strings.Join(said, ", ")
}

// line is the number of the line that holds a byte.
func (t *sourceText) line(at int) int {
	i, found := slices.BinarySearch(t.lines, at)
	if !found {
		i--
	}
	return t.FirstLine + i
}

// Lines writes a range of lines, as "12" or "12-20".
func Lines(first, last int) string {
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// IsSure reports whether a passage has the words of its quotation, all of them, and
// not only nearly or with some left out.
func IsSure(l Location) bool {
	switch quote.Tier(l.Tier) {
	case quote.Elided, quote.Near:
		return false
	}
	return l.State == Located
}
