package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/test/eval/plant"
	"github.com/research-council/research-council/test/eval/stage"
	"github.com/research-council/research-council/test/web"
)

// drift runs the same claims twice, while a third of the pages has lost the
// words that are quoted and another third has got another footer, and holds
// `council diff` against that.
func drift(ctx context.Context, b bench) (Result, error) {
	plan, err := plant.New(plant.Size{Seed: b.seed + 2, Each: 60, Sources: 2, Hosts: hosts, Seats: len(families()), PerPage: claimsAPage})
	if err != nil {
		return Result{}, err
	}
	w, err := plan.Serve()
	if err != nil {
		return Result{}, err
	}
	defer w.Close()
	s, err := stage.New(b.bin, filepath.Join(b.tmp, "drift"))
	if err != nil {
		return Result{}, err
	}
	older, err := hold(ctx, s, plan, w)
	if err != nil {
		return Result{}, err
	}
	lost, footers := change(plan)
	if err := w.Add(append(lost.pages, footers.pages...)...); err != nil {
		return Result{}, err
	}
	if _, err := hold(ctx, s, plan, w); err != nil {
		return Result{}, err
	}
	r, err := s.Council(ctx, "diff", stage.ID(older), "--json")
	if err != nil {
		return Result{}, err
	}
	var d claim.Difference
	if err := json.Unmarshal([]byte(r.Out), &d); err != nil {
		return Result{}, fmt.Errorf("read what council diff says: %w: %s", err, r.Errs)
	}
	return compare(plan, d, w, lost, footers), nil
}

// changed is pages that are served anew, by their address.
type changed struct {
	pages []web.Page
	urls  []string
}

// change alters plain pages in turns: the words quoted, the footer, nothing.
func change(plan *plant.Plan) (lost, footers changed) {
	n := 0
	for _, p := range plan.Pages {
		if !slices.Contains(direct(), p.Manner) {
			continue
		}
		body := string(p.Render().Bytes)
		switch n++; n % 3 {
		case 0:
			// every sentence says something else now
			head, article, _ := strings.Cut(body, "<article>")
			lost.add(p, head+"<article>"+strings.NewReplacer("0", "1", "1", "2", "2", "3", "3", "4", "4", "5", "5", "6", "6", "7", "7", "8", "8", "9", "9", "0").Replace(article))
		case 1:
			footers.add(p, strings.Replace(body, "© the publisher.", "© the publisher, seen 4711 times today.", 1))
		}
	}
	return lost, footers
}

// direct are the manners of pages that stand at their own address as HTML.
func direct() []plant.Manner {
	return []plant.Manner{plant.PlainPage, plant.Marked, plant.Long, plant.Orders, plant.AboutErrors, plant.AboutBlocks, plant.Newsletter, plant.Commented}
}

func (c *changed) add(p *plant.Page, body string) {
	c.urls = append(c.urls, p.URL())
	c.pages = append(c.pages, web.Page{URL: p.URL(), MIME: p.Render().Type, Body: body})
}

// compare holds the difference against what was changed.
func compare(plan *plant.Plan, d claim.Difference, w *web.Web, lost, footers changed) Result {
	moved := map[string]bool{}
	for _, c := range d.Changed {
		moved[c.New.Source+"\x00"+c.New.Text] = moved[c.New.Source+"\x00"+c.New.Text] || slices.Contains(c.What, "location")
	}
	caught, footer, still := rate{}, rate{}, rate{}
	for _, c := range plan.Claims {
		if c.Fault != plant.None || !slices.Contains(direct(), c.Manner) {
			continue
		}
		told := moved[w.Direct(c.Source)+"\x00"+plain.Trimmed(c.Text)]
		switch {
		case slices.Contains(lost.urls, c.Source):
			caught.count(told)
		case slices.Contains(footers.urls, c.Source):
			footer.count(told)
		default:
			still.count(told)
		}
	}
	return Result{
		Inputs: fmt.Sprintf("Seed %d: two runs of %d claims; between them %d pages have changed in what is quoted and %d in their footer.", plan.Size.Seed, len(plan.Claims), len(lost.urls), len(footers.urls)),
		Bars: []Bar{
			{fmt.Sprintf("of %d claims whose words are gone, told as changed", caught.all), "≥ 99 %", caught.String(), caught.part() >= 0.99},
			{fmt.Sprintf("of %d claims on pages with another footer, told as changed", footer.all), "≤ 1 %", footer.String(), footer.part() <= 0.01},
			{fmt.Sprintf("of %d claims on unchanged pages, told as changed", still.all), "≤ 1 %", still.String(), still.part() <= 0.01},
			{"claims told as gained or lost", "0", fmt.Sprint(len(d.Gained) + len(d.Lost)), len(d.Gained)+len(d.Lost) == 0},
		},
	}
}
