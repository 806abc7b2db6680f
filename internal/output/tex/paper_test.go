package tex

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/export"
)

// The papers this program typesets are built by every engine as they are.
func TestOurOwnPapers(t *testing.T) {
	reg := claim.Registry{Entries: []claim.Entry{
		{ID: "C1", Text: "Кэш стареет на 50 % & #1_a", Source: "https://a.invalid/x_y?q=1&r=%20#z", Key: "url:a.invalid/x_y", Location: claim.Location{State: claim.Located}},
		{ID: "C2", Text: "缓存会过期 {a}^b~c \\ $5", Source: "https://b.invalid/日本", Key: "url:b.invalid", Location: claim.Location{State: claim.Located}},
	}}
	p := export.Paper{
		Kind: export.ReportPaper, Title: "Кэши: 缓存 & 50 % of $5", Written: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC),
		Sections: map[string][]byte{
			"executive-summary": []byte("Кэши **стареют** [C1]. 缓存会过期 [C2]. Code: `a_b && c # %`.\n\n| Имя | 值 |\n|---|---|\n| a & b | 50 % |\n\n```go\nif a && b { return \"привет\" }\n```\n"),
			"analysis":          []byte("\\input{/etc/passwd} $x_1$ ~ ^ {unbalanced \\textbf{ 😀"),
		},
		Publication: export.Publication{Registry: reg},
	}
	text, err := export.Typeset(p)
	require.NoError(t, err)
	each(t, func(t *testing.T, engine string) {
		dir := t.TempDir()
		file := filepath.Join(dir, "caches-report.tex")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, bibliography), export.Bibliography(p), 0o600))
		r := built(t, file, Options{Engine: engine, NonLatin: export.NonLatin(text)})
		for _, p := range r.Problems { // a machine without such a font says so
			require.Contains(t, p.Text, "no font", "%+v", r.Problems)
		}
		shows := shown(t, r.PDF)
		require.NotContains(t, shows, "??]")
		require.Contains(t, shows, `\input{/etc/passwd}`)
		if engine != "pdflatex" && len(r.Problems) == 0 {
			require.Contains(t, shows, "Кэши")
			require.Contains(t, shows, "缓存会过期")
		}
	})
}
