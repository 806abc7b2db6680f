package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
)

// collected keeps lines; they are valid until the next one.
type collected []string

func (c *collected) Add(line []byte) { *c = append(*c, string(line)) }

func TestLinesOfAStream(t *testing.T) {
	const stream = "{\"a\":1}\n\n  warning: slow \n{\"cut\":\n[1]\n{\"b\":2}"
	var all collected
	agent.Feed(&all, strings.NewReader(stream))
	require.Equal(t, collected{`{"a":1}`, "warning: slow", `{"cut":`, "[1]", `{"b":2}`}, all)
	var events []string
	for line := range agent.Events(strings.NewReader(stream)) {
		events = append(events, string(line))
	}
	require.Equal(t, []string{`{"a":1}`, `{"b":2}`}, events)
	for line := range agent.Events(strings.NewReader(stream)) {
		require.Equal(t, `{"a":1}`, string(line))
		break
	}
	long := "{\"x\":\"" + strings.Repeat("x", agent.LineLimit) + "\"}\n{\"b\":2}\n"
	next := slices.Collect(func(yield func(string) bool) {
		for line := range agent.Lines(strings.NewReader(long)) {
			if !yield(string(line)) {
				return
			}
		}
	})
	require.Equal(t, []string{`{"b":2}`}, next, "a line that is too long is passed over")
}

func TestHowAProcessEnded(t *testing.T) {
	for name, c := range map[string]struct {
		exit agent.Exit
		want string // "" where it ended by itself
	}{
		"well":                        {agent.Exit{}, ""},
		"with an error":               {agent.Exit{Code: 1}, ""},
		"at the deadline":             {agent.Exit{TimedOut: true, Signal: "killed"}, "timed-out: ended at its deadline"},
		"stopped by us":               {agent.Exit{Stopped: true, Code: -1}, "lost: stopped"},
		"by a signal that is named":   {agent.Exit{Signal: "killed", Code: -1}, "lost: ended by killed"},
		"by a signal it has caught":   {agent.Exit{Code: 143}, "lost: ended by signal 15"},
		"by a signal without a name":  {agent.Exit{Code: -1}, "lost: ended by a signal"},
		"with a status of its own":    {agent.Exit{Code: 128 + 11}, ""},
		"out of time, though stopped": {agent.Exit{TimedOut: true, Stopped: true}, "timed-out: ended at its deadline"},
	} {
		fault := c.exit.Interruption()
		if c.want == "" {
			require.Nil(t, fault, name)
			continue
		}
		require.EqualError(t, fault, c.want, name)
	}
	require.Equal(t, "no  such  model", strings.ReplaceAll(agent.Exit{Stderr: []byte("trying\nno such model\n \n")}.LastErrorLine(), " ", "  "))
	require.Equal(t, "nothing on stderr", agent.Exit{Stderr: []byte("\n \n")}.LastErrorLine())
}

func TestAFaultIsToldInOnePlainLine(t *testing.T) {
	f := agent.NewFault(agent.Terminal, "no \x1b[31mlogin\n%s", "here")
	require.NotContains(t, f.Message, "\x1b")
	require.NotContains(t, f.Message, "\n")
	require.Equal(t, "it failed and gave no reason", agent.NewFault(agent.Lost, "\x00\n").Message)
	require.LessOrEqual(t, len([]rune(agent.NewFault(agent.Lost, "%s", strings.Repeat("é", 900)).Message)), 300)
}

func TestWhatAnHTTPStatusMeansForTheNextTurn(t *testing.T) {
	for _, passes := range []int{408, 409, 425, 429, 500, 502, 529} {
		require.Equal(t, agent.Retryable, agent.StatusClass(passes), passes)
	}
	for _, stays := range []int{400, 401, 402, 403, 404, 422} {
		require.Equal(t, agent.Terminal, agent.StatusClass(stays), stays)
	}
}
