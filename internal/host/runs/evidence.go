package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/council/councilwork"
)

// Registry reads a run's registry.
func Registry(project, id string) (claim.Registry, error) {
	f, err := workspace.Open(project, id)
	if err != nil {
		return claim.Registry{}, err
	}
	defer f.Close()
	if !f.Has(claim.RegistryFile) {
		s, err := Status(project, id)
		if err != nil {
			return claim.Registry{}, err
		}
		if codereview.StatusOf(s) != nil {
			return claim.Registry{}, fmt.Errorf("run %s is a review of code, which has findings and no claims", id)
		}
		return claim.Registry{}, fmt.Errorf("run %s has no registry yet: %s", id, WithoutRegistry(s))
	}
	return f.Registry()
}

// WithoutRegistry says of a run that has no registry how many of its claims are
// located, and when they can be listed.
func WithoutRegistry(s status.Status) string {
	located := plural.Of(s.Recorded().Located, "claim") + " located so far"
	if !s.IsOpen() {
		return located + ", and it ended before the researchers were compared"
	}
	return located + "; they are listed once the researchers have been compared"
}

// Score reads a run's score; nil when there is none.
func Score(f *workspace.Folder) (*score.Result, error) {
	if !f.Filled(council.ScoreFile) {
		return nil, nil
	}
	data, err := f.Read(council.ScoreFile)
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
	if !f.Has(council.SourcesDir) {
		return nil, nil
	}
	return archive.Open(f.Join(council.SourcesDir), archive.Options{})
}

// Sources says what an archive, which may be nil, knows of its sources.
func Sources(a *archive.Archive) map[string]export.Source {
	if a == nil {
		return nil
	}
	return councilwork.Sources(a)
}

// ScoreInput is what a run's score.json says of the run whose registry this
// is; nothing where the file is no run's registry.
func ScoreInput(path string) (score.Input, error) {
	if filepath.Base(path) != claim.RegistryFile {
		return score.Input{}, nil
	}
	path = filepath.Join(filepath.Dir(path), council.ScoreFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return score.Input{}, nil
	}
	if err != nil {
		return score.Input{}, fmt.Errorf("read what the score rests on: %w", err)
	}
	var r score.Result
	if err := json.Unmarshal(data, &r); err != nil {
		return score.Input{}, fmt.Errorf("read what the score rests on: %s: %w", path, err)
	}
	return r.Input, nil
}
