package export

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/evidence/source"
)

// bibtex writes the references as entries of BibTeX. All are @misc, the one
// type every style and reader knows that asks for no publisher or journal.
// Text is UTF-8, as biber and all but the oldest BibTeX read it.
func (e *parsedPublication) bibtex() []byte {
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
	return append(r.fieldsAs(latex), [2]string{"note", latex(r.notes())})
}

// fieldsAs are the fields of an entry but for its note; words are set by a
// function.
func (r *reference) fieldsAs(set func(string) string) [][2]string {
	var names []string
	for _, p := range r.authors() {
		names = append(names, p.bibtex(set))
	}
	out := [][2]string{
		{"title", "{" + set(r.Name) + "}"}, // braced twice: styles would put names in small letters
		{"author", strings.Join(names, " and ")},
		{"year", r.Source.year()},
	}
	switch r.ID.Kind {
	case source.DOI:
		out = append(out, [2]string{"doi", encodeField(r.identifier())})
	case source.ArXiv:
		out = append(out, [2]string{"eprint", encodeField(r.identifier())}, [2]string{"eprinttype", "arxiv"})
	case source.ISBN:
		out = append(out, [2]string{"isbn", encodeField(r.identifier())})
	case source.File:
		out = append(out, [2]string{"howpublished", "file " + set(r.ID.Path)})
	}
	out = append(out, [2]string{"url", r.address()})
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
	return bibtexPart(p.Family, set) + ", " + bibtexPart(p.Given, set)
}

// bibtexPart writes a part of a name: an "and" in it would begin another, brackets
// would end what styles call the reference by.
func bibtexPart(s string, set func(string) string) string {
	if strings.Contains(strings.ToLower(" "+s+" "), " and ") || strings.ContainsAny(s, "()[]") {
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

// Bounds on what a list of sources shows of one. BibTeX cuts what a reference
// is called by, two names and a year, after 250 bytes, wherever that is; the
// bytes are those of a name as it is set.
const (
	maxAuthors     = 20
	maxName        = 96
	maxNameLetters = 80 // letters
)

// shortenName shortens a name until it may stand in what a reference is called by.
func shortenName(name string) string {
	most := maxNameLetters
	name = short(name, most)
	for len(latexText(name)) > maxName && most > 1 {
		most = most * 3 / 4
		name = short(name, most)
	}
	return name
}

// referenceEntries writes references for papers that LaTeX sets.
func referenceEntries(list []*reference) []byte {
	var b strings.Builder
	alike := map[string]int{}
	for i, r := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		shown := r.shortened()
		label := shown.citationLabel()
		b.WriteString(shown.bibtexItem(alike[label] / maxSameLabel))
		alike[label]++
	}
	return []byte(b.String())
}

// maxSameLabel is how many references may be called by the same names and year:
// styles tell them apart by letters, and do not stop after z.
const maxSameLabel = 20

// shortened is a reference with no more of its words than a list of sources shows.
func (r *reference) shortened() *reference {
	out := *r
	out.Name, out.Source.Authors = short(r.Name, maxTitle), nil
	for _, a := range r.Source.Authors {
		if a = shortenName(a); a != "" {
			out.Source.Authors = append(out.Source.Authors, a)
		}
	}
	return &out
}

// citationLabel is what styles call a reference by: two names and a year, the first
// name of more, or what stands for a name.
func (r *reference) citationLabel() string {
	people := r.authors()
	switch len(people) {
	case 0:
		return r.publisher()
	case 1, 2:
		return fmt.Sprint(people[0].lastName(), " and ", people[len(people)-1].lastName(), " ", r.Source.year())
	}
	return people[0].lastName() + " et al. " + r.Source.year()
}

func (p person) lastName() string { return cmp.Or(p.Literal, p.Family) }

// bibtexItem writes a shown reference. Its words are set like those of a paper; the
// hash of the archived bytes is in a field that styles do not print. A turn
// above 0 tells it from those that are called by the same.
func (r *reference) bibtexItem(turn int) string {
	mark := ""
	if turn > 0 {
		mark = fmt.Sprintf(" (%d)", turn+1)
	}
	var names []string
	for i, p := range r.authors() {
		if i >= maxAuthors {
			names = append(names, "others")
			break
		}
		if i == 0 && p.Literal != "" {
			p.Literal += mark
		} else if i == 0 {
			p.Family += mark
		}
		names = append(names, p.bibtex(latexText))
	}
	fields := r.fieldsAs(latexText)
	fields[1][1] = strings.Join(names, " and ")
	if len(names) == 0 {
		fields = append(fields, [2]string{"key", latexText(shortenName(r.publisher()) + mark)})
	}
	fields = append(fields, [2]string{"note", latexText(short(r.remarks(), maxTitle))}, [2]string{"annote", latexText(r.archivedBytes())})
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
