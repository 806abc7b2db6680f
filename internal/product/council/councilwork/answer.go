package councilwork

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/agent/schema"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/product/panel"
)

// An answer is one JSON object that a schema accepts, or the prose of staged
// research. A seat that answers otherwise is told what is wrong with it.

// answersInJSON reports whether a role ends with a JSON answer.
func answersInJSON(role string) bool {
	switch role {
	case agent.Plan, agent.Comparison, agent.Questions, agent.Brief, agent.Planning, agent.Collection, agent.Findings, agent.Advocate, agent.Review, agent.Reconsider:
		return true
	}
	return false
}

// asksForAnswer reports whether a role ends with an answer: a plan, a comparison, or what
// staged research and a review ask for.
func asksForAnswer(role string) bool { return answersInJSON(role) || role == agent.Prose }

// measureAnswer judges an answer.
func (s *Work) measureAnswer(t flow.Task, data []byte) loop.Artefact {
	a := supervisor.NewArtefact(data)
	if t.Role == agent.Prose {
		a.Problems = report.Staged.Lint(data, s.Registry().Entries)
		usable, problem := report.Usable(data)
		if a.Usable = usable; problem != "" {
			a.Problems = append(a.Problems, problem)
		}
		a.Complete = usable && len(a.Problems) == 0
		return a
	}
	object, problems := schema.Check(t.Role, data)
	if t.Role == agent.Comparison && len(problems) == 0 {
		return s.measureComparison(t, a, object)
	}
	if len(problems) == 0 {
		problems = s.faults(t.Role, object)
	}
	a.Problems, a.Usable = problems, len(problems) == 0
	a.Complete = a.Usable // it says all it is asked for; a missing marker is no reason to pay for another turn
	if kept, err := s.normaliseAnswer(t.Role, object); err == nil && a.Usable {
		a.SHA256 = workspace.Sum(kept) // of what the run's folder will hold
	}
	return a
}

// gateAssessment is what gates judge an answer by; nil where there is nothing to
// count.
func (s *Work) gateAssessment(t flow.Task) *flow.Assessment {
	data, err := s.Folder.Read(path.Join(s.TaskFolder(t), t.Writes))
	if err != nil || s.Count == nil && t.Role != agent.Plan {
		return nil
	}
	object, problems := schema.Check(t.Role, data)
	if len(problems) > 0 {
		return nil
	}
	if t.Role == agent.Plan {
		return s.plannedQuestions(object)
	}
	kept, err := s.normaliseAnswer(t.Role, object)
	if err != nil {
		return nil
	}
	counted, err := s.Count(t.Role, kept)
	if err != nil {
		return nil
	}
	return &flow.Assessment{Own: counted}
}

// publishableAnswer is an answer as it is published: the object alone, with what only
// the program may say in it taken out.
func (s *Work) publishableAnswer(t flow.Task, data []byte) ([]byte, error) {
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
func (s *Work) normaliseAnswer(role string, object []byte) ([]byte, error) {
	if s.Normalise != nil {
		if data, err := s.Normalise(role, object); data != nil || err != nil {
			return data, err
		}
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
func (s *Work) saveReplyAsAnswer(t flow.Task, reply agent.Reply) {
	name := path.Join(s.TaskFolder(t), t.Writes)
	text := strings.TrimSpace(reply.Text)
	if reply.Fault != nil || text == "" {
		return
	}
	_, problems := schema.Check(t.Role, []byte(text))
	fits := answersInJSON(t.Role) && len(problems) == 0
	if s.Folder.Filled(name) && !(fits && s.isInvalidAnswer(t, name)) || answersInJSON(t.Role) && !strings.Contains(text, "{") {
		return // it has written an answer, or only talks
	}
	_ = s.Folder.Write(name, []byte(text+"\n\n"+marker.CompleteMarker+"\n")) // without it the answer counts as missing
}

// isInvalidAnswer reports whether the answer that is there does not fit.
func (s *Work) isInvalidAnswer(t flow.Task, name string) bool {
	data, err := s.Folder.Read(name)
	if err != nil {
		return true
	}
	_, problems := schema.Check(t.Role, data)
	return len(problems) > 0
}

// OthersFile is the name, in a reviewer's folder, of what the others have said.
const OthersFile = "others.md"

// faults finds in an answer what no schema can.
func (s *Work) faults(role string, object []byte) []string {
	if role == agent.Review || role == agent.Reconsider {
		if _, err := panel.Decode(object); err != nil {
			return []string{err.Error()}
		}
	}
	if role == agent.Plan {
		return planFaults(s.Setup.Topic, object)
	}
	if s.Lint == nil {
		return nil
	}
	return s.Lint(role, object)
}

// answerPrompt asks for an answer: a review of the report, or what else the
// product asks for.
func (s *Work) answerPrompt(t flow.Task, ask agent.Turn, inputs []string) (string, error) {
	v := s.reviewValues(t, ask, inputs)
	if s.Complete != nil {
		v = s.Complete(t, v)
	}
	return prompt.Staged(t.Role, v)
}

// reviewValues are what a reviewer of the report is told.
func (s *Work) reviewValues(t flow.Task, ask agent.Turn, inputs []string) prompt.StagedTurn {
	v := prompt.StagedTurn{
		Report: ask.Report, Scope: ask.Scope, Desk: s.HasDesk(t.Seat), Search: len(s.Setup.Network.Search) > 0, Open: s.Folder.Join(s.OpenItemsFile(t)),
		Panel: len(s.Setup.Panel), Revised: panel.Revisions(s.Now),
	}
	for _, file := range inputs {
		*s.place(&v, path.Base(file)) = file
	}
	if v.Registry != "" {
		v.Registry = digestBeside(v.Registry)
	}
	return v
}

// place is where what a task reads is named in what it is asked: for a reviewer his
// own review, where it is nothing else.
func (s *Work) place(v *prompt.StagedTurn, name string) *string {
	switch name {
	case claim.RegistryFile, claim.DigestFile:
		return &v.Registry
	case flow.FinalReport:
		return &v.FinalReport
	case panel.RevisionFile:
		return &v.Revision
	case OthersFile:
		return &v.Others
	}
	if s.Place != nil {
		if place := s.Place(v, name); place != nil {
			return place
		}
	}
	return &v.OwnReview
}
