package prompt

import (
	"fmt"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/prompts"
)

// Judgement is what is true of a turn in which a change of a campaign is judged
// by one that has not built it. Paths are absolute.
type Judgement struct {
	Feature string   // its id
	Project string   // the folder with the change in it
	Change  string   // the file that tells what was changed and counted
	Gone    []string // tests that ran before and do not now, data
	Check   string   // what is to be checked where no test can show it, data
	Report  string   // the file to write
	Open    string   // says why an earlier answer was not accepted; it may not be there yet
}

// Judge asks for the judgement.
func Judge(j Judgement) (string, error) {
	text, err := prompts.Text(agent.Judge)
	if err != nil {
		return "", err
	}
	check := ""
	if j.Check != "" {
		check = "The breakdown says that no test can show this feature. You are the one who checks it: look at the thing itself, work its statements and numbers out from the code, and say in `checked` what you looked at and what you saw. What is to be checked, as data:\n\n" + agent.FenceText("check", plain.Line(j.Check, longLimit))
	}
	text, err = fillOptional(text, map[string]string{
		"feature": plain.Line(j.Feature, nameLimit), "project": j.Project, "change": j.Change, "report": j.Report, "open": mendInstructions(j.Open), "check": check,
		"gone": fencedList("These tests ran before and do not now. Each needs an entry of its own in `tests`, by this name:", "tests", j.Gone),
	})
	if err != nil {
		return "", fmt.Errorf("fill prompt %q: %w", agent.Judge, err)
	}
	return text, nil
}
