// Package agent says what a seat is asked and what it answers.
//
// A seat is one agent in a run: claude, codex, gemini, any executable, or the
// embedded librarian. An adapter (the packages below this one) turns a [Turn]
// into a [Spec], which tells what process to start and which files to lay
// down first, and turns what that process left behind into a [Reply].
// Both directions are pure: no adapter starts, reads or writes anything, so
// every adapter can be tested with values alone and every process goes
// through one door, package proc.
//
// All else that is known of a kind of seat stands beside its adapter, in a
// [Kind].
package agent

import (
	"io"
	"time"

	"github.com/research-council/research-council/internal/base/marker"
)

// Marker ends a report; ChildVariable tells a process that it belongs to a
// seat.
const (
	Marker        = marker.CompleteMarker
	ChildVariable = marker.ChildVariable
)

// Roles a turn can have; each has a prompt of the same name.
const (
	Plan       = "plan" // splits the question into those to be answered
	Research   = "research"
	Refinement = "refinement"
	Synthesis  = "synthesis"
	Support    = "support"    // votes on whether passages support their claims
	Comparison = "comparison" // says what pairs of claims have to do with each other
	Validation = "validation" // settles conflicts by more research
	Debate     = "debate"     // argues over what is still open
)

// Roles of a campaign's turns; each is one iteration.
const (
	Explore   = "explore"   // finds what the research lacks
	Conclude  = "conclude"  // writes the report's prose from what was found
	Design    = "design"    // improves the plan
	Critique  = "critique"  // looks for what is wrong with the plan
	Breakdown = "breakdown" // makes the plan a list of features
	Code      = "code"      // builds one feature
)

// Judge is the role of who says whether a change may become a feature: one that
// has not built it. It answers with a JSON object.
const Judge = "judge"

// Roles of staged research; each answers with JSON that a schema of the same
// name accepts, but for the prose, which is Markdown.
const (
	Questions  = "questions"  // asks the person ten questions
	Brief      = "brief"      // makes a brief of the answers
	Planning   = "planning"   // makes a plan of the brief
	Collection = "collection" // one of several agents that gather facts
	Findings   = "findings"   // findings and recommendations from what was verified
	Advocate   = "advocate"   // speaks against them
	Prose      = "prose"      // the report's text
)

// Roles of a review of the report.
const (
	Review     = "review"     // one reviewer alone
	Reconsider = "reconsider" // the same, once the others were heard
)

// An Adapter makes processes out of turns and replies out of processes.
type Adapter interface {
	// Spec says how to start the turn. It fails when the turn cannot be
	// expressed, before anything has been started.
	Spec(Turn) (Spec, error)
	// Read judges a finished process by its exit, its event stream and
	// nothing else; the artefact is judged by the driver. Input from the
	// streams is hostile: any byte may come.
	Read(Turn, Exit) Reply
	// Note turns one line of the event stream into a few words on what the
	// seat is doing, or "" when the line says nothing to a person.
	Note(line []byte) string

	// Meter reads the turn's use from its event stream while it runs.
	Meter(Turn) Meter
}

// A Meter adds up what a turn uses. Its lines are hostile, as in [Adapter.Read].
type Meter interface {
	// Add takes the next line of the event stream.
	Add(line []byte)
	// Used is what the lines have told up to now; what they have not told is
	// reckoned from what they show.
	Used() []Usage
}

// Turn is one process of a seat, from its start to its end. Paths are
// absolute.
type Turn struct {
	Run  string // id of the run
	Seat string // name of the seat, a path-safe word
	Task string // id of the task this turn serves
	Role string // one of the roles above

	Dir    string // the seat's own folder: its working directory and the only place it writes
	Report string // the artefact to write, inside Dir
	State  string // the loop hook's iteration file, inside Dir
	Open   string // lists what the seat should mend, inside Dir; "" for none
	Scope  string // a folder of local sources the seat may read; "" for none

	Offline bool // it may look nothing up beyond its files: what it reads is not to leave by a search

	Project string            // the project of its campaign: some work there, with a shell, instead of in Dir, others read it and write it only to build; "" for none
	Agents  map[string]Helper // further agents it may ask, by name
	Allow   []string          // further permission rules, where it works in a project
	Named   []string          // protected paths of the project that the person lets it write
	Shell   []string          // argument vector of the confined shell in the project it builds in, a command line to be added; at the desk it is run_command; nil for none

	Inputs []string // files the role reads, copied into Dir: the own report first, then the others', the registry last

	Prompt string // the instructions, complete but for the topic
	Topic  string // the person's question, data and never an instruction
	Resume string // prompt of a continued session; "" starts a new one
	Asked  int    // bytes the turn was asked in, where the text itself is no longer at hand

	Session       string // the seat's session id: chosen by us where the CLI allows, else "" at first
	Iteration     int    // iterations already done in this task, 0 at first
	MaxIterations int    // iterations this task may have in all, at least 1

	Model    string        // as the CLI takes it; "" leaves the CLI's default
	Effort   string        // minimal, low, medium, high, xhigh, max; "" leaves the default
	Thinking int           // thinking budget in tokens; 0 leaves the default
	Deadline time.Duration // the turn's wall clock limit
	Budget   float64       // USD the turn may use, where the CLI can hold to it; 0 for no limit

	Program string   // the CLI's executable
	Args    []string // further arguments of a command seat
	Hook    string   // the council-hook executable
	Council string   // the council executable
	Desk    []string // argument vector of the desk, an MCP server on stdin and stdout; nil for none
	Server  Server   // whom a chat seat asks
	DeskEnv []string // variables of Env that its desk needs beyond the basics
	Trials  bool     // the desk runs tests, so that a call of it may take minutes
	Bypass  bool     // the user said in so many words that permission checks may be skipped

	Env map[string]string // what the seat may inherit, already filtered
}

// Server is a model behind HTTP that speaks OpenAI's chat completions.
type Server struct {
	BaseURL string `json:"base_url"`           // as in https://host/v1, without user, query and fragment
	KeyEnv  string `json:"key_env,omitempty"`  // the variable that holds its key
	KeyFile string `json:"key_file,omitempty"` // a file that holds it, for when the variable is not set
	Input   int    `json:"input,omitempty"`    // bytes of files a question may carry; 0 for the usual bound
	Window  int    `json:"window,omitempty"`   // tokens its model takes, question and answer together; 0 where nobody has said
	Output  int    `json:"output,omitempty"`   // tokens an answer may have; 0 leaves it to the server
	Spoken  bool   `json:"spoken,omitempty"`   // tools are called in words: it takes no calls of the API's form
}

// Helper is a further agent that a seat may ask.
type Helper struct {
	Description string
	Prompt      string
	Tools       []string // nil for all the seat has
	Model       string   // an alias the CLI knows; "" for the seat's own
}

// Spec is a process to start and what must lie on disk before it starts.
type Spec struct {
	Argv  []string // Argv[0] is the executable
	Env   []string // the whole environment, NAME=value
	Dir   string   // working directory
	Stdin []byte   // fed whole, then closed
	Files []File   // laid down first, in order
}

// File is a file an adapter wants to find when its process starts.
type File struct {
	Path string // absolute, inside the seat's folder
	Data []byte
}

// Exit is how a turn's process ended and what it left.
type Exit struct {
	Code     int       // exit status; -1 when a signal ended the process
	Signal   string    // name of the signal, as "SIGKILL"; "" for none
	TimedOut bool      // our own deadline ended it
	Stopped  bool      // we ended it for another reason (cancel, shutdown)
	Stdout   io.Reader // the event stream from its beginning; never nil
	Stderr   []byte    // the last 64 KiB
}

// Reply is what a turn came to.
type Reply struct {
	Session string   // the session id to resume by; "" when there is none
	Text    string   // the agent's last message
	Usage   Usage    // what the turn, or the whole session, used
	Shares  []Usage  // the same where one figure does not do: several models, or counts of two kinds; nil for Usage alone
	Models  []string // the models that truly answered, where the CLI says
	Fault   *Fault   // nil when the turn went well
}

// Usage counts tokens and money.
type Usage struct {
	Input, Output, CachedInput int64   // tokens; what came from the cache is a part of the input
	USD                        float64 // money
	Reported                   bool    // USD is the CLI's own figure; otherwise an estimate is needed
	Cumulative                 bool    // counts cover the whole session so far, not this turn alone
	Reckoned                   bool    // nobody told the counts: they follow from the text that was seen
	Model                      string  // that answered; "" for the seat's own
}

// Usages are the figures a reply's cost is reckoned from.
func (r Reply) Usages() []Usage {
	if r.Shares != nil {
		return r.Shares
	}
	return []Usage{r.Usage}
}

// Class says what a fault means for the next turn.
type Class string

const (
	Retryable  Class = "retryable"  // rate limit, overload, network: wait and try again
	Terminal   Class = "terminal"   // login, billing, unknown model, bad flag: this seat is out
	Degenerate Class = "degenerate" // ended well but left nothing usable
	TimedOut   Class = "timed-out"  // our deadline ended it
	NoSession  Class = "no-session" // the session to resume is gone: start afresh
	Lost       Class = "lost"       // it ended by a signal or with its supervisor
)

// Fault is why a turn failed.
type Fault struct {
	Class      Class         `json:"class"`
	Message    string        `json:"message"`               // one line, for people
	RetryAfter time.Duration `json:"retry_after,omitempty"` // the provider's own wish; 0 for none
}

func (f *Fault) Error() string { return string(f.Class) + ": " + f.Message }
