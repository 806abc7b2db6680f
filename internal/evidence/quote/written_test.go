package quote_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote"
)

// Ordinary documents in eighteen languages, written by hand. "= name" begins one,
// with its lines kept where the name says "readme" or "man"; "S" is a sentence or a
// line of it, "P" ends a paragraph. "+kind" is a true quotation, which is found
// without a finding, "-kind" a false one, which is refused or found with one, or
// with what it leaves out of its sentence, "!kind" one that is refused or found with a
// finding, all with \n for a line end and \t for a tab; "~" stands before one that is answered wrongly so far.
func TestWrittenDocuments(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for document := range strings.SplitSeq(strings.TrimPrefix(string(data), "= "), "\n= ") {
			name, lines, _ := strings.Cut(document, "\n")
			t.Run(name, func(t *testing.T) { checkDocument(t, name, lines) })
		}
	}
}

func checkDocument(t *testing.T, name, lines string) {
	var text strings.Builder
	var quotations []string
	end := " "
	if strings.Contains(name, "readme") || strings.Contains(name, "man") {
		end = "\n"
	}
	for line := range strings.Lines(lines) {
		switch mark, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " "); mark {
		case "S":
			text.WriteString(rest + end)
		case "P":
			text.WriteString("\n\n")
		default:
			quotations = append(quotations, strings.TrimSpace(line))
		}
	}
	index := quote.Index(text.String())
	for _, line := range quotations {
		line, open := strings.CutPrefix(line, "~")
		kind, quoted, _ := strings.Cut(line, " ")
		quoted = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(quoted)
		r := index.FindOrExplain(quoted)
		passes := r.Found && len(r.Match.Findings) == 0
		if kind[0] == '-' {
			passes = passes && len(r.Match.Gaps) == 0
		}
		assert.Equal(t, (kind[0] == '+') != open, passes, "%s: %v, nearest %q", line, r.Match.Findings, r.Nearest)
	}
}
