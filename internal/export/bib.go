package export

import (
	"fmt"
	"strings"

	"research-council/internal/source"
)

// bibtex writes the references as entries of BibTeX. All are @misc, the one
// type every style and reader knows that asks for no publisher or journal.
// Text is UTF-8, as biber and all but the oldest BibTeX read it.
func (e *edition) bibtex() []byte {
	var b strings.Builder
	for i, r := range e.references {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "@misc{%s,\n", r.Key)
		for _, f := range r.fields() {
			fmt.Fprintf(&b, "  %s = {%s},\n", f[0], f[1])
		}
		b.WriteString("}\n")
	}
	return []byte(b.String())
}

// fields are those of an entry, escaped.
func (r *reference) fields() [][2]string {
	var out [][2]string
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	add("title", "{"+latex(r.Name)+"}") // braced twice: styles would put names in small letters
	var names []string
	for _, p := range r.people() {
		names = append(names, p.bibtex())
	}
	add("author", strings.Join(names, " and "))
	add("year", r.Source.year())
	switch r.ID.Kind {
	case source.DOI:
		add("doi", verbatim(r.id()))
	case source.ArXiv:
		add("eprint", verbatim(r.id()))
		add("eprinttype", "arxiv")
	case source.ISBN:
		add("isbn", verbatim(r.id()))
	case source.File:
		add("howpublished", "file "+latex(r.ID.Path))
	}
	add("url", r.link())
	if !r.Source.Fetched.IsZero() {
		add("urldate", r.Source.Fetched.UTC().Format("2006-01-02"))
	}
	add("note", latex(r.note()))
	return out
}

// bibtex writes a name. One that is not taken apart stands in braces of its
// own: "and" and commas within mean nothing.
func (p person) bibtex() string {
	if p.Literal != "" {
		return "{" + latex(p.Literal) + "}"
	}
	return part(p.Family) + ", " + part(p.Given)
}

// part writes a part of a name: an "and" in it would begin another.
func part(s string) string {
	if strings.Contains(strings.ToLower(" "+s+" "), " and ") {
		return "{" + latex(s) + "}"
	}
	return latex(s)
}

// latex makes text of what could be a command. Braces become commands, since
// BibTeX counts them whatever stands before.
func latex(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '\\':
			b.WriteString(`\textbackslash{}`)
		case '{':
			b.WriteString(`\textbraceleft{}`)
		case '}':
			b.WriteString(`\textbraceright{}`)
		case '$', '&', '#', '%', '_':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '^':
			b.WriteString(`\textasciicircum{}`)
		case '~':
			b.WriteString(`\textasciitilde{}`)
		case '<':
			b.WriteString(`\textless{}`)
		case '>':
			b.WriteString(`\textgreater{}`)
		case '|':
			b.WriteString(`\textbar{}`)
		case '`':
			b.WriteString(`\textasciigrave{}`)
		case '\n', '\t':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
