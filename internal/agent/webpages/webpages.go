// Package webpages lays pages of the web down as files, for the librarian, who reads
// files alone: it searches for each question, has what is found fetched and archived,
// and writes each page's text into a folder of the run, once for all seats.
//
// What engines lead to is chosen by their order, not by what it is worth; nothing is
// quoted from a lead. Each file is the archived text of one address, byte for byte, so
// that what is quoted of it stands in the archive too.
package webpages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/evidence/websearch"
)

// Bounds of what is fetched.
const (
	maxQuestions = 8
	maxLeads     = 10 // asked of the engines for each question
	maxPages     = 30 // fetched in all
	fetchers     = 6  // at once
	searchTerms  = 6  // words of a question that are looked for
)

// Options say what to look for and how.
type Options struct {
	Search    *websearch.Search
	Archive   *archive.Archive
	Folder    string   // absolute; made where it is missing
	Questions []string // in the person's or a planner's words
}

// lockPollInterval is how often a process that waits for another looks again.
const lockPollInterval = 50 * time.Millisecond

// page is a file and the address it is from.
type page struct {
	File    string `json:"file"`
	Address string `json:"address"`
}

// indexName is the file that lists the pages; it is written last.
const indexName = ".pages.json"

// Gather lays the pages down, or finds them laid down by another seat of the run, and
// gives the addresses by the names of the files. An error is one line: none of the
// engines has answered, or nothing that was found could be read.
func Gather(ctx context.Context, o Options) (map[string]string, error) {
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("lay pages down: %w", err)
	}
	lock := flock.New(filepath.Join(o.Folder, ".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPollInterval); err != nil {
		return nil, fmt.Errorf("wait for who lays pages down: %w", err)
	}
	defer lock.Unlock()
	if pages, ok := o.laidDown(); ok {
		return addresses(pages), nil
	}
	leads, err := o.leads(ctx)
	if err != nil {
		return nil, err
	}
	pages, err := o.fetch(ctx, leads)
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("of %d pages that search engines lead to none could be read", len(leads))
	}
	data, err := json.MarshalIndent(pages, "", "  ")
	if err == nil {
		err = durable.ReplaceFile(filepath.Join(o.Folder, indexName), data, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("lay pages down: %w", err)
	}
	return addresses(pages), nil
}

// laidDown are the pages as they were laid down before.
func (o Options) laidDown() ([]page, bool) {
	data, err := os.ReadFile(filepath.Join(o.Folder, indexName))
	var pages []page
	return pages, err == nil && json.Unmarshal(data, &pages) == nil
}

func addresses(pages []page) map[string]string {
	m := make(map[string]string, len(pages))
	for _, p := range pages {
		m[p.File] = p.Address
	}
	return m
}

// leads are the addresses to fetch, those that stand high for any question first.
func (o Options) leads(ctx context.Context) ([]string, error) {
	var lists [][]string
	var problem error
	for _, q := range o.Questions[:min(len(o.Questions), maxQuestions)] {
		words := librarian.SearchWords(q, searchTerms)
		if words == "" {
			continue
		}
		found, err := o.Search.Find(ctx, websearch.Question{Words: words, Limit: maxLeads})
		if err != nil {
			problem = err
			continue
		}
		var list []string
		for _, l := range found.Leads {
			list = append(list, l.URL)
		}
		lists = append(lists, list)
	}
	if len(lists) == 0 {
		return nil, errors.Join(problem, ctx.Err())
	}
	return inTurn(lists), nil
}

// inTurn takes the first of each list, then the second, each source once.
func inTurn(lists [][]string) []string {
	var out []string
	seen := map[string]bool{}
	for rank := range maxLeads {
		for _, list := range lists {
			if rank >= len(list) || len(out) == maxPages {
				continue
			}
			if key := source.Identify(list[rank]).Key; !seen[key] {
				seen[key] = true
				out = append(out, list[rank])
			}
		}
	}
	return out
}

// fetch archives pages and lays down those that can be read, in the order given.
func (o Options) fetch(ctx context.Context, leads []string) ([]page, error) {
	files := make([]string, len(leads))
	problems := make([]error, len(leads))
	turns := make(chan struct{}, fetchers)
	var all sync.WaitGroup
	for i, address := range leads {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			files[i], problems[i] = o.layDown(ctx, i, address)
		})
	}
	all.Wait()
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("lay pages down: %w", err)
	}
	var pages []page
	for i, name := range files {
		if name != "" {
			pages = append(pages, page{name, leads[i]})
		}
	}
	return pages, nil
}

// layDown writes the text of a page; no name where there is none to read.
func (o Options) layDown(ctx context.Context, n int, address string) (string, error) {
	snap, err := o.Archive.Fetch(ctx, address)
	if err != nil || !snap.State.Readable() || !useful(snap) {
		return "", err
	}
	text, err := o.Archive.Text(snap)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("page-%02d.txt", n+1)
	return name, durable.ReplaceFile(filepath.Join(o.Folder, name), []byte(text), 0o600)
}

// useful reports whether a page holds more than a way to somewhere else.
func useful(snap archive.Snapshot) bool {
	return !slices.ContainsFunc([]string{extract.SoftNotFound, extract.SearchResults, extract.NoText, extract.Garbled}, func(kind string) bool {
		return extract.HasWarning(snap.Warnings, kind)
	})
}
