// Package shell runs commands in a project: in a box where this machine has
// one, and tells when it has not.
//
// It joins package confine, which says what a command may touch, and package
// proc, which sees to its end. A shell's command has an allow list of the
// environment in either case. Who may run what without a box is the caller's to
// say: [Shell.CheckConfined] tells how it stands.
package shell

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/project/confine"
	"github.com/research-council/research-council/internal/project/protected"
	"github.com/research-council/research-council/internal/project/restore"
)

// Options say whose shell it is. Paths are absolute.
type Options struct {
	Project  string          `json:"project"`            // the folder commands work in and may write
	Kept     []string        `json:"kept,omitempty"`     // folders in it that they may not write, where they are there
	Writable []string        `json:"writable,omitempty"` // folders within those that they may
	Named    []string        `json:"named,omitempty"`    // protected paths, relative to the project, that the person lets them write
	Hosts    []string        `json:"hosts,omitempty"`    // the person's, beside those that packages come from
	Pass     []string        `json:"pass,omitempty"`     // variables of the environment that the person lets them see
	Environ  []string        `json:"environ,omitempty"`  // the user's, in the form of os.Environ
	Own      string          `json:"own,omitempty"`      // the box's own folder, where the project is a copy: nothing around that is shown; "" for one that is kept for the project
	Inside   string          `json:"inside,omitempty"`   // where the project stands in the box, so that it is the same wherever it lies; "" for where it lies. Nothing in such a one is protected
	Bare     bool            `json:"bare,omitempty"`     // the box's home has no settings of the user's tools
	Custody  restore.Custody `json:"custody,omitzero"`   // what is protected, put back after each command; none without a store
	Council  string          `json:"council"`            // our program, which calls proc.Main and confine.Main first of all
	Hook     string          `json:"hook,omitempty"`     // the program processes are kept by
	Mark     string          `json:"mark,omitempty"`     // by which processes are found

	Packages *confine.Packages `json:"packages,omitempty"` // where packages come from; nil has the package managers asked
}

// Save writes the options to a file, for another process to open the same shell
// by. Of the environment only what commands may see goes along.
func (o Options) Save(write func([]byte) error) error {
	o.Environ = confine.Environ(o.Environ, o.Pass)
	data, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("describe the shell: %w", err)
	}
	return write(append(data, '\n'))
}

// LoadOptions are the options that a file holds. The way to the network is that of
// whoever borrows them.
func LoadOptions(file string, environ []string) (Options, error) {
	var o Options
	data, err := os.ReadFile(file)
	if err != nil {
		return o, fmt.Errorf("read how the shell is set: %w", err)
	}
	if err := json.Unmarshal(data, &o); err != nil {
		return o, fmt.Errorf("read how the shell is set: %s: %w", file, err)
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}, strings.ToUpper(name)) {
			o.Environ = append(o.Environ, entry)
		}
	}
	return o, nil
}

// Shell runs commands. It may be used by many goroutines.
type Shell struct {
	o     Options
	box   confine.Box
	bwrap string
	why   error
	proxy *confine.Proxy
	dir   string // the proxy's socket lies in it
	held  *flock.Flock
}

// Open tries whether there is a box here, and prepares one.
func Open(ctx context.Context, o Options) (*Shell, error) {
	real, err := filepath.EvalSymlinks(o.Project)
	if err != nil {
		return nil, fmt.Errorf("open a shell in the project: %w", err)
	}
	o.Project = real
	s := &Shell{o: o}
	if s.bwrap, s.why = confine.Find(ctx); s.why != nil {
		return s, nil
	}
	if s.box, s.why = o.box(); s.why != nil {
		return s, nil
	}
	if s.o.Packages == nil {
		asked := s.box.AskPackages(ctx)
		s.o.Packages = &asked
	}
	s.box.Hosts, s.box.GoProxy = slices.Concat(s.o.Packages.Hosts, o.Hosts), s.o.Packages.GoProxy
	if err := s.lockShared(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "council-shell-*"); err != nil {
		return nil, errors.Join(fmt.Errorf("open a shell: %w", err), s.held.Close())
	}
	if s.proxy, err = confine.Listen(filepath.Join(s.dir, "proxy"), s.box.Hosts, o.Environ); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir), s.held.Close())
	}
	return s, nil
}

// box is what the options come to.
func (o Options) box() (confine.Box, error) {
	home, caches := places(o.Environ)
	if home == "" {
		return confine.Box{}, errors.New("the environment names no HOME")
	}
	if isWithin(home, o.Project) {
		return confine.Box{}, fmt.Errorf("the project %s holds the home folder", o.Project)
	}
	b := confine.Box{
		Project: o.Project, Own: o.Own, Home: home, Writable: o.Writable, Program: o.Council, Environ: o.Environ, Pass: o.Pass,
		Inside: o.Inside, Bare: o.Bare,
	}
	if o.Own != "" {
		return b, nil
	}
	sum := sha256.Sum256([]byte(o.Project))
	b.Own = filepath.Join(caches, "shells", hex.EncodeToString(sum[:8]))
	if root := repository(o.Project); root != "" && root != o.Project && !isWithin(home, root) {
		b.Readable = append(b.Readable, root)
	}
	b.Readable = append(b.Readable, gitFolders(o.Project)...)
	return b, nil
}

// Caches is the folder in which the program keeps what can be made anew, by an
// environment in the form of os.Environ.
func Caches(environ []string) string {
	_, caches := places(environ)
	return caches
}

// places are the user's home and our folder of caches.
func places(environ []string) (home, caches string) {
	for _, entry := range environ {
		if v, ok := strings.CutPrefix(entry, "HOME="); ok {
			home = v
		}
		if v, ok := strings.CutPrefix(entry, "XDG_CACHE_HOME="); ok && filepath.IsAbs(v) {
			caches = v
		}
	}
	if home != "" && caches == "" {
		caches = filepath.Join(home, ".cache")
	}
	if caches != "" {
		caches = filepath.Join(caches, "research-council")
	}
	return home, caches
}

func isWithin(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// repository is the folder above a project that holds its .git, "" for none.
func repository(project string) string {
	for dir := project; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// gitFolders are the folders a worktree's .git file points to.
func gitFolders(project string) []string {
	root := repository(project)
	data, err := os.ReadFile(filepath.Join(root, ".git"))
	if root == "" || err != nil {
		return nil // a folder, or none
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !ok {
		return nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	list := []string{dir}
	if common, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil {
		list = append(list, filepath.Join(dir, strings.TrimSpace(string(common))))
	}
	return list
}

// Packages says where packages come from, as the package managers have told when
// the shell was opened; nil where there is no box.
func (s *Shell) Packages() *confine.Packages { return s.o.Packages }

// CheckConfined reports that commands run in a box; else why they do not.
func (s *Shell) CheckConfined() error { return s.why }

// RefusedHosts are the hosts commands have asked for in vain since it was asked last.
func (s *Shell) RefusedHosts() []string {
	if s.proxy == nil {
		return nil
	}
	return s.proxy.RefusedHosts()
}

// Close ends the way out.
func (s *Shell) Close() error {
	if s.proxy == nil {
		return nil
	}
	return errors.Join(s.proxy.Close(), os.RemoveAll(s.dir), s.held.Close())
}

// Command is one command line.
type Command struct {
	Line      string        // for /bin/sh
	Dir       string        // where it begins, inside the project; "" for the project
	Log       string        // the file that gets what it says
	Timeout   time.Duration // it may take
	MaxOutput int64         // bytes it may say before it is ended; 0 is what package proc allows
	Env       []string      // NAME=VALUE, beside what commands may see or in its place
	Read      []string      // folders that it may read besides
	Hide      []string      // files and folders that it may not, whatever they lie in
	Git       []string      // git's own folders, which a commit hook writes; what git obeys in them it may not
	Bounds    Bounds        // of what it may use; the zero value sets none
}

// Result is how a command went.
type Result struct {
	proc.Exit
	Late    bool     // it was ended because it took too long
	PutBack []string // protected paths that it had changed
	Over    string   // the bound beyond which it was ended; "" for none
	Environ []string // what the command saw, without the ways to the proxy
}

// Run runs a command to its end, in the box where there is one. When ctx ends,
// so does the command. A command that fails is no error; one that could not be
// started is.
func (s *Shell) Run(ctx context.Context, c Command) (Result, error) {
	dir := s.o.Project
	if c.Dir != "" {
		dir = c.Dir
	}
	if confine.Shell == "" {
		return Result{}, errors.New("run a command of the project: there is no Unix shell on this system; run this campaign on Linux, macOS or in WSL")
	}
	argv, env := []string{confine.Shell, "-c", c.Bounds.line() + c.Line}, confine.Environ(s.o.Environ, s.o.Pass)
	way := confine.Outlet{Socket: filepath.Join(s.dir, "proxy"), Word: uuid.NewString()}
	if s.why == nil {
		box := s.box
		if s.o.Inside == "" {
			box.Kept = append(s.readOnlyPaths(), gitControlFiles(c.Git)...)
		}
		box.Hidden = c.Hide
		box.Readable, box.Writable = slices.Concat(box.Readable, c.Read), slices.Concat(box.Writable, c.Git)
		var err error
		if argv, env, err = box.Command(s.bwrap, way, cmp.Or(s.o.Inside, dir), argv); err != nil {
			return Result{}, err
		}
	}
	env = withVariables(env, c.Env)
	const grace = time.Second
	p, err := proc.NewStarter(s.o.Council, s.o.Hook).Start(proc.Spec{Argv: argv, Env: env, Dir: dir, Grace: grace, Mark: s.o.Mark, MaxOutput: c.MaxOutput, Stdout: c.Log, Stderr: c.Log})
	if err != nil {
		return Result{}, err
	}
	late := make(chan struct{})
	timer := time.AfterFunc(c.Timeout, func() {
		close(late)
		p.End()
	})
	defer timer.Stop()
	stop := context.AfterFunc(ctx, p.End)
	defer stop()
	over := c.Bounds.watch(p, []string{s.o.Project, s.o.Own})
	r := Result{Exit: p.Wait(), Environ: env}
	r.Over = <-over
	if s.why == nil && !s.proxy.HasBegun(way.Word) && !r.Ended {
		return Result{}, fmt.Errorf("make the box: %w", boxFailure(c.Log))
	}
	select {
	case <-late:
		r.Late = r.Ended
	default:
	}
	if s.o.Custody.Store != "" {
		r.PutBack, err = s.o.Custody.Restore()
	}
	return r, err
}

// withVariables is an environment with variables set, each once.
func withVariables(env, further []string) []string {
	list := slices.Clone(env)
	for _, entry := range further {
		name, _, _ := strings.Cut(entry, "=")
		list = slices.DeleteFunc(list, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		list = append(list, entry)
	}
	return list
}

// gitControlFiles are the files and folders of git's own that it runs or obeys.
func gitControlFiles(folders []string) []string {
	var list []string
	for _, folder := range folders {
		for _, name := range []string{"config", "config.worktree", "hooks", "info", "modules"} {
			list = append(list, filepath.Join(folder, name))
		}
	}
	return list
}

// boxFailure is why a box could not be made, as bubblewrap has said it last.
func boxFailure(log string) error {
	const most = 500
	said, err := proc.LastBytes(log, most)
	if err != nil || len(strings.TrimSpace(string(said))) == 0 {
		return errors.New("nothing was said")
	}
	return errors.New(strings.TrimSpace(string(said)))
}

// maxReadOnly bounds the protected files that are kept by mounting over them: each
// costs words of an argument list. What is beyond them is put back afterwards.
const maxReadOnly = 400

// readOnlyPaths are the paths of the project that the box makes read only: what was
// asked for, and what is protected and is there.
func (s *Shell) readOnlyPaths() []string {
	list := slices.Clone(s.o.Kept)
	_ = filepath.WalkDir(s.o.Project, func(path string, d fs.DirEntry, err error) error {
		if err != nil || len(list) >= maxReadOnly {
			return fs.SkipAll
		}
		rel, err := filepath.Rel(s.o.Project, path)
		if err != nil || path == s.o.Project || !protected.IsProtectedName(d.Name()) {
			if d.IsDir() && d.Name() == "node_modules" {
				return fs.SkipDir // thousands of packages bring their own
			}
			return nil
		}
		if protected.IsNamedBy(s.o.Named, rel) || s.isAllowedBelow(rel) {
			return nil
		}
		if to, err := filepath.EvalSymlinks(path); err == nil && isWithin(to, s.o.Project) && to != s.o.Project { // what a link leads to is obeyed too
			list = append(list, to)
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return list
}

// isAllowedBelow reports whether the person has named something in a folder: then
// it cannot be closed as a whole, and what is not theirs is put back.
func (s *Shell) isAllowedBelow(folder string) bool {
	return slices.ContainsFunc(s.o.Named, func(name string) bool {
		return strings.HasPrefix(filepath.ToSlash(filepath.Clean(name)), filepath.ToSlash(folder)+"/")
	})
}
