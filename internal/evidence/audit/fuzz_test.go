package audit_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/audit"
	"github.com/research-council/research-council/internal/evidence/citation"
)

// FuzzReport audits any bytes, off line: a grade stands on what was counted, and
// what nobody read is never located.
func FuzzReport(f *testing.F) {
	for _, text := range []string{"", "# Report\n", "[](https://a.test)", "[a](https://a.test", "[[[[", "[a][b]\n\n[b]: <[a]>\n", "> \"150 ms to 300 ms\"\n", "<script>alert(1)</script>", "“A deep lake” [1].\n\n[1] http://a.test/\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := citation.Parse(data, "")
		if err != nil {
			return
		}
		r, err := audit.Report(t.Context(), "report.md", d, audit.Options{Offline: true})
		require.NoError(t, err)
		require.GreaterOrEqual(t, r.Grade.Score, 0.0)
		require.LessOrEqual(t, r.Grade.Score, 100.0)
		for _, s := range r.Statements {
			for _, q := range s.Quotations {
				require.NotEqual(t, "located", string(q.State))
			}
		}
		var b bytes.Buffer
		require.NoError(t, audit.Write(&b, r))
		require.NotContains(t, b.String(), "\x1b")
	})
}
