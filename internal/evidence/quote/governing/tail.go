package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// tailWeight is what stands behind a passage in its sentence does to it.
func (c context) tailWeight() weight {
	tail := strings.TrimLeft(c.tail, " ")
	if strings.ContainsFunc(c.head, char.IsOfWord) && strings.HasPrefix(tail, "?") {
		return governs
	}
	if !strings.ContainsFunc(tail, char.IsOfWord) {
		return saysNothing
	}
	at := strings.IndexFunc(c.tail, char.IsOfWord)
	if c.closed {
		return c.attribution(c.tail, c.rest)
	}
	is := c.boundBehind(at)
	switch {
	case c.isTakenBack(at), c.isRestricted(at) && !c.vague && !endsWithAmountOf(c.said):
		is = governs
	case c.isRestricted(at), isOpenBesideAnother(c, at), asideBehind(c, at):
		is = max(is, mayBound)
	}
	if c.language == "en" && strings.Contains(c.tail[:at], ";") && hasEnded().MatchString(c.tail[at:]) {
		is = max(is, mayBound)
	}
	joined := c.joins || strings.ContainsAny(c.tail[:at], ";；") || c.beginsStatement(at) || c.explains(at)
	tells, conceded := c.tellsMore(at), c.concessionEnd(at)
	beside := strings.Contains(c.tail[:at], ",") && (namesCompany(c.tail[at:], c.language) || concludes(c.tail[at:], c.language))
	for _, g := range c.rest {
		joined = joined || g.Role == guard.And && (g.Start <= at || strings.HasSuffix(strings.TrimRight(c.tail[:g.Start], " "), ","))
		if tells && g.Start > at && (g.Role != guard.Rejection || isOfAside(c.tail[at:g.Start])) || beside && (concludes(c.tail[at:], c.language) || isOfCompanion(c.tail[at:max(at, g.Start)], c.language)) {
			is = max(is, mayBound)
			continue
		}
		from := at
		if conceded > 0 && g.Start >= conceded {
			from = conceded
		}
		is = max(is, c.governorBehind(g, from, joined))
	}
	if c.rejects && strings.Contains(c.tail[:at], ":") && words.Count(c.tail) > 3 && !slices.ContainsFunc(c.rest, func(g guard.Governor) bool {
		first := g.Start <= at
		return first && (g.Role == guard.Contrast || g.Role == guard.Exception || g.Role == guard.Condition && !hasMainClause(c.tail[g.End:]))
	}) {
		return mayBound // That was wrong: only …
	}
	if c.rejects && strings.ContainsAny(c.tail[:at], ";；") && !slices.ContainsFunc(c.rest, func(g guard.Governor) bool {
		return g.Role == guard.Contrast || g.Role == guard.Exception || g.Role == guard.Condition || g.Role == guard.Only
	}) {
		return mayBound // It is a myth that …; they were unable to …
	}
	switch {
	case !joined && c.isNegatedBehind(at):
		return governs
	case c.putsVerbLast(), !joined && c.decides(c.tail), joined && c.negates(c.tail):
		return max(is, mayBound)
	}
	return is
}

// explains reports whether a tail tells behind a colon what is so, where the passage says that
// something is not, or says nothing of what is claimed.
func (c context) explains(at int) bool {
	const few = 3 // words
	return (c.denying || !c.open) && strings.Contains(c.tail[:at], ":") && words.Count(c.tail) > few && !slices.ContainsFunc(c.rest, func(g guard.Governor) bool {
		first := g.Start <= at
		condition := g.Role == guard.Condition && !hasMainClause(c.tail[g.End:])
		return first && (condition || g.Role == guard.Exception || g.Role == guard.Back || g.Role == guard.That) || strings.HasPrefix(c.tail[at:], "that is ")
	})
}

// hasEnded is a clause of English that says of what stands before it that it is so no more.
var hasEnded = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i)(?:this|that|these|those|it|they)(?: \w+)? (?:has|have|was|were|had)(?: \w+)?(?: been)? (?:removed|dropped|lifted|repealed|abolished|abandoned|revoked|cancelled|rescinded|deleted|scrapped|discontinued|superseded|relaxed)\b`)
})

// beginsStatement reports whether a tail is, behind a comma, a statement of its own: what
// follows from the passage, or one with a pronoun for its subject, and nobody's word.
func (c context) beginsStatement(at int) bool {
	const few = 3 // words
	if !strings.Contains(c.tail[:at], ",") {
		return false
	}
	list := strings.Fields(strings.ToLower(c.tail[at:]))
	if len(list) <= few {
		return false
	}
	follows := c.language == "en" && list[0] == "so" && list[1] != "that" && list[1] != "long" && list[1] != "far" && list[1] != "as"
	subject := slices.Contains(strings.Fields(subjects[c.language]), list[0])
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

// subjects are pronouns that begin a statement, by language.
var subjects = map[string]string{
	"en": "i he she it we they",
	"de": "er sie wir ich",
	"fr": "il elle ils elles nous je",
	"es": "él ella ellos ellas esta este",
	"pt": "ele ela eles elas",
	"it": "egli ella esso essa essi",
	"nl": "hij zij ze wij",
	"sv": "han hon de vi",
	"ru": "он она оно они",
	"pl": "on ona oni",
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
	return len(c.tail) - len(strings.TrimLeftFunc(rest, char.IsNotOfWord))
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

// namesCompany reports whether a tail tells what else there is besides what the passage speaks
// of: "together with".
func namesCompany(tail, language string) bool {
	list := companies()[language]
	return list != nil && list.MatchString(tail)
}

var companies = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?i:together with|along with|as well as|including|as (?:did|do|does|was|were|had|has)|besides|in addition to)\b`),
		"de": regexp.MustCompile(`^(?i:zusammen mit|samt|nebst|neben|darunter)\b`),
		"fr": regexp.MustCompile(`^(?i:ainsi que|avec|de même que|y compris|dont)\b`),
		"es": regexp.MustCompile(`^(?i:junto con|así como|además de|incluid[oa]s?)\b`),
		"pt": regexp.MustCompile(`^(?i:junto com|assim como|bem como|além de|incluindo)\b`),
		"it": regexp.MustCompile(`^(?i:insieme (?:a|con)|oltre a|compres[oaie])`),
		"nl": regexp.MustCompile(`^(?i:samen met|naast|waaronder)\b`),
		"sv": regexp.MustCompile(`^(?i:tillsammans med|jämte|däribland)\b`),
	}
})

// isOfCompanion reports whether a word is said of what goes along alone: what stands before it
// begins a clause that tells which it is, and no other clause stands between them, nor one that
// speaks of the whole, ", ce qui"; and it is not one of "others" of the same sort.
func isOfCompanion(tail, language string) bool {
	tail = tail[strings.LastIndexAny(tail, ",;")+1:]
	if first, _, _ := strings.Cut(strings.TrimSpace(tail), " "); slices.Contains(strings.Fields("ce lo o il ciò wat was"), strings.ToLower(first)) {
		return false
	}
	before := strings.FieldsFunc(strings.ToLower(tail), char.IsNotOfWord)
	others := strings.Fields("other others else rest all autres autre tous toutes andere anderen anderer übrigen otros otras outros outras altri altre övriga andra")
	return slices.ContainsFunc(before, func(w string) bool { return w == "that" || slices.Contains(strings.Fields(relatives[language]), w) }) &&
		!slices.ContainsFunc(before, func(w string) bool { return slices.Contains(others, w) })
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
	const few = 3 // words
	first := g.Start <= at
	near := first || c.isUnspaced() && g.Start <= at+9
	switch g.Role {
	case guard.Only:
		bounds := c.words(c.tail[:words.RuneStart(c.tail, g.End+10)])
		counts := len(bounds) > 1 && bounds[0].Kind == guard.Comparator // at least 40 of them
		ownClause := c.isUnspaced() && !first && strings.ContainsAny(c.tail[:at], "，；")
		if near && !counts && !ownClause && !(first && hasOwnClause(c, at)) {
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
		corrects := c.denying && c.language == "id" && strings.HasPrefix(c.tail[at:], "melainkan ") // not this but that
		if near && (corrects || c.loose && g.Role == guard.Condition || !c.denying && losesNothing().MatchString(c.tail[at:])) {
			return mayBound
		}
		if only := c.language == "zh" && strings.HasPrefix(c.tail[g.Start:], "只有"); joined || only && strings.ContainsAny(c.tail[:at], "，；") || g.Role == guard.Exception && c.language == "en" && ofAny().MatchString(c.tail[at:g.Start]) {
			return mayBound
		}
		return governs
	case guard.Rejection:
		if joined && (c.isOfAnother(g) || rejectsToo(c, g)) || c.isOfReason(g, at) || isOfEvent(c, g, at) || strings.ContainsAny(c.tail[:at], closingQuotes+"«") && strings.Contains(c.tail[:at], ",") && isOfAttribution(c.tail, g) || c.denying && strings.Contains(c.tail[:at], ":") && words.Count(c.tail[at:]) > few {
			return mayBound
		}
		return governs
	case guard.Doubt, guard.Whether:
		if near && c.isDoubtOfReason(g) || g.Role == guard.Whether && saysEitherWay(c, g, at) {
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

// losesNothing is a clause that says what does not come of what stands before it.
var losesNothing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:ohne da(?:ss|ß)|sans qu[e'’]|sin que|sem que|senza che|zonder dat|utan att|bez tego)\b`)
})

// isOfAside reports whether what a clause that only tells more rejects is spoken of in one
// within it: "which rested on two trials, one of which has since been retracted".
func isOfAside(before string) bool {
	mark := strings.LastIndexAny(before, ",;")
	return mark > 0 && asides().MatchString(before[mark+1:])
}

var asides = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ (?i:one|some|most|many|two|three|half|few) of (?:which|whom)\b`)
})

// saysEitherWay reports whether a tail says behind a comma that a thing is so in either of two
// cases: ", whether by hand or by a program".
func saysEitherWay(c context, g guard.Governor, at int) bool {
	clause := c.tail[g.End:]
	if end := strings.IndexAny(clause, ";:"); end >= 0 {
		clause = clause[:end]
	}
	return c.language == "en" && g.Start <= at && strings.Contains(c.tail[:at], ",") && strings.HasPrefix(c.tail[g.Start:], "whether ") && strings.Contains(clause, " or ") && !slices.ContainsFunc(guard.Governors(clause, c.language), func(o guard.Governor) bool {
		return o.Role != guard.Back && o.Role != guard.And && o.Role != guard.Verb
	})
}

// ofAny is what a tail itself names, and excepts something from: "more than about any other
// matter except the parking".
var ofAny = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bthan (?:\w+ )?(?:any|every|all)(?: other| else)? \w+(?: \w+)? $`)
})

// isOfReason reports whether what a tail rejects is spoken of in a clause that says why.
func (c context) isOfReason(g guard.Governor, at int) bool {
	clause := c.tail[at:g.Start]
	clause = strings.ToLower(clause[strings.LastIndexAny(clause, ",;:")+1:])
	list := strings.FieldsFunc(clause, char.IsNotOfWord)
	why := slices.IndexFunc(list, func(w string) bool { return slices.Contains(strings.Fields(becauses), w) })
	if first := slices.Index(list, "since"); why < 0 && c.language == "en" && (first == 0 || first == 1 && list[0] == "and") {
		why = first
	}
	return why >= 0 && !slices.ContainsFunc(guard.Governors(strings.Join(list[why+1:], " "), c.language), func(o guard.Governor) bool {
		return (o.Role == guard.Back || o.Role == guard.That) && o.Start == 0
	})
}

// isOfEvent reports whether what a tail calls an error is a thing in a clause that says when:
// ", just before the error is thrown".
func isOfEvent(c context, g guard.Governor, at int) bool {
	clause := c.tail[at:min(len(c.tail), g.End)]
	return c.language == "en" && event().MatchString(clause[strings.LastIndexAny(clause, ",;:")+1:])
}

var event = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ ?(?i:just |right |shortly |immediately )?(?:before|after|when|whenever|while|until|once) (?:the|an|any|each|every) (?:\pL+ )?(?:error|errors|mistake)$`)
})

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
		return bounds(w.Start) && !isOfFewOthers(w, rest, c.language) && (!when || denies) && !(parallel && w.Kind == guard.Negation && w.Norm != "without") && !declinesTo(w, rest) && !isOfQuantity(w, rest, c.language) && !isComparison(w, rest) && w.Kind != guard.Name && w.Kind != guard.Number && w.Kind != guard.Date
	}) || slices.ContainsFunc(guard.Governors(rest, c.language), func(g guard.Governor) bool {
		return bounds(g.Start) && g.Role != guard.Back && g.Role != guard.And && (g.Role != guard.Claimed || beginsWithOnly(rest[g.End:], c.language)) && (denies || g.Role != guard.When && g.Role != guard.Where)
	}) {
		return governs
	}
	return mayBound
}

// beginsWithOnly reports whether a text begins with an "only": "but says only".
func beginsWithOnly(text, language string) bool {
	text = strings.TrimLeft(text, " ")
	list := guard.Governors(text, language)
	return len(list) > 0 && list[0].Start == 0 && list[0].Role == guard.Only
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
	if c.denies(clause) || c.denying && c.language == "en" && affirms().MatchString(upperFirst(clause)) {
		return true
	}
	open := c.open && !c.states && !(c.asSaid && c.denying) && !isOpenBesideAnother(c, at)
	return (open || strings.ContainsAny(c.tail[:at], closingQuotes)) && (c.negates(clause) || slices.ContainsFunc(guard.Governors(clause, c.language), func(g guard.Governor) bool {
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
			// … without a word, behind what is told as a fact, says only what was not there as well
			if w.Norm == "without" && c.forbids && more().MatchString(clause[w.End:]) {
				return false
			}
			return w.Norm != "without" || c.negated || c.mayBe && !(c.able && IsOnlooker(clause[w.End:])) || !isIndefinite(clause[w.End:], c.language)
		}
	}
	return false
}
