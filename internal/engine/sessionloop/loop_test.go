package sessionloop_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/sessionloop"
)

var morning = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

func TestADayIsTheEnd(t *testing.T) {
	l := sessionloop.New(sessionloop.Claude, "s", "Fix it", "/f", morning)
	require.True(t, l.Hear(sessionloop.Answer{Text: "a", At: morning.Add(-2 * 365 * 24 * time.Hour)}).More, "a clock that is wrong is bounded by the answers")
	require.True(t, l.Hear(sessionloop.Answer{Text: "b", At: morning.Add(sessionloop.MaxAge)}).More)
	over := l.Hear(sessionloop.Answer{Text: "c", At: morning.Add(sessionloop.MaxAge + time.Second)})
	require.False(t, over.More)
	require.Contains(t, over.Words, "a day")
	require.Equal(t, sessionloop.Expired, l.Status)
}

// Gemini CLI tells all that was said since the prompt, each time.
func TestANewLoopJudgesNewTextAlone(t *testing.T) {
	folder := t.TempDir()
	hear := func(text string) sessionloop.Verdict {
		h, err := sessionloop.Open(folder, sessionloop.Gemini, "g")
		require.NoError(t, err)
		defer h.Close()
		v := h.Hear(sessionloop.Answer{Text: text, Cumulative: true, Prompt: "P", At: morning})
		require.NoError(t, h.Save())
		return v
	}
	begin := func() {
		l := sessionloop.New(sessionloop.Gemini, "g", "Fix it", "/f", morning)
		l.Marker = "GREEN"
		l.Bind("P")
		require.NoError(t, sessionloop.Begin(folder, l, "Fix it"))
	}
	begin()
	require.True(t, hear("```\nopen").More)
	require.False(t, hear("```\nopen\nDone.\nGREEN").More, "a fence that was left open before is none in the new part")
	begin()
	require.True(t, hear("Again.\nGREEN\nNo: one fails.").More)
	require.True(t, hear("Again.\nGREEN\nNo: one fails.\nStill.").More)
	require.False(t, hear("Again.\nGREEN\nNo: one fails.\nStill.\nGREEN").More)
}

func TestALoopThatWasDeletedStaysDeleted(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, sessionloop.Begin(folder, sessionloop.New(sessionloop.Codex, "c", "Fix it", "/f", morning), "Fix it"))
	h, err := sessionloop.Open(folder, sessionloop.Codex, "c")
	require.NoError(t, err)
	defer h.Close()
	require.NoError(t, os.Remove(filepath.Join(folder, "codex-c")))
	h.Hear(sessionloop.Answer{Text: "a", At: morning})
	require.NoError(t, h.Save())
	require.False(t, sessionloop.Exists(folder, sessionloop.Codex, "c"))
}

func TestASessionHasOneLoop(t *testing.T) {
	folder := t.TempDir()
	first := sessionloop.New(sessionloop.Codex, "c", "Fix it", "/f", morning)
	require.NoError(t, sessionloop.Begin(folder, first, "Fix it"))
	require.NoError(t, sessionloop.Begin(folder, first, "Fix it"), "another copy of the hook begins the same")
	other := sessionloop.New(sessionloop.Codex, "c", "Other", "/f", morning)
	require.ErrorIs(t, sessionloop.Begin(folder, other, "Other"), sessionloop.ErrBusy)
	require.Error(t, sessionloop.Begin(folder, sessionloop.New(sessionloop.Codex, "../c", "x", "/f", morning), "x"))
	all, err := sessionloop.List(folder)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, first.Task, all[0].Task)
}

// FuzzFile reads any bytes in the place of a loop: what is taken for one is bounded.
func FuzzFile(f *testing.F) {
	f.Add([]byte("research-loop 1\nhost: codex\nsession: c\nstatus: active\nend\n"))
	f.Add(make([]byte, 4096))
	f.Fuzz(func(t *testing.T, data []byte) {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "codex-c"), data, 0o600))
		h, err := sessionloop.Open(folder, sessionloop.Codex, "c")
		require.NoError(t, err)
		if h == nil {
			return
		}
		defer h.Close()
		require.LessOrEqual(t, h.Max, sessionloop.MaxAnswers)
		require.LessOrEqual(t, h.Answers, h.Max)
	})
}
