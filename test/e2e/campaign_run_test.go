package e2e_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/test/cli"
)

// scarce finds something at first, and then almost nothing.
func scarce() script {
	s := script{found: [][]fact{stated(0, 4), stated(4, 1), nil, stated(5, 1)}}
	s.roles = map[string]func(brief) []act{
		agent.Explore: s.explore, agent.Conclude: conclude, agent.Design: design, agent.Critique: critique, agent.Breakdown: breakdown, agent.Code: code, agent.Judge: judge,
	}
	return s
}

func TestResearchGoesOnUntilLittleIsFound(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	f := newField(t, scarce())
	r := f.campaign("run", "research", topic, "How does the kettle's switch work?", "--max-iterations", "6")
	require.Zero(t, r.code, r.errs)
	st := f.standing()
	require.Equal(t, "complete", st.Status)
	require.Equal(t, "autonomous-research", st.Type)
	require.Equal(t, 4, f.recorded(agent.Explore), "three poor iterations in a row after a good one")
	require.Equal(t, 1, f.recorded(agent.Conclude))
	require.Equal(t, 3, st.Low)
	require.Equal(t, 6, st.Findings)
	report := f.paper(topic + "-report.tex")
	for _, section := range []string{"Executive Summary", "Background", "Key Findings", "Analysis", "Open Questions", "Methodology"} {
		require.Contains(t, report, section)
	}
	require.Contains(t, report, "bimetal switch opens the circuit")
	require.Contains(t, f.paper(campaign.Sources), "notes.md")
	require.NotEmpty(t, f.paper(campaign.Progress))
	f.typeset("report")
	f.nothingRuns()
}

// typeset checks that a paper's PDF is there, where TeX is.
func (f field) typeset(kind string) {
	f.Helper()
	if _, err := exec.LookPath("pdflatex"); err != nil {
		require.Contains(f, f.paper(campaign.Progress), "TeX", "it is said that none is installed")
		return
	}
	require.FileExists(f, filepath.Join(f.project, campaign.FolderPrefix+topic, topic+"-"+kind+".pdf"))
}

func TestAPlanStandsOnceACriticHasClosedItsBlocker(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	f := newField(t, scarce())
	r := f.campaign("run", "research-and-plan", topic, "Plan a better kettle.", "--research", "2", "--max-iterations", "12")
	require.Zero(t, r.code, r.errs)
	st := f.standing()
	require.Equal(t, "complete", st.Status)
	require.Equal(t, []campaign.Phase{campaign.PhaseA, campaign.PhaseB}, st.Done)
	require.Equal(t, 2, st.Researching)
	require.Equal(t, 4, st.Planning, "one with a blocker, one that mends it, two that leave it as it is")
	require.Empty(t, st.Blockers)
	require.Equal(t, 1, st.Resolved)
	plan := f.paper(topic + "-plan.tex")
	for _, section := range []string{"Vision", "Architecture", "Component", "Technology", "Defensibility", "Risk", "Sequence", "Decisions"} {
		require.Contains(t, plan, section)
	}
	require.Contains(t, plan, "within two degrees")
	progress := f.paper(campaign.Progress)
	require.Contains(t, progress, "Phase A complete")
	f.typeset("plan")
	f.nothingRuns()
}

// repository makes the project a module under git, with a change of the
// person's own that is not committed.
func (f field) repository() {
	f.put("go.mod", "module calc\n\ngo 1.21\n")
	f.put("calc_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestCalc(*testing.T) {}\n")
	f.put("README.md", "# Calc\n")
	f.put(".gitignore", "research/\n")
	f.git("init", "-q")
	f.git("config", "user.name", "U")
	f.git("config", "user.email", "u@u.invalid")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "begin")
	f.put("README.md", "# Calc\n\nMy own words.\n")
	f.put("mine.txt", "My own file.\n")
}

func TestFeaturesAreBuiltUntilTheirTestsPass(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	f := newField(t, scarce())
	f.repository()
	r := f.campaign("run", "full-auto", topic, "Build a calculator.", "--research", "2", "--planning", "2", "--max-iterations", "20", "--test-command", testCommand)
	require.Zero(t, r.code, r.errs)
	st := f.standing()
	require.Equal(t, "complete", st.Status)
	require.Equal(t, 2, st.Total)
	require.Equal(t, 2, st.Complete)
	require.Equal(t, 0, st.Lost)
	require.Equal(t, 5, st.Coding, "a list, one feature at once and one at the third attempt")
	require.Equal(t, "F002: Subtraction\nF001: Addition\nbegin\n", f.git("log", "--format=%s"), "one commit for each")
	require.Equal(t, "add.go\nadd_test.go\n", f.git("show", "--format=", "--name-only", "HEAD~1"))
	require.Equal(t, "sub.go\nsub_test.go\n", f.git("show", "--format=", "--name-only", "HEAD"))
	require.Contains(t, f.git("show", "HEAD:sub.go"), "a - b")
	require.Equal(t, "# Calc\n\nMy own words.\n", content(t, f.project, "README.md"))
	require.Equal(t, "# Calc\n", f.git("show", "HEAD:README.md"), "what is the person's is not committed")
	require.Equal(t, "My own file.\n", content(t, f.project, "mine.txt"))
	list, err := feature.Parse([]byte(f.paper(campaign.Features)))
	require.NoError(t, err)
	for _, x := range list.Features {
		require.Equal(t, feature.Passed, x.State, x.ID)
	}
	progress := f.paper(campaign.Progress)
	require.Contains(t, progress, "Phase B complete")
	require.Contains(t, progress, "Implementation complete — 2/2 features passing")
	f.nothingRuns()
}
