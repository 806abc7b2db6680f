package extract

import (
	"encoding/json"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// meta is what a page says of itself.
type meta struct {
	title, published, doi string
	authors               []string
	free                  bool // false when it says that it is not free to read
	heading               string
	refresh               string // where the page sends its reader on to
}

const (
	mostAuthors = 200
	mostField   = 500 // bytes of a title, a name, a date
)

func metadata(doc *html.Node) meta {
	named := map[string][]string{}
	m := meta{free: true}
	var title string
	var linked []any
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Meta:
			collect(named, n)
			m.refresh = firstOf(m.refresh, refresh(n))
		case atom.Title:
			if title == "" && (n.Parent == nil || n.Parent.DataAtom != atom.Svg) {
				title = textOf(n)
			}
		case atom.H1:
			if m.heading == "" {
				m.heading = field(textOf(n))
			}
		case atom.Script:
			if strings.EqualFold(attr(n, "type"), "application/ld+json") {
				linked = append(linked, thing(textOf(n)))
			}
		}
	}
	m.named(named)
	for _, l := range linked {
		m.linked(l, 0)
	}
	if m.title == "" {
		m.title = firstOf(field(title), m.heading)
	}
	m.published = strings.ReplaceAll(m.published, "/", "-")
	return m
}

// collect notes a meta element under its name in lower case.
func collect(named map[string][]string, n *html.Node) {
	name := strings.ToLower(firstOf(attr(n, "name"), attr(n, "property"), attr(n, "itemprop")))
	if content := field(attr(n, "content")); name != "" && content != "" && len(named[name]) < mostAuthors {
		named[name] = append(named[name], content)
	}
}

// named reads the meta elements, those for libraries first: they are about
// the work, the others about the page.
func (m *meta) named(named map[string][]string) {
	first := func(names ...string) string {
		for _, n := range names {
			if len(named[n]) > 0 {
				return named[n][0]
			}
		}
		return ""
	}
	m.title = first("citation_title", "dc.title", "dcterms.title", "og:title", "twitter:title")
	m.published = first("citation_publication_date", "citation_date", "citation_online_date", "dc.date", "dcterms.date",
		"dcterms.issued", "article:published_time", "datepublished", "date", "parsely-pub-date")
	m.doi = bareDOI(first("citation_doi", "prism.doi", "bepress_citation_doi", "dc.identifier.doi", "dc.identifier"))
	for _, n := range []string{"citation_author", "citation_authors", "dc.creator", "dcterms.creator", "author", "article:author", "parsely-author"} {
		for _, who := range named[n] {
			m.by(strings.Split(who, ";")...)
		}
		if len(m.authors) > 0 {
			return
		}
	}
}

// by adds authors. An address is none.
func (m *meta) by(names ...string) {
	for _, n := range names {
		n = field(n)
		if n != "" && !strings.Contains(n, "://") && !slices.Contains(m.authors, n) && len(m.authors) < mostAuthors {
			m.authors = append(m.authors, n)
		}
	}
}

func thing(text string) any {
	var v any
	if len(text) > 1<<20 || json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	return v
}

// linked reads JSON-LD (schema.org): the first article or work in it fills
// what the meta elements left open.
func (m *meta) linked(v any, depth int) {
	if depth > 4 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v[:min(len(v), 50)] {
			m.linked(e, depth+1)
		}
	case map[string]any:
		m.linked(v["@graph"], depth+1)
		if isWork(v["@type"]) {
			m.work(v)
		}
	}
}

func (m *meta) work(v map[string]any) {
	m.title = firstOf(m.title, text(v["headline"]), text(v["name"]))
	m.published = firstOf(m.published, text(v["datePublished"]))
	if len(m.authors) == 0 {
		m.by(names(v["author"])...)
	}
	if free, ok := v["isAccessibleForFree"]; ok {
		m.free = free != false && !strings.EqualFold(text(free), "false")
	}
}

func isWork(kind any) bool {
	switch kind := kind.(type) {
	case string:
		return strings.HasSuffix(kind, "Article") || strings.HasSuffix(kind, "Posting") || kind == "Report" || kind == "Dataset" || kind == "WebPage"
	case []any:
		return slices.ContainsFunc(kind, isWork)
	}
	return false
}

func text(v any) string {
	s, _ := v.(string)
	return field(s)
}

func names(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case map[string]any:
		return []string{text(v["name"])}
	case []any:
		var list []string
		for _, e := range v[:min(len(v), mostAuthors)] {
			if _, nested := e.([]any); !nested {
				list = append(list, names(e)...)
			}
		}
		return list
	}
	return nil
}

// bareDOI is the DOI in an identifier, without what names it as one.
func bareDOI(id string) string {
	id = strings.ToLower(id)
	if at := strings.Index(id, "10."); at >= 0 && strings.Contains(id[at:], "/") && !strings.ContainsAny(id[at:], " \t") {
		return id[at:]
	}
	return ""
}

// field is a short text on one line.
func field(s string) string {
	if len(s) > 4*mostField {
		s = s[:4*mostField]
	}
	s = Line(strings.ToValidUTF8(s, ""))
	if len(s) > mostField {
		s = strings.ToValidUTF8(s[:mostField], "")
	}
	return s
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
