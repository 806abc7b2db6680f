package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// quotation holds the quotation gate beside simpler ones.
func quotation(ctx context.Context, b bench) (Result, error) { return b.tool(ctx, "quotation") }

// quotations holds the quotation gate against whole documents as they come.
func quotations(ctx context.Context, b bench) (Result, error) { return b.tool(ctx, "quotations") }

// audits holds `council audit` against reports with planted faults.
func audits(ctx context.Context, b bench) (Result, error) { return b.tool(ctx, "audit") }

// structure counts faults of structure in reports of other systems.
func structure(ctx context.Context, b bench) (Result, error) {
	return b.outside(ctx, "structure", "reports-dev.jsonl.xz")
}

// wrongSource measures what word weights say of a claim and its source.
func wrongSource(ctx context.Context, b bench) (Result, error) {
	return b.outside(ctx, "wrongsource", "expertqa-domain-val.jsonl.xz")
}

// articles holds the article of pages beside plain go-readability.
func articles(ctx context.Context, b bench) (Result, error) { return b.tool(ctx, "articles") }

// segments does so on pages in which people marked segments.
func segments(ctx context.Context, b bench) (Result, error) {
	text, err := b.output(ctx, "articles", "-segments", b.pages)
	return Result{Text: string(text)}, err
}

// outside runs a program on a file that does not come with the project. Where
// the file is not there, the part is not measured.
func (b bench) outside(ctx context.Context, name, file string) (Result, error) {
	if _, err := os.Stat(filepath.Join(b.data, file)); err != nil {
		return Result{}, fmt.Errorf("not measured: %w", err)
	}
	return b.tool(ctx, name, b.data)
}

// tool runs an evaluation that is a program of its own and takes over what it
// prints: its tables, and as JSON its figures.
func (b bench) tool(ctx context.Context, name string, args ...string) (Result, error) {
	text, err := b.output(ctx, name, args...)
	if err != nil {
		return Result{}, err
	}
	figures, err := b.output(ctx, name, append([]string{"--json"}, args...)...)
	if err != nil {
		return Result{}, err
	}
	if err := os.WriteFile(filepath.Join(b.results, name+"-figures.json"), figures, 0o644); err != nil {
		return Result{}, err
	}
	return Result{Text: strings.TrimSpace(string(text)) + "\n"}, nil
}

func (b bench) output(ctx context.Context, name string, args ...string) ([]byte, error) {
	program := filepath.Join(b.bin, name)
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./test/eval/"+name)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, errs.String())
	}
	return out, nil
}
