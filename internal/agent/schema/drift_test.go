package schema

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/docs/schemas"
	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
	"github.com/research-council/research-council/prompts"
)

// node is a schema as its file has it.
type node = map[string]any

// format is a schema with the Go type it describes. The fields of own are the
// program's, and no answer may hold them.
type format struct {
	of  reflect.Type
	own []string
}

func formats() map[string]format {
	return map[string]format{
		agent.Questions:     {of: reflect.TypeFor[staged.Questions]()},
		agent.Brief:         {reflect.TypeFor[staged.Brief](), []string{"/confirmed_by_user"}},
		agent.Planning:      {of: reflect.TypeFor[staged.Plan]()},
		agent.Collection:    {reflect.TypeFor[staged.AgentAnswer](), []string{"/agent", "/seat", "/family", "/problem", "/facts/id"}},
		agent.Findings:      {of: reflect.TypeFor[staged.SynthesisResult]()},
		agent.Advocate:      {of: reflect.TypeFor[staged.AdvocateResult]()},
		agent.Comparison:    {of: reflect.TypeFor[relation.Answer]()},
		agent.Plan:          {reflect.TypeFor[scope.PlannedQuestions](), []string{"/questions/id"}},
		agent.Review:        {of: reflect.TypeFor[panel.Review]()},
		"collection-result": {of: reflect.TypeFor[staged.CollectionResult]()},
		"factcheck":         {of: reflect.TypeFor[staged.FactCheckResult]()},
		"report-result":     {of: reflect.TypeFor[staged.ReportResult]()},
		"verdict":           {of: reflect.TypeFor[panel.Result]()},
		"state":             {of: reflect.TypeFor[staged.State]()},
	}
}

func document(t *testing.T, name string) node {
	t.Helper()
	text, ok := schemas.Text(name)
	require.True(t, ok, name)
	var n node
	require.NoError(t, json.Unmarshal(text, &n))
	return n
}

// drift walks a schema and the type it describes together.
type drift struct {
	*testing.T
	format
	document node
	answer   bool // a model's: its members may be there or not as the schema has it
}

func TestSchemasAndTypesNameTheSameMembers(t *testing.T) {
	for name, f := range formats() {
		n := document(t, name)
		_, closed := n["additionalProperties"]
		drift{t, f, n, !closed}.walk("", n, f.of)
	}
}

// follow is where a node's reference within its document leads.
func (d drift) follow(n node) node {
	ref, _ := n["$ref"].(string)
	name, local := strings.CutPrefix(ref, "#/$defs/")
	if !local {
		return n
	}
	return d.document["$defs"].(node)[name].(node)
}

func (d drift) walk(at string, n node, of reflect.Type) {
	n = d.follow(n)
	switch {
	case of == reflect.TypeFor[time.Time]():
		require.Equal(d, "date-time", n["format"], at)
	case of == reflect.TypeFor[map[string]json.RawMessage]():
		require.ElementsMatch(d, staged.Stages(), names(n["properties"]), at)
	case of.Kind() == reflect.Struct:
		d.members(at, n, of)
	case of.Kind() == reflect.Slice:
		require.Equal(d, "array", n["type"], at)
		d.walk(at, n["items"].(node), of.Elem())
	case of.Kind() == reflect.Map:
		require.Equal(d, "object", n["type"], at)
		d.walk(at, n["additionalProperties"].(node), of.Elem())
	default:
		d.scalar(at, n, of)
	}
}

func (d drift) scalar(at string, n node, of reflect.Type) {
	want := map[reflect.Kind]string{reflect.String: "string", reflect.Int: "integer", reflect.Float64: "number", reflect.Bool: "boolean"}
	require.Equal(d, want[of.Kind()], n["type"], at)
}

func (d drift) members(at string, n node, of reflect.Type) {
	properties, _ := n["properties"].(node)
	var known, needed []string
	for _, f := range reflect.VisibleFields(of) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || slices.Contains(d.own, at+"/"+name) {
			continue
		}
		require.Contains(d, properties, name, "%s: a field no schema has", at)
		known = append(known, name)
		if options != "omitempty" {
			needed = append(needed, name)
		}
		d.walk(at+"/"+name, properties[name].(node), f.Type)
	}
	require.ElementsMatch(d, known, names(properties), "%s: members no type has", at)
	if !d.answer {
		require.ElementsMatch(d, needed, n["required"], "%s: what is always there", at)
		require.Equal(d, false, n["additionalProperties"], at)
	}
}

func names(properties any) []string {
	var list []string
	for name := range properties.(node) {
		list = append(list, name)
	}
	return list
}

func TestEveryTextAndListHasABound(t *testing.T) {
	for _, name := range schemas.Names() {
		bound(t, name, document(t, name))
	}
}

func bound(t *testing.T, at string, n node) {
	t.Helper()
	_, listed := n["enum"]
	pattern, _ := n["pattern"].(string)
	switch n["type"] {
	case "string":
		require.True(t, listed || n["maxLength"] != nil || strings.HasSuffix(pattern, "$"), at)
	case "array":
		require.NotNil(t, n["maxItems"], at)
		require.NotNil(t, n["items"], at)
	case "object":
		require.True(t, n["properties"] != nil || n["maxProperties"] != nil, at)
	}
	for name, below := range n {
		if below, ok := below.(node); ok {
			bound(t, at+"/"+name, below)
		}
	}
}

func TestEverySchemaSpeaksToPeople(t *testing.T) {
	readme, err := os.ReadFile("../../../docs/schemas/README.md")
	require.NoError(t, err)
	for _, name := range schemas.Names() {
		n := document(t, name)
		require.Equal(t, "https://json-schema.org/draft/2020-12/schema", n["$schema"], name)
		require.NotEmpty(t, n["title"], name)
		require.NotEmpty(t, n["description"], name)
		require.Contains(t, string(readme), "\n| `"+name+".json` | ", "the table of the files names each")
	}
	require.Equal(t, len(schemas.Names()), strings.Count(string(readme), ".json` | "), "and no other")
}

// accepted is what a schema makes of a value, which is what the value was.
func accepted(t *testing.T, name string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	object, problems := Check(name, text)
	require.Empty(t, problems, name)
	require.JSONEq(t, string(text), string(object), name)
}

func TestWhatTheProgramWritesFitsItsSchema(t *testing.T) {
	fact := staged.Fact{Statement: "A stop cost 1.94 euros.", Quote: "a stop came to 1.94 euros", Source: "a.txt:1-2", Subtopic: "T1"}
	gathered := staged.Collect([]staged.AgentAnswer{
		{Agent: "A1", Seat: "claude", Family: "claude", Facts: []staged.Fact{fact}, Insights: []string{"No second trial."}},
		{Agent: "A2", Seat: "codex", Family: "codex", Problem: "timed-out: no answer"},
	})
	accepted(t, "collection-result", gathered)
	for _, judged := range []bool{true, false} {
		accepted(t, "factcheck", staged.FactCheck(registry(), judged))
	}
	accepted(t, "factcheck", staged.FactCheck(claim.Registry{}, true))
	delivered := staged.ReportResult{NotionURL: "https://notion.invalid/p", PageID: "p", Blocks: 31, File: "final-report.md"}
	accepted(t, "report-result", delivered)
	accepted(t, "report-result", staged.ReportResult{File: "final-report.md", Local: true, Problem: "no token"})
	accepted(t, "verdict", panel.Conclude(opinions(), panel.Evidence{}))
	accepted(t, "verdict", panel.Conclude(nil, panel.Evidence{}))

	state := staged.State{
		RunID: "20260101-120000-abcdef", Topic: "Parcels by bike", CurrentStage: staged.Review, Status: staged.Running, MaxIterations: 2,
		StartedAt: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), UpdatedAt: time.Date(2026, 1, 1, 12, 5, 0, 5, time.UTC),
		Gates: []staged.Gate{{Stage: staged.Discovery, Passed: true, Reason: "a person has confirmed the brief", Attempt: 1}},
		Outputs: map[string]json.RawMessage{
			staged.Planning: marshal(t, plan()), staged.Collection: marshal(t, gathered),
			staged.Factcheck: marshal(t, staged.FactCheck(registry(), true)), staged.Report: marshal(t, delivered),
			staged.Review: marshal(t, panel.Conclude(opinions(), panel.Evidence{})),
		},
	}
	confirmed, err := staged.ConfirmBrief([]byte(brief))
	require.NoError(t, err)
	state.Outputs[staged.Discovery] = confirmed
	for _, answer := range []struct{ stage, role string }{{staged.Synthesis, agent.Findings}, {staged.DevilsAdvocate, agent.Advocate}} {
		state.Outputs[answer.stage] = example(t, answer.role)
	}
	require.Len(t, state.Outputs, len(staged.Stages()))
	accepted(t, "state", json.RawMessage(state.Encode()))
	state.Outputs[staged.Planning] = example(t, agent.Planning)
	accepted(t, "state", json.RawMessage(state.Encode()))
	accepted(t, "state", json.RawMessage(staged.State{RunID: "r", CurrentStage: staged.Done, Status: staged.Failed, Error: "no quorum"}.Encode()))
}

// Whatever question the program takes stands in the state it writes.
func TestAStateTakesTheLongestQuestion(t *testing.T) {
	topic := strings.Repeat("x", request.MaxTopicBytes)
	require.NoError(t, request.CheckTopic(topic))
	accepted(t, "state", json.RawMessage(staged.State{RunID: "r", Topic: topic, CurrentStage: staged.Discovery, Status: staged.Running}.Encode()))
}

func TestWhatIsNotSoIsRefused(t *testing.T) {
	whole := string(staged.State{RunID: "r", CurrentStage: staged.Review, Status: staged.Running}.Encode())
	for _, c := range []struct{ was, is, told string }{
		{`"review"`, `"later"`, `/current_stage: "later", expected one of`},
		{`"running"`, `"waiting"`, `/status: "waiting", expected one of`},
		{`"stage_outputs": {}`, `"stage_outputs": {"summing_up": {}}`, `/stage_outputs: unknown "summing_up"`},
		{`"stage_outputs": {}`, `"stage_outputs": {"discovery": ` + brief + `}`, `/stage_outputs/discovery: missing "confirmed_by_user"`},
		{`"0001-01-01T00:00:00Z"`, `"yesterday"`, `/started_at: "yesterday", expected a date-time`},
	} {
		text := strings.Replace(whole, c.was, c.is, 1)
		require.NotEqual(t, whole, text, c.was)
		_, problems := Check("state", []byte(text))
		require.NotEmpty(t, problems, c.is)
		require.Contains(t, problems[0], c.told)
	}
}

// The example in a role's prompt is an answer that is accepted, whole, and
// that the types take.
func TestTheExampleInEachPromptIsAccepted(t *testing.T) {
	for name, f := range formats() {
		if _, err := prompts.Text(name); err != nil {
			continue // the program's own
		}
		object := example(t, name)
		value := reflect.New(f.of)
		d := json.NewDecoder(strings.NewReader(string(object)))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(value.Interface()), name)
	}
	_, err := panel.Decode(example(t, agent.Reconsider))
	require.NoError(t, err)
	o, err := staged.Count(agent.Questions, example(t, agent.Questions))
	require.NoError(t, err)
	require.Equal(t, staged.QuestionCount, o.Questions)
}

// example is the worked example of a role's prompt.
func example(t *testing.T, role string) []byte {
	t.Helper()
	text, err := prompts.Text(role)
	require.NoError(t, err)
	_, after, found := strings.Cut(text, "```json\n")
	require.True(t, found, role)
	written, _, _ := strings.Cut(after, "```")
	object, problems := Check(role, []byte(written))
	require.Empty(t, problems, role)
	require.JSONEq(t, written, string(object), "%s: nothing of it is left out", role)
	return object
}

func marshal(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

func opinions() []panel.Opinion {
	review := func(verdict string) *panel.Review {
		return &panel.Review{Verdict: verdict, Scores: map[string]float64{"accuracy": 7.5}, Issues: []panel.Issue{{Section: "Key Findings", Claims: []string{"C1"}, Issue: "Too wide.", Fix: "Narrow it.", Severity: panel.Major}}, Summary: "s"}
	}
	return []panel.Opinion{
		{Agent: "R1", Seat: "claude", Family: "claude", First: review(panel.Approved), Last: review(panel.NeedsRevision)},
		{Agent: "R2", Seat: "codex", Family: "codex", Model: "m", First: review(panel.NeedsRevision)},
		{Agent: "R3", Seat: "gemini", Family: "gemini", Reason: "terminal: not logged in"},
	}
}

func plan() staged.Plan {
	return staged.Normalise(staged.Plan{
		Subtopics: []staged.Subtopic{{Title: "Cost", Questions: []string{"What does a stop cost?"}}, {Title: "Depots"}},
		Agents:    []staged.Assignment{{Focus: "Figures", Subtopics: []string{"T1"}, Queries: []string{"cost per stop"}}, {Focus: "All else"}},
	}, staged.Agents)
}

func registry() claim.Registry {
	entry := func(id string, state claim.State, s *claim.Support) claim.Entry {
		return claim.Entry{
			ID: id, Key: id, Text: "t", Quote: "q", Source: "a.txt:1-2",
			Families: []string{"claude"}, Location: claim.Location{State: state}, Support: s,
		}
	}
	return claim.Registry{Entries: []claim.Entry{
		entry("C1", claim.Located, &claim.Support{Verdict: vote.Supports}), entry("C2", claim.NotFound, nil), entry("C3", claim.Located, nil),
	}}
}
