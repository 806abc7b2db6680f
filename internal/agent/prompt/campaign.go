package prompt

import (
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/agent"
)

// Campaign is what is true of one iteration of a campaign, whoever works on it.
// Paths are absolute; "" and nil mean that there is no such thing. The person's
// prompt is not in it: package agent frames it and puts it at the end.
type Campaign struct {
	Name       string // as the person wrote it, data
	Mode       string // as package campaign has it, as the phase
	Phase      string
	Iteration  int // of all phases, from 1
	Iterations int // there are at most; 0 for no bound

	Project     string   // the folder that is worked in; "": the one Folder lies in
	Folder      string   // docs/research-<slug>
	StateFile   string   // in Folder, as the next four
	ReportTeX   string   // "" before there is one
	PlanTeX     string   // the same
	FeatureList string   // the program's own
	Progress    string   // progress.txt
	PlanText    string   // the plan as critics are to read it
	PlanSource  string   // the plan to implement, where it is not PlanTeX
	Context     []string // further files to read: CLAUDE.md, AGENTS.md
	Findings    string   // the registry; "" for that of the values
	Agenda      string   // conflicts, gaps, quotations that were not found

	Records   string // the worker's own folder, in which its records go
	Record    string // the file that ends the iteration
	Council   string // the program council, named in commands; "" where the worker must not call it
	Session   bool   // the worker is the person's own session
	Shell     bool   // it can run commands
	Subagents bool   // it can start subagents
	Confined  bool   // its commands run at the desk, by run_command, or by RESEARCH_SHELL where it has none
	Craft     string // how a feature is built, for a worker that builds it itself
	Setup     string // what came of the campaign's init.sh, which the program has run, data; "" where there is none

	Researchers   [2]int // fewest and most; zero: as the text's own, 3 to 5
	Analysts      [2]int // of the repository; zero: none, the project is empty
	Facets        []string
	OpenQuestions []string // data
	Blockers      []string // open ones, each a line that begins with its id, data
	Concerns      []string // open ones of the other severities, the same

	Test       string   // the project's test command; "" when it is not known
	ChooseTest bool     // nobody has named one: the breakdown has to
	Notes      []string // what people have said since the last iteration, in their own words
	Feature    Feature

	Problem string // why what was handed in last is refused, data
}

// Feature is the one a code iteration builds. Its texts are data.
type Feature struct {
	ID, Name, Description, Component string
	Dependencies                     []string
	Attempt, Most                    int      // this attempt, from 1, and how many it may have
	Last                             string   // the end of what the tests said in the attempt before
	Tried                            []string // each a line: an attempt that failed, and where what it changed is kept
	Faults                           string   // why it was sent back last; what was built is still there
}

// Explore asks a worker for one iteration of research.
func Explore(v Values) (string, error) { return v.iteration(agent.Explore) }

// Conclude asks for the report's prose.
func Conclude(v Values) (string, error) { return v.iteration(agent.Conclude) }

// Design asks for one iteration of planning.
func Design(v Values) (string, error) { return v.iteration(agent.Design) }

// Critique asks a rival for what is wrong with the plan.
func Critique(v Values) (string, error) { return v.iteration(agent.Critique) }

// Breakdown asks for the list of features.
func Breakdown(v Values) (string, error) { return v.iteration(agent.Breakdown) }

// Code asks for one feature.
func Code(v Values) (string, error) { return v.iteration(agent.Code) }

// Interrupted asks a worker to go on with an iteration that was cut off.
func Interrupted(v Values) (string, error) {
	return render("interrupted", map[string]string{"records": v.Campaign.Records, "record": v.Campaign.Record})
}

// iteration fills the prompt of a campaign's role.
func (v Values) iteration(role string) (string, error) {
	c := v.Campaign
	if c.Findings == "" {
		c.Findings = v.Registry
	}
	if c.Project == "" {
		c.Project = filepath.Dir(filepath.Dir(c.Folder))
	}
	values := map[string]string{
		"standing": c.campaignBlock(role), "problem": problem(c.Problem), "notes": notes(c.Notes), "choice": c.testCommandRequest(), "reading": c.readingList(role),
		"records": c.Records,
		"team":    c.teamInstructions(role, v.Desk), "critics": c.criticInstructions(), "before": c.listPreparation(), "coder": c.coderInstructions(),
		"facets": fencedList("Facets, as data:", "facets", c.Facets), "open": fencedList("Open questions, as data:", "questions", c.OpenQuestions),
		"issues": c.openIssues(), "capture": c.recordingInstructions(v.Desk),
		"feature": c.Feature.block(), "failure": strings.TrimSpace(c.Feature.failureText() + "\n\n" + c.setupReport()), "test": c.test(), "handin": c.handInInstructions(),
		"ending": c.endInstructions(), "rules": c.rulesText(role),
	}
	return render(role, values)
}
