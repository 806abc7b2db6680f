package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/evidence/claim"
)

type withdrawArgs struct {
	ID         string `json:"id"`
	Reason     string `json:"reason"`
	ReplacedBy string `json:"replaced_by"`
}

type withdrawResult struct {
	Withdrawn string `json:"withdrawn"` // the id
	Says      string `json:"says"`
}

// withdraw is the tool withdraw_claim.
func (d *Desk) withdraw(_ context.Context, _ *mcp.CallToolRequest, in withdrawArgs) (*mcp.CallToolResult, withdrawResult, error) {
	draft, err := in.draft(d.o.Seat)
	if err != nil {
		return nil, withdrawResult{}, fmt.Errorf("refused, nothing was withdrawn: %w", err)
	}
	if err := d.checkDraft(draft); err != nil {
		return nil, withdrawResult{}, fmt.Errorf("refused, nothing was withdrawn: %w", err)
	}
	d.recording.Lock()
	defer d.recording.Unlock()
	f, err := d.openClaims()
	if err != nil {
		return nil, withdrawResult{}, fmt.Errorf("nothing was withdrawn: %w", err)
	}
	defer f.Close()
	drafts, _, err := f.read(d.o.Seat)
	if err == nil {
		err = f.append(draft.Line())
	}
	if err != nil {
		return nil, withdrawResult{}, fmt.Errorf("nothing was withdrawn: %w", err)
	}
	handed, _ := d.inputRegistry() // none has nothing that rests on it
	says := fmt.Sprintf("%s is withdrawn. It counts for nothing any more; the report names it with your reason.", draft.Withdraws)
	if draft.ReplacedBy != "" {
		says += fmt.Sprintf(" Unless another seat makes it too, what rests on it, of yours and of others, rests on %s from now on.", draft.ReplacedBy)
	} else if left := groundless(handed, drafts, draft); len(left) > 0 {
		says += fmt.Sprintf(" What you have recorded as %s rests on it: record that again on what still holds, or withdraw it too.", strings.Join(left, ", "))
	}
	out := withdrawResult{draft.Withdraws, says}
	return &mcp.CallToolResult{Content: textContent(out.Says)}, out, nil
}

// draft is the withdrawal as it is read from a line of the claims file.
func (in withdrawArgs) draft(seat string) (claim.Draft, error) {
	for name, text := range map[string]string{"id": in.ID, "reason": in.Reason, "replaced_by": in.ReplacedBy} {
		if controls(text) {
			return claim.Draft{}, fmt.Errorf("%s holds control characters", name)
		}
	}
	line, err := json.Marshal(claim.WrittenWithdrawal{Withdraws: in.ID, Reason: in.Reason, ReplacedBy: in.ReplacedBy})
	if err != nil {
		return claim.Draft{}, fmt.Errorf("write the withdrawal down: %w", err)
	}
	said, refusals := claim.Decode(bytes.NewReader(line), seat, "")
	if len(said) != 1 {
		return claim.Draft{}, errors.New(refusals[0].Reason)
	}
	return said[0], nil
}

// groundless are a seat's own claims that rest on one it withdraws, by the ids it knows;
// what rested on others that it has withdrawn before is known to it.
func groundless(handed []claim.Entry, drafts []claim.Draft, withdrawal claim.Draft) []string {
	before, _ := claim.Try(handed, drafts, nil)
	entries, places := claim.Try(handed, append(slices.Clone(drafts), withdrawal), nil)
	gone := map[string]bool{}
	for i, e := range entries {
		gone[e.ID] = e.IsWithdrawn() && !before[i].IsWithdrawn()
	}
	var left []string
	for i, e := range entries {
		if slices.Contains(e.Seats, withdrawal.Seat) && !e.IsWithdrawn() && slices.ContainsFunc(e.RestsOn, func(id string) bool { return gone[id] }) {
			left = append(left, knownAs(len(handed), e.ID, i, drafts, places))
		}
	}
	return left
}

// knownAs is the id by which a seat knows the entry at a place: that of the registry it
// was handed, which holds so many, else the one record_claim gave it.
func knownAs(handed int, id string, place int, drafts []claim.Draft, places []int) string {
	if place >= handed {
		for i := range drafts {
			if places[i] == place {
				return drafts[i].Handle
			}
		}
	}
	return id
}
