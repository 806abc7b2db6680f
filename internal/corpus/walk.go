package corpus

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"research-council/internal/campaign"
)

// Bounds of what is indexed.
const (
	mostFile  = 2 << 20   // bytes of a file
	mostFiles = 100_000   // files
	mostBytes = 512 << 20 // bytes of all
)

// run is a folder of a run of ours: what seats wrote is no source.
var run = regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{6}$`)

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

// walk visits the files below root in the order of their names. A file that is
// left out is visited with the reason and without data.
func walk(root *os.Root, visit func(name string, data []byte, reason string) error) error {
	files, size := 0, int64(0)
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == "." {
				return plain(err)
			}
			return visit(name, nil, "cannot be read")
		}
		if d.IsDir() {
			if name != "." && (foreign(d.Name()) || strings.HasPrefix(name, campaign.Folders)) { // a campaign's own papers are no source
				return fs.SkipDir
			}
			return nil
		}
		if reason := passedOver(d); reason != "" {
			return visit(name, nil, reason)
		}
		if files >= mostFiles || size >= mostBytes {
			return visit(name, nil, "beyond what one index holds")
		}
		data, reason := read(root, name)
		files++
		size += int64(len(data))
		return visit(name, data, reason)
	})
}

// foreign reports whether a folder is passed over whole.
func foreign(name string) bool {
	return passed[name] || run.MatchString(name) || strings.HasPrefix(name, ".") && name != ".github"
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
func read(root *os.Root, name string) ([]byte, string) {
	f, err := root.Open(name)
	if err != nil {
		return nil, "cannot be read"
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	switch {
	case err != nil:
		return nil, "cannot be read"
	case len(data) > mostFile:
		return nil, "larger than 2 MiB"
	case len(data) == 0:
		return nil, "empty"
	case bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0:
		return nil, "no text"
	case generated(strings.ToLower(path.Base(name)), data):
		return nil, "made by programs"
	}
	return data, ""
}
