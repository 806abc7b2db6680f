package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/durable"
)

// mostBytes bounds settings; people's have a few thousand.
const mostBytes = 8 << 20

// Path is where Claude Code has the settings of a person: in the folder that
// CLAUDE_CONFIG_DIR names, where it does, else below their home.
func Path(configDir, home string) (string, error) {
	if configDir == "" && home == "" {
		return "", errors.New("where Claude Code's settings are cannot be told: neither CLAUDE_CONFIG_DIR nor HOME is set")
	}
	return filepath.Abs(filepath.Join(cmp.Or(configDir, filepath.Join(home, ".claude")), "settings.json"))
}

// Change changes a file of settings: change gives its new text, nil for a file that is
// not there. The file is put in place whole, with the rights it had, where a link leads
// to it. It reports whether there was something to change; where there was not, or isTrial
// is set, nothing is written.
func Change(path string, isTrial bool, change func([]byte) ([]byte, error)) (bool, error) {
	file, data, err := read(path)
	if err != nil {
		return false, fmt.Errorf("read Claude Code's settings: %w; nothing was changed", err)
	}
	changed, err := change(data)
	if err != nil {
		return false, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	if (changed == nil) == (data == nil) && bytes.Equal(changed, data) || isTrial {
		return (changed == nil) != (data == nil) || !bytes.Equal(changed, data), nil
	}
	if err := file.put(changed); err != nil {
		return false, fmt.Errorf("write Claude Code's settings: %w; nothing was changed", err)
	}
	return true, nil
}

// place is where a file of settings really is, and the rights it has.
type place struct {
	path string
	perm fs.FileMode
}

// read reads a file of settings; nil where there is none.
func read(path string) (place, []byte, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return place{path, 0o600}, nil, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return place{}, nil, err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return place{}, nil, err
	case !info.Mode().IsRegular():
		return place{}, nil, fmt.Errorf("%s is no file", path)
	case info.Size() > mostBytes:
		return place{}, nil, fmt.Errorf("%s is larger than %d MiB", path, mostBytes>>20)
	case info.Mode()&0o200 == 0:
		return place{}, nil, fmt.Errorf("%s is not to be written", path)
	}
	data, err := os.ReadFile(real)
	return place{real, info.Mode().Perm()}, append([]byte{}, data...), err
}

func (p place) put(data []byte) error {
	if data == nil {
		return os.Remove(p.path)
	}
	if err := os.MkdirAll(filepath.Dir(p.path), 0o700); err != nil {
		return err
	}
	return durable.ReplaceFile(p.path, data, p.perm)
}

// OfProject are the files of settings in a project, which go before a person's.
func OfProject(project string) []string {
	dir := filepath.Join(project, ".claude")
	return []string{filepath.Join(dir, "settings.local.json"), filepath.Join(dir, "settings.json")}
}
