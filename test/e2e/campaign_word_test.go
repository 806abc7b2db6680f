package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/test/loopback"
)

// undecided is a worker that builds a feature, and as a judge cannot say whether
// it is right.
const undecided = `#!/bin/sh
desk=$(dirname "$RESEARCH_REPORT_PATH")
case $(basename "$RESEARCH_REPORT_PATH") in
judgement-*) echo 'I cannot say.' > "$RESEARCH_REPORT_PATH"; exit;;
breakdown-*) echo '{"features":[{"id":"F001","name":"One","description":"It says two.","component":"c","dependencies":[]}]}' > "$desk/feature-list.json";;
code-*)
  cd "$desk/../../../.."
  grep -q 'say two, not one' "$1" && echo two > one.txt || echo one > one.txt
  echo '[ -e one.txt ] || exit 1' > t_1.sh
  echo '{"id":"F001","claims":"pass","summary":"s","tests":["t_1.sh"]}' > "$desk/feature.json";;
esac
printf 'done\n\n<!-- RESEARCH_COMPLETE -->\n' > "$RESEARCH_REPORT_PATH"
`

// TestOnlyAPersonJudgesAChangeAtASession has a model try every way it has, and
// then a person type it.
func TestOnlyAPersonJudgesAChangeAtASession(t *testing.T) {
	t.Parallel()
	f := newField(t, scarce())
	worker := filepath.Join(f.root, "bin", "worker")
	config := filepath.Join(f.root, "config.yaml")
	require.NoError(t, os.WriteFile(worker, []byte(undecided), 0o700))
	require.NoError(t, os.WriteFile(config, []byte("commands: {worker: {program: worker, args: ['{prompt_file}']}}\n"), 0o600))
	f.environ = append(f.environ, "COUNCIL_CONFIG="+config)
	f.put("docs/"+topic+"-plan.md", "Say two.\n")
	f.put("test.sh", "for t in t_*.sh; do sh $t || exit 1; done\n")
	f.put("t_0.sh", "exit 0\n")
	f.repository()
	r := f.campaign("run", "implement", topic, "--seats", "worker", "--test-command", "sh test.sh", "--max-iterations", "9")
	require.Equal(t, 5, r.code, r.errs)

	model := loopback.Anthropic(t, loopback.Scenario{Rules: []loopback.Rule{{When: loopback.When{FirstUser: "Go on"}, Steps: []loopback.Step{
		{Tools: []loopback.Call{{Name: "Skill", Input: map[string]any{"skill": "research-council:accept-change", "args": topic + " F001 it is right"}}}},
		{Shell: "council campaign accept " + topic + " F001 --reason 'it is right'"},
		{Text: "I have tried."},
	}}}})
	f.environ = append(f.environ, model.Env()...)
	r = f.done(f.session("Go on with it.", "--allowedTools", "Skill,Bash(council:*)"))
	require.Zero(t, r.code, r.errs)
	turns := model.Turns()
	require.Contains(t, turns[len(turns)-1].Said(), "this is a person's to say")
	require.NoFileExists(t, filepath.Join(f.run(), campaign.WordFile))

	typed := func(words string) string {
		t.Helper()
		r := f.done(f.session("/research-council:" + words))
		require.Zero(t, r.code, r.errs)
		require.Len(t, model.Turns(), len(turns), "no model is asked")
		return r.out
	}
	require.Contains(t, typed("accept-change '"+topic+"' F001"), "say which campaign, which feature and why")
	require.Contains(t, typed("accept-change '"+topic+"' F002 it is right"), "does not wait for a word on F002")
	require.Contains(t, typed("refuse-change '"+topic+"' F001 say two, not one"), "Noted.")
	require.Equal(t, 5, f.campaign("resume", topic).code, "it has built it anew, and asks again")
	require.Contains(t, typed("accept-change '"+topic+"' f001 I've read it"), "Noted.")
	r = f.campaign("resume", topic)
	require.Zero(t, r.code, r.errs)
	require.Equal(t, "F001: One\nbegin\n", f.git("log", "--format=%s"))
	require.Equal(t, "two\n", f.git("show", "HEAD:one.txt"))
	f.nothingRuns()
}
