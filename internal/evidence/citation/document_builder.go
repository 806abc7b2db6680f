package citation

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/citation/stated"
	"github.com/research-council/research-council/internal/evidence/source"
)

// A documentBuilder turns blocks into a document.
type documentBuilder struct {
	text             string
	lines            lineStarts
	blocks           []block
	listed           []bool
	second           []int // entries of a list that no marker can mean
	doc              Document
	byLabel          map[labelled]int
	scopeOf          []int // the scope of each block's labels
	slideOf          []int // the part of the report, between headings and rules, each block is in
	bySign           map[signed]int
	scope            int // of the block that is being read
	lists            int // lists of sources, with text between them
	scopeOfReference map[int]int
	byKey            map[string]int
	byID             map[string][]int
	backs            map[labelled][]int // what the notes stand for that name a source again
	dangling         map[string]*dangler
	linked           map[string][]int  // the references a number leads to by links of its own
	order            []string          // labels that dangle, in order of appearance
	markers          int               // of any sort that refer to labels
	first            int               // line of the first of them
	twins            map[labelled]bool // labels that several entries have
	remarks          map[string]bool   // notes that only say something
	elsewhere,
	hollow,
	otherHost,
	ambiguous,
	leftover []mark
	lastAuthored []int      // what the last marker of author and year refers to
	fragments    []sighting // sentences that only name a source
	drafts       []*statementDraft
	prev         *statementDraft // the last sentence before a block, for markers that stand alone
}

// labelled is a label within its scope: 0 for the whole report; the number of a
// list where each part of the report has one that begins anew.
type labelled struct {
	scope int
	name  string
}

// A statementDraft is a statement that is being put together.
type statementDraft struct {
	block  *block
	at     stated.Span // in the block's text
	from   int         // where its passage begins
	groups []markerGroup
	quotes []stated.Span
	marks  []string // the markers as they are written, those that lead nowhere with them
}

// isCiting reports whether a sentence refers to something, be it nothing there
// is.
func (d *statementDraft) isCiting() bool { return len(d.groups) > 0 || len(d.marks) > 0 }

// A dangler is a label that markers have and no reference.
type dangler struct {
	label string
	times int
	lines []int
}

// A markerGroup are references whose markers stand at one place.
type markerGroup struct {
	at, end    int
	references []int
}

func newDocumentBuilder(text string, blocks []block) *documentBuilder {
	r := &documentBuilder{
		text: text, lines: newLineStarts(text), blocks: blocks,
		byLabel: map[labelled]int{}, byKey: map[string]int{}, byID: map[string][]int{}, backs: map[labelled][]int{}, dangling: map[string]*dangler{}, linked: map[string][]int{}, scopeOfReference: map[int]int{}, twins: map[labelled]bool{}, remarks: map[string]bool{},
	}
	for i := range blocks {
		blocks[i].cutLeading()
		blocks[i].addNamedReferences()
	}
	dropFurtherReading(blocks)
	nameEntries(blocks)
	r.slideOf, r.bySign = slides(blocks), map[signed]int{}
	r.dropLoneSigns()
	r.listed = findLists(blocks)
	r.second = dropSecondList(blocks, r.listed)
	r.scopeOf = scopes(blocks, r.listed)
	return r
}

func (r *documentBuilder) lineNumber(at int) int {
	return sort.Search(len(r.lines), func(i int) bool { return r.lines[i] > at })
}

func (r *documentBuilder) build() Document {
	r.readLists()
	r.readData()
	r.numberEntries()
	r.settle()
	for i := range r.blocks {
		b := &r.blocks[i]
		if !r.isRunning(i) {
			continue
		}
		r.scope = r.scopeOf[i]
		if b.kind == heading {
			if r.doc.Title == "" {
				r.doc.Title = b.text
			}
			r.prev = nil
		}
		r.readBlock(b)
	}
	for _, d := range r.drafts {
		if d.isCiting() {
			r.doc.Statements = append(r.doc.Statements, r.finishStatement(d))
		}
	}
	sort.SliceStable(r.doc.Statements, func(i, j int) bool { return r.doc.Statements[i].Start < r.doc.Statements[j].Start })
	(&inspector{r}).findings()
	(&inspector{r}).understand()
	r.doc.References, r.doc.Statements = orEmpty(r.doc.References), orEmpty(r.doc.Statements)
	r.doc.Findings = orEmpty(r.doc.Findings)
	return r.doc
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// readLists reads the lists of sources.
func (r *documentBuilder) readLists() {
	linked := slices.ContainsFunc(r.blocks, func(b block) bool { return b.note && hasLink(&b) })
	notes := noteReader{r: r, last: -1}
	for i := range r.blocks {
		b := &r.blocks[i]
		if !r.listed[i] {
			continue
		}
		if i == 0 || !r.listed[i-1] && (r.lists == 0 || r.isRunning(i-1)) {
			r.lists++
		}
		if b.sources || countLinks(b) > 1 && b.label == "" && strings.TrimSpace(b.textWithoutLinks()) == "" && b.kind == prose {
			r.readSourceLine(b)
			continue
		}
		e := newReference(b)
		e.Line = r.lineNumber(e.Start)
		if b.note && linked && e.isRemark() {
			r.remarks[e.Label] = true
			continue
		}
		if n := len(r.doc.References); n > 0 && e.Label == "" && e.Text == "" && i > 0 && r.listed[i-1] && r.doc.References[n-1].URL == "" {
			r.doc.References[n-1].setTarget(e.URL) // the address of the entry before
			r.doc.References[n-1].End = e.End
			r.indexReference(n-1, b, r.scopeOf[i])
			continue
		}
		if b.note && b.label[0] != '^' && e.Text == "" && e.URL == "" {
			continue
		}
		stands, own := notes.read(e, r.scopeOf[i])
		if !own {
			r.indexBack(e.Label, b, r.scopeOf[i], stands)
			continue
		}
		r.doc.References = append(r.doc.References, e)
		n := len(r.doc.References) - 1
		notes.notes = append(notes.notes, n)
		if b.sign != "" {
			r.bySign[signed{r.slideOf[i], b.sign}] = n
		}
		r.indexReference(n, b, r.scopeOf[i])
		if len(stands) > 0 {
			r.indexBack(e.Label, b, r.scopeOf[i], append([]int{n}, stands...))
		}
		for _, below := range b.below {
			for _, q := range stated.Quoted(below.text) {
				r.doc.Quotations = append(r.doc.Quotations, r.quotation(below, q, []int{n}))
			}
		}
	}
}

// quotation is what a block quotes, of references.
func (r *documentBuilder) quotation(b *block, q stated.Span, references []int) Quotation {
	start := b.sourceOffset(q.From)
	return Quotation{Text: strings.TrimSpace(b.text[q.From:q.To]), Start: start, End: b.sourceOffset(q.To-1) + 1, Line: r.lineNumber(start), References: references}
}

func (r *documentBuilder) indexReference(n int, b *block, scope int) {
	e := r.doc.References[n]
	r.scopeOfReference[n] = scope
	for _, name := range []string{e.Label, fileOf(e.URL)} {
		l := labelled{scope, strings.ToLower(name)}
		if name == "" {
			continue
		}
		if other, known := r.byLabel[l]; !known {
			r.byLabel[l] = n
		} else if other != n && r.doc.References[other].Key != e.Key {
			r.twins[l] = true
		}
	}
	if _, known := r.byKey[e.Key]; !known && e.Key != "" {
		r.byKey[e.Key] = n
	}
	for _, id := range b.ids {
		r.byID[id] = []int{n}
	}
}

// namedReference are references by name in running text.
var namedReference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(\b(?:doi:\s?|arxiv:\s?)[^\s"<>，。；、）】]+|\b10\.[0-9]{4,9}/[^\s"<>，。；、）】]+|\bRFC[ -]?[0-9]{1,5}\b|\bPMID:?\s?[0-9]{5,9}\b|\bPMC[0-9]{5,9}\b)` +
		`|((?:[\p{L}\p{N}_.~@+-]+/)*[\p{L}\p{N}_.~@+-]*\.[A-Za-z]\w{0,9}:[0-9]{1,7}(?:[-–][0-9]{1,7})?\b)` +
		`|((?:\x{e200}?cite\x{e202}?)?(?:\x{e202}?turn[0-9]{1,3}(?:search|news|view|fetch|image|file|academia|product|forecast)[0-9]{1,3})+\x{e201}?|:contentReference\[oaicite:[0-9]+\]\{index=[0-9]+\}|\[oaicite:[0-9]+\])`)
})

// tokenForm is one token of several that stand together.
var tokenForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`turn[0-9]{1,3}[a-z]+[0-9]{1,3}|oaicite:[0-9]+`)
})

// mayHoldReference reports cheaply whether a text can hold a reference by name: a digit
// behind a colon, an equals sign, a letter or a blank and a name, or a DOI.
func mayHoldReference(text string) bool {
	if strings.Contains(text, "10.") || strings.Contains(text, "oaicite") {
		return true
	}
	for i := 1; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			continue
		}
		word := strings.ToLower(strings.TrimRight(text[max(0, i-8):i], " -:"))
		file := text[i-1] == ':' && word != "" && word[len(word)-1] >= 'a'
		if file || slices.ContainsFunc([]string{"rfc", "pmid", "pmc", "arxiv", "doi", "turn"}, func(name string) bool { return strings.HasSuffix(word, name) }) {
			return true
		}
	}
	return false
}

// addNamedReferences notes references by name in a block's text: identifiers, places of
// files, tokens a writing tool left.
func (b *block) addNamedReferences() {
	if b.kind == code || !mayHoldReference(b.text) {
		return
	}
	var more []mark
	for _, at := range namedReference().FindAllStringSubmatchIndex(b.text, -1) {
		from, to := at[0], at[1]
		if slices.ContainsFunc(b.marks, func(m mark) bool { return m.at < to && from < m.end }) {
			continue
		}
		m := mark{at: from, end: to, src: b.sourceOffset(from), to: b.sourceOffset(to-1) + 1}
		switch {
		case at[6] >= 0:
			m.leftover, m.labels = true, tokenForm().FindAllString(strings.ToLower(b.text[from:to]), -1)
		case at[4] >= 0:
			m.target = b.text[from:to]
			if s := source.Identify(m.target); s.Kind != source.File || isHost(s.Path) {
				continue
			}
		default:
			m.target = strings.TrimRight(b.text[from:to], ".,;:)]}'\"")
			if k := source.Identify(m.target).Kind; k == source.File || k == source.Other {
				continue
			}
		}
		more = append(more, m)
	}
	if len(more) > 0 {
		b.marks = append(b.marks, more...)
		sort.SliceStable(b.marks, func(i, j int) bool { return b.marks[i].at < b.marks[j].at })
	}
}

// isHost reports whether what looks like a file is a host with a port.
func isHost(path string) bool {
	end := path[strings.LastIndexByte(path, '.')+1:]
	return !strings.Contains(path, "/") && slices.Contains([]string{"com", "org", "net", "io", "dev", "local", "edu", "gov", "de", "uk", "internal"}, end)
}

// inlineReference gives the reference of a link in the text.
func (r *documentBuilder) inlineReference(m mark, key string) int {
	if n, ok := r.byKey[key]; ok {
		return n
	}
	if strings.HasPrefix(key, string(source.File)+":") { // other lines of a file are another reference
		key = m.target
		if n, ok := r.byKey[key]; ok {
			return n
		}
	}
	ref := Reference{Text: m.words, Start: m.src, End: m.to, Line: r.lineNumber(m.src)}
	if len(m.labels) == 1 {
		ref.Label = m.labels[0]
	}
	ref.setTarget(m.target)
	r.doc.References = append(r.doc.References, ref)
	r.byKey[key] = len(r.doc.References) - 1
	return len(r.doc.References) - 1
}

// attribution begins a line that names the source of what stands before.
var attribution = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[(（—–\-*\s]*(?:sources?|via|see|cf\.|refs?|references?|links?|urls?|see also|read more|more|details|quellen?|siehe|fuentes?|ver|fonte|voir|来源|资料来源|数据来源|参见|详见|链接|出典|参照)\s*[:：]`)
})

// readBlock reads the statements of one block.
func (r *documentBuilder) readBlock(b *block) {
	quotes := stated.Quoted(b.text)
	var spans []stated.Span
	if b.kind == row {
		spans = []stated.Span{{From: 0, To: len(b.text)}}
	} else {
		spans = stated.Sentences(b.text, quotes)
	}
	r.noteFragments(b, spans)
	if b.kind != heading {
		r.doc.Words += words.Count(b.text)
		r.doc.Sentences += len(spans)
	}
	if r.prev != nil && len(b.marks) > 0 && sourceLine(b) {
		r.citePrevious(b)
		return
	}
	if r.readBlockQuote(b, quotes) {
		return
	}
	r.draftSentences(b, spans, quotes)
}

// sourceLine reports whether a block only names the source of what stands
// before it. An entry of a list whose words are a link says as much as they do.
func sourceLine(b *block) bool {
	switch {
	case b.kind == row:
		return false
	case attribution().MatchString(b.text):
		return true
	case b.kind == item:
		return words.Count(b.text) < stated.MinWords
	}
	return words.Count(b.textWithoutLinks()) < stated.MinWords
}

// textWithoutLinks is a block's text without the words of its links.
func (b *block) textWithoutLinks() string {
	var out strings.Builder
	at := 0
	for _, m := range b.marks {
		if m.at >= at && m.target != "" {
			out.WriteString(b.text[at:m.at])
			at = max(at, m.end)
		}
	}
	out.WriteString(b.text[min(at, len(b.text)):])
	return out.String()
}

// citePrevious gives the references of a block that says nothing itself to the
// sentence before it.
func (r *documentBuilder) citePrevious(b *block) {
	at := len(r.prev.block.text)
	for _, m := range b.marks {
		r.prev.add(at, at, r.resolveMark(m))
	}
}

// add gives a sentence what a marker at a place refers to.
func (d *statementDraft) add(at, end int, to resolved) {
	d.marks = append(d.marks, to.written...)
	d.addGroup(at, end, to.references)
}

func (d *statementDraft) addGroup(at, end int, references []int) {
	if len(references) == 0 {
		return
	}
	if n := len(d.groups); n > 0 && at-d.groups[n-1].end <= 2 && at >= d.groups[n-1].at {
		g := &d.groups[n-1]
		g.end = max(g.end, end)
		for _, ref := range references {
			if !slices.Contains(g.references, ref) {
				g.references = append(g.references, ref)
			}
		}
		return
	}
	d.groups = append(d.groups, markerGroup{at, end, slices.Compact(references)})
}

// draftSentences makes drafts of a block's sentences and hands them their marks.
func (r *documentBuilder) draftSentences(b *block, spans, quotes []stated.Span) {
	drafts := make([]*statementDraft, len(spans))
	for k, s := range spans {
		drafts[k] = &statementDraft{block: b, at: s, from: s.From}
	}
	if len(drafts) == 0 {
		for _, m := range b.marks {
			if to := r.resolveMark(m); r.prev != nil {
				at := len(r.prev.block.text)
				r.prev.add(at, at, to)
			}
		}
		return
	}
	for _, m := range b.marks {
		k := sentenceOfMark(b, spans, m)
		if m.target != "" && (isOwnMachine(m.target) || isImprint(b.text, m.at)) {
			continue
		}
		drafts[k].add(m.at, m.end, r.resolveMark(m))
	}
	from := 0
	for _, d := range drafts {
		d.from = min(from, d.at.From)
		if b.kind == heading || b.kind == row {
			d.from = d.at.From
		}
		if d.isCiting() {
			from = d.at.To
		}
	}
	assignQuotations(b, drafts, quotes)
	r.drafts = append(r.drafts, drafts...)
	if b.kind != heading {
		r.prev = drafts[len(drafts)-1]
	}
}

// imprint are words before an address that is no source: whom to write to, on
// what terms a text is given.
var imprint = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:contact(?: us)?|kontakt|contacto|contatto|contato|e-?mail|feedback|we(?:'re|’re| are) hiring|careers?|wir stellen ein|impressum|imprint|licen[cs]e|lizenz|licencia|licenza|copyright|問い合わせ先?|連絡先|联系(?:我们|方式)?|聯絡(?:我們|方式)?|문의)\s*[:：]\s*$`)
})

// isImprint reports whether an address at a place of a text is given as that of
// somebody to write to, not as a source.
func isImprint(text string, at int) bool {
	before := strings.TrimRight(text[max(0, at-60):at], " ")
	return (strings.HasSuffix(before, ":") || strings.HasSuffix(before, "：")) && imprint().MatchString(before)
}

// sentenceOfMark is the sentence a mark belongs to: the one it stands in, or,
// where it stands behind a sentence's end, the one before it.
func sentenceOfMark(b *block, spans []stated.Span, m mark) int {
	k := 0
	for k+1 < len(spans) && spans[k+1].From <= m.at {
		k++
	}
	bare := m.end == m.at
	if bare && k > 0 && strings.TrimSpace(b.text[spans[k].From:m.at]) == "" {
		k--
	}
	for k > 0 && words.Count(b.text[spans[k].From:spans[k].To]) < stated.MinWords && (bare || m.end-m.at >= (spans[k].To-spans[k].From)/2) {
		k--
	}
	return k
}

// assignQuotations gives each quotation of a block to the statement whose markers are
// nearest: those behind it in its sentence, those before it there, the next
// behind it, the last before it.
func assignQuotations(b *block, drafts []*statementDraft, quotes []stated.Span) {
	for _, q := range quotes {
		if slices.ContainsFunc(b.marks, func(m mark) bool { return m.end > m.at && m.at <= q.From && q.To <= m.end }) {
			continue // the words of a link: a title
		}
		k := 0
		for k+1 < len(drafts) && drafts[k+1].at.From <= q.From {
			k++
		}
		for _, try := range [][]*statementDraft{drafts[k : k+1], drafts[k+1:]} {
			if d := citing(try, false); d != nil {
				d.quotes = append(d.quotes, q)
				k = -1
				break
			}
		}
		if k > 0 {
			if d := citing(drafts[:k], true); d != nil {
				d.quotes = append(d.quotes, q)
				continue
			}
		}
		if k >= 0 {
			drafts[len(drafts)-1].quotes = append(drafts[len(drafts)-1].quotes, q) // it may adopt references
		}
	}
}

func citing(drafts []*statementDraft, backwards bool) *statementDraft {
	var found *statementDraft
	for _, d := range drafts {
		if d.isCiting() {
			found = d
			if !backwards {
				return d
			}
		}
	}
	return found
}

// referencesNear are the references a quotation's words should stand in.
func (d *statementDraft) referencesNear(q stated.Span) []int {
	for _, g := range d.groups {
		if g.at >= q.To {
			return g.references
		}
	}
	if len(d.groups) == 0 {
		return []int{}
	}
	return d.groups[len(d.groups)-1].references
}

// readBlockQuote reads a block quotation; false when the block is none, or only looks
// like one.
func (r *documentBuilder) readBlockQuote(b *block, quotes []stated.Span) bool {
	if !b.quoted || b.kind == heading || b.kind == row || len(quotes) > 0 || callout(b.text) {
		return false
	}
	whole := stated.Span{From: 0, To: len(b.text)}
	if at := strings.LastIndexAny(b.text, "—–"); at > 0 && utf8.RuneCountInString(b.text[at:]) < 100 && at > len(b.text)/3 {
		whole.To = at
	}
	if words.Count(b.text[:whole.To]) < stated.MinWords {
		return false
	}
	places := 0
	d := &statementDraft{block: b, at: stated.Span{From: 0, To: len(b.text)}}
	last := -10
	for _, m := range b.marks {
		if m.at > last+2 {
			places++
		}
		last = m.end
	}
	if places > 1 && b.marks[0].at < whole.To*2/3 {
		return false
	}
	intro := r.prev
	for _, m := range b.marks {
		d.add(m.at, m.end, r.resolveMark(m))
	}
	if len(d.groups) == 0 && intro != nil && len(intro.groups) > 0 && strings.HasSuffix(strings.TrimRight(intro.block.text, " "), ":") {
		d.addGroup(len(b.text), len(b.text), intro.groups[len(intro.groups)-1].references)
	}
	d.quotes = []stated.Span{whole}
	r.drafts = append(r.drafts, d)
	r.prev = d
	return true
}

// callout reports a note that is only set like a quotation.
func callout(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	if strings.HasPrefix(text, "[!") || r > 0x2190 && r < 0x2e80 || r >= 0x1f000 {
		return true
	}
	head, _, ok := strings.Cut(text[:min(len(text), 40)], ":")
	if !ok {
		head, _, ok = strings.Cut(text[:min(len(text), 40)], "：")
	}
	return ok && words.Count(head) <= 3
}
