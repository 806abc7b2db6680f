package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/standing"
)

// questions are what people ask, and what a shell, a unit file, XML or a template would
// read as something else.
var questions = map[string]string{
	"plain":            "When does the heater start?",
	"quotes":           `What does "open" mean, and what 'closed'?`,
	"percent":          "Is 100% of %h %n %i %% covered?",
	"dollar":           "What is $HOME, ${PATH} and $(reboot) or `reboot`?",
	"newlines":         "First line\nsecond line\n\n- a list\n\tindented",
	"backslashes":      `Why does C:\new\table \x41 \u0041 \\ end so \`,
	"semicolons":       "a; rm -rf ~ && b || c | d & e > f < g # h",
	"an option":        "--seats=codex --help",
	"markup":           `<a href="x">&amp;</a> ]]> <!-- --> &#10;`,
	"other scripts":    "Wann heizt die Anlage – und à quel prix? 何時ですか 🙂",
	"braces":           "{{.Name}} {name} [x] ${{ secrets.X }} ~ * ?",
	"carriage returns": "a\r\nb\rc",
	"20 KB":            strings.Repeat("What holds for case 17? ", 854),
}

// A timer's run is asked byte for byte what was asked for, and with the same flags.
func TestAStandingQuestionReachesItsRunAsItIs(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(project, "docs"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(project, "docs", "a.md"), []byte("# A\n\nThe heater starts at four degrees.\n"), 0o600))
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	for name, asked := range questions {
		t.Run(name, func(t *testing.T) {
			var out, said bytes.Buffer
			e := program.Env{Stdin: strings.NewReader(asked), Stdout: &out, Stderr: &said, Dir: project, Self: filepath.Join(home, "council"), Getenv: func(name string) string {
				return map[string]string{"HOME": home, "PATH": os.Getenv("PATH")}[name]
			}}
			id := "q-" + standing.NameOf(name)
			code := run(t.Context(), []string{"schedule", "add", "--at", "06:00", "--name", id, "--seats", "librarian", "--scope", "docs", "--max-iterations=2", "--mode", "decision", "--quiet", "--json", "-"}, e)
			require.Zero(t, code, said.String())
			var a added
			require.NoError(t, json.Unmarshal(out.Bytes(), &a))
			for _, f := range a.Timer.Files {
				require.NotContains(t, f.Text, asked[:min(9, len(asked))], "nothing of a question stands in a timer")
			}

			keeper := standing.Keeper{Dir: filepath.Join(home, ".local", "state", "research-council", "standing")}
			s, err := keeper.Read(id)
			require.NoError(t, err)
			w := standingWork{Env: e, Standing: s, keeper: keeper}
			req, err := w.request()
			require.NoError(t, err)
			require.Equal(t, asked, req.Topic)
			require.Equal(t, []string{"librarian"}, req.Seats)
			require.Equal(t, "docs", req.Scope)
			require.Equal(t, "decision", req.Mode)
			require.Equal(t, 2, req.Iterations)
			require.Equal(t, project, req.ScopeFrom)

			f, err := w.open(&stood{})
			require.NoError(t, err)
			defer f.Close()
			facts, err := os.ReadFile(f.Join("journal.jsonl"))
			require.NoError(t, err)
			first, _, _ := bytes.Cut(facts, []byte("\n"))
			require.Contains(t, topics(t, first), asked)

			// What a person has taken up by hand meanwhile is not begun beside it.
			me, err := proc.Identify(os.Getpid())
			require.NoError(t, err)
			lease, err := journal.TakeLease(f.Path, journal.Holder{PID: me.PID, Start: me.Start}, time.Now())
			require.NoError(t, err)
			_, err = w.open(&stood{})
			require.ErrorIs(t, err, standing.ErrBusy)
			require.NoError(t, lease.Release())
			again, err := w.open(&stood{})
			require.NoError(t, err)
			defer again.Close()
			require.Equal(t, f.ID, again.ID)

			// What cannot go on is told of, if there is anybody to tell.
			require.False(t, w.tellOfWaiting(t.Context(), f.ID))
			require.NoError(t, f.WritePaused("no space left on device"))
			require.NoError(t, os.MkdirAll(filepath.Join(home, ".config", "research-council"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(home, ".config", "research-council", "config.yaml"), []byte("notify: {desktop: off}\n"), 0o600))
			require.True(t, w.tellOfWaiting(t.Context(), f.ID))
		})
	}
}

// topics are all strings of a line of a journal.
func topics(t *testing.T, line []byte) (list []string) {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(line, &v))
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(v)
	return list
}

// The comparison is with the newest completed run whose changes were told.
func TestARunIsComparedWithWhatWasTold(t *testing.T) {
	for _, row := range []struct{ runs, told, order string }{
		{"a b c", "c", "c b a"},
		{"a b c", "a", "a b c"},
		{"a b c", "b", "b a c"},
		{"a b c", "", "c b a"},
		{"a b c", "forgotten", "c b a"},
		{"", "", ""},
	} {
		w := standingWork{Standing: standing.Standing{Runs: strings.Fields(row.runs), Told: row.told}}
		require.Equal(t, row.order, strings.Join(w.toCompareWith(), " "), row)
	}
}

// What is counted from now is counted from the first time when it is said again.
func TestTheSameQuestionEveryWeekIsTheSameAMinuteLater(t *testing.T) {
	w := standingWish{every: "weekly"}
	added := time.Date(2026, 11, 26, 14, 37, 0, 0, time.UTC)
	was := standing.Standing{Cron: "37 14 * * 4", Added: added}
	require.Equal(t, was.Cron, w.again(was, "40 14 * * 4", time.UTC))
	w.every = "daily"
	require.Equal(t, "40 14 * * *", w.again(was, "40 14 * * *", time.UTC), "another time")
	w = standingWish{at: "14:40"}
	require.Equal(t, "40 14 * * *", w.again(was, "40 14 * * *", time.UTC))
}

// A timer whose program was taken away, as by an update, starts nothing, and is not said to.
func TestATimerWithoutItsProgramIsNamed(t *testing.T) {
	home := t.TempDir()
	e := program.Env{Self: filepath.Join(home, "council"), Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	keeper := standing.Keeper{Dir: filepath.Join(home, "standing")}
	s := standing.Standing{Name: "heater", Cron: "0 6 * * *", Program: filepath.Join(home, "0.9", "council")}
	_, err := keeper.Ask(s, "When?")
	require.NoError(t, err)
	timer, err := timerOf(e, keeper, s)
	require.NoError(t, err)
	timer.Install = nil
	require.NoError(t, timer.Put(t.Context()))
	l, err := look(e, keeper, s)
	require.NoError(t, err)
	require.True(t, l.Gone)
	require.Nil(t, l.Next)
	require.Contains(t, l.line(), "program gone: add again")
	require.NoError(t, os.MkdirAll(filepath.Dir(s.Program), 0o700))
	require.NoError(t, os.WriteFile(s.Program, nil, 0o700))
	l, err = look(e, keeper, s)
	require.NoError(t, err)
	require.NotNil(t, l.Next)
}
