package governing

import (
	"regexp"
	"strings"
	"sync"
)

// corrects reports whether a sentence puts right what stands before it, by whoever wrote
// that: "Edit: sorry, it was 310 degrees", "Correction: it seats 300".
func corrects(sentence string, numbered bool) bool {
	if slip().MatchString(sentence) || corrected().MatchString(sentence) && !otherText().MatchString(sentence) {
		return true
	}
	return numbered && sorry().MatchString(sentence) && strings.ContainsAny(sentence, "0123456789")
}

var (
	corrected = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i)(?:correction|corrigendum|erratum|errata|korrektur|berichtigung|rectificatif|correctif|corrección|fe de erratas|correção|correzione|correctie|rättelse|korekta|sprostowanie|исправление|поправка|düzeltme|koreksi|ralat|đính chính|訂正|更正|정정)\s?[:：]`)
	})
	otherText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:version|page|article|issue|edition|fassung|artikel|article|artículo|artigo|articolo)\b`)
	})
	sorry = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i)(?:edit|p\.?s\.?|oops|whoops|sorry)\b\W*(?:sorry\W*|oops\W*)?(?:it|that|this|they|there)(?:'s|’s| is| was| were| are| should)\b`)
	})
	slip = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i)(?:edit|p\.?s\.?|oops|whoops|sorry)\b.{0,60}\bI (?:meant|misread|mistyped|miscounted|misremembered)\b`)
	})
)

// unfounded is a sentence that says that nothing shows what stands before it, by language.
var unfounded = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`(?i)\bno (?:evidence|proof|record|basis|support|documentation) (?:of|for|to support) (?:this|that|it|the (?:claim|story|tale|legend|rumou?r|assertion))\b[^,;:]*\.?$|\b(?:historians?|scholars?|archaeologists?|biographers?)\b[^,.;:]{0,20}\bno (?:trace|record|sign|evidence|mention) of (?:him|her|it|them|this|any such)\b`),
		"de": regexp.MustCompile(`(?i)\b(?:dafür|davon|hierfür)\b[^,.;:]{0,30}\bkeine?n? (?:\pL+ )?(?:Beleg|Beweis|Nachweis|Quelle)`),
		"fr": regexp.MustCompile(`(?i)\brien ne (?:le |l['’])(?:prouve|atteste|confirme)|\b(?:aucune preuve|aucune trace) de cela\b`),
		"es": regexp.MustCompile(`(?i)\b(?:no hay|no existe|no se conocen?) (?:ninguna? )?(?:pruebas?|constancia|fuentes?) de (?:ello|esto|eso)\b`),
		"nl": regexp.MustCompile(`(?i)\bdaar(?:voor)? (?:is|bestaat|zijn) geen (?:enkel )?bewij`),
	}
})
