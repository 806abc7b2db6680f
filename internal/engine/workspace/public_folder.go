package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/evidence/provenance"
)

// OpenPublic opens a folder of a project that is made for people, making it where
// needed: what a campaign writes stands there, beside the run's own folder.
// The name is relative to the project.
func OpenPublic(project, name string) (*Folder, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	defer root.Close()
	if err := root.MkdirAll(name, 0o755); err != nil {
		return nil, fmt.Errorf("make %s: %w", name, err)
	}
	sub, err := root.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	if err := sign(sub, 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("make %s: %w", name, err), sub.Close())
	}
	return &Folder{ID: filepath.Base(name), Path: filepath.Join(project, name), root: sub}, nil
}

// WithLock does something while no other process does anything so in the folder.
func (f *Folder) WithLock(do func() error) error {
	held, err := openLock(f.root)
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.Path, err)
	}
	defer held.Close() // which gives the lock back
	if err := disk.Lock(held); err != nil {
		return fmt.Errorf("lock %s: %w", f.Path, err)
	}
	return do()
}

// sign puts the file into a folder that says whose it is.
func sign(root *os.Root, perm os.FileMode) error {
	if _, err := root.Lstat(provenance.MarkerFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return root.WriteFile(provenance.MarkerFile, []byte(provenance.OwnFileReason+".\n"), perm)
}
