package citation

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/citation/stated"
	"github.com/research-council/research-council/internal/evidence/source"
)

// listName reports whether a heading is that of a list of sources.
func listName(text string) bool {
	s := strings.ToLower(strings.TrimSpace(text))
	s = leadingNumber().ReplaceAllString(s, "")
	s = strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	if len(s) > 80 || s == "" {
		return false
	}
	if at := strings.IndexAny(s, "(（["); at > 0 {
		s = strings.TrimSpace(s[:at])
	}
	if slices.Contains(listNames(), s) {
		return true
	}
	for _, lead := range []string{"key ", "main ", "selected ", "primary ", "cited ", "all ", "full ", "complete ", "list of ", "data ", "information ", "numbered ", "主要", "相关", "数据", "附录", "本文"} {
		if rest, ok := strings.CutPrefix(s, lead); ok && slices.Contains(listNames(), strings.TrimLeft(rest, ":：、 ")) {
			return true
		}
	}
	return false
}

var leadingNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[0-9]+(?:\.[0-9]+)*[.)、:：]?|[ivxlc]+[.)、]|[一二三四五六七八九十]+[、.．]|第[一二三四五六七八九十0-9]+[章节部分]+|[a-z][.)]|[（(][一二三四五六七八九十0-9]+[)）]|appendix [a-z0-9]:?|附录[a-z0-9一二三]?[:：]?)\s*`)
})

func listNames() []string {
	return []string{
		"references", "reference", "sources", "source", "bibliography", "works cited", "citations", "literature", "literature cited",
		"reference list", "source list", "comprehensive source list", "complete source list", "full source list", "list of references", "list of sources", "sources cited", "sources consulted", "sources used", "works referenced",
		"references and sources", "sources and references", "references & sources", "sources & references", "references and notes", "notes and references",
		"references and links", "reference links", "cited sources", "footnotes", "endnotes", "notes", "links", "bibliography and sources", "references cited", "source links", "source index",
		"参考文献", "参考资料", "参考来源", "参考资料来源", "引用来源", "数据来源", "资料来源", "信息来源", "来源", "引用", "引文", "文献", "参考", "参考链接", "参考文献列表",
		"参考资料列表", "引用文献", "文献来源", "来源列表", "引用资料", "参考文献与资料来源", "参考文献和资料来源", "参考网址", "資料來源", "參考文獻", "參考資料", "來源", "注释", "脚注", "尾注",
		"出典", "参照", "参考url", "参照文献", "참고문헌", "출처", "참고 자료", "참고자료",
		"quellen", "quellenverzeichnis", "quellenangaben", "literatur", "literaturverzeichnis", "referenzen", "einzelnachweise", "fußnoten", "literatur und quellen",
		"références", "bibliographie", "références bibliographiques", "notes et références", "sources et références", "fuentes", "referencias", "bibliografía", "referencias bibliográficas",
		"fonti", "riferimenti", "bibliografia", "referências", "referências bibliográficas", "fontes", "bronnen", "referenties", "källor", "kilder", "lähteet",
		"источники", "литература", "список литературы", "список источников", "ссылки", "библиография", "źródła", "kaynaklar", "kaynakça", "المراجع", "المصادر", "مراجع", "स्रोत", "संदर्भ",
	}
}

// pseudoLevel is the level of a heading that is only a line of text.
const pseudoLevel = 7

// findLists says of each block whether it is an entry of a list of sources.
func findLists(blocks []block) []bool {
	listed := make([]bool, len(blocks))
	var open section
	for i := range blocks {
		b := &blocks[i]
		h := 0
		switch {
		case b.kind == heading:
			h = b.level
		case b.kind == prose && len(b.text) <= 80 && len(b.marks) == 0 && b.label == "" && listName(b.text):
			h = pseudoLevel
		}
		if h > 0 && listName(b.text) {
			open.takeEntries(blocks[:i], listed)
			open = section{h, i + 1}
		} else if h > 0 && h <= open.level {
			open.takeEntries(blocks[:i], listed)
			open = section{}
		}
	}
	open.takeEntries(blocks, listed)
	for i := range blocks {
		if b := &blocks[i]; b.sign != "" || b.note && (b.label[0] == '^' || numberLabel().MatchString(b.label)) {
			listed[i] = true
		}
	}
	last := isTail(blocks)
	for i := 0; i < len(blocks); {
		i = unheaded(blocks, listed, last, i)
	}
	for i := range blocks {
		if !listed[i] && isSectionList(blocks, listed, i) {
			listed[i], blocks[i].sources = true, true
		}
	}
	return listed
}

// dropSecondList gives the entries of a list besides the one markers refer to: that has
// its labels in brackets, and the other only numbers and no address. They are
// no entries then.
func dropSecondList(blocks []block, listed []bool) []int {
	var numbered []int
	brackets := false
	for i := range blocks {
		switch b := &blocks[i]; {
		case !listed[i]:
		case b.marked && !b.note && hasLink(b):
			brackets = true
		case b.kind == item && b.label != "" && !b.marked:
			if hasLink(b) {
				return nil
			}
			numbered = append(numbered, i)
		}
	}
	if !brackets {
		return nil
	}
	for _, i := range numbered {
		listed[i] = false
	}
	return numbered
}

// A section is what stands below a heading: from a block on, below a heading
// of a level, 0 for none.
type section struct{ level, from int }

// takeEntries takes the entries of a headed list that reaches to the end of blocks. A
// rule ends it once it has entries; without any it was a heading of something
// else.
func (s section) takeEntries(blocks []block, listed []bool) {
	level, from, to := s.level, s.from, len(blocks)
	if level == 0 {
		return
	}
	labels, leading, entries := 0, 0, 0
	for i := from; i < to; i++ {
		b := &blocks[i]
		if b.kind == rule && entries > 0 {
			to = i
			break
		}
		if !candidate(b) {
			continue
		}
		entries++
		if label(b) != "" {
			labels++
		}
		if hasLink(b) {
			leading++
		}
	}
	if labels+leading == 0 || level == pseudoLevel && leading == 0 && labels < 2 {
		return
	}
	var entry *block // the last one with a label
	for i := from; i < to; i++ {
		b := &blocks[i]
		if entry != nil && b.kind == item && label(b) == "" && b.indent > entry.indent {
			entry.appendBelow(b)
			continue
		}
		own := label(b) != "" || hasLink(b) || b.kind == item
		listed[i] = candidate(b) && (own || labels == 0 && entryYear().MatchString(b.text))
		if listed[i] && label(b) != "" {
			entry = b
		}
	}
}

// appendBelow takes what is said below an entry, as its address on a line of its
// own, into the entry. It is no text of the report's any more.
func (b *block) appendBelow(below *block) {
	if !hasLink(b) {
		for _, m := range below.marks {
			m.at, m.end = len(b.text), len(b.text)
			b.marks = append(b.marks, m)
		}
	}
	below.kind = code
	b.below = append(b.below, below)
}

func candidate(b *block) bool {
	return b.kind != heading && b.kind != code && b.kind != rule && (b.text != "" || hasLink(b))
}

// hasLink reports whether a block leads to a source.
func hasLink(b *block) bool {
	return slices.ContainsFunc(b.marks, func(m mark) bool { return m.target != "" })
}

// label is the label of a block as an entry of a list.
func label(b *block) string {
	if b.label != "" {
		return b.label
	}
	if len(b.marks) > 0 && b.marks[0].at == 0 && b.marks[0].end == 0 && len(b.marks[0].labels) == 1 {
		return b.marks[0].labels[0]
	}
	if m := cellNumber().FindStringSubmatch(b.text); m != nil && (b.kind == row || m[2] != "") {
		return m[1]
	}
	return ""
}

var cellNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[(\[]?([0-9]{1,3})(?: \||([)\]]))`) })

// unheaded looks at a run of blocks that begin with labels in brackets: it is a
// list where half of them lead to a source, or at the end of the report.
func unheaded(blocks []block, listed, ends []bool, i int) int {
	if listed[i] || !blocks[i].marked && !(blocks[i].kind == item && blocks[i].label != "") {
		return i + 1
	}
	end, leading, rising := i, 0, true
	named := isName(blocks[i].label)
	for end < len(blocks) && !listed[end] && blocks[end].label != "" && blocks[end].marked == blocks[i].marked && isName(blocks[end].label) == named {
		if hasLink(&blocks[end]) {
			leading++
		}
		rising = rising && blocks[end].label == strconv.Itoa(end-i+1)
		end++
	}
	n, last := end-i, ends[end]
	is := leading*2 >= n && (n > 1 || last) || last && rising && n > 1
	if !blocks[i].marked {
		is = leading == n && (last && rising || blocks[i].named)
	}
	for k := i; k < end; k++ {
		listed[k] = is
	}
	return end
}

// isTail says for each block, and for the place behind the last, whether from
// there on nothing to speak of follows: no heading, and fewer than 60 words.
func isTail(blocks []block) []bool {
	ends := make([]bool, len(blocks)+1)
	ends[len(blocks)] = true
	behind := 0
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].kind == heading {
			break
		}
		if behind += words.Count(blocks[i].text); behind >= 60 {
			break
		}
		ends[i] = true
	}
	return ends
}

// newReference makes a reference of an entry of a list.
func newReference(b *block) Reference {
	r := Reference{Label: label(b), Listed: true, Start: b.src, End: b.end}
	text := b.text
	if b.label == "" && r.Label != "" {
		text = cellNumber().ReplaceAllString(text, "")
	}
	if head := "[" + b.label + "]"; b.marked && len(text) >= len(head) && strings.EqualFold(text[:len(head)], head) {
		text = text[len(head):]
	}
	if b.sign != "" {
		text = attribution().ReplaceAllString(text, "")
	}
	r.Text = trimEdges(strings.Join(strings.Fields(text), " "))
	var best *mark
	var found source.Source
	for i := range b.marks {
		m := &b.marks[i]
		if m.target == "" {
			continue
		}
		s := source.Identify(m.target)
		if isName(r.Label) && strings.EqualFold(strings.ReplaceAll(m.target, " ", ""), r.Label) { // [RFC8174]
			best = m
			break
		}
		if best == nil || rank(s.Kind) < rank(found.Kind) {
			best, found = m, s
		}
	}
	if name := fileName(r.Text); best == nil && name != "" {
		r.setTarget(name)
	}
	if best != nil {
		r.setTarget(best.target)
		if title := strings.TrimFunc(best.words, edge); !isWebAddress(title) && words.Count(title) > 1 {
			r.Title = title
		}
	}
	r.describe(best != nil && best.at == 0 && best.end == 0)
	return r
}

// fileName is the name of a file at the beginning of an entry that is nothing
// else, or goes on behind a comma; "" where none stands there. Things are named
// like files too: Node.js, v1.2.
func fileName(text string) string {
	name, _, _ := strings.Cut(text, ", ")
	ext := path.Ext(name)
	if len(ext) < 2 || ext[1] < 'a' || ext[1] > 'z' || strings.ContainsAny(name, " \t") {
		return ""
	}
	first, _ := utf8.DecodeRuneInString(name)
	thing := unicode.IsUpper(first) && !strings.Contains(name, "/") && slices.Contains([]string{".js", ".io", ".ai", ".com", ".org"}, ext)
	if thing || source.Identify(name).Kind != source.File {
		return ""
	}
	return name
}

func (r *Reference) setTarget(target string) {
	s := source.Identify(target)
	r.URL, r.Key, r.Kind = target, s.Key, s.Kind
}

// trimEdges is a text without what parts it from others, but with the dots that
// begin a path.
func trimEdges(text string) string {
	text = strings.TrimRightFunc(text, edge)
	rest := strings.TrimLeftFunc(text, edge)
	if before := text[:len(text)-len(rest)]; strings.HasPrefix(rest, "/") {
		return before[len(strings.TrimRight(before, ".")):] + rest
	}
	return rest
}

// edge are the runes that only part an entry's pieces.
func edge(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("-–—:：|·,，;.、↩︎↑^[]<>", r)
}

// rank orders identities by how surely they name one work.
func rank(k source.Kind) int {
	order := []source.Kind{source.DOI, source.ArXiv, source.PMC, source.PMID, source.ISBN, source.RFC, source.URL, source.File}
	if at := slices.Index(order, k); at >= 0 {
		return at
	}
	return len(order)
}

var (
	yearForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:1[5-9]|20)[0-9]{2}\b`) })
	apaForm  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(.{2,400}?)[\s,.]*[(（]((?:1[5-9]|20)[0-9]{2})[a-z]?(?:,[^()]{1,30})?[)）][.,:]?\s*(.*)$`)
	})
)

// describe tells title, authors and year from an entry's words. Of an entry
// that begins with its address all the rest is the title.
func (r *Reference) describe(addressFirst bool) {
	if m := apaForm().FindStringSubmatch(r.Text); m != nil {
		r.By = strings.TrimFunc(m[1], edge)
		r.Year, _ = strconv.Atoi(m[2])
		if r.Title == "" {
			r.Title = titleAhead(m[3])
		}
	}
	if spans := stated.Quoted(r.Text); r.Title == "" && len(spans) > 0 {
		r.Title = strings.TrimFunc(r.Text[spans[0].From:spans[0].To], edge)
		if r.By == "" && spans[0].From > 2 {
			r.By = strings.TrimFunc(strings.TrimRight(r.Text[:spans[0].From], "\"“„«「"), edge)
		}
	}
	if r.Title == "" && addressFirst {
		r.Title = r.Text
	}
	if years := yearForm().FindAllString(r.Text, 3); r.Year == 0 && len(years) == 1 && !addressFirst {
		r.Year, _ = strconv.Atoi(years[0])
	}
}

// titleAhead is the title a reference goes on with: what is quoted, or all up to a
// mark that ends a sentence, whatever follows it (an address, a journal in small
// letters).
func titleAhead(s string) string {
	if spans := stated.Quoted(s); len(spans) > 0 && spans[0].From < 6 {
		return strings.TrimFunc(s[spans[0].From:spans[0].To], edge)
	}
	for i := 0; i+1 < len(s); i++ {
		if (s[i] == '.' || s[i] == '?' || s[i] == '!') && s[i+1] == ' ' && i > 10 {
			return strings.TrimFunc(s[:i], edge)
		}
	}
	return strings.TrimFunc(s, edge)
}
