package export

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"

	"research-council/internal/base/plain"
	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/source"
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
	tables int
	level  int // of the last heading
}

// reference is a source that the report cites.
type reference struct {
	Number int
	Key    string // for BibTeX: ASCII letters, digits and dashes, the same in every run
	ID     source.Source
	Source Source
	Name   string // its title, or what else it can be called
	Claims []claim.Entry
	places map[string]int // those of the edition
}

// citation is a place of the report where a source is cited.
type citation struct {
	Reference *reference
	Claims    []placedClaim
}

// placedClaim is a claim at a place.
type placedClaim struct {
	claim.Entry
	Place int // the how manieth of its citations this is, from 1
}

// Anchor is the name of the claim's evidence, "c12".
func (c placedClaim) Anchor() string { return anchor(c.ID) }

func anchor(id string) string { return strings.ToLower(id) }

// parsePublication reads a publication's report.
func parsePublication(p Publication) *parsedPublication {
	e := &parsedPublication{
		Publication: p, title: "Deep Research Report", listTitle: "Sources", level: 1, known: map[string]claim.Entry{}, byKey: map[string]*reference{},
		names: map[string]bool{}, places: map[string]int{},
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
	c.Location.Reason, c.Location.Tier, c.Location.Nearest = line(c.Location.Reason), line(c.Location.Tier), line(c.Location.Nearest)
	c.Location.Snapshot, c.Location.Text = line(c.Location.Snapshot), line(c.Location.Text)
	c.Location.LeftOut = slices.Clone(c.Location.LeftOut)
	for i, gap := range c.Location.LeftOut {
		c.Location.LeftOut[i] = line(gap)
	}
	c.Location.Passage, c.Location.Context = plain.Text(c.Location.Passage), plain.Text(c.Location.Context)
	return c
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

// citationsOf notes a citation of claims by the title and target of a link: nothing,
// where it names no claim of the registry.
func (e *parsedPublication) citationsOf(target, title string) []citation {
	named, _, _ := strings.Cut(title, " — ") // site and date
	names := strings.Split(named, ", ")
	if first := strings.ToUpper(strings.TrimPrefix(target, "#")); !slices.Contains(names, first) {
		names = []string{first}
	}
	var out []citation
	for _, id := range names {
		c, ok := e.known[id]
		if !ok {
			continue
		}
		ref := e.refer(c)
		e.places[id]++
		claims := []placedClaim{{Entry: c, Place: e.places[id]}}
		if last := len(out) - 1; last >= 0 && out[last].Reference == ref {
			out[last].Claims = append(out[last].Claims, claims...)
			continue
		}
		out = append(out, citation{Reference: ref, Claims: claims})
	}
	return out
}

// refer gives the reference to a claim's source.
func (e *parsedPublication) refer(c claim.Entry) *reference {
	id := source.Identify(c.Source)
	ref, ok := e.byKey[id.Key]
	if !ok {
		ref = &reference{Number: len(e.references) + 1, ID: id, Source: e.Sources[id.Key].sanitised(), places: e.places}
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

// uncited lists the claims of the registry that the report does not cite.
func (e *parsedPublication) uncited() []claim.Entry {
	var list []claim.Entry
	for _, c := range e.Registry.Entries {
		if e.places[c.ID] == 0 {
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
