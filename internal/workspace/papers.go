package workspace

import (
	"fmt"
	"os"
	"path/filepath"
)

// Papers opens a folder of a project that is made for people, making it where
// needed: what a campaign writes stands there, beside the run's own folder.
// The name is relative to the project.
func Papers(project, name string) (*Folder, error) {
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
	return &Folder{ID: filepath.Base(name), Path: filepath.Join(project, name), root: sub}, nil
}
