// Package flow says what a run is, what has happened in it and what ought to
// happen next.
//
// Three pure functions carry every workflow. [Evolve] folds one fact into a
// run. [WantedTurns] lists the turns that ought to be under way, and after a crash
// exactly those to take up again. [Decide] gives the next fact that follows
// from the run alone. Clock, disk and processes are elsewhere: time enters
// with the facts, and a fact is in the journal before anybody acts on it.
//
// A workflow is a list of stages. A stage plans tasks for one visit; when all
// have ended its gate judges: next, again, jump, fail, done or ask a person. A task is a
// loop of turns on one artefact, judged by package loop; whether a turn may
// start at all is judged by package budget.
package flow

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/experiment"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// FinalReport is the file in a run's folder that every product writes its report
// into.
const FinalReport = "final-report.md"

// Setup is what a run was asked for. It is the first fact and never changes.
type Setup struct {
	ID       string         `json:"id"`
	Workflow string         `json:"workflow"`
	Topic    string         `json:"topic"`
	Release  string         `json:"release,omitempty"`  // of the program that began the run
	Root     string         `json:"root"`               // the project, absolute
	Scope    string         `json:"scope,omitempty"`    // folder of local sources, absolute
	Revision string         `json:"revision,omitempty"` // at which commit that folder was; "" where there is none
	Session  string         `json:"session,omitempty"`  // the host session that owns the run; "" when headless
	Host     Process        `json:"host,omitzero"`      // the process of that session
	Attended bool           `json:"attended,omitempty"` // a person sits at that session
	Unwoken  bool           `json:"unwoken,omitempty"`  // that session cannot be woken: it is asked for nothing, and hears of the end when it comes by
	Seats    []Seat         `json:"seats"`
	Missing  []Missing      `json:"missing,omitempty"` // seats asked for that cannot take part
	Limits   budget.Limits  `json:"limits"`
	Loop     loop.Rule      `json:"loop"`
	Turn     time.Duration  `json:"turn"`               // wall clock limit of one turn
	Tier     string         `json:"tier"`               // alias of models and efforts: max, standard, cheap
	Parallel int            `json:"parallel,omitempty"` // turns at once, 0 for all
	PerBrand map[string]int `json:"per_brand,omitempty"`
	Bypass   bool           `json:"bypass,omitempty"`   // skip permission checks, on the user's word
	Plan     scope.Plan     `json:"plan,omitzero"`      // mode, debate, shards and questions
	Warnings []string       `json:"warnings,omitempty"` // what was asked for and could not be taken as typed
	Network  Network        `json:"network,omitzero"`
	Web      bool           `json:"web,omitempty"`      // who has no model researches the web, by the engines of the network
	Output   string         `json:"output,omitempty"`   // where the report is copied to, relative to the project
	Force    bool           `json:"force,omitempty"`    // the person lets copies replace what stands in their place
	Previous string         `json:"previous,omitempty"` // id of an earlier run to compare with

	Prices map[string]Price `json:"prices,omitempty"` // configured, by the name of the model

	Own    Own    `json:"own,omitzero"`     // what the product was asked for beyond this
	Panel  []Seat `json:"panel,omitempty"`  // the reviewers of the panel, each with a turn of its own; nil for no review
	Critic *Seat  `json:"critic,omitempty"` // of a campaign in which only a session works: judges what that has done, each time in a fresh context

	Planner  *Seat `json:"planner,omitempty"`   // splits the question before anybody researches; nil where rules do
	EditPlan bool  `json:"edit_plan,omitempty"` // the run waits then for the person to edit what came of it

	Experiments *experiment.Budget `json:"experiments,omitempty"` // what each seat may have the program run; nil for nothing

	Unreviewed bool `json:"unreviewed,omitempty"` // a review was asked for, and nobody can give one
}

// Network says how sources are fetched. A service without an address is not
// asked.
type Network struct {
	Private   []string      `json:"private,omitempty" yaml:"private"` // hosts and CIDR ranges that may be private
	Proxy     string        `json:"proxy,omitempty" yaml:"proxy"`     // address of a proxy; "" for what the environment says, none for no proxy
	Wayback   string        `json:"wayback,omitempty" yaml:"wayback"` // base URLs
	Crossref  string        `json:"crossref,omitempty" yaml:"crossref"`
	ArXiv     string        `json:"arxiv,omitempty" yaml:"arxiv"`
	OpenAlex  string        `json:"openalex,omitempty" yaml:"openalex"`
	DOI       string        `json:"doi,omitempty" yaml:"doi"`
	Unpaywall string        `json:"unpaywall,omitempty" yaml:"unpaywall"`
	EuropePMC string        `json:"europepmc,omitempty" yaml:"europepmc"`
	GitHub    string        `json:"github,omitempty" yaml:"github"`
	Render    string        `json:"render,omitempty" yaml:"render"`     // whether scripts of pages that have no text without them are run: RenderOff, else where it can be
	Timeout   time.Duration `json:"timeout,omitempty" yaml:"timeout"`   // of one page
	PerHost   int           `json:"per_host,omitempty" yaml:"per_host"` // pages of one host at once
	Pace      time.Duration `json:"pace,omitempty" yaml:"pace"`         // between two pages of one host

	Search  []engine.Service `json:"search,omitempty" yaml:"-"`  // engines that seats look for pages with
	Contact string           `json:"contact,omitempty" yaml:"-"` // an address of mail for services that want one; "" for none

	Library string `json:"library,omitempty" yaml:"-"` // the folder of the person's library that is asked before the web, absolute; "" for none
}

// What [Network.Render] may be.
const (
	RenderAuto = "auto"
	RenderOff  = "off"
)

// SearchVariables are the variables of the environment that hold keys of engines.
func (n Network) SearchVariables() []string {
	var names []string
	for _, s := range n.Search {
		if s.KeyEnv != "" {
			names = append(names, s.KeyEnv)
		}
	}
	return names
}

// Seat is one agent of a run, with everything resolved that was configured,
// so that a run taken up later goes on as it began.
type Seat struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`  // the adapter: claude, codex, gemini, command, chat, librarian
	Brand    string   `json:"brand"` // family of the model: seats of one brand share its rate limit and are no rivals
	Program  string   `json:"program,omitempty"`
	Args     []string `json:"args,omitempty"`
	Model    string   `json:"model,omitempty"`
	Effort   string   `json:"effort,omitempty"`
	Thinking int      `json:"thinking,omitempty"` // tokens
	Inherit  []string `json:"inherit,omitempty"`  // further variables of the environment it may see
	Free     bool     `json:"free,omitempty"`     // costs no money; it may have a model all the same, one on this machine
	Price    Price    `json:"price,omitzero"`

	Server agent.Server `json:"server,omitzero"` // whom a chat seat asks
}

// HasModel reports whether a seat thinks with a model, on whatever machine and
// at whatever price: all do but the librarian.
func (s Seat) HasModel() bool { return s.Kind != "librarian" }

// HasModel reports whether any who takes part has a model.
func (s Setup) HasModel() bool {
	return slices.ContainsFunc(slices.Concat(s.Seats, s.Panel), Seat.HasModel)
}

// MovedTo is the setup of a run whose project lies elsewhere now: it has the new
// root, and a scope within the project has gone with it.
func (s Setup) MovedTo(root string) Setup {
	if within, is := strings.CutPrefix(s.Scope, s.Root); is && (within == "" || within[0] == '/') && s.Root != "" {
		s.Scope = root + within
	}
	s.Root = root
	return s
}

// LibrarianSeat is the seat of last resort: it needs no model, key or network.
func LibrarianSeat() Seat {
	return Seat{Name: "librarian", Kind: "librarian", Brand: "librarian", Free: true}
}

// Price in USD for a million tokens, for seats that report no cost.
type Price struct {
	Input  float64 `json:"input,omitempty"`
	Output float64 `json:"output,omitempty"`
	Cached float64 `json:"cached,omitempty"`
}

// Missing is a seat that was asked for and cannot take part.
type Missing struct {
	Seat   string `json:"seat"`
	Reason string `json:"reason"`
	Named  bool   `json:"named,omitempty"` // the person asked for it by name: without it the plan is not kept
}

// Names of the seats that nobody names: the host's own session, the program itself,
// and who plans the questions.
const (
	Host    = "session"
	Program = "program"
	Planner = "planner" // a seat of the run under another name, with its cheap model
)

// Task is one seat's work in one visit of a stage.
type Task struct {
	ID       string    `json:"id"` // stage.visit/seat, or stage.visit/seat.agent
	Seat     string    `json:"seat"`
	Brand    string    `json:"brand"`
	Role     string    `json:"role"`            // names the prompt, or the program's work
	Shard    string    `json:"shard,omitempty"` // the part of the question it covers first: ids of the plan's shards, as "A" or "A+C"
	Reads    []string  `json:"reads,omitempty"` // published artefacts, the task's own first
	Writes   string    `json:"writes"`          // the artefact it publishes in the run's folder
	Rule     loop.Rule `json:"rule"`
	Free     bool      `json:"free,omitempty"`     // costs nothing: only time limits it
	Reserved bool      `json:"reserved,omitempty"` // may use the reserve
	Agent    string    `json:"agent,omitempty"`    // tells the tasks of one seat in one visit apart, a path-safe word
	Clean    bool      `json:"clean,omitempty"`    // works in a folder that no other task has used
	Whole    bool      `json:"whole,omitempty"`    // once under way it is not ended because the run is to finish early
	Notes    []int     `json:"notes,omitempty"`    // what its prompt has of the run's notes, by their numbers from 1
}

// A Workflow is a value: stages in order.
type Workflow struct {
	Name   string
	Stages []Stage
	Finish func(Run, Verdict) Verdict // what a gate's word becomes once the run is to finish early; nil leaves it
	Close  func(Run) (Status, string) // what a run that has come to its end ends as, and why; nil is completed

	// Why a run cannot finish early, "" when it can; nil where it always can.
	Unfinishable func(Run) string
	// What becomes of a run that is to finish early, for people; nil for what
	// becomes of most.
	Finishing func(Run) string

	// What a person is told who would go on with a run that has ended; nil where it
	// is only to be begun anew.
	Ended func(Run) string
	// Whether the report is written once more when a run ends so, and whether it
	// then says how that was; nil for never.
	Rewrites func(Status) (again, says bool)
	// Where below the folders of the seats what a task has written stays that is
	// not published; nil where all is. See [Workflow.KeptFile].
	Kept func(Task) (file string, kept bool)
	// What else the person has asked copies of, relative to the project; nil for
	// nothing.
	Copies func(Setup) []string

	Heeds    bool              // what people say to it on the way reaches those who work
	Rounds   bool              // its stages come again as a matter of course
	Reopens  bool              // a run that a gate or a limit has stopped can be gone on with where it stopped
	Unscored bool              // there is no evidence to score
	Planned  string            // the part of the course that is done before the run begins; "" for none
	Plain    map[string]string // parts of the course in the words of who watches, where those are others

	// What a run that waits for a person shows them: the file's name in its folder,
	// and whether their word alone opens the gate; nil where it shows no file.
	Asks func(Run) (file string, confirm bool)
	// What the status says that only the product understands; nil for nothing.
	Status func(Run) Own
	// What the progress log says of a fact, given the run with the fact folded in;
	// the usual line where it is nil or has not said anything.
	Line func(Run, Event) (line string, said bool)
}

// WhyUnfinishable says why a run cannot finish early; "" when it can.
func (w Workflow) WhyUnfinishable(r Run) string {
	if w.Unfinishable == nil {
		return ""
	}
	return w.Unfinishable(r)
}

// FinishMessage says, for people, what becomes of a run that is to finish early.
func (w Workflow) FinishMessage(r Run) string {
	if w.Finishing == nil {
		return "No more research begins; the report is written from what there is."
	}
	return w.Finishing(r)
}

// KeptFile is where below the folders of the seats what a task has written stays;
// false where it is published.
func (w Workflow) KeptFile(t Task) (file string, kept bool) {
	if w.Kept == nil {
		return "", false
	}
	return w.Kept(t)
}

// Stage is one step of a workflow.
type Stage struct {
	Name   string
	Phase  string           // what the state file calls it
	Part   string           // the part of the course it belongs to, for people
	Title  string           // what the progress log calls it; "" for its name
	Plan   func(Run) []Task // the tasks of the visit that is about to begin
	Gate   func(Run) Verdict
	Visits int  // at most, at least 1
	Spent  Move // what a gate's again or jump turns into when the visits are spent: Next or Fail
}

// Move is where a run goes from a gate.
type Move string

const (
	Next  Move = "next"  // to the stage after this one; after the last one the run is done
	Again Move = "again" // to this stage once more
	Jump  Move = "jump"  // to the stage named
	Fail  Move = "fail"  // the run ends failed
	Halt  Move = "halt"  // the run ends out of its budget
	Empty Move = "empty" // the run ends without evidence
	Done  Move = "done"  // the run ends completed
	Ask   Move = "ask"   // the run waits for a person; what they say is in the run when the gate judges again
)

// Verdict is what a gate judges.
type Verdict struct {
	Move   Move   `json:"move"`
	To     string `json:"to,omitempty"` // the stage of a jump
	Reason string `json:"reason,omitempty"`

	// Over is the gate's own word where a person has let the run go on in spite
	// of it, the zero value where it had said nothing; nil for a gate's verdict.
	Over *Verdict `json:"over,omitempty"`
}

// Own is what the gate itself has said.
func (v Verdict) Own() Verdict {
	if v.Over != nil {
		return *v.Over
	}
	return v
}

// Status is how a run ended; "" while it is under way.
type Status string

const (
	Completed   Status = "completed"
	Failed      Status = "failed"
	Cancelled   Status = "cancelled"
	OutOfBudget Status = "out_of_budget"
	NoEvidence  Status = "no_evidence" // it came to its end, and no quotation anybody recorded was located
)

// Words is a status in the words of a sentence: "the run …".
func (s Status) Words() string {
	if s == NoEvidence {
		return "ended without evidence"
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// Run is the fold of its facts. Its maps and slices are never changed in
// place: a run is a value and may be kept.
type Run struct {
	Setup   Setup
	Seq     int       // of the last fact
	Began   time.Time // when the first fact came
	At      time.Time // when the last fact came
	Stage   string
	Visit   int         // of the stage, from 1
	Entered time.Time   // when this visit began, or went on after a person was heard
	Tasks   []TaskState // of this visit
	Judged  *Verdict    // the gate's word on this visit
	History []Visit     // the visits before this one
	Spent   budget.Spent
	Windows map[string]int // turns at once a brand bears, learned from its refusals
	TimesUp int            // 1: only the time kept back for the synthesis is left; 2: that is up too
	Refused string         // why a limit has let no turn start; "" when none has
	Cancel  string         // why the run is to end; "" when it is not
	Finish  string         // why research is to end with what there is; "" when it is not
	Status  Status
	Reason  string
	Epoch   int       // how often a supervisor has taken the run up
	Opened  int       // visits there were when the run was last opened again after its end
	Release string    // of the program that works, or has worked last, on the run; "" where it does not tell
	Asked   time.Time // since when the run waits for a person; zero when it does not
	Input   *Input    // what a person has said in this visit
	Given   []Input   // all they have said
	Issues  []Issue   // what went wrong on the way and stopped nothing
	Notes   []Note    // what people have said to it on the way
	Heeded  int       // how many of them a task was given
	Edits   []Edit    // of what the product works by

	Experiments map[string]experiment.Used // by seat, as its last turn has left it
}

// Note is what a person says to a run while it goes on.
type Note struct {
	ID   string `json:"id"` // one that comes twice is the same
	By   string `json:"by"` // how it came: [ByCommand] or [BySession]
	Text string `json:"text"`
}

// How a note came.
const (
	ByCommand = "command" // typed at the program
	BySession = "session" // typed at the session that owns the run
)

// Edit is an edit of what a product works by, and how many visits there were
// before it.
type Edit struct {
	Own   Own
	After int
}

// PendingNotes are the numbers of the notes no task was given yet.
func (r Run) PendingNotes() []int {
	var list []int
	for n := r.Heeded + 1; n <= len(r.Notes); n++ {
		list = append(list, n)
	}
	return list
}

// Input is what a person has said to a run that asked.
type Input struct {
	File      string `json:"file,omitempty"`      // in the run's folder: their answers
	Confirmed bool   `json:"confirmed,omitempty"` // they confirm what they were shown
}

// Issue is something that went wrong on the way.
type Issue struct {
	At     time.Time `json:"at,omitzero"`
	Code   string    `json:"code"`            // as data_source_failed
	Stage  string    `json:"stage,omitempty"` // in which it was met
	Seat   string    `json:"seat,omitempty"`
	Detail string    `json:"detail"` // one line
}

// Codes of issues.
const (
	SourceFailed   = "data_source_failed"
	AnswerRefused  = "answer_refused" // it does not fit its schema
	DeliveryFailed = "delivery_failed"
	NoticeFailed   = "notice_failed"
	TooSlow        = "sla_exceeded"

	TelemetryFailed = "telemetry_failed"

	OtherRelease = "other_release" // hooks and supervisor are not of one
)

// mostIssues bounds what a run remembers of its issues.
const mostIssues = 1000

// Visit is one finished visit of a stage.
type Visit struct {
	Stage   string
	Visit   int
	Entered time.Time
	Ended   time.Time
	Heard   bool // a person was heard in it
	Tasks   []TaskState
	Verdict Verdict
}

// TaskState is what has happened in a task.
type TaskState struct {
	Task
	Loop      loop.State
	Session   string    // to resume by
	Fresh     bool      // the next turn starts a new session
	NotBefore time.Time // of the next turn
	Turn      int       // turns started
	Running   *Running  // the turn under way
	Outcome   loop.Outcome
	Reason    string
	Cost      Cost        // of its turns
	Found     *Assessment // what the program's own work came to
	SessionTotal
}

// Cost is what turns have cost, as far as it is known.
type Cost struct {
	USD       float64 `json:"usd,omitempty"`
	Estimated bool    `json:"estimated,omitempty"` // as in [budget.Spent], these too
	Reported  bool    `json:"reported,omitempty"`
	Reckoned  bool    `json:"reckoned,omitempty"`
	Tokens    int64   `json:"tokens,omitempty"`
	Unpriced  int64   `json:"unpriced,omitempty"`
	Counted   int64   `json:"counted,omitempty"`
	Input     int64   `json:"input,omitempty"`  // of Tokens those read, where the seat tells them apart
	Output    int64   `json:"output,omitempty"` // those written
	Cached    int64   `json:"cached,omitempty"` // of Input those from a cache
}

// Plus adds costs.
func (c Cost) Plus(d Cost) Cost {
	return Cost{
		USD: c.USD + d.USD, Estimated: c.Estimated || d.Estimated, Reported: c.Reported || d.Reported, Reckoned: c.Reckoned || d.Reckoned,
		Tokens: c.Tokens + d.Tokens, Unpriced: c.Unpriced + d.Unpriced, Counted: c.Counted + d.Counted,
		Input: c.Input + d.Input, Output: c.Output + d.Output, Cached: c.Cached + d.Cached,
	}
}

// Spent is the same for a limit to hold.
func (c Cost) Spent() budget.Spent {
	return budget.Spent{USD: c.USD, Estimated: c.Estimated, Reported: c.Reported, Reckoned: c.Reckoned, Tokens: c.Tokens, Unpriced: c.Unpriced, Counted: c.Counted}
}

// Assessment is what the program measured of the evidence, for the gates to
// judge by.
type Assessment struct {
	Gate    string         `json:"gate,omitempty"`    // report, validate or debate
	Score   float64        `json:"score"`             // 0 to 100
	Open    int            `json:"open"`              // disputed points nobody has settled
	Points  int            `json:"points,omitempty"`  // what there is to validate or to debate: disputed points, and questions without an answer
	Ballots map[string]int `json:"ballots,omitempty"` // claims each brand may vote on
	Batches int            `json:"batches,omitempty"` // of pairs of claims to be compared
	Earlier int            `json:"earlier,omitempty"` // batches, of claims or of pairs, that judges were asked about before
	Settled bool           `json:"settled,omitempty"` // a further round of debate would change nothing
	New     int            `json:"new,omitempty"`     // claims of a debate that nobody has voted on
	Reasons []string       `json:"reasons,omitempty"`

	Evidence *Evidence `json:"evidence,omitempty"` // nil where quotations were not looked for
	Own      Own       `json:"own,omitzero"`       // what else the product has counted
}

// SessionTotal is the last total a seat has told of its whole session, to
// difference the next one with.
type SessionTotal struct {
	USD    float64 `json:"usd,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
	Input  int64   `json:"input,omitempty"` // as in a Result
	Output int64   `json:"output,omitempty"`
	Cached int64   `json:"cached,omitempty"`
}

// Running is a turn under way.
type Running struct {
	Since   time.Time
	Session string
	Keeper  Process
	Child   Process
}

// Process names a process for good: a pid alone is used again.
type Process struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

// Folder is where a seat works at the task, below the folders of all seats, where
// the product says nothing else: its own place for each role, and a new one for
// each task that wants a clean one.
func (t Task) Folder() string {
	if t.Clean {
		visit, who, _ := strings.Cut(t.ID, "/")
		return path.Join(t.Seat, visit+strings.TrimPrefix(who, t.Seat))
	}
	return path.Join(t.Seat, t.Role)
}

// Ended reports whether the task has ended.
func (t TaskState) Ended() bool { return t.Outcome != "" }

// Task finds a task of the current visit.
func (r Run) Task(id string) (TaskState, bool) {
	for _, t := range r.Tasks {
		if t.ID == id {
			return t, true
		}
	}
	return TaskState{}, false
}

// Seat finds a seat by its name, a reviewer's too.
func (r Run) Seat(name string) (Seat, bool) { return r.Setup.Seat(name) }

// Seat finds a seat by its name, a reviewer's, the critic's and the planner's too.
func (s Setup) Seat(name string) (Seat, bool) {
	for _, one := range []*Seat{s.Critic, s.Planner} {
		if one != nil && one.Name == name {
			return *one, true
		}
	}
	for _, list := range [][]Seat{s.Seats, s.Panel} {
		for _, seat := range list {
			if seat.Name == name {
				return seat, true
			}
		}
	}
	return Seat{}, false
}

// IsWaiting reports whether the run waits for a person and does nothing meanwhile.
func (r Run) IsWaiting() bool { return !r.Asked.IsZero() && r.Status == "" && r.Cancel == "" }

// VisitsInRow is how many visits of a stage have followed one another up to now,
// the present one included; 0 where the run is elsewhere.
func (r Run) VisitsInRow(stage string) int {
	if r.Stage != stage {
		return 0
	}
	n := 1
	for i := len(r.History) - 1; i >= 0 && r.History[i].Stage == stage; i-- {
		n++
	}
	return n
}

// TasksInRow are the tasks of all visits of a stage that followed one another, the
// last time it was entered, in their order.
func (r Run) TasksInRow(stage string) []TaskState {
	visits := append(r.History[:len(r.History):len(r.History)], Visit{Stage: r.Stage, Tasks: r.Tasks})
	end := len(visits)
	for end > 0 && visits[end-1].Stage != stage {
		end--
	}
	from := end
	for from > 0 && visits[from-1].Stage == stage {
		from--
	}
	var list []TaskState
	for _, v := range visits[from:end] {
		list = append(list, v.Tasks...)
	}
	return list
}

// LastTasks is the tasks of the last finished visit of a stage, the current
// visit included; nil when there was none.
func (r Run) LastTasks(stage string) []TaskState {
	if r.Stage == stage {
		return r.Tasks
	}
	for i := len(r.History) - 1; i >= 0; i-- {
		if r.History[i].Stage == stage {
			return r.History[i].Tasks
		}
	}
	return nil
}
