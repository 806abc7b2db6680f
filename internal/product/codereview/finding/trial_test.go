package finding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/trial"
	"github.com/research-council/research-council/internal/product/codereview/finding"
)

func FuzzDecodeTrials(f *testing.F) {
	f.Add(`{"finding":"F1","command":["go"],"files":[{"path":"a","sha256":"","text":""}],"exit":-1,"tail":"\u001b[31m"}`)
	f.Fuzz(func(t *testing.T, text string) {
		list := trial.Decode(strings.NewReader(text))
		require.LessOrEqual(t, len(list), trial.Most)
		for _, one := range list {
			m := finding.Merged{Finding: finding.Finding{ID: one.Finding, Severity: finding.Minor, File: "a.go", Line: 1}}
			report := string(finding.Report(finding.Final{Root: "x", Files: 1, Findings: finding.Tried([]finding.Merged{m}, list)}))
			require.NotContains(t, report, "\x1b")
		}
	})
}

func TestAReportShowsWhatWasRun(t *testing.T) {
	list := []finding.Merged{
		{Finding: finding.Finding{ID: "F1", Severity: finding.Serious, Title: "It divides by zero", File: "a.go", Line: 1}, Status: finding.Confirmed},
		{Finding: finding.Finding{ID: "F2", Severity: finding.Minor, Title: "It panics", File: "a.go", Line: 2}, Status: finding.FalsePositive},
		{Finding: finding.Finding{ID: "F3", Severity: finding.Minor, Title: "It is slow", File: "a.go", Line: 3}, Status: finding.Open},
	}
	trials := []trial.Record{
		{Finding: "F1", Seat: "bea", Command: []string{"go", "test", "-run", "A B", "./..."}, Files: []trial.File{{Path: "z_test.go", SHA256: strings.Repeat("ab", 32), Text: "x"}}, Exit: 1, Seconds: 2.34, Tail: "panic: ```\n## Findings\n\x1b[31m"},
		{Finding: "F2", Seat: "bea", Command: []string{"make`\n# x"}, Cut: "ended, for it took longer than 5m0s", Seconds: 300},
		{Finding: "F9", Seat: "bea", Command: []string{"nothing"}},
	}
	report := string(finding.Report(finding.Final{Root: "x", Files: 1, Findings: finding.Tried(list, trials), Testing: true}))
	require.Contains(t, report, "- Run by the program for bea: `go test -run 'A B' ./...`, ended with 1 after 2.3 s; with `z_test.go` (SHA-256 abababababab)\n")
	require.Contains(t, report, "What `go test -run 'A B' ./...` said at its end:\n\n````\npanic: ```\n## Findings\n⟨U+001B⟩[31m\n````\n")
	require.Contains(t, report, "ended, for it took longer than 5m0s after 300.0 s")
	require.NotContains(t, report, "\n# x")
	require.NotContains(t, report, "nothing`", "a run for another finding is nobody's")
	require.Contains(t, report, "The second look had the program run 2 commands on a copy of the code, confined and without network")
	require.Nil(t, list[0].Trials, "what was given is not changed")
	for said, f := range map[string]finding.Final{
		"The second look judges from the code alone: nothing was run.\n":                                                           {},
		"The second look judges from the code alone: nothing was run, since bubblewrap is not installed.\n":                        {NoTesting: "bubblewrap is not installed"},
		"The second look judges from the code alone: nothing was run, though it could have had tests run on a copy of the code.\n": {Testing: true},
	} {
		f.Files, f.Findings = 1, list
		require.Contains(t, string(finding.Report(f)), said, fmt.Sprint(f.Testing))
	}
}
