// Package audit grades anybody's report by what can be checked without asking
// anyone: whether its references are in order, whether its sources are there
// and are what they are said to be, whether each quotation stands in the source
// it is attributed to, whether the numbers of a statement stand there, and
// whether the source speaks of the statement's matter at all.
//
// [Report] takes a parsed report and ways to texts and gives a [Result]. A
// source that is dead, blocked or out of reach stays in every count it belongs
// to: nothing gets better by not being readable. An outage is a reason not to
// have looked, never a verdict.
//
// Whether a source supports a statement is not judged: no program can tell
// (test/eval/wrongsource measures how little these signals say of it).
//
// How a report is read is left to package citation, how sources are fetched to
// archive, how quotations are found to quote.
package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/citation"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/library"
	"github.com/research-council/research-council/internal/evidence/quote"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Options say where an audit looks.
type Options struct {
	Archive  library.Archive     // nil: no page is looked at
	Offline  bool                // nothing is fetched; what the archive holds is read
	Files    claim.Library       // local files; nil: none are looked at
	Scope    string              // the folder these lie below, for people
	Folder   string              // the report's own, absolute, where its links start from there; "" for none
	Workers  int                 // sources at once; 0 is 8
	Progress func(done, all int) // called for each source that is done, by one goroutine at a time; may be nil
}

// workers is how many sources are fetched at once: hosts are spared by the
// archive, which lets only few requests at one of them.
const workers = 8

// MaxSources bounds the sources of one report that are looked at. Hundreds are
// many; the rest is counted as unchecked.
const MaxSources = 2000

// Report audits a report. An error is one of the archive or of ctx.
func Report(ctx context.Context, name string, d citation.Document, o Options) (Result, error) {
	a := &auditor{doc: d, o: o, bySource: map[string]*sourceText{}}
	a.gatherSources()
	if err := a.readSources(ctx); err != nil {
		return Result{}, err
	}
	a.weighWords()
	r := Result{
		Report: name, Title: d.Title, Words: d.Words, Sentences: d.Sentences, Offline: o.Offline || o.Archive == nil,
		Understood: d.Understood, Seen: d.Seen,
		Sources: make([]Source, 0, len(a.sources)), Statements: []Statement{}, Findings: []Finding{}, Note: Note,
	}
	for _, s := range a.sources {
		r.Sources = append(r.Sources, s.Source)
	}
	r.Statements = a.checkStatements()
	r.Quotations = a.locateAll(a.doc.Quotations)
	r.Findings = a.findings(r)
	r.Counts = a.countAll(r)
	r.Grade = grade(r)
	return r, nil
}

// An auditor is one audit under way.
type auditor struct {
	doc      citation.Document
	o        Options
	sources  []*sourceText
	bySource map[string]*sourceText
	weights  *Weights
	language string
}

// sourceText is a source and what was read of it.
type sourceText struct {
	Source
	text     string
	readable bool
	outside  bool // it is a file outside of the scope
	aside    func(start, end int) bool
	words    *quote.Text // nil until a quotation is looked for
	page     *Page
	numbers  numbers
	language string
	first    int // number of the text's first line
}

// gatherSources lists the sources: references with one key are one.
func (a *auditor) gatherSources() {
	for i, ref := range a.doc.References {
		key := ref.Key
		if key == "" {
			key = fmt.Sprintf("none:%d", i)
		}
		s := a.bySource[key]
		if s == nil {
			s = &sourceText{Source: Source{Key: ref.Key, Kind: ref.Kind, Address: ref.URL, State: Unchecked}}
			a.bySource[key] = s
			a.sources = append(a.sources, s)
		}
		s.References = append(s.References, i)
		s.Cited += ref.Cited
		if ref.Label != "" {
			s.Labels = append(s.Labels, ref.Label)
		}
		if s.Line == 0 {
			s.Line = ref.Line
		}
	}
}

// sourceOf is the source of a reference.
func (a *auditor) sourceOf(ref int) *sourceText {
	key := a.doc.References[ref].Key
	if key == "" {
		key = fmt.Sprintf("none:%d", ref)
	}
	return a.bySource[key]
}

func (a *auditor) readSources(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	limit := a.o.Workers
	if limit < 1 {
		limit = workers
	}
	g.SetLimit(limit)
	finished := make(chan struct{})
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		for done := 1; done <= len(a.sources); done++ {
			if _, ok := <-finished; !ok {
				return
			}
			if a.o.Progress != nil {
				a.o.Progress(done, len(a.sources))
			}
		}
	}()
	for i, s := range a.sources {
		g.Go(func() error {
			if i >= MaxSources {
				s.Reason = fmt.Sprintf("the report has more than %d sources", MaxSources)
			} else if err := a.readSource(ctx, s); err != nil {
				return fmt.Errorf("read %s: %w", s.Address, err)
			}
			if s.readable {
				s.page, s.numbers, s.language = NewPage(s.text), newNumbers(s.text), language(s.text)
			}
			select {
			case finished <- struct{}{}:
			case <-ctx.Done():
			}
			return ctx.Err()
		})
	}
	err := g.Wait()
	close(finished)
	<-counted
	return err
}

// readSource reads one source.
func (a *auditor) readSource(ctx context.Context, s *sourceText) error {
	s.first = 1
	switch {
	case s.Address == "":
		s.Reason = "the reference leads nowhere"
		return nil
	case s.Kind == source.File:
		a.readFile(s)
		return nil
	case s.Kind == source.Other:
		s.Reason = "the reference is neither an address nor an identifier that can be looked up"
		return nil
	case a.o.Archive == nil:
		s.Reason = "nothing is fetched off line"
		return nil
	}
	snapshot, err := a.snapshot(ctx, s)
	if err != nil || snapshot.State == "" {
		return err
	}
	return a.takeSnapshot(s, snapshot)
}

func (a *auditor) snapshot(ctx context.Context, s *sourceText) (archive.Snapshot, error) {
	if !a.o.Offline {
		return a.o.Archive.Fetch(ctx, s.Address)
	}
	kept, ok := a.o.Archive.Lookup(s.Key)
	if !ok {
		s.Reason = "the archive does not have it, and nothing is fetched off line"
	}
	return kept, nil
}

// takeSnapshot takes what a snapshot says.
func (a *auditor) takeSnapshot(s *sourceText, snapshot archive.Snapshot) error {
	s.State, s.Reason, s.Final, s.Title = snapshot.State, snapshot.Reason, snapshot.Final, snapshot.Title
	s.Warnings, s.Snapshot, s.aside = snapshot.Warnings, snapshot.Body, snapshot.Aside
	if r := snapshot.Record; r != nil {
		s.Retracted, s.Notice, s.Record = r.Retracted, r.Notice, r
		ref := a.doc.References[s.References[0]]
		var authors []string
		if ref.By != "" {
			authors = []string{ref.By}
		}
		s.Mismatch = r.Mismatch(ref.Title, authors, ref.Year)
	}
	if !snapshot.State.Readable() || snapshot.Text == "" {
		return nil
	}
	text, err := a.o.Archive.Text(snapshot)
	if err != nil {
		return err
	}
	s.text, s.readable = text, true
	return nil
}

// readFile reads a local source.
func (a *auditor) readFile(s *sourceText) {
	if a.o.Files == nil {
		s.Reason = "it is a file, and no folder is known to look for it; --scope names one"
		return
	}
	text, err := a.textOfFile(source.Identify(s.Address).Path)
	var absent claim.Absent
	switch {
	case errors.As(err, &absent) && absent.Outside:
		s.Reason, s.outside = "it lies outside of the scope"+a.scopeName(" "), true
	case errors.As(err, &absent):
		s.State, s.Reason = archive.Gone, strings.ReplaceAll(absent.Reason, " among the local sources", a.scopeName(" below ")+"; --scope names another folder")
	case errors.Is(err, fs.ErrNotExist):
		s.State, s.Reason = archive.Gone, "there is no such file"
	case err != nil:
		s.State, s.Reason = archive.Unreachable, err.Error()
	default:
		s.State, s.text, s.readable, s.first = archive.Live, text.Body, true, max(1, text.FirstLine)
		a.noteMissingLines(s)
	}
}

// textOfFile is the text of a local file. A path is one below the scope or, as
// links in Markdown are, one from the report's folder on; what stands behind a #
// is a place in the file.
func (a *auditor) textOfFile(name string) (claim.Text, error) {
	file, _, placed := strings.Cut(name, "#")
	names := []string{name}
	if placed && file != "" {
		names = append(names, file)
	}
	if a.o.Folder != "" && !filepath.IsAbs(name) {
		for _, name := range names {
			names = append(names, filepath.Join(a.o.Folder, filepath.FromSlash(name)))
		}
	}
	var why error
	for _, name := range names {
		text, err := a.o.Files.Text(name)
		if err == nil {
			return text, nil
		}
		var absent claim.Absent
		if why == nil || errors.As(why, &absent) && absent.Outside {
			why = err // that it lies outside is said where it is nowhere else
		}
	}
	return claim.Text{}, why
}

// scopeName is the folder of local files with a word before it; "" where it has no
// name.
func (a *auditor) scopeName(before string) string {
	if a.o.Scope == "" {
		return ""
	}
	return before + a.o.Scope
}

// noteMissingLines notes references to lines a file does not have.
func (a *auditor) noteMissingLines(s *sourceText) {
	have := s.first + strings.Count(s.text, "\n")
	if strings.HasSuffix(s.text, "\n") {
		have--
	}
	for _, ref := range s.References {
		if src := source.Identify(a.doc.References[ref].URL); src.Last > have {
			s.Warnings = append(s.Warnings, fmt.Sprintf("line %d is cited, and the file has %d", src.Last, have))
		}
	}
}

// weighWords weighs words by the sources that could be read.
func (a *auditor) weighWords() {
	var pages []*Page
	for _, s := range a.sources {
		if s.page != nil {
			pages = append(pages, s.page)
		}
	}
	a.weights = NewWeights(pages)
	var b strings.Builder
	for _, s := range a.doc.Statements {
		if b.Len() < 64<<10 {
			b.WriteString(s.Text + " ")
		}
	}
	a.language = language(b.String())
	a.noteCopies()
}

// isForeign reports whether a source is in another language than the report.
func (a *auditor) isForeign(s *sourceText) bool {
	return a.language != "" && s.language != "" && a.language != s.language
}

// partial says why not all of a source's text was seen, "" when it was.
func (s *sourceText) partial() string {
	for _, w := range s.Warnings {
		for _, sort := range []string{"paywall", "needs scripts", "no text", "cookie wall", "truncated", "damaged document", "block page", "soft 404", "search results"} {
			if strings.HasPrefix(w, sort) {
				return w
			}
		}
	}
	return ""
}
