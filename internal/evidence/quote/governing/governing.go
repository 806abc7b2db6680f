// Package governing says what stands around a passage and decides what the passage
// says: "There is no evidence that" before it, "unless it rains" behind it, "That is
// wrong" in the next sentence, a heading that calls it a myth. It finds no passages,
// and does not say whether one may be quoted. guard's governing.txt has the words.
package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
)

// MaxAround is how many bytes before and behind a passage are looked at for what
// governs it.
const MaxAround = 600

// Read reads a part of a text as somebody reads it aloud, and tells where a place of
// it is then.
type Read func(part string, at int) (read string, place int)

// Around is what stands outside a passage and says how it is to be read.
type Around struct {
	Findings []guard.Finding // what governs the passage: cut out of its place it says something else
	// Whether the rest of its sentence, before it or behind it, may say of when,
	// where or by whose word the passage holds: it is to be shown, and is no blame.
	Head, Tail bool
}

// Find gives what stands outside the passage between two bytes of a text and governs
// what it says: in its sentence, over its list, or behind it. The passage stands
// there all the same.
func Find(text string, start, end int, read Read) Around {
	found := over(text, start, end)
	if len(found) > 0 || isWholeSentence(text, start, end) {
		return Around{Findings: found}
	}
	c := newContext(text, start, end, read)
	if isQuotedThere(text[start:end]) && strings.ContainsFunc(c.head+c.tail, isWordRune) {
		c.closed, c.quoted = true, true
	}
	if endsWithStop(text, start, end) {
		c.tail = "" // whatever looks like an abbreviation before the stop
	}
	head, tail := c.headWeight(), c.tailWeight()
	if head == governs {
		found = append(found, guard.Finding{Kind: guard.Begins, Text: Shorten(c.head)})
	}
	if tail == governs {
		found = append(found, guard.Finding{Kind: guard.GoesOn, Text: Shorten(strings.TrimLeft(c.tail, ` ,;:"'”’»）)`))})
	}
	if next, ok := c.rejectedBehind(); ok && len(found) == 0 {
		found = append(found, guard.Finding{Kind: guard.Answered, Text: Shorten(next)})
	}
	return Around{found, head == mayBound, tail == mayBound}
}

// weight is what the rest of a sentence does to a passage.
type weight int

const (
	saysNothing weight = iota // of it
	mayBound                  // as only what both mean can tell
	governs
)

// Rest gives what of the sentences of a passage stands before it and behind it.
func Rest(text string, start, end int, read Read) (head, tail string) {
	c := newContext(text, start, end, read)
	return c.head, c.tail
}

// isQuotedThere reports whether a passage is one that its text quotes, with the
// marks around it.
func isQuotedThere(passage string) bool {
	first, _ := utf8.DecodeRuneInString(passage)
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(passage, ".,"))
	return strings.ContainsRune(openingQuotes+`"”»`, first) && strings.ContainsRune(closingQuotes, last)
}

// endsWithStop reports whether a passage ends with a full stop before what begins a
// sentence.
func endsWithStop(text string, start, end int) bool {
	if !strings.HasSuffix(text[start:end], ".") || strings.HasSuffix(text[start:end], "..") {
		return false
	}
	next := strings.TrimLeft(text[end:], " \n")
	first, _ := utf8.DecodeRuneInString(next)
	if len(next) == len(text)-end {
		return false
	}
	word := text[start : end-1]
	word = word[strings.LastIndexAny(word, " \n")+1:]
	return unicode.IsUpper(first) || strings.ContainsRune("`“„«", first) && len(word) > 3 && !words.IsAbbreviation(word)
}

// isWholeSentence reports what most quotations are, seen at a glance: whole
// sentences, and no short answer behind them.
func isWholeSentence(text string, start, end int) bool {
	const answer = 100
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

// Shorten is words on one line, the middle of long ones left out.
func Shorten(s string) string {
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
	head     string   // of its first sentence
	tail     string   // of its last
	next     string   // the sentence behind
	later    []string // some sentences behind that
	open     bool     // the passage says itself that it is claimed or doubted
	quoted   bool     // the passage is a quotation of the own of its text, with its marks
	closed   bool     // a quotation of the text's own ends with the passage
	negated  bool     // the passage ends with a clause that has a negation
	denying  bool     // the last sentence of the passage has one
	torn     bool     // the passage ends within a phrase, as with "the" or "were", and states nothing there
	contrary bool     // the passage begins with a "but", and is no part of what is claimed before
	then     bool     // the passage has a 才, which goes with an "only"
	vague    bool     // the passage ends with "a" and a noun, of which a clause behind it only tells more
	joins    bool     // the passage ends with a clause of Korean, which its verb joins to the next
	names    bool     // the passage has a "that", whose clause it may name and not state
	language string
	lead     []guard.Governor // of the head
	rest     []guard.Governor // of the tail
}

func newContext(text string, start, end int, read Read) context {
	const inside = 400
	var c context
	from := words.RuneStart(text, start-MaxAround)
	lines := ""
	if from == 0 {
		lines = "\n" // the first line is a whole one
	}
	before, at := readAround(lines+text[from:words.RuneStart(text, min(end, start+inside))], start-from+len(lines), read)
	c.head = headOf(before, at)
	from = max(start, words.RuneStart(text, end-inside))
	from = len(strings.TrimRight(text[:from], "/ \t")) // a comment is seen to be one
	if from > 0 && text[from-1] == '\n' {
		from-- // a line begins here
	}
	behind, at := readAround(text[from:words.RuneStart(text, end+MaxAround)], end-from, read)
	c.tail, c.next, c.later = tailOf(behind, at)
	const most = 80 // bytes before a passage on its line
	if line := strings.LastIndexByte(text[:start], '\n') + 1; line > 0 && line < start && start-line <= most && end-start <= inside {
		whole, at := readAround(text[line-1:words.RuneStart(text, end+MaxAround)], end-line+1, read)
		c.tail, c.next, c.later = tailOf(whole, at)
	}
	mark, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind[at:], ".,!?"))
	c.closed = strings.ContainsRune(closingQuotes, mark) && !strings.ContainsAny(behind[:at], openingQuotes+`"`)
	clause := behind[strings.LastIndexAny(behind[:at], ".,;:!?，。；")+1 : at]
	if strings.ContainsFunc(c.head+c.tail+c.next, isWordRune) {
		c.language = guard.Language(before + " " + behind)
	}
	c.negated = c.negates(clause)
	last := strings.TrimRight(behind[:at], ` .!?"”*_`)
	c.denying = c.negates(last[strings.LastIndexAny(last, ".!?")+1:])
	for _, g := range guard.Governors(behind[:at], c.language) {
		c.open = c.open || g.Role == guard.Claimed || g.Role == guard.Doubt || g.Role == guard.Rejection
		c.names = c.names || g.Role == guard.That
		c.contrary = c.contrary || g.Role == guard.Contrast && g.Start <= 1 && from <= start
		if (g.Role == guard.And || g.Role == guard.That) && g.Start >= at-len(clause) {
			clause = behind[g.End:at]
		}
		if g.End == len(strings.TrimRight(behind[:at], " \n")) {
			c.torn = g.Role == guard.And || g.Role == guard.That || g.Role == guard.Where || g.Role == guard.Verb
		}
	}
	c.then = strings.Contains(text[start:end], "才")
	c.joins = c.language == "ko" && JoinsClauses(text[start:end]+restOfWord(text[end:]))
	c.vague = !c.negated && endsIndefinite(clause)
	c.torn = c.torn || strings.HasSuffix(strings.TrimRight(clause, " \n"), "those")
	c.lead, c.rest = guard.Governors(c.head, c.language), guard.Governors(c.tail, c.language)
	return c
}

// joinedEndings are those of a verb of Korean that join its clause to one of another subject
// or time, and bound neither.
var joinedEndings = []string{"았고", "었고", "였고", "했고", "됐고", "왔고", "갔고", "졌고", "켰고", "렸고", "났고", "냈고", "쳤고", "섰고", "왔으며", "으며", "하며", "되며", "이며", "는데", "은데", "지만", "으나"}

// JoinsClauses reports whether a text ends with such a verb.
func JoinsClauses(text string) bool {
	return slices.ContainsFunc(joinedEndings, func(ending string) bool { return strings.HasSuffix(text, ending) })
}

// restOfWord is what of a word stands at the beginning of a text.
func restOfWord(text string) string {
	if end := strings.IndexFunc(text, isNotWordRune); end >= 0 {
		return text[:end]
	}
	return text
}

// endsIndefinite reports whether a clause of English ends with "a" or "an" and a noun.
func endsIndefinite(clause string) bool {
	const most = 3 // words with the article
	list := strings.Fields(strings.ToLower(clause))
	list = list[max(0, len(list)-most):]
	return slices.ContainsFunc(list[:max(0, len(list)-1)], func(w string) bool { return w == "a" || w == "an" })
}

// readAround reads a part of a text, without marks of emphasis.
func readAround(part string, at int, read Read) (string, int) {
	text, at := read(part, at)
	return strings.NewReplacer("*", " ", "`", " ", "_", " ").Replace(text), at
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

// IsBreak reports whether the line end or tab at a place of a text ends a
// paragraph, a heading, an item or a cell.
func IsBreak(s string, i int) bool {
	if s[i] == '\t' {
		return true
	}
	begin := strings.LastIndexByte(s[:i], '\n') + 1
	line := strings.TrimSpace(s[begin:i])
	if line == `"""` || line == "*/" || isPath(line) || IsFurniture(line) {
		return true
	}
	rest := s[i+1:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	next := strings.TrimSpace(rest)
	if line == "" || next == "" || strings.Contains(s[begin:i]+rest, "\t") || isItem(next) || next == `"""` || next == "*/" || isComment(line) != isComment(next) || isPath(next) || IsFurniture(next) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(next)
	last, _ := utf8.DecodeLastRuneInString(line)
	return begin > 0 && isShortLine(line) && !unicode.IsLower(first) && !strings.ContainsRune(",;-–—، 、，", last)
}

// isPath reports whether a line is a menu or says where a page stands: its names are
// parted by the same sign.
func isPath(line string) bool {
	const short = 4 // words
	return slices.ContainsFunc([]string{" > ", " » ", " › ", " · ", " | "}, func(sign string) bool {
		names := strings.Split(line, sign)
		return len(names) > 2 || len(names) == 2 && sign != " > " && len(strings.Fields(names[0])) <= short && len(strings.Fields(names[1])) <= short
	})
}

// isComment reports whether a line of code holds nothing but a comment, as most
// languages write it.
func isComment(line string) bool {
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "-- ")
}

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
	for _, mark := range [...]string{"- ", "* ", "• ", "+ ", "#", "|", "> "} {
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

// enumeration is the number or letter of a paragraph.
var enumeration = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\(?(?:\d{1,3}(?:\.\d{1,2})*|[a-z]|[ivx]{1,4})[.)]|\d+(?:\.\d+)+)\s`)
})

// headOf is what of the sentence around a place stands before it.
func headOf(text string, at int) string {
	from, to := 0, len(text)
	for i := range len(text) {
		switch {
		case text[i] != '\n' && text[i] != '\t' || !IsBreak(text, i):
		case i < at:
			from = i + 1
		case i < to:
			to = i
		}
	}
	for at < to && text[at] == ' ' {
		at++ // a mark of emphasis was there
	}
	for _, s := range words.Sentences(oneLine(text[from:to])) {
		if from+s.End > at {
			head := text[from+s.Start : max(at, from+s.Start)]
			if number := enumeration().FindString(head); number != "" {
				head = head[len(number):]
			}
			return oneLine(strings.TrimLeftFunc(head, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("#>-•)]", r) }))
		}
	}
	return ""
}

// tailOf is what of the sentence around a place stands behind it, and the sentence
// behind that.
func tailOf(text string, at int) (tail, next string, later []string) {
	to := len(text)
	for i := at; i < len(text); i++ {
		if (text[i] == '\n' || text[i] == '\t') && IsBreak(text, i) {
			to = i
			break
		}
	}
	const answer = 30 // bytes of a paragraph that answers another: "Nonsense."
	defer func() {
		if tail = strings.TrimSpace(tail); next == "" && strings.TrimFunc(tail, isNotWordRune) == "" && to < len(text) {
			if s := words.Sentences(oneLine(strings.TrimSpace(text[to:]))); len(s) > 0 && s[0].End < answer {
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
			for _, l := range list[i+2 : min(len(list), i+5)] {
				later = append(later, strings.TrimSpace(whole[l.Start:l.End]))
			}
		}
		return strings.TrimSpace(whole[letter:s.End]), strings.TrimSpace(next), later
	}
	return "", "", nil
}

const openingQuotes, closingQuotes = "“„«「『‘‹《", "”“»」』’›》\""

// headWeight is what stands before a passage in its sentence does to it.
func (c context) headWeight() weight {
	if c.quoted && strings.ContainsFunc(c.head, isWordRune) {
		return c.attributionBefore()
	}
	head := strings.TrimRight(c.head, " ")
	bare := strings.TrimRight(head, `"“„«「『‘‹《([—– `)
	if !strings.ContainsFunc(bare, isWordRune) || bare == "No." { // an answer, and no number
		return saysNothing
	}
	quoted := bare != head && strings.ContainsAny(head[len(bare):], openingQuotes+`"`)
	if quoted {
		return c.attributionBefore()
	}
	if c.correctsBefore(bare) {
		return saysNothing
	}
	if at := openQuotation(bare); at > 0 { // within a quotation of the text's own
		inner := c
		inner.head = c.head[at:]
		inner.lead = guard.Governors(inner.head, c.language)
		before := c
		before.head = bare[:at]
		before.lead = guard.Governors(before.head, c.language)
		return max(before.attributionBefore(), inner.headWeight())
	}
	return c.clauseWeight(bare)
}

// openQuotation is where the words of a quotation begin that a head opens and does
// not close, 0 for none.
func openQuotation(head string) int {
	for _, pair := range [...][2]string{{"„", "“”"}, {"“", "”"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"《", "》"}, {`"`, `"`}} {
		i := strings.LastIndex(head, pair[0])
		if i < 0 || pair[0] == `"` && strings.Count(head, pair[0])%2 == 0 {
			continue
		}
		if rest := head[i+len(pair[0]):]; !strings.ContainsAny(rest, pair[1]) && strings.ContainsFunc(rest, isWordRune) {
			return i + len(pair[0])
		}
	}
	return 0
}

// attributionBefore is what the last clause before a quotation of the text's own does
// to it.
func (c context) attributionBefore() weight {
	from := c.lastClause(strings.TrimRight(c.head, ` ,:"“„«「『‘‹《([—–`))
	return c.attribution(c.head[from:], slices.DeleteFunc(slices.Clone(c.lead), func(g guard.Governor) bool { return g.Start < from }))
}

// attribution is what words beside a quotation of the text's own do to it: they say
// whose it is, and that may be all.
func (c context) attribution(around string, list []guard.Governor) weight {
	if c.negates(around) || slices.ContainsFunc(list, func(g guard.Governor) bool {
		return g.Role == guard.Condition || g.Role == guard.Whether || g.Role == guard.Doubt || g.Role == guard.Rejection || g.Role == guard.Only
	}) {
		return governs
	}
	return mayBound
}

// correctsBefore reports whether a head is a sentence of its own that rejects what
// stands before it, with what is so behind a colon: "This is wrong: …".
func (c context) correctsBefore(bare string) bool {
	if !strings.HasSuffix(bare, ":") {
		return false
	}
	back := len(c.lead) > 0 && c.lead[0].Role == guard.Back && words.Count(bare[:c.lead[0].Start]) == 0
	return back && words.Count(bare) <= 5 && !slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		return g.Role == guard.Claimed || g.Role == guard.That
	})
}

// clauseWeight is what the clause before a passage, or the last part of its own,
// does to it.
func (c context) clauseWeight(bare string) weight {
	that := c.opensClause(bare)
	comma := strings.HasSuffix(bare, ",") || strings.HasSuffix(bare, ":") || endsWithAny(bare, "，：、،")
	from := 0
	if !that && !comma {
		from = c.lastClause(bare)
		if mark := strings.TrimRight(bare[:from], " "); words.Count(bare[from:]) == 1 && strings.HasSuffix(mark, ",") && !c.opposes(from) && !slices.Contains(strings.Fields(becauses), strings.ToLower(strings.TrimSpace(bare[from:]))) {
			bare, from, comma = mark, 0, true // If …, then
		}
	}
	if c.isInvertedCondition(bare, comma) {
		return governs
	}
	claimed, fact, when := false, false, false
	reports := 0 // where what claims ends
	for _, g := range c.lead {
		if g.Start < from || g.End > len(bare) {
			continue
		}
		switch g.Role {
		case guard.Condition, guard.Whether, guard.Doubt, guard.Rejection:
			if comma && !that && c.holdsWithin(bare, g) {
				when = true
				continue
			}
			return governs
		case guard.Exception, guard.Only:
			if !comma && g.End >= len(strings.TrimRight(bare, " ,")) {
				return governs
			}
		case guard.Claimed:
			claimed, reports = true, g.End
		case guard.Fact:
			if c.isToBeShown(bare, g) {
				claimed, reports = true, g.End
				continue
			}
			if fact = true; claimed && strings.TrimSpace(bare[reports:max(reports, min(len(bare), g.Start))]) == "" {
				claimed, when = false, true // the report shows that
			}
		case guard.When:
			when = true
		}
	}
	switch {
	case claimed && strings.HasSuffix(bare, ":") && words.Count(bare) <= 2 && c.isJudgedTrue():
		return saysNothing // Claim: … Verdict: True.
	case claimed && comma && !that && c.contrary:
		return mayBound
	case claimed && (that || comma || c.isUnspaced()):
		return governs
	case comma && !that && (when || c.opensWithBound(bare)):
		return mayBound
	case comma && !that:
		return saysNothing
	}
	if slices.ContainsFunc(c.words(bare[from:]), func(w guard.Word) bool {
		return !c.isPartOfFact(from+w.Start) && (w.Kind == guard.Negation || !fact && isHearsay(w))
	}) || that && !fact || c.isOneWordThatDecides(bare) {
		return governs
	}
	if when || !that && !c.endsWithJoint(bare) {
		return mayBound // it may say of what or of how many
	}
	return saysNothing
}

// becauses begin a clause that says why, alone.
const becauses = "because denn weil car porque pois perché poiché omdat want eftersom ponieważ bo karena sebab"

// isToBeShown reports whether what a head calls a fact is yet to be shown: "to prove that",
// "must show that".
func (c context) isToBeShown(bare string, g guard.Governor) bool {
	if list := strings.Fields(strings.ToLower(bare[:g.Start])); c.language == "en" && len(list) > 1 && list[len(list)-1] == "to" && slices.Contains([]string{"asked", "invited", "urged", "wanted", "tried", "hoped", "refused", "sought", "attempted", "meant"}, list[len(list)-2]) {
		return true // asked to find that
	}
	if c.language != "en" || !slices.Contains([]string{"show", "prove", "demonstrate", "confirm", "establish"}, strings.ToLower(bare[g.Start:g.End])) {
		return false
	}
	list := strings.Fields(strings.ToLower(bare[:g.Start]))
	return len(list) > 0 && slices.Contains([]string{"to", "must", "should", "would", "could", "may", "might", "can", "cannot", "shall"}, list[len(list)-1])
}

// opposes reports whether a "but" stands at a place of the head.
func (c context) opposes(at int) bool {
	return slices.ContainsFunc(c.lead, func(g guard.Governor) bool { return g.Role == guard.Contrast && g.Start >= at && g.Start <= at+1 })
}

// holdsWithin reports whether a condition or a doubt before a comma is of its own
// clause alone: it does not begin the clause, as an "if" does that goes before what
// it bounds.
func (c context) holdsWithin(bare string, g guard.Governor) bool {
	const joints = 2 // words before an "if": "And", "but only"
	text := bare[g.Start:g.End]
	switch {
	case c.language == "zh":
		return g.Role == guard.Doubt && isNowAndThen(text) || text == "只有" && !c.then
	case g.Role != guard.Condition || c.putsVerbLast() || c.isUnspaced():
		return false
	}
	return words.Count(bare[strings.LastIndexAny(bare[:g.Start], ",;:()")+1:g.Start]) > joints
}

// isNowAndThen reports whether a word of Chinese says how often, or that something
// may be, of its own clause alone.
func isNowAndThen(word string) bool {
	return slices.Contains([]string{"很少", "有时", "偶尔", "几乎不", "难以", "可能"}, word)
}

// opensWithBound reports whether a head before a comma may say of when, where or of
// whom the passage holds: "Under the old rules,", "60岁以上的人，". Dates and names
// alone do not.
func (c context) opensWithBound(bare string) bool {
	const short = 8 // words
	if words.Count(bare) > short && !c.isUnspaced() {
		return false
	}
	bounds := func(w guard.Word) bool {
		return w.Kind != guard.Name && w.Kind != guard.Date && w.Kind != guard.Unit && w.Kind != guard.Negation
	}
	if c.isUnspaced() {
		return utf8.RuneCountInString(bare) <= 2*short && slices.ContainsFunc(c.words(bare), bounds)
	}
	if len(c.lead) == 0 || c.lead[0].Start > 0 || c.lead[0].Role != guard.Where {
		return false
	}
	plain := strings.Fields(bare)[1:]
	return slices.ContainsFunc(plain, func(w string) bool { return len(w) > 3 && unicode.IsLower([]rune(w)[0]) })
}

// isJudgedTrue reports whether what stands behind a passage is a short label with a
// word that rejects nothing, as the verdict on a claim.
func (c context) isJudgedTrue() bool {
	_, verdict, ok := strings.Cut(c.next, ":")
	return ok && words.Count(verdict) <= 2 && !c.negates(verdict) && !slices.ContainsFunc(guard.Governors(verdict, c.language), func(g guard.Governor) bool {
		return g.Role == guard.Rejection || g.Role == guard.Doubt || g.Role == guard.Contrast
	})
}

// endsWithJoint reports whether a head ends with a mark or with a word that begins
// another statement.
func (c context) endsWithJoint(bare string) bool {
	if end := strings.TrimRight(c.head, " "); end == "" || !isWordRune([]rune(end)[utf8.RuneCountInString(end)-1]) {
		return true
	}
	return slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		return g.End >= len(bare) && (g.Role == guard.And || g.Role == guard.That || g.Role == guard.Contrast || g.Role == guard.Fact)
	})
}

// isPartOfFact reports whether a word of the head belongs to words that say that a
// thing is so: "it is not in dispute that".
func (c context) isPartOfFact(at int) bool {
	return slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		return g.Role == guard.Fact && g.Start <= at && at < g.End
	})
}

// isHearsay reports whether a word leaves it to others, or to chance, whether a
// thing is so.
func isHearsay(w guard.Word) bool {
	return w.Kind == guard.Hedge && (w.Norm == "alleged" || w.Norm == "possible" || w.Norm == "probable" || w.Norm == "seem")
}

// opensClause reports whether a head ends with what opens a clause: a "that", or
// words such as "it is said".
func (c context) opensClause(bare string) bool {
	end := len(strings.TrimRight(bare, " ,"))
	if last := strings.LastIndexByte(bare[:end], ' '); c.language == "en" && last > 0 {
		switch bare[last+1 : end] {
		case "me", "us", "him", "her", "them", "you":
			end = last // told me
		}
	}
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

// words are the deciding words of a text in the language of the passage.
func (c context) words(text string) []guard.Word {
	return guard.WordsIn(text, func() string { return c.language })
}

func (c context) isUnspaced() bool { return c.language == "zh" || c.language == "ja" }

// putsVerbLast reports whether what a clause is said of stands behind it.
func (c context) putsVerbLast() bool {
	return c.language == "ja" || c.language == "ko" || c.language == "tr" || c.language == "zh" || c.language == "hi"
}

// isInvertedCondition reports whether a head is a condition without an "if":
// "Should the wind rise, …", where a verb begins it that hardly begins a statement.
func (c context) isInvertedCondition(bare string, comma bool) bool {
	first, _, _ := strings.Cut(bare, " ")
	return comma && first != "" && slices.Contains(strings.Fields(invertedVerbs[c.language]), first)
}

// invertedVerbs begin a condition without an "if", by language.
var invertedVerbs = map[string]string{
	"en": "Should Had Were",
	"de": "Wäre Wären Hätte Hätten Sollte Sollten Würde Würden Käme Kämen Könnte Müsste Ginge Gäbe",
	"nl": "Mocht Mochten Zou Zouden",
	"sv": "Skulle Vore",
}

// isOneWordThatDecides reports whether the head is one word, such as "Nearly",
// that decides what the sentence says.
func (c context) isOneWordThatDecides(bare string) bool {
	if strings.ContainsAny(bare, " ,") {
		return false
	}
	for _, w := range c.words(bare) {
		if w.Kind == guard.Hedge || w.Kind == guard.Quantifier {
			return true
		}
	}
	return false
}

// tailWeight is what stands behind a passage in its sentence does to it.
func (c context) tailWeight() weight {
	tail := strings.TrimLeft(c.tail, " ")
	if strings.ContainsFunc(c.head, isWordRune) && strings.HasPrefix(tail, "?") {
		return governs
	}
	if !strings.ContainsFunc(tail, isWordRune) {
		return saysNothing
	}
	at := strings.IndexFunc(c.tail, isWordRune)
	if c.closed {
		return c.attribution(c.tail, c.rest)
	}
	is := c.boundBehind(at)
	switch {
	case c.isTakenBack(at), c.isRestricted(at) && !c.vague:
		is = governs
	case c.isRestricted(at):
		is = max(is, mayBound)
	}
	joined := c.joins || strings.ContainsAny(c.tail[:at], ";；") || c.beginsStatement(at)
	tells, conceded := c.tellsMore(at), c.concessionEnd(at)
	for _, g := range c.rest {
		joined = joined || g.Role == guard.And && (g.Start <= at || strings.HasSuffix(strings.TrimRight(c.tail[:g.Start], " "), ","))
		if tells && g.Start > at && g.Role != guard.Rejection {
			is = max(is, mayBound)
			continue
		}
		from := at
		if conceded > 0 && g.Start >= conceded {
			from = conceded
		}
		is = max(is, c.governorBehind(g, from, joined))
	}
	switch {
	case !joined && c.isNegatedBehind(at):
		return governs
	case c.putsVerbLast(), !joined && c.decides(c.tail), joined && c.negates(c.tail):
		return max(is, mayBound)
	}
	return is
}

// beginsStatement reports whether a tail is, behind a comma, a statement of its own: what
// follows from the passage, or one with a pronoun for its subject, and nobody's word.
func (c context) beginsStatement(at int) bool {
	const few = 3 // words
	if !strings.Contains(c.tail[:at], ",") {
		return false
	}
	list := strings.Fields(strings.ToLower(c.tail[at:]))
	if len(list) <= few || c.language != "en" {
		return false
	}
	follows := list[0] == "so" && list[1] != "that" && list[1] != "long" && list[1] != "far" && list[1] != "as"
	subject := slices.Contains([]string{"i", "he", "she", "it", "we", "they"}, list[0])
	clause := c.tail[at:]
	if end := strings.IndexAny(clause, ",;"); end >= 0 {
		clause = clause[:end]
	}
	if words.Count(clause) <= few {
		return false // so it seems
	}
	return (follows || subject) && !slices.ContainsFunc(c.rest, func(g guard.Governor) bool {
		added := strings.HasPrefix(strings.ToLower(c.tail[g.Start:g.End]), "add")
		return g.Role == guard.Claimed && (subject || g.Start < at+len(clause) && !added) || g.Role == guard.Rejection || g.Role == guard.Doubt || g.Role == guard.Whether
	})
}

// concessionEnd is where a tail goes on behind a concession between two marks, 0 for none.
func (c context) concessionEnd(at int) int {
	if len(c.rest) == 0 || c.rest[0].Role != guard.Concession || c.rest[0].Start > at {
		return 0
	}
	mark := strings.IndexAny(c.tail[at:], ",;")
	if mark < 0 {
		return 0
	}
	rest := c.tail[at+mark:]
	return len(c.tail) - len(strings.TrimLeftFunc(rest, isNotWordRune))
}

// tellsMore reports whether a tail is a clause behind a comma that only tells more of
// what stands before it: what it depends on is its own.
func (c context) tellsMore(at int) bool {
	if !strings.Contains(c.tail[:at], ",") {
		return false
	}
	first, _, _ := strings.Cut(c.tail[at:], " ")
	return slices.Contains(strings.Fields(relatives[c.language]), strings.ToLower(first))
}

// relatives begin such a clause, by language.
var relatives = map[string]string{
	"en": "which who whose whom where",
	"de": "der die das den dem deren dessen wo",
	"fr": "qui dont que où laquelle lequel",
	"es": "que quien quienes cuyo cuya donde",
	"pt": "que quem cujo cuja onde",
	"it": "che cui dove",
	"nl": "die dat waar wie",
	"sv": "som vars där vilket vilken",
	"pl": "który która które którzy którego której których którym gdzie co",
	"ru": "который которая которое которые которого которой которых где что",
	"id": "yang",
}

// governorBehind is what one word of the tail does to a passage; joined tells whether
// another statement begins before it.
func (c context) governorBehind(g guard.Governor, at int, joined bool) weight {
	first := g.Start <= at
	near := first || c.isUnspaced() && g.Start <= at+9
	switch g.Role {
	case guard.Only:
		bounds := c.words(c.tail[:words.RuneStart(c.tail, g.End+10)])
		counts := len(bounds) > 1 && bounds[0].Kind == guard.Comparator // at least 40 of them
		ownClause := c.isUnspaced() && !first && strings.ContainsAny(c.tail[:at], "，；")
		if near && !counts && !ownClause {
			return governs
		}
		return mayBound
	case guard.Contrast:
		if near {
			return c.contrast(g)
		}
		return mayBound
	case guard.Concession:
		if near {
			return c.contrast(g) // even if only at night
		}
		return mayBound
	case guard.Condition, guard.Exception:
		if only := c.language == "zh" && strings.HasPrefix(c.tail[g.Start:], "只有"); joined || only && strings.ContainsAny(c.tail[:at], "，；") {
			return mayBound
		}
		return governs
	case guard.Rejection:
		if joined && c.isOfAnother(g) || c.isOfReason(g, at) {
			return mayBound
		}
		return governs
	case guard.Doubt, guard.Whether:
		if near && c.isDoubtOfReason(g) {
			return mayBound
		}
		if own := c.language == "zh" && strings.ContainsAny(c.tail[:at], "，；") && isNowAndThen(c.tail[g.Start:g.End]); joined || own && !first {
			return mayBound
		}
		return governs
	case guard.When:
		return mayBound
	case guard.Where:
		if first {
			return mayBound
		}
	case guard.Claimed:
		if !joined && (c.putsVerbLast() || g.Start <= at+3 && !strings.Contains(c.tail[:at], ":") && c.negates(strings.ReplaceAll(c.tail, " or not", ""))) { // …, a belief that nobody shares
			return governs
		}
		if !joined {
			return mayBound
		}
	}
	return saysNothing
}

// isOfReason reports whether what a tail rejects is spoken of in a clause that says why.
func (c context) isOfReason(g guard.Governor, at int) bool {
	clause := c.tail[at:g.Start]
	clause = strings.ToLower(clause[strings.LastIndexAny(clause, ",;:")+1:])
	list := strings.FieldsFunc(clause, isNotWordRune)
	why := slices.IndexFunc(list, func(w string) bool { return slices.Contains(strings.Fields(becauses), w) })
	return why >= 0 && !slices.ContainsFunc(guard.Governors(strings.Join(list[why+1:], " "), c.language), func(o guard.Governor) bool {
		return (o.Role == guard.Back || o.Role == guard.That) && o.Start == 0
	})
}

// isDoubtOfReason reports whether a doubt of a tail is of a reason alone, which it stands right
// before: ", possibly because".
func (c context) isDoubtOfReason(g guard.Governor) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(c.tail[g.End:], " "), " ")
	return strings.ContainsAny(c.tail[:g.Start], ",;(—–") && slices.Contains(strings.Fields(becauses), strings.ToLower(first))
}

// isOfAnother reports whether what a tail rejects is something it names itself: an "and"
// joins a clause in which no word points back.
func (c context) isOfAnother(g guard.Governor) bool {
	from := -1
	for _, o := range c.rest {
		if o.Role == guard.And && o.End <= g.Start {
			from = o.End
		}
	}
	if from < 0 || !c.beginsIndefinite(from) {
		return false
	}
	return !slices.ContainsFunc(c.rest, func(o guard.Governor) bool {
		return o.Start >= from && (o.Role == guard.Back || o.Start < g.Start && (o.Role == guard.That || o.Role == guard.Claimed))
	})
}

// beginsIndefinite reports whether a clause of English at a place of the tail begins with
// something that was not spoken of.
func (c context) beginsIndefinite(at int) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(c.tail[at:], " ,"), " ")
	return c.language == "en" && (first == "a" || first == "an")
}

// contrast is what begins with a "but" and the like: a word that bounds or denies,
// or a place, takes back what stands before it; another statement may, by what it
// says.
func (c context) contrast(g guard.Governor) weight {
	if c.isUnspaced() {
		if adds := strings.HasPrefix(c.tail[g.Start:], "却"); !adds && c.decides(c.tail[g.End:]) {
			return governs
		}
		return mayBound
	}
	rest := c.tail[g.End:]
	blank := len(rest) - len(strings.TrimLeft(rest, " ,"))
	bounds := func(start int) bool { return start <= blank }
	parallel := slices.Contains(strings.Fields(parallels[c.language]), strings.ToLower(c.tail[g.Start:g.End]))
	denies := c.decides(rest) && HasNegation(rest, func() string { return c.language })
	if slices.ContainsFunc(c.words(rest), func(w guard.Word) bool {
		when := w.Norm == "after" || w.Norm == "before" || w.Norm == "during"
		return bounds(w.Start) && (!when || denies) && !(parallel && w.Kind == guard.Negation && w.Norm != "without") && !declinesTo(w, rest) && !isOfQuantity(w, rest, c.language) && !isComparison(w, rest) && w.Kind != guard.Name && w.Kind != guard.Number && w.Kind != guard.Date
	}) || slices.ContainsFunc(guard.Governors(rest, c.language), func(g guard.Governor) bool {
		return bounds(g.Start) && g.Role != guard.Back && g.Role != guard.And && (denies || g.Role != guard.When && g.Role != guard.Where)
	}) {
		return governs
	}
	return mayBound
}

// parallels begin a clause with a subject of its own, which a "no" may begin, by language.
var parallels = map[string]string{
	"en": "whereas", "de": "während", "nl": "terwijl", "id": "sedangkan",
}

// isOfQuantity reports whether a word says how exact the number behind it is: "about 60".
func isOfQuantity(w guard.Word, text, language string) bool {
	list := guard.WordsIn(strings.TrimLeft(text[w.End:], " "), func() string { return language })
	return w.Kind == guard.Hedge && (w.Norm == "about" || w.Norm == "estimate") && len(list) > 0 && list[0].Start == 0 && list[0].Kind == guard.Number
}

// isComparison reports whether a word is an adjective of English that compares what the
// passage speaks of with another: "larger than".
func isComparison(w guard.Word, text string) bool {
	low := strings.ToLower(w.Text)
	return w.Kind == guard.Comparator && len(low) > 5 && strings.HasSuffix(low, "er") && strings.HasPrefix(strings.TrimLeft(text[w.End:], " "), "than ")
}

// declinesTo reports whether a word says of somebody that they would not do a thing, and not
// of how much there is: "declined to comment".
func declinesTo(w guard.Word, text string) bool {
	return w.Norm == "decline" && strings.HasPrefix(strings.TrimLeft(text[w.End:], " "), "to ")
}

// isRestricted reports whether a tail says, without a mark, of which of its kind the
// passage speaks.
func (c context) isRestricted(at int) bool {
	if c.language != "en" || c.torn || strings.ContainsAny(c.tail[:at], ",;.:") {
		return false
	}
	first, _, _ := strings.Cut(c.tail[at:], " ")
	return first == "that" || first == "who" || first == "which" || first == "whose"
}

// isTakenBack reports whether a tail goes on behind a semicolon with what denies the
// passage, or with a "not" or "only" behind what the passage gives as a claim.
func (c context) isTakenBack(at int) bool {
	mark := strings.IndexAny(c.tail[:at], ";；؛")
	if mark < 0 {
		return false
	}
	clause := c.tail[at:]
	if end := strings.IndexAny(clause, ";；؛"); end >= 0 {
		clause = clause[:end]
	}
	if c.denies(clause) {
		return true
	}
	return (c.open || strings.ContainsAny(c.tail[:at], closingQuotes)) && (c.negates(clause) || slices.ContainsFunc(guard.Governors(clause, c.language), func(g guard.Governor) bool {
		return g.Role == guard.Only || g.Role == guard.Contrast || g.Role == guard.Rejection || g.Role == guard.Doubt
	}))
}

// boundBehind is what a tail does that goes on without a mark with what a passage
// holds for. A "not" or "no" says less than its clause does: "found no settlement"
// before "in the eastern half". And what something is said of says nothing without
// it: "The rumour that …" before "is false".
func (c context) boundBehind(at int) weight {
	if strings.ContainsAny(c.tail[:at], ",;:.()—–，；。、：（）،؛") {
		return saysNothing
	}
	if c.torn {
		return mayBound
	}
	for _, g := range c.rest {
		switch {
		case g.Start > at:
		case g.Role == guard.And:
			return saysNothing
		case g.Role == guard.Verb && c.names, g.Role == guard.Where && c.negated:
			return governs
		}
	}
	if c.negated && c.putsVerbLast() && !c.isUnspaced() {
		return governs
	}
	list := c.words(c.tail)
	if len(list) > 0 && list[0].Start <= at && list[0].Kind == guard.Hedge && words.Count(c.tail) <= 2 {
		return governs
	}
	return mayBound // a clause that is cut in the midst says less, or more
}

// HasNegation reports whether a text has a word that negates in its language.
func HasNegation(s string, language func() string) bool {
	return slices.ContainsFunc(guard.WordsIn(s, language), func(w guard.Word) bool { return w.Kind == guard.Negation })
}

func (c context) negates(s string) bool {
	return HasNegation(s, func() string { return c.language })
}

// decides reports whether a text has words that decide what it says.
func (c context) decides(text string) bool {
	bounds := func(g guard.Governor) bool {
		switch g.Role {
		case guard.And, guard.That, guard.Fact, guard.Where, guard.Verb, guard.Back:
			return false
		}
		return true
	}
	return slices.ContainsFunc(c.words(text), func(w guard.Word) bool { return w.Kind != guard.Name }) ||
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
	for _, w := range c.words(clause) {
		if w.Kind == guard.Negation && (w.Start <= at || c.putsVerbLast()) {
			return true
		}
	}
	return false
}

// rejectedBehind gives the sentence behind a passage that says it is wrong: the
// next one, or one of the next that says so of all before it.
func (c context) rejectedBehind() (string, bool) {
	if c.isRejectedNext() || c.isAttributedNext() || c.denying && c.language == "en" && affirms().MatchString(c.next) {
		return c.next, true
	}
	if len(c.later) > 0 && c.language == "en" && soSays().MatchString(c.next) && c.denies(c.later[0]) {
		return c.later[0], true // So say the guides. Tests found otherwise.
	}
	for _, s := range append([]string{c.next}, c.later...) {
		if c.deniesAll(s) {
			return s, true
		}
	}
	return "", false
}

// affirms is a sentence of English that says of what was denied before it that it is so: "It
// does: 61 metres".
var affirms = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:It|He|She|They|There|We|I|You) (?:is|are|was|were|does|do|did|has|have|had|can|could|will|would)(?:[:;.!]|, (?:until|since|when|and|but|in|on|at|though|from|every|once|twice)\b| indeed\b)`)
})

// soSays is a sentence of English that only says who says what stands before it.
var soSays = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Or so|So) (?:say|says|said|claim|claims|claimed|it is said|they say|the story goes|goes)\b[^.;:]{0,60}\.?$`)
})

// isAttributedNext reports whether the sentence behind a passage says by whose word all of it
// is: "That is what the plaque says".
func (c context) isAttributedNext() bool {
	return c.language == "en" && !c.open && attributes().MatchString(c.next)
}

var attributes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:at least,? |or )?(?i:that|this|it)(?: is|'s|’s| was) (?:at least )?what [^.;:]{2,40} (?:says?|said|claims?|claimed|believes?|believed|thinks?|thought|tells? \w+|told \w+)\b`)
})

// deniesAll reports whether a sentence begins with "None of this" or the like.
func (c context) deniesAll(s string) bool {
	list := c.words(s)
	if len(list) == 0 || list[0].Start > 0 || list[0].Kind != guard.Negation && list[0].Kind != guard.Quantifier || words.Count(s) > 14 {
		return false
	}
	if list[0].Norm == "neither" && words.Count(s) <= 3 {
		return true // Neither is right.
	}
	back, rejects := false, false
	for _, g := range guard.Governors(s, c.language) {
		back = back || g.Role == guard.Back && words.Count(s[:g.Start]) <= 2
		rejects = rejects || g.Role == guard.Rejection
	}
	return back && (rejects || list[0].Kind == guard.Negation)
}

// isRejectedNext reports whether the sentence behind a passage is a short one that
// says it is wrong, where the passage itself does not leave that open.
func (c context) isRejectedNext() bool {
	if c.next == "" || c.open {
		return false
	}
	list := guard.Governors(c.next, c.language)
	if (c.isUnspaced() || c.language == "ko") && len(list) > 0 && list[0].Start == 0 && (list[0].Role == guard.Contrast || list[0].Role == guard.Exception) {
		goesBefore := list[0].Role == guard.Exception || strings.HasPrefix(c.next, "虽然") || strings.HasPrefix(c.next, "尽管")
		ownClause := goesBefore && strings.Contains(c.next[list[0].End:], "，") // 除了…，…
		return !ownClause && c.decides(c.next[list[0].End:])                   // ただし…
	}
	return c.denies(c.next)
}

// Denies reports whether a sentence says of what stands before it that it is not so.
func Denies(sentence, language string) bool {
	c := context{language: language}
	return c.denies(sentence) || c.deniesAll(sentence)
}

// denies reports whether a sentence says of the one before it that it is not so:
// it says so in few words, or of "this" or "the claim" in not many more.
func (c context) denies(s string) bool {
	const short, long = 3, 14
	n := words.Count(s)
	if n > long || strings.ContainsAny(s, openingQuotes+`"`) {
		return false
	}
	if c.language == "en" && otherwise().MatchString(s) {
		return true
	}
	rejects, back, subject := false, false, false
	for _, g := range guard.Governors(s, c.language) {
		subject = subject || g.Role == guard.Back && words.Count(s[:g.Start]) <= 1
		if g.Role == guard.That || g.Role == guard.Claimed && n > short {
			return false // of what it says itself
		}
		rejects = rejects || g.Role == guard.Rejection && !c.negates(s[:g.Start])
		back = back || g.Role == guard.Back
	}
	if rejects && (n <= short || back) {
		return true
	}
	if c.language == "en" && subject && n <= short+1 && c.negates(s) && slices.Contains(strings.Fields(bareVerbs), lastWord(s)) {
		return true // It never was.
	}
	list := c.words(s)
	if len(list) == 0 || list[0].Kind != guard.Negation && n > short+2 {
		return false
	}
	first, last := list[0], list[len(list)-1]
	bare := strings.TrimRight(s, " .!?。！？।")
	return first.Kind == guard.Negation && first.Start == 0 && strings.ContainsAny(s[first.End:min(len(s), first.End+3)], ",.!،，。") || // No, it does not.
		last.Kind == guard.Negation && last.End == len(bare) && n <= short+2 && subject && (c.language != "en" || last.Norm == "not" || last.Norm == "never") // It does not.
}

// bareVerbs of English end a sentence that leaves out what another said.
const bareVerbs = "is are was were did does do has have had will would could can"

// lastWord is the last word of a text, in small letters.
func lastWord(s string) string {
	list := strings.FieldsFunc(strings.ToLower(s), isNotWordRune)
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// otherwise says in English that something was found to be another way than was said.
var otherwise = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:found|shows?|showed|shown|proves?|proved|proven|suggests?|says?|said|indicates?) otherwise\b`)
})

// isWordRune runes belong to words and numbers.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

func isNotWordRune(r rune) bool { return !isWordRune(r) }
