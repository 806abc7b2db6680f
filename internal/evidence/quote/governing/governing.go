// Package governing says what stands around a passage and decides what the passage
// says: "There is no evidence that" before it, "unless it rains" behind it, "That is
// wrong" in the next sentence, a heading that calls it a myth. It finds no passages,
// and does not say whether one may be quoted. guard's governing.txt has the words,
// and headings.txt those of headings.
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
	"github.com/research-council/research-council/internal/evidence/quote/char"
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
	// The sentence before it, in bytes, that says by whose word the passage is given, which is
	// in reported speech: to be shown alike.
	SaidFrom, SaidTo int
	// The sentence behind it, in bytes, that rejects what the passage says itself to be claimed
	// or believed: to be shown alike.
	NextFrom, NextTo int
	// The heading of its section, in bytes, that turns round what stands below it, or the sign beside it
	// that says that it is not so: to be shown alike.
	HeadingFrom, HeadingTo int
}

// Find gives what stands outside the passage between two bytes of a text and governs
// what it says: in its sentence, over its list, or behind it. The passage stands
// there all the same.
func Find(text string, start, end int, read Read) Around {
	around := aroundClipped(find(text, start, end, read), text, start, end, read)
	if len(around.Findings) == 0 {
		around.HeadingFrom, around.HeadingTo = headingBefore(text, start, end)
		if around.HeadingFrom == around.HeadingTo {
			around.HeadingFrom, around.HeadingTo = markBeside(text, start, end)
		}
		if around.HeadingFrom == around.HeadingTo && !saysSoItself(text, start, end) {
			around.HeadingFrom, around.HeadingTo = turningLabel(text, start, end)
		}
		if around.HeadingFrom == around.HeadingTo && around.NextFrom == around.NextTo {
			around.NextFrom, around.NextTo = askedThere(text, start, end)
		}
	}
	return around
}

func find(text string, start, end int, read Read) Around {
	found := over(text, start, end)
	from, to := saidBefore(text, start, end)
	if len(found) > 0 || isWholeSentence(text, start, end) && !mayBeBelief(text[start:end]) {
		return Around{Findings: found, SaidFrom: from, SaidTo: to}
	}
	c := newContext(text, start, end, read)
	if isQuotedThere(text[start:end]) && strings.ContainsFunc(c.head+c.tail, char.IsOfWord) {
		c.closed, c.quoted = true, true
	}
	c.quoted = c.quoted || quotesFirst(text[start:end])
	if endsWithStop(text, start, end) || EndsRowOfLines(text, start, end) {
		c.tail = "" // whatever looks like an abbreviation before the stop
	}
	head, tail := c.headWeight(), c.tailWeight()
	if head == saysNothing && isTale(c.head, c.language) {
		head = mayBound
	}
	if head == governs {
		found = append(found, guard.Finding{Kind: guard.Begins, Text: Shorten(c.head)})
	}
	if tail == governs {
		found = append(found, guard.Finding{Kind: guard.GoesOn, Text: Shorten(strings.TrimLeft(c.tail, ` ,;:"'”’»）)`))})
	}
	if no, ok := deniedLabel(text, start, end, c.language); ok && len(found) == 0 {
		found = append(found, guard.Finding{Kind: guard.GoesOn, Text: no})
	}
	if next, ok := c.rejectedBehind(); ok && len(found) == 0 {
		found = append(found, guard.Finding{Kind: guard.Answered, Text: Shorten(next)})
	}
	around := Around{Findings: found, Head: head == mayBound, Tail: tail == mayBound, SaidFrom: from, SaidTo: to}
	if len(found) == 0 && !strings.ContainsFunc(c.tail, char.IsOfWord) && (c.open || isBelief(text[start:end], c.language)) {
		c.open = false // of a belief that it names itself
		if _, rejected := c.rejectedBehind(); rejected || isBelief(text[start:end], c.language) {
			around.NextFrom, around.NextTo = sentenceBehind(text, end)
		}
	}
	if w, ok := contrastNext(c); ok && w == mayBound && len(found) == 0 && !c.open && !c.unsaid {
		around.NextFrom, around.NextTo = sentenceBehind(text, end)
	}
	if len(found) == 0 && around.NextFrom == around.NextTo && !c.open && mayDeny(c) {
		around.NextFrom, around.NextTo = sentenceBehind(text, end)
	}
	if len(found) == 0 && around.NextFrom == around.NextTo {
		rest := end + len(text[end:]) - len(strings.TrimLeft(text[end:], " .!?\n"))
		stop := rest
		told := isDeniedLater(c) || deniesConcluded(c)
		if c.open && strings.ContainsFunc(c.tail, char.IsOfWord) && len(c.rest) > 0 && c.rest[0].Role == guard.And {
			c.open = false // a claim that it names itself
			told = told || c.isRejectedNext()
		}
		if told {
			for range 2 {
				_, stop = sentenceBehind(text, max(stop, end))
			}
			around.NextFrom, around.NextTo = rest, max(rest, stop)
		}
	}
	return around
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

// claimsFor is a claim on an insurer and the like: it asserts nothing.
var claimsFor = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i)claim(?:s|ed|ing)? (?:for|on|under|within|back)\b`)
})

// quotesFirst reports whether a passage begins with words that its text quotes, marks and
// all, and goes on behind them: it shows itself that they are somebody's.
func quotesFirst(passage string) bool {
	const statement = 4 // words
	first, size := utf8.DecodeRuneInString(passage)
	if !strings.ContainsRune(openingQuotes+`"”»`, first) {
		return false
	}
	said, rest := passage[size:], ""
	if i := strings.IndexAny(said, closingQuotes); i > 0 {
		said, rest = said[:i], said[i:]
	}
	return words.Count(said) >= statement && strings.ContainsFunc(rest, char.IsOfWord)
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
	return unicode.IsUpper(first) && len(next) > answer && !strings.ContainsAny(next[:answer], ".!?;:")
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
	said     string   // the end of the passage
	head     string   // of its first sentence
	tail     string   // of its last
	next     string   // the sentence behind
	later    []string // some sentences behind that
	open     bool     // the passage says itself that it is claimed or doubted
	rejects  bool     // it says that something is wrong
	states   bool     // its last sentence leaves nothing open, whatever one before it does
	quoted   bool     // the passage is a quotation of the own of its text, with its marks
	closed   bool     // a quotation of the text's own ends with the passage
	negated  bool     // the passage ends with a clause that has a negation
	forbids  bool     // that says what should not be
	finite   bool     // it has a verb that makes a sentence of it, where it is English
	subject  bool     // the passage is what a verb behind it is said of, and a name for it
	bounds   bool     // it begins with a clause that bounds what stands before it
	denying  bool     // the last sentence of the passage has one
	torn     bool     // the passage ends within a phrase, as with "the" or "were", and states nothing there
	contrary bool     // the passage begins with a "but", and is no part of what is claimed before
	then     bool     // the passage has a 才, which goes with an "only"
	vague    bool     // the passage ends with "a" and a noun, of which a clause behind it only tells more
	wouldBe  bool     // the passage says what would be
	mayBe    bool     // it says what may or must be, or compares
	able     bool     // it says what can be done
	numbered bool     // it has a number
	unsaid   bool     // it states nothing that could be denied: it asks, or says who writes what follows
	joins    bool     // the passage ends with a clause of Korean, which its verb joins to the next
	reported bool     // the passage is in the mood of reported speech
	asSaid   bool     // it ends with a clause that only tells who says so, too: ", as has been reported"
	first    string   // the first word of the passage, in small letters
	amount   bool     // it begins with "by" or the like and a number, and goes on with a clause
	loose    bool     // a condition behind it may be of what follows
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
	if strings.ContainsFunc(c.head+c.tail+c.next, char.IsOfWord) {
		c.language = guard.LanguageIn(before+" "+behind, c.head+text[start:words.RuneStart(text, min(end, start+inside))]+c.tail)
	}
	if c.language == "th" {
		c.head = clauseBeforeThai(c.head)
		c.tail, c.loose = clauseBehindThai(c.tail, end < len(text) && text[end] == ' ')
	}
	c.negated = slices.ContainsFunc(c.words(clause), func(w guard.Word) bool {
		return w.Kind == guard.Negation && w.Norm != "unless" // that denies nothing itself
	})
	c.said = behind[:at]
	c.forbids = c.negated && c.language == "en" && shouldNot().MatchString(clause)
	c.finite = c.language == "en" && finite().MatchString(text[start:words.RuneStart(text, min(end, start+inside))])
	c.subject = end-start <= inside && isSubject(text[start:end], c.tail)
	last := strings.TrimRight(behind[:at], ` .!?"”*_`)
	c.denying = c.negates(last[strings.LastIndexAny(last, ".!?")+1:])
	for _, g := range guard.Governors(behind[:at], c.language) {
		c.open = c.open || g.Role == guard.Claimed && !claimsFor().MatchString(behind[g.Start:at]) || g.Role == guard.Doubt || g.Role == guard.Rejection
		c.rejects = c.rejects || g.Role == guard.Rejection
		c.names = c.names || g.Role == guard.That
		c.contrary = c.contrary || g.Role == guard.Contrast && g.Start <= 1 && from <= start
		if (g.Role == guard.And || g.Role == guard.That) && g.Start >= at-len(clause) {
			clause = behind[g.End:at]
		}
		if g.End == len(strings.TrimRight(behind[:at], " \n")) {
			c.torn = g.Role == guard.And || g.Role == guard.That || g.Role == guard.Where || g.Role == guard.Verb
		}
	}
	if all := words.Sentences(oneLine(behind[:at])); c.open && len(all) > 1 {
		last := behind[all[len(all)-1].Start:at]
		c.states = words.Count(last) > 3 && !slices.ContainsFunc(guard.Governors(last, c.language), func(g guard.Governor) bool {
			return g.Role == guard.Claimed || g.Role == guard.Doubt || g.Role == guard.Rejection
		})
	}
	if beginsWithReference().MatchString(text[start:words.RuneStart(text, min(end, start+inside))]) {
		c.head = "" // of the sentence before
	}
	if begins := guard.Governors(text[start:words.RuneStart(text, min(end, start+inside))], c.language); len(begins) > 0 && begins[0].Start == 0 {
		c.bounds = begins[0].Role == guard.Condition || begins[0].Role == guard.Exception
	}
	c.first, _, _ = strings.Cut(strings.ToLower(text[start:words.RuneStart(text, min(end, start+inside))]), " ")
	c.then = strings.Contains(text[start:end], "才")
	if would := wouldBe()[c.language]; would != nil {
		c.wouldBe = would.MatchString(text[start:min(end, start+inside)])
	}
	c.amount = c.language == "en" && amount().MatchString(text[start:end])
	c.reported = c.language == "de" && isReported(text[start:end])
	c.asSaid = asSaid().MatchString(behind[:at])
	c.mayBe, c.able = isAllowance(clause, c.language), c.language == "en" && able().MatchString(clause)
	c.numbered = strings.ContainsAny(behind[:at], "0123456789")
	c.unsaid = strings.HasSuffix(strings.TrimRight(text[start:end], ` "'”’»_*`), "?") || isByline(text[start:end])
	reads := hasRead()[c.language]
	c.open = c.open || reads != nil && slices.ContainsFunc(reads.FindAllString(behind[:at], -1), isOneClause)
	c.joins = c.language == "ko" && JoinsClauses(text[start:end]+restOfWord(text[end:]))
	tells, _, _ := strings.Cut(c.tail, ",")
	if c.language == "en" {
		clause = withoutNameBehind(clause, c.tail)
	}
	c.vague = !c.negated && (endsIndefinite(clause) && !c.negates(tells) || endsWithArticle(strings.Fields(strings.ToLower(clause)), 4))
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
	if end := strings.IndexFunc(text, char.IsNotOfWord); end >= 0 {
		return text[:end]
	}
	return text
}

// hasRead is where a passage says that somebody has read or heard what it goes on with, by
// language.
var hasRead = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`(?i)\b(?:read|hear|heard|been told)\b[^.;:,]{0,40}\bthat\b`),
		"de": regexp.MustCompile(`(?i)\b(?:gelesen|gehört|hört|liest|lesen)\b[^.;:]{0,40}\bdass\b`),
		"fr": regexp.MustCompile(`(?i)\b(?:lu|entendu|lit|entend)\b[^.;:,]{0,40}\bqu[e'’]`),
		"es": regexp.MustCompile(`(?i)(?:leído|oído|leer|oír)\b[^.;:,]{0,40}\bque\b`),
		"nl": regexp.MustCompile(`(?i)\b(?:gelezen|gehoord|hoort|leest)\b[^.;:]{0,40}\bdat\b`),
	}
})

// isOneClause reports whether no "and" joins another verb to words that say what somebody read.
func isOneClause(words string) bool {
	return !slices.ContainsFunc(strings.Fields(words), func(w string) bool {
		return slices.Contains(strings.Fields("and but und aber et mais y pero en maar"), w)
	})
}

// amount is how a passage begins that says by how much, as the end of a clause before it.
var amount = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:by|from|at|to) \d`) })

// asSaid is a clause at the end of a passage that tells that others say the same.
var asSaid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`, (?:as|wie|comme|como|come|zoals|som|jak|как) [^,;:.]{1,80}[.,;:]?\s*$`)
})

// endsIndefinite reports whether a clause of English ends with "a" or "an" and a noun, or with
// some number of things that were not spoken of: "63 instruments".
func endsIndefinite(clause string) bool {
	const most = 4 // words with the article
	list := strings.FieldsFunc(strings.ToLower(clause), unicode.IsSpace)
	if len(list) > 1 && list[0] == "there" {
		return endsWithArticle(list, most-1)
	}
	tail := list[max(0, len(list)-most):]
	for i := len(tail) - 2; i >= 0; i-- {
		if slices.Contains(strings.Fields("of in on at for with to by from and the these those all its his her our their only are is was were"), tail[i]) {
			break
		}
		if isNumber(tail[i]) {
			before := len(list) - len(tail) + i - 1
			return before >= 0 && !slices.Contains(strings.Fields("the these those all its his her our their only of"), list[before])
		}
	}
	return endsWithArticle(list, most)
}

// endsWithArticle reports whether "a" or "an" and the words of one noun are the last of a list.
func endsWithArticle(list []string, most int) bool {
	for i := len(list) - 2; i >= max(0, len(list)-most); i-- {
		switch list[i] {
		case "a", "an":
			return true
		case "of": // a row of small things
			most += 2
		case "all", "its", "his", "her", "our", "their", "my", "your", "these", "those", "only", "no", "every", "each", "in", "on", "at", "for", "with", "to", "by", "from", "and", "the":
			return false
		}
	}
	return false
}

// isNumber reports whether a word is a number, in letters or in digits.
func isNumber(word string) bool {
	list := guard.Words(word)
	return len(list) == 1 && list[0].Kind == guard.Number && list[0].Text == word
}

// byline is a line that says who writes what stands below it.
var byline = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i)\W*(?:(?:posted|written|asked|answered|gepostet|geschrieben|publié|posté|publicado|escrito) (?:by|von|par|por)\b|(?:asked|answered|posted|edited) (?:on )?(?:\p{L}{3,9} )?\d|\S+(?: \S+){0,2} (?:wrote|writes|posted|said|replied|commented|answered|asked|schrieb|a écrit|escribió|escreveu|ha scritto|schreef|skrev|napisała?|написала?|menulis|yazdı)\b.*\d)`)
})

func isByline(line string) bool {
	const most = 120 // bytes
	last, _ := utf8.DecodeLastRuneInString(line)
	return len(line) <= most && (char.IsOfWord(last) || last == ':' || last == ')') && byline().MatchString(line)
}

// readAround reads a part of a text, without marks of emphasis.
func readAround(part string, at int, read Read) (string, int) {
	text, at := read(part, at)
	return strings.NewReplacer(". `", ". `", ".  `", ".  `", ".\n`", ".\n`", "\n* ", "\n- ", "*", " ", "`", " ", "_", " ").Replace(text), at
}

// words are the deciding words of a text in the language of the passage.
func (c context) words(text string) []guard.Word {
	return guard.WordsIn(text, func() string { return c.language })
}

func (c context) isUnspaced() bool {
	return c.language == "zh" || c.language == "ja" || c.language == "th"
}

// putsVerbLast reports whether what a clause is said of stands behind it.
func (c context) putsVerbLast() bool {
	return slices.Contains([]string{"ja", "ko", "tr", "zh", "hi", "az", "eu", "bn", "ta", "ur", "kk"}, c.language)
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
