package bench_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/bench"
)

// Lines as DeepResearch Bench has them: numbers as ids, further members, several languages.
const set = `{"id": 1, "topic": "Finance & Business", "language": "zh", "prompt": "收集整理目前中国9阶层实际收入和财务状况"}
{"id": 53, "language": "en", "prompt": "Please analyze \"vertical farming\" & its economics."}

{"id": "my-own", "prompt": "What changed?\nAnd why?"}
`

func TestASetIsABatch(t *testing.T) {
	list, err := bench.Read(strings.NewReader(set))
	require.NoError(t, err)
	runs, err := bench.Batch(list, `{"seats":["claude"],"tier":"cheap","max_usd":2}`)
	require.NoError(t, err)
	require.Len(t, runs, 3)
	require.Equal(t, "53", runs[1].Label)
	require.Equal(t, `Please analyze "vertical farming" & its economics.`, runs[1].Question)
	require.Equal(t, map[string]string{"tier": "cheap", "max-usd": "2"}, runs[2].Flags)
	again, err := bench.Batch(list, `{"max_usd":2,"tier":"cheap","seats":["claude"]}`)
	require.NoError(t, err)
	require.Equal(t, runs[0].Run(), again[0].Run(), "asked again it is the same run")
	text, err := json.Marshal(bench.Article{Prompt: list[0], Article: "x"})
	require.NoError(t, err)
	require.JSONEq(t, `{"id":1,"prompt":"收集整理目前中国9阶层实际收入和财务状况","article":"x"}`, string(text))
}

func TestWhatIsNoSetIsRefused(t *testing.T) {
	for text, why := range map[string]string{
		"":                         "holds no question",
		"\n\n":                     "holds no question",
		"id,prompt\n1,Why?":        "line 1: ",
		`{"prompt":"Why?"}`:        "line 1: id: use a text or a whole number",
		`{"id":null,"prompt":"W"}`: "line 1: id: use a text",
		`{"id":[1],"prompt":"W"}`:  "line 1: id: use a text",
		`{"id":1.5,"prompt":"W"}`:  "line 1: id: use a text",
		`{"id":1,"prompt":" "}`:    "line 1: it has no prompt",
		"{\"id\":1,\"prompt\":\"W\"}\n{\"id\":\"1\",\"prompt\":\"V\"}": "line 2: the id \"1\" was on line 1 already",
	} {
		_, err := bench.Read(strings.NewReader(text))
		require.ErrorContains(t, err, why, text)
	}
	list, err := bench.Read(strings.NewReader(set))
	require.NoError(t, err)
	for each, why := range map[string]string{
		"seats":                                  "what all runs have in common",
		`{"question":"Why?","seats":["claude"]}`: "question comes from the set",
		`{}`:                                     "seats: name at least one",
		`{"seats":["claude"],"tier":"golden"}`:   "tier",
		`{"seats":["claude"],"nonsense":"golden"}`: "nonsense",
	} {
		_, err := bench.Batch(list, each)
		require.ErrorContains(t, err, why, each)
	}
}

// The article of a real run ends before the appendix, and its figures are those of its registry.
func TestAnAnswerOfARealRun(t *testing.T) {
	dir := "../../../docs/examples/council"
	article, f, err := bench.Answer(dir, "final-report.md")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(article, "# BorgBackup"))
	require.NotContains(t, article, "## Claim Registry")
	require.Zero(t, f.Dangling)
	require.Greater(t, f.Cited, 50)
	require.Equal(t, 102, f.Claims)
	require.LessOrEqual(t, f.Located+f.NotFound, f.Claims)
	require.LessOrEqual(t, f.Supported, f.Judged)
	require.NotZero(t, f.Supported)
}

func TestCitationsOfPagesLeadToThePages(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("r.md", "# A\n\nIt grew [\\[1\\]](#c1 \"C1, C2\"), and shrank [\\[2\\]](#c2), or not [\\[3\\]](#c9).\n\n---\n\n## Claim Registry\n")
	write("registry.json", `{"entries":[{"id":"C1","source":"https://example.org/a_(b)"},{"id":"C2","source":"notes.md:1"}]}`)
	article, f, err := bench.Answer(dir, "r.md")
	require.NoError(t, err)
	require.Equal(t, "# A\n\nIt grew [\\[1\\]](<https://example.org/a_(b)>), and shrank [\\[2\\]](#c2), or not [\\[3\\]](#c9).\n", article)
	require.Equal(t, bench.Figures{Cited: 3, Dangling: 1, Claims: 2}, f)
	write("registry.json", "{")
	_, _, err = bench.Answer(dir, "r.md")
	require.ErrorContains(t, err, "read the registry")
}
