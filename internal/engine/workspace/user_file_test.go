package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// crowded is a repository with everything in it that a name could lead to.
func crowded(t *testing.T) (project, elsewhere string) {
	t.Helper()
	top := t.TempDir()
	project, elsewhere = filepath.Join(top, "repo"), filepath.Join(top, "elsewhere")
	for _, dir := range []string{
		".git/hooks", ".git/objects", ".git/refs", "sub/.git", "sub/.claude", ".claude/commands", ".deep-review", "research/20260222-143000-a1b2c3",
		"out", "x", "docs_git/objects", "docs_git/refs", "docs_git/hooks", ".GIT", ".git\u200c", ".g\u0131t", "GIT~1", ".git.", ".git ", "closed",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(project, dir), 0o755))
	}
	require.NoError(t, os.Mkdir(elsewhere, 0o755))
	for _, name := range []string{".git/config", ".git/HEAD", "docs_git/HEAD", "docs_git/config", ".claude/settings.json", "README.md", "CLAUDE.md", "research/20260222-143000-a1b2c3/journal.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(project, name), []byte("mine"), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(project, "empty.md"), nil, 0o644))
	require.NoError(t, proctest.NamedPipe(filepath.Join(project, "fifo")))
	for name, to := range map[string]string{
		"link.md": filepath.Join(elsewhere, "out.md"), "linkdir": elsewhere, "linkgit": ".git", "dangling.md": ".git/hooks/post-commit", "loop": "loop", "linkout": "out",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(project, name)))
	}
	require.NoError(t, os.Link(filepath.Join(project, ".git/config"), filepath.Join(project, "hard.md")))
	return project, elsewhere
}

// everything is the text of every file below a folder.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		all[p] = string(data)
		return err
	}))
	return all
}

func TestAPersonsFileGoesNowhereButInsideTheProject(t *testing.T) {
	project, elsewhere := crowded(t)
	const (
		git, host, link, out, there, review, run = "git's own", "Claude Code's own", "a link is on the way", "leads out", "stands there already", "reviews keep", "a run's own"
		other, missing, noName                   = "something else than a file", "its folder is not there", "no name of a file"
	)
	for name, problem := range map[string]string{
		".git/config": git, ".GIT/config": git, ".Git/hooks/pre-commit": git, "./.git/config": git, "x/../.git/config": git, "sub/.git/x.md": git,
		".git": git, ".git/": git, ".git/../.git/config": git, ".gitmodules": git, ".git\u200c/config": git, "GIT~1/config": git, `.git\config`: git,
		".git./config": git, ".git /config": git, "docs_git/config": git, "docs_git/hooks/post-commit": git, ".git/../x.md": git,
		".claude/settings.json": host, ".CLAUDE/settings.json": host, ".claude/deep-research.local.md": host, "sub/.claude/x.md": host, ".claude/commands/new.md": host,
		"link.md": other, "dangling.md": other, "loop": other, "loop/x.md": link, "linkdir/out.md": link, "linkgit/config": link, "linkout/new.md": link,
		"hard.md": there, "README.md": there, "empty.md": there, "CLAUDE.md": there, "AGENTS.md": "later sessions obey", "sub/claude.md": "later sessions obey",
		"out": other, "fifo": other, "research/20260222-143000-a1b2c3/journal.jsonl": run, "research/20260222-143000-a1b2c3/new.md": run, ".deep-review/state.json": review,
		"../out.md": out, "research/../../x.md": out, "/etc/cron.d/x": out, "/dev/stdout": out, filepath.Join(project, ".git/config"): out, "../repo/.git/config": out,
		"": noName, " ": noName, "-": noName, "a\nb.md": noName, "\x1b[2J": noName, "missing/new.md": missing, "~/.ssh/authorized_keys": missing, "README.md/x": missing,
		strings.Repeat("x", 300): "too long",
	} {
		before := everything(t, filepath.Dir(project))
		require.ErrorContains(t, workspace.CheckWritable(project, name, workspace.Replaceable{}), problem, "%q", name)
		require.Error(t, workspace.WriteUserFile(project, name, []byte("ours"), workspace.Replaceable{}), "%q", name)
		require.Equal(t, before, everything(t, filepath.Dir(project)), "%q", name)
	}
	for _, name := range []string{"new.md", "out/new.md", "-rf", "$(id).md", "out/./twice.md"} {
		require.NoError(t, workspace.CheckWritable(project, name, workspace.Replaceable{}), name)
		require.NoError(t, workspace.WriteUserFile(project, name, []byte("ours"), workspace.Replaceable{}), name)
		got, err := os.ReadFile(filepath.Join(project, name))
		require.NoError(t, err)
		require.Equal(t, "ours", string(got), name)
	}
	left, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestForceReplacesAFileAndNothingElse(t *testing.T) {
	project, elsewhere := crowded(t)
	force := workspace.Replaceable{Any: true}
	for _, name := range []string{"README.md", "empty.md", "hard.md", "CLAUDE.md", "AGENTS.md"} {
		require.NoError(t, workspace.WriteUserFile(project, name, []byte("ours"), force), name)
	}
	config, err := os.ReadFile(filepath.Join(project, ".git/config"))
	require.NoError(t, err)
	require.Equal(t, "mine", string(config), "another name of the same file keeps its bytes")
	for _, name := range []string{".git/config", "docs_git/config", ".claude/settings.json", "link.md", "linkdir/out.md", "linkgit/config", "fifo", "out", "../out.md", ".deep-review/x"} {
		require.Error(t, workspace.WriteUserFile(project, name, []byte("ours"), force), name)
	}
	left, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestWhatWasDeliveredIsDeliveredAgainUntilAPersonChangesIt(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, workspace.WriteUserFile(project, "report.md", []byte("first"), workspace.Replaceable{}))
	own := workspace.Replaceable{Own: workspace.Sum([]byte("first"))}
	require.NoError(t, workspace.WriteUserFile(project, "report.md", []byte("second"), own))
	require.Error(t, workspace.WriteUserFile(project, "report.md", []byte("third"), own), "it holds something else by now")
}
