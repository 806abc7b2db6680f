// Package repotest makes real git repositories for tests.
package repotest

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TB is what is needed of a test.
type TB interface {
	require.TestingT
	Helper()
	TempDir() string
}

var _ TB = testing.TB(nil)

// Env is an environment in which git knows nothing of the machine's or the
// person's configuration, nor of a repository around.
func Env() []string {
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "GIT_") })
	return append(env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "LC_ALL=C")
}

// Git runs git in a folder and returns what it wrote.
func Git(t TB, dir string, args ...string) string {
	t.Helper()
	out, err := Try(dir, args...)
	require.NoError(t, err, "git %s: %s", strings.Join(args, " "), out)
	return out
}

// Try runs git in a folder, which may fail.
func Try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, Env()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Init makes a repository on branch main in a new folder, with a person who
// has a name.
func Init(t TB, options ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	Git(t, dir, append([]string{"init", "-q", "-b", "main"}, options...)...)
	Git(t, dir, "config", "user.name", "A Person")
	Git(t, dir, "config", "user.email", "person@project.invalid")
	return dir
}

// Write puts files, by slash-separated path, into a folder.
func Write(t TB, dir string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(files[name]), 0o644))
	}
}

// Save commits all there is.
func Save(t TB, dir, message string) {
	t.Helper()
	Git(t, dir, "add", "-A")
	Git(t, dir, "commit", "-q", "--allow-empty", "-m", message)
}

// Project is a small Go module in a repository: its tests pass, and what
// [Features] describe is missing. It needs nothing but Go to be tested.
func Project(t TB) string {
	t.Helper()
	dir := Init(t)
	Write(t, dir, map[string]string{
		"go.mod":     "module scratch\n\ngo 1.21\n",
		"README.md":  "# scratch\n\nSmall functions on words.\n",
		".gitignore": "/bin/\n",
		"word/word.go": `// Package word does small things to words.
package word

import "strings"

// Count is the number of words in a text.
func Count(text string) int { return len(strings.Fields(text)) }
`,
		"word/word_test.go": `package word

import "testing"

func TestCount(t *testing.T) {
	if n := Count("one two  three"); n != 3 {
		t.Fatalf("three words are counted as %d", n)
	}
}
`,
	})
	Save(t, dir, "Count words")
	return dir
}

// Feature is one that can be built in a [Project].
type Feature struct {
	ID          string
	Description string
	DependsOn   []string
	Test        map[string]string // fails until the feature is there
	Wrong       map[string]string // an attempt that does not pass
	Right       map[string]string // one that does
}

// Features are two, of which the second calls the first.
func Features() []Feature {
	return []Feature{
		{
			ID: "F001", Description: "word.Reverse turns the order of the characters of a text round",
			Test: map[string]string{"word/reverse_test.go": `package word

import "testing"

func TestReverse(t *testing.T) {
	for text, want := range map[string]string{"": "", "abc": "cba", "naïve": "evïan"} {
		if got := Reverse(text); got != want {
			t.Errorf("%q is turned into %q, not %q", text, got, want)
		}
	}
}
`},
			Wrong: map[string]string{"word/reverse.go": `package word

// Reverse turns a text round.
func Reverse(text string) string {
	b := []byte(text)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}
`},
			Right: map[string]string{"word/reverse.go": `package word

// Reverse turns a text round, character by character.
func Reverse(text string) string {
	r := []rune(text)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}
`},
		},
		{
			ID: "F002", Description: "word.Palindrome says whether a text reads the same from both ends", DependsOn: []string{"F001"},
			Test: map[string]string{"word/palindrome_test.go": `package word

import "testing"

func TestPalindrome(t *testing.T) {
	for text, want := range map[string]bool{"": true, "level": true, "Level": true, "words": false} {
		if got := Palindrome(text); got != want {
			t.Errorf("%q: %v, not %v", text, got, want)
		}
	}
}
`},
			Wrong: map[string]string{"word/palindrome.go": `package word

// Palindrome reports whether a text reads the same from both ends.
func Palindrome(text string) bool { return text == Reverse(text) }
`},
			Right: map[string]string{"word/palindrome.go": `package word

import "strings"

// Palindrome reports whether a text reads the same from both ends, whatever
// the case of its letters.
func Palindrome(text string) bool {
	text = strings.ToLower(text)
	return text == Reverse(text)
}
`},
		},
	}
}
