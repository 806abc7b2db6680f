package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"research-council/internal/base/usage"
	"research-council/internal/engine/workspace"
	"research-council/internal/evidence/archive"
	"research-council/internal/evidence/score"
	"research-council/internal/host/program"
	"research-council/internal/host/runs"
	"research-council/internal/host/view"
	"research-council/internal/output/export"
	"research-council/internal/product/codereview/reviewwork"
	"research-council/internal/product/council/councilwork"
	"research-council/internal/product/recipe"
)

// Forms that package export does not write: warcForm is made of the archive
// alone, pdfForm by the TeX that is here.
const (
	warcForm = "warc"
	pdfForm  = "pdf"
)

func exportCommand(e program.Env) *cobra.Command {
	var to []string
	var output string
	var force bool
	c := &cobra.Command{
		Use: "export [RUN]", Short: "Write a run's report in other forms",
		Long: `Write the final report of a run in other forms, all from one list of references:

  html      one self-contained page; each claim opens the passage it rests on
  tex       an article with its references, for pdflatex, xelatex or lualatex
  pdf       the same article, set by the TeX that is here
  bib, csl-json, ris
            the references for other programs, with the keys the article uses
  json      registry, sources and score, from which the score can be reckoned
  md        the report as it is
  warc      every archived page, in the format web archives use

Files are put beside the final report unless --output names a folder, a file
(for one form) or - for standard output. What stands there is replaced with
--force alone; what is git's or Claude Code's own never is.`,
		Example: "council export --to html\ncouncil export 20260222-143000-a1b2c3 --to html,tex,bib --output paper\ncouncil export 20260222 --to bib --output -",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			forms, err := parseForms(to)
			if err != nil {
				return err
			}
			out, err := parseOutput(c, e, output, forms)
			if err != nil {
				return err
			}
			out.force = force
			if err := out.checkWritable(forms); err != nil {
				return err
			}
			project, id, err := pickByPrefix(c, e, args)
			if err != nil {
				return err
			}
			written, err := exportRun(e, project, id, forms, out)
			if err != nil || out.stdout {
				return err
			}
			if asJSON(c) {
				return encode(e.Stdout, map[string]any{"id": id, "files": written})
			}
			_, err = fmt.Fprintln(e.Stdout, strings.Join(written, "\n"))
			return err
		},
	}
	c.Flags().StringSliceVar(&to, "to", []string{string(export.HTML)}, "forms, separated by commas: md, html, tex, pdf, bib, csl-json, ris, json, warc")
	c.Flags().BoolVar(&force, "force", false, "let --output replace files that stand there")
	c.Flags().StringVarP(&output, "output", "o", "", "a folder, a file, or - for standard output")
	return c
}

// parseForms reads the names of forms, each once.
func parseForms(names []string) ([]export.Form, error) {
	var forms []export.Form
	for _, name := range names {
		f, err := export.ParseForm(name)
		if own := strings.ToLower(strings.TrimSpace(name)); own == warcForm || own == pdfForm {
			f, err = export.Form(own), nil
		}
		if err != nil {
			return nil, usage.Errorf("--to %q is no form; there are %s, %s and %s", name, joinForms(export.Forms()), pdfForm, warcForm)
		}
		if !slices.Contains(forms, f) {
			forms = append(forms, f)
		}
	}
	if len(forms) == 0 {
		return nil, usage.Errorf("--to names no form; there are %s, %s and %s", joinForms(export.Forms()), pdfForm, warcForm)
	}
	return forms, nil
}

func joinForms(forms []export.Form) string {
	var names []string
	for _, f := range forms {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// exportPlace is where exports go: standard output, a folder, with the name of a
// file where one was given, or, when all is empty, beside the report.
type exportPlace struct {
	stdout    bool
	dir, name string
	force     bool // what stands there may be replaced
}

// checkWritable says, before anything is done, why an export cannot be put in its place,
// or nil.
func (o exportPlace) checkWritable(forms []export.Form) error {
	for _, form := range forms {
		if o.dir == "" {
			return nil
		}
		if err := workspace.CheckWritable(o.dir, o.named(form), workspace.Replaceable{Any: o.force}); err != nil {
			return usage.Errorf("--output, %s: %w", filepath.Join(o.dir, o.named(form)), err)
		}
	}
	return nil
}

// named is the name of the file a form gets.
func (o exportPlace) named(form export.Form) string {
	if o.name != "" {
		return o.name
	}
	return strings.TrimSuffix(recipe.FinalReport, ".md") + form.Extension()
}

// parseOutput reads --output before anything is done.
func parseOutput(c *cobra.Command, e program.Env, output string, forms []export.Form) (exportPlace, error) {
	if output == "" {
		return exportPlace{}, nil
	}
	if len(forms) > 1 && output == "-" {
		return exportPlace{}, usage.Errorf("--output - takes one form; %d are asked for", len(forms))
	}
	if output == "-" {
		return exportPlace{stdout: true}, nil
	}
	folder, name, err := resolveOutput(c, e, output)
	if err != nil {
		return exportPlace{}, usage.Errorf("--output %q: %w", output, err)
	}
	info, err := os.Stat(filepath.Join(folder, name))
	switch {
	case err == nil && info.IsDir():
		return exportPlace{dir: filepath.Join(folder, name)}, nil
	case len(forms) > 1 || strings.HasSuffix(output, string(filepath.Separator)):
		return exportPlace{}, usage.Errorf("--output %q is no folder; make it first, or ask for one form", output)
	}
	return exportPlace{dir: folder, name: name}, nil
}

// pickByPrefix is pick, for which the beginning of an id is enough where no
// other run's id begins so.
func pickByPrefix(c *cobra.Command, e program.Env, args []string) (project, id string, err error) {
	if len(args) == 1 && args[0] != "" && !workspace.ValidID(args[0]) {
		project, err = projectWithRuns(c, e)
		if err != nil {
			return "", "", err
		}
		all, err := workspace.List(project)
		if err != nil {
			return "", "", err
		}
		var fit []string
		for _, id := range all {
			if strings.HasPrefix(id, args[0]) {
				fit = append(fit, id)
			}
		}
		switch {
		case len(fit) == 1:
			args = fit
		case len(fit) > 1:
			return "", "", usage.Errorf("%q may be any of %s; say more of it", args[0], strings.Join(fit, ", "))
		}
	}
	return pick(c, e, args)
}

// exportRun writes a run in forms and gives the paths of the files.
func exportRun(e program.Env, project, id string, forms []export.Form, out exportPlace) ([]string, error) {
	f, err := workspace.Open(project, id)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var p export.Publication
	if !slices.Equal(forms, []export.Form{warcForm}) {
		if p, err = gatherPublication(e, project, f, id); err != nil {
			return nil, err
		}
	}
	var written []string
	for _, form := range forms {
		data, err := exported(e, f, p, form)
		if err != nil {
			return written, err
		}
		path, err := out.writeExport(e, f, form, data)
		if err != nil {
			return written, err
		}
		written = append(written, path)
	}
	return written, nil
}

func exported(e program.Env, f *workspace.Folder, p export.Publication, form export.Form) ([]byte, error) {
	switch form {
	case pdfForm:
		return pdfOf(e, p)
	case warcForm:
	default:
		return export.Write(p, form)
	}
	a, err := archiveOf(f)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, errors.New("the run has archived no page")
	}
	var b bytes.Buffer
	if err := a.WriteWARC(&b); err != nil {
		return nil, fmt.Errorf("write the archive: %w", err)
	}
	return b.Bytes(), nil
}

// writeExport writes one export and gives its path.
func (o exportPlace) writeExport(e program.Env, f *workspace.Folder, form export.Form, data []byte) (string, error) {
	if o.stdout {
		_, err := e.Stdout.Write(data)
		return "", err
	}
	name := o.named(form)
	switch {
	case o.dir != "":
		return filepath.Join(o.dir, name), workspace.WriteUserFile(o.dir, name, data, workspace.Replaceable{Any: o.force})
	case name == recipe.FinalReport: // it stands there already
		return f.Join(name), nil
	}
	return f.Join(name), f.Write(name, data)
}

// gatherPublication gathers what is exported of a run.
func gatherPublication(e program.Env, project string, f *workspace.Folder, id string) (export.Publication, error) {
	s, err := runs.Status(project, id)
	if err != nil {
		return export.Publication{}, err
	}
	if s.Review != nil {
		return export.Publication{}, fmt.Errorf("run %s is a review of code, which has no such export; its findings are in %s, and `council review --sarif FILE` writes them for other programs", id, reviewwork.ReviewFolder)
	}
	text, err := f.Read(recipe.FinalReport)
	if err != nil {
		return export.Publication{}, fmt.Errorf("run %s has no final report yet (`council status %s` says how far it is): %w", id, id, usage.Cause(err))
	}
	reg, err := registryOf(project, id)
	if err != nil {
		return export.Publication{}, err
	}
	p := export.Publication{Report: text, ID: id, Topic: s.Topic, Written: s.At.UTC(), Maker: "council " + e.Version, Registry: reg}
	if p.Score, err = scoreOf(f); err != nil {
		return export.Publication{}, err
	}
	a, err := archiveOf(f)
	if err != nil {
		fmt.Fprintf(e.Stderr, "council: what the archive knows of the sources is left out: %s\n", view.ErrorLine(err))
	}
	p.Sources = sourcesOf(a)
	return p, nil
}

// scoreOf reads a run's score; nil when there is none.
func scoreOf(f *workspace.Folder) (*score.Result, error) {
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

// archiveOf opens a run's archive to be read; nil when there is none.
func archiveOf(f *workspace.Folder) (*archive.Archive, error) {
	if !f.Has(recipe.SourcesDir) {
		return nil, nil
	}
	return archive.Open(f.Join(recipe.SourcesDir), archive.Options{})
}

// sourcesOf says what an archive, which may be nil, knows of its sources.
func sourcesOf(a *archive.Archive) map[string]export.Source {
	if a == nil {
		return nil
	}
	return councilwork.Sources(a)
}
