package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/disk"
)

// CheckInside says why a file is none of a project's that could be read, or nil.
func CheckInside(project, name string) error {
	if filepath.IsAbs(name) || !filepath.IsLocal(name) {
		return errors.New("it leads out of the project")
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("open the project: %w", err)
	}
	defer root.Close()
	info, err := root.Lstat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return errors.New("something else than a file stands there")
	case err == nil:
		return nil
	}
	folder, err := root.Stat(filepath.Dir(name))
	if err != nil || !folder.IsDir() {
		return errors.New("its folder is not there")
	}
	return nil
}

// Replaceable says what a delivery may write over. The zero value is nothing.
type Replaceable struct {
	Any bool   // the person has said --force
	Own string // SHA-256, in hexadecimal, of what was delivered there before; "" for nothing
}

// CheckWritable says why a file that a person names below a folder is not written,
// or nil. It leads neither out of the folder nor through a link, is none of
// git's, of the host's and of the runs' own, and replaces nothing that may not
// be replaced. Nothing is created.
func CheckWritable(folder, name string, over Replaceable) error {
	if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, unicode.IsControl) || name == "-" {
		return errors.New("it is no name of a file")
	}
	if filepath.IsAbs(name) || !filepath.IsLocal(name) {
		return errors.New("it leads out of the project; name a file inside it")
	}
	for _, spelled := range []string{name, filepath.Clean(name)} {
		if err := CheckReserved(spelled); err != nil {
			return err
		}
	}
	name = filepath.Clean(name)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("open the project: %w", err)
	}
	defer root.Close()
	if err := checkFolderPath(root, filepath.Dir(name)); err != nil {
		return err
	}
	if err := checkOverwrite(root, name, over); err != nil {
		return err
	}
	if err := disk.CheckWritable(filepath.Join(folder, filepath.Dir(name))); err != nil {
		return fmt.Errorf("its folder cannot be written: %w", err)
	}
	return nil
}

// checkFolderPath says why a folder is no place to write in, or nil: every part of its
// path is a folder, no link, and none of them holds a git repository's own
// files under another name.
func checkFolderPath(root *os.Root, folder string) error {
	at := ""
	for part := range strings.SplitSeq(folder, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		info, err := root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return errors.New("its folder is not there")
		case err != nil:
			return systemError(err)
		case info.Mode()&fs.ModeSymlink != 0:
			return errors.New("a link is on the way to it; name the file by its own path")
		case !info.IsDir():
			return errors.New("its folder is not there")
		case isGitFolder(root, at):
			return errors.New("it lies among git's own files")
		}
	}
	return nil
}

// isGitFolder reports whether a folder is what a .git is, whatever its name.
func isGitFolder(root *os.Root, at string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := root.Lstat(filepath.Join(at, name)); err != nil {
			return false
		}
	}
	return true
}

// checkOverwrite says why what stands at a name is not written over, or nil.
func checkOverwrite(root *os.Root, name string, over Replaceable) error {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if isInstructionFile(filepath.Base(name)) && !over.Any {
			return errors.New("later sessions obey a file of that name; say --force if you mean it")
		}
		return nil
	case err != nil:
		return systemError(err)
	case !info.Mode().IsRegular():
		return errors.New("something else than a file stands there")
	case over.Any:
		return nil
	}
	if over.Own != "" {
		data, err := root.ReadFile(name)
		if err == nil && Sum(data) == over.Own {
			return nil
		}
	}
	return errors.New("a file stands there already; name another one, or say --force to replace it")
}

// Sum is the SHA-256 of a file, in hexadecimal digits: what [Replaceable] knows it
// by, and what a journal names it by.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// CheckReserved says whose a path is where that is git's, the host's or a run's own,
// or nil. A name counts as it would on any file system: whatever its case, with
// signs nobody sees, a short name of Windows, a dot or a space at its end.
func CheckReserved(path string) error {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	for i, part := range parts {
		switch plain := plainName(part); {
		case plain == ".git" || plain == ".gitmodules" || strings.HasPrefix(plain, "git~"):
			return errors.New("it is git's own")
		case plain == ".claude" || strings.HasPrefix(plain, "claude~"):
			return errors.New("it is Claude Code's own")
		case plain == ".deep-review":
			return errors.New("it is where reviews keep their own")
		case plain == Runs && i+1 < len(parts) && ValidID(plainName(parts[i+1])):
			return errors.New("it is a run's own")
		}
	}
	return nil
}

// plainName is a name as the file system takes it that tells the fewest names
// apart.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) { // what HFS+ leaves out
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	if trimmed := strings.TrimRight(name, ". "); trimmed != "" {
		return trimmed
	}
	return name
}

// isInstructionFile reports whether sessions take a file of that name for instructions or
// settings.
func isInstructionFile(name string) bool {
	return slices.Contains([]string{"claude.md", "claude.local.md", "agents.md", "gemini.md", ".mcp.json", ".envrc", ".gitattributes"}, plainName(name))
}

// ResolvePath is the folder and the name of a path that a person has typed, who may
// name any place: absolute, or from a folder on. Where it goes on from that
// folder no link leads it out. The folder is there; nothing is said of the name
// yet but that it is nobody's own.
func ResolvePath(from, path string) (folder, name string, err error) {
	typed := filepath.Clean(path)
	if strings.TrimSpace(path) == "" {
		return "", "", errors.New("it is no name of a file")
	}
	if err := CheckReserved(path); err != nil {
		return "", "", err
	}
	if !filepath.IsAbs(typed) {
		typed = filepath.Join(from, typed)
	}
	name = filepath.Base(typed)
	if folder, err = filepath.EvalSymlinks(filepath.Dir(typed)); err != nil {
		return "", "", errors.New("its folder is not there")
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return "", "", errors.New("its folder is not there")
	}
	if from, err = filepath.EvalSymlinks(from); err != nil {
		return "", "", fmt.Errorf("find the folder: %w", systemError(err))
	}
	named, err := filepath.Rel(from, filepath.Join(folder, name))
	if err != nil || !filepath.IsLocal(named) {
		if filepath.IsLocal(path) {
			return "", "", errors.New("a link leads out of this folder")
		}
		named = filepath.Join(folder, name)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", "", fmt.Errorf("open its folder: %w", systemError(err))
	}
	defer root.Close()
	if isGitFolder(root, ".") {
		return "", "", errors.New("it lies among git's own files")
	}
	return folder, name, CheckReserved(named)
}

func systemError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// WriteUserFile writes a file that a person has named below a folder, whole or not at
// all.
func WriteUserFile(folder, name string, data []byte, over Replaceable) error {
	if err := CheckWritable(folder, name, over); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer root.Close()
	return replace(root, filepath.Clean(name), data)
}
