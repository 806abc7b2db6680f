package repo

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/project/survey"
)

// readFiles reads and classifies the files, some at a time, each reader with one
// buffer. What is no file any more is dropped, and counted.
func (l *lister) readFiles(ctx context.Context, list []listedPath) ([]survey.File, error) {
	files := make([]survey.File, len(list))
	l.markBeyondLinks(list)
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(len(list), 2*runtime.GOMAXPROCS(0)) {
		g.Go(func() error {
			buffer := make([]byte, survey.MaxSize+1)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(list) {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				files[i] = l.readOne(list[i], buffer)
			}
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	gone := 0
	for i, f := range files {
		if f.Path == "" && list[i].asked {
			gone++
		}
	}
	if gone > 0 {
		l.addNote("left out: %s", plural.Forms(gone, "file that git knows and that is not there", "files that git knows and that are not there"))
	}
	return slices.DeleteFunc(files, func(f survey.File) bool { return f.Path == "" }), nil
}

// markBeyondLinks tells what lies beyond a symbolic link: it is not of this tree.
func (l *lister) markBeyondLinks(list []listedPath) {
	beyond := (&workTree{plumbing: &plumbing{root: l.top}}).beyondLinks()
	for i := range list {
		f := &list[i]
		switch {
		case f.mode == modeLink:
			skipFile(&f.file, survey.SkipModule, "a repository of its own")
		case beyond(f.file.Path):
			skipFile(&f.file, survey.SkipLink, "it lies beyond a symbolic link")
		}
	}
}

func skipFile(f *survey.File, skip, why string) { f.Skip, f.Reasons = skip, []string{why} }

// readOne reads a file; one that is gone comes back without a path.
func (l *lister) readOne(at listedPath, buffer []byte) survey.File {
	f := at.file
	if f.Skip != "" {
		return survey.Classify(f, nil)
	}
	size, mode, text, err := readFile(filepath.Join(l.top, f.Path), buffer)
	f.Size, f.Executable = size, mode&0o111 != 0
	switch {
	case at.away && errors.Is(err, fs.ErrNotExist):
		skipFile(&f, survey.SkipUnread, "it is not checked out here")
	case errors.Is(err, fs.ErrNotExist), disk.IsNoFolder(err):
		return survey.File{}
	case errors.Is(err, errLink):
		skipFile(&f, survey.SkipLink, "it is not followed")
	case errors.Is(err, errNoFile):
		if mode.IsDir() {
			return survey.File{} // the file became a folder
		}
		skipFile(&f, survey.SkipUnread, "no regular file")
	case err != nil:
		skipFile(&f, survey.SkipUnread, err.Error())
	}
	return survey.Classify(f, text)
}

var (
	errNoFile = errors.New("no regular file")
	errLink   = errors.New("a link")
)
