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
		b.WriteString(bibEntry(r.Key, r.fields()))
	}
	return []byte(b.String())
}

// bibEntry writes an entry with the fields that say something.
func bibEntry(key string, fields [][2]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "@misc{%s,\n", key)
	for _, f := range fields {
		if f[1] != "" {
			fmt.Fprintf(&b, "  %s = {%s},\n", f[0], f[1])
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// fields are those of an entry, escaped.
func (r *reference) fields() [][2]string {
	return append(r.fieldsAs(latex), [2]string{"note", latex(r.note())})
}

// fieldsAs are the fields of an entry but for its note; words are set by a
// function.
func (r *reference) fieldsAs(set func(string) string) [][2]string {
	var names []string
	for _, p := range r.people() {
		names = append(names, p.bibtex(set))
	}
	out := [][2]string{
		{"title", "{" + set(r.Name) + "}"}, // braced twice: styles would put names in small letters
		{"author", strings.Join(names, " and ")},
		{"year", r.Source.year()},
	}
	switch r.ID.Kind {
	case source.DOI:
		out = append(out, [2]string{"doi", verbatim(r.id())})
	case source.ArXiv:
		out = append(out, [2]string{"eprint", verbatim(r.id())}, [2]string{"eprinttype", "arxiv"})
	case source.ISBN:
		out = append(out, [2]string{"isbn", verbatim(r.id())})
	case source.File:
		out = append(out, [2]string{"howpublished", "file " + set(r.ID.Path)})
	}
	out = append(out, [2]string{"url", r.link()})
	if !r.Source.Fetched.IsZero() {
		out = append(out, [2]string{"urldate", r.Source.Fetched.UTC().Format("2006-01-02")})
	}
	return out
}

// bibtex writes a name. One that is not taken apart stands in braces of its
// own: "and" and commas within mean nothing.
func (p person) bibtex(set func(string) string) string {
	if p.Literal != "" {
		return "{" + set(p.Literal) + "}"
	}
	return part(p.Family, set) + ", " + part(p.Given, set)
}

// part writes a part of a name: an "and" in it would begin another.
func part(s string, set func(string) string) string {
	if strings.Contains(strings.ToLower(" "+s+" "), " and ") {
		return "{" + set(s) + "}"
	}
	return set(s)
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

// Bounds on what a list of sources shows of one.
const (
	mostAuthors = 20
	longestName = 200
)

// entry writes a reference for papers that LaTeX sets. Its words are set like
// theirs; the hash of the archived bytes is in a field that styles do not print.
func (r *reference) entry() string {
	shown := *r
	shown.Name, shown.Source.Authors = short(r.Name, longestTitle), nil
	for _, a := range r.Source.Authors {
		if a = short(a, longestName); a != "" && len(shown.Source.Authors) < mostAuthors {
			shown.Source.Authors = append(shown.Source.Authors, a)
		}
	}
	fields := shown.fieldsAs(typed)
	if len(r.Source.Authors) > mostAuthors {
		fields[1][1] += " and others"
	}
	if fields[1][1] == "" {
		fields = append(fields, [2]string{"key", typed(r.publisher())})
	}
	fields = append(fields, [2]string{"note", typed(short(r.remarks(), longestTitle))}, [2]string{"annote", typed(r.archived())})
	return bibEntry(r.Key, fields)
}

// publisher is what to call a source by that names no author.
func (r *reference) publisher() string {
	_, address, _ := strings.Cut(r.ID.URL, "://")
	host, _, _ := strings.Cut(address, "/")
	switch {
	case source.Host(r.ID.Key) != "":
		return source.Display(source.Host(r.ID.Key))
	case host != "":
		return host
	case r.ID.Kind == source.File:
		return "This project"
	case r.ID.Kind == source.ISBN:
		return "Book"
	}
	return "Unpublished"
}
