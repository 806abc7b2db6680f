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
	maxAuthors = 200
	maxField   = 500 // bytes of a title, a name, a date
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
			m.refresh = firstNonEmpty(m.refresh, refresh(n))
		case atom.Title:
			if title == "" && (n.Parent == nil || n.Parent.DataAtom != atom.Svg) {
				title = textOf(n)
			}
		case atom.H1:
			if m.heading == "" {
				m.heading = shortField(textOf(n))
			}
		case atom.Script:
			if strings.EqualFold(attr(n, "type"), "application/ld+json") {
				linked = append(linked, parseJSON(textOf(n)))
			}
		}
	}
	m.readMetaElements(named)
	for _, l := range linked {
		m.readJSONLD(l, 0)
	}
	if m.title == "" {
		m.title = firstNonEmpty(shortField(title), m.heading)
	}
	m.published = strings.ReplaceAll(m.published, "/", "-")
	return m
}

// collect notes a meta element under its name in lower case.
func collect(named map[string][]string, n *html.Node) {
	name := strings.ToLower(firstNonEmpty(attr(n, "name"), attr(n, "property"), attr(n, "itemprop")))
	if content := shortField(attr(n, "content")); name != "" && content != "" && len(named[name]) < maxAuthors {
		named[name] = append(named[name], content)
	}
}

// readMetaElements reads the meta elements, those for libraries first: they are about
// the work, the others about the page.
func (m *meta) readMetaElements(named map[string][]string) {
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
			m.addAuthors(strings.Split(who, ";")...)
		}
		if len(m.authors) > 0 {
			return
		}
	}
}

// addAuthors adds authors. An address is none.
func (m *meta) addAuthors(names ...string) {
	for _, n := range names {
		n = shortField(n)
		if n != "" && !strings.Contains(n, "://") && !slices.Contains(m.authors, n) && len(m.authors) < maxAuthors {
			m.authors = append(m.authors, n)
		}
	}
}

func parseJSON(text string) any {
	var v any
	if len(text) > 1<<20 || json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	return v
}

// readJSONLD reads JSON-LD (schema.org): the first article or work in it fills
// what the meta elements left open.
func (m *meta) readJSONLD(v any, depth int) {
	if depth > 4 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v[:min(len(v), 50)] {
			m.readJSONLD(e, depth+1)
		}
	case map[string]any:
		m.readJSONLD(v["@graph"], depth+1)
		if isWork(v["@type"]) {
			m.readWork(v)
		}
	}
}

func (m *meta) readWork(v map[string]any) {
	m.title = firstNonEmpty(m.title, stringValue(v["headline"]), stringValue(v["name"]))
	m.published = firstNonEmpty(m.published, stringValue(v["datePublished"]))
	if len(m.authors) == 0 {
		m.addAuthors(names(v["author"])...)
	}
	if free, ok := v["isAccessibleForFree"]; ok {
		m.free = free != false && !strings.EqualFold(stringValue(free), "false")
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

func stringValue(v any) string {
	s, _ := v.(string)
	return shortField(s)
}

func names(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case map[string]any:
		return []string{stringValue(v["name"])}
	case []any:
		var list []string
		for _, e := range v[:min(len(v), maxAuthors)] {
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

// shortField is a short text on one line.
func shortField(s string) string {
	if len(s) > 4*maxField {
		s = s[:4*maxField]
	}
	s = Line(strings.ToValidUTF8(s, ""))
	if len(s) > maxField {
		s = strings.ToValidUTF8(s[:maxField], "")
	}
	return s
}

func firstNonEmpty(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
