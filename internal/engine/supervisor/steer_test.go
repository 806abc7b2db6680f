package supervisor_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// drop leaves a note in the run's inbox.
func (c *councilRun) drop(n workspace.Note) {
	f, err := workspace.Open(c.project, c.setup.ID)
	require.NoError(c, err)
	n.At = time.Now()
	require.NoError(c, f.DropNote(n))
	require.NoError(c, f.Close())
}

// prompted is what the fake worker was asked in an iteration.
func (c *councilRun) prompted(name string) string {
	data, err := os.ReadFile(filepath.Join(c.calls, "prompt-"+name))
	require.NoError(c, err)
	return string(data)
}

// newNoted is a campaign whose worker keeps its prompts.
func newNoted(t *testing.T, script string) *councilRun {
	c := newCampaign(t, campaign.Research, `cat "$1" > "$CALLS/prompt-$NAME"`+"\n"+script+finds)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	return c
}

// A note that comes while an iteration goes on is in the prompt of the next
// one, in no other, and in the journal once, also where the program is killed
// between the fact and the inbox.
func TestANoteReachesTheNextIterationOnce(t *testing.T) {
	t.Parallel()
	const note = "Use SQLite, not JSON; don't touch api/"
	c := newNoted(t, `[ $NAME = explore-2 ] && { echo > "$CALLS/second"; while [ ! -e "$CALLS/said" ]; do sleep 0.05; done; }`+"\n")
	c.begin()
	ended := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(c.Context(), c.options())
		ended <- err
	}()
	until(t, "the second iteration is under way", func() bool { _, err := os.Stat(filepath.Join(c.calls, "second")); return err == nil })
	require.NoError(t, supervisor.LeaveNote(c.project, c.setup.ID, note, time.Now()))
	c.drop(workspace.Note{Kind: workspace.SessionSaid, Session: "somebody-else", Detail: "delete everything"})
	until(t, "it is in the journal", func() bool { return strings.Contains(c.file("journal.jsonl"), "SQLite") })
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "said"), nil, 0o600))
	require.NoError(t, <-ended)
	for _, name := range []string{"explore-1", "explore-2", "explore-4", "conclude-1"} {
		require.NotContains(t, c.prompted(name), "SQLite", name)
	}
	require.Contains(t, c.prompted("explore-3"), "| "+note+"\n")
	require.Equal(t, 1, strings.Count(c.file("journal.jsonl"), "SQLite"))
	require.Contains(t, c.paper(campaign.Progress), "Noted for the next iteration: "+note)
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Len(t, r.Notes, 1, "words of another session are none of its person's")
}

func TestANoteIsWordsAndNotTooMany(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "nothing in the note", " \n\t": "nothing in the note", strings.Repeat("long ", 40_000): "it may have 8", "\x1b\x07": "nothing in the note"} {
		_, err := supervisor.CheckNote(text)
		require.ErrorContains(t, err, want)
	}
	kept, err := supervisor.CheckNote("  ## Current Phase\n---\nleave out Windows\x1b ")
	require.NoError(t, err)
	require.Equal(t, "## Current Phase\n---\nleave out Windows", kept)
}

// A finish ends what is under way, keeps what was found, and is asked once,
// however often.
func TestACampaignIsFinishedEarly(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.Research, finds+`[ $NAME = explore-3 ] && { echo > "$CALLS/third"; sleep 600; }`+"\n")
	c.begin()
	ended := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(c.Context(), c.options())
		ended <- err
	}()
	until(t, "the third iteration is under way", func() bool { _, err := os.Stat(filepath.Join(c.calls, "third")); return err == nil })
	for range 2 {
		require.NoError(t, supervisor.AskToFinish(c.project, c.setup.ID, time.Now()))
	}
	require.NoError(t, <-ended)
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status)
	require.Equal(t, flow.FinishedEarly, r.Reason)
	require.Equal(t, 9, c.standing().Findings, "what the third had recorded is kept")
	require.Contains(t, c.paper("a-topic-report.tex"), "They boil.", "the prose is written")
	require.Equal(t, 1, strings.Count(c.file("journal.jsonl"), `"finish.asked"`))
}

// What seats have recorded counts although a finish comes before their first report.
func TestACouncilThatIsFinishedEarlyKeepsWhatWasRecorded(t *testing.T) {
	t.Parallel()
	held := strings.Replace(good, "printf '# Report", `[ $ROLE = research ] && { echo > "$CALLS/at-work-$SEAT"; sleep 600; }`+"\nprintf '# Report", 1)
	c := newCouncil(t, map[string]string{"ada": held, "bea": held})
	c.begin()
	ended := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(c.Context(), c.options())
		ended <- err
	}()
	for _, s := range c.setup.Seats {
		until(t, s.Name+" has recorded a claim", func() bool { _, err := os.Stat(filepath.Join(c.calls, "at-work-"+s.Name)); return err == nil })
	}
	require.NoError(t, supervisor.AskToFinish(c.project, c.setup.ID, time.Now()))
	require.NoError(t, <-ended)
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, flow.FinishedEarly, r.Reason)
	require.Contains(t, c.file("final-report.md"), "The collector paces itself by the heap goal")
}

// A finish that came before a kill, or while nobody worked on the run, holds.
func TestAFinishSurvivesAKill(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.Research, finds)
	c.begin()
	for at := 5; !c.supervised(at); at = c.facts() + 5 {
		require.NoError(t, supervisor.AskToFinish(c.project, c.setup.ID, time.Now()))
	}
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, flow.FinishedEarly, r.Reason)
	require.Equal(t, 1, strings.Count(c.file("journal.jsonl"), `"finish.asked"`))
}

// A council that is finished while one seat still works reports what the others
// have found.
func TestACouncilIsFinishedEarly(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good, "bea": `sleep 600`})
	c.begin()
	ended := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(c.Context(), c.options())
		ended <- err
	}()
	until(t, "one has reported", func() bool { return strings.Contains(c.file("progress.log"), "Ada research complete") })
	require.NoError(t, supervisor.AskToFinish(c.project, c.setup.ID, time.Now()))
	require.NoError(t, <-ended)
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, flow.FinishedEarly, r.Reason)
	require.Zero(t, c.turns("ada", "refinement"), "no research begins any more")
	require.NotZero(t, c.turns("ada", "synthesis"))
	require.Contains(t, c.file("final-report.md"), "## Key Findings")
	require.Contains(t, c.file("final-report.md"), "> **This run was finished early.**")
	for _, name := range []string{"final-report.md", "status.json", "progress.log"} {
		require.NotContains(t, c.file(name), "deadline", name)
	}
	require.Contains(t, c.file("progress.log"), "Bea research failed: "+flow.FinishedEarly)
}

// newEnded is a campaign of code that has ended with one feature failed for good.
func newEnded(t *testing.T) *councilRun {
	c := newBuilding(t)
	r := c.run()
	require.Equal(t, "Implementation complete — 2/4 features passing", r.Reason)
	return c
}

func (c *councilRun) listed() feature.List {
	list, err := feature.Parse([]byte(c.paper(campaign.Features)))
	require.NoError(c, err)
	return list
}

func (c *councilRun) editList(old, new string) string {
	text := c.paper(campaign.Features)
	edited := strings.Replace(text, old, new, 1)
	require.NotEqual(c, text, edited)
	require.NoError(c, os.WriteFile(filepath.Join(campaignwork.CampaignFolder(c.setup), campaign.Features), []byte(edited), 0o600))
	return edited
}

func TestWhatFailedForGoodIsTriedAgain(t *testing.T) {
	t.Parallel()
	c := newEnded(t)
	_, err := campaignwork.EditList(c.options(), campaignwork.ListRequest{Retry: true, Feature: []string{"F099"}})
	require.ErrorContains(t, err, "no feature \"F099\"")
	says, err := campaignwork.EditList(c.options(), campaignwork.ListRequest{Retry: true})
	require.NoError(t, err)
	require.Equal(t, []string{"F003 is tried again"}, says)
	require.Equal(t, "F003", c.standing().Next)
	require.Zero(t, c.standing().Lost)
	require.NoError(t, os.WriteFile(c.setup.Seats[0].Program, []byte(strings.Replace(mustRead(t, c.setup.Seats[0].Program), `echo 'exit 1' > "$ROOT/t_3.sh"`, `echo three > "$ROOT/three.txt"; echo '[ -e three.txt ]' > "$ROOT/t_3.sh"`, 1)), 0o700))
	require.NoError(t, supervisor.Reopen(c.options(), c.setup, ""))
	r, err := supervisor.Supervise(c.Context(), c.options())
	require.NoError(t, err)
	require.Equal(t, "Implementation complete — 4/4 features passing", r.Reason)
	again, _ := c.listed().Find("F003")
	require.Equal(t, []any{feature.Passed, 0}, []any{again.State, again.Attempts})
}

func mustRead(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// A person's edit is a fact, and holds also where the program is killed between
// the fact and the file.
func TestAPersonsListIsTakenOverOnce(t *testing.T) {
	t.Parallel()
	c := newEnded(t)
	c.editList(`"name": "Three"`, `"name": "Three, in SQLite"`)
	says, err := campaignwork.EditList(c.options(), campaignwork.ListRequest{Person: true, Mended: true})
	require.NoError(t, err)
	require.Equal(t, []string{"F003 is tried again in its new words", "F003 is reworded"}, says)
	require.Contains(t, c.file("journal.jsonl"), `"by":"person"`)
	require.Contains(t, c.paper(campaign.Progress), "taken over from a person: F003 is tried again in its new words; F003 is reworded")
	now := c.listed()
	f, _ := now.Find("F003")
	require.Equal(t, []any{"Three, in SQLite", feature.Pending, 0}, []any{f.Name, f.State, f.Attempts})
	says, err = campaignwork.EditList(c.options(), campaignwork.ListRequest{Person: true, Mended: true})
	require.NoError(t, err)
	require.Empty(t, says)

	old := now
	old.Edits = 0
	require.NoError(t, os.WriteFile(filepath.Join(c.folder(), campaign.Features), old.Encode(), 0o600))
	_, err = campaignwork.EditList(c.options(), campaignwork.ListRequest{})
	require.NoError(t, err)
	require.Contains(t, c.file(campaign.Features), `"edits": 1`, "the journal has it")
}

func TestAFaultyListChangesNothing(t *testing.T) {
	t.Parallel()
	c := newEnded(t)
	before := c.file(campaign.Features)
	edited := c.editList(`"id": "F004"`, `"id": "F003"`)
	_, err := campaignwork.EditList(c.options(), campaignwork.ListRequest{Person: true, Mended: true})
	require.ErrorContains(t, err, "docs/research-a-topic/feature-list.json is not taken over: ")
	require.ErrorContains(t, err, "F003")
	require.Equal(t, edited, c.paper(campaign.Features), "theirs is as they left it")
	require.Equal(t, before, c.file(campaign.Features))
	require.NotContains(t, c.file("journal.jsonl"), `"list.edited"`)
}

// What a worker writes into the list is put back, kept beside it, and told.
func TestAModelsListIsNeverTakenOver(t *testing.T) {
	t.Parallel()
	meddle := `[ $NAME = code-2 ] && sed 's/"id": "F004"/"id": "F009"/' "$ROOT/docs/research-a-topic/feature-list.json" > "$CALLS/list" && cat "$CALLS/list" > "$ROOT/docs/research-a-topic/feature-list.json"` + "\n"
	c := newCampaign(t, campaign.Implement, builds+meddle)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.repository()
	c.run()
	require.Equal(t, wantBuilt, c.built())
	require.Contains(t, c.paper(campaignwork.RejectedListFile), `"F009"`)
	require.Contains(t, c.paper(campaign.Progress), "is put back as the program has it")
	says, err := campaignwork.EditList(c.options(), campaignwork.ListRequest{Person: true, Mended: true})
	require.NoError(t, err)
	require.Empty(t, says)
}

// Where nobody has named a test command, the breakdown does.
func TestTheBreakdownChoosesTheTestCommand(t *testing.T) {
	t.Parallel()
	choice := strings.Replace(builds, `{"features":[`, `{"stack":"shell","test_command":"sh test.sh","features":[`, 1)
	c := newCampaign(t, campaign.Implement, choice)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.repository()
	campaign.Of(c.setup.Own).Test = ""
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, wantBuilt, c.built())
	require.Contains(t, c.paper(campaign.Progress), "Chosen by the breakdown: shell, tests: `sh test.sh`")
	require.Contains(t, c.file("journal.jsonl"), `"test":"sh test.sh"`)
}

func TestAListWithoutATestCommandIsSentBack(t *testing.T) {
	t.Parallel()
	c := newBuilding(t)
	campaign.Of(c.setup.Own).Test = ""
	r := c.run()
	require.Equal(t, flow.Failed, r.Status)
	require.Contains(t, r.Reason, "test_command")
}

// What a coder could not build for want of something around the project is
// tried again by whoever lets the campaign go on.
func TestWhatTheEnvironmentHasFailedIsTriedAgain(t *testing.T) {
	t.Parallel()
	script := strings.Replace(builds, `"claims":"pass","summary":"s"`, `"claims":"fail","cause":"environment","summary":"no network"`, 1)
	c := newCampaign(t, campaign.Implement, script)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.repository()
	r := c.run()
	require.Equal(t, "Implementation complete — 0/4 features passing", r.Reason)
	says, err := campaignwork.EditList(c.options(), campaignwork.ListRequest{Mended: true})
	require.NoError(t, err)
	require.Equal(t, []string{"F001 is tried again", "F003 is tried again"}, says)
	require.Equal(t, "F001", c.standing().Next)
	require.Contains(t, c.paper(campaign.Progress), "changed as the campaign goes on: F001 is tried again")
}

// What is typed at the session that owns a campaign is in its next brief.
func TestASessionsOwnWordsAreInItsNextBrief(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.Research, "")
	c.setup.Session, c.setup.Seats = "11111111-2222-3333-4444-555555555555", nil
	c.begin()
	c.drop(workspace.Note{Kind: workspace.SessionSaid, Session: c.setup.Session, Detail: "leave out Windows"})
	ctx, stop := context.WithCancel(c.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(ctx, c.options())
		ended <- err
	}()
	until(t, "the session has its turn", func() bool { return c.has(campaignwork.TurnFile) })
	stop()
	require.NoError(t, <-ended)
	require.Contains(t, c.file("prompts/explore.md"), "```person\n| leave out Windows\n```")
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, []flow.Note{{ID: r.Notes[0].ID, By: flow.BySession, Text: "leave out Windows"}}, r.Notes)
}

// What a seat records while it works is told soon, without a fact, and nothing is
// written where nothing has changed.
func TestClaimsAreCountedWhileASeatWorks(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": `[ $ROLE = research ] && { echo > "$CALLS/begun"; while [ ! -e "$CALLS/go" ]; do sleep 0.05; done; }` + "\n" + good})
	c.begin()
	ended := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(c.Context(), c.options())
		ended <- err
	}()
	until(t, "the seat works", func() bool { _, err := os.Stat(filepath.Join(c.calls, "begun")); return err == nil })
	told := func() status.Status {
		s, err := status.Parse([]byte(c.file(workspace.Status)))
		require.NoError(t, err)
		return s
	}
	until(t, "its process is a fact", func() bool { seats := told().Seats; return len(seats) == 1 && seats[0].PID != 0 })
	before := told()
	require.Empty(t, before.Claims)
	f, err := workspace.Open(c.project, c.setup.ID)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, f.Mkdir(claim.Records))
	require.NoError(t, f.Append(claim.RecordsFile("ada"), claim.Draft{Handle: "own-1", Text: "It paces itself.", Quote: "The collector paces itself.", Source: "notes.md"}.RecordLine(claim.Located)))
	until(t, "it is counted", func() bool { return len(told().Claims) > 0 })
	require.Equal(t, map[string]claim.Tally{"ada": {Located: 1}}, told().Claims)
	require.Equal(t, before.Facts, told().Facts)
	was, err := os.Stat(f.Join(workspace.Status))
	require.NoError(t, err)
	for range 2 {
		was, err := journal.ReadHolder(f.Path)
		require.NoError(t, err)
		until(t, "it gives a sign of life", func() bool {
			is, err := journal.ReadHolder(f.Path)
			return err == nil && is.Heartbeat.After(was.Heartbeat)
		})
	}
	is, err := os.Stat(f.Join(workspace.Status))
	require.NoError(t, err)
	require.Equal(t, was.ModTime(), is.ModTime(), "nothing has changed")
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "go"), nil, 0o600))
	require.NoError(t, <-ended)
	require.Equal(t, map[string]claim.Tally{"ada": {Located: 1, Unchecked: 1}}, told().Claims, "and what it left in its file")
}
