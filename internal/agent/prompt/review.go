package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/agents"
	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/prompts"
)

// ReviewTurn is what is true of one turn of a review of code. Paths are absolute; ""
// means that there is no such file. Nothing of the repository is in it but
// where it lies.
type ReviewTurn struct {
	Reviewer   string // of an inspection: one of the agents that review
	Repository string // its folder
	Batch      int    // of an inspection, from 1
	Batches    int
	Files      string // list of the batch's files
	Discovery  string // map of the repository
	Plan       string // the batches
	Findings   string // to judge or to look at once more
	Changes    string // of an inspection of changes alone: the batch's, as a diff
	Trials     bool   // of a second look: it has a tool that runs tests on a copy of the code
	Report     string // the file to write
	Open       string // says why an earlier answer was not accepted; it may not be there yet
}

// Review asks for the turn of a role of a review of code. Before what holds for
// this turn stands the text of the agent it is a turn of, where there is one.
func Review(role string, v ReviewTurn) (string, error) {
	if !slices.Contains([]string{agent.Annotate, agent.Inspect, agent.Synthesize, agent.Spotcheck}, role) {
		return "", fmt.Errorf("fill prompt %q: no role of a review of code", role)
	}
	text, err := prompts.Text(role)
	if err != nil {
		return "", err
	}
	text, err = fillOptional(text, map[string]string{
		"repository": v.Repository, "batch": batchPosition(v.Batch, v.Batches), "files": v.Files, "discovery": v.Discovery, "plan": v.Plan, "changes": changesText(v.Changes),
		"findings": v.Findings, "trials": trialsText(v.Trials), "open": mendInstructions(v.Open), "report": v.Report,
	})
	if err != nil {
		return "", fmt.Errorf("fill prompt %q: %w", role, err)
	}
	who, err := persona(role, v.Reviewer)
	if err != nil || who == "" {
		return text, err
	}
	return who + "\n" + text, nil
}

func batchPosition(n, of int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("batch %d of %d", n, of)
}

func changesText(file string) string {
	if file == "" {
		return ""
	}
	return fmt.Sprintf("Only what has changed is reviewed. `%s` holds it, as a unified diff with its surroundings; a file of the batch that is not in it is new as a whole. Begin there, and read of the files what the changes touch. A finding is about a change, or about what a change breaks.", file)
}

func trialsText(may bool) string {
	if !may {
		return "Judge from the code alone, and run nothing."
	}
	return "You may try a finding out. The tool `run_test` of your desk runs a command on a fresh copy of the code, without network: write a test that fails if the finding is true, hand it over with the call, and name the finding. The program records each run, and the report shows it beside your verdict, so say of a run what it gave and no more; what was not run by that tool was not run. A test that cannot be built or started shows nothing: then the code decides. Run nothing by other means."
}

// persona is the text of the agent that a turn is one of; "" where it is none.
func persona(role, reviewer string) (string, error) {
	switch role {
	case agent.Inspect:
		return agentText(reviewer)
	case agent.Annotate:
		return agentText("discovery")
	case agent.Synthesize:
		return codeJudgingText()
	}
	return "", nil
}

// codeJudgingText is what the synthesizer's text says of findings in code; the rest of
// it is about findings of researchers.
func codeJudgingText() (string, error) {
	text, err := agentText("synthesizer")
	if err != nil {
		return "", err
	}
	const heading = "## A review of code\n"
	at := strings.Index(text, heading)
	if at < 0 {
		return "", fmt.Errorf("the synthesizer has no part on %q", strings.TrimSpace(heading))
	}
	return text[at:], nil
}

func agentText(name string) (string, error) {
	all, err := agents.All()
	if err != nil {
		return "", err
	}
	for _, a := range all {
		if a.Name == name {
			return a.Prompt, nil
		}
	}
	return "", fmt.Errorf("there is no agent called %q", name)
}
