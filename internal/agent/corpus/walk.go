package corpus

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/research-council/research-council/internal/evidence/local"
)

// Bounds of what is indexed.
const (
	maxFile  = 2 << 20   // bytes of a file
	maxFiles = 100_000   // files
	maxBytes = 512 << 20 // bytes of all
)

// skippedFolders are folders of what others wrote or programs made.
var skippedFolders = map[string]bool{
	"node_modules": true, "bower_components": true, "vendor": true, "__pycache__": true, "venv": true,
	"site-packages": true, "third_party": true,
}

// lockFiles are files by which package managers remember versions.
var lockFiles = map[string]bool{
	"go.sum": true, "package-lock.json": true, "yarn.lock": true, "pnpm-lock.yaml": true, "cargo.lock": true,
	"poetry.lock": true, "gemfile.lock": true, "composer.lock": true, "uv.lock": true,
}

// walk visits the files below a folder in the order of their names. A file that
// is left out is visited with the reason and without text.
func walk(f *local.Files, visit visitor) error {
	files, size := 0, int64(0)
	return fs.WalkDir(f.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == "." {
				return withoutSyscall(err)
			}
			return visit(name, local.Text{}, "cannot be read")
		}
		if d.IsDir() {
			if reason := folderSkipReason(f, name, d); reason != "" {
				if err := visit(name, local.Text{}, reason); err != nil {
					return err
				}
				return fs.SkipDir
			}
			return nil
		}
		if reason := fileSkipReason(d); reason != "" {
			return visit(name, local.Text{}, reason)
		}
		if files >= maxFiles || size >= maxBytes {
			return visit(name, local.Text{}, "beyond what one index holds")
		}
		text, reason := readText(f, name)
		files++
		size += int64(len(text.Data))
		return visit(name, text, reason)
	})
}

// folderSkipReason says why a folder is passed over whole; "" when it is not.
func folderSkipReason(f *local.Files, name string, d fs.DirEntry) string {
	switch {
	case f.IsOwnFolder(name):
		return "written by research-council (folders)"
	case name == ".":
		return ""
	}
	return FolderSkipReason(d.Name())
}

// FolderSkipReason says why a folder is passed over whole by its name; "" when it is
// not.
func FolderSkipReason(name string) string {
	switch {
	case skippedFolders[name]:
		return "of others (folders)"
	case strings.HasPrefix(name, ".") && name != ".github":
		return "hidden (folders)"
	}
	return ""
}

func fileSkipReason(d fs.DirEntry) string {
	name := strings.ToLower(d.Name())
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		return "links"
	case !d.Type().IsRegular():
		return "no files"
	case lockFiles[name]:
		return "made by programs"
	case local.IsSecret(name):
		return "may hold secrets"
	}
	return ""
}

// readText reads a file that is text and not too long.
func readText(f *local.Files, name string) (local.Text, string) {
	text, err := f.Read(name, maxFile)
	var unread local.Unread
	switch {
	case errors.As(err, &unread):
		return local.Text{}, unread.Why
	case errors.Is(err, local.ErrOwnFile):
		return local.Text{}, "written by research-council"
	case err != nil:
		return local.Text{}, "cannot be read"
	case len(text.Data) == 0:
		return local.Text{}, "empty"
	case generated(strings.ToLower(path.Base(name)), []byte(text.Words)):
		return local.Text{}, "made by programs"
	}
	return text, ""
}
