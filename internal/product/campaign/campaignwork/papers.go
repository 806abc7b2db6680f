package campaignwork

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/output/tex"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/internal/product/council/councilwork"
)

// PublishedDir holds, in a run's folder, the campaign's files as the program
// wrote them last: what is found changed beside it is put back.
const PublishedDir = "published"

// CampaignFolder is the folder of a campaign that people read.
func CampaignFolder(s flow.Setup) string {
	return filepath.Join(s.Root, filepath.FromSlash(campaign.Of(s.Own).Folder()))
}

// publishPaper writes a file of the campaign's folder, and keeps what it is to
// be.
func (s *press) publishPaper(name string, data []byte) error {
	if ext := path.Ext(name); ext == ".tex" || ext == ".bib" {
		data = provenance.Comment(data, "%", s.ID)
	}
	kept := path.Join(PublishedDir, name)
	if now, err := s.Folder.Read(kept); err == nil && string(now) == string(data) {
		if there, err := s.papers.Read(name); err == nil && string(there) == string(data) {
			return nil
		}
	}
	if err := s.Folder.Mkdir(PublishedDir); err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return errors.Join(s.Folder.Write(kept, data), s.papers.Write(name, data))
}

// typeset writes the report, the plan and the bibliography as they stand after
// an iteration.
func (s *press) typeset(r flow.Run, tally *campaign.Tally) error {
	st := campaign.StateOf(r)
	st.Tally = *tally
	papers, err := s.exportPapers(r, st)
	if err != nil {
		return err
	}
	for _, p := range papers {
		text, err := export.Typeset(p)
		if err != nil && p.Template != nil {
			s.progress("A template of yours cannot be used: " + err.Error())
			p.Template = nil
			text, err = export.Typeset(p)
		}
		if err != nil {
			return fmt.Errorf("typeset the %s: %w", p.Kind, err)
		}
		if ids := export.Unknown(p); len(ids) > 0 {
			s.Log(fmt.Sprintf("The %s cites what is no claim: %s", p.Kind, strings.Join(ids, ", ")))
		}
		if err := s.publishPaper(paperName(campaign.Of(r.Setup.Own), p.Kind), text); err != nil {
			return err
		}
	}
	return s.publishPaper(campaign.Sources, export.Bibliography(papers...))
}

func paperName(c *campaign.Setup, kind string) string {
	if kind == "plan" {
		return c.PlanFile()
	}
	return c.ReportFile()
}

// exportPapers are the report, and the plan once there is one.
func (s *press) exportPapers(r flow.Run, st campaign.State) ([]export.Paper, error) {
	critics, err := s.criticism()
	if err != nil {
		return nil, err
	}
	var open []string
	for _, i := range critics.Issues {
		if i.Closed == nil {
			open = append(open, i.ID+" ("+i.Severity+"): "+i.Text)
		}
	}
	pub := export.Publication{
		ID: s.ID, Topic: r.Setup.Topic, Written: r.At, Maker: strings.TrimSpace("council " + s.Release),
		Registry: s.Registry(), Sources: councilwork.Sources(s.Archive),
	}
	paper := func(kind string, sections map[string][]byte) export.Paper {
		return export.Paper{
			Kind: kind, Template: s.template(kind), Title: campaign.Of(r.Setup.Own).Name, Written: r.At, Sections: sections,
			Publication: pub, Iterations: export.Iterations{All: st.Iteration, Researching: st.Researching, Planning: st.Planning, Coding: st.Coding}, Themes: s.themes(r), Questions: s.questions(r), Issues: open,
		}
	}
	var list []export.Paper
	if campaign.Of(r.Setup.Own).Mode != campaign.Implement {
		list = append(list, paper("report", s.sections(r, "report")))
	}
	if plan := s.sections(r, "plan"); len(plan) > 0 {
		p := paper("plan", plan)
		p.Title = "Implementation Plan: " + p.Title
		list = append(list, p)
	}
	return list, nil
}

// themes are the questions that have been answered, with the claims that do.
func (s *records) themes(r flow.Run) []export.Theme {
	var list []export.Theme
	for _, q := range s.allQuestions(r) {
		if len(q.Answered) > 0 {
			list = append(list, export.Theme{Title: plain.Line(q.Text, supervisor.MaxForeignRunes), Claims: q.Answered})
		}
	}
	return list
}

// maxTemplateBytes bounds a template, in bytes.
const maxTemplateBytes = 1 << 20

// template is a template of the user's own; nil for the built-in one.
func (s *press) template(kind string) []byte {
	if s.templates == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(s.templates, kind+"-template.tex"))
	if err != nil || len(data) > maxTemplateBytes {
		return nil
	}
	return data
}

// build makes PDFs of what is typeset. None is needed: a campaign never fails
// for one.
func (s *press) build(r flow.Run) {
	s.building.Lock()
	defer s.building.Unlock()
	s.buildPDFsLocked(r)
}

func (s *press) buildPDFsLocked(r flow.Run) {
	for _, kind := range []string{"report", "plan"} {
		name := paperName(campaign.Of(r.Setup.Own), kind)
		text, err := s.papers.Read(name)
		if err != nil || s.isBuilt(name, text) {
			continue
		}
		ctx, cancel := context.WithTimeout(s.Life, 10*time.Minute)
		res, err := tex.Build(ctx, s.papers.Join(name), tex.Options{NonLatin: export.NonLatin(text), Path: lookupVariable(s.Environ, "PATH")})
		cancel()
		if s.Life.Err() != nil {
			return // it was cut off: it is built when the campaign is taken up
		}
		if res.Skipped == "" {
			s.markBuilt(name, text)
		}
		switch {
		case err != nil:
			s.progress(fmt.Sprintf("%s could not be made a PDF: %v", name, err))
		case res.Skipped != "" && s.wasSkipTold(name, res.Skipped):
		case res.Skipped != "":
			s.progress(fmt.Sprintf("%s is not made a PDF: %s", name, res.Skipped))
		default:
			s.progress(fmt.Sprintf("%s is made by %s", filepath.Base(res.PDF), res.Engine))
		}
		for _, p := range res.Problems {
			s.progress(p.String())
		}
	}
}

// buildPDFsInBackground makes PDFs beside whatever else is going on.
func (s *press) buildPDFsInBackground() {
	if !s.building.TryLock() {
		return
	}
	r := s.Now
	s.Background.Go(func() {
		defer s.building.Unlock()
		s.buildPDFsLocked(r)
	})
}

// isBuilt reports whether a paper was built as it stands.
func (s *press) isBuilt(name string, text []byte) bool {
	before, err := s.Folder.Read(path.Join(PublishedDir, name+".built"))
	return err == nil && string(before) == workspace.Sum(text)
}

// wasSkipTold reports whether it was told already why a paper is not built, and
// notes that it was.
func (s *press) wasSkipTold(name, why string) bool {
	file := path.Join(PublishedDir, name+".skipped")
	before, err := s.Folder.Read(file)
	_ = s.Folder.Write(file, []byte(why)) // without it, it is told once more
	return err == nil && string(before) == why
}

func (s *press) markBuilt(name string, text []byte) {
	_ = s.Folder.Write(path.Join(PublishedDir, name+".built"), []byte(workspace.Sum(text))) // without it the paper is built once more
}

// progress adds a line for people, to the run's log and to the campaign's.
func (s *press) progress(text string) {
	s.Log(text)
	s.appendCampaignLog(time.Now(), text)
}

// appendCampaignLog adds a line to the campaign's own log. One that cannot be written
// stops nothing.
func (s *press) appendCampaignLog(at time.Time, text string) {
	_ = s.papers.Append(campaign.Progress, []byte(timestampedLine(at, text)))
}

func timestampedLine(at time.Time, text string) string {
	const most = 2000
	return "[" + at.UTC().Format(time.RFC3339) + "] " + plain.Line(text, most) + "\n"
}

// catchUpCampaignLog brings what people read in step with the journal: a supervisor may
// have been killed between a fact and what it says of it.
func (s *press) catchUpCampaignLog(events []flow.Event) {
	told, _ := s.papers.Read(campaign.Progress) // none has been told yet
	var r flow.Run
	var missing strings.Builder
	for _, e := range events {
		r = flow.Evolve(r, e)
		for _, text := range campaignLogLines(s.Flow, r, e) {
			if line := timestampedLine(e.At, text); !strings.Contains(string(told), line) {
				missing.WriteString(line)
			}
		}
	}
	if missing.Len() > 0 {
		_ = s.papers.Append(campaign.Progress, []byte(missing.String())) // as every line
	}
	s.removeTempFiles()
	s.refreshCampaignFiles()
}

// tempFilePattern is how a write that was cut off calls its file: the name it was to
// have, a number of up to 64 bits that chance has given, ".new". Few of these are
// short, and a person's file may end in a year.
var tempFilePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.\d{10,20}\.new$`) })

// removeTempFiles takes away what writes that were cut off have left.
func (s *press) removeTempFiles() {
	for folder, dir := range map[*workspace.Folder]string{s.papers: ".", s.Folder: PublishedDir} {
		names, err := folder.Names(dir)
		if err != nil {
			continue // there is none yet
		}
		for _, name := range names {
			if tempFilePattern().MatchString(name) {
				_ = folder.Remove(path.Join(dir, name)) // it harms nobody
			}
		}
	}
}

// campaignLogLines is what the campaign's own log says of a fact, in lines.
func campaignLogLines(w flow.Workflow, r flow.Run, e flow.Event) []string {
	var list []string
	if line := status.LogLine(w, r, e); line != "" && isNotable(r, e) {
		list = append(list, line)
	}
	for _, n := range campaign.Notices(r, e) {
		list = append(list, n.Text)
	}
	return list
}

// updateCampaign tells people what a fact means for a campaign, and keeps its files
// in step with it.
func (s *press) updateCampaign(e flow.Event) {
	for _, text := range campaignLogLines(s.Flow, s.Now, e) {
		s.appendCampaignLog(e.At, text)
	}
	for _, n := range campaign.Notices(s.Now, e) {
		s.Log(n.Text)
		s.SendNotice(supervisor.Notice{Title: "Research Council: " + campaign.Of(s.Setup.Own).Name, Text: n.Text, Level: n.Level, Folder: s.papers.Path})
	}
	if e.Kind == flow.StageEntered && e.Stage == agent.Explore {
		_ = s.Folder.Remove(librarian.IndexFile) // the project has changed since; it is made anew
	}
	switch t, _ := s.Now.Task(e.Task); {
	case e.Kind == flow.StageEntered, e.Kind == flow.RunEnded, e.Kind == flow.RunReopened:
		s.refreshCampaignFiles()
	case e.Kind == flow.TurnEnded && t.Seat != flow.Program: // what it has done to the program's files is undone
		s.refreshCampaignFiles()
	}
}

// refreshCampaignFiles writes the state file and the feature list. They repeat what
// the journal says, so nothing stops when they cannot be written.
func (s *press) refreshCampaignFiles() {
	if err := s.writeCampaignFiles(); err != nil {
		s.Log("The campaign's files could not be written: " + err.Error())
	}
}

// isNotable reports whether a fact's line belongs into the campaign's own log,
// which tells of iterations and not of processes.
func isNotable(r flow.Run, e flow.Event) bool {
	switch e.Kind {
	case flow.StageJudged, flow.TimeUp, flow.CancelAsked, flow.FinishAsked, flow.NoteGiven, flow.Edited, flow.SessionMoved, flow.RunReopened:
		return true
	case flow.TurnEnded:
		t, ok := r.Task(e.Task)
		return ok && t.Seat == campaign.Worker(r).Name
	}
	return false
}

// writeCampaignFiles writes the state file and the feature list.
func (s *press) writeCampaignFiles() error {
	st := campaign.StateOf(s.Now)
	st.Files = s.contextFiles()
	if err := s.publishPaper(campaign.Of(s.Setup.Own).StateFile(), st.Encode()); err != nil {
		return err
	}
	data, err := s.Folder.Read(campaign.FeatureFile)
	if err != nil || st.Total == 0 {
		return nil
	}
	return s.publishList(data)
}

// contextFiles are what a session reads that has lost its context.
func (s *press) contextFiles() []string {
	c := campaign.Of(s.Setup.Own)
	files := []string{path.Join(c.Folder(), c.StateFile())}
	for _, name := range []string{c.ReportFile(), c.PlanFile(), campaign.Features, campaign.Progress} {
		if s.papers.Has(name) {
			files = append(files, path.Join(c.Folder(), name))
		}
	}
	if c.Plan != "" {
		files = append(files, c.Plan)
	}
	for _, name := range []string{"CLAUDE.md", "AGENTS.md"} {
		if isFile(filepath.Join(s.Setup.Root, name)) {
			files = append(files, name)
		}
	}
	return files
}

// reopenPapers makes the campaign's folder anew where somebody has taken it away.
func (s *press) reopenPapers() error {
	if _, err := os.Stat(s.papers.Path); err == nil {
		return nil
	}
	if !s.building.TryLock() {
		return errors.New("the campaign's folder is gone, and papers are being built in it still")
	}
	defer s.building.Unlock()
	_ = s.papers.Close() // what it led to is gone
	return s.openPapers()
}

// openPapers opens the folder of a campaign.
func (s *press) openPapers() error {
	var err error
	s.papers, err = workspace.OpenPublic(s.Setup.Root, campaign.Of(s.Setup.Own).Folder())
	return err
}

// lookupVariable is the value of a variable; "" for none.
func lookupVariable(environ []string, name string) string {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// builtReport is the result of a campaign that writes code; false for every other
// run.
func (s *press) builtReport(r flow.Run, f report.Final) (report.CodeCampaign, bool) {
	c := campaign.Of(r.Setup.Own)
	if c == nil || !slices.Contains(c.Mode.Phases(), campaign.PhaseC) {
		return report.CodeCampaign{}, false
	}
	list, err := s.features()
	if err != nil {
		list = feature.List{} // none was made
	}
	b := report.CodeCampaign{Final: f, Name: c.Name, Slug: c.Slug}
	for _, f := range list.Features {
		b.Features = append(b.Features, report.Feature{ID: f.ID, Name: f.Name, State: featureState(f.State), Attempts: f.Attempts, Reason: f.Reason, Commit: f.Commit})
	}
	for _, name := range []string{c.ReportFile(), c.PlanFile(), campaign.Features, campaign.Progress} {
		if s.papers.Has(name) {
			b.Papers = append(b.Papers, path.Join(c.Folder(), name))
		}
	}
	return b, true
}

// featureState is the word of a report for the state of a feature.
func featureState(s feature.State) report.FeatureState {
	switch s {
	case feature.Passed:
		return report.FeaturePassed
	case feature.Failed:
		return report.FeatureFailed
	case feature.Blocked:
		return report.FeatureBlocked
	}
	return report.FeatureOpen
}

// withPapers has the campaign's own prose for a draft.
func (s *records) withPapers(r flow.Run, f report.Final) report.Final {
	f.Draft, f.Writer = joined("report", s.sections(r, "report")), campaign.Worker(r).Name
	return f
}

// renderReport tells, of a campaign that writes code, what came of that: what was
// found on the way stands in its own papers.
func (s *press) renderReport(r flow.Run, f report.Final) []byte {
	if built, ok := s.builtReport(r, f); ok {
		return report.RenderCodeCampaign(built)
	}
	return report.Render(f)
}
