package repo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo/repotest"
)

var ctx = context.Background()

// failsUntouched runs both ways of ending a feature, of which each must refuse
// with an error and leave everything as it is.
func failsUntouched(t *testing.T, r *Repo, since string, want error) {
	t.Helper()
	before := picture(t, r.root)
	_, err := r.Commit(ctx, Commit{Since: since, Message: "m", Task: "F001"})
	require.ErrorIs(t, err, want)
	_, err = r.Stash(ctx, since, shelf, "m")
	require.ErrorIs(t, err, want)
	require.Equal(t, before, picture(t, r.root))
}

// picture is all that a person sees of a repository: files, index, refs.
func picture(t repotest.TB, dir string) map[string]string {
	files := map[string]string{
		"index": repotest.Git(t, dir, "ls-files", "-s"),
		"refs":  repotest.Git(t, dir, "for-each-ref", "refs/heads", "refs/research-council/run"),
	}
	require.NoError(t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || d.IsDir() {
			return err
		}
		text, _ := os.Readlink(p)
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text = string(b)
		}
		files[strings.TrimPrefix(p, dir)] = fmt.Sprintf("%v %s", info.Mode(), text)
		return nil
	}))
	return files
}

func TestOutsideARepository(t *testing.T) {
	_, err := Open(t.TempDir(), "")
	require.ErrorIs(t, err, ErrNoRepository)
	require.ErrorContains(t, err, "git init")
	_, err = Open(filepath.Join(t.TempDir(), "missing"), "")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(t.TempDir(), filepath.Join(t.TempDir(), "no-git"))
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrNoRepository, "what cannot be asked is not known")

	bare := repotest.Init(t, "--bare")
	_, err = Open(bare, "")
	require.ErrorIs(t, err, ErrNoWorkTree)
	_, err = Open(filepath.Join(start(t), ".git"), "")
	require.ErrorIs(t, err, ErrNoWorkTree)
}

func TestABrokenRepositoryIsNotNone(t *testing.T) {
	dir := t.TempDir()
	repotest.Write(t, dir, map[string]string{".git": "gitdir: /nowhere/at/all\n"})
	_, err := Open(dir, "")
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrNoRepository)
}

func TestHalfDoneWorkOfGitIsWaitedFor(t *testing.T) {
	for name, begin := range map[string]func(t *testing.T, dir string){
		"merge": func(t *testing.T, dir string) {
			_, err := repotest.Try(dir, "merge", "other")
			require.Error(t, err)
		},
		"rebase": func(t *testing.T, dir string) {
			_, err := repotest.Try(dir, "rebase", "other")
			require.Error(t, err)
		},
		"cherry-pick": func(t *testing.T, dir string) {
			_, err := repotest.Try(dir, "cherry-pick", "other")
			require.Error(t, err)
		},
		"revert": func(t *testing.T, dir string) {
			_, err := repotest.Try(dir, "revert", "--no-edit", "HEAD~1")
			require.Error(t, err)
		},
		"a stash with a conflict": func(t *testing.T, dir string) {
			repotest.Write(t, dir, map[string]string{"a": "stashed\n"})
			repotest.Git(t, dir, "stash")
			repotest.Write(t, dir, map[string]string{"a": "third\n"})
			repotest.Save(t, dir, "Third")
			_, err := repotest.Try(dir, "stash", "pop")
			require.Error(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := start(t)
			repotest.Git(t, dir, "switch", "-q", "-c", "other")
			repotest.Write(t, dir, map[string]string{"a": "other\n"})
			repotest.Save(t, dir, "Other")
			repotest.Git(t, dir, "switch", "-q", "main")
			repotest.Write(t, dir, map[string]string{"a": "ours\n"})
			repotest.Save(t, dir, "Ours")
			repotest.Write(t, dir, map[string]string{"a": "ours again\n"})
			repotest.Save(t, dir, "Ours again")
			r := open(t, dir)
			was := snap(t, r)
			begin(t, dir)
			require.ErrorIs(t, r.Ready(ctx), ErrBusy)
			failsUntouched(t, r, was, ErrBusy)
			_, err := r.Snapshot(ctx)
			require.ErrorIs(t, err, ErrBusy)
			require.NotEmpty(t, changed(t, r, was))
		})
	}
}

func TestALockedIndex(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	was := snap(t, r)
	repotest.Write(t, dir, map[string]string{"c": "feature\n", ".git/index.lock": ""})
	require.Equal(t, []string{"c"}, changed(t, r, was), "looking needs no lock")
	failsUntouched(t, r, was, ErrLocked)

	r.history.lockTimeout = time.Minute
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err := r.Commit(cancelled, Commit{Since: was})
	require.ErrorIs(t, err, context.Canceled)

	freed := make(chan error)
	go func() { freed <- os.Remove(filepath.Join(dir, ".git/index.lock")) }()
	require.Equal(t, []string{"c"}, commit(t, r, was).Files)
	require.NoError(t, <-freed)
}

func TestADetachedHead(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	was := snap(t, r)
	repotest.Git(t, dir, "switch", "-q", "--detach")
	repotest.Write(t, dir, map[string]string{"c": "feature\n"})
	require.ErrorIs(t, r.Ready(ctx), ErrDetached)
	_, err := r.Commit(ctx, Commit{Since: was, Message: "m"})
	require.ErrorIs(t, err, ErrDetached)
	require.Equal(t, []string{"c"}, aside(t, r, was), "setting aside needs no branch")
	require.Equal(t, "c\n", read(t, dir, "c"))
}

func TestARepositoryWithoutCommits(t *testing.T) {
	for name, options := range map[string][]string{"SHA-1": nil, "SHA-256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			dir := repotest.Init(t, options...)
			r := open(t, dir)
			head, err := r.HeadCommit(ctx)
			require.NoError(t, err)
			require.Empty(t, head)
			first := snap(t, r)
			require.Nil(t, aside(t, r, first))
			repotest.Write(t, dir, map[string]string{"mine": "mine\n"})
			was := snap(t, r)
			repotest.Write(t, dir, map[string]string{"one": "1\n"})
			require.Equal(t, []string{"one"}, aside(t, r, was))
			require.NoFileExists(t, filepath.Join(dir, "one"))
			repotest.Write(t, dir, map[string]string{"one": "1\n"})
			done := commit(t, r, was)
			require.Equal(t, []string{"A\tone"}, held(t, dir, done.ID))
			require.Equal(t, []string{"?? mine"}, status(t, dir))
			head, err = r.HeadCommit(ctx)
			require.NoError(t, err)
			require.Equal(t, done.ID, head)
			again := commit(t, r, was)
			require.Equal(t, Committed{ID: done.ID, Files: []string{"one"}, Already: true}, again)
		})
	}
}

func TestABranchThatWasMovedFromOutside(t *testing.T) {
	// A commit made in another work tree of the branch, or pushed to it, moves
	// HEAD but neither index nor work tree.
	move := func(t *testing.T, dir string, files map[string]string) {
		other := filepath.Join(t.TempDir(), "other")
		repotest.Git(t, dir, "worktree", "add", "-q", "--detach", other)
		repotest.Write(t, other, files)
		repotest.Save(t, other, "From outside")
		repotest.Git(t, dir, "update-ref", "refs/heads/main", strings.TrimSpace(repotest.Git(t, other, "rev-parse", "HEAD")))
	}
	t.Run("elsewhere", func(t *testing.T) {
		dir := start(t)
		r := open(t, dir)
		was := snap(t, r)
		move(t, dir, map[string]string{"a": "outside\n"})
		repotest.Write(t, dir, map[string]string{"c": "feature\n"})
		done := commit(t, r, was)
		require.Equal(t, []string{"M\tc"}, held(t, dir, done.ID))
		require.Equal(t, "outside\n", repotest.Git(t, dir, "show", "HEAD:a"))
	})
	t.Run("in the same file", func(t *testing.T) {
		dir := start(t)
		r := open(t, dir)
		was := snap(t, r)
		move(t, dir, map[string]string{"c": "outside\n"})
		repotest.Write(t, dir, map[string]string{"c": "feature\n"})
		before := picture(t, dir)
		_, err := r.Commit(ctx, Commit{Since: was, Message: "m"})
		require.ErrorIs(t, err, ErrMoved)
		require.Equal(t, before, picture(t, dir))
	})
}

func TestAnotherBranchIsCheckedOutMeanwhile(t *testing.T) {
	dir := start(t)
	repotest.Git(t, dir, "switch", "-q", "-c", "other")
	repotest.Write(t, dir, map[string]string{"a": "other\n"})
	repotest.Save(t, dir, "Other")
	repotest.Git(t, dir, "switch", "-q", "main")
	r := open(t, dir)
	was := snap(t, r)
	repotest.Git(t, dir, "switch", "-q", "other")
	repotest.Write(t, dir, map[string]string{"c": "feature\n"})
	done := commit(t, r, was)
	require.Equal(t, []string{"M\tc"}, held(t, dir, done.ID))
	require.Equal(t, done.ID+"\n", repotest.Git(t, dir, "rev-parse", "other"))
}

func TestAWorkerThatCommitsItself(t *testing.T) {
	begin := func(t *testing.T) (string, *Repo, string) {
		dir := start(t)
		repotest.Write(t, dir, map[string]string{"a": "mine\n", "notes": "mine\n"})
		r := open(t, dir)
		was := snap(t, r)
		repotest.Write(t, dir, map[string]string{"c": "feature\n", "new": "new\n"})
		repotest.Save(t, dir, "I did it")
		return dir, r, was
	}
	t.Run("is not committed again", func(t *testing.T) {
		dir, r, was := begin(t)
		head := strings.TrimSpace(repotest.Git(t, dir, "rev-parse", "HEAD"))
		require.Equal(t, Committed{ID: head, Files: []string{"c", "new"}, Already: true}, commit(t, r, was))
	})
	t.Run("has only the rest committed", func(t *testing.T) {
		dir, r, was := begin(t)
		repotest.Write(t, dir, map[string]string{"c": "more\n"})
		require.Equal(t, []string{"M\tc"}, held(t, dir, commit(t, r, was).ID))
	})
	t.Run("is taken back by a commit", func(t *testing.T) {
		dir, r, was := begin(t)
		theirs := strings.TrimSpace(repotest.Git(t, dir, "rev-parse", "HEAD"))
		require.Equal(t, []string{"c", "new"}, aside(t, r, was))
		require.Equal(t, []string{" M a", "?? notes"}, status(t, dir), "as before")
		require.Equal(t, "mine\n", read(t, dir, "a"))
		require.Empty(t, repotest.Git(t, dir, "diff", "HEAD~2", "HEAD"))
		require.Equal(t, theirs+"\n", repotest.Git(t, dir, "rev-parse", "HEAD~1"), "no history is lost")
		require.Equal(t, []string{"c", "new"}, aside(t, r, was))
		require.Equal(t, theirs+"\n", repotest.Git(t, dir, "rev-parse", "HEAD~1"))
	})
	t.Run("in a name of its own too", func(t *testing.T) {
		dir, r, was := begin(t)
		repotest.Git(t, dir, "-c", "user.name=W", "-c", "user.email=w@x", "commit", "-q", "--amend", "--reset-author", "-m", "I did it")
		require.Equal(t, []string{"c", "new"}, aside(t, r, was))
		require.Empty(t, repotest.Git(t, dir, "diff", "HEAD~2", "HEAD"))
	})
	t.Run("but what others did is not", func(t *testing.T) {
		dir, r, was := begin(t)
		other := filepath.Join(t.TempDir(), "other")
		repotest.Git(t, dir, "worktree", "add", "-q", "--detach", other)
		repotest.Git(t, other, "-c", "user.name=Other", "-c", "user.email=other@project.invalid", "commit", "-q", "--allow-empty", "-m", "Theirs")
		repotest.Git(t, dir, "merge", "-q", "--ff-only", strings.TrimSpace(repotest.Git(t, other, "rev-parse", "HEAD")))
		before := picture(t, dir)
		_, err := r.Stash(ctx, was, shelf, "m")
		require.ErrorIs(t, err, ErrMoved)
		require.Equal(t, before, picture(t, dir))
	})
}

func TestAPersonsOwnCommitMeanwhileIsNotTheFeatures(t *testing.T) {
	dir := start(t)
	repotest.Write(t, dir, map[string]string{"a": "mine\n"})
	r := open(t, dir)
	was := snap(t, r)
	repotest.Write(t, dir, map[string]string{"c": "feature\n"})
	repotest.Git(t, dir, "commit", "-q", "-m", "Mine", "--", "a")
	require.Equal(t, []string{"c"}, aside(t, r, was))
	require.Equal(t, "Mine\n", repotest.Git(t, dir, "log", "-1", "--format=%s"))
	repotest.Write(t, dir, map[string]string{"c": "feature\n", "a": "mine, and the feature's\n"})
	require.Equal(t, []string{"M\ta", "M\tc"}, held(t, dir, commit(t, r, was).ID), "their change is safe in history")
}

func TestWhatBothHandsChangedIsKept(t *testing.T) {
	dir := start(t)
	repotest.Write(t, dir, map[string]string{"a": "staged\n", "b": "staged\n"})
	repotest.Git(t, dir, "add", "a", "b")
	repotest.Write(t, dir, map[string]string{"b": "b\n", "notes": "mine\n"}) // b: staged, then taken back
	r := open(t, dir)
	was := snap(t, r)
	repotest.Write(t, dir, map[string]string{"a": "both\n", "b": "feature\n", "notes": "both\n", "c": "feature\n", "skip/it": "x", "ski": "y"})
	done, err := r.Commit(ctx, Commit{Since: was, Message: "m", Task: "F001", Exclude: []string{"skip/", "s*i"}})
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c"}, done.Files)
	require.Equal(t, []string{"a", "notes"}, done.Kept)
	require.Equal(t, "staged\n", repotest.Git(t, dir, "show", ":a"))
	require.Equal(t, "staged\n", repotest.Git(t, dir, "show", ":b"), "what was staged stays, even of a committed file")
	require.Equal(t, []string{"MM a", "MM b", "?? notes", "?? ski", "?? skip/it"}, status(t, dir))
	again := commit(t, r, was)
	require.Equal(t, done.Kept, again.Kept)
}

func TestNothingToCommit(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	was := snap(t, r)
	require.Equal(t, Committed{}, commit(t, r, was))
	require.Nil(t, aside(t, r, was))
	require.Equal(t, "1\n", repotest.Git(t, dir, "rev-list", "--count", "HEAD"))
	_, err := repotest.Try(dir, "rev-parse", "--verify", "-q", shelf)
	require.Error(t, err, "no ref without a change")
}

func TestFoldersOfTheCampaignAreNeverTheFeatures(t *testing.T) {
	for name, sub := range map[string]string{"at the top": "", "in a folder": "app/"} {
		t.Run(name, func(t *testing.T) {
			dir := start(t)
			repotest.Write(t, dir, map[string]string{sub + "docs/research-x/x-state.md": "1", sub + "research/r/journal.jsonl": "1"})
			repotest.Save(t, dir, "Campaign")
			r := open(t, filepath.Join(dir, sub))
			was := snap(t, r)
			repotest.Write(t, dir, map[string]string{
				sub + "docs/research-x/x-state.md": "2", sub + "docs/research-x/new.tex": "2", sub + "research/r/journal.jsonl": "2",
				sub + "research/s/new": "2", sub + ".claude/deep-research.local.md": "2",
				sub + "docs/guide.md": "feature", sub + "src/research/x": "feature", "c": "feature",
			})
			want := []string{"c", sub + "docs/guide.md", sub + "src/research/x"}
			require.ElementsMatch(t, want, changed(t, r, was))
			require.ElementsMatch(t, want, aside(t, r, was))
			require.Equal(t, "2", read(t, dir, sub+"docs/research-x/x-state.md"))
			require.FileExists(t, filepath.Join(dir, sub, ".claude/deep-research.local.md"))
			repotest.Write(t, dir, map[string]string{"c": "feature"})
			require.Equal(t, []string{"c"}, commit(t, r, was).Files)
		})
	}
}

func TestALinkedWorkTree(t *testing.T) {
	dir := start(t)
	other := filepath.Join(t.TempDir(), "other")
	repotest.Git(t, dir, "worktree", "add", "-q", "-b", "feature", other)
	r := open(t, other)
	was := snap(t, r)
	repotest.Write(t, other, map[string]string{"c": "feature\n"})
	require.Equal(t, []string{"c"}, aside(t, r, was))
	repotest.Write(t, other, map[string]string{"c": "feature\n"})
	done := commit(t, r, was)
	require.Equal(t, done.ID+"\n", repotest.Git(t, dir, "rev-parse", "feature"))
	require.Empty(t, status(t, dir))
	require.Empty(t, status(t, other))
}

func TestSubmodulesAndRepositoriesInsideAreTheirOwn(t *testing.T) {
	lib := start(t)
	dir := start(t)
	repotest.Git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "lib")
	repotest.Save(t, dir, "Library")
	repotest.Git(t, dir, "init", "-q", "fresh") // without a commit: git add refuses it
	repotest.Write(t, dir, map[string]string{"fresh/x": "x"})
	r := open(t, dir)
	was := snap(t, r)
	sub := filepath.Join(dir, "lib")
	repotest.Write(t, sub, map[string]string{"a": "changed inside\n"})
	repotest.Git(t, sub, "-c", "user.name=x", "-c", "user.email=x@project.invalid", "commit", "-qam", "Inside")
	repotest.Write(t, dir, map[string]string{"c": "feature\n", "fresh/y": "y", "lib/b": "dirty inside\n"})
	require.Equal(t, []string{"c", "lib"}, changed(t, r, was))
	done := commit(t, r, was)
	require.Equal(t, []string{"c"}, done.Files)
	require.Equal(t, []string{"lib"}, done.Kept)
	repotest.Write(t, dir, map[string]string{"c": "more\n"})
	was = snap(t, r)
	repotest.Git(t, sub, "-c", "user.name=x", "-c", "user.email=x@project.invalid", "commit", "-qam", "Inside again")
	remove(t, dir, "fresh/.git")
	require.Nil(t, aside(t, r, was))
	require.FileExists(t, filepath.Join(dir, "fresh/x"), "no repository any more, but nobody's to delete")
	require.Equal(t, "dirty inside\n", read(t, sub, "b"))
}

func TestASparseCheckout(t *testing.T) {
	for name, sparse := range map[string][]string{"full index": {"--no-sparse-index"}, "sparse index": {"--sparse-index"}} {
		t.Run(name, func(t *testing.T) {
			dir := start(t)
			repotest.Write(t, dir, map[string]string{"out/x": "x\n", "out/deep/y": "y\n"})
			repotest.Save(t, dir, "More")
			repotest.Git(t, dir, append(append([]string{"sparse-checkout", "set", "--cone"}, sparse...), "sub")...)
			require.NoDirExists(t, filepath.Join(dir, "out"))
			r := open(t, dir)
			was := snap(t, r)
			require.Empty(t, changed(t, r, was))
			repotest.Write(t, dir, map[string]string{"sub/d": "feature\n"})
			require.Equal(t, []string{"sub/d"}, aside(t, r, was))
			repotest.Write(t, dir, map[string]string{"sub/d": "feature\n"})
			done := commit(t, r, was)
			require.Equal(t, []string{"M\tsub/d"}, held(t, dir, done.ID))
			require.Equal(t, "x\n", repotest.Git(t, dir, "show", "HEAD:out/x"))
			require.NoDirExists(t, filepath.Join(dir, "out"))
			require.Empty(t, status(t, dir))
		})
	}
}

func TestNothingThatIgnoredFilesUncoverIsTheFeatures(t *testing.T) {
	dir := start(t)
	repotest.Write(t, dir, map[string]string{".gitignore": ".env\n/vendor/\n", "sub/.gitignore": "*.key\n"})
	repotest.Save(t, dir, "Ignore")
	repotest.Write(t, dir, map[string]string{".env": "SECRET", "vendor/x": "x", "sub/a.key": "SECRET", "notes": "mine"})
	r := open(t, dir)
	was := snap(t, r)
	feature := map[string]string{".gitignore": "notes\n", "c": "feature\n", "vendor/new": "x"}
	repotest.Write(t, dir, feature)
	remove(t, dir, "sub/.gitignore")
	require.Equal(t, []string{".gitignore", "c", "sub/.gitignore"}, aside(t, r, was))
	for name, text := range map[string]string{".env": "SECRET", "vendor/x": "x", "sub/a.key": "SECRET", "notes": "mine"} {
		require.Equal(t, text, read(t, dir, name))
	}
	repotest.Write(t, dir, feature)
	repotest.Write(t, dir, map[string]string{"notes": "both"}) // ignored by now
	remove(t, dir, "sub/.gitignore")
	done := commit(t, r, was)
	require.Equal(t, []string{".gitignore", "c", "sub/.gitignore"}, done.Files)
	require.Equal(t, []string{"notes"}, done.Kept)
	repotest.Git(t, dir, "cat-file", "-e", was)
}

func TestGitsOwnSettingsDoNotSurprise(t *testing.T) {
	dir := start(t)
	trap := filepath.Join(dir, ".git/trap")
	for _, hook := range []string{"pre-commit", "commit-msg", "post-commit", "post-index-change", "reference-transaction", "pre-push"} {
		file := filepath.Join(dir, ".git/hooks", hook)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\necho "+hook+" >> '"+trap+"'\nexit 1\n"), 0o755))
	}
	for name, value := range map[string]string{
		"commit.gpgSign": "true", "gpg.program": "false", "core.editor": "false", "core.fsmonitor": "false", "core.safecrlf": "true",
		"core.autocrlf": "input", "i18n.commitEncoding": "ISO-8859-1", "commit.template": "/nowhere", "core.quotePath": "true",
		"diff.renames": "copies", "diff.noprefix": "true", "diff.external": "false", "status.showUntrackedFiles": "no",
		"trailer.x.command": "touch '" + trap + "'", "core.splitIndex": "true", "core.untrackedCache": "true", "color.ui": "always",
		"log.showSignature": "true", "push.default": "matching", "remote.origin.url": "/nowhere",
	} {
		repotest.Git(t, dir, "config", name, value)
	}
	r := open(t, dir)
	was := snap(t, r)
	repotest.Write(t, dir, map[string]string{"c": "feature\r\nüber\n", "moved": "a\n"})
	remove(t, dir, "a")
	require.Equal(t, []string{"a", "c", "moved"}, aside(t, r, was))
	repotest.Write(t, dir, map[string]string{"c": "feature\r\nüber\n", "moved": "a\n"})
	remove(t, dir, "a")
	done, err := r.Commit(ctx, Commit{Since: was, Message: "Über", Task: "F001"})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "c", "moved"}, done.Files)
	require.Contains(t, repotest.Git(t, dir, "cat-file", "commit", "HEAD"), "Über\n\nCouncil-Task: F001\n")
	require.NoFileExists(t, trap)
}

func TestVariablesOfGitAreNotFollowed(t *testing.T) {
	other := start(t)
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other, ".git/index"))
	t.Setenv("GIT_AUTHOR_NAME", "Set Here")
	dir := start(t)
	r := open(t, dir)
	require.Equal(t, dir, r.root)
	was := snap(t, r)
	repotest.Write(t, dir, map[string]string{"c": "feature\n"})
	commit(t, r, was)
	require.Equal(t, "Set Here <person@project.invalid>\n", repotest.Git(t, dir, "log", "-1", "--format=%an <%ae>"), "who the user is stays")
}

func TestAUserWithoutAName(t *testing.T) {
	dir := start(t)
	repotest.Git(t, dir, "config", "--unset", "user.email")
	r := open(t, dir)
	was := snap(t, r)
	repotest.Write(t, dir, map[string]string{"c": "feature\n"})
	commit(t, r, was)
	require.Equal(t, "research-council <research-council@localhost.invalid>\n", repotest.Git(t, dir, "log", "-1", "--format=%cn <%ce>"))
}

func TestSnapshotsAreForgottenInTime(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	for i := range maxSnapshots + 2 {
		repotest.Write(t, dir, map[string]string{"c": fmt.Sprint(i)})
		snap(t, r)
	}
	require.Len(t, strings.Fields(repotest.Git(t, dir, "for-each-ref", "--format=%(refname)", snapshots)), maxSnapshots)
	for _, since := range []string{strings.Repeat("f", 40), "main", "--all", ""} {
		failsUntouched(t, r, since, ErrNoSnapshot)
		_, err := changedSince(r, since)
		require.ErrorIs(t, err, ErrNoSnapshot)
	}
}

func TestRefsForWhatIsSetAside(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	was := snap(t, r)
	repotest.Write(t, dir, map[string]string{"c": "feature\n"})
	for _, ref := range []string{"", "main", "refs/heads/main", "refs/research-council/", "refs/research-council/a b", "refs/research-council/../heads/main", snapshots + was} {
		_, err := r.Stash(ctx, was, ref, "m")
		require.Error(t, err, ref)
	}
	require.Equal(t, "feature\n", read(t, dir, "c"))

	require.Equal(t, []string{"c"}, aside(t, r, was))
	repotest.Write(t, dir, map[string]string{"c": "second\n"})
	require.Equal(t, []string{"c"}, aside(t, r, was))
	require.Equal(t, "second\n", repotest.Git(t, dir, "show", shelf+":c"))
	require.Equal(t, "feature\n", repotest.Git(t, dir, "show", shelf+"^1^2:c"), "the first attempt is not lost")
	repotest.Git(t, dir, "cherry-pick", shelf)
	require.Equal(t, "second\n", read(t, dir, "c"))
}

func TestACallEndsWithItsContext(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	hang := filepath.Join(t.TempDir(), "git")
	require.NoError(t, os.WriteFile(hang, []byte("#!/bin/sh\ntrap '' TERM\necho $$ > "+hang+".pid\nwhile :; do sleep 100; done\n"), 0o755))
	r.program = hang
	short, cancel := context.WithCancel(ctx)
	go func() {
		for {
			if b, err := os.ReadFile(hang + ".pid"); err == nil && len(b) > 0 {
				cancel()
				return
			}
		}
	}()
	_, err := r.HeadCommit(short)
	require.ErrorIs(t, err, context.Canceled)
}
