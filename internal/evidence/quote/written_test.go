package quote_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote"
)

// Ordinary documents in eighteen languages, written by hand. "S" is a sentence or
// a line, "P" ends a paragraph; "+kind" is a true quotation, which is found
// without a finding, "-kind" a false one, which is refused or found with one.
func TestWrittenDocuments(t *testing.T) {
	data, err := os.ReadFile("testdata/written.txt")
	require.NoError(t, err)
	wrong, of := map[string]int{}, map[string]int{}
	for document := range strings.SplitSeq(string(data), "\n= ") {
		name, document, _ := strings.Cut(strings.TrimPrefix(document, "= "), "\n")
		var text strings.Builder
		var quoted []string
		for line := range strings.Lines(document) {
			mark, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
			lines := strings.HasPrefix(name, "en-man") || strings.Contains(name, "-readme")
			switch {
			case mark == "S" && lines:
				text.WriteString(rest + "\n")
			case mark == "S":
				text.WriteString(rest + " ")
			case mark == "P" && lines:
				text.WriteString("\n")
			case mark == "P":
				text.WriteString("\n\n")
			default:
				quoted = append(quoted, line)
			}
		}
		index := quote.Index(text.String())
		for _, line := range quoted {
			kind, q, _ := strings.Cut(strings.TrimSpace(line), " ")
			r := index.FindOrExplain(q)
			of[kind]++
			if fair := kind[0] == '+'; fair != (r.Found && len(r.Match.Findings) == 0) {
				wrong[kind]++
				t.Logf("%s %s %s: %v %v %q", name, kind, q, r.Found, r.Match.Findings, r.Nearest)
			}
		}
	}
	t.Log(wrong, of)
}
