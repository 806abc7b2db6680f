package corpus

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"research-council/internal/imprint"
)

// Bounds of what is indexed.
const (
	mostFile  = 2 << 20   // bytes of a file
	mostFiles = 100_000   // files
	mostBytes = 512 << 20 // bytes of all
)

// passed are folders of what others wrote or programs made.
var passed = map[string]bool{
	"node_modules": true, "bower_components": true, "vendor": true, "__pycache__": true, "venv": true,
	"site-packages": true, "third_party": true,
}

// locks are files by which package managers remember versions.
var locks = map[string]bool{
	"go.sum": true, "package-lock.json": true, "yarn.lock": true, "pnpm-lock.yaml": true, "cargo.lock": true,
	"poetry.lock": true, "gemfile.lock": true, "composer.lock": true, "uv.lock": true,
}

// walk visits the files below a folder in the order of their names. A file that
// is left out is visited with the reason and without text.
func walk(f *Files, visit func(name string, text Text, reason string) error) error {
	files, size := 0, int64(0)
	return fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == "." {
				return plain(err)
			}
			return visit(name, Text{}, "cannot be read")
		}
		if d.IsDir() {
			if reason := f.passes(name, d); reason != "" {
				if err := visit(name, Text{}, reason); err != nil {
					return err
				}
				return fs.SkipDir
			}
			return nil
		}
		if reason := passedOver(d); reason != "" {
			return visit(name, Text{}, reason)
		}
		if files >= mostFiles || size >= mostBytes {
			return visit(name, Text{}, "beyond what one index holds")
		}
		text, reason := read(f, name)
		files++
		size += int64(len(text.Data))
		return visit(name, text, reason)
	})
}

// passes says why a folder is passed over whole; "" when it is not.
func (f *Files) passes(name string, d fs.DirEntry) string {
	switch {
	case f.inOwn, name != "." && (imprint.Folder(f.named(name)) || imprint.Made(f.root.FS(), name)):
		return "written by research-council (folders)"
	case name == ".":
		return ""
	case passed[d.Name()]:
		return "of others (folders)"
	case strings.HasPrefix(d.Name(), ".") && d.Name() != ".github":
		return "hidden (folders)"
	}
	return ""
}

func passedOver(d fs.DirEntry) string {
	name := strings.ToLower(d.Name())
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		return "links"
	case !d.Type().IsRegular():
		return "no files"
	case locks[name]:
		return "made by programs"
	case secret(name):
		return "may hold secrets"
	}
	return ""
}

// secret reports whether a file's name says that it holds what must not be
// quoted.
func secret(name string) bool {
	switch path.Ext(name) {
	case ".pem", ".key", ".p12", ".pfx", ".keystore", ".jks":
		return true
	}
	return name == ".env" || strings.HasPrefix(name, ".env.") || name == ".netrc" || name == ".npmrc" || strings.HasPrefix(name, "id_rsa") || strings.HasPrefix(name, "id_ed25519")
}

// read reads a file that is text and not too long.
func read(f *Files, name string) (Text, string) {
	text, err := f.Read(name, mostFile)
	var unread Unread
	switch {
	case errors.As(err, &unread):
		return Text{}, unread.Why
	case errors.Is(err, ErrOurs):
		return Text{}, "written by research-council"
	case err != nil:
		return Text{}, "cannot be read"
	case len(text.Data) == 0:
		return Text{}, "empty"
	case generated(strings.ToLower(path.Base(name)), []byte(text.Words)):
		return Text{}, "made by programs"
	}
	return text, ""
}
