package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// states is how a head ends that says in English who states what follows, as minutes and reports
// do, and takes no side.
var states = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\p{Lu}\pL+\.? \p{Lu}\pL*|\b(?:[Tt]he|of) (?:\p{Lu}\pL* )*\p{Lu}\pL*) (?:said|answered|replied|reported|advised|stated)(?: that)?$|` + toldWhom + `$`)
})

// toldWhom is how a head ends that says to whom something was said, and not by whom.
const toldWhom = `^\p{Lu}[^.,;:]*? (?:was|were|has been|have been|had been) (?:told|informed|warned|advised|notified|reminded)(?: (?:in|by|on|at|of) [^.,;:]{1,60})? that`

// tellers are verbs, by language, of a head that tells who says what follows and takes no side,
// each with what opens the clause: "responded that", "informou que".
var tellers = sync.OnceValue(func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for language, verbs := range map[string]string{
		"en": `(?:(?:has |have )?(?:responded|replied|answered|reported|explained|noted|added|advised|stated|clarified)|informed (?:the |its |his |her |their )?\pL+(?: \pL+)?) that`,
		"de": `(?:teilte? (?:\pL+ )?mit|antworte(?:te)?|ergänzte?|erläuterte?|gab bekannt|präzisierte?), dass`,
		"fr": `(?:(?:a|ont) )?(?:indiqué|précisé|répondu|expliqué|ajouté|communiqué|signalé|indique|précise|répond|explique|ajoute|signale) qu[e'’]`,
		"es": `(?:ha )?(?:informó|comunicó|respondió|contestó|explicó|añadió|indicó|precisó|informado|comunicado|respondido|explicado|añadido|indicado|precisado) (?:de )?que`,
		"pt": `(?:informou|comunicou|respondeu|explicou|acrescentou|indicou|esclareceu|precisou) que`,
		"it": `(?:ha )(?:comunicato|risposto|spiegato|aggiunto|precisato|informato|riferito|indicato) che`,
		"nl": `(?:antwoordde|meldde|voegde (?:eraan )?toe|legde uit|liet weten) dat`,
		"sv": `(?:svarade|meddelade|förklarade|tillade) att`,
		"pl": `(?:poinformowała?|odpowiedziała?|wyjaśniła?|dodała?|przekazała?), że`,
		"ru": `(?:сообщила?|ответила?|пояснила?|добавила?|уточнила?), что`,
	} {
		all[language] = regexp.MustCompile(`(?:^| )(?:` + verbs + `)$`)
	}
	return all
})

// isNamed reports whether the subject of a head names who it is: with a capital that is not that
// of its first word, or it is somebody who has been named.
func isNamed(subject, language string) bool {
	const most = 9 // words
	list := strings.Fields(subject)
	if len(list) == 0 || len(list) > most || strings.ContainsAny(subject, ",;:()") || slices.Contains(strings.Fields("one some un une uno una um uma ein eine een en ett"), strings.ToLower(list[0])) || language == "en" && (list[0] == "A" || list[0] == "An") {
		return false
	}
	if len(list) == 1 && language == "en" {
		return slices.Contains(strings.Fields("He She They"), list[0])
	}
	return slices.ContainsFunc(list[1:], func(w string) bool { return unicode.IsUpper([]rune(w)[0]) })
}

// isStatedOpenly reports whether a head only says who states a passage: it names them, negates and
// bounds nothing, and neither the rest of the sentence nor the next says otherwise.
func isStatedOpenly(c context, bare string) bool {
	tells, plainly := false, c.language == "en" && states().MatchString(bare)
	if verb := tellers()[c.language]; verb != nil && !plainly {
		at := verb.FindStringIndex(bare)
		tells = at != nil && isNamed(bare[:at[0]], c.language)
	}
	if !tells && !plainly || c.negates(bare) {
		return false
	}
	doubts := func(text string) bool {
		return slices.ContainsFunc(guard.Governors(text, c.language), func(g guard.Governor) bool {
			switch g.Role {
			case guard.Contrast, guard.Rejection, guard.Doubt, guard.Whether, guard.Concession:
				return true
			}
			return false
		})
	}
	bounds := slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		switch g.Role {
		case guard.Claimed, guard.That, guard.And, guard.Where, guard.Verb, guard.Back, guard.Fact:
			return false
		}
		return true
	})
	return !bounds && !doubts(c.tail) && !doubts(c.next)
}

// rejectsThatNoun reports whether a head of English says of something pointed to that it is
// wrong: "That reading is mistaken:".
func rejectsThatNoun(c context, bare string) bool {
	return c.language == "en" && thatNoun().MatchString(bare) && !c.negates(bare) && slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		return g.Role == guard.Rejection && g.End >= len(strings.TrimRight(bare, ": "))
	})
}

var thatNoun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:that) \p{Ll}+ (?:is|was|proved|turned out to be) `)
})

// deniers are verbs, by language, whose subject says of what others have said that it is not so.
// Without an object, before a colon, they begin what the subject says itself.
var deniers = map[string]string{
	"en": "disagrees disagree disagreed", "fr": "dément démentent démentait", "pt": "desmente desmentem desmentiu", "es": "desmiente desmienten desmintió",
	"it": "smentisce smentiscono", "de": "widerspricht widersprechen widersprach dementiert dementieren", "sv": "dementerar", "pl": "zaprzecza zaprzeczają dementuje", "ru": "опровергает опровергают",
}

// isOfDenier reports whether a head is somebody and such a verb before a colon: "La mairie dément :".
func isOfDenier(c context, bare string) bool {
	const most = 9 // words
	head, ok := strings.CutSuffix(bare, ":")
	list := strings.Fields(head)
	return ok && len(list) > 1 && len(list) <= most && !strings.ContainsAny(head, ",;:") && !c.negates(strings.Join(list[:len(list)-1], " ")) &&
		slices.Contains(strings.Fields(deniers[c.language]), list[len(list)-1])
}

// takesBack is how who writes takes back, in their own voice and before a colon, what they have
// said: "I withdraw what I wrote:". What is so stands behind it.
var takesBack = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?:So |Therefore )?(?i:I|we) (?:therefore |hereby |must |have to )?(?:take back|withdraw|retract|correct) (?:what|my|our)\b[^:;.!?]*: `),
		"de": regexp.MustCompile(`^(?:Also |Damit )?(?i:ich (?:nehme|ziehe|korrigiere|berichtige)|(?:nehme|ziehe|korrigiere|berichtige) ich)\b[^:;.!?]*: `),
		"fr": regexp.MustCompile(`^(?:Donc )?(?i:je (?:retire|corrige|rectifie|reviens sur))\b[^:;.!?]* ?: `),
		"es": regexp.MustCompile(`^(?i:retiro|corrijo|rectifico|me retracto de)\b[^:;.!?]*: `),
		"pt": regexp.MustCompile(`^(?i:retiro|corrijo|retifico)\b[^:;.!?]*: `),
		"it": regexp.MustCompile(`^(?i:ritiro|correggo|rettifico)\b[^:;.!?]*: `),
		"nl": regexp.MustCompile(`^(?i:ik (?:trek|neem|corrigeer))\b[^:;.!?]*: `),
		"sv": regexp.MustCompile(`^(?i:jag (?:tar|rättar))\b[^:;.!?]*: `),
		"pl": regexp.MustCompile(`^(?i:wycofuję|poprawiam|prostuję|odwołuję)[^\pL][^:;.!?]*: `),
	}
})

// takenBack is where what is so begins behind such a beginning of a head, 0 for none.
func takenBack(head, language string) int {
	begins := takesBack()[language]
	if begins == nil {
		return 0
	}
	at := begins.FindStringIndex(head + " ")
	if at == nil || HasNegation(head[:min(len(head), at[1])], func() string { return language }) {
		return 0
	}
	return min(len(head), at[1])
}

// isWithinReason reports whether a word of a head that rejects something is spoken of in a clause
// that says why alone, behind which the passage stands: "since I printed the error".
func isWithinReason(c context, before, behind string) bool {
	list := strings.FieldsFunc(strings.ToLower(before), char.IsNotOfWord)
	if len(list) < 2 || list[0] != "since" && !slices.Contains(strings.Fields(becauses), list[0]) {
		return false
	}
	opens := func(text string) bool {
		return slices.ContainsFunc(guard.Governors(text, c.language), func(g guard.Governor) bool { return g.Role == guard.That })
	}
	return !opens(before) && !opens(behind)
}

// isBreakdown reports whether a negation is a noun for what broke down, "after a power failure",
// and not for what was not done: "the failure to".
func isBreakdown(w guard.Word, text string) bool {
	low, behind := strings.ToLower(w.Text), strings.TrimLeft(text[w.End:], " ")
	return (low == "failure" || low == "failures") && !strings.HasPrefix(behind, "to ") && !strings.HasPrefix(behind, "of ")
}

// attributions are beginnings of participles that say whose word something is taken to be.
const attributions = "attribut ascrib credit zugeschrieb attribu atribu toegeschrev tillskriv przypis припис"

// isOfAttribution reports whether a word beside a quotation of the text's own rejects only whose
// word it is taken to be: ", a remark often attributed, wrongly, to Gladstone".
func isOfAttribution(around string, g guard.Governor) bool {
	const near = 2 // words
	if strings.Contains(around, ":") {
		return false
	}
	before, behind := strings.FieldsFunc(strings.ToLower(around[:g.Start]), char.IsNotOfWord), strings.FieldsFunc(strings.ToLower(around[g.End:]), char.IsNotOfWord)
	return slices.ContainsFunc(append(slices.Clone(before[max(0, len(before)-near):]), behind[:min(near, len(behind))]...), func(w string) bool {
		return slices.ContainsFunc(strings.Fields(attributions), func(stem string) bool { return strings.HasPrefix(w, stem) })
	})
}

// beginsWithReference is how a passage begins with the brackets in which the sentence before it
// names its source, and goes on behind them.
var beginsWithReference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\(?\p{Lu}[^().;:]{2,60} \d{4}[a-z]?\)\. \p{Lu}`)
})

// hasMainClause reports whether a text that begins with a condition has its own clause behind it.
func hasMainClause(text string) bool {
	const clause = 4 // words
	_, main, ok := strings.Cut(text, ",")
	return ok && words.Count(main) >= clause
}
