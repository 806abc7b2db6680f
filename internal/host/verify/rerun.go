package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/experiment"
	"github.com/research-council/research-council/internal/evidence/quote"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/project/confine"
	"github.com/research-council/research-council/internal/project/lab"
	"github.com/research-council/research-council/internal/project/shell"
)

// How an experiment comes out that is made again.
const (
	Same    = "same"    // it ended and printed as it did
	Differs = "differs" // it did not
	Cannot  = "cannot"  // it could not be made again, or the first proves nothing
)

// Again is what came of making an experiment of a run once more.
type Again struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Says   string   `json:"says"`             // same, differs or cannot
	Why    string   `json:"why,omitempty"`    // in what it differs, or why it cannot be made
	Stands []string `json:"stands,omitempty"` // ids of the claims whose quotation stands in what it printed now
	Lost   []string `json:"lost,omitempty"`   // and of those whose does not
}

// Rerun says with what experiments are made again.
type Rerun struct {
	Council string   // our program, see [shell.Options]
	Hook    string   // likewise
	Environ []string // the user's, in the form of os.Environ
}

// Experiments makes each experiment of the run in a folder once more, confined as
// it was. They are commands that somebody has written, which plain checking never
// runs. An error says that nothing could be begun.
func (a Rerun) Experiments(ctx context.Context, dir string) ([]Again, error) {
	kept, all, err := experimentsOf(dir)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	j, err := Journal(dir)
	if err != nil {
		return nil, err
	}
	reg, err := workspace.RegistryOf(dir)
	if err != nil {
		reg = claim.Registry{} // no claim quotes them
	}
	_, noBox := confine.Find(ctx)
	x, drop, err := a.place(j.Run.Setup.Scope)
	if err != nil {
		return nil, err
	}
	defer drop()
	var list []Again
	for _, r := range all {
		one := Again{ID: r.ID, Title: r.Title(), Says: Cannot}
		switch {
		case noBox != nil:
			one.Why = "commands cannot be confined here: " + noBox.Error()
		case r.Cut != "":
			one.Why = "the run was " + r.Cut + ", which proves nothing about its end"
		default:
			one = remake(ctx, x, r, one, quotations{reg, kept})
		}
		list = append(list, one)
		if ctx.Err() != nil {
			return list, ctx.Err()
		}
	}
	return list, nil
}

// experimentsOf are the experiments of a run, and the archive that keeps them; none
// where there is no archive.
func experimentsOf(dir string) (*archive.Archive, []experiment.Record, error) {
	folder := filepath.Join(dir, council.SourcesDir)
	if _, err := os.Stat(folder); err != nil {
		return nil, nil, nil // the run has fetched nothing
	}
	kept, err := archive.Open(folder, archive.Options{})
	if err != nil {
		return nil, nil, err
	}
	all, err := kept.Experiments()
	return kept, all, err
}

// place makes a folder for experiments, which drop takes away.
func (a Rerun) place(scope string) (x lab.Experiments, drop func(), err error) {
	caches := shell.Caches(a.Environ)
	if caches == "" {
		return x, nil, errors.New("make the experiments again: the environment names no HOME")
	}
	above := filepath.Join(caches, "experiments")
	if err := os.MkdirAll(above, 0o700); err != nil {
		return x, nil, fmt.Errorf("make the experiments again: %w", err)
	}
	folder, err := os.MkdirTemp(above, "again-")
	if err != nil {
		return x, nil, fmt.Errorf("make the experiments again: %w", err)
	}
	x = lab.Experiments{Shell: lab.Place(folder, a.Environ), Scope: scope, Log: filepath.Join(folder, "said.log")}
	x.Shell.Council, x.Shell.Hook = a.Council, a.Hook
	return x, func() { _ = shell.Remove(folder) }, nil // it lies among what can be made anew
}

// quotations are the claims of a run, and where it keeps its texts.
type quotations struct {
	registry claim.Registry
	kept     *archive.Archive
}

// remake makes one experiment again and compares.
func remake(ctx context.Context, x lab.Experiments, r experiment.Record, one Again, q quotations) Again {
	if r.Sources == "" {
		x.Scope = ""
	} else if _, err := os.Stat(x.Scope); err != nil {
		one.Why = "the local sources that it could read are not there any more"
		return one
	}
	before, err := q.kept.Text(archive.Snapshot{Text: r.Output})
	if err != nil {
		one.Why = fmt.Sprintf("what it printed cannot be read: %v", withoutPath(err))
		return one
	}
	now, said, err := x.Make(ctx, experiment.Record{Command: r.Command, Files: r.Files, OnCopy: r.OnCopy, Limit: r.Limit})
	switch {
	case err != nil:
		one.Why = strings.TrimPrefix(err.Error(), "nothing was run: ")
		return one
	case now.Cut != "":
		one.Why = "this time the run was " + now.Cut
		return one
	}
	text := lab.Text(said)
	one.Stands, one.Lost = q.compare(experiment.Reference(r.ID), text)
	if text == before && now.Exit == r.Exit {
		one.Says = Same
		return one
	}
	one.Says, one.Why = Differs, difference(r, now, before, text)
	return one
}

// difference says in what two runs of an experiment differ, and what else is not as
// it was.
func difference(r, now experiment.Record, before, text string) string {
	var parts []string
	if now.Exit != r.Exit {
		parts = append(parts, fmt.Sprintf("it ended with %d, not with %d", now.Exit, r.Exit))
	}
	if text != before {
		was, is := firstDifference(before, text)
		parts = append(parts, fmt.Sprintf("where it printed %q it now prints %q", was, is))
	}
	for _, c := range []struct {
		was, is, says string
	}{
		{r.Sources, now.Sources, "the local sources have changed since"},
		{r.Program, now.Program, "the program that it starts is another one"},
		{r.System, now.System, "it was made on " + r.System},
	} {
		if c.was != c.is {
			parts = append(parts, c.says)
		}
	}
	return strings.Join(parts, "; ")
}

// firstDifference is the first line in which two texts differ.
func firstDifference(a, b string) (was, is string) {
	const most = 120
	list, other := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(list), len(other)) {
		was, is = "", ""
		if i < len(list) {
			was = list[i]
		}
		if i < len(other) {
			is = other[i]
		}
		if was != is {
			break
		}
	}
	return strings.ToValidUTF8(was[:min(len(was), most)], ""), strings.ToValidUTF8(is[:min(len(is), most)], "")
}

// compare tells of which claims that quote a source the quotation stands in a text.
func (q quotations) compare(key, text string) (stands, lost []string) {
	for _, e := range q.registry.Entries {
		for _, p := range e.Evidence() {
			if source.Identify(p.Source).Key != key || p.Location.State != claim.Located {
				continue
			}
			list := &stands
			if _, ok := quote.Find(text, p.Quote); !ok {
				list = &lost
			}
			if !slices.Contains(*list, e.ID) {
				*list = append(*list, e.ID)
			}
		}
	}
	return stands, lost
}
