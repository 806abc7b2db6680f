package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/docs/schemas"
	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/plain"
)

const brief = `{"topic":"Parcels by bike","goal":"Decide on a trial","success_criteria":["costs with sources"]}`

// canonical is that brief as Check gives it.
const canonical = `{"goal":"Decide on a trial","success_criteria":["costs with sources"],"topic":"Parcels by bike"}`

func TestEverySchemaCompiles(t *testing.T) {
	require.Subset(t, schemas.Names(), []string{
		agent.Questions, agent.Brief, agent.Planning, agent.Collection, agent.Findings, agent.Advocate, agent.Review,
		"collection-result", "factcheck", "report-result", "verdict", "state",
	})
	for _, name := range schemas.Names() {
		_, err := compiled(name)
		require.NoError(t, err)
		text, ok := schemas.Text(name)
		require.True(t, ok)
		require.Contains(t, string(text), `"$id": "`+prefix+name+`"`)
	}
	_, ok := schemas.Text("prose")
	require.False(t, ok)
}

func TestWhatMayStandAroundAnAnswer(t *testing.T) {
	const end = "\n" + marker.CompleteMarker
	for name, answer := range map[string]string{
		"nothing":                          brief,
		"the end marker":                   brief + end + "\n",
		"the marker after empty lines":     brief + "\n\n\n" + marker.CompleteMarker + "\n\n",
		"Windows line breaks":              brief + "\r\n" + marker.CompleteMarker + "\r\n",
		"a byte order mark":                "\uFEFF" + brief + end,
		"white space":                      "\n\n  \t" + brief + "  \n",
		"a fence":                          "```\n" + brief + "\n```\n",
		"a fence with its language":        "```json\n" + brief + "\n```" + end,
		"a fence with Windows line breaks": "```json\r\n" + brief + "\r\n```\r\n" + marker.CompleteMarker + "\r\n",
		"a fence of tildes":                "~~~~ json\n" + brief + "\n~~~~" + end,
		"a fence that closes longer":       "```\n" + brief + "\n`````" + end,
		"a fence after empty lines":        "\uFEFF\n\n```json\n\n" + brief + "\n\n```\n\n" + marker.CompleteMarker,
	} {
		object, problems := Check(agent.Brief, []byte(answer))
		require.Empty(t, problems, name)
		require.Equal(t, canonical, string(object), name)
	}
}

func TestFencesAndMarkersInStringsStay(t *testing.T) {
	text := "```json\n{}\n```\n" + marker.CompleteMarker
	quoted, err := json.Marshal(text)
	require.NoError(t, err)
	answer := strings.Replace(brief, `"Decide on a trial"`, string(quoted), 1)
	object, problems := Check(agent.Brief, []byte("```\n"+answer+"\n```\n"+marker.CompleteMarker))
	require.Empty(t, problems)
	var b struct{ Goal string }
	require.NoError(t, json.Unmarshal(object, &b))
	require.Equal(t, text, b.Goal)
}

func TestAnswersThatMeanTheSameAreTheSame(t *testing.T) {
	review := func(score string) string {
		return `{"verdict":"approved","scores":{"accuracy":` + score + `,"evidence":8,"completeness":8,"reasoning":8,"clarity":8},"issues":[],"summary":"Sound."}`
	}
	want, problems := Check(agent.Review, []byte(review("9")))
	require.Empty(t, problems)
	for _, score := range []string{"9.0", "9.00", "90e-1", "0.9E+1"} {
		got, problems := Check(agent.Reconsider, []byte(review(score)))
		require.Empty(t, problems)
		require.Equal(t, string(want), string(got), score)
	}
	for _, same := range []string{
		"{\n  \"success_criteria\" : [ \"costs with sources\" ],\n  \"goal\": \"Decide on a trial\", \"topic\": \"Parcels by bike\"\n}",
		strings.Replace(brief, "Parcels", `\u0050arcels`, 1),
		strings.TrimSuffix(brief, "}") + `,"audience":null,"in_scope":null}`,
		strings.TrimSuffix(brief, "}") + `,"confirmed_by_user":true,"notes":{"deep":[[1]]}}`,
	} {
		got, problems := Check(agent.Brief, []byte(same))
		require.Empty(t, problems)
		require.Equal(t, canonical, string(got))
	}
}

func TestMembersNoSchemaNamesAreLeftOut(t *testing.T) {
	object, problems := Check(agent.Collection, []byte(`{"agent":"A9","seat":"root","family":"claude","problem":"none",
		"facts":[{"id":"C1","statement":"s","quote":"words of it","source":"a.txt:1-2","confidence":"High","subtopic":null}],"insights":[]}`))
	require.Empty(t, problems)
	require.JSONEq(t, `{"facts":[{"statement":"s","quote":"words of it","source":"a.txt:1-2"}],"insights":[]}`, string(object))

	object, problems = Check(agent.Review, []byte(`{"verdict":"approved","final":1,"scores":{"accuracy":1,"evidence":2,"completeness":3,"reasoning":4,"clarity":5,"novelty":6},"issues":[],"summary":"s"}`))
	require.Empty(t, problems)
	require.Contains(t, string(object), `"novelty":6`, "a criterion of the reviewer's own")
	require.NotContains(t, string(object), "final")
}

func TestWordsOfAListAreSpeltAsItHasThem(t *testing.T) {
	object, problems := Check(agent.Advocate, []byte(`{"risks":[{"risk":"High","likelihood":"High","impact":" LOW "}],"counterarguments":[],"blind_spots":[]}`))
	require.Empty(t, problems)
	require.JSONEq(t, `{"risks":[{"risk":"High","likelihood":"high","impact":"low"}],"counterarguments":[],"blind_spots":[]}`, string(object))
}

func TestMarkupIsNotRewritten(t *testing.T) {
	object, problems := Check(agent.Brief, []byte(strings.Replace(brief, "Parcels", `<b>&\u2028`, 1)))
	require.Empty(t, problems)
	require.Contains(t, string(object), "<b>&")
}

// Each answer is the brief with something wrong about it, and what its writer
// is told.
func TestMalformedAnswers(t *testing.T) {
	const goal, one = `"goal":"g","success_criteria":["c"]`, `{"topic":"t",`
	nested := func(n int) string { return one + `"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	for name, c := range map[string]struct{ answer, told string }{
		"nothing":                     {"", "the answer is empty; one JSON object is expected"},
		"white space":                 {" \n\t", "the answer is empty; one JSON object is expected"},
		"the marker alone":            {marker.CompleteMarker, "the answer is empty; one JSON object is expected"},
		"an empty fence":              {"```json\n```\n", "the answer is empty; one JSON object is expected"},
		"prose":                       {"I cannot do this.", `line 1, column 1: "I cannot do this." is no JSON object; one is expected, beginning with {`},
		"prose before it":             {"Here is the JSON:\n" + brief, `line 1, column 1: before the object stands "Here is the JSON:"; the file holds the object alone, without a word around it`},
		"prose after it":              {brief + "\nI hope this helps!\n" + marker.CompleteMarker, `line 2, column 1: after the object comes "I hope this helps!"; nothing may follow it but the end marker, alone on the last line`},
		"prose around a fence":        {"Sure:\n```json\n" + brief + "\n```", `line 1, column 1: before the object stands "Sure: ` + "```json" + `"; the file holds the object alone, without a word around it`},
		"prose after a fence":         {"```json\n{}\n```\nDone.", "line 1, column 1: before the object stands \"```json\"; the file holds the object alone, without a word around it"},
		"a fence that stays open":     {"```json\n{}\n", "line 1, column 1: before the object stands \"```json\"; the file holds the object alone, without a word around it"},
		"a fence closed by another":   {"```json\n{}\n~~~", "line 1, column 1: before the object stands \"```json\"; the file holds the object alone, without a word around it"},
		"the marker on its line":      {brief + " " + marker.CompleteMarker, `line 1, column 98: after the object comes "<!-- RESEARCH_COMPLETE -->"; nothing may follow it but the end marker, alone on the last line`},
		"the marker twice":            {brief + "\n" + marker.CompleteMarker + "\n" + marker.CompleteMarker, `line 2, column 1: after the object comes "<!-- RESEARCH_COMPLETE -->"; nothing may follow it but the end marker, alone on the last line`},
		"two objects":                 {"{}\n{}", `line 2, column 1: after the object comes "{}"; nothing may follow it but the end marker, alone on the last line`},
		"a list":                      {"[" + brief + "]", "line 1, column 1: a list stands there; one JSON object is expected, beginning with {"},
		"a string":                    {`"{}"`, `line 1, column 1: before the object stands "\""; the file holds the object alone, without a word around it`},
		"null":                        {"null", `line 1, column 1: "null" is no JSON object; one is expected, beginning with {`},
		"a front matter":              {"---\nrole: brief\n---\n", `line 1, column 1: "--- role: brief ---" is no JSON object; one is expected, beginning with {`},
		"bytes that are no UTF-8":     {one + "\n\"goal\":\"caf\xe9\"}", "line 2, column 12: the bytes are no UTF-8"},
		"UTF-16":                      {"\xff\xfe{\x00}\x00", "line 1, column 1: the bytes are no UTF-8"},
		"a comma too many":            {one + goal + ",}", `line 1, column 50: invalid character '}' looking for beginning of object key string; no comma may stand before a closing bracket`},
		"a comma too many in a list":  {one + `"in_scope":["a",]}`, `line 1, column 30: invalid character ']' looking for beginning of value; no comma may stand before a closing bracket`},
		"a comma too few":             {"{\n\"topic\": \"t\"\n\"goal\": \"g\"}", `line 3, column 1: invalid character '"' after object key:value pair; a quotation mark inside a string is written \"`},
		"an open quotation mark":      {one + `"goal":"a "good" one"}`, `line 1, column 25: invalid character 'g' after object key:value pair; a quotation mark inside a string is written \"`},
		"a bare line break":           {one + "\"goal\":\"a\nb\"}", `line 1, column 23: invalid character '\n' in string literal; inside a string a line break is written \n and a tab \t`},
		"a comment":                   {"```json\n{ // mine\n}\n```", "line 2, column 3: invalid character '/' looking for beginning of object key string; JSON has no comments"},
		"single quotes":               {"{'topic':'t'}", `line 1, column 2: invalid character '\'' looking for beginning of object key string; keys and strings stand in double quotes`},
		"keys without quotes":         {"{topic:1}", `line 1, column 2: invalid character 't' looking for beginning of object key string; keys and strings stand in double quotes`},
		"NaN":                         {`{"topic":NaN}`, `line 1, column 10: invalid character 'N' looking for beginning of value; NaN and Infinity are no JSON`},
		"Infinity":                    {`{"topic":-Infinity}`, `line 1, column 11: invalid character 'I' in numeric literal; NaN and Infinity are no JSON`},
		"a number beyond all":         {one + `"x":1e999}`, `/x: the number "1e999" is too large`},
		"a half escape":               {`{"topic":"\u12"}`, `line 1, column 15: invalid character '"' in \u hexadecimal character escape`},
		"an object that breaks off":   {one + `"goal":"g`, "line 1, column 23: the answer breaks off inside the object; every string, list and object has to be closed"},
		"an object without its end":   {one + "\n" + goal + "\n" + marker.CompleteMarker, "line 2, column 36: the answer breaks off inside the object; every string, list and object has to be closed"},
		"a member twice":              {one + goal + `,"topic":"u"}`, `/: "topic" is there twice; each member stands once`},
		"a member twice but for case": {one + goal + `,"Goal":"h"}`, `/: "goal" is there twice; each member stands once`},
		"a member twice by folding":   {one + goal + ",\"\u017Fuccess_criteria\":[]}", `/: "success_criteria" is there twice; each member stands once`},
		"a member twice, deep down":   {one + goal + `,"a/b":[{"c":1,"c":2}]}`, `/a~1b/0: "c" is there twice; each member stands once`},
		"too deep":                    {nested(MaxDepth), "the answer is nested more than 64 deep"},
		"far too deep":                {nested(20_000), "line 1, column 10017: invalid character '[' exceeded max depth"},
		"too long":                    {one + goal + strings.Repeat(" ", MaxBytes) + "}", "the answer has 4194353 bytes; at most 4194304 are taken"},
		"too many values":             {one + `"x":[0` + strings.Repeat(",0", MaxValues) + "]}", "the answer holds more than 50000 values"},
		"escape sequences":            {"\x1b[31mred\x1b]0;title\x07", `line 1, column 1: "red" is no JSON object; one is expected, beginning with {`},
	} {
		t.Run(name, func(t *testing.T) {
			object, problems := Check(agent.Brief, []byte(c.answer))
			require.Nil(t, object)
			require.Equal(t, []string{c.told}, problems)
		})
	}
}

func TestAnswersTheSchemaRefuses(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, c := range map[string]struct {
		role, answer string
		told         []string
	}{
		"a brief without anything": {agent.Brief, `{}`, []string{`/: missing "topic", "goal", "success_criteria"`}},
		"another type": {agent.Brief, `{"topic":7,"goal":[],"success_criteria":"c"}`, []string{
			"/goal: array, expected string", "/success_criteria: string, expected array", "/topic: number, expected string",
		}},
		"blanks": {agent.Brief, `{"topic":" ","goal":"","success_criteria":[]}`, []string{
			"/goal: empty, some text is needed", "/success_criteria: 0 items, at least 1 item is needed", "/topic: empty, some text is needed",
		}},
		"null where something is needed": {agent.Brief, `{"topic":null,"goal":"g","success_criteria":["c",null]}`, []string{
			`/: missing "topic"`, "/success_criteria/1: null, expected string",
		}},
		"a key in another case": {agent.Brief, `{"Topic":"t","goal":"g","success_criteria":["c"]}`, []string{`/: missing "topic"`}},
		"too long":              {agent.Brief, `{"topic":"` + long + `","goal":"g","success_criteria":["c"]}`, []string{"/topic: 5000 characters, at most 2000 are taken"}},
		"nine questions": {agent.Questions, `{"questions":[` + strings.TrimSuffix(strings.Repeat(`{"question":"?"},`, 9), ",") + `]}`, []string{
			"/questions: 9 items, at least 10 items are needed",
		}},
		"two recommendations": {agent.Findings, `{"executive_summary":"s","key_findings":[{"finding":"f","claims":["C1"]}],"recommendations":[{"recommendation":"r","rationale":"w"},{"recommendation":"r"}]}`, []string{
			"/recommendations: 2 items, at least 3 items are needed", `/recommendations/1: missing "rationale"`,
		}},
		"a finding on nothing, and one on an address": {agent.Findings, `{"executive_summary":"s","key_findings":[{"finding":"f","claims":[]},{"finding":"f","claims":["http://a.invalid/"]}],"recommendations":[{"recommendation":"r","rationale":"w"},{"recommendation":"r","rationale":"w"},{"recommendation":"r","rationale":"w"}]}`, []string{
			"/key_findings/0/claims: 0 items, at least 1 item is needed", `/key_findings/1/claims/0: "http://a.invalid/", expected the form ^C[1-9][0-9]{0,5}$`,
		}},
		"no risk": {agent.Advocate, `{"risks":[],"counterarguments":[],"blind_spots":[]}`, []string{"/risks: 0 items, at least 1 item is needed"}},
		"another likelihood": {agent.Advocate, `{"risks":[{"risk":"r","likelihood":"certain"}],"counterarguments":[],"blind_spots":[]}`, []string{
			`/risks/0/likelihood: "certain", expected one of "low", "medium", "high"`,
		}},
		"a plan of nobody": {agent.Planning, `{"subtopics":[],"agents":[],"quality_criteria":[]}`, []string{
			"/agents: 0 items, at least 1 item is needed", "/quality_criteria: 0 items, at least 1 item is needed", "/subtopics: 0 items, at least 1 item is needed",
		}},
		"a review out of bounds": {agent.Review, `{"verdict":"fine","scores":{"accuracy":11,"evidence":-1,"completeness":"8","reasoning":8},"issues":[{}],"summary":"s"}`, []string{
			`/issues/0: missing "section", "issue"`, `/scores: missing "clarity"`, "/scores/accuracy: 11, at most 10 is expected", "/scores/completeness: string, expected number", "/scores/evidence: -1, at least 0 is expected",
			`/verdict: "fine", expected one of "approved", "needs_revision", "rejected"`,
		}},
		"a refusal without an issue": {agent.Reconsider, `{"verdict":"rejected","scores":{"accuracy":1,"evidence":1,"completeness":1,"reasoning":1,"clarity":1},"issues":[],"summary":"s"}`, []string{
			"/issues: 0 items, at least 1 item is needed",
		}},
		"a member the program's own format does not have": {"report-result", `{"notion_url":"","page_id":"","block_count":1.5,"file":"f","extra":1}`, []string{
			`/: unknown "extra"`, "/block_count: number, expected integer",
		}},
		"a role without a schema": {agent.Prose, `{}`, []string{`there is no schema for "prose"`}},
		"a role that is a path":   {"../../go", `{}`, []string{`there is no schema for "../../go"`}},
	} {
		t.Run(name, func(t *testing.T) {
			object, problems := Check(c.role, []byte(c.answer))
			require.Nil(t, object)
			require.Equal(t, c.told, problems)
		})
	}
}

func TestManyProblemsAreCounted(t *testing.T) {
	facts := strings.TrimSuffix(strings.Repeat("{},", 30), ",")
	_, problems := Check(agent.Collection, []byte(`{"facts":[`+facts+`],"insights":[]}`))
	require.Len(t, problems, MaxProblems)
	for i, p := range problems[:MaxProblems-1] {
		require.Equal(t, fmt.Sprintf(`/facts/%d: missing "statement", "quote", "source"`, i), p, "in the order of the list, not of its digits")
	}
	require.Equal(t, "and 19 more problems", problems[MaxProblems-1])
}

// A name in an answer is foreign text: it gets no line, no colour and no room
// of its own in what is told.
func TestProblemsAreLinesOfOurs(t *testing.T) {
	name, err := json.Marshal("x\n## Rules\n\x1b[31m" + strings.Repeat("y", 5000))
	require.NoError(t, err)
	_, problems := Check("report-result", []byte(`{`+string(name)+`:1,`+string(name)+`:2}`))
	requireLines(t, problems)
	_, problems = Check("report-result", []byte(`{`+string(name)+`:1}`))
	requireLines(t, problems)
}

func requireLines(t require.TestingT, problems []string) {
	require.NotEmpty(t, problems)
	require.LessOrEqual(t, len(problems), MaxProblems)
	for _, p := range problems {
		require.NotEmpty(t, p)
		require.LessOrEqual(t, utf8.RuneCountInString(p), ProblemLimit)
		require.Equal(t, plain.Line(p, ProblemLimit), p)
	}
}

// What comes out goes in again and stays the same, in whatever order its
// members stood and whatever stood around it.
func TestCheckIsStable(t *testing.T) {
	text := rapid.StringMatching(`[a-z"{}\\<\n\x60é-]{0,8}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		members := []string{
			`"topic":` + marshalled(t, text.Draw(t, "topic")), `"goal":` + marshalled(t, text.Draw(t, "goal")),
			`"success_criteria":` + marshalled(t, rapid.SliceOfN(text, 1, 4).Draw(t, "criteria")), `"more":` + marshalled(t, rapid.Int().Draw(t, "more")),
		}
		answer := "{" + strings.Join(rapid.Permutation(members).Draw(t, "members"), ",\n") + "}"
		first, problems := Check(agent.Brief, []byte(answer))
		require.Empty(t, problems)
		second, problems := Check(agent.Brief, []byte("```json\n"+string(first)+"\n```\n"+marker.CompleteMarker))
		require.Empty(t, problems)
		require.Equal(t, string(first), string(second))
	})
}

func marshalled(t *rapid.T, v any) string {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// Whatever a file holds, it gives either one object that is accepted again or
// a few lines.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{brief, "```json\n" + brief + "\n```\n" + marker.CompleteMarker, "Here: {}", `{"a":[{"b":1e9,"b":-0}]}`, "{\"\xff\":1}", "~~~\n~~~\n", "{}{}", `{"facts":[{}],"insights":[null]}`, "```", "\uFEFF"} {
		for _, role := range []string{agent.Brief, agent.Collection, agent.Reconsider} {
			f.Add(role, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, role string, answer []byte) {
		given := bytes.Clone(answer)
		object, problems := Check(role, answer)
		require.Equal(t, given, answer, "an answer is not written to")
		if object == nil {
			requireLines(t, problems)
			return
		}
		require.Empty(t, problems)
		require.True(t, json.Valid(object))
		again, problems := Check(role, object)
		require.Empty(t, problems)
		require.Equal(t, string(object), string(again))
	})
}

func FuzzUnwrap(f *testing.F) {
	f.Add([]byte("```\nx\n```\n" + marker.CompleteMarker))
	f.Add([]byte("\n~~~a\n\n~~~~"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		body, first := stripWrapping(answer)
		require.True(t, bytes.Contains(answer, body))
		require.Positive(t, first)
		require.LessOrEqual(t, first, bytes.Count(answer, []byte("\n"))+1)
	})
}

func BenchmarkCheck(b *testing.B) {
	fact := `{"statement":"A stop by cargo bike cost 1.94 euros in the trial of 2022.","quote":"the cost of a stop by cargo bike came to 1.94 euros including the rent of the depot","source":"reports/trial-2022.txt:118-121","subtopic":"T1"}`
	for _, n := range []int{10, 200} {
		answer := []byte(`{"facts":[` + strings.TrimSuffix(strings.Repeat(fact+",", n), ",") + `],"insights":["one"]}` + "\n" + marker.CompleteMarker)
		b.Run(fmt.Sprintf("%d facts", n), func(b *testing.B) {
			b.SetBytes(int64(len(answer)))
			for b.Loop() {
				if _, problems := Check(agent.Collection, answer); problems != nil {
					b.Fatal(problems)
				}
			}
		})
	}
}

// BenchmarkCompile is what the first answer of a process costs.
func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := compile("state"); err != nil {
			b.Fatal(err)
		}
	}
}
