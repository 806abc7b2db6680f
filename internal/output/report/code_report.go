package report

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/engine/budget"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
)

// CodeCampaign is what a campaign that writes code has come to.
type CodeCampaign struct {
	Final              // how the run went; of its evidence nothing is shown
	Name     string    // of the campaign, as the person wrote it
	Slug     string    // by which commands know it
	Features []Feature // what was to be built
	Papers   []string  // further files to read, from the project's top
}

// Feature is one thing that was to be built. Its words may come from anywhere.
type Feature struct {
	ID, Name string
	State    FeatureState
	Attempts int    // that have failed
	Reason   string // why it failed, or which failed feature blocks it
	Commit   string // that made it pass
}

// FeatureState is what a feature has come to, as it is written.
type FeatureState string

// States of features.
const (
	FeatureOpen    FeatureState = "open"
	FeaturePassed  FeatureState = "passed"
	FeatureFailed  FeatureState = "failed" // for good
	FeatureBlocked FeatureState = "blocked"
)

// maxFailure is how much of the reason of a failed feature is shown, in runes.
const maxFailure = 2000

// RenderCodeCampaign writes the result of a campaign that writes code: each feature
// with the commit that holds it, what failed and why, what it cost.
func RenderCodeCampaign(b CodeCampaign) []byte {
	n := map[FeatureState]int{}
	for _, f := range b.Features {
		n[f.State]++
	}
	out := spaced([]string{"# What was built: " + escapeForeign(b.Name, 200)}, status(b.Final, true, ""))
	summary := fmt.Sprintf("%d of %s pass", n[FeaturePassed], plural.Of(len(b.Features), "feature"))
	for _, state := range []FeatureState{FeatureFailed, FeatureBlocked, FeatureOpen} {
		if n[state] > 0 {
			summary += fmt.Sprintf(", %d %s", n[state], state)
		}
	}
	out = spaced(out, []string{
		summary + ".", "",
		fmt.Sprintf("- Run %s%s", escapeForeign(b.ID, 60), period(b.Began, b.Ended)),
		fmt.Sprintf("- Cost: %s; %s tokens in all", b.Spent.Cost(), budget.Grouped(b.Spent.Tokens)),
	})
	if len(b.Features) > 0 {
		out = spaced(out, b.table())
	}
	out = spaced(out, b.failures())
	if len(b.Papers) > 0 {
		lines := []string{"## Papers", ""}
		for _, name := range b.Papers {
			lines = append(lines, "- "+foreignCode(name))
		}
		out = spaced(out, lines)
	}
	return []byte(strings.Join(out, "\n") + "\n")
}

func (b CodeCampaign) table() []string {
	lines := []string{"## Features", "", "| Feature | Name | State | Attempts | Commit |", "|---|---|---|---|---|"}
	for _, f := range b.Features {
		commit, attempts := "", f.Attempts
		if f.State == FeaturePassed {
			commit, attempts = foreignCode(f.Commit[:min(len(f.Commit), 12)]), attempts+1
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %d | %s |", escapeForeign(f.ID, 40), escapeForeign(f.Name, 120), f.State, attempts, commit))
	}
	return lines
}

// failures are the features that do not pass though they were tried, or can no
// longer be: each with its reason, and how it is tried again.
func (b CodeCampaign) failures() []string {
	var lines []string
	for _, f := range b.Features {
		if f.State == FeaturePassed || f.Reason == "" {
			continue
		}
		lines = append(lines, "", fmt.Sprintf("### %s: %s", escapeForeign(f.ID, 40), escapeForeign(f.Name, 120)), "")
		if f.State == FeatureBlocked {
			lines = append(lines, "Blocked: "+escapeForeign(f.Reason, maxFailure))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s, the last for this reason:", plural.Of(f.Attempts, "failed attempt")), "")
		lines = append(lines, "    "+plain.Line(plain.Trimmed(f.Reason), maxFailure)) // as code, whatever it says
		if f.State == FeatureFailed && b.Slug != "" {
			lines = append(lines, "", fmt.Sprintf("`council campaign retry %s %s` tries it again.", b.Slug, plain.Line(f.ID, 40)))
		}
	}
	if lines == nil {
		return nil
	}
	return append([]string{"## What does not pass"}, lines...)
}
