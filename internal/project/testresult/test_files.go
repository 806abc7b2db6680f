package testresult

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// IsTest reports whether a file is one of tests, or of what tests are held
// against, by the customs of the languages: how it is called, or the folder it
// lies in. What is code and test in one is none.
func IsTest(path string) bool {
	folders := strings.Split(path, "/")
	name := strings.ToLower(folders[len(folders)-1])
	for _, f := range folders[:len(folders)-1] {
		switch strings.ToLower(f) {
		case "test", "tests", "testdata", "testing", "spec", "specs", "__tests__", "__snapshots__", "fixtures", "golden", "e2e":
			return true
		}
	}
	stem, _, _ := strings.Cut(name, ".")
	return strings.HasPrefix(name, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") || name == "conftest.py" ||
		strings.Contains(name, ".test.") || strings.Contains(name, ".spec.") || javaTest().MatchString(folders[len(folders)-1])
}

// javaTest is how the tests of Java, Kotlin, Scala, C# and PHP are called.
var javaTest = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|groovy|cs|php|swift)$`)
})

// Installed reports whether a file is a package of somebody else's, by the
// folder that it lies in: a package manager puts it there, and puts it there
// again.
func Installed(file string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(folder string) bool { return slices.Contains(packages(), folder) })
}

func packages() []string {
	return []string{"node_modules", "bower_components", ".yarn", ".venv", "venv", "site-packages", ".tox", "vendor", ".bundle", "Pods", ".gradle", ".m2"}
}

// WithoutRegenerable leaves out of files that no commit holds those that nobody has to
// keep: packages that are installed, and what programs make again and say so by
// a file of a name that is agreed on (bford.info/cachedir).
func WithoutRegenerable(files []string) []string {
	caches := map[string]bool{}
	for _, f := range files {
		if path.Base(f) == "CACHEDIR.TAG" {
			caches[path.Dir(f)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool {
		again := Installed(f)
		for folder := path.Dir(f); folder != "." && folder != "/" && !again; folder = path.Dir(folder) {
			again = caches[folder] || path.Base(folder) == "__pycache__"
		}
		return again
	})
}
