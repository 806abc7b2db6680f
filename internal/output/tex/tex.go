// Package tex makes PDFs of LaTeX files with what the machine has.
//
// A build happens in a folder of its own, on a copy of the file and of the
// sources.bib beside it. TeX is a programming language whose own guards leak
// (PDF objects read any file, LuaTeX has Lua), so the system holds each program
// to that folder, to macros and to fonts, without a network; where the system
// cannot, the copy is screened for what could reach out. A program's group is
// killed at the deadline and its files, time and memory are limited.
//
// What TeX cannot digest is mended in the copy, step by step, and told as
// problems of the source's lines. The source is never changed, and an old PDF
// stays until a new one is whole. What a paper says is left to others.
package tex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/durable"
)

// Options of one build.
type Options struct {
	Engine   string        // one of Engines; "" is the first that works
	Timeout  time.Duration // for everything; 0 is 120 s
	Path     string        // PATH to look programs up in; "" is the process's
	NonLatin bool          // text beyond Latin, as if the file held some: engines that read Unicode first
}

// Problem is something TeX could not do as it was asked.
type Problem struct {
	File   string // base name of the source or of its bibliography
	Line   int    // in that file, from 1; 0 where TeX names none
	Text   string // what TeX said, one line
	Mended string // what was done about it in the copy; "" for nothing
}

// String is a problem as compilers write theirs.
func (p Problem) String() string {
	text := p.File
	if p.Line > 0 {
		text = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	text += ": " + p.Text
	if p.Mended != "" {
		text += "; " + p.Mended
	}
	return text
}

// Result is what came of a build.
type Result struct {
	PDF      string    // absolute path; "" when none was made
	Engine   string    // the one that made it
	Problems []Problem // in the order they were met
	Runs     int       // programs run, of all engines
	Skipped  string    // why nothing was built, one line, and how to change that; "" when built
}

const (
	defaultTimeout = 120 * time.Second
	maxSource      = 32 << 20 // bytes of a paper or a bibliography; a book has one or two
)

// bibliography is the file beside a paper that is read with it.
const bibliography = "sources.bib"

// Build makes file.pdf beside file.tex. Where no engine is installed nothing is
// built and Skipped says so; that is no error. An error says what TeX could
// not get over; the problems met are in the result with it.
func Build(ctx context.Context, file string, o Options) (Result, error) {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	s, err := readSource(file)
	if err != nil {
		return Result{}, err
	}
	list := choose(o, s.text+s.bib)
	if len(list) == 0 {
		return Result{Skipped: noEngineReason(o)}, nil
	}
	b, err := newBuildFolder(o)
	if err != nil {
		return Result{}, err
	}
	defer b.remove()
	within, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	r, err := b.build(within, list, s)
	r.Runs = b.runs
	switch {
	case ctx.Err() != nil:
		return r, fmt.Errorf("build %s: %w", s.name, ctx.Err())
	case within.Err() != nil:
		return r, fmt.Errorf("build %s: TeX was not done after %s and was ended", s.name, o.Timeout)
	case err != nil:
		return r, fmt.Errorf("build %s: %w", s.name, err)
	}
	r.PDF = strings.TrimSuffix(s.path, filepath.Ext(s.path)) + ".pdf"
	if err := b.placePDF(r.PDF); err != nil {
		r.PDF = ""
		return r, fmt.Errorf("build %s: %w", s.name, err)
	}
	return r, nil
}

// build tries one engine after the other. When none succeeds, what is told is
// what the first had to say.
func (b *buildFolder) build(ctx context.Context, list []engine, s source) (Result, error) {
	var first *attempt
	var firstErr error
	for _, e := range list {
		a := newAttempt(b, e, s, list)
		err := a.buildWithFixes(ctx)
		if err == nil {
			return Result{Engine: e.name, Problems: a.problems}, nil
		}
		if first == nil {
			first, firstErr = a, err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return Result{Problems: first.problems}, firstErr
}

// noEngineReason says why there is no engine to build with.
func noEngineReason(o Options) string {
	const remedy = "install TeX to have it: texlive-xetex and texlive-latex-extra (Debian, Ubuntu), MacTeX (macOS)"
	if o.Engine != "" {
		return fmt.Sprintf("no PDF: %s is not installed here; %s", o.Engine, remedy)
	}
	return "no PDF: no TeX is installed here; " + remedy
}

// source is a paper as it lies on disk.
type source struct {
	path      string // absolute
	name      string // base name
	text, bib string
}

// readSource reads a paper and the bibliography beside it.
func readSource(file string) (source, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return source{}, fmt.Errorf("read %s: %w", file, err)
	}
	if filepath.Ext(path) != ".tex" {
		return source{}, fmt.Errorf("read %s: its name does not end in .tex", file)
	}
	s := source{path: path, name: filepath.Base(path)}
	if s.text, err = readText(path); err != nil {
		return source{}, fmt.Errorf("read %s: %w", file, err)
	}
	s.bib, err = readText(filepath.Join(filepath.Dir(path), bibliography))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return source{}, fmt.Errorf("read %s: %w", bibliography, err)
	}
	return s, nil
}

// readText reads a regular file of bounded size.
func readText(path string) (string, error) {
	info, err := os.Stat(path) // opening a pipe would wait for its writer
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err == nil && len(data) > maxSource {
		err = fmt.Errorf("it is larger than %d MB", maxSource>>20)
	}
	return string(data), err
}

// placePDF puts the PDF where it belongs, whole or not at all.
func (b *buildFolder) placePDF(path string) error {
	data, err := b.readPDF()
	if err != nil {
		return err
	}
	if err := durable.ReplaceFile(path, data, 0o644); err != nil {
		return fmt.Errorf("deliver the PDF: %w", err)
	}
	return nil
}

// readPDF reads what TeX has made.
func (b *buildFolder) readPDF() ([]byte, error) {
	path := filepath.Join(b.work, copyName+".pdf")
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("TeX made no PDF: the file sets no page")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the PDF: %w", err)
	}
	if !strings.HasPrefix(string(data[:min(len(data), 8)]), "%PDF-") {
		return nil, errors.New("TeX made a file that is no PDF")
	}
	return data, nil
}
