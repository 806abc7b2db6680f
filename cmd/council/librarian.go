package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/agent/corpus"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product"
)

// librarianCommand is the process of a seat without a model.
func librarianCommand(e program.Env) *cobra.Command {
	return &cobra.Command{Use: "librarian FILE", Short: "Do a turn of the librarian", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		var files *corpus.Corpus
		desk := librarian.TurnIO{Read: os.ReadFile, Write: replace, Out: e.Stdout, Roles: product.LibrarianRoles()}
		desk.Open = func(ctx context.Context, index, scope string) (librarian.Library, error) {
			var err error
			files, err = corpus.Open(ctx, index, scope)
			return files, err
		}
		err := librarian.Main(c.Context(), args[0], desk)
		if files != nil {
			_ = files.Close() // it was opened to read
		}
		return err
	}}
}

// replace writes a file beside its place and moves it there, durably: whoever
// reads it sees the old or the new one.
func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(workspace.Replace(root, filepath.Base(path), data, 0o600), root.Close())
}
