// Package browser shows people a file with the browser that is theirs, and prints a page
// of ours with the Chromium that is here.
//
// The page is a file of the run; nothing of it is loaded from elsewhere. What the page
// shows is left to package export.
package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/job"
)

// ErrNone says that there is no program for what was wanted.
var ErrNone = errors.New("no browser is installed here")

// openers are the programs that know a person's own browser, and chromiums those that
// print a page without showing it, each under the names they are installed by.
func openers() []string { return []string{"xdg-open", "open", "wslview"} }

func chromiums() []string {
	return []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"}
}

// Show hands a file to the person's browser and does not wait for it. path is the PATH
// to look in. ErrNone, where there is no such program.
func Show(ctx context.Context, file, path string) error {
	program := find(path, openers())
	if program == "" {
		return ErrNone
	}
	within, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(within, program, file)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if err != nil && within.Err() == nil {
		return fmt.Errorf("%s: %w", filepath.Base(program), err)
	}
	return ctx.Err()
}

// Available reports whether there is a browser that can print.
func Available(path string) bool { return Chromium(path) != "" }

// Chromium gives the path of a browser that runs pages without showing them; "" where
// there is none.
func Chromium(path string) string { return find(path, chromiums()) }

const printTimeout = 90 * time.Second

// Print makes a PDF of a page of ours. ErrNone, where no Chromium is in path.
func Print(ctx context.Context, page []byte, path string) ([]byte, error) {
	program := Chromium(path)
	if program == "" {
		return nil, ErrNone
	}
	dir, err := os.MkdirTemp("", "council-print-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the PDF: %w", err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "report.html"), filepath.Join(dir, "report.pdf")
	if err := os.WriteFile(in, page, 0o600); err != nil {
		return nil, fmt.Errorf("write the page: %w", err)
	}
	args := []string{
		"--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
		"--user-data-dir=" + filepath.Join(dir, "home"), "--no-pdf-header-footer", "--print-to-pdf=" + out,
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // it refuses to start otherwise
	}
	within, cancel := context.WithTimeout(ctx, printTimeout)
	defer cancel()
	var said bytes.Buffer
	cmd := exec.CommandContext(within, program, append(args, "file://"+in)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	held, err := job.New() // it has many children
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(program), err)
	}
	defer held.Close()
	cmd.SysProcAttr = held.Attr()
	cmd.Cancel = func() error { return held.Kill(cmd.Process) }
	cmd.WaitDelay = time.Second
	if err = cmd.Start(); err == nil {
		err = errors.Join(held.Take(cmd.Process), cmd.Wait())
	}
	data, missing := os.ReadFile(out)
	switch {
	case within.Err() != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%s was not done after %s and was ended", filepath.Base(program), printTimeout)
	case err != nil:
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(program), err, lastLine(said.String()))
	case missing != nil:
		return nil, fmt.Errorf("%s has printed nothing: %s", filepath.Base(program), lastLine(said.String()))
	}
	return data, nil
}

func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return lines[len(lines)-1]
}

// find gives the path of the first of some programs; "" where there is none.
func find(path string, names []string) string {
	for _, name := range names {
		for _, dir := range filepath.SplitList(path) {
			file := filepath.Join(dir, name+disk.ProgramEnding)
			if info, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && disk.IsProgram(info) {
				return file
			}
		}
	}
	return ""
}
