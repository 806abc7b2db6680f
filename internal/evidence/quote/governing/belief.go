package governing

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// isBelief reports whether a passage says only what nobody in particular says or believes, and
// nothing of whether it is so: "It is often assumed that", "Many guides say".
func isBelief(passage, language string) bool {
	begins := belief()[language]
	return begins != nil && begins.MatchString(strings.TrimLeft(passage, ` "“„«`))
}

// mayBeBelief reports whether a passage begins in some language as such a sentence does.
func mayBeBelief(passage string) bool {
	for language := range belief() {
		if isBelief(passage, language) {
			return true
		}
	}
	return false
}

// belief is how such a sentence begins, by language. Behind an "and" or a mark it may go on to
// say what is so.
var belief = sync.OnceValue(func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for language, begins := range map[string]string{
		"en": `it (?:is|was|has been|had been) (?:\w+ )?(?:assumed|believed|claimed|said|reported|thought|supposed|rumou?red|repeated|suggested) that|(?:a|an|the|one) (?:common|popular|widespread|frequent|usual|persistent|old|early|earlier)[\w ]{0,40} (?:is|was|holds?|held|says?|said|stated|states|claims?|claimed) that|it is an? (?:\w+ )?(?:belief|claim|assumption|view|notion|idea) that|(?:some|many|most|several) (?:\w+ )?(?:people|guides?|users?|readers?|books?|websites|sites|critics|experts|others|parents|visitors|tourists|articles|blogs)? ?(?:say|claim|believe|think|assume|hold|maintain) (?:that )?|you (?:may|might|will|often|sometimes) (?:have )?(?:read|hear|heard) that`,
		"de": `(?:immer wieder|oft|häufig|mitunter|vielfach) (?:heißt es|hört man|liest man)|es (?:heißt|wird) (?:oft|häufig|immer wieder|gern|behauptet|angenommen|gesagt)|(?:manche|viele|einige)r? (?:\pL+ )?(?:meinen|sagen|glauben|behaupten|denken)`,
		"fr": `on (?:dit|entend|lit|croit|pense) (?:souvent|parfois|que)|(?:certains|beaucoup|plusieurs) (?:\pL+ )?(?:disent|pensent|croient|affirment|prétendent)|il est (?:souvent|parfois|couramment) (?:admis|dit|affirmé)`,
		"es": `se (?:dice|cree|afirma|piensa|suele decir)|(?:muchos|algunos|hay quien|hay quienes) (?:\pL+ )?(?:dicen?|creen?|piensan?|afirman?|sostienen?|diga|crea|piense)`,
		"pt": `(?:diz-se|acredita-se|afirma-se)|(?:muitos|alguns|há quem) (?:\pL+ )?(?:dizem|acreditam|pensam|afirmam|diga|acredite|pense)`,
		"it": `si (?:dice|crede|pensa|sostiene)|(?:molti|alcuni|c'è chi|c’è chi) (?:\pL+ )?(?:dicono|credono|pensano|sostengono|dice|crede)`,
		"nl": `(?:vaak|soms) (?:wordt|hoort men|leest men)|men (?:zegt|beweert|denkt)|(?:veel|sommige) (?:\pL+ )?(?:zeggen|denken|beweren|geloven)`,
	} {
		all[language] = regexp.MustCompile(`(?i)^(?:` + begins + `)[^;:]*$`)
	}
	return all
})

// sentenceBehind is where the first sentence behind a place of a text stands, none where there
// is none.
func sentenceBehind(text string, at int) (from, to int) {
	behind := oneLine(text[at:words.RuneStart(text, at+MaxAround)])
	for _, s := range words.Sentences(behind) {
		if sentence := strings.TrimSpace(behind[s.Start:s.End]); strings.ContainsFunc(sentence, char.IsOfWord) {
			from = at + s.Start + strings.Index(behind[s.Start:s.End], sentence)
			return from, from + len(sentence)
		}
	}
	return 0, 0
}
