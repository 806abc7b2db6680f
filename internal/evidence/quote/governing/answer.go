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

// rejectedBehind gives the sentence behind a passage that says it is wrong: the
// next one, or one of the next that says so of all before it.
func (c context) rejectedBehind() (string, bool) {
	if c.unsaid {
		return "", false
	}
	if groundless := unfounded()[c.language]; corrects(c.next, c.numbered) || !c.open && groundless != nil && groundless.MatchString(c.next) {
		return c.next, true
	}
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
	if len(list) == 0 || list[0].Start > 0 || list[0].Norm == "without" || strings.HasSuffix(list[0].Norm, "-") || list[0].Kind != guard.Negation && list[0].Kind != guard.Quantifier || words.Count(s) > 14 {
		return false
	}
	if list[0].Norm == "neither" && words.Count(s) <= 3 {
		return true // Neither is right.
	}
	if c.language == "en" && (ofThePart().MatchString(s) || tellsOfThings(s)) {
		return false
	}
	back, rejects := false, false
	for _, g := range guard.Governors(s, c.language) {
		back = back || (g.Role == guard.Back || g.Role == guard.That && strings.HasSuffix(s[:g.Start], " of ")) && words.Count(s[:g.Start]) <= 2
		rejects = rejects || g.Role == guard.Rejection
	}
	return back && (rejects || list[0].Kind == guard.Negation)
}

// ofThePart is how a rule of English says what the part it stands in does not do.
var ofThePart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Nothing|None of the \w+|No \w+) in (?:this|these|the) (?:[Ss]ections?|[Aa]rticles?|[Cc]hapters?|[Pp]arts?|[Cc]lauses?|[Pp]aragraphs?|[Aa]greement|[Ll]icen[cs]e|[Aa]ct|[Oo]rdinance|[Dd]ocument|[Tt]erms|[Pp]olicy|[Rr]egulations?) (?:shall|may|will|creates?|requires?|affects?|limits?|prevents?|obliges?|prohibits?|gives?|grants?|is|are)\b`)
})

// isRejectedNext reports whether the sentence behind a passage is a short one that
// says it is wrong, where the passage itself does not leave that open.
func (c context) isRejectedNext() bool {
	if c.next == "" || c.open || isOfTail(c) || agrees(c) || concludes(strings.TrimLeftFunc(c.tail, char.IsNotOfWord), c.language) {
		return false
	}
	if w, ok := contrastNext(c); ok {
		return w == governs
	}
	return c.denies(c.next) || deniesAgain(c, c.next)
}

// isOfTail reports whether the sentence behind leaves out the verb it denies, and that is one of
// what an "and" joins to the passage: "and advised that they be filled. They were not."
func isOfTail(c context) bool {
	return c.language == "en" && len(c.rest) > 1 && c.rest[0].Role == guard.And && leavesOutVerb().MatchString(c.next) &&
		slices.ContainsFunc(c.rest[1:], func(g guard.Governor) bool { return g.Role == guard.That && wanted().MatchString(c.tail[g.End:]) })
}

// wanted is a clause of English that says what is to be done, which a "They were not" can answer.
var wanted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:be|should|must|shall|ought|may|might|would|could)\b`)
})

// deniesAgain reports whether a sentence has no more than a pronoun and the verb of the passage, which it
// negates: "They had not been.", "It had never been mended.", "Ils ne le sont pas."
func deniesAgain(c context, s string) bool {
	denies := again()[c.language]
	if denies == nil || c.negates(c.said) {
		return false
	}
	m := denies.FindStringSubmatch(s)
	return m != nil && (m[1] == "" || strings.Contains(strings.ToLower(c.said), m[1]))
}

var again = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?:They|It|He|She|We|None) (?:(?:has|have|had) (?:not|never) been|(?:was|were|is|are|had|did|do|does|has|have)(?: not|n['’]t| never))((?: \pL+)?)\.$`),
		"de": regexp.MustCompile(`^(?:(?:Er|Sie|Es) (?:ist|sind|war|waren|wurden?|hat|haben|tut|tun|taten?) (?:es|das)|Das (?:ist|sind|war|waren|wurden?|hat|haben|tut|tun|taten?) (?:er|sie|es)) (?:nie|nicht)()\.$`),
		"fr": regexp.MustCompile(`^(?:Ils?|Elles?|On|Cela) (?:ne l['’](?:est|était|étaient|a|ont|avait|avaient)|ne le (?:sont|fait|font|faisait|fut|furent)) (?:pas|jamais)(?: été| fait)?()\.$`),
		"es": regexp.MustCompile(`^(?:No|Nunca) l[oa]s? (?:es|está|están|son|era|eran|fue|fueron|estaba|estaban|hizo|hicieron|hace|hacen)()\.$`),
		"pt": regexp.MustCompile(`^(?:Não|Nunca) [oa]s? (?:é|está|estão|são|era|eram|foi|foram|fez|fizeram|faz)()\.$`),
		"it": regexp.MustCompile(`^Non l[oi'’] ?(?:è|sono|era|erano|fu|furono|fa|fanno|fece)(?: mai)?()\.$`),
		"nl": regexp.MustCompile(`^(?:Dat|Het|Zij|Ze|Hij) (?:is|zijn|was|waren|werd|werden|deed|deden) (?:het|dat|hij|zij|ze) (?:niet|nooit)()\.$`),
	}
})

// isDeniedLater reports whether the sentence behind a passage only says who says it, too, and the one
// behind that denies it: "The mate said so. He lied."
func isDeniedLater(c context) bool {
	if len(c.later) == 0 || c.language != "en" || !saysToo().MatchString(c.next) {
		return false
	}
	return c.denies(c.later[0]) || deniesAgain(c, c.later[0]) || liedAbout().MatchString(c.later[0])
}

var (
	saysToo = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\S+ ){1,4}(?:said|says|wrote|writes|swore|swears|claimed|claims|insisted|insists|confirmed|confirms|reported|declared|testified) (?:so|as much|it|the same|that (?:he|she|they|it) [^.;:]{2,60})\.?$`)
	})
	liedAbout = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:He|She|They|It) (?:lied|lies|was lying|were lying|(?:was|were|is|are) (?:wrong|mistaken|not telling the truth))\b`)
	})
)

var leavesOutVerb = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:They|It|He|She|We) (?:is|are|was|were|does|do|did|has|have|had|can|could|will|would)(?: not|n't|n’t)\.`)
})

// Denies reports whether a sentence says of what stands before it that it is not so.
func Denies(sentence, language string) bool {
	c := context{language: language}
	return c.denies(sentence) || c.deniesAll(sentence)
}

// denies reports whether a sentence says of the one before it that it is not so:
// it says so in few words, or of "this" or "the claim" in not many more.
func (c context) denies(s string) bool {
	if i := strings.IndexAny(s, ";:"); i > 0 && strings.ContainsFunc(s[i:], char.IsOfWord) && (s[i] == ';' || words.Count(s[:i]) > 1) && c.denies(s[:i]) {
		return true // It does not; only …, but not "Myth: …"
	}
	const short, long = 3, 14
	if isNotSo().MatchString(s) || c.language == "en" && (saysNo().MatchString(s) || rejectsIt().MatchString(s)) {
		return true
	}
	if weakensOnly(s) {
		return false
	}
	n := words.Count(s)
	if n > long || strings.ContainsAny(s, openingQuotes+`"`) {
		return false
	}
	if c.language == "en" && (otherwise().MatchString(s) || notHow().MatchString(s)) {
		return true
	}
	rejects, back, subject := false, false, false
	governors := guard.Governors(s, c.language)
	for i, g := range governors {
		if g.Role == guard.That && thatIs().MatchString(s[g.Start:]) {
			g.Role = guard.Back
		}
		subject = subject || g.Role == guard.Back && words.Count(s[:g.Start]) <= 1
		if g.Role == guard.Claimed && subject && isJudgedAt(governors, i) {
			continue
		}
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

// isJudgedAt reports whether a word for what is claimed stands right beside one that rejects it:
// "C’est une idée fausse", "That is a mistaken belief".
func isJudgedAt(governors []guard.Governor, i int) bool {
	claimed := governors[i]
	return i > 0 && governors[i-1].Role == guard.Rejection && governors[i-1].End+1 == claimed.Start ||
		i+1 < len(governors) && governors[i+1].Role == guard.Rejection && claimed.End+1 == governors[i+1].Start
}

// thatIs is a "that" of English of which something is said.
var thatIs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:that)(?:'s|’s| is| was| isn't| isn’t| wasn't| wasn’t) `)
})

// bareVerbs of English end a sentence that leaves out what another said.
const bareVerbs = "is are was were did does do has have had will would could can"

// lastWord is the last word of a text, in small letters.
func lastWord(s string) string {
	list := strings.FieldsFunc(strings.ToLower(s), char.IsNotOfWord)
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// notHow says in English that a thing is or was another way.
var notHow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[Tt]hat|[Tt]his|[Ii]t) ?(?:is|was|'s|’s|isn't|isn’t|wasn't|wasn’t)(?: not| never)? (?:how|what) (?:it|this|that|things|they|he|she|we|I|the \w+)?\s?(?:\w+ )?(?:works?|worked|happens?|happened|goes|went|is done|was done|says?|said|shows?|found)\.?$`)
})

// saysNo is an answer of English that was taken for a number: "No. We pay to repair …".
var saysNo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^No\. [^\d]`) })

// rejectsIt says in English that who writes does not accept what was said.
var rejectsIt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:I|We|The court|The tribunal|This court) (?:therefore |also |firmly )?(?:reject|rejects|dismiss|dismisses|disagree with|do not accept|does not accept|cannot accept) (?:that|this|it|these|those)\b|^(?:If only|I wish|We wish) (?:it|that|things) (?:were|was)\b`)
})

// otherwise says in English that something was found to be another way than was said.
var otherwise = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:found|shows?|showed|shown|proves?|proved|proven|suggests?|says?|said|indicates?) otherwise\b`)
})
