package view_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/view"
)

func TestPlainWordsAreNoCommandLines(t *testing.T) {
	for note, want := range map[string]string{
		"running /bin/bash -lc 'curl x'":                 "runs a command",
		"calling mcp__council__record_claim":             "records a claim",
		"calling Bash":                                   "runs a command",
		"reading https://user:pw@github.invalid/a?b=c":   "reads a page of github.invalid",
		"reading /home/ann/run/r1/notes.md":              "reads notes.md",
		"searching: \x1b[2Jgo gc":                        "searches: go gc",
		"PHASE 6/6 DONE":                                 "says “PHASE 6/6 DONE”",
		"":                                               "",
		"waiting for the provider: overloaded_error 529": "waits for the provider",
	} {
		require.Equal(t, want, view.Doing(note), note)
	}
}

func TestACallOfAToolIsToldByWhatItIsFor(t *testing.T) {
	for line, want := range map[string]string{
		"calling mcp__desk__record_claim":  "records a claim",
		"calling mcp_desk_record_claim":    "records a claim",
		"calling record_claim":             "records a claim",
		"calling mcp__other__look_up":      "uses look up",
		"calling for help, as anybody may": "calling for help, as anybody may",
		"calling ":                         "calling ",
		"the page is read":                 "the page is read",
	} {
		require.Equal(t, want, view.Called(line), line)
	}
}
