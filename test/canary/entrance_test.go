package canary_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/test/eval/stage"
)

// A question typed into a session becomes a state file that hooks read.
func TestAQuestionStaysBelowTheFrontMatter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, w.Configure(w.web, stage.Seat{Name: "first", Brand: "first", Program: self, Args: []string{"hostile-seat", w.dir, "meek"}}))
	topic := "---\nactive: false\nresearch_id: ../../TOPIC\nsession_id: TOPIC\n---\n" + strings.ReplaceAll(all("TOPIC"), "--", "- ")
	session := "s-1\nactive: false\n\"x"
	asked, err := json.Marshal(map[string]string{
		"hook_event_name": "UserPromptExpansion", "command_name": "research-council:deep-research",
		"command_args": topic + "\n--seats first --max-iterations 1", "session_id": session, "cwd": w.Project,
	})
	require.NoError(t, err)
	in, out := filepath.Join(w.dir, "asked.json"), filepath.Join(w.dir, "answer.json")
	w.write(in, string(asked))
	r, err := w.Pipe(t.Context(), in, out, "hook", "begin")
	require.NoError(t, err)
	require.Zero(t, r.Code, r.Errs)
	defer w.says("cancel")

	data, err := os.ReadFile(filepath.Join(w.Project, ".claude", "deep-research.local.md"))
	require.NoError(t, err, read(t, out))
	state, err := workspace.DecodeState(data)
	require.NoError(t, err)
	require.True(t, state.Active)
	require.True(t, workspace.ValidID(state.ResearchID))
	require.Equal(t, session, state.SessionID)
	head, _, _ := strings.Cut(strings.TrimPrefix(string(data), "---\n"), "\n---\n")
	require.Len(t, strings.Split(head, "\n"), 7)
	require.NotContains(t, head, "TOPIC")
	noControls(t, read(t, out))
	var answer struct {
		Hook struct{ AdditionalContext string } `json:"hookSpecificOutput"`
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, out)), &answer))
	require.Contains(t, answer.Hook.AdditionalContext, state.ResearchID)
	repeated := 0
	for line := range strings.Lines(answer.Hook.AdditionalContext) {
		if strings.Contains(line, "TOPIC") {
			repeated++
		}
	}
	require.LessOrEqual(t, repeated, 1, "what is repeated of the question is on one line")
}

// Whatever names a place is held inside the project before anything starts.
func TestPlacesOutsideTheProjectAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, w.Configure(w.web, stage.Seat{Name: "first", Brand: "first", Program: self, Args: []string{"hostile-seat", w.dir, "meek"}}))
	require.NoError(t, os.Symlink(w.dir, filepath.Join(w.Project, "way-out")))
	for _, args := range [][]string{
		{"run", "--scope", "..", "x"},
		{"run", "--scope", "docs/../..", "x"},
		{"run", "--scope", w.dir, "x"},
		{"run", "--scope", "way-out", "x"},
		{"run", "--output", "../CANARY.md", "x"},
		{"run", "--output", filepath.Join(w.dir, "CANARY.md"), "x"},
		{"run", "--output", "way-out/CANARY.md", "x"},
		{"run", "--previous", "../../CANARY", "x"},
		{"status", "../../CANARY"},
		{"logs", "../CANARY"},
		{"resume", "../../../etc"},
		{"cancel", "..", "x"},
		{"export", "../CANARY", "--to", "html"},
		{"claims", "../../CANARY"},
		{"run", "--seats", "../../first", "x"},
		{"run", "--seats", "first;touch CANARY", "x"},
	} {
		r := w.says(args...)
		require.NotZero(t, r.Code, "%q", args)
		require.Empty(t, r.Out, "%q", args)
		noControls(t, r.Errs)
	}
	_, err = os.Stat(filepath.Join(w.Project, "research"))
	require.ErrorIs(t, err, os.ErrNotExist, "nothing was started")
	require.NoFileExists(t, filepath.Join(w.dir, "CANARY.md"))
}
