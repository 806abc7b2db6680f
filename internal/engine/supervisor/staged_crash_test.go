package supervisor_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/verify"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// outputs are the files of a run of staged research that do not tell the time;
// of the report what tells it is left out.
func (c *councilRun) outputs() map[string]string {
	found := map[string]string{}
	for _, pattern := range []string{"*.json", "*.md", "*.bib"} {
		names, err := filepath.Glob(filepath.Join(c.folder(), pattern))
		require.NoError(c, err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			require.NoError(c, err)
			found[filepath.Base(name)] = string(data)
		}
	}
	for _, name := range []string{"status.json", staged.StateFile, "final-report.json", "final-report.csl.json"} { // when it was
		delete(found, name)
	}
	// when, and what it has cost: a turn that was cut off is paid for, too
	times := regexp.MustCompile(`Cost:[^\n]*|\d{4}-\d\d-\d\d( \d\d:\d\d)?( UTC)?|\(\d+(ms|s|m\d+s)\)|` + c.setup.ID)
	found["final-report.bib"] = times.ReplaceAllString(found["final-report.bib"], "…")
	found[flow.FinalReport] = strings.ReplaceAll(times.ReplaceAllString(found[flow.FinalReport], "…"), c.setup.Scope, "…")
	return found
}

// killed works on the run in processes that are killed every so many facts, the
// first time behind the one given, and answers for the person where it waits.
// It counts the kills.
func (c *councilRun) killed(first, apart int) (flow.Run, int) {
	kills, at := 0, max(first, c.facts())
	for {
		for ; !c.supervised(at); at = c.facts() + apart {
			kills++
			require.Less(c, kills, 60, "the run does not get on")
		}
		r, err := supervisor.Read(c.project, c.setup.ID)
		require.NoError(c, err, "the journal is whole")
		if !r.IsWaiting() {
			return r, kills
		}
		c.give(staged.AsksToConfirm(r))
		at = c.facts() + apart
	}
}

// twofold is staged research of two families and two agents, with a revision.
func twofold(t *testing.T) *councilRun {
	plan := strings.NewReplacer(`{"id":"A3","focus":"Look into part 3.","subtopics":["T1"]},`, "", `{"id":"A4","focus":"Look into part 4.","subtopics":["T1"]},`, "", `,{"id":"A5","focus":"Look into part 5.","subtopics":["T1"]}`, "").Replace(wellSaid()["planning"])
	c := newStaged(t, map[string]string{"planning": plan})
	staged.Of(c.setup.Own).Agents = 2
	c.setup.Seats = c.setup.Seats[:2]
	c.setup.Panel = c.setup.Seats
	c.begin()
	return c
}

// A supervisor of staged research may be killed after any fact, as often as
// you like. Each run here is killed every few facts, and each begins with
// another one, so that all of them are tried.
func TestAKillAtAnyMomentOfStagedResearchLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	whole := twofold(t)
	r, kills := whole.killed(1<<20, 1<<20)
	require.Zero(t, kills)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	want := whole.outputs()
	require.Greater(t, len(want), 20)
	const apart = 9 // more than taking a run up writes, so that each goes on
	for first := 1; first <= apart; first++ {
		t.Run(fmt.Sprintf("from fact %d", first), func(t *testing.T) {
			t.Parallel()
			c := twofold(t)
			r, kills := c.killed(first, apart)
			require.Positive(t, kills)
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.LessOrEqual(t, r.Epoch, kills+3)
			c.same(want)
		})
	}
}

// same holds the outputs of a run against those of one that was left alone, and
// sees that no answer was asked for twice.
func (c *councilRun) same(want map[string]string) {
	got := c.outputs()
	for name := range want {
		require.Equal(c, want[name], got[name], name)
	}
	require.Len(c, got, len(want))
	require.Equal(c, "completed", c.state().Status)
	require.ElementsMatch(c, staged.Stages(), keys(c.state().Outputs))
	v, err := verify.Run(c.folder())
	require.NoError(c, err)
	require.Empty(c, v.Problems)
	calls, err := filepath.Glob(filepath.Join(c.calls, "*-*"))
	require.NoError(c, err)
	require.NotEmpty(c, calls)
	for _, name := range calls {
		data, err := os.ReadFile(name)
		require.NoError(c, err)
		require.LessOrEqual(c, strings.Count(string(data), "\n"), 1, "%s came to its end more than once", filepath.Base(name))
	}
}

// The same holds for five agents and three reviewers at once, and where the
// reviewers send the work back.
func TestAKillInARevisionLosesNothing(t *testing.T) {
	t.Parallel()
	again := opinion("needs_revision", "The pace is not measured.")
	but := map[string]string{"review-1-R1": again, "review-1-R2": again, "reconsider-1-R1": again, "reconsider-1-R2": again}
	begun := func(t *testing.T) *councilRun {
		c := newStaged(t, but)
		c.begin()
		return c
	}
	whole := begun(t)
	r, _ := whole.killed(1<<20, 1<<20)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, 1, panel.Revisions(r))
	want := whole.outputs()
	c := begun(t)
	r, kills := c.killed(6, 19)
	require.Positive(t, kills)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	got := c.outputs()
	for name := range want {
		require.Equal(t, want[name], got[name], name)
	}
	for what, n := range map[string]int{"findings": 2, "prose": 2, "collection-A1": 1, "review-1-R1": 1, "review-2-R1": 1} {
		require.LessOrEqual(t, c.turns("ada", what), n, what)
	}
}

// A text may end anywhere and still read like one: without its last line it is
// not taken for the whole when its writer was killed.
func TestATextThatItsWriterWasKilledInIsWrittenAgain(t *testing.T) {
	t.Parallel()
	half := "#! it is killed in mid sentence\ncat > \"$RESEARCH_REPORT_PATH\" <<'END'\n" + alone()["prose"] + "And what is more\nEND\ntouch \"$CALLS/waits\"; sleep 3600\n"
	c := newReview(t, map[string]string{"prose": half})
	c.setup.Panel = c.setup.Panel[:2]
	c.begin()
	c.supervise(c.options())
	c.give(false)
	c.supervise(c.options())
	c.give(true)
	cmd := exec.Command(self(), "supervise", "--project", c.project, c.setup.ID)
	cmd.Env = os.Environ()
	require.NoError(t, cmd.Start())
	until(t, "the text is under way", func() bool { _, err := os.Stat(filepath.Join(c.calls, "waits")); return err == nil })
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	c.says(map[string]string{"prose": strings.ReplaceAll(alone()["prose"], "first", "whole")})
	r := c.supervise(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Contains(t, c.file(flow.FinalReport), "The whole text")
	require.NotContains(t, c.file(flow.FinalReport), "And what is more")
}
