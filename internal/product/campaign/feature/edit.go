package feature

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// Edit is a change of the list from outside of the work on it: a person's, or
// the program's own on their word.
type Edit struct {
	By   string   `json:"by"`             // who: [Person] or [Resumed]
	Says []string `json:"says"`           // what it changes, each a line
	Anew []string `json:"anew,omitempty"` // features whose attempts begin anew
	List List     `json:"list"`           // as it is from then on
}

// Who makes an edit.
const (
	Person  = "person"
	Resumed = "resume" // the program, where a person has mended what was around the project
)

// Retry gives failed features fresh attempts, all of them where none is named,
// and frees what they have blocked. What cannot be tried again is refused, and
// with it the whole.
func (l List) Retry(ids ...string) (Edit, error) {
	if len(ids) == 0 {
		ids = l.idsWhere(func(f Feature) bool { return f.State == Failed })
	}
	if len(ids) == 0 {
		return Edit{}, errors.New("no feature has failed: there is nothing to be tried again")
	}
	for _, id := range ids {
		if err := l.retriable(id); err != nil {
			return Edit{}, err
		}
	}
	return l.retryEdit(Person, ids), nil
}

func (l List) retriable(id string) error {
	f, ok := l.Find(id)
	switch {
	case !ok:
		return fmt.Errorf("there is no feature %s; there are %s", quoted(id), firstFew(l.idsWhere(func(Feature) bool { return true })))
	case f.State == Passed:
		return fmt.Errorf("%s passes; to have it built anew set passes to false in the feature list", id)
	case f.State == Blocked:
		return fmt.Errorf("%s was never tried: %s; retry that one", id, f.Reason)
	case f.State == Pending:
		return fmt.Errorf("%s has not failed for good: it has its turn", id)
	}
	return nil
}

// RetryMended gives fresh attempts to what failed for reasons of the environment;
// false where nothing did.
func (l List) RetryMended() (Edit, bool) {
	ids := l.idsWhere(func(f Feature) bool { return f.State == Failed && f.Cause == Environment })
	return l.retryEdit(Resumed, ids), len(ids) > 0
}

func (l List) idsWhere(what func(Feature) bool) []string {
	var ids []string
	for _, f := range l.Features {
		if what(f) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// retryEdit is the edit that lets features be tried again.
func (l List) retryEdit(by string, ids []string) Edit {
	e := Edit{By: by, List: l.copy()}
	for _, id := range unique(ids) {
		e.reopen(id, id+" is tried again")
	}
	return e.finish()
}

// reopen gives a feature fresh attempts. Why it failed last is kept for whoever
// tries it next.
func (e *Edit) reopen(id, says string) {
	f := &e.List.Features[e.List.index(id)]
	f.State, f.Passes, f.Attempts, f.Commit, f.Order, f.Cause = Pending, false, 0, "", 0, ""
	e.Anew, e.Says = append(e.Anew, id), append(e.Says, says)
}

// finish is the edit once it is whole.
func (e Edit) finish() Edit {
	e.List = e.List.updateBlocked()
	e.List.Edits++
	return e
}

// editedFeature is a feature as a person has left it in the file. What is not there
// they have not changed.
type editedFeature struct {
	ID, Name, Description, Component string
	Dependencies                     []string
	Passes                           *bool
	Attempts                         *int
	State                            *State
}

// ApplyFile takes over what a person has changed in the list as it was published:
// they may reopen, drop, add, reorder and reword features, and name another
// test command. That a feature passes they cannot say, for only tests do. An
// edit with a fault is refused as a whole, with all its faults; one that
// changes nothing has nothing in Says.
func (l List) ApplyFile(published List, data []byte) (Edit, error) {
	var file struct {
		Test     *string `json:"test_command"`
		Features *[]editedFeature
	}
	if err := decode(data, &file); err != nil {
		return Edit{}, err
	}
	if file.Features == nil {
		return Edit{}, errors.New(`no feature list: there is no "features"`)
	}
	e := Edit{By: Person, List: List{Stack: l.Stack, Test: l.Test, Edits: l.Edits}}
	if file.Test != nil && *file.Test != published.Test {
		e.List.Test = strings.TrimSpace(*file.Test)
		e.Says = append(e.Says, "the test command is "+quoted(e.List.Test))
	}
	var faults []string
	for _, t := range *file.Features {
		was, known := published.Find(t.ID)
		own, there := l.Find(t.ID)
		if why := t.editFault(was, known); why != "" {
			faults = append(faults, why)
		}
		if !known || !there {
			own = Feature{ID: t.ID, State: Pending}
			e.Says = append(e.Says, t.ID+" is added")
		}
		e.addEdited(t, was, own, known && there)
	}
	for _, f := range l.Features {
		if e.List.index(f.ID) < 0 {
			e.Says = append(e.Says, f.ID+" is dropped")
		}
	}
	if order := e.List.reordered(published); order != nil {
		e.Says = append(e.Says, "the order is "+path(order))
	}
	if err := e.List.check(); err != nil {
		faults = append(faults, err.Error())
	}
	if len(faults) > 0 {
		return Edit{}, errors.New(strings.Join(faults, "; "))
	}
	return e.finish(), nil
}

// editFault says what a person cannot have meant, or may not say, of a feature.
func (t editedFeature) editFault(was Feature, known bool) string {
	if !known {
		was = Feature{State: Pending}
	}
	switch {
	case t.Passes != nil && *t.Passes && !was.Passes:
		return fmt.Sprintf("%s: passes is true, and only tests make it so; a person may set it to false", quoted(t.ID))
	case t.State != nil && *t.State != was.State && *t.State != Pending:
		return fmt.Sprintf("%s: state is %s where the program has %s; a person may set it to %s alone", quoted(t.ID), quoted(string(*t.State)), was.State, Pending)
	case t.State != nil && *t.State == Pending && was.State == Blocked:
		return fmt.Sprintf("%s: it is blocked (%s); reopen what blocks it", quoted(t.ID), was.Reason)
	case t.Attempts != nil && *t.Attempts != was.Attempts && *t.Attempts != 0:
		return fmt.Sprintf("%s: attempts is %d where the program has %d; a person may set it to 0 alone", quoted(t.ID), *t.Attempts, was.Attempts)
	}
	return ""
}

// addEdited puts a feature as a person has left it at the end of the list.
func (e *Edit) addEdited(t editedFeature, was, own Feature, known bool) {
	f := own
	f.Name, f.Component = plainLine(t.Name, maxNameRunes), plainLine(t.Component, maxNameRunes)
	f.Description, f.Dependencies = plain.Trimmed(t.Description), unique(t.Dependencies)
	e.List.Features = append(e.List.Features, f)
	if !known {
		return
	}
	reworded := f.Name != was.Name || f.Description != was.Description || f.Component != was.Component
	switch {
	case t.wantsReopen(was):
		e.reopen(f.ID, f.ID+" is reopened")
	case reworded && own.State == Failed: // what failed is not what it asks for now
		e.reopen(f.ID, f.ID+" is tried again in its new words")
	case reworded && own.State == Passed:
		e.Says = append(e.Says, f.ID+" still passes; set passes to false to have it built in its new words")
	}
	if reworded {
		e.Says = append(e.Says, f.ID+" is reworded")
	}
	if !slices.Equal(f.Dependencies, unique(was.Dependencies)) {
		e.Says = append(e.Says, f.ID+" depends on "+dependsText(f.Dependencies)+" now")
	}
}

// wantsReopen reports whether a person wants a settled feature to be tried again.
func (t editedFeature) wantsReopen(was Feature) bool {
	switch was.State {
	case Passed:
		return t.Passes != nil && !*t.Passes || t.State != nil && *t.State == Pending
	case Failed:
		return t.State != nil && *t.State == Pending || t.Attempts != nil && *t.Attempts < was.Attempts
	case Pending:
		return t.Attempts != nil && *t.Attempts < was.Attempts
	case Blocked:
	}
	return false
}

func dependsText(ids []string) string {
	if len(ids) == 0 {
		return "nothing"
	}
	return firstFew(ids)
}

// reordered is the new order of the ids where those of before have another; nil
// where they have not.
func (l List) reordered(before List) []string {
	common := func(a, b List) []string {
		return a.idsWhere(func(f Feature) bool { return b.index(f.ID) >= 0 })
	}
	now := common(l, before)
	if slices.Equal(now, common(before, l)) {
		return nil
	}
	return now
}
