package supervisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/project/shell"
)

// NewBoxPlace makes a folder of this run's, outside of the project, in which
// commands of a seat are run. All of one purpose lie side by side.
func (s *Run) NewBoxPlace(purpose string) (string, error) {
	if shell.Caches(s.Environ) == "" {
		return "", errors.New("the environment names no HOME")
	}
	above := s.boxPlaces(purpose)
	if err := os.MkdirAll(above, 0o700); err != nil {
		return "", fmt.Errorf("make a place for commands: %w", err)
	}
	place, err := os.MkdirTemp(above, s.ID+"-")
	if err != nil {
		return "", fmt.Errorf("make a place for commands: %w", err)
	}
	return place, nil
}

func (s *Run) boxPlaces(purpose string) string {
	return filepath.Join(shell.Caches(s.Environ), purpose)
}

// BoxPlace is the place that a file in the run's folder says a box lies in; "" where
// there is none, or it is not this run's.
func (s *Run) BoxPlace(purpose, file string) string {
	o, err := shell.LoadOptions(s.Folder.Join(file), nil)
	place := filepath.Dir(o.Own)
	if err != nil || filepath.Dir(place) != s.boxPlaces(purpose) || !strings.HasPrefix(filepath.Base(place), s.ID+"-") {
		return "" // there was none, or somebody else has written the file
	}
	if info, err := os.Lstat(place); err != nil || !info.IsDir() {
		return ""
	}
	return place
}

// DropBoxPlace takes that place away, where there is one.
func (s *Run) DropBoxPlace(purpose, file string) {
	place := s.BoxPlace(purpose, file)
	if place == "" {
		return
	}
	if err := shell.Remove(place); err != nil {
		s.Log(fmt.Sprintf("%s could not be removed: %v", place, err))
	}
}

// BoxMark is what processes in a box of this run are known by.
func (s *Run) BoxMark() string { return ProcessMark(s.ID) + "box" }
