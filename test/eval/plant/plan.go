package plant

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Page is a document and how it is served.
type Page struct {
	Host       string
	Path       string
	DOI        string // "" for most
	Lang       string
	Manner     Manner // a harmless one, or the name of a fault
	Title      string
	Published  int // year
	Paragraphs [][]Sentence
	Comments   []Sentence
	Menu       []Sentence
	joint      string
}

// URL is the page's address on the fake web.
func (p *Page) URL() string { return "http://" + p.Host + p.Path }

// Source is how the page is cited.
func (p *Page) Source() string {
	if p.DOI != "" {
		return "https://doi.org/" + p.DOI
	}
	return p.URL()
}

// Sentences are all of the article, in order.
func (p *Page) Sentences() []Sentence { return slices.Concat(p.Paragraphs...) }

// Text is the article's, a line for a paragraph.
func (p *Page) Text() string {
	var b strings.Builder
	for _, par := range p.Paragraphs {
		b.WriteString(p.paragraph(par) + "\n")
	}
	return b.String()
}

func (p *Page) paragraph(list []Sentence) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = s.String()
	}
	return strings.Join(words, p.joint)
}

// Claim is what a seat claims, and what the plan knows of it.
type Claim struct {
	ID      string
	Seat    int // an index
	Fault   Fault
	Twin    Fault   // of an honest one: the fault it looks like
	Writing Writing // of an honest one
	Manner  Manner  // of the source
	Want    Want
	Lang    string
	Text    string // the claim
	Quote   string
	Source  string // an address on the fake web, or a DOI
}

// Size says how much to plant.
type Size struct {
	Seed     uint64
	Each     int // claims with each fault of a quotation, and as many honest twins
	Sources  int // sources with each fault, and as many harmless ones
	Hosts    int
	Seats    int
	PerPage  int // claims on one harmless page
	Critical int // of how many claims one is critical
}

// Plan is pages and claims about them.
type Plan struct {
	Size   Size
	Pages  []*Page
	Claims []Claim
}

// New makes a plan. Equal sizes give equal plans.
func New(size Size) (*Plan, error) {
	m := maker{Plan: Plan{Size: size}, dice: rand.New(rand.NewPCG(size.Seed, 0x9e3779b97f4a7c15)), grammars: map[string]grammar{}}
	for _, lang := range Languages() {
		g, err := read(lang)
		if err != nil {
			return nil, err
		}
		m.grammars[lang] = g
	}
	m.quotes()
	m.sources()
	m.deal()
	return &m.Plan, nil
}

type maker struct {
	Plan
	dice     *rand.Rand
	grammars map[string]grammar
	open     *Page // the harmless page that still takes claims
	left     int   // how many
	used     map[int]bool
}

// quotes plants each fault of a quotation, each with its honest twin.
func (m *maker) quotes() {
	for _, sort := range quoteFaults() {
		for range m.Size.Each {
			m.plant(sort)
			m.twin(sort)
		}
	}
}

// plant adds a claim with a fault of its quotation.
func (m *maker) plant(sort Sort) {
	for {
		p, i := m.sentence(sort.Kind)
		quote, ok := m.spoil(sort, p, i)
		if !ok || strings.Contains(flat(p.Text()), flat(quote)) {
			continue // this sentence does not bear the fault
		}
		m.add(Claim{Fault: sort.Fault, Want: sort.Want}, p, quote)
		return
	}
}

// twin adds the honest claim that looks like one with the fault.
func (m *maker) twin(sort Sort) {
	p, i := m.sentence(sort.Kind)
	if sort.Twin != "" {
		p = m.page(sort.Twin, "")
		i = m.pick(p, sort.Kind)
	}
	quote, writing := m.write(p, i)
	m.add(Claim{Twin: sort.Fault, Writing: writing, Want: Located}, p, quote)
}

// sources plants each fault of a source, each with its harmless twin.
func (m *maker) sources() {
	for _, sort := range sourceFaults() {
		for range m.Size.Sources {
			p := m.page(Manner(sort.Fault), "")
			if sort.Fault == Copy {
				m.copies(p)
			}
			m.add(Claim{Fault: sort.Fault, Want: sort.Want}, p, m.cited(sort.Fault, p))
			m.twin(sort)
		}
	}
}

// copies gives a page the text of another on another host, which is cited too.
func (m *maker) copies(p *Page) {
	first := m.page(PlainPage, p.Lang)
	p.Paragraphs = first.Paragraphs
	m.add(Claim{Want: Located, Writing: Verbatim, Twin: Copy}, first, first.Sentences()[0].String())
}

// cited is what a claim about a faulty source quotes.
func (m *maker) cited(f Fault, p *Page) string {
	all := p.Sentences()
	switch f {
	case Comment:
		return p.Comments[m.dice.IntN(len(p.Comments))].String()
	case OtherWork:
		return m.grammars[p.Lang].draw(m.dice).String()
	case Navigation:
		return p.Menu[m.dice.IntN(len(p.Menu))].String()
	}
	return all[len(all)-1-m.dice.IntN(len(all)/3)].String() // in the last third
}

func (m *maker) add(c Claim, p *Page, quote string) {
	c.ID, c.Manner, c.Lang, c.Quote, c.Source = fmt.Sprintf("P%d", len(m.Claims)+1), p.Manner, p.Lang, quote, p.Source()
	c.Text = strings.TrimSpace(flat(quote))
	m.Claims = append(m.Claims, c)
}

// deal deals the claims out to the seats, every seat a share of its own of
// each fault.
func (m *maker) deal() {
	m.dice.Shuffle(len(m.Claims), func(i, j int) { m.Claims[i], m.Claims[j] = m.Claims[j], m.Claims[i] })
	for i := range m.Claims {
		// the first seat claims half of all, the second half of the rest, …
		seat := 0
		for seat < m.Size.Seats-1 && m.dice.IntN(2) == 0 {
			seat++
		}
		m.Claims[i].Seat = seat
	}
}

// sentence finds a sentence that has a word of a kind, on a harmless page, and
// takes it: no two claims are about one sentence.
func (m *maker) sentence(k Kind) (*Page, int) {
	for {
		if m.left == 0 {
			all := Harmless()
			m.open, m.left, m.used = m.page(all[len(m.Pages)%len(all)], ""), m.Size.PerPage, map[int]bool{}
		}
		m.left--
		if i := m.pick(m.open, k); i >= 0 && !m.used[i] {
			m.used[i] = true
			return m.open, i
		}
	}
}

// pick finds a sentence with a word of a kind; -1 when there is none.
func (m *maker) pick(p *Page, k Kind) int {
	all := p.Sentences()
	from := m.dice.IntN(len(all))
	for n := range all {
		i := (from + n) % len(all)
		if _, has := all[i].Altered(k); has || k == Plain {
			return i
		}
	}
	return -1
}

// page makes a page; lang "" is any its manner can be written in.
func (m *maker) page(manner Manner, lang string) *Page {
	if lang == "" {
		lang = m.language(manner)
	}
	g := m.grammars[lang]
	n := len(m.Pages)
	p := &Page{
		Host: fmt.Sprintf("h%d.example", n%m.Size.Hosts), Path: fmt.Sprintf("/%s/%d/article-%d", lang, 1990+m.dice.IntN(36), n), Lang: lang, Manner: manner,
		Published: 1990 + m.dice.IntN(36), joint: g.joint,
	}
	p.Path += suffix(manner)
	if manner == SoundWork || manner == Manner(OtherWork) || manner == Manner(Retracted) {
		p.DOI = fmt.Sprintf("10.5555/plant.%d", n)
	}
	p.Title = titleOf(g.draw(m.dice))
	paragraphs := 4 + m.dice.IntN(3)
	if manner == Long {
		paragraphs = 60
	}
	for range paragraphs {
		p.Paragraphs = append(p.Paragraphs, m.some(g, 3+m.dice.IntN(4)))
	}
	p.Comments, p.Menu = m.some(g, 3), m.some(g, 2)
	m.Pages = append(m.Pages, p)
	return p
}

func (m *maker) some(g grammar, n int) []Sentence {
	list := make([]Sentence, n)
	for i := range list {
		list[i] = g.draw(m.dice)
	}
	return list
}

// language draws one in which a page of a manner can be written.
func (m *maker) language(manner Manner) string {
	all := Languages()
	switch manner {
	case PDF:
		return []string{"en", "de", "es"}[m.dice.IntN(3)] // in the letters of Latin-1
	case AboutErrors, AboutBlocks, Newsletter, Manner(PaywallStub), Manner(Soft404):
		all = all[:4] // there are phrases for these
	case Legacy, Misdeclared:
		all = all[:5] // windows-1252, windows-1251
	case Long:
		all = all[:5] // few letters in a row say little: a long page of set phrases holds those of every other
	}
	return all[m.dice.IntN(len(all))]
}

// titleOf is a sentence as a title has it: whole, without its full stop.
func titleOf(s Sentence) string { return strings.TrimRight(s.String(), " .。") }

func suffix(m Manner) string {
	switch m {
	case PDF:
		return ".pdf"
	case TextFile:
		return ".txt"
	case Manner(Forbidden):
		return "/private"
	}
	return ""
}

// flat has single blanks for white space.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }
