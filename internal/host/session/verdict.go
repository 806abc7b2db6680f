package session

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product/campaign"
)

// verdictTimeout is how long the end of an iteration waits for what the
// program makes of it: within the time a shell tool gives a command.
const verdictTimeout = 100 * time.Second

// Verdict is what came of ending an iteration.
type Verdict struct {
	Record   string `json:"record"`             // the file
	Measured bool   `json:"measured"`           // the program has judged it
	Verdict  string `json:"verdict,omitempty"`  // what it has come to
	Ended    string `json:"ended,omitempty"`    // why the campaign has ended
	Status   string `json:"status,omitempty"`   // of the run
	Orphaned bool   `json:"orphaned,omitempty"` // nobody works on the run
}

// CampaignStatus is how far the campaign is; the zero value where that is not known.
func CampaignStatus(project, id string) campaign.Status {
	s, err := runs.Read(project, id)
	if err != nil || campaign.StatusOf(s) == nil {
		return campaign.Status{}
	}
	return *campaign.StatusOf(s)
}

// AwaitVerdict waits until the program has measured the iteration, the run has
// ended, or nobody is there to measure.
func AwaitVerdict(ctx context.Context, project, id string, before campaign.Status, out Verdict) Verdict {
	ctx, cancel := context.WithTimeout(ctx, verdictTimeout)
	defer cancel()
	look := time.NewTicker(waitPollInterval)
	defer look.Stop()
	for {
		s, err := runs.Read(project, id)
		if err == nil && campaign.StatusOf(s) != nil {
			out.Status, out.Orphaned = s.Status, s.IsUnattended()
			if out.Measured = campaign.StatusOf(s).Measured > before.Measured; out.Measured {
				out.Verdict = plain.Line(campaign.StatusOf(s).Progress, 500)
			}
			if s.Status != "running" {
				out.Ended = plain.Line(campaign.StatusOf(s).Ended, 500)
			}
			if out.Measured || out.Orphaned || s.Status != "running" {
				return out
			}
		}
		select {
		case <-ctx.Done():
			return out
		case <-look.C:
		}
	}
}

// Message tell a worker what came of its iteration.
func (o Verdict) Message(host bool) string {
	text := "The iteration is recorded."
	switch {
	case !host:
		return text + " The program measures it now; stop here."
	case o.Measured:
		text += " " + o.Verdict + "."
	case o.Orphaned:
		return text + " Nobody measures it, since the supervisor is gone: `council campaign begin` brings it back."
	case o.Status == "running" || o.Status == "":
		return text + " The program is still measuring it; `council campaign begin` waits for the next one."
	}
	if o.Status != "running" {
		return text + fmt.Sprintf(" The campaign has ended: %s.", cmp.Or(o.Ended, strings.ReplaceAll(o.Status, "_", " ")))
	}
	return text + " The next iteration begins with `council campaign begin`, or by itself where a loop drives this session."
}
