// Package top finds the top of the project that a folder belongs to. The
// program and its hooks both ask here: they have to mean the same folder.
package top

import (
	"os"
	"path/filepath"
)

// Of is the project a folder belongs to: the top of the repository it lies in,
// however it was reached, or itself outside of any.
func Of(dir string) string {
	if dir == "" || IsRepository(dir) {
		return dir
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir
	}
	if found, ok := Upwards(real, IsRepository); ok {
		return found
	}
	return dir
}

// IsRepository reports whether a folder is the top of a repository, or of a
// work tree of one. An empty .git is neither: boxes put one in the way of what
// runs in them.
func IsRepository(dir string) bool {
	info, err := os.Lstat(dir + "/.git")
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		return info.Size() > 0
	}
	_, err = os.Lstat(dir + "/.git/HEAD")
	return err == nil
}

// Upwards is the nearest folder from dir up of which something holds.
func Upwards(dir string, holds func(string) bool) (string, bool) {
	for {
		if holds(dir) {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// Inside is the slash path of a target inside a folder; "" for the folder
// itself.
func Inside(folder, target string) (string, bool) {
	rel, err := filepath.Rel(folder, target)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	if rel == "." {
		return "", true
	}
	return filepath.ToSlash(rel), true
}
