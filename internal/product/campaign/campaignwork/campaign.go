package campaignwork

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
)

// maxRecordBytes bounds a file of records, in bytes.
const maxRecordBytes = 16 << 20

// voted takes in the votes on what a campaign's papers rest on, and writes them
// anew: they say what is verified.
func (s *work) voted(r flow.Run) (*flow.Assessment, error) {
	reg := s.Registry()
	reg.Entries = s.CountVotes(r, reg.Entries)
	if err := s.WriteJSON(map[string]any{claim.RegistryFile: reg}); err != nil {
		return nil, err
	}
	return s.endPhase(r)
}

// restedOn are the claims a campaign's papers cite: of all that was found in
// days, what judges are asked about. Where none is cited it is all of them.
func (s *records) restedOn(r flow.Run, entries []claim.Entry) []claim.Entry {
	var prose bytes.Buffer
	for _, paper := range []string{campaign.Report, campaign.Plan} {
		for _, text := range s.sections(r, paper) {
			prose.Write(text)
		}
	}
	cited := map[string]bool{}
	for _, id := range idForm().FindAllString(prose.String(), -1) {
		cited[id] = true
	}
	list := slices.DeleteFunc(slices.Clone(entries), func(e claim.Entry) bool { return !cited[e.ID] })
	if len(list) == 0 {
		return entries
	}
	return list
}

// idForm is how prose names a claim.
var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bC[0-9]{1,9}\b`) })

// assessResearch takes in what an iteration of research has left.
func (s *work) assessResearch(r flow.Run) (*flow.Assessment, error) {
	found, err := s.gatherClaims(r, agent.Explore)
	if err != nil {
		return nil, err
	}
	campaign.TallyOf(found.Own).Failed = !slices.ContainsFunc(r.LastTasks(agent.Explore), func(t flow.TaskState) bool { return t.Outcome.Good() })
	return found, s.typeset(r, campaign.TallyOf(found.Own))
}

// assessPlan takes in the plan as it stands.
func (s *work) assessPlan(r flow.Run) (*flow.Assessment, error) {
	found, err := s.gatherClaims(r, agent.Design)
	if err != nil {
		return nil, err
	}
	campaign.TallyOf(found.Own).Failed = !slices.ContainsFunc(r.LastTasks(agent.Design), func(t flow.TaskState) bool { return t.Outcome.Good() })
	if campaign.TallyOf(found.Own).Plan, err = s.writePlanText(s.plan(r)); err != nil {
		return nil, err
	}
	return found, s.typeset(r, campaign.TallyOf(found.Own))
}

// writePlanText puts the plan where critics read it, and tells it from others by what
// it says.
func (s *records) writePlanText(text []byte) (hash string, err error) {
	if err := s.Folder.Write(campaign.PlanText, text); err != nil || len(text) == 0 {
		return "", err
	}
	return workspace.Sum(campaign.NormalisePlan(text)), nil
}

// planToBuild is a plan that is there already, with what the worker has added
// to it: how it is to be read, and the features it comes to.
func (s *records) planToBuild(r flow.Run) ([]byte, error) {
	source := campaign.Of(s.Setup.Own).Plan
	if source == "" {
		source = path.Join(campaign.Of(s.Setup.Own).Folder(), campaign.Of(s.Setup.Own).PlanFile())
	}
	text, err := os.ReadFile(filepath.Join(s.Setup.Root, filepath.FromSlash(source)))
	if err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	text = append(bytes.TrimRight(text, "\n"), "\n\n"...)
	text = append(text, s.plan(r)...)
	if list := s.recordsOf(path.Join(recordsFolder(campaign.Worker(r).Name), campaign.Features)); len(list) > 0 {
		text = append(text, fmt.Sprintf("## Features\n\n%s\n", list)...)
	}
	return text, nil
}

// assessCriticism takes in what critics have said of the plan in the turns they have just
// had. What stands elsewhere, whoever it claims to come from, is not read.
func (s *work) assessCriticism(r flow.Run) (*flow.Assessment, error) {
	all, err := s.criticism()
	if err != nil {
		return nil, err
	}
	plan := s.recordsOf(campaign.PlanText)
	reg := s.Registry()
	reading := NewReading(plan, func(id string) bool { _, ok := reg.Entry(id); return ok })
	var news []string
	for _, t := range r.LastTasks(agent.Critique) {
		if !t.Outcome.Good() || all.HasHeard(t.ID) || len(plan) == 0 {
			continue
		}
		reading.By = criticName(r, t.Seat)
		all = all.AddTurn(t.ID, s.recordsOf(path.Join(s.TaskFolder(t.Task), campaign.IssuesFile)), reading)
	}
	for _, t := range all.Turns {
		if slices.ContainsFunc(r.LastTasks(agent.Critique), func(now flow.TaskState) bool { return now.ID == t.Task }) {
			news = append(append(news, t.News...), t.Refused...)
		}
	}
	if err := s.WriteJSON(map[string]any{campaign.CriticismFile: all}); err != nil {
		return nil, err
	}
	tally, err := s.campaignTally(r)
	if err != nil {
		return nil, err
	}
	before := campaign.StateOf(r)
	tally.New, tally.Plan, tally.Heard = before.New, before.Plan, news
	return &flow.Assessment{Own: campaign.OwnTally(tally)}, nil
}

// NewReading is a critic's reading of a plan, where the registry has the claims
// that are known.
func NewReading(plan []byte, known func(id string) bool) campaign.Reading {
	return campaign.Reading{Plan: plan, Hash: workspace.Sum(campaign.NormalisePlan(plan)), Known: known}
}

// criticName is a critic as people are told of it.
func criticName(r flow.Run, seat string) string {
	switch worker := campaign.Worker(r); {
	case seat == flow.Host:
		return seat + " (in a turn of its own)"
	case seat == worker.Name || worker.Name == flow.Host && r.Setup.Critic != nil && seat == r.Setup.Critic.Name:
		return seat + " (fresh context)"
	}
	return seat
}

// criticism is what critics have said up to now.
func (s *records) criticism() (campaign.Criticism, error) {
	var all campaign.Criticism
	data, err := s.Folder.Read(campaign.CriticismFile)
	if err != nil {
		return all, nil // nobody has said anything yet
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return all, fmt.Errorf("read %s: %w", campaign.CriticismFile, err)
	}
	return all, nil
}

// endPhase is the end of a phase: nothing new, but all of it on paper.
func (s *work) endPhase(r flow.Run) (*flow.Assessment, error) {
	found, err := s.gatherClaims(r, agent.Conclude)
	if err != nil {
		return nil, err
	}
	before := campaign.StateOf(r)
	campaign.TallyOf(found.Own).New, campaign.TallyOf(found.Own).Plan = before.New, before.Plan
	if _, err := s.Folder.Read(campaign.PlanText); err != nil { // the artefact of the planning's stages
		if err := s.Folder.Write(campaign.PlanText, s.plan(r)); err != nil {
			return nil, err
		}
	}
	if err := s.typeset(r, campaign.TallyOf(found.Own)); err != nil {
		return nil, err
	}
	s.build(r)
	return found, nil
}

// gatherClaims gathers the claims of a stage's iteration and counts what there then
// is.
func (s *work) gatherClaims(r flow.Run, stage string) (*flow.Assessment, error) {
	reg := s.Registry()
	for _, t := range r.LastTasks(stage) {
		reg.Entries = claim.Register(reg.Entries, s.SeatClaims(t))
	}
	found, err := s.Assess(r, reg)
	if err != nil {
		return nil, err
	}
	tally, err := s.campaignTally(r)
	if err != nil {
		return nil, err
	}
	// against what the journal knows: a registry written before a crash is no
	// reason to count nothing as new
	tally.New = max(0, tally.Findings-campaign.StateOf(r).Findings)
	found.Own = campaign.OwnTally(tally)
	return found, nil
}

// campaignTally counts what lies on disk.
func (s *records) campaignTally(r flow.Run) (*campaign.Tally, error) {
	t := &campaign.Tally{}
	keys := map[string]bool{}
	for _, e := range s.Registry().Entries {
		if e.Location.State == claim.Located {
			t.Findings++
			keys[e.Key] = true
		}
	}
	t.Sources = len(keys)
	t.Questions = len(s.questions(r))
	t.Sections = len(s.sections(r, "report"))
	critics, err := s.criticism()
	if err != nil {
		return nil, err
	}
	t.Criticised = critics.Read
	for _, i := range critics.Issues {
		if i.Closed != nil {
			t.Resolved++
		}
	}
	for _, i := range campaign.Open(critics.Issues) {
		t.Blockers = append(t.Blockers, i.ID+": "+plain.Line(i.Text, supervisor.MaxForeignRunes))
	}
	plan := s.sections(r, "plan")
	if len(plan) > 0 && campaign.Of(r.Setup.Own).Mode != campaign.Implement {
		t.Missing = campaign.MissingSections(plan)
	}
	for key := range plan {
		if strings.HasPrefix(key, "component-") {
			t.Components++
		}
	}
	t.Decisions = countListItems(plan["decisions"])
	s.countFeatures(t)
	return t, nil
}

func (s *records) countFeatures(t *campaign.Tally) {
	list, err := s.features()
	if err != nil {
		return // there is none yet
	}
	c := list.Counts()
	t.Test = list.Test
	t.Total, t.Complete, t.Lost, t.Blocked, t.Last = c.Total, c.Complete, c.Failed, c.Blocked, list.Last()
	if next, ok := list.Next(); ok {
		t.Next = next.ID
	}
}

// countListItems counts the items of a Markdown list.
func countListItems(text []byte) int {
	return len(regexp.MustCompile(`(?m)^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+\S`).FindAll(text, -1))
}

// recordsFolder is the folder in which a seat leaves its records.
func recordsFolder(seat string) string { return path.Join(workspace.Seats, seat) }

// desks are the folders of all who may leave records, the worker's first.
func (s *records) desks(r flow.Run) []string {
	list := []string{recordsFolder(campaign.Worker(r).Name)}
	for _, seat := range r.Setup.Seats {
		if d := recordsFolder(seat.Name); !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	if d := recordsFolder(flow.Host); !slices.Contains(list, d) {
		list = append(list, d)
	}
	return list
}

// recordsOf reads a file of records; none is empty.
func (s *records) recordsOf(name string) []byte {
	data, err := s.Folder.Read(name)
	if err != nil || len(data) > maxRecordBytes {
		return nil
	}
	return data
}

// allQuestions are the questions workers have put, answered or not.
func (s *records) allQuestions(r flow.Run) []campaign.Question {
	var all []io.Reader
	for _, d := range s.desks(r) {
		all = append(all, bytes.NewReader(s.recordsOf(path.Join(d, campaign.QuestionsFile))), strings.NewReader("\n"))
	}
	list, _ := campaign.DecodeQuestions(io.MultiReader(all...)) // what is no question is nobody's
	return list
}

// questions are those nobody has answered.
func (s *records) questions(r flow.Run) []string {
	var open []string
	for _, q := range s.allQuestions(r) {
		if len(q.Answered) == 0 {
			open = append(open, plain.Line(q.Text, supervisor.MaxForeignRunes))
		}
	}
	return open
}

// sections reads the prose of the report or the plan, by key.
func (s *records) sections(r flow.Run, kind string) map[string][]byte {
	texts := map[string][]byte{}
	for _, d := range s.desks(r) {
		names, err := s.Folder.Names(path.Join(d, campaign.SectionsDir, kind))
		if err != nil {
			continue // nothing is written yet
		}
		for _, name := range names {
			key, err := campaign.SectionKey(kind, strings.TrimSuffix(name, ".md"))
			if err != nil || !strings.HasSuffix(name, ".md") || texts[key] != nil {
				continue
			}
			if text := bytes.TrimSpace(s.recordsOf(path.Join(d, campaign.SectionsDir, kind, name))); len(text) > 0 {
				texts[key] = text
			}
		}
	}
	return texts
}

// plan is the plan as one text.
func (s *records) plan(r flow.Run) []byte { return joined("plan", s.sections(r, "plan")) }

// joined writes sections under headings, in the order of the paper.
func joined(kind string, texts map[string][]byte) []byte {
	keys := campaign.ReportSections()
	if kind == "plan" {
		keys = campaign.PlanSections()
	}
	var b bytes.Buffer
	for _, key := range ordered(keys, texts) {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", heading(key), texts[key])
	}
	return b.Bytes()
}

// ordered puts the components where the plan has them, and what is written of
// the other sections in the order of the paper.
func ordered(keys []string, texts map[string][]byte) []string {
	var components []string
	for key := range texts {
		if strings.HasPrefix(key, "component-") {
			components = append(components, key)
		}
	}
	slices.Sort(components)
	var list []string
	for _, key := range keys {
		if key == "components" || key == "component" {
			list = append(list, components...)
			components = nil
		}
		if texts[key] != nil {
			list = append(list, key)
		}
	}
	return append(list, components...)
}

func heading(key string) string {
	words := strings.Split(key, "-")
	for i, w := range words {
		if w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

// features reads the program's own feature list.
func (s *records) features() (feature.List, error) {
	data, err := s.Folder.Read(campaign.FeatureFile)
	if err != nil {
		return feature.List{}, err
	}
	return feature.Parse(data)
}

// adoptFeatureList takes over a feature list that is there already.
func (s *work) adoptFeatureList(r flow.Run) (*flow.Assessment, error) {
	data, err := s.papers.Read(campaign.Features)
	if err != nil {
		return s.tallyPlanOnly(r)
	}
	list, err := feature.Parse(data)
	if err != nil || len(list.Features) == 0 {
		return s.tallyPlanOnly(r)
	}
	for i, f := range list.Features {
		if f.Passes && f.Commit == "" { // somebody has written so: no test has been run
			list.Features[i].Passes, list.Features[i].State = false, feature.Pending
		}
	}
	return s.installFeatureList(r, list)
}

// tallyPlanOnly is what there is before the plan has been broken down: the plan.
func (s *records) tallyPlanOnly(r flow.Run) (*flow.Assessment, error) {
	text, err := s.planToBuild(r)
	if err != nil {
		return nil, err
	}
	hash, err := s.writePlanText(text)
	if err != nil {
		return nil, err
	}
	found, err := s.tallyWithoutList(r, "")
	if err == nil {
		campaign.TallyOf(found.Own).Plan = hash
	}
	return found, err
}

// tallyWithoutList is a tally without a feature list, and why.
func (s *records) tallyWithoutList(r flow.Run, problem string) (*flow.Assessment, error) {
	tally, err := s.campaignTally(r)
	if err != nil {
		return nil, err
	}
	tally.Problem, tally.Total, tally.Next = problem, 0, ""
	if !s.Folder.Has(campaign.FeatureFile) { // the stage's artefact
		if err := s.Folder.Write(campaign.FeatureFile, []byte("{}\n")); err != nil {
			return nil, err
		}
	}
	return &flow.Assessment{Own: campaign.OwnTally(tally)}, nil
}

// importFeatureList takes in the list the worker has made of the plan.
func (s *work) importFeatureList(r flow.Run) (*flow.Assessment, error) {
	found, err := s.gatherClaims(r, agent.Breakdown)
	if err != nil {
		return nil, err
	}
	data, err := s.Folder.Read(path.Join(recordsFolder(campaign.Worker(r).Name), campaign.Features))
	if err != nil {
		return s.tallyWithoutList(r, "no feature list was handed in")
	}
	list, err := feature.Propose(data)
	if err != nil {
		return s.tallyWithoutList(r, plain.Line(err.Error(), supervisor.MaxForeignRunes))
	}
	if n := len(campaign.TallyOf(found.Own).Blockers); n > 0 {
		return s.tallyBlockedList(r, list)
	}
	if campaign.Of(s.Setup.Own).Test != "" {
		list.Test = "" // what the person has said, or the project has, goes before
	} else if list.Test == "" {
		return s.tallyWithoutList(r, `the list has no "test_command", and nobody has named one: say in the list how the tests are run`)
	}
	if what := toolchain(list); what != "" {
		s.progress("Chosen by the breakdown: " + what)
	}
	if script := s.recordsOf(path.Join(recordsFolder(campaign.Worker(r).Name), initScript)); len(script) > 0 {
		if err := s.publishPaper(initScript, script); err != nil {
			return nil, err
		}
	}
	return s.installFeatureList(r, list)
}

// tallyBlockedList lays down what a list of features makes of a plan against which
// blockers are open, for critics to read.
func (s *work) tallyBlockedList(r flow.Run, list feature.List) (*flow.Assessment, error) {
	text, err := s.planToBuild(r)
	if err != nil {
		return nil, err
	}
	hash, err := s.writePlanText(text)
	if err != nil {
		return nil, err
	}
	found, err := s.tallyWithoutList(r, "")
	if err != nil {
		return nil, err
	}
	campaign.TallyOf(found.Own).Plan, campaign.TallyOf(found.Own).Total = hash, len(list.Features)
	campaign.TallyOf(found.Own).Problem = plural.Forms(len(campaign.TallyOf(found.Own).Blockers), "blocker is", "blockers are") + " open: " + strings.Join(campaign.TallyOf(found.Own).Blockers, "; ")
	return found, nil
}

func (s *work) installFeatureList(r flow.Run, list feature.List) (*flow.Assessment, error) {
	if n := len(r.Edits); n > 0 { // they were of another list
		list.Edits = campaign.EditOf(r.Edits[n-1].Own).List.Edits
	}
	if err := s.Folder.Write(campaign.FeatureFile, list.Encode()); err != nil {
		return nil, err
	}
	_, err := s.base(true)
	if err = errors.Join(err, s.initialise()); err != nil { // what the script makes belongs to the first feature
		return nil, err
	}
	tally, err := s.campaignTally(r)
	if err != nil {
		return nil, err
	}
	tally.Plan = campaign.StateOf(r).Plan
	return &flow.Assessment{Own: campaign.OwnTally(tally)}, nil
}
