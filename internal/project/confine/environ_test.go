package confine_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/project/confine"
)

func TestCommandsSeeAListOfTheEnvironment(t *testing.T) {
	data, err := os.ReadFile("testdata/environment.tsv")
	require.NoError(t, err)
	checked := 0
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		name, expect, _ := strings.Cut(line, "\t")
		kept := confine.Environ([]string{name + "=value"}, nil)
		if expect == "never in the suite" {
			require.Empty(t, kept, name)
		} else {
			require.Equal(t, []string{name + "=value"}, kept)
		}
		checked++
	}
	require.Greater(t, checked, 50)
}

func TestAValueThatHoldsALoginIsLeftOut(t *testing.T) {
	require.Equal(t, []string{"GOPROXY=https://proxy.example,direct"}, confine.Environ([]string{
		"GOPROXY=https://proxy.example,direct", "PIP_INDEX_URL=https://ann:secret@pypi.example/simple", "HTTPS_PROXY=http://u:p@proxy:3128", "broken", "=x",
	}, nil))
	require.Equal(t, []string{"DATABASE_URL=postgres://u:p@localhost:5432/test"}, confine.Environ([]string{"DATABASE_URL=postgres://u:p@localhost:5432/test"}, []string{"DATABASE_URL"}),
		"the person named it")
}

func TestNothingUnheardOfIsPassed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[A-Z][A-Z0-9]{2,12}_(KEY|TOKEN|SECRET|PASSWORD|DSN|URL|CREDENTIALS)`).Draw(t, "name")
		if name == "PIP_INDEX_URL" || name == "UV_INDEX_URL" {
			return
		}
		if kept := confine.Environ([]string{name + "=x"}, nil); len(kept) > 0 && !strings.HasPrefix(name, "LC_") {
			t.Fatalf("%v", kept)
		}
	})
}
