// Package staged is staged research: its eight stages, what each hands on,
// and the gates between them.
//
// A stage's output is a value of the types below. What models answer is held
// to JSON Schemas of the same names (package schema); what can be counted is
// counted here and never taken from an answer. [Judge] decides a gate from
// counts alone; [Workflow] has the stages in their order; who runs them is left
// to the engine.
package staged

import (
	"slices"
	"time"
)

// Stages in their order, and what follows the last one.
const (
	Discovery      = "discovery"
	Planning       = "planning"
	Collection     = "collection"
	Factcheck      = "factcheck"
	Synthesis      = "synthesis"
	DevilsAdvocate = "devils_advocate"
	Report         = "report"
	Review         = "review"
	Done           = "done"
)

// Stages lists the eight stages in their order.
func Stages() []string {
	return []string{Discovery, Planning, Collection, Factcheck, Synthesis, DevilsAdvocate, Report, Review}
}

// Bounds of the pipeline.
const (
	QuestionCount   = 10 // questions of the discovery
	Agents          = 5  // agents of the collection, at most
	Recommendations = 3  // at least
	Blocks          = 15 // blocks of the delivered report, at least
	Deliveries      = 3  // tries to deliver one report
)

// Setup is what staged research was set up with.
type Setup struct {
	Agents    int                      `json:"agents"`           // of the collection, at most
	Revisions int                      `json:"revisions"`        // max_iterations
	SLA       map[string]time.Duration `json:"sla,omitempty"`    // by stage: longer than that is told, and stops nothing
	Notion    string                   `json:"notion,omitempty"` // id of the page the report is put below; "" for none
}

// Question is one question to the person.
type Question struct {
	ID       string   `json:"id"` // Q1, Q2, …
	Question string   `json:"question"`
	Why      string   `json:"why,omitempty"`
	Options  []string `json:"options,omitempty"` // answers to choose from; the person may write another
}

// Questions is what the discovery asks first.
type Questions struct {
	Questions []Question `json:"questions"`
}

// Brief is the output of the discovery.
type Brief struct {
	Topic           string   `json:"topic"`
	Goal            string   `json:"goal"`
	SuccessCriteria []string `json:"success_criteria"`
	Audience        string   `json:"audience,omitempty"`
	InScope         []string `json:"in_scope,omitempty"`
	OutOfScope      []string `json:"out_of_scope,omitempty"`
	Constraints     []string `json:"constraints,omitempty"`
	Confirmed       bool     `json:"confirmed_by_user"` // set by the program when a person has confirmed it, and by nobody else
}

// Subtopic is a part of the question.
type Subtopic struct {
	ID        string   `json:"id"` // T1, T2, …
	Title     string   `json:"title"`
	Questions []string `json:"questions,omitempty"`
}

// Assignment is what one agent of the collection looks into.
type Assignment struct {
	ID        string   `json:"id"`        // A1, A2, …
	Focus     string   `json:"focus"`     // one line
	Subtopics []string `json:"subtopics"` // their ids
	Queries   []string `json:"queries,omitempty"`
}

// Plan is the output of the planning.
type Plan struct {
	Subtopics []Subtopic   `json:"subtopics"`
	Agents    []Assignment `json:"agents"`
	Quality   []string     `json:"quality_criteria"`
}

// Fact is something an agent has found, with the words it rests on.
type Fact struct {
	ID        string `json:"id,omitempty"` // C1, C2, … once it is registered
	Statement string `json:"statement"`
	Quote     string `json:"quote"`
	Source    string `json:"source"` // https://… or path:first-last
	Subtopic  string `json:"subtopic,omitempty"`
}

// AgentAnswer is what one agent of the collection has brought.
type AgentAnswer struct {
	Agent    string   `json:"agent,omitempty"` // as the plan has it; of the answer of an agent itself these four are empty
	Seat     string   `json:"seat,omitempty"`
	Family   string   `json:"family,omitempty"`
	Problem  string   `json:"problem,omitempty"` // why there is nothing
	Facts    []Fact   `json:"facts"`
	Insights []string `json:"insights"`
}

// CollectionResult is the output of the collection.
type CollectionResult struct {
	Agents []AgentAnswer `json:"agents"`
}

// CheckedFact is a fact as the fact-check left it.
type CheckedFact struct {
	Fact
	Support  string   `json:"support,omitempty"`  // supports, qualifies, contradicts, undecided; "" when nobody has judged
	Families []string `json:"families,omitempty"` // that have claimed it
	Reason   string   `json:"reason,omitempty"`   // why it is not verified, or what weakens it
	LeftOut  []string `json:"left_out,omitempty"` // what the quotation leaves out of its source, gap by gap
}

// Stats are counted, never reported by a model. Every fact is one of verified,
// qualified, unjudged and unverified.
type Stats struct {
	Total      int  `json:"total"`
	Located    int  `json:"located"`          // the quotation was found in its source
	Supported  int  `json:"supported"`        // votes say that the passage supports the statement: the same as verified
	Verified   int  `json:"verified"`         //
	Qualified  int  `json:"qualified"`        // votes say that the passage bears it out in part, or under a condition
	Unjudged   int  `json:"unjudged"`         // located, and nobody could be heard on it
	Unverified int  `json:"unverified"`       // not located, contradicted, or the judges disagree
	Sources    int  `json:"sources"`          // of all but the unverified
	Judges     bool `json:"judges,omitempty"` // somebody was there to judge
}

// FactCheckResult is the output of the fact-check.
type FactCheckResult struct {
	Verified   []CheckedFact `json:"verified_facts"`
	Qualified  []CheckedFact `json:"qualified_facts"`
	Unjudged   []CheckedFact `json:"unjudged_facts"`
	Unverified []CheckedFact `json:"unverified_facts"`
	Stats      Stats         `json:"verification_stats"`
}

// Usable are the facts that later stages may build on, saying of each what it
// is: those verified, then those qualified and those located that nobody has
// judged.
func (r FactCheckResult) Usable() []CheckedFact {
	return slices.Concat(r.Verified, r.Qualified, r.Unjudged)
}

// Finding is a finding of the synthesis.
type Finding struct {
	Finding string   `json:"finding"`
	Claims  []string `json:"claims"` // ids of the facts it rests on
}

// Recommendation is a recommendation of the synthesis.
type Recommendation struct {
	Recommendation string   `json:"recommendation"`
	Rationale      string   `json:"rationale"`
	Claims         []string `json:"claims,omitempty"`
}

// SynthesisResult is the output of the synthesis.
type SynthesisResult struct {
	Summary         string           `json:"executive_summary"`
	Findings        []Finding        `json:"key_findings"`
	Recommendations []Recommendation `json:"recommendations"`
}

// Risk is a risk the devil's advocate names.
type Risk struct {
	Risk       string   `json:"risk"`
	Likelihood string   `json:"likelihood,omitempty"` // low, medium, high
	Impact     string   `json:"impact,omitempty"`     // the same
	Mitigation string   `json:"mitigation,omitempty"`
	Claims     []string `json:"claims,omitempty"`
}

// Counterargument is what speaks against a finding or a recommendation.
type Counterargument struct {
	Against  string   `json:"against"`
	Argument string   `json:"argument"`
	Claims   []string `json:"claims,omitempty"`
}

// AdvocateResult is the output of the devil's advocate.
type AdvocateResult struct {
	Risks            []Risk            `json:"risks"`
	Counterarguments []Counterargument `json:"counterarguments"`
	BlindSpots       []string          `json:"blind_spots"`
}

// ReportResult is the output of the report's stage.
type ReportResult struct {
	NotionURL string `json:"notion_url"`
	PageID    string `json:"page_id"`
	Blocks    int    `json:"block_count"`       // as Notion counts them; of the rendered file where Notion is not set up
	File      string `json:"file"`              // the report in the run's folder
	Local     bool   `json:"local,omitempty"`   // Notion is not set up
	Problem   string `json:"problem,omitempty"` // why it was not delivered
}

// Output is what the program measured of a stage's output, for its gate.
type Output struct {
	Questions       int           `json:"questions,omitempty"`
	Brief           bool          `json:"brief,omitempty"` // topic, goal and success criteria are there
	Subtopics       int           `json:"subtopics,omitempty"`
	Agents          []Assignment  `json:"agents,omitempty"`   // of the plan
	Facts           int           `json:"facts,omitempty"`    // of one agent
	Insights        int           `json:"insights,omitempty"` // of one agent
	Planned         int           `json:"planned,omitempty"`  // agents of the collection
	Returned        int           `json:"returned,omitempty"` // of them, those that brought data
	Stats           *Stats        `json:"stats,omitempty"`
	Recommendations int           `json:"recommendations,omitempty"`
	Risks           int           `json:"risks,omitempty"`
	Report          *ReportResult `json:"report,omitempty"`
}
