package claim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

func TestLinesOfAnySeatsAreEntriesOfTheirOwn(t *testing.T) {
	r, refused, err := claim.ReadLines(strings.NewReader(`{"text":"It grew.","source":"a.md","seat":"one","family":"x","confidence":"High"}

{"text":"It grew."}
{"claim":"It grew.","evidence":"b.md","agent":"two","family":"y","critical":true}
{"text":"It grew.","source":"a.md","seat":7}
`))
	require.NoError(t, err)
	require.Len(t, r.Entries, 2)
	require.Equal(t, []string{"C1", "C4"}, []string{r.Entries[0].ID, r.Entries[1].ID}, "ids are the numbers of lines")
	require.Equal(t, []int{3, 5}, []int{refused[0].Line, refused[1].Line})
	merged := claim.MergedLines(claim.Merge(r))
	require.Len(t, merged, 1)
	require.Equal(t, claim.Merged{
		ID: "C1", Text: "It grew.", Source: "a.md", Key: "file:a.md", Confidence: claim.High, Critical: true,
		Seats: []string{"one", "two"}, Families: []string{"x", "y"}, Members: []uint32{1, 4}, Sources: 2, Agreed: true,
	}, merged[0])
	_, _, err = claim.ReadLines(strings.NewReader("\n"))
	require.EqualError(t, err, "there are no claims to compare")
	_, _, err = claim.ReadLines(strings.NewReader(strings.Repeat(`{"text":"It grew.","source":"a.md"}`+"\n", claim.MaxJudged+1)))
	require.EqualError(t, err, "line 5001: judges compare at most 5000 claims at once")
}

func FuzzReadLines(f *testing.F) {
	f.Add([]byte(`{"text":"It grew.","source":"a.md","seat":"one","family":"x"}`))
	f.Add([]byte("{}\n\x00\n{\"text\":\"\xff\",\"source\":\"b\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, _, err := claim.ReadLines(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		lines := 0
		for _, m := range claim.MergedLines(claim.Merge(r)) {
			lines += len(m.Members)
		}
		require.Equal(t, len(r.Entries), lines, "each line is in one group")
	})
}

func TestLinesContradictByTheIDsThatLinesHave(t *testing.T) {
	reg, refused, err := claim.ReadLines(strings.NewReader(`{"id":"a1","text":"It is 3.","source":"a.md","seat":"ada"}
{"id":"b1","text":"It is 5.","source":"a.md","seat":"bob","contradicts":["a1","C9"]}
{"id":"a1","text":"It is 7.","source":"a.md","seat":"cleo","contradicts":["a1","b1"]}
{"id":"d1","text":"It is 8.","source":"a.md","seat":"dan","contradicts":["a1"]}
{"withdraws":"a1","reason":"It is not."}
`))
	require.NoError(t, err)
	require.Empty(t, reg.Entries[1].Contradicts)
	require.Equal(t, []claim.Objection{{ID: "C2", Seat: "cleo"}}, reg.Entries[2].Contradicts, "its own a1 is itself")
	var told []string
	for _, r := range refused {
		told = append(told, fmt.Sprint(r.Line, ": ", r.Reason))
	}
	require.Equal(t, []string{
		"5: it withdraws a claim; leave it out, and the claim",
		"2: it contradicts a1, and 2 lines have this id; the claim is merged without", "2: it contradicts C9, and 0 lines have this id; the claim is merged without",
		"4: it contradicts a1, and 2 lines have this id; the claim is merged without",
	}, told)
}
