// Package prompt fills the prompts with what is true of one task: its files,
// the seats that really take part, what is open.
//
// Whatever is filled in is data: it is never looked at for placeholders, and a
// placeholder without a value is an error instead of a gap. The topic is not
// filled in at all; package agent frames it and puts it at the end. The texts
// themselves stand in package prompts.
package prompt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"research-council/internal/flow"
	"research-council/prompts"
)

// Task is what a seat has to know of its research or refinement. Paths are
// absolute.
type Task struct {
	Report     string // the file to write
	Claims     string // where to record claims, one JSON object a line
	Scope      string // the folder of local sources; "" for none
	Iteration  int    // of a continued turn: the one that begins, from 1
	Iterations int    // at most
	Open       string // a list of failed quotations and open questions; "" for none

	// Of a refinement alone.
	Own      string   // the seat's own report
	Others   []string // the other seats' reports: those that exist, none or many
	Registry string   // all claims recorded so far
}

// Research asks a seat for a first report.
func Research(t Task) (string, error) { return t.render("research") }

// Refinement asks a seat to go on from its own report and the others'.
func Refinement(t Task) (string, error) { return t.render("refinement") }

// Continue asks a seat that is in the middle of its work for one more
// iteration.
func Continue(t Task) (string, error) { return t.render("continue") }

func (t Task) render(name string) (string, error) {
	values := map[string]string{
		"report": t.Report, "refined_report": t.Report, "own_report": t.Own,
		"claims_file": t.Claims, "registry": t.Registry,
		"iteration": strconv.Itoa(t.Iteration), "max_iterations": strconv.Itoa(t.Iterations),
		"council": council(len(t.Others)), "other_reports": otherReports(t.Others),
		"local_sources": localSources(t.Scope), "open": openList(t.Open),
	}
	for i, path := range t.Others {
		values["report_"+strconv.Itoa(i+2)] = path
	}
	return render(name, values)
}

// Council is what the writer of the synthesis has to know. Paths are absolute.
type Council struct {
	Draft    string // the file to write
	Registry string // all claims, with what became of their quotations
	Question string // the file the topic stands in; "" when it is put at the end of the prompt
	Open     string // what has to be mended in an earlier draft; "" for none
	Reports  []Report
	Missing  []flow.Missing // seats that were asked for and left nothing
}

// Report is a seat's best report.
type Report struct {
	Seat    string
	Path    string
	Carried bool // the first report, because refining it failed
}

// Synthesis asks for the one report that is made of all the seats' reports.
func Synthesis(c Council) (string, error) {
	return render("synthesis", map[string]string{
		"draft": c.Draft, "registry": c.Registry,
		"seats": seats(len(c.Reports)), "question": question(c.Question),
		"reports": reports(c.Reports), "missing": missing(c.Missing), "open": mendList(c.Open),
	})
}

// SynthesisRequest wakes the host's session: a short text that points to the
// file with the whole prompt.
func SynthesisRequest(promptFile string) (string, error) {
	return render("synthesis-request", map[string]string{"prompt_file": promptFile})
}

func render(name string, values map[string]string) (string, error) {
	text, err := prompts.Text(name)
	if err != nil {
		return "", err
	}
	for placeholder, value := range values {
		if value == "" {
			text = strings.Replace(text, "\n{"+placeholder+"}\n", "", 1) // a paragraph with nothing to say
		}
	}
	filled, err := Fill(text, values)
	if err != nil {
		return "", fmt.Errorf("fill prompt %q: %w", name, err)
	}
	return filled, nil
}

// Fill puts values in the place of their {placeholders}, in a single pass: a
// value that looks like a placeholder stays what it is. A placeholder without
// a value is an error; a value without a placeholder is none.
func Fill(text string, values map[string]string) (string, error) {
	var unknown []string
	filled := placeholder().ReplaceAllStringFunc(text, func(found string) string {
		value, ok := values[found[1:len(found)-1]]
		if !ok {
			unknown = append(unknown, found)
		}
		return value
	})
	if len(unknown) > 0 {
		return "", fmt.Errorf("nothing is known for %s", strings.Join(unknown, ", "))
	}
	return filled, nil
}

// placeholder is lower case letters, digits and underscores in braces, so that
// the JSON in a prompt is none.
func placeholder() *regexp.Regexp { return regexp.MustCompile(`\{[a-z][a-z0-9_]*\}`) }
