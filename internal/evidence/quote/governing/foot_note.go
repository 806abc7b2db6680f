package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
)

// NoteTakesBack tells what a note does to the passage that its mark stands at: it takes back or bounds it,
// with an exception, a denial, a correction; or it may, and is to be shown. Most notes name
// a source, and do neither.
func NoteTakesBack(note, language string) (takesBack, mayTakeBack bool) {
	const early = 2    // words before what bounds a passage
	const longest = 30 // words of a sentence that is about the passage
	note = strings.TrimLeft(oneLine(note), `"“„«([ `)
	sentence := note
	if list := words.Sentences(note); len(list) > 0 {
		sentence = note[list[0].Start:list[0].End]
	}
	if words.Count(sentence) > longest {
		return false, false
	}
	if corrects(sentence, true) || Denies(sentence, language) && !beginsWithPrefix(sentence, language) || theOpposite().MatchString(sentence) || allBut().MatchString(sentence) {
		return true, true
	}
	governors := guard.Governors(sentence, language)
	for i, g := range governors {
		before := words.Count(sentence[:g.Start])
		switch g.Role {
		case guard.Exception:
			if before == 0 || before <= early && !isJoined(governors[:i]) {
				return true, true
			}
			mayTakeBack = true
		case guard.Rejection:
			if before == 0 {
				return true, true
			}
			mayTakeBack = true
		case guard.Contrast:
			if before == 0 {
				return true, true
			}
		case guard.Doubt:
			mayTakeBack = mayTakeBack || before == 0
		case guard.Only:
			mayTakeBack = mayTakeBack || bounds(sentence)
		case guard.Condition, guard.When, guard.Where:
			mayTakeBack = mayTakeBack || before == 0 && bounds(sentence)
		}
	}
	for _, w := range guard.WordsIn(sentence, func() string { return language }) {
		if w.Kind == guard.Negation && !numberSign().MatchString(sentence[w.Start:]) {
			mayTakeBack = true
		}
	}
	return false, mayTakeBack || worthOfPassage().MatchString(sentence) || saysWithdrawn(sentence)
}

// bounds reports whether a note that has a word for when, where or of whom something holds is of few words and
// names no source: "Orders above fifty pounds only", "After boiling".
func bounds(sentence string) bool {
	const few = 14 // words
	return words.Count(sentence) <= few && !namesSource().MatchString(sentence)
}

// namesSource is what a note has that says where something was read: a page, a plate, a year of a work in brackets.
var namesSource = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s(])(?:pp?|vol|Bd|Nr|no|ed|eds|Hrsg|fol|cap|col|str|стр|с)\.\s?(?:\d|[IVXLC]+\b)|\((?:1[5-9]|20)\d\d[a-z]?\)|^(?i:in|en|dans|nel|v|w|в):|https?://`)
})

// saysWithdrawn reports whether a sentence says of something that it is withdrawn, repealed or made up, or
// somebody's dissent.
func saysWithdrawn(sentence string) bool {
	all := sharedHeadingWords()
	list := wordsOfHeading(sentence)
	for i := 0; i < len(list); {
		classes, n := all.classesAt(list, i)
		if slices.Contains(classes, withdrawn) || slices.Contains(classes, wholly) {
			return true
		}
		i += n
	}
	return slices.ContainsFunc(all.unspaced, func(w string) bool { return strings.Contains(sentence, w) })
}

// beginsWithPrefix reports whether a sentence begins with a word that a prefix negates, "Unintended, …", which is
// no answer as "No, …" is.
func beginsWithPrefix(sentence, language string) bool {
	list := guard.WordsIn(sentence, func() string { return language })
	return len(list) > 0 && list[0].Start == 0 && strings.HasSuffix(list[0].Norm, "-")
}

// isJoined reports whether a clause comes before what is said.
func isJoined(before []guard.Governor) bool {
	for _, g := range before {
		if g.Role != guard.Back && g.Role != guard.Verb {
			return true
		}
	}
	return false
}

var (
	// numberSign is a "No." before a number.
	numberSign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:no)\.? ?\d`) })
	// allBut is how an exception begins in English that has its whole before it.
	allBut = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:All|Every(?:one|body|thing|where)?|Any(?:one|body|thing)?) but\b`)
	})
	// worthOfPassage is how a note begins that says what its passage is worth, or in what case it was found.
	worthOfPassage = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:(?:probably |apparently |perhaps )?(?:an? |the )?(?:\pL+ )?(?:forger(?:y|ies)|fabrications?|hoax|myth|legend|misprint|exaggeration|guess|rough estimate)|(?:mere |only )?(?:measured|tested|calculated|estimated|projected|provisional|approximate|assuming|based on)` +
			`|(?:wohl |wahrscheinlich )?(?:eine? )?(?:\pL+ )?(?:fälschung|erfindung|legende|druckfehler|übertreibung|schätzung)|gemessen|geschätzt|vorläufig|un faux|(?:une )?(?:légende|invention|exagération|estimation)|faute d['’]impression|mesurée?s?|estimée?s?|provisoire|(?:una )?(?:falsificación|leyenda|errata|exageración|estimación)|medid[oa]s?|(?:un falso|falsificazione|leggenda|esagerazione|errore di stampa)|misurat[oaei]|stimat[oaei]|provvisori[oaei]|(?:uma )?(?:falsificação|lenda|estimativa)|(?:een )?(?:vervalsing|legende|drukfout|schatting)|gemeten|geschat|(?:en )?(?:förfalskning|legend|tryckfel)|uppmätt|uppskattat|falsyfikat|fałszerstwo|szacunek|zmierzono|padělek|podvrh|odhad|подделка|легенда|опечатка|оценка|измерено)(?:[^\pL]|$)|^(?:伪作|伪造|推测|估计|偽作|推定|誤植|暫定|위작|추정|잠정)`)
	})
	// theOpposite says that what stands elsewhere is the other way round.
	theOpposite = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:(?:shows?|shown|showed|finds?|found|proves?|proved|proven|suggests?|is|was|says?|said) (?:just |quite |exactly )?the (?:opposite|contrary|reverse)|das gegenteil (?:ist|war|zeigt|trifft)\pL*|(?:ist|war|zeig\pL+|ergab\pL*|beweis\pL+) (?:genau )?das gegenteil|(?:montr\pL+|prouv\pL+|est|était|c['’]est) (?:exactement )?le contraire|(?:demuestra\pL*|demostr\pL+|muestra\pL*|es|era) (?:justo |todo )?lo contrario|(?:mostr\pL+|prov\pL+|é|era|dimostr\pL+|è) (?:exatamente |proprio )?(?:o contrário|il contrario)|(?:is|was|toon\pL+|bewe\pL+|blijkt) het (?:tegendeel|omgekeerde)|(?:motsatsen|det motsatta|det modsatte|det motsatte) (?:är|er|var|gäller|gælder|gjelder)|(?:visar|visat|viser|vist) (?:motsatsen|det motsatta|det modsatte|det motsatte)|jest odwrotnie|było odwrotnie|je tomu naopak|bylo tomu naopak|tam tersi\pL*|justru sebaliknya)|(?:всё )?(?:как раз )?наоборот|正相反|恰恰相反|その逆|正反対|정반대`)
	})
)
