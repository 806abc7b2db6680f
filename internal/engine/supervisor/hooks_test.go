package supervisor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// hook gives the repository a commit hook.
func (c *councilRun) hook(name, script string) {
	file := filepath.Join(c.project, ".git/hooks", name)
	require.NoError(c, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(c, os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

func (c *councilRun) first() feature.Feature {
	list, err := feature.Parse([]byte(c.paper(campaign.Features)))
	require.NoError(c, err)
	f, _ := list.Find("F001")
	return f
}

func TestAFeatureACommitHookRefusesHasNotPassed(t *testing.T) {
	t.Run("with the user's rights", func(t *testing.T) { refusedOnce(t, newBuilding(t)) })
	t.Run("in a box", func(t *testing.T) {
		c := newBuilding(t)
		boxed(t)
		refusedOnce(t, c)
	})
}

func refusedOnce(t *testing.T, c *councilRun) {
	config, err := os.ReadFile(filepath.Join(c.project, ".git/config"))
	require.NoError(t, err)
	c.hook("pre-commit", `echo "[alias]" 2>/dev/null >> .git/config; [ -e .git/asked ] || { : > .git/asked; echo "no console.log please"; exit 1; }; echo ran >> .git/hook-ran`)
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	f := c.first()
	require.Equal(t, feature.Passed, f.State)
	require.Equal(t, 1, f.Attempts, "the refused attempt counts, and the next was told why")
	require.Contains(t, c.paper(campaign.Progress), "no console.log please")
	ran, err := os.ReadFile(filepath.Join(c.project, ".git/hook-ran"))
	require.NoError(t, err)
	require.Equal(t, strings.Count(c.git("log", "--format=%s"), ": "), strings.Count(string(ran), "ran\n"), "once a commit")
	require.Contains(t, c.git("status", "--porcelain"), "?? mine.txt")
	now, err := os.ReadFile(filepath.Join(c.project, ".git/config"))
	require.NoError(t, err)
	require.Equal(t, string(config), string(now), "what git obeys stays as it was, whatever a hook calls")
}

func TestWithNoHooksNoneRunsAndItIsSaid(t *testing.T) {
	t.Parallel()
	c := newBuilding(t)
	c.hook("pre-commit", "exit 1")
	campaign.Of(c.setup.Own).NoHooks = true
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Contains(t, c.git("log", "--format=%s"), "F001: One")
	require.Contains(t, c.paper(campaign.Progress), "commit hooks do not run (--no-hooks)")
}

func TestAHookThatCannotRunIsWaitedFor(t *testing.T) {
	t.Parallel()
	c := newBuilding(t)
	c.hook("pre-commit", `exec .git/hooks/runner`)
	c.begin()
	ended := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(c.Context(), c.options())
		ended <- err
	}()
	until(t, "the outage is told", func() bool { return strings.Contains(c.progressLog(), "--no-hooks") })
	require.NotContains(t, c.git("log", "--format=%s"), "F001")
	c.hook("runner", "exit 0")
	require.NoError(t, <-ended)
	require.Equal(t, feature.Passed, c.first().State)
	require.Zero(t, c.first().Attempts)
}

func TestAFeatureWithASecretHasNotPassed(t *testing.T) {
	t.Parallel()
	value := "q8Zr4Tn1Xw7Vb2Lk9Hs3"
	c := newCampaign(t, campaign.Implement, builds+`
if [ $ROLE = code ]; then [ -e "$CALLS/told" ] && : > "$ROOT/.env" || { mkdir "$CALLS/told"; echo API_TOKEN=`+value+` > "$ROOT/.env"; }; fi`)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.repository()
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, 1, c.first().Attempts)
	require.Contains(t, c.paper(campaign.Progress), ".env:1: a secret value")
	require.NotContains(t, c.paper(campaign.Progress), value)
	require.NotContains(t, c.git("log", "-p", "--branches", "--glob=refs/research-council/a-topic"), value)
	journal, err := os.ReadFile(filepath.Join(c.project, "research", c.setup.ID, "journal.jsonl"))
	require.NoError(t, err)
	require.NotContains(t, string(journal), value)
}
