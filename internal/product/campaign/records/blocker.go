package records

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
)

// requireCriticTurn refuses who is no critic in a turn of its own.
func (s *Store) requireCriticTurn() error {
	if err := s.requireOpenIteration(); err != nil {
		return err
	}
	if s.turn.Role != agent.Critique {
		return usage.Errorf("this is no critic's turn: what stands against the plan is raised and closed by critics, before the next iteration of planning")
	}
	return nil
}

// Objection is a line of the file of issues that raises one.
type Objection struct {
	Severity   string   `json:"severity"`
	Aspect     string   `json:"aspect"`
	Text       string   `json:"text"`
	Evidence   []string `json:"evidence,omitempty"`
	Resolution string   `json:"resolution,omitempty"`
}

// Raise raises an objection to the plan.
func (s *Store) Raise(o Objection) error {
	if err := s.requireCriticTurn(); err != nil {
		return err
	}
	for _, f := range [][2]string{{"text", o.Text}, {"aspect", o.Aspect}} {
		if strings.TrimSpace(f[1]) == "" {
			return usage.Errorf("an objection needs --text and --aspect; --%s is missing", f[0])
		}
	}
	return s.recordIssue(o)
}

// Resolution is a line of the file of issues that resolves one.
type Resolution struct {
	Resolves string   `json:"resolves"`
	How      string   `json:"how"`
	Evidence []string `json:"evidence"`
}

// Resolve records that an objection is mended; closed says that it was so already, and
// nothing is recorded.
func (s *Store) Resolve(m Resolution) (closed bool, err error) {
	if err := s.requireCriticTurn(); err != nil {
		return false, err
	}
	if strings.TrimSpace(m.How) == "" || len(m.Evidence) == 0 {
		return false, usage.Errorf("say how it was mended and by what that can be seen: --how and --evidence")
	}
	all, _, err := s.criticism()
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(all.Issues, func(i campaign.Issue) bool { return i.ID == m.Resolves })
	if at < 0 {
		return false, usage.Errorf("there is no issue %.20q; open blockers: %s", m.Resolves, openBlockers(all.Issues))
	}
	if all.Issues[at].Closed != nil {
		return true, nil
	}
	return false, s.recordIssue(m)
}

// recordIssue adds a critic's line, unless the program will refuse it.
func (s *Store) recordIssue(line any) error {
	data := jsonLine(line)
	all, reading, err := s.criticism()
	if err != nil {
		return err
	}
	if refused := campaign.ReadIssues(all.Issues, data, reading).Refused; len(refused) > 0 {
		return usage.Errorf("%s", refused[0].Reason)
	}
	return s.append(campaign.IssuesFile, data, maxRecordBytes)
}

// criticism is what critics have said before this turn, and what this one reads.
func (s *Store) criticism() (campaign.Criticism, campaign.Reading, error) {
	var all campaign.Criticism
	if data, err := s.folder.Read(campaign.CriticismFile); err == nil {
		if err := json.Unmarshal(data, &all); err != nil {
			return all, campaign.Reading{}, fmt.Errorf("read %s: %w", campaign.CriticismFile, err)
		}
	}
	plan, _ := s.folder.Read(campaign.PlanText) // none is empty
	known := s.registeredIDs()
	return all, campaignwork.NewReading(plan, func(id string) bool { return known[id] }), nil
}

func openBlockers(list []campaign.Issue) string {
	var ids []string
	for _, i := range campaign.Open(list) {
		ids = append(ids, i.ID)
	}
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}
