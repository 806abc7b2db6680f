package desk_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// recordedCase is a claim that a seat records, with the registry it has been handed.
type recordedCase struct {
	Why      string
	Seat     string // of the desk, where the registry holds claims of its own
	Args     object
	Expect   string // accepted or refused
	Says     string // what a refusal names
	Hint     string
	Kept     *bool  `json:"critical_kept"`
	Located  []bool // which passages stand in their sources; all where it says nothing
	Registry []struct {
		ID, Text, Kind, Question, Seat, State string
		RestsOn                               []string `json:"rests_on"`
		Critical                              bool
	}
}

func recordedCases(t *testing.T) []recordedCase {
	data, err := os.ReadFile(filepath.Join("testdata", "recorded.jsonl"))
	require.NoError(t, err)
	var cases []recordedCase
	for line := range bytes.Lines(data) {
		var c recordedCase
		require.NoError(t, json.Unmarshal(line, &c))
		cases = append(cases, c)
	}
	return cases
}

// sitAt has a desk whose scope holds what the case quotes, and whose seat was handed
// the case's registry.
func (c recordedCase) sitAt(t *testing.T) table {
	o := options(t, fakeWeb())
	require.NoError(t, os.WriteFile(o.Plan, []byte(`{"questions":[{"id":"Q1"},{"id":"Q2"},{"id":"Q3"}]}`), 0o600))
	texts := map[string]string{}
	passages, _ := c.Args["passages"].([]any)
	for i, one := range passages {
		p := one.(object)
		source, quoted := p["source"].(string), p["quote"].(string)
		if c.Located != nil && !c.Located[i] || c.Expect == "refused" && c.Located == nil && c.Hint == "" {
			quoted = "Nothing of the kind stands here."
		}
		texts[source] += quoted + "\n\n"
	}
	for name, text := range texts {
		if name == "" {
			continue
		}
		path := filepath.Join(o.Scope, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	var reg claim.Registry
	for _, r := range c.Registry {
		e := claim.Entry{ID: r.ID, Text: r.Text, Source: "notes.md:1", Key: "file:notes.md", Seats: []string{r.Seat}, Questions: []string{r.Question}, Critical: r.Critical, RestsOn: r.RestsOn}
		e.Location = claim.Location{State: claim.Located, Passage: r.Text}
		if r.Kind != "fact" {
			e.Kind, e.Source, e.Key = claim.Kind(r.Kind), "", ""
			if len(e.RestsOn) == 0 {
				e.RestsOn = []string{"C900"}
			}
		}
		if r.State == "refuted" {
			e.Support = &claim.Support{Verdict: claim.Contradicts, Votes: []claim.Vote{{Seat: "x", Family: "x", Answer: claim.Contradicts}}}
		}
		reg.Entries = append(reg.Entries, e)
	}
	if len(reg.Entries) > 0 {
		reg.Entries = append(reg.Entries, claim.Entry{ID: "C900", Text: "Both are written in Go.", Source: "notes.md:2", Key: "file:notes.md", Seats: []string{"z"}, Location: claim.Location{State: claim.Located}})
	}
	data, err := json.Marshal(reg)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(o.Dir, "inputs", "registry.json"), data, 0o600))
	if c.Seat != "" {
		o.Seat = c.Seat
	}
	return sit(t, o)
}

func TestAClaimOfEachKindIsRecordedOrRefused(t *testing.T) {
	for _, c := range recordedCases(t) {
		t.Run(c.Why, func(t *testing.T) {
			a := c.sitAt(t).call(t, "record_claim", c.Args)
			require.Equal(t, c.Expect == "refused", a.failed, a.text)
			require.Contains(t, a.text, c.Says)
			require.Contains(t, a.text, c.Hint)
			if c.Kept != nil {
				require.Equal(t, !*c.Kept, strings.Contains(a.text, "does not count as critical"), a.text)
			}
		})
	}
}

// A claim is read alone: one that needs what stood before is recorded, and its seat is told.
func TestAClaimThatPointsElsewhereIsSaidToBe(t *testing.T) {
	s := sit(t, options(t, fakeWeb()))
	record := func(text string) answer {
		return s.call(t, "record_claim", object{"text": text, "quote": "Water boils at 100\u00a0°C at sea level.", "source": kettle})
	}
	a := record("In the same kettle water boils at 100 °C.")
	require.False(t, a.failed, a.text)
	require.Contains(t, a.text, "Its text begins with “In the same kettle”: judges and readers meet it without what stood before.")
	require.NotContains(t, record("Water boils at 100 °C.").text, "Its text begins")
}

// Who judges has no tools that record.
func TestADeskOfAJudgeOnlyReads(t *testing.T) {
	o := options(t, &web{})
	o.Judges = true
	listed, err := sit(t, o).ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	require.ElementsMatch(t, []string{"fetch_source", "search_sources", "list_claims"}, names)
}

// The answer says which claims count as critical, and one may take another's place.
func TestACriticalClaimSaysWhichCount(t *testing.T) {
	s := sit(t, options(t, &web{}))
	record := func(text, instead string) answer {
		return s.call(t, "record_claim", map[string]any{"text": text, "quote": "The heater rests while the kettle is empty.", "source": "doc/heat.md:3", "critical": true, "questions": []string{"Q1"}, "instead_of": instead})
	}
	for i, text := range []string{"It rests.", "It is at rest.", "The heater rests.", "It idles.", "It does nothing."} {
		require.Contains(t, record(text, "").text, fmt.Sprintf("Critical on Q1 are of yours now: own-1%s", strings.Join([]string{"", ", own-2", ", own-3", ", own-4", ", own-5"}[:i+1], "")))
	}
	require.Contains(t, record("It waits.", "").text, "does not count as critical: 5 claims of yours on Q1 do already (own-1, own-2, own-3, own-4, own-5)")
	pauses := record("It pauses.", "own-2").text
	require.Contains(t, pauses, "Critical on Q1 are of yours now: own-1, own-3, own-4, own-5, own-7.")
	require.NotContains(t, pauses, "No longer", "its seat has said so itself")
	empty := s.call(t, "record_claim", map[string]any{"kind": "inference", "text": "It rests.", "rests_on": []any{"own-1", nil}})
	require.Contains(t, empty.text, "null")
	require.NotContains(t, empty.text, "reflect")
	advice := s.call(t, "record_claim", map[string]any{"kind": "recommendation", "text": "Let it rest.", "rests_on": []string{"own-6", "own-1"}, "critical": true, "questions": []string{"Q1", "Q2"}})
	require.Contains(t, advice.text, "resting on claims that hold: own-6 “It waits.”, own-1 “It rests.”.")
	require.Contains(t, advice.text, "A claim that answers several questions is counted on one of them: on the first it names, as long as fewer than 5 of yours are critical there.")
	require.Contains(t, advice.text, "No longer critical, as what your recommendations rest on goes first: own-5.", "own-6 has its place")
}

// Advice that its quotation does not give is refused, with the word that makes it advice.
func TestAdviceAsAFactIsRefusedByItsWord(t *testing.T) {
	s := sit(t, options(t, &web{}))
	a := s.call(t, "record_claim", map[string]any{"text": "An empty kettle is not recommended.", "quote": "The heater rests while the kettle is empty.", "source": "doc/heat.md:3"})
	require.True(t, a.failed)
	require.Contains(t, a.text, `it says what should be done ("recommended"), and its quotation does not`)
}
