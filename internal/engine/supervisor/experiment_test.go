package supervisor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/desk"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/experiment"
	"github.com/research-council/research-council/internal/host/verify"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/project/lab"
)

// serveExperiments is a desk as the program serves it to a seat that may have
// experiments made.
func serveExperiments(ctx context.Context, args []string) error {
	said := func(name string) string {
		at := slices.Index(args, "--"+name)
		if at < 0 {
			return ""
		}
		return args[at+1]
	}
	lent, err := lab.Load(said("experiments"))
	if err != nil {
		return err
	}
	kept, err := archive.Open(filepath.Join(said("run"), council.SourcesDir), archive.Options{})
	if err != nil {
		return err
	}
	d, err := desk.Open(desk.Options{
		Run: said("run"), Seat: said("seat"), Dir: said("dir"), Scope: said("scope"), Archive: kept,
		Experiments: &desk.Experiments{Lent: lent, Scope: said("scope")},
	})
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Serve(ctx, os.Stdin, os.Stdout)
}

// atDesk is a fake seat's program: it calls tools of its desk, each a name and
// arguments in JSON, and prints what they answer.
func atDesk(ctx context.Context, calls []string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "seat", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command("sh", "-c", "exec "+os.Getenv("RESEARCH_DESK"))}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	for i := 0; i+1 < len(calls); i += 2 {
		r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: calls[i], Arguments: json.RawMessage(calls[i+1])})
		if err != nil {
			return err
		}
		fmt.Println(r.Content[0].(*mcp.TextContent).Text)
	}
	return nil
}

// experimenting is a fake seat that counts words by an experiment, and claims what
// came of it. Where it is told to wait its first experiment goes on for long.
func experimenting() string {
	return supports + fmt.Sprintf(`tools() { '%s' at-desk "$@" >> "$CALLS/$SEAT-said" 2>&1; }
if [ $ROLE = research ]; then
  if [ -e "$CALLS/wait" ]; then rm "$CALLS/wait"; tools run_experiment '{"command":["sh","-c","echo begun; sleep 600"]}'; fi
  tools run_experiment '{"command":["sh","count.sh"],"files":[{"path":"count.sh","text":"printf \"words in the notes: %%d\\n\" $(wc -w < \"$SCOPE/notes.md\")\n"}]}' \
    record_claim '{"text":"The notes have 84 words.","quote":"words in the notes: 84","source":"experiment:E1","questions":["Q1"]}'
fi
`, self()) + good
}

func (c *councilRun) experiments() []experiment.Record {
	kept, err := archive.Open(filepath.Join(c.folder(), council.SourcesDir), archive.Options{})
	require.NoError(c, err)
	all, err := kept.Experiments()
	require.NoError(c, err)
	return all
}

// experimentPlaces are where experiments of this run are made.
func (c *councilRun) experimentPlaces() []string {
	cache, err := os.UserCacheDir()
	require.NoError(c, err)
	found, err := filepath.Glob(filepath.Join(cache, "research-council", "experiments", c.setup.ID+"-*"))
	require.NoError(c, err)
	return found
}

// What compilers keep in a seat's box is there in its later turns, is no other seat's,
// and goes with the run.
func TestABoxKeepsWhatItsCompilersHaveBuilt(t *testing.T) {
	boxed(t)
	keeping := supports + fmt.Sprintf(`tools() { '%s' at-desk run_experiment "$1" >> "$CALLS/$SEAT-said" 2>&1; }
[ $ROLE$SEAT = researchada ] && tools '{"command":["sh","-c","echo built by ada > $GOCACHE/kept"]}'
[ $ROLE = refinement ] && tools '{"command":["sh","-c","cat $GOCACHE/kept || echo nothing kept"]}'
`, self()) + good
	c := newCouncil(t, map[string]string{"ada": keeping, "bea": keeping})
	c.setup.Experiments = &experiment.Budget{Number: 5, Seconds: 500}
	c.setup.Turn = 10 * time.Minute
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	for seat, want := range map[string]string{"ada": "built by ada\n", "bea": "nothing kept\n"} {
		said, err := os.ReadFile(filepath.Join(c.calls, seat+"-said"))
		require.NoError(t, err)
		require.Contains(t, string(said), want, seat)
	}
	require.Empty(t, c.experimentPlaces(), "the places are taken away")
}

func TestAnExperimentIsASourceOfARun(t *testing.T) {
	boxed(t)
	c := newCouncil(t, map[string]string{"ada": experimenting(), "bea": good})
	c.setup.Experiments = &experiment.Budget{Number: 5, Seconds: 500}
	c.setup.Turn = 10 * time.Minute
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "wait"), nil, 0o600))
	c.begin()
	first := exec.Command(self(), "supervise", "--project", c.project, c.setup.ID)
	first.Env = os.Environ()
	require.NoError(t, first.Start())
	until(t, "the first experiment is under way", func() bool {
		logs, err := filepath.Glob(filepath.Join(c.folder(), "turns", "commands", "ada-*.log"))
		if err != nil || len(logs) == 0 {
			return false
		}
		data, err := os.ReadFile(logs[0])
		return err == nil && strings.Contains(string(data), "begun")
	})
	require.NoError(t, first.Process.Kill())
	_ = first.Wait() // it was killed
	require.Empty(t, c.experiments(), "what was cut short by our end is no experiment")

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r := c.resumed(ctx)
	said, err := os.ReadFile(filepath.Join(c.calls, "ada-said"))
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	all := c.experiments()
	require.Len(t, all, 1, string(said))
	require.Equal(t, "ada", all[0].Seat)
	require.Empty(t, c.experimentPlaces(), "the places are taken away")

	var reg claim.Registry
	require.NoError(t, json.Unmarshal([]byte(c.file("registry.json")), &reg))
	at := slices.IndexFunc(reg.Entries, func(e claim.Entry) bool { return e.Key == "experiment:E1" })
	require.GreaterOrEqual(t, at, 0, string(said))
	e := reg.Entries[at]
	require.Equal(t, claim.Located, e.Location.State)
	require.Equal(t, claim.Experiment, e.Type)
	require.NotEqual(t, claim.High, e.Confidence)
	require.Contains(t, e.Location.Made, "Its file count.sh")
	require.Contains(t, c.file("final-report.md"), "Experiment of ada, a seat of this run: sh count.sh")
	require.Contains(t, c.file("final-report.md"), "exit code 0")
	require.Contains(t, c.file("final-report.md"), "### E1, quoted by "+e.ID+"\n")
	require.Contains(t, c.file("final-report.md"), "What it said, `sha256:"+all[0].Output+"`:\n")

	var st status.Status
	require.NoError(t, json.Unmarshal([]byte(c.file("status.json")), &st))
	require.NotNil(t, st.Experiments)
	require.Equal(t, 1, st.Experiments.Number)

	checked, err := verify.Run(c.folder())
	require.NoError(t, err)
	require.Empty(t, checked.Problems)
	require.Equal(t, 1, checked.Experiments)
	again := verify.Rerun{Council: self(), Hook: os.Getenv(keeper), Environ: os.Environ()}
	list, err := again.Experiments(t.Context(), c.folder())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, verify.Same, list[0].Says, list[0].Why)
	require.Equal(t, []string{e.ID}, list[0].Stands)

	require.NoError(t, os.WriteFile(filepath.Join(c.setup.Scope, "notes.md"), []byte("Two words.\n"), 0o600))
	list, err = again.Experiments(t.Context(), c.folder())
	require.NoError(t, err)
	require.Equal(t, verify.Differs, list[0].Says)
	require.Contains(t, list[0].Why, `now prints "words in the notes: 2"`)
	require.Contains(t, list[0].Why, "the local sources have changed since")
	require.Equal(t, []string{e.ID}, list[0].Lost)
	t.Setenv("PATH", t.TempDir())
	list, err = again.Experiments(t.Context(), c.folder())
	require.NoError(t, err)
	require.Equal(t, verify.Cannot, list[0].Says)
	require.Contains(t, list[0].Why, "bubblewrap is not installed")

	data := filepath.Join(c.folder(), council.SourcesDir, "data", all[0].Output)
	require.NoError(t, os.Chmod(data, 0o600))
	require.NoError(t, os.WriteFile(data, []byte("words in the notes: 99\n"), 0o600))
	checked, err = verify.Run(c.folder())
	require.NoError(t, err)
	require.NotEmpty(t, checked.Problems, "what was printed is not what it was")
}

func (c *councilRun) resumed(ctx context.Context) flow.Run {
	cmd := exec.CommandContext(ctx, self(), "supervise", "--project", c.project, c.setup.ID)
	cmd.Env = os.Environ()
	out, err := cmd.CombinedOutput()
	require.NoError(c, err, string(out))
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(c, err)
	return r
}

func TestWithoutABoxNoSeatIsOfferedExperiments(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": `printf '%s\n' "$RESEARCH_DESK" >> "$CALLS/desk"` + "\n" + good})
	c.setup.Experiments = &experiment.Budget{Number: 5, Seconds: 500}
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	told, err := os.ReadFile(filepath.Join(c.calls, "desk"))
	require.NoError(t, err)
	require.Contains(t, string(told), "desk")
	require.NotContains(t, string(told), "--experiments")
	require.Equal(t, 1, strings.Count(c.file("progress.log"), "No experiments can be made, and no seat is offered any: bubblewrap is not installed"))
}
