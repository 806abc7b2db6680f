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

// standsApart reports whether a head that has words which would govern a passage does not: they
// belong to a clause of its own, and what stands behind that is a statement beside it.
func standsApart(c context, bare string) bool {
	return isOwnVoice(withoutFirstClause(bare, c.language), c.language) && !isDenied(c, bare) ||
		givesReason(c, bare) || contrastsWithOwn(c, bare) || explainsBehindColon(c, bare) || isTopicOfOwn(c, bare) || isOnTheContrary(c, bare) || IsObjectBefore(lastWord(bare), c.first) && char.IsOfWord(char.Last(bare))
}

// isDenied reports whether a head negates, or gives something as the word of others.
func isDenied(c context, bare string) bool {
	own := withoutFirstClause(bare, c.language)
	if own == bare {
		return c.negates(bare)
	}
	between := bare[min(len(own), len(bare)):]
	return c.negates(own) || slices.ContainsFunc(guard.Governors(between, c.language), func(g guard.Governor) bool {
		return g.Role == guard.Claimed || g.Role == guard.Doubt || g.Role == guard.Rejection || g.Role == guard.Whether
	})
}

// andThats are the "that" of a second clause which a head gives, by language.
var andThats = map[string]string{
	"en": "and that", "de": "und dass", "fr": "et que", "es": "y que", "pt": "e que", "it": "e che", "nl": "en dat", "sv": "och att", "pl": "i że", "ru": "и что",
}

// withoutFirstClause is a head up to its first "that", where it ends with an "and that".
func withoutFirstClause(bare, language string) string {
	and := andThats[language]
	if and == "" || !strings.HasSuffix(bare, " "+and) {
		return bare
	}
	that := and[strings.IndexByte(and, ' '):]
	if i := strings.Index(bare+" ", that+" "); i > 0 && i+len(that) < len(bare) {
		return bare[:i+len(that)]
	}
	return bare
}

// causes begin behind a comma, in several words, a clause that says why: what it gives as the
// reason is so, whatever the clause before it denies.
var causes = map[string]string{
	"en": "given that|seeing that|considering that", "fr": "étant donné que|étant donné qu|vu que|vu qu|parce que|parce qu|puisqu|d'autant que|d’autant que", "es": "ya que|puesto que|dado que|visto que|toda vez que",
	"pt": "já que|uma vez que|visto que|dado que|posto que", "it": "dato che|visto che|dal momento che|giacché|in quanto", "nl": "aangezien|gezien het feit dat", "sv": "eftersom att|därför att",
	"pl": "dlatego że|jako że", "ru": "так как|потому что|поскольку|ввиду того что",
}

// givesReason reports whether a head ends with such a beginning, and what stands before it gives
// nothing as the word of others and asks or bounds nothing.
func givesReason(c context, bare string) bool {
	mark := strings.LastIndexByte(bare, ',')
	if mark < 0 || causes[c.language] == "" || !slices.Contains(strings.Split(causes[c.language], "|"), strings.ToLower(strings.Trim(bare[mark+1:], " '’"))) {
		return false
	}
	if c.negates(bare[:mark]) && putsRight().MatchString(c.tail) {
		return false // not because of this, but of that
	}
	return !slices.ContainsFunc(guard.Governors(bare[:mark], c.language), func(g guard.Governor) bool {
		name := g.Start > 0 && startsUpper(bare[g.Start:]) // Esperança
		return g.Role == guard.That || g.Role == guard.Claimed && !name || g.Role == guard.Whether || g.Role == guard.Condition || g.Role == guard.Doubt
	})
}

// putsRight is how a tail begins that gives the true reason for a wrong one.
var putsRight = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\s,;]*(?i:but|mais|sino|sondern|mas sim|mas|ma|bensì|maar|utan|lecz|ale|tylko|а|но)\s`)
})

func startsUpper(s string) bool {
	return s != "" && strings.ToUpper(s[:1]) == s[:1] && strings.ToLower(s[:1]) != s[:1]
}

// whiles begin behind a comma a clause with a subject of its own that is set beside the one
// before it, by language.
var whiles = map[string]string{
	"en": "while whereas", "de": "während wohingegen", "fr": "tandis_que alors_que", "es": "mientras_que", "pt": "enquanto ao_passo_que", "it": "mentre", "nl": "terwijl", "sv": "medan", "pl": "podczas_gdy", "ru": "тогда_как в_то_время_как",
}

// contrastsWithOwn reports whether a head ends with such a beginning, and says before it what
// somebody reported as a thing, and with no "that" nor a clause: "Nurses reported fewer falls, while".
func contrastsWithOwn(c context, bare string) bool {
	mark := strings.LastIndexByte(bare, ',')
	if mark < 0 || !slices.Contains(strings.Fields(whiles[c.language]), strings.ReplaceAll(strings.ToLower(strings.TrimSpace(bare[mark+1:])), " ", "_")) {
		return false
	}
	own := bare[:mark]
	return !slices.ContainsFunc(guard.Governors(own, c.language), func(g guard.Governor) bool {
		switch g.Role {
		case guard.Claimed:
			return !reportsThing(own[g.Start:g.End], own[g.End:], c.language)
		case guard.That, guard.Whether, guard.Condition, guard.Doubt, guard.Rejection:
			return true
		}
		return false
	})
}

// reportsThing reports whether a verb says what somebody reported, with a noun phrase up to the end
// of its clause behind it and no verb that would make a clause of that.
func reportsThing(verb, rest, language string) bool {
	verb = strings.ToLower(verb)
	if !slices.ContainsFunc(strings.Fields("report record registr meld rapport signal segnal notific"), func(stem string) bool { return strings.HasPrefix(verb, stem) }) {
		return false
	}
	clause := slices.ContainsFunc(guard.Governors(rest, language), func(g guard.Governor) bool { return g.Role == guard.Verb || g.Role == guard.That })
	return !clause && words.Count(rest) > 0
}

// than is a comparison of English and others with what somebody says, up to the colon behind it.
var than = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`(?i)\b(?:than|unlike what) [^,;:]{2,60}:$`),
		"de": regexp.MustCompile(`(?i)\bals [^,;:]{2,60}:$`),
		"fr": regexp.MustCompile(`(?i)\b(?:moins|plus|mieux|autrement) [^,;:]{0,40}que ne? [^,;:]{2,60}:$|\b(?:moins|plus|autrement) [^,;:]{0,60}que ne l[e'’ ][^,;:]{2,60}:$`),
		"es": regexp.MustCompile(`(?i)\bde lo que [^,;:]{2,60}:$`),
		"it": regexp.MustCompile(`(?i)\bdi quanto [^,;:]{2,60}:$`),
		"pt": regexp.MustCompile(`(?i)\bdo que [^,;:]{2,60}:$`),
	}
})

// thanClaim is a comparison with a claim itself, which the colon gives: "than the claim of the paper:".
var thanClaim = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:claim|rumou?r|story|report|myth|theory|belief|notion|idea|tale|lie|statement|assertion|allegation|behauptung|gerücht|märchen|lüge|aussage|rumeur|mensonge|affirmation|mito|rumor|mentira|afirmación|bulo|bugia|voce|afirmação|boato)s?(?: (?:of|in|by|from|der|des|von|in|de|du|del|della|di|da|do|dans) [^,;:]+)?:$`)
})

// explainsBehindColon reports whether a head is a clause with a colon, behind which stands why it
// is so, or what is so instead: the word of others in it is only what it compares with, "than the
// index suggests:", knows, or calls for, or it says that a claim fails and the passage denies.
func explainsBehindColon(c context, bare string) bool {
	clause, ok := strings.CutSuffix(bare, ":")
	if !ok {
		return false
	}
	if compares := than()[c.language]; compares != nil && compares.MatchString(bare) && !thanClaim().MatchString(bare) {
		return true
	}
	if clause = strings.TrimSpace(clause); knowsWhat(clause, c.language) || needsThing(clause, c.language) {
		return true
	}
	if !c.negates(c.said) {
		return false
	}
	if relative().MatchString(clause) {
		return false
	}
	rejects, named := false, false
	for _, g := range c.lead {
		switch g.Role {
		case guard.Rejection:
			rejects, named = true, words.Count(clause[:min(g.Start, len(clause))]) <= 2
		case guard.Whether, guard.Condition:
			return false
		case guard.Verb:
			rejects = rejects && !named && g.End < len(clause) // "a false claim is widespread"
		}
	}
	return rejects || fails().MatchString(clause)
}

// relative is a clause that names the claim itself: "this is the claim that failed", "there is a myth".
var relative = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:there|es gibt|il y a|hay|c['’]è|er is|det finns)\b|\b(?:claim|story|rumou?r|myth|report|argument|one|it)s? (?:that|which) \pL+$`)
})

// fails is how a clause ends that says that a claim or a case is lost.
var fails = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^| )(?:fails|failed|cannot succeed|cannot stand|was dismissed|is dismissed|scheitert|échoue|fracasa|fallisce|faalt)$`)
})

// knowsWhat reports whether a clause says that somebody knows of what they speak.
func knowsWhat(clause, language string) bool {
	knows := knowing()[language]
	return knows != nil && knows.MatchString(clause)
}

var knowing = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`(?i)\bknows? (?:very well )?(?:what|of what|whereof) (?:they|he|she|I|we|it) (?:talk|talks|speak|speaks|am talking|are talking|is talking|am speaking|are speaking|is speaking)(?: about| of)?$`),
		"de": regexp.MustCompile(`(?i)\b(?:weiß|weiss|wissen), wovon (?:er|sie|ich|wir) (?:spricht|sprechen|redet|reden|spreche|rede)$`),
		"fr": regexp.MustCompile(`(?i)\b(?:sait|savent|sais|savons) (?:bien )?de quoi (?:il|elle|on|ils|elles|je|nous) (?:parle|parlent|parlons)$`),
		"es": regexp.MustCompile(`(?i)\b(?:sabe|saben|sé|sabemos) (?:bien )?de qu[eé] (?:habla|hablan|hablo|hablamos)$`),
		"it": regexp.MustCompile(`(?i)\b(?:sa|sanno|so|sappiamo) (?:bene )?di (?:che )?cosa (?:parla|parlano|parlo|parliamo)$`),
		"ru": regexp.MustCompile(`(?i)(?:знает|знают|знаю|знаем), о ч(?:е\x{308}?|ё)м (?:говорит|говорят|говорю|говорим)$`),
	}
})

// needs is a verb that with a thing for its object says what is needed, and without one what is
// only supposed: "suppose une compétence".
var needs = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"fr": regexp.MustCompile(`(?i)^[^,;:]*[^ ,;:]{3,} (?:suppose|supposait|présuppose) (?:une|un|du|de la|de l['’]|des|le|la) ?[^,;:]+$`),
		"en": regexp.MustCompile(`(?i)^[^,;:]*ing [^,;:]*(?:assumes|presupposes|supposes) (?:a|an|some) [^,;:]+$`),
		"es": regexp.MustCompile(`(?i)^[^,;:]*[aei]r(?:se)? [^,;:]*(?:supone|presupone|suponía) (?:una|un|cierta|cierto) [^,;:]+$`),
		"it": regexp.MustCompile(`(?i)^[^,;:]*[aei]r(?:e|si) [^,;:]*(?:suppone|presuppone) (?:una|un|uno|una certa) [^,;:]+$`),
	}
})

func needsThing(clause, language string) bool {
	things := needs()[language]
	if things == nil || !things.MatchString(clause) {
		return false
	}
	first, _, _ := strings.Cut(strings.ToLower(clause), " ")
	return !slices.Contains(strings.Fields("on je il elle ils elles nous vous tu i we they he she"), first)
}

// ofWhom is how a head begins that says for whom the rest holds, in a phrase with a clause about
// them and no comma behind it: "For adults who are not on dialysis".
var ofWhom = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:For|In|Among|With) [^,;:]*? (?:who|which|that|whose) (?:is|are|was|were|has|have|had|do|does|did|can|could) (?:not|never|no longer) [^,;:]*$`)
})

// isTopicOfOwn reports whether a head only says for whom a passage holds that begins with its own
// subject, "we" or "I": the negation in it is of them.
func isTopicOfOwn(c context, bare string) bool {
	return c.language == "en" && (c.first == "we" || c.first == "i") && ofWhom().MatchString(bare)
}

// opposite is how a text ends that says that what goes on is the opposite of what was said.
var opposite = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^| )(?:au contraire|al contrario|por el contrario|pelo contrário|ao contrário|on the contrary|im gegenteil|integendeel|tvärtom)$`)
})

// isOnTheContrary reports whether all that rejects in a head before a comma is an "on the
// contrary", which sets its clause against the one before.
func isOnTheContrary(c context, bare string) bool {
	found := false
	for _, g := range c.lead {
		switch g.Role {
		case guard.Rejection:
			if !opposite().MatchString(bare[:g.End]) {
				return false
			}
			found = true
		case guard.Claimed, guard.That, guard.Whether, guard.Condition, guard.Doubt:
			return false
		}
	}
	return found && strings.HasSuffix(bare, ",") && !c.negates(bare)
}

// isOpenBesideAnother reports whether a tail behind a semicolon tells, of something that was not
// spoken of, what was not done or only done, and points back to nothing that the passage claims or
// doubts itself: "; the survey did not weigh any crop".
func isOpenBesideAnother(c context, at int) bool {
	const few = 3 // words
	if !c.open || c.language != "en" || !strings.Contains(c.tail[:at], ";") {
		return false
	}
	clause := c.tail[at:]
	if end := strings.IndexByte(clause, ';'); end >= 0 {
		clause = clause[:end]
	}
	if words.Count(clause) <= few || c.denies(clause) || disputes().MatchString(clause) {
		return false
	}
	first, rest, _ := strings.Cut(strings.ToLower(clause), " ")
	second, _, _ := strings.Cut(rest, " ")
	said := strings.FieldsFunc(strings.ToLower(c.said), char.IsNotOfWord)
	switch determined := slices.Contains(strings.Fields("the our this no"), first); {
	case slices.Contains(said, second), !determined && (slices.Contains(said, first) || c.negates(clause) || slices.Contains(strings.Fields(subjects["en"]+" that these those there but and or so yet nor"), first)):
		return false
	}
	return !slices.ContainsFunc(guard.Governors(clause, c.language), func(g guard.Governor) bool {
		switch g.Role {
		case guard.Rejection, guard.Contrast, guard.Claimed, guard.Doubt, guard.Whether:
			return true
		}
		return false
	})
}

// disputes is how a clause ends of those who do not hold what was said.
var disputes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:think so|say so|agree|agrees|agreed|concur|accept (?:it|this|that|them)|believe (?:it|this|that|them))[ .]*$`)
})

// amountOf is how a passage of English ends that says how much there was of something, where: no
// other of its kind was spoken of, whatever a clause behind it tells.
var amountOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:(?:of|the|these|those|all|only|its|their|our) )?[£$€]?\d[\d.,]* (?:(?:thousand|million|billion) )?(?:\pL+ )?of (?:\pL+ )?\pL+ (?:on|in|at|along|near|from) (?:the )?\p{L}+(?: \p{Lu}\pL+)?$`)
})

var namedAmount = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[^\pL£$€\d]*(?:of|the|these|those|all|only|its|their|our) `)
})

func endsWithAmountOf(said string) bool {
	at := amountOf().FindString(strings.TrimRight(said, " \n"))
	return at != "" && !namedAmount().MatchString(at)
}

// concluding is how a clause begins, by language, that tells what is concluded from the whole of
// what stands before it.
var concluding = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?i:from which)\b`), "de": regexp.MustCompile(`^(?i:woraus|wovon)\b`), "fr": regexp.MustCompile(`^(?i:d['’]où|ce dont|de quoi)[ \pL]`),
		"es": regexp.MustCompile(`^(?i:de lo que|de donde|de lo cual)\b`), "pt": regexp.MustCompile(`^(?i:do que|de onde|donde)\b`), "it": regexp.MustCompile(`^(?i:da cui|dal che|donde)\b`),
		"nl": regexp.MustCompile(`^(?i:waaruit)\b`), "sv": regexp.MustCompile(`^(?i:varav man|vilket leder)\b`), "pl": regexp.MustCompile(`^(?i:z czego|skąd) `), "ru": regexp.MustCompile(`^(?i:из чего|откуда) `),
	}
})

func concludes(tail, language string) bool {
	begins := concluding()[language]
	return begins != nil && begins.MatchString(tail)
}

// isOfFewOthers reports whether a "few" behind a "but" begins what was not spoken of, with a verb of
// its own: "but few studies have", and neither "but few do" nor "but few of them".
func isOfFewOthers(w guard.Word, rest, language string) bool {
	if w.Kind != guard.Quantifier || w.Norm != "few" {
		return false
	}
	behind := rest[w.End:]
	clause, _, _ := strings.Cut(behind, ",")
	next, _, _ := strings.Cut(strings.TrimLeft(clause, " "), " ")
	const noun = 4 // letters
	list := guard.Governors(clause, language)
	return len(next) >= noun && !slices.ContainsFunc(list, func(g guard.Governor) bool {
		return g.Role == guard.Back || g.Start <= 1
	}) && slices.ContainsFunc(list, func(g guard.Governor) bool { return g.Role == guard.Verb })
}

// rejectsToo reports whether a passage that ends with a sentence which calls something wrong goes
// on, with the same subject, with what rejects it again: "was an error and" before "has been
// withdrawn".
func rejectsToo(c context, g guard.Governor) bool {
	last := strings.TrimRight(c.said, " ")
	last = last[strings.LastIndexAny(last, ".;:!?")+1:]
	behind := ""
	for _, o := range c.rest {
		if o.Role == guard.And && o.End <= g.Start {
			behind = c.tail[o.End:g.Start]
			break
		}
	}
	verb := guard.Governors(behind, c.language)
	return c.rejects && len(verb) > 0 && verb[0].Role == guard.Verb && strings.TrimSpace(behind[:verb[0].Start]) == "" && !c.negates(last) && !c.negates(behind) &&
		slices.ContainsFunc(guard.Governors(last, c.language), func(o guard.Governor) bool { return o.Role == guard.Rejection })
}

// ofThings is a sentence of English that tells what none of the things spoken of did, and of no
// claim or figure that it was not so.
var ofThings = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:None|Neither) of (?:these|those|the (?:two|three|four)) (\pL+) (\pL+)`)
})

func tellsOfThings(s string) bool {
	m := ofThings().FindStringSubmatch(s)
	return m != nil && !slices.Contains(strings.Fields("claims claim statements figures numbers reports stories assertions findings results estimates allegations rumours rumors beliefs things points arguments theories"), m[1]) &&
		!slices.Contains(strings.Fields("is are was were has have had does do did can could will would should may might took takes take occur occurs occurred exist exists existed work works worked happen happens came come dried apply applies applied count counts counted holds hold stands stand proved turned survived survives happened"), m[2])
}

// mayDeny reports whether the sentence behind a passage denies something that is most likely not what
// the passage says: its reader is to see it.
func mayDeny(c context) bool {
	if c.next == "" {
		return false
	}
	return weakensOnly(c.next) || c.language == "en" && tellsOfThings(c.next)
}

// deniesConcluded reports whether a sentence says that it is not so behind one that goes on with what is
// concluded from a passage: it may be either.
func deniesConcluded(c context) bool {
	return c.next != "" && concludes(strings.TrimLeftFunc(c.tail, char.IsNotOfWord), c.language) && c.denies(c.next)
}

// agrees reports whether the sentence behind a passage denies no more than the end of that does
// itself: "and will not now be silent. She was not."
func agrees(c context) bool {
	last := strings.TrimRight(c.said, ` .!?"”’`)
	last = last[strings.LastIndexAny(last, ",;:.!?")+1:]
	return c.language == "en" && c.denying && c.negates(last) && leavesOutVerb().MatchString(c.next+".")
}

func upperFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// IsObjectBefore reports whether a word for nobody or nothing is of the clause that ends with it, and
// the next word begins another, which says where, when or why: "costs nothing where".
func IsObjectBefore(last, next string) bool {
	return slices.Contains(strings.Fields("nothing nobody none nichts niemanden niemandem rien personne nada nadie ninguém niente nessuno niets"), strings.ToLower(last)) &&
		slices.Contains(strings.Fields("where when while because although though until since weil wenn wo während obwohl parce quand lorsque où porque cuando donde aunque quando onde embora perché dove mentre omdat wanneer waar terwijl"), strings.ToLower(next))
}
