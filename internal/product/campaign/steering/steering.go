// Package steering is a campaign as people and sessions deal with it from
// outside: which of a project's campaigns is meant, what a person says to it,
// whether it can go on, and the words that tell them where it stands. What is
// said is laid down for whoever works on the campaign; nothing here does.
package steering

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// underWay are the campaigns of a project that have not ended, the oldest
// first.
func underWay(project string) ([]flow.Run, error) {
	return Find(project, func(r flow.Run) bool { return r.Status == "" })
}

// Find finds the campaigns of a project that are wanted, the oldest first. A run
// that cannot be read is none.
func Find(project string, wanted func(flow.Run) bool) ([]flow.Run, error) {
	ids, err := workspace.List(project)
	if err != nil {
		return nil, err
	}
	var list []flow.Run
	for _, id := range ids {
		if r, err := supervisor.Read(project, id); err == nil && campaign.Of(r.Setup.Own) != nil && wanted(r) {
			list = append(list, r)
		}
	}
	return list, nil
}

// Pick is the campaign a word means, its name or its run's id, or the
// only open one.
func Pick(project, word string) (flow.Run, error) {
	if word == "" {
		open, err := underWay(project)
		if err != nil {
			return flow.Run{}, err
		}
		if len(open) == 1 {
			return open[0], nil
		}
		if len(open) == 0 {
			return flow.Run{}, errors.New("no campaign is under way here; `council campaign list` shows what there is")
		}
		var names []string
		for _, r := range open {
			names = append(names, campaign.Of(r.Setup.Own).Slug)
		}
		return flow.Run{}, usage.Errorf("%d campaigns are under way: %s; name one", len(names), strings.Join(names, ", "))
	}
	slug, err := campaign.Slug(word)
	if err != nil {
		slug = word
	}
	if workspace.ValidID(word) {
		if _, err := supervisor.Facts(project, word); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return flow.Run{}, err
		}
	}
	list, err := Find(project, func(r flow.Run) bool { return r.Setup.ID == word || campaign.Of(r.Setup.Own).Slug == slug })
	if err != nil {
		return flow.Run{}, err
	}
	if len(list) == 0 {
		return flow.Run{}, fmt.Errorf("no campaign is called %q; `council campaign list` shows what there is", word)
	}
	return list[len(list)-1], nil // the newest of a name
}

// ReadState reads the state file of a campaign.
func ReadState(project, slug string) (campaign.State, error) {
	data, err := os.ReadFile(filepath.Join(project, filepath.FromSlash(campaign.FolderPrefix+slug), slug+"-state.md"))
	if err != nil {
		return campaign.State{}, err
	}
	return campaign.Decode(data)
}

// Features is the feature list of a campaign, as it lies in the folder that
// people read. Where there is none the error is an fs.ErrNotExist.
func Features(s flow.Setup) (feature.List, error) {
	name := path.Join(campaign.Of(s.Own).Folder(), campaign.Features)
	data, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(name)))
	if err != nil {
		return feature.List{}, fmt.Errorf("read %s: %w", name, usage.Cause(err))
	}
	list, err := feature.Parse(data)
	if err != nil {
		return feature.List{}, fmt.Errorf("read %s: %w", name, err)
	}
	return list, nil
}
