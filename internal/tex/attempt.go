package tex

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

const (
	mostPasses = 5  // of TeX over one copy: references stand after three or four
	mostMends  = 20 // of one copy
)

// attempt is one engine's try at a paper.
type attempt struct {
	*bench
	engine
	source   source
	copy     *copied
	all      []font // that are installed, once they are asked for
	fonts    []font // that stand in
	lacking  []rune // characters the paper's own fonts have not
	lacks    int    // how often some were seen
	problems []Problem
	others   bool // an engine comes after this one that reads Unicode
}

func newAttempt(b *bench, e engine, s source, list []engine) *attempt {
	after := list[slices.IndexFunc(list, func(o engine) bool { return o.name == e.name })+1:]
	a := &attempt{bench: b, engine: e, source: s, copy: copyOf(s.text, s.bib)}
	a.others = slices.ContainsFunc(after, func(o engine) bool { return o.unicode })
	return a
}

// try builds the PDF, mending the copy until it can be set.
func (a *attempt) try(ctx context.Context) error {
	a.tell(a.copy.clean()...)
	if !a.held {
		a.tell(a.copy.screen()...)
	}
	for {
		findings, err := a.cycle(ctx)
		if err == nil {
			a.tell(a.remaining(findings)...)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		i := slices.IndexFunc(findings, func(f finding) bool { return f.kind.fatal() })
		if i < 0 {
			return err
		}
		p, ok := a.mend(findings[i])
		a.tell(p)
		if !ok {
			return fmt.Errorf("%s: %s", place(p), p.Text)
		}
	}
}

func place(p Problem) string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

func (a *attempt) tell(list ...Problem) {
	for _, p := range list {
		if p.File == "" {
			p.File = a.source.name
		}
		a.problems = append(a.problems, p)
	}
}

// mend changes the copy so that a finding does not come again.
func (a *attempt) mend(f finding) (Problem, bool) {
	p := Problem{File: a.source.name, Line: f.line, Text: f.text}
	switch {
	case f.kind == noCharacter && a.others:
		return p, false // another engine has it
	case a.copy.mends == mostMends:
		p.Text += fmt.Sprintf(" (after %d mends)", mostMends)
		return p, false
	}
	a.copy.mends++
	switch base := filepath.Base(f.file); {
	case strings.HasSuffix(base, ".bbl"):
		p.File, p.Line = bibliography, 0
		key := keyAt(string(a.read(paper+".bbl")), f.line)
		p.Line, p.Mended = a.copy.plainEntry(key)
	case strings.HasPrefix(f.text, "pdfTeX error") && strings.Contains(f.text, "Font "):
		p.Line, p.Mended = a.copy.scalable()
	case f.kind == noStyle:
		p.Line, p.Mended = a.copy.otherStyle(f.what)
	case f.file == "" || base == paper+".tex":
		p.Line, p.Mended = a.copy.mend(f)
	case f.kind == noFile || f.kind == noFont:
		p.Line, p.Mended = a.copy.mend(finding{kind: f.kind, text: f.text, what: f.what})
	default:
		p.Line = 0 // of a file the reader has not written
		p.Text = base + ": " + p.Text
	}
	return p, p.Mended != ""
}

// cycle lays out the copy and runs TeX and bibtex until nothing changes any
// more that they read. The findings are those of the last run.
func (a *attempt) cycle(ctx context.Context) ([]finding, error) {
	if err := a.layOut(); err != nil {
		return nil, err
	}
	var before [sha256.Size]byte
	var cited []finding
	for pass := 1; ; pass++ {
		findings, err := a.pass(ctx)
		if err != nil {
			return findings, err
		}
		if pass == 1 && a.lack(ctx, findings) {
			return a.cycle(ctx)
		}
		if a.whole {
			return append(findings, readBibLog(a.read(paper+".blg"))...), nil
		}
		if pass <= 2 { // the bibliography itself may cite
			if cited, err = a.cite(ctx); err != nil {
				return cited, err
			}
		}
		after := a.state()
		if after == before || pass == mostPasses {
			if a.lack(ctx, findings) { // the bibliography came later
				return a.cycle(ctx)
			}
			return append(findings, cited...), nil
		}
		before = after
	}
}

// layOut puts the copy, and nothing else, into the folder.
func (a *attempt) layOut() error {
	if err := a.clear(); err != nil {
		return err
	}
	var aid string
	if len(a.lacking) > 0 && a.aid != nil {
		aid = a.aid(a.fonts, a.lacking)
	}
	if err := a.write(paper+".tex", aid+a.copy.text()); err != nil {
		return err
	}
	if a.copy.bib == "" {
		return nil
	}
	return a.write(bibliography, a.copy.bib)
}

// pass runs the engine once.
func (a *attempt) pass(ctx context.Context) ([]finding, error) {
	said, err := a.run(ctx, a.network, a.argv...)
	log := a.read(paper + ".log")
	if log == nil && err != nil {
		return nil, fmt.Errorf("%w: %s", err, words(said))
	}
	findings := readLog(log)
	if a.whole && err != nil {
		findings = append(findings, readBibLog(a.read(paper+".blg"))...)
	}
	return findings, err
}

// cite runs bibtex where the paper wants it.
func (a *attempt) cite(ctx context.Context) ([]finding, error) {
	aux := string(a.read(paper + ".aux"))
	if !strings.Contains(aux, `\bibdata{`) || !strings.Contains(aux, `\citation{`) {
		return nil, nil
	}
	if look(a.path, "bibtex") == "" {
		return []finding{{kind: noCitation, text: "bibtex is not installed: citations stay question marks"}}, nil
	}
	said, err := a.run(ctx, false, "bibtex", paper)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	log := a.read(paper + ".blg")
	if log == nil && err != nil {
		return nil, fmt.Errorf("%w: %s", err, words(said))
	}
	findings := readBibLog(log)
	if slices.ContainsFunc(findings, func(f finding) bool { return f.kind == noStyle }) {
		return findings, errors.New("bibtex has no such style")
	}
	return findings, nil // what is wrong with an entry leaves the others
}

// state sums up what the next run will read.
func (a *attempt) state() [sha256.Size]byte {
	h := sha256.New()
	for _, ext := range []string{".aux", ".bbl", ".toc", ".out", ".lof", ".lot"} {
		h.Write(a.read(paper + ext))
		h.Write([]byte{0})
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// remaining says what is missing in a PDF that was made: each thing once.
func (a *attempt) remaining(findings []finding) []Problem {
	var list []Problem
	told := map[string]bool{}
	for _, f := range findings {
		p := Problem{File: a.source.name, Line: f.line, Text: f.text}
		switch {
		case f.kind == noGlyph:
			p.Text = fmt.Sprintf("no font has %s (%U)", f.what, []rune(f.what)[0])
		case f.kind == noCitation && f.what != "":
			p.Line = a.copy.lineOf("{"+f.what+"}", "{"+f.what+",", ","+f.what+"}", ","+f.what+",")
			p.Text = fmt.Sprintf("nothing in %s is called %s", bibliography, f.what)
		case strings.HasSuffix(f.file, ".bib"):
			p.File = bibliography
		}
		if !told[p.Text] {
			told[p.Text] = true
			list = append(list, p)
		}
	}
	return list
}
