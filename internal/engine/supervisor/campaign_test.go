package supervisor_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/verify"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// prelude tells a fake worker its role, its visit and where its records go.
const prelude = `case $RESEARCH_REPORT_PATH in *judgement-*) # a fresh context judges
  DESK=$(dirname "$RESEARCH_REPORT_PATH"); while [ "$(basename "$DESK")" != seats ]; do DESK=$(dirname "$DESK"); done; DESK=$DESK/$SEAT
  judged() { printf '{"accept":%s,"reason":"%s","checked":"the change"}' "$1" "$2" > "$RESEARCH_REPORT_PATH"; exit 0; }
  [ -e "$CALLS/judge.sh" ] && . "$CALLS/judge.sh"
  judged true 'it does what it says';;
esac
DESK=$(dirname "$RESEARCH_REPORT_PATH"); NAME=$(basename "$RESEARCH_REPORT_PATH" .md); ROLE=${NAME%-*}; N=${NAME##*-}
fact() { printf '{"claim":"%s","evidence":"facts.md","quote":"%s","confidence":"High"}\n' "$1" "$1" >> "$DESK/claims.jsonl"; }
section() { mkdir -p "$DESK/sections/$1"; printf '%s\n' "$3" > "$DESK/sections/$1/$2.md"; }
`

// recorded ends the iteration.
const recorded = "\nprintf 'done\\n\\n" + agent.Marker + "\\n' > \"$RESEARCH_REPORT_PATH\"\necho turn >> \"$CALLS/$SEAT-$NAME\"\n"

func newCampaign(t *testing.T, mode campaign.Mode, script string) *councilRun {
	c := newCouncil(t, map[string]string{"ada": prelude + script + recorded})
	c.setup.Workflow, c.setup.Topic, c.setup.Loop = string(mode), "Why?\n---\n# Not a heading", loop.Rule{}
	c.setup.Limits.Turns, c.setup.Scope = 1000, c.project
	c.setup.Own = campaign.Own(&campaign.Setup{Name: "A topic", Slug: "a-topic", Mode: mode, Iterations: 20, Threshold: 3, Stable: 2, Test: "sh test.sh", TestTime: time.Minute})
	var facts strings.Builder
	for i := range 40 {
		fmt.Fprintf(&facts, "Kettle number %d boils a litre of water in %d seconds.\n\n", i, 100+i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(c.project, "facts.md"), []byte(facts.String()), 0o600))
	return c
}

func (c *councilRun) paper(name string) string {
	data, err := os.ReadFile(filepath.Join(campaignwork.CampaignFolder(c.setup), name))
	require.NoError(c, err)
	return string(data)
}

func (c *councilRun) standing() campaign.State {
	st, err := campaign.Decode([]byte(c.paper("a-topic-state.md")))
	require.NoError(c, err)
	return st
}

// finds records three facts in each of its first iterations.
const finds = `if [ $ROLE = explore ] && [ $N -le 3 ]; then for i in 1 2 3; do k=$((N*3+i)); fact "Kettle number $k boils a litre of water in $((100+k)) seconds."; done; fi
[ $ROLE = conclude ] && section report executive-summary 'They boil. [C1]'
`

func TestWhatACampaignFindsIsCountedAndOnPaper(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.Research, finds)
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	st := c.standing()
	require.Equal(t, 9, st.Findings, "each located, each once")
	require.Equal(t, 1, st.Sources)
	require.Equal(t, 7, st.Iteration, "three rich ones, three poor ones, the prose")
	require.Equal(t, "complete", st.Status)
	require.Contains(t, c.paper("a-topic-state.md"), "    # Not a heading", "the prompt is data")
	report := c.paper("a-topic-report.tex")
	require.Contains(t, report, "They boil.")
	require.Contains(t, report, "Kettle number 4 boils")
	require.Contains(t, c.paper(campaign.Sources), "facts.md")
	require.Contains(t, c.paper(campaign.Progress), "iteration 1/20: 3 new findings (3)")
	require.True(t, c.has("final-report.md"))
	checked, err := verify.Run(c.folder())
	require.NoError(t, err)
	require.True(t, checked.OK, "%v", checked)
}

// plans writes a plan and mends it, and tries to close as a worker what a fresh
// context of its own has raised as a critic.
const plans = `case $NAME in
design-1) for s in vision architecture technology defensibility risks sequence decisions; do section plan $s "On $s: boil water."; done
  section plan component-heater 'It heats.'
  echo '{"severity":"blocker","aspect":"x","text":"Raised by no critic"}' >> "$DESK/issues.jsonl";;
critique-2)
  echo '{"severity":"blocker","aspect":"feasibility","text":"It has no switch"}' >> "$DESK/issues.jsonl"
  echo '{"severity":"concern","aspect":"cost","text":"It is dear"}' >> "$DESK/issues.jsonl";;
design-2) section plan component-switch 'It switches at the right degree.'
  echo '{"resolves":"B1","how":"a switch","evidence":["C1"]}' >> "$DESK/issues.jsonl"
  mkdir -p "$DESK/critique.3"; echo '{"resolves":"B1","how":"a switch","evidence":["C1"],"by":"plan-critic"}' >> "$DESK/critique.3/issues.jsonl";;
critique-3) echo '{"resolves":"B1","how":"seen","evidence":["C900"]}' >> "$DESK/issues.jsonl";;
critique-4) echo '{"resolves":"B1","how":"seen","evidence":["It switches at the right degree."]}' >> "$DESK/issues.jsonl";;
esac
`

func TestOnlyACriticClosesABlocker(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.ResearchAndPlan, finds+plans)
	campaign.Of(c.setup.Own).Research = 2
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	st := c.standing()
	require.Equal(t, 4, st.Planning, "written, mended, the same, the same again and closed")
	require.Equal(t, 2, st.Components)
	require.Equal(t, 1, st.Resolved)
	require.Empty(t, st.Blockers)
	require.Contains(t, c.paper("a-topic-plan.tex"), "It switches at the right degree.")
	progress := c.paper(campaign.Progress)
	require.Contains(t, progress, "Phase A complete — transitioning to planning")
	require.Contains(t, progress, "B1 (blocker) raised by ada (fresh context)")
	require.Contains(t, progress, `B1 stays open: "C900" is neither the id of a claim in the registry nor words of the plan`)
	require.Contains(t, progress, "B1 closed by ada (fresh context) on It switches at the right degree.")
	require.NotContains(t, progress, "B3", "what stands elsewhere is not read")
	checked, err := verify.Run(c.folder())
	require.NoError(t, err)
	require.True(t, checked.OK, "%v", checked.Problems)
}

// meets waits in its role until every seat named is at it too.
const meets = `meet() { echo > "$CALLS/$SEAT-is-there"; for i in $(seq 600); do [ -e "$CALLS/$1-is-there" ] && return; sleep 0.1; done; exit 1; }
`

func TestRivalsWorkSideBySide(t *testing.T) {
	t.Parallel()
	const script = prelude + meets + `[ $NAME = explore-1 ] && { [ $SEAT = ada ] && meet bea || meet ada; }` + recorded
	c := newCampaign(t, campaign.Research, "")
	others := newCouncil(t, map[string]string{"ada": script, "bea": script})
	c.setup.Seats = others.setup.Seats
	campaign.Of(c.setup.Own).Research = 2
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	for _, v := range r.History {
		if v.Stage == agent.Explore {
			require.Len(t, v.Tasks, 2)
			for _, task := range v.Tasks {
				require.True(t, task.Outcome.Good(), "%s: %s", task.Seat, task.Reason)
			}
		}
	}
}

func TestAPlanWithoutItsSectionsIsNotSettled(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.FullAuto, finds+"[ $ROLE = design ] && section plan vision 'Boil water.'\n")
	campaign.Of(c.setup.Own).Research, campaign.Of(c.setup.Own).Iterations = 2, 6
	c.repository()
	r := c.run()
	require.Equal(t, flow.OutOfBudget, r.Status)
	require.Contains(t, r.Reason, "the plan has no architecture, no components, no technology, no defensibility, no risks, no sequence, no decisions")
	require.False(t, c.has("feature-list.json"))
}

// repository makes the project one of git, with a test of its own and a change
// of the person's that is not committed.
func (c *councilRun) repository() {
	c.write("test.sh", "for t in t_*.sh; do sh \"$t\" || exit 1; done\n")
	c.write("t_0.sh", "exit 0\n")
	c.write("docs/a-topic-plan.md", "Build it.\n")
	c.git("init", "-q", ".")
	c.git("config", "user.email", "person@example.invalid")
	c.git("config", "user.name", "A person")
	c.git("add", ".")
	c.git("commit", "-q", "-m", "start")
	c.write("mine.txt", "not yours\n")
	campaign.Of(c.setup.Own).Plan = "docs/a-topic-plan.md"
}

func (c *councilRun) write(name, text string) {
	path := filepath.Join(c.project, name)
	require.NoError(c, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(c, os.WriteFile(path, []byte(text), 0o600))
}

func (c *councilRun) git(args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = c.project
	out, err := cmd.CombinedOutput()
	require.NoError(c, err, string(out))
	return string(out)
}

// builds lists four features and builds them: the first at once, the second at
// its second attempt, the third never; the fourth waits for the third.
const builds = `ROOT=$(cd "$DESK/../../../.." && pwd)
[ $ROLE = breakdown ] && cat > "$DESK/feature-list.json" <<'END'
{"features":[
 {"id":"F001","name":"One","description":"d","component":"c","dependencies":[]},
 {"id":"F002","name":"Two","description":"d","component":"c","dependencies":["F001"]},
 {"id":"F003","name":"Three","description":"d","component":"c","dependencies":[]},
 {"id":"F004","name":"Four","description":"d","component":"c","dependencies":["F003"]}]}
END
if [ $ROLE = code ]; then
  ID=$(sed -n 's/.*\(F00[0-9]\).*/\1/p' "$1" | head -n 1)
  case $ID in
  F001) echo one > "$ROOT/one.txt"; echo '[ -e one.txt ]' > "$ROOT/t_1.sh";;
  F002) [ -e "$ROOT/t_2.sh" ] && exit 9 # the attempt before was set aside
    echo '[ -e two.txt ] || { echo two is wrong; exit 1; }' > "$ROOT/t_2.sh"; [ $(($(cat "$CALLS/tries" 2>/dev/null || echo 0))) = 0 ] || echo two > "$ROOT/two.txt"; echo 1 > "$CALLS/tries";;
  F003) echo 'exit 1' > "$ROOT/t_3.sh";;
  F004) echo four > "$ROOT/four.txt"; echo '[ -e four.txt ]' > "$ROOT/t_4.sh";;
  esac
  printf '{"id":"%s","claims":"pass","summary":"s","tests":["t_%s.sh"]}' "$ID" "${ID#F00}" > "$DESK/feature.json"
fi
`

func newBuilding(t *testing.T) *councilRun {
	c := newCampaign(t, campaign.Implement, builds)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.repository()
	return c
}

// built is what an implementation has come to, but for times and hashes.
func (c *councilRun) built() string {
	list, err := feature.Parse([]byte(c.paper(campaign.Features)))
	require.NoError(c, err)
	var b strings.Builder
	for _, f := range list.Features {
		fmt.Fprintln(&b, f.ID, f.State, f.Attempts, f.Passes, f.Commit != "")
	}
	return b.String() + c.git("log", "--format=%s", "--name-only") + c.git("status", "--short", "--", ".", ":!research", ":!docs")
}

const wantBuilt = `F001 passed 0 true true
F002 passed 1 true true
F003 failed 3 false false
F004 blocked 0 false false
F002: Two

t_2.sh
two.txt
F001: One

one.txt
t_1.sh
start

docs/a-topic-plan.md
facts.md
t_0.sh
test.sh
?? mine.txt
`

func TestFeaturesAreCommittedOneByOneAndFailuresSetAside(t *testing.T) {
	t.Parallel()
	c := newBuilding(t)
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, "Implementation complete — 2/4 features passing", r.Reason)
	require.Equal(t, wantBuilt, c.built())
	result := c.file("final-report.md")
	require.Contains(t, result, "# What was built: A topic\n\n2 of 4 features pass, 1 failed, 1 blocked.")
	require.Contains(t, result, "`council campaign retry a-topic F003`")
	require.NotContains(t, result, "/100")
	require.Contains(t, c.git("show", "refs/research-council/a-topic/F003-attempt-3:t_3.sh"), "exit 1", "what was tried is kept")
	require.Contains(t, c.paper(campaign.Progress), "two is wrong")
}

// A supervisor that is killed after any few facts ends in the same features,
// commits and work tree.
func TestAKilledImplementationBuildsNothingTwice(t *testing.T) {
	t.Parallel()
	const apart = 5 // more than taking a run up writes
	for first := 2; first < 2+apart; first += 2 {
		t.Run(fmt.Sprintf("from fact %d", first), func(t *testing.T) {
			t.Parallel()
			c := newBuilding(t)
			c.begin()
			kills := 0
			for at := first; !c.supervised(at); at = c.facts() + apart {
				kills++
				require.Less(t, kills, 60, "the campaign does not get on")
			}
			r, err := supervisor.Read(c.project, c.setup.ID)
			require.NoError(t, err)
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.Equal(t, wantBuilt, c.built())
		})
	}
}

// Tests that hang before anything is built tell nothing about what is built.
func TestTestsThatHangBeforehandAreAPersonsToMend(t *testing.T) {
	t.Parallel()
	c := newBuilding(t)
	campaign.Of(c.setup.Own).Test, campaign.Of(c.setup.Own).TestTime = "sleep 3600", 300*time.Millisecond
	r := c.run()
	require.True(t, r.IsWaiting())
	require.Contains(t, r.Judged.Reason, "did not end within 300ms")
	require.Contains(t, r.Judged.Reason, "--accept-red-baseline")
	require.Empty(t, r.LastTasks(agent.Code), "nothing is built meanwhile")
}

// What hangs three times is set aside, and the campaign goes on without it.
func TestAFeatureWhoseTestsHangIsSetAside(t *testing.T) {
	t.Parallel()
	c := newBuilding(t)
	campaign.Of(c.setup.Own).Test, campaign.Of(c.setup.Own).TestTime = "if [ -e t_3.sh ]; then sleep 3600; fi; sh test.sh", 5*time.Second
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	list, err := feature.Parse([]byte(c.paper(campaign.Features)))
	require.NoError(t, err)
	hung, _ := list.Find("F003")
	require.Equal(t, feature.Failed, hung.State)
	require.Contains(t, hung.Reason, "did not end within 5s")
	require.Contains(t, c.git("show", "refs/research-council/a-topic/F003-attempt-3:t_3.sh"), "exit 1", "what was tried is kept")
	require.Contains(t, c.git("log", "--format=%s"), "F001")
}

func TestWhoeverSaysNothingHasNotFinished(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.Implement, strings.Replace(builds, `"claims":"pass"`, `"claims":"fail"`, 1))
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.repository()
	campaign.Of(c.setup.Own).Iterations = 3
	c.run()
	require.Contains(t, c.paper(campaign.Progress), "the coder gave it up")
	require.NotContains(t, c.git("log", "--format=%s"), "F001", "green tests alone are not enough")
}

func TestAListThatIsNoneIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.Implement, `[ $ROLE = breakdown ] && echo '{"features":[{"id":"F001","name":"a","dependencies":["F009"]}]}' > "$DESK/feature-list.json"`)
	c.repository()
	r := c.run()
	require.Equal(t, flow.Failed, r.Status)
	require.Contains(t, r.Reason, "F009")
	require.Equal(t, 5, campaign.StateOf(r).Coding)
}

// What somebody else writes into the program's files is put back.
func TestTheProgramsFilesAreItsOwn(t *testing.T) {
	t.Parallel()
	meddle := `[ -e "$DESK/../../../../docs/research-a-topic/a-topic-state.md" ] && echo forged > "$DESK/../../../../docs/research-a-topic/a-topic-state.md"` + "\n"
	c := newCampaign(t, campaign.Research, meddle+finds)
	c.run()
	require.Equal(t, "complete", c.standing().Status)
}

// A folder that somebody takes away is made anew, and the campaign ends.
func TestAFolderTakenAwayIsMadeAnew(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.Research, `[ $NAME = explore-2 ] && mv "$DESK/../../../../docs" "$DESK/../../../../away"`+"\n"+finds)
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, "complete", c.standing().Status)
	require.Contains(t, c.paper("a-topic-report.tex"), "They boil.")
}

// The session is asked by a file and answers by another; when it is gone the
// supervisor rests, and goes on when it is back.
func TestASessionsCampaignWaitsForIt(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.Research, "")
	c.setup.Session, c.setup.Seats = "11111111-2222-3333-4444-555555555555", nil
	campaign.Of(c.setup.Own).Research, campaign.Of(c.setup.Own).Iterations = 2, 2
	c.begin()
	ended := make(chan error, 1)
	supervise := func() {
		go func() {
			_, err := supervisor.Supervise(c.Context(), c.options())
			ended <- err
		}()
	}
	asked := func(name string) (record string) {
		record = filepath.Join(c.folder(), "seats", "session", name+".md")
		until(t, "the session is asked for "+name, func() bool {
			return c.has(campaignwork.TurnFile) && strings.Contains(c.file(campaignwork.TurnFile), record)
		})
		return record
	}

	supervise()
	record := asked("explore-1")
	f, err := workspace.Open(c.project, c.setup.ID)
	require.NoError(t, err)
	require.NoError(t, f.DropNote(workspace.Note{Kind: workspace.SessionEnded, Session: c.setup.Session, Detail: "other", At: time.Now()}))
	require.NoError(t, f.Close())
	require.NoError(t, <-ended, "nobody is there to wait for")
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Empty(t, r.Status)

	supervise()
	until(t, "it is taken up", func() bool { return strings.Contains(c.file("progress.log"), "Taken up again") })
	require.NoError(t, os.WriteFile(record, []byte("done\n"), 0o600))
	until(t, "it is measured", func() bool { return strings.Contains(c.paper(campaign.Progress), "iteration 1/2") })
	require.NoError(t, os.WriteFile(asked("conclude-1"), []byte("done\n"), 0o600))
	require.NoError(t, <-ended)
	r, err = supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, "complete", c.standing().Status)
}

// The worker's script is run by the program, where it can be confined, and what
// came of it is told.
func TestTheCampaignsScriptIsRunByTheProgram(t *testing.T) {
	boxed(t)
	script := `[ $ROLE = breakdown ] && echo 'echo ready > ready.txt; echo "$ANTHROPIC_API_KEY" > key.txt; ls ~/.ssh; exit 3' > "$DESK/init.sh"` + "\n"
	t.Setenv("ANTHROPIC_API_KEY", "canary")
	c := newCampaign(t, campaign.Implement, script+builds)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.repository()
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Contains(t, c.paper(campaign.Progress), "init.sh ended with 3")
	require.Equal(t, "ready\n", c.git("show", "HEAD~1:ready.txt"), "what it makes belongs to the first feature")
	require.Equal(t, "\n", c.git("show", "HEAD~1:key.txt"))
	require.Contains(t, c.git("log", "--format=%s"), "F002: Two", "a script that fails stops nothing")
}

// What later sessions obey is put back, whoever wrote it: here a worker that is
// not confined at all.
func TestWhatLaterSessionsObeyIsPutBackAfterATurn(t *testing.T) {
	t.Parallel()
	meddle := `if [ $ROLE = code ]; then
  ROOT=$(cd "$DESK/../../../.." && pwd); cd "$ROOT"
  echo evil >> AGENTS.md; mkdir -p sub/.claude .github; echo evil > sub/.claude/settings.json; echo evil > .github/ci.yml; echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
fi
`
	c := newCampaign(t, campaign.Implement, meddle+builds)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.write("AGENTS.md", "Be kind.\n")
	c.repository()
	campaign.Of(c.setup.Own).Paths = []string{".github"}
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.NotContains(t, c.git("log", "--format=", "--name-only", "-2"), "AGENTS.md")
	require.Contains(t, c.git("log", "--format=", "--name-only"), ".github/ci.yml", "the person named it")
	require.NoFileExists(t, filepath.Join(c.project, "sub/.claude/settings.json"))
	require.NoFileExists(t, filepath.Join(c.project, ".git/hooks/pre-commit"))
	text, err := os.ReadFile(filepath.Join(c.project, "AGENTS.md"))
	require.NoError(t, err)
	require.Equal(t, "Be kind.\n", string(text))
	require.Contains(t, c.paper(campaign.Progress), "Put back as they were: .git/hooks/pre-commit, AGENTS.md, sub/.claude/settings.json")
}

// Nothing is built of a plan that its critics could not read: that is a
// person's to mend, and then they are asked again.
func TestAPlanThatNoCriticCouldReadWaitsForAPerson(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.Implement, `[ $ROLE = critique ] && ! [ -e "$CALLS/mended" ] && exit 1`+"\n"+builds)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.repository()
	r := c.run()
	require.True(t, r.IsWaiting(), r.Reason)
	require.Contains(t, r.Judged.Reason, "no critic could read the plan (ada: ")
	require.Contains(t, r.Judged.Reason, "`council campaign resume a-topic`")
	require.Empty(t, r.LastTasks(agent.Breakdown))
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "mended"), nil, 0o600))
	require.NoError(t, supervisor.Reopen(c.options(), r.Setup, ""))
	r = c.supervise(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, wantBuilt, c.built())
}

// A campaign that ended on an open blocker goes on with the plan as a person
// has mended it: critics read it, and what they close is built.
func TestACampaignThatABlockerHasEndedGoesOnWithTheMendedPlan(t *testing.T) {
	t.Parallel()
	const critic = `if [ $ROLE = critique ]; then
  if [ -e "$CALLS/mended" ]; then echo '{"resolves":"B1","how":"seen","evidence":["It wraps around on overflow."]}'
  else echo '{"severity":"blocker","aspect":"feasibility","text":"It does not say what happens when numbers get too large"}'; fi >> "$DESK/issues.jsonl"
fi
`
	c := newCampaign(t, campaign.Implement, critic+builds)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.repository()
	r := c.run()
	require.Equal(t, flow.Failed, r.Status, r.Reason)
	require.Contains(t, r.Reason, "blocker is open: B1")
	require.Empty(t, r.LastTasks(agent.Code))
	c.write("docs/a-topic-plan.md", "Build it. It wraps around on overflow.\n")
	c.git("commit", "-q", "-am", "the plan is mended")
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "mended"), nil, 0o600))
	require.NoError(t, supervisor.Reopen(c.options(), r.Setup, ""))
	r = c.supervise(c.options())
	require.Equal(t, flow.Completed, r.Status, "%s\n%s", r.Reason, c.progressLog())
	require.Contains(t, c.built(), "F001 passed")
}
