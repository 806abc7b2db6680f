package librarian

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// Role does one kind of turn. An error that is a [Refusal] says that it cannot
// be done, however often it is tried.
type Role func(context.Context, *Turn) error

// ownRoles are those the librarian plays whatever is run; products have others,
// which [TurnIO] brings.
func ownRoles() map[string]Role {
	return map[string]Role{
		agent.Research: research, agent.Explore: research,
		agent.Refinement: refine,
		agent.Synthesis:  synthesise,
		agent.Comparison: judgesNothing, agent.Plan: judgesNothing,
		agent.Review: judgesNothing, agent.Reconsider: judgesNothing,
	}
}

// judgesNothing is the answer to a turn that asks for a judgement.
func judgesNothing(context.Context, *Turn) error {
	return Refusal("the librarian judges nothing, so it compares and reviews nothing: give a seat with a model this role")
}

// Refusal is why a turn cannot be done, however often it is tried.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Turn is one that is under way, as a role sees it.
type Turn struct {
	Topic string // the question; any bytes
	Agent string // whose part of a plan it is; "" for none
	Shard Shard  // the files that the seat reads

	planned    []scope.Question // what somebody has made of the question
	assignment assignment
	io         TurnIO
}

// NoFiles begins the refusal of a part for which there is nothing to read.
const NoFiles = "there are no files of this kind in"

// Library opens the files of one shard, and refuses where there are none to read.
func (t *Turn) Library(ctx context.Context, shard Shard) (Library, error) {
	scope := t.assignment.Scope
	if scope == "" && !t.io.Own {
		return nil, Refusal("the librarian researches local files: name a folder with --scope")
	}
	where := cmp.Or(scope, "the library")
	lib, err := t.io.Open(ctx, t.assignment.Index, scope)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, Refusal(err.Error())
	case err != nil:
		return nil, err
	}
	stats := lib.Stats()
	switch {
	case stats.Files == 0:
		return nil, Refusal("there are no text files to research in " + where)
	case stats.Total(shard) == 0:
		return nil, Refusal(fmt.Sprintf("%s %s: %s", NoFiles, where, shardWords[shard]))
	}
	return lib, nil
}

// Inputs are the texts that were handed over; fewer than least are refused.
func (t *Turn) Inputs(least int) ([]string, error) {
	texts, err := t.readInputs()
	if err == nil && len(texts) < least {
		err = Refusal(fmt.Sprintf("the role %s needs %s, of which %d came", t.assignment.Role, plural.Of(least, "file"), len(texts)))
	}
	return texts, err
}

// readInputs reads what was handed over.
func (t *Turn) readInputs() ([]string, error) {
	var out []string
	for _, p := range t.assignment.Inputs {
		data, err := t.io.Read(p)
		if err != nil {
			return nil, fmt.Errorf("read what was handed over: %w", err)
		}
		out = append(out, string(data))
	}
	return out, nil
}

// Note tells in a line what step n of the turn has come to.
func (t *Turn) Note(n int, note string) error {
	return t.io.writeEvent(event{Type: iterated, N: n, Note: plain.Line(note, agent.NoteLimit)})
}

// Answer leaves a JSON object and the marker for a report, and says in a few
// words what it is. The schemas say what the object holds.
func (t *Turn) Answer(v any, words string) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("put the answer into words: %w", err)
	}
	return t.Report(append(data, "\n"+agent.Marker+"\n"...), words)
}

// Report leaves the report, marker and all, ends the turn, and says in a few
// words what it is.
func (t *Turn) Report(text []byte, words string) error {
	if err := t.io.Write(t.assignment.Report, text); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return t.io.writeEvent(event{Type: resulted, Text: words})
}

// WriteFile leaves a further file, by its path in the seat's folder.
func (t *Turn) WriteFile(name string, data []byte) error {
	return t.io.Write(filepath.Join(filepath.Dir(t.assignment.Claims), name), data)
}
