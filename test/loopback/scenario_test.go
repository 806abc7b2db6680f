package loopback_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/loopback"
)

// says is what a scripted model says to a sequence of requests, each "SESSION:
// PROMPT".
func says(t *testing.T, s *loopback.Server, asks ...string) []string {
	t.Helper()
	var list []string
	v := vendors["anthropic"]
	for _, ask := range asks {
		id, prompt, _ := strings.Cut(ask, ": ")
		v.body = fmt.Sprintf(`{"model":"m-1","stream":true,"messages":[{"role":"user","content":%q}],"metadata":{}}`, prompt)
		_, stream, err := v.askAs(t.Context(), id, s.URL+v.path, v.body)
		require.NoError(t, err)
		list = append(list, v.spoken(stream))
	}
	return list
}

func TestRulesAnswerInOrder(t *testing.T) {
	for name, c := range map[string]struct {
		scenario   string
		asks, want []string
	}{
		"the first that matches wins": {
			`rules: [{when: {last_user: red}, steps: [{text: R}]}, {steps: [{text: other}]}]`,
			[]string{"a: red", "a: blue"},
			[]string{"R", "other"},
		},
		"all conditions must hold": {
			`rules: [{when: {last_user: red, session: b, model: "^m-"}, steps: [{text: R}]}, {steps: [{text: other}]}]`,
			[]string{"a: red", "b: red"},
			[]string{"other", "R"},
		},
		"each session goes through the steps, and stays at the last": {
			`rules: [{steps: [{text: one}, {text: two}]}]`,
			[]string{"a: x", "b: x", "a: x", "a: x"},
			[]string{"one", "one", "two", "two"},
		},
		"steps may start over": {
			`rules: [{steps: [{text: one}, {text: two}], after: repeat}]`,
			[]string{"a: x", "a: x", "a: x"},
			[]string{"one", "two", "one"},
		},
		"steps may be shared by all sessions": {
			`rules: [{shared: true, steps: [{text: "${n}"}, {text: "${n}"}]}]`,
			[]string{"a: x", "b: x", "c: x"},
			[]string{"1", "2", "3"},
		},
		"placeholders are filled": {
			`{find: {report: 'to (\S+) please'}, rules: [{when: {last_user: 'on (?P<topic>\w+)'}, steps: [{text: '${topic} ${report} ${n} ${session} ${model} $${n} $HOME'}]}]}`,
			[]string{"a: Write on colours to /r.md please"},
			[]string{"colours /r.md 1 a m-1 ${n} $HOME"},
		},
		"a dot matches a line feed": {
			`rules: [{when: {first_user: "a.b"}, steps: [{text: "yes"}]}]`,
			[]string{"s: a\nb"},
			[]string{"yes"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, says(t, loopback.Anthropic(t, scenario(t, c.scenario)), c.asks...))
		})
	}
}

func TestScenariosWithMistakesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`rules: [{steps: [{txt: a}]}]`:                             "txt",
		`rules: [{name: empty}]`:                                   "empty",
		`rules: [{steps: [{text: a}], after: never}]`:              "never",
		`rules: [{when: {any: "("}, steps: [{text: a}]}]`:          "rule 1",
		`{find: {report: "no group"}, rules: [{steps: [{}]}]}`:     "report",
		`{find: {report: "(open"}, rules: [{steps: [{text: a}]}]}`: "report",
		`rules: [{steps: [{text: a}]}`:                             "parse scenario",
	} {
		_, err := loopback.Parse([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

// fakeTB stands in for a test: it keeps what it was told.
type fakeTB struct {
	testing.TB
	cleanups []func()
	errors   []string
}

func (f *fakeTB) Helper()          {}
func (f *fakeTB) Cleanup(c func()) { f.cleanups = append(f.cleanups, c) }
func (f *fakeTB) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func TestWhatTheScenarioDidNotForeseeFailsTheTest(t *testing.T) {
	for text, want := range map[string]string{
		`rules: [{when: {any: never}, steps: [{text: a}]}]`:                   "no rule meets: Last.",
		`rules: [{steps: [{text: "${reprot}"}]}]`:                             "nothing fills ${reprot}",
		`{find: {report: "to (.)"}, rules: [{steps: [{read: "${report}"}]}]}`: "nothing fills ${report}",
		`{most: 1, rules: [{steps: [{text: a}]}]}`:                            "more than 1 requests",
	} {
		t.Run(want, func(t *testing.T) {
			speaking(t, func(t *testing.T, v vendor) {
				f := &fakeTB{TB: t}
				s := v.serve(f, scenario(t, text))
				for range 2 {
					if answer, text, err := v.ask(t.Context(), s.URL, v.path, v.body); s.Requests()[len(s.Requests())-1].Problem != "" {
						require.NoError(t, err)
						require.Equal(t, 400, answer.StatusCode, "which no command line tries again")
						require.Contains(t, text, "the scenario has no answer")
					}
				}
				f.cleanups[0]()
				require.NotEmpty(t, f.errors)
				require.Contains(t, f.errors[0], want)
			})
		})
	}
}

func TestAToolThatIsNotOfferedIsAProblem(t *testing.T) {
	for _, step := range []string{`{shell: date}`, `{read: /r}`, `{search: sky}`, `{write: {path: /w, content: ""}}`} {
		speaking(t, func(t *testing.T, v vendor) {
			f := &fakeTB{TB: t}
			s := v.serve(f, scenario(t, `rules: [{steps: [`+step+`]}]`))
			body := strings.NewReplacer("Bash", "x", "Read", "x", "WebSearch", "x", `"Write"`, `"x"`, "exec_command", "x", "apply_patch", "x",
				"web__run", "x", "run_shell_command", "x", "read_file", "x", "google_web_search", "x", "write_file", "x").Replace(v.body)
			_, _, err := v.ask(t.Context(), s.URL, v.path, body)
			require.NoError(t, err)
			require.Contains(t, s.Requests()[0].Problem, "does not offer")
			f.cleanups[0]()
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(actions))
	f.Add([]byte(research))
	f.Add([]byte(`{"rules":[{"steps":[{"delay":"2s","usage":{"input":1}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := loopback.Parse(data)
		if err != nil {
			return
		}
		for _, r := range s.Rules {
			require.NotEmpty(t, r.Steps)
		}
	})
}
