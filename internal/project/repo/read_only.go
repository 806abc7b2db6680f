package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/disk"
)

// readOnlyRepo is a repository that is only looked at. Git reads its commits, its
// index and its branches, and never its configuration: it is given a folder of
// our own in place of .git, with a copy of the index and settings that name no
// program. So no filter, hook, watcher, text conversion, signature check, pager,
// remote or submodule runs, whatever names it and whatever git will learn to
// run, and nothing below .git is written. The configuration of the machine and
// of the person is left out too: a file of the repository could choose a
// program of it, as .gitattributes does with git-lfs. Only what says which
// files are ignored and how lines end is taken over.
//
// Whom the repository belongs to does not matter: git refuses other people's
// because their configuration would run.
type readOnlyRepo struct{ plumbing }

// gitFolders is where a repository keeps what it holds.
type gitFolders struct {
	root   string // top of the work tree: the folder .git lies in
	own    string // HEAD and index of this work tree
	common string // all else
}

// openReadOnly finds the repository dir lies in, to look at it. It is closed
// after use. git is the path of the program; "" stands for the one in PATH.
func openReadOnly(dir, git string) (*readOnlyRepo, error) {
	git, err := gitPath(git)
	if err != nil {
		return nil, err
	}
	at, err := findRepository(dir)
	if err != nil {
		return nil, err
	}
	r, err := newReadOnlyRepo(at.root, git)
	if err != nil {
		return nil, err
	}
	r.env = append(r.env, "GIT_OBJECT_DIRECTORY="+filepath.Join(at.common, "objects"))
	if err := r.mirror(at); err != nil {
		r.close()
		return nil, fmt.Errorf("look into the repository: %w", err)
	}
	return r, nil
}

// openUntracked lets git list a folder outside any repository, by an empty repository
// elsewhere: nobody reads .gitignore as git does.
func openUntracked(top, git string) (*readOnlyRepo, error) {
	git, err := gitPath(git)
	if err != nil {
		return nil, err
	}
	r, err := newReadOnlyRepo(top, git)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(r.dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.Mkdir(filepath.Join(r.dir, "refs"), 0o700), os.Mkdir(filepath.Join(r.dir, "objects"), 0o700), r.writeConfig(nil),
	)
	if err != nil {
		r.close()
		return nil, fmt.Errorf("list a folder without a repository: %w", err)
	}
	return r, nil
}

// newReadOnlyRepo makes the folder that git takes for .git.
func newReadOnlyRepo(root, git string) (*readOnlyRepo, error) {
	dir, err := os.MkdirTemp("", "council-read-")
	if err != nil {
		return nil, err
	}
	env := append(environment(os.Environ()),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ALLOW_PROTOCOL=")
	return &readOnlyRepo{plumbing{program: git, env: env, root: root, dir: dir}}, nil
}

func (r *readOnlyRepo) close() { _ = os.RemoveAll(r.dir) } // it is below the system's folder for such

// itemsIn performs a call in a folder and gives its answers that each end in NUL.
func (r *readOnlyRepo) itemsIn(ctx context.Context, dir string, args ...string) ([]string, error) {
	out, err := r.run(ctx, dir, gitCall{args: args})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// Bounds of what is taken over from a repository, in bytes.
const (
	maxName     = 4 << 10 // a path or the name of a branch in a file
	maxSettings = 1 << 20
	maxIndex    = 1 << 30
)

// mirror makes the folder show what the repository holds.
func (r *readOnlyRepo) mirror(at gitFolders) error {
	head, err := readSmall(filepath.Join(at.own, "HEAD"), maxName)
	if err != nil {
		return err
	}
	theirs, err := readSmall(filepath.Join(at.common, "config"), maxSettings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(r.dir, "HEAD"), head, 0o600), os.Mkdir(filepath.Join(r.dir, "info"), 0o700)); err != nil {
		return err
	}
	copies := map[string]string{"index": filepath.Join(at.own, "index")}
	for _, name := range []string{"packed-refs", "shallow", "info/exclude", "info/attributes"} {
		copies[name] = filepath.Join(at.common, name)
	}
	shared, _ := filepath.Glob(filepath.Join(quoteGlob(at.own), "sharedindex.*")) // the pattern is right
	for _, file := range shared {
		copies[filepath.Base(file)] = file
	}
	for name, from := range copies {
		if err := copyFile(from, filepath.Join(r.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := r.linkRefs(at); err != nil {
		return err
	}
	return r.writeConfig(theirs)
}

// linkRefs lets git find the branches and where they have been.
func (r *readOnlyRepo) linkRefs(at gitFolders) error {
	if err := os.Symlink(filepath.Join(at.common, "refs"), filepath.Join(r.dir, "refs")); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(r.dir, "logs"), 0o700); err != nil {
		return err
	}
	return errors.Join(
		os.Symlink(filepath.Join(at.common, "logs", "refs"), filepath.Join(r.dir, "logs", "refs")),
		os.Symlink(filepath.Join(at.own, "logs", "HEAD"), filepath.Join(r.dir, "logs", "HEAD")),
	)
}

// sharedSettings are the settings that are taken over: they say how objects are named,
// how files and names are compared with the index, and what @{upstream} means.
// None of them names a program or a file.
var sharedSettings = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(core\.(filemode|ignorecase|symlinks|autocrlf|eol|precomposeunicode|trustctime|checkstat)|extensions\.objectformat|branch\..*\.(remote|merge)|remote\..*\.fetch)$`)
})

// userSettings are those that are taken over from the person's configuration.
var userSettings = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^core\.(excludesfile|autocrlf|eol)$`) })

// writeConfig writes the settings git reads, from the text of a repository's and
// from the person's own.
func (r *readOnlyRepo) writeConfig(theirs []byte) error {
	own := plumbing{program: r.program, env: environment(os.Environ())}
	list, err := own.run(context.Background(), r.dir, gitCall{args: []string{"config", "--global", "--includes", "--list", "-z"}})
	if f := (*gitFailure)(nil); err != nil && !errors.As(err, &f) { // with a failure there is none
		return err
	}
	settings := "[core]\n\tbare = false\n\tlogAllRefUpdates = false\n" + selectSettings(string(list), userSettings())
	if theirs != nil {
		list, err := own.run(context.Background(), r.dir, gitCall{args: []string{"config", "--file", "-", "--no-includes", "--list", "-z"}, stdin: theirs})
		if f := (*gitFailure)(nil); err != nil && !errors.As(err, &f) { // what cannot be read sets nothing
			return err
		}
		settings += selectSettings(string(list), sharedSettings())
	}
	version := "0"
	if strings.Contains(settings, "[extensions]") {
		version = "1"
	}
	settings += "[core]\n\trepositoryFormatVersion = " + version + "\n"
	return os.WriteFile(filepath.Join(r.dir, "config"), []byte(settings), 0o600)
}

// selectSettings are those of a list of settings, as git writes it with -z, that are
// wanted, as the text of a configuration.
func selectSettings(list string, wanted *regexp.Regexp) string {
	var b strings.Builder
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	for item := range strings.SplitSeq(list, "\x00") {
		key, value, set := strings.Cut(item, "\n")
		if !set {
			value = "true"
		}
		if !wanted.MatchString(key) || strings.Contains(key, "\n") {
			continue
		}
		section, name := key[:strings.IndexByte(key, '.')], key[strings.LastIndexByte(key, '.')+1:]
		if sub := strings.TrimSuffix(strings.TrimPrefix(key, section+"."), name); sub != "" {
			section += ` "` + quoted.Replace(strings.TrimSuffix(sub, ".")) + `"`
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, name, quoted.Replace(value))
	}
	return b.String()
}

// clearIndexFlags lets git compare files that the index says need no looking at: whoever
// wrote the index could hide a change so. The copy of the index is changed, not
// theirs. What is not there is left as it is, such as in a sparse checkout.
func (r *readOnlyRepo) clearIndexFlags(ctx context.Context, top string, paths []string) error {
	var there strings.Builder
	for _, p := range paths {
		if _, err := os.Lstat(filepath.Join(top, p)); err == nil {
			there.WriteString(p + "\x00")
		}
	}
	if there.Len() == 0 {
		return nil
	}
	for _, flag := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
		if _, err := r.run(ctx, top, gitCall{args: []string{"update-index", "-z", flag, "--stdin"}, stdin: []byte(there.String())}); err != nil {
			return err
		}
	}
	return nil
}

// findRepository finds the repository a folder lies in as git does, without asking it:
// what lies there decides nothing but where its objects are.
func findRepository(dir string) (gitFolders, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return gitFolders{}, fmt.Errorf("open the repository: %w", err)
	}
	for {
		found, err := gitFoldersAt(dir)
		if err != nil || found.own != "" {
			return found, err
		}
		if isGitFolder(dir) {
			return gitFolders{}, ErrNoWorkTree
		}
		up := filepath.Dir(dir)
		if up == dir {
			return gitFolders{}, ErrNoRepository
		}
		dir = up
	}
}

// gitFoldersAt is the repository whose .git lies in a folder; the zero value for
// none.
func gitFoldersAt(root string) (gitFolders, error) {
	own := filepath.Join(root, ".git")
	info, err := os.Stat(own)
	switch {
	case err != nil:
		return gitFolders{}, nil
	case info.Mode().IsRegular():
		text, err := readSmall(own, maxName)
		if err != nil {
			return gitFolders{}, err
		}
		to, is := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if !is {
			return gitFolders{}, fmt.Errorf("%s names no repository", own)
		}
		if own = to; !filepath.IsAbs(to) {
			own = filepath.Join(root, to)
		}
	case !info.IsDir():
		return gitFolders{}, nil
	}
	common := own
	if text, err := readSmall(filepath.Join(own, "commondir"), maxName); err == nil {
		if common = strings.TrimRight(string(text), "\r\n"); !filepath.IsAbs(common) {
			common = filepath.Join(own, common)
		}
	}
	if !exists(filepath.Join(own, "HEAD")) || !isDir(filepath.Join(common, "objects")) || !isDir(filepath.Join(common, "refs")) {
		if info.Mode().IsRegular() {
			return gitFolders{}, fmt.Errorf("%s leads to no repository", filepath.Join(root, ".git"))
		}
		return gitFolders{}, nil
	}
	return gitFolders{root: root, own: own, common: common}, nil
}

// isGitFolder reports whether a folder is itself what a .git would be.
func isGitFolder(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) && isDir(filepath.Join(dir, "objects")) && isDir(filepath.Join(dir, "refs"))
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// openRegular opens a regular file. A pipe is not waited for.
func openRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|disk.NoWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(&fs.PathError{Op: "read", Path: name, Err: errNoFile}, err, f.Close())
	}
	return f, nil
}

// readSmall reads a file of a bounded length.
func readSmall(name string, most int64) ([]byte, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is longer than %d bytes", name, most)
	}
	return text, err
}

// copyFile copies a regular file.
func copyFile(from, to string) (err error) {
	in, err := openRegular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	n, err := io.Copy(out, io.LimitReader(in, maxIndex+1))
	if err == nil && n > maxIndex {
		err = fmt.Errorf("%s is longer than %d bytes", from, maxIndex)
	}
	return err
}

// quoteGlob is a path that a pattern takes as it is.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
