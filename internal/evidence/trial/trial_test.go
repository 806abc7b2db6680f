package trial_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/trial"
)

func TestRecordsOfTrialsAreRead(t *testing.T) {
	line := `{"finding":"F1","seat":"bea","command":["go","test"],"exit":1,"seconds":2.3,"tail":"FAIL"}`
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"none":                 {"", 0},
		"one":                  {line + "\n", 1},
		"one that was cut":     {line + "\n" + line[:30], 1},
		"what is none between": {line + "\n{}\nwords\n" + line + "\n", 2},
		"without a command":    {`{"finding":"F1"}` + "\n", 0},
		"more than there are":  {strings.Repeat(line+"\n", 100), trial.Most},
	} {
		require.Len(t, trial.Decode(strings.NewReader(c.text)), c.want, name)
	}
}

func TestASeatsTrialsHaveAFileOfTheirOwn(t *testing.T) {
	require.Equal(t, "records/bea.trials.jsonl", trial.RecordsFile("bea"))
}
