package dialogue

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/council"
)

// waiting is a run that waits for a person to edit what the rules have split, without
// anybody who works on it.
func waiting(t *testing.T) (supervisor.Options, *workspace.Folder, flow.Run) {
	t.Helper()
	id, err := workspace.NewID(time.Now(), rand.Reader)
	require.NoError(t, err)
	topic := "Compare how each handles retries, timeouts and errors"
	setup := flow.Setup{
		ID: id, Workflow: council.Workflow().Name, Topic: topic, Root: t.TempDir(), Tier: "cheap", Seats: []flow.Seat{flow.LibrarianSeat()},
		EditPlan: true, Plan: scope.Plan{Mode: scope.Exploratory, Questions: scope.QuestionsOf(topic)}, Loop: loop.Default(), Turn: time.Minute,
	}
	f, err := product.Begin(setup, time.Now())
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	o := supervisor.Options{Project: setup.Root, ID: id, Council: "/bin/false", Hook: "/bin/false", Products: product.All(product.Settings{})}
	r, err := supervisor.Supervise(t.Context(), o)
	require.NoError(t, err)
	require.True(t, council.AsksToEdit(r))
	return o, f, r
}

// texts are the questions of a run as it stands, the topic left out.
func texts(t *testing.T, o supervisor.Options) []string {
	t.Helper()
	r, err := supervisor.Read(o.Project, o.ID)
	require.NoError(t, err)
	var list []string
	for _, q := range council.PlanOf(r).Questions[1:] {
		list = append(list, q.Text)
	}
	return list
}

func ruled() []string {
	return []string{"Compare how each handles retries", "Compare how each handles timeouts", "Compare how each handles errors"}
}

func TestAPersonEditsThePlanInTheirEditor(t *testing.T) {
	for name, c := range map[string]struct {
		saves []string // what each opening of the editor leaves; "as it is" changes nothing, "fails" ends it with an error
		types []string
		said  string
		heard bool
		ended flow.Status
		want  []string
	}{
		"unchanged goes on":               {saves: []string{"as it is"}, heard: true, want: ruled()},
		"changed":                         {saves: []string{"# x\nOnly this?\n  critical\n"}, heard: true, want: []string{"Only this?"}},
		"emptied cancels":                 {saves: []string{"# only a comment\n"}, said: "the run is cancelled", heard: true, ended: flow.Cancelled, want: ruled()},
		"nonsense is said and mended":     {saves: []string{"One?\n  color: red\n", "One?\n"}, types: []string{""}, said: `line 2 is none of "answered by:"`, heard: true, want: []string{"One?"}},
		"nonsense is said and left":       {saves: []string{"  indented\n"}, types: []string{"n"}, said: "line 1 is indented", want: ruled()},
		"nobody says whether to go on":    {saves: []string{"  indented\n"}, said: "Open it again? [Y/n]", want: ruled()},
		"an editor that fails may reopen": {saves: []string{"fails", "as it is"}, types: []string{"y"}, said: "the editor has failed", heard: true, want: ruled()},
	} {
		t.Run(name, func(t *testing.T) {
			o, f, r := waiting(t)
			person, shown := saying(c.types...)
			opened := 0
			person.edit = func(_ context.Context, file string) error {
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				if opened == 0 {
					require.Contains(t, string(data), "Compare how each handles timeouts\n")
					require.Contains(t, string(data), "# Estimate: nothing: no model is called\n")
					require.Contains(t, string(data), "Leave no question in the file to cancel the run.\n")
				}
				text := c.saves[opened]
				opened++
				switch text {
				case "as it is":
					return nil
				case "fails":
					return errors.New("the editor has failed")
				}
				return os.WriteFile(file, []byte(text), 0o600)
			}
			heard, err := person.askForInput(t.Context(), o, f, r)
			if c.heard {
				require.NoError(t, err)
			}
			require.Equal(t, c.heard, heard)
			require.Equal(t, len(c.saves), opened)
			require.Contains(t, shown.String(), c.said)
			require.Equal(t, c.want, texts(t, o))
			after, err := supervisor.Read(o.Project, o.ID)
			require.NoError(t, err)
			require.Equal(t, c.ended, after.Status)
			require.Equal(t, !c.heard, after.IsWaiting())
		})
	}
}

// Without a terminal the questions come back as a file; what is wrong with it is said
// in one line, and changes nothing.
func TestAPlanIsGivenAsAFile(t *testing.T) {
	o, f, r := waiting(t)
	page, err := Page(o.Project, r, 80)
	require.NoError(t, err)
	require.Contains(t, page, "The question in 3 parts by rules:\n\nCompare how each handles retries\n")
	require.Contains(t, page, "council resume "+o.ID+" --input "+PlanFile(f))
	require.FileExists(t, PlanFile(f))

	e := program.Env{Dir: o.Project, Getenv: func(string) string { return "" }, Self: "/bin/false"}
	file := filepath.Join(o.Project, "mine.txt")
	for text, want := range map[string]string{
		"":                      "there is no question in it; to end the run: council cancel " + o.ID,
		"One?\n  colour: red\n": "line 2 is none of",
		"\x00\x01":              "question 1 has no word in it",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		err := Input{Answers: file}.Give(e, o.Project, o.ID)
		require.ErrorContains(t, err, want)
		require.Equal(t, ruled(), texts(t, o))
	}
	require.ErrorContains(t, Input{Answers: filepath.Join(o.Project, "nothing")}.Give(e, o.Project, o.ID), "no such file")
	require.ErrorContains(t, Input{Confirm: true}.Give(e, o.Project, o.ID), "go on with its plan by --input")

	require.NoError(t, os.WriteFile(file, []byte("How are retries bounded?\n  must not miss: jitter; caps\n"), 0o600))
	require.NoError(t, Input{Answers: file}.Give(e, o.Project, o.ID))
	require.Equal(t, []string{"How are retries bounded?"}, texts(t, o))
	require.ErrorContains(t, Input{Answers: file}.Give(e, o.Project, o.ID), "does not wait for an answer")
}

func TestTheEditorIsChosenAsGitDoes(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	with := func(vars map[string]string) program.Env {
		return program.Env{Getenv: func(name string) string { return vars[name] }}
	}
	got, err := Editor(with(map[string]string{"VISUAL": "code --wait", "EDITOR": "nano"}))
	require.NoError(t, err)
	require.Equal(t, "code --wait", got)
	got, err = Editor(with(map[string]string{"VISUAL": " ", "EDITOR": "nano"}))
	require.NoError(t, err)
	require.Equal(t, "nano", got)
	_, err = Editor(with(nil))
	require.EqualError(t, err, "--edit-plan finds no editor: set VISUAL or EDITOR to one")
}
