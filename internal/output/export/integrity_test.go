package export_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/export"
)

// anyRegistry is a registry of claims about few sources, some of which are one
// under two names.
func anyRegistry() *rapid.Generator[claim.Registry] {
	refs := rapid.OneOf(
		rapid.SampledFrom([]string{
			"https://example.com/a", "http://www.example.com/a#x", "https://example.com/a?id=1", "https://example.com/{a}%7B_\\%23", "doi:10.1000/a_b", "https://doi.org/10.1000/A_B", "10.1000/a%b",
			"docs/a.md:3", "docs/a.md:9-12", "docs/b.md", "RFC 1", "arXiv:2401.00001v2", "ISBN 978-3-16-148410-0", "PMC123456", "PMID 1", "", "?", "a talk", "a  talk", "不要", "{\\input{x}}",
		}),
		rapid.StringN(0, 12, -1),
	)
	states := rapid.SampledFrom([]claim.Location{located("Quotation"), {State: claim.NotFound, Reason: "no"}, {State: claim.Unchecked}, {}})
	return rapid.Custom(func(t *rapid.T) claim.Registry {
		var reg claim.Registry
		for i := range rapid.IntRange(0, 12).Draw(t, "claims") {
			e := entry(fmt.Sprintf("C%d", i+1), refs.Draw(t, "source"), states.Draw(t, "location"))
			e.Text, e.Quote = rapid.String().Draw(t, "text"), rapid.String().Draw(t, "quote")
			if rapid.IntRange(0, 3).Draw(t, "drawn from others") == 0 {
				on := rapid.SliceOfN(rapid.SampledFrom([]string{"C1", "C2", "C3", "C4", "C9", "C77"}), 0, 3).Draw(t, "rests on")
				e = claim.Entry{ID: e.ID, Kind: claim.Inference, Text: e.Text, RestsOn: on, Seats: e.Seats, Families: e.Families, Rounds: e.Rounds}
			}
			reg.Entries = append(reg.Entries, e)
		}
		reg.Entries = claim.Ground(reg.Entries)
		if len(reg.Entries) > 1 && rapid.Bool().Draw(t, "conflict") {
			reg.Conflicts = []claim.Conflict{{ID: "D1", A: "C1", B: "C2", Status: "open"}}
		}
		return reg
	})
}

func anyDraft() *rapid.Generator[string] {
	piece := rapid.OneOf(rapid.SampledFrom([]string{
		"[C1]", "[C2, C3]", "[C1-C9]", "[C12]", "[C99]", "[C3](https://x.test)", "[1]", "\n\n", "\n", "## Key Findings\n\n", "# [C4]\n\n", "### So [C5]\n\n", "## Sources\n\n", "## Claim Registry\n\n", "- ", "1. ", "> ", "  - ", "      - ",
		"| a | b |\n|---|---|\n| [C1] | [C6] |\n", "**", "*", "`[C1]`", "```\n", "<a id=\"c1\"></a>", "[x](#c1)", "[x](#c1 \"C7\")", "https://x.test", "words ", "不要 ", "\\", "{", "}", "%", "$", "_", "--", "\"", "]]>", "</style>",
	}), rapid.StringN(0, 5, -1))
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 25).Draw(t, "draft"), "") })
}

// In every form each citation leads to one reference, no reference stands
// twice, and none stands uncited; and all forms agree on which there are.
func TestNoReferenceDanglesIsDoubledOrUnused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole(t, publication(anyDraft().Draw(t, "draft"), anyRegistry().Draw(t, "registry")))
	})
}

// The same holds when somebody has changed the report by hand.
func TestNoReferenceDanglesInAnEditedReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := publication(draft, anyRegistry().Draw(t, "registry"))
		at := rapid.IntRange(0, len(p.Report)).Draw(t, "at")
		p.Report = []byte(string(p.Report[:at]) + anyDraft().Draw(t, "edit") + string(p.Report[at:]))
		same(t, p)
	})
}

func whole(t require.TestingT, p export.Publication) {
	markdownIsWhole(t, write(t, p, export.Markdown), conclusions(p))
	same(t, p)
}

// same holds every form but the report itself to one list of references.
func same(t require.TestingT, p export.Publication) []string {
	tex := write(t, p, export.TeX)
	listed := matches(tex, `\\bibitem\{([^}]*)\}`)
	unique(t, listed, tex)
	require.ElementsMatch(t, listed, distinct(matches(tex, `\\cite\[[^\]]*\]\{([^}]*)\}`)), "cited and listed in:\n%s", tex)
	require.Equal(t, listed, matches(write(t, p, export.BibTeX), `(?m)^@misc\{(.*),$`))
	require.Equal(t, listed, matches(write(t, p, export.RIS), `(?m)^ID  - (.*)\r$`))
	var items []struct{ ID string }
	require.NoError(t, json.Unmarshal([]byte(write(t, p, export.CSL)), &items))
	var record export.Record
	require.NoError(t, json.Unmarshal([]byte(write(t, p, export.JSON)), &record))
	csl, ours := []string{}, []string{}
	for _, i := range items {
		csl = append(csl, i.ID)
	}
	for _, r := range record.References {
		ours = append(ours, r.ID)
		require.NotEmpty(t, r.Claims)
	}
	require.Equal(t, listed, csl)
	require.Equal(t, listed, ours)
	pageIsWhole(t, write(t, p, export.HTML), len(listed), conclusions(p))
	return listed
}

// conclusions are the anchors of claims that rest on others: they are cited by the
// sources of these.
func conclusions(p export.Publication) []string {
	var list []string
	for _, e := range p.Registry.Entries {
		if e.Kind.RestsOnClaims() {
			list = append(list, strings.ToLower(e.ID))
		}
	}
	return list
}

// markdownIsWhole looks at links and anchors as another reader sees them.
func markdownIsWhole(t require.TestingT, report string, drawn []string) {
	var anchors, targets, named []string
	src := []byte(report)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(src))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.RawHTML:
			if entering {
				anchors = append(anchors, matches(string(n.Segments.Value(src)), `^<a id="(c[0-9]+)">$`)...)
			}
		case *ast.Link:
			if anchor, ok := strings.CutPrefix(string(n.Destination), "#"); ok && entering {
				targets = append(targets, anchor)
				ids, _, _ := strings.Cut(strings.ToLower(string(n.Title)), " — ") // site and date
				named = append(named, strings.Split(ids, ", ")...)
			}
		}
		return ast.WalkContinue, nil
	})
	unique(t, anchors, report)
	named = slices.DeleteFunc(distinct(named), func(id string) bool { return slices.Contains(drawn, id) && !slices.Contains(anchors, id) })
	require.ElementsMatch(t, anchors, named, report)
	require.Subset(t, anchors, targets)
}

// pageIsWhole follows every link within a page.
func pageIsWhole(t require.TestingT, page string, references int, drawn []string) {
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var ids, targets, articles, rows []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				ids = append(ids, a.Val)
				if n.Data == "article" {
					articles = append(articles, a.Val)
				}
				if n.Data == "li" {
					rows = append(rows, a.Val)
				}
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
				targets = append(targets, a.Val[1:])
			}
		}
	}
	unique(t, ids, page)
	for _, target := range targets {
		require.Contains(t, ids, target)
	}
	for _, a := range articles { // each is cited, and leads back to where
		require.Contains(t, targets, a)
		if !slices.Contains(drawn, a) {
			require.Contains(t, ids, "r-"+a+"-1")
		}
	}
	require.Len(t, rows, references)
}

func matches(s, pattern string) []string {
	list := []string{}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(s, -1) {
		list = append(list, m[1])
	}
	return list
}

func unique(t require.TestingT, list []string, in string) {
	require.Equal(t, len(distinct(list)), len(list), "one of %q stands twice in:\n%s", list, in)
}

func distinct(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

func FuzzWrite(f *testing.F) {
	p := publication(draft, registry())
	f.Add(p.Report)
	f.Add([]byte("# T [x](#c1 \"C1, C2\")\n\n- > [x](#c3)\n\n## S\n\n<a id=\"c1\"></a>x\n\n| [x](#c2) |\n|-|\n\n<div>\n[C1](javascript:x)"))
	f.Fuzz(func(t *testing.T, report []byte) {
		p.Report = report
		same(t, p)
	})
}
