package repo

import (
	"context"
	"path/filepath"
)

// Tracks reports whether the repository a folder lies in has a file of the folder in its
// index. Outside a repository there is none. Nothing it is configured to do happens.
func Tracks(dir, name string) bool {
	dir, err := filepath.EvalSymlinks(dir) // git follows links on the way there, into a submodule too
	if err != nil {
		return false
	}
	r, err := openReadOnly(dir, "")
	if err != nil {
		return false
	}
	defer r.close()
	files, err := r.itemsIn(context.Background(), dir, "ls-files", "-z", "--cached", "--", name)
	return err == nil && len(files) > 0
}
