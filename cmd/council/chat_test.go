package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/test/loopback"
)

// theKey is what must be found nowhere.
const theKey = "sk-canary-0123456789abcdef"

// room is a project whose one model is behind HTTP.
type room struct {
	*testing.T
	dir string
	env []string
}

func newRoom(t *testing.T, env ...string) room {
	dir := t.TempDir()
	conf := "limits: {iterations: 2}\nprices: {a-model: {input: 10, output: 100}}\nchat: {openai: {max: {model: a-model, effort: high}}}\ncommands: {local: {program: fake-seat}}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(conf), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "home"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.md"), []byte("The kettle rests while it is empty.\n"), 0o600))
	bin, _, _ := strings.Cut(os.Getenv("PATH"), string(filepath.ListSeparator))
	return room{t, dir, append([]string{"PATH=" + bin, "HOME=" + filepath.Join(dir, "home"), "COUNCIL_CONFIG=" + filepath.Join(dir, "config.yaml"), "OPENAI_API_KEY=" + theKey, program.InPlace + "=1"}, env...)}
}

// council runs the program to its end.
func (r room) council(args ...string) (stdout, stderr string) {
	cmd := exec.CommandContext(r.Context(), "council", args...)
	var out, said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.dir, r.env, &out, &said
	require.NoError(r, cmd.Run(), "%s%s", out.String(), said.String())
	return out.String(), said.String()
}

// run is the folder of the only run.
func (r room) run() string {
	found, err := filepath.Glob(filepath.Join(r.dir, "research", "*", journal.Name))
	require.NoError(r, err)
	require.Len(r, found, 1)
	return filepath.Dir(found[0])
}

func (r room) file(path ...string) string {
	data, err := os.ReadFile(filepath.Join(append([]string{r.run()}, path...)...))
	require.NoError(r, err)
	return string(data)
}

// clean requires that the key is in no file of the project.
func (r room) clean() {
	require.NoError(r, filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		require.False(r, bytes.Contains(data, []byte(theKey)), path)
		return err
	}))
}

func findings(words string) string {
	return "# Executive Summary\n\n" + words + "\n\n# Key Findings\n\n" + strings.Repeat("A finding that a model has made. ", 40)
}

func speaking(t *testing.T, steps ...loopback.Step) *loopback.Server {
	return loopback.Chat(t, loopback.Scenario{Rules: []loopback.Rule{{Steps: steps, Shared: true}}})
}

func TestAServerTakesPartInACouncil(t *testing.T) {
	server := speaking(t, loopback.Step{Text: findings("The model has said this."), Usage: &loopback.Usage{Input: 600, Output: 100}})
	r := newRoom(t, "OPENAI_BASE_URL="+server.URL+"/v1")
	out, _ := r.council("run", "--seats", "local,openai", "--scope", ".", "How does it work?")
	require.Contains(t, out, "final-report.md")
	require.Contains(t, r.file("openai-report.md"), "The model has said this.")
	require.Contains(t, r.file("openai-refined.md"), "The model has said this.")
	turns := server.Turns()
	at := slices.IndexFunc(turns, func(q loopback.Request) bool { return strings.Contains(q.FirstUser, "inputs/local-report.md") })
	require.Positive(t, at, "it sees what the other has found, once it has worked alone")
	refinement := turns[at]
	require.Contains(t, refinement.FirstUser, "The request has the hash")
	for _, q := range server.Turns() {
		require.Equal(t, "Bearer "+theKey, q.Header.Get("Authorization"))
		require.Equal(t, "high", gjson.GetBytes(q.Body, "reasoning_effort").Str)
	}
	out, _ = r.council("status", "--json")
	require.InDelta(t, float64(len(server.Turns()))*(600*10+100*100)/1e6, gjson.Get(out, "spent.usd").Num, 1e-9, out)
	out, _ = r.council("logs", "--seat", "openai")
	require.Contains(t, out, "asking a-model")
	r.clean()
}

func TestASeatOfAServerAloneThroughAProxy(t *testing.T) {
	proxy := speaking(t, loopback.Step{Status: 429, Headers: map[string]string{"Retry-After": "0"}}, loopback.Step{Text: findings("Through a proxy.")})
	r := newRoom(t, "OPENAI_BASE_URL=http://models.invalid/v1", "HTTP_PROXY="+proxy.URL)
	r.council("seat", "openai", "What is it?", "report.md", "1", "another-model", "low")
	report, err := os.ReadFile(filepath.Join(r.dir, "report.md"))
	require.NoError(t, err)
	require.Contains(t, string(report), "Through a proxy.")
	turns := proxy.Turns()
	require.Equal(t, 2, len(turns)) // Len would print them
	require.Equal(t, "another-model", turns[1].Model)
	r.clean()
}

func TestAKeyInAFile(t *testing.T) {
	server := speaking(t, loopback.Step{Text: findings("By the key of a file.")})
	r := newRoom(t, "OPENAI_API_KEY=")
	key := filepath.Join(t.TempDir(), "key") // elsewhere, so that it can be looked for in all files of the room
	require.NoError(t, os.WriteFile(key, []byte(theKey+"\n"), 0o600))
	require.NoError(t, os.Symlink(key, filepath.Join(r.dir, "home", "key")))
	conf := "chat: {own: {base_url: '" + server.URL + "/v1', key_file: ~/key, max: {model: m}}}\n"
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "config.yaml"), []byte(conf), 0o600))
	r.council("seat", "own", "What is it?", "report.md", "1")
	require.Equal(t, "Bearer "+theKey, server.Turns()[0].Header.Get("Authorization"))
	r.clean()
}

// killed is the run as a supervisor leaves it that is killed once the seat's
// process has told of its end, and before that is a fact.
func (r room) killed() {
	name := filepath.Join(r.run(), journal.Name)
	data, err := os.ReadFile(name)
	require.NoError(r, err)
	var kept []byte
	for line := range bytes.Lines(data) {
		if bytes.Contains(line, []byte(`"`+string(flow.TurnEnded)+`"`)) {
			break
		}
		kept = append(kept, line...)
	}
	require.Less(r, len(kept), len(data))
	require.NoError(r, os.WriteFile(name, kept, 0o600))
	require.NoError(r, os.Remove(filepath.Join(r.run(), "status.json")))
}

func TestAnAnswerThatCameBeforeACrashIsNotPaidTwice(t *testing.T) {
	for name, crash := range map[string]func(t *testing.T, stream string){
		"the stream tells of its end": func(*testing.T, string) {},
		"the stream does not": func(t *testing.T, stream string) {
			data, err := os.ReadFile(stream)
			require.NoError(t, err)
			first, _, _ := bytes.Cut(data, []byte("\n"))
			require.NoError(t, os.WriteFile(stream, append(first, '\n'), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := speaking(t, loopback.Step{Text: findings("Paid once."), Usage: &loopback.Usage{Input: 1000, Output: 100}}, loopback.Step{Text: findings("Paid twice.")})
			r := newRoom(t, "OPENAI_BASE_URL="+server.URL+"/v1")
			r.council("seat", "openai", "What is it?", "report.md", "1")
			require.Equal(t, 1, len(server.Turns()))
			streams, err := filepath.Glob(filepath.Join(r.run(), "turns", "*", "stdout.jsonl"))
			require.NoError(t, err)
			require.Len(t, streams, 1)
			r.killed()
			crash(t, streams[0])
			r.council("resume", filepath.Base(r.run()))
			require.Equal(t, 1, len(server.Turns()), "nobody was asked again")
			require.Contains(t, r.file("openai-report.md"), "Paid once.")
			r.clean()
		})
	}
}

func TestAServerBuildsNothing(t *testing.T) {
	r := newRoom(t)
	require.NoError(t, exec.CommandContext(t.Context(), "git", "init", "-q", r.dir).Run())
	cmd := exec.CommandContext(t.Context(), "council", "campaign", "run", "full-auto", "Two kettles", "How long?", "--seats", "openai")
	cmd.Dir, cmd.Env = r.dir, append(r.env, "PATH="+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, codeUsage, exit.ExitCode(), string(out))
	require.Contains(t, string(out), "openai runs no commands")
	require.NoDirExists(t, filepath.Join(r.dir, "research"))
}

// tool is a call of one.
func tool(name string, input map[string]any) loopback.Step {
	return loopback.Step{Tool: &loopback.Call{Name: name, Input: input}}
}

func TestAServerAloneResearchesAndEveryCitationVerifies(t *testing.T) {
	record := tool("record_claim", map[string]any{"text": "The kettle rests while it is empty.", "quote": "The kettle rests while it is empty.", "source": "notes.md:1", "questions": []string{"Q1"}, "critical": true})
	server := loopback.Chat(t, loopback.Scenario{Rules: []loopback.Rule{
		{When: loopback.When{FirstUser: "record_claim"}, Steps: []loopback.Step{
			tool("search_sources", map[string]any{"query": "kettle rests"}),
			tool("read_file", map[string]any{"path": "notes.md"}),
			record,
			{Text: findings("The kettle rests while it is empty.")},
		}},
		{Steps: []loopback.Step{{Text: findings("The kettle rests while it is empty [C1].")}}},
	}})
	r := newRoom(t, "OPENAI_BASE_URL="+server.URL+"/v1")
	r.council("run", "--seats", "openai", "--no-plan", "--scope", ".", "How does the kettle work?")
	var seen string
	for _, q := range server.Turns() {
		seen += string(q.Body)
	}
	require.Contains(t, seen, "1\\tThe kettle rests while it is empty.", "it has read the file")
	require.NotContains(t, seen, "run_experiment", "it is lent nothing that runs commands")
	require.NotContains(t, seen, "run_command")
	registry := r.file("registry.json")
	require.Equal(t, int64(1), gjson.Get(registry, "entries.#").Int(), registry)
	require.Equal(t, "located", gjson.Get(registry, "entries.0.location.state").Str, registry)
	out, _ := r.council("verify")
	require.Contains(t, out, "1 of 1 quotations found again")
	out, _ = r.council("logs", "--seat", "openai")
	require.Contains(t, out, "records: The kettle rests")
	r.clean()
}
