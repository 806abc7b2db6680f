package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/experiment"
	"github.com/research-council/research-council/internal/evidence/trial"
	"github.com/research-council/research-council/internal/output/report"
)

// How an experiment was made that a claim quotes stands in the appendix, whatever it
// says; of others that they were made.
func TestExperimentsAreAccountedFor(t *testing.T) {
	f := final("## Key Findings\n\nSo it is [C7].\n")
	f.Registry.Entries = append(f.Registry.Entries,
		entry("C7", "A commit takes 2.6 ms.", "took 2.63 ms", "experiment:E2", claim.Location{State: claim.Located, Tier: "exact", First: 1, Last: 1}, "codex"),
		entry("C8", "It grew.", "grew", "experiment:E3", claim.Location{State: claim.Located, Tier: "exact", First: 1, Last: 1, Made: "Experiment of claude, a seat of this run: sh grow.sh (exit code 0).\n\nIts file grow.sh:\n\necho grew"}, "claude"),
	)
	f.Experiments = []report.Experiment{
		{Record: experiment.Record{ID: "E1", Seat: "codex", Command: []string{"false"}, Exit: 1}},
		{Record: experiment.Record{
			ID: "E2", Seat: "codex", Again: "E1", Command: []string{"sh", "-c", "go run . | tail -3"}, Files: []trial.File{{Path: "main.go", SHA256: "0abc", Text: "package main\n```\n# Forged\n"}},
			OnCopy: true, Sources: "1def", Environ: []string{"HOME=/box", "EVIL=`x`\n# no"}, Program: "2aaa", System: "linux/amd64", Limit: 60, Seconds: 3.25, Output: "3bbb", At: time.Date(2026, 1, 2, 3, 30, 0, 0, time.UTC),
		}, Said: "took 2.63 ms\n```\n\n# Forged\n\n<script>\x1b[2J" + strings.Repeat("x", 5000)},
	}
	got := report.Render(f)
	check(t, got, f.Registry.Entries)
	body := section(t, got, "Experiments Made")
	for _, said := range []string{
		"### E2, quoted by C7\n", "- Made for codex, which is E1 made again: exit code 0 after 3.2 s of 60 s, on linux/amd64.\n", "- At: 2026-01-02 03:30 UTC.\n", "- Program: `sha256:2aaa`.\n",
		"- Local sources it could read: `sha256:1def`, of which its folder began as a copy.\n", "- Environment: `HOME=/box`, ", "```sh\nsh -c 'go run . | tail -3'\n```\n",
		"Its file `main.go`, `sha256:0abc`:\n\n````\npackage main\n```\n", "What it said, `sha256:3bbb`:\n\n````\ntook 2.63 ms\n```\n",
		"### E3, quoted by C8\n\nExperiment of claude, a seat of this run: sh grow.sh (exit code 0). Its environment and all it said are in the archive of the run.\n\n```\nIts file grow.sh:\n\necho grew\n```\n",
		"Of 1 experiment more nothing is quoted here: E1.",
	} {
		require.Contains(t, body, said)
	}
	require.Less(t, len(body), 6000)
	require.NotContains(t, string(report.Render(final("## Key Findings\n\nSo it is [C1].\n"))), "Experiments Made")
}

// What was withdrawn and rests on no fact at all has no source to be cited by, and no
// blank in its place.
func TestARejectedConclusionWithoutFactsIsALine(t *testing.T) {
	f := final("## Key Findings\n\nSo it is [C1].\n")
	f.Registry.Entries = append(f.Registry.Entries, claim.Entry{
		ID: "C7", Kind: claim.Inference, Text: "It pays.", Seats: []string{"codex"}, Location: claim.Location{State: claim.Unfounded, Reason: "it rests on nothing"},
	})
	require.Contains(t, section(t, report.Render(f), "Rejected after Checking"), "- C7, said by codex: “It pays.”: what it rests on does not hold (it rests on nothing).\n")
}
