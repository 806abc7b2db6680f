package citation

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

// nameEntries gives entries their labels that begin with a name a marker has: a
// letter, a short name, the name of a file.
func nameEntries(blocks []block) {
	names := map[string]bool{}
	for i := range blocks {
		for _, m := range blocks[i].marks {
			for _, l := range m.labels {
				if (m.loose || m.leftover || m.ids) && isName(l) {
					names[l] = true
				}
			}
		}
	}
	if len(names) == 0 {
		return
	}
	for i := 0; i < len(blocks); {
		i = nameRun(blocks, names, i)
	}
}

// nameRun names the entries of a run that all begin with a name, if a marker
// has one of these, and gives where the next may begin.
func nameRun(blocks []block, names map[string]bool, i int) int {
	end, known := i, false
	for end < len(blocks) && blocks[end].kind == blocks[i].kind {
		b := &blocks[end]
		name, _ := leadingName(b)
		if b.kind == code || b.kind == heading || b.label != "" || !hasLink(b) || name == "" {
			break
		}
		known = known || names[strings.ToLower(name)]
		end++
	}
	for k := i; k < end && known; k++ {
		b := &blocks[k]
		name, length := leadingName(b)
		b.label, b.named = strings.ToLower(name), true
		b.cut([]stated.Span{{From: 0, To: length}})
	}
	return max(end, i+1)
}

// leadingName is the word at the beginning of a block that something parts from
// the rest, and how much of the text both are.
func leadingName(b *block) (name string, length int) {
	text := b.text[:min(len(b.text), 120)]
	end := strings.IndexAny(text, " :：=|)]")
	if end < 0 {
		end = len(text)
	}
	for _, m := range b.marks {
		if m.target != "" && m.at == end && m.end == end {
			return text[:end], end
		}
	}
	rest := strings.TrimLeft(text[end:], " ")
	r, size := utf8.DecodeRuneInString(rest)
	if rest == "" || !strings.ContainsRune("-–—:：=|)]", r) {
		return "", 0
	}
	return text[:end], len(text) - len(rest) + size
}

// scopes gives each block the scope of its labels: the list of its part of the
// report, where lists stand behind the parts they belong to and use the same
// labels for other sources; else one scope for all.
func scopes(blocks []block, listed []bool) []int {
	one, scope := make([]int, len(blocks)), make([]int, len(blocks))
	list, open := 0, false // a list is open until text follows
	of := map[string]entryOf{}
	again := false
	for i := range blocks {
		b := &blocks[i]
		if !listed[i] && (b.kind == heading || b.kind == rule || b.kind == code) {
			if b.kind == heading && open {
				list, open = list+1, false
			}
			scope[i] = list
			continue
		}
		if !listed[i] && open {
			list, open = list+1, false
		}
		open = open || listed[i] && !b.note
		scope[i] = list
		if l := label(b); listed[i] && l != "" && !b.note {
			s := entryOf{list, linkOf(b)}
			if was, known := of[l]; known && was.list != list && was.link != s.link {
				again = true
			}
			of[l] = s
		}
	}
	if !again {
		return one
	}
	if !open && list > 0 { // what follows the last list has none of its own
		for i := range scope {
			scope[i] = min(scope[i], list-1)
		}
	}
	return scope
}

// entryOf is what a label stands for in a list.
type entryOf struct {
	list int
	link string
}

// linkOf is where an entry leads.
func linkOf(b *block) string {
	for _, m := range b.marks {
		if m.target != "" {
			return m.target
		}
	}
	return ""
}

// sourcesForm begins a line that names several sources.
var sourcesForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[(（—–\-*\s]*(?:(sources|refs|references|quellen|referenzen|fuentes|referencias|fontes|fonti|bronnen|références|källor|źródła|источники|来源|资料来源|数据来源|参考资料|参考文献|出典|参考)|sources?\s+(?:for|of)\b.{0,40}|source|quelle|fuente|fonte)\s*[:：]`)
})

// fewWords are at most what a paragraph says that one source may stand for.
const fewWords = 25

// isSectionList reports whether a block names the sources of the section it
// ends, and no sentence of it: what it stands behind is more than a sentence,
// and no marker says which of it rests on which source.
func isSectionList(blocks []block, listed []bool, i int) bool {
	b := &blocks[i]
	m := sourcesForm().FindStringSubmatch(b.text)
	if m == nil || b.kind == row || b.kind == heading || b.quoted || !hasLink(b) || m[1] == "" && countLinks(b) < 2 {
		return false
	}
	if words.Count(b.textWithoutLinks()) > 12 || !endsSection(blocks, i) {
		return false
	}
	before, prose := 0, 0
	for k := i - 1; k >= 0 && blocks[k].kind != heading && blocks[k].kind != rule && before <= fewWords; k-- {
		if blocks[k].kind == row && k == i-1 {
			return false
		}
		if !listed[k] && blocks[k].kind != code {
			before += words.Count(blocks[k].text)
			prose++
		}
	}
	return before > fewWords || prose > 1
}

func countLinks(b *block) int {
	n := 0
	for _, m := range b.marks {
		if m.target != "" {
			n++
		}
	}
	return n
}

// endsSection reports whether a heading, a rule or nothing follows a block.
func endsSection(blocks []block, i int) bool {
	if i+1 == len(blocks) {
		return true
	}
	next := &blocks[i+1]
	return next.kind == heading || next.kind == rule
}

// dataForm is an object that says of an id what it stands for, as tools that
// write ids into the text leave it in a block of code.
var dataForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]{0,1000}"id"\s*:[^{}]{0,1000}\}`) })

// readData reads the sources of a tool's ids where no list names them.
func (r *documentBuilder) readData() {
	ids := slices.ContainsFunc(r.blocks, func(b block) bool {
		return slices.ContainsFunc(b.marks, func(m mark) bool { return m.ids })
	})
	if !ids || len(r.byLabel) > 0 {
		return
	}
	for _, at := range dataForm().FindAllStringIndex(r.text, -1) {
		var entry struct{ ID, URL, Title, File string }
		if json.Unmarshal([]byte(r.text[at[0]:at[1]]), &entry) != nil || entry.ID == "" {
			continue
		}
		e := Reference{Label: strings.ToLower(entry.ID), Listed: true, Text: strings.TrimSpace(entry.Title + " " + entry.File), Title: entry.Title, Start: at[0], End: at[1], Line: r.lineNumber(at[0])}
		if entry.URL != "" {
			e.setTarget(entry.URL)
		}
		r.doc.References = append(r.doc.References, e)
		r.indexReference(len(r.doc.References)-1, &block{}, 0)
	}
}

// numberEntries numbers the entries of a list that have no labels, where the
// markers of the text are numbers that all can mean one of them.
func (r *documentBuilder) numberEntries() {
	var entries []int
	for i, e := range r.doc.References {
		if e.Listed && e.Label != "" {
			return
		}
		if e.Listed {
			entries = append(entries, i)
		}
	}
	most := 0
	for i := range r.blocks {
		for _, m := range r.blocks[i].marks {
			for _, l := range m.labels {
				if n, err := strconv.Atoi(l); err == nil && m.loose && !m.soft && r.isRunning(i) {
					most = max(most, n)
				}
			}
		}
	}
	if most == 0 || most > len(entries) {
		return
	}
	for n, i := range entries {
		r.doc.References[i].Label = strconv.Itoa(n + 1)
		r.byLabel[labelled{0, r.doc.References[i].Label}] = i
	}
}

// dropFurtherReading takes out what a report only recommends at its end: links
// below a heading of that name support nothing it says.
func dropFurtherReading(blocks []block) {
	level := 0
	for i := range blocks {
		b := &blocks[i]
		if b.kind == heading {
			if level > 0 && b.level > level {
				continue
			}
			level = 0
			if furtherForm().MatchString(strings.ToLower(b.text)) {
				level = b.level
			}
		} else if level > 0 && b.kind != rule {
			b.kind = code
		}
	}
}

var furtherForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\W*(?:(?:suggestions for )?further (?:reading|resources|information)|recommended reading|related (?:reading|links|articles|reports)|see also|weiterführende (?:literatur|links|informationen)|zum weiterlesen|siehe auch|pour aller plus loin|lectures? complémentaires?|para saber más|lecturas? (?:recomendadas?|adicionales?)|延伸阅读|相关阅读|扩展阅读|関連記事|関連リンク|さらに読む)\W*$`)
})

// readSourceLine reads the sources of a section from the line that names them.
func (r *documentBuilder) readSourceLine(b *block) {
	name := ""
	for _, m := range b.marks {
		if m.target == "" {
			if len(m.labels) == 1 {
				name = m.labels[0]
			}
			continue
		}
		e := Reference{Label: name, Listed: true, Text: m.words, Start: m.src, End: m.to, Line: r.lineNumber(m.src)}
		e.setTarget(m.target)
		r.doc.References = append(r.doc.References, e)
		r.indexReference(len(r.doc.References)-1, &block{}, 0)
		name = ""
	}
}
