package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/agent/shelf"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

// libraryOptions are what all verbs of a library are asked for.
type libraryOptions struct {
	name string
	runs []string
	all  bool
	most int
}

func libraryCommand(e program.Env) *cobra.Command {
	var o libraryOptions
	c := &cobra.Command{
		Use: "library", Short: "Keep documents of your own, to be searched by the runs that name them",
		Long: `Keep a library of your own: PDF, HTML, Markdown, DOCX, EPUB and plain text, pages
of the web, and what runs have archived. Each document is read and indexed once.
A run searches a library only if it names it, with --library NAME or with
library: NAME in the configuration; passages then go to the models of that run.
Without that, nothing of a library leaves this machine.`,
		Example: `council library add ~/papers
council library search "election timeout"
council run --library default "How long is an election timeout?"`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.PersistentFlags().StringVar(&o.name, "library", "default", "the library's name")
	_ = c.RegisterFlagCompletionFunc("library", libraryNames(e))
	c.AddCommand(o.addCommand(e), o.listCommand(e), o.searchCommand(e), o.forgetCommand(e))
	return c
}

// libraryNames completes the name of a library.
func libraryNames(e program.Env) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		if folder, err := e.LibrariesFolder(); err == nil {
			entries, _ := os.ReadDir(folder) // none is none to name
			for _, entry := range entries {
				names = append(names, entry.Name())
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func (o *libraryOptions) addCommand(e program.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "add PATH|URL…", Short: "Add files, folders with what is below them, pages, or the sources of runs",
		Long: `Add files, folders with what is below them, pages of the web, or with --run what a
run has archived. A file that has not changed since is not read again, the same
bytes are kept once, and a file in its new form takes the place of the old one.
Of a folder the documents are read (.pdf .html .md .docx .epub .txt and the like);
what git ignores there, hidden files, links and what may hold secrets are passed
over. What could not be read is named, with the reason.`,
		Example: "council library add ~/papers notes.md\ncouncil library add https://www.rfc-editor.org/rfc/rfc9110\ncouncil library add --run 20260222-143000-a1b2c3 --library physics",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(c *cobra.Command, args []string) error { return o.add(c, e, args) },
	}
	c.Flags().StringArrayVar(&o.runs, "run", nil, "add the sources this run has archived; may be given several times")
	_ = c.RegisterFlagCompletionFunc("run", ids(e))
	return c
}

func (o *libraryOptions) listCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the documents", Args: cobra.NoArgs,
		Example: "council library list\ncouncil library list --library physics --json",
		RunE: func(c *cobra.Command, _ []string) error {
			l, err := o.open(e)
			if err != nil {
				return err
			}
			documents, err := l.Documents()
			if err != nil {
				return err
			}
			return o.list(c, e, documents)
		},
	}
}

func (o *libraryOptions) searchCommand(e program.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "search WORDS…", Short: "Search the documents: passages, the best first", Args: cobra.MinimumNArgs(1),
		Example: "council library search election timeout\ncouncil library search --limit 3 \"lake depth\" --json",
		RunE:    func(c *cobra.Command, args []string) error { return o.search(c, e, strings.Join(args, " ")) },
	}
	c.Flags().IntVar(&o.most, "limit", 8, "passages at most")
	return c
}

func (o *libraryOptions) forgetCommand(e program.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "forget DOCUMENT… | forget --all", Short: "Take documents out of the library, or the whole library away",
		Long: `Take documents out of a library, by their ids, paths or addresses: what was kept of
them and what the index has of them. Files of yours stay where they are, and runs
keep what they have cited. With --all the whole library goes.`,
		Example:           "council library forget ~/papers/old.pdf\ncouncil library forget 3f2a9c01d2\ncouncil library forget --all --library physics",
		Args:              cobra.ArbitraryArgs,
		RunE:              func(c *cobra.Command, args []string) error { return o.forget(c, e, args) },
		ValidArgsFunction: o.documentIDs(e),
	}
	c.Flags().BoolVar(&o.all, "all", false, "all documents of the library")
	return c
}

// documentIDs completes the id of a document.
func (o *libraryOptions) documentIDs(e program.Env) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		l, err := o.open(e)
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		documents, _ := l.Documents() // none is none to name
		for _, d := range documents {
			names = append(names, shortID(d)+"\t"+view.Cell(d.Title(), view.MaxNameRunes))
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}

func (o *libraryOptions) folder(e program.Env) (string, error) {
	folder, err := e.LibraryFolder(o.name)
	if err != nil {
		return "", usage.Errorf("--library %q: %w", o.name, err)
	}
	return folder, nil
}

func (o *libraryOptions) open(e program.Env) (*shelf.Library, error) {
	folder, err := o.folder(e)
	if err != nil {
		return nil, err
	}
	l, err := shelf.Open(folder, o.say(e))
	if err != nil {
		return nil, usage.Errorf("--library %q: %w", o.name, err)
	}
	return l, nil
}

func (o *libraryOptions) say(e program.Env) func(string) {
	return func(line string) { fmt.Fprintln(e.Stderr, line) }
}

// addition is what an addition came to.
type addition struct {
	Outcomes   []shelf.Outcome `json:"outcomes"`
	PassedOver map[string]int  `json:"passed_over,omitempty"` // of folders, by reason
	Documents  int             `json:"documents"`             // in the library now
	named      int             // of those that were named and could not be read
}

func (o *libraryOptions) add(c *cobra.Command, e program.Env, args []string) (err error) {
	if len(args)+len(o.runs) == 0 {
		return usage.Errorf("name files, folders or addresses to add, or a run with --run")
	}
	folder, err := o.folder(e)
	if err != nil {
		return err
	}
	conf, err := e.Config()
	if err != nil {
		return err
	}
	fetching := e.ArchiveOptions(e.AllowedNetwork(conf.Network))
	l, err := shelf.Make(folder, o.say(e))
	if err != nil {
		return err
	}
	adder, err := l.Add(c.Context(), fetching.Extract)
	if err != nil {
		return err
	}
	w := libraryWork{Adder: adder, e: e, fetching: fetching, quiet: asJSON(c), result: addition{PassedOver: map[string]int{}}}
	err = w.addAll(c, args, o.runs)
	if errors.Is(err, context.Canceled) {
		err = interruptedError{err}
	}
	if err = errors.Join(err, adder.Close(context.WithoutCancel(c.Context()))); err != nil {
		return err
	}
	documents, err := l.Documents()
	if err != nil {
		return err
	}
	w.result.Documents = len(documents)
	if asJSON(c) {
		err = encode(e.Stdout, w.result)
	} else {
		_, err = fmt.Fprintln(e.Stdout, w.result.summary(o.name))
	}
	if err == nil && w.result.named > 0 {
		err = fmt.Errorf("%s that you named could not be read", plural.Of(w.result.named, "document"))
	}
	return err
}

// interruptedError is an addition that was ended by Ctrl-C.
type interruptedError struct{ cause error }

func (e interruptedError) Error() string {
	return "interrupted; what was added is kept, and the same command adds the rest"
}

func (e interruptedError) Unwrap() error { return e.cause }

// libraryWork is an addition under way.
type libraryWork struct {
	*shelf.Adder
	e        program.Env
	fetching archive.Options
	quiet    bool
	result   addition
}

func (w *libraryWork) addAll(c *cobra.Command, args, ofRuns []string) error {
	ctx := c.Context()
	for _, named := range args {
		path := named
		if !filepath.IsAbs(path) {
			path = filepath.Join(w.e.Dir, path)
		}
		var err error
		switch _, missing := os.Stat(path); {
		case missing == nil && shelf.IsFolder(path):
			err = w.addFolder(ctx, filepath.Clean(path))
		case missing != nil && source.Identify(named).Kind != source.File:
			err = w.addPage(ctx, named)
		default:
			err = w.note(w.File(ctx, filepath.Clean(path)))(true)
		}
		if err != nil {
			return err
		}
	}
	for _, run := range ofRuns {
		if err := w.addRun(c, run); err != nil {
			return err
		}
	}
	return nil
}

// note takes down what became of a document; one that was named and could not be read
// is counted.
func (w *libraryWork) note(out shelf.Outcome, err error) func(named bool) error {
	return func(named bool) error {
		if err != nil {
			return err
		}
		w.result.Outcomes = append(w.result.Outcomes, out)
		if named && out.State == shelf.Unread {
			w.result.named++
		}
		if w.quiet || out.State == shelf.Unchanged {
			return nil
		}
		line := fmt.Sprintf("%-9s %s", out.State, plain.Terminal(out.Address))
		if out.Why != "" {
			line += ": " + plain.Terminal(out.Why)
		}
		_, err := fmt.Fprintln(w.e.Stdout, line)
		return err
	}
}

func (w *libraryWork) addFolder(ctx context.Context, folder string) error {
	return shelf.Walk(ctx, folder, func(path, reason string) error {
		if reason != "" {
			w.result.PassedOver[reason]++
			return nil
		}
		return w.note(w.File(ctx, path))(false)
	})
}

// addPage fetches a page, as a run would, and adds it.
func (w *libraryWork) addPage(ctx context.Context, address string) error {
	dir, err := os.MkdirTemp("", "council-library-")
	if err != nil {
		return fmt.Errorf("make a folder for a page: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears what is left
	a, err := archive.Open(dir, w.fetching)
	if err != nil {
		return err
	}
	snap, err := a.Fetch(ctx, address)
	if err != nil {
		return err
	}
	d, err := documentOf(a, snap)
	if err != nil {
		return err
	}
	return w.note(w.Kept(ctx, d))(true)
}

// documentOf is a source with its bytes and its text.
func documentOf(a *archive.Archive, snap archive.Snapshot) (archive.Document, error) {
	d := archive.Document{Snapshot: snap}
	if !snap.State.Readable() || snap.Text == "" {
		return d, nil
	}
	var err error
	if d.Data, err = a.Bytes(snap); err != nil {
		return d, err
	}
	d.Words, err = a.Text(snap)
	return d, err
}

// addRun adds the pages, papers and documents a run has archived. Files of its scope are
// added as files, where they still are.
func (w *libraryWork) addRun(c *cobra.Command, run string) error {
	project, id, err := pickByPrefix(c, w.e, []string{run})
	if err != nil {
		return err
	}
	f, err := workspace.Open(project, id)
	if err != nil {
		return err
	}
	defer f.Close()
	a, err := runs.Archive(f)
	if err != nil {
		return fmt.Errorf("open the run's archive: %w", err)
	}
	for _, snap := range a.Snapshots() {
		src := source.Identify(snap.Asked)
		if src.Kind == source.Experiment || src.Kind == source.File && !snap.WasRead() {
			w.result.PassedOver["files of a run's scope and experiments"]++
			continue
		}
		d, err := documentOf(a, snap)
		if err != nil {
			return err
		}
		if err := w.note(w.Kept(c.Context(), d))(false); err != nil {
			return err
		}
	}
	return nil
}

// summary is what an addition came to, in a sentence or two.
func (a addition) summary(name string) string {
	count := map[string]int{}
	for _, out := range a.Outcomes {
		count[out.State]++
	}
	var parts []string
	for _, state := range []string{shelf.Added, shelf.Changed, shelf.Unchanged} {
		if n := count[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	if n := count[shelf.Same]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d there already", n))
	}
	if n := count[shelf.Unread]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d could not be read", n))
	}
	if len(parts) == 0 {
		parts = []string{"nothing added"}
	}
	text := fmt.Sprintf("%s. The library %s has %s.", strings.Join(parts, ", "), name, plural.Of(a.Documents, "document"))
	var over []string
	for _, reason := range slices.Sorted(maps.Keys(a.PassedOver)) {
		over = append(over, fmt.Sprintf("%s (%d)", reason, a.PassedOver[reason]))
	}
	if len(over) > 0 {
		text += "\nPassed over: " + strings.Join(over, ", ") + "."
	}
	return text
}

// listedDocument is a document as it is listed.
type listedDocument struct {
	ID        string   `json:"id"`
	Address   string   `json:"address"`
	Title     string   `json:"title"`
	Authors   []string `json:"authors,omitempty"`
	Published string   `json:"published,omitempty"`
	MIME      string   `json:"mime,omitempty"`
	Pages     int      `json:"pages,omitempty"`
	Bytes     int64    `json:"bytes"`
	Chars     int64    `json:"chars"`
	Added     string   `json:"added"`
	Warnings  []string `json:"warnings,omitempty"`
}

func listed(d shelf.Document) listedDocument {
	s := d.Source
	return listedDocument{
		d.ID, d.Address(), d.Title(), s.Authors, s.Published, s.MIME, len(s.Pages), s.Bytes, s.Chars, d.Added.Format("2006-01-02T15:04:05Z"), s.Warnings,
	}
}

// shortID is the beginning of an id, by which a document can be named.
func shortID(d shelf.Document) string { return d.ID[:10] }

func (o *libraryOptions) list(c *cobra.Command, e program.Env, documents []shelf.Document) error {
	if asJSON(c) {
		list := []listedDocument{}
		for _, d := range documents {
			list = append(list, listed(d))
		}
		return encode(e.Stdout, list)
	}
	for _, d := range documents {
		about := ""
		if n := len(d.Source.Pages); n > 0 {
			about = ", " + plural.Of(n, "page")
		}
		if _, err := fmt.Fprintf(e.Stdout, "%s  %s (%s)%s\n", shortID(d), view.Cell(d.Title(), view.MaxNameRunes), plain.Terminal(d.Address()), about); err != nil {
			return err
		}
	}
	return nil
}

// foundPassage is a passage as it is told.
type foundPassage struct {
	ID      string  `json:"id"`
	Address string  `json:"address"`
	Title   string  `json:"title"`
	Page    int     `json:"page,omitempty"`
	Offset  int     `json:"offset"`
	Score   float64 `json:"score"`
	Passage string  `json:"passage"`
}

func (o *libraryOptions) search(c *cobra.Command, e program.Env, query string) error {
	switch {
	case len(words.Stems(query)) == 0:
		return usage.Errorf("%q holds no word to look for", query)
	case o.most < 1:
		return usage.Errorf("--limit %d is not at least 1", o.most)
	}
	l, err := o.open(e)
	if err != nil {
		return err
	}
	hits, err := l.Search(c.Context(), query, o.most)
	if err != nil {
		return err
	}
	if asJSON(c) {
		list := []foundPassage{}
		for _, h := range hits {
			list = append(list, foundPassage{h.Document.ID, h.Document.Address(), h.Document.Title(), h.Page, h.Offset, h.Score, h.Passage})
		}
		return encode(e.Stdout, list)
	}
	if len(hits) == 0 {
		_, err := fmt.Fprintln(e.Stdout, "Nothing fits.")
		return err
	}
	for i, h := range hits {
		at := plain.Terminal(h.Document.Address())
		if h.Page > 0 {
			at += fmt.Sprintf(", page %d", h.Page)
		}
		fmt.Fprintf(e.Stdout, "%d. %s\n   %s (%.1f)\n", i+1, view.Cell(h.Document.Title(), view.MaxNameRunes), at, h.Score)
		for line := range strings.Lines(h.Passage) {
			fmt.Fprintf(e.Stdout, "   | %s\n", plain.Terminal(strings.TrimRight(line, "\n")))
		}
	}
	return nil
}

func (o *libraryOptions) forget(c *cobra.Command, e program.Env, args []string) error {
	if o.all == (len(args) > 0) {
		return usage.Errorf("name documents to forget, by id, path or address, or give --all")
	}
	l, err := o.open(e)
	if err != nil {
		return err
	}
	documents, err := l.Documents()
	if err != nil {
		return err
	}
	if o.all {
		if err := l.Remove(c.Context()); err != nil {
			return err
		}
		return o.forgotten(c, e, documents)
	}
	which := map[string]bool{}
	for _, named := range args {
		d, err := pickDocument(documents, e.Dir, named)
		if err != nil {
			return err
		}
		which[d.ID] = true
	}
	gone, err := l.Forget(c.Context(), func(d shelf.Document) bool { return which[d.ID] })
	if err != nil {
		return err
	}
	return o.forgotten(c, e, gone)
}

func (o *libraryOptions) forgotten(c *cobra.Command, e program.Env, gone []shelf.Document) error {
	if asJSON(c) {
		return o.list(c, e, gone)
	}
	_, err := fmt.Fprintf(e.Stdout, "Forgotten: %s of the library %s.\n", plural.Of(len(gone), "document"), o.name)
	return err
}

// minID is how much of an id names a document.
const minID = 4

// pickDocument is the document that is named by its id or the beginning of it, by its
// path, or by its address.
func pickDocument(documents []shelf.Document, dir, named string) (shelf.Document, error) {
	path := named
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	var found []shelf.Document
	for _, d := range documents {
		if d.Address() == named || d.Address() == filepath.Clean(path) || d.Source.Key == source.Identify(named).Key {
			return d, nil
		}
		if len(named) >= minID && strings.HasPrefix(d.ID, named) {
			found = append(found, d)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return shelf.Document{}, usage.Errorf("the library has no document %q; `council library list` shows what it has", named)
	}
	return shelf.Document{}, usage.Errorf("%d documents begin with %q: give more of the id", len(found), named)
}
