package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
)

const campaignRunID = "20260222-143000-a1b2c3"

// grounds is a project with a campaign that session "mine" owns. Its
// supervisor is the test itself, which does nothing.
type grounds struct {
	*testing.T
	root, papers string
	folder       *workspace.Folder
	turn         campaignwork.SessionTurn
}

func newGrounds(t *testing.T, loop bool) *grounds {
	t.Helper()
	root := t.TempDir()
	f, err := workspace.Create(root, campaignRunID)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	me, err := proc.Identify(os.Getpid())
	require.NoError(t, err)
	require.NoError(t, f.Write(journal.Name, nil))
	lease, err := journal.TakeLease(f.Path, journal.Holder{PID: me.PID, Start: me.Start}, time.Now())
	require.NoError(t, err)
	t.Cleanup(func() { _ = lease.Release() })
	s := workspace.NewState(campaignRunID, "mine", "Why?", 30, time.Now())
	s.Campaign, s.Loop = "go-rust", loop
	require.NoError(t, workspace.CreateState(root, s))
	g := &grounds{T: t, root: root, papers: filepath.Join(root, "docs", "research-go-rust"), folder: f}
	require.NoError(t, os.MkdirAll(g.papers, 0o755))
	require.NoError(t, os.MkdirAll(f.Join("seats", "session"), 0o700))
	g.turn = campaignwork.SessionTurn{
		Task: "explore.3/session", Turn: 1, Role: "explore", Visit: 3, Prompt: f.Join("prompts", "explore.md"),
		Folder: f.Join("seats", "session"), Record: f.Join("seats", "session", "explore-3.md"),
	}
	g.status("running")
	st := campaign.State{
		Type: campaign.Research.Type(), Name: "Go & Rust", Run: campaignRunID, Status: campaign.InProgress, Phase: campaign.PhaseA, Iteration: 3,
		Researching: 3, Threshold: 3, Tally: campaign.Tally{Sources: 7, Findings: 11, New: 2}, Prompt: "Why?",
		Files: []string{"docs/research-go-rust/go-rust-state.md", "docs/research-go-rust/progress.txt"},
	}
	g.publish("go-rust-state.md", string(st.Encode()))
	return g
}

func (g *grounds) put(path, text string) {
	g.Helper()
	require.NoError(g, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(g, os.WriteFile(path, []byte(text), 0o600))
}

func (g *grounds) status(is string) {
	g.put(g.folder.Join(workspace.Status), `{"id":"`+campaignRunID+`","status":"`+is+`"}`)
}

// publish is what the program wrote last.
func (g *grounds) publish(name, text string) {
	g.put(g.folder.Join(campaignwork.PublishedDir, name), text)
	g.put(filepath.Join(g.papers, name), text)
}

// given tells that it is the session's turn.
func (g *grounds) given() {
	data, err := json.Marshal(g.turn)
	require.NoError(g, err)
	g.put(g.folder.Join(campaignwork.TurnFile), string(data))
}

func (g *grounds) began() {
	g.given()
	first, err := recordBegun(g.folder, g.turn)
	require.NoError(g, err)
	require.True(g, first)
}

type hooked struct {
	out, errs string
	code      int
}

func (g *grounds) event(name string, more ...string) hooked { return g.as("mine", name, more...) }

func (g *grounds) as(session, name string, more ...string) hooked {
	args := append([]string{"hook", "campaign", "--root", g.root, "--run", campaignRunID, "--session", session, "--event", name, "--at-once", "10ms"}, more...)
	return g.call(g.Context(), os.Getpid(), args...)
}

func (g *grounds) call(ctx context.Context, host int, args ...string) hooked {
	var out, errs bytes.Buffer
	e := program.Env{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Environ: []string{"HOME=" + g.root}, Dir: g.root, Self: "/no/such/council",
		Getenv: func(name string) string {
			return map[string]string{"CLAUDE_PID": strconv.Itoa(host), "HOME": g.root}[name]
		},
	}
	code := callHook(ctx, e, args[1], args[2:])
	return hooked{out.String(), errs.String(), code}
}

// callHook calls a hook as the door does, with the flags council-hook hands over, and
// gives its exit code.
func callHook(ctx context.Context, e program.Env, name string, args []string) int {
	var v Event
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	for name, to := range map[string]*string{
		"root": &v.Project, "run": &v.Run, "session": &v.Session, "event": &v.Name, "source": &v.Call.Source,
		"trigger": &v.Call.Trigger, "reason": &v.Call.Reason, "fault": &v.Call.Fault, "transcript": &v.Call.Transcript,
	} {
		flags.StringVar(to, name, "", "")
	}
	flags.DurationVar(&v.BriefWait, "at-once", DefaultBriefWait, "")
	flags.BoolVar(&v.Call.Background, "background", false, "")
	err := flags.Parse(args)
	if err == nil {
		err = map[string]func() error{
			"campaign": func() error { return HandleCampaign(ctx, e, v) },
			"cleared":  func() error { return Clear(e, v.Owner) },
			"adopt":    func() error { return Adopt(ctx, e, v.Owner) },
		}[name]()
	}
	switch {
	case errors.Is(err, ErrWake):
		return 2
	case err != nil:
		fmt.Fprintln(e.Stderr, "council: "+view.ErrorLine(err))
	}
	return 0
}

func (s hooked) reason() string { return gjson.Get(s.out, "reason").Str }

func (g *grounds) notes(kind string) (list []workspace.Note) {
	all, err := g.folder.Notes()
	require.NoError(g, err)
	for _, n := range all {
		if n.Kind == kind {
			list = append(list, n)
		}
	}
	return list
}

func (g *grounds) progress() string {
	data, err := os.ReadFile(filepath.Join(g.papers, campaign.Progress))
	if err != nil {
		return ""
	}
	return string(data)
}

func TestAStopIsLeftAloneWhereNothingIsDue(t *testing.T) {
	for name, lay := range map[string]func(*grounds){
		"it is not its turn":           func(*grounds) {},
		"the brief was not handed out": func(g *grounds) { g.given() },
		"the iteration is recorded":    func(g *grounds) { g.began(); g.put(g.turn.Record, "done") },
		"a turn that cannot be read":   func(g *grounds) { g.put(g.folder.Join(campaignwork.TurnFile), "}{") },
		"an empty turn":                func(g *grounds) { g.put(g.folder.Join(campaignwork.TurnFile), "") },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrounds(t, false)
			lay(g)
			require.Equal(t, hooked{}, g.event("stop"))
			require.Empty(t, g.notes(workspace.SessionGaveUp))
		})
	}
}

func TestAStopWaitsForTheSessionsOwnAgents(t *testing.T) {
	for _, loop := range []bool{false, true} {
		g := newGrounds(t, loop)
		g.began()
		require.Equal(t, hooked{}, g.event("stop", "--background"))
	}
}

func TestAStopAsksTwiceForTheRecordAndLetsGo(t *testing.T) {
	for _, loop := range []bool{false, true} {
		g := newGrounds(t, loop)
		g.began()
		for range 2 {
			got := g.event("stop")
			require.Zero(t, got.code)
			require.Equal(t, "block", gjson.Get(got.out, "decision").Str)
			require.True(t, strings.HasPrefix(got.reason(), "State file is stale: iteration 3 (explore) is not recorded."), got.reason())
			require.Contains(t, got.reason(), "There is nothing in "+g.folder.Join("seats", "session", "claims.jsonl"))
			require.Contains(t, got.reason(), g.turn.Record)
			require.Contains(t, got.reason(), "council campaign end")
			require.Contains(t, got.reason(), g.turn.Prompt)
		}
		for range 3 {
			require.Equal(t, hooked{}, g.event("stop"))
		}
		require.Len(t, g.notes(workspace.SessionGaveUp), 1, "the supervisor is told once")
		require.Equal(t, "explore.3/session", g.notes(workspace.SessionGaveUp)[0].Detail)

		g.turn.Task, g.turn.Visit, g.turn.Record = "explore.4/session", 4, g.folder.Join("seats", "session", "explore-4.md")
		g.began()
		require.Contains(t, g.event("stop").reason(), "iteration 4", "the next iteration is asked for again")
	}
}

func TestManyStopsAskTwice(t *testing.T) {
	g := newGrounds(t, false)
	g.began()
	answers := make([]hooked, 16)
	var all sync.WaitGroup
	for n := range answers {
		all.Go(func() { answers[n] = g.event("stop") })
	}
	all.Wait()
	asked := 0
	for _, a := range answers {
		if a.out != "" {
			asked++
		}
	}
	require.Equal(t, 2, asked)
	require.Len(t, g.notes(workspace.SessionGaveUp), 1)
}

// Whether there is anything new is told by content: a time stamp or a file
// that is written again proves nothing.
func TestAStopSaysWhatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		role, file, before, now string
		want, not               string
	}{
		"nothing found":             {"explore", "claims.jsonl", "", "", "There is nothing in", "Nothing new"},
		"no claim more":             {"explore", "claims.jsonl", "{}\n", "{}\n", "Nothing new is in", "There is nothing"},
		"a claim more":              {"explore", "claims.jsonl", "{}\n", "{}\n{}\n", "The record", "claims.jsonl"},
		"the first claims":          {"explore", "claims.jsonl", "", "{}\n", "The record", "claims.jsonl"},
		"a section as it was":       {"design", "sections/plan/vision.md", "a", "a", "Nothing new is in", "There is nothing"},
		"a section mended":          {"design", "sections/plan/vision.md", "a", "b", "The record", "sections"},
		"a section of another part": {"design", "sections/report/background.md", "", "b", "There is nothing in", "Nothing new"},
		"no list of features":       {"breakdown", "feature-list.json", "", "", "feature-list.json", "claims"},
		"nothing on the feature":    {"code", "feature.json", "", "", "feature.json", "claims"},
		"a role we do not know":     {"dance", "claims.jsonl", "", "", "The record", "claims"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrounds(t, false)
			g.turn.Role = c.role
			if c.before != "" {
				g.put(filepath.Join(g.turn.Folder, c.file), c.before)
			}
			g.began()
			if c.now != "" {
				g.put(filepath.Join(g.turn.Folder, c.file), c.now)
			}
			reason := g.event("stop").reason()
			require.Contains(t, reason, c.want)
			require.NotContains(t, reason, c.not)
		})
	}
}

func TestABriefThatWasNotedBareStillAsksForTheRecord(t *testing.T) {
	g := newGrounds(t, false)
	g.given()
	g.put(filepath.Join(g.turn.Folder, "claims.jsonl"), "{}\n")
	g.put(g.folder.Join(campaignwork.BegunFile(g.turn.Task)), "2026-02-22T14:30:00Z\n")
	reason := g.event("stop").reason()
	require.Contains(t, reason, "The record")
	require.NotContains(t, reason, "claims.jsonl", "what was there before is not known")
}

func TestALoopHandsTheBriefOverOnce(t *testing.T) {
	g := newGrounds(t, true)
	g.given()
	got := g.event("stop")
	require.Equal(t, "block", gjson.Get(got.out, "decision").Str)
	require.Contains(t, got.reason(), g.turn.Prompt)
	require.Contains(t, got.reason(), "Phase A: Research, iteration 3 of at most 30")
	require.Less(t, len(got.reason())-len(g.turn.Prompt), 300, "the host sends it twice")
	require.FileExists(t, g.folder.Join(campaignwork.BegunFile(g.turn.Task)))
	require.Contains(t, g.event("stop").reason(), "State file is stale")
}

func TestTheProgramMendsItsOwnFiles(t *testing.T) {
	g := newGrounds(t, false)
	g.publish(campaign.Features, `{"features":[]}`)
	require.Equal(t, hooked{}, g.event("stop"))
	require.Empty(t, g.progress(), "what is as it was written is left alone")
	for _, name := range []string{campaign.Features, "go-rust-state.md"} {
		want, err := g.folder.Read("published/" + name)
		require.NoError(t, err)
		g.put(filepath.Join(g.papers, name), "passes: true, all of them")
		require.Equal(t, hooked{}, g.event("stop"), "Claude is not asked")
		got, err := os.ReadFile(filepath.Join(g.papers, name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		require.Contains(t, g.progress(), name+" was not as the program wrote it last")
		if name == campaign.Features { // it may have been a person's work
			kept, err := os.ReadFile(filepath.Join(g.papers, campaignwork.RejectedListFile))
			require.NoError(t, err)
			require.Equal(t, "passes: true, all of them", string(kept))
			require.Contains(t, g.progress(), "what it held is in "+campaignwork.RejectedListFile)
		}
		require.NoError(t, os.Remove(filepath.Join(g.papers, name)))
		g.event("stop")
		require.FileExists(t, filepath.Join(g.papers, name))
	}
	left, err := filepath.Glob(filepath.Join(g.papers, ".*"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, os.RemoveAll(g.papers))
	require.Equal(t, hooked{}, g.event("stop"))
	require.NoDirExists(t, g.papers, "a folder that was taken away stays away")
}

// What is no file any more is put back too, and holds nobody.
func TestTheProgramMendsWhatIsNoFile(t *testing.T) {
	for name, lay := range map[string]func(string) error{
		"a pipe": func(p string) error { return proctest.NamedPipe(p) },
		"a link": func(p string) error { return os.Symlink("progress.txt", p) },
	} {
		g := newGrounds(t, false)
		state := filepath.Join(g.papers, "go-rust-state.md")
		require.NoError(t, os.Remove(state))
		require.NoError(t, lay(state))
		require.Equal(t, hooked{}, g.event("stop"), name)
		info, err := os.Lstat(state)
		require.NoError(t, err)
		require.True(t, info.Mode().IsRegular(), name)
	}
}

func TestAStopMendsAlsoWhereAnIterationIsMissing(t *testing.T) {
	g := newGrounds(t, false)
	g.began()
	g.put(filepath.Join(g.papers, "go-rust-state.md"), "edited")
	require.Contains(t, g.event("stop").reason(), "State file is stale")
	require.Contains(t, g.progress(), "put back")
}

func TestASessionThatStartsIsToldWhereItsCampaignStands(t *testing.T) {
	g := newGrounds(t, false)
	for _, source := range []string{"startup", "resume", "compact", "clear"} {
		got := g.event("session-start", "--source", source)
		require.Zero(t, got.code, got.errs)
		require.Equal(t, "SessionStart", gjson.Get(got.out, "hookSpecificOutput.hookEventName").Str)
		text := gjson.Get(got.out, "hookSpecificOutput.additionalContext").Str
		for _, part := range []string{
			`campaign "go-rust"`, campaignRunID, "Phase A: Research", "iteration 3 of at most 30", campaign.Research.Type(), "7 sources cited", "11 findings, 2 of them new",
			"docs/research-go-rust/go-rust-state.md", "- docs/research-go-rust/progress.txt", "/research-council:continue-auto", "# Autonomous Workflow State",
		} {
			require.Contains(t, text, part)
		}
	}
	g.given()
	text := gjson.Get(g.event("session-start").out, "hookSpecificOutput.additionalContext").Str
	require.Contains(t, text, g.turn.Prompt)
	require.NotContains(t, text, "continue-auto")
	var host flow.Process
	data, err := g.folder.Read(supervisor.HostFile)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &host))
	require.Equal(t, os.Getpid(), host.PID, "the supervisor knows where the session is now")
}

func TestWhatASessionIsToldFitsTheHost(t *testing.T) {
	g := newGrounds(t, false)
	st := campaign.State{Type: campaign.Research.Type(), Name: "n", Run: campaignRunID, Status: campaign.InProgress, Phase: campaign.PhaseA, Prompt: strings.Repeat("😀 日本\n", 10_000)}
	for n := range 500 {
		st.Files = append(st.Files, "docs/"+strings.Repeat("x", 150)+strconv.Itoa(n))
	}
	g.publish("go-rust-state.md", string(st.Encode()))
	text := gjson.Get(g.event("session-start").out, "hookSpecificOutput.additionalContext").Str
	require.Contains(t, text, "(cut here)")
	require.LessOrEqual(t, len(utf16.Encode([]rune(text))), 10_000)
	require.Contains(t, text, "Next step")
}

func TestClipKeepsWithinItsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(20, 60).Draw(t, "most")
		got := truncateUnits(text, most)
		require.LessOrEqual(t, len(utf16.Encode([]rune(got))), most)
		if len(utf16.Encode([]rune(text))) <= most-len("\n(cut here)") {
			require.Equal(t, text, got)
		}
	})
}

func TestASessionIsToldWhateverIsMissing(t *testing.T) {
	for name, text := range map[string]string{"nothing": "", "garbage": "}{", "binary": "\x00\xff"} {
		g := newGrounds(t, false)
		g.publish("go-rust-state.md", text)
		got := g.event("session-start")
		require.Zero(t, got.code, name)
		require.Contains(t, gjson.Get(got.out, "hookSpecificOutput.additionalContext").Str, "go-rust", name)
	}
}

func TestACompactionKeepsTranscriptAndState(t *testing.T) {
	g := newGrounds(t, false)
	transcript := filepath.Join(t.TempDir(), "t.jsonl")
	g.put(transcript, "{\"a\":1}\n")
	require.Equal(t, hooked{}, g.event("pre-compact", "--trigger", "auto", "--transcript", transcript), "what is printed would join the summary")
	g.put(transcript, "{\"a\":1}\n{\"b\":2}\n")
	require.Equal(t, hooked{}, g.event("pre-compact", "--trigger", "manual", "--transcript", transcript))
	require.Len(t, g.notes(workspace.PreCompact), 2)
	require.Contains(t, g.progress(), "The context is compacted (manual)")
	states, err := filepath.Glob(filepath.Join(g.papers, "transcripts", "*-state.md"))
	require.NoError(t, err)
	require.Len(t, states, 2)
	kept, err := os.ReadFile(states[0])
	require.NoError(t, err)
	published, err := g.folder.Read("published/go-rust-state.md")
	require.NoError(t, err)
	require.Equal(t, string(published), string(kept))
	papers, err := os.OpenRoot(g.papers)
	require.NoError(t, err)
	defer papers.Close()
	store, closed, err := Transcripts(papers)
	require.NoError(t, err)
	defer closed()
	list := store.List()
	require.Len(t, list, 2)
	var got bytes.Buffer
	require.NoError(t, store.Restore(&got, list[1].Stamp))
	require.Equal(t, "{\"a\":1}\n{\"b\":2}\n", got.String())
}

// Whatever is wrong with a transcript, the compaction goes on and the state is
// kept.
func TestACompactionIsNeverHeldUp(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, proctest.NamedPipe(filepath.Join(dir, "pipe.jsonl")))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link.jsonl")))
	for _, path := range []string{"", "t.jsonl", "/etc/passwd", filepath.Join(dir, "none.jsonl"), filepath.Join(dir, "pipe.jsonl"), filepath.Join(dir, "link.jsonl"), dir} {
		g := newGrounds(t, false)
		got := g.event("pre-compact", "--transcript", path)
		require.Zero(t, got.code, path)
		require.Empty(t, got.out, path)
		require.Contains(t, g.progress(), "could not be kept", path)
		states, err := filepath.Glob(filepath.Join(g.papers, "transcripts", "*-state.md"))
		require.NoError(t, err)
		require.Len(t, states, 1, path)
	}
	g := newGrounds(t, false)
	require.NoError(t, os.RemoveAll(g.papers))
	got := g.event("pre-compact", "--transcript", filepath.Join(dir, "none.jsonl"))
	require.Equal(t, hooked{"", got.errs, 0}, got)
}

func TestAForeignSessionIsToldNothingOfACampaign(t *testing.T) {
	for _, session := range []string{"other", "MINE", "", "../mine", "*", campaignRunID} {
		g := newGrounds(t, true)
		g.began()
		g.put(filepath.Join(g.papers, "go-rust-state.md"), "edited")
		for _, name := range []string{"stop", "stop-wait", "session-start", "pre-compact", "session-end", "stop-failure"} {
			require.Equal(t, hooked{}, g.as(session, name), "%s of %q", name, session)
		}
		kept, err := os.ReadFile(filepath.Join(g.papers, "go-rust-state.md"))
		require.NoError(t, err)
		require.Equal(t, "edited", string(kept))
		notes, err := g.folder.Notes()
		require.NoError(t, err)
		require.Empty(t, notes)
	}
}

func TestACampaignsNameInTheStateFileIsNoPath(t *testing.T) {
	for _, slug := range []string{"../../x", "a/b", "..", "", "A b", "x\x00y"} {
		g := newGrounds(t, true)
		path := filepath.Join(g.root, hook.StateFiles(campaignRunID)[0])
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		g.put(path, strings.Replace(string(data), `"go-rust"`, strconv.Quote(slug), 1))
		for _, name := range []string{"stop", "session-start", "pre-compact"} {
			got := g.event(name)
			require.Zero(t, got.code)
			require.Empty(t, got.out, "%q", slug)
		}
	}
}

// Whichever folder is a link that leads out of the project, nothing behind it
// is written.
func TestNoLinkLeadsACampaignsHookOut(t *testing.T) {
	transcript := filepath.Join(t.TempDir(), "t.jsonl")
	require.NoError(t, os.WriteFile(transcript, []byte("{}\n"), 0o600))
	for _, name := range []string{"docs", "docs/research-go-rust", "docs/research-go-rust/transcripts", "docs/research-go-rust/progress.txt", "docs/research-go-rust/go-rust-state.md"} {
		t.Run(name, func(t *testing.T) {
			g := newGrounds(t, true)
			require.NoError(t, os.MkdirAll(filepath.Join(g.papers, "transcripts"), 0o700))
			g.put(filepath.Join(g.papers, "progress.txt"), "")
			outside := filepath.Join(t.TempDir(), "outside")
			require.NoError(t, os.Rename(filepath.Join(g.root, name), outside))
			require.NoError(t, os.Symlink(outside, filepath.Join(g.root, name)))
			before := listed(t, outside)
			g.given()
			for _, event := range []string{"stop", "stop", "session-start", "pre-compact"} {
				require.Zero(t, g.event(event, "--transcript", transcript).code)
			}
			require.Equal(t, before, listed(t, outside))
		})
	}
}

// listed are the files below a path, with what they hold.
func listed(t *testing.T, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(path, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[name] = ""
			return err
		}
		data, err := os.ReadFile(name)
		all[name] = string(data)
		return err
	}))
	return all
}

func TestWithoutALoopNobodyWaits(t *testing.T) {
	g := newGrounds(t, false)
	g.given()
	require.Equal(t, hooked{}, g.event("stop-wait"))
	require.NoFileExists(t, g.folder.Join("session", "waiter.lock"))
}

func TestAWaiterWakesItsSessionForTheNextIteration(t *testing.T) {
	g := newGrounds(t, true)
	g.began()
	g.put(g.turn.Record, "recorded") // the program still measures
	woken := make(chan hooked)
	go func() { woken <- g.event("stop-wait") }()
	waitUntil(t, func() bool { return g.folder.Has("session/host.json") })
	require.Equal(t, hooked{}, g.event("stop-wait"), "one waiter is enough")
	g.turn.Task, g.turn.Visit, g.turn.Record = "explore.4/session", 4, g.folder.Join("seats", "session", "explore-4.md")
	g.given()
	got := <-woken
	require.Equal(t, 2, got.code)
	require.Empty(t, got.out)
	require.Contains(t, got.errs, g.turn.Prompt)
	require.True(t, g.folder.Has(campaignwork.BegunFile(g.turn.Task)))
	got = g.event("stop-wait")
	require.Equal(t, hooked{}, got, "while the session is at work there is nothing to wait for")
}

func waitUntil(t *testing.T, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, 30*time.Second, 10*time.Millisecond)
}

func TestAWaiterWaitsOnWhenTheSessionWasGivenUp(t *testing.T) {
	g := newGrounds(t, true)
	g.began()
	for range 3 {
		g.event("stop")
	}
	woken := make(chan hooked)
	go func() { woken <- g.event("stop-wait") }()
	waitUntil(t, func() bool { return g.folder.Has("session/host.json") })
	g.turn.Task, g.turn.Visit = "explore.4/session", 4
	g.turn.Record = g.folder.Join("seats", "session", "explore-4.md")
	g.given()
	require.Contains(t, (<-woken).errs, g.turn.Prompt)
}

// The sync hook and the waiter stand by the same door; one of them hands the
// brief over.
func TestABriefIsHandedOverOnce(t *testing.T) {
	g := newGrounds(t, true)
	g.given()
	answers := make(chan hooked, 6)
	for range 3 { // more stops would give the session up
		go func() { answers <- g.event("stop") }()
		go func() { answers <- g.event("stop-wait") }()
	}
	briefs := 0
	for range 6 {
		a := <-answers
		briefs += strings.Count(a.out+a.errs, "The brief of this iteration is in")
	}
	require.Equal(t, 1, briefs)
}

func TestAWaiterEndsWithItsSession(t *testing.T) {
	for name, end := range map[string]func(g *grounds, cancel func()){
		"it is told to":          func(_ *grounds, cancel func()) { cancel() },
		"the state file is gone": func(g *grounds, _ func()) { require.NoError(g, workspace.RemoveState(g.root, campaignRunID)) },
		"another session owns it": func(g *grounds, _ func()) {
			require.NoError(g, workspace.MoveState(g.root, campaignRunID, "mine", "other"))
		},
		"the campaign was cancelled": func(g *grounds, _ func()) {
			g.status(string(flow.Cancelled))
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrounds(t, true)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			over := make(chan hooked)
			go func() {
				over <- g.call(ctx, os.Getpid(), "hook", "campaign", "--root", g.root, "--run", campaignRunID, "--session", "mine", "--event", "stop-wait", "--at-once", "10ms")
			}()
			waitUntil(t, func() bool { return g.folder.Has("session/host.json") })
			end(g, cancel)
			require.Equal(t, hooked{}, <-over)
		})
	}
}

func TestAClearedSessionsCampaignGoesOnInTheNextOne(t *testing.T) {
	g := newGrounds(t, false)
	require.Equal(t, hooked{}, g.event("session-end", "--reason", "clear"))
	require.Empty(t, g.notes(workspace.SessionEnded), "it goes on")
	require.Equal(t, campaignRunID, workspace.SessionRun(g.root, "mine"), "until another takes over")

	got := g.call(t.Context(), os.Getpid(), "hook", "adopt", "--root", g.root, "--session", "new")
	require.Contains(t, gjson.Get(got.out, "hookSpecificOutput.additionalContext").Str, `campaign "go-rust"`, got.errs)
	require.Equal(t, campaignRunID, workspace.SessionRun(g.root, "new"))
	require.Empty(t, workspace.SessionRun(g.root, "mine"))
	moved := g.notes(workspace.SessionMoved)
	require.Len(t, moved, 1)
	require.Equal(t, "mine", moved[0].Session)
	require.Equal(t, "new", moved[0].Detail)
	require.Equal(t, hooked{}, g.call(t.Context(), os.Getpid(), "hook", "adopt", "--root", g.root, "--session", "third"), "it is handed over once")
	require.Equal(t, campaignRunID, workspace.SessionRun(g.root, "new"))
}

func TestACouncilsRunIsHandedOverToo(t *testing.T) {
	g := newGrounds(t, false)
	state := filepath.Join(g.root, hook.StateFiles(campaignRunID)[0])
	data, err := os.ReadFile(state)
	require.NoError(t, err)
	g.put(state, strings.Replace(string(data), "campaign: \"go-rust\"\nloop: false\n", "", 1))
	require.Equal(t, hooked{}, g.call(t.Context(), os.Getpid(), "hook", "cleared", "--root", g.root, "--run", campaignRunID, "--session", "mine"))
	got := g.call(t.Context(), os.Getpid(), "hook", "adopt", "--root", g.root, "--session", "new")
	require.Contains(t, gjson.Get(got.out, "hookSpecificOutput.additionalContext").Str, campaignRunID, got.errs)
	require.Equal(t, campaignRunID, workspace.SessionRun(g.root, "new"))
}

func TestOnlyTheNextSessionOfTheSameProcessTakesOver(t *testing.T) {
	mine, err := proc.Identify(os.Getpid())
	require.NoError(t, err)
	good := workspace.HandOver{Run: campaignRunID, Session: "mine", PID: mine.PID, Start: mine.Start, At: time.Now()}
	for name, c := range map[string]struct {
		change  func(*workspace.HandOver)
		session string
		host    int
	}{
		"another process":          {func(*workspace.HandOver) {}, "new", os.Getppid()},
		"no process":               {func(*workspace.HandOver) {}, "new", 0},
		"a process of the same id": {func(c *workspace.HandOver) { c.Start = "1" }, "new", mine.PID},
		"long ago":                 {func(c *workspace.HandOver) { c.At = c.At.Add(-2 * time.Minute) }, "new", mine.PID},
		"in the future":            {func(c *workspace.HandOver) { c.At = c.At.Add(time.Hour) }, "new", mine.PID},
		"the same session":         {func(*workspace.HandOver) {}, "mine", mine.PID},
		"a session that is none":   {func(*workspace.HandOver) {}, "../new", mine.PID},
		"left by a stranger":       {func(c *workspace.HandOver) { c.Session = "other" }, "new", mine.PID},
		"of another run":           {func(c *workspace.HandOver) { c.Run = "20260222-143000-ffffff" }, "new", mine.PID},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrounds(t, false)
			left := good
			c.change(&left)
			require.NoError(t, workspace.WriteHandOver(g.root, left))
			require.Equal(t, hooked{}, g.call(t.Context(), c.host, "hook", "adopt", "--root", g.root, "--session", c.session))
			require.Equal(t, campaignRunID, workspace.SessionRun(g.root, "mine"))
			require.Empty(t, g.notes(workspace.SessionMoved))
		})
	}
}

func TestASessionThatEndsIsNoted(t *testing.T) {
	g := newGrounds(t, false)
	require.Equal(t, hooked{}, g.event("session-end", "--reason", "prompt_input_exit"))
	require.Equal(t, hooked{}, g.event("stop-failure", "--fault", "rate_limit"))
	require.Equal(t, "prompt_input_exit", g.notes(workspace.SessionEnded)[0].Detail)
	require.Equal(t, "rate_limit", g.notes(workspace.StopFailure)[0].Detail)
	require.Equal(t, hooked{}, g.call(t.Context(), 0, "hook", "cleared", "--root", g.root, "--run", campaignRunID, "--session", "mine"))
	require.Len(t, g.notes(workspace.SessionEnded), 2, "a process that is not known cannot be handed over to")
}

// Whatever a turn file holds, a hook ends with code 0, and with JSON or nothing.
func TestHostileTurns(t *testing.T) {
	g := newGrounds(t, true)
	turn, err := json.Marshal(g.turn)
	require.NoError(t, err)
	for _, text := range []string{
		"null", "[]", `""`, `{"task":7}`, `{"prompt":"p"}`, `{"prompt":"p","task":"../../../x","record":"../../y"}`, `{"prompt":"p","task":"a\u0000b"}`,
		`{"prompt":"p","task":"` + strings.Repeat("x", 300) + `"}`, `{"prompt":"p","role":"\u001b[31m","visit":-1,"record":"/"}`, string(turn[:40]),
	} {
		g.put(g.folder.Join(campaignwork.TurnFile), text)
		for _, name := range []string{"stop", "session-start", "no-such-event"} {
			got := g.event(name)
			require.Zero(t, got.code, text)
			require.True(t, got.out == "" || gjson.Valid(got.out) && gjson.Parse(got.out).IsObject(), "%q: %q", text, got.out)
			require.NotContains(t, got.out, `\u001b`)
		}
	}
}
