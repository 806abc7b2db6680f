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

// isInvertedCondition reports whether a head is a condition without an "if":
// "Should the wind rise, …", where a verb begins it that hardly begins a statement.
func isInvertedCondition(bare, language string) bool {
	first, _, _ := strings.Cut(bare, " ")
	return first != "" && slices.Contains(strings.Fields(invertedVerbs[language]), first)
}

// invertedVerbs begin a condition without an "if", by language.
var invertedVerbs = map[string]string{
	"en": "Should Had Were",
	"de": "Wäre Wären Hätte Hätten Sollte Sollten Würde Würden Käme Kämen Könnte Müsste Ginge Gäbe",
	"nl": "Mocht Mochten Zou Zouden",
	"sv": "Skulle Vore",
}

// wouldBe are verbs that say what would be, by language.
var wouldBe = sync.OnceValue(func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for language, verbs := range map[string]string{
		"en": `would|could|might`,
		"de": `wären?|würden?|hätten?|könnten?|müssten?|kämen?|gingen?|gäben?|blieben?|stünden?`,
		"fr": `\pL*[^t]rai(?:t|ent)`,
		"es": `(?:habr|ser|estar|tendr|podr|deber|har|quedar|caer|perder|bajar|subir)ían?|hubieran?`,
		"pt": `(?:ter|ser|estar|poder|dever|haver|far|ficar|cair|perder)iam?`,
		"it": `\pL+rebbe(?:ro)?`,
		"nl": `zou(?:den)?`,
		"sv": `skulle`,
		"pl": `\pL+(?:łby|łaby|łoby|liby|łyby)`,
		"ru": `бы`,
	} {
		all[language] = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:` + verbs + `)(?:[^\pL]|$)`)
	}
	return all
})

// saysWithoutWhat reports whether a head says without what a thing would be as its passage
// has it: "Without this sale,", "But for the fog,".
func saysWithoutWhat(bare, language string) bool {
	low := strings.ToLower(strings.TrimSpace(bare))
	if language == "en" && (strings.HasPrefix(low, "but for ") || strings.HasPrefix(low, "if not for ") || strings.HasPrefix(low, "were it not for ")) {
		return true
	}
	list := guard.WordsIn(bare, func() string { return language })
	return len(list) > 0 && list[0].Norm == "without" && strings.TrimSpace(bare[:list[0].Start]) == ""
}

// isIndefinite reports whether what stands behind a "without" is not a certain thing.
func isIndefinite(rest, language string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(rest, " ")), " ")
	first = strings.TrimFunc(first, char.IsNotOfWord)
	return slices.Contains(strings.Fields(indefinites[language]), first) || language == "en" && len(first) > len("thing") && strings.HasSuffix(first, "ing")
}

// able is where a clause of English says what can be done by somebody or something.
var able = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:can|could) (?:also |now |then )?be [a-z]+(?:ed|en|t|de|ead)\b`)
})

// IsOnlooker reports whether what stands behind a "without" tells of somebody who did nothing
// while something was done: "anybody looking". Nothing depends on that, as it may on a thing.
func IsOnlooker(rest string) bool {
	list := strings.Fields(strings.ToLower(rest))
	return len(list) > 1 && (list[0] == "anybody" || list[0] == "anyone") && strings.HasSuffix(strings.TrimRight(list[1], ".,;"), "ing")
}

// TellsOfNobody reports whether a clause that begins with a "without" says only what did not
// happen as well, "sans que personne s'y oppose", and what stands before it tells a fact.
func TellsOfNobody(before, clause, language string) bool {
	without := withoutThat()[language]
	return without != nil && without.MatchString(clause) && !isAllowance(before, language) && !HasNegation(before, func() string { return language })
}

var withoutThat = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?i:without any(?:body|one) \w+ing)\b`),
		"de": regexp.MustCompile(`^(?i:ohne dass)\b`), "fr": regexp.MustCompile(`^(?i:sans que |sans qu['’])`),
		"es": regexp.MustCompile(`^(?i:sin que)\b`), "pt": regexp.MustCompile(`^(?i:sem que)\b`),
		"it": regexp.MustCompile(`^(?i:senza che)\b`), "nl": regexp.MustCompile(`^(?i:zonder dat)\b`),
	}
})

// indefinites begin, behind a "without", what is not a certain thing, and allowances are verbs
// that say what may or must be, by language.
var (
	indefinites = map[string]string{
		"en": "a an any anybody anyone even ever one incident damage loss success trouble delay complaint injury injuries losses problems pause rest",
		"de": "ein eine einen einem einer einzigen jede jeden jedes jeglichen jegliche zu dass zwischenfall schaden verluste pause erfolg",
		"fr": "un une aucun aucune incident perte encombre que jamais",
		"es": "un una ningún ninguna incidentes pérdidas problemas que",
		"pt": "um uma nenhum nenhuma qualquer incidentes perdas problemas que",
		"it": "un una alcun alcuna nessun nessuna incidenti perdite problemi",
		"nl": "een enig enige te dat ook ooit incidenten verlies problemen",
		"sv": "en ett någon något några att olyckor förlust problem",
	}
	allowances = map[string]string{
		"en": "may must can should shall will need needs could would might cannot better faster slower more less worse",
		"de": "darf dürfen dürfte kann können muss müssen soll sollen sollte wird werden mehr weniger besser",
		"fr": "peut peuvent doit doivent faut sera seront plus moins mieux",
		"es": "puede pueden debe deben será serán más menos mejor",
		"pt": "pode podem deve devem será serão mais menos melhor",
		"it": "può possono deve devono sarà saranno più meno meglio",
		"nl": "mag mogen kan kunnen moet moeten zal zullen meer minder beter",
		"sv": "får kan måste ska skall bör mer mindre bättre",
	}
)

// isAllowance reports whether a text says what may or must be, or compares.
func isAllowance(text, language string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), char.IsNotOfWord), func(w string) bool {
		return slices.Contains(strings.Fields(allowances[language]), w)
	})
}

// supposes is how a sentence begins that only supposes what it says, for those behind it that
// say what would be.
var supposes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[.!?\n] *)((?:Suppose|Supposing|Imagine|Assume|Let us (?:suppose|imagine|assume)|Angenommen|Nehmen wir an|Gesetzt|Stellen wir uns vor|Supposons|Imaginons|Supongamos|Imaginemos|Suponhamos|Supponiamo|Immaginiamo|Stel|Antag|Przypuśćmy|Załóżmy|Предположим|Допустим)\b[^.!?]*[.!?])\s*$`)
})

// supposedBefore gives the sentence before a passage where that only supposes something and the
// passage says what would then be.
func supposedBefore(text string, start, end int) (string, bool) {
	const most = 300 // bytes of both
	before := oneLine(text[words.RuneStart(text, start-most):start])
	found := supposes().FindStringSubmatch(before)
	if found == nil {
		return "", false
	}
	would := wouldBe()[guard.Language(text[words.RuneStart(text, start-MaxAround):words.RuneStart(text, end+MaxAround)])]
	return found[1], would != nil && would.MatchString(text[start:words.RuneStart(text, min(end, start+most))])
}

// tale is how a head begins of which the rest is so in a work of fiction alone, by language.
var tale = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?i)in (?:the|a|her|his|this|one) (?:\w+ )?(?:novel|film|movie|play|opera|tale|fable|dream|legend|saga|fairy tale|ballad|cartoon|sequel)s?\b[^,.;:]*,`),
		"de": regexp.MustCompile(`^(?i)(?:im|in der|in dem|in einem|in einer|in seinem|in ihrem) (?:\pL+ )?(?:roman|film|theaterstück|oper|sage|märchen|traum|legende|fabel|novelle)\b`),
		"fr": regexp.MustCompile(`^(?i)dans (?:le|la|un|une|son|ce|cette) (?:roman|film|pièce|opéra|conte|fable|rêve|légende|saga)\b`),
		"es": regexp.MustCompile(`^(?i)en (?:el|la|un|una|su|esta) (?:novela|película|obra|ópera|cuento|fábula|sueño|leyenda)\b`),
		"pt": regexp.MustCompile(`^(?i)(?:no|na|num|numa) (?:romance|filme|peça|ópera|conto|fábula|sonho|lenda)\b`),
		"it": regexp.MustCompile(`^(?i)(?:nel|nella|nell['’]) ?(?:romanzo|film|opera|fiaba|favola|sogno|leggenda)\b`),
		"nl": regexp.MustCompile(`^(?i)in (?:de|het|een) (?:roman|film|toneelstuk|opera|sprookje|droom|legende|sage)\b`),
		"sv": regexp.MustCompile(`^(?i)i (?:romanen|filmen|pjäsen|operan|sagan|drömmen)\b`),
		"pl": regexp.MustCompile(`^(?i)w (?:powieści|filmie|sztuce|operze|bajce|śnie|baśni)(?:[^\pL]|$)`),
		"ru": regexp.MustCompile(`^(?i)в (?:романе|фильме|пьесе|опере|сказке|сне|легенде)(?:[^\pL]|$)`),
		"da": regexp.MustCompile(`^(?i)i (?:romanen|filmen|skuespillet|eventyret|sagnet|drømmen)(?:[^\pL]|$)`),
		"cs": regexp.MustCompile(`^(?i)ve? (?:románu|filmu|pohádce|hře|pověsti|snu)(?:[^\pL]|$)`),
		"uk": regexp.MustCompile(`^(?i)[ув] (?:романі|фільмі|п['’]єсі|казці|легенді|сні)(?:[^\pL]|$)`),
		"ro": regexp.MustCompile(`^(?i)în (?:roman|film|piesă|basm|legendă|vis)(?:[^\pL]|$)`),
		"hu": regexp.MustCompile(`^(?i)az? (?:regényben|filmben|darabban|mesében|mondában|álomban)(?:[^\pL]|$)`),
		"fi": regexp.MustCompile(`^(?i)(?:romaanissa|elokuvassa|näytelmässä|sadussa|tarussa|unessa)(?:[^\pL]|$)`),
		"tr": regexp.MustCompile(`^(?i)(?:romanda|filmde|oyunda|masalda|efsanede|rüyada)(?:[^\pL]|$)`),
		"el": regexp.MustCompile(`^(?i)στ(?:ο|η|ην|ον) (?:μυθιστόρημα|ταινία|έργο|παραμύθι|θρύλο|όνειρο)(?:[^\pL]|$)`),
		"id": regexp.MustCompile(`^(?i)dalam (?:novel|film|drama|dongeng|legenda|mimpi)(?:[^\pL]|$)`),
		"ja": regexp.MustCompile(`^(?:この|その)?(?:小説|映画|戯曲|芝居|物語|おとぎ話|伝説|夢|漫画)(?:の中)?では?、`),
		"zh": regexp.MustCompile(`^在?(?:这部|该|这个)?(?:小说|电影|戏剧|故事|童话|传说|神话|梦|漫画)(?:里|中)`),
		"ko": regexp.MustCompile(`^(?:이 |그 )?(?:소설|영화|연극|동화|전설|꿈|만화)(?:에서| 속)`),
	}
})

func isTale(head, language string) bool {
	begins := tale()[language]
	return begins != nil && begins.MatchString(strings.TrimSpace(head))
}
