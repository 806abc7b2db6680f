package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/checkpoint"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/loopback"
)

const handMadeRun = "20260222-143000-a1b2c3"

// handMade lays a campaign down that a session owns and whose supervisor is
// this test, which does nothing: what is seen is the hooks' alone.
func (w *world) handMade(session string) (papers string) {
	w.Helper()
	f, err := workspace.Create(w.project, handMadeRun)
	require.NoError(w, err)
	defer f.Close()
	me, err := proc.Identify(os.Getpid())
	require.NoError(w, err)
	require.NoError(w, f.Write(journal.Name, nil))
	lease, err := journal.TakeLease(f.Path, journal.Holder{PID: me.PID, Start: me.Start}, time.Now())
	require.NoError(w, err)
	w.Cleanup(func() { _ = lease.Release() }) // the folder goes with it
	st := campaign.State{
		Type: campaign.Research.Type(), Name: "Go", Run: handMadeRun, Status: campaign.InProgress, Phase: campaign.PhaseA, Iteration: 4, Prompt: "Why?",
		Files: []string{"docs/research-go/go-state.md"},
	}
	papers = filepath.Join(w.project, "docs", "research-go")
	require.NoError(w, os.MkdirAll(papers, 0o755))
	require.NoError(w, f.Mkdir(campaignwork.PublishedDir))
	require.NoError(w, f.Write(campaignwork.PublishedDir+"/go-state.md", st.Encode()))
	require.NoError(w, os.WriteFile(filepath.Join(papers, "go-state.md"), st.Encode(), 0o600))
	require.NoError(w, f.Write(workspace.Status, []byte(`{"id":"`+handMadeRun+`","status":"running"}`)))
	s := workspace.NewState(handMadeRun, session, "Why?", 30, time.Now())
	s.Campaign = "go"
	require.NoError(w, workspace.CreateState(w.project, s))
	return papers
}

// compacting is a session whose context is compacted in the middle of its work.
func (w *world) compacting(session string) *loopback.Server {
	w.Helper()
	scenario, err := loopback.Parse([]byte(`
rules:
- steps:
  - {shell: echo one, usage: {input: 20000, output: 10}}
  - {shell: echo two, usage: {input: 40000, output: 10}}
  - {shell: echo three, usage: {input: 60000, output: 10}}
  - {shell: echo four, usage: {input: 400000, output: 10}}
  - {text: Done.}
`))
	require.NoError(w, err)
	server := loopback.Anthropic(w.T, scenario)
	w.environ = append(w.environ, server.Env()...)
	r := w.done(w.session("Go.", "--session-id", session, "--autocompact", "100000", "--allowedTools", "Bash", "--model", "claude-haiku-5-5"))
	require.Zero(w, r.code, r.out+r.errs)
	require.Contains(w, r.out, "Done.")
	compacted := false
	for _, q := range server.Requests() {
		compacted = compacted || q.Inner == "compact"
	}
	require.True(w, compacted, "the context was compacted")
	return server
}

// toldOfACampaign are the turns of the model whose context holds what our hook
// says.
func toldOfACampaign(server *loopback.Server) (turns []int) {
	for i, q := range server.Turns() {
		if strings.Contains(string(q.Body), "This session owns the campaign") {
			turns = append(turns, i)
		}
	}
	return turns
}

func TestACompactionInACampaignKeepsWhatItHad(t *testing.T) {
	cli.InMatrix(t)
	w := newWorld(t)
	session := uuid.NewString()
	papers := w.handMade(session)
	server := w.compacting(session)
	turns := toldOfACampaign(server)
	require.Contains(t, turns, 0, "at the start")
	require.Contains(t, turns, len(server.Turns())-1, "and behind the summary")
	last := server.Turns()[len(server.Turns())-1]
	require.NotContains(t, string(last.Body), "echo one", "its context was compacted")
	require.Contains(t, string(last.Body), "docs/research-go/go-state.md")

	progress := content(t, papers, campaign.Progress)
	require.Contains(t, progress, "The context is compacted (auto)")
	folder, err := os.OpenRoot(filepath.Join(papers, campaign.Transcripts))
	require.NoError(t, err)
	defer folder.Close()
	store := checkpoint.Open(folder, checkpoint.Default())
	list := store.List()
	require.Len(t, list, 1)
	var transcript bytes.Buffer
	require.NoError(t, store.Restore(&transcript, list[0].Stamp))
	require.Contains(t, transcript.String(), "echo one")
	live, err := filepath.Glob(filepath.Join(w.home, ".claude", "projects", "*", session+".jsonl"))
	require.NoError(t, err)
	require.Len(t, live, 1)
	require.True(t, strings.HasPrefix(content(t, live[0]), transcript.String()), "it is how the transcript began, byte for byte")
}

func TestACompactionElsewhereIsNoneOfACampaigns(t *testing.T) {
	cli.InMatrix(t)
	for name, lay := range map[string]func(w *world) (session string){
		"in another session": func(*world) string { return uuid.NewString() },
		"inside a seat": func(w *world) string {
			w.environ = append(w.environ, marker.ChildVariable+"="+handMadeRun)
			return "11111111-1111-4111-8111-111111111111"
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			papers := w.handMade("11111111-1111-4111-8111-111111111111")
			require.Empty(t, toldOfACampaign(w.compacting(lay(w))))
			left, err := os.ReadDir(papers)
			require.NoError(t, err)
			require.Len(t, left, 1, "the state file, and nothing beside it")
			notes, err := os.ReadDir(filepath.Join(w.run(), workspace.Inbox))
			require.NoError(t, err)
			require.Empty(t, notes)
		})
	}
}

func TestASessionThatIsClearedKeepsItsCampaign(t *testing.T) {
	cli.InMatrix(t)
	w := newWorld(t)
	server := loopback.Anthropic(t, loopback.Scenario{Rules: []loopback.Rule{
		{When: loopback.When{LastUser: "Say hello"}, Steps: []loopback.Step{{Text: "Good morning to you."}}},
		{When: loopback.When{LastUser: "Where are we"}, Steps: []loopback.Step{{Text: "In the fourth iteration."}}},
	}})
	w.environ = append(w.environ, server.Env()...)
	x := w.terminal()
	x.shows("❯")
	x.enter("Say hello.", "Say hello.")
	x.shows("Good morning to you.")
	old := server.Turns()[0].Session
	w.handMade(old)
	x.enter("/clear", "/clear")
	owner := func() string {
		st, err := workspace.ReadState(w.project, handMadeRun)
		require.NoError(t, err)
		return st.SessionID
	}
	until(t, "another session owns the campaign", 30*time.Second, func() bool { return owner() != old })
	x.enter("Where are we?", "Where are we?")
	x.shows("In the fourth iteration.")
	turns := server.Turns()
	now := turns[len(turns)-1]
	require.Equal(t, owner(), now.Session)
	require.Equal(t, []int{len(turns) - 1}, toldOfACampaign(server), "the new session is told where it stands")
	require.NotContains(t, string(now.Body), "Say hello.")
	require.Equal(t, handMadeRun, workspace.SessionRun(w.project, owner()))
	require.Empty(t, workspace.SessionRun(w.project, old))
}

// At a terminal, too, a campaign's session is not asked for what records an
// iteration, and is asked for anything else.
func TestAnAttendedCampaignIsNotAskedForItsRecords(t *testing.T) {
	cli.InMatrix(t)
	w := newWorld(t)
	server := loopback.Anthropic(t, loopback.Scenario{Rules: []loopback.Rule{
		{When: loopback.When{LastUser: "Say hello"}, Steps: []loopback.Step{{Text: "Good morning to you."}}},
		{When: loopback.When{LastUser: "Record it"}, Steps: []loopback.Step{{Shell: "council campaign end --summary 'It is done.'"}, {Text: "It has been called."}}},
		{When: loopback.When{LastUser: "List them"}, Steps: []loopback.Step{{Shell: "council campaign list"}, {Text: "They are listed."}}},
	}})
	w.environ = append(w.environ, server.Env()...)
	x := w.terminal()
	x.shows("❯")
	x.enter("Say hello.", "Say hello.")
	x.shows("Good morning to you.")
	w.handMade(server.Turns()[0].Session)
	x.enter("Record it.", "Record it.")
	x.shows("It has been called.")
	x.enter("List them.", "List them.")
	x.shows("Do you want to proceed?")
}

// A rule by which a person wants to be asked is not answered in the person's
// place. The verb itself fails here: it is nobody's turn.
func TestARuleToAskHoldsInACampaignToo(t *testing.T) {
	cli.InMatrix(t)
	const session = "11111111-1111-4111-8111-111111111111"
	for settings, runs := range map[string]bool{
		`{}`: true, `{"permissions":{"ask":["Bash(council:*)"]}}`: false, `{"permissions":{"ask":["Bash"]}}`: false, `{"permissions":{"deny":["Bash(council:*)"]}}`: false,
	} {
		t.Run(settings, func(t *testing.T) {
			w := newWorld(t)
			w.handMade(session)
			server := loopback.Anthropic(t, loopback.Scenario{Rules: []loopback.Rule{{Steps: []loopback.Step{{Shell: "council campaign end --summary 'It is done.'"}, {Text: "It has been called."}}}}})
			w.environ = append(w.environ, server.Env()...)
			r := w.done(w.session("Record it.", "--session-id", session, "--permission-mode", "default", "--settings", settings))
			require.Zero(t, r.code, r.errs)
			turns := server.Turns()
			require.Equal(t, runs, strings.Contains(everythingSaid(turns[len(turns)-1]), "council: no iteration is open here"))
		})
	}
}
