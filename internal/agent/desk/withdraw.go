package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/evidence/claim"
)

type withdrawArgs struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

type withdrawResult struct {
	Withdrawn string `json:"withdrawn"` // the id
	Says      string `json:"says"`
}

// withdraw is the tool withdraw_claim.
func (d *Desk) withdraw(_ context.Context, _ *mcp.CallToolRequest, in withdrawArgs) (*mcp.CallToolResult, withdrawResult, error) {
	for name, text := range map[string]*string{"id": &in.ID, "reason": &in.Reason} {
		if controls(*text) {
			return nil, withdrawResult{}, fmt.Errorf("refused, nothing was withdrawn: %s holds control characters", name)
		}
	}
	line, err := json.Marshal(claim.WrittenWithdrawal{Withdraws: in.ID, Reason: in.Reason})
	if err != nil {
		return nil, withdrawResult{}, fmt.Errorf("write the withdrawal down: %w", err)
	}
	drafts, refusals := claim.Decode(bytes.NewReader(line), d.o.Seat, "")
	if len(drafts) != 1 {
		return nil, withdrawResult{}, fmt.Errorf("refused, nothing was withdrawn: %s", refusals[0].Reason)
	}
	draft := drafts[0]
	if err := d.checkDraft(draft); err != nil {
		return nil, withdrawResult{}, fmt.Errorf("refused, nothing was withdrawn: %w", err)
	}
	d.recording.Lock()
	defer d.recording.Unlock()
	f, err := d.openClaims()
	if err == nil {
		defer f.Close()
		err = f.append(draft.Line())
	}
	if err != nil {
		return nil, withdrawResult{}, fmt.Errorf("nothing was withdrawn: %w", err)
	}
	out := withdrawResult{draft.Withdraws, fmt.Sprintf("%s is withdrawn. It counts for nothing any more; the report names it with your reason.", draft.Withdraws)}
	return &mcp.CallToolResult{Content: textContent(out.Says)}, out, nil
}
