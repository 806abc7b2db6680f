package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/project/survey"
)

// ErrNoRef is a --since that names no commit of this repository.
var ErrNoRef = errors.New("names no commit here: give a branch, a tag or a commit; in a shallow clone fetch it first")

// errColon is a --since that git would take for a search or for a file.
var errColon = errors.New("begins with a colon, so it is no branch, tag or commit: `git log --grep` finds a commit by its message")

// Listing says which files of a folder are listed.
type Listing struct {
	Since  string   // only files changed since this branch, tag or commit are reviewed; "" for all
	Under  []string // only these folders and files of it, slash-separated; none for all
	Except []string // folders and files left out without a word, patterns as of [Empty]
	Git    string   // path of the program; "" for the one in PATH
	Whole  bool     // where only a part is asked for, the files of the whole folder are told beside it
}

// Info is what a listing found beside the files.
type Info struct {
	Repository bool     // the folder lies in a git repository
	Root       string   // the folder that was listed; the paths are relative to it
	Commit     string   // HEAD; "" without one
	Branch     string   // "" when HEAD is on none
	Dirty      bool     // there are changes that are not committed, new files among them
	Shallow    bool     // the history is cut off, so churn is unknown
	Since      string   // the commit the files are compared with; "" for none
	Deleted    []string // tracked at that commit and not there any more, by path
	History    string   // what churn was counted over, or why it is unknown; for people
	Notes      []string
	Whole      []survey.File // of the whole folder by path, where that was asked for beside a part
	changed    int           // files of the folder that differ from that commit
}

// Unchanged reports whether the folder was compared with a commit, and is as
// that has it.
func (i Info) Unchanged() bool { return i.Since != "" && i.changed == 0 }

// reviewFolder is where a review keeps its own.
const reviewFolder = ".deep-review"

// List lists and reads the files of a folder: what git tracks there and what
// is new and not ignored, each classified as [survey.Classify] does, entry
// points linked, by path. Outside a repository the same rules hold for
// .gitignore. Symbolic links, submodules and what cannot be read are listed
// with a reason to be left out; what was deleted meanwhile is not.
//
// Nothing is written, fetched or run: git reads the repository without what it
// is configured to do (see [openReadOnly]). Two files a processor are read at a
// time, at most 1 MiB of each.
func List(ctx context.Context, dir string, o Listing) ([]survey.File, Info, error) {
	l, err := openListing(dir, o)
	if err != nil {
		return nil, Info{}, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	defer l.close()
	files, err := l.list(ctx)
	if err != nil {
		return nil, Info{}, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	return files, l.info, nil
}

// Paths are the files of a folder that git tracks there or that are new and not
// ignored, by the same rules outside a repository; none of them is read.
func Paths(ctx context.Context, dir string) ([]string, error) {
	l, err := openListing(dir, Listing{})
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	defer l.close()
	found, err := l.listPaths(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	var paths []string
	for _, f := range found {
		paths = append(paths, f.file.Path)
	}
	return paths, nil
}

// lister lists one folder.
type lister struct {
	*readOnlyRepo
	Listing
	top        string // the folder
	info       Info
	attributes bool // there is a .gitattributes
}

func openListing(dir string, o Listing) (*lister, error) {
	top, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(top); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, errors.New("it is no folder")
	}
	l := &lister{Listing: o, top: top, info: Info{Root: top, Repository: true}}
	for _, p := range o.Under {
		if !filepath.IsLocal(p) || path.Clean(p) != p {
			return nil, fmt.Errorf("%q is no path inside it", p)
		}
		if _, err := os.Lstat(filepath.Join(top, p)); err != nil {
			return nil, err
		}
	}
	l.readOnlyRepo, err = openReadOnly(top, o.Git)
	if errors.Is(err, ErrNoRepository) {
		l.info.Repository = false
		l.readOnlyRepo, err = openUntracked(top, o.Git)
	}
	return l, err
}

func (l *lister) list(ctx context.Context) ([]survey.File, error) {
	found, err := l.listPaths(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.describe(ctx, found); err != nil {
		return nil, err
	}
	if err := l.markChanged(ctx, found); err != nil {
		return nil, err
	}
	if !l.listsWhole() {
		found = slices.DeleteFunc(found, func(f listedPath) bool { return !f.asked })
	}
	if err := l.readAttributes(ctx, found); err != nil {
		return nil, err
	}
	churn, err := l.changeCounts(ctx)
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].file.Churn = churn[found[i].file.Path]
	}
	files, err := l.readFiles(ctx, found)
	if err != nil {
		return nil, err
	}
	survey.Link(files)
	if !l.listsWhole() {
		return files, nil
	}
	asked := map[string]bool{}
	for _, f := range found {
		asked[f.file.Path] = f.asked
	}
	l.info.Whole = slices.DeleteFunc(slices.Clone(files), func(f survey.File) bool { return f.Skip == survey.SkipOwn })
	return slices.DeleteFunc(files, func(f survey.File) bool { return !asked[f.Path] }), nil
}

// listedPath is a path git lists.
type listedPath struct {
	file  survey.File
	mode  string // of the index; "" for what is not tracked
	away  bool   // it is tracked, and not to be in the work tree
	asked bool   // it is of the part that is asked for
}

// listsWhole reports whether the whole folder is told beside a part of it.
func (l *lister) listsWhole() bool { return l.Whole && (l.Since != "" || len(l.Under) > 0) }

// listPaths lists what git tracks in the folder and what is new there, by path.
func (l *lister) listPaths(ctx context.Context) ([]listedPath, error) {
	staged, err := l.itemsIn(ctx, l.top, "ls-files", "-z", "--stage", "-v")
	if err != nil {
		return nil, err
	}
	at, away := map[string]string{}, map[string]bool{}
	var unwatched []string
	for _, item := range staged {
		head, p, _ := strings.Cut(item, "\t")
		tag, rest, _ := strings.Cut(head, " ")
		mode, _, _ := strings.Cut(rest, " ")
		at[p] = mode // a path with a conflict comes three times
		if tag == "S" || strings.ToLower(tag) == tag {
			unwatched = append(unwatched, p)
		}
		away[p] = tag == "S"
	}
	if err := l.clearIndexFlags(ctx, l.top, unwatched); err != nil {
		return nil, err
	}
	others, err := l.itemsIn(ctx, l.top, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	for _, p := range others {
		at[p] = ""
		l.info.Dirty = l.info.Dirty || l.info.Repository && l.isWanted(p)
	}
	for p := range at {
		l.attributes = l.attributes || path.Base(p) == ".gitattributes"
	}
	list, err := l.selectPaths(ctx, at)
	for i := range list {
		list[i].away = away[list[i].file.Path]
	}
	return list, err
}

// selectPaths keeps what is asked for. A repository inside the folder is another
// project's; outside any repository it is as much a part as any folder.
func (l *lister) selectPaths(ctx context.Context, at map[string]string) ([]listedPath, error) {
	var list []listedPath
	nested := 0
	for _, p := range slices.Sorted(maps.Keys(at)) {
		if inner, is := strings.CutSuffix(p, "/"); is {
			more, err := l.listNested(ctx, inner)
			if err != nil {
				return nil, err
			}
			list, nested = append(list, more...), nested+1
			continue
		}
		switch f := (listedPath{file: survey.File{Path: p}, mode: at[p], asked: l.isInScope(p)}); {
		case l.isWanted(p), l.Whole && !l.isOwn(p):
			list = append(list, f)
		case l.Since != "" && at[p] != "" && l.isInScope(p): // a change may hide code among what is ours
			skipFile(&f.file, survey.SkipOwn, "its folder is kept for what reviews and runs write")
			list = append(list, f)
		}
	}
	if nested > 0 && l.info.Repository {
		l.addNote("left out: %d git repositories inside the folder that are no submodules", nested)
	}
	if nested > 0 {
		slices.SortFunc(list, func(a, b listedPath) int { return strings.Compare(a.file.Path, b.file.Path) })
	}
	return list, nil
}

// listNested lists a repository inside a folder, if that is in none itself.
func (l *lister) listNested(ctx context.Context, dir string) ([]listedPath, error) {
	if l.info.Repository {
		return nil, nil
	}
	top := filepath.Join(l.top, filepath.FromSlash(dir))
	r, err := openReadOnly(top, l.program)
	if err != nil {
		l.addNote("left out: %s, whose repository git does not open", survey.Quote(dir))
		return nil, nil
	}
	defer r.close()
	within := &lister{readOnlyRepo: r, top: top, info: Info{Repository: true}}
	list, err := within.listPaths(ctx)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].file.Path = dir + "/" + list[i].file.Path
	}
	for i := range list {
		list[i].asked = l.isInScope(list[i].file.Path)
	}
	return slices.DeleteFunc(list, func(f listedPath) bool { return l.isOwn(f.file.Path) || !f.asked && !l.Whole }), nil
}

// isWanted reports whether a path is asked for and none of our own.
func (l *lister) isWanted(p string) bool { return !l.isOwn(p) && l.isInScope(p) }

// isOwn reports whether a path is what reviews and runs keep.
func (l *lister) isOwn(p string) bool {
	return p == reviewFolder || strings.HasPrefix(p, reviewFolder+"/") || matches(p, l.Except)
}

// isInScope reports whether a path lies in what is asked for.
func (l *lister) isInScope(p string) bool {
	if len(l.Under) == 0 {
		return true
	}
	return slices.ContainsFunc(l.Under, func(u string) bool {
		return u == "." || p == u || strings.HasPrefix(p, u+"/")
	})
}

func (l *lister) addNote(format string, args ...any) {
	l.info.Notes = append(l.info.Notes, fmt.Sprintf(format, args...))
}

// describe says where the repository stands.
func (l *lister) describe(ctx context.Context, list []listedPath) error {
	if !l.info.Repository {
		l.addNote("not a git repository: all files but those .gitignore names")
		return nil
	}
	var err error
	if l.info.Commit, err = l.resolve(ctx, "HEAD^{commit}"); err != nil {
		return err
	}
	if branch, err := l.gitLine(ctx, gitCall{args: []string{"symbolic-ref", "--quiet", "--short", "HEAD"}}); err == nil {
		l.info.Branch = branch // with an error HEAD is on none
	}
	shallow, err := l.gitLine(ctx, gitCall{args: []string{"rev-parse", "--is-shallow-repository"}})
	if err != nil {
		return err
	}
	l.info.Shallow = shallow == "true"
	if l.info.Commit == "" {
		l.info.Dirty = len(list) > 0
		return nil
	}
	changed, err := l.changedSince(ctx, "HEAD")
	l.info.Dirty = l.info.Dirty || len(changed) > 0
	return err
}

// changedSince lists the tracked files of the folder that differ in the work tree
// from a commit.
func (l *lister) changedSince(ctx context.Context, commit string) ([]string, error) {
	return l.itemsIn(ctx, l.top, "diff", "--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=all", commit, "--")
}

// markChanged asks for no more than has changed since the commit that is asked
// for.
func (l *lister) markChanged(ctx context.Context, list []listedPath) error {
	if l.Since == "" {
		return nil
	}
	if !l.info.Repository {
		return fmt.Errorf("what changed since %q: %w", l.Since, ErrNoRepository)
	}
	base, err := l.mergeBase(ctx, l.Since)
	if err != nil {
		return err
	}
	l.info.Since = base
	changed, err := l.changedSince(ctx, base)
	if err != nil {
		return err
	}
	modules, err := l.movedModules(ctx, base)
	if err != nil {
		return err
	}
	is := map[string]bool{}
	for _, p := range append(changed, modules...) {
		is[p] = true
	}
	for i := range list {
		f := &list[i]
		if f.asked = f.asked && (f.mode == "" || is[f.file.Path]); !f.asked {
			continue
		}
		_, err := os.Lstat(filepath.Join(l.top, f.file.Path))
		if !f.away && (errors.Is(err, fs.ErrNotExist) || disk.IsNoFolder(err)) {
			f.asked = false // it is told among what was deleted
			continue
		}
		delete(is, f.file.Path)
		l.info.changed++
	}
	l.info.Deleted = slices.DeleteFunc(slices.Sorted(maps.Keys(is)), func(p string) bool { return !l.isInScope(p) })
	l.info.changed += len(l.info.Deleted)
	return nil
}

// movedModules lists the submodules that are recorded otherwise than at a
// commit. Nothing in them is looked at.
func (l *lister) movedModules(ctx context.Context, commit string) ([]string, error) {
	raw, err := l.itemsIn(ctx, l.top, "diff", "--cached", "--raw", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=none", commit, "--")
	if err != nil {
		return nil, err
	}
	var list []string
	for i := 0; i+1 < len(raw); i += 2 {
		if modes := strings.Fields(raw[i]); len(modes) > 1 && (modes[0] == ":"+modeLink || modes[1] == modeLink) {
			list = append(list, raw[i+1])
		}
	}
	return list, nil
}

// maxRef bounds the name of a branch, a tag or a commit; git's own files are
// named by them.
const maxRef = 255

// mergeBase is the commit from which HEAD and a named one went apart.
func (l *lister) mergeBase(ctx context.Context, ref string) (string, error) {
	if strings.HasPrefix(ref, ":") {
		return "", fmt.Errorf("%q %w", ref, errColon)
	}
	if len(ref) > maxRef || strings.HasPrefix(ref, "-") || strings.ContainsFunc(ref, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("%q %w", ref, ErrNoRef)
	}
	id, err := l.gitLine(ctx, gitCall{args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"}})
	var f *gitFailure
	if errors.As(err, &f) {
		return "", fmt.Errorf("%q %w", ref, ErrNoRef)
	}
	if err != nil {
		return "", err
	}
	if l.info.Commit == "" {
		return id, nil
	}
	base, err := l.gitLine(ctx, gitCall{args: []string{"merge-base", id, l.info.Commit}})
	if errors.As(err, &f) && f.code == 1 {
		l.addNote("%s and HEAD have no commit in common here: compared with it directly", survey.Quote(ref))
		return id, nil
	}
	first, _, _ := strings.Cut(base, "\n")
	return first, err
}

// readAttributes asks git what .gitattributes says, where there is one. Of a change
// the files of its base are asked: whoever makes the change would else say
// what of it is reviewed.
func (l *lister) readAttributes(ctx context.Context, list []listedPath) error {
	ask := gitCall{args: []string{"check-attr", "-z", "--stdin"}}
	if l.info.Since != "" {
		ask = gitCall{args: []string{"check-attr", "--cached", "-z", "--stdin"}, index: filepath.Join(l.dir, "base-index")}
		if _, err := l.run(ctx, l.top, gitCall{args: []string{"read-tree", l.info.Since}, index: ask.index}); err != nil {
			return err
		}
	} else if !l.hasAttributes() {
		return nil
	}
	var stdin bytes.Buffer
	at := map[string]*survey.Attributes{}
	for i := range list {
		stdin.WriteString(list[i].file.Path + "\x00")
		at[list[i].file.Path] = &list[i].file.Attributes
	}
	ask.stdin = stdin.Bytes()
	ask.args = append(ask.args, "linguist-vendored", "linguist-generated", "linguist-documentation", "linguist-language")
	out, err := l.run(ctx, l.top, ask)
	if err != nil {
		return err
	}
	items := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(items); i += 3 {
		if a := at[items[i]]; a != nil {
			setAttribute(a, items[i+1], items[i+2])
		}
	}
	return nil
}

// hasAttributes reports whether there is any .gitattributes.
func (l *lister) hasAttributes() bool {
	for _, name := range []string{filepath.Join(l.dir, "info", "attributes"), filepath.Join(l.root, ".gitattributes")} {
		_, err := os.Lstat(name) // the folder may be one of the work tree
		l.attributes = l.attributes || err == nil
	}
	return l.attributes
}

// setAttribute enters one attribute.
func setAttribute(a *survey.Attributes, name, value string) {
	answer := map[string]string{"set": "set", "true": "set", "unset": "unset", "false": "unset"}[value]
	switch name {
	case "linguist-vendored":
		a.Vendored = answer
	case "linguist-generated":
		a.Generated = answer
	case "linguist-documentation":
		a.Documentation = answer
	case "linguist-language":
		if answer == "" && value != "unspecified" {
			a.Language = value
		}
	}
}
