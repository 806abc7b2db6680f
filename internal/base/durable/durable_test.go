package durable_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/base/durable"
)

func open(t *testing.T) (*os.Root, string) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root, dir
}

func names(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestReplaceLeavesTheNewContentAndNothingElse(t *testing.T) {
	root, dir := open(t)
	for _, text := range []string{"old", "new"} {
		require.NoError(t, durable.Replace(root, "a.json", []byte(text), 0o600))
	}
	require.NoError(t, durable.ReplaceFile(filepath.Join(dir, "b.json"), []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.new"), []byte("c"), 0o600))
	require.NoError(t, durable.MoveFile(filepath.Join(dir, "c.new"), filepath.Join(dir, "c.db")))
	require.Equal(t, []string{"a.json", "b.json", "c.db"}, names(t, dir))
	data, err := root.ReadFile("a.json")
	require.NoError(t, err)
	require.Equal(t, "new", string(data))
}

func TestAWriteThatFailsLeavesWhatWasThere(t *testing.T) {
	root, dir := open(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "folder", "full"), 0o700))
	require.Error(t, durable.Replace(root, "folder", []byte("x"), 0o600), "a folder stands there")
	require.Error(t, durable.Replace(root, "nowhere/a", []byte("x"), 0o600))
	require.Error(t, durable.Replace(root, "../a", []byte("x"), 0o600), "it leads out")
	require.Error(t, durable.ReplaceFile(filepath.Join(dir, "nowhere", "a"), []byte("x"), 0o600))
	require.Error(t, durable.MoveFile(filepath.Join(dir, "nothing"), filepath.Join(dir, "a")))
	require.Equal(t, []string{"folder"}, names(t, dir))
}

// Whoever knows what is to be written cannot lay a link under the name that it
// bears meanwhile: it is another one each time.
func TestTheNameBesideIsAnotherEachTime(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		name := durable.TempName("inbox/a.json")
		require.True(t, strings.HasPrefix(name, "inbox/a.json.") && strings.HasSuffix(name, ".new"), name)
		require.False(t, seen[name])
		seen[name] = true
	}
}
