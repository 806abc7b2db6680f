package telemetry

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/plain"
)

// Where the driver keeps the stream of a turn, below the run's folder.
const (
	turnsFolder = "turns"
	streamName  = "stdout.jsonl"
)

// tools looks into the stream of a turn that has ended: it notes on the turn's
// span how often which tool was called, and makes spans of the calls whose
// times the stream tells. A turn without a stream has none.
func tools(root *os.Root, turn Span) []Span {
	if turn.Attributes.stringValue(levelKey) != levelTurn || turn.Kind != Client {
		return nil
	}
	n, _ := turn.Attributes["research_council.turn"].(int64)
	dir := strings.ReplaceAll(turn.Attributes.stringValue("research_council.task"), "/", "-") + "-" + strconv.FormatInt(n, 10)
	stream, err := root.Open(path.Join(turnsFolder, dir, streamName))
	if err != nil {
		return nil
	}
	defer stream.Close()
	list := calls(stream)
	summarize(turn.Attributes, list)
	return callSpans(turn, list)
}

// call is one call of a tool.
type call struct {
	id, name   string
	start, end time.Time // zero where the stream does not tell
	failed     bool
}

// calls reads the calls of tools off a seat's event stream, in their order. The
// events of every kind of seat are told apart by their types.
func calls(stream io.Reader) []call {
	var b callLog
	readers := kinds.CommandLines()
	for line := range agent.Events(stream) {
		at := gjson.GetBytes(line, "timestamp").Time()
		for _, k := range readers {
			if k.Calls != nil {
				b.add(k.Calls(line), at)
			}
		}
	}
	return b.list
}

// callLog is the calls seen so far.
type callLog struct {
	list []call
	open map[string]int // by their ids
}

func (b *callLog) add(list []agent.Call, at time.Time) {
	for _, c := range list {
		if _, begun := b.open[c.ID]; c.Name != "" && !begun {
			b.beginCall(c.ID, c.Name, at)
		}
		if c.Ended {
			b.endCall(c.ID, c.Failed, at)
		}
	}
}

func (b *callLog) beginCall(id, name string, at time.Time) {
	const most = 100
	if b.open == nil {
		b.open = map[string]int{}
	}
	b.open[strings.Clone(id)] = len(b.list)
	b.list = append(b.list, call{id: plain.Line(id, most), name: plain.Line(name, most), start: at})
}

func (b *callLog) endCall(id string, failed bool, at time.Time) {
	i, ok := b.open[id]
	if !ok {
		return
	}
	delete(b.open, id)
	b.list[i].end, b.list[i].failed = at, failed
}

// summarize notes how often which tool was called.
func summarize(a Attributes, list []call) {
	const most = 50 // names
	counts := map[string]int{}
	failed := int64(0)
	for _, c := range list {
		if counts[c.name] > 0 || len(counts) < most {
			counts[c.name]++
		}
		if c.failed {
			failed++
		}
	}
	names := slices.Sorted(maps.Keys(counts))
	for i, name := range names {
		names[i] = fmt.Sprintf("%s=%d", name, counts[name])
	}
	a.set("research_council.tools.calls", int64(len(list))).set("research_council.tools.failed", failed).set("research_council.tools", names)
}

// callSpans makes spans of the calls whose times are known, within their turn.
func callSpans(turn Span, list []call) []Span {
	const most = 1000 // of one turn
	var spans []Span
	n, _ := turn.Attributes["research_council.turn"].(int64)
	for i, c := range list {
		if c.start.IsZero() || c.end.IsZero() || len(spans) == most {
			continue
		}
		a := turn.Attributes.selected("research_council.run.id", "research_council.stage", "research_council.visit", "research_council.task", "research_council.turn", "research_council.seat", "gen_ai.agent.name")
		a[levelKey], a["gen_ai.operation.name"] = levelTool, "execute_tool"
		a.set("gen_ai.tool.name", c.name).set("gen_ai.tool.call.id", c.id)
		s := Span{
			Trace: turn.Trace, Parent: turn.ID, Name: "execute_tool " + c.name, Kind: Internal, Attributes: a, Status: OK,
			ID:    spanID(a.stringValue("research_council.run.id"), "tool", a.stringValue("research_council.task"), strconv.FormatInt(n, 10), strconv.Itoa(i)),
			Start: clampTime(c.start, turn.Start, turn.End),
		}
		s.End = clampTime(c.end, s.Start, turn.End)
		if c.failed {
			s.Status, a["error.type"] = Error, "tool"
		}
		spans = append(spans, s)
	}
	return spans
}

// clampTime is a time, or the nearest one not outside.
func clampTime(at, from, to time.Time) time.Time {
	switch {
	case at.Before(from):
		return from
	case at.After(to):
		return to
	}
	return at.UTC()
}
