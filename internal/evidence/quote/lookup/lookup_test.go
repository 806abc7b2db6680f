package lookup_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote/lookup"
)

// said is what a caller reads of an answer.
type said struct {
	ID       any
	Found    bool
	Start    *int
	End      *int
	Findings []any
}

func answered(t *testing.T, x *lookup.Texts, query any) said {
	t.Helper()
	line, err := json.Marshal(query)
	require.NoError(t, err)
	answer, err := x.Answer(line)
	require.NoError(t, err)
	data, err := json.Marshal(answer)
	require.NoError(t, err)
	var s said
	require.NoError(t, json.Unmarshal(data, &s))
	require.NotNil(t, s.Findings, "a list, also where it is empty")
	return s
}

const body = "Caches age. The collector paces itself by the heap goal and by what the mutators allocate. It rests."

const passage = "The collector paces itself by the heap goal"

func TestAQuotationIsLookedForInATextOrAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(file, []byte(body), 0o600))
	x := &lookup.Texts{MaxBytes: 1 << 20}
	for _, where := range []map[string]any{{"text": body}, {"file": file}} {
		where["quote"], where["id"] = passage, 7
		s := answered(t, x, where)
		require.True(t, s.Found)
		require.Equal(t, float64(7), s.ID)
		require.Equal(t, passage, body[*s.Start:*s.End])
		where["quote"] = "The mutators pace the garbage truck through the town at night"
		require.False(t, answered(t, x, where).Found)
	}
}

func TestAFileThatHasChangedIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("Nothing of it stands here yet, not a word of the quotation at all."), 0o600))
	x := &lookup.Texts{MaxBytes: 1 << 20}
	asked := map[string]string{"file": file, "quote": passage}
	require.False(t, answered(t, x, asked).Found)
	for i := range 6 { // more than are kept ready
		answered(t, x, map[string]string{"text": fmt.Sprint("Text ", i), "quote": passage})
	}
	require.NoError(t, os.WriteFile(file, []byte(body), 0o600))
	require.NoError(t, os.Chtimes(file, time.Time{}, time.Now().Add(time.Hour)))
	require.True(t, answered(t, x, asked).Found)
	require.True(t, answered(t, x, asked).Found)
}

func TestAQueryThatCannotBeAnsweredIsSaid(t *testing.T) {
	dir := t.TempDir()
	long, binary := filepath.Join(dir, "long"), filepath.Join(dir, "binary")
	require.NoError(t, os.WriteFile(long, make([]byte, 2000), 0o600))
	require.NoError(t, os.WriteFile(binary, []byte("a\x00b"), 0o600))
	for line, says := range map[string]string{
		`{`:                                   "read the line as JSON",
		`{"text":"a"}`:                        `there is no "quote"`,
		`{"quote":"a"}`:                       `give either "text" or "file"`,
		`{"quote":"a","text":"a","file":"b"}`: `give either "text" or "file"`,
		fmt.Sprintf(`{"quote":"a","file":%q}`, filepath.Join(dir, "missing")): "look at the text",
		fmt.Sprintf(`{"quote":"a","file":%q}`, dir):                           "is no file of at most",
		fmt.Sprintf(`{"quote":"a","file":%q}`, long):                          "is no file of at most",
		fmt.Sprintf(`{"quote":"a","file":%q}`, binary):                        "is no plain text",
	} {
		_, err := (&lookup.Texts{MaxBytes: 1000}).Answer([]byte(line))
		require.ErrorContains(t, err, says, line)
	}
}
