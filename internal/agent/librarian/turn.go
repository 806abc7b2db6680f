package librarian

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"research-council/internal/agent"

	"research-council/internal/base/plain"
	"research-council/internal/base/plural"
)

// TurnIO is what a turn's process reads, writes and says.
type TurnIO struct {
	Read  func(path string) ([]byte, error)
	Write func(path string, data []byte) error // whole or not at all
	Open  func(ctx context.Context, index, scope string) (Library, error)
	Out   io.Writer // the stream of events
}

// refusalError is why a turn cannot be done, however often it is tried.
type refusalError string

func (r refusalError) Error() string { return string(r) }

// Main does the turn that a file describes. Its report and claims are written
// anew after each iteration, the state file counts the one under way. An error
// says in one line why there is no report; the stream tells it as well where
// trying again is useless.
func Main(ctx context.Context, turn string, d TurnIO) error {
	err := d.runTurn(ctx, turn)
	var no refusalError
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
	switch a.Role {
	case agent.Research, agent.Explore:
		return d.researchTurn(ctx, a, string(topic))
	case agent.Refinement:
		return d.refineTurn(ctx, a, string(topic))
	case agent.Synthesis:
		return d.synthesisTurn(a, string(topic))
	case agent.Conclude:
		return d.concludeTurn(a, string(topic))
	case agent.Questions:
		return d.questionsTurn(a, string(topic))
	case agent.Brief:
		return d.briefTurn(a, string(topic))
	case agent.Planning:
		return d.planTurn(ctx, a, string(topic))
	case agent.Collection:
		return d.collectTurn(ctx, a, string(topic))
	case agent.Findings:
		return d.findingsTurn(a, string(topic))
	case agent.Advocate:
		return d.advocateTurn(a, string(topic))
	case agent.Prose:
		return d.proseTurn(a, string(topic))
	case agent.Review, agent.Reconsider:
		return refusalError("the librarian judges nothing, so it reviews nothing: give a seat with a model this role")
	}
	return refusalError(fmt.Sprintf("the librarian has no role %q", plain.Line(a.Role, 40)))
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

// openLibrary opens the files of the turn, and refuses where it has none to read.
func (d TurnIO) openLibrary(ctx context.Context, a assignment) (Library, error) {
	if a.Scope == "" {
		return nil, refusalError("the librarian researches local files: name a folder with --scope")
	}
	lib, err := d.Open(ctx, a.Index, a.Scope)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, refusalError(err.Error())
	case err != nil:
		return nil, err
	}
	stats := lib.Stats()
	switch {
	case stats.Files == 0:
		return nil, refusalError("there are no text files to research in " + a.Scope)
	case stats.Total(a.Shard) == 0:
		return nil, refusalError(fmt.Sprintf("there are no files of this kind in %s: %s", a.Scope, shardWords[a.Shard]))
	}
	return lib, nil
}

func (d TurnIO) researchTurn(ctx context.Context, a assignment, topic string) error {
	lib, err := d.openLibrary(ctx, a)
	if err != nil {
		return err
	}
	q := Question{Topic: topic, Shard: a.Shard, Iterations: max(1, a.MaxIterations)}
	under := d.startIteration(a)
	r, err := Research(ctx, q, lib, func(r Result) error {
		n := len(r.Steps)
		if n < under { // it was done before the turn was taken up again
			return nil
		}
		return d.finishIteration(a, r, iterationEnd{n, r.Steps[n-1], r.Dry || n == q.Iterations})
	})
	if err != nil {
		return fmt.Errorf("research: %w", err)
	}
	return d.writeEvent(event{Type: resulted, Text: resultText(r)})
}

// startIteration is the iteration under way as the state file has it: 1 at first.
func (d TurnIO) startIteration(a assignment) int {
	data, err := d.Read(a.State)
	if err != nil {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 1
	}
	return min(max(n, 1), max(1, a.MaxIterations))
}

// iterationEnd is one iteration that is done.
type iterationEnd struct {
	n    int
	step Step
	last bool
}

// finishIteration leaves what an iteration came to, and counts to the next.
func (d TurnIO) finishIteration(a assignment, r Result, p iterationEnd) error {
	if err := d.writeResult(a, r, p.last); err != nil {
		return err
	}
	note := plural.Of(p.step.New, "new finding")
	if len(p.step.Followed) > 0 {
		note += " on " + strings.Join(p.step.Followed, ", ")
	}
	if err := d.writeEvent(event{Type: iterated, N: p.n, Note: plain.Line(note, agent.NoteLimit)}); err != nil || p.last {
		return err
	}
	return d.writeIteration(a, p.n+1)
}

// writeResult writes report and claims. The claims come first: a complete report is
// the sign that all is there.
func (d TurnIO) writeResult(a assignment, r Result, done bool) error {
	if err := d.Write(a.Claims, Claims(r)); err != nil {
		return fmt.Errorf("write claims: %w", err)
	}
	if err := d.Write(a.Report, Markdown(r, done)); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func (d TurnIO) writeIteration(a assignment, n int) error {
	if err := d.Write(a.State, []byte(strconv.Itoa(n)+"\n")); err != nil {
		return fmt.Errorf("count the iteration: %w", err)
	}
	return nil
}

// resultText is what a turn came to in one sentence.
func resultText(r Result) string {
	files := map[string]bool{}
	for _, f := range r.Findings {
		files[f.Path] = true
	}
	return fmt.Sprintf("%s quoted from %s in %s.", plural.Of(len(r.Findings), "passage"), plural.Of(len(files), "file"), plural.Of(len(r.Steps), "iteration"))
}
