package sarif_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/sarif"
)

// FuzzWrite has reviewers say anything of any place.
func FuzzWrite(f *testing.F) {
	f.Add("../../etc/passwd", "", "race", -3)
	f.Add("file:///etc/passwd", "\x1b]0;pwn\x07\xff", "a/b", 1<<30)
	f.Fuzz(func(t *testing.T, file, text, category string, line int) {
		said := said("bug-hunter", file, line, finding.Serious, category)
		said.Title, said.Description, said.Impact, said.Fix, said.Code = text, text, text, text, text
		log, err := sarif.Write(tool, finding.Merge([]finding.Finding{said}))
		require.NoError(t, err)
		var read struct {
			Version string
			Runs    []struct{ Results []any }
		}
		require.NoError(t, json.Unmarshal(log, &read))
		require.Equal(t, "2.1.0", read.Version)
		require.Len(t, read.Runs[0].Results, 1)
	})
}
