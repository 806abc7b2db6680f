package program

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/agent/desk"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/websearch"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// searchesFolder is where the answers of engines are kept, below a run's folder.
const searchesFolder = "searches"

// WebSearch asks the engines of a network, by way of an archive; answers are kept in a
// folder, "" for none. It is nil where there are no engines.
func (e Env) WebSearch(a *archive.Archive, folder string, n flow.Network) (*websearch.Search, error) {
	if len(n.Search) == 0 {
		return nil, nil //nolint:nilnil // nothing to search with is no mistake
	}
	services, err := a.Services(ownHosts(n.Search)...)
	if err != nil {
		return nil, fmt.Errorf("open search: %w", err)
	}
	return websearch.Open(websearch.Options{
		Services: n.Search, Web: services, Folder: folder,
		Key: func(s engine.Service) (string, error) { return config.SearchKey(s, e.Getenv) },
	})
}

// ownHosts are the hosts of engines that a person has set elsewhere than usual, which
// may be on their own machine.
func ownHosts(list []engine.Service) []string {
	var hosts []string
	for _, s := range list {
		known, _ := engine.Named(s.Engine)
		if u, err := url.Parse(s.URL); err == nil && s.URL != known.Base {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}

// DeskSearch is what a desk of a run looks for pages with, and where it writes that down
// where it serves a turn.
func (e Env) DeskSearch(a *archive.Archive, run string, n flow.Network) (*desk.WebSearch, error) {
	s, err := e.WebSearch(a, filepath.Join(run, searchesFolder), n)
	if s == nil {
		return nil, err
	}
	w := &desk.WebSearch{Search: s, Turn: func() string { return "" }}
	name, value, _ := strings.Cut(supervisor.ProcessMark(filepath.Base(run)), "=")
	if turn, ok := strings.CutPrefix(e.Getenv(name), value); ok && filepath.IsLocal(turn) {
		folder := filepath.Join(run, filepath.FromSlash(workspace.Turns), turn)
		w.Turn = func() string { return folder }
	}
	return w, nil
}

// TrySearch asks one engine a question: how many leads it gives. What it says is kept
// nowhere.
func (e Env) TrySearch(ctx context.Context, s engine.Service) (leads int, err error) {
	dir, err := os.MkdirTemp("", "council-search-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears what is left
	c, err := e.Config()
	if err != nil {
		return 0, err
	}
	n := e.AllowedNetwork(c.Network)
	n.Search = []engine.Service{s}
	a, err := archive.Open(dir, e.ArchiveOptions(n))
	if err != nil {
		return 0, err
	}
	search, err := e.WebSearch(a, "", n)
	if err != nil {
		return 0, err
	}
	known, _ := engine.Named(s.Engine)
	found, err := search.Find(ctx, websearch.Question{Words: "water", Kind: known.Kind, Limit: 10})
	return len(found.Leads), err
}
