package reading

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

// court is the name of a court or of its decision as citations have it, or a reporter of cases.
var court = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s,;(\[])(?:BGH|BVerfG|BVerwG|BAG|BSG|BFH|OLG|LG|AG|KG|OVG|VGH|VG|OGH|BGE|EuGH|EuG|EGMR|Urteil|Urt\.|Beschluss|Beschl\.|Az\.|Cass\.|CE|CA|TGI|CJUE|CJCE|CEDH|STS|STC|SAP|STSJ|TS|TJUE|STJ|STF|REsp|UKSC|UKHL|UKPC|EWCA|EWHC|CSIH|HCA|SCC|U\.S\.|F\.[23]d|S\. Ct\.|WLR|QB|AC|ECLI|HR|NJA|KKO|KHO|SN|NSA|TK|wyrok|uchwała|postanowienie|arrêt|sentencia|acórdão|sentenza|постановление|определение|решение|大法院|대법원|헌법재판소|最高裁|最高法院)(?:$|[\s,:;.\]平大昭令])`)
})

// month is one between a day and a year.
var month = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b\d{1,2}\.? (?:de )?(\p{Ll}{3,12}) (?:de )?[12]\d{3}\b`)
})

// caseYear is a year, or the end of a file number that has one: without it, what begins with the
// letters of a court may be anything, "AC 230 V".
var caseYear = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\D)(?:1[6-9]|20)\d\d(?:\D|$)|\d/\d\d(?:\D|$)`)
})

// courtWords are the small words of such citations.
const courtWords = "vom v vs z dnia r sygn akt at para paras du de la des del di della from of and ex von und от по делу года г №  n° nº núm recurso rec civ crim com soc sez un sent ord plén ass wyrok uchwała postanowienie arrêt sentencia acórdão sentenza постановление определение решение"

// isCourtCitation reports whether a text cites a decision of a court and says no more: its
// court or reporter, names, dates and numbers.
func isCourtCitation(s string) bool {
	const most = 20 // words
	list := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:/&–-[]", r) })
	if len(list) > most || !caseYear().MatchString(s) || !court().MatchString(s) {
		return false
	}
	date := map[string]bool{}
	if m := month().FindStringSubmatch(s); m != nil {
		date[m[1]] = true
	}
	for _, w := range guard.Words(s) {
		switch {
		case w.Kind == guard.Date:
			for _, part := range strings.Fields(w.Text) {
				date[part] = true
			}
		case w.Kind == guard.Unit && w.End == len(s):
			return false // 1/12 V
		case w.Kind != guard.Name && w.Kind != guard.Number && w.Kind != guard.Unit && w.Norm != "no":
			return false
		}
	}
	for i, w := range list {
		first, bare := char.First(w), strings.Trim(w, ".")
		if unicode.IsLetter(first) && unicode.ToUpper(first) == first && !unicode.IsUpper(first) && utf8.RuneCountInString(w) > 4 && !strings.ContainsFunc(w, unicode.IsDigit) {
			return false // a letter without case, and too many for a court or its decision
		}
		known := !unicode.IsLower(first) || words.Unspaced(first) || date[w] || date[bare] || isCitationWord(bare, i == 0) || slices.Contains(strings.Fields(courtWords), bare)
		if !known {
			return false
		}
	}
	return true
}
