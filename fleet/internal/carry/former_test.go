package carry_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/carry"
)

// labelled is the question again, under a label that makes it another run, of the
// repository as it is now.
func (f *fleet) labelled(label string) carry.Job {
	head, err := exec.Command("git", "-C", f.git, "rev-parse", "HEAD").Output()
	require.NoError(f, err)
	return f.job(fmt.Sprintf(`{"id":%q,"question":"When does the kettle rest?","seats":["one","two"],"no_plan":true,"max_iterations":2,"scope":{"git":"file://%s","commit":"%s"}}`, label, f.git, strings.TrimSpace(string(head))))
}

// A standing question tells people what has changed, and nothing where nothing has; a run
// before that is damaged holds nothing up.
func TestWhatHasChangedIsTold(t *testing.T) {
	var told []struct{ Title, Body, Run string }
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		told = append(told, struct{ Title, Body, Run string }{})
		require.NoError(t, json.NewDecoder(r.Body).Decode(&told[len(told)-1]))
	}))
	defer hook.Close()
	f := newFleet(t)
	conf, err := os.OpenFile(f.config, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = conf.WriteString("notify: {desktop: off, webhook: {url_env: HOOK}}\n")
	require.NoError(t, err)
	require.NoError(t, conf.Close())
	var lines []string
	run := func(label, before string) carry.Job {
		job := f.labelled(label)
		job.Previous, job.Notify = before, true
		w := f.worker(label)
		w.Environ, w.Tell = append(w.Environ, "HOOK="+hook.URL), func(line string) { lines = append(lines, line) }
		end, err := w.Carry(t.Context(), job, never)
		require.NoError(t, err)
		require.Equal(t, "completed", end.Status, end.Reason)
		again, err := w.Carry(t.Context(), job, never)
		require.NoError(t, err)
		require.Equal(t, end.Notice, again.Notice, "a worker that dies before it has said so loses no notice")
		if end.Notice != "" {
			require.NoError(t, w.Notify(t.Context(), job.Run, end.Notice))
		}
		return job
	}
	first := run("first", "")
	run("second", first.Run)
	require.Empty(t, told, "nothing has changed")

	commit := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(f.git, "notes.md"), []byte(text), 0o600))
		out, err := exec.Command("git", "-C", f.git, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qam", "later").CombinedOutput()
		require.NoError(t, err, string(out))
	}
	commit("The kettle rests while it is empty.\n\nThe kettle sings when it boils.\n\nVisitors of this page: 1042\n")
	run("visited", first.Run)
	require.Empty(t, told, "no claim has changed")
	commit("The kettle rests while it is empty.\n\nVisitors of this page: 1043\n")
	third := run("third", first.Run)
	require.Len(t, told, 1)
	require.Equal(t, "Changed: "+third.Run, told[0].Title)
	require.Equal(t, third.Run, told[0].Run)
	require.Contains(t, told[0].Body, "~ The kettle sings when it boils.")
	require.Empty(t, lines)

	parts, err := f.memory.List(t.Context(), "runs/"+first.Run+"/parts/")
	require.NoError(t, err)
	for _, name := range parts {
		require.NoError(t, f.memory.Put(t.Context(), name, []byte("other bytes"), false))
	}
	fourth := run("fourth", first.Run)
	require.Len(t, told, 1)
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "run "+fourth.Run+" is compared with none: run "+first.Run)
	require.Contains(t, lines[0], "is damaged")
	f.checked(fourth.Run)
}
