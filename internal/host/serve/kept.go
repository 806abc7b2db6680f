package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// WithoutJournal is said of a run that is shown from its report and registry alone.
const WithoutJournal = "This is shown from a report and its registry: there is no journal beside them, so how they came about cannot be looked at, nor can anything be done to the run."

// mostKept bounds what is taken of a folder, in bytes.
const mostKept = 1 << 30

// Keep lays a folder that has a report and its registry down as a run of a project of its
// own, below a folder for temporary files, so that it is shown as any other: a copy, for
// nothing is written into what somebody keeps. It gives the project and how the run stands.
func Keep(dir, temp string) (project string, s status.Status, err error) {
	report, err := os.Lstat(filepath.Join(dir, flow.FinalReport))
	if err != nil || !report.Mode().IsRegular() {
		return "", s, usage.Errorf("%q has no %s; name the folder of a report, or nothing to see the runs of the project", dir, flow.FinalReport)
	}
	if _, err := os.Lstat(filepath.Join(dir, journal.Name)); !errors.Is(err, fs.ErrNotExist) {
		return "", s, usage.Errorf("%q is the folder of a run with its journal; `council serve` in its project shows it", dir)
	}
	s = keptStatus(dir, report.ModTime())
	project = filepath.Join(temp, filepath.Base(dir))
	to := filepath.Join(project, workspace.Runs, s.ID)
	if err := copyTree(dir, to); err != nil {
		return "", s, err
	}
	s.Folder, s.Report, s.Reason = to, filepath.Join(to, flow.FinalReport), WithoutJournal
	data, err := json.Marshal(s)
	if err != nil {
		return "", s, err
	}
	return project, s, os.WriteFile(filepath.Join(to, workspace.Status), data, 0o600)
}

// keptStatus is how a run stands by its status.json, and without one by its report: ended,
// when the report was written.
func keptStatus(dir string, written time.Time) status.Status {
	data, err := os.ReadFile(filepath.Join(dir, workspace.Status))
	if err == nil {
		if s, err := status.Parse(data); err == nil && workspace.ValidID(s.ID) && !s.IsOpen() {
			return s
		}
	}
	s := status.Status{ID: filepath.Base(dir), Workflow: "council", Status: string(flow.Completed), Began: written, At: written}
	if !workspace.ValidID(s.ID) {
		s.ID = written.UTC().Format("20060102-150405") + "-000000"
	}
	if text, err := os.ReadFile(filepath.Join(dir, flow.FinalReport)); err == nil {
		head, _, _ := strings.Cut(string(text), "\n")
		s.Topic = line(cmp.Or(strings.TrimSpace(strings.TrimLeft(head, "# ")), filepath.Base(dir)), 300)
	}
	return s
}

// copyTree copies the files of a folder; links and what else is no file stay behind.
func copyTree(from, to string) error {
	root, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(mostKept)
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		source, err := root.Open(name)
		if err != nil {
			return err
		}
		defer source.Close()
		made, err := os.OpenFile(filepath.Join(to, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		n, err := io.Copy(made, io.LimitReader(source, left+1))
		if left -= n; left < 0 {
			err = usage.Errorf("%q holds more than %d MiB, which is no folder of a report", from, mostKept>>20)
		}
		return errors.Join(err, made.Close())
	})
}
