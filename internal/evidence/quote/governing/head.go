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

const openingQuotes, closingQuotes = "“„«「『‘‹《", "”“»」』’›》\""

// headWeight is what stands before a passage in its sentence does to it.
func (c context) headWeight() weight {
	if c.quoted && strings.ContainsFunc(c.head, char.IsOfWord) {
		return c.attributionBefore()
	}
	head := strings.TrimRight(c.head, " ")
	bare := strings.TrimRight(head, `"“„«「『‘‹《([—– `)
	if !strings.ContainsFunc(bare, char.IsOfWord) || bare == "No." { // an answer, and no number
		return saysNothing
	}
	quoted := bare != head && strings.ContainsAny(head[len(bare):], openingQuotes+`"`)
	if quoted {
		return c.attributionBefore()
	}
	if c.correctsBefore(bare) {
		return saysNothing
	}
	if own := takenBack(c.head, c.language); own > 0 {
		return max(mayBound, behindHead(c, own).headWeight())
	}
	if own := putRight(c); own > 0 {
		return max(mayBound, behindHead(c, own).headWeight())
	}
	if at := openQuotation(bare); at > 0 { // within a quotation of the text's own
		inner := behindHead(c, at)
		before := c
		before.head = bare[:at]
		before.lead = guard.Governors(before.head, c.language)
		return max(before.attributionBefore(), inner.headWeight())
	}
	is := c.clauseWeight(bare)
	switch {
	case is == governs && (tellsOfSpeaker(c, bare) || tellsOfWhatIsNamed(c, bare)), is == saysNothing && (bindsFromAfar(c, bare) || endsWithOfWhich(bare, c.language)):
		return mayBound
	}
	return is
}

// openQuotation is where the words of a quotation begin that a head opens and does
// not close, 0 for none.
func openQuotation(head string) int {
	for _, pair := range [...][2]string{{"„", "“”"}, {"“", "”"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"《", "》"}, {`"`, `"`}} {
		i := strings.LastIndex(head, pair[0])
		if i < 0 || pair[0] == `"` && strings.Count(head, pair[0])%2 == 0 {
			continue
		}
		if rest := head[i+len(pair[0]):]; !strings.ContainsAny(rest, pair[1]) && strings.ContainsFunc(rest, char.IsOfWord) {
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
		return g.Role == guard.Condition || g.Role == guard.Whether || g.Role == guard.Doubt || g.Role == guard.Rejection && !isOfAttribution(around, g) || g.Role == guard.Only
	}) {
		return governs
	}
	return mayBound
}

// correctsBefore reports whether a head is a sentence of its own that rejects what
// stands before it, with what is so behind a colon: "This is wrong: …".
func (c context) correctsBefore(bare string) bool {
	if !strings.HasSuffix(bare, ":") && !strings.HasSuffix(bare, "：") {
		return false
	}
	if tellsWhat().MatchString(bare) {
		return false
	}
	that := (thatIs().MatchString(bare) || rejectsThatNoun(c, bare)) && !isTheStory().MatchString(bare) // of which it is said
	back := that || slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		return g.Role == guard.Back && (words.Count(bare[:g.Start]) <= 1 || g.End == len(bare)-1 || words.Count(bare[g.End:]) <= 1)
	})
	return rejectsWhatItNames(c) || back && words.Count(bare) <= 6 && !slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		if that && g.Start == 0 {
			return false
		}
		named := slices.ContainsFunc(c.lead, func(o guard.Governor) bool { return o.Role == guard.Back && o.End+1 == g.Start }) // this belief
		return g.Role == guard.Claimed && !named || g.Role == guard.That
	})
}

// rejectsWhatItNames reports whether a head before a colon says itself what it rejects: "The
// rumour that … is unfounded:", "This claim, which …, is wrong:".
func rejectsWhatItNames(c context) bool {
	rejects := -1 // the last governor that does
	for i, g := range c.lead {
		if g.Role == guard.Rejection {
			rejects = i
		}
	}
	if rejects < 1 {
		return false
	}
	names := false
	for i, g := range c.lead {
		of := i > 0 && c.lead[i-1].Role == guard.Back && c.lead[i-1].End+1 == g.Start // this claim
		before := i+1 < len(c.lead) && c.lead[i+1].Role == guard.That && words.Count(c.head[g.End:max(g.End, c.lead[i+1].Start)]) <= 1
		switch {
		case g.Role == guard.Claimed && !of && !before, g.Role == guard.That && i > rejects, g.Role == guard.Condition:
			return false
		case g.Role == guard.That && i < rejects && words.Count(c.head[:g.Start]) > 1, g.Role == guard.Back && i == 0 && !before:
			names = true
		}
	}
	return names
}

// isTheStory names what is told behind it: "That is the legend:".
var isTheStory = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i)that(?:'s|’s| is| was) (?:the|their|his|her|its|our)\b`)
})

// tellsWhat names so what somebody says or does: "This is what he wrote".
var tellsWhat = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i)th(?:is|at) (?:is|was) what\b`)
})

// clauseWeight is what the clause before a passage, or the last part of its own,
// does to it.
func (c context) clauseWeight(bare string) weight {
	if isOfException(bare, c.language) || standsApart(c, bare) || c.language == "ja" && (strings.HasSuffix(bare, "が、") || strings.HasSuffix(bare, "おり、")) {
		return mayBound
	}
	if is := excepts(bare, c.language); is != saysNothing {
		return is
	}
	that := c.opensClause(bare)
	comma := strings.HasSuffix(bare, ",") || strings.HasSuffix(bare, ":") || endsWithAny(bare, "，：、،")
	from := 0
	if !that && !comma {
		from = c.lastClause(bare)
		if mark := strings.TrimRight(bare[:from], " "); words.Count(bare[from:]) == 1 && strings.HasSuffix(mark, ",") && (!c.opposes(from) || strings.HasSuffix(bare, " তবে")) && !asksWhether(c.lead, from) && !slices.Contains(strings.Fields(becauses), strings.ToLower(strings.TrimSpace(bare[from:]))) {
			bare, from, comma = mark, 0, true // If …, then
		}
	}
	if comma && isInvertedCondition(bare, c.language) || c.wouldBe && saysWithoutWhat(bare, c.language) {
		return governs
	}
	if is, ok := announces(bare, c.language); ok {
		return is
	}
	sets := isContrary(bare, c.language) && !slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		return g.Role == guard.That && g.End >= len(bare)
	})
	if comma && c.reported {
		if sets || c.negates(bare) || slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
			return g.End <= len(bare) && (g.Role == guard.Condition || g.Role == guard.Whether || g.Role == guard.Doubt || g.Role == guard.Rejection)
		}) {
			return governs
		}
		return mayBound
	}
	if sets || isOwnVoice(bare, c.language) || isOfDenier(c, bare) {
		return mayBound
	}
	claimed, fact, when := false, false, false
	reports := 0 // where what claims ends
	for _, g := range c.lead {
		if g.Start < from || g.End > len(bare) {
			continue
		}
		switch g.Role {
		case guard.Condition, guard.Whether, guard.Doubt, guard.Rejection:
			if !that && (comma && (c.holdsWithin(bare, g) || g.Role == guard.Condition && boundsBeforeColon(bare, g)) || g.Role == guard.Rejection && isWithinReason(c, bare[from:g.Start], bare[g.End:])) {
				when = true
				continue
			}
			return governs
		case guard.Exception, guard.Only:
			if !comma && g.End >= len(strings.TrimRight(bare, " ,")) {
				return governs
			}
		case guard.Claimed:
			if comma && !that && (isCountedNoun(bare, g) || isCompound(bare, g)) {
				when = true
				continue
			}
			if endsJoined(bare, g.End, c.language) || followsWithout(bare, g.Start, c.language) {
				continue
			}
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
	case isStatedOpenly(c, bare), claimed && c.amount && comma && !that:
		return mayBound
	case claimed && strings.HasSuffix(bare, ":") && words.Count(bare) <= 2 && c.isJudgedTrue():
		return saysNothing // Claim: … Verdict: True.
	case claimed && comma && !that && c.contrary:
		return mayBound
	case claimed && (that || comma || c.isUnspaced()):
		return governs
	case comma && !that && (when || c.opensWithBound(bare) || boundsByAmount(c, bare) || limitsBefore(c, bare) || isTurningLabel(bare)):
		return mayBound
	case comma && !that:
		return saysNothing
	}
	if slices.ContainsFunc(c.words(bare[from:]), func(w guard.Word) bool {
		return !c.isPartOfFact(from+w.Start) && (w.Kind == guard.Negation && !(fact && isBreakdown(w, bare[from:])) || !fact && isHearsay(w))
	}) || that && !fact || c.isOneWordThatDecides(bare) {
		return governs
	}
	if when || !that && !c.endsWithJoint(bare) {
		return mayBound // it may say of what or of how many
	}
	return saysNothing
}

// asksWhether reports whether a word of a head asks whether something is so, or bounds it:
// ", ob", ", wenn".
func asksWhether(lead []guard.Governor, at int) bool {
	return slices.ContainsFunc(lead, func(g guard.Governor) bool {
		return g.Start >= at && g.Start <= at+1 && (g.Role == guard.Whether || g.Role == guard.Condition || g.Role == guard.Exception)
	})
}

// announces gives what a head that is a label of what its text itself says does to that:
// "Warning:" nothing, and "What nobody tells you:" is to be shown. It reports whether it is one.
func announces(bare, language string) (weight, bool) {
	label, colon := strings.CutSuffix(bare, ":")
	label = strings.ToLower(strings.TrimSpace(label))
	untold := untold()[language]
	switch {
	case !colon:
		return saysNothing, false
	case slices.Contains(strings.Fields(admonitions), label):
		return saysNothing, true
	}
	return mayBound, untold != nil && untold.MatchString(label)
}

// admonitions are labels of what a reader is to mind, in many languages.
const admonitions = "warning caution danger important attention notice warnung achtung vorsicht gefahr hinweis wichtig avertissement attention danger important remarque advertencia atención precaución peligro aviso atenção cuidado perigo avvertenza attenzione pericolo waarschuwing opgelet gevaar varning obs fara varoitus huomio ostrzeżenie uwaga внимание предупреждение осторожно uyarı dikkat peringatan perhatian awas 警告 注意 경고 주의"

// untold is a label that says who does not tell or know what stands behind it, by language.
// What nobody claims, says or shows may be untrue, but what nobody says to somebody.
var untold = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^what [^.,;:]*(?:\bnot\b|n't\b|n’t\b|\b(?:never|nobody|few|rarely|seldom|hardly)\b|no one)[^.,;:]*\b(?:tells?|told|(?:says?|said) to|mentions?|mentioned|knows?|knew|reali[sz]es?|notices?|noticed|admits?|admit)\b`),
		"de": regexp.MustCompile(`^was (?:dir|ihnen|uns|euch) (?:nicht|niemand|kaum|nie|wenige)\b[^.,;:]*sag|^was [^.,;:]*(?:(?:nicht|niemand|kaum|nie|wenige)\b[^.,;:]*(?:\b(?:dir|ihnen|uns|euch) sag|erzähl|verr[aä]t|erwähn|weiß|wissen|wusste|bemerk|merkt)|verschweigen|verschweigt)`),
		"fr": regexp.MustCompile(`^ce qu[e'’ ][^.,;:]*\b(?:pas|personne|jamais|peu)\b[^.,;:]*(?:\b(?:vous|te|nous) dit\b|raconte|mentionne|\bsai(?:t|vent)\b|avoue)|^ce qu[e'’ ][^.,;:]*\b(?:vous|te|nous) dit (?:pas|jamais)\b|^ce qu[e'’ ][^.,;:]*\bsait pas\b`),
		"es": regexp.MustCompile(`^lo que (?:[^.,;:]* )?(?:no|nadie|nunca|pocos)\b[^.,;:]*(?:\b(?:te|le|les|os|nos) dic|cuenta|menciona|\bsaben?\b|admite)`),
	}
})

// endsJoined reports whether a head ends with a verb of Korean that joins another clause to its
// own: what it claims stands before it.
func endsJoined(bare string, verbEnd int, language string) bool {
	bare = strings.TrimRight(bare, ", ")
	follows := strings.Contains(bare, "다음과 같이") || strings.Contains(bare, "아래와 같이") || strings.Contains(bare, "이렇게")
	return language == "ko" && verbEnd >= len(bare) && JoinsClauses(bare) && !follows
}

// followsWithout reports whether the word before a place of a head says that there was none of
// what stands there: "Without warning,".
func followsWithout(bare string, at int, language string) bool {
	before := strings.TrimRight(bare[:at], " ")
	list := guard.WordsIn(before, func() string { return language })
	return len(list) > 0 && list[len(list)-1].Norm == "without" && list[len(list)-1].End == len(before)
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

// boundsBeforeColon reports whether a condition before a colon has its own clause there, of which
// what stands behind the colon tells more: "If it is less, ask why: one in three had stopped".
func boundsBeforeColon(bare string, g guard.Governor) bool {
	const clause = 4 // words of it
	_, bound, ok := strings.Cut(bare[g.End:], ",")
	return ok && strings.HasSuffix(bare, ":") && words.Count(bound) >= clause
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
	if with := companion().MatchString(bare); !with && (len(c.lead) == 0 || c.lead[0].Start > 0 || c.lead[0].Role != guard.Where) {
		return false
	} else if with && len(strings.Fields(bare)) <= 4 {
		return true // With a key,
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
	if end := strings.TrimRight(c.head, " "); end == "" || !char.IsOfWord([]rune(end)[utf8.RuneCountInString(end)-1]) {
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
	end := len(strings.TrimRight(bare, " ,'’")) // qu’
	if holds, ok := strings.CutSuffix(bare, "认为，"); ok && c.language == "zh" {
		end = len(holds) // some hold that
	}
	if last := strings.LastIndexByte(bare[:end], ' '); c.language == "en" && last > 0 {
		switch bare[last+1 : end] {
		case "me", "us", "him", "her", "them", "you":
			end = last // told me
		}
	}
	from := c.lastClause(bare)
	if endsWithOfWhich(bare, c.language) {
		return false
	}
	return slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		if g.Role == guard.Rejection && g.Start > from && isWithinReason(c, bare[from:g.Start], bare[min(g.End, len(bare)):]) {
			return false // since I was paid for the mistake
		}
		return g.End >= end && !(g.Role == guard.Claimed && isCompound(bare, g)) && !endsJoined(bare, g.End, c.language) && !followsWithout(bare, g.Start, c.language) && (g.Role == guard.That || g.Role == guard.Claimed || g.Role == guard.Doubt || g.Role == guard.Rejection)
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

// endsWithOfWhich reports whether a head of Spanish ends with a relative that a preposition and an
// article begin, "de los que", and with no "that" of what is said.
func endsWithOfWhich(bare, language string) bool {
	return language == "es" && ofWhich().MatchString(bare)
}

var ofWhich = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[ ,])(?:(?:de|en|con|por|para|a|sobre|desde|entre|hasta|tras) (?:el|la|los|las)|del|al) que$`)
})
