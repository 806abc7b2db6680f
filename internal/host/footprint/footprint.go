// Package footprint is what the program has left on a machine apart from runs, and
// takes it away again: our line in status lines, what hosts have of the plugin,
// configuration, completions, notes, copies of the programs.
//
// What is removed was listed before. Runs are never touched; nor is what is not ours
// for certain, though it lies where ours does: it is named. A link is unlinked and
// what it leads to stays. What belongs to a host is removed by the host's own command.
package footprint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/binaries"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/standing"
)

// Item is one thing that is ours.
type Item struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	What    string `json:"what"` // what is done to it
	Done    bool   `json:"done"`
	Problem string `json:"problem,omitempty"` // why it is not, and what helps

	remove func(context.Context) error
}

// Kept is what stays, and why.
type Kept struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Runs are the user's, here.
type Runs struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
}

// Footprint is all of it.
type Footprint struct {
	Running []Running `json:"running"` // runs that are going
	Items   []Item    `json:"items"`
	Kept    []Kept    `json:"kept"`
	Runs    Runs      `json:"runs"` // of this project; each project has its own

	homeless bool
	folders  []string // of ours, that go once they are empty
}

// Options say what stays, and what completions look like.
type Options struct {
	KeepConfig  bool
	Completions map[string]string // by shell, as this release makes them
}

// survey is a look at the machine under way.
type survey struct {
	program.Env
	Options
	*Footprint
	home    string
	claudes []string // folders of Claude Code's configuration
	program string   // the folder the program is installed in for one user; "" for none
	named   string   // what settings say that cannot be changed: a copy named there stays
}

// Look lists what is ours.
func Look(ctx context.Context, e program.Env, project string, o Options) (Footprint, error) {
	f := Footprint{Running: []Running{}, Items: []Item{}, Kept: []Kept{}, Runs: runsIn(project)}
	if libraries, err := e.LibrariesFolder(); err == nil && exists(libraries) {
		f.Kept = append(f.Kept, Kept{libraries, "your libraries; `council library forget --all` takes one away"})
	}
	s := survey{Env: e, Options: o, Footprint: &f, home: e.Getenv("HOME")}
	if !filepath.IsAbs(s.home) {
		f.homeless, s.home = true, ""
	}
	var err error
	if f.Running, err = running(); err != nil {
		return f, fmt.Errorf("look for runs that are going: %w", err)
	}
	s.claudes = s.claudeFolders()
	s.statusLines()
	s.hosts(ctx)
	s.configuration()
	s.completions()
	s.standingQuestions()
	s.notes()
	s.folder()
	s.copies()
	s.itself()
	return f, ctx.Err()
}

func (s survey) add(i Item)            { s.Items = append(s.Items, i) }
func (s survey) keep(path, why string) { s.Kept = append(s.Kept, Kept{path, why}) }

// claudeFolders are where Claude Code may have its settings: the folder that is in
// force, the usual one, and others beside it.
func (s survey) claudeFolders() []string {
	var list []string
	if dir := s.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		list = append(list, dir)
	}
	if s.home != "" {
		list = append(list, filepath.Join(s.home, ".claude"))
		more, _ := filepath.Glob(filepath.Join(globbed(s.home), ".claude-*")) // the pattern is in order
		list = append(list, more...)
	}
	var folders []string
	for _, dir := range list {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	return folders
}

// globbed is a path as a pattern for itself.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func runsIn(project string) Runs {
	r := Runs{Path: filepath.Join(project, workspace.Runs)}
	ids, err := workspace.List(project)
	if err != nil {
		return r
	}
	r.Count = len(ids)
	for _, id := range ids {
		_ = filepath.WalkDir(filepath.Join(r.Path, id), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // what cannot be seen is not counted
			}
			if info, err := d.Info(); err == nil {
				r.Bytes += info.Size()
			}
			return nil
		})
	}
	return r
}

// configuration is the person's file in its usual place. One that a variable names was
// put there by somebody.
func (s survey) configuration() {
	if named := s.Getenv("COUNCIL_CONFIG"); named != "" {
		if _, err := os.Lstat(named); err == nil {
			s.keep(named, "COUNCIL_CONFIG names it, and it may be others' too")
		}
	}
	path, err := config.Path(func(name string) string {
		if name == "COUNCIL_CONFIG" {
			return ""
		}
		return s.Getenv(name)
	})
	if err != nil {
		return
	}
	dir := filepath.Dir(path)
	info, err := os.Lstat(path)
	switch {
	case err != nil:
	case s.KeepConfig:
		s.keep(path, "--keep-config")
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(path) // it is a link
		s.add(removal("configuration", path, "unlink; what it leads to is kept: "+target))
	case info.Mode().IsRegular():
		s.add(removal("configuration", path, "remove"))
	default:
		s.keep(path, "it is no file of ours")
	}
	s.others(dir, func(name string) bool { return name == filepath.Base(path) })
	s.folders = append(s.folders, dir)
}

// others names what somebody has laid beside ours.
func (s survey) others(dir string, ours func(name string) bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !ours(e.Name()) {
			s.keep(filepath.Join(dir, e.Name()), "it is not the program's")
		}
	}
}

func removal(kind, path, what string) Item {
	return Item{Kind: kind, Path: path, What: what, remove: func(context.Context) error { return os.Remove(path) }}
}

// standingQuestions are those that run again and again, with the system's timers that begin
// them; those too that cannot be read.
func (s survey) standingQuestions() {
	dir, err := s.StandingFolder()
	if err != nil {
		return
	}
	keeper, here := standing.Keeper{Dir: dir}, standing.Here(s.Getenv)
	names, err := keeper.Names()
	if err != nil {
		s.keep(dir, err.Error())
	}
	for _, name := range names {
		s.add(Item{Kind: "schedule", Path: keeper.Folder(name), What: "remove, with its timer", remove: func(ctx context.Context) error { return keeper.Remove(ctx, here, name) }})
	}
	s.others(dir, func(name string) bool { return slices.Contains(names, name) })
}

// notes are the loops of sessions, and the list of runs from elsewhere that are
// trusted.
func (s survey) notes() {
	dir, err := s.StateFolder()
	if err != nil {
		return
	}
	if _, err := os.Lstat(filepath.Join(dir, "trusted-runs")); err == nil {
		s.add(removal("notes", filepath.Join(dir, "trusted-runs"), "remove"))
	}
	loops := filepath.Join(dir, "loops")
	entries, err := os.ReadDir(loops)
	if err == nil {
		for _, e := range entries {
			host, _, _ := strings.Cut(e.Name(), "-")
			if e.Type().IsRegular() && slices.Contains([]string{"claude", "codex", "gemini"}, host) {
				s.add(removal("notes", filepath.Join(loops, e.Name()), "remove"))
			}
		}
	}
	s.others(dir, func(name string) bool {
		return slices.Contains([]string{"trusted-runs", "loops", "bin", "standing"}, name)
	})
	s.folders = append(s.folders, loops, dir)
}

// dataFolders are where copies may lie: ours, and those that Claude Code gives the
// plugin, by their names. Any other that a variable names is somebody else's.
func (s survey) dataFolders() []string {
	var list []string
	if dir, err := s.StateFolder(); err == nil {
		list = append(list, dir)
	}
	for _, claude := range s.claudes {
		more, _ := filepath.Glob(filepath.Join(globbed(claude), "plugins", "data", "research-council*")) // the pattern is in order
		list = append(list, more...)
	}
	if dir := s.Getenv("CLAUDE_PLUGIN_DATA"); filepath.IsAbs(dir) && strings.HasPrefix(filepath.Base(dir), "research-council") && !slices.Contains(list, filepath.Clean(dir)) {
		list = append(list, filepath.Clean(dir))
	}
	return list
}

// copies are those of the programs. They come last: the others may name one, and this
// process may run from one.
func (s survey) copies() {
	for _, dir := range s.dataFolders() {
		copies, others, err := binaries.List(dir)
		if err != nil {
			s.keep(filepath.Join(dir, "bin"), err.Error())
			continue
		}
		for _, path := range others {
			s.keep(path, "it is not the program's")
		}
		for _, c := range copies {
			s.copy(c)
		}
		if _, err := os.Lstat(filepath.Join(dir, "bin", ".lock")); err == nil || len(copies) > 0 {
			s.add(Item{Kind: "copies", Path: filepath.Join(dir, "bin"), What: "remove with its lock, once it is empty", remove: func(context.Context) error { return binaries.RemoveLock(dir) }})
		}
		s.folders = append(s.folders, filepath.Join(dir, "bin"))
		if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			s.keep(dir, "it is a link, which somebody else has made")
		} else {
			s.folders = append(s.folders, dir)
		}
	}
}

func (s survey) copy(c binaries.Copy) {
	self := filepath.Dir(s.Self) == c.Path
	switch {
	case s.named != "" && c.Names(s.named):
		s.keep(c.Path, "a status line that could not be changed names it")
	case c.Link:
		s.add(Item{Kind: "copies", Path: c.Path, What: "unlink", remove: func(context.Context) error { return binaries.Remove(c) }})
	case c.Broken:
		s.keep(c.Path, "its content is not what its name says: it is no copy of ours")
	case c.InUse && !self:
		s.add(Item{Kind: "copies", Path: c.Path, What: "remove, once nothing runs from it", remove: func(context.Context) error {
			c.InUse = false // it may have ended since
			return binaries.Remove(c)
		}})
	default:
		s.add(Item{Kind: "copies", Path: c.Path, What: "remove", remove: func(context.Context) error {
			if c.InUse = false; self && s.LetGo != nil {
				s.LetGo()
			}
			return binaries.Remove(c)
		}})
	}
}

// folder is where install.sh puts the program for one user, with links in front of it.
func (s *survey) folder() {
	data, bin := s.Getenv("XDG_DATA_HOME"), s.Getenv("XDG_BIN_HOME")
	if s.home != "" && !filepath.IsAbs(data) {
		data = filepath.Join(s.home, ".local", "share")
	}
	if s.home != "" && !filepath.IsAbs(bin) {
		bin = filepath.Join(s.home, ".local", "bin")
	}
	if !filepath.IsAbs(data) || !filepath.IsAbs(bin) {
		return
	}
	dir := filepath.Join(data, "research-council")
	for _, name := range []string{"council", "council-hook"} {
		link := filepath.Join(bin, name)
		if to, err := os.Readlink(link); err == nil && to == filepath.Join(dir, "bin", name) {
			s.add(removal("program", link, "unlink"))
		}
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !exists(filepath.Join(dir, ".claude-plugin", "plugin.json")) || !exists(filepath.Join(dir, "bin", "council")) {
		return
	}
	s.program = dir
	s.add(Item{Kind: "program", Path: dir, What: "remove with all that is in it", remove: func(context.Context) error { return os.RemoveAll(dir) }})
}

// itself is the program that does all this, where nothing above removes it.
func (s survey) itself() {
	if real, err := filepath.EvalSymlinks(s.Self); err == nil && s.program != "" && strings.HasPrefix(real, s.program+string(filepath.Separator)) {
		return
	}
	if !binaries.IsCopy(s.Self) {
		s.keep(s.Self, "it is this program itself: remove it as it was installed (its folder, your package manager, or /plugin uninstall in a session)")
	}
}

// Remove removes every item, in the order in which they are listed. What cannot be
// removed is said and keeps nothing else. An interrupt ends it between two items.
func (f *Footprint) Remove(ctx context.Context) error {
	for i := range f.Items {
		if err := ctx.Err(); err != nil {
			return err
		}
		item := &f.Items[i]
		if item.Problem != "" || item.remove == nil {
			continue
		}
		err := item.remove(ctx)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			item.Done = true
			continue
		}
		item.Problem = f.explain(item.Path, err)
	}
	for _, dir := range f.folders {
		_ = binaries.RemoveEmpty(dir) // it is empty and no harm
	}
	return nil
}

// explain says what helps.
func (f *Footprint) explain(path string, err error) string {
	text := "could not be removed: " + err.Error()
	switch {
	case errors.Is(err, binaries.ErrInUse):
		for _, r := range f.Running {
			text += "; " + r.text()
		}
		return text + "; it is removed by another `council uninstall` after that"
	case errors.Is(err, fs.ErrPermission):
		if owner := ownerOf(path); owner != "" {
			text += " (it belongs to " + owner + ")"
		}
		return text + "; sudo rm -r '" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return text
}

// Left are the items that are there still.
func (f Footprint) Left() []Item {
	return slices.DeleteFunc(slices.Clone(f.Items), func(i Item) bool { return i.Done })
}

// Unsure reports whether not everything could be looked at.
func (f Footprint) Unsure() string {
	if f.homeless {
		return "HOME is not set: what lies in a home was not looked for"
	}
	return ""
}
