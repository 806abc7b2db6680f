package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/loopback"
)

// rivals puts the same good worker behind the command lines of the other two
// vendors.
func (f field) rivals(s script) {
	codex := campaigningAs(f.T, loopback.OpenAI, f.project, s)
	gemini := campaigningAs(f.T, loopback.Gemini, f.project, s)
	f.environ = append(append(f.environ, codex.Env()...), gemini.Env()...)
}

// TestRivalCLIsBuildAndJudge has codex do all the work of a campaign and gemini
// find fault with its plan and judge what it builds, and the other way round. The
// files of the project are written by the coder's own tools.
func TestRivalCLIsBuildAndJudge(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	for worker, critic := range map[string]string{"codex": "gemini", "gemini": "codex"} {
		t.Run(worker+" builds", func(t *testing.T) {
			t.Parallel()
			s := scarce()
			s.roles[agent.Breakdown] = func(b brief) []act {
				return []act{b.write(campaign.Features, `{"features":[{"id":"F001","name":"Addition","description":"Add(a, b) is the sum.","component":"switch","dependencies":[],"passes":false}]}`+"\n"), b.end()}
			}
			f := newField(t, s)
			f.rivals(s)
			f.repository()
			r := f.campaign("run", "full-auto", topic, "Build a calculator.", "--seats", worker+","+critic, "--research", "1", "--planning", "2", "--max-iterations", "20", "--test-command", testCommand)
			require.Zero(t, r.code, r.errs)
			st := f.standing()
			require.Equal(t, "complete", st.Status, st.Reason)
			require.Equal(t, 1, st.Resolved, "the critic's blocker is mended")
			require.Empty(t, st.Blockers)
			list, err := feature.Parse([]byte(f.paper(campaign.Features)))
			require.NoError(t, err)
			require.Len(t, list.Features, 1)
			require.True(t, list.Features[0].Passes)
			require.Zero(t, list.Features[0].Attempts)
			require.Contains(t, list.Features[0].Checked, "accepted by "+critic+":")
			require.Equal(t, "F001: Addition\nbegin\n", f.git("log", "--format=%s"))
			require.Equal(t, "add.go\nadd_test.go\n", f.git("show", "--format=", "--name-only", "HEAD"))
			require.Equal(t, "# Calc\n\nMy own words.\n", content(t, f.project, "README.md"), "what is the person's stays")
			require.Empty(t, f.model.Turns(), "claude is asked nothing")
			f.nothingRuns()
		})
	}
}
