package campaign

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestQuestionsAreOpenUntilAClaimAnswersThem(t *testing.T) {
	list, refused := DecodeQuestions(strings.NewReader(strings.Join([]string{
		`{"question":"How long do cells last?"}`,
		`{"question":"What does recycling cost?"}`,
		`{"question":"how  long do\ncells LAST?","answered":["C12"," c13"]}`,
		`{"question":"How long do cells last?"}`,
		`{"question":"How long do cells last?","answered":["C12","C14"]}`,
		`{"question":"Asked and answered?","answered":["C1"]}`,
	}, "\n")))
	require.Empty(t, refused)
	require.Equal(t, []Question{
		{Text: "How long do cells last?", Answered: []string{"C12", "C13", "C14"}},
		{Text: "What does recycling cost?"},
		{Text: "Asked and answered?", Answered: []string{"C1"}},
	}, list)
}

func TestLinesThatAreNoQuestionAreToldAndTheOthersRead(t *testing.T) {
	list, refused := DecodeQuestions(strings.NewReader("```json\n[\n" + `{"question":"a?"},
not json
{"question":"  "}
{"question":7}
{"question":"b?","answered":"C1"}
{"question":"b?","answered":["12"]}
{"question":"b?","answered":["C0"]}
{"question":"` + strings.Repeat("x", RecordLine) + `"}

{"question":"c\u001b[31m?"}` + "\n]\n```\n"))
	require.Equal(t, []Question{{Text: "a?"}, {Text: "c?"}}, list)
	require.Equal(t, []Refused{
		{Line: 4, Reason: "no JSON object"},
		{Line: 5, Reason: "it has no question"},
		{Line: 6, Reason: "its question may be no number"},
		{Line: 7, Reason: "its answered may be no string"},
		{Line: 8, Reason: `"12" is no claim's id; they look like C12`},
		{Line: 9, Reason: `"C0" is no claim's id; they look like C12`},
		{Line: 10, Reason: "longer than 64 KiB"},
	}, refused)
}

func TestRecordsAreBounded(t *testing.T) {
	var many strings.Builder
	for i := range MostRecords + 10 {
		fmt.Fprintf(&many, "{\"question\":\"%d?\"}\n", i)
	}
	list, refused := DecodeQuestions(strings.NewReader(many.String()))
	require.Len(t, list, MostRecords)
	require.Equal(t, []Refused{{Line: MostRecords + 1, Reason: "there are more than 5000 records; the rest was not read"}}, refused)

	_, refused = DecodeQuestions(strings.NewReader(strings.Repeat("nonsense\n", 100)))
	require.Len(t, refused, mostRefused+1)
	require.Equal(t, "up to here 80 more lines are no records either", refused[mostRefused].Reason)

	_, refused = DecodeIssues(iotest.ErrReader(errors.New("the disk is gone")))
	require.Equal(t, []Refused{{Line: 1, Reason: "reading stopped: the disk is gone"}}, refused)
}

const (
	raised   = `{"severity":"blocker","aspect":"safety","text":"No word on fire","evidence":["C3"],"resolution":"say how it is put out","by":"plan-critic"}`
	concern  = `{"severity":"Concern","text":"Costs are old","by":"plan-critic"}`
	second   = `{"severity":"blocker","text":"The parser is missing","by":"gemini critic"}`
	byWorker = `{"resolves":"B1","how":"a section on it","by":"plan-architect"}`
	byCritic = `{"resolves":"b1","how":"seen","by":"Plan-Critic"}`
)

func decodeIssues(t *testing.T, lines ...string) []Issue {
	t.Helper()
	list, refused := DecodeIssues(strings.NewReader(strings.Join(lines, "\n")))
	require.Empty(t, refused)
	return list
}

func TestOnlyACriticClosesABlocker(t *testing.T) {
	list := decodeIssues(t, raised, concern, raised, second, byWorker)
	require.Equal(t, []Issue{
		{ID: "B1", Severity: Blocker, Aspect: "safety", Text: "No word on fire", Resolution: "say how it is put out", By: "plan-critic", Evidence: []string{"C3"}, How: "a section on it"},
		{ID: "B2", Severity: Concern, Text: "Costs are old", By: "plan-critic"},
		{ID: "B3", Severity: Blocker, Text: "The parser is missing", By: "gemini critic"},
	}, list)
	require.Equal(t, []Issue{list[0], list[2]}, Open(list))

	list = decodeIssues(t, raised, concern, second, byWorker, byCritic, byWorker)
	require.True(t, list[0].Closed)
	require.Equal(t, "Plan-Critic", list[0].ClosedBy)
	require.Equal(t, "seen", list[0].How)
	require.Equal(t, []Issue{list[2]}, Open(list))
}

func TestACriticMayOpenAnIssueAgain(t *testing.T) {
	require.Len(t, Open(decodeIssues(t, raised, byCritic, raised)), 1)
	again := strings.Replace(raised, "plan-critic", "plan-architect", 1)
	require.Empty(t, Open(decodeIssues(t, raised, byCritic, again)))
}

func TestLinesThatAreNoIssueAreTold(t *testing.T) {
	list, refused := DecodeIssues(strings.NewReader(strings.Join([]string{
		`{"resolves":"B1","how":"x","by":"plan-critic"}`,
		`{"severity":"fatal","text":"x"}`,
		`{"severity":"blocker","text":" "}`,
		`{"severity":"blocker","text":"x","evidence":"C3"}`,
		`["blocker"]`,
	}, "\n")))
	require.Empty(t, list)
	require.Equal(t, []Refused{
		{Line: 1, Reason: `there is no issue "B1"`},
		{Line: 2, Reason: `there is no severity "fatal"; there are blocker, concern, suggestion`},
		{Line: 3, Reason: "it has no text"},
		{Line: 4, Reason: "its evidence may be no string"},
		{Line: 5, Reason: "no JSON object"},
	}, refused)
}

func TestWhatACoderClaims(t *testing.T) {
	got, err := DecodeClaimed([]byte(` {"id":"F001","claims":"Pass","summary":"done\n\u001b[2Jall","files":["a.go","","a.go"],"tests":["a_test.go"],"passes":true}`))
	require.NoError(t, err)
	require.Equal(t, Claimed{ID: "F001", Claims: "pass", Summary: "done all", Files: []string{"a.go"}, Tests: []string{"a_test.go"}}, got)
	for text, says := range map[string]string{
		``:                                   "no JSON object",
		`{"id":"F001"}`:                      `it claims ""; say pass or fail`,
		`{"id":"F001","claims":"sure"}`:      `it claims "sure"`,
		`{"claims":"pass"}`:                  "it names no feature",
		`{"id":["F001"],"claims":"pass"}`:    "its id may be no array",
		strings.Repeat(" ", RecordLine+1):    "longer than 64 KiB",
		`{"id":"F001","claims":"pass"} more`: "no JSON object that can be read",
	} {
		_, err := DecodeClaimed([]byte(text))
		require.ErrorContains(t, err, says)
	}
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte(raised + "\n" + byCritic + "\n" + `{"question":"a?","answered":["C1"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, refused := DecodeIssues(strings.NewReader(string(data)))
		require.LessOrEqual(t, len(refused), mostRefused+1)
		for i, issue := range list {
			require.Equal(t, fmt.Sprintf("B%d", i+1), issue.ID)
			require.NotEmpty(t, issue.Text)
			require.True(t, !issue.Closed || critic(issue.ClosedBy))
		}
		questions, _ := DecodeQuestions(strings.NewReader(string(data)))
		for _, q := range questions {
			require.NotContains(t, q.Text, "\n")
		}
		_, _ = DecodeClaimed(data)
	})
}
