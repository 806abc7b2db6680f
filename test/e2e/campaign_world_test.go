package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/product/campaign"
)

// notes are what a project says of itself: one statement a line, no two alike.
var notes = []string{
	"The heater rests while the kettle is completely empty of water.",
	"A bimetal switch opens the circuit at ninety eight degrees.",
	"Engineers rated the power cord for exactly thirteen amperes of current.",
	"Every lid carries a steel filter that holds back scale.",
	"Red lamps glow for as long as the element draws power.",
	"Shipping cartons must survive falls from a height of two metres.",
	"The handle stays below forty degrees during a whole boil.",
	"Service staff replace the gasket once in every five years.",
	"No firmware update may be installed over the wireless network.",
	"Each base station stores the serial number of its kettle.",
	"Production moved from Leeds to Porto during the spring of 2019.",
	"An inspection found hairline cracks in four of nine hundred bodies.",
}

// stated are n facts of the notes, from the first-th.
func stated(first, n int) []fact {
	var list []fact
	for i := first; i < first+n; i++ {
		list = append(list, fact{text: notes[i], quote: notes[i], source: fmt.Sprintf("notes.md:%d", i+3)})
	}
	return list
}

// field is a world with a project that campaigns can be about.
type field struct {
	*world
	model *campaigner
}

func newField(t *testing.T, s script) field {
	w := newWorld(t)
	f := field{w, campaigning(t, w.project, s)}
	w.Cleanup(f.tellTurns)
	w.environ = append(w.environ, f.model.Env()...)
	w.environ = append(w.environ, "CLAUDE_CODE_MAX_RETRIES=2", "XDG_CACHE_HOME="+filepath.Join(w.root, "cache"))
	golang, err := exec.LookPath("go")
	require.NoError(t, err)
	w.environ[0] += ":" + filepath.Dir(golang) // PATH, for the project's tests
	built, err := exec.Command(golang, "env", "GOCACHE").Output()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(w.root, "cache"), 0o700))
	require.NoError(t, os.Symlink(strings.TrimSpace(string(built)), filepath.Join(w.root, "cache", "go-build")))
	f.put("switch.py", "degrees = 98\n") // a project of texts alone has no sources of its own
	f.put("notes.md", "# Notes\n\n"+strings.Join(notes, "\n")+"\n")
	return f
}

// tellTurns shows the end of the last conversation of a failed test's model.
func (f field) tellTurns() {
	turns := f.model.Turns()
	if !f.Failed() || len(turns) == 0 {
		return
	}
	talk := gjson.GetBytes(turns[len(turns)-1].Body, "messages").Array()
	for _, m := range talk[max(0, len(talk)-30):] {
		f.Logf("%s: %.600s", m.Get("role"), m.Get("content"))
	}
}

// put writes a file of the project.
func (f field) put(name, text string) {
	f.Helper()
	path := filepath.Join(f.project, name)
	require.NoError(f, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(f, os.WriteFile(path, []byte(text), 0o600))
}

// campaign runs a verb of `council campaign` to its end.
func (f field) campaign(args ...string) result {
	f.Helper()
	return f.done(f.program(patience, append([]string{filepath.Join(plugin, "bin", "council"), "campaign"}, args...)...))
}

// paper reads a file of a campaign's folder.
func (f field) paper(name string) string {
	f.Helper()
	return content(f.T, f.project, campaign.FolderPrefix+topic, name)
}

// topic is the name of every campaign here, which is its slug too.
const topic = "kettles"

// standing is what its state file says.
func (f field) standing() campaign.State {
	f.Helper()
	st, err := campaign.Decode([]byte(f.paper(topic + "-state.md")))
	require.NoError(f, err)
	return st
}

// recorded counts the iterations that were recorded, by role.
func (f field) recorded(role string) int {
	list, err := filepath.Glob(filepath.Join(f.run(), "seats", "*", role+"-*.md"))
	require.NoError(f, err)
	return len(list)
}

func (f field) git(args ...string) string {
	f.Helper()
	cmd := f.program(time.Minute, append([]string{"git", "-c", "user.name=U", "-c", "user.email=u@u.invalid"}, args...)...)
	r := f.done(cmd)
	require.Zero(f, r.code, r.errs)
	return r.out
}
