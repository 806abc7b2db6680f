package durable_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/durable"
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

// A file that cannot take its place is still there, whole, to be tried again.
func TestAMoveThatFailsKeepsTheNewFile(t *testing.T) {
	_, dir := open(t)
	from := filepath.Join(dir, "index.new")
	require.NoError(t, os.WriteFile(from, []byte("new"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "index", "full"), 0o700))
	require.Error(t, durable.MoveFile(from, filepath.Join(dir, "index")), "a folder stands there")
	require.Error(t, durable.MoveFile(from, filepath.Join(dir, "nowhere", "index")), "its folder is missing")
	require.Error(t, durable.MoveFile(filepath.Join(dir, "index"), filepath.Join(dir, "other")), "only files are moved")
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	require.Equal(t, "new", string(data))
	require.Equal(t, []string{"index", "index.new"}, names(t, dir))
}

// Who is told that the names of a folder are on disk may rely on it.
func TestNoFolderIsCalledSyncedThatIsNotThere(t *testing.T) {
	root, dir := open(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "inbox"), 0o700))
	require.NoError(t, durable.SyncDir(root, "inbox"))
	require.ErrorIs(t, durable.SyncDir(root, "outbox"), os.ErrNotExist)
	require.Error(t, durable.SyncDir(root, ".."), "it leads out")
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
