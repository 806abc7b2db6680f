package request_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/request"
)

func TestStagedResearchIsAskedForLikeThis(t *testing.T) {
	never, twice := 0, 2
	for name, c := range map[string]struct {
		typed string
		want  request.Request
	}{
		"a question alone":                   {`How do heat pumps age?`, request.Request{Topic: "How do heat pumps age?"}},
		"how many collect, and who reviews":  {`--collectors 3 How? --reviewers claude,openai`, request.Request{Topic: "How?", Review: true, Reviewers: []string{"claude", "openai"}, Staged: request.Staged{Collectors: 3}}},
		"sent back twice at most":            {`How? --revisions 2`, request.Request{Topic: "How?", Staged: request.Staged{Revisions: &twice}}},
		"never sent back is not unasked for": {`How? --revisions=0`, request.Request{Topic: "How?", Staged: request.Staged{Revisions: &never}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := request.ParseStaged(c.typed)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestWhatStagedResearchCannotDoIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ typed, says string }{
		"nobody collects":                {`How? --collectors 0`, `--collectors "0": use a whole number from 1 to 5`},
		"more collectors than there are": {`How? --collectors 6`, `--collectors "6": use a whole number from 1 to 5`},
		"half a collector":               {`How? --collectors 1.5`, `use a whole number from 1 to 5`},
		"sent back without end":          {`How? --revisions 11`, `--revisions "11": use a whole number from 0 to 10`},
		"sent back less than never":      {`How? --revisions=-1`, `use a whole number from 0 to 10`},
		"a word for a number":            {`How? --revisions twice`, `use a whole number from 0 to 10`},
		"no question":                    {`--collectors 2`, `the question is empty`},
		"a flag of campaigns":            {`--loop How?`, `unknown flag --loop`},
		"a debate, which has no stage":   {`--debate force How?`, `unknown flag --debate`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := request.ParseStaged(c.typed)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}
