package quote

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
	"github.com/research-council/research-council/internal/evidence/quote/governing"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// part is a part of a quotation: words of its text, or what its quoter has put in
// brackets.
type part struct {
	text    string
	gloss   bool
	spelled bool // a word of which some letters stand in brackets
	// the letters of such a word outside of the brackets
	before, behind string
	next           string // the two words of the text behind those it stands for
}

// bracketed is what stands in brackets, with the letters right beside.
var bracketed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\p{L}\p{M}]*)[\[［]([^\[\]［］…]{1,80})[\]］]([\p{L}\p{M}]*)`)
})

// subjectAndLetter are brackets with a subject and the letter that begins a verb: "[The
// mill p]roduces".
var subjectAndLetter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\p{L}\p{M}])\[([^\[\]…]{1,80}) ([\p{Lu}\p{Ll}])\](\p{L}+)`)
})

// writtenNot is a verb of English with a "not" in brackets, as is put for "isn't". The verb
// is looked for with it.
var writtenNot = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(is|are|was|were|do|does|did|has|have|had|would|could|should|must|need|can|will) \[not\]`)
})

// splitAtGlosses splits a quotation at its brackets; nil for one with none, or with
// many. A note of the text is none of the quoter's.
func splitAtGlosses(text, quoted string) []part {
	const most = 4
	quoted = subjectAndLetter().ReplaceAllString(quoted, "$1[$2] $3$4")
	quoted = writtenNot().ReplaceAllString(quoted, "[$1 not]")
	marks := slices.DeleteFunc(bracketed().FindAllStringSubmatchIndex(quoted, -1), func(m []int) bool {
		note := quoted[m[3]:m[6]]
		return reading.NumberedNote().MatchString(note) && strings.ContainsFunc(note, unicode.IsNumber) && strings.Contains(text, strings.TrimSpace(quoted[m[2]:m[3]]+note))
	})
	if len(marks) == 0 || len(marks) > most || ellipsis().MatchString(quoted) {
		return nil
	}
	var list []part
	at := 0
	for _, m := range marks {
		before, inside, behind := quoted[m[2]:m[3]], quoted[m[4]:m[5]], quoted[m[6]:m[7]]
		unspaced := words.Unspaced(char.Last(before)) || words.Unspaced(char.First(behind))
		if unspaced {
			m[0], m[1] = m[3], m[6]
		}
		list = append(list, part{text: quoted[at:m[0]]})
		at = m[1]
		switch {
		case !unspaced && before == "" && (takesParticles(inside) || unicode.Is(unicode.Hangul, char.First(behind)) && isInDigits(inside)):
			list = append(list, part{text: inside + behind, gloss: true})
		case !unspaced && before+behind != "":
			list = append(list, part{text: before + inside + behind, gloss: true, spelled: true, before: before, behind: behind})
		default:
			list = append(list, part{text: inside, gloss: true})
		}
	}
	list = append(list, part{text: quoted[at:]})
	return joinGlosses(slices.DeleteFunc(list, func(p part) bool { return !p.gloss && !char.HasWord(p.text) }))
}

// isInDigits reports whether a text is a number in digits.
func isInDigits(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' })
}

// joinGlosses makes one of what stands in brackets side by side: the text has no
// place between them.
func joinGlosses(list []part) []part {
	var joined []part
	for _, p := range list {
		if n := len(joined); n > 0 && p.gloss && joined[n-1].gloss {
			joined[n-1] = part{text: joined[n-1].text + " " + p.text, gloss: true}
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

// findReplaced looks for a quotation in which brackets stand for words of the text,
// in the text as it stands and as it is read.
func (s *search) findReplaced(quoted string) (Match, bool) {
	parts := splitAtGlosses(s.text, quoted)
	if parts == nil {
		return Match{}, false
	}
	if m, ok := s.findParts(parts); ok {
		return m, true
	}
	read := s.reading()
	if read.IsSame() {
		return Match{}, false
	}
	t := s.readText()
	inner := search{Text: t, to: len(t.text), read: true}
	m, ok := inner.findParts(parts)
	if bare := reading.NumberedNote().ReplaceAllString(quoted, ""); !ok && bare != quoted {
		m, ok = inner.findParts(splitAtGlosses(inner.text, bare))
	}
	if !ok {
		return Match{}, false
	}
	m = matchInText(read, m)
	return m, m.Start >= s.from && m.End <= s.to
}

// findReplacedInParts looks for a quotation with ellipses of which a part has
// brackets that stand for words of the text: with those words in their place.
func (s *search) findReplacedInParts(quoted string) (Match, bool) {
	marks := append(ellipsis().FindAllStringIndex(quoted, maxSegments+1), []int{len(quoted), len(quoted)})
	if len(marks) == 1 || len(marks) > maxSegments {
		return Match{}, false
	}
	var whole strings.Builder
	var gaps []Span
	var findings []guard.Finding
	at := 0
	for _, mark := range marks {
		segment := quoted[at:mark[0]]
		if m, ok := s.findReplaced(segment); ok {
			segment = " " + s.text[m.Start:m.End] + " "
			gaps, findings = append(gaps, m.Gaps...), append(findings, m.Findings...)
		}
		whole.WriteString(segment + quoted[mark[0]:mark[1]])
		at = mark[1]
	}
	if len(gaps) == 0 || bracketed().MatchString(ellipsis().ReplaceAllString(whole.String(), "")) {
		return Match{}, false
	}
	m, ok := s.findPlainly(strings.TrimSpace(whole.String()))
	m.Gaps, m.Findings = append(m.Gaps, gaps...), append(m.Findings, findings...)
	return m, ok
}

// findParts looks for the parts of a quotation, one right behind the other but for
// what the brackets between them stand for.
func (s *search) findParts(parts []part) (Match, bool) {
	var places [][]Span
	var beside []Span
	for i, p := range parts {
		if p.gloss {
			continue
		}
		text := strings.TrimSpace(p.text)
		if i > 0 {
			text = strings.TrimLeft(text, ".!?。 ") // brackets end the sentence before
		}
		q := newQuery(text)
		if q == nil {
			return Match{}, false
		}
		q.goesOn = i+1 < len(parts)
		found := s.findPart(q, false, false, beside)
		if other, ok := otherInitial(q.raw); ok && len(places) == 0 {
			if o := newQuery(other); o != nil {
				found = append(found, s.findPart(o, false, false, beside)...)
			}
		}
		if len(found) == 0 {
			return Match{}, false
		}
		places = append(places, found)
		if beside == nil {
			beside = found
		}
	}
	if len(places) == 0 {
		return Match{}, false
	}
	for _, chain := range chains(places) {
		m, ok := s.replacedWithin(parts, chain)
		if local := inLanguageAt(s, chain); local != s && (!ok || len(m.Findings) > 0) {
			if other, found := local.replacedWithin(parts, chain); found && (!ok || len(other.Findings) < len(m.Findings)) {
				m, ok = other, true
			}
		}
		if !ok {
			continue
		}
		if m, ok := s.acceptMatch(m, 0); ok {
			return m, true
		}
	}
	return Match{}, false
}

// inLanguageAt is a search of the same text whose language is the one around some places of it: a page
// may be in more than one.
func inLanguageAt(s *search, chain []Span) *search {
	language := languageAround(s.text, chain[0].Start, chain[len(chain)-1].End)
	if language == "" || language == s.language() {
		return s
	}
	text, local := *s.Text, *s
	text.language = func() string { return language }
	local.Text = &text
	return &local
}

// replacedWithin is the passage of which the words stand at some places, when what
// stands between them, and at its ends, is what the brackets may stand for.
func (s *search) replacedWithin(parts []part, chain []Span) (Match, bool) {
	m := Match{Tier: Normalised, Start: chain[0].Start, End: chain[len(chain)-1].End}
	var cited []int // before which words a citation is left out
	var past Span   // the participle of a perfect that brackets put in the past
	n := 0          // of the words before
	for i, p := range parts {
		if !p.gloss {
			n++
			continue
		}
		g := Span{s.clauseStart(chain[0].Start), chain[0].Start}
		switch {
		case i == len(parts)-1:
			g = Span{m.End, s.clauseEnd(m.End)}
		case n > 0:
			g = Span{chain[n-1].End, chain[n].Start}
		}
		if !s.read && holdsTag(s.text[g.Start:max(g.Start, g.End)]) {
			return Match{}, false // it is looked for where no tags are
		}
		g = trimBlanks(s.text, g)
		if p.spelled {
			g = wordBeside(s.text, g, n == 0, n > 0 && i == len(parts)-1)
		}
		before := ""
		if n > 0 {
			before = s.text[chain[n-1].Start:chain[n-1].End]
		}
		if g.Start >= g.End {
			if list := nounWords(s.text[g.End:words.RuneStart(s.text, g.End+maxNearby)]); len(list) > 0 {
				p.next = list[0]
			}
			explained := s.explainsBehind(before, p.text) || retells(s.text, s.language(), before, p.text, p.next, g.Start)
			if !explained && !(n > 0 && (meansNoun(p.text) || isExplanation(s.text, parts, i, before, s.language()) || isOnlyAdded(before, p.text, s.text[g.End:words.RuneStart(s.text, g.End+maxNearby)], s.language()) || repeatsWords(s.text, before, p.text, s.language(), g.Start))) || s.read && reading.NumberedNote().MatchString("["+p.text+"]") {
				return Match{}, false // or another note than that of the text
			}
			gaps := s.beside(g.Start, n == 0, p.text)
			if len(gaps) == 0 && n > 0 && !(explained && strings.ContainsFunc(p.text, unicode.IsDigit) && !isOtherNumber(before, p.text, s.language())) {
				gaps = []Span{lastWordsOfSentence(s.text, g.Start)} // what the quoter's own words are put behind
			}
			m.Gaps = append(m.Gaps, gaps...)
			continue
		}
		if apostrophe(char.Last(s.text[:g.Start])) && g.Start > 0 && n > 0 {
			_, size := utf8.DecodeLastRuneInString(s.text[:g.Start])
			g.Start -= size // We've
		}
		theirs, behind := s.text[g.Start:g.End], s.text[g.End:words.RuneStart(s.text, g.End+maxNearby)]
		if list := nounWords(behind); len(list) > 0 {
			p.next = strings.Join(list[:min(2, len(list))], " ")
		}
		if isBracketedThere(s.text, g) && !strings.EqualFold(p.text, theirs) {
			return Match{}, false // the brackets are not the quoter's
		}
		if n > 0 && !isWhole(s.text, chain[n-1].Start, chain[n-1].End) && !isSameQuantity(before, p.text, theirs, s.language()) && !abbreviates(theirs, p.text, before, s.language()) && !contractsUnit(theirs, p.text, before) {
			return Match{}, false // the number has lost its unit
		}
		if isOmission().MatchString(p.text) {
			if isCitation(theirs) && isMarkedOff(s.text, g) {
				m.Gaps = append(m.Gaps, g)
				cited = append(cited, n)
				continue
			}
			return Match{}, false
		}
		if !s.standsFor(p, before, theirs) && !(n == 0 && !p.spelled && repeatsSubject(s.text, p.text, g, s.language())) {
			if i == len(parts)-1 && n > 0 && !p.spelled && tellsWhichOf(before, p.text, s.language()) && s.explainsBehind(before, p.text) {
				m.Gaps = append(m.Gaps, pronounBefore(s.text, s.language(), g.Start)...)
				continue // the sentence goes on, and what stands before is told of
			}
			at, ok := s.pronounFor(p, g)
			participle, isPast := pastOf(s.text, s.language(), p.text, theirs, Span{chain[len(chain)-1].End, s.clauseEnd(chain[len(chain)-1].End)})
			name, isNamed := withoutClause(theirs, s.text[g.End:], s.language())
			switch {
			case isNamed && isName(p.text) && s.standsFor(p, before, name):
			case n > 0 && isPast:
				past = participle
			case n > 0 && i+2 < len(parts) && parts[i+2].gloss && !p.spelled && withoutClitic(theirs, s.language()) != "" && s.standsFor(p, before, withoutClitic(theirs, s.language())):
			case n == 0 && !p.spelled && ok:
				g = at
			case !p.spelled && (standsForOne(s.text, p.text, theirs, behind, s.language(), g.Start) || n == 0 && isNameOfKind(p.text, theirs, s.language())):
			case !p.spelled && char.HasWord(p.text) && (isProp(before, theirs, behind, s.language()) || isThisOne(theirs, s.language())) && s.explains(p.text):
				if !isLastNamed(s.text[:g.Start], p.text, theirs) {
					m.Findings = append(m.Findings, guard.Finding{Kind: guard.Renamed, Quote: p.text, Text: theirs})
				}
			case !p.spelled && s.isNameFor(p.text, before, theirs, s.language()):
			case mayRename(s.text, s.language(), p, before, theirs, behind):
				m.Findings = append(m.Findings, guard.Finding{Kind: guard.Renamed, Quote: p.text, Text: theirs})
			default:
				return Match{}, false
			}
		}
		m.Start, m.End = min(m.Start, g.Start), max(m.End, g.End)
		m.Gaps = append(m.Gaps, g)
	}
	for i := range len(chain) - 1 { // words with nothing between them but what was looked at
		if slices.Contains(cited, i+1) {
			continue
		}
		between := s.text[chain[i].End:chain[i+1].Start]
		if !char.HasWord(between) {
			continue // the gloss ends a sentence
		}
		if next := string(char.First(s.text[chain[i+1].Start:])); len(between) > 80 || strings.ContainsAny(innerPoint().ReplaceAllString(between+next, "$1$2"), ".!?") {
			return Match{}, false
		}
	}
	if past.End > 0 {
		m.End = past.End
		m.Gaps = append(m.Gaps, past)
	}
	return m, true
}

// holdsTag reports whether a text has a tag of HTML.
func holdsTag(text string) bool {
	for at := strings.IndexByte(text, '<'); at >= 0; {
		if reading.HasMarkupAt(text, at) {
			return true
		}
		next := strings.IndexByte(text[at+1:], '<')
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// explanation is how quoters begin to say what words before mean.
var explanation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:i\. ?e\.|that is,|viz\.|meaning|d\. ?h\.|das heißt|gemeint ist|c['’]est-à-dire|es decir|o sea|isto é|ou seja|cioè|vale a dire|d\.w\.z\.|dat wil zeggen|dvs\.|det vill säga|tzn\.|to znaczy|tj\.|to jest|то есть|т\. ?е\.|yaitu|yakni|すなわち|つまり|即|즉) ?`)
})

// isExplanation reports whether a gloss says of the words before what they mean, by words of
// the text: it begins as an explanation does, or has some words, of which the first is a short
// one, and ends its clause. What completes a verb is none.
func isExplanation(text string, parts []part, i int, before, language string) bool {
	const some, short = 4, 4 // words, letters
	if governing.HasNegation(parts[i].text, func() string { return language }) || strings.ContainsFunc(parts[i].text, unicode.IsDigit) {
		return false
	}
	if slices.ContainsFunc(guard.Governors(parts[i].text, language), func(g guard.Governor) bool {
		return g.Role != guard.That && g.Role != guard.And && g.Role != guard.Where && g.Role != guard.Verb && g.Role != guard.Back && g.Role != guard.Fact
	}) {
		return false // it bounds or denies what it explains
	}
	if low := strings.ToLower(text); !slices.ContainsFunc(nounWords(parts[i].text), func(w string) bool {
		return utf8.RuneCountInString(w) > short && strings.Contains(low, w)
	}) {
		return false
	}
	behind := ""
	if i+1 < len(parts) {
		behind = strings.TrimSpace(parts[i+1].text)
	}
	list, last := nounWords(parts[i].text), strings.ToLower(lastWords(before, 1))
	if explanation().MatchString(parts[i].text) || has(pronouns, language, last) && len(list) > 1 {
		return true
	}
	return len(list) >= some && utf8.RuneCountInString(list[0]) <= short && (behind == "" || strings.ContainsRune(".,;:!?)", char.First(behind))) &&
		!isLeftOpen(last, "", language) && !isAuxiliary(last, language)
}

// lastWordsAt are the two last words before a place.
func lastWordsAt(text string, at int) Span {
	from := words.RuneStart(text, at-maxNearby)
	end := from + len(strings.TrimRightFunc(text[from:at], char.IsNotOfWord))
	start := end
	if words.Unspaced(char.Last(text[from:end])) {
		const some = 4 // letters
		for range some {
			_, size := utf8.DecodeLastRuneInString(text[from:start])
			start -= size
		}
		return Span{start, end}
	}
	for range 2 {
		start = from + strings.LastIndexFunc(strings.TrimRightFunc(text[from:start], char.IsNotOfWord), unicode.IsSpace) + 1
	}
	return Span{start, end}
}

// lastWordsOfSentence are those of them that no sentence end parts from the place.
func lastWordsOfSentence(text string, at int) Span {
	g := lastWordsAt(text, at)
	if from := g.Start + lastSentence(text[g.Start:at]); from < g.End {
		return trimSpan(text, from, g.End)
	}
	return g
}

// beside is what a gloss that stands for no words is shown with: the pronoun or the verb before
// it that it says more of, an amount of which it says the currency, and the beginning of the
// sentence of which it gives the subject.
func (s *search) beside(at int, first bool, inside string) []Span {
	if first {
		from := words.RuneStart(s.text, at-governing.MaxAround)
		from += lastSentence(s.text[from:at])
		if g := trimSpan(s.text, from, at); g.Start < g.End {
			return []Span{g}
		}
		return nil
	}
	language := s.language()
	if list := pronounBefore(s.text, language, at); list != nil {
		return list
	}
	from := words.RuneStart(s.text, at-maxNearby)
	bare := strings.TrimRight(s.text[from:at], " \n")
	last := Span{from + strings.LastIndexFunc(bare, unicode.IsSpace) + 1, from + len(bare)}
	if isLeftOpen(strings.ToLower(s.text[last.Start:last.End]), s.text[at:], language) || isMoney(quantityIn(inside, language)) {
		return []Span{last}
	}
	return nil
}

// innerPoint is a full stop that ends no sentence: within a number, or of an abbreviation
// behind which a small letter or a number comes.
var innerPoint = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d)\.(\d)|\pL\.\s+(?:\p{Ll}|\d)`) })

// isOmission is what a quoter puts for a citation of the text.
var isOmission = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:(?:internal )?(?:citations?|footnotes?|references?|notes?)(?: and footnotes?)? omitted|(?:nachweise?|fußnoten?|zitate?) (?:weggelassen|ausgelassen)|(?:références?|notes?|citations?) omises?|(?:citas?|notas?|referencias?) omitidas?|(?:citações|citação|notas?) omitidas?|(?:citazion[ei]|not[ae]) omess[ae])$`)
})

// isMarkedOff reports whether a mark stands before a span, as before a citation.
func isMarkedOff(text string, g Span) bool {
	return !char.IsOfWord(char.Last(strings.TrimRight(text[:g.Start], " \n")))
}

// isCitation reports whether a text only names a work or a case: names, years and numbers,
// with no other words between them than stand in citations.
func isCitation(text string) bool {
	const most = 200 // bytes
	if len(text) > most || !strings.ContainsFunc(text, unicode.IsNumber) {
		return false
	}
	named := false
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if unicode.IsUpper(char.First(w)) {
			named = true
		} else if !slices.Contains(strings.Fields("v vs et al and of the in ex parte re p pp at see also cf no vol ed eds und y f ff s n ibid para paras de der von van"), w) {
			return false
		}
	}
	return named
}

// repeatsSubject reports whether brackets before a verb hold the words with which its sentence
// begins, where the text has no more than an "and": "[The mill] burnt" for "The mill was sold
// and burnt". The sentence has no other statement before it.
func repeatsSubject(text, ours string, g Span, language string) bool {
	joint := strings.TrimSpace(text[g.Start:g.End])
	list := guard.Governors(joint, language)
	if len(list) != 1 || list[0].Role != guard.And || list[0].Start != 0 || list[0].End != len(joint) {
		return false
	}
	sentence := text[words.RuneStart(text, g.Start-governing.MaxAround):g.Start]
	sentence = strings.Join(strings.Fields(sentence[lastSentence(sentence):]), " ")
	rest, ok := strings.CutPrefix(strings.ToLower(sentence), strings.ToLower(ours)+" ")
	if !ok || strings.ContainsAny(rest, ",;:—–\"“„«") {
		return false
	}
	verb := firstWordOf(rest)
	plain := !slices.ContainsFunc(guard.Governors(rest, language), func(o guard.Governor) bool {
		return o.Role == guard.And || o.Role == guard.That || o.Role == guard.Claimed || o.Role == guard.Condition || o.Role == guard.When
	})
	return plain && !governing.HasNegation(rest, func() string { return language }) && (isAuxiliary(verb, language) || language == "en" && (isFinite(verb) || strings.HasSuffix(verb, "s") || strings.HasSuffix(verb, "ed")))
}

// isBracketedThere reports whether the text itself puts a span in square brackets, and not
// as the words of a link.
func isBracketedThere(text string, g Span) bool {
	behind := text[g.End:]
	return strings.HasSuffix(text[:g.Start], "[") && strings.HasPrefix(behind, "]") && !strings.HasPrefix(behind, "](") && !strings.HasPrefix(behind, "][")
}

// wordBeside is the last word of a span of a text, or the first.
func wordBeside(text string, g Span, last, first bool) Span {
	within := text[g.Start:g.End]
	switch {
	case last:
		return Span{g.Start + strings.LastIndexFunc(within, unicode.IsSpace) + 1, g.End}
	case first:
		if at := strings.IndexFunc(within, unicode.IsSpace); at >= 0 {
			return Span{g.Start, g.Start + at}
		}
	}
	return g
}

// trimBlanks is a span without the blanks and marks around its words, or around a sign
// such as "%".
func trimBlanks(text string, g Span) Span {
	if trimmed := trimSpan(text, g.Start, g.End); trimmed.Start < trimmed.End {
		if sign := strings.IndexAny(text[g.Start:trimmed.Start], "%‰°$€£¥"); sign >= 0 {
			trimmed.Start = g.Start + sign
		}
		return trimmed
	}
	bare := strings.TrimSpace(text[g.Start:g.End])
	if strings.ContainsFunc(bare, func(r rune) bool { return !unicode.IsSymbol(r) && r != '%' }) {
		bare = ""
	}
	at := g.Start + strings.Index(text[g.Start:g.End], bare)
	return Span{at, at + len(bare)}
}

// dateline is the place, in capitals, and the date with which a report begins.
var dateline = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\p{Lu}{3}[\p{Lu} .]{0,30}(?:, [\p{L}\d. ]{4,20}| \([^()\n]{2,20}\))? ?[-–—] `)
})

// clauseStart is where the clause begins that goes on at a place.
func (s *search) clauseStart(at int) int {
	from := words.RuneStart(s.text, at-120)
	before := strings.TrimRight(s.text[from:at], " \n")
	const marks = ".!?;:,()[]\"“„«»”‘\t。，、；：「"
	i := strings.LastIndexAny(before, marks)
	for i > 0 && i+1 < len(before) && strings.IndexByte(".,:", before[i]) >= 0 && unicode.IsDigit(char.Last(before[:i])) && unicode.IsDigit(char.First(before[i+1:])) {
		i = strings.LastIndexAny(before[:i], marks) // 1,500
	}
	if i >= 0 {
		_, size := utf8.DecodeRuneInString(before[i:])
		from += i + size
	}
	if place := dateline().FindString(s.text[strings.LastIndexByte(s.text[:at], '\n')+1 : at]); place != "" {
		from = max(from, strings.LastIndexByte(s.text[:at], '\n')+1+len(place))
	}
	for i := at - 1; i > from; i-- {
		if s.text[i] == '\n' && governing.IsBreak(s.text, i) {
			return i
		}
	}
	return from
}

// clauseEnd is where the clause ends that goes on at a place.
func (s *search) clauseEnd(at int) int {
	to := words.RuneStart(s.text, at+120)
	if i := strings.IndexAny(s.text[at:to], ".!?;:,()[]\"“”»«’。，、；：」\t\n"); i >= 0 {
		return at + i
	}
	return to
}
