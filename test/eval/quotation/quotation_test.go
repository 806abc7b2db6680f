package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheBarsHold(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run([]string{"--json", "--speed=false", "--trials=250"}, &out))
	var r report
	require.NoError(t, json.Unmarshal(out.Bytes(), &r))
	for _, b := range r.Bars {
		require.Positive(t, b.Trials, b.Group)
		if b.Group != "false rejects: typo" { // too few here to tell one in a hundred
			require.True(t, b.Met, "%+v", b)
		}
	}
	for _, w := range r.Rows {
		if w.Keeps && w.Alteration != "one typo in a name" {
			require.Greater(t, w.Accepted["ours"], 0.95, w.Alteration)
		}
		if w.Group == "structure" {
			require.Less(t, w.Accepted["ours"], 0.01, w.Alteration)
		}
	}
}

// What alters a sentence alters it, and what resets it leaves its letters.
func TestAlterationsAlter(t *testing.T) {
	docs, err := documents()
	require.NoError(t, err)
	r := measure(docs, 30, 7, 0)
	for _, w := range r.Rows {
		require.GreaterOrEqual(t, w.Trials, 30, w.Alteration)
		if !w.Keeps {
			require.Zero(t, w.Accepted["exact"], w.Alteration)
		}
	}
}

func TestTheReportIsMarkdown(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run([]string{"--speed=false", "--trials=3"}, &out))
	require.Contains(t, out.String(), "| number changed | 3 |")
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "|") {
			require.True(t, strings.HasSuffix(line, "|\n"), line)
		}
	}
}
