package browser_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/output/browser"
)

// program puts a program into a folder.
func program(t *testing.T, dir, name, script string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700))
}

func TestAFileIsHandedToThePersonsBrowser(t *testing.T) {
	dir := t.TempDir()
	require.ErrorIs(t, browser.Show(context.Background(), "/a b.html", dir), browser.ErrNone)
	program(t, dir, "xdg-open", `printf %s "$*" > `+dir+`/opened`)
	require.NoError(t, browser.Show(context.Background(), "/a b.html", dir))
	opened, err := os.ReadFile(filepath.Join(dir, "opened"))
	require.NoError(t, err)
	require.Equal(t, "/a b.html", string(opened))
	program(t, dir, "xdg-open", "exit 3")
	require.ErrorContains(t, browser.Show(context.Background(), "/a", dir), "xdg-open: exit status 3")
	require.ErrorIs(t, browser.Show(context.Background(), "/a", "relative:"), browser.ErrNone, "nobody outside the path is run")
}

func TestAPageIsPrintedByTheChromiumThatIsHere(t *testing.T) {
	dir := t.TempDir()
	require.False(t, browser.Available(dir))
	_, err := browser.Print(context.Background(), []byte("<p>So"), dir)
	require.ErrorIs(t, err, browser.ErrNone)
	program(t, dir, "google-chrome", "echo so it went >&2; exit 1")
	require.True(t, browser.Available(dir))
	_, err = browser.Print(context.Background(), []byte("<p>So"), dir)
	require.ErrorContains(t, err, "google-chrome: exit status 1: so it went")
	program(t, dir, "google-chrome", "exit 0")
	_, err = browser.Print(context.Background(), []byte("<p>So"), dir)
	require.ErrorContains(t, err, "has printed nothing")
	if !browser.Available(os.Getenv("PATH")) {
		t.Skip("no Chromium is installed")
	}
	pdf, err := browser.Print(context.Background(), []byte("<!DOCTYPE html><title>x</title><p>So"), os.Getenv("PATH"))
	require.NoError(t, err)
	require.Equal(t, "%PDF-", string(pdf[:5]))
}
