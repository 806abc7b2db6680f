package view

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/staged"
)

// addCampaign adds what a campaign has come to; nothing for what is none.
func (p *page) addCampaign(s status.Status) {
	c := campaign.StatusOf(s)
	if c == nil {
		return
	}
	p.wrap("campaign", Place(s))
	p.wrap("last", c.Progress)
	p.wrap("found", findingsText(*c))
	p.wrap("blockers", strings.Join(c.Blockers, "; "))
	p.wrap("features", features(c.Features))
	p.wrap("phases", phases(c.Phases))
	p.wrap("recent", recentText(c.Recent))
	p.wrap("folder", c.Folder)
}

// Place is how far a run has come, as every view says it.
func Place(s status.Status) string {
	if c := campaign.StatusOf(s); c != nil {
		return fmt.Sprintf("%s, %s, iteration %d/%d", c.Mode, c.Phase, c.Iteration, c.Iterations)
	}
	if staged.StatusOf(s) != nil {
		return "stage " + stageOf(*staged.StatusOf(s))
	}
	if step := stepText(s); step != "" {
		return step + ": " + PlainWord(s.Phase)
	}
	if s.Step == 0 {
		return "the run begins"
	}
	return fmt.Sprintf("phase %d/%d %s", s.Step, s.Steps, PlainWord(s.Phase))
}

// Stage is how far a run has come, for a column.
func Stage(s status.Status) string {
	if c := campaign.StatusOf(s); c != nil {
		return fmt.Sprintf("%s %d/%d", c.Phase, c.Iteration, c.Iterations)
	}
	if staged.StatusOf(s) != nil {
		return stageOf(*staged.StatusOf(s))
	}
	return s.Phase
}

// subjectText is what a run is about: a campaign's name comes first.
func subjectText(s status.Status) string {
	if campaign.StatusOf(s) != nil {
		return campaign.StatusOf(s).Name + ": " + s.Topic
	}
	return s.Topic
}

// positionChange is what is new of how far a run has come. A campaign's iteration is
// told once it has been measured.
func positionChange(before, after status.Status) string {
	switch was, is := campaign.StatusOf(before), campaign.StatusOf(after); {
	case is != nil && is.Progress != "" && (was == nil || was.Measured != is.Measured):
		return is.Progress
	case is != nil && (was == nil || was.Phase != is.Phase):
		return Place(after)
	case is != nil:
		return ""
	case is == nil && staged.StatusOf(after) != nil && staged.StatusOf(before) != nil && Place(before) == Place(after):
		return "" // its eight stages are made of smaller ones
	case before.Phase != after.Phase || before.Step != after.Step:
		return Place(after)
	}
	return ""
}

func findingsText(c campaign.Status) string {
	if c.Measured == 0 || c.Mode == string(campaign.Implement) {
		return ""
	}
	text := fmt.Sprintf("%d findings in %d sources, %d questions open", c.Findings, c.Sources, c.Questions)
	if c.Phase == string(campaign.PhaseA) && c.Threshold > 0 {
		text += fmt.Sprintf("; %d of %d poor iterations in a row end the research", c.Low, c.Threshold)
	}
	return text
}

func features(f campaign.FeatureCounts) string {
	if f.Total == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d pass, %d failed, %d blocked", f.Complete, f.Total, f.Failed, f.Blocked)
	if f.Next != "" {
		text += "; next " + f.Next
	}
	return text
}

func phases(list []campaign.PhaseCost) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, fmt.Sprintf("%s %s (%s)", p.Phase, PriceText(p.Price), plural.Of(p.Iterations, "iteration")))
	}
	return strings.Join(parts, ", ")
}

func recentText(list []campaign.IterationCost) string {
	var parts []string
	for _, it := range list {
		part := fmt.Sprintf("%d %s", it.Iteration, it.Role)
		if it.Price != (status.Price{}) {
			part += " " + PriceText(it.Price)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// PriceText is what work has cost in a word, tokens where no money is known.
func PriceText(p status.Price) string {
	if p.USD == 0 && !p.Reported && !p.Estimated && p.Tokens > 0 {
		return count(p.Tokens) + " tokens"
	}
	return p.Brief()
}
