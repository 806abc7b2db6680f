// Package confine keeps a command that a model has written, or that runs what
// one has written, to its project.
//
// A box is bubblewrap around a command. Inside there are the system's programs,
// the project, and a home of the box's own at the place of the user's: caches
// of every tool go there by themselves, and what lies in the user's home (keys,
// logins, histories) is not there, but for toolchains, which can be read. No
// socket of the system is there, no process of outside is seen, and the network
// is a proxy that knows a list of hosts. The environment is a list too.
//
// What a box promises holds for everything the command starts. That a change
// inside the project is a good one is left to others. Where bubblewrap does not
// work there is no box, and [Find] says why; nothing here pretends.
package confine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Box is where a command runs. Paths are absolute.
type Box struct {
	Project  string   // may be written
	Readable []string // further files and folders, where they are there: the repository around the project, its .git
	Writable []string // further folders, inside of what can only be read too
	Kept     []string // files and folders inside the project, or in a writable folder, that can only be read
	Hidden   []string // files and folders that are not shown, whatever they lie in
	Own      string   // a folder of the box's: its home and temporary files
	Home     string   // the user's, whose place the box's takes
	Hosts    []string // that may be asked: names, *.example.com, localhost:PORT, or * for all
	Program  string   // one that calls [RunInside] first of all; it is the first process inside
	Environ  []string // of the user, in the form of os.Environ
	Pass     []string // variables of it that the person lets the command see
	GoProxy  string   // GOPROXY where the environment has none, see [Packages]
	Inside   string   // where the project stands in the box; "" for where it lies
	Bare     bool     // its home has no settings of the user's tools
}

// Places inside a box.
const (
	programInside = "/run/council/program"
	socketInside  = "/run/council/proxy"
	modulesInside = "/run/council/go-modules"
)

// checkTimeout is how long bubblewrap may take to show that it works.
const checkTimeout = 30 * time.Second

// Find gives the path of a bubblewrap that works on this machine, or why there
// is none.
func Find(ctx context.Context) (string, error) {
	if noBox != "" {
		return "", errors.New(noBox)
	}
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return "", errors.New("bubblewrap is not installed (bwrap is not in the PATH)")
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	argv := append(namespaces(), "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "true")
	out, err := exec.CommandContext(ctx, program, argv...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("bubblewrap does not work here: %s", failureText(out, err))
	}
	return program, nil
}

// failureText is what a program has said of its failure, as one line.
func failureText(out []byte, err error) string {
	if text := strings.Join(strings.Fields(string(bytes.TrimSpace(out))), " "); text != "" {
		return text
	}
	return err.Error()
}

// namespaces part a box from the machine. It ends with its keeper, has no
// terminal and no rights of the superuser's.
func namespaces() []string {
	return []string{
		"--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
	}
}

// Command is the argument vector and the environment by which bubblewrap, at
// the path program, runs argv in dir inside the box. The box's folders are made
// where they are missing. way is the socket of the [Proxy] that is the only way
// out, and word what it is told when the command begins.
func (b Box) Command(program string, way Outlet, dir string, argv []string) ([]string, []string, error) {
	if err := b.check(); err != nil {
		return nil, nil, err
	}
	if err := b.prepareFolders(); err != nil {
		return nil, nil, fmt.Errorf("furnish the box: %w", err)
	}
	words := append([]string{program}, namespaces()...)
	words = append(words, b.systemMounts()...)
	words = append(words, b.homeMounts()...)
	words = append(words, b.projectMounts()...)
	words = append(words, "--ro-bind", b.Program, programInside, "--ro-bind", way.Socket, socketInside, "--chdir", dir, "--", programInside, innerArgument, way.Word)
	if len(b.Hosts) == 0 {
		words = append(words, nowhere)
	}
	words = append(append(words, forwards(b.Hosts)...), "--")
	return append(words, argv...), b.environment(), nil
}

// Outlet is the way out of a box, for one command.
type Outlet struct {
	Socket string // of a [Proxy]
	Word   string // what [Proxy.HasBegun] is asked for
}

func (b Box) check() error {
	for what, path := range map[string]string{"project": b.Project, "box's folder": b.Own, "home": b.Home, "program": b.Program} {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("the %s %q is not an absolute path", what, path)
		}
	}
	if isWithin(b.Home, b.Project) {
		return fmt.Errorf("the project %s holds the home folder: what is secret there cannot be kept from a command", b.Project)
	}
	if isWithin(b.Own, b.Project) {
		return fmt.Errorf("the box's folder %s lies in the project", b.Own)
	}
	return nil
}

// isWithin reports whether a path is a folder or lies in it.
func isWithin(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// systemMounts are the folders of programs and their settings, all to be read. What
// only the superuser may read in /etc is not there for one either.
func (b Box) systemMounts() []string {
	words := []string{"--proc", "/proc", "--dev", "/dev", "--ro-bind-try", "/sys", "/sys", "--tmpfs", "/run"}
	for _, dir := range []string{"/usr", "/etc", "/opt", "/nix", "/gnu", "/snap", "/var/lib/texmf", "/var/cache/fontconfig"} {
		words = append(words, "--ro-bind-try", dir, dir)
	}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		if to, err := os.Readlink(dir); err == nil {
			words = append(words, "--symlink", to, dir)
			continue
		}
		words = append(words, "--ro-bind-try", dir, dir)
	}
	return append(words, hiddenPaths("/etc")...)
}

// hiddenPaths hides the files and folders below dir that not everybody may read.
func hiddenPaths(dir string) []string {
	var words []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // not to be read by us either
		}
		info, err := d.Info()
		switch {
		case err != nil || info.Mode().Perm()&0o004 != 0 || d.Type()&fs.ModeSymlink != 0:
		case d.IsDir():
			words = append(words, "--tmpfs", path)
			return fs.SkipDir
		case d.Type().IsRegular():
			words = append(words, "--ro-bind", os.DevNull, path)
		}
		return nil
	})
	return words
}

// projectMounts is the project, what of it is kept, and what else there is to read and
// to write. A later word goes before an earlier one, so that each stands behind
// the folder it lies in.
func (b Box) projectMounts() []string {
	words := []string{}
	for _, path := range b.Readable {
		words = append(words, "--ro-bind-try", path, path)
	}
	words = append(words, "--bind", b.Project, cmp.Or(b.Inside, b.Project))
	how := map[string]string{}
	for _, path := range b.Kept {
		how[path] = "--ro-bind-try"
	}
	for _, path := range b.Writable {
		how[path] = "--bind-try"
	}
	for _, path := range slices.Sorted(maps.Keys(how)) {
		words = append(words, how[path], path, path)
	}
	for _, path := range b.Hidden {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			words = append(words, "--tmpfs", path)
		} else if err == nil && info.Mode().IsRegular() {
			words = append(words, "--ro-bind", os.DevNull, path)
		}
	}
	return words
}
