package export

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/yuin/goldmark/ast"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// Kinds of papers.
const (
	ReportPaper = "report"
	PlanPaper   = "plan"
)

// Paper is a report or a plan, to be typeset.
type Paper struct {
	Kind        string            // ReportPaper or PlanPaper
	Template    []byte            // a user's own; nil for the built-in one
	Title       string            // data
	Written     time.Time         // the date on the title page
	Sections    map[string][]byte // Markdown by the marker of its place, or component-<name>, citing claims as [C12]
	Publication                   // the registry, and what is known of its sources
	Iterations  Iterations        // that were done, as counted
	Themes      []Theme           // by what findings are put together; nil: by the questions the claims name
	Questions   []string          // open ones, each a line
	Issues      []string          // open blockers and concerns, each a line
}

// Iterations counts those that led to a paper, all of them and by what they were for.
type Iterations struct{ All, Researching, Planning, Coding int }

// Theme is a question with the ids of the claims that answer it.
type Theme struct {
	Title  string
	Claims []string
}

// Typeset writes a paper as LaTeX, for pdfLaTeX, XeLaTeX or LuaLaTeX with
// BibTeX and [Bibliography] in sources.bib. The same paper gives the same bytes.
// The error says in one line what is wrong with the template; the built-in ones
// give none but for a kind that is not there.
func Typeset(p Paper) ([]byte, error) {
	s, err := newTypesetter(p)
	if err != nil {
		return nil, err
	}
	return s.fillTemplate(), nil
}

// Bibliography writes the sources that papers cite for BibTeX, sorted by key:
// each once, none that is not cited. A paper whose template cannot be used
// counts as if it were set in the built-in one.
func Bibliography(papers ...Paper) []byte {
	found := map[string]*reference{}
	for _, p := range papers {
		s, err := newTypesetter(p)
		if err != nil {
			p.Template = nil
			if s, err = newTypesetter(p); err != nil {
				continue
			}
		}
		for _, r := range s.citedReferences() {
			found[r.Key] = r
		}
	}
	return referenceEntries(slices.SortedFunc(maps.Values(found), byKey))
}

func byKey(a, b *reference) int { return cmp.Compare(a.Key, b.Key) }

// Unknown lists the claims that a paper's prose cites and its registry does not
// have, in the order of their numbers. They are set as plain text.
func Unknown(p Paper) []string {
	s, err := newTypesetter(p)
	if err != nil {
		p.Template = nil
		if s, err = newTypesetter(p); err != nil {
			return nil
		}
	}
	return slices.SortedFunc(maps.Keys(s.unknown), byNumber)
}

// byNumber orders ids of claims.
func byNumber(a, b string) int {
	return cmp.Or(cmp.Compare(len(strings.TrimLeft(a, "C0")), len(strings.TrimLeft(b, "C0"))), cmp.Compare(a, b))
}

// typesetter is a paper in the making.
type typesetter struct {
	*parsedPublication
	paper    Paper
	layout   paperTemplate
	entries  []claim.Entry // of the registry that can be cited, in its order
	used     map[*reference]bool
	unknown  map[string]bool
	inserted map[string]string // LaTeX by marker
}

// newTypesetter sets every part of a paper that its template has a place for.
func newTypesetter(p Paper) (*typesetter, error) {
	l, err := readTemplate(p)
	if err != nil {
		return nil, err
	}
	bare := p.Publication
	bare.Report = nil
	s := &typesetter{paper: p, parsedPublication: parsePublication(bare), layout: l, used: map[*reference]bool{}, unknown: map[string]bool{}, inserted: map[string]string{}}
	seen := map[string]bool{}
	for _, e := range p.Registry.Entries {
		if known, ok := s.known[e.ID]; ok && !seen[e.ID] && !e.Kind.RestsOnClaims() {
			seen[e.ID] = true
			s.entries = append(s.entries, known)
			s.refer(known) // keys come in the registry's order, whatever is cited first
		}
	}
	parts := p.parts()
	for _, marker := range l.markers {
		if marker != bibliography {
			s.inserted[marker] = singleBlankLines(parts[marker](s))
		}
	}
	s.inserted[bibliography] = s.bibliography()
	return s, nil
}

// singleBlankLines leaves one empty line where there are several.
func singleBlankLines(text string) string {
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return text
}

// citedReferences are the references the paper cites, by key.
func (s *typesetter) citedReferences() []*reference {
	return slices.SortedFunc(maps.Keys(s.used), byKey)
}

// bibliography asks for the list of sources. BibTeX fails where none is cited.
func (s *typesetter) bibliography() string {
	if len(s.used) == 0 {
		return placeholderNote("No source is cited.")
	}
	return "\\bibliographystyle{plainnat}\n\\bibliography{sources}\n"
}

// fillTemplate puts the parts into the template.
func (s *typesetter) fillTemplate() []byte {
	var text strings.Builder
	for _, marker := range slices.Sorted(maps.Keys(s.inserted)) {
		text.WriteString(s.inserted[marker])
	}
	text.Write(referenceEntries(s.citedReferences()))
	return s.layout.fill(s.inserted, setup(text.String()), colophon(s.ID))
}

// sectionWriter sets what stands at a marker.
type sectionWriter func(*typesetter) string

// parts are those of a paper, by marker: the markers of its built-in template.
// Those that nothing is counted for are sections of prose.
func (p Paper) parts() map[string]sectionWriter {
	m := map[string]sectionWriter{
		"title":      func(s *typesetter) string { return "\\title{" + s.titleText() + "}\n" },
		"date":       func(s *typesetter) string { return "\\date{" + s.dateText() + "}\n" },
		bibliography: (*typesetter).bibliography,
	}
	for _, marker := range markerForm().FindAllStringSubmatch(builtInTemplate(p.Kind), -1) {
		if key := marker[1]; m[key] == nil {
			m[key] = func(s *typesetter) string { return s.prose(key) }
		}
	}
	if p.Kind == PlanPaper {
		m["open-issues"] = (*typesetter).openIssues
		m["components"] = (*typesetter).components
		return m
	}
	m["key-findings"] = (*typesetter).findings
	m["open-questions"] = func(s *typesetter) string { return s.openQuestions() + s.writtenSection("open-questions") }
	m["methodology"] = func(s *typesetter) string { return s.countsText() + s.writtenSection("methodology") }
	return m
}

// maxTitle is how many letters of a title are set.
const maxTitle = 300

func (s *typesetter) titleText() string {
	if t := latexText(short(s.paper.Title, maxTitle)); t != "" {
		return t
	}
	return "Untitled"
}

func (s *typesetter) dateText() string {
	if s.paper.Written.IsZero() {
		return ""
	}
	return s.paper.Written.UTC().Format("2 January 2006")
}

// short cuts a line between words after so many letters.
func short(s string, most int) string {
	s = strings.Join(strings.Fields(plainCharacters(line(s))), " ")
	text := []rune(s)
	if len(text) <= most {
		return s
	}
	cut := string(text[:most])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + " …"
}

// placeholderNote is a sentence of the program that stands for what is not there.
func placeholderNote(sentence string) string { return "\\emph{" + sentence + "}\n" }

// prose sets a section, or says that there is none yet.
func (s *typesetter) prose(key string) string {
	if text := s.writtenSection(key); text != "" {
		return text
	}
	return placeholderNote("This section is not written yet.")
}

// writtenSection sets what is written of a section; "" for nothing.
func (s *typesetter) writtenSection(key string) string {
	_, body := s.readSection(s.paper.Sections[key], key)
	return s.writeBlocks(body, 1)
}

// components sets a subsection for each component.
func (s *typesetter) components() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s.paper.Sections)) {
		name, is := strings.CutPrefix(key, "component-")
		if !is {
			continue
		}
		title, body := s.readSection(s.paper.Sections[key], "")
		if title == "" {
			title = titleOf(name)
		}
		b.WriteString(s.heading(1, title) + cmp.Or(s.writeBlocks(body, 2), placeholderNote("This component is not described yet.")) + "\n")
	}
	return cmp.Or(b.String(), placeholderNote("No component is described yet."))
}

// titleOf makes a heading of a key.
func titleOf(key string) string {
	words := strings.Fields(strings.ReplaceAll(key, "-", " "))
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// heading is a heading: 1 is a subsection. In the outline of a PDF, which knows no
// commands, it stands as plain text.
func (s *typesetter) heading(level int, title string) string {
	title = short(title, maxTitle)
	command := []string{"subsection", "subsubsection", "paragraph", "subparagraph"}[min(max(level-1, 0), 3)]
	set, outlined := latexText(title), latex(title)
	if set != outlined {
		set = "\\texorpdfstring{" + set + "}{" + outlined + "}"
	}
	return "\n\\" + command + "{" + set + "}\n"
}

// readSection parses the Markdown of a section. A heading before all else is no part
// of the body where it is the title of all of it, or where it only repeats what
// the section, by its key, is called anyhow.
func (s *typesetter) readSection(markdown []byte, key string) (title string, body []block) {
	d := parse(markdown)
	s.level = 1
	body = s.tidyBlocks(reader{document: d, parsedPublication: s.parsedPublication}.blocks(d.Root, 0))
	if len(body) == 0 || body[0].Kind != "heading" {
		return "", body
	}
	first, rest := plainText(body[0].Text), body[1:]
	if key != "" && slices.ContainsFunc(append(s.layout.headingsBefore(key), titleOf(key)), func(t string) bool { return slug(t) == slug(first) }) {
		return "", rest
	}
	if key != "" || !d.hasTitle() {
		return "", body
	}
	return first, rest
}

// hasTitle reports whether a document begins with a heading that stands over all
// others.
func (d document) hasTitle() bool {
	first, ok := d.Root.FirstChild().(*ast.Heading)
	for n := d.Root.FirstChild(); ok && n != nil; n = n.NextSibling() {
		if h, is := n.(*ast.Heading); is && h != first && h.Level <= first.Level {
			return false
		}
	}
	return ok && first.Level <= 2
}

// tidyBlocks drops comments and finds the citations in running text.
func (s *typesetter) tidyBlocks(list []block) []block {
	var out []block
	for _, b := range list {
		if b.Code = withoutComment(b); b.Kind == "code" && b.Code == "" {
			continue
		}
		b.Text = s.citations(b.Text)
		b.Inner = s.tidyBlocks(b.Inner)
		for i := range b.Items {
			b.Items[i] = s.tidyBlocks(b.Items[i])
		}
		for _, row := range b.Rows {
			for j := range row {
				row[j] = s.citations(row[j])
			}
		}
		out = append(out, b)
	}
	return out
}

// withoutComment is a block's code without the comment it begins with, where it is
// one of HTML.
func withoutComment(b block) string {
	if !b.Tags || !strings.HasPrefix(b.Code, "<!--") {
		return b.Code
	}
	_, rest, _ := strings.Cut(b.Code, "-->")
	return strings.TrimSpace(rest)
}

// citedForm is how prose cites claims: [C12], [C3, C7], [C3-C5].
var citedForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[\s*C[0-9]{1,9}(?:\s*(?:[,;–—-]|and|&)?\s*C?[0-9]{1,9})*\s*\]`)
})

var citedID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([–—-]?)\s*C?([0-9]{1,9})`) })

// citations finds the citations in running text. Of addresses only the words
// stay: a source is cited by a claim or not at all.
func (s *typesetter) citations(text []inline) []inline {
	var out []inline
	for _, i := range joinText(text) {
		switch i.Kind {
		case "text":
			out = append(out, s.splitCitations(i.Text)...)
		case "link":
			out = append(out, s.citations(i.Inner)...)
		default:
			i.Inner = s.citations(i.Inner)
			out = append(out, i)
		}
	}
	return out
}

// joinText makes one of neighbouring texts: brackets stand apart when they are
// read.
func joinText(text []inline) []inline {
	var out []inline
	for _, i := range text {
		if last := len(out) - 1; last >= 0 && i.Kind == "text" && out[last].Kind == "text" {
			out[last].Text += i.Text
			continue
		}
		out = append(out, i)
	}
	return out
}

func (s *typesetter) splitCitations(text string) []inline {
	var out []inline
	add := func(t string) {
		if t != "" {
			out = append(out, inline{Kind: "text", Text: t})
		}
	}
	from := 0
	for _, at := range citedForm().FindAllStringIndex(text, -1) {
		cited, lost := s.citedClaims(text[at[0]:at[1]])
		add(text[from:at[0]])
		if len(cited) > 0 {
			out = append(out, inline{Kind: "cite", Cited: cited})
		}
		if len(lost) > 0 {
			add("[" + strings.Join(lost, ", ") + "]")
		}
		from = at[1]
	}
	add(text[from:])
	return out
}

// maxRange is the longest range of claims a citation may name by its ends.
const maxRange = 20

// citedClaims gives the claims a citation names by their sources, and the ids that no
// claim has.
func (s *typesetter) citedClaims(text string) (found []citation, lost []string) {
	var ids []string
	last, seen := 0, map[int]bool{}
	for _, m := range citedID().FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		first := n
		if m[1] != "" && last > 0 && n > last && n-last <= maxRange {
			first = last + 1
		}
		for k := first; k <= n; k++ {
			id := "C" + strconv.Itoa(k)
			_, known := s.known[id]
			switch {
			case seen[k]:
			case known:
				ids = append(ids, id)
			default:
				s.unknown[id] = true
				lost = append(lost, id)
			}
			seen[k] = true
		}
		last = n
	}
	return s.citationsOf(ids), lost
}

// writeBlocks sets blocks whose headings begin at a level; 1 is a subsection. Of the
// levels that are used none is skipped.
func (s *typesetter) writeBlocks(body []block, level int) string {
	used := levels(body)
	w := &texWriter{texStyle: texStyle{text: latexText, cite: s.cite}}
	w.heading = func(b block) string { return s.heading(level+slices.Index(used, b.Raw), plainText(b.Text)) }
	w.blocks(body)
	return strings.TrimLeft(w.String(), "\n")
}

// levels are those of the headings of blocks, the highest first.
func levels(list []block) []int {
	var out []int
	for _, b := range list {
		if b.Kind == "heading" {
			out = append(out, b.Raw)
		}
		out = append(out, levels(b.Inner)...)
		for _, item := range b.Items {
			out = append(out, levels(item)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// cite cites the source of claims, with their ids and what is wrong with them.
func (s *typesetter) cite(c citation) string {
	if c.Reference == nil {
		return "[" + latexText(conclusionNames(c.Claims)) + "]"
	}
	s.used[c.Reference] = true
	var names []string
	for _, k := range c.Claims {
		name := k.ID
		if k.Location.State != claim.Located {
			name += ", quotation " + stateOf(k.Entry)
		}
		names = append(names, name)
	}
	return `\citep[` + strings.Join(names, "; ") + `]{` + c.Reference.Key + `}`
}

// citeSource cites the source of a claim.
func (s *typesetter) citeSource(c claim.Entry, place string) string {
	ref := s.refer(c)
	s.used[ref] = true
	if place != "" {
		place = "[" + place + "]"
	}
	return `\citep` + place + `{` + ref.Key + `}`
}

// itemList sets lines as a list; "" for none.
func itemList(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		if t := latexText(short(l, maxLine)); t != "" {
			fmt.Fprintf(&b, "\\item{} %s\n", t)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\\begin{itemize}\n" + b.String() + "\\end{itemize}\n"
}

// maxLine is how many letters of a question or an issue are set.
const maxLine = 1000

func (s *typesetter) openIssues() string {
	return cmp.Or(itemList(s.paper.Issues), placeholderNote("No issue is open."))
}

func (s *typesetter) openQuestions() string {
	return cmp.Or(itemList(s.paper.Questions), placeholderNote("No question is recorded as open.")) + "\n"
}
