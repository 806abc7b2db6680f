package repo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo/repotest"
)

// mortal is git that dies at its nth call. Whoever called it is taken to have
// died with it, after all that was done before.
type mortal struct{ path, count string }

func newMortal(t *testing.T) mortal {
	dir := t.TempDir()
	m := mortal{filepath.Join(dir, "git"), filepath.Join(dir, "count")}
	script := `#!/bin/sh
read left < ` + m.count + `
echo $((left - 1)) > ` + m.count + `
[ $left = 0 ] && exit 129
exec git "$@"
`
	require.NoError(t, os.WriteFile(m.path, []byte(script), 0o755))
	return m
}

const forever = 1_000_000 // calls

// let says how many calls live before one dies.
func (m mortal) let(t *testing.T, calls int) {
	require.NoError(t, os.WriteFile(m.count, fmt.Appendln(nil, calls), 0o600))
}

// died reports whether the moment was reached.
func (m mortal) died(t *testing.T) bool {
	b, err := os.ReadFile(m.count)
	require.NoError(t, err)
	left, err := strconv.Atoi(strings.TrimSpace(string(b)))
	require.NoError(t, err)
	return left < 0
}

// scene is a project in the middle of a feature: every kind of a person's
// change and of the feature's.
func scene(t *testing.T) (string, string) {
	dir := start(t)
	repotest.Write(t, dir, map[string]string{"a": "staged\n", "tree/x": "x\n"})
	repotest.Git(t, dir, "add", "a")
	repotest.Write(t, dir, map[string]string{"a": "and more\n", "b": "mine\n", "notes": "mine\n"})
	was := snap(t, open(t, dir))
	repotest.Write(t, dir, map[string]string{"b": "both\n", "c": "feature\n", "new/file": "new\n", ".gitignore": "*.tmp\n", "x.tmp": "hidden\n"})
	remove(t, dir, "sub/d")
	remove(t, dir, "tree")
	repotest.Write(t, dir, map[string]string{"tree": "a file now\n"})
	repotest.Git(t, dir, "add", "-A")
	return dir, was
}

// outcome is what must be the same, whenever the program died.
func outcome(t *testing.T, dir string) map[string]string {
	p := picture(t, dir)
	delete(p, "refs") // commits have their own times
	p["status"] = strings.Join(status(t, dir), "\n")
	p["commits"] = repotest.Git(t, dir, "log", "--format=%T %s%n%b", "main")
	if _, err := repotest.Try(dir, "rev-parse", "-q", "--verify", shelf); err == nil {
		kept := strings.Split(repotest.Git(t, dir, "log", "--format=%T %s", shelf), "\n")
		slices.Sort(kept) // git lists by time
		p["aside"] = strings.Join(kept, "\n")
	}
	return p
}

func TestACrashAtAnyMomentIsMendedByCallingAgain(t *testing.T) {
	for name, act := range map[string]func(context.Context, *Repo, string) (any, error){
		"commit": func(ctx context.Context, r *Repo, since string) (any, error) {
			done, err := r.Commit(ctx, Commit{Since: since, Message: "Build it", Task: "F001"})
			done.ID, done.Already = "", false
			return done, err
		},
		"set aside": func(ctx context.Context, r *Repo, since string) (any, error) {
			return r.Stash(ctx, since, shelf, "Attempt 1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, was := scene(t)
			git := newMortal(t)
			try := func(dir string, calls int) (any, error) {
				git.let(t, forever)
				r, err := Open(dir, git.path)
				require.NoError(t, err)
				git.let(t, calls)
				return act(ctx, r, was)
			}
			whole := filepath.Join(t.TempDir(), "p")
			require.NoError(t, os.CopyFS(whole, os.DirFS(dir)))
			wantResult, err := try(whole, forever)
			require.NoError(t, err)
			want := outcome(t, whole)

			for calls := 0; ; calls++ {
				broken := filepath.Join(t.TempDir(), "p")
				require.NoError(t, os.CopyFS(broken, os.DirFS(dir)))
				_, err := try(broken, calls)
				if !git.died(t) {
					require.NoError(t, err)
					require.Greater(t, calls, 15, "so many calls were survived")
					return
				}
				result, err := act(ctx, open(t, broken), was)
				require.NoError(t, err, "call %d", calls)
				require.Equal(t, wantResult, result, "call %d", calls)
				require.Equal(t, want, outcome(t, broken), "call %d", calls)
			}
		})
	}
}

func TestWhatWasHalfPutBackIsCompleted(t *testing.T) {
	dir, was := scene(t)
	r := open(t, dir)
	now := picture(t, dir)
	files := aside(t, r, was)
	want := outcome(t, dir)
	// The same change again, of which a part is back already and a part is
	// neither here nor there.
	for name, held := range now {
		if strings.HasPrefix(name, "/new") || name == "/c" {
			_, text, _ := strings.Cut(held, " ")
			repotest.Write(t, dir, map[string]string{name[1:]: text})
		}
	}
	remove(t, dir, "b")
	require.Equal(t, files, aside(t, r, was))
	require.Equal(t, want, outcome(t, dir))
}
