package staged

import (
	"encoding/json"
	"math"
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
	got, err := DecodeState(s.Encode())
	require.NoError(t, err)
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
		Status: rapid.SampledFrom(Statuses()).Draw(t, "status"), Error: rapid.String().Draw(t, "error"), Outputs: map[string]json.RawMessage{},
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
		got, err := DecodeState(s.Encode())
		require.NoError(t, err, "%s", s.Encode())
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

func TestWhatNoRunCanBeInIsRefused(t *testing.T) {
	with := func(change func(*State)) string {
		s := example()
		change(&s)
		data, _ := json.Marshal(s) // all of it can be written
		return string(data)
	}
	for _, c := range []struct{ name, in, problem string }{
		{"nothing", "", "it is empty"},
		{"torn", string(example().Encode()[:100]), "the JSON ends too early"},
		{"a list", "[]", "it cannot be a JSON array"},
		{"two states", "{} {}", "something stands behind the JSON value"},
		{"no id", with(func(s *State) { s.RunID = "" }), "there is no run_id"},
		{"no status", with(func(s *State) { s.Status = "" }), `status is "", which is none`},
		{"an unknown status", with(func(s *State) { s.Status = "paused\n" }), `status is "paused", which is none`},
		{"an unknown stage", with(func(s *State) { s.CurrentStage = "end" }), `current_stage is "end", which is none`},
		{"no stage", with(func(s *State) { s.CurrentStage = "" }), `current_stage is "", which is none`},
		{"iterations below nought", with(func(s *State) { s.Iteration = math.MinInt }), "iteration and max_iterations are counts"},
		{"a count that is none", strings.Replace(with(func(*State) {}), `"iteration":0`, `"iteration":0.5`, 1), "iteration cannot be a JSON number"},
		{"an unknown output", with(func(s *State) { s.Outputs["end"] = json.RawMessage("1") }), `stage_outputs holds "end", which is no stage`},
		{"an unknown gate", with(func(s *State) { s.Gates[0].Stage = "end" }), `gates holds "end", attempt 1, which is none`},
		{"no time", strings.Replace(with(func(*State) {}), "2026-03-01T12:01:00Z", "yesterday", 1), "parsing time"},
	} {
		_, err := DecodeState([]byte(c.in))
		require.ErrorContains(t, err, c.problem, c.name)
		require.NotContains(t, err.Error(), "\n", c.name)
	}
	_, err := DecodeState([]byte(strings.Replace(with(func(*State) {}), "{", `{"later":[1],`, 1)))
	require.NoError(t, err, "what a later version writes is passed over")
}

func FuzzDecodeState(f *testing.F) {
	f.Add(example().Encode())
	f.Add(State{}.Encode())
	for _, seed := range []string{`{"run_id":"x","status":"running","current_stage":"done"}`, `{"stage_outputs":{"review":null}}`, `[`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeState(data)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		again, err := DecodeState(s.Encode())
		require.NoError(t, err, "%s", s.Encode())
		require.Equal(t, string(s.Encode()), string(again.Encode()))
	})
}
