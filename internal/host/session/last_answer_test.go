package session

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
)

func TestLastAnswer(t *testing.T) {
	f, err := workspace.Create(t.TempDir(), campaignRunID)
	require.NoError(t, err)
	defer f.Close()
	spent := status.Money{USD: 1.23, Reported: true}
	require.Equal(t, "This is no full result: the run ended failed: no report.\nCost: $1.23 (as the providers report)",
		lastAnswer(f, status.Status{Status: "failed", Reason: "no report", Spent: spent}))
	report := "# Q?\n\n## Executive Summary\n\n" +
		"Use hashicorp/raft [\\[1\\]](#c1 \"C1 — a (b)\"). It brings TCP \\<for free\\>, see e.g. Fig. 3 [\\[1\\]](#c1)[\\[2\\]](#c3 \"C3\").\nEtcd v3.7 does not. A fourth sentence.\n\n" +
		"- **How sure:** coverage 72/100; 6 claims.\n- **Disputed:** “A” against “B”.\n- **Cost:** $9.\n\n## Divergence\n\nMore.\n"
	require.NoError(t, f.Write(flow.FinalReport, []byte(report)))
	end := "\nReport: " + f.Join(flow.FinalReport) + "\nCost: $1.23 (as the providers report)"
	require.Equal(t, "Use hashicorp/raft. It brings TCP <for free>, see e.g. Fig. 3. Etcd v3.7 does not.\nHow sure: coverage 72/100; 6 claims. Disputed: “A” against “B”."+end,
		lastAnswer(f, status.Status{Status: string(flow.Completed), Spent: spent}))
	require.Equal(t, "This is no full result: the run ended out of budget: $5 spent."+end,
		lastAnswer(f, status.Status{Status: string(flow.OutOfBudget), Reason: "$5 spent", Spent: spent}))
	require.NoError(t, f.Write(flow.FinalReport, []byte("no heading\n")))
	require.Equal(t, end[1:], lastAnswer(f, status.Status{Status: string(flow.Completed), Spent: spent}))
}
