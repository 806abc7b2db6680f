package flow_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
)

// begun is a journal of one fact of every kind named.
func begun(kinds ...flow.Kind) []flow.Event {
	events := []flow.Event{{Seq: 1, Kind: flow.RunBegun, Setup: &flow.Setup{ID: "20260222-143000-a1b2c3", Release: "0.4.0"}}}
	for _, k := range kinds {
		events = append(events, flow.Event{Seq: len(events) + 1, Kind: k})
	}
	return events
}

// Every kind that is declared is known: whoever adds one cannot forget it.
func TestEveryKindOfFactIsKnown(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	require.NoError(t, err)
	seen := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); !ok || of.Name != "Kind" {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		seen++
		if kind := flow.Kind(text); kind != flow.RunBegun {
			require.NoError(t, flow.CheckWhole("", begun(kind)), kind)
		}
		return true
	})
	require.Greater(t, seen, 15)
}

// A fact that is not known is refused with the release that wrote it: the one
// that took the run up last.
func TestAnUnknownFactIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		release, says string
	}{
		"by who took it up": {"0.9.1", `holds a fact that this release does not know ("from.the.future" in line 3); use release 0.9.1 for it (nothing has been changed)`},
		"by who began it":   {"", `use release 0.4.0 for it`},
	} {
		t.Run(name, func(t *testing.T) {
			events := begun(flow.SupervisorStarted, "from.the.future", flow.TimeUp)
			events[1].Release = c.release
			err := flow.CheckWhole("", events)
			var unknown *flow.UnknownFact
			require.ErrorAs(t, err, &unknown)
			require.Equal(t, 3, unknown.Line)
			require.ErrorContains(t, err, c.says)
		})
	}
	events := begun("from.the.future")
	events[0].Setup.Release = ""
	require.ErrorContains(t, flow.CheckWhole("", events), "use the release that wrote it")
}

// The release that works on a run is told by its facts.
func TestTheReleaseOfARunIsTheLastThatTookItUp(t *testing.T) {
	events := begun(flow.SupervisorStarted, flow.TimeUp)
	require.Equal(t, "0.4.0", flow.Replay(events).Release)
	events[1].Release = "0.9.1"
	require.Equal(t, "0.9.1", flow.Replay(events).Release)
	require.Equal(t, "0.4.0", flow.Replay(events).Setup.Release)
}

// A journal that has lost something is not folded: what is left would be taken
// for the run.
func TestWhatIsMissingFromAJournalIsSaid(t *testing.T) {
	const id = "20260222-143000-a1b2c3"
	without := func(i int) []flow.Event {
		events := begun(flow.SupervisorStarted, flow.TimeUp)
		return append(events[:i], events[i+1:]...)
	}
	twice := begun(flow.SupervisorStarted)
	twice = append(twice, flow.Event{Seq: 3, Kind: flow.RunBegun, Setup: twice[0].Setup})
	blank := begun()
	blank[0].Setup = nil
	for name, c := range map[string]struct {
		id    string
		facts []flow.Event
		line  int
		says  string
	}{
		"nothing is left":                {id, nil, 1, "is empty: not even the run's first fact is left"},
		"the first line was cut off":     {id, without(0), 1, "does not begin with the run's first fact: its beginning is lost"},
		"the first fact tells nothing":   {id, blank, 1, "does not begin with the run's first fact: its beginning is lost"},
		"a line in the middle is gone":   {id, without(1), 2, "has a gap: fact 3 stands in line 2"},
		"two journals were put together": {id, twice, 3, "begins a second time, in line 3"},
		"it was copied from another run": {"20260301-090000-d4e5f6", begun(), 1, `is the journal of another run, "20260222-143000-a1b2c3"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := flow.CheckWhole(c.id, c.facts)
			var gap *flow.JournalGap
			require.ErrorAs(t, err, &gap)
			require.Equal(t, c.line, gap.Line)
			require.EqualError(t, err, c.says)
		})
	}
	require.NoError(t, flow.CheckWhole(id, begun(flow.SupervisorStarted, flow.TimeUp)))
}
