package campaignwork

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/campaign"
)

// A change that passes the tests is judged by one that has not built it, in a
// turn of its own: what it says is read from that turn's answer alone.

// change is the change that waits for a judgement; nothing is the zero value.
func (s *records) change() pendingChange {
	var p pendingChange
	if data, err := s.Folder.Read(pendingFile); err == nil && json.Unmarshal(data, &p) != nil {
		return pendingChange{}
	}
	return p
}

// judgePrompt asks for the judgement.
func (s *gate) judgePrompt(t flow.Task, ask agent.Turn, inputs []string) (string, error) {
	list, err := s.features()
	if err != nil {
		return "", err
	}
	p := s.change()
	f, ok := list.Find(p.Feature)
	if !ok || len(inputs) == 0 {
		return "", fmt.Errorf("there is no change of %s to judge", p.Feature)
	}
	return prompt.Judge(prompt.Judgement{
		Feature: f.ID, Project: s.Setup.Root, Change: inputs[0], Gone: p.Gone, Check: f.Acceptance.Check,
		Report: ask.Report, Open: s.Folder.Join(s.OpenItemsFile(t)),
	})
}

// measureVerdict judges a judgement by its form.
func (s *gate) measureVerdict(data []byte) loop.Artefact {
	a := supervisor.NewArtefact(data)
	if _, err := campaign.DecodeVerdict(data, s.change().Gone); err != nil {
		a.Problems = []string{err.Error()}
		return a
	}
	a.Usable, a.Complete = true, true
	return a
}

// saveReplyAsVerdict makes an answer of what a judge has said last, where it has
// written none that can be read.
func (s *gate) saveReplyAsVerdict(t flow.Task, reply agent.Reply) {
	name := path.Join(s.TaskFolder(t), t.Writes)
	gone := s.change().Gone
	if data, err := s.Folder.Read(name); err == nil {
		if _, err := campaign.DecodeVerdict(data, gone); err == nil {
			return
		}
	}
	text := bytes.TrimSpace([]byte(reply.Text))
	if _, err := campaign.DecodeVerdict(text, gone); reply.Fault == nil && err == nil {
		_ = s.Folder.Write(name, append(text, '\n')) // without it the judgement counts as missing
	}
}

// ErrChanged says that what a person speaks of is not what was tested.
var ErrChanged = errors.New("what would be committed has changed since it was tested, so nothing was noted")

// checkUnchanged reports whether what waits for a word is what was tested.
func (s *gate) checkUnchanged() error {
	list, err := s.features()
	if err != nil {
		return err
	}
	p := s.change()
	f, ok := list.Find(p.Feature)
	if !ok {
		return supervisor.ErrNotAsked
	}
	j, err := s.judging(f, flow.Task{ID: p.Task})
	if err != nil {
		return err
	}
	will, err := j.project.Candidate(s.Life, j.since)
	if err == nil && will.Tree != p.Tree {
		err = ErrChanged
	}
	return err
}

// AwaitedChange is the feature whose change waits for a person's word, "" where a
// campaign waits for none.
func AwaitedChange(f *workspace.Folder, r flow.Run) string {
	if !r.IsWaiting() || r.Stage != campaign.Keep || campaign.ResumeStage(r) != agent.Judge {
		return ""
	}
	var p pendingChange
	data, err := f.Read(pendingFile)
	if err != nil || json.Unmarshal(data, &p) != nil {
		return ""
	}
	return p.Feature
}

// DecideChange keeps what a person says of a change that nobody else could judge, for
// whoever goes on with the run. A run that does not wait for it is
// [ErrNotAsked], and a change that is not the one that was tested [ErrChanged].
func DecideChange(o supervisor.Options, w PersonVerdict) error {
	return supervisor.Amend(o, func(a supervisor.Amendment) error {
		s, is := a.Work().(*work)
		if r := a.Now(); !is || !r.IsWaiting() || r.Stage != campaign.Keep || !strings.EqualFold(s.change().Feature, w.Feature) {
			return supervisor.ErrNotAsked
		}
		w.Feature = s.change().Feature
		if err := s.checkUnchanged(); err != nil {
			return err
		}
		if err := s.WriteJSON(map[string]any{campaign.WordFile: w}); err != nil {
			return err
		}
		return a.Record(flow.Event{Kind: flow.InputGiven, Input: &flow.Input{File: campaign.WordFile}})
	})
}

// PersonVerdict is what a person says of a change that nobody else could judge.
type PersonVerdict struct {
	Feature string `json:"feature"`
	Accept  bool   `json:"accept"`
	Reason  string `json:"reason"`
}

// changeVerdict is what was said of a change and by whom, a person's word first; by
// is "" where nobody has, and why says it.
func (s *gate) changeVerdict(r flow.Run, p pendingChange) (v campaign.Verdict, by, why string) {
	if data, err := s.Folder.Read(campaign.WordFile); err == nil && wasPersonHeard(r) {
		var w PersonVerdict
		if json.Unmarshal(data, &w) == nil && w.Feature == p.Feature && w.Reason != "" {
			return campaign.Verdict{Accept: w.Accept, Reason: w.Reason, Checked: "the person's own look"}, "a person", ""
		}
	}
	why = "there is no other seat and no other context"
	for _, t := range r.LastTasks(agent.Judge) {
		if why = t.Seat + ": " + t.Reason; !t.Outcome.Good() {
			continue
		}
		data, err := s.Folder.Read(t.Writes)
		if err == nil {
			v, err = campaign.DecodeVerdict(data, p.Gone)
		}
		if err == nil {
			return v, t.Seat + freshContextNote(r, t), ""
		}
		why = t.Seat + ": " + err.Error()
	}
	return v, "", why
}

// wasPersonHeard reports whether a person was heard in the visit before this one.
func wasPersonHeard(r flow.Run) bool {
	n := len(r.History)
	return n > 0 && r.History[n-1].Stage == campaign.Keep && r.History[n-1].Heard
}

// freshContextNote says that a judge is the worker's own program.
func freshContextNote(r flow.Run, t flow.TaskState) string {
	if w := campaign.Worker(r); t.Brand == w.Brand || w.Name == flow.Host {
		return " (a fresh context)"
	}
	return ""
}
