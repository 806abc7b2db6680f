package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/product/council"
)

// The user of a session who has asked to edit the plan is shown it there, and nothing
// is researched before their word.
func TestASessionIsShownThePlanItsUserWantsToEdit(t *testing.T) {
	r := newRoom(t)
	t.Cleanup(r.sweep)
	begun := r.typed("mine", "deep-research", `"How does it work?" --edit-plan --seats local --scope .`)
	require.Contains(t, begun.context(), "this session is woken then, for the user to edit its parts")
	require.Regexp(t, `(?m)^watch    council watch \S+ , council serve \(in a browser\), tail -f .*\nfinish   council finish [0-9]\S+ \(a report from what there is\)\nstop     /research-council:cancel-research `, begun.context())
	r.until("paused_for_input", "planned questions")
	id := filepath.Base(r.run())
	woken := r.hook("wait")
	require.Equal(t, wakeCode, woken.code, woken.errs)
	require.Contains(t, woken.errs, "waits, as the user has asked")
	require.Contains(t, woken.errs, "When does it rest?\n  answered by: a sentence\n  critical\n")
	require.Equal(t, came{}, r.hook("wait"), "once is enough")
	require.Contains(t, r.hook("session-start").context(), "waits for the user's word on its planned questions")
	require.Contains(t, r.typed("mine", "confirm-brief", "").words(), "shows no brief")
	require.NoFileExists(t, filepath.Join(r.run(), "local-report.md"))

	file := filepath.Join(r.run(), council.EditFile)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(data), "What goes wrong?", "What breaks it?", 1)), 0o600))
	refused := r.call("  indented\n", "resume", id, "--input", "-", "--detach")
	require.Equal(t, came{2, "", "council: --input \"-\": line 1 is indented and there is no question above it\n"}, refused)
	require.Zero(t, r.call("", "resume", id, "--input", file, "--detach").code)
	require.Eventually(t, func() bool { return strings.Contains(r.file("plan.json"), "What breaks it?") }, time.Minute, 20*time.Millisecond)
	require.Contains(t, r.file("plan.json"), `"planned_by": "a person"`)
	require.Zero(t, r.call("", "cancel", id).code)
}
