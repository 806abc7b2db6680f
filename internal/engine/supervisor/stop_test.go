package supervisor_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/council/councilwork"
)

// stopping is a run whose session is asked for the synthesis, and what may
// happen to it in any order.
type stopping struct {
	*councilRun
	supervisor *exec.Cmd
}

func (s *stopping) start() {
	s.supervisor = exec.Command(self(), "supervise", "--project", s.project, s.setup.ID)
	s.supervisor.Env = os.Environ()
	require.NoError(s, s.supervisor.Start())
}

func (s *stopping) kill() {
	require.NoError(s, s.supervisor.Process.Kill())
	_ = s.supervisor.Wait() // it was killed
}

// stop is what the session's Stop hook leaves, once its draft is there.
func (s *stopping) stop() { s.say(workspace.SessionStopped, s.file(council.SynthesisFile)) }

func (s *stopping) say(kind, draft string) {
	f, err := workspace.Open(s.project, s.setup.ID)
	require.NoError(s, err)
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(draft)))
	require.NoError(s, f.DropNote(workspace.Note{Kind: kind, Session: s.setup.Session, Detail: hash, At: time.Now()}))
	require.NoError(s, f.Close())
}

func (s *stopping) asked() bool {
	data, err := os.ReadFile(filepath.Join(s.folder(), workspace.Status))
	var st status.Status
	if err != nil || json.Unmarshal(data, &st) != nil {
		return false
	}
	for _, seat := range st.Seats {
		if seat.Name == flow.Host && seat.State == "running" {
			return s.has(councilwork.SynthesisPrompt)
		}
	}
	return false
}

// waits for the supervisor to come to the next turn of the session.
func (s *stopping) turn(n int) {
	until(s.T, fmt.Sprintf("turn %d of the session begins", n), func() bool {
		r, err := supervisor.Read(s.project, s.setup.ID)
		if err != nil || len(r.Tasks) == 0 {
			return err == nil && r.Status != ""
		}
		t := r.Tasks[0]
		return t.Seat == flow.Host && t.Turn >= n && t.Running != nil || r.Status != ""
	})
}

// Whatever comes first, the end of the session's turn is heard once its draft is
// there: a note is neither lost with a supervisor nor heard for another turn.
func TestTheSessionsStopIsNeverLost(t *testing.T) {
	t.Parallel()
	draft := "# Synthesis\n"
	for _, section := range []string{
		"Executive Summary", "Key Findings", "Areas of Strong Consensus", "Areas of Disagreement or Nuance", "Novel Insights", "Remaining Open Questions",
		"Recommendations", "Risks and Counterarguments", "Methodology Note",
	} {
		draft += "\n## " + section + "\n\n" + words + " [C1]\n"
	}
	draft += "\n<!-- RESEARCH_COMPLETE -->\n"
	for name, happens := range map[string]func(s *stopping){
		"in order":                           func(s *stopping) { s.stop() },
		"between its kill and the successor": func(s *stopping) { s.kill(); s.stop(); s.start() },
		"as the successor begins":            func(s *stopping) { s.kill(); s.start(); s.stop() },
		"before the kill":                    func(s *stopping) { s.stop(); s.kill(); s.start() },
		"twice":                              func(s *stopping) { s.stop(); s.stop() },
		"twice, with a kill between":         func(s *stopping) { s.stop(); s.kill(); s.stop(); s.start() },
		"three kills": func(s *stopping) {
			s.kill()
			s.stop()
			s.start()
			s.kill()
			s.start()
			s.kill()
			s.start()
		},
		"once the successor asks": func(s *stopping) { s.kill(); s.start(); s.turn(2); s.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCouncil(t, map[string]string{"ada": good})
			c.setup.Session, c.setup.Loop = "s1", loop.Rule{Iterations: 1, Retries: 1, Stuck: 1}
			c.setup.Turn = time.Hour // nothing here waits so long
			c.begin()
			s := &stopping{councilRun: c}
			s.start()
			until(t, "the session is asked", s.asked)
			require.NoError(t, os.WriteFile(filepath.Join(c.folder(), council.SynthesisFile), []byte(draft), 0o600))
			happens(s)
			until(t, "the run has ended", func() bool {
				r, err := supervisor.Read(c.project, c.setup.ID)
				return err == nil && r.Status != "" && c.has(flow.FinalReport)
			})
			require.NoError(t, s.supervisor.Wait())
			r, err := supervisor.Read(c.project, c.setup.ID)
			require.NoError(t, err)
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.Equal(t, flow.Host, r.LastTasks(council.Synthesis)[0].Seat)
			require.True(t, r.LastTasks(council.Synthesis)[0].Outcome.Good())
			require.Contains(t, c.file(flow.FinalReport), "The synthesis was written by the session that asked.")
		})
	}
}

// A note that tells of another draft than the one that is there ends no turn
// before the session has written anything.
func TestAStopOfAnEarlierDraftEndsNothing(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good})
	c.setup.Session = "s1"
	c.setup.Turn = time.Hour
	c.begin()
	s := &stopping{councilRun: c}
	s.start()
	until(t, "the session is asked", s.asked)
	s.say(workspace.SessionStopped, "an earlier draft")
	s.say("nothing", "told to see that the inbox was looked at")
	until(t, "the inbox was looked at", func() bool {
		names, err := filepath.Glob(filepath.Join(c.folder(), workspace.Inbox, "*.json"))
		return err == nil && len(names) == 1
	})
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.NotNil(t, r.Tasks[0].Running, "it goes on")
	require.False(t, strings.Contains(c.file(workspace.Progress), "wrote no synthesis"))
	s.kill()
}
