// Package publication puts a run's report, in the forms somebody wants, where they
// want it. It gathers what a publication is made of and settles the places of the
// files; how a form looks is left to package export, the PDF to tex, and the file
// of archived pages to archive.
package publication

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/reviewwork"
	"github.com/research-council/research-council/internal/product/council/councilwork"
)

// Forms that package export does not write: WARC is made of the archive alone,
// PDF by the TeX that is here.
const (
	WARC export.Form = "warc"
	PDF  export.Form = "pdf"
)

// ParseForms reads the names of forms, each once.
func ParseForms(names []string) ([]export.Form, error) {
	var forms []export.Form
	for _, name := range names {
		f, err := export.ParseForm(name)
		if own := strings.ToLower(strings.TrimSpace(name)); own == string(WARC) || own == string(PDF) {
			f, err = export.Form(own), nil
		}
		if err != nil {
			return nil, usage.Errorf("--to %q is no form; there are %s, %s and %s", name, joinForms(export.Forms()), PDF, WARC)
		}
		if !slices.Contains(forms, f) {
			forms = append(forms, f)
		}
	}
	if len(forms) == 0 {
		return nil, usage.Errorf("--to names no form; there are %s, %s and %s", joinForms(export.Forms()), PDF, WARC)
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

// Place is where exports go: standard output, a folder, with the name of a
// file where one was given, or, when all is empty, beside the report.
type Place struct {
	Stdout    bool
	Dir, Name string
	Force     bool // what stands there may be replaced
}

// CheckWritable says, before anything is done, why an export cannot be put in its place,
// or nil.
func (o Place) CheckWritable(forms []export.Form) error {
	for _, form := range forms {
		if o.Dir == "" {
			return nil
		}
		if err := workspace.CheckWritable(o.Dir, o.named(form), workspace.Replaceable{Any: o.Force}); err != nil {
			return usage.Errorf("--output, %s: %w", filepath.Join(o.Dir, o.named(form)), err)
		}
	}
	return nil
}

// named is the name of the file a form gets.
func (o Place) named(form export.Form) string {
	if o.Name != "" {
		return o.Name
	}
	return strings.TrimSuffix(flow.FinalReport, ".md") + form.Extension()
}

// FindPlace reads --output before anything is done; resolve gives the folder and the
// name of a path.
func FindPlace(output string, forms []export.Form, resolve func(path string) (folder, name string, err error)) (Place, error) {
	if output == "" {
		return Place{}, nil
	}
	if len(forms) > 1 && output == "-" {
		return Place{}, usage.Errorf("--output - takes one form; %d are asked for", len(forms))
	}
	if output == "-" {
		return Place{Stdout: true}, nil
	}
	folder, name, err := resolve(output)
	if err != nil {
		return Place{}, usage.Errorf("--output %q: %w", output, err)
	}
	info, err := os.Stat(filepath.Join(folder, name))
	switch {
	case err == nil && info.IsDir():
		return Place{Dir: filepath.Join(folder, name)}, nil
	case len(forms) > 1 || strings.HasSuffix(output, string(filepath.Separator)):
		return Place{}, usage.Errorf("--output %q is no folder; make it first, or ask for one form", output)
	}
	return Place{Dir: folder, Name: name}, nil
}

// Request is a run whose report is wanted in other forms.
type Request struct {
	Project, ID string
	Forms       []export.Form
	Place       Place
}

// Write writes a run in forms and gives the paths of the files.
func Write(e program.Env, r Request) ([]string, error) {
	f, err := workspace.Open(r.Project, r.ID)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var p export.Publication
	if !slices.Equal(r.Forms, []export.Form{WARC}) {
		if p, err = gather(e, r.Project, f, r.ID); err != nil {
			return nil, err
		}
	}
	var written []string
	for _, form := range r.Forms {
		data, err := exported(e, f, p, form)
		if err != nil {
			return written, err
		}
		path, err := r.Place.write(e, f, form, data)
		if err != nil {
			return written, err
		}
		written = append(written, path)
	}
	return written, nil
}

func exported(e program.Env, f *workspace.Folder, p export.Publication, form export.Form) ([]byte, error) {
	switch form {
	case PDF:
		return pdfOf(e, p)
	case WARC:
	default:
		return export.Write(p, form)
	}
	a, err := runs.Archive(f)
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

// write writes one export and gives its path.
func (o Place) write(e program.Env, f *workspace.Folder, form export.Form, data []byte) (string, error) {
	if o.Stdout {
		_, err := e.Stdout.Write(data)
		return "", err
	}
	name := o.named(form)
	switch {
	case o.Dir != "":
		return filepath.Join(o.Dir, name), workspace.WriteUserFile(o.Dir, name, data, workspace.Replaceable{Any: o.Force})
	case name == flow.FinalReport: // it stands there already
		return f.Join(name), nil
	}
	return f.Join(name), f.Write(name, data)
}

// gather gathers what is exported of a run.
func gather(e program.Env, project string, f *workspace.Folder, id string) (export.Publication, error) {
	s, err := runs.Status(project, id)
	if err != nil {
		return export.Publication{}, err
	}
	if codereview.StatusOf(s) != nil {
		return export.Publication{}, fmt.Errorf("run %s is a review of code, which has no such export; its findings are in %s, and `council review --sarif FILE` writes them for other programs", id, reviewwork.ReviewFolder)
	}
	text, err := f.Read(flow.FinalReport)
	if err != nil {
		return export.Publication{}, fmt.Errorf("run %s has no final report yet (`council status %s` says how far it is): %w", id, id, usage.Cause(err))
	}
	reg, err := runs.Registry(project, id)
	if err != nil {
		return export.Publication{}, err
	}
	p := export.Publication{Report: text, ID: id, Topic: s.Topic, Written: s.At.UTC(), Maker: "council " + e.Version, Registry: reg}
	if p.Score, err = runs.Score(f); err != nil {
		return export.Publication{}, err
	}
	a, err := runs.Archive(f)
	if err != nil {
		fmt.Fprintf(e.Stderr, "council: what the archive knows of the sources is left out: %s\n", view.ErrorLine(err))
	}
	p.Sources, p.Texts, p.Uses = runs.Sources(a), councilwork.Texts(a), s.Uses
	if r, err := supervisor.Read(project, id); err == nil { // without it the page says less
		p.Course = councilwork.Course(r)
	}
	return p, nil
}
