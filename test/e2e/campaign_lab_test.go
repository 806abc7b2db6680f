package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/journal"
	claimed "github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/test/cli"
)

// A laboratory is a project whose campaigns are worked on by a fake agent, a
// `command` seat that takes milliseconds where a model takes half an hour: days
// pass in minutes. It is this test binary under another name.
type laboratory struct {
	testing.TB
	root, project string
	environ       []string
}

const (
	fakeAgent = "campaign-agent"
	// dies names a file that holds the seed of the agent's deaths; where it is
	// not there the agent never dies.
	dies = "deaths"
)

func newLaboratory(t testing.TB) laboratory {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	l := laboratory{TB: t, root: root, project: filepath.Join(root, "project")}
	self, err := os.Executable()
	require.NoError(t, err)
	bin, home := filepath.Join(root, "bin"), filepath.Join(root, "home")
	for _, dir := range []string{l.project, bin, home, filepath.Join(home, ".config")} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	require.NoError(t, os.Symlink(self, filepath.Join(bin, fakeAgent)))
	conf := fmt.Sprintf("commands:\n  worker: {program: %q, args: [%q, %q], brand: fake}\n", filepath.Join(bin, fakeAgent), l.project, filepath.Join(root, dies))
	path := filepath.Join(root, "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(conf), 0o600))
	t.Cleanup(l.tell)
	l.environ = []string{"PATH=/usr/bin:/bin", "HOME=" + home, "COUNCIL_CONFIG=" + path, "LANG=C.UTF-8"}
	l.put("notes.md", "# Notes\n\n"+corpus(400))
	l.put("check.sh", "for t in test_*.sh; do sh \"$t\" || { echo \"$t fails\"; exit 1; }; done\n")
	l.put("test_0.sh", "exit 0\n")
	l.put(".gitignore", "research/\n")
	l.put("f0.txt", "right\n")
	for _, args := range []string{"init -q", "config user.name U", "config user.email u@u.invalid", "add -A", "commit -q -m begin"} {
		l.git(strings.Fields(args)...)
	}
	return l
}

// tell shows what a failed test's campaigns said of what went wrong.
func (l laboratory) tell() {
	names, err := filepath.Glob(filepath.Join(l.project, "research", "*", "progress.log"))
	if !l.Failed() || err != nil {
		return
	}
	for _, name := range names {
		data, _ := os.ReadFile(name) // it may not be there
		lines := strings.Split(string(data), "\n")
		l.Logf("%s:\n%s", name, strings.Join(lines[max(0, len(lines)-150):], "\n"))
	}
}

func (l laboratory) put(name, text string) {
	require.NoError(l, os.WriteFile(filepath.Join(l.project, name), []byte(text), 0o600))
}

func (l laboratory) git(args ...string) string {
	l.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = l.project, l.environ
	out, err := cmd.CombinedOutput()
	require.NoError(l, err, string(out))
	return string(out)
}

// syllables make words that are no other's.
var syllables = strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu")

// word is the n-th made-up word.
func word(n int) string {
	text := ""
	for range 4 {
		text += syllables[n%len(syllables)]
		n = n/len(syllables) + 7*n%len(syllables)
	}
	return text
}

// statement is the n-th of a corpus in which no two say alike.
func statement(n int) string {
	var words []string
	for i := range 7 {
		words = append(words, word(7*n+i))
	}
	return fmt.Sprintf("The %s of number %d is kept in the archive.", strings.Join(words, " "), n)
}

func corpus(n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(statement(i) + "\n")
	}
	return out.String()
}

// asAgent is the fake agent: `campaign-agent PROJECT DEATHS`. What it does in
// an iteration follows from the iteration alone, however often it begins it
// anew.
func asAgent(name string, args []string) bool {
	if name != fakeAgent {
		return false
	}
	data, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = work(string(data), os.Getenv("RESEARCH_REPORT_PATH"), args[0], mortal(args[1]))
	}
	switch {
	case errors.Is(err, errForgotten):
		os.Exit(noInput)
	case err != nil:
		fmt.Fprintln(os.Stderr, fakeAgent+":", err)
		os.Exit(1)
	}
	fmt.Println(`{"text":"done","usd":0.01,"input_tokens":100,"output_tokens":10}`)
	return true
}

// errForgotten is why the agent cannot go on in a session it was killed in: it
// remembers none. noInput says so (EX_NOINPUT).
var errForgotten = errors.New("no feature is asked for")

const noInput = 66

// mortal kills this process now and then, by the seed in a file; each call of
// it moves the seed on.
func mortal(path string) func() {
	return func() {
		data, err := os.ReadFile(path)
		if err != nil {
			return
		}
		seed, _ := strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64) // it is ours
		r := rand.New(rand.NewPCG(seed, 1))
		_ = os.WriteFile(path, []byte(strconv.FormatUint(r.Uint64(), 10)), 0o600) // the next death comes at the same time then
		if r.IntN(40) == 0 {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
		}
	}
}

var recordOf = regexp.MustCompile(`^([a-z]+)-(\d+)\.md$`)

// work is one iteration.
func work(prompt, record, project string, die func()) error {
	if strings.HasPrefix(filepath.Base(record), "judgement-") {
		die()
		return os.WriteFile(record, []byte(`{"accept":true,"reason":"Its test fails without the file.","checked":"The change."}`), 0o600)
	}
	found := recordOf.FindStringSubmatch(filepath.Base(record))
	if found == nil {
		return errors.New("no iteration's record: " + record)
	}
	visit, _ := strconv.Atoi(found[2]) // digits
	dir := filepath.Dir(record)
	steps := map[string]func() error{
		agent.Explore: func() error { return dig(dir, visit, die) },
		agent.Conclude: func() error {
			return leave(dir, "sections/report/executive-summary.md", "It is kept [C1].\n")
		},
		agent.Design: func() error {
			text := fmt.Sprintf("Version %d of it [C1].\n", min(visit, 3))
			for _, key := range []string{"vision", "architecture", "component-files", "technology", "defensibility", "risks", "sequence", "decisions"} {
				if err := leave(dir, "sections/plan/"+key+".md", text); err != nil {
					return err
				}
			}
			return nil
		},
		agent.Critique:  func() error { return nil }, // nothing found
		agent.Breakdown: func() error { return leave(dir, campaign.Features, string(forty())) },
		agent.Code:      func() error { return build(prompt, dir, project, die) },
	}
	die()
	step := steps[found[1]]
	if step == nil {
		return errors.New("no such role: " + found[1])
	}
	if err := step(); err != nil {
		return err
	}
	die()
	return os.WriteFile(record, []byte("What was to be done is done.\n\n"+agent.Marker+"\n"), 0o600)
}

func leave(dir, name, text string) error {
	path := filepath.Join(dir, name)
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
}

// dig finds three statements of the notes, one of them known from the visit
// before. A claim that is already there is not written twice.
func dig(dir string, visit int, die func()) error {
	path := filepath.Join(dir, "claims.jsonl")
	known, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for n := 2 * visit; n < 2*visit+3; n++ {
		text, _ := json.Marshal(statement(n)) // a string
		line := fmt.Sprintf(`{"text":%s,"quote":%s,"source":"notes.md:%d"}`+"\n", text, text, n+3)
		if bytes.Contains(known, []byte(line)) {
			continue
		}
		if _, err := f.WriteString(line); err != nil {
			return err
		}
		die()
	}
	return nil
}

// forty is a list of forty features, each on the one before.
func forty() []byte {
	type entry struct {
		ID           string   `json:"id"`
		Name         string   `json:"name"`
		Description  string   `json:"description"`
		Component    string   `json:"component"`
		Dependencies []string `json:"dependencies"`
		Passes       bool     `json:"passes"`
	}
	var list []entry
	for i := 1; i <= 40; i++ {
		e := entry{ID: fmt.Sprintf("F%03d", i), Name: fmt.Sprintf("File %d", i), Description: "The file is right.", Component: "files", Dependencies: []string{}}
		if i%10 != 1 {
			e.Dependencies = []string{fmt.Sprintf("F%03d", i-1)}
		}
		list = append(list, e)
	}
	data, _ := json.Marshal(map[string]any{"features": list}) // plain words
	return data
}

// build makes a feature's file: every seventh is wrong at first, and the
// twenty-ninth always is.
func build(prompt, dir, project string, die func()) error {
	id, attempt := lastGroup(featureAsked, prompt), lastGroup(attemptAsked, prompt)
	n, err := strconv.Atoi(strings.TrimPrefix(id, "F"))
	if err != nil {
		return errForgotten
	}
	text := "right\n"
	if n%7 == 0 && attempt == "1" || n == 29 {
		text = "wrong\n"
	}
	test := fmt.Sprintf("test_%d.sh", n)
	if err := os.WriteFile(filepath.Join(project, test), fmt.Appendf(nil, "grep -qx right f%d.txt\n", n), 0o600); err != nil {
		return err
	}
	die()
	if err := os.WriteFile(filepath.Join(project, fmt.Sprintf("f%d.txt", n)), []byte(text), 0o600); err != nil {
		return err
	}
	die()
	return os.WriteFile(filepath.Join(dir, "feature.json"), []byte(fmt.Sprintf(`{"id":%q,"claims":"pass","summary":"Done.","files":[],"tests":[%q]}`, id, test)), 0o600)
}

// council is a verb of the campaign, not yet started.
func (l laboratory) council(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(plugin, "bin", "council"), append([]string{"campaign"}, args...)...)
	cmd.Dir, cmd.Env = l.project, l.environ
	cmd.Stderr, cmd.Stdout = new(bytes.Buffer), new(bytes.Buffer)
	return cmd
}

// facts counts the lines of the only run's journal.
func (l laboratory) facts() int {
	names, err := filepath.Glob(filepath.Join(l.project, "research", "*", journal.Name))
	require.NoError(l, err)
	if len(names) == 0 {
		return 0
	}
	data, err := os.ReadFile(names[0])
	require.NoError(l, err)
	return bytes.Count(data, []byte("\n"))
}

// until works on the campaign until its journal has so many lines, and then
// kills the supervisor; 0 lets it come to its end. It reports whether it has
// come to its end.
func (l laboratory) until(lines int, args ...string) bool {
	l.Helper()
	cmd := l.council(args...)
	require.NoError(l, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look, bound := time.NewTicker(time.Millisecond), time.After(20*time.Minute)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			require.True(l, cameToItsEnd(err), fmt.Sprint(cmd.Stderr))
			return true
		case <-bound:
			_ = cmd.Process.Kill() // it may have ended
			require.FailNow(l, "the campaign does not come to its end", fmt.Sprint(cmd.Stderr))
		case <-look.C:
		}
		if lines > 0 && l.facts() >= lines {
			_ = cmd.Process.Kill() // it may have ended
			return cameToItsEnd(<-ended)
		}
	}
}

// cameToItsEnd reports whether a process ended by itself, be it with 1: one of
// the features never passes.
func cameToItsEnd(err error) bool {
	var exit *exec.ExitError
	return err == nil || errors.As(err, &exit) && exit.ExitCode() == 1
}

// outcome is what a campaign has come to, without what tells the time or names
// the run.
type outcome struct {
	State    campaign.State
	Features []feature.Feature
	Claims   []string
	Commits  string
}

func (l laboratory) outcome() outcome {
	l.Helper()
	papers := filepath.Join(l.project, campaign.FolderPrefix+topic)
	text, err := os.ReadFile(filepath.Join(papers, topic+"-state.md"))
	require.NoError(l, err)
	st, err := campaign.Decode(text)
	require.NoError(l, err)
	st.Run, st.Files = "", nil
	data, err := os.ReadFile(filepath.Join(papers, campaign.Features))
	require.NoError(l, err)
	list, err := feature.Parse(data)
	require.NoError(l, err)
	for i := range list.Features {
		list.Features[i].Commit = "" // the commit's name tells the time
	}
	names, err := filepath.Glob(filepath.Join(l.project, "research", "*", "registry.json"))
	require.NoError(l, err)
	require.Len(l, names, 1)
	text, err = os.ReadFile(names[0])
	require.NoError(l, err)
	registry, err := claimed.ParseRegistry(text)
	require.NoError(l, err)
	var claims []string
	for _, c := range registry.Entries {
		claims = append(claims, fmt.Sprint(c.ID, " ", c.Text, " ", c.Source, " ", c.Location.State))
	}
	return outcome{st, list.Features, claims, l.git("log", "--format=%s")}
}

// hundred is a campaign of a hundred iterations and a few.
var hundred = []string{
	"run", "full-auto", topic, "Build the files.", "--seats", "worker", "--scope", ".", "--research", "40", "--planning", "10",
	"--max-iterations", "120", "--test-command", "sh check.sh",
}

// TestKillsChangeNothingInAHundredIterations works on the same campaign twice:
// once undisturbed, once with the supervisor and its agents killed at random.
func TestKillsChangeNothingInAHundredIterations(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	whole := newLaboratory(t)
	require.True(t, whole.until(0, hundred...))
	want := whole.outcome()
	require.Equal(t, "complete", want.State.Status, want.State.Reason)
	require.GreaterOrEqual(t, want.State.Iteration, 90)
	require.NotZero(t, want.State.Lost, "one feature fails for good")
	require.NotEmpty(t, want.Claims)

	l := newLaboratory(t)
	const seed = 20260101
	require.NoError(t, os.WriteFile(filepath.Join(l.root, dies), []byte(strconv.Itoa(seed)), 0o600))
	r := rand.New(rand.NewPCG(seed, 2))
	kills := 0
	for args := hundred; !l.until(l.facts()+20+r.IntN(120), args...); kills++ {
		args = []string{"resume", topic}
		if l.facts() == 0 {
			args = hundred // it was killed before there was anything
		}
		require.Less(t, kills, 200, "the campaign does not get on")
	}
	require.Greater(t, kills, 10)
	require.Equal(t, want, l.outcome())
	t.Logf("%d kills of the supervisor, %d iterations", kills, want.State.Iteration)
}
