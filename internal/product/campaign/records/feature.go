package records

import (
	"path/filepath"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// Outcome records what a coder says of its feature, and gives it as it was kept.
func (s *Store) Outcome(said campaign.CoderNote) (campaign.CoderNote, error) {
	if err := s.requireOpenIteration(); err != nil {
		return said, err
	}
	if s.turn.Role != agent.Code {
		return said, usage.Errorf("no feature is being built: this is no iteration of code")
	}
	list, id, err := s.features()
	if err != nil {
		return said, err
	}
	if err := checkFeature(list, id, said.ID); err != nil {
		return said, err
	}
	for _, names := range []*[]string{&said.Files, &said.Tests} {
		if *names, err = s.projectPaths(*names); err != nil {
			return said, err
		}
	}
	if said.Cause != "" && said.Cause != campaign.Environment {
		return said, usage.Errorf("--cause %.40q: there is %s alone", said.Cause, campaign.Environment)
	}
	data := jsonLine(said)
	if _, err := campaign.DecodeCoderNote(data); err != nil {
		return said, usage.Of(err)
	}
	return said, s.write(campaign.CoderNoteFile, data)
}

// checkFeature refuses a feature that is not the one being built.
func checkFeature(list feature.List, id, named string) error {
	_, known := list.Find(named)
	switch {
	case !known:
		return usage.Errorf("there is no feature %.40q; this iteration builds %s", named, id)
	case id == "":
		return usage.Errorf("no feature is left to build")
	case named != id:
		return usage.Errorf("%s is not the feature of this iteration, which is %s", named, id)
	}
	return nil
}

// projectPaths gives names of files from the project's top.
func (s *Store) projectPaths(names []string) ([]string, error) {
	var list []string
	for _, name := range names {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(s.caller.Dir, full)
		}
		rel, err := filepath.Rel(s.project, full)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
			if !filepath.IsLocal(name) {
				return nil, usage.Errorf("%.200q lies outside the project", name)
			}
			rel = name // from the project's top, called elsewhere
		}
		list = append(list, filepath.ToSlash(rel))
	}
	return list, nil
}
