package reviewwork

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/trial"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/project/confine"
	"github.com/research-council/research-council/internal/project/shell"
	"github.com/research-council/research-council/internal/project/survey"
)

// A second look may have commands run on a copy of the code: at its desk, in a
// box, and where there is no box not at all.

// NoTesting says why the second look of a review can run no tests here; "" where
// it can. Nothing of the code is looked at.
func NoTesting(ctx context.Context, setup flow.Setup) string {
	if !codereview.Of(setup.Own).Testing {
		return "that was not wanted"
	}
	if !slices.ContainsFunc(setup.Seats, func(s flow.Seat) bool { return kinds.Of(s.Kind).Runs() }) {
		return "no seat can be given a tool for it"
	}
	if _, err := confine.Find(ctx); err != nil {
		return err.Error()
	}
	return ""
}

// testing decides whether the second look may run tests, by making a box.
func (s *tester) testing(checks map[string][]string) (bool, string) {
	if why := NoTesting(s.Life, s.Setup); why != "" {
		return false, why
	}
	for seat := range checks {
		if !s.MayRun(seat) {
			continue
		}
		o, err := s.trialShell()
		if err != nil {
			return false, err.Error()
		}
		defer func() { _ = shell.Remove(filepath.Dir(o.Project)) }() // an empty folder of caches
		box, err := shell.Open(s.Life, o)
		if err != nil {
			return false, err.Error()
		}
		defer func() { _ = box.Close() }() // its way out, which leads nowhere
		if why := box.CheckConfined(); why != nil {
			return false, why.Error()
		}
		return true, ""
	}
	return false, "no seat that takes the second look can be given a tool for it"
}

// trialShell is a shell in a new place of its own, without any network.
func (s *tester) trialShell() (shell.Options, error) {
	place, err := s.NewBoxPlace(trialPlaces)
	if err != nil {
		return shell.Options{}, err
	}
	o := shell.Options{
		Project: filepath.Join(place, "code"), Own: filepath.Join(place, "box"), Packages: &confine.Packages{GoProxy: "off"},
		Environ: s.Environ, Council: s.Council, Hook: s.Hook, Mark: s.BoxMark(),
	}
	return o, os.Mkdir(o.Project, 0o700)
}

// trialPlaces is what the places of copies are for.
const trialPlaces = "trials"

// trialShellFile says, in the run's folder, how a seat's trials are run.
func trialShellFile(seat string) string { return "trials-" + seat + ".json" }

// trialDesk is the argument vector of the desk of a second look; nil where it
// has none.
func (s *tester) trialDesk(t flow.Task) []string {
	if may, _ := codereview.Testing(s.Now); !may || t.Role != agent.Spotcheck || !s.MayRun(t.Seat) {
		return nil
	}
	return []string{s.Council, "desk", "--run", s.Folder.Path, "--seat", t.Seat, "--dir", s.Folder.Join(s.TaskFolder(t)), "--shell", s.Folder.Join(trialShellFile(t.Seat)), "--code", s.codeRoot()}
}

// lendTrials lets a second look try out what it was asked about.
func (s *tester) lendTrials(seat string) error {
	found, err := s.loadSurvey()
	if err != nil {
		return err
	}
	s.dropTrials(seat)
	o, err := s.trialShell()
	if err != nil {
		return err
	}
	files := slices.DeleteFunc(slices.Clone(found.AllFiles()), func(f survey.File) bool {
		return slices.Contains([]string{survey.SkipLink, survey.SkipModule, survey.SkipName, survey.SkipUnread, survey.SkipOwn}, f.Skip)
	})
	lent := o.Save(func(data []byte) error { return s.Folder.Write(trialShellFile(seat), data) })
	return errors.Join(lent, s.Folder.Write(trial.CopyList, survey.FileList(files)))
}

// dropTrials takes the place of a seat's copies away, where there is one.
func (s *tester) dropTrials(seat string) { s.DropBoxPlace(trialPlaces, trialShellFile(seat)) }

// trials are what the program has run for those who looked once more.
func (s *tester) trials(r flow.Run) []trial.Record {
	var all []trial.Record
	for _, t := range r.LastTasks(agent.Spotcheck) {
		data, err := s.Folder.Read(trial.RecordsFile(t.Seat))
		if err != nil {
			continue // it has run none
		}
		for _, one := range trial.Decode(bytes.NewReader(data)) {
			if one.Seat = t.Seat; slices.Contains(s.spotcheckAssignments()[t.Seat], one.Finding) {
				all = append(all, one)
			}
		}
	}
	return all
}

// trialHash is the hash of what was run for a second look, by the file's name.
func (s *tester) trialHash(t flow.Task) map[string]string {
	if t.Role != agent.Spotcheck {
		return nil
	}
	name := trial.RecordsFile(t.Seat)
	data, err := s.Folder.Read(name)
	if err != nil {
		return nil // it has run none
	}
	return map[string]string{name: workspace.Sum(data)}
}

// tested enters into a tally whether the second look may run tests.
func (s *tester) tested(tally codereview.Tally, checks map[string][]string) codereview.Tally {
	if len(checks) > 0 {
		tally.Testing, tally.NoTesting = s.testing(checks)
	}
	return tally
}
