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

// excepted is what a head of English, behind a comma, takes out of what its sentence says, with a word
// that is a verb elsewhere: "Every member, save the clerk and".
var excepted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`,\s(?:save|saving|bar|barring)(?:\s(?:only\s)?(?:the|a|an|one|two|his|her|its|their|those|in|on|at|when|where|for|M(?:r|rs|s)\b)[^.;:]*)?$`)
})

// excepts tells what such a head does to what stands behind it.
func excepts(bare, language string) weight {
	m := ""
	if language == "en" {
		m = excepted().FindString(bare)
	}
	switch {
	case m == "":
		return saysNothing
	case strings.Contains(m[1:], ","):
		return mayBound // the rest of what is excepted, or what is said of the others
	}
	return governs
}

// elses are words that begin a sentence and say that it holds where what stands before it
// does not, by language.
var elses = map[string]string{
	"en": "otherwise else", "de": "sonst ansonsten andernfalls anderenfalls", "fr": "sinon autrement", "es": "si_no en_caso_contrario de_lo_contrario", "pt": "senão caso_contrário do_contrário",
	"it": "altrimenti in_caso_contrario", "nl": "anders", "sv": "annars", "pl": "inaczej w_przeciwnym_razie", "ru": "иначе в_противном_случае", "tr": "aksi_halde", "id": "jika_tidak", "ja": "そうでなければ そうでない場合は", "zh": "否则", "ko": "그렇지_않으면",
}

// bindsFromAfar reports whether the beginning of a head may say of whom or when its whole sentence
// holds, though a clause or a mark stands between: "In dogs with a weak heart, the dose may be
// doubled, and".
func bindsFromAfar(c context, bare string) bool {
	low := strings.ToLower(strings.TrimSpace(bare))
	for phrase := range strings.FieldsSeq(elses[c.language]) {
		rest, ok := strings.CutPrefix(low, strings.ReplaceAll(phrase, "_", " "))
		if ok && !strings.ContainsFunc(rest, char.IsOfWord) {
			return true
		}
	}
	if c.language == "ja" || c.language == "zh" {
		return isTopic().MatchString(bare)
	}
	if account := byAccount()[c.language]; account != nil && account.MatchString(low) || quotesWithin(c.said) && strings.HasSuffix(low, ",") {
		return true
	}
	if c.language == "de" && isVerbFirst(bare, c.first) {
		return true
	}
	if len(c.lead) > 0 && c.lead[0].Role == guard.Exception && strings.TrimSpace(bare[:c.lead[0].Start]) == "" && strings.HasSuffix(strings.TrimSpace(bare), ",") {
		return true // Excluding the annex,
	}
	first, rest, ok := strings.Cut(bare, ",")
	return ok && strings.ContainsFunc(rest, char.IsOfWord) && c.endsWithJoint(bare) && c.opensWithBound(first)
}

// byAccount is how a head begins that says by whose account its sentence is so.
var byAccount = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?:by (?:his|her|their|its|my|our) own (?:account|admission|telling|lights)|to (?:quote|hear|judge by|believe)|per the|(?:if|were) [^,]{2,30} (?:is|are|was|were) to be believed|if (?:you|we|one) (?:believe|trust)|as [^,]{2,30} (?:has|had|tells|told|puts|put|would have) it|to (?:his|her|their) mind)\b`),
		"de": regexp.MustCompile(`^(?:glaubt man|glauben wir|folgt man|traut man|nach eigene[nr] (?:angaben?|aussagen?|darstellung)|in den augen|aus (?:der )?sicht|hört man)(?:\PL|$)`),
		"fr": regexp.MustCompile(`^(?:à en croire|à entendre|aux? dires? d|de l['’]aveu d|de son propre aveu|aux yeux d|pour citer|à lire)`),
		"es": regexp.MustCompile(`^(?:a (?:juicio|decir|ojos|entender) de|al decir de|de creer|a creer|por citar|en palabras de|si creemos)`),
		"pt": regexp.MustCompile(`^(?:a crer|no dizer d|aos olhos d|na opinião d|nas palavras d|a acreditar|para citar)`),
		"it": regexp.MustCompile(`^(?:a (?:detta|dire|sentire|giudizio) d|a credere|stando a|agli occhi d|nelle parole d|per citare)`),
		"nl": regexp.MustCompile(`^(?:naar eigen zeggen|in de ogen van|als (?:we|men) [^,]{2,30} mo(?:gen|et) geloven|naar de mening van|in de woorden van)`),
	}
})

// quotesWithin reports whether a passage that is none itself has words in marks of quotation, which are
// somebody's.
func quotesWithin(passage string) bool {
	const some = 2 // words
	i := strings.IndexAny(passage, openingQuotes+`"`)
	if i < 0 || !strings.ContainsFunc(passage[:i], char.IsOfWord) {
		return false
	}
	_, size := utf8.DecodeRuneInString(passage[i:])
	said := passage[i+size:]
	if end := strings.IndexAny(said, closingQuotes+`"`); end >= 0 {
		said = said[:end]
	}
	return words.Count(said) >= some
}

// companion is a head of English that says with what its sentence holds.
var companion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:With|Without) [^.;:]*,$`) })

// isTopic is a head of Japanese or Chinese with what its sentence holds for.
var isTopic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^除[^，,。]{1,12}外[，,]|的(?:地区|情况下?|场合|单位|人员|用户|条件下)，|(?:经|征得)[^，。]{1,12}(?:同意|批准|许可)(?:后|的)?，|(?:について(?:は)?|に関して(?:は)?|に対して(?:は)?|に限り|の場合(?:は|には)?|の際(?:は|には)?|の方は|の者は)、`)
})

// isVerbFirst reports whether a head of German is a clause and a comma that begins with a verb and
// its subject, and so is a condition: "Steigt der Pegel,". What stands behind it begins with a verb
// too, where it has other commas. A preposition or the like may look as a verb does.
func isVerbFirst(bare, next string) bool {
	clause, ok := strings.CutSuffix(strings.TrimSpace(bare), ",")
	list := strings.Fields(clause)
	if !ok || len(list) < 2 || strings.ContainsAny(clause, ";:") || !unicode.IsUpper([]rune(list[0])[0]) || strings.Contains(clause, ",") && !looksAsVerb(next) {
		return false
	}
	second := strings.ToLower(list[1])
	subject := slices.Contains(strings.Fields("der die das ein eine es er sie man ich wir ihr du dieser diese dieses jemand niemand kein keine sein seine mein meine unser unsere alles etwas jeder jede jedes"), second)
	return looksAsVerb(strings.ToLower(list[0])) && (subject || unicode.IsUpper([]rune(list[1])[0]))
}

// looksAsVerb reports whether a word of German, in small letters, may be a verb that has a
// subject.
func looksAsVerb(word string) bool {
	if slices.Contains(strings.Fields("mit seit laut statt anstatt nicht selbst fast jetzt erst zuerst zuletzt jedoch doch oft recht gemäß dort heute gestern unten oben neben zwischen außen innen wegen gegen vielen allen beiden diesen jenen einen seinen ihren meinen keinen deren dessen solchen manchen welchen den"), word) {
		return false
	}
	return slices.Contains(strings.Fields("ist sind hat kann darf muss soll will wird mag"), word) || strings.HasSuffix(word, "t") || strings.HasSuffix(word, "en")
}

// isCountedNoun reports whether a word of a head that looks as a verb of saying is a noun behind a
// number: "Of 52 claims".
func isCountedNoun(bare string, g guard.Governor) bool {
	list := strings.Fields(bare[:g.Start])
	return len(list) > 0 && !strings.ContainsFunc(list[len(list)-1], func(r rune) bool { return !unicode.IsDigit(r) && r != ',' && r != '.' })
}

// isCompound reports whether such a word is the last part of a noun: "self-report".
func isCompound(bare string, g guard.Governor) bool { return g.Start > 0 && bare[g.Start-1] == '-' }

// ofSpeaker is a head that ends with who has said the words in quotation marks before, whom a
// relative clause behind it tells of.
var ofSpeaker = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[”"»“’],? (?:\pL+ ){1,2}(?:\p{Lu}[\pL.]* ?){1,4},$`)
})

// tellsOfSpeaker reports whether a passage begins with a relative pronoun behind the name of who
// has said what its sentence quotes: "“…,” said Tomas Brandt, who has run the inn".
func tellsOfSpeaker(c context, bare string) bool {
	return isRelative(c.first) && ofSpeaker().MatchString(strings.TrimSpace(bare))
}

// isRelative reports whether a word is a relative pronoun.
func isRelative(word string) bool {
	return slices.Contains(strings.Fields("who whose whom which qui dont quien quienes cuyo cuya cui quem cujo cuja die der deren dessen wiens vars który która które который которая которое которые"), word)
}

// tellsOfWhatIsNamed reports whether a passage states nothing that its head could govern: it is only
// what the verb behind it is said of, a clause that bounds the one before it, or what somebody or
// something is that the head ends with the name of.
func tellsOfWhatIsNamed(c context, bare string) bool {
	comma := strings.HasSuffix(bare, ",")
	return c.subject || comma && c.bounds || comma && !strings.ContainsFunc(c.tail, char.IsOfWord) && isApposition(c, bare)
}

// isApposition reports whether a passage of English begins with an article behind a name and a comma,
// and has no verb that would make a sentence of it: "…, a notary known from three other deeds".
func isApposition(c context, bare string) bool {
	if c.language != "en" || !slices.Contains(strings.Fields("a an the"), c.first) || c.finite {
		return false
	}
	list := strings.Fields(strings.TrimRight(bare, ","))
	return len(list) > 3 && unicode.IsUpper([]rune(list[len(list)-1])[0]) && !slices.ContainsFunc(c.lead, func(g guard.Governor) bool {
		return g.Start == 0 || g.Role != guard.Claimed && g.Role != guard.And && g.Role != guard.Where && g.Role != guard.Verb && g.Role != guard.Back
	})
}

// finite is a word of English that a sentence has, or may have, for its verb.
var finite = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:is|was|are|were|has|have|had|will|would|can|could|may|might|must|should|shall|did|does|do|not)\b`)
})

// shouldNot is a clause of English that says what should not be, and more is what it may wait for.
var (
	shouldNot = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:should not|ought not to|shouldn't|shouldn’t) `)
	})
	more = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?: any)? (?:further|more|additional) `) })
)

// subject is something and a name for it, between commas; isOfSubject is a verb behind it.
var (
	subject = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:the|a|an|this|his|her|its|their) [^ ,;:.]+(?: [^ ,;:.]+)?, (?:the|a|an|which|who|his|her|its|their) [^,;:.]+$`)
	})
	isOfSubject = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^, (?:is|was|are|were|has|have|had|will|would|can|could|may|might|must|should) `)
	})
)

// isSubject reports whether a passage of English is what the verb behind it is said of, and what that
// is: "the lid, the board that closes the chest".
func isSubject(passage, tail string) bool {
	return isOfSubject().MatchString(tail) && subject().MatchString(strings.NewReplacer("<em>", "", "</em>", "", "*", "", "_", "").Replace(passage))
}
