// Package feature is the list of features a campaign implements: which one is
// next, what attempts it has had, which can no longer be built.
//
// A list that could be read is sound: every id is there once, every dependency
// is known, nothing waits for itself. Whatever passes or fails then, the list
// comes to its end: a feature has [Attempts] attempts, and what depends on one
// that failed for good is blocked instead of waiting for ever. Lists are
// values; a method that changes one returns another.
//
// Who judges a feature, and where the list lies, is left to others.
package feature

// State says what has become of a feature.
type State string

const (
	Pending State = "pending"
	Passed  State = "passed"
	Failed  State = "failed"  // for good
	Blocked State = "blocked" // it depends on one that failed
)

const (
	Attempts    = 3    // how often a feature is tried before it has failed for good
	MaxFeatures = 2000 // features of a list
)

// Cause says whose fault a failed attempt was; "" where it was the feature's.
type Cause string

// Environment is a fault of what is around the project, which somebody can
// mend: a full disk, a runner of tests that is not there.
const Environment Cause = "environment"

// Feature is one thing to be built. Names and words are those of a model: data.
type Feature struct {
	ID           string   `json:"id"` // a letter, then up to 31 letters, digits, hyphens and underscores
	Name         string   `json:"name"`
	Description  string   `json:"description"`
	Component    string   `json:"component"`
	Dependencies []string `json:"dependencies"` // ids
	Passes       bool     `json:"passes"`
	Attempts     int      `json:"attempts"` // that have failed
	State        State    `json:"state"`
	Reason       string   `json:"reason,omitempty"` // why it failed, or which failed feature blocks it
	Cause        Cause    `json:"cause,omitempty"`  // whose fault that was, where it was not the feature's
	Commit       string   `json:"commit,omitempty"` // that made it pass
	Judged       string   `json:"judged,omitempty"` // the task that judged it last
	Order        int      `json:"order,omitempty"`  // which one it was to pass, from 1

	Acceptance Acceptance `json:"acceptance,omitzero"` // what shows that it is done, where that is no test
	Tried      []Attempt  `json:"tried,omitempty"`     // what failed, the oldest first
	Returned   int        `json:"returned,omitempty"`  // how often in a row it was sent back: its note could not be read, or the project came to no rest
	Faults     string     `json:"faults,omitempty"`    // what was wrong
	Shown      string     `json:"shown,omitempty"`     // how it was shown that it passes
	Checked    string     `json:"checked,omitempty"`   // who looked at it, and what they found
}

// Acceptance is what shows that a feature is done. Without a check it is a
// test that fails before and passes after.
type Acceptance struct {
	Check string `json:"check,omitempty"` // what another looks at: no test can show it
}

// Attempt is one that failed.
type Attempt struct {
	Reason string   `json:"reason"`
	Ref    string   `json:"ref,omitempty"`   // where what was tried is kept; "" for nothing
	Files  []string `json:"files,omitempty"` // that were changed, the first of them
}

// List is all features, in the order in which they are taken up.
type List struct {
	Stack    string    `json:"stack,omitempty"`        // what they are built with, as the breakdown chose it: data
	Test     string    `json:"test_command,omitempty"` // what runs the tests, as the breakdown chose it: see [CheckCommand]
	Edits    int       `json:"edits,omitempty"`        // how many edits it has taken in
	Features []Feature `json:"features"`
}

// Counts says how far a list is.
type Counts struct{ Total, Complete, Failed, Blocked int }

// Find finds a feature by its id.
func (l List) Find(id string) (Feature, bool) {
	if i := l.index(id); i >= 0 {
		return l.Features[i], true
	}
	return Feature{}, false
}

func (l List) index(id string) int {
	for i := range l.Features {
		if l.Features[i].ID == id {
			return i
		}
	}
	return -1
}

// Next is the first pending feature whose dependencies all pass.
func (l List) Next() (Feature, bool) {
	passed := make(map[string]bool, len(l.Features))
	for _, f := range l.Features {
		passed[f.ID] = f.State == Passed
	}
	for _, f := range l.Features {
		if f.State == Pending && allIn(f.Dependencies, passed) {
			return f, true
		}
	}
	return Feature{}, false
}

func allIn(ids []string, in map[string]bool) bool {
	for _, id := range ids {
		if !in[id] {
			return false
		}
	}
	return true
}

// Pass says that a pending feature passes, by whose judgement and in which
// commit. Anything else stays as it is, and so does a feature this task has
// judged already: a task judges once, however often that is told.
func (l List) Pass(id, task, commit string) List {
	return l.applyJudgement(id, task, func(f *Feature) {
		f.State, f.Passes, f.Reason, f.Cause, f.Commit = Passed, true, "", "", commit
		f.Order = l.highestOrder() + 1
		f.Returned, f.Faults = 0, ""
	})
}

// highestOrder is the highest order of a feature that passes.
func (l List) highestOrder() int {
	most := 0
	for _, f := range l.Features {
		most = max(most, f.Order)
	}
	return most
}

// Fail counts a failed attempt at a pending feature, as [List.Pass] counts one
// that succeeded. With the last attempt the feature has failed for good, and
// what depends on it, in steps too, is blocked.
func (l List) Fail(id, task, reason string) List { return l.FailWithCause("", id, task, reason) }

// FailWithCause is [List.Fail] where the fault was not the feature's.
func (l List) FailWithCause(cause Cause, id, task, reason string) List {
	if cause != Environment {
		cause = ""
	}
	return l.applyJudgement(id, task, func(f *Feature) {
		f.Attempts++
		f.Reason, f.Cause = plainLine(reason, maxReasonRunes), cause
		f.Returned, f.Faults = 0, ""
		f.Tried = append(f.Tried[:len(f.Tried):len(f.Tried)], Attempt{Reason: f.Reason})
		if f.Attempts >= Attempts {
			f.State = Failed
		}
	}).updateBlocked()
}

// SendBack says that the note about a pending feature could not be read, and why.
// It is no attempt.
func (l List) SendBack(id, task, faults string) List {
	return l.applyJudgement(id, task, func(f *Feature) {
		f.Returned++
		f.Faults = plainLine(faults, maxReasonRunes)
	})
}

// SetAside notes where what the last attempt at a feature left is kept.
func (l List) SetAside(id, ref string, files []string) List {
	i := l.index(id)
	if i < 0 || len(l.Features[i].Tried) == 0 {
		return l
	}
	l = l.copy()
	tried := append([]Attempt{}, l.Features[i].Tried...)
	last := &tried[len(tried)-1]
	last.Ref, last.Files = plainLine(ref, maxNameRunes), nil
	for _, f := range files[:min(len(files), maxFiles)] {
		last.Files = append(last.Files, plainLine(f, maxNameRunes))
	}
	l.Features[i].Tried = tried
	return l
}

// RecordCheck notes how it was shown that a feature passes, and who looked at it.
func (l List) RecordCheck(id, shown, checked string) List {
	i := l.index(id)
	if i < 0 {
		return l
	}
	l = l.copy()
	l.Features[i].Shown, l.Features[i].Checked = plainLine(shown, maxReasonRunes), plainLine(checked, maxReasonRunes)
	return l
}

func (l List) applyJudgement(id, task string, how func(*Feature)) List {
	i := l.index(id)
	if i < 0 || l.Features[i].State != Pending || task != "" && l.Features[i].Judged == task {
		return l
	}
	l = l.copy()
	l.Features[i].Judged = task
	how(&l.Features[i])
	return l
}

func (l List) copy() List {
	l.Features = append([]Feature{}, l.Features...)
	return l
}

// updateBlocked blocks what depends on a failed feature and frees what does not any
// longer. A feature that passes stands, whatever became of its dependencies.
func (l List) updateBlocked() List {
	l = l.copy()
	var failed []int
	dependents := map[string][]int{}
	for i := range l.Features {
		f := &l.Features[i]
		if f.State == Blocked {
			f.State, f.Reason = Pending, ""
		}
		if f.State == Failed {
			failed = append(failed, i)
		}
		for _, d := range f.Dependencies {
			dependents[d] = append(dependents[d], i)
		}
	}
	for _, i := range failed {
		l.block(i, dependents)
	}
	return l
}

// block blocks what waits for the feature at root.
func (l List) block(root int, dependents map[string][]int) {
	for open := []int{root}; len(open) > 0; open = open[1:] {
		for _, i := range dependents[l.Features[open[0]].ID] {
			f := &l.Features[i]
			if f.State != Pending {
				continue
			}
			f.State, f.Reason = Blocked, l.Features[root].ID+" failed"
			open = append(open, i)
		}
	}
}

// Settled reports whether nothing is pending.
func (l List) Settled() bool {
	for _, f := range l.Features {
		if f.State == Pending {
			return false
		}
	}
	return true
}

// Counts counts the features by their states.
func (l List) Counts() Counts {
	c := Counts{Total: len(l.Features)}
	for _, f := range l.Features {
		switch f.State {
		case Passed:
			c.Complete++
		case Failed:
			c.Failed++
		case Blocked:
			c.Blocked++
		case Pending:
		}
	}
	return c
}

// Last is the id of the feature that passed last, "" for none.
func (l List) Last() string {
	var last Feature
	for _, f := range l.Features {
		if f.State == Passed && f.Order >= last.Order {
			last = f
		}
	}
	return last.ID
}
