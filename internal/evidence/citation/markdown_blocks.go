package citation

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// A markdownSplitter cuts Markdown into blocks, line by line. It follows CommonMark where
// that decides what is running text, and people's habits where these differ: a
// line that begins with a marker begins an entry, a row of a table is one
// block.
type markdownSplitter struct {
	text   string
	defs   map[string]string
	blocks []rawBlock
	fence  string // what closes the code that is open; "" outside
	inside int    // where the code that is open begins
	blank  bool   // the last line was
	inList bool   // a list of sources has begun
	run    listRun
}

// rawBlock is a block before its running text is read.
type rawBlock struct {
	block
	raw       []byte
	stretches []segment
}

func (b *rawBlock) add(raw string, src int) {
	if len(b.stretches) > 0 {
		b.raw = append(b.raw, '\n')
	}
	b.stretches = append(b.stretches, segment{len(b.raw), src})
	b.raw = append(b.raw, raw...)
	b.end = src + len(raw)
}

func markdownBlocks(text string) []block {
	l := markdownSplitter{text: text, defs: map[string]string{}, blank: true}
	at := frontMatter(text)
	for range maxUnclosed {
		l.readLines(at)
		if l.fence == "" {
			break
		}
		at, l.fence, l.blank = l.inside, "", true // nobody closed it: it is no code
	}
	l.joinWrapped()
	blocks := make([]block, 0, len(l.blocks))
	for i := range l.blocks {
		blocks = append(blocks, l.readInline(&l.blocks[i]))
	}
	return blocks
}

// maxUnclosed bounds how often text is read again because code in it was not
// closed.
const maxUnclosed = 4

// readLines reads the lines from a byte on.
func (l *markdownSplitter) readLines(at int) {
	for at < len(l.text) {
		end := strings.IndexByte(l.text[at:], '\n')
		if end < 0 {
			end = len(l.text) - at
		}
		line := strings.TrimSuffix(l.text[at:at+end], "\r")
		next := at + end + 1
		for len(line) > maxBlock {
			n := cutPosition(line, maxBlock)
			l.readLine(line[:n], at)
			line, at = line[n:], at+n
			l.blank = true
		}
		l.readLine(line, at)
		at = next
	}
}

// maxBlock bounds a paragraph, in bytes: longer ones are several.
const maxBlock = 16 << 10

// cutPosition is where to part a text that is too long: behind a blank, or at least
// between letters.
func cutPosition(s string, limit int) int {
	if at := strings.LastIndexByte(s[limit-1024:limit], ' '); at >= 0 {
		return limit - 1024 + at + 1
	}
	for limit > 1 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return limit
}

// readInline reads the running text of a block.
func (l *markdownSplitter) readInline(b *rawBlock) block {
	if b.kind == code || b.kind == rule {
		return b.block
	}
	w := writer{}
	in := inlineReader{raw: string(b.raw), stretches: b.stretches, markdown: true, entry: b.label != "" || b.kind == item, defs: l.defs, w: &w}
	in.readAll()
	w.finish(&b.block)
	return b.block
}

// frontMatter is where the text behind a YAML header begins.
func frontMatter(text string) int {
	if !strings.HasPrefix(text, "---\n") && !strings.HasPrefix(text, "---\r\n") {
		return 0
	}
	end := strings.Index(text[:min(len(text), 64<<10)], "\n---\n")
	if end < 0 || strings.Contains(text[:end], "\n\n") || !strings.Contains(text[:end], ":") {
		return 0
	}
	return end + 5
}

// openBlock is the block a line may go on with; nil when there is none.
func (l *markdownSplitter) openBlock() *rawBlock {
	if l.blank || len(l.blocks) == 0 {
		return nil
	}
	b := &l.blocks[len(l.blocks)-1]
	if len(b.raw) > maxBlock || b.kind == heading || b.kind == code || b.kind == rule || b.kind == row {
		return nil
	}
	return b
}

func (l *markdownSplitter) beginBlock(b block, raw string, src int) {
	b.src = src
	b.wrapped = l.openBlock() != nil
	l.blocks = append(l.blocks, rawBlock{block: b})
	l.blocks[len(l.blocks)-1].add(raw, src)
	l.blank = false
}

var (
	fenceForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(`{3,}|~{3,})[^`]*$") })
	headingForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(#{1,6})(?:[ \t]+|$)`) })
	ruleForm    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	})
	underForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:=+|-{2,})[ \t]*$`) })
	bulletForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-+*•‣◦▪]\s+`) })
	orderedForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([0-9]{1,4})(?:\\?[.)]\s+|\\?[.)]$|[、．）]\s*)`)
	})
	entryForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\*\*|__)?\\?(?:\[\[?|【)(\^?[^\[\]【】\s\\]{1,60})(?:\]?\\?\]|】)(?:\*\*|__)?(:?)`)
	})
	numberLabel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,4}(?:-[0-9]{1,4})?$`) })
	defForm     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[([^\[\]]{1,200})\]:\s*(?:<([^<>]*)>|(\S+))\s*(?:"[^"]*"|'[^']*'|\([^()]*\))?\s*$`)
	})
	divider = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[|:\-\s+]+$`) })
)

// readLine reads one line that begins at a byte of the report.
func (l *markdownSplitter) readLine(raw string, src int) {
	line, depth, cut := quotedLine(raw)
	src += cut
	trimmed := strings.TrimLeft(line, " \t\u3000\ufeff")
	indent := len(line) - len(trimmed)
	src += indent
	trimmed = strings.TrimRight(trimmed, " \t")
	if l.fence != "" {
		l.closeFence(trimmed, src)
		return
	}
	if m := fenceForm().FindStringSubmatch(trimmed); m != nil {
		l.fence, l.inside = m[1], src+len(trimmed)
		l.beginBlock(block{kind: code}, "", src)
		return
	}
	if trimmed == "" {
		l.blank = true
		return
	}
	if last := l.openBlock(); last != nil && last.quoted != (depth > 0) {
		l.blank = true
	}
	l.readContent(trimmed, src, block{quoted: depth > 0, indent: indent})
}

// closeFence ends code where its fence is closed. A marker may follow: people
// put it there.
func (l *markdownSplitter) closeFence(line string, src int) {
	if !strings.HasPrefix(line, l.fence) {
		return
	}
	rest := strings.TrimLeft(line, l.fence[:1]+" \t")
	if rest != "" && !markersOnly().MatchString(rest) {
		return
	}
	l.fence, l.blank = "", true
	if rest != "" {
		l.beginBlock(block{}, rest, src+len(line)-len(rest))
	}
}

var markersOnly = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\s*\[\^?[0-9][0-9,;\s-]*\])+$`) })

// quotedLine takes the marks of a block quotation from a line.
func quotedLine(raw string) (line string, depth, cut int) {
	line = raw
	for depth < 24 {
		trimmed := strings.TrimLeft(line, " \t")
		if len(line)-len(trimmed) > 3 && depth == 0 || !strings.HasPrefix(trimmed, ">") {
			break
		}
		line = trimmed[1:]
		depth++
	}
	return line, depth, len(raw) - len(line)
}

// readContent reads a line that is neither empty nor code.
func (l *markdownSplitter) readContent(line string, src int, b block) {
	last := l.openBlock()
	if underForm().MatchString(line) && last != nil && last.kind == prose && !last.note && last.label == "" {
		last.kind, last.level = heading, 1
		if line[0] == '-' {
			last.level = 2
		}
		l.blank = true
		return
	}
	if ruleForm().MatchString(line) {
		l.beginBlock(block{kind: rule}, "", src)
		l.blank = true
		return
	}
	if m := headingForm().FindString(line); m != "" {
		b.kind, b.level = heading, strings.Count(m, "#")
		l.inList = false
		l.beginBlock(b, strings.TrimRight(strings.TrimRight(line[len(m):], "#"), " \t"), src+len(m))
		l.blank = true
		return
	}
	if strings.HasPrefix(line, "|") && strings.Count(line, "|") > 1 {
		l.readTableRow(line, src, b)
		return
	}
	if b.indent >= 4 && last == nil && !l.isInEntry() {
		l.beginBlock(block{kind: code}, "", src)
		return
	}
	l.readText(line, src, b)
}

// isInEntry reports whether an indented line can belong to an entry before it.
func (l *markdownSplitter) isInEntry() bool {
	if len(l.blocks) == 0 {
		return false
	}
	b := &l.blocks[len(l.blocks)-1]
	return b.kind == item || b.note || b.label != "" || b.indent > 0
}

func (l *markdownSplitter) readTableRow(line string, src int, b block) {
	if divider().MatchString(line) {
		return
	}
	b.kind = row
	l.beginBlock(b, strings.TrimSuffix(line[1:], "|"), src+1)
}

// readItem reads a line of running text with what leads it.
func (l *markdownSplitter) readItem(line string, src int, b block) {
	begins := false
	if sign, n := readSign(line); n > 0 {
		b.sign, l.blank = sign, true
		l.beginBlock(b, line[n:], src+n)
		return
	}
	if name, n := l.readNamed(line); n > 0 {
		b.kind, b.label, b.marked, l.blank = item, strings.ToLower(name), true, true
		l.beginBlock(b, line[n:], src+n)
		return
	}
	if id, at, to := sourceTag(line); id != "" {
		b.kind, b.label, b.marked = item, id, true
		l.blank = true // it goes on with nothing
		l.beginBlock(b, line[at:to], src+at)
		return
	}
	if sourcesTag().MatchString(line) { // the name of a list
		l.blank = true
		l.beginBlock(b, line[1:len(line)-1], src+1)
		l.blank = true
		return
	}
	if m := bulletForm().FindString(line); m != "" {
		b.kind, begins = item, true
		line, src = line[len(m):], src+len(m)
	}
	if b.kind == item && len(line) > 4 && line[0] == '[' && strings.IndexByte(" xX", line[1]) >= 0 && line[2:4] == "] " { // a box to tick
		line, src = line[4:], src+4
	}
	if m := orderedForm().FindStringSubmatch(line); m != nil && (l.openBlock() == nil || l.openBlock().kind == item || m[1] == "1" || b.kind == item) {
		b.kind, b.label, begins = item, strings.TrimLeft(m[1], "0"), true
		line, src = line[len(m[0]):], src+len(m[0])
	}
	if m := roundStart().FindStringSubmatch(line); m != nil && l.mayCount(m[1], line) {
		b.kind, b.label, b.round, begins = item, m[1], true, true
		line, src = line[len(m[0]):], src+len(m[0])
	}
	if l.readDefinition(line, src, b) {
		return
	}
	if digits, n := leadingSuperscript(line); n > 0 && (l.openBlock() == nil || l.openBlock().raised) {
		b.raised, begins = true, true
		b.label = digits
		line, src = line[n:], src+n
	}
	m := entryForm().FindStringSubmatch(line)
	if m != nil && strings.HasPrefix(m[0], "【") {
		m[1], _, _ = strings.Cut(m[1], "†") // as a tool's own list has it
	}
	if m != nil && m[1] != "" && hasEntryLabel(m[1]) && !strings.HasPrefix(line[len(m[0]):], "(") {
		b.marked, begins = true, true
		b.label = strings.ToLower(m[1])
		b.note = m[2] == ":" && b.label[0] == '^'
	}
	if last := l.openBlock(); last != nil && !begins && !l.beginsEntry(last, line) {
		last.add(line, src)
		l.blank = false
		return
	}
	l.beginBlock(b, line, src)
}

// roundStart begins an entry of a list that has its numbers in round brackets.
var roundStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\(([1-9][0-9]{0,2})\)\s+`) })

// mayCount reports whether a line that begins with a number in round brackets is an entry:
// it goes on counting, or begins to with an address, or begins a paragraph.
func (l *markdownSplitter) mayCount(number, line string) bool {
	last := l.openBlock()
	if last == nil {
		return true
	}
	n, _ := strconv.Atoi(number) // digits
	return number == "1" && hasAddress(line) || last.round && last.label == strconv.Itoa(n-1)
}

var (
	sourcesTag    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^<(?:sources|references|citations)>$`) })
	sourceTagForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^<(?:source|reference|citation)(\s[^<>]+?)/?>`)
	})
	idAttribute  = sync.OnceValue(func() *regexp.Regexp { return attributeOf("id|index|n|number|ref") })
	urlAttribute = sync.OnceValue(func() *regexp.Regexp { return attributeOf("url|href|src|link") })
)

// attributeOf finds the value of an attribute with one of some names.
func attributeOf(names string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\s(?:` + names + `)\s*=\s*["']?([^\s"'<>]{1,1000})`)
}

// sourceTag reads the beginning of an entry that is an element with an id, as
// <source id="s1">…</source> or <source id="1" url="…"/>: its label, and where in the line
// what it says stands; "" of anything else.
func sourceTag(line string) (label string, at, to int) {
	m := sourceTagForm().FindStringSubmatchIndex(line)
	if m == nil {
		return "", 0, 0
	}
	attributes := line[m[2]:m[3]]
	id := idAttribute().FindStringSubmatch(attributes)
	if id == nil {
		return "", 0, 0
	}
	at, to = m[1], len(line)
	if url := urlAttribute().FindStringSubmatchIndex(attributes); url != nil {
		at, to = m[2]+url[2], m[2]+url[3]
	}
	return strings.ToLower(id[1]), at, to
}

// authorForm begins an entry of a list that is sorted by authors: names and a year.
var authorForm = sync.OnceValue(func() *regexp.Regexp {
	const year = `(?:1[5-9]|20)[0-9]{2}[a-z]?`
	return regexp.MustCompile(`^\p{Lu}(?:[\pL\pM'’.,;:&/ -]{1,160}[(（]` + year + `(?:,[^()]{1,30})?[)）]|[\pL\pM'’.-]*,.{1,160}?[ ,.]` + year + `[.,:;])`)
})

// beginsEntry reports whether a line of a paragraph is an entry of its own: it stands
// below the name of a list of sources, or it begins with authors and a year, as the line
// at the head of the paragraph does, in such a list.
func (l *markdownSplitter) beginsEntry(last *rawBlock, line string) bool {
	if last.kind != prose || last.label != "" || !authorForm().MatchString(line) {
		return false
	}
	if len(last.raw) <= 80 && listName(string(last.raw)) {
		l.inList = true
		return true
	}
	if before := len(l.blocks) - 2; before >= 0 && !l.inList && len(l.blocks[before].raw) <= 80 {
		l.inList = (l.blocks[before].kind == prose || l.blocks[before].kind == heading) && listName(string(l.blocks[before].raw))
	}
	end := strings.TrimRight(string(last.raw[max(0, len(last.raw)-200):]), " \t")
	isWhole := strings.HasSuffix(end, ".") || strings.HasSuffix(end, ">") || strings.HasSuffix(end, ")") || isWebAddress(end[strings.LastIndexAny(end, " \n")+1:])
	return l.inList && isWhole && authorForm().MatchString(string(last.raw[:min(len(last.raw), 300)]))
}

// leadingSuperscript reads the raised number at the beginning of a line, as of a
// note, and its length.
func leadingSuperscript(line string) (digits string, length int) {
	for length < len(line) {
		r, size := utf8.DecodeRuneInString(line[length:])
		d := digit(r)
		if d == 0 || len(digits) > 2 {
			break
		}
		digits += string(d)
		length += size
	}
	return digits, length
}

// hasEntryLabel reports whether a bracketed text at the beginning of a line can be
// the label of an entry.
func hasEntryLabel(s string) bool {
	return s[0] == '^' && len(s) > 1 || numberLabel().MatchString(s) || nameForm().MatchString(s) && s != "x" && s != "X" || keyTag().MatchString(s) // [x] is a box
}

// readDefinition notes where a label leads that links name: [label]: address.
func (l *markdownSplitter) readDefinition(line string, src int, b block) bool {
	m := defForm().FindStringSubmatch(line)
	if m == nil || m[1][0] == '^' || b.quoted {
		return false
	}
	to := unescape(m[2] + m[3])
	if !mayLeadToSource(to) || !strings.ContainsAny(to, "./#") {
		return false
	}
	if key := labelKey(m[1]); l.defs[key] == "" {
		l.defs[key] = to
	}
	b.label, b.marked, b.note = strings.ToLower(m[1]), true, true
	l.beginBlock(b, line, src)
	return true
}

// joinWrapped gives lines back to the paragraph they go on with, that begin with a
// marker and are no entries: the line before has no label.
func (l *markdownSplitter) joinWrapped() {
	var out []rawBlock
	for i := range l.blocks {
		b := &l.blocks[i]
		if n := len(out); n > 0 && b.marked && !b.note && b.wrapped && b.kind == prose && !out[n-1].marked && !l.beginsList(i) {
			last := &out[n-1]
			raw := string(b.raw)
			for k, st := range b.stretches {
				end := len(raw)
				if k+1 < len(b.stretches) {
					end = b.stretches[k+1].raw - 1
				}
				last.add(raw[st.raw:end], st.src)
			}
			continue
		}
		out = append(out, *b)
	}
	l.blocks = out
}

// beginsList reports whether a block begins a list of sources: the line goes on
// with an address, or the next line has the next label.
func (l *markdownSplitter) beginsList(i int) bool {
	b := &l.blocks[i]
	if isWebAddress(strings.TrimLeft(strings.TrimLeft(string(b.raw), "[]0123456789【】:"), " \t<")) {
		return true
	}
	return i+1 < len(l.blocks) && l.blocks[i+1].marked && l.blocks[i+1].wrapped && l.blocks[i+1].kind == b.kind
}
