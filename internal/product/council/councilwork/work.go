// Package councilwork is what the program does in a council: it asks the seats,
// registers their claims, fetches and looks up what they cite, has the claims
// voted on and debated, and writes the report.
package councilwork

import (
	"encoding/json"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/library"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
)

// registrar registers what seats claim, and fetches and looks up what they cite.
type registrar struct {
	supervisor.Base
	Variant
	reader        []string         // leads to a process that reads a source in bounds; nil has sources read in this one
	Archive       *archive.Archive // of the sources that are cited
	texts         *library.Library // the scope and the archive as one
	fetchingAhead sync.Mutex       // held while sources are fetched ahead
	records       sync.Mutex       // held while what a seat has recorded is kept
}

// tellers have claims voted on and debated, and count.
type tellers struct{ *registrar }

// author writes the report, and takes in what reviewers say of it.
type author struct{ *tellers }

// Work is a council's work in one run. Staged research and campaigns do theirs on
// top of it, and say in a variant what they do otherwise.
type Work struct{ *experimenter }

// experimenter lets seats have experiments made.
type experimenter struct {
	*author

	lookForBox sync.Once
	withoutBox string // why no experiments can be made; known once it was looked for
}

// Variant is what a product built on the council does otherwise. Nil functions
// leave the council's own way.
type Variant struct {
	Judges    func(flow.Run) []flow.Seat                           // who may judge
	VotedOn   func(flow.Run, []claim.Entry) []claim.Entry          // the claims that are voted on
	Final     func(flow.Run, report.Final) report.Final            // adds to the final report
	Render    func(flow.Run, report.Final) []byte                  // writes it
	Lint      func(role string, object []byte) []string            // finds in an answer what no schema can
	Normalise func(role string, object []byte) ([]byte, error)     // makes an answer what is published; nil, nil leaves it
	Count     func(role string, object []byte) (flow.Own, error)   // counts in an answer what its gate asks for
	Place     func(v *prompt.StagedTurn, name string) *string      // where what a task reads is named in what it is asked; nil for elsewhere
	Complete  func(flow.Task, prompt.StagedTurn) prompt.StagedTurn // completes what is asked for an answer
	Voters    bool                                                 // the report names those that have voted
}

// Product is the council, and the reading of reports that every run may ask
// for.
type Product struct {
	Reader []string // leads to a process that reads a source in bounds; nil has sources read in this one
}

// Workflow is the course of a run of this product.
func (p Product) Workflow(s flow.Setup) (flow.Workflow, bool) {
	return council.WorkflowOf(s)
}

func (p Product) Reserve(flow.Setup, bool, time.Time) error { return nil }
func (p Product) Release(flow.Setup)                        {}

func (p Product) Session(_ flow.Setup, st workspace.State) workspace.State { return st }

func (p Product) Reopened(r flow.Run) (stage string, moves bool) {
	if r.Status == "" {
		return "", false
	}
	return council.ReopenStage(r), false
}

// Demand is what a run will ask of its seats.
func (p Product) Demand(s flow.Setup) forecast.Demand { return council.Demand(s) }

// Open makes ready what it works with in a run.
func (p Product) Open(r *supervisor.Run) (supervisor.Work, error) {
	return New(r, p.Reader)
}

// New opens what a council works with in a run. Reader leads to a process that reads
// a source in bounds; nil has sources read in this one. What it gives is closed
// where it fails too.
func New(r *supervisor.Run, reader []string) (*Work, error) {
	s := &Work{&experimenter{author: &author{&tellers{&registrar{Base: supervisor.Base{Run: r}, reader: reader}}}}}
	return s, s.openSources()
}

func (s *Work) Close() error {
	if s.texts == nil {
		return nil
	}
	return s.texts.Close()
}

// Perform finds the program's work in a council, and in any report that is
// reviewed.
func (s *Work) Perform(t flow.TaskState) func() (*flow.Assessment, error) {
	r := s.Now
	if council.IsMerging(r.Setup) && t.Role == council.Grouping {
		return func() (*flow.Assessment, error) { return nil, s.mergeJudged(r) }
	}
	return map[string]func() (*flow.Assessment, error){
		council.Pairs:      func() (*flow.Assessment, error) { return s.layOutPairs(r, &flow.Assessment{}) },
		council.Registry:   func() (*flow.Assessment, error) { return s.assessStage(r, council.Research) },
		council.Judgement:  func() (*flow.Assessment, error) { return s.assessRefinement(r) },
		council.Grouping:   func() (*flow.Assessment, error) { return s.assessComparison(r) },
		council.Assessment: func() (*flow.Assessment, error) { return s.assessVotes(r) },
		council.Tally:      func() (*flow.Assessment, error) { return s.updateDebate(r) },
		council.Report:     func() (*flow.Assessment, error) { return nil, s.WriteFinalReport(r) },
		panel.Verdict:      func() (*flow.Assessment, error) { return s.CountReviews(r) },
	}[t.Role]
}

func (s *Work) Outputs(role string) []string {
	if role == panel.Verdict {
		return []string{flow.FinalReport}
	}
	return nil
}

func (s *Work) SeatFolder(t flow.Task) string { return council.FolderOf(t) }

// Equip gives a seat its desk. Who plans needs none, and holds nobody up.
func (s *Work) Equip(ask agent.Turn, t flow.Task) agent.Turn {
	if t.Role == agent.Plan {
		ask.Deadline = min(ask.Deadline, planTime)
		return ask
	}
	if seat, ok := s.Seat(t.Seat); ok && !seat.HasModel() {
		ask = equipLibrarian(s.Base, ask)
	}
	if s.HasDesk(t.Seat) || s.knowsDesk(t.Seat) {
		ask.Desk = s.desk(ask)
		if slices.Contains(t.Reads, claim.RegistryFile) {
			ask.Desk = append(ask.Desk, "--registry", s.Folder.Join(claim.RegistryFile))
		}
		if t.Role == agent.Comparison || t.Role == agent.Support {
			ask.Desk = append(ask.Desk, "--judges")
		}
	}
	if s.mayExperiment(t) {
		ask.Desk = append(ask.Desk, "--experiments", s.Folder.Join(experimentsFile(t.Seat)))
		ask.Trials = true
	}
	return ask
}

// equipLibrarian tells the librarian what it reads beside the scope: pages of the web,
// where no scope is named, and the person's library.
func equipLibrarian(s supervisor.Base, ask agent.Turn) agent.Turn {
	web := s.Setup.Web && ask.Scope == ""
	if web || s.Setup.Network.Library != "" {
		ask.Args = []string{"--network", networkAsJSON(s.Setup.Network)}
	}
	if web {
		ask.Scope = s.Folder.Join(council.PagesDir)
		ask.Args = append(ask.Args, "--pages")
	}
	return ask
}

func (s *Work) Inputs(t flow.Task, inputs []string) ([]string, error) {
	if slices.Contains(t.Reads, claim.RegistryFile) {
		var err error
		if inputs, err = s.handDigest(t, inputs); err != nil {
			return nil, err
		}
	}
	if err := s.clarifyInputs(t); err != nil {
		return nil, err
	}
	if t.Role == agent.Synthesis && s.Folder.Has(council.Transcript) {
		transcript, err := s.Folder.Read(council.Transcript)
		if err == nil {
			err = s.Folder.Write(path.Join(s.TaskFolder(t), supervisor.InputsDir, council.Transcript), transcript)
		}
		if err != nil {
			return nil, err
		}
	}
	return s.writeOtherOpinions(t, inputs)
}

// handDigest hands a seat with a model the digest of the registry in the place of the
// registry, which is long: its desk, where it is given one, finds the rest.
func (s *Work) handDigest(t flow.Task, inputs []string) ([]string, error) {
	folder := path.Join(s.TaskFolder(t), supervisor.InputsDir)
	if err := s.writeDigest(folder); err != nil {
		return nil, err
	}
	if seat, known := s.Seat(t.Seat); !known || !seat.HasModel() {
		return inputs, nil
	}
	registry := path.Join(folder, claim.RegistryFile)
	handed := slices.Clone(inputs)
	for i, name := range handed {
		if name == s.Folder.Join(registry) {
			handed[i] = s.Folder.Join(folder, claim.DigestFile)
		}
	}
	if s.HasDesk(t.Seat) {
		return handed, s.Folder.Remove(registry)
	}
	return handed, nil
}

func (s *Work) AskSession(t *supervisor.HostTurn) (func() flow.Result, error) {
	return s.askForSynthesis(t)
}

func (s *Work) HearsStop(flow.Task) bool { return true }

// TakeReply makes an answer of what a seat has said last, where it has written
// none.
func (s *Work) TakeReply(t flow.Task, reply agent.Reply) {
	if asksForAnswer(t.Role) {
		s.saveReplyAsAnswer(t, reply)
	}
}

// Settle judges what gates are to judge by, and takes a report of research for
// unfounded none of whose claims holds.
func (s *Work) Settle(t flow.TaskState, res *flow.Result) {
	if answersInJSON(t.Role) {
		res.Found = s.gateAssessment(t.Task)
	}
	if res.Artefact.Usable && res.Artefact.Standing == 0 && s.mustRecordClaims(t.Task) {
		res.Artefact = markUnfounded(res.Artefact)
	}
	s.settleExperiments(t.Seat, res)
}

// IsWhole reports whether an answer has come to its end: a JSON object has one, a
// text its last line alone.
func (s *Work) IsWhole(t flow.Task, data []byte) bool {
	return answersInJSON(t.Role) || s.Base.IsWhole(t, data)
}

// Publish leaves of an answer in JSON the object alone.
func (s *Work) Publish(t flow.Task, data []byte) ([]byte, error) {
	if !asksForAnswer(t.Role) {
		return data, nil
	}
	return s.publishableAnswer(t, data)
}

// Finish writes the report of a run that has none. A comparison alone has none.
func (s *Work) Finish() error {
	for _, seat := range s.Setup.Seats {
		s.DropBoxPlace(experimentPlaces, experimentsFile(seat.Name))
	}
	if s.Folder.Filled(flow.FinalReport) || council.IsMerging(s.Now.Setup) {
		return nil
	}
	if err := s.salvage(s.Now); err != nil {
		s.Log("What the seats have recorded could not be registered: " + err.Error())
	}
	return s.WriteFinalReport(s.Now)
}

// Measure judges a report, votes, or an answer.
func (s *Work) Measure(t flow.Task, data []byte) loop.Artefact {
	switch {
	case t.Role == agent.Support || t.Role == agent.Validation || t.Role == agent.Debate:
		a := s.Base.Measure(t, data)
		given, missing := s.checkVotes(t, data)
		a.Usable, a.Problems = given > 0, missing
		a.Complete = a.Complete && len(missing) == 0
		return a
	case asksForAnswer(t.Role):
		return s.measureAnswer(t, data)
	}
	a := s.Base.Measure(t, data)
	usable, problem := report.Usable(data)
	a.Usable = usable
	if problem != "" {
		a.Problems = []string{problem}
	}
	if t.Role == agent.Synthesis && usable {
		a.Problems = report.Council.Lint(data, s.Registry().Entries)
		a.Complete = len(a.Problems) == 0
	}
	return a
}

// knowsDesk reports whether a seat is told of its desk alone.
func (s *experimenter) knowsDesk(name string) bool {
	seat, ok := s.Seat(name)
	return ok && kinds.Of(seat.Kind).KnowsDesk
}

// desk is the argument vector of a seat's desk.
func (s *Work) desk(t agent.Turn) []string {
	argv := []string{s.Council, "desk", "--run", s.Folder.Path, "--seat", t.Seat, "--dir", t.Dir, "--open", t.Open, "--plan", s.Folder.Join(supervisor.PlanFile)}
	if t.Scope != "" {
		argv = append(argv, "--scope", t.Scope)
	}
	return append(argv, "--network", networkAsJSON(s.Setup.Network))
}

// networkAsJSON is how sources are fetched, as our own processes are told.
func networkAsJSON(n flow.Network) string {
	how, err := json.Marshal(n)
	if err != nil {
		return "{}" // it was JSON when the run began
	}
	return string(how)
}

// Unheard reports whether the session lives and may not know that its run has
// ended: it was not cancelled from there, nor ended by the session's own
// synthesis. A waiter that is there tells it at once; one may not have come yet.
func (s *Work) Unheard() bool {
	return s.Base.Unheard() && reportWriter(s.Now) != flow.Host
}
