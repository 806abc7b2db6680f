package telemetry

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/flow"
)

// none is an environment without variables.
func none(string) string { return "" }

// recorded tells facts to a recorder of its own, the first of them as a replay,
// and returns what then stands in the file.
func recorded(t require.TestingT, dir string, past, facts []flow.Event) []byte {
	r, err := New(Config{Timeout: time.Minute}, dir, none)
	require.NoError(t, err)
	r.Replay(past)
	for _, e := range facts {
		r.Record(e)
	}
	require.NoError(t, r.Close(background()))
	require.Empty(t, r.TakeProblems())
	data, err := os.ReadFile(filepath.Join(dir, Name))
	require.NoError(t, err)
	return data
}

// lines is what a file of these spans holds.
func lines(t require.TestingT, spans []Span) []byte {
	var all bytes.Buffer
	for _, s := range spans {
		line, err := json.Marshal(s)
		require.NoError(t, err)
		all.Write(append(line, '\n'))
	}
	return all.Bytes()
}

func TestTheFileHasASpanALine(t *testing.T) {
	data := recorded(t, t.TempDir(), wholeRun()[:1], wholeRun()[1:])
	require.Equal(t, string(lines(t, Spans(wholeRun()))), string(data))
	all := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	require.Equal(t, `{"traceId":"1c2179d616002bcff5dd1fe6b2e50237","spanId":"`+spanID(runID, "run", "1")+`","name":"invoke_workflow council","kind":"internal",`+
		`"start":"2026-02-22T14:30:00Z","end":"2026-02-22T14:43:00Z","status":"ok","attributes":{"gen_ai.operation.name":"invoke_workflow","gen_ai.workflow.name":"council",`+
		`"research_council.cost.estimated":true,"research_council.cost.usd":0.75,"research_council.level":"run","research_council.run.id":"20260222-143000-a1b2c3",`+
		`"research_council.seats":2,"research_council.status":"completed","research_council.tier":"max","research_council.tokens":1510,"research_council.turns":3,`+
		`"research_council.workflow":"council"},"events":[{"name":"supervisor.started","time":"2026-02-22T14:31:00Z","attributes":{"research_council.epoch":1}}]}`, string(all[len(all)-1]))
}

func TestARunTakenUpWritesNothingTwiceAndLosesNothing(t *testing.T) {
	all := wholeRun()
	for cut := range all {
		dir := t.TempDir()
		recorded(t, dir, nil, all[:cut])
		require.Equal(t, string(lines(t, Spans(all))), string(recorded(t, dir, all[:cut], all[cut:])), "taken up after %d facts", cut)
	}
}

func TestALineTornByACrashIsWrittenAgain(t *testing.T) {
	whole := recorded(t, t.TempDir(), nil, wholeRun())
	for cut := 0; cut < len(whole); cut += 61 {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, Name), whole[:cut], 0o600))
		require.Equal(t, string(whole), string(recorded(t, dir, wholeRun(), nil)), "torn after %d bytes", cut)
	}
}

func TestALineThatIsNoSpanIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	noise := "\n{}\nnull\n\x00\x00\n{\"traceId\":\"zz\"}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, Name), []byte(noise), 0o600))
	require.Equal(t, noise+string(lines(t, Spans(wholeRun()))), string(recorded(t, dir, wholeRun(), nil)))
}

func TestAFileThatLeadsOutsideIsNotWritten(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, Name)))
	_, err := New(Config{}, dir, none)
	require.ErrorContains(t, err, "open trace.jsonl")
	require.NoFileExists(t, outside)
}

func TestAFolderThatIsNotThereIsAnError(t *testing.T) {
	_, err := New(Config{}, filepath.Join(t.TempDir(), "gone"), none)
	require.ErrorContains(t, err, "open the run's folder")
}

func TestSpansComeBackFromTheirLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Span{
			Trace: traceID("a"), ID: spanID("a", "b"), Name: rapid.String().Draw(t, "name"), Kind: Client, Status: Error,
			Start: began().Add(time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "start"))), End: began(), Attributes: Attributes{},
		}
		for _, name := range rapid.SliceOfN(rapid.StringMatching(`[a-z.]{1,9}`), 0, 5).Draw(t, "names") {
			s.Attributes[name] = rapid.OneOf(
				rapid.StringMatching(`[ -~é\n]*`).AsAny(), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Float64().AsAny(),
				rapid.SliceOf(rapid.StringMatching(`[a-z]*`)).Filter(func(l []string) bool { return l != nil }).AsAny(),
			).Draw(t, "value")
		}
		s.Events = []Event{{Name: "e", At: s.Start, Attributes: Attributes{"x": 1.0}}}
		line, err := json.Marshal(s)
		require.NoError(t, err)
		back, ok := parseSpan(line)
		require.True(t, ok, string(line))
		require.Equal(t, s.Attributes, back.Attributes)
		require.Equal(t, s.Events, back.Events)
		require.True(t, s.Start.Equal(back.Start))
	})
}

func FuzzLines(f *testing.F) {
	line, err := json.Marshal(Spans(wholeRun())[0])
	require.NoError(f, err)
	f.Add(line)
	f.Add([]byte(`{"attributes":{"a":{}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, ok := parseSpan(line)
		if !ok {
			return
		}
		require.Regexp(t, "^[0-9a-fA-F]{32}$", s.Trace)
		require.Regexp(t, "^[0-9a-fA-F]{16}$", s.ID)
		_, err := json.Marshal(s.toOTLP())
		require.NoError(t, err)
	})
}
