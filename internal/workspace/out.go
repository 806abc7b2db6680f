package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Inside says why a file could not be written below a project, or nil. Nothing
// is created.
func Inside(project, name string) error {
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

// Deliver writes a file below a project, whole or not at all.
func Deliver(project, name string, data []byte) error {
	if err := Inside(project, name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer root.Close()
	return replace(root, name, data)
}
