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
	"github.com/research-council/research-council/internal/agent/shelf"
	"github.com/research-council/research-council/internal/agent/webpages"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/council"
)

// librarianCommand is the process of a seat without a model.
func librarianCommand(e program.Env) *cobra.Command {
	var from librarianSources
	c := &cobra.Command{Use: "librarian FILE", Short: "Do a turn of the librarian", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		n, err := from.settings(e)
		if err != nil {
			return err
		}
		var files corpus.Several
		desk := librarian.TurnIO{Read: os.ReadFile, Write: replace, Out: e.Stdout, Roles: product.LibrarianRoles(), Own: n.Library != ""}
		desk.Open = func(ctx context.Context, index, scope string) (librarian.Library, error) {
			lib, err := from.open(ctx, e, args[0], index, scope, n)
			files = lib.Several
			return lib, err
		}
		err = librarian.Main(c.Context(), args[0], desk)
		_ = files.Close() // they were opened to read
		return err
	}}
	c.Flags().StringVar(&from.network, "network", "", "how sources are fetched and searched for, and the library to read, JSON")
	c.Flags().BoolVar(&from.pages, "pages", false, "the scope is a folder for pages of the web, which are to be found and laid down there")
	return c
}

// librarianSources say what a librarian's turn reads beside files.
type librarianSources struct {
	network string
	pages   bool
}

func (s librarianSources) settings(e program.Env) (flow.Network, error) {
	if s.network == "" {
		return flow.Network{}, nil
	}
	return deskNetwork(e, s.network)
}

// librarianLibrary is all that a librarian reads, with the addresses of what has one.
type librarianLibrary struct {
	corpus.Several
	pages map[string]string // by the names of their files
	own   *shelf.Reader     // nil without a library of the person's
}

// Search is that of the indexes.
func (l librarianLibrary) Search(ctx context.Context, q librarian.Query) ([]librarian.Passage, error) {
	found, err := l.Several.Search(ctx, q)
	for i := range found {
		found[i].Address = l.pages[found[i].Path]
	}
	if l.own == nil {
		return found, err
	}
	return l.own.Addressed(found, err)
}

// open opens the index of the scope and of the library. What was opened is there to be
// closed with an error too.
func (s librarianSources) open(ctx context.Context, e program.Env, turn, index, scope string, n flow.Network) (l librarianLibrary, err error) {
	if s.pages {
		if l.pages, err = gatherPages(ctx, e, turn, scope, n); err != nil {
			return l, err
		}
	}
	if scope != "" {
		open := corpus.Open
		if s.pages {
			open = corpus.OpenPages
		}
		files, err := open(ctx, index, scope)
		if err != nil {
			return l, err
		}
		l.Several = append(l.Several, files)
	}
	if n.Library == "" {
		return l, nil
	}
	own, err := shelf.Open(n.Library, nil)
	if errors.Is(err, shelf.ErrNone) {
		return l, librarian.Refusal("the library of this run is gone: " + err.Error())
	}
	if err != nil {
		return l, err
	}
	if l.own, err = own.Read(ctx); err != nil {
		return l, err
	}
	l.Several = append(l.Several, l.own.Several...)
	return l, nil
}

// gatherPages lays down the pages of the web that a turn of the librarian is to read, in
// a folder of its run.
func gatherPages(ctx context.Context, e program.Env, turn, folder string, n flow.Network) (map[string]string, error) {
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
