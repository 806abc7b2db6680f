package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

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

// Changed is what became of a file of settings.
type Changed struct {
	Before, After []byte // nil: no file
	CutOff        bool   // the file had a further name, which has the old text now
}

// Any reports whether something is different.
func (c Changed) Any() bool {
	return (c.Before == nil) != (c.After == nil) || !bytes.Equal(c.Before, c.After)
}

// Change changes a file of settings: change gives its new text, nil for a file that is
// not there. The file is put in place whole, with the rights it had, where a link leads
// to it. Where isTrial is set nothing is written.
func Change(path string, isTrial bool, change func([]byte) ([]byte, error)) (Changed, error) {
	f, data, err := read(path)
	if err != nil {
		return Changed{}, fmt.Errorf("%w; nothing was changed", err)
	}
	c := Changed{Before: data}
	if c.After, err = change(data); err != nil {
		return Changed{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	if !c.Any() || isTrial {
		return c, nil
	}
	if err := f.put(c); err != nil {
		return Changed{}, fmt.Errorf("write Claude Code's settings: %w; nothing was changed", err)
	}
	c.CutOff = f.names > 1
	return c, nil
}

// file is where settings really are, with their rights, owner and number of names.
type file struct {
	path     string
	perm     fs.FileMode
	uid, gid int
	names    uint64
}

// read reads a file of settings; nil where there is none.
func read(path string) (file, []byte, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file{path: path, perm: 0o600, uid: -1, gid: -1, names: 1}, nil, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if target, bad := os.Readlink(path); err != nil && bad == nil {
		if errors.Is(err, fs.ErrNotExist) {
			return file{}, nil, fmt.Errorf("%s points to %s, which does not exist", path, target)
		}
		return file{}, nil, fmt.Errorf("%s is a symbolic link that cannot be followed: %w", path, err)
	}
	if err == nil {
		info, err = os.Stat(real)
	}
	switch {
	case err != nil:
		return file{}, nil, err
	case info.IsDir():
		return file{}, nil, fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return file{}, nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > mostBytes:
		return file{}, nil, fmt.Errorf("%s is larger than %d MiB", path, mostBytes>>20)
	}
	f := file{path: real, perm: info.Mode().Perm(), uid: -1, gid: -1, names: 1}
	if st, is := info.Sys().(*syscall.Stat_t); is {
		f.uid, f.gid, f.names = int(st.Uid), int(st.Gid), uint64(st.Nlink)
	}
	data, err := os.ReadFile(real)
	return f, append([]byte{}, data...), err
}

// put writes the new text, unless somebody has written another meanwhile.
func (f file) put(c Changed) error {
	if f.perm&0o200 == 0 {
		return fmt.Errorf("%s is not writable (chmod u+w makes it so, where nothing else manages it)", f.path)
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	now, err := os.ReadFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if (err == nil) != (c.Before != nil) || !bytes.Equal(now, c.Before) {
		return fmt.Errorf("%s was written by another program meanwhile; try again", f.path)
	}
	if c.After == nil {
		return os.Remove(f.path)
	}
	if err := durable.ReplaceFile(f.path, c.After, f.perm); err != nil {
		return err
	}
	_ = os.Lchown(f.path, f.uid, f.gid) // the superuser's to do; for anybody else it is theirs already
	return os.Chmod(f.path, f.perm)     // whatever the umask is
}

// OfProject are the files of settings in a project, which go before a person's.
func OfProject(project string) []string {
	dir := filepath.Join(project, ".claude")
	return []string{filepath.Join(dir, "settings.local.json"), filepath.Join(dir, "settings.json")}
}
