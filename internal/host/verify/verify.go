// Package verify checks a finished run again, from what it left on disk alone.
//
// The chain is followed link by link: the journal's own, then each published
// file against the hash the journal has of it, then every claim to its
// quotation, to the passage, to the archived text and bytes, and at last the
// score to the registry it was measured from. No network is asked, and nothing
// is believed because it was so when the run ended.
package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/experiment"
	"github.com/research-council/research-council/internal/evidence/quote"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/staged"
)

// Problem is a link that does not hold.
type Problem struct {
	Place string `json:"place"` // a file, with its line where there is one, or a claim's id
	Line  int    `json:"line,omitempty"`
	What  string `json:"what"`
}

// Result is what a run proved to be.
type Result struct {
	Run        string    `json:"run,omitempty"`
	OK         bool      `json:"ok"`
	Facts      int       `json:"facts"`      // of the journal that can be trusted
	Files      int       `json:"files"`      // published files that are as the journal has them
	Sources    int       `json:"sources"`    // archived
	Claims     int       `json:"claims"`     // of the registry
	Located    int       `json:"located"`    // claims whose quotation is said to stand in its source
	Quotations int       `json:"quotations"` // found again where they are said to stand
	Problems   []Problem `json:"problems"`

	Experiments int     `json:"experiments,omitempty"` // archived, each as its record has it
	Again       []Again `json:"again,omitempty"`       // those that were made once more, for who asks for it
}

// Run checks the run in a folder. The error says that it could not be read at
// all; whatever does not hold is a problem of the result.
func Run(dir string) (Result, error) {
	c := checker{dir: dir, texts: map[string]*quote.Text{}}
	if err := c.checkJournal(); err != nil {
		return Result{}, err
	}
	c.checkFiles()
	reg, ok := c.readRegistry()
	if ok {
		c.checkArchive()
		for _, e := range reg.Entries {
			c.checkEntry(e)
		}
		c.checkScore(reg)
	}
	c.OK = len(c.Problems) == 0
	return c.Result, nil
}

type checker struct {
	Result
	dir       string
	published map[string]string // SHA-256 of each published file, by name
	pending   map[string]string // the same of what is published once its stage is judged
	archive   *archive.Archive
	plain     map[string]string
	texts     map[string]*quote.Text // by hash

	confirmed bool   // a person has confirmed the brief
	ending    string // what the report has to say of how the run ended, where the journal has no hash of it
}

func (c *checker) addProblem(place, format string, args ...any) {
	c.Problems = append(c.Problems, Problem{Place: place, What: fmt.Sprintf(format, args...)})
}

// checkJournal follows the journal as far as it holds, and notes what it promises of
// files.
func (c *checker) checkJournal() error {
	j, err := Journal(c.dir)
	if err != nil {
		return err
	}
	c.Problems = append(c.Problems, j.Problems...)
	c.published, c.pending = map[string]string{}, map[string]string{}
	w := product.WorkflowOf(j.Run.Setup)
	var r flow.Run
	for _, e := range j.Facts {
		r = flow.Evolve(r, e)
		c.notePublished(w, r, e)
	}
	c.Facts, c.Run, c.confirmed = len(j.Facts), r.Setup.ID, staged.Confirmed(r)
	return nil
}

// notePublished takes in what a fact says of published files.
func (c *checker) notePublished(w flow.Workflow, r flow.Run, e flow.Event) {
	t, ok := r.Task(e.Task)
	switch {
	case e.Kind == flow.TurnEnded && e.Result != nil:
		maps.Copy(c.published, e.Result.Files)
	case e.Kind == flow.TaskEnded && ok && t.Outcome.Good() && len(t.Loop.Artefact.SHA256) == sha256.Size*2:
		c.noteArtefact(w, t)
	case e.Kind == flow.StageJudged:
		maps.Copy(c.published, c.pending)
		clear(c.pending)
	case e.Kind == flow.RunReopened:
		c.ending = ""
	case e.Kind == flow.RunEnded && w.Rewrites != nil:
		c.noteRewritten(w, e.Status)
	}
}

// noteArtefact takes in what a task has left. It is put into the run's folder when its
// stage is judged, which never comes where the run is cancelled before.
func (c *checker) noteArtefact(w flow.Workflow, t flow.TaskState) {
	if file, kept := w.KeptFile(t.Task); kept {
		c.published[path.Join(workspace.Seats, file)] = t.Loop.Artefact.SHA256
		return
	}
	c.pending[t.Writes] = t.Loop.Artefact.SHA256
}

// noteRewritten takes in that the report was written once more as the run ended.
func (c *checker) noteRewritten(w flow.Workflow, how flow.Status) {
	again, says := w.Rewrites(how)
	if again {
		delete(c.published, flow.FinalReport)
	}
	if again && says {
		c.ending = report.Unfinished(string(how))
	}
}

// matchesConfirmed reports whether a file is what the journal has of it but for the mark
// that the program sets when a person has confirmed a brief.
func (c *checker) matchesConfirmed(name string, data []byte) bool {
	if name != staged.BriefFile || !c.confirmed {
		return false
	}
	marked, err := staged.ConfirmBrief(data)
	if err != nil || !bytes.Equal(marked, data) {
		return false
	}
	clean, err := staged.CleanBrief(data)
	return err == nil && digest(clean) == c.published[name]
}

// checkFiles holds each published file against the journal's last word on it.
func (c *checker) checkFiles() {
	for _, name := range slices.Sorted(maps.Keys(c.published)) {
		data, err := os.ReadFile(filepath.Join(c.dir, name))
		switch {
		case err != nil:
			c.addProblem(name, "it cannot be read: %v", withoutPath(err))
		case digest(data) != c.published[name] && !c.matchesConfirmed(name, data):
			c.addProblem(name, "it is not what the journal has of it")
		default:
			c.Files++
		}
	}
	if c.ending != "" {
		c.ended()
	}
}

// ended holds the report of a run that did not complete against how it ended.
func (c *checker) ended() {
	data, err := os.ReadFile(filepath.Join(c.dir, flow.FinalReport))
	switch {
	case err != nil:
		c.addProblem(flow.FinalReport, "it cannot be read: %v", withoutPath(err))
	case !bytes.Contains(data, []byte("\n> "+c.ending)):
		c.addProblem(flow.FinalReport, "it does not say how the run ended: %s", c.ending)
	}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// withoutPath is an error without the path, which the place names.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// readRegistry reads the registry, if the run has one that can be read.
func (c *checker) readRegistry() (claim.Registry, bool) {
	reg, err := workspace.RegistryOf(c.dir)
	var unread *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &unread) && c.published[claim.RegistryFile] != "":
		return reg, false // the run ended before there was one, or checkFiles has said so
	case err != nil:
		c.addProblem(claim.RegistryFile, "%v", withoutPath(err))
		return reg, false
	}
	c.Claims = len(reg.Entries)
	return reg, true
}

// checkArchive holds everything that is archived against its hash.
func (c *checker) checkArchive() {
	dir := filepath.Join(c.dir, council.SourcesDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return
	}
	kept, err := archive.Open(dir, archive.Options{})
	if err != nil {
		c.addProblem(council.SourcesDir, "%v", err)
		return
	}
	c.archive = kept
	for _, d := range kept.Check() {
		place := filepath.ToSlash(filepath.Join(council.SourcesDir, d.Path))
		if d.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, d.Line)
		}
		c.addProblem(place, "%s", d.What)
	}
	c.Sources = len(kept.Snapshots())
	c.checkExperiments()
}

// checkExperiments holds what each experiment has printed against its record, which
// the journal has the hash of.
func (c *checker) checkExperiments() {
	for _, s := range c.archive.Snapshots() {
		n, ok := experiment.Number(s.Key)
		if !ok {
			continue
		}
		data, err := c.archive.Bytes(s)
		if err != nil {
			continue // the archive's own check has said so
		}
		r, err := experiment.Parse(data)
		switch {
		case err != nil:
			c.addProblem(s.Key, "%v", err)
		case r.ID != experiment.ID(n) || r.Output != s.Text:
			c.addProblem(s.Key, "its record is of another experiment or output")
		default:
			c.Experiments++
		}
	}
}

// checkEntry follows a claim whose quotation was found to the archived bytes.
func (c *checker) checkEntry(e claim.Entry) {
	if e.Location.State != claim.Located {
		return
	}
	c.Located++
	counted := c.Quotations
	for _, p := range e.Evidence() {
		one := e
		one.Quote, one.Source, one.Location = p.Quote, p.Source, p.Location
		c.checkPassage(one)
	}
	c.Quotations = min(c.Quotations, counted+1) // one a claim, however many passages it takes
}

// checkPassage follows one passage of a claim.
func (c *checker) checkPassage(e claim.Entry) {
	l := e.Location
	if c.archive == nil || l.Snapshot == "" || l.Text == "" {
		c.addProblem(e.ID, "its source %s was not archived", e.Source)
		return
	}
	if _, err := c.archive.Bytes(archive.Snapshot{Body: l.Snapshot}); err != nil {
		c.addProblem(e.ID, "the bytes of its source cannot be read: %v", withoutPath(err))
		return
	}
	text, err := c.loadText(l.Text, source.Identify(e.Source).Kind == source.Experiment)
	switch {
	case err != nil:
		c.addProblem(e.ID, "the text of its source cannot be read: %v", withoutPath(err))
	case l.Start < 0 || l.End > len(c.plain[l.Text]) || l.Start >= l.End:
		c.addProblem(e.ID, "its passage lies outside the text")
	case c.plain[l.Text][l.Start:l.End] != l.Passage && l.Passage != "":
		c.addProblem(e.ID, "its passage is not what stands there")
	default:
		c.checkQuotation(e, text)
	}
}

// loadText is a text that is archived, made ready as what it is: printed by a program, or
// written.
func (c *checker) loadText(hash string, printed bool) (*quote.Text, error) {
	if t := c.texts[hash]; t != nil {
		return t, nil
	}
	plain, err := c.archive.Text(archive.Snapshot{Text: hash})
	if err != nil {
		return nil, err
	}
	if digest([]byte(plain)) != hash {
		return nil, errors.New("it is not the text that was searched")
	}
	if c.plain == nil {
		c.plain = map[string]string{}
	}
	c.plain[hash] = plain
	if printed {
		c.texts[hash] = quote.IndexLines(plain)
	} else {
		c.texts[hash] = quote.Index(plain)
	}
	return c.texts[hash], nil
}

func (c *checker) checkQuotation(e claim.Entry, text *quote.Text) {
	m, ok := text.FindWithin(e.Quote, e.Location.Start, e.Location.End)
	switch {
	case !ok:
		c.addProblem(e.ID, "its quotation is not found in its passage")
	case string(m.Tier) != e.Location.Tier:
		c.addProblem(e.ID, "its quotation is found as %s, not as %s", m.Tier, e.Location.Tier)
	default:
		c.Quotations++
	}
}

// checkScore measures the registry again.
func (c *checker) checkScore(reg claim.Registry) {
	data, err := os.ReadFile(filepath.Join(c.dir, council.ScoreFile))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var told score.Result
	if err == nil {
		err = json.Unmarshal(data, &told)
	}
	if err != nil {
		c.addProblem(council.ScoreFile, "it cannot be read: %v", withoutPath(err))
		return
	}
	again, err := json.Marshal(score.Measure(reg, told.Input))
	if err != nil {
		c.addProblem(council.ScoreFile, "it cannot be measured again: %v", err)
		return
	}
	var measured score.Result
	if err := json.Unmarshal(again, &measured); err != nil || !reflect.DeepEqual(told, measured) {
		c.addProblem(council.ScoreFile, "the registry gives another score")
	}
}
