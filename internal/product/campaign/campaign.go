// Package campaign says what a campaign is: research, planning and
// implementation that go on for days in iterations, each one turn of one
// worker.
//
// It has the modes and phases, the state file that tells people and hooks
// where a campaign stands, the records a worker leaves, and the workflow that
// decides what follows from them; files and processes are others'.
package campaign

import (
	"math"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/usage"
)

// Mode is what a campaign is to come to.
type Mode string

const (
	Research        Mode = "research"          // a report
	ResearchAndPlan Mode = "research-and-plan" // a report and a plan
	FullAuto        Mode = "full-auto"         // a report, a plan and the code
	Implement       Mode = "implement"         // the code, by a plan that is there
)

// Modes lists them.
func Modes() []Mode { return []Mode{Research, ResearchAndPlan, FullAuto, Implement} }

// ParseMode reads the name of a mode.
func ParseMode(word string) (Mode, error) {
	var names []string
	for _, m := range Modes() {
		if string(m) == word {
			return m, nil
		}
		names = append(names, string(m))
	}
	return "", usage.Errorf("there is no mode %q; use one of %s", word, strings.Join(names, ", "))
}

// Type is what the state file calls the mode.
func (m Mode) Type() string {
	return map[Mode]string{
		Research: "autonomous-research", ResearchAndPlan: "autonomous-research-plan",
		FullAuto: "autonomous-full-auto", Implement: "autonomous-implement",
	}[m]
}

// Unlimited is as many iterations as nothing bounds.
const Unlimited = math.MaxInt32

// Iterations is how many a campaign may have unless said otherwise.
func (m Mode) Iterations() int {
	return map[Mode]int{Research: 30, ResearchAndPlan: 40, FullAuto: 100, Implement: 80}[m]
}

// Phase is a part of a campaign, as the state file names it.
type Phase string

const (
	PhaseA Phase = "Phase A: Research"
	PhaseB Phase = "Phase B: Planning"
	PhaseC Phase = "Phase C: Implementation"
)

// Phases lists the phases of a mode, in order.
func (m Mode) Phases() []Phase {
	return map[Mode][]Phase{
		Research: {PhaseA}, ResearchAndPlan: {PhaseA, PhaseB},
		FullAuto: {PhaseA, PhaseB, PhaseC}, Implement: {PhaseC},
	}[m]
}

// Names in a campaign's folder. Those of the report, the plan and the state
// begin with the campaign's slug: see [Setup].
const (
	Features    = "feature-list.json"
	Sources     = "sources.bib"
	Progress    = "progress.txt"
	Transcripts = "transcripts"
)

// FolderPrefix begins the name of every campaign's folder, relative to the project.
const FolderPrefix = "docs/research-"

// Setup is what a campaign was asked for, beside what every run is.
type Setup struct {
	Name       string        `json:"name"` // as the person wrote it
	Slug       string        `json:"slug"` // what of it may stand in a path
	Mode       Mode          `json:"mode"`
	Iterations int           `json:"iterations"`         // of all phases together, at most
	Threshold  int           `json:"threshold"`          // poor iterations in a row that end the research
	Stable     int           `json:"stable"`             // iterations in a row that leave the plan as it is, to end the planning
	Research   int           `json:"research,omitempty"` // iterations of Phase A exactly; 0: by what is found
	Planning   int           `json:"planning,omitempty"` // the same of Phase B
	Loop       bool          `json:"loop,omitempty"`     // the session's own Stop hook asks for the next iteration
	Empty      bool          `json:"empty,omitempty"`    // the project holds nothing to analyse yet
	Test       string        `json:"test,omitempty"`     // the command that decides whether a feature passes
	TestTime   time.Duration `json:"test_time,omitempty"`
	NoHooks    bool          `json:"no_hooks,omitempty"`   // a person lets commits be made without the repository's hooks
	AcceptRed  bool          `json:"accept_red,omitempty"` // a person lets it build although the tests are red or missing before
	Plan       string        `json:"plan,omitempty"`       // the plan to implement, relative to the project; "" for the campaign's own
	Allow      []string      `json:"allow,omitempty"`      // further permission rules of the worker

	Paths     []string `json:"allow_paths,omitempty"` // protected paths of the project that code may be written to all the same
	Hosts     []string `json:"allow_hosts,omitempty"` // that commands in the project may ask, beside the registries of packages
	Variables []string `json:"allow_env,omitempty"`   // of the environment that they may see, beside the list
}

// PoorBelow is how few new verified findings make an iteration poor: fewer than
// this.
const PoorBelow = 2

// Folder is the campaign's folder, relative to the project.
func (s Setup) Folder() string { return FolderPrefix + s.Slug }

// StateFile, ReportFile and PlanFile are names in the campaign's folder.
func (s Setup) StateFile() string  { return s.Slug + "-state.md" }
func (s Setup) ReportFile() string { return s.Slug + "-report.tex" }
func (s Setup) PlanFile() string   { return s.Slug + "-plan.tex" }

// Tally is what the program counted after an iteration, of what lies on disk
// and nothing else.
type Tally struct {
	Failed     bool     `json:"failed,omitempty"`    // the iteration left nothing: it counts neither way
	Sources    int      `json:"sources"`             // cited by what was found
	Findings   int      `json:"findings"`            // located claims
	New        int      `json:"new"`                 // of them, those the registry did not have before
	Questions  int      `json:"questions,omitempty"` // open
	Sections   int      `json:"sections,omitempty"`  // of the report that are written
	Components int      `json:"components,omitempty"`
	Decisions  int      `json:"decisions,omitempty"`  // open design decisions
	Blockers   []string `json:"blockers,omitempty"`   // open, each a line
	Resolved   int      `json:"resolved,omitempty"`   // issues of critics that are closed
	Plan       string   `json:"plan,omitempty"`       // hash of what the plan says; "" for no plan
	Missing    []string `json:"missing,omitempty"`    // sections the plan needs and does not have
	Criticised string   `json:"criticised,omitempty"` // hash of the plan that a critic has read last
	Heard      []string `json:"heard,omitempty"`      // what critics have newly raised and closed, each a line
	Total      int      `json:"total,omitempty"`      // features
	Complete   int      `json:"complete,omitempty"`
	Lost       int      `json:"lost,omitempty"`    // features failed for good
	Blocked    int      `json:"blocked,omitempty"` // features that wait for one of those
	Feature    string   `json:"feature,omitempty"` // the one this iteration worked on
	Passed     bool     `json:"passed,omitempty"`  // and whether it passes
	Test       string   `json:"test,omitempty"`    // the test command the breakdown has chosen
	Next       string   `json:"next,omitempty"`    // the one that is next; "" when all are settled
	Last       string   `json:"last,omitempty"`    // completed last
	Problem    string   `json:"problem,omitempty"` // why what was handed in is refused
	Judge      string   `json:"judge,omitempty"`   // the feature whose change waits for somebody else's judgement
	Ask        string   `json:"ask,omitempty"`     // what a person has to say or to mend before it goes on
	Again      bool     `json:"again,omitempty"`   // once that is done, the same is looked at once more
}

// State is where a campaign stands: what its state file says.
type State struct {
	Type        string // workflow_type
	Name        string
	Run         string // research_id: the run's id
	Status      string // in_progress, complete, failed, cancelled or out_of_budget
	Reason      string // why it ended so
	Phase       Phase
	Iteration   int    // of all phases
	Researching int    // total_iterations_research
	Planning    int    // total_iterations_planning
	Coding      int    // total_iterations_coding
	Low         int    // consecutive_low_findings
	Threshold   int    // phase_transition_threshold
	Steady      int    // iterations in a row that left the plan as it was
	Tally              // sources_cited, findings_count, new_findings_last_iteration, features_…
	PlanSource  string // plan_source
	Done        []Phase
	Prompt      string   // the person's, data
	Files       []string // to read when the context was lost, relative to the project, the state file first
}
