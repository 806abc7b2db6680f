package publication

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/output/browser"
	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/output/tex"
)

// pdfOf sets a run's article, or prints its page where there is no TeX. It is asked for
// by name, so having neither is a failure here.
func pdfOf(e program.Env, p export.Publication) ([]byte, error) {
	text, err := export.Write(p, export.TeX)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "council-pdf-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the PDF: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "final-report.tex")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, fmt.Errorf("write the article: %w", err)
	}
	r, err := tex.Build(context.Background(), file, tex.Options{Path: e.Getenv("PATH")})
	if err != nil {
		return nil, err
	}
	if r.Skipped != "" {
		return printed(e, p, r.Skipped)
	}
	for _, p := range r.Problems {
		fmt.Fprintln(e.Stderr, plain.Terminal(p.String()))
	}
	return os.ReadFile(r.PDF)
}

// printed prints a run's page; why says why it is not set as an article.
func printed(e program.Env, p export.Publication, why string) ([]byte, error) {
	page, err := export.Write(p, export.HTML)
	if err != nil {
		return nil, err
	}
	pdf, err := browser.Print(context.Background(), page, e.Getenv("PATH"))
	if errors.Is(err, browser.ErrNone) {
		return nil, errors.New(why + "; or install Chromium, which prints the page")
	}
	return pdf, err
}
