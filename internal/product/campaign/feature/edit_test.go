package feature

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// halfway is a list of which F001 passes, F002 failed for good, F003 waits for
// it and F004 is open.
func halfway(t *testing.T) List {
	l, err := Parse(file(t, "before"))
	require.NoError(t, err)
	for task := range strings.SplitSeq("a b c", " ") {
		l = l.Fail("F002", task, "disk on fire")
	}
	require.Equal(t, "F001 passed 0, F002 failed 3, F003 blocked 0, F004 pending 0", standing(l))
	return l
}

func file(t *testing.T, name string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", "edits", name+".json"))
	require.NoError(t, err)
	return data
}

func standing(l List) string {
	var list []string
	for _, f := range l.Features {
		list = append(list, f.ID+" "+string(f.State)+" "+string(rune('0'+f.Attempts)))
	}
	return strings.Join(list, ", ")
}

func TestAPersonsEditIsTakenOver(t *testing.T) {
	for name, want := range map[string]struct{ says, states, next string }{
		"reword":  {"F002 is tried again in its new words; F002 is reworded", "F001 passed 0, F002 pending 0, F003 pending 0, F004 pending 0", "F002"},
		"reopen":  {"F001 is reopened", "F001 pending 0, F002 failed 3, F003 blocked 0, F004 pending 0", "F001"},
		"drop":    {"F004 is dropped", "F001 passed 0, F002 failed 3, F003 blocked 0", ""},
		"reorder": {"the order is F001 → F004 → F002 → F003", "F001 passed 0, F004 pending 0, F002 failed 3, F003 blocked 0", "F004"},
		"before":  {"", "F001 passed 0, F002 failed 3, F003 blocked 0, F004 pending 0", "F004"},
	} {
		l := halfway(t)
		e, err := l.ApplyFile(l, file(t, name))
		require.NoError(t, err, name)
		require.Equal(t, want.says, strings.Join(e.Says, "; "), name)
		require.Equal(t, want.states, standing(e.List), name)
		next, _ := e.List.Next()
		require.Equal(t, want.next, next.ID, name)
		require.Equal(t, 1, e.List.Edits, name)
		again, err := Parse(e.List.Encode())
		require.NoError(t, err, name)
		require.Equal(t, e.List, again, "%s: what is written is what is read", name)
	}
}

func TestAFaultyEditIsRefusedWithItsFaults(t *testing.T) {
	for name, want := range map[string]string{
		"drop-needed": `F003 on "F002"`,
		"cycle":       "F001 → F003 → F002 → F001",
		"passes":      `"F002": passes is true, and only tests make it so`,
		"broken":      "no JSON at line ",
		"double":      "ids given more than once: F004",
	} {
		l := halfway(t)
		_, err := l.ApplyFile(l, file(t, name))
		require.ErrorContains(t, err, want, name)
	}
}

// The published file has the program's own fields beside the plain ones.
func TestThePublishedListIsEditedToo(t *testing.T) {
	l := halfway(t)
	for change, want := range map[[2]string]string{
		{`"attempts": 3`, `"attempts": 0`}:             "F002 is reopened",
		{`"state": "failed"`, `"state": "pending"`}:    "F002 is reopened",
		{`"passes": true`, `"passes": false`}:          "F001 is reopened",
		{`"reason": "disk on fire"`, `"reason": "ok"`}: "",
	} {
		text := string(l.Encode())
		edited := strings.Replace(text, change[0], change[1], 1)
		require.NotEqual(t, text, edited)
		e, err := l.ApplyFile(l, []byte(edited))
		require.NoError(t, err)
		require.Equal(t, want, strings.Join(e.Says, "; "))
	}
	for change, want := range map[[2]string]string{
		{`"state": "failed"`, `"state": "passed"`}:   "a person may set it to pending alone",
		{`"attempts": 3`, `"attempts": 1`}:           "a person may set it to 0 alone",
		{`"state": "blocked"`, `"state": "pending"`}: "F002 failed",
	} {
		_, err := l.ApplyFile(l, []byte(strings.Replace(string(l.Encode()), change[0], change[1], 1)))
		require.ErrorContains(t, err, want)
	}
}

// What the program has learned since the list was published is not undone by
// an edit of the older one.
func TestAnEditIsOfWhatWasPublished(t *testing.T) {
	published := halfway(t)
	e, err := published.Pass("F004", "d", "abc").ApplyFile(published, file(t, "reword"))
	require.NoError(t, err)
	require.Equal(t, "F001 passed 0, F002 pending 0, F003 pending 0, F004 passed 0", standing(e.List))
}

func TestWhatFailedIsTriedAgain(t *testing.T) {
	l := halfway(t)
	for _, ids := range [][]string{{"F002"}, nil} {
		e, err := l.Retry(ids...)
		require.NoError(t, err)
		require.Equal(t, "F001 passed 0, F002 pending 0, F003 pending 0, F004 pending 0", standing(e.List))
		require.Equal(t, []string{"F002"}, e.Anew)
		again, _ := e.List.Find("F002")
		require.Equal(t, "disk on fire", again.Reason, "whoever tries it knows why it failed")
	}
	for id, want := range map[string]string{
		"F099": "there are F001, F002, F003, F004", "F001": "F001 passes", "F003": "F002 failed; retry that one", "F004": "has not failed for good",
	} {
		_, err := l.Retry("F002", id)
		require.ErrorContains(t, err, want)
	}
	done, err := l.Retry("F002")
	require.NoError(t, err)
	_, err = done.List.Retry()
	require.ErrorContains(t, err, "no feature has failed")
}

func TestWhatTheEnvironmentHasFailedIsTriedAgainByItself(t *testing.T) {
	l := halfway(t)
	_, any := l.RetryMended()
	require.False(t, any, "its tests were red: that is its own fault")
	for task := range strings.SplitSeq("d e f", " ") {
		l = l.FailWithCause(Environment, "F004", task, "no space left on device")
	}
	e, any := l.RetryMended()
	require.True(t, any)
	require.Equal(t, "F001 passed 0, F002 failed 3, F003 blocked 0, F004 pending 0", standing(e.List))
	require.Equal(t, Resumed, e.By)
}

func TestATestCommandIsAPlainLine(t *testing.T) {
	for _, good := range []string{"go test ./...", "python -m pytest -q", "npm test", "cargo test --workspace", "node --test", "./test.sh", "make test V=1"} {
		require.NoError(t, CheckCommand(good), good)
	}
	for _, bad := range []string{"", "go test ./... || true", "go test; rm -rf /", "$(id)", "a\nb", "sh -c 'go test'", "FOO=1 go test", "-x", "go test > /dev/null", "`id`", strings.Repeat("x", 201), "go test ./… ü"} {
		require.Error(t, CheckCommand(bad), bad)
	}
	list := `{"stack":"Go","test_command":"%s","features":[{"id":"F001","name":"a"}]}`
	l, err := Propose([]byte(strings.Replace(list, "%s", "go test ./...", 1)))
	require.NoError(t, err)
	require.Equal(t, [2]string{"Go", "go test ./..."}, [2]string{l.Stack, l.Test})
	_, err = Propose([]byte(strings.Replace(list, "%s", "true; exit 0", 1)))
	require.ErrorContains(t, err, "test_command: ")
}

func FuzzEdit(f *testing.F) {
	for _, name := range []string{"reword", "cycle", "broken", "before"} {
		data, err := os.ReadFile(filepath.Join("testdata", "edits", name+".json"))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := halfway(t)
		e, err := l.ApplyFile(l, data)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		again, err := Parse(e.List.Encode())
		require.NoError(t, err)
		require.Equal(t, e.List, again)
		for _, x := range e.List.Features {
			own, _ := l.Find(x.ID)
			require.False(t, x.Passes && !own.Passes, "only tests make a feature pass")
		}
	})
}
