package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/loopback"
)

const asked = `/research-council:research '` + topic + `' 'How does the kettle'"'"'s switch work, & what is "safe"?'`

// rules are what a person allows a session that comes to a campaign by another
// plugin's loop: no command of ours has allowed anything there. From the
// campaign's beginning on our hook answers for what an iteration needs.
const rules = "Skill,Bash(council campaign begin:*)"

// strict is how a person who is asked about everything has set the host.
var strict = []string{"--permission-mode", "default"}

// owners are the sessions that were at work, subagents apart.
func (f field) owners() []string {
	var list []string
	for _, q := range f.model.Turns() {
		if !strings.Contains(q.Session, "/") && (len(list) == 0 || list[len(list)-1] != q.Session) {
			list = append(list, q.Session)
		}
	}
	return list
}

// owner is the session that owns the project's only run.
func (f field) owner() string {
	f.Helper()
	r, err := supervisor.Read(f.project, filepath.Base(f.run()))
	require.NoError(f, err)
	require.NotEmpty(f, r.Setup.Session)
	return r.Setup.Session
}

func TestACommandIsOneIteration(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	for name, environ := range map[string]string{
		"agents in the background": "",
		"agents in the foreground": "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", // a single turn
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newField(t, scarce())
			f.environ = append(f.environ, strings.Fields(environ)...)
			r := f.done(f.session(asked+" --max-iterations 6", strict...))
			require.Zero(t, r.code, r.errs)
			require.Contains(t, r.out, "The iteration is recorded.")
			require.Equal(t, 1, f.recorded(agent.Explore))
			until(t, "the iteration is measured", time.Minute, func() bool { return f.standing().Findings == 4 })
			st := f.standing()
			require.Equal(t, "in_progress", st.Status)
			require.Contains(t, st.Prompt, "switch work, & what is \"safe\"?")
			require.Len(t, f.owners(), 1)
		})
	}
}

func TestASessionThatRecordsNothingIsAskedTwice(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	s := scarce()
	s.before = func(_ loopback.Request, b brief, n int) (loopback.Step, bool) {
		return loopback.Step{Text: "I would rather not."}, b.record != "" && n >= 1
	}
	f := newField(t, s)
	r := f.done(f.session(asked, strict...))
	require.Zero(t, r.code, r.errs)
	turns := f.model.Turns()
	require.Equal(t, 2, strings.Count(everythingSaid(turns[len(turns)-1]), "Stop hook feedback:\nState file is stale"))
	require.Zero(t, f.recorded(agent.Explore))
}

// TestASessionAloneBuildsFeatures has no seat but the session: the critic of its
// plan and the judge of what it builds are its own program, begun anew each time.
func TestASessionAloneBuildsFeatures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		matrix bool
		typed  string
		rules  []string // how a person has set the host
		plan   string   // the one that is there already
		done   []campaign.Phase
	}{
		"plan": { // short: a socket lies below the folder that bears the name
			typed: "/research-council:implement '" + topic + "' --max-iterations 10",
			rules: strict, // the command's own leave lasts: it is one turn
			plan:  "# Plan\n\nA calculator that adds, and then subtracts.\n",
			done:  []campaign.Phase{campaign.PhaseC},
		},
		"whole": {
			matrix: true,
			rules:  []string{"--permission-mode", "acceptEdits"}, // the leave to edit ends where background agents report
			typed:  "/research-council:full-auto '" + topic + "' 'Build a calculator.' --research 2 --max-iterations 20",
			done:   []campaign.Phase{campaign.PhaseA, campaign.PhaseB, campaign.PhaseC},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.matrix {
				cli.InMatrix(t)
			}
			t.Parallel()
			s := scarce()
			s.roles[agent.Code] = func(b brief) []act { return building(b, true) }
			f := newField(t, s)
			f.repository()
			if c.plan != "" {
				f.put("docs/"+topic+"-plan.md", c.plan)
			}
			r := f.done(f.session(c.typed+" --loop --test-command '"+testCommand+"'", append(c.rules, "--allowedTools", "Bash("+testCommand+")")...))
			require.Zero(t, r.code, r.errs)
			st := f.standing()
			require.Equal(t, "complete", st.Status, st.Reason)
			require.Equal(t, c.done, st.Done)
			require.Equal(t, 3, st.Coding, "a list, and each feature at once")
			if c.plan == "" {
				require.Equal(t, 2, st.Researching)
				require.Equal(t, 4, st.Findings)
				require.Equal(t, 4, st.Planning, "one with a blocker, one that mends it, two that leave it as it is")
				require.Equal(t, 1, st.Resolved)
				require.Empty(t, st.Blockers)
				f.typeset("report")
				f.typeset("plan")
			}
			f.builtAlone()
		})
	}
}

// builtAlone checks what a session alone leaves of two features.
func (f field) builtAlone() {
	f.Helper()
	list, err := feature.Parse([]byte(f.paper(campaign.Features)))
	require.NoError(f, err)
	require.Len(f, list.Features, 2)
	for _, x := range list.Features {
		require.True(f, x.Passes, x.ID)
		require.Zero(f, x.Attempts, x.ID)
		require.Contains(f, x.Checked, "accepted by claude (a fresh context)", x.ID)
	}
	require.Equal(f, "F002: Subtraction\nF001: Addition\nbegin\n", f.git("log", "--format=%s"))
	require.Equal(f, "sub.go\nsub_test.go\n", f.git("show", "--format=", "--name-only", "HEAD"))
	require.Empty(f, f.git("for-each-ref", "refs/research-council/"+topic), "nothing is set aside")
	require.NotContains(f, f.paper(campaign.Progress), "could not be run")

	owner, judges := f.owner(), map[string]bool{}
	for _, q := range f.model.Turns() {
		if strings.Contains(everythingSaid(q), "judgement-") && understand(q, f.project).role == agent.Judge {
			judges[q.Session] = true
			require.NotContains(f, everythingSaid(q), "iteration: ", "the judge has seen nothing of the work")
		}
	}
	require.Len(f, judges, 2, "each change is judged in a context of its own")
	require.NotContains(f, judges, owner)
	f.nothingRuns()
}

func TestALoopGoesThroughACampaignInOneSession(t *testing.T) {
	t.Parallel()
	f := newField(t, scarce())
	r := f.done(f.session(asked+" --max-iterations 6 --loop", strict...))
	require.Zero(t, r.code, r.errs)
	st := f.standing()
	require.Equal(t, "complete", st.Status)
	require.Equal(t, 4, f.recorded(agent.Explore))
	require.Equal(t, 6, st.Findings)
	require.Len(t, f.owners(), 1)
	require.Len(t, f.runs(), 1)
	f.typeset("report")
	f.nothingRuns()
}

// TestAnotherLoopFeedsACampaign is a campaign under another plugin's loop,
// whose Stop hook runs beside ours and feeds the command again as plain text.
// That loop counts every stop, also one at which agents are still at work in
// the background: a round of it is then no iteration.
func TestAnotherLoopFeedsACampaign(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	for name, c := range map[string]struct {
		environ string
		skilled bool
		fewest  int
	}{
		"agents in the foreground": {"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", false, 3},
		"by the Skill tool":        {"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", true, 3},
		"agents in the background": {"", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scarce()
			s.skilled = c.skilled
			f := newField(t, s)
			f.environ = append(f.environ, strings.Fields(c.environ)...)
			r := f.done(f.session(`/ralph-loop:ralph-loop "`+asked+`" --max-iterations 3`, "--plugin-dir", ralph(t), "--allowedTools", rules))
			require.Zero(t, r.code, r.errs)
			done := f.recorded(agent.Explore)
			require.GreaterOrEqual(t, done, c.fewest)
			require.LessOrEqual(t, done, 3)
			require.Len(t, f.runs(), 1, "no second run is begun")
			require.NoFileExists(t, filepath.Join(f.project, ralphState), "the loop has ended by its own count")
			until(t, "the last iteration is measured", time.Minute, func() bool { return f.standing().Researching >= done })
			require.Equal(t, "in_progress", f.standing().Status)
			require.Len(t, f.owners(), 1)
		})
	}
}
