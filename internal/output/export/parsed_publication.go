package export

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/source"
)

// parsedPublication is a publication whose report has been read.
type parsedPublication struct {
	Publication
	title      string
	body       []block // the report without its title and its list of sources
	listed     int     // where in body the list of sources stood
	listTitle  string
	references []*reference

	known  map[string]claim.Entry
	byKey  map[string]*reference
	names  map[string]bool // keys of references that are taken
	places map[string]int  // how often a claim has been cited
	drawn  map[string]bool // conclusions that are cited, or that such a one rests on
	tables int
	level  int // of the last heading
}

// reference is a source that the report cites.
type reference struct {
	Number int
	Key    string // for BibTeX: ASCII letters, digits and dashes, the same in every run
	ID     source.Source
	Source Source
	Name   string        // its title, or what else it can be called
	Claims []claim.Entry // each with its passage in this source
}

// citation is a place of the report where a source is cited, or where conclusions are:
// these have no source of their own, and stand before the sources of their facts.
type citation struct {
	Reference *reference // nil of conclusions
	Claims    []placedClaim
}

// placedClaim is a claim at a place.
type placedClaim struct {
	claim.Entry
	Place int  // the how manieth of its citations this is, from 1
	Again bool // another of its sources stands before, in the same citation
}

// Anchor is the name of the claim's evidence, "c12".
func (c placedClaim) Anchor() string { return anchor(c.ID) }

func anchor(id string) string { return strings.ToLower(id) }

// parsePublication reads a publication's report.
func parsePublication(p Publication) *parsedPublication {
	e := &parsedPublication{
		Publication: p, title: "Research report", listTitle: "Sources", level: 1, known: map[string]claim.Entry{}, byKey: map[string]*reference{},
		names: map[string]bool{}, places: map[string]int{}, drawn: map[string]bool{},
	}
	for _, c := range p.Registry.Entries {
		if _, twice := e.known[c.ID]; !twice && idForm().MatchString(c.ID) {
			e.known[c.ID] = sanitiseClaim(c)
		}
	}
	r := reader{document: parse(p.Report), parsedPublication: e}
	from, to := r.sourceList()
	i := 0
	for n := r.Root.FirstChild(); n != nil; n, i = n.NextSibling(), i+1 {
		switch h, ok := n.(*ast.Heading); {
		case i == from:
			e.listed, e.listTitle = len(e.body), r.plainText(n)
		case i > from && i < to:
		case ok && h.Level == 1 && i == 0:
			e.title = r.plainText(n)
		default:
			e.body = append(e.body, r.block(n, 0)...)
		}
	}
	if from < 0 {
		e.listed = len(e.body)
	}
	return e
}

// sanitiseClaim makes the words of a claim fit to be shown: one line each, nothing that
// could deceive a reader.
func sanitiseClaim(c claim.Entry) claim.Entry {
	c.ID, c.Text, c.Quote, c.Source = line(c.ID), line(c.Text), line(c.Quote), line(c.Source)
	c.Location = sanitiseLocation(c.Location)
	c.RestsOn = sanitiseLines(c.RestsOn)
	c.Passages = slices.Clone(c.Passages)
	for i, p := range c.Passages {
		c.Passages[i].Quote, c.Passages[i].Source, c.Passages[i].Location = line(p.Quote), line(p.Source), sanitiseLocation(p.Location)
	}
	return c
}

func sanitiseLocation(l claim.Location) claim.Location {
	for _, words := range []*string{&l.Reason, &l.Doubt, &l.Tier, &l.Nearest, &l.Made, &l.Snapshot, &l.Text} {
		*words = line(*words)
	}
	l.LeftOut, l.Within = sanitiseLines(l.LeftOut), sanitiseLines(l.Within)
	l.Passage, l.Context = plain.Text(l.Passage), plain.Text(l.Context)
	return l
}

func sanitiseLines(list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = line(list[i])
	}
	return list
}

func (s Source) sanitised() Source {
	s.Title, s.Published, s.State, s.Reason, s.Notice = line(s.Title), line(s.Published), line(s.State), line(s.Reason), line(s.Notice)
	var authors []string
	for _, a := range s.Authors {
		if a = line(a); a != "" {
			authors = append(authors, a)
		}
	}
	s.Authors = authors
	return s
}

// idForm is how ids of claims look.
var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^C[0-9]{1,9}$`) })

// citationsOf notes a citation of claims and gives one for each source they rest on,
// behind one of those that are conclusions. A conclusion named without any fact has the
// sources of all it rests on. Ids that no claim of the registry has are passed over.
func (e *parsedPublication) citationsOf(ids []string) []citation {
	var conclusions []placedClaim
	var out []citation
	seen := map[string]bool{}
	for _, c := range e.factsNamed(ids, seen) {
		e.places[c.ID]++
		for i, ref := range e.referencesOf(c) {
			one := placedClaim{Entry: c, Place: e.places[c.ID], Again: i > 0}
			at := slices.IndexFunc(out, func(o citation) bool { return o.Reference == ref })
			if at < 0 {
				at, out = len(out), append(out, citation{Reference: ref})
			}
			out[at].Claims = append(out[at].Claims, one)
		}
	}
	for _, id := range ids {
		if c := e.known[id]; seen[id] && c.Kind.RestsOnClaims() {
			seen[id] = false // once
			e.places[id]++
			conclusions = append(conclusions, placedClaim{Entry: c, Place: e.places[id]})
		}
	}
	if len(conclusions) > 0 {
		out = append([]citation{{Claims: conclusions}}, out...)
	}
	return out
}

// factsNamed are the facts among claims, or where there are none those that they rest
// on. What has been seen on the way is noted.
func (e *parsedPublication) factsNamed(ids []string, seen map[string]bool) []claim.Entry {
	isFact := func(id string) bool { c, known := e.known[id]; return known && !c.Kind.RestsOnClaims() }
	if !slices.ContainsFunc(ids, isFact) {
		return e.factsUnder(ids, seen)
	}
	var facts []claim.Entry
	for _, id := range ids {
		switch c, known := e.known[id]; {
		case !known || seen[id]:
		case isFact(id):
			seen[id], facts = true, append(facts, c)
		default:
			seen[id], e.drawn[id] = true, true
		}
	}
	return facts
}

// factsUnder are the facts among claims, and those that the others rest on in however
// many steps, each once. What has been seen on the way is noted.
func (e *parsedPublication) factsUnder(ids []string, seen map[string]bool) []claim.Entry {
	var facts []claim.Entry
	for _, id := range ids {
		c, known := e.known[id]
		switch {
		case !known || seen[id]:
			continue
		case c.Kind.RestsOnClaims():
			seen[id], e.drawn[id] = true, true
			facts = append(facts, e.factsUnder(c.RestsOn, seen)...)
		default:
			seen[id] = true
			facts = append(facts, c)
		}
	}
	return facts
}

// referencesOf gives the references to a claim's sources, each once.
func (e *parsedPublication) referencesOf(c claim.Entry) []*reference {
	var list []*reference
	for _, p := range c.Evidence() {
		of := c
		of.Quote, of.Source, of.Location = p.Quote, p.Source, p.Location
		if ref := e.refer(of); !slices.Contains(list, ref) {
			list = append(list, ref)
		}
	}
	return list
}

// refer gives the reference to a claim's source.
func (e *parsedPublication) refer(c claim.Entry) *reference {
	id := source.Identify(c.Source)
	ref, ok := e.byKey[id.Key]
	if !ok {
		ref = &reference{Number: len(e.references) + 1, ID: id, Source: e.Sources[id.Key].sanitised()}
		ref.Key = e.newKey(id)
		ref.Name = sourceName(ref, c)
		e.byKey[id.Key] = ref
		e.references = append(e.references, ref)
	}
	if !slices.ContainsFunc(ref.Claims, func(o claim.Entry) bool { return o.ID == c.ID }) {
		ref.Claims = append(ref.Claims, c)
	}
	return ref
}

// sourceName is what to call a source: by its title, its number, its path or its
// address.
func sourceName(r *reference, c claim.Entry) string {
	kind, id, _ := strings.Cut(r.ID.Key, ":")
	switch {
	case line(r.Source.Title) != "":
		return line(r.Source.Title)
	case r.ID.Kind == source.File:
		return line(r.ID.Path)
	case r.ID.Kind == source.URL:
		return line(r.ID.URL)
	case r.ID.Kind == source.ArXiv:
		return line("arXiv:" + id)
	case r.ID.Kind == source.Other:
		if said := line(c.Source); said != "" {
			return said
		}
		return "A source that was not named"
	}
	return line(strings.ToUpper(kind) + " " + id)
}

// neededClaims are the claims that stand nowhere on a page with their passages, and that
// a conclusion there rests on, in however many steps, or another claim is disputed by.
func (p *Page) neededClaims() map[string]bool {
	needed := map[string]bool{}
	var need func(id string)
	need = func(id string) {
		c, known := p.known[id]
		if !known || needed[id] || p.places[id] > 0 || p.drawn[id] {
			return
		}
		needed[id] = true
		for _, under := range c.RestsOn {
			need(under)
		}
	}
	for _, e := range p.evidence {
		for _, g := range e.RestsOn {
			need(g.ID)
		}
		for _, d := range e.Disputes {
			need(d.Against)
		}
	}
	return needed
}

// uncited lists the claims of the registry that the report does not cite, and that
// nothing it cites rests on.
func (e *parsedPublication) uncited() []claim.Entry {
	var list []claim.Entry
	for _, c := range e.Registry.Entries {
		if e.places[c.ID] == 0 && !e.drawn[c.ID] {
			list = append(list, sanitiseClaim(c))
		}
	}
	return list
}

// year is the year at the beginning of a date; "" where there is none.
func (s Source) year() string {
	if m := yearForm().FindString(s.Published); m != "" {
		return m
	}
	return ""
}

var yearForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[12][0-9]{3}\b`) })

// date gives year, month and day of a date as far as they are there.
func (s Source) date() []int {
	var parts []int
	m := dateForm().FindStringSubmatch(s.Published)
	for _, p := range m[min(1, len(m)):] {
		n, err := strconv.Atoi(p)
		if err != nil {
			break
		}
		parts = append(parts, n)
	}
	return parts
}

var dateForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([12][0-9]{3})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01]))?)?(?:[^0-9]|$)`)
})
