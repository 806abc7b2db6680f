package councilwork

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/shelf"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proxy"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/library"
	"github.com/research-council/research-council/internal/evidence/render"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/output/browser"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/project/confine"
)

const (
	fetchers  = 8                // sources fetched at once
	fetchTime = 15 * time.Minute // for all sources of one stage; what is not there by then stays unchecked
)

// FetchOptions is how the sources of a run are fetched. The argument vector
// leads to a process that reads them in bounds; nil has them read in this one.
func FetchOptions(n flow.Network, reader []string) archive.Options {
	o := archive.Options{
		AllowPrivate: n.Private, Wayback: n.Wayback, Crossref: n.Crossref, ArXiv: n.ArXiv, DOI: n.DOI,
		OpenAlex: n.OpenAlex, Unpaywall: n.Unpaywall, EuropePMC: n.EuropePMC, GitHub: n.GitHub, Contact: n.Contact,
		Timeout: n.Timeout, PerHost: n.PerHost, Pace: n.Pace, UserAgent: "research-council",
		Proxy: proxy.Find(n.Proxy, os.Getenv),
	}
	o.Render, o.NotRendered = renderer(n)
	if program, err := exec.LookPath("pdftotext"); err == nil && filepath.IsAbs(program) {
		o.PDF = archive.PDFToText(append(slices.Clone(reader), program)...)
	}
	if reader != nil {
		o.Read = archive.NewProcessReader(reader...)
	}
	if n.Library != "" {
		if own, err := shelf.Open(n.Library, nil); err == nil { // one that is gone has nothing
			o.Own = own
		}
	}
	return o
}

// renderer is who runs the scripts of pages, or why nobody does.
func renderer(n flow.Network) (archive.Renderer, string) {
	program := browser.Chromium(os.Getenv("PATH"))
	switch {
	case n.Render == flow.RenderOff:
		return nil, "they are not run (network: render: off)"
	case runtime.GOOS == "windows":
		return nil, "they are not run on Windows"
	case program == "":
		return nil, "no Chromium is installed that would run them"
	}
	return render.Browser{Program: program, Box: confine.Find}.Render, ""
}

// assessStage registers what the seats of a stage have claimed, fetches what they
// cite, and measures what there then is. What a seat has recorded stands although it
// came to no report, as where the run is to finish early or the librarian steps in.
func (s *registrar) assessStage(r flow.Run, stage string) (*flow.Assessment, error) {
	return s.Assess(r, s.register(r, stage))
}

// register is the registry with what the seats of a stage have claimed.
func (s *registrar) register(r flow.Run, stage string) claim.Registry {
	reg := s.Registry()
	for _, t := range r.TasksInRow(stage) {
		reg.Entries = claim.Register(reg.Entries, s.SeatClaims(t))
	}
	return reg
}

// salvage registers what the seats of a council have recorded that failed in its
// research, and holds it against what is archived. Nothing is fetched: nobody waits for
// a run that has ended.
func (s *registrar) salvage(r flow.Run) error {
	if r.Stage != council.Research || s.Folder.Has(claim.RegistryFile) {
		return nil
	}
	reg := s.register(r, council.Research)
	if len(reg.Entries) == 0 {
		return nil
	}
	_, err := s.measure(r, reg)
	return err
}

// Assess looks for each quotation, compares the claims, scores the whole, and
// writes what came of it.
func (s *registrar) Assess(r flow.Run, reg claim.Registry) (*flow.Assessment, error) {
	s.fetch(reg.Entries)
	s.reportUnreadSources(r)
	return s.measure(r, reg)
}

// measure is what is archived held against the claims, and the score of that.
func (s *registrar) measure(r flow.Run, reg claim.Registry) (*flow.Assessment, error) {
	kept := s.texts.ArchivedOnly()
	reg.Entries = claim.Locate(claim.ClassifySources(reg.Entries, s.Setup.Topic), kept)
	reg.Copies = source.Copies(bodies(reg.Entries, kept))
	reg = claim.Merge(reg)
	result := score.Measure(reg, s.scoreInput(r))
	found := &flow.Assessment{Gate: string(result.Gate), Score: result.Final, Open: result.Open, Reasons: result.Reasons, Evidence: evidence(reg.Entries)}
	return found, s.WriteJSON(map[string]any{claim.RegistryFile: reg, council.ScoreFile: result})
}

// evidence counts what became of the quotations of claims.
func evidence(entries []claim.Entry) *flow.Evidence {
	var e flow.Evidence
	for _, entry := range entries {
		if entry.Kind.RestsOnClaims() || entry.IsWithdrawn() {
			continue // it quotes nothing, or nobody claims it
		}
		e.Claims++
		switch entry.Location.State {
		case claim.Located:
			e.Located++
		case claim.NotFound:
			e.NotFound++
		default:
			e.Reason = cmp.Or(e.Reason, plain.Line(entry.Location.Reason, supervisor.MaxForeignRunes))
		}
	}
	return &e
}

// Ended archives what a seat has cited where none of its claims is located
// yet, so that no report is judged by sources that nobody has opened.
func (s *registrar) Ended(t flow.TaskState) {
	if !s.mustRecordClaims(t.Task) {
		return
	}
	if entries, _ := s.locateOwnClaims(t); evidence(entries).Located == 0 {
		s.fetch(entries)
	}
}

// mustRecordClaims reports whether a task's report is nothing without claims that
// hold: one of research, by a seat that can be asked to mend it.
func (s *registrar) mustRecordClaims(t flow.Task) bool {
	seat, known := s.Seat(t.Seat)
	return known && seat.HasModel() && (t.Role == agent.Research || t.Role == agent.Refinement)
}

// markUnfounded is what a report is worth none of whose claims holds: it has not
// come to its end, whatever it says.
func markUnfounded(a loop.Artefact) loop.Artefact {
	a.Complete = false
	a.Problems = append(a.Problems[:len(a.Problems):len(a.Problems)],
		"no claim of yours is recorded whose quotation stands in its source, and links prove nothing: record each finding with the source's own words, in the way you were told at the start")
	return a
}

// reportUnreadSources makes an issue, once, of each source that could not be read.
func (s *registrar) reportUnreadSources(r flow.Run) {
	told := map[string]bool{}
	for _, i := range r.Issues {
		told[i.Detail] = true
	}
	for _, snapshot := range s.Archive.Snapshots() {
		detail := plain.Line(fmt.Sprintf("%s: %s: %s", snapshot.Asked, snapshot.State, snapshot.Reason), supervisor.MaxForeignRunes)
		if !snapshot.State.Readable() && !told[detail] {
			s.ReportIssue(flow.SourceFailed, "", detail)
		}
	}
}

// fetch archives every source that is cited. What cannot be had has its reason
// in the archive.
func (s *registrar) fetch(entries []claim.Entry) {
	ctx, cancel := context.WithTimeout(s.Life, fetchTime)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(fetchers)
	asked := map[string]bool{}
	for _, p := range passages(entries) {
		if asked[p.Key] {
			continue
		}
		asked[p.Key] = true
		group.Go(func() error {
			if err := s.fetchOne(ctx, p.Source); err != nil && s.Life.Err() == nil {
				s.Log(fmt.Sprintf("%s was not archived: %v", p.Source, err))
			}
			return nil
		})
	}
	_ = group.Wait() // no source's failure is one of the run
}

// fetchAhead archives what running seats cite while they work, so that the
// next look finds it. While one such round is under way no other begins.
func (s *registrar) fetchAhead(entries []claim.Entry) {
	if !s.fetchingAhead.TryLock() {
		return
	}
	s.Background.Go(func() {
		defer s.fetchingAhead.Unlock()
		s.fetch(entries)
	})
}

// fetchOne archives a source: a page by fetching it, a file of the scope as it
// is now.
func (s *registrar) fetchOne(ctx context.Context, ref string) error {
	src := source.Identify(ref)
	if src.URL != "" || src.Kind == source.Experiment {
		_, err := s.Archive.Fetch(ctx, ref)
		return err
	}
	if src.Kind != source.File {
		return nil
	}
	if kept, err := s.Archive.Fetch(ctx, ref); err != nil || kept.State.Readable() && kept.WasRead() {
		return err // a document of the person's library
	}
	text, err := s.texts.ArchivedOnly().Text(ref)
	if err != nil {
		return nil // the claim will say so
	}
	_, err = s.Archive.AddLocal(ctx, ref, []byte(text.Body))
	return err
}

// bodies are the texts of all sources whose text could be read, by key.
func bodies(entries []claim.Entry, lib claim.Library) map[string]string {
	texts := map[string]string{}
	for _, p := range passages(entries) {
		if _, known := texts[p.Key]; known || p.Location.Text == "" || source.Identify(p.Source).Kind == source.Experiment {
			continue
		}
		if text, err := lib.Text(p.Source); err == nil {
			texts[p.Key] = text.Body
		}
	}
	return texts
}

// passages are those of all claims.
func passages(entries []claim.Entry) []claim.Passage {
	var list []claim.Passage
	for _, e := range entries {
		list = append(list, e.Evidence()...)
	}
	return list
}

// scoreInput is what the score needs to know beside the registry.
func (s *registrar) scoreInput(r flow.Run) score.Input {
	p := council.PlanOf(r)
	in := score.Input{Mode: p.Mode, Debate: p.Debate, NoWeb: true, CodeOnly: true, NoModel: !r.Setup.HasModel()}
	for _, q := range p.Questions {
		in.Questions = append(in.Questions, q.ID)
		if q.Critical {
			in.Critical = append(in.Critical, q.ID)
		}
	}
	for _, v := range r.History {
		for _, t := range v.Tasks {
			if v.Stage == council.Research && !t.Outcome.Good() {
				in.Failed++
			}
		}
	}
	for _, m := range r.Setup.Missing {
		if m.Named {
			in.Failed++
		}
	}
	for _, snapshot := range s.Archive.Snapshots() {
		if source.Identify(snapshot.Asked).URL == "" {
			continue
		}
		in.CodeOnly = false
		if snapshot.State.Readable() {
			in.NoWeb = false
		}
	}
	return in
}

// openSources opens the run's archive and scope.
func (s *registrar) openSources() error {
	var err error
	if s.Archive, err = archive.Open(s.Folder.Join(council.SourcesDir), FetchOptions(s.Setup.Network, s.reader)); err != nil {
		return err
	}
	s.texts, err = library.Open(s.Setup.Scope, s.Archive)
	return err
}

// Registry reads what has been gathered up to now; nothing is an empty
// registry.
func (s *registrar) Registry() claim.Registry {
	reg, err := s.Folder.Registry()
	if err != nil && s.Folder.Has(claim.RegistryFile) {
		s.Log("The registry cannot be read and is made anew: " + err.Error())
	}
	return reg
}
