package runs

import (
	"encoding/json"
	"fmt"

	"research-council/internal/engine/workspace"
	"research-council/internal/evidence/archive"
	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/score"
	"research-council/internal/output/export"
	"research-council/internal/product/council/councilwork"
	"research-council/internal/product/recipe"
)

// Registry reads a run's registry.
func Registry(project, id string) (claim.Registry, error) {
	f, err := workspace.Open(project, id)
	if err != nil {
		return claim.Registry{}, err
	}
	defer f.Close()
	if !f.Has(claim.RegistryFile) {
		return claim.Registry{}, fmt.Errorf("run %s has no registry yet", id)
	}
	return f.Registry()
}

// Score reads a run's score; nil when there is none.
func Score(f *workspace.Folder) (*score.Result, error) {
	if !f.Filled(recipe.ScoreFile) {
		return nil, nil
	}
	data, err := f.Read(recipe.ScoreFile)
	if err != nil {
		return nil, fmt.Errorf("read score: %w", err)
	}
	var r score.Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read score: %w", err)
	}
	return &r, nil
}

// Archive opens a run's archive to be read; nil when there is none.
func Archive(f *workspace.Folder) (*archive.Archive, error) {
	if !f.Has(recipe.SourcesDir) {
		return nil, nil
	}
	return archive.Open(f.Join(recipe.SourcesDir), archive.Options{})
}

// Sources says what an archive, which may be nil, knows of its sources.
func Sources(a *archive.Archive) map[string]export.Source {
	if a == nil {
		return nil
	}
	return councilwork.Sources(a)
}
