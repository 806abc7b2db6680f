package supervisor_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/host/verify"
)

// diligent is a fake agent that claims something, writes its report in two
// steps and says when a turn has come to its end.
const diligent = supports + `echo '{"text":"It paces itself.","quote":"the heap goal","source":"notes.md"}' > "$(dirname "$RESEARCH_REPORT_PATH")/claims.jsonl"
printf '# Report of %s\n\n## Key Findings\n\n%s [It paces itself](notes.md).\n' "$SEAT" "$WORDS" > "$RESEARCH_REPORT_PATH"
printf '\n<!-- RESEARCH_COMPLETE -->\n' >> "$RESEARCH_REPORT_PATH"
echo turn >> "$CALLS/$SEAT-$ROLE"
`

// supervised works on the run in a process of its own, and kills that process
// once the journal has so many lines; 0 lets it come to its end. It reports
// whether the process ended by itself.
func (c *councilRun) supervised(lines int) bool {
	var said bytes.Buffer
	cmd := exec.Command(self(), "supervise", "--project", c.project, c.setup.ID)
	cmd.Env, cmd.Stderr = os.Environ(), &said
	require.NoError(c, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	bound := time.After(time.Minute)
	look := time.NewTicker(500 * time.Microsecond)
	defer look.Stop()
	size := int64(-1)
	for {
		select {
		case err := <-ended:
			require.NoError(c, err, said.String())
			return true
		case <-bound:
			require.NoError(c, cmd.Process.Kill())
			require.FailNow(c, "the run does not come to its end", said.String())
		case <-look.C:
		}
		if lines == 0 || !c.hasGrown(&size) {
			continue
		}
		if c.facts() >= lines {
			_ = cmd.Process.Kill() // it may have ended by itself just now
			return <-ended == nil
		}
	}
}

// hasGrown reports whether the journal has another size than the one last seen.
func (c *councilRun) hasGrown(size *int64) bool {
	info, err := os.Stat(filepath.Join(c.folder(), journal.Name))
	require.NoError(c, err)
	last := *size
	*size = info.Size()
	return last != *size
}

// facts counts the journal's lines.
func (c *councilRun) facts() int {
	data, err := os.ReadFile(filepath.Join(c.folder(), journal.Name))
	require.NoError(c, err)
	return bytes.Count(data, []byte("\n"))
}

// findings are the artefacts that do not tell the time.
func (c *councilRun) findings() map[string]string {
	found := map[string]string{}
	for _, pattern := range []string{"???-report.md", "*-refined.md", "registry.json", "synthesis.md"} {
		names, err := filepath.Glob(filepath.Join(c.folder(), pattern))
		require.NoError(c, err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			require.NoError(c, err)
			found[filepath.Base(name)] = string(data)
		}
	}
	return found
}

func newCrash(t *testing.T) *councilRun {
	c := newCouncil(t, map[string]string{"ada": diligent, "bea": diligent, "cid": diligent})
	c.begin()
	return c
}

// A supervisor may be killed after any fact, as often as you like: the run
// taken up again comes to the same end, and no turn that was finished is taken
// again. Each run here is killed every few facts, and each begins with another
// one, so that all of them are tried.
func TestAKillAtAnyMomentLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	whole := newCrash(t)
	require.True(t, whole.supervised(0))
	want := whole.findings()
	require.Len(t, want, 8, "three reports, three refined ones, the registry, the synthesis")
	const apart = 20 // twice what taking up three turns writes, so that each goes on where turns are slow, too
	for first := 1; first <= apart; first++ {
		t.Run(fmt.Sprintf("from fact %d", first), func(t *testing.T) {
			t.Parallel()
			c := newCrash(t)
			kills := 0
			for at := max(first, c.facts()); !c.supervised(at); at = c.facts() + apart {
				kills++
				require.Less(t, kills, 30, "the run does not get on")
			}
			r, err := supervisor.Read(c.project, c.setup.ID)
			require.NoError(t, err, "the journal is whole")
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.LessOrEqual(t, r.Epoch, kills+1)
			require.Equal(t, want, c.findings())
			require.True(t, c.has("final-report.md"))
			require.Equal(t, 1, strings.Count(c.file("progress.log"), "Run completed"))
			for _, seat := range []string{"ada", "bea", "cid"} {
				for _, role := range []string{"research", "refinement"} {
					require.LessOrEqual(t, c.turns(seat, role), 1, "%s %s came to its end more than once", seat, role)
				}
			}
		})
	}
}

// A kill between the fact that a run has ended and its line costs no line.
func TestTheEndIsLoggedAlthoughAKillCameBetween(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	require.True(t, c.supervised(0))
	log := c.file("progress.log")
	at := strings.LastIndex(strings.TrimSuffix(log, "\n"), "\n") + 1
	require.Contains(t, log[at:], "Run completed")
	require.NoError(t, os.WriteFile(filepath.Join(c.folder(), "progress.log"), []byte(log[:at]), 0o600))
	for range 2 {
		require.True(t, c.supervised(0))
		require.Equal(t, 1, strings.Count(c.file("progress.log"), "Run completed"))
	}
}

// A turn that is cut off by the death of its supervisor says nothing about the
// seat: it costs it neither an iteration nor its place.
func TestASeatKilledInMidTurnKeepsItsPlace(t *testing.T) {
	t.Parallel()
	slow := `if [ ! -e "$CALLS/go" ]; then echo started; echo $$ >> "$CALLS/waits"; sleep 3600; fi` + "\n" + diligent
	c := newCouncil(t, map[string]string{"ada": slow})
	c.setup.Loop = loop.Rule{Iterations: 1, Retries: 1, Stuck: 1}
	c.begin()
	for kill := 1; kill <= 3; kill++ {
		cmd := exec.Command(self(), "supervise", "--project", c.project, c.setup.ID)
		cmd.Env = os.Environ()
		require.NoError(t, cmd.Start())
		until(t, "the seat is at work", func() bool { return c.waits() == kill })
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	}
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "go"), nil, 0o600))
	require.True(t, c.supervised(0))
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, 1, c.turns("ada", "research"))
}

func (c *councilRun) waits() int {
	data, err := os.ReadFile(filepath.Join(c.calls, "waits"))
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte("\n"))
}

// The same holds while families vote and debate: no vote is asked for twice,
// and the registry is the one of a run without a kill.
func TestAKillWhileItIsJudgedLosesNothing(t *testing.T) {
	t.Parallel()
	whole := rivals(t, scope.Exploratory)
	whole.begin()
	require.True(t, whole.supervised(0))
	var judged []string
	for _, name := range []string{"registry.json", "score.json", "disputes.md", "debate.md"} {
		judged = append(judged, whole.file(name))
	}
	const apart = 11
	for first := 1; first <= apart; first += 5 {
		t.Run(fmt.Sprintf("from fact %d", first), func(t *testing.T) {
			t.Parallel()
			c := rivals(t, scope.Exploratory)
			c.begin()
			kills := 0
			for at := max(first, c.facts()); !c.supervised(at); at = c.facts() + apart {
				kills++
				require.Less(t, kills, 40, "the run does not get on")
			}
			for i, name := range []string{"registry.json", "score.json", "disputes.md", "debate.md"} {
				require.Equal(t, strings.ReplaceAll(judged[i], whole.setup.ID, c.setup.ID), c.file(name), name)
			}
			v, err := verify.Run(c.folder())
			require.NoError(t, err)
			require.Empty(t, v.Problems)
		})
	}
}
