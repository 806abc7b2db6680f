package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
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
{"question":"` + strings.Repeat("x", MaxRecordLine) + `"}

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
	for i := range MaxRecords + 10 {
		fmt.Fprintf(&many, "{\"question\":\"%d?\"}\n", i)
	}
	list, refused := DecodeQuestions(strings.NewReader(many.String()))
	require.Len(t, list, MaxRecords)
	require.Equal(t, []Refused{{Line: MaxRecords + 1, Reason: "there are more than 5000 records; the rest was not read"}}, refused)

	_, refused = DecodeQuestions(strings.NewReader(strings.Repeat("nonsense\n", 100)))
	require.Len(t, refused, maxRefused+1)
	require.Equal(t, "up to here 80 more lines are no records either", refused[maxRefused].Reason)

	_, refused = DecodeQuestions(iotest.ErrReader(errors.New("the disk is gone")))
	require.Equal(t, []Refused{{Line: 1, Reason: "reading stopped: the disk is gone"}}, refused)
}

func TestWhatACoderClaims(t *testing.T) {
	got, err := DecodeCoderNote([]byte(` {"id":"F001","claims":"Pass","summary":"done\n\u001b[2Jall","files":["a.go","","a.go"],"tests":["a_test.go"],"passes":true}`))
	require.NoError(t, err)
	require.Equal(t, CoderNote{ID: "F001", Outcome: "pass", Summary: "done all", Files: []string{"a.go"}, Tests: []string{"a_test.go"}}, got)
	for text, says := range map[string]string{
		``:                                   "no JSON object",
		`{"id":"F001"}`:                      `it claims ""; say pass or fail`,
		`{"id":"F001","claims":"sure"}`:      `it claims "sure"`,
		`{"claims":"pass"}`:                  "it names no feature",
		`{"id":["F001"],"claims":"pass"}`:    "its id may be no array",
		strings.Repeat(" ", MaxRecordLine+1): "longer than 64 KiB",
		`{"id":"F001","claims":"pass"} more`: "no JSON object that can be read",
		`{"id":"F001","claims":"pass",}`:     "no JSON object that can be read",
		`{"id":"F001","claims":"pa`:          "no JSON object that can be read",
		`{'id':'F001','claims':'pass'}`:      "no JSON object that can be read",
		`[{"id":"F001","claims":"pass"}]`:    "no JSON object",
		`null`:                               "no JSON object",
		"It is built.":                       "no JSON object",
		"\ufeff{}":                           "no JSON object",
		"```json\n{}\n```":                   "no JSON object",
	} {
		_, err := DecodeCoderNote([]byte(text))
		require.ErrorContains(t, err, says)
	}
}

func TestWhatAJudgeSays(t *testing.T) {
	got, err := DecodeVerdict([]byte("```json\n"+`{"accept":true,"reason":"right\u001b[2J so","checked":"all of it","tests":[{"test":"a › x","accept":true,"reason":"it moved to b"}],"passes":true}`+"\n```\n<!-- RESEARCH_COMPLETE -->\n"), []string{"a › x"})
	require.NoError(t, err)
	require.Equal(t, Verdict{Accept: true, Reason: "right so", Checked: "all of it", Tests: []TestVerdict{{"a › x", true, "it moved to b"}}}, got)
	got, err = DecodeVerdict([]byte(`{"accept":false,"reason":"TestX is gone","checked":"the change"}`), []string{"a › x"})
	require.NoError(t, err, "a no owes nothing to each test")
	require.False(t, got.Accept)

	yes := func(tests string) string { return `{"accept":true,"reason":"r","checked":"c","tests":` + tests + `}` }
	for name, c := range map[string]struct{ text, says string }{
		"nothing":                      {"", "no JSON object"},
		"prose":                        {"I accept the change.", "no JSON object"},
		"a list":                       {`[{"accept":true,"reason":"r","checked":"c"}]`, `"tests" says nothing of a › x`},
		"cut off":                      {`{"accept":true,"reason":"r`, "no JSON object"},
		"cut off behind an entry":      {`{"accept":true,"reason":"r","checked":"c","tests":[{"test":"a › x","accept":true,"reason":"r"}`, "no JSON object that can be read"},
		"two objects":                  {yes(`[]`) + yes(`[]`), "no JSON object that can be read"},
		"no word on it":                {`{"reason":"r","checked":"c"}`, `it does not say "accept"`},
		"null":                         {`{"accept":null,"reason":"r","checked":"c"}`, `it does not say "accept"`},
		"yes as a word":                {`{"accept":"yes","reason":"r","checked":"c"}`, "its accept may be no string"},
		"true as a word":               {`{"accept":"true","reason":"r","checked":"c"}`, "its accept may be no string"},
		"one":                          {`{"accept":1,"reason":"r","checked":"c"}`, "its accept may be no number"},
		"no reason":                    {`{"accept":true,"checked":"c"}`, `it needs a "reason"`},
		"a blank reason":               {`{"accept":false,"reason":" \n","checked":"c"}`, `it needs a "reason"`},
		"nothing looked at":            {`{"accept":true,"reason":"r","checked":""}`, `in "checked" what was looked at`},
		"tests that are none":          {yes(`"a › x"`), "its tests may be no string"},
		"a test that is not gone":      {yes(`[{"test":"b","accept":true,"reason":"r"}]`), `"tests" says nothing of a › x`},
		"a test without a reason":      {yes(`[{"test":"a › x","accept":true,"reason":" "}]`), `"tests" says nothing of a › x`},
		"a loss that is not accepted":  {yes(`[{"test":"a › x","accept":false,"reason":"r"}]`), "and not that a › x is gone"},
		"a loss nothing is said of":    {yes(`[]`), `it accepts the change, and "tests" says nothing of a › x`},
		"more than anybody has to say": {strings.Repeat(" ", MaxRecordLine+1), "longer than 64 KiB"},
	} {
		_, err := DecodeVerdict([]byte(c.text), []string{"a › x"})
		require.ErrorContains(t, err, c.says, name)
	}
}

// A yes covers every test that is gone, whatever it is written like.
func FuzzVerdict(f *testing.F) {
	f.Add([]byte(`{"accept":true,"reason":"r","checked":"c","tests":[{"test":"a","accept":true,"reason":"r"}]}`), "a")
	f.Add([]byte("```json\n{\"accept\":false,\"reason\":\"r\",\"checked\":\"c\"}\n```"), "b › c")
	f.Add([]byte(`{"accept":true,"Accept":false,"reason":"r","checked":"c","tests":null}`), "")
	f.Fuzz(func(t *testing.T, data []byte, gone string) {
		v, err := DecodeVerdict(data, []string{gone})
		if err != nil {
			require.Zero(t, v)
			return
		}
		require.NotEmpty(t, v.Reason)
		require.NotEmpty(t, v.Checked)
		require.NotContains(t, v.Reason+v.Checked, "\n")
		require.LessOrEqual(t, len(v.Tests), MaxRecords)
		require.True(t, !v.Accept || slices.ContainsFunc(v.Tests, func(x TestVerdict) bool { return x.Test == gone && x.Accept && x.Reason != "" }))
		again, err := DecodeVerdict(data, nil)
		require.NoError(t, err, "fewer tests ask for no more")
		require.Equal(t, v, again)
	})
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte(raised+"\n"+`{"question":"a?","answered":["C1"]}`), []byte(closes("B1", "C7")))
	f.Fuzz(func(t *testing.T, first, then []byte) {
		h := ReadIssues(nil, first, reading(before))
		again := ReadIssues(h.Issues, then, reading(after))
		require.LessOrEqual(t, len(again.Refused), maxRefused+1)
		require.GreaterOrEqual(t, len(again.Issues), len(h.Issues))
		for i, issue := range again.Issues {
			require.Equal(t, fmt.Sprintf("B%d", i+1), issue.ID)
			require.NotEmpty(t, issue.Text)
			require.True(t, issue.Closed == nil || issue.Closed.Plan != issue.Plan && len(issue.Closed.Evidence) > 0)
		}
		questions, _ := DecodeQuestions(bytes.NewReader(first))
		for _, q := range questions {
			require.NotContains(t, q.Text, "\n")
		}
		_, _ = DecodeCoderNote(first)
	})
}
