package serve

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/reviewwork"
)

// Bounds of what a review's pages show.
const (
	mostFindings = 100     // of one page, each with its code
	mostCode     = 4 << 20 // bytes of a file that is read for them
	codeAround   = 6       // lines before and behind a finding
)

// showFindings are the findings of a review by file and severity, each at its line.
func showFindings(v *visit) error {
	v.title, v.place = "Findings", "findings"
	done, err := reviewwork.Findings(v.project.Path, v.id)
	if err != nil {
		return v.without(err, "findings")
	}
	q := v.r.URL.Query()
	severity, file, taken := q.Get("severity"), q.Get("file"), q.Get("taken") != ""
	b := &v.body
	b.put("<p class=\"lead\">%s</p>\n", runs.FindingsLine(done))
	if done.Summary != "" {
		b.put("<p>%s</p>\n", done.Summary)
	}
	var files []string
	for _, m := range done.Findings {
		files = append(files, m.File)
	}
	b.put("<form class=\"filter\" method=\"get\">")
	b.chosen("severity", "Severity", severity, finding.Severities())
	b.chosen("file", "File", file, distinct(files))
	b.ticked("taken", "taken out too", taken)
	b.put("<button>Show</button></form>\n")
	list := slices.DeleteFunc(slices.Clone(done.Findings), func(m finding.Merged) bool {
		return severity != "" && m.Severity != severity || file != "" && m.File != file || !taken && !m.Stands()
	})
	b.findingCounts(list)
	code, err := v.code()
	if err != nil {
		return err
	}
	if code != nil {
		defer code.Close()
	}
	pages := max(1, (len(list)+mostFindings-1)/mostFindings)
	page := min(pageOf(q), pages)
	for _, m := range list[(page-1)*mostFindings : min(page*mostFindings, len(list))] {
		b.finding(m, code)
	}
	b.pager(func(page int) string {
		q := url.Values{"severity": {severity}, "file": {file}, "page": {fmt.Sprint(page)}}
		if taken {
			q.Set("taken", "1")
		}
		return "?" + q.Encode()
	}, page, pages)
	return nil
}

// code is the folder whose code was reviewed; nil where that is not to be had any more.
func (v *visit) code() (*os.Root, error) {
	r, err := supervisor.Read(v.project.Path, v.id)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(codereview.Root(r.Setup))
	if err != nil {
		return nil, nil // what was quoted of it is shown
	}
	return root, nil
}

// findingCounts is a table of how many findings of each severity a file has.
func (m *markup) findingCounts(list []finding.Merged) {
	counts, files := map[string]map[string]int{}, []string{}
	for _, f := range list {
		if counts[f.File] == nil {
			counts[f.File], files = map[string]int{}, append(files, f.File)
		}
		counts[f.File][f.Severity]++
	}
	if len(files) == 0 {
		m.put("<p>No finding fits.</p>\n")
		return
	}
	m.put("<details><summary>By file (%d)</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"findings by file\"><table><thead><tr><th scope=\"col\">File</th>", len(files))
	for _, s := range finding.Severities() {
		m.put("<th scope=\"col\">%s</th>", s)
	}
	m.put("</tr></thead><tbody>")
	for _, file := range files {
		m.put("<tr><th scope=\"row\"><a href=\"%s\">%s</a></th>", query("", "file", file), file)
		for _, s := range finding.Severities() {
			m.put("<td class=\"number\">%s</td>", strings.TrimPrefix(fmt.Sprint(counts[file][s]), "0"))
		}
		m.put("</tr>\n")
	}
	m.put("</tbody></table></div></details>\n")
}

func (m *markup) finding(f finding.Merged, code *os.Root) {
	m.put("<section class=\"finding\" id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n<p>", f.ID, f.ID, f.ID, f.Title)
	m.state(f.Severity)
	m.put(" <code>%s:%d</code> <span class=\"tag\">%s</span> <span class=\"tag\">%s</span> confidence %s", f.File, f.Line, f.Kind, f.Category, f.Confidence)
	if f.Status != "" {
		m.put(" · ")
		m.state(f.Status)
	}
	m.put("</p>\n<p>%s</p>\n", f.Description)
	m.findingCode(f, code)
	m.put("<dl class=\"facts\">")
	m.fact("Impact", f.Impact)
	m.fact("Mend", f.Fix)
	m.fact("CWE", f.CWE)
	m.fact("Found by", strings.Join(f.Reviewers, ", ")+" ("+strings.Join(f.Families, ", ")+")")
	for _, j := range f.Judgements {
		m.fact("Judged", strings.ReplaceAll(j.Verdict, "_", " ")+": "+j.Reason)
	}
	for _, a := range f.Also {
		m.fact("Also at", fmt.Sprintf("%s:%d", a.File, a.Line))
	}
	m.put("</dl>\n</section>\n")
}

// findingCode shows the code around a finding as it is now; where it is no longer what was
// quoted, the quotation.
func (m *markup) findingCode(f finding.Merged, code *os.Root) {
	last := max(f.Line, f.EndLine)
	text, err := readCode(code, f.File)
	lines := strings.Split(text, "\n")
	first := max(1, f.Line)
	if err != nil || last > len(lines) || f.Code != "" && !strings.Contains(strings.Join(lines[first-1:min(len(lines), max(last, first+strings.Count(f.Code, "\n")))], "\n"), strings.TrimSpace(firstLine(f.Code))) {
		if f.Code != "" {
			m.put("<p class=\"soft\">As it was quoted; the file is another now, or not there.</p>\n<pre tabindex=\"0\" aria-label=\"code\">%s</pre>\n", f.Code)
		}
		return
	}
	from := max(1, first-codeAround)
	m.put("<ol class=\"lines\" start=\"%d\" tabindex=\"0\" aria-label=\"code of %s from line %d\">\n", from, f.File, from)
	for n := from; n <= min(len(lines), last+codeAround); n++ {
		one := strings.TrimRight(lines[n-1], "\r")
		if n >= first && n <= last {
			m.put("<li><code><mark>%s</mark></code></li>\n", cmp.Or(one, " "))
			continue
		}
		m.put("<li><code>%s</code></li>\n", one)
	}
	m.put("</ol>\n")
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(s, "\n"), "\n")
	return first
}

func readCode(code *os.Root, name string) (string, error) {
	if code == nil {
		return "", fs.ErrNotExist
	}
	info, err := code.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > mostCode {
		return "", errors.New("it is too large to be shown")
	}
	data, err := code.ReadFile(name)
	return string(data), err
}
