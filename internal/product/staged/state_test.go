package staged

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func example() State {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return State{
		RunID: "20260301-120000-a1b2c3", Topic: "Heat pumps <for> \"old\" houses", CurrentStage: Planning, StartedAt: at, UpdatedAt: at.Add(time.Minute),
		Iteration: 0, MaxIterations: 2, Status: Running, Outputs: map[string]json.RawMessage{Discovery: json.RawMessage(`{"topic":"t"}`)},
		Gates: []Gate{{Stage: Discovery, Passed: true, Reason: "a person has confirmed the brief", At: at, Attempt: 1}},
	}
}

func TestTheStateIsAsPeopleReadIt(t *testing.T) {
	s := example()
	s.Error = "Gate failed: planning — no subtopic"
	require.Equal(t, `{
  "run_id": "20260301-120000-a1b2c3",
  "topic": "Heat pumps <for> \"old\" houses",
  "current_stage": "planning",
  "started_at": "2026-03-01T12:00:00Z",
  "updated_at": "2026-03-01T12:01:00Z",
  "iteration": 0,
  "max_iterations": 2,
  "status": "running",
  "stage_outputs": {
    "discovery": {
      "topic": "t"
    }
  },
  "gates": [
    {
      "stage": "discovery",
      "passed": true,
      "reason": "a person has confirmed the brief",
      "at": "2026-03-01T12:00:00Z",
      "attempt": 1
    }
  ],
  "error": "Gate failed: planning — no subtopic"
}
`, string(s.Encode()))
}

func TestAnEmptyStateHasNoNulls(t *testing.T) {
	data := State{RunID: "x", Status: Running, CurrentStage: Discovery}.Encode()
	require.Contains(t, string(data), `"stage_outputs": {}`)
	require.Contains(t, string(data), `"gates": []`)
}

func TestAnOutputNestedBeyondAllMeasureIsLeftOut(t *testing.T) {
	s := example()
	s.Outputs[Review] = json.RawMessage(strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999))
	require.True(t, json.Valid(s.Outputs[Review]))
	var got State
	require.NoError(t, json.Unmarshal(s.Encode(), &got))
	require.Len(t, got.Outputs, 1)
}

// states draws any state a run can have, and outputs it cannot.
func states(t *rapid.T) State {
	when := func(name string) time.Time {
		return time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, name), rapid.Int64Range(0, 999_999_999).Draw(t, "nano")).In(time.FixedZone("x", rapid.IntRange(-80000, 80000).Draw(t, "zone")))
	}
	s := State{
		RunID: rapid.StringN(1, 20, -1).Draw(t, "run"), Topic: rapid.String().Draw(t, "topic"),
		CurrentStage: rapid.SampledFrom(append(Stages(), Done)).Draw(t, "stage"), StartedAt: when("started"), UpdatedAt: when("updated"),
		Iteration: rapid.IntRange(0, 9).Draw(t, "iteration"), MaxIterations: rapid.IntRange(0, 9).Draw(t, "most"),
		Status: rapid.SampledFrom([]string{Running, Paused, Completed, Failed, Cancelled, OutOfBudget}).Draw(t, "status"), Error: rapid.String().Draw(t, "error"), Outputs: map[string]json.RawMessage{},
	}
	for _, stage := range append(Stages(), "x") {
		s.Outputs[stage] = json.RawMessage(rapid.SampledFrom([]string{"", "null", "{", `{"a": [1, "\u2028<"]}`, "\xff", `"` + "\xff" + `"`, `7`, `1,2`, `],[`, `{"a":1}{}`}).Draw(t, "output"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "gates") {
		s.Gates = append(s.Gates, Gate{Stage: rapid.SampledFrom(Stages()).Draw(t, "gate"), Passed: rapid.Bool().Draw(t, "passed"), Reason: rapid.String().Draw(t, "reason"), At: when("at"), Attempt: rapid.IntRange(0, 9).Draw(t, "attempt")})
	}
	return s
}

func TestEveryStateComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := states(t)
		var got State
		require.NoError(t, json.Unmarshal(s.Encode(), &got), "%s", s.Encode())
		require.Equal(t, string(s.Encode()), string(got.Encode()))
		require.Equal(t, strings.ToValidUTF8(s.Topic, "\ufffd"), got.Topic)
		require.Equal(t, s.Status, got.Status)
		require.Len(t, got.Gates, len(s.Gates))
		require.True(t, s.StartedAt.Equal(got.StartedAt) || s.StartedAt.UTC().Year() < 0 || s.StartedAt.UTC().Year() > 9999)
		for stage, raw := range s.Outputs {
			_, kept := got.Outputs[stage]
			require.Equal(t, stage != "x" && json.Valid(raw) && string(raw) != "null", kept, "%s %s", stage, raw)
		}
	})
}
