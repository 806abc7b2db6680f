package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/session"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/internal/product/campaign/records"
)

// camp is a project with a campaign under way, and its worker.
type camp struct {
	t      *testing.T
	root   string
	folder *workspace.Folder
	vars   map[string]string
	seat   string
}

const (
	campID      = "20260222-143000-a1b2c3"
	campSession = "6f1c2b1e-0000-4000-8000-00000000000a"
)

// bySeat is a campaign whose worker is a seat's process, in an iteration of a
// role.
func bySeat(t *testing.T, role string) *camp {
	t.Helper()
	c := pitched(t, t.TempDir(), campID, "Kettles", "")
	c.vars["RESEARCH_REPORT_PATH"] = c.folder.Join(workspace.Seats, c.seat, role+"-3.md")
	c.vars[marker.ChildVariable] = campID
	return c
}

// bySession is a campaign whose worker is a session, at its turn of a role.
func bySession(t *testing.T, role, feature string) *camp {
	t.Helper()
	c := pitched(t, t.TempDir(), campID, "Kettles", campSession)
	c.seat = flow.Host
	c.vars["CLAUDE_CODE_SESSION_ID"] = campSession
	dir := c.folder.Join(workspace.Seats, flow.Host)
	data, err := json.Marshal(map[string]any{
		"task": role + ".3/session", "turn": 1, "role": role, "visit": 3, "prompt": c.folder.Join("prompts", role+".md"),
		"folder": dir, "record": filepath.Join(dir, role+"-3.md"), "feature": feature,
	})
	require.NoError(t, err)
	require.NoError(t, c.folder.Write(campaignwork.TurnFile, data))
	require.NoError(t, c.folder.Write(campaignwork.BegunFile(role+".3/session"), []byte("now\n")))
	return c
}

func pitched(t *testing.T, root, id, name, session string) *camp {
	t.Helper()
	slug, err := campaign.Slug(name)
	require.NoError(t, err)
	f, err := product.Begin(flow.Setup{
		ID: id, Workflow: string(campaign.FullAuto), Topic: "How do kettles rest?", Root: root, Scope: root, Session: session,
		Seats: []flow.Seat{{Name: "claude", Brand: "claude", Kind: "claude"}},
		Own:   campaign.Own(&campaign.Setup{Name: name, Slug: slug, Mode: campaign.FullAuto, Iterations: 10}),
	}, time.Now())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	require.NoError(t, os.MkdirAll(filepath.Join(root, "docs", "research-"+slug), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "kettle.md"), []byte("# Kettles\n\nThe kettle rests while it is empty.\n"), 0o644))
	return &camp{t: t, root: root, folder: f, vars: map[string]string{}, seat: "claude"}
}

// features is the program's own list.
func (c *camp) features(ids ...string) {
	var l feature.List
	for _, id := range ids {
		l.Features = append(l.Features, feature.Feature{ID: id, Name: id, State: feature.Pending})
	}
	require.NoError(c.t, os.WriteFile(filepath.Join(c.root, "docs/research-kettles/feature-list.json"), l.Encode(), 0o644))
}

// registry is what the program has numbered.
func (c *camp) registry(ids ...string) {
	var r claim.Registry
	for _, id := range ids {
		r.Entries = append(r.Entries, claim.Entry{ID: id, Text: id, Source: "kettle.md", Key: id})
	}
	data, err := json.Marshal(r)
	require.NoError(c.t, err)
	require.NoError(c.t, c.folder.Write(claim.RegistryFile, data))
}

// call calls a verb with a text on standard input.
func (c *camp) call(stdin string, args ...string) (code int, out, problem string) {
	c.t.Helper()
	var stdout bytes.Buffer
	e := program.Env{
		Stdin:  strings.NewReader(stdin),
		Stdout: &stdout,
		Dir:    c.root, Self: "council", Getenv: func(name string) string { return c.vars[name] },
	}
	root := &cobra.Command{Use: "campaign", SilenceErrors: true, SilenceUsage: true}
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().Bool("json", false, "")
	root.PersistentFlags().String("project", "", "")
	root.AddCommand(recordingCommands(e)...)
	markUsageErrors(root)
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if err != nil {
		problem = view.ErrorLine(err)
	}
	return exitCodeOf(err), stdout.String(), problem
}

// done calls a verb that has to succeed.
func (c *camp) done(stdin string, args ...string) string {
	c.t.Helper()
	code, out, problem := c.call(stdin, args...)
	require.Zero(c.t, code, problem)
	return out
}

// refuses calls a verb that has to refuse in one line and change nothing.
func (c *camp) refuses(says, stdin string, args ...string) {
	c.t.Helper()
	before := c.files()
	code, out, problem := c.call(stdin, args...)
	require.Equal(c.t, codeUsage, code, "%v: %s%s", args, out, problem)
	require.Contains(c.t, problem, says)
	require.NotContains(c.t, problem, "\n")
	require.Empty(c.t, out)
	require.Equal(c.t, before, c.files())
}

// files are all files below the project, with what they hold.
func (c *camp) files() map[string]string {
	c.t.Helper()
	all := map[string]string{}
	require.NoError(c.t, filepath.WalkDir(c.root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	}))
	return all
}

// left is a record in the worker's folder.
func (c *camp) left(name string) string {
	c.t.Helper()
	data, err := c.folder.Read(filepath.Join(workspace.Seats, c.seat, name))
	require.NoError(c.t, err)
	return string(data)
}

const (
	rests = `{"text":"It rests.","quote":"The kettle rests while it is empty.","source":"kettle.md:3","confidence":"High"}`
	never = `{"text":"It never rests.","quote":"The kettle never rests while it is empty.","source":"kettle.md:3"}`
	far   = `{"text":"It's \"far\" $(away).","quote":"far away from here","source":"https://kettle.invalid/a"}`
)

func TestClaimsAreLookedForAtOnce(t *testing.T) {
	c := bySeat(t, agent.Explore)
	out := c.done(rests+"\n"+far+"\n", "record", "--claims", "-")
	require.Contains(t, out, "It rests.: recorded: the quotation stands in the source, line 3 (exact).")
	require.Contains(t, out, `It's "far" $(away).: recorded, to be looked for when the iteration is measured`)
	drafts, refusals := claim.Decode(strings.NewReader(c.left("claims.jsonl")), "claude", "")
	require.Empty(t, refusals)
	require.Len(t, drafts, 2)
	require.Equal(t, `It's "far" $(away).`, drafts[1].Text)
	require.Equal(t, claim.High, drafts[0].Confidence)

	require.Contains(t, c.done(rests, "record", "--claims", "-"), "recorded already")
	require.Equal(t, 2, strings.Count(c.left("claims.jsonl"), "\n"))
}

func TestAClaimWhoseQuotationIsNotThereIsRefusedWithTheNearestPassage(t *testing.T) {
	c := bySeat(t, agent.Explore)
	code, out, problem := c.call(never+"\n"+rests, "record", "--claims", "-", "--json")
	require.Equal(t, codeFailed, code)
	require.Equal(t, "1 of 2 claims were refused and not recorded; mend their quotations and record those again", problem)
	var got records.Result
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.False(t, got.Claims[0].Recorded)
	require.Contains(t, got.Claims[0].Nearest, "The kettle rests while it is empty.")
	require.Contains(t, got.Claims[0].Says, `The negation differs: you wrote "never", the source none.`)
	require.True(t, got.Claims[1].Recorded)
	require.NotContains(t, c.left("claims.jsonl"), "never")
	require.Contains(t, c.left("claims.jsonl"), "It rests.")
}

func TestBadInputChangesNothing(t *testing.T) {
	c := bySeat(t, agent.Explore)
	c.registry("C1")
	long := strings.Repeat("x", records.MaxTextBytes+1)
	for _, r := range []struct {
		says, stdin string
		args        []string
	}{
		{"say what is to be recorded", "", []string{"record"}},
		{"line 2: no JSON object", rests + "\nnonsense\n", []string{"record", "--claims", "-"}},
		{"line 1: it has no source", `{"text":"x","quote":"x"}`, []string{"record", "--claims", "-"}},
		{`"x" has no quotation`, `{"text":"x","source":"kettle.md"}`, []string{"record", "--claims", "-"}},
		{"there is nothing in it", " \n", []string{"record", "--claims", "-"}},
		{"there is no claim in it", "[\n]\n", []string{"record", "--claims", "-"}},
		{"not UTF-8", "\xff", []string{"record", "--claims", "-"}},
		{`--claims "none.jsonl": no such file`, "", []string{"record", "--claims", "none.jsonl"}},
		{"no plain file", "", []string{"record", "--claims", "docs"}},
		{"only one thing can be read", rests, []string{"record", "--claims", "-", "--feature-list", "-"}},
		{"it has no question", rests, []string{"record", "--question", " ", "--claims", "-"}},
		{"needs --answered and --by", "", []string{"record", "--answered", "Why?"}},
		{"needs --answered and --by", "", []string{"record", "--question", "Why?", "--by", "C1"}},
		{`"12" is no claim's id`, "", []string{"record", "--answered", "Why?", "--by", "12"}},
		{`has the id "C9"`, "", []string{"record", "--answered", "Why?", "--by", "C1,C9"}},
		{"needs --section and --file", "", []string{"record", "--section", "report/background"}},
		{"needs --section and --file", "", []string{"record", "--question", "Why?", "--file", "-"}},
		{`the report has no section "findings"`, "x", []string{"record", "--section", "report/findings", "--file", "-"}},
		{"there is no paper", "x", []string{"record", "--section", "../../x", "--file", "-"}},
		{"there is nothing in it", "", []string{"record", "--section", "report/background", "--file", "-"}},
		{"longer than 256 KiB", long, []string{"record", "--section", "report/background", "--file", "-"}},
		{"F1 → F2 → F1", `[{"id":"F1","name":"a","dependencies":["F2"]},{"id":"F2","name":"b","dependencies":["F1"]}]`, []string{"record", "--feature-list", "-"}},
		{"no JSON at line 1", "nonsense", []string{"record", "--question", "Why?", "--feature-list", "-"}},
		{"no critic's turn", "", []string{"blocker", "add", "--text", "x", "--aspect", "y"}},
		{"no critic's turn", "", []string{"blocker", "resolve", "B7"}},
		{"no iteration of code", "", []string{"feature", "pass", "F1"}},
		{"ends with its record", "", []string{"end"}},
		{"ends with its record", "", []string{"end", "--summary", " \n" + marker.CompleteMarker}},
		{"either --summary or --file", "", []string{"end", "--summary", "x", "--file", "-"}},
		{"a code fence in the record is not closed", "```\nx", []string{"end", "--file", "-"}},
		{"unknown flag", "", []string{"record", "--passes", "true"}},
		{"accepts 1 arg", "", []string{"feature", "pass"}},
	} {
		c.refuses(r.says, r.stdin, r.args...)
	}
}

func TestQuestionsAreAskedAndAnswered(t *testing.T) {
	c := bySeat(t, agent.Explore)
	c.registry("C1", "C2")
	c.done("", "record", "--question", "Why does it \"rest\"?", "--question", "Почему?")
	require.NotContains(t, c.done("", "record", "--answered", "почему?", "--by", "C1,c2"), "Note")
	require.Contains(t, c.done("", "record", "--question", "почему?"), "Asked already: почему?")
	require.Contains(t, c.done("", "record", "--answered", "How?", "--by", "C1"), "nobody has asked this question in these words")
	list, refused := campaign.DecodeQuestions(strings.NewReader(c.left("questions.jsonl")))
	require.Empty(t, refused)
	require.Equal(t, []campaign.Question{
		{Text: `Why does it "rest"?`}, {Text: "Почему?", Answered: []string{"C1", "C2"}}, {Text: "How?", Answered: []string{"C1"}},
	}, list)
}

func TestSectionsAreKeptAsTheyAre(t *testing.T) {
	c := bySeat(t, agent.Design)
	c.registry("C1")
	const text = "It rests [C1], \"they say\" [C9].\n\n`$(rm)` 'EOF' здесь\nsee https://kettle.invalid/\n"
	out := c.done(text, "record", "--section", "report/background", "--file", "-")
	require.Contains(t, out, "Note: no claim of the registry has the id C9")
	require.Contains(t, out, "Note: line 4 holds an address")
	require.Equal(t, text, c.left("sections/report/background.md"))
	require.NoError(t, os.WriteFile(filepath.Join(c.root, "docs/research-kettles/lexer.md"), []byte("It reads."), 0o600))
	c.done("", "record", "--section", "plan/component-The Lexer", "--file", "docs/research-kettles/lexer.md")
	require.Equal(t, "It reads.", c.left("sections/plan/component-the-lexer.md"))
}

func TestAFeatureListIsRecordedWithoutVerdicts(t *testing.T) {
	c := bySeat(t, agent.Breakdown)
	c.refuses("record the feature list first", "", "end", "--summary", "done")
	c.done("```json\n[{\"id\":\"F1\",\"name\":\"a\",\"passes\":true,\"state\":\"passed\"}]\n```\n", "record", "--feature-list", "-")
	l, err := feature.Parse([]byte(c.left("feature-list.json")))
	require.NoError(t, err)
	require.Equal(t, feature.Counts{Total: 1}, l.Counts())
	c.done("", "end", "--summary", "done")
}

func TestACoderSaysHowItsFeatureWent(t *testing.T) {
	c := bySeat(t, agent.Code)
	code, _, problem := c.call("", "feature", "pass", "F1")
	require.Equal(t, codeFailed, code)
	require.Contains(t, problem, "feature-list.json")
	c.features("F1", "F2")
	c.refuses("F2 is not the feature of this iteration, which is F1", "", "feature", "pass", "F2")
	c.refuses(`no feature "F9"`, "", "feature", "fail", "F9")
	c.refuses("outside the project", "", "feature", "pass", "F1", "--files", "../x.go")
	c.refuses("outside the project", "", "feature", "pass", "F1", "--tests", "/etc/passwd")
	c.refuses("`council campaign feature pass F1`", "", "end", "--summary", "done")
	c.done("", "feature", "fail", "F1", "--summary", "no")
	c.done("", "feature", "pass", "F1", "--summary", "It's \"done\"", "--files", "a.go,b c.go", "--files", filepath.Join(c.root, "d.go"), "--tests", "a_test.go")
	said, err := campaign.DecodeCoderNote([]byte(c.left("feature.json")))
	require.NoError(t, err)
	require.Equal(t, campaign.CoderNote{ID: "F1", Outcome: "pass", Summary: `It's "done"`, Files: []string{"a.go", "b c.go", "d.go"}, Tests: []string{"a_test.go"}}, said)
	name := filepath.Join(c.root, "docs/research-kettles/feature-list.json")
	before, err := os.ReadFile(name)
	require.NoError(t, err)
	c.done("", "end", "--summary", "done")
	after, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "no verb sets what only the program may")
}

// bySeatsCritic is a critic of a plan at its turn, in a folder of its own.
func bySeatsCritic(t *testing.T) *camp {
	c := bySeat(t, agent.Critique)
	c.seat = "claude/critique.3"
	c.vars["RESEARCH_REPORT_PATH"] = c.folder.Join(workspace.Seats, c.seat, agent.Critique+"-3.md")
	c.registry("C3")
	require.NoError(t, c.folder.Write(campaign.PlanText, []byte("# Plan\n\nIt burns, and a blanket puts it out.\n")))
	require.NoError(t, c.folder.Write(campaign.CriticismFile, []byte(`{"issues":[
		{"id":"B1","severity":"blocker","text":"No word on fire","by":"codex","plan":"of another plan"},
		{"id":"B2","severity":"blocker","text":"No word on water","by":"codex","plan":"of another plan","closed":{"by":"codex","how":"","plan":"","evidence":["C3"]}}],"turns":[]}`)))
	return c
}

func TestACriticRaisesAndCloses(t *testing.T) {
	c := bySeatsCritic(t)
	c.done("", "blocker", "add", "--text", "No word on frost", "--aspect", "safety", "--evidence", "C3", "--resolution", "say how")
	c.done("", "blocker", "add", "--text", "Old costs", "--aspect", "cost", "--severity", "concern")
	c.refuses("--aspect is missing", "", "blocker", "add", "--text", "x")
	c.refuses(`no severity "fatal"`, "", "blocker", "add", "--text", "x", "--aspect", "y", "--severity", "fatal")
	c.refuses("--how and --evidence", "", "blocker", "resolve", "B1", "--how", "seen")
	c.refuses(`"C9" is neither the id of a claim`, "", "blocker", "resolve", "B1", "--how", "seen", "--evidence", "C9")
	c.refuses(`no issue "B3"; open blockers: B1`, "", "blocker", "resolve", "B3", "--how", "seen", "--evidence", "C3")
	require.Contains(t, c.done("", "blocker", "resolve", "b1", "--how", "seen", "--evidence", "a blanket puts it out"), "B1 is closed")
	require.Contains(t, c.done("", "blocker", "resolve", "B2", "--how", "seen", "--evidence", "C3"), "closed already")
	h := campaign.ReadIssues([]campaign.Issue{{ID: "B1", Severity: campaign.Blocker, Text: "No word on fire"}}, []byte(c.left("issues.jsonl")), campaignwork.NewReading([]byte("a blanket puts it out"), func(id string) bool { return id == "C3" }))
	require.Empty(t, h.Refused)
	require.Len(t, h.Issues, 3)
	require.NotNil(t, h.Issues[0].Closed)
}

func TestNobodyButACriticInItsTurnRaisesOrCloses(t *testing.T) {
	for _, role := range []string{agent.Explore, agent.Design, agent.Breakdown, agent.Code} {
		for name, c := range map[string]*camp{"a seat": bySeat(t, role), "a session": bySession(t, role, "F1")} {
			c.registry("C3")
			require.NoError(t, c.folder.Write(campaign.CriticismFile, []byte(`{"issues":[{"id":"B1","severity":"blocker","text":"No word on fire","by":"codex"}],"turns":[]}`)))
			c.refuses("this is no critic's turn", "", "blocker", "add", "--text", "x", "--aspect", "y")
			c.refuses("this is no critic's turn", "", "blocker", "resolve", "B1", "--how", "seen", "--evidence", "C3")
			require.NoFileExists(t, c.folder.Join(workspace.Seats, c.seat, campaign.IssuesFile), name)
		}
	}
}

func TestTheEndOfAnIterationIsItsRecord(t *testing.T) {
	c := bySeat(t, agent.Explore)
	const text = "Three cells were \"compared\".\n\n```sh\necho '$HOME' <<'END'\n```\nконец"
	require.Contains(t, c.done(text, "end", "--file", "-"), "The iteration is recorded. The program measures it now; stop here.")
	require.Equal(t, text+"\n\n"+marker.CompleteMarker+"\n", c.left("explore-3.md"))
	c.done(text+"\n\n"+marker.CompleteMarker+"\n", "end", "--file", "-")
	require.Equal(t, text+"\n\n"+marker.CompleteMarker+"\n", c.left("explore-3.md"))
}

func TestARecordThatIsThereIsMarked(t *testing.T) {
	c := bySeat(t, agent.Explore)
	require.NoError(t, c.folder.Mkdir("seats/claude"))
	require.NoError(t, c.folder.Write("seats/claude/explore-3.md", []byte("Written by hand.\n")))
	c.done("", "end")
	require.True(t, marker.IsComplete([]byte(c.left("explore-3.md"))))
}

// fakeSupervisor takes the session's turn away once its record is there, and
// then says how far the campaign is.
func (c *camp) fakeSupervisor(record string, s status.Status) {
	stop, over := make(chan struct{}), make(chan struct{})
	data, err := json.Marshal(s)
	require.NoError(c.t, err)
	go func() {
		defer close(over)
		look := time.NewTicker(time.Millisecond)
		defer look.Stop()
		for !c.folder.Filled(record) {
			select {
			case <-stop:
				return
			case <-look.C:
			}
		}
		_ = errors.Join(c.folder.Remove(campaignwork.TurnFile), c.folder.Write(workspace.Status, data)) // the test sees what is missing
	}()
	c.t.Cleanup(func() { close(stop); <-over })
}

// stands says how far the campaign is.
func stands(measured int, ended string) status.Status {
	s := status.Status{ID: campID, Status: "running", Own: campaign.OwnStatus(&campaign.Status{
		Measured: measured, Progress: fmt.Sprintf("Phase A: Research, iteration %d/10: 4 new findings (9), 5 sources", measured), Ended: ended,
	})}
	if ended != "" {
		s.Status = string(flow.Completed)
	}
	return s
}

func (c *camp) status(s status.Status) {
	data, err := json.Marshal(s)
	require.NoError(c.t, err)
	require.NoError(c.t, c.folder.Write(workspace.Status, data))
}

func TestASessionIsToldWhatItsIterationCameTo(t *testing.T) {
	c := bySession(t, agent.Explore, "")
	me, err := proc.Self()
	require.NoError(t, err)
	lease, err := journal.TakeLease(c.folder.Path, journal.Holder{PID: me.PID, Start: me.Start}, time.Now()) // as whoever works on the run holds it
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lease.Release()) })
	c.status(stands(2, ""))
	c.fakeSupervisor("seats/session/explore-3.md", stands(3, "the threshold was reached"))
	out := c.done("What was found.", "end", "--file", "-")
	require.Contains(t, out, "iteration 3/10: 4 new findings (9), 5 sources.")
	require.Contains(t, out, "The campaign has ended: the threshold was reached.")
	c.refuses("`council campaign begin` hands over the next one", "", "end", "--summary", "again")
}

func TestAnIterationTheSessionWasNotToldOfIsNotEnded(t *testing.T) {
	c := bySession(t, agent.Code, "F1")
	c.features("F1")
	require.NoError(t, c.folder.Remove(campaignwork.BegunFile(agent.Code+".3/session")))
	c.refuses("no iteration is open here", "", "feature", "pass", "F1")
	c.refuses("no iteration is open here", "", "end", "--summary", "the one before, again")
}

func TestWhatAWorkerIsToldAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		out  session.Verdict
		host bool
		says string
	}{
		{session.Verdict{}, false, "The program measures it now; stop here."},
		{session.Verdict{Status: "running"}, true, "The program is still measuring it"},
		{session.Verdict{}, true, "The program is still measuring it"},
		{session.Verdict{Status: "running", Orphaned: true}, true, "the supervisor is gone"},
		{session.Verdict{Status: "running", Measured: true, Verdict: "4 new findings"}, true, "4 new findings. The next iteration begins with"},
		{session.Verdict{Status: "completed", Measured: true, Verdict: "4 new findings"}, true, "4 new findings. The campaign has ended: completed."},
		{session.Verdict{Status: "out_of_budget", Ended: "the money is spent"}, true, "recorded. The campaign has ended: the money is spent."},
	} {
		require.Contains(t, c.out.Message(c.host), c.says)
	}
}

func TestASessionIsToldThatNobodyMeasures(t *testing.T) {
	c := bySession(t, agent.Explore, "")
	c.status(stands(2, ""))
	out := c.done("", "end", "--summary", "found", "--json")
	var got session.Verdict
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.True(t, got.Orphaned)
	require.Equal(t, c.folder.Join("seats/session/explore-3.md"), got.Record)
}

func TestASessionBuildsTheFeatureItWasGiven(t *testing.T) {
	c := bySession(t, agent.Code, "F2")
	c.features("F1", "F2")
	c.refuses("F1 is not the feature of this iteration, which is F2", "", "feature", "pass", "F1")
	c.done("", "feature", "pass", "F2")
	require.Contains(t, c.left("feature.json"), `"claims":"pass"`)
}

func TestEveryHelpIsShown(t *testing.T) {
	var show func(c *cobra.Command, words []string)
	show = func(c *cobra.Command, words []string) {
		var out, problem bytes.Buffer
		e := program.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &problem, Dir: t.TempDir(), Self: "council", Getenv: func(string) string { return "" }}
		require.NotPanics(t, func() { require.Zero(t, run(context.Background(), append(words, "--help"), e), words) }, words)
		require.Contains(t, out.String(), "USAGE", words)
		for _, sub := range c.Commands() {
			show(sub, append(words[:len(words):len(words)], sub.Name()))
		}
	}
	e := program.Env{Getenv: func(string) string { return "" }}
	show(rootCommand(e), nil)
}

func TestWhichCampaignAVerbBelongsTo(t *testing.T) {
	c := pitched(t, t.TempDir(), campID, "Kettles", "")
	c.done("", "record", "--question", "Only one?")
	require.Contains(t, c.left("questions.jsonl"), "Only one?")

	second := pitched(t, c.root, "20260223-143000-d4e5f6", "Tea Pots", "")
	c.refuses("2 campaigns are under way: kettles, tea-pots; name one", "", "record", "--question", "Which?")
	for _, name := range []string{"cups", "../"} {
		code, _, problem := c.call("", "record", "--question", "Which?", "--campaign", name)
		require.Equal(t, codeFailed, code)
		require.Contains(t, problem, fmt.Sprintf("no campaign is called %q", name))
	}
	c.done("", "record", "--question", "That?", "--campaign", "tea pots")
	require.Contains(t, second.left("questions.jsonl"), "That?")
	c.done("", "record", "--question", "By id?", "--campaign", campID)
	require.Contains(t, c.left("questions.jsonl"), "By id?")

	empty := &camp{t: t, root: t.TempDir()}
	code, _, problem := empty.call("", "record", "--question", "Where?")
	require.Equal(t, codeFailed, code)
	require.Contains(t, problem, "no campaign is under way here")
	require.Empty(t, empty.files())
}

func TestAnotherSessionEndsNothingByChance(t *testing.T) {
	c := bySession(t, agent.Explore, "")
	c.vars["CLAUDE_CODE_SESSION_ID"] = "6f1c2b1e-0000-4000-8000-00000000000b"
	c.refuses(`the campaign "Kettles" is another session's`, "", "end", "--summary", "x")
	c.done("", "record", "--question", "On purpose?", "--campaign", "kettles")
	require.Contains(t, c.left("questions.jsonl"), "On purpose?")
}

func TestAForeignRecordPathIsRefused(t *testing.T) {
	c := bySeat(t, agent.Explore)
	c.vars["RESEARCH_REPORT_PATH"] = filepath.Join(c.root, "elsewhere", "explore-3.md")
	code, _, problem := c.call("", "record", "--question", "Where?")
	require.Equal(t, codeFailed, code)
	require.Contains(t, problem, "is no record of a seat of run")
}

func TestWorkersRecordAtTheSameTime(t *testing.T) {
	c := bySeat(t, agent.Explore)
	const workers = 16
	codes := make(chan int, workers)
	for i := range workers {
		go func() {
			code, _, _ := c.call("", "record", "--question", fmt.Sprintf("What of %d, %s?", i, strings.Repeat("x", 1500)))
			codes <- code
		}()
	}
	for range workers {
		require.Zero(t, <-codes)
	}
	list, refused := campaign.DecodeQuestions(strings.NewReader(c.left("questions.jsonl")))
	require.Empty(t, refused)
	require.Len(t, list, workers)
}

func TestLinesOfOthersAreKept(t *testing.T) {
	c := bySeat(t, agent.Explore)
	require.NoError(t, c.folder.Mkdir("seats/claude"))
	require.NoError(t, c.folder.Write("seats/claude/claims.jsonl", []byte(far)))
	c.done(rests, "record", "--claims", "-")
	drafts, refusals := claim.Decode(strings.NewReader(c.left("claims.jsonl")), "claude", "")
	require.Empty(t, refusals)
	require.Len(t, drafts, 2)
}

func TestARecordThatIsTooLongGoesBackOnce(t *testing.T) {
	c := bySeat(t, agent.Explore)
	require.NoError(t, c.folder.Mkdir("seats/claude"))
	long := strings.Repeat("word ", 601)
	code, _, problem := c.call(long, "end", "--file", "-")
	require.Equal(t, codeFailed, code)
	require.Contains(t, problem, "the record has 601 words; 200 to 500 are asked for")
	require.False(t, c.folder.Has("seats/claude/explore-3.md"))
	c.done(long, "end", "--file", "-")
	require.True(t, marker.IsComplete([]byte(c.left("explore-3.md"))))
}

// What is recorded is shown to others, so a worker hands in what is its own.
func TestOnlyFilesOfTheCampaignAreHandedIn(t *testing.T) {
	c := bySession(t, agent.Explore, "")
	own, papers := c.folder.Join("seats/session"), filepath.Join(c.root, "docs/research-kettles")
	require.NoError(t, os.MkdirAll(own, 0o700))
	secret := filepath.Join(t.TempDir(), "secret.env")
	for _, name := range []string{secret, filepath.Join(c.root, ".env"), filepath.Join(own, "a.md"), filepath.Join(papers, "b.md")} {
		require.NoError(t, os.WriteFile(name, []byte("KEY=1"), 0o600))
	}
	require.NoError(t, os.Symlink(secret, filepath.Join(papers, "link.md")))
	require.NoError(t, os.MkdirAll(papers+"X", 0o700))
	require.NoError(t, os.WriteFile(papers+"X/r.md", []byte("x"), 0o600))
	for _, name := range []string{secret, ".env", filepath.Join(own, "../../../../.env"), filepath.Join(papers, "link.md"), papers + "X/r.md", "/proc/self/environ", filepath.Join(c.folder.Path, "journal.jsonl")} {
		c.refuses("outside of the campaign's folders", "", "record", "--section", "report/background", "--file", name)
		c.refuses("outside of the campaign's folders", "", "record", "--claims", name)
		c.refuses("outside of the campaign's folders", "", "record", "--feature-list", name)
		c.refuses("outside of the campaign's folders", "", "end", "--file", name)
	}
	for _, name := range []string{filepath.Join(own, "a.md"), filepath.Join(papers, "b.md"), "docs/research-kettles/b.md"} {
		c.done("", "record", "--section", "report/background", "--file", name)
	}
}

// A model speaks for its session: it goes on with the campaign under way there,
// and neither begins another nor changes limits nor reaches into other projects.
func TestASessionHasTheCampaignItWasGiven(t *testing.T) {
	c := bySession(t, agent.Explore, "")
	other := pitched(t, c.root, "20260223-143000-d4e5f6", "Tea Pots", "")
	elsewhere := pitched(t, t.TempDir(), "20260224-143000-d4e5f6", "Cups", "")
	begin := func(stdin string, args ...string) (int, string) {
		var problem bytes.Buffer
		e := program.Env{Stdin: strings.NewReader(stdin), Stdout: &problem, Stderr: &problem, Dir: c.root, Self: "council", Getenv: func(name string) string { return c.vars[name] }}
		return run(context.Background(), append([]string{"campaign", "begin"}, args...), e), problem.String()
	}
	before := c.files()
	for _, args := range [][]string{
		{"research", "--arguments", "'cups' 'How do cups rest?' --max-usd 500"},
		{"continue-auto", "--arguments", "tea-pots"},
		{"full-auto", "--arguments", "'tea-pots' 'x'"},
		{"continue-auto", "--arguments", "--max-usd 500"},
		{"continue-auto", "--arguments", "kettles --max-iterations 9999"},
		{"--project", elsewhere.root},
	} {
		code, says := begin("", args...)
		require.Equal(t, codeUsage, code, "%v: %s", args, says)
	}
	c.refuses("records in no other", "", "record", "--question", "Which?", "--campaign", "tea-pots")
	c.refuses("records in no other", "", "record", "--question", "Which?", "--project", elsewhere.root)
	c.refuses("records in no other", "", "record", "--question", "Which?", "--campaign", "cups", "--project", elsewhere.root)
	require.Equal(t, before, c.files())
	require.False(t, other.folder.Has("seats/claude/questions.jsonl"))
	c.done("", "record", "--question", "Mine?", "--campaign", "kettles", "--project", c.root)
	require.Contains(t, c.left("questions.jsonl"), "Mine?")
}

// What the permission hook knows of the verbs that record is what they are.
func TestTheHookKnowsTheFlagsOfTheVerbsThatRecord(t *testing.T) {
	var look func(c *cobra.Command, words []string)
	look = func(c *cobra.Command, words []string) {
		for _, sub := range c.Commands() {
			look(sub, append(words[:len(words):len(words)], sub.Name()))
		}
		if c.HasSubCommands() {
			return
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			_, ok := hook.ParseCampaignCommand(strings.Join(words, " ")+" --"+f.Name+" x", "council")
			require.True(t, ok, "%v --%s", words, f.Name)
		})
	}
	for _, c := range recordingCommands(program.Env{}) {
		look(c, []string{"council", "campaign", c.Name()})
	}
}
