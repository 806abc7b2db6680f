package telemetry

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
)

func background() context.Context { return context.Background() }

func TestNoRecorderDoesNothing(t *testing.T) {
	var r *Recorder
	r.Replay(wholeRun())
	r.Record(wholeRun()[0])
	require.Empty(t, r.TakeProblems())
	require.NoError(t, r.Close(background()))
}

func TestARecorderThatIsClosedTakesNothingMore(t *testing.T) {
	r, err := New(Config{Timeout: time.Minute}, t.TempDir(), none)
	require.NoError(t, err)
	require.NoError(t, r.Close(background()))
	r.Record(wholeRun()[0])
	r.Replay(wholeRun())
	require.Empty(t, r.queue)
	require.NoError(t, r.Close(background()))
}

// A recorder whose goroutine does nothing is one whose disk hangs.
func TestFactsThatFindNoRoomAreCounted(t *testing.T) {
	r := &Recorder{room: 2, wake: make(chan struct{}, 1)}
	for _, e := range wholeRun() {
		r.Record(e)
	}
	require.Len(t, r.takeQueue(), 2)
	require.Equal(t, []string{"12 facts came faster than they could be kept; trace.jsonl has gaps until the run is taken up"}, r.TakeProblems())
	require.Empty(t, r.TakeProblems(), "a trouble is told once")
}

func TestAReplayFindsRoom(t *testing.T) {
	r := &Recorder{room: 1, wake: make(chan struct{}, 1)}
	r.Replay(wholeRun())
	r.Record(flow.Event{Seq: 100})
	require.Len(t, r.takeQueue(), len(wholeRun())+1)
	require.Empty(t, r.TakeProblems())
}

func TestAFullDiskIsToldAndStopsNothing(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	dir := t.TempDir()
	f, err := openSpanFile(dir)
	require.NoError(t, err)
	require.NoError(t, f.out.Close())
	f.out, err = os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	r := &Recorder{file: f, wake: make(chan struct{}, 1), done: make(chan struct{})}
	r.processEvents(wholeRun())
	troubles := r.TakeProblems()
	require.Len(t, troubles, 1)
	require.Contains(t, troubles[0], "write trace.jsonl")
	require.ErrorContains(t, f.close(), "write trace.jsonl")
}

func BenchmarkTell(b *testing.B) {
	r, err := New(Config{Timeout: time.Minute}, b.TempDir(), none)
	require.NoError(b, err)
	e := issue(flow.SourceFailed)
	b.ReportAllocs()
	for b.Loop() {
		r.Record(e)
	}
	require.NoError(b, r.Close(background()))
}

func BenchmarkReplay(b *testing.B) {
	facts := append(wholeRun()[:3], make([]flow.Event, 0, 20000)...)
	for n := 1; len(facts) < 20000; n++ {
		facts = append(facts, started(claudes, n), ended(claudes, n, flow.Result{Tokens: 1}))
	}
	facts = story(facts...)
	for b.Loop() {
		recorded(b, b.TempDir(), facts, nil)
	}
}

// gemini's stream tells when, the others' do not.
const (
	geminiStream = `{"type":"init","timestamp":"2026-02-22T14:33:00.000Z","session_id":"s","model":"model-g"}
{"type":"tool_use","timestamp":"2026-02-22T14:34:10.000Z","tool_name":"web_fetch","tool_id":"a","parameters":{"prompt":"` + secret + `"}}
{"type":"tool_use","timestamp":"2026-02-22T14:34:20.000Z","tool_name":"read_file","tool_id":"b","parameters":{}}
{"type":"tool_result","timestamp":"2026-02-22T14:34:30.500Z","tool_id":"b","status":"error","output":"` + secret + `"}
{"type":"tool_result","timestamp":"2026-02-22T15:59:00.000Z","tool_id":"a","status":"success","output":""}
not JSON
{"type":"tool_use","timestamp":"2026-02-22T14:35:00.000Z","tool_name":"web_fetch","tool_id":"c","parameters":{}}
`
	claudeStream = `{"type":"assistant","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"1","name":"Read","input":{}},{"type":"tool_use","id":"2","name":"WebFetch","input":{}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"x"},{"type":"tool_result","tool_use_id":"2","is_error":true}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"3","name":"Read","input":{}}]}}
`
	codexStream = `{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls","status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","exit_code":1,"status":"failed"}}
{"type":"item.started","item":{"id":"item_1","type":"mcp_tool_call","server":"desk","tool":"quote","status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_2","type":"web_search","query":"x"}}
{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"x"}}
`
)

// spansIn are those of a file that a story leaves beside a turn's stream.
func spansIn(t *testing.T, turn, stream string) []Span {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, turnsFolder, turn), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, turnsFolder, turn, streamName), []byte(stream), 0o600))
	data := recorded(t, dir, nil, wholeRun())
	require.NotContains(t, string(data), secret)
	var spans []Span
	for line := range strings.Lines(string(data)) {
		s, ok := parseSpan([]byte(line))
		require.True(t, ok)
		spans = append(spans, s)
	}
	require.NoError(t, sound(spans))
	return spans
}

func TestToolsWhoseTimesAreToldAreSpans(t *testing.T) {
	spans := spansIn(t, "research.1-gemini-1", geminiStream)
	require.Equal(t, []string{
		"invoke_agent gemini > execute_tool web_fetch (ok)",
		"invoke_agent gemini > execute_tool read_file (error)",
		"research gemini > invoke_agent gemini (error)",
	}, names(spans)[:3])
	require.Equal(t, began().Add(4*time.Minute+10*time.Second), spans[0].Start)
	require.Equal(t, began().Add(6*time.Minute), spans[0].End, "not after its turn")
	require.Equal(t, "tool", spans[1].Attributes["error.type"])
	require.Equal(t, "b", spans[1].Attributes["gen_ai.tool.call.id"])
	turn := spans[2].Attributes
	require.Equal(t, int64(3), turn["research_council.tools.calls"])
	require.Equal(t, int64(1), turn["research_council.tools.failed"])
	require.Equal(t, []string{"read_file=1", "web_fetch=2"}, turn["research_council.tools"])
}

func TestToolsWithoutTimesAreCounted(t *testing.T) {
	for stream, want := range map[string][]string{
		claudeStream: {"Read=2", "WebFetch=1"},
		codexStream:  {"command_execution=1", "desk.quote=1", "web_search=1"},
	} {
		spans := spansIn(t, "research.1-claude-1", stream)
		require.Len(t, spans, len(Spans(wholeRun())), "no span without a time")
		require.Equal(t, want, spans[1].Attributes["research_council.tools"])
		require.Equal(t, int64(1), spans[1].Attributes["research_council.tools.failed"])
	}
}

func FuzzStreams(f *testing.F) {
	for _, stream := range []string{geminiStream, claudeStream, codexStream} {
		f.Add([]byte(stream))
	}
	turn := Spans(wholeRun())[0]
	f.Fuzz(func(t *testing.T, stream []byte) {
		list := calls(strings.NewReader(string(stream)))
		spans := append(callSpans(turn, list), turn)
		for i := range spans[:len(spans)-1] {
			require.False(t, spans[i].Start.Before(turn.Start) || spans[i].End.After(turn.End) || spans[i].End.Before(spans[i].Start))
		}
		summarize(Attributes{}, list)
	})
}
