package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Empty reports whether a project holds nothing to analyse: in all its folders,
// however deep, only Markdown, configuration, licences, files and folders whose
// name begins with a dot, and what campaigns left. except names further paths
// and folders of the project that do not count.
//
// Git says which files there are, ignored ones left out; outside a repository
// the folder is walked, and one with more than 100,000 files is not empty.
func Empty(dir string, except []string) (bool, error) {
	except = append(campaigns(), except...)
	counts := func(p string) bool {
		if !content(p) || matches(p, except) {
			return false
		}
		_, err := os.Lstat(filepath.Join(dir, p))
		return err == nil // git still lists what was deleted
	}
	files, err := tracked(dir)
	if err == nil {
		return !slices.ContainsFunc(files, counts), nil
	}
	found, err := findFile(dir, counts)
	if err != nil {
		return false, fmt.Errorf("look for something to analyse in %s: %w", dir, err)
	}
	return !found, nil
}

// tracked lists the files of a project as git has them, relative to the
// project. Nothing the repository is configured to do happens.
func tracked(dir string) ([]string, error) {
	r, err := openReadOnly(dir, "")
	if err != nil {
		return nil, err
	}
	defer r.close()
	return r.itemsIn(context.Background(), dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
}

// maxWalked bounds a walk outside git.
const maxWalked = 100_000

// errFound ends a walk.
var errFound = errors.New("found")

// findFile reports whether a file counts, or there are too many to say.
func findFile(dir string, counts func(string) bool) (bool, error) {
	seen := 0
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p) // both begin with dir
		if err != nil && rel == "." {
			return err
		}
		if d.IsDir() && rel != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if seen++; seen > maxWalked || err == nil && !d.IsDir() && counts(filepath.ToSlash(rel)) {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
}

// content reports whether a file is something to analyse, by its name.
func content(p string) bool {
	for part := range strings.SplitSeq(strings.TrimSuffix(p, "/"), "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	name := strings.ToLower(path.Base(p))
	switch path.Ext(name) {
	case ".md", ".markdown", ".mdx", // prose
		".json", ".jsonc", ".json5", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".config", ".properties", ".env", ".lock", ".plist":
		return false
	}
	switch name {
	case "go.mod", "go.sum", "go.work", "go.work.sum", "requirements.txt", "gemfile", "pipfile", "procfile", "codeowners", "pom.xml",
		"makefile", "gnumakefile", "justfile", "dockerfile", "containerfile", "vagrantfile", "manifest.in", "cname":
		return false
	}
	stem := strings.TrimSuffix(name, path.Ext(name))
	papers := []string{"license", "licence", "copying", "copyright", "notice", "unlicense", "readme", "authors", "contributors", "changelog"}
	if slices.Contains(papers, stem) {
		return !slices.Contains([]string{"", ".txt", ".rst", ".adoc", ".html"}, path.Ext(name))
	}
	return !strings.HasPrefix(name, "license-") && !strings.HasPrefix(name, "licence-")
}
