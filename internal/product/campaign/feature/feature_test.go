package feature

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// listOf makes a list from lines as "F003 < F001 F002".
func listOf(t require.TestingT, lines ...string) List {
	var items []string
	for _, l := range lines {
		id, rest, _ := strings.Cut(l, "<")
		deps := strings.Fields(rest)
		for i := range deps {
			deps[i] = strconv.Quote(deps[i])
		}
		items = append(items, fmt.Sprintf(`{"id":%q,"name":"n","dependencies":[%s]}`, strings.TrimSpace(id), strings.Join(deps, ",")))
	}
	l, err := Propose([]byte("[" + strings.Join(items, ",") + "]"))
	require.NoError(t, err)
	return l
}

func states(l List) string {
	var s []string
	for _, f := range l.Features {
		s = append(s, f.ID+" "+string(f.State))
	}
	return strings.Join(s, ", ")
}

func next(l List) string {
	f, _ := l.Next()
	return f.ID
}

func TestTheNextFeatureIsTheFirstWhoseDependenciesPass(t *testing.T) {
	l := listOf(t, "F001 < F002", "F002", "F003")
	require.Equal(t, "F002", next(l))
	l = l.Pass("F002", "t1", "abc")
	require.Equal(t, "F001", next(l))
	require.Equal(t, "F002", l.Last())
	l = l.Fail("F001", "t2", "red")
	require.Equal(t, "F001", next(l), "it has attempts left")
	l = l.Pass("F001", "t3", "def")
	require.Equal(t, "F003", next(l))
	require.Equal(t, "F001", l.Last(), "it passed after F002, though it stands before it")
	l = l.Pass("F003", "t4", "")
	require.True(t, l.Settled())
	require.Empty(t, next(l))
	require.Equal(t, Counts{Total: 3, Complete: 3}, l.Counts())
}

func TestWhatDependsOnAFailedFeatureIsBlocked(t *testing.T) {
	l := listOf(t, "F001", "F002 < F001", "F003 < F002", "F004")
	for i := range Attempts {
		require.False(t, l.Settled())
		l = l.Fail("F001", fmt.Sprint("t", i), "the suite is red\x1b[31m\nstill")
	}
	require.Equal(t, "F001 failed, F002 blocked, F003 blocked, F004 pending", states(l))
	f, ok := l.Find("F001")
	require.True(t, ok)
	require.Equal(t, "the suite is red still", f.Reason)
	require.Equal(t, Attempts, f.Attempts)
	f, _ = l.Find("F003")
	require.Equal(t, "F001 failed", f.Reason)
	l = l.Pass("F004", "t9", "abc")
	require.True(t, l.Settled())
	require.Equal(t, Counts{Total: 4, Complete: 1, Failed: 1, Blocked: 2}, l.Counts())
}

func TestATaskJudgesOnce(t *testing.T) {
	l := listOf(t, "F001").Fail("F001", "t1", "red")
	require.Equal(t, l, l.Fail("F001", "t1", "red"))
	require.Equal(t, l, l.Pass("F001", "t1", "abc"))
	require.Equal(t, 2, l.Fail("F001", "t2", "red").Features[0].Attempts)
}

func TestOnlyPendingFeaturesAreJudged(t *testing.T) {
	l := listOf(t, "F001", "F002").Pass("F001", "t1", "abc")
	require.Equal(t, l, l.Fail("F001", "t2", "red"))
	require.Equal(t, l, l.Pass("F404", "t2", "abc"))
}

func TestAJudgementLeavesTheListItWasGiven(t *testing.T) {
	l := listOf(t, "F001", "F002 < F001")
	before := string(l.Encode())
	for i := range Attempts {
		l.Fail("F001", fmt.Sprint(i), "red")
	}
	l.Pass("F001", "t", "abc")
	require.Equal(t, before, string(l.Encode()))
}

func TestProposalsAreAcceptedInTheFormsModelsWrite(t *testing.T) {
	const bare = `[{"id":"F001","name":"Parser","description":"reads","component":"core","dependencies":null}]`
	want := List{Features: []Feature{{ID: "F001", Name: "Parser", Description: "reads", Component: "core", Dependencies: []string{}, State: Pending}}}
	for name, text := range map[string]string{
		"bare array":      bare,
		"object":          `{"features":` + bare + `}`,
		"fenced":          "```json\n{\"features\":" + bare + "}\n```\n",
		"fenced bare":     "\n```\n" + bare + "\n```",
		"byte order mark": "\ufeff" + bare,
		"with verdicts":   `[{"id":"F001","name":" Parser\n","description":"reads","component":"core","passes":"yes","attempts":-7,"state":"passed","commit":"abc","reason":"x","judged":"me"}]`,
	} {
		got, err := Propose([]byte(text))
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
}

func TestListsThatCannotBeWorkedThroughAreRefused(t *testing.T) {
	many := make([]string, MaxFeatures+1)
	for i := range many {
		many[i] = fmt.Sprintf(`{"id":"F%d","name":"n"}`, i)
	}
	for text, says := range map[string]string{
		`[{"id":"F1","name":"a","dependencies":["F2"]},{"id":"F2","name":"b","dependencies":["F3"]},{"id":"F3","name":"c","dependencies":["F2"]}]`: "F2 → F3 → F2",
		`[{"id":"F1","name":"a","dependencies":["F1"]}]`:        "depend on themselves: F1",
		`[{"id":"F1","name":"a","dependencies":["F9","F1x"]}]`:  `F1 on "F9", F1 on "F1x"`,
		`[{"id":"F1","name":"a"},{"id":"f1","name":"b"}]`:       "more than once: f1",
		`[{"id":"","name":"a"}]`:                                `feature 1 ("a") has no id`,
		`[{"id":"1F","name":"a"}]`:                              `"1F" is no id`,
		`[{"id":"F/../1","name":"a"}]`:                          "is no id",
		`[{"id":"F\u001b[31m","name":"a"}]`:                     `"F" is no id`,
		`[{"id":"` + strings.Repeat("F", 33) + `","name":"a"}]`: "is no id",
		`[{"id":"F1","name":" \t"}]`:                            "without a name: F1",
		`[{"id":"F1","name":"a","description":"` + strings.Repeat("x", maxDescriptionBytes+1) + `"}]`: "longer than 16 KiB: F1",
		"[" + strings.Join(many, ",") + "]": "2001 features are too many",
		`{"features":[]}`:                   "empty or not there",
		`{}`:                                "empty or not there",
		``:                                  "no JSON at line 1",
		"Here is the list:\n[]":             "no JSON at line 1",
		"{\n\"features\":[}":                "no JSON at line 2",
		`[{"id":"F1","name":"a"}] []`:       "no JSON at line 1",
		`[{"id":"F1","name":"a"}`:           "no JSON",
		"{\"features\":\n{\"id\":\"F1\"}}":  "line 2: Features is an object where an array belongs",
		`[{"id":7,"name":"a"}]`:             "number where a string belongs",
		`{"features":[{"id":"F1","name":"a"}],"features":[{"id":"F2","name":"b"}]}`: `the key "features" stands twice`,
		`{"features":[{"id":"F1","name":"a"}],"FEATURES":[]}`:                       `the key "FEATURES" stands twice`,
		`[{"id":"F1","id":"F2","name":"a"}]`:                                        `the key "id" stands twice`,
	} {
		_, err := Propose([]byte(text))
		require.ErrorContains(t, err, says, "%.80s", text)
		require.NotContains(t, err.Error(), "\n")
		require.Less(t, len(err.Error()), 400)
	}
}

func TestAFileMendedByHandIsReadOrRefused(t *testing.T) {
	l, err := Parse([]byte(`{"features":[
		{"id":"F1","name":"a","passes":true},
		{"id":"F2","name":"b","passes":false,"attempts":3},
		{"id":"F3","name":"c","dependencies":["F2"]},
		{"id":"F4","name":"d","state":"blocked","reason":"F1 failed","dependencies":["F1"]}]}`))
	require.NoError(t, err)
	require.Equal(t, "F1 passed, F2 failed, F3 blocked, F4 pending", states(l))
	require.Equal(t, "F1", l.Last())
	for text, says := range map[string]string{
		`[]`: "array where an object belongs",
		`{}`: `there is no "features"`,
		`{"features":[{"id":"F1","name":"a","passes":true,"state":"pending"}]}`: `"F1": passes is true, but its state is pending`,
		`{"features":[{"id":"F1","name":"a","state":"passed"}]}`:                `passes is false, but its state is passed`,
		`{"features":[{"id":"F1","name":"a","state":"done"}]}`:                  `no state "done"`,
		`{"features":[{"id":"F1","name":"a","attempts":4}]}`:                    "attempts is 4",
		`{"features":[{"id":"F1","name":"a","attempts":-1}]}`:                   "attempts is -1",
		`{"features":[{"id":"F1","name":"a","passes":"true"}]}`:                 "string where a bool belongs",
		`{"features":[]}{}`: "no JSON at line 1",
	} {
		_, err := Parse([]byte(text))
		require.ErrorContains(t, err, says, text)
	}
}

// lists draws a list without cycles, its features in any order.
func lists(t *rapid.T) List {
	n := rapid.IntRange(1, 40).Draw(t, "features")
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("F%d <", i)
		for _, d := range rapid.SliceOfN(rapid.IntRange(0, max(i-1, 0)), 0, 4).Draw(t, "dependencies") {
			if d < i {
				lines[i] += fmt.Sprintf(" F%d", d)
			}
		}
	}
	return listOf(t, rapid.Permutation(lines).Draw(t, "order")...)
}

func TestEveryListSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := lists(t)
		steps := 0
		for ; !l.Settled(); steps++ {
			f, ok := l.Next()
			require.True(t, ok, "what is pending can be reached: %s", states(l))
			for _, d := range f.Dependencies {
				got, _ := l.Find(d)
				require.True(t, got.Passes)
			}
			if rapid.Bool().Draw(t, "passes") {
				l = l.Pass(f.ID, fmt.Sprint(steps), "abc")
				require.Equal(t, f.ID, l.Last())
			} else {
				l = l.Fail(f.ID, fmt.Sprint(steps), "red")
			}
			again, err := Parse(l.Encode())
			require.NoError(t, err)
			require.Equal(t, l, again)
		}
		require.LessOrEqual(t, steps, Attempts*len(l.Features))
		c := l.Counts()
		require.Equal(t, c.Total, c.Complete+c.Failed+c.Blocked)
		for _, f := range l.Features {
			require.Equal(t, f.State == Blocked, dependsOnFailed(l, f), f.ID)
		}
	})
}

// dependsOnFailed follows dependencies that do not pass down to a failed one.
func dependsOnFailed(l List, f Feature) bool {
	if f.State == Passed || f.State == Failed {
		return false
	}
	for _, d := range f.Dependencies {
		if got, _ := l.Find(d); got.State == Failed || dependsOnFailed(l, got) {
			return true
		}
	}
	return false
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"features":[{"id":"F001","name":"a","dependencies":[],"passes":true,"state":"passed"}]}`))
	f.Add([]byte(`{"features":[{"id":"F1","name":"a","attempts":3,"dependencies":["F2"]},{"id":"F2","name":"b"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse(data)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		again, err := Parse(l.Encode())
		require.NoError(t, err)
		require.Equal(t, l, again)
	})
}

func FuzzPropose(f *testing.F) {
	f.Add([]byte("```json\n[{\"id\":\"F001\",\"name\":\"a\"}]\n```"))
	f.Add([]byte(`{"features":[{"id":"F1","name":"a","dependencies":["F2"]},{"id":"F2","name":"b","dependencies":["F1"]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Propose(data)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		_, ok := l.Next()
		require.True(t, ok, "something can be begun with")
		for _, f := range l.Features {
			require.Equal(t, Feature{ID: f.ID, Name: f.Name, Description: f.Description, Component: f.Component, Dependencies: f.Dependencies, State: Pending}, f)
		}
		again, err := Parse(l.Encode())
		require.NoError(t, err)
		require.Equal(t, l, again)
	})
}

// chain is a list in which every feature but the first depends on the one
// before it and on the first, the worst of them standing first.
func chain(n int) []byte {
	var items []string
	for i := n - 1; i >= 0; i-- {
		deps := ""
		if i > 0 {
			deps = fmt.Sprintf(`"F%d","F0"`, i-1)
		}
		items = append(items, fmt.Sprintf(`{"id":"F%d","name":"n","dependencies":[%s]}`, i, deps))
	}
	return []byte("[" + strings.Join(items, ",") + "]")
}

func BenchmarkPropose(b *testing.B) {
	for _, n := range []int{500, MaxFeatures} {
		data := chain(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				_, _ = Propose(data)
			}
		})
	}
}

func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{500, MaxFeatures} {
		l, err := Propose(chain(n))
		require.NoError(b, err)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				f, _ := l.Next()
				l.Fail(f.ID, "t", "red")
			}
		})
	}
}
