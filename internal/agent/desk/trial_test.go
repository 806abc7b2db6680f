package desk_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/desk"
	"github.com/research-council/research-council/internal/evidence/trial"
	"github.com/research-council/research-council/internal/project/confine"
	"github.com/research-council/research-council/internal/project/shell"
	"github.com/research-council/research-council/internal/project/survey"
)

// stand is a folder of code, a person's home around it, and what a second look
// may try out of it.
func stand(t *testing.T, files map[string]string) (desk.TrialOptions, string) {
	home := t.TempDir()
	code := filepath.Join(home, "code", "app")
	var list []survey.File
	for name, text := range files {
		file := filepath.Join(code, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		list = append(list, survey.File{Path: name})
	}
	for name, text := range map[string]string{".ssh/id_ed25519": "canary-ssh", ".netrc": "canary-netrc", "code/other/secret.txt": "canary-other", "code/app/.env": "canary-ignored"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	place, run := filepath.Join(home, ".cache", "place"), filepath.Join(home, "run")
	for _, dir := range []string{place, run} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(run, trial.CopyList), survey.FileList(list), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(run, trial.ChecksFile), []byte(`{"bea":["F1","F2"],"ada":["F9"]}`), 0o600))
	return desk.TrialOptions{
		Run: run, Seat: "bea", Code: code,
		Shell: shell.Options{
			Project: filepath.Join(place, "code"), Own: filepath.Join(place, "box"), Packages: &confine.Packages{GoProxy: "off"}, Council: self,
			Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "ANTHROPIC_API_KEY=canary-key", "SSH_AUTH_SOCK=/run/canary"},
		},
	}, home
}

func standing(t *testing.T, o desk.TrialOptions) table {
	d, err := desk.OpenTrials(o)
	require.NoError(t, err)
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- d.Serve(context.Background(), toServer, fromServer)
		_ = fromServer.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close() // it may be closed
		<-done
	})
	return table{ClientSession: session, run: o.Run}
}

// boxed skips where this machine has no box; that nothing is run then is tested
// elsewhere.
func boxed(t *testing.T) {
	if _, err := confine.Find(t.Context()); err != nil {
		t.Skip(err)
	}
}

func (s table) trials(t *testing.T) []trial.Record {
	data, err := os.ReadFile(filepath.Join(s.run, trial.RecordsFile("bea")))
	if err != nil {
		return nil
	}
	return trial.Decode(bytes.NewReader(data))
}

func TestASecondLookHasOneTool(t *testing.T) {
	o, _ := stand(t, nil)
	tools, err := standing(t, o).ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, tools.Tools, 1)
	require.Equal(t, "run_test", tools.Tools[0].Name)
}

func TestATrialRunsOnAFreshCopyAndIsRecorded(t *testing.T) {
	boxed(t)
	o, _ := stand(t, map[string]string{"rate.sh": "rate() { echo $(( $1 / $2 )); }\n", "sub/data.txt": "7\n"})
	s := standing(t, o)
	test := []any{object{"path": "sub/zero_test.sh", "text": ". ./rate.sh\nrate 1 0 || { echo it divides by zero; exit 3; }\n"}}
	a := s.call(t, "run_test", object{"finding": "F1", "command": []string{"sh", "sub/zero_test.sh"}, "files": test})
	require.False(t, a.failed, a.text)
	require.Contains(t, a.text, "[exit 2]")
	a = s.call(t, "run_test", object{"finding": "F2", "command": []string{"sh", "-c", "ls sub; cat sub/data.txt; echo '$HOME' > made"}})
	require.Equal(t, "data.txt\n7\n[exit 0]", a.text, "what was added before is not there")
	a = s.call(t, "run_test", object{"finding": "F2", "command": []string{"ls", "-A"}})
	require.Equal(t, "rate.sh\nsub\n[exit 0]", a.text, "and what was made before is not either; what git ignores never was")
	require.NoFileExists(t, filepath.Join(o.Code, "made"))
	require.NoFileExists(t, filepath.Join(o.Code, "sub/zero_test.sh"))
	all := s.trials(t)
	require.Len(t, all, 3)
	require.Equal(t, []string{"sh", "sub/zero_test.sh"}, all[0].Command)
	require.Equal(t, "F1", all[0].Finding)
	require.Equal(t, 2, all[0].Exit)
	require.Equal(t, "bea", all[0].Seat)
	require.Equal(t, "sub/zero_test.sh", all[0].Files[0].Path)
	require.Len(t, all[0].Files[0].SHA256, 64)
	require.NotEmpty(t, all[0].Tail)
	require.False(t, all[0].At.IsZero())
	require.Zero(t, all[1].Exit)
}

// A repository of somebody who wishes ill runs what it likes in the box, and
// comes to nothing.
func TestAHostileTestGetsNowhere(t *testing.T) {
	boxed(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	reached := make(chan struct{}, 1)
	go func() {
		if c, err := l.Accept(); err == nil {
			reached <- struct{}{}
			_ = c.Close()
		}
	}()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	evil := `env
cat "$HOME/.ssh/id_ed25519" "$HOME/.netrc" "$HOME/code/other/secret.txt" "$HOME/code/app/.env" "$HOME/code/app/evil.sh"
cat ../../../.ssh/id_ed25519
ls -R "$HOME"
echo x > "$HOME/ESCAPED"; echo x > ../ESCAPED; echo x > "$HOME/code/app/ESCAPED"; echo x > /tmp/escaped-by-a-trial
echo "gitdir: $HOME/.ssh" > .git; ln -s "$HOME/.ssh" keys; ln -s "$HOME/.ssh" evil_link
curl -sS --max-time 20 --noproxy '*' http://127.0.0.1:` + port + `/ && echo REACHED
curl -sS --max-time 20 http://127.0.0.1:` + port + `/ && echo REACHED
curl -sS --max-time 20 https://example.com/ && echo REACHED
setsid sh -c 'sleep 1000' &
mkdir -p shut/in && echo x > shut/in/x && chmod 0 shut/in shut
exit 5
`
	o, home := stand(t, map[string]string{"evil.sh": evil, "Makefile": "test:\n\tsh evil.sh\n"})
	s := standing(t, o)
	for range 2 { // the first run has laid a .git and links for the second
		a := s.call(t, "run_test", object{"finding": "F1", "command": []string{"sh", "evil.sh"}})
		require.False(t, a.failed, a.text)
		require.Contains(t, a.text, "[exit 5]")
		require.NotContains(t, a.text, "canary")
		require.NotContains(t, a.text, "REACHED")
	}
	for _, name := range []string{"ESCAPED", "code/app/ESCAPED", "code/ESCAPED", ".cache/ESCAPED"} {
		require.NoFileExists(t, filepath.Join(home, name))
	}
	require.NoFileExists(t, "/tmp/escaped-by-a-trial")
	select {
	case <-reached:
		require.Fail(t, "it has reached this machine's own network")
	default:
	}
	require.Len(t, s.trials(t), 2)
	require.NoError(t, shell.Remove(filepath.Dir(o.Shell.Own)), "what it has shut can be taken away")
	require.NoDirExists(t, filepath.Dir(o.Shell.Own))
}

func TestATrialHasItsBounds(t *testing.T) {
	boxed(t)
	o, _ := stand(t, map[string]string{"a.txt": "a\n"})
	s := standing(t, o)
	a := s.call(t, "run_test", object{"finding": "F1", "command": []string{"sh", "-c", "echo waiting; sleep 1000"}, "timeout_seconds": 1})
	require.Contains(t, a.text, "waiting\n[ended, for it took longer than 1s]")
	a = s.call(t, "run_test", object{"finding": "F1", "command": []string{"yes"}})
	require.Contains(t, a.text, "[ended, for it said too much]")
	require.Less(t, len(a.text), 32<<10)
	for _, r := range s.trials(t) {
		require.NotEmpty(t, r.Cut)
		require.LessOrEqual(t, len(r.Tail), 3<<10)
	}
	file := func(path, text string) []any { return []any{object{"path": path, "text": text}} }
	var many []any
	for range 11 {
		many = append(many, object{"path": "x", "text": ""})
	}
	for name, args := range map[string]object{
		"another's finding":  {"finding": "F9", "command": []string{"true"}},
		"no command":         {"finding": "F1", "command": []string{}},
		"an empty command":   {"finding": "F1", "command": []string{" "}},
		"a NUL":              {"finding": "F1", "command": []string{"echo", "a\x00b"}},
		"a long command":     {"finding": "F1", "command": []string{"echo", strings.Repeat("x", 2000)}},
		"a file above":       {"finding": "F1", "command": []string{"true"}, "files": file("../x", "")},
		"a file elsewhere":   {"finding": "F1", "command": []string{"true"}, "files": file("/etc/x", "")},
		"a file of git's":    {"finding": "F1", "command": []string{"true"}, "files": file("sub/.GIT/config", "")},
		"a name with a NUL":  {"finding": "F1", "command": []string{"true"}, "files": file("a\x00b", "")},
		"the folder itself":  {"finding": "F1", "command": []string{"true"}, "files": file(".", "")},
		"below a file":       {"finding": "F1", "command": []string{"true"}, "files": file("a.txt/x", "")},
		"too large a file":   {"finding": "F1", "command": []string{"true"}, "files": file("x", strings.Repeat("x", 65<<10))},
		"too many files":     {"finding": "F1", "command": []string{"true"}, "files": many},
		"no list of words":   {"finding": "F1", "command": "true"},
		"a command of a sh?": {"finding": "F1", "command": []any{1, 2}},
	} {
		require.True(t, s.call(t, "run_test", args).failed, name)
	}
	require.Len(t, s.trials(t), 2, "what was refused is not recorded")
	line := `{"finding":"F1","seat":"bea","command":["true"],"exit":0,"seconds":0,"tail":""}` + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(o.Run, trial.RecordsFile("bea")), []byte(strings.Repeat(line, trial.Most)), 0o600))
	a = s.call(t, "run_test", object{"finding": "F1", "command": []string{"true"}})
	require.True(t, a.failed)
	require.Contains(t, a.text, "are all there are")
}

func TestWithoutABoxNoTrialIsRun(t *testing.T) {
	o, _ := stand(t, map[string]string{"a.txt": "a\n"})
	s := standing(t, o)
	t.Setenv("PATH", t.TempDir()) // no bubblewrap is in it
	a := s.call(t, "run_test", object{"finding": "F1", "command": []string{"/bin/sh", "-c", "echo x > made"}})
	require.True(t, a.failed)
	require.Contains(t, a.text, "cannot be confined")
	require.NoFileExists(t, filepath.Join(o.Shell.Project, "made"))
	require.Empty(t, s.trials(t))
}
