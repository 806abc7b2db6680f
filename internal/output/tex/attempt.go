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
	maxPasses = 5  // of TeX over one copy: references stand after three or four
	maxFixes  = 20 // of one copy
)

// attempt is one engine's try at a paper.
type attempt struct {
	*buildFolder
	engine
	source            source
	copy              *texCopy
	all               []font // that are installed, once they are asked for
	fonts             []font // that stand in
	missingCharacters []rune // characters the paper's own fonts have not
	lacks             int    // how often some were seen
	problems          []Problem
	others            bool // an engine comes after this one that reads Unicode
}

func newAttempt(b *buildFolder, e engine, s source, list []engine) *attempt {
	after := list[slices.IndexFunc(list, func(o engine) bool { return o.name == e.name })+1:]
	a := &attempt{buildFolder: b, engine: e, source: s, copy: newTexCopy(s.text, s.bib)}
	a.others = slices.ContainsFunc(after, func(o engine) bool { return o.unicode })
	return a
}

// buildWithFixes builds the PDF, mending the copy until it can be set.
func (a *attempt) buildWithFixes(ctx context.Context) error {
	a.addProblems(a.copy.dropInvalid()...)
	if !a.held {
		a.addProblems(a.copy.neutralise()...)
	}
	for {
		findings, err := a.runUntilStable(ctx)
		if err == nil {
			a.addProblems(a.remainingProblems(findings)...)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		i := slices.IndexFunc(findings, func(f finding) bool { return f.kind.fatal() })
		if i < 0 {
			return err
		}
		p, ok := a.fix(findings[i])
		a.addProblems(p)
		if !ok {
			return fmt.Errorf("%s: %s", positionText(p), p.Text)
		}
	}
}

func positionText(p Problem) string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

func (a *attempt) addProblems(list ...Problem) {
	for _, p := range list {
		if p.File == "" {
			p.File = a.source.name
		}
		a.problems = append(a.problems, p)
	}
}

// fix changes the copy so that a finding does not come again.
func (a *attempt) fix(f finding) (Problem, bool) {
	p := Problem{File: a.source.name, Line: f.line, Text: f.text}
	switch {
	case f.kind == noCharacter && a.others:
		return p, false // another engine has it
	case a.copy.fixCount == maxFixes:
		p.Text += fmt.Sprintf(" (after %d mends)", maxFixes)
		return p, false
	}
	a.copy.fixCount++
	switch base := filepath.Base(f.file); {
	case strings.HasSuffix(base, ".bbl"):
		p.File, p.Line = bibliography, 0
		key := keyAt(string(a.read(copyName+".bbl")), f.line)
		p.Line, p.Mended = a.copy.rewriteEntry(key)
	case strings.HasPrefix(f.text, "pdfTeX error") && strings.Contains(f.text, "Font "):
		p.Line, p.Mended = a.copy.useOutlineFonts()
	case f.kind == noStyle:
		p.Line, p.Mended = a.copy.usePlainStyle(f.what)
	case f.file == "" || base == copyName+".tex":
		p.Line, p.Mended = a.copy.fix(f)
	case f.kind == noFile || f.kind == noFont:
		p.Line, p.Mended = a.copy.fix(finding{kind: f.kind, text: f.text, what: f.what})
	default:
		p.Line = 0 // of a file the reader has not written
		p.Text = base + ": " + p.Text
	}
	return p, p.Mended != ""
}

// runUntilStable lays out the copy and runs TeX and bibtex until nothing changes any
// more that they read. The findings are those of the last run.
func (a *attempt) runUntilStable(ctx context.Context) ([]finding, error) {
	if err := a.writeCopy(); err != nil {
		return nil, err
	}
	var before [sha256.Size]byte
	var cited []finding
	for pass := 1; ; pass++ {
		findings, err := a.runEngine(ctx)
		if err != nil {
			return findings, err
		}
		if pass == 1 && a.substituteFonts(ctx, findings) {
			return a.runUntilStable(ctx)
		}
		if a.whole {
			return append(findings, readBibLog(a.read(copyName+".blg"))...), nil
		}
		if pass <= 2 { // the bibliography itself may cite
			if cited, err = a.runBibTeX(ctx); err != nil {
				return cited, err
			}
		}
		after := a.inputDigest()
		if after == before || pass == maxPasses {
			if a.substituteFonts(ctx, findings) { // the bibliography came later
				return a.runUntilStable(ctx)
			}
			return append(findings, cited...), nil
		}
		before = after
	}
}

// writeCopy puts the copy, and nothing else, into the folder.
func (a *attempt) writeCopy() error {
	if err := a.removeFiles(); err != nil {
		return err
	}
	var aid string
	if len(a.missingCharacters) > 0 && a.fallbackSetup != nil {
		aid = a.fallbackSetup(a.fonts, a.missingCharacters)
	}
	if err := a.write(copyName+".tex", aid+a.copy.text()); err != nil {
		return err
	}
	if a.copy.bib == "" {
		return nil
	}
	return a.write(bibliography, a.copy.bib)
}

// runEngine runs the engine once.
func (a *attempt) runEngine(ctx context.Context) ([]finding, error) {
	said, err := a.run(ctx, a.network, a.argv...)
	log := a.read(copyName + ".log")
	if log == nil && err != nil {
		return nil, fmt.Errorf("%w: %s", err, lastLine(said))
	}
	findings := readLog(log)
	if a.whole && err != nil {
		findings = append(findings, readBibLog(a.read(copyName+".blg"))...)
	}
	return findings, err
}

// runBibTeX runs bibtex where the paper wants it.
func (a *attempt) runBibTeX(ctx context.Context) ([]finding, error) {
	aux := string(a.read(copyName + ".aux"))
	if !strings.Contains(aux, `\bibdata{`) || !strings.Contains(aux, `\citation{`) {
		return nil, nil
	}
	if findProgram(a.path, "bibtex") == "" {
		return []finding{{kind: noCitation, text: "bibtex is not installed: citations stay question marks"}}, nil
	}
	said, err := a.run(ctx, false, "bibtex", copyName)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	log := a.read(copyName + ".blg")
	if log == nil && err != nil {
		return nil, fmt.Errorf("%w: %s", err, lastLine(said))
	}
	findings := readBibLog(log)
	if slices.ContainsFunc(findings, func(f finding) bool { return f.kind == noStyle }) {
		return findings, errors.New("bibtex has no such style")
	}
	return findings, nil // what is wrong with an entry leaves the others
}

// inputDigest sums up what the next run will read.
func (a *attempt) inputDigest() [sha256.Size]byte {
	h := sha256.New()
	for _, ext := range []string{".aux", ".bbl", ".toc", ".out", ".lof", ".lot"} {
		h.Write(a.read(copyName + ext))
		h.Write([]byte{0})
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// remainingProblems says what is missing in a PDF that was made: each thing once.
func (a *attempt) remainingProblems(findings []finding) []Problem {
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
