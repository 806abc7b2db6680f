package supervisor

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
)

// composeTurn makes the whole question of a turn: its files in place, its prompt
// written.
func (s *asker) composeTurn(w flow.WantedTurn, session string) (agent.Turn, error) {
	t := w.Task
	ask := s.turnWithoutPrompt(t, session)
	if _, ok := s.Seat(t.Seat); !ok {
		return ask, fmt.Errorf("the run has no seat called %s", t.Seat)
	}
	if s.Traceparent != nil {
		ask.Env["TRACEPARENT"] = s.Traceparent(s.ID, t.ID, w.Turn)
	}
	ask.Budget = s.Now.Setup.Limits.Left(s.totalSpent(), t.Reserved)
	if err := s.prepareFolder(t); err != nil {
		return ask, err
	}
	if err := s.work.Lend(ask, t.Task); err != nil {
		return ask, err
	}
	inputs, err := s.copyInputs(t.Task)
	if err == nil {
		inputs, err = s.work.Inputs(t.Task, inputs)
	}
	if err != nil {
		return ask, err
	}
	ask.Inputs = inputs
	text, err := s.work.Prompt(t.Task, ask, inputs)
	if err != nil {
		return ask, err
	}
	ask.Prompt = text + bounds(ask)
	if !w.Fresh {
		if ask.Resume, err = s.work.ResumePrompt(t, ask); err == nil {
			ask.Resume += bounds(ask)
		}
	}
	return ask, err
}

// bounds tells a seat how long its turn may take, and where it may leave what is only
// for a while.
func bounds(ask agent.Turn) string {
	text := ""
	if least := ask.Deadline.Truncate(time.Minute); least > 0 {
		text = fmt.Sprintf("This turn ends after %s, whatever you are at: have what counts on disk before. ", plural.Of(int(least/time.Minute), "minute"))
	}
	return "\n" + text + "Scratch files go into your own folder, `" + ask.Dir + "`; but for what you are asked to write, write nothing anywhere else.\n"
}

// prepareFolder makes the seat's folder and sets its loop hook's counter to the
// iteration that is about to begin.
func (s *asker) prepareFolder(t flow.TaskState) error {
	dir := s.TaskFolder(t.Task)
	if err := s.Folder.Mkdir(dir); err != nil {
		return fmt.Errorf("make the folder of %s: %w", t.Seat, err)
	}
	clear := append([]string{enoughFile}, s.work.Cleared(t)...)
	for _, name := range clear {
		if err := s.Folder.Remove(path.Join(dir, name)); err != nil {
			return fmt.Errorf("clear the folder of %s: %w", t.Seat, err)
		}
	}
	if err := s.Folder.Write(s.OpenItemsFile(t.Task), []byte(s.work.OpenItems(t))); err != nil {
		return err
	}
	next := strconv.Itoa(t.Loop.Iterations + 1)
	return s.Folder.Write(path.Join(dir, t.Seat+"-state.txt"), []byte(next+"\n"))
}

// ProblemLines lists what was wrong with an answer, for the seat to mend.
func ProblemLines(list []string) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "- Your report: %s.\n", plain.Line(p, MaxForeignRunes))
	}
	return b.String()
}
