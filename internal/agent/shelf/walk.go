package shelf

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent/corpus"
	"github.com/research-council/research-council/internal/evidence/local"
	"github.com/research-council/research-council/internal/project/repo"
)

// endings are those of the names of documents. In a folder nothing else is read; a file
// that is named is read whatever it is called.
var endings = []string{
	".pdf", ".html", ".htm", ".xhtml", ".md", ".markdown", ".docx", ".epub", ".txt", ".text", ".rst", ".adoc", ".org", ".tex",
}

// Visit is called for each file of a folder that is a document, and with a reason for
// what is passed over.
type Visit func(path, reason string) error

// Walk visits the documents of a folder, those below it too, in the order of their
// names. What git ignores there, what is hidden, a link, or of our own making is passed
// over.
func Walk(ctx context.Context, folder string, visit Visit) error {
	files, err := local.Open(folder)
	if err != nil {
		return err
	}
	defer files.Close()
	ignored := ignores(ctx, folder)
	return fs.WalkDir(files.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			return visit(at, "cannot be read")
		case d.IsDir():
			if reason := folderReason(files, name, d); reason != "" {
				if err := visit(at, reason); err != nil {
					return err
				}
				return fs.SkipDir
			}
			return nil
		}
		return visit(at, fileReason(name, d, ignored))
	})
}

func folderReason(files *local.Files, name string, d fs.DirEntry) string {
	switch {
	case files.IsOwnFolder(name):
		return "written by research-council (folders)"
	case name == ".":
		return ""
	}
	return corpus.FolderSkipReason(d.Name())
}

func fileReason(name string, d fs.DirEntry, ignored func(string) bool) string {
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		return "links"
	case !d.Type().IsRegular():
		return "no files"
	case strings.HasPrefix(d.Name(), "."):
		return "hidden"
	case !slices.Contains(endings, strings.ToLower(path.Ext(name))):
		return "no documents by their names"
	case ignored(name):
		return "ignored by git"
	}
	return ""
}

// ignores reports of a path below a folder whether git ignores it; without git, nothing
// is.
func ignores(ctx context.Context, folder string) func(string) bool {
	listed, err := repo.Paths(ctx, folder)
	if err != nil {
		return func(string) bool { return false }
	}
	known := make(map[string]bool, len(listed))
	for _, p := range listed {
		known[p] = true
	}
	return func(name string) bool { return !known[name] }
}

// IsFolder reports whether a path is a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
