package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/base/disk"
)

// Bounds of a plain copy.
const (
	mostCopied     = 512 << 20 // bytes of all files
	mostCopiedFile = 64 << 20  // bytes of one; a larger one is left out
)

// Copied is what became of a plain copy.
type Copied struct {
	Files   int
	LeftOut []string // no regular files, such as links, those that are too large or cannot be read, and git's own
}

// Copy writes files of a folder, named by slash-separated paths, into an empty
// one, as the bytes they are. Git is not asked, so that nothing a repository
// names runs; no link is followed and none is made, and nothing is made that git
// would take for a repository. A file that is not there any more is passed over.
// Unlike a [Scratch], the copy may be of anybody's repository.
func Copy(ctx context.Context, from, to string, names []string) (Copied, error) {
	return copyUpTo(ctx, from, to, names, mostCopied)
}

func copyUpTo(ctx context.Context, from, to string, names []string, left int64) (Copied, error) {
	var c Copied
	most := left
	source, err := os.OpenRoot(from)
	if err != nil {
		return c, fmt.Errorf("copy the code: %w", err)
	}
	defer source.Close()
	target, err := os.OpenRoot(to)
	if err != nil {
		return c, fmt.Errorf("copy the code: %w", err)
	}
	defer target.Close()
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		n, err := copyPlain(source, target, name)
		switch {
		case errors.Is(err, fs.ErrNotExist), disk.IsNoFolder(err):
		case errors.Is(err, errNoFile):
			c.LeftOut = append(c.LeftOut, name)
		case err != nil:
			return c, fmt.Errorf("copy the code: %w", err)
		default:
			c.Files++
		}
		if left -= n; left < 0 {
			return c, fmt.Errorf("copy the code: it has more than %d MiB", most>>20)
		}
	}
	return c, nil
}

// OfGit reports whether a path leads into what git would take for its own.
func OfGit(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

// copyPlain copies a file, and gives its length.
func copyPlain(source, target *os.Root, name string) (n int64, err error) {
	if !filepath.IsLocal(name) || OfGit(name) {
		return 0, errNoFile
	}
	in, info, err := openPlain(source, name)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	if err := target.MkdirAll(path.Dir(name), 0o700); err != nil {
		return 0, err
	}
	out, err := target.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|info.Mode().Perm()&0o100)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return io.Copy(out, io.LimitReader(in, mostCopiedFile))
}

// openPlain opens a file of a folder that is no link, lies behind none that leads
// out of it, and is not too large.
func openPlain(folder *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := folder.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), disk.IsNoFolder(err):
		return nil, nil, err
	case err != nil || !info.Mode().IsRegular():
		return nil, nil, errNoFile
	}
	f, err := folder.OpenFile(name, os.O_RDONLY|disk.NoWait, 0) // a pipe that has taken its place is not waited for
	if err != nil {
		return nil, nil, errNoFile
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > mostCopiedFile {
		return nil, nil, errors.Join(errNoFile, f.Close())
	}
	return f, info, nil
}
