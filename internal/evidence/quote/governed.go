package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
)

// maxAround is how many bytes before and behind a passage are looked at for what
// governs it.
const maxAround = 600

// governed gives what stands outside a passage, in its sentence or the next, and
// governs what it says: a negation, a condition, an attribution. The passage
// stands there all the same; cut out of its sentence it says something else.
func (s *search) governed(m Match) []guard.Finding {
	if isWholeSentence(s.text, m.Start, m.End) {
		return nil
	}
	c := newContext(s.text, m.Start, m.End)
	var found []guard.Finding
	if c.isGovernedByHead() {
		found = append(found, guard.Finding{Kind: guard.Begins, Text: shortened(c.head)})
	}
	if c.isLimitedByTail() {
		found = append(found, guard.Finding{Kind: guard.GoesOn, Text: shortened(strings.TrimLeft(c.tail, ` ,;:"'”’»）)`))})
	}
	if len(found) == 0 && c.isRejectedNext() {
		found = append(found, guard.Finding{Kind: guard.Answered, Text: shortened(c.next)})
	}
	return found
}

// isWholeSentence reports what most quotations are, seen at a glance: whole
// sentences, and no short answer behind them.
func isWholeSentence(text string, start, end int) bool {
	const answer = 48
	before := strings.TrimRight(text[:start], " \n")
	if before != "" && (len(before) == start || !strings.ContainsRune(".!?", rune(before[len(before)-1]))) {
		return false
	}
	stop := start + len(strings.TrimRight(text[start:end], " .!?"))
	behind := text[stop:]
	if behind == "" || stop == start || behind[0] != '.' && behind[0] != '!' && behind[0] != '?' || text[stop-1] >= utf8.RuneSelf {
		return false
	}
	next := strings.TrimLeft(behind[1:], " \n")
	if len(next) == len(behind)-1 {
		return next == ""
	}
	first, _ := utf8.DecodeRuneInString(next)
	return unicode.IsUpper(first) && len(next) > answer && !strings.ContainsAny(next[:answer], ".!?")
}

// shortened is words on one line, the middle of long ones left out.
func shortened(s string) string {
	const most = 160
	s = strings.Join(strings.Fields(s), " ")
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most/2]) + " … " + string(runes[len(runes)-most/2:])
}

// context is what stands around a passage, as it is read.
type context struct {
	head     string // of its first sentence
	tail     string // of its last
	next     string // the sentence behind
	open     bool   // the passage says itself that it is claimed or doubted
	closed   bool   // a quotation of the text's own ends with the passage
	negated  bool   // the passage ends with a clause that has a negation
	language string
	lead     []guard.Governor // of the head
	rest     []guard.Governor // of the tail
}

func newContext(text string, start, end int) context {
	const inside = 200
	var c context
	from := runeStart(text, start-maxAround)
	before, at := readAround(text[from:runeStart(text, min(end, start+inside))], start-from)
	c.head = headOf(before, at)
	from = max(start, runeStart(text, end-inside))
	from = len(strings.TrimRight(text[:from], "/ \t")) // a comment is seen to be one
	if from > 0 && text[from-1] == '\n' {
		from-- // a line begins here
	}
	behind, at := readAround(text[from:runeStart(text, end+maxAround)], end-from)
	c.tail, c.next = tailOf(behind, at)
	mark, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind[at:], ".,!?"))
	c.closed = strings.ContainsRune(closingQuotes, mark) && !strings.ContainsAny(behind[:at], openingQuotes+`"`)
	c.negated = hasNegation(behind[strings.LastIndexAny(behind[:at], ".,;:!?，。；")+1 : at])
	if strings.ContainsFunc(c.head+c.tail+c.next, isWordRune) {
		c.language = guard.Language(before + " " + behind)
	}
	c.open = slices.ContainsFunc(guard.Governors(behind[:at], c.language), func(g guard.Governor) bool {
		return g.Role == guard.Claimed || g.Role == guard.Doubt || g.Role == guard.Rejection
	})
	c.lead, c.rest = guard.Governors(c.head, c.language), guard.Governors(c.tail, c.language)
	return c
}

// readAround reads a part of a text and tells where a place of it is then.
func readAround(part string, at int) (string, int) {
	r := newReading(part, false)
	at = r.forward(at)
	blank := strings.NewReplacer("*", " ", "`", " ", "_", " ")
	return blank.Replace(r.text), at
}

// oneLine is a text without line ends, as long as it was.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, s)
}

// isBreak reports whether the line end or tab at a place of a text ends a
// paragraph, a heading, an item or a cell.
func isBreak(s string, i int) bool {
	if s[i] == '\t' {
		return true
	}
	begin := strings.LastIndexByte(s[:i], '\n') + 1
	line := strings.TrimSpace(s[begin:i])
	rest := s[i+1:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	next := strings.TrimSpace(rest)
	if line == "" || next == "" || strings.Contains(s[begin:i]+rest, "\t") || isItem(next) || isComment(line) != isComment(next) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(next)
	last, _ := utf8.DecodeLastRuneInString(line)
	return begin > 0 && isShortLine(line) && !unicode.IsLower(first) && !strings.ContainsRune(",;-–—، 、，", last)
}

// isComment reports whether a line of code holds nothing but a comment, as most
// languages write it.
func isComment(line string) bool { return strings.HasPrefix(line, "//") }

// isShortLine reports whether a line is too short to have been broken for its
// length.
func isShortLine(line string) bool {
	n := 0
	for _, r := range line {
		if n++; words.Unspaced(r) {
			n += 2
		}
	}
	return n < 60
}

// isItem reports whether a line begins an item of a list, a heading or a row.
func isItem(line string) bool {
	for _, mark := range [...]string{"- ", "• ", "+ ", "#", "|", "> "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	if len(line) > 3 && line[0] == '(' && (line[2] == ')' || line[3] == ')') {
		return true
	}
	number := strings.TrimLeftFunc(line, unicode.IsDigit)
	return len(number) < len(line) && (strings.HasPrefix(number, ". ") || strings.HasPrefix(number, ") "))
}

// headOf is what of the sentence around a place stands before it.
func headOf(text string, at int) string {
	from, to := 0, len(text)
	for i := range len(text) {
		switch {
		case text[i] != '\n' && text[i] != '\t' || !isBreak(text, i):
		case i < at:
			from = i + 1
		case i < to:
			to = i
		}
	}
	for _, s := range words.Sentences(oneLine(text[from:to])) {
		if from+s.End > at {
			head := text[from+s.Start : max(at, from+s.Start)]
			return oneLine(strings.TrimLeftFunc(head, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("#>-•)]", r) }))
		}
	}
	return ""
}

// tailOf is what of the sentence around a place stands behind it, and the sentence
// behind that.
func tailOf(text string, at int) (tail, next string) {
	to := len(text)
	for i := at; i < len(text); i++ {
		if (text[i] == '\n' || text[i] == '\t') && isBreak(text, i) {
			to = i
			break
		}
	}
	defer func() {
		if tail = strings.TrimSpace(tail); next == "" && strings.TrimFunc(tail, isNotWordRune) == "" && to < len(text) {
			if s := words.Sentences(oneLine(strings.TrimSpace(text[to:]))); len(s) > 0 && s[0].End < 30 {
				next = strings.TrimSpace(oneLine(strings.TrimSpace(text[to:]))[:s[0].End]) // an answer of its own: "Nonsense."
			}
		}
	}()
	letter := len(strings.TrimRightFunc(text[:at], isNotWordRune))
	whole := oneLine(text[:to])
	list := words.Sentences(whole)
	for i, s := range list {
		if s.End < letter || s.End == letter && i+1 < len(list) {
			continue
		}
		if i+1 < len(list) && s.End >= at-1 {
			next = whole[list[i+1].Start:list[i+1].End]
		}
		return strings.TrimSpace(whole[letter:s.End]), strings.TrimSpace(next)
	}
	return "", ""
}

const openingQuotes, closingQuotes = "“„«「『‘‹《", "”“»」』’›》\""

// isGovernedByHead reports whether what stands before a passage governs it.
func (c context) isGovernedByHead() bool {
	head := strings.TrimRight(c.head, " ")
	bare := strings.TrimRight(head, `"“„«「『‘‹《([—– `)
	if !strings.ContainsFunc(bare, isWordRune) {
		return false
	}
	quoted := bare != head && strings.ContainsAny(head[len(bare):], openingQuotes+`"`)
	if quoted {
		return true
	}
	that := c.opensClause(bare)
	comma := strings.HasSuffix(bare, ",") || strings.HasSuffix(bare, ":") || endsWithAny(bare, "，：、،")
	from := 0
	if !that && !comma {
		from = c.lastClause(bare)
	}
	if c.isInvertedCondition(bare, comma) {
		return true
	}
	claimed, fact := false, false
	for _, g := range c.lead {
		if g.Start < from || g.End > len(bare) {
			continue
		}
		switch g.Role {
		case guard.Condition, guard.Whether, guard.Doubt, guard.Rejection:
			return true
		case guard.Exception, guard.Only:
			if !comma && g.End >= len(strings.TrimRight(bare, " ,")) {
				return true
			}
		case guard.Claimed:
			claimed = true
		case guard.Fact:
			fact = true
		}
	}
	if claimed && (that || comma || c.isUnspaced()) {
		return true
	}
	if comma && !that {
		return false
	}
	for _, w := range guard.Words(bare[from:]) {
		if w.Kind == guard.Negation {
			return true
		}
	}
	return that && !fact && c.language != "en" && c.language != "es" && c.language != "fr" && c.language != "it" && c.language != "pt" || c.isOneWordThatDecides(bare)
}

// opensClause reports whether a head ends with what opens a clause: a "that", or
// words such as "it is said".
func (c context) opensClause(bare string) bool {
	end := len(strings.TrimRight(bare, " ,"))
	return slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		return g.End >= end && (g.Role == guard.That || g.Role == guard.Claimed || g.Role == guard.Doubt || g.Role == guard.Rejection)
	})
}

// lastClause is where the last clause of a head begins: behind a mark or an "and".
func (c context) lastClause(bare string) int {
	from := 0
	for i, r := range bare {
		if strings.ContainsRune(",;:()—–，；：、،؛", r) {
			from = i + utf8.RuneLen(r)
		}
	}
	for _, g := range c.lead {
		if g.Role == guard.And {
			from = max(from, g.End)
		}
	}
	return min(from, len(bare))
}

func endsWithAny(s, marks string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(marks, r)
}

func (c context) isUnspaced() bool { return c.language == "zh" || c.language == "ja" }

// putsVerbLast reports whether what a clause is said of stands behind it.
func (c context) putsVerbLast() bool {
	return c.language == "ja" || c.language == "ko" || c.language == "tr" || c.language == "zh" || c.language == "hi"
}

// isInvertedCondition reports whether a head is a condition without an "if":
// "Should the wind rise, …", "Steigt das Wasser, …" only where a verb of English begins it.
func (c context) isInvertedCondition(bare string, comma bool) bool {
	if c.language != "en" || !comma {
		return false
	}
	first, _, _ := strings.Cut(bare, " ")
	return first == "Should" || first == "Had" || first == "Were"
}

// isOneWordThatDecides reports whether the head is one word, such as "Nearly",
// that decides what the sentence says.
func (c context) isOneWordThatDecides(bare string) bool {
	if strings.ContainsAny(bare, " ,") {
		return false
	}
	for _, w := range guard.Words(bare) {
		if w.Kind == guard.Hedge || w.Kind == guard.Quantifier {
			return true
		}
	}
	return false
}

// isLimitedByTail reports whether what stands behind a passage limits or governs
// it.
func (c context) isLimitedByTail() bool {
	tail := strings.TrimLeft(c.tail, " ")
	if !strings.ContainsFunc(tail, isWordRune) {
		return false
	}
	at := strings.IndexFunc(c.tail, isWordRune)
	if c.closed {
		return true
	}
	if c.negated && !strings.ContainsAny(c.tail[:at], ",;:.()—–") && c.goesOnWithPlace(at) {
		return true // "found no settlement" before "in the eastern half"
	}
	joined := false
	for _, g := range c.rest {
		first := g.Start <= at
		switch g.Role {
		case guard.And:
			joined = joined || first
		case guard.Only:
			if first || c.isUnspaced() && g.Start <= at+9 {
				return true
			}
		case guard.Contrast:
			if (first || c.isUnspaced() && g.Start <= at+9) && c.decides(c.tail[g.End:]) {
				return true
			}
		case guard.Condition, guard.Exception:
			if !joined {
				return true
			}
		case guard.Rejection, guard.Doubt, guard.Whether:
			if !joined || g.Role == guard.Rejection {
				return true
			}
		case guard.Claimed:
			if !joined && c.putsVerbLast() {
				return true
			}
		}
	}
	if c.language == "en" && !strings.ContainsAny(c.tail[:at], ",;.:") {
		first, _, _ := strings.Cut(c.tail[at:], " ")
		if first == "that" || first == "who" || first == "which" || first == "whose" {
			return true // it says of which
		}
	}
	return !joined && c.isNegatedBehind(at)
}

// goesOnWithPlace reports whether a tail goes on with where, when or for whom.
func (c context) goesOnWithPlace(at int) bool {
	first, _, _ := strings.Cut(c.tail[at:], " ")
	switch first {
	case "in", "at", "for", "before", "after", "during", "within", "among", "outside", "on":
		return c.language == "en"
	}
	return false
}

func hasNegation(s string) bool {
	return slices.ContainsFunc(guard.Words(s), func(w guard.Word) bool { return w.Kind == guard.Negation })
}

// decides reports whether a text has words that decide what it says.
func (c context) decides(text string) bool {
	bounds := func(g guard.Governor) bool {
		return g.Role != guard.And && g.Role != guard.That && g.Role != guard.Fact
	}
	return slices.ContainsFunc(guard.Words(text), func(w guard.Word) bool { return w.Kind != guard.Name }) ||
		slices.ContainsFunc(guard.Governors(text, c.language), bounds)
}

// isNegatedBehind reports whether the words behind a passage negate it: the next
// one, or any of its clause where the verb stands last.
func (c context) isNegatedBehind(at int) bool {
	if strings.ContainsAny(c.tail[:at], ",;:，；、") {
		return false
	}
	clause := c.tail
	if end := strings.IndexAny(clause, ",;，；、"); end >= 0 {
		clause = clause[:end]
	}
	for _, w := range guard.Words(clause) {
		if w.Kind == guard.Negation && (w.Start <= at || c.putsVerbLast()) {
			return true
		}
	}
	return false
}

// isRejectedNext reports whether the sentence behind a passage is a short one that
// says it is wrong, where the passage itself does not leave that open.
func (c context) isRejectedNext() bool {
	if c.next == "" || c.open {
		return false
	}
	list := guard.Governors(c.next, c.language)
	if c.isUnspaced() && len(list) > 0 && list[0].Start == 0 && (list[0].Role == guard.Contrast || list[0].Role == guard.Exception) {
		return c.decides(c.next[list[0].End:]) // ただし…
	}
	if words.Count(c.next) > 3 || c.isUnspaced() {
		return false
	}
	return slices.ContainsFunc(list, func(g guard.Governor) bool { return g.Role == guard.Rejection })
}
