package panel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const whole = `{"verdict":"needs_revision","scores":{"accuracy":7.5,"clarity":10},"strengths":["clear"],
"issues":[{"section":"Costs","claims":["C1"],"issue":"too old","fix":"renew it","severity":" Major "}],"summary":"good"}`

func TestDecodeReadsAReview(t *testing.T) {
	r, err := Decode([]byte(whole))
	require.NoError(t, err)
	require.Equal(t, Review{
		Verdict: NeedsRevision, Scores: map[string]float64{"accuracy": 7.5, "clarity": 10}, Strengths: []string{"clear"}, Summary: "good",
		Issues: []Issue{{Section: "Costs", Claims: []string{"C1"}, Issue: "too old", Fix: "renew it", Severity: Major}},
	}, r)
}

func TestWhatIsNoReviewIsNoVote(t *testing.T) {
	long := strings.Repeat("x", maxTextBytes+1)
	for _, c := range []struct{ name, in, problem string }{
		{"nothing", ``, "EOF"},
		{"prose", `I approve of it.`, "invalid character"},
		{"a list", `[]`, "cannot unmarshal"},
		{"null", `null`, "no JSON object"},
		{"cut off", `{"verdict":"approved"`, "EOF"},
		{"two objects", `{"verdict":"approved"}{"verdict":"rejected"}`, "something stands behind"},
		{"no verdict", `{}`, `the verdict is ""; it is approved, needs_revision or rejected`},
		{"an unknown verdict", `{"verdict":"fine\u001b[2J\n"}`, `the verdict is "fine"`},
		{"another case", `{"verdict":"Approved"}`, `the verdict is "Approved"`},
		{"a verdict that is for us to give", `{"verdict":"no_quorum"}`, `the verdict is "no_quorum"`},
		{"a verdict of another type", `{"verdict":true}`, "cannot unmarshal"},
		{"two verdicts", `{"verdict":"rejected","verdict":"approved"}`, `"verdict" stands there twice`},
		{"two verdicts in two cases", `{"verdict":"rejected","VERDICT":"approved"}`, `"VERDICT" stands there twice`},
		{"a score beyond 10", `{"verdict":"approved","scores":{"clarity":10.01}}`, `the score of "clarity" is 10.01; it is a number from 0 to 10`},
		{"a score below 0", `{"verdict":"approved","scores":{"clarity":-1}}`, `is -1`},
		{"a score beyond all numbers", `{"verdict":"approved","scores":{"clarity":1e999}}`, "cannot unmarshal number"},
		{"a score that is no number", `{"verdict":"approved","scores":{"clarity":"9"}}`, "cannot unmarshal string"},
		{"a score without a name", `{"verdict":"approved","scores":{" ":9}}`, "bears no name"},
		{"an issue that says nothing", `{"verdict":"approved","issues":[{"section":"Costs","issue":" \n"}]}`, "issue 1: it says nothing"},
		{"an unknown severity", `{"verdict":"approved","issues":[{"issue":"x","severity":"huge"}]}`, `issue 1: the severity is "huge"; it is critical, major or minor`},
		{"a long issue", `{"verdict":"approved","issues":[{"issue":"` + long + `"}]}`, "issue 1: a text is longer than 8 KiB"},
		{"a long summary", `{"verdict":"approved","summary":"` + long + `"}`, "a text is longer than 8 KiB"},
		{"too many issues", `{"verdict":"approved","issues":[` + strings.Repeat(`{"issue":"x"},`, maxIssues) + `{"issue":"x"}]}`, "it has 201 issues"},
		{"too many claims", `{"verdict":"approved","issues":[{"issue":"x","claims":[` + strings.Repeat(`"C1",`, maxClaims) + `"C1"]}]}`, "it names 201 claims"},
		{"too many scores", `{"verdict":"approved","scores":{` + scores(maxScores+1) + `}}`, "it has 33 scores"},
		{"too much of all", strings.Repeat(" ", maxReviewBytes) + "{}", "longer than 1 MiB"},
		{"nested beyond all measure", strings.Repeat(`{"x":`, 20000), "exceeded max depth"},
	} {
		_, err := Decode([]byte(c.in))
		require.ErrorContains(t, err, c.problem, c.name)
		require.True(t, strings.HasPrefix(err.Error(), "read the review: "), c.name)
		require.NotContains(t, err.Error(), "\n", c.name)
		require.NotContains(t, err.Error(), "\x1b", c.name)
	}
}

func scores(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"s%d":1`, i))
	}
	return strings.Join(list, ",")
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{whole, `{"verdict":"approved"}`, `{"verdict":"rejected","scores":{"a":1e3}}`, `[`, "\xff", `{"verdict":"approved","issues":[{"issue":"C1 # x"}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(data)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		result := Conclude([]Opinion{{Agent: "A", Family: "x", First: &r}, {Agent: "B", Family: "y", Last: &r}}, Evidence{})
		require.Equal(t, 2, result.Valid, "what can be decoded is a vote")
		require.NotEqual(t, NoQuorum, result.FinalVerdict)
		require.NotEmpty(t, result.RevisionBrief()+result.Markdown()+OtherReviews("A", nil))
	})
}
