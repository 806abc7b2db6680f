package serve

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// showCampaign is how far a campaign is: its features with their commits, its iterations
// with what their tests came to, its papers.
func showCampaign(v *visit) error {
	c := campaign.StatusOf(v.status)
	if c == nil {
		return fs.ErrNotExist
	}
	v.title, v.place = "Campaign", "campaign"
	b := &v.body
	b.put("<dl class=\"figures\"><div><dt>Phase</dt><dd>%s</dd></div><div><dt>Iteration</dt><dd>%d <small>of %d</small></dd></div><div><dt>Findings</dt><dd>%d</dd></div><div><dt>Sources</dt><dd>%d</dd></div>", c.Phase, c.Iteration, c.Iterations, c.Findings, c.Sources)
	if c.Features.Total > 0 {
		b.put("<div><dt>Features</dt><dd>%d <small>of %d pass</small></dd></div>", c.Features.Complete, c.Features.Total)
	}
	b.put("</dl>\n")
	for _, why := range c.Blockers {
		b.put("<p class=\"reason\">%s</p>\n", why)
	}
	r, err := supervisor.Read(v.project.Path, v.id)
	if err != nil {
		return err
	}
	folder, err := openInside(v.project.Path, campaign.Of(r.Setup.Own).Folder())
	if err == nil {
		defer folder.Close()
		v.papers(folder)
	}
	if list, err := steering.Features(r.Setup); err == nil {
		b.features(list)
	} else if !errors.Is(err, fs.ErrNotExist) {
		b.put("<p class=\"problem\">The list of features cannot be read: %s</p>\n", v.withoutPaths(err))
	}
	b.phases(c)
	if folder == nil {
		return nil
	}
	text, err := folder.ReadFile(campaign.Progress)
	if err != nil {
		return nil // there is none yet
	}
	text = text[max(0, len(text)-progressEnd):]
	b.put("<h2>%s</h2>\n", map[bool]string{true: "Iterations, with what their tests came to", false: "Iterations"}[c.Features.Total > 0])
	progress(b, string(text))
	return nil
}

// openInside opens a folder below another; no link leads out of it.
func openInside(dir, name string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenRoot(name)
}

// papers lists what people read of a campaign.
func (v *visit) papers(folder *os.Root) {
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return
	}
	headed := false
	for _, e := range entries {
		if !e.Type().IsRegular() || path.Ext(e.Name()) != ".pdf" {
			continue
		}
		if !headed {
			v.body.put("<h2>Papers</h2>\n<ul class=\"plain\">")
			headed = true
		}
		v.body.put("<li><a href=\"%s\">%s</a></li>", query(v.at("paper"), "name", e.Name()), e.Name())
	}
	if headed {
		v.body.put("</ul>\n")
	}
}

// servePaper serves a paper of a campaign as the PDF it is.
func servePaper(v *visit) error {
	name := v.r.URL.Query().Get("name")
	r, err := supervisor.Read(v.project.Path, v.id)
	if err != nil || campaign.Of(r.Setup.Own) == nil || path.Base(name) != name || path.Ext(name) != ".pdf" {
		return cmp.Or(err, fs.ErrNotExist)
	}
	folder, err := openInside(v.project.Path, campaign.Of(r.Setup.Own).Folder())
	if err != nil {
		return fs.ErrNotExist
	}
	defer folder.Close()
	data, err := folder.ReadFile(name)
	if err != nil || !strings.HasPrefix(string(data[:min(len(data), 5)]), "%PDF-") {
		return fs.ErrNotExist
	}
	v.w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'") // a viewer of PDF does not run in a sandbox
	v.w.Header().Set("Content-Type", "application/pdf")
	_, _ = v.w.Write(data) // a reader that is gone is told nothing
	return nil
}

func (m *markup) features(list feature.List) {
	m.put("<h2>Features</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"features\"><table class=\"cards\"><thead><tr><th scope=\"col\">Feature</th><th scope=\"col\">State</th><th scope=\"col\">Attempts</th><th scope=\"col\">Commit</th><th scope=\"col\">How it was shown, or why not</th></tr></thead><tbody>\n")
	for _, f := range list.Features {
		m.put("<tr><th scope=\"row\">%s %s <span class=\"soft\">%s</span></th><td>", f.ID, f.Name, line(f.Description, 200))
		m.state(map[feature.State]string{feature.Passed: "passes"}[f.State] + map[bool]string{true: string(f.State)}[f.State != feature.Passed])
		m.put("</td><td class=\"number\" data-label=\"attempts\">%d of %d</td><td data-label=\"commit\"><code>%s</code></td><td>%s", f.Attempts, feature.Attempts, f.Commit[:min(len(f.Commit), 10)], cmp.Or(f.Shown, f.Reason))
		for _, a := range f.Tried {
			m.put("<br><span class=\"soft\">tried: %s</span>", line(a.Reason, 300))
		}
		m.put("</td></tr>\n")
	}
	m.put("</tbody></table></div>\n")
}

func (m *markup) phases(c *campaign.Status) {
	if len(c.Phases) == 0 {
		return
	}
	m.put("<h2>Cost by phase</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"cost by phase\"><table><thead><tr><th scope=\"col\">Phase</th><th scope=\"col\">Iterations</th><th scope=\"col\">Cost</th></tr></thead><tbody>")
	for _, p := range c.Phases {
		m.put("<tr><th scope=\"row\">%s</th><td class=\"number\">%d</td><td>%s</td></tr>", p.Phase, p.Iterations, view.PriceText(p.Price))
	}
	m.put("</tbody></table></div>\n")
	if len(c.Recent) == 0 {
		return
	}
	m.put("<p>The last iterations:</p>\n<ul class=\"plain\">")
	for _, it := range c.Recent {
		m.put("<li>%d: %s, %s</li>", it.Iteration, strings.ReplaceAll(it.Role, "_", " "), view.PriceText(it.Price))
	}
	m.put("</ul>\n")
}
