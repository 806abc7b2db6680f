package serve

import (
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// refused is the state of a claim that a desk has refused: it is in no registry and is
// counted in nothing, but people see it in the table.
const refused = "refused"

// refusedPrefix begins the names that refused claims have on these pages alone.
const refusedPrefix = "refused-"

// refusalsOf are the claims that the desks of a run have refused.
func refusalsOf(f *workspace.Folder) []claim.DeskRefusal {
	names, err := f.Names(claim.Records)
	if err != nil {
		return nil // nobody has recorded a claim
	}
	var list []claim.DeskRefusal
	for _, name := range names {
		if !strings.HasSuffix(name, filepath.Base(claim.RefusalsFile(""))) {
			continue
		}
		data, _ := f.Read(claim.Records + "/" + name) // it is there, or it says nothing
		list = append(list, claim.DecodeRefusals(data)...)
	}
	return list
}

// withRefused is a registry with the refused claims behind its own.
func (g registry) withRefused(list []claim.DeskRefusal) *registry {
	if len(list) == 0 {
		return &g
	}
	g.rows = slices.Clone(g.rows)
	for i, r := range list {
		row := row{
			id: fmt.Sprint(refusedPrefix, i+1), text: r.Text, quote: r.Quote, source: r.Source, kind: claim.Kind("").String(), state: refused,
			seats: []string{r.Seat}, number: 1<<30 + i,
		}
		row.fold()
		g.rows = append(g.rows, row)
	}
	g.sorts.states = append(slices.Clip(g.sorts.states), refused)
	for _, r := range list {
		if !slices.Contains(g.sorts.seats, r.Seat) {
			g.sorts.seats = append(slices.Clip(g.sorts.seats), r.Seat)
		}
	}
	return &g
}

// showRefused is one claim that a desk has refused, with its reason.
func showRefused(v *visit, id string) error {
	list := refusalsOf(v.folder)
	n, err := strconv.Atoi(strings.TrimPrefix(id, refusedPrefix))
	if err != nil || n < 1 || n > len(list) {
		return fs.ErrNotExist
	}
	r := list[n-1]
	v.title, v.place = "Refused claim", "claims"
	m := &v.body
	m.put("<article class=\"claim\" aria-labelledby=\"claim\">\n<p class=\"crumbs\"><a href=\"%s\">Claims</a> <span aria-hidden=\"true\">/</span> refused</p>\n<h2 id=\"claim\">%s</h2>\n<p>", v.at("claims"), r.Text)
	m.state(refused)
	m.put("</p>\n<p class=\"reason\">%s</p>\n<dl class=\"facts\">", r.Reason)
	m.fact("Claimed by", r.Seat)
	m.fact("From", r.Source)
	m.put("</dl>\n")
	if r.Quote != "" {
		m.put("<p>Quoted as:</p>\n<blockquote>%s</blockquote>\n", r.Quote)
	}
	m.put("<p class=\"hint\">The desk refused it when it was recorded, so it is in no registry, counts in nothing and is cited nowhere. The seat was told why and may have recorded it again.</p>\n</article>\n")
	return nil
}

// refusals lists what the desks have refused, while there is no registry.
func refusals(v *visit) {
	list := refusalsOf(v.folder)
	if len(list) == 0 {
		return
	}
	m := &v.body
	m.put("<h2>Refused at the desk</h2>\n<ol class=\"stream\">\n")
	for i, r := range list[:min(len(list), mostDrafts)] {
		m.put("<li><span class=\"who\">%s</span> <a href=\"%s\">%s</a> <span class=\"soft\">%s</span></li>\n", r.Seat, v.at("claims/"+url.PathEscape(fmt.Sprint(refusedPrefix, i+1))), line(r.Text, 300), line(r.Reason, 200))
	}
	m.put("</ol>\n")
}
