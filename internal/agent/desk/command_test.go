package desk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/desk"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/project/confine"
	"github.com/research-council/research-council/internal/project/restore"
	"github.com/research-council/research-council/internal/project/shell"
)

func TestMain(m *testing.M) {
	if code, mine := proc.Main(os.Args); mine {
		os.Exit(code)
	}
	if code, mine := confine.RunInside(os.Args); mine {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// bench is a desk with a project that commands run in.
func bench(t *testing.T) (table, string) {
	o, project := benchOptions(t)
	if _, err := confine.Find(t.Context()); err != nil {
		t.Skip(err)
	}
	return sit(t, o), project
}

func benchOptions(t *testing.T) (desk.Options, string) {
	home, o := t.TempDir(), options(t, fakeWeb())
	project := filepath.Join(home, "app")
	require.NoError(t, os.MkdirAll(filepath.Join(project, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(project, "CLAUDE.md"), []byte("Be kind.\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".netrc"), []byte("canary"), 0o600))
	self, err := os.Executable()
	require.NoError(t, err)
	c := restore.Custody{Project: project, Store: filepath.Join(t.TempDir(), "store")}
	require.NoError(t, c.CopyProtected())
	o.Shell = &shell.Options{Project: project, Custody: c, Council: self, Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}}
	return o, project
}

func TestACommandRunsInTheProject(t *testing.T) {
	s, project := bench(t)
	a := s.call(t, "run_command", object{"command": "echo hello > made && cat made && pwd", "directory": "sub"})
	require.False(t, a.failed)
	require.Equal(t, "hello\n"+filepath.Join(project, "sub")+"\n[exit 0]", a.text)
	require.FileExists(t, filepath.Join(project, "sub", "made"))
	require.Contains(t, s.call(t, "run_command", object{"command": "exit 3"}).text, "[exit 3]")
	a = s.call(t, "run_command", object{"command": "cat ~/.netrc; touch ~/../out"})
	require.NotContains(t, a.text, "canary")
}

func TestWhatIsObeyedIsPutBackAtOnceAndTold(t *testing.T) {
	s, project := bench(t)
	a := s.call(t, "run_command", object{"command": "mkdir -p a/.github && echo x > a/.github/ci.yml && echo x > .envrc; echo evil > CLAUDE.md"})
	require.Contains(t, a.text, "put back as they were")
	require.Equal(t, []any{".envrc", "a/.github/ci.yml"}, a.fields["put_back"], "CLAUDE.md cannot be written at all")
	require.NoFileExists(t, filepath.Join(project, ".envrc"))
	require.NoFileExists(t, filepath.Join(project, "a/.github/ci.yml"))
	data, err := os.ReadFile(filepath.Join(project, "CLAUDE.md"))
	require.NoError(t, err)
	require.Equal(t, "Be kind.\n", string(data))
}

func TestALongOutputIsShownByItsEnds(t *testing.T) {
	s, _ := bench(t)
	a := s.call(t, "run_command", object{"command": "echo begin; head -c 100000 /dev/zero | tr '\\0' x; echo; echo end"})
	require.True(t, strings.HasPrefix(a.text, "begin\n"))
	require.Contains(t, a.text, "[… left out …]")
	require.Contains(t, a.text, "\nend\n[exit 0]")
	require.Less(t, len(a.text), 24<<10)
	log, err := os.ReadFile(a.fields["log"].(string))
	require.NoError(t, err)
	require.Greater(t, len(log), 100000)
}

func TestACommandThatHangsIsEnded(t *testing.T) {
	s, _ := bench(t)
	a := s.call(t, "run_command", object{"command": "echo waiting; sleep 1000", "timeout_seconds": 1})
	require.Contains(t, a.text, "waiting\n[ended: it took longer than 1s]")
}

func TestWhatIsNoCommandRunsNothing(t *testing.T) {
	s, _ := bench(t)
	for _, args := range []object{{"command": " "}, {"command": "ls\x00"}, {"command": "ls", "directory": "../.."}, {"command": "ls", "directory": "/etc"}} {
		require.True(t, s.call(t, "run_command", args).failed, "%v", args)
	}
}

func TestWithoutABoxNothingIsRun(t *testing.T) {
	o, project := benchOptions(t)
	t.Setenv("PATH", t.TempDir())
	a := sit(t, o).call(t, "run_command", object{"command": "touch made"})
	require.True(t, a.failed)
	require.Contains(t, a.text, "cannot be confined")
	require.NoFileExists(t, filepath.Join(project, "made"))
}
