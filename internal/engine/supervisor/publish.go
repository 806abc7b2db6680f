package supervisor

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"research-council/internal/engine/flow"
	"research-council/internal/engine/workspace"
	"research-council/internal/evidence/archive"
	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/provenance"
	"research-council/internal/output/export"
	"research-council/internal/output/report"
	"research-council/internal/product/campaign"
	"research-council/internal/product/campaign/feature"
	"research-council/internal/product/codereview"
	"research-council/internal/product/recipe"
)

// writeFinalReport renders the final report from whatever there is, and what people
// open it in. A form that cannot be written is left out: the report is there.
func (s *supervisor) writeFinalReport(r flow.Run) error {
	if codereview.Of(r.Setup.Own) != nil {
		return s.writeReviewReport(r)
	}
	f := s.final(r)
	text := report.Render(f)
	if built, ok := s.builtReport(r, f); ok { // what was found on the way stands in the campaign's own papers
		text = report.RenderCodeCampaign(built)
	}
	text = provenance.Markdown(text, s.ID)
	if err := s.folder.Write(recipe.FinalReport, text); err != nil {
		return err
	}
	p := export.Publication{
		Report: text, ID: s.ID, Topic: f.Topic, Written: f.Ended, Maker: strings.TrimSpace("council " + s.Release),
		Registry: f.Registry, Score: f.Score, Sources: Sources(s.archive),
	}
	for _, form := range []export.Form{export.HTML, export.JSON, export.BibTeX, export.CSL} {
		data, err := export.Write(p, form)
		if err == nil {
			err = s.folder.Write(strings.TrimSuffix(recipe.FinalReport, ".md")+form.Extension(), data)
		}
		if err != nil {
			s.log("The report could not be written as " + string(form) + ": " + err.Error())
		}
	}
	s.compare(r.Setup, f.Registry)
	s.copyTo(r.Setup.Output, text)
	return nil
}

// copiesFile says what was copied where, by the SHA-256 of each file.
const copiesFile = "copies.json"

// copyTo copies a text to a file that the person has named, "" for none. It
// replaces what an earlier copy of this run has left there, and anything else
// only where the person lets it.
func (s *supervisor) copyTo(name string, text []byte) {
	if name == "" {
		return
	}
	was := DeliveredCopies(s.folder)
	over := workspace.Replaceable{Any: s.setup.Force, Own: was[name]}
	if err := workspace.WriteUserFile(s.setup.Root, name, text, over); err != nil {
		s.log("A copy could not be made: " + err.Error())
		return
	}
	was[name] = workspace.Sum(text)
	if err := s.record(map[string]any{copiesFile: was}); err != nil {
		s.log(err.Error())
	}
}

// DeliveredCopies are the files a run has left a copy in, each with its SHA-256.
func DeliveredCopies(f *workspace.Folder) map[string]string {
	made := map[string]string{}
	if data, err := f.Read(copiesFile); err == nil && json.Unmarshal(data, &made) != nil {
		return map[string]string{}
	}
	return made
}

// builtReport is the result of a campaign that writes code; false for every other
// run.
func (s *supervisor) builtReport(r flow.Run, f report.Final) (report.CodeCampaign, bool) {
	c := campaign.Of(r.Setup.Own)
	if c == nil || !slices.Contains(c.Mode.Phases(), campaign.PhaseC) {
		return report.CodeCampaign{}, false
	}
	list, err := s.features()
	if err != nil {
		list = feature.List{} // none was made
	}
	b := report.CodeCampaign{Final: f, Name: c.Name, Slug: c.Slug, Features: list}
	for _, name := range []string{c.ReportFile(), c.PlanFile(), campaign.Features, campaign.Progress} {
		if s.papers.Has(name) {
			b.Papers = append(b.Papers, path.Join(c.Folder(), name))
		}
	}
	return b, true
}

// compare tells what has changed since the run the person named.
func (s *supervisor) compare(setup flow.Setup, now claim.Registry) {
	if setup.Previous == "" {
		return
	}
	before, err := previousRegistry(setup)
	if err == nil {
		err = s.folder.Write(recipe.ChangesFile, report.Changes(setup.Previous, claim.Diff(before, now)))
	}
	if err != nil {
		s.log("The run could not be compared with " + setup.Previous + ": " + err.Error())
	}
}

// previousRegistry reads the registry of the run to compare with.
func previousRegistry(setup flow.Setup) (claim.Registry, error) {
	f, err := workspace.Open(setup.Root, setup.Previous)
	if err != nil {
		return claim.Registry{}, err
	}
	defer f.Close()
	data, err := f.Read(recipe.RegistryFile)
	if err != nil {
		return claim.Registry{}, err
	}
	return claim.ParseRegistry(data)
}

// final gathers what a final report is made of.
func (s *supervisor) final(r flow.Run) report.Final {
	f := report.Final{
		Topic: r.Setup.Topic, ID: s.ID, Status: string(r.Status), Reason: r.Reason,
		Registry: s.registry(), Sources: sourceLines(s.archive), Plan: r.Setup.Plan, Warnings: r.Setup.Warnings, Debate: s.debate(),
		Began: r.Began, Ended: time.Now().UTC(), Scope: r.Setup.Scope,
		Spent:  r.Spent,
		Writer: reportWriter(r), Seats: seatLines(r),
	}
	if result := s.score(); result.Mode != "" {
		f.Score = &result
	}
	for _, m := range r.Setup.Missing {
		f.Missing = append(f.Missing, m.Seat+": "+m.Reason)
	}
	if draft, err := s.folder.Read(recipe.SynthesisFile); err == nil {
		f.Draft = draft
	}
	if s.papers != nil {
		f.Draft, f.Writer = joined("report", s.sections(r, "report")), recipe.Worker(r).Name
	}
	f = s.addStagedParts(r, f)
	if f.Status == "" {
		f.Status, f.Reason = string(flow.Completed), ""
		if s.flow.Close != nil {
			status, why := s.flow.Close(r)
			f.Status, f.Reason = string(status), why
		}
		if r.Refused != "" {
			f.Status, f.Reason = string(flow.OutOfBudget), r.Refused
		}
	}
	return f
}

// Sources is what an archive knows of the sources, by their keys. What a
// registry of papers says goes before what the page says.
func Sources(a *archive.Archive) map[string]export.Source {
	known := map[string]export.Source{}
	for _, s := range a.Snapshots() {
		src := export.Source{
			Title: s.Title, Authors: s.Authors, Published: s.Published, State: string(s.State), Reason: s.Reason,
			Final: s.Final, MIME: s.MIME, Fetched: s.Fetched, Body: s.Body, Text: s.Text,
		}
		if s.Record != nil {
			src = withRecord(src, *s.Record)
		}
		known[s.Key] = src
	}
	return known
}

func withRecord(s export.Source, r archive.Record) export.Source {
	s.Retracted, s.Notice = r.Retracted, r.Notice
	if r.Title != "" {
		s.Title = r.Title
	}
	if len(r.Authors) > 0 {
		s.Authors = r.Authors
	}
	if r.Year > 0 {
		s.Published = strconv.Itoa(r.Year)
	}
	return s
}

// sourceLines is the same as the report shows it.
func sourceLines(a *archive.Archive) map[string]report.SourceLine {
	known := map[string]report.SourceLine{}
	for key, s := range Sources(a) {
		known[key] = report.SourceLine{
			Title: s.Title, Authors: s.Authors, Published: s.Published, State: s.State, Reason: s.Reason,
			Fetched: s.Fetched, Retracted: s.Retracted, Notice: s.Notice,
		}
	}
	return known
}
