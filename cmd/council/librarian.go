package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/agent/corpus"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/agent/webpages"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/council"
)

// librarianCommand is the process of a seat without a model.
func librarianCommand(e program.Env) *cobra.Command {
	var network string
	c := &cobra.Command{Use: "librarian FILE", Short: "Do a turn of the librarian", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		var files *corpus.Corpus
		desk := librarian.TurnIO{Read: os.ReadFile, Write: replace, Out: e.Stdout, Roles: product.LibrarianRoles()}
		desk.Open = func(ctx context.Context, index, scope string) (librarian.Library, error) {
			var err error
			if network == "" {
				files, err = corpus.Open(ctx, index, scope)
				return files, err
			}
			var pages map[string]string
			if pages, err = gatherPages(ctx, e, args[0], scope, network); err != nil {
				return nil, err
			}
			if files, err = corpus.OpenPages(ctx, index, scope); err != nil {
				return nil, err
			}
			return webpages.Library{Library: files, Addresses: pages}, nil
		}
		err := librarian.Main(c.Context(), args[0], desk)
		if files != nil {
			_ = files.Close() // it was opened to read
		}
		return err
	}}
	c.Flags().StringVar(&network, "network", "", "research the web, fetched and searched as this says, JSON")
	return c
}

// gatherPages lays down the pages of the web that a turn of the librarian is to read, in
// a folder of its run.
func gatherPages(ctx context.Context, e program.Env, turn, folder, network string) (map[string]string, error) {
	n, err := deskNetwork(e, network)
	if err != nil {
		return nil, err
	}
	questions, err := librarian.Questions(turn, os.ReadFile)
	if err != nil {
		return nil, err
	}
	run := filepath.Dir(folder)
	kept, err := archive.Open(filepath.Join(run, council.SourcesDir), e.ArchiveOptions(n))
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	search, err := e.DeskSearch(kept, run, n)
	if err != nil {
		return nil, err
	}
	if search == nil {
		return nil, errors.New("no search engine is set")
	}
	return webpages.Gather(ctx, webpages.Options{Search: search.Search, Archive: kept, Folder: folder, Questions: questions})
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
