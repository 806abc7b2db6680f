package tally_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/tally"
)

// records is a folder of a run in which a seat's files grow.
type records struct {
	*testing.T
	folder string
}

func newRecords(t *testing.T) records {
	r := records{t, t.TempDir()}
	require.NoError(t, os.Mkdir(filepath.Join(r.folder, claim.Records), 0o700))
	return r
}

func (r records) add(name, text string) {
	f, err := os.OpenFile(filepath.Join(r.folder, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(r, err)
	_, err = f.WriteString(text)
	require.NoError(r, err)
	require.NoError(r, f.Close())
}

var own, refusals = claim.RecordsFile("ada"), claim.RefusalsFile("ada")

// recorded are claims as a desk writes them down.
func recorded(found claim.State, ids ...string) string {
	var b bytes.Buffer
	for _, id := range ids {
		d := claim.Draft{Handle: id, Text: "Water boils <early>.", Quote: "Water boils early on mountains.", Source: "https://example.com"}
		if found == claim.Reasoned {
			d = claim.Draft{Handle: id, Text: "Take a lid.", Kind: claim.Recommendation, RestsOn: []string{"own-1"}}
		}
		b.Write(d.RecordLine(found))
	}
	return b.String()
}

func TestClaimsAreCountedAsTheyCome(t *testing.T) {
	r := newRecords(t)
	c := tally.New(r.folder)
	seats := []string{"ada", "bo"}
	require.Nil(t, c.Of(seats), "nobody has recorded a claim")
	expect := func(want claim.Tally, why string) {
		t.Helper()
		require.Equal(t, map[string]claim.Tally{"ada": want}, c.Of(seats), why)
		require.Equal(t, map[string]claim.Tally{"ada": want}, tally.New(r.folder).Of(seats), "who begins later counts the same")
	}
	r.add(own, recorded(claim.Located, "own-1", "own-2"))
	expect(claim.Tally{Located: 2}, "found at once")
	r.add(refusals, `{"seat":"ada","text":"It boils at 90 °C.","reason":"it is not there","state":"not-found"}`+"\n"+`{"seat":"ada","text":"Buy one.","reason":"it rests on nothing","state":"unfounded"}`+"\n")
	expect(claim.Tally{Located: 2, NotFound: 1, Refused: 1}, "refused")
	r.add(own, recorded(claim.Unchecked, "own-3")+recorded("", "a", "b")+recorded(claim.Reasoned, "own-4"))
	expect(claim.Tally{Located: 2, Unchecked: 3, Reasoned: 1, NotFound: 1, Refused: 1}, "an outage, two from the seat's file, an advice")
	line := recorded(claim.Located, "own-5")
	r.add(own, line[:40])
	expect(claim.Tally{Located: 2, Unchecked: 3, Reasoned: 1, NotFound: 1, Refused: 1}, "half a line")
	r.add(own, line[40:])
	expect(claim.Tally{Located: 3, Unchecked: 3, Reasoned: 1, NotFound: 1, Refused: 1}, "the other half")
	r.add(own, string(claim.Draft{Withdraws: "own-2", Reason: "I was wrong."}.Line())+string(claim.Draft{Withdraws: "C7", Reason: "I was wrong."}.Line()))
	expect(claim.Tally{Located: 2, Unchecked: 3, Reasoned: 1, NotFound: 1, Refused: 1}, "one was withdrawn")
	r.add(own, "\n\n[]\nnull\n{\"text\":7}\n{}\n\xff\x00\n")
	expect(claim.Tally{Located: 2, Unchecked: 3, Reasoned: 1, NotFound: 1, Refused: 1}, "what is no claim")
	require.Equal(t, 6, c.Of(seats)["ada"].Recorded())
}

func TestAFileThatIsAnotherIsCountedAnew(t *testing.T) {
	r := newRecords(t)
	c := tally.New(r.folder)
	r.add(own, recorded(claim.Located, "own-1", "own-2", "own-3"))
	require.Equal(t, 3, c.Of([]string{"ada"})["ada"].Located)
	require.NoError(t, os.WriteFile(filepath.Join(r.folder, own), []byte(recorded(claim.Located, "own-1")), 0o600))
	require.Equal(t, 1, c.Of([]string{"ada"})["ada"].Located)
	require.NoError(t, os.Remove(filepath.Join(r.folder, own)))
	require.Nil(t, c.Of([]string{"ada"}))
	require.NoError(t, proctest.NamedPipe(filepath.Join(r.folder, own)))
	require.Nil(t, c.Of([]string{"ada"}), "a pipe is not waited for")
}

// A large file is read a piece at a time, and a line without an end holds nothing up.
func TestALargeFileIsCountedInPieces(t *testing.T) {
	r := newRecords(t)
	c := tally.New(r.folder)
	r.add(own, strings.Repeat("x", 2*claim.FileLimit)+"\n"+recorded(claim.Located, "own-1"))
	n := 0
	for ; c.Of([]string{"ada"})["ada"].Located == 0; n++ {
		require.Less(t, n, 5)
	}
	require.Positive(t, n, "not all at once")
}

func TestARecordLineIsStillAClaim(t *testing.T) {
	d := claim.Draft{Handle: "own-1", Text: "Water boils.", Quote: "Water boils at 100 °C at sea level.", Source: "https://example.com", Seat: "ada"}
	drafts, refused := claim.Decode(bytes.NewReader(d.RecordLine(claim.Located)), "ada", "")
	require.Empty(t, refused)
	require.Equal(t, []claim.Draft{d}, drafts)
	require.Equal(t, string(d.Line()), string(drafts[0].Line()), "what was found is not carried on")
}

func BenchmarkOf(b *testing.B) {
	folder := b.TempDir()
	require.NoError(b, os.Mkdir(filepath.Join(folder, claim.Records), 0o700))
	require.NoError(b, os.WriteFile(filepath.Join(folder, own), []byte(strings.Repeat(recorded(claim.Located, "own-1"), 3000)), 0o600))
	c := tally.New(folder)
	for b.Loop() {
		c.Of([]string{"ada", "bo", "cy", "di"})
	}
}
