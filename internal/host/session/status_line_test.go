package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
)

const lineSession = "3f0c1c1e-9a57-4a63-8c53-0d8e54f7c001"

// lineProject is a project with a run of a session, on which nobody works.
func lineProject(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	f, err := workspace.Create(root, campaignRunID)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, f.Write(journal.Name, nil))
	require.NoError(t, workspace.CreateState(root, workspace.NewState(campaignRunID, lineSession, "Why?", 10, time.Now())))
	data, err := json.Marshal(status.Status{ID: campaignRunID, Phase: "research", Step: 1, Steps: 6, Status: "running"})
	require.NoError(t, err)
	require.NoError(t, f.Write(workspace.Status, data))
	return root
}

func statusLine(t *testing.T, dir string, input io.Reader, wrapped string, env ...string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WriteStatusLine(t.Context(), program.Env{
		Stdin: input, Stdout: &out, Dir: dir, Environ: append(os.Environ(), env...),
		Getenv: func(name string) string {
			for _, v := range env {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		},
	}, wrapped))
	return out.String()
}

const stoppedLine = "council: stopped, go on with council resume\n"

func TestAStatusLineIsTheSessionsOwn(t *testing.T) {
	project, elsewhere := lineProject(t), t.TempDir()
	deep := filepath.Join(project, "deep", "er")
	require.NoError(t, os.MkdirAll(deep, 0o700))
	asked := func(fields string) string { return `{"hook_event_name":"Status",` + fields + `}` }
	own, place := `"session_id":"`+lineSession+`"`, fmt.Sprintf(`"workspace":{"current_dir":%q,"project_dir":%q}`, deep, project)
	for name, c := range map[string]struct {
		input string
		shown bool
	}{
		"whole":                  {asked(own + "," + place + `,"cost":{"total_cost_usd":0.41},"rate_limits":{"five_hour":{"used_percentage":142}}`), true},
		"a folder alone":         {asked(own + fmt.Sprintf(`,"cwd":%q`, project)), true},
		"lines end with CR LF":   {"{\r\n" + own + ",\r\n" + place + "\r\n}\r\n", true},
		"behind a mark of order": {"\xef\xbb\xbf" + asked(own+","+place), true},
		"with more behind it":    {asked(own+","+place) + "garbage", true},
		"a name that comes twice": {
			asked(`"session_id":"99999999-0000-4000-8000-000000000099",` + own + "," + place), true,
		},
		"deep":                     {asked(`"deep":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "," + own + "," + place), true},
		"another session":          {asked(`"session_id":"99999999-0000-4000-8000-000000000099",` + place), false},
		"no session":               {asked(place), false},
		"a session that is a path": {asked(`"session_id":"../../../../etc/passwd\u0000",` + place), false},
		"another type":             {asked(`"session_id":42,"workspace":[]`), false},
		"cut off":                  {asked(own + "," + place)[:90], false},
		"nothing":                  {"", false},
		"blanks":                   {" \n\n", false},
		"a list":                   {"[1,2,3]", false},
		"null":                     {"null", false},
		"a folder that is none":    {asked(own + `,"cwd":"/tmp/$(touch PWNED);'\"","workspace":{"project_dir":"/tmp/-rf"}`), false},
	} {
		want := ""
		if c.shown {
			want = stoppedLine
		}
		require.Equal(t, want, statusLine(t, elsewhere, strings.NewReader(c.input), ""), name)
	}
	require.Equal(t, stoppedLine, statusLine(t, deep[:len(project)], strings.NewReader("{"+own+"}"), ""), "the folder it is started in")
	require.NoFileExists(t, filepath.Join(elsewhere, "PWNED"))
}

// How a run has ended stands there for a while, for its own session alone.
func TestAStatusLineTellsHowItsRunEnded(t *testing.T) {
	project := lineProject(t)
	f, err := workspace.Open(project, campaignRunID)
	require.NoError(t, err)
	defer f.Close()
	reached := 61.5
	data, err := json.Marshal(status.Status{ID: campaignRunID, Status: "completed", Score: &reached, Folder: f.Path, Report: f.Join("final-report.md")})
	require.NoError(t, err)
	require.NoError(t, f.Write(workspace.Status, data))
	require.NoError(t, workspace.RemoveState(project, campaignRunID))
	own := `{"session_id":"` + lineSession + `"}`
	require.Equal(t, "council: done · score 61 · research/"+campaignRunID+"/final-report.md\n", statusLine(t, project, strings.NewReader(own), ""))
	require.Empty(t, statusLine(t, project, strings.NewReader(`{"session_id":"99999999-0000-4000-8000-000000000099"}`), ""))
	long := time.Now().Add(-11 * time.Minute)
	require.NoError(t, os.Chtimes(f.Join("session", "ended"), long, long))
	require.Empty(t, statusLine(t, project, strings.NewReader(own), ""))
}

func TestAStatusLineWaitsForNoEndOfItsInput(t *testing.T) {
	project := lineProject(t)
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = io.WriteString(w, `{"session_id":"`+lineSession+`"}`) }()
	require.Equal(t, stoppedLine, statusLine(t, project, r, ""))
	silent, held := io.Pipe()
	defer held.Close()
	require.Empty(t, statusLine(t, project, silent, ""))
}

func TestAStatusLineOfThePersonsOwnStaysAbove(t *testing.T) {
	project := lineProject(t)
	own := `{"session_id":"` + lineSession + `"}`
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(own)))
	for name, c := range map[string]struct{ command, want string }{
		"a line":                        {`cat >/dev/null; printf 'OLD main* | Opus\n'`, "OLD main* | Opus\n"},
		"without a line end":            {`printf 'OLD no newline'`, "OLD no newline\n"},
		"two lines":                     {`printf 'OLD one\nOLD two\n'`, "OLD one\nOLD two\n"},
		"five hundred":                  {`i=0; while [ $i -lt 500 ]; do echo "OLD $i"; i=$((i+1)); done`, "OLD 0\nOLD 1\nOLD 2\n"},
		"lines without end":             {`yes OLD`, "OLD\nOLD\nOLD\n"},
		"nothing":                       {`:`, ""},
		"the same input":                {`sha256sum | cut -d' ' -f1`, sum + "\n"},
		"its input not read":            {`exec <&-; echo OLD`, "OLD\n"},
		"a failure":                     {`echo OLD half; echo CANARY >&2; exit 3`, "OLD half\n"},
		"no such program":               {`/no/such/program`, ""},
		"a child that holds its output": {`(sleep 60) & printf 'OLD leaves\n'`, "OLD leaves\n"},
		"no end, and a line before":     {`trap '' TERM; printf 'OLD early\n'; sleep 3600`, "OLD early\n"},
		"words of a shell":              {`printf '%s|' "a b" "$HOME_OF_TEST" | head -1`, "a b|it's|\n"},
		"escapes":                       {`printf 'OLD \033[2J\033]0;PWNED\007x\n'`, "OLD x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want+stoppedLine, statusLine(t, project, strings.NewReader(own), c.command, "HOME_OF_TEST=it's"))
		})
	}
	colour := statusLine(t, project, strings.NewReader(own), `printf '\033[31mred\n'`)
	require.Regexp(t, "^\x1b\\[31mred.*\x1b\\[0m\ncouncil", colour)
	for _, plain := range []string{"NO_COLOR=1", "TERM=dumb"} {
		require.Equal(t, "red\n"+stoppedLine, statusLine(t, project, strings.NewReader(own), `printf '\033[31mred\n'`, plain))
	}
}

// Where the session has no run the person's own line is as it was.
func TestWithoutARunTheOtherLineIsItself(t *testing.T) {
	dir := t.TempDir()
	require.Equal(t, "\x1b[31mOLD\n\n here "+dir+"\n", statusLine(t, dir, strings.NewReader("[]"), `printf '\033[31mOLD\n\n here '; pwd`))
	require.Empty(t, statusLine(t, dir, strings.NewReader("{}"), ""))
}

func TestAStatusLineThatWrapsItselfEnds(t *testing.T) {
	own := `{"session_id":"` + lineSession + `"}`
	require.Empty(t, statusLine(t, lineProject(t), strings.NewReader(own), "", wrapsVariable+"=1"), "our line stands once")
	require.Equal(t, "OLD\n", statusLine(t, lineProject(t), strings.NewReader(own), "echo OLD", wrapsVariable+"=1"))
	require.Empty(t, statusLine(t, lineProject(t), strings.NewReader(own), "echo OLD", wrapsVariable+"=3"))
	require.Equal(t, "1\n"+stoppedLine, statusLine(t, lineProject(t), strings.NewReader(own), `echo "$`+wrapsVariable+`"`))
}

func TestALargeInputReachesTheOtherLineWhole(t *testing.T) {
	pad := `{"pad":"` + strings.Repeat("x", 4<<20) + `","session_id":"` + lineSession + `"}`
	want := fmt.Sprintf("%x\n", sha256.Sum256([]byte(pad)))
	require.Equal(t, want+stoppedLine, statusLine(t, lineProject(t), strings.NewReader(pad), `sha256sum | cut -d' ' -f1`))
	require.Equal(t, "OLD\n"+stoppedLine, statusLine(t, lineProject(t), strings.NewReader(pad), `exec <&-; echo OLD`))
}
