package serve

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/relation"
)

// kindsShown are what two claims can have to do with each other, in the order in which
// it is shown; what has nothing to do with another is not.
func kindsShown() []relation.Kind {
	return []relation.Kind{relation.Contradicts, relation.Condition, relation.Narrower, relation.Wider, relation.Overlaps, relation.Same, relation.Undecided}
}

// relationText says what the claim a has to do with b.
func relationText(k relation.Kind) string {
	return map[relation.Kind]string{
		relation.Same: "says the same as", relation.Narrower: "is narrower than", relation.Wider: "is wider than", relation.Overlaps: "overlaps with",
		relation.Contradicts: "contradicts", relation.Condition: "holds under another condition than", relation.Undecided: "judges do not agree on this and",
	}[k]
}

// turned is a relation as the other claim has it.
func turned(r relation.Relation) relation.Relation {
	r.A, r.B = r.B, r.A
	switch r.Kind {
	case relation.Narrower:
		r.Kind = relation.Wider
	case relation.Wider:
		r.Kind = relation.Narrower
	}
	return r
}

// relationsOf are what judges say that a claim has to do with others.
func (m *markup) relationsOf(v *visit, g *registry, id string) error {
	all, err := g.relations()
	if err != nil {
		return err
	}
	var list []relation.Relation
	for _, r := range all {
		if r.B == id {
			r = turned(r)
		}
		if r.A == id && slices.Contains(kindsShown(), r.Kind) {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return nil
	}
	m.put("<h3>Beside other claims</h3>\n<ul class=\"plain\">")
	for _, r := range sorted(list) {
		m.put("<li>%s ", relationText(r.Kind))
		m.related(v, g, r)
	}
	m.put("</ul>\n")
	return nil
}

// sorted puts relations into the order in which their kinds are shown.
func sorted(list []relation.Relation) []relation.Relation {
	slices.SortStableFunc(list, func(a, b relation.Relation) int {
		return cmp.Compare(slices.Index(kindsShown(), a.Kind), slices.Index(kindsShown(), b.Kind))
	})
	return list
}

// related ends a line on a relation: the other claim, its condition, and who says so.
func (m *markup) related(v *visit, g *registry, r relation.Relation) {
	text := ""
	if i, known := g.at[r.B]; known {
		text = line(g.rows[i].text, 200)
	}
	m.put("<a href=\"%s\">%s</a> %s", v.at("claims/"+url.PathEscape(r.B)), r.B, text)
	if r.Condition != "" {
		m.put(" <span class=\"condition\">Each holds: %s</span>", line(r.Condition, 300))
	}
	if r.Words != "" {
		m.put(" <q>%s</q>", line(r.Words, 200))
	}
	var families []string
	for _, voice := range r.Voices {
		if said := string(voice.Kind); voice.Kind != r.Kind && r.Kind == relation.Undecided {
			families = append(families, voice.Family+" ("+said+")")
			continue
		}
		families = append(families, voice.Family)
	}
	m.put(" <span class=\"soft\">%s", strings.Join(families, ", "))
	if r.Single {
		m.put("; one family alone was heard")
	}
	if r.Veto != "" {
		m.put("; not taken: %s", line(r.Veto, 200))
	}
	m.put("</span></li>\n")
}

// mostRelations bounds how many relations of a kind one page shows.
const mostRelations = 100

// related are the relations between claims, by kind.
func (v *visit) related(g *registry) error {
	all, err := g.relations()
	if err != nil {
		return err
	}
	byKind := map[relation.Kind][]relation.Relation{}
	for _, r := range all {
		if r.Kind == relation.Wider {
			r = turned(r)
		}
		byKind[r.Kind] = append(byKind[r.Kind], r)
	}
	b := &v.body
	headed := false
	for _, kind := range kindsShown() {
		list := byKind[kind]
		if len(list) == 0 {
			continue
		}
		if !headed {
			b.put("<h2>What claims have to do with each other</h2>\n")
			headed = true
		}
		b.put("<details><summary>%s <span class=\"soft\">%d</span></summary>\n<ul class=\"plain\">", kindTitle(kind), len(list))
		for _, r := range list[:min(len(list), mostRelations)] {
			b.put("<li><a href=\"%s\">%s</a> %s ", v.at("claims/"+url.PathEscape(r.A)), r.A, relationText(r.Kind))
			b.related(v, g, r)
		}
		b.put("</ul>\n")
		if more := len(list) - mostRelations; more > 0 {
			b.put("<p>and %d more</p>\n", more)
		}
		b.put("</details>\n")
	}
	return nil
}

func kindTitle(k relation.Kind) string {
	return map[relation.Kind]string{
		relation.Same: "The same", relation.Narrower: "Narrower", relation.Overlaps: "Alike in part", relation.Contradicts: "Contradictory",
		relation.Condition: "Both, each under its condition", relation.Undecided: "Not agreed",
	}[k]
}
