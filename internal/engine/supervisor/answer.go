package supervisor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/agent/prompt"
	"research-council/internal/agent/schema"
	"research-council/internal/base/marker"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/loop"
	"research-council/internal/evidence/claim"
	"research-council/internal/output/report"
	"research-council/internal/product/panel"
	"research-council/internal/product/recipe"
	"research-council/internal/product/staged"
)

// An answer is one JSON object that a schema accepts, or the prose of staged
// research. A seat that answers otherwise is told what is wrong with it.

// answersInJSON reports whether a role ends with a JSON answer.
func answersInJSON(role string) bool {
	switch role {
	case agent.Questions, agent.Brief, agent.Planning, agent.Collection, agent.Findings, agent.Advocate, agent.Review, agent.Reconsider:
		return true
	}
	return false
}

// asksForAnswer reports whether a role is asked with one of the prompts of staged
// research or of a review.
func asksForAnswer(role string) bool { return answersInJSON(role) || role == agent.Prose }

// measureAnswer judges an answer.
func (s *supervisor) measureAnswer(t flow.Task, data []byte) loop.Artefact {
	a := loop.Artefact{Bytes: int64(len(data)), SHA256: digest(data)}
	if t.Role == agent.Prose {
		a.Problems = report.Staged.Lint(data, s.registry().Entries)
		usable, problem := report.Usable(data)
		if a.Usable = usable; problem != "" {
			a.Problems = append(a.Problems, problem)
		}
		a.Complete = usable && len(a.Problems) == 0
		return a
	}
	object, problems := schema.Check(t.Role, data)
	if len(problems) == 0 {
		problems = s.lintAnswer(t.Role, object)
	}
	a.Problems, a.Usable = problems, len(problems) == 0
	a.Complete = a.Usable // it says all it is asked for; a missing marker is no reason to pay for another turn
	if kept, err := s.normaliseAnswer(t.Role, object); err == nil && a.Usable {
		a.SHA256 = digest(kept) // of what the run's folder will hold
	}
	return a
}

// lintAnswer finds what no schema can: ids of claims that are not there.
func (s *supervisor) lintAnswer(role string, object []byte) []string {
	switch role {
	case agent.Review, agent.Reconsider:
		if _, err := panel.Decode(object); err != nil {
			return []string{err.Error()}
		}
	case agent.Findings, agent.Advocate:
		known := s.usableFactIDs()
		return staged.Lint(role, object, func(id string) bool { return known[id] })
	}
	return nil
}

// usableFactIDs are the facts an answer may rest on.
func (s *supervisor) usableFactIDs() map[string]bool {
	ids := map[string]bool{}
	for _, f := range s.factcheck().Usable() {
		ids[f.ID] = true
	}
	return ids
}

// factcheck reads what the fact-check came to; nothing is the zero value.
func (s *supervisor) factcheck() staged.FactCheckResult {
	var checked staged.FactCheckResult
	if data, err := s.folder.Read(recipe.FactcheckFile); err == nil && json.Unmarshal(data, &checked) != nil {
		return staged.FactCheckResult{}
	}
	return checked
}

// gateAssessment is what gates judge an answer by; nil where there is nothing to
// count.
func (s *supervisor) gateAssessment(t flow.Task) *flow.Assessment {
	data, err := s.folder.Read(path.Join(taskFolder(t), t.Writes))
	if err != nil {
		return nil
	}
	object, problems := schema.Check(t.Role, data)
	if len(problems) > 0 {
		return nil
	}
	kept, err := s.normaliseAnswer(t.Role, object)
	if err != nil {
		return nil
	}
	out, err := staged.Count(t.Role, kept)
	if err != nil {
		return nil
	}
	return &flow.Assessment{Own: staged.OwnOutput(&out)}
}

// publishableAnswer is an answer as it is published: the object alone, with what only
// the program may say in it taken out.
func (s *supervisor) publishableAnswer(t flow.Task, data []byte) ([]byte, error) {
	if t.Role == agent.Prose {
		return data, nil
	}
	object, problems := schema.Check(t.Role, data)
	if len(problems) > 0 {
		return nil, &invalidAnswer{problems}
	}
	return s.normaliseAnswer(t.Role, object)
}

// normaliseAnswer is an answer's object as the run's folder holds it.
func (s *supervisor) normaliseAnswer(role string, object []byte) ([]byte, error) {
	switch role {
	case agent.Brief:
		return staged.CleanBrief(object)
	case agent.Planning:
		var p staged.Plan
		if err := json.Unmarshal(object, &p); err != nil {
			return nil, fmt.Errorf("read the plan: %w", err)
		}
		plan, err := json.MarshalIndent(staged.Normalise(p, s.collectors()), "", "  ") // what is carried out
		return append(plan, '\n'), err
	}
	var lines bytes.Buffer // what reads files by lines reads all of it
	if err := json.Indent(&lines, object, "", "  "); err != nil {
		return nil, fmt.Errorf("publish an answer: %w", err)
	}
	lines.WriteByte('\n')
	return lines.Bytes(), nil
}

// invalidAnswer is an answer that does not fit.
type invalidAnswer struct{ problems []string }

func (r *invalidAnswer) Error() string { return strings.Join(r.problems, "; ") }

// saveReplyAsAnswer makes an answer of what a seat has said last, where it has written
// none.
func (s *supervisor) saveReplyAsAnswer(t flow.Task, reply agent.Reply) {
	name := path.Join(taskFolder(t), t.Writes)
	text := strings.TrimSpace(reply.Text)
	if reply.Fault != nil || text == "" {
		return
	}
	_, problems := schema.Check(t.Role, []byte(text))
	fits := answersInJSON(t.Role) && len(problems) == 0
	if s.folder.Filled(name) && !(fits && s.isInvalidAnswer(t, name)) || answersInJSON(t.Role) && !strings.Contains(text, "{") {
		return // it has written an answer, or only talks
	}
	_ = s.folder.Write(name, []byte(text+"\n\n"+marker.CompleteMarker+"\n")) // without it the answer counts as missing
}

// isInvalidAnswer reports whether the answer that is there does not fit.
func (s *supervisor) isInvalidAnswer(t flow.Task, name string) bool {
	data, err := s.folder.Read(name)
	if err != nil {
		return true
	}
	_, problems := schema.Check(t.Role, data)
	return len(problems) > 0
}

// stagedPrompt asks for an answer.
func (s *supervisor) stagedPrompt(t flow.Task, ask agent.Turn, inputs []string) (string, error) {
	v := prompt.StagedTurn{
		Report: ask.Report, Scope: ask.Scope, Desk: len(ask.Desk) > 0, Open: s.folder.Join(openItemsFile(t)),
		Panel: len(s.setup.Panel), Agents: s.collectors(), Revised: recipe.Revisions(s.run),
	}
	places := map[string]*string{
		recipe.QuestionsFile: &v.Questions, recipe.BriefFile: &v.Brief, recipe.PlanningFile: &v.Plan, recipe.FactcheckFile: &v.Facts,
		recipe.RegistryFile: &v.Registry, recipe.FindingsFile: &v.Findings, recipe.AdvocateFile: &v.Advocate,
		recipe.FinalReport: &v.FinalReport, recipe.RevisionFile: &v.Revision, OthersFile: &v.Others,
	}
	for _, file := range inputs {
		name := path.Base(file)
		switch place := places[name]; {
		case place != nil:
			*place = file
		case strings.HasPrefix(name, "answers-"):
			v.Answers = file
		default:
			v.OwnReview = file
		}
	}
	if t.Role == agent.Collection {
		s.fillAssignment(&v, t.Agent)
	}
	return prompt.Staged(t.Role, v)
}

// collectors is how many agents a plan may have.
func (s *supervisor) collectors() int {
	if staged.Of(s.setup.Own) == nil {
		return 0
	}
	return staged.Of(s.setup.Own).Agents
}

// fillAssignment tells an agent of the collection what it is to look into.
func (s *supervisor) fillAssignment(v *prompt.StagedTurn, id string) {
	plan := s.assignments()
	for _, a := range plan.Agents {
		if a.ID != id {
			continue
		}
		v.Agent, v.Focus, v.Queries = a.ID, a.Focus, a.Queries
		for _, topic := range plan.Subtopics {
			for _, id := range a.Subtopics {
				if topic.ID == id {
					v.Subtopics = append(v.Subtopics, topic.ID+" "+topic.Title)
				}
			}
		}
	}
}

// assignments reads the plan of the collection, as it is carried out.
func (s *supervisor) assignments() staged.Plan {
	var p staged.Plan
	if data, err := s.folder.Read(recipe.PlanningFile); err == nil && json.Unmarshal(data, &p) != nil {
		return staged.Plan{}
	}
	return p
}

// OthersFile is the name, in a reviewer's folder, of what the others have said.
const OthersFile = "others.md"

// writeOtherOpinions gives a reviewer what the others have said, without their names.
func (s *supervisor) writeOtherOpinions(t flow.Task, inputs []string) ([]string, error) {
	if t.Role != agent.Reconsider {
		return inputs, nil
	}
	name := path.Join(taskFolder(t), inputsDir, OthersFile)
	if err := s.folder.Mkdir(path.Dir(name)); err != nil {
		return nil, err
	}
	if err := s.folder.Write(name, []byte(panel.OtherReviews(t.Agent, s.opinions(s.run)))); err != nil {
		return nil, err
	}
	return append(inputs, s.folder.Join(name)), nil
}

// collectedDrafts are the claims of an agent of the collection: the facts of its
// answer, and what it has recorded beside it.
func (s *supervisor) collectedDrafts(t flow.TaskState) []claim.Draft {
	g := s.gathered(t)
	return append(staged.Drafts(g), s.recorded(t)...)
}

// gathered is what an agent of the collection has brought.
func (s *supervisor) gathered(t flow.TaskState) staged.AgentAnswer {
	g := staged.AgentAnswer{}
	if data, err := s.folder.Read(t.Writes); err == nil {
		err := json.Unmarshal(data, &g)
		if g.Problem = ""; err != nil {
			g.Problem = "its answer cannot be read"
		}
	}
	if g.Agent, g.Seat, g.Family = t.Agent, t.Seat, t.Brand; !t.Outcome.Good() {
		g = staged.AgentAnswer{Agent: t.Agent, Seat: t.Seat, Family: t.Brand, Problem: t.Reason}
	}
	return g
}
