package view_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/view"
)

func TestTheAnswerIsASentence(t *testing.T) {
	for name, c := range map[string]struct {
		report string
		want   []string
	}{
		"a paragraph":             {"# Q\n\n## Executive Summary\n\nIt boils. It cools.\n\n- more\n\n## Next\n", []string{"It boils. It cools."}},
		"a heading of the writer": {"# Q\n\n## Executive Summary\n\n### Findings\n\n#### First\nIt boils.\n\n- **How sure:** quite.\n", []string{"It boils.", "How sure: quite."}},
		"a reservation": {`# Q

## Executive Summary

Retries are few [\[1\]](#c7 "C7")†.
`, []string{"Retries are few (with a reservation)."}},
		"headings alone": {"# Q\n\n## Executive Summary\n\n### Findings\n", nil},
		"no summary":     {"# Q\n\nIt boils.\n", nil},
	} {
		require.Equal(t, c.want, view.Answer(c.report), name)
	}
}
