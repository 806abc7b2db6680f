package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent"
	"research-council/internal/feature"
	"research-council/test/loopback"
)

// rivals puts the same good worker behind the command lines of the other two
// vendors.
func (f field) rivals(s script) map[string]*campaigner {
	models := map[string]*campaigner{
		"codex":  campaigningAs(f.T, loopback.OpenAI, f.project, s),
		"gemini": campaigningAs(f.T, loopback.Gemini, f.project, s),
	}
	for _, m := range models {
		f.environ = append(f.environ, m.Env()...)
	}
	return models
}

// TestRivalCLIsBuildAndJudge has codex do all the work of a campaign and gemini
// judge it, and the other way round.
func TestRivalCLIsBuildAndJudge(t *testing.T) {
	t.Parallel()
	for worker, critic := range map[string]string{"codex": "gemini", "gemini": "codex"} {
		t.Run(worker, func(t *testing.T) {
			t.Parallel()
			s := scarce()
			s.roles[agent.Code] = func(b brief) []act { return building(b, true) }
			f := newField(t, s)
			models := f.rivals(s)
			f.repository()
			r := f.campaign("run", "full-auto", topic, "Build a calculator.", "--seats", worker+","+critic, "--research", "1", "--planning", "2", "--max-iterations", "20", "--test-command", testCommand)
			require.Zero(t, r.code, r.errs)
			st := f.standing()
			require.Equal(t, "complete", st.Status, st.Reason)
			list, err := feature.Parse([]byte(f.paper("feature-list.json")))
			require.NoError(t, err)
			require.Len(t, list.Features, 2)
			for _, x := range list.Features {
				require.True(t, x.Passes, x.ID)
				require.Zero(t, x.Attempts, x.ID)
				require.Contains(t, x.Checked, "accepted by "+critic+":", x.ID)
			}
			require.Equal(t, "F002: Subtraction\nF001: Addition\nbegin\n", f.git("log", "--format=%s"))
			_ = models
			require.Empty(t, f.model.Turns(), "claude is asked nothing")
			f.nothingRuns()
		})
	}
}
