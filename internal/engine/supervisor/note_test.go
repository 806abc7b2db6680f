package supervisor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// oneFeature builds one feature, and hands in one prepared note after the other.
const oneFeature = `ROOT=$(cd "$DESK/../../../.." && pwd)
[ $ROLE = breakdown ] && echo '{"features":[{"id":"F001","name":"One","description":"d","component":"c","dependencies":[]}]}' > "$DESK/feature-list.json"
if [ $ROLE = code ]; then
  [ -e "$DESK/feature.json" ] && exit 9 # the note before was put away
  echo one > "$ROOT/one.txt"; echo '[ -e one.txt ] || exit 1' > "$ROOT/t_1.sh"
  mkdir "$CALLS/turn-$N"; n=$(cd "$CALLS" && set -- turn-* && echo $#)
  [ -e "$CALLS/note-$n" ] && cat "$CALLS/note-$n" > "$DESK/feature.json"
fi
`

func newNoting(t *testing.T, texts ...string) *councilRun {
	c := newCampaign(t, campaign.Implement, oneFeature)
	c.repository()
	for i, text := range texts {
		if text != "" {
			require.NoError(t, os.WriteFile(filepath.Join(c.calls, fmt.Sprintf("note-%d", i+1)), []byte(text), 0o600))
		}
	}
	return c
}

const goodNote = `{"id":"F001","claims":"pass","summary":"It is there.","files":["one.txt"],"tests":["t_1.sh"]}`

// A note that cannot be read says nothing of what was built: the tests run on
// that, the note goes back with what is wrong with it, and no attempt is counted.
func TestANoteThatCannotBeReadIsSentBack(t *testing.T) {
	t.Parallel()
	c := newNoting(t,
		goodNote[:30],
		"I have built it and all tests pass.",
		"", // none at all
		`{"id":"F002","claims":"pass"}`,
		goodNote,
	)
	ran := filepath.Join(c.calls, "ran")
	campaign.Of(c.setup.Own).Test = "pwd >> '" + ran + "'; sh test.sh"
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	f := c.first()
	require.Equal(t, feature.Passed, f.State)
	require.Zero(t, f.Attempts)
	require.Empty(t, f.Tried, "nothing was set aside")
	progress := c.paper(campaign.Progress)
	for _, fault := range []string{
		"read feature.json: no JSON object that can be read", "read feature.json: no JSON object", "no feature.json was handed in", "feature.json is about F002, and F001 was to be built",
	} {
		require.Contains(t, progress, "F001 is sent back, and no attempt is counted: "+fault)
	}
	places, err := os.ReadFile(ran)
	require.NoError(t, err)
	require.Equal(t, 1+5, strings.Count(string(places), c.project+"\n"), "beforehand, and on what was there each time")
}

func TestANoteThatNamesFilesThatAreNotThereIsSentBack(t *testing.T) {
	t.Parallel()
	c := newNoting(t, strings.ReplaceAll(strings.ReplaceAll(goodNote, "t_1.sh", "t_9.sh"), "one.txt", "nine.txt"), goodNote)
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Contains(t, c.paper(campaign.Progress), "feature.json names under files or tests what is not in the project: nine.txt, t_9.sh")
	require.Zero(t, c.first().Attempts)
}

// After some such notes in a row a person is asked; what was built is kept.
func TestNotesThatAreNeverReadEndAtAPerson(t *testing.T) {
	t.Parallel()
	c := newNoting(t)
	r := c.run()
	require.True(t, r.IsWaiting(), r.Reason)
	require.Contains(t, r.Judged.Reason, "F001 was sent back 5 times in a row, the last time because: no feature.json was handed in")
	require.Zero(t, c.first().Attempts)
	require.Equal(t, feature.Pending, c.first().State)
	require.FileExists(t, filepath.Join(c.project, "one.txt"))
	require.Empty(t, c.git("for-each-ref", "refs/research-council/a-topic"), "nothing is set aside")
}

// Tests that leave another file each time they run would be judged for ever.
func TestTestsThatNeverLeaveTheProjectAtRest(t *testing.T) {
	t.Parallel()
	c := newNoting(t, goodNote, goodNote)
	campaign.Of(c.setup.Own).Test, campaign.Of(c.setup.Own).Iterations = "echo >> log.txt; sh test.sh", 3
	c.run()
	require.Contains(t, c.paper(campaign.Progress), "F001 is sent back, and no attempt is counted: what is in the project is another each time the tests have run: log.txt. Let git ignore it")
	require.Zero(t, c.first().Attempts)
	require.False(t, c.first().Passes)
}

// A file that the tests make once is no reason to judge anything again.
func TestWhatTestsMakeOnceIsPartOfTheChange(t *testing.T) {
	t.Parallel()
	c := newNoting(t, goodNote)
	campaign.Of(c.setup.Own).Test = "echo made > made.txt; sh test.sh"
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Len(t, r.LastTasks(agent.Judge), 1)
	require.True(t, c.first().Passes)
}

// A project to which somebody commits each time a change of it is judged is a
// person's to look at: what is committed was not tested so.
func TestAProjectThatChangesWheneverItIsJudged(t *testing.T) {
	t.Parallel()
	c := newNoting(t, goodNote)
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "judge.sh"), []byte(`( cd "$DESK/../../../.." && echo >> restless.txt && git add restless.txt && git commit -q -m restless )`+"\n"), 0o600))
	r := c.run()
	require.True(t, r.IsWaiting(), r.Reason)
	require.Contains(t, r.Judged.Reason, "F001: what is in the project was another each of 3 times that the change was judged: restless.txt")
	require.Zero(t, c.first().Attempts)
}

// Red tests are an attempt, whatever the note is like; both are told.
func TestANoteDoesNotHideThatTestsAreRed(t *testing.T) {
	t.Parallel()
	c := newNoting(t, goodNote[:30])
	campaign.Of(c.setup.Own).Test, campaign.Of(c.setup.Own).Iterations = "! [ -e one.txt ] && sh test.sh", 2
	c.run()
	f := c.first()
	require.Equal(t, 1, f.Attempts)
	require.Contains(t, f.Tried[0].Reason, "it ended with 1")
	require.Contains(t, f.Tried[0].Reason, "read feature.json: no JSON object that can be read")
}

// Before anything is built the tests run once. Red or missing ones are a
// person's to accept; nobody works meanwhile.
func TestTestsThatAreRedBeforehandAreAPersonsToAccept(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ file, text, says string }{
		"red":  {"t_0.sh", "echo it is broken; exit 1\n", "it is broken"},
		"none": {"test.sh", `echo '<testsuite name="none"></testsuite>' > report.xml` + "\n", "there are no tests (0 counted)"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newBuilding(t)
			c.write(row.file, row.text)
			c.git("commit", "-q", "-a", "-m", "so it is")
			r := c.run()
			require.True(t, r.IsWaiting())
			require.Contains(t, r.Judged.Reason, row.says)
			require.Contains(t, r.Judged.Reason, "`council campaign resume a-topic --accept-red-baseline`")
			require.Zero(t, c.first().Attempts)
			require.NotContains(t, c.git("log", "--format=%s"), "F001")
		})
	}
}
