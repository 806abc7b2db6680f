package seats_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/test/cli"
)

// web is how the CLIs name their tools that reach beyond the machine, in what
// they send to their models.
var web = regexp.MustCompile(`"(WebSearch|WebFetch|web_search|web_search_preview|google_web_search|web_fetch)"|web__run`)

// A seat that reads private code and strangers' words has no way to send them
// anywhere but to its model.
func TestASeatThatIsOfflineSeesNoToolOfTheWeb(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		for _, offline := range []bool{false, true} {
			m := serve(t, s.speak)
			turn := s.turn(t, m)
			turn.Offline = offline
			m.script = []step{{write: turn.Report, content: "# Report\n\n" + agent.Marker + "\n"}, {say: "done"}}
			reply, _ := s.run(t, turn)
			require.Nil(t, reply.Fault)
			seen := false
			for _, body := range m.asked() {
				seen = seen || web.MatchString(body)
			}
			require.Equal(t, !offline, seen, "offline %v", offline)
		}
	})
}

// A reviewer on codex has a shell, for codex reads files with nothing else. The
// shell sees the code under review and the seat's own folder, and no other file
// of the machine; it writes in that folder alone and reaches no network.
func TestTheShellOfAReviewerOnCodexSeesTheCodeAlone(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		if s.Name != "codex" {
			t.Skip("it has no shell when it reviews")
		}
		m := serve(t, s.speak)
		turn := s.turn(t, m)
		place := t.TempDir()
		turn.Offline, turn.Scope = true, filepath.Join(place, "code")
		secrets := []string{filepath.Join(place, "secret"), filepath.Join(turn.Env["HOME"], "secret"), filepath.Join(filepath.Dir(turn.Dir), "secret")}
		require.NoError(t, os.Mkdir(turn.Scope, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(turn.Scope, "a.go"), []byte("package a\n"), 0o600))
		for _, name := range secrets {
			require.NoError(t, os.WriteFile(name, []byte("SECRET\n"), 0o600))
		}
		linked := filepath.Join(t.TempDir(), "codex") // as a package manager lays it into the PATH
		require.NoError(t, os.Symlink(turn.Program, linked))
		turn.Program = linked
		turn.Env["TMPDIR"] = t.TempDir() // codex lays the helper of its sandbox in no folder for temporary files
		words := func(names ...string) string { return agent.Shell(names) }
		m.script = []step{
			{run: "cat " + words(filepath.Join(turn.Scope, "a.go")) + " " + words(secrets...) + " > " + words(turn.Report) + "; touch " + words(filepath.Join(turn.Scope, "new")) +
				"; (echo x > /dev/tcp/127.0.0.1/" + m.url[strings.LastIndex(m.url, ":")+1:] + ") 2>/dev/null && echo NETWORK >> " + words(turn.Report) + "; echo '" + agent.Marker + "' >> " + words(turn.Report)},
			{say: "done"},
		}
		reply, _ := s.run(t, turn)
		require.Nil(t, reply.Fault)
		report, err := os.ReadFile(turn.Report)
		require.NoError(t, err, "%s", strings.Join(m.asked(), "\n"))
		require.Equal(t, "package a\n"+agent.Marker+"\n", string(report))
		require.NoFileExists(t, filepath.Join(turn.Scope, "new"))
	})
}
