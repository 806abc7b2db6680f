package librarian

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// TurnIO is what a turn's process reads, writes and says.
type TurnIO struct {
	Read  func(path string) ([]byte, error)
	Write func(path string, data []byte) error // whole or not at all
	Open  func(ctx context.Context, index, scope string) (Library, error)
	Out   io.Writer       // the stream of events
	Own   bool            // Open gives something to read without a scope too
	Roles map[string]Role // by name, beyond those of every product
}

// Main does the turn that a file describes. Its report and claims are written
// anew after each iteration, the state file counts the one under way. An error
// says in one line why there is no report; the stream tells it as well where
// trying again is useless.
func Main(ctx context.Context, turn string, d TurnIO) error {
	err := d.runTurn(ctx, turn)
	var no Refusal
	if errors.As(err, &no) {
		err = errors.Join(err, d.writeEvent(event{Type: refusal, Text: plain.Line(no.Error(), noticeMax)}))
	}
	return err
}

func (d TurnIO) runTurn(ctx context.Context, turn string) error {
	data, err := d.Read(turn)
	if err != nil {
		return fmt.Errorf("read the turn: %w", err)
	}
	var a assignment
	if err := json.Unmarshal(data, &a); err != nil {
		return fmt.Errorf("read the turn: %w", err)
	}
	topic, err := d.Read(a.Topic)
	if err != nil {
		return fmt.Errorf("read the question: %w", err)
	}
	if err := d.writeEvent(event{Type: started, Note: "opening the files"}); err != nil {
		return err
	}
	t := &Turn{Topic: string(topic), planned: d.plannedQuestions(a.Plan), Agent: a.Agent, Shard: a.Shard, assignment: a, io: d}
	for _, roles := range []map[string]Role{ownRoles(), d.Roles} {
		if play := roles[a.Role]; play != nil {
			return play(ctx, t)
		}
	}
	return Refusal(fmt.Sprintf("the librarian has no role %q", plain.Line(a.Role, 40)))
}

// Questions are what the turn that a file describes is about: the planned questions,
// else the person's words.
func Questions(turn string, read func(path string) ([]byte, error)) ([]string, error) {
	data, err := read(turn)
	if err != nil {
		return nil, fmt.Errorf("read the turn: %w", err)
	}
	var a assignment
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, fmt.Errorf("read the turn: %w", err)
	}
	topic, err := read(a.Topic)
	if err != nil {
		return nil, fmt.Errorf("read the question: %w", err)
	}
	list := []string{string(topic)}
	for _, q := range (TurnIO{Read: read}).plannedQuestions(a.Plan) {
		list = append(list, q.Text)
	}
	return list, nil
}

// plannedQuestions are those that a model or a person has planned, without the topic;
// none where the rules alone have split it.
func (d TurnIO) plannedQuestions(file string) []scope.Question {
	var p scope.Plan
	data, err := d.Read(file)
	if err != nil || json.Unmarshal(data, &p) != nil || p.PlannedBy == "" || len(p.Questions) < 2 {
		return nil
	}
	return p.Questions[1:]
}

func (d TurnIO) writeEvent(e event) error {
	data, err := json.Marshal(e)
	if err == nil {
		_, err = d.Out.Write(append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("tell what is done: %w", err)
	}
	return nil
}

// research answers the question from the files, iteration by iteration.
func research(ctx context.Context, t *Turn) error {
	lib, err := t.Library(ctx, t.Shard)
	if err != nil {
		return err
	}
	q := t.question()
	under := t.startIteration()
	r, err := Research(ctx, q, lib, func(r Result) error {
		n := len(r.Steps)
		if n < under { // it was done before the turn was taken up again
			return nil
		}
		return t.finishIteration(r, iterationEnd{n, r.Steps[n-1], r.Dry || n == q.Iterations})
	})
	if err != nil {
		return fmt.Errorf("research: %w", err)
	}
	return t.finish(r)
}

// question is what the turn is to research.
func (t *Turn) question() Question {
	return Question{Topic: t.Topic, Planned: t.planned, Shard: t.Shard, Iterations: max(1, t.assignment.MaxIterations)}
}

// startIteration is the iteration under way as the state file has it: 1 at first.
func (t *Turn) startIteration() int {
	data, err := t.io.Read(t.assignment.State)
	if err != nil {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 1
	}
	return min(max(n, 1), max(1, t.assignment.MaxIterations))
}

// iterationEnd is one iteration that is done.
type iterationEnd struct {
	n    int
	step Step
	last bool
}

// finishIteration leaves what an iteration came to, and counts to the next.
func (t *Turn) finishIteration(r Result, p iterationEnd) error {
	if err := t.writeResult(r, p.last); err != nil {
		return err
	}
	note := plural.Of(p.step.New, "new finding")
	if len(p.step.Followed) > 0 {
		note += " on " + strings.Join(p.step.Followed, ", ")
	}
	if err := t.Note(p.n, note); err != nil || p.last {
		return err
	}
	return t.writeIteration(p.n + 1)
}

// writeResult writes report and claims. The claims come first: a complete report is
// the sign that all is there.
func (t *Turn) writeResult(r Result, done bool) error {
	if err := t.io.Write(t.assignment.Claims, Claims(r)); err != nil {
		return fmt.Errorf("write claims: %w", err)
	}
	if err := t.io.Write(t.assignment.Report, Markdown(r, done)); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func (t *Turn) writeIteration(n int) error {
	if err := t.io.Write(t.assignment.State, []byte(strconv.Itoa(n)+"\n")); err != nil {
		return fmt.Errorf("count the iteration: %w", err)
	}
	return nil
}

// finish ends a turn of research and says what it came to in one sentence.
func (t *Turn) finish(r Result) error {
	files := map[string]bool{}
	for _, f := range r.Findings {
		files[f.Path] = true
	}
	return t.io.writeEvent(event{Type: resulted, Text: fmt.Sprintf("%s quoted from %s in %s.", plural.Of(len(r.Findings), "passage"), plural.Of(len(files), "file"), plural.Of(len(r.Steps), "iteration"))})
}
