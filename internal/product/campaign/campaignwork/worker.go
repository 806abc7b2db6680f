package campaignwork

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/agents"
	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/internal/product/council/councilwork"
)

// TurnFile tells, in a run's folder, that it is the session's turn, and at
// what; it is absent otherwise.
const TurnFile = workspace.Session + "/turn.json"

// SessionTurn is what it says. Paths are absolute.
type SessionTurn struct {
	Task    string `json:"task"`
	Turn    int    `json:"turn"`
	Role    string `json:"role"`
	Visit   int    `json:"visit"`
	Prompt  string `json:"prompt"`            // what it is asked
	Folder  string `json:"folder"`            // where its records go
	Record  string `json:"record"`            // the file whose presence ends the iteration
	Feature string `json:"feature,omitempty"` // the one to build
}

// BegunFile is the name of the file whose presence says that the session was
// handed a task's brief.
func BegunFile(task string) string {
	return workspace.Session + "/begun-" + strings.ReplaceAll(task, "/", "-")
}

// isIteration reports whether a task is an iteration of a campaign.
func isIteration(t flow.Task) bool { return campaign.IsIteration(t.Role) }

// researchFacets are what research looks into where a plan is to follow.
func researchFacets(m campaign.Mode) []string {
	if m == campaign.Research {
		return nil
	}
	return []string{
		"technical feasibility of the approach", "existing solutions and the competition", "architecture patterns of similar systems",
		"defensibility", "the technology stack",
	}
}

// workerPrompt is what a worker is asked in an iteration.
func (s *worker) workerPrompt(t flow.Task, record string) (string, error) {
	v := prompt.Values{
		Report: record, ClaimsFile: s.Folder.Join(s.TaskFolder(t), councilwork.ClaimsFile), Scope: s.Setup.Scope, MaxIterations: 1,
		OpenFile: s.Folder.Join(s.OpenItemsFile(t)), Desk: t.Seat == flow.Host || s.HasDesk(t.Seat),
	}
	v.Search = v.Desk && len(s.Setup.Network.Search) > 0
	if s.Folder.Has(claim.RegistryFile) {
		if err := s.Folder.Write(claim.DigestFile, claim.Digest(s.Registry(), claim.DigestLimit)); err != nil {
			return "", err
		}
		v.Registry = s.Folder.Join(claim.DigestFile)
	}
	c, err := s.campaignValues(t, record)
	if err != nil {
		return "", err
	}
	v.Campaign = c
	return map[string]func(prompt.Values) (string, error){
		agent.Explore: prompt.Explore, agent.Conclude: prompt.Conclude, agent.Design: prompt.Design,
		agent.Critique: prompt.Critique, agent.Breakdown: prompt.Breakdown, agent.Code: prompt.Code,
	}[t.Role](v)
}

// coderInstructions are the instructions of the session's coder, for a seat that codes
// itself.
func coderInstructions() string {
	all, err := agents.All()
	if err != nil {
		return "" // the texts are held by a test
	}
	for _, a := range all {
		if a.Name == "autonomous-coder" {
			text, _, _ := strings.Cut(a.Prompt, "\n## ")
			return strings.TrimSpace(text)
		}
	}
	return ""
}

func (s *worker) campaignValues(t flow.Task, record string) (prompt.Campaign, error) {
	c, st := campaign.Of(s.Setup.Own), campaign.StateOf(s.Now)
	seat, _ := s.Seat(t.Seat)
	host, subagents := t.Seat == flow.Host, t.Seat == flow.Host || kinds.Of(seat.Kind).Subagents
	v := prompt.Campaign{
		Name: c.Name, Mode: string(c.Mode), Phase: string(st.Phase), Iteration: st.Iteration, Iterations: c.Iterations,
		Project: s.Setup.Root, Folder: s.papers.Path, StateFile: s.papers.Join(c.StateFile()), Progress: s.papers.Join(campaign.Progress),
		Records: s.Folder.Join(s.TaskFolder(t)), Record: record, Council: s.Council,
		Session: host, Shell: subagents, Subagents: subagents,
		Researchers: [2]int{3, 5}, Analysts: [2]int{1, 2}, Facets: researchFacets(c.Mode),
		OpenQuestions: s.questions(s.Now), Agenda: s.Folder.Join(s.OpenItemsFile(t)), Blockers: st.Blockers, Concerns: s.concerns(),
		Test: s.testCommand(), ChooseTest: t.Role == agent.Breakdown && c.Test == "", Notes: s.notesOf(t), Problem: st.Problem, Context: s.instructionFiles(),
	}
	if c.Empty {
		v.Analysts = [2]int{}
	}
	for name, to := range map[string]*string{c.ReportFile(): &v.ReportTeX, c.PlanFile(): &v.PlanTeX, campaign.Features: &v.FeatureList} {
		if s.papers.Has(name) {
			*to = s.papers.Join(name)
		}
	}
	if c.Plan != "" {
		v.PlanSource = filepath.Join(s.Setup.Root, filepath.FromSlash(c.Plan))
	}
	if t.Role == agent.Critique {
		v.PlanText = s.Folder.Join(campaign.PlanText)
		if t.Seat != flow.Host {
			v.PlanText = s.Folder.Join(s.TaskFolder(t), supervisor.InputsDir, campaign.PlanText)
		}
	}
	if t.Role != agent.Code {
		return v, nil
	}
	list, err := s.features()
	if err != nil {
		return v, fmt.Errorf("read the feature list: %w", err)
	}
	f, ok := list.Next()
	if !ok {
		return v, errors.New("no feature is left to build")
	}
	v.Feature = prompt.Feature{
		ID: f.ID, Name: f.Name, Description: f.Description, Component: f.Component, Dependencies: f.Dependencies,
		Attempt: f.Attempts + 1, Most: feature.Attempts, Last: strings.TrimSpace(f.Reason + "\n\n" + s.restoredNote() + "\n\n" + s.rewindNote()),
		Faults: f.Faults,
	}
	v.Confined = !host && s.canConfine()
	v.Shell = v.Shell && !v.Confined
	v.Setup = s.initReport()
	for i, a := range f.Tried {
		line := fmt.Sprintf("%d: %s", i+1, a.Reason)
		if a.Ref != "" {
			line += fmt.Sprintf("; kept on %s: %s", a.Ref, listNames(a.Files))
		}
		v.Feature.Tried = append(v.Feature.Tried, line)
	}
	if f.Acceptance.Check != "" {
		v.Feature.Description += "\n\nNo test can show it; somebody else checks: " + f.Acceptance.Check
	}
	if !host {
		v.Craft = coderInstructions()
	}
	return v, nil
}

// notesOf are the notes of people that a task was given.
func (s *records) notesOf(t flow.Task) []string {
	var list []string
	for _, n := range t.Notes {
		if n > 0 && n <= len(s.Now.Notes) {
			list = append(list, s.Now.Notes[n-1].Text)
		}
	}
	return list
}

// instructionFiles are the files in which a project speaks to those who work on it,
// and how it is set up.
func (s *worker) instructionFiles() []string {
	var list []string
	for _, name := range []string{"CLAUDE.md", "AGENTS.md", path.Join(campaign.Of(s.Setup.Own).Folder(), initScript)} {
		if file := filepath.Join(s.Setup.Root, filepath.FromSlash(name)); isFile(file) {
			list = append(list, file)
		}
	}
	return list
}

func isFile(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// concerns are what critics have said short of a blocker.
func (s *records) concerns() []string {
	all, err := s.criticism()
	if err != nil {
		return nil
	}
	var list []string
	for _, i := range all.Issues {
		if i.Closed == nil && i.Severity == campaign.Concern {
			list = append(list, i.ID+": "+plain.Line(i.Text, supervisor.MaxForeignRunes))
		}
	}
	return list
}

// equip gives a seat what an iteration needs beside its own folder: the project,
// and where its CLI has them further agents.
func (s *worker) equip(ask agent.Turn, kind string) agent.Turn {
	if kind == flow.LibrarianSeat().Kind {
		ask.MaxIterations = max(1, s.Now.Visit) // it follows one more term than before
	}
	if ask.Role == agent.Code && s.canConfine() {
		ask.Shell = s.shellArgv()
		if len(ask.Desk) > 0 {
			ask.Desk = append(ask.Desk[:len(ask.Desk):len(ask.Desk)], "--shell", s.Folder.Join(shellFile))
		}
	}
	c := campaign.Of(s.Setup.Own)
	ask.Project, ask.Named = s.Setup.Root, c.Paths
	k := kinds.Of(kind)
	if !k.Subagents {
		return ask
	}
	ask.Allow = c.Allow
	if test := s.testCommand(); test != "" && len(ask.Shell) == 0 && k.Permit != nil { // what it has written is not run outside of the box
		ask.Allow = append(ask.Allow[:len(ask.Allow):len(ask.Allow)], k.Permit(test))
	}
	all, err := agents.All()
	if err != nil {
		return ask // the texts are held by a test; without them it works alone
	}
	ask.Agents = map[string]agent.Helper{}
	for _, a := range all {
		ask.Agents[a.Name] = agent.Helper{Description: a.Description, Prompt: a.Prompt, Tools: a.Tools, Model: s.helperModel(a.Model)}
	}
	return ask
}

// helperModel is the model a further agent asks for, where the best are paid
// for; below that it has the worker's own.
func (s *worker) helperModel(asked string) string {
	if s.Setup.Tier != "max" {
		return ""
	}
	return asked
}

// saveReplyAsRecord makes a record of what a worker has said last, where it has written
// none.
func (s *worker) saveReplyAsRecord(t flow.Task, reply agent.Reply) {
	name := path.Join(s.TaskFolder(t), t.Writes)
	if reply.Fault != nil || strings.TrimSpace(reply.Text) == "" || s.Folder.Filled(name) {
		return
	}
	_ = s.Folder.Write(name, []byte(strings.TrimSpace(reply.Text)+"\n\n"+agent.Marker+"\n")) // without it the iteration counts as fruitless
}

// askForIteration lays down what the session is asked, and waits for its record.
func (s *worker) askForIteration(t *supervisor.HostTurn) (func() flow.Result, error) {
	dir := s.TaskFolder(t.Task.Task)
	if err := t.Prepare(); err != nil {
		return nil, err
	}
	record := path.Join(dir, t.Task.Writes)
	text, err := s.workerPrompt(t.Task.Task, s.Folder.Join(record))
	if err != nil {
		return nil, err
	}
	name := path.Join(workspace.Prompts, t.Task.Role+".md")
	if err := s.Folder.Write(name, []byte(text+agent.FenceTopic(s.Setup.Topic))); err != nil {
		return nil, err
	}
	now := SessionTurn{
		Task: t.Task.ID, Turn: t.Number, Role: t.Task.Role, Visit: s.Now.Visit,
		Prompt: s.Folder.Join(name), Folder: s.Folder.Join(dir), Record: s.Folder.Join(record),
	}
	if t.Task.Role == agent.Code {
		if list, err := s.features(); err == nil {
			next, _ := list.Next()
			now.Feature = next.ID
		}
	}
	data, err := json.Marshal(now)
	if err != nil {
		return nil, fmt.Errorf("tell the session of its turn: %w", err)
	}
	if err := s.Folder.Write(TurnFile, append(data, '\n')); err != nil {
		return nil, err
	}
	session := s.Now.Setup.Session
	return func() flow.Result {
		res := s.awaitRecord(t, record)
		res.Session = session
		return res
	}, nil
}

// giveUpGrace is how long a session that was asked in vain may still record
// its iteration.
const giveUpGrace = time.Minute

// awaitRecord waits until the session has recorded its iteration. It has all
// the time it wants; when it is gone, the supervisor rests until it is back.
func (s *worker) awaitRecord(t *supervisor.HostTurn, record string) flow.Result {
	look := time.NewTicker(supervisor.PollInterval)
	defer look.Stop()
	seen := time.Now()
	var givenUp <-chan time.Time
	for {
		select {
		case stopped := <-t.Ending:
			return s.sessionResult(t, record, stopped)
		case <-givenUp:
			return s.sessionResult(t, record, false)
		case n := <-t.Notes:
			switch n.Kind {
			case workspace.SessionGaveUp: // what its agents tell may still be on its way to it
				givenUp = time.After(giveUpGrace)
			case workspace.SessionEnded:
				s.LoseSession(t.Task.ID)
			}
		case now := <-look.C:
			if s.Folder.Filled(record) {
				return s.sessionResult(t, record, false)
			}
			if host := s.Host(); host.PID == 0 || host.Alive() {
				seen = now
			}
			if now.Sub(seen) > councilwork.MaxHostAbsence {
				seen = now
				s.LoseSession(t.Task.ID)
			}
		}
	}
}

func (s *worker) sessionResult(t *supervisor.HostTurn, record string, stopped bool) flow.Result {
	if !stopped {
		_ = s.Folder.Remove(TurnFile) // whoever reads it then finds the record
	}
	if err := s.endTurn(t.Task.Task); err != nil {
		return supervisor.Failed(agent.Retryable, err)
	}
	s.Progress(t.Task)
	return flow.Result{Stopped: stopped, Iterations: 1, Artefact: s.MeasureFile(record, func(data []byte) loop.Artefact { return s.Base.Measure(t.Task.Task, data) })}
}
