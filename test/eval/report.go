package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/yuin/goldmark"
	renderer "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/test/eval/plant"
	"github.com/research-council/research-council/test/eval/stage"
)

// report holds the final report against the plan and against its own
// references, and the exports against one another.
func (p *played) report(ctx context.Context) ([]Bar, error) {
	text, err := os.ReadFile(filepath.Join(p.run, "final-report.md"))
	if err != nil {
		return nil, err
	}
	planted, unmarked := p.passed(string(text))
	bars := []Bar{
		{"planted faults that the final report cites as if they were sound", "0", fmt.Sprint(planted), planted == 0},
		{"retracted papers in its list of sources that are not marked", "0", fmt.Sprint(unmarked), unmarked == 0},
	}
	dir := filepath.Join(p.stage.Dir, "exports")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	r, err := p.stage.Council(ctx, "export", stage.ID(p.run), "--to", "md,html,tex,bib,csl-json,ris", "--output", dir)
	if err != nil {
		return nil, err
	}
	if r.Code != 0 {
		return nil, fmt.Errorf("council export ended with %d: %s", r.Code, r.Errs)
	}
	for _, name := range []string{"final-report.md", "final-report.html"} {
		wrong, places, err := dangling(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		bars = append(bars, Bar{fmt.Sprintf("links within %s that lead nowhere, places named twice, and cited places nothing leads to", name), "0", fmt.Sprintf("%d of %d", wrong, places), wrong == 0 && places > 0})
	}
	audited, err := p.audited(ctx, filepath.Join(dir, "final-report.md"))
	if err != nil {
		return nil, err
	}
	bars = append(bars, audited)
	return append(bars, keysOf(dir)), nil
}

// passed counts the claims that are planted faults, have to be refused, and
// stand in the report as located; and cited retracted papers without a mark.
func (p *played) passed(report string) (planted, unmarked int) {
	cited := map[string]string{}
	for _, m := range regexp.MustCompile(`<a id="c(\d+)"></a>(.*)`).FindAllStringSubmatch(report, -1) {
		cited["C"+m[1]] = m[2]
	}
	for _, c := range p.plan.Claims {
		e := p.entry(c)
		if c.Fault == plant.None || e == nil || cited[e.ID] == "" {
			continue
		}
		if sort(c.Fault).Want != plant.Flagged && strings.Contains(cited[e.ID], "located at") {
			planted++
		}
		if c.Fault == plant.Retracted && e.Location.State == claim.Located && !p.marked(report, c) {
			unmarked++
		}
	}
	return planted, unmarked
}

// marked reports whether the report's list of sources says of a claim's source
// that it is retracted.
func (p *played) marked(report string, c plant.Claim) bool {
	for line := range strings.Lines(report) {
		if strings.Contains(line, "<"+p.direct(c.Source)+">") && strings.Contains(line, "RETRACTED") {
			return true
		}
	}
	return false
}

// dangling follows the links within a page: those without a place, places of
// one name, and places of claims and references that nothing leads to.
func dangling(path string) (wrong, places int, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, err
	}
	if filepath.Ext(path) == ".md" {
		var page bytes.Buffer
		if err := goldmark.New(goldmark.WithRendererOptions(renderer.WithUnsafe())).Convert(data, &page); err != nil {
			return 0, 0, fmt.Errorf("render %s: %w", filepath.Base(path), err)
		}
		data = page.Bytes()
	}
	tree, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return 0, 0, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	ids, links := map[string]int{}, map[string]int{}
	for n := range tree.Descendants() {
		for _, at := range n.Attr {
			to, within := strings.CutPrefix(at.Val, "#")
			switch {
			case at.Key == "id":
				ids[at.Val]++
			case at.Key == "href" && within:
				links[to]++
			}
		}
	}
	reference := regexp.MustCompile(`^(c|ref-?)\d+$`)
	for id, n := range ids {
		wrong += n - 1
		if reference.MatchString(id) {
			places++
			if links[id] == 0 {
				wrong++
			}
		}
	}
	for to := range links {
		if ids[to] == 0 {
			wrong++
		}
	}
	return wrong, places, nil
}

// audited has our own report graded as anybody's would be, by its structure.
func (p *played) audited(ctx context.Context, path string) (Bar, error) {
	bar := Bar{What: "faults of structure that `council audit` finds in the final report", Bar: "0"}
	r, err := p.stage.Council(ctx, "audit", "--offline", path, "--json")
	if err != nil {
		return bar, err
	}
	faults := gjson.Get(r.Out, "counts.structure")
	if !faults.Exists() {
		return bar, fmt.Errorf("council audit ended with %d: %s", r.Code, r.Errs)
	}
	bar.Got, bar.Holds = faults.Raw, faults.Int() == 0
	return bar, nil
}

// keysOf holds the keys that the article in LaTeX cites against the entries of
// the bibliography.
func keysOf(dir string) Bar {
	bar := Bar{What: "keys cited in final-report.tex without an entry in final-report.bib, and entries never cited", Bar: "0"}
	tex, err := os.ReadFile(filepath.Join(dir, "final-report.tex"))
	if err != nil {
		bar.Got = err.Error()
		return bar
	}
	bib, err := os.ReadFile(filepath.Join(dir, "final-report.bib"))
	if err != nil {
		bar.Got = err.Error()
		return bar
	}
	cited, entries := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile(`\\cite(?:\[[^\]]*\])?\{([^}]+)\}`).FindAllStringSubmatch(string(tex), -1) {
		for key := range strings.SplitSeq(m[1], ",") {
			cited[strings.TrimSpace(key)] = true
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^@\w+\{([^,]+),`).FindAllStringSubmatch(string(bib), -1) {
		entries[m[1]] = true
	}
	wrong := 0
	for key := range cited {
		if !entries[key] {
			wrong++
		}
	}
	for key := range entries {
		if !cited[key] {
			wrong++
		}
	}
	bar.Got, bar.Holds = fmt.Sprintf("%d of %d", wrong, len(entries)), wrong == 0 && len(entries) > 0
	return bar
}
