package runs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

func checkRunID(project, id string, ids []string) error {
	switch {
	case !workspace.ValidID(id):
		return usage.Errorf("%q is no run id (they look like 20260222-143000-a1b2c3); `council list` shows them", id)
	case !slices.Contains(ids, id):
		return fmt.Errorf("there is no run %s in %s; `council list` shows them, --project names another folder", id, project)
	}
	return nil
}

// Pick is the run a word means: a run's id, or the name of a campaign.
func Pick(project, word string) (id string, err error) {
	ids, err := workspace.List(project)
	if err != nil {
		return "", err
	}
	if !workspace.ValidID(word) {
		if r, err := steering.Pick(project, word); err == nil && word != "" {
			return r.Setup.ID, nil
		}
	}
	return word, checkRunID(project, word, ids)
}

// Newest is the newest of the runs under way, or else the newest of all.
func Newest(project string) (id string, err error) {
	ids, err := workspace.List(project)
	if err != nil {
		return "", err
	}
	if len(ids) == 0 {
		return "", fmt.Errorf("there are no runs in %s; begin one with `council run`, or name the folder with --project", project)
	}
	if live := Running(project, ids); len(live) > 0 {
		return live[len(live)-1], nil
	}
	return ids[len(ids)-1], nil
}

// WholeID is the id of the one run of a project that begins with a word; the word
// itself where there is none.
func WholeID(project, word string) (string, error) {
	if word == "" || workspace.ValidID(word) {
		return word, nil
	}
	all, err := workspace.List(project)
	if err != nil {
		return "", err
	}
	fit := slices.DeleteFunc(all, func(id string) bool { return !strings.HasPrefix(id, word) })
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return "", usage.Errorf("%q may be any of %s; say more of it", word, strings.Join(fit, ", "))
	}
	return word, nil
}
