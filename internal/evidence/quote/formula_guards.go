package quote

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// calculatesOtherwise gives what a quotation raises and its passage lowers, the other way round, a
// charge with the other sign, or an operator between the same two terms that undoes the passage's.
func calculatesOtherwise(quoted, passage string) (guard.Finding, bool) {
	const signs = "^_+/*<₀₁₂₃₄₅₆₇₈₉₊₋⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻·⋅×÷−"
	if !strings.ContainsAny(quoted, signs) && !strings.ContainsAny(passage, signs) {
		return guard.Finding{}, false
	}
	theirs := scriptsIn(passage)
	for s, text := range scriptsIn(quoted) {
		opposite := s
		opposite.raised = !s.raised
		if _, same := theirs[s]; same {
			continue
		}
		if t, ok := theirs[opposite]; ok {
			return guard.Finding{Kind: guard.Number, Quote: text, Text: t}, true
		}
	}
	ours := chargesIn(quoted)
	for ion, sign := range chargesIn(passage) {
		if o := ours[ion]; o != "" && o != sign {
			return guard.Finding{Kind: guard.Name, Quote: ion + o, Text: ion + sign}, true
		}
	}
	operators := operatorsIn(passage)
	for terms, op := range operatorsIn(quoted) {
		if o := operators[terms]; o != "" && (op+o == "*/" || op+o == "/*" || op+o == "+-" || op+o == "-+") {
			return guard.Finding{Kind: guard.Comparator, Quote: op, Text: o}, true
		}
	}
	return guard.Finding{}, false
}

// script is a number above or below the line, with the letter it stands at.
type script struct {
	base, number string
	raised       bool
}

// aScript is a letter with a number above or below the line, as it is set, tagged or typed.
var aScript = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\pL)(?:(\^|<sup>)\{?(\d{1,3})|(_|<sub>)\{?(\d{1,3})|([⁰¹²³⁴⁵⁶⁷⁸⁹]+)|([₀₁₂₃₄₅₆₇₈₉]+))`)
})

func scriptsIn(text string) map[script]string {
	list := map[script]string{}
	for _, m := range aScript().FindAllStringSubmatch(text, -1) {
		number := strings.Map(reading.PlainDigit, m[3]+m[5]+m[6]+m[7])
		list[script{m[1], number, m[2]+m[6] != ""}] = m[0]
	}
	return list
}

// aCharge is an ion with its charge.
var aCharge = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\pL\pN_])(\p{Lu}\p{Ll}?)(?:<sup>|\^?\{?)([\d⁰¹²³⁴⁵⁶⁷⁸⁹]?)([+⁺⁻−-])(?:$|[^\pL\pN])`)
})

func chargesIn(text string) map[string]string {
	list := map[string]string{}
	for _, m := range aCharge().FindAllStringSubmatch(text, -1) {
		sign := strings.Map(reading.PlainDigit, m[3])
		if sign == "−" {
			sign = "-"
		}
		ion := m[1] + strings.Map(reading.PlainDigit, m[2])
		if old, ok := list[ion]; ok && old != sign {
			sign = "" // it has both
		}
		list[ion] = sign
	}
	return list
}

// anOperator stands between two terms.
var anOperator = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\pL\pN]+)\s?([·⋅∙×*/÷+−-])\s?([\pL\pN]+)`)
})

func operatorsIn(text string) map[[2]string]string {
	list := map[[2]string]string{}
	for at := 0; ; {
		m := anOperator().FindStringSubmatchIndex(text[at:])
		if m == nil {
			return list
		}
		op := text[at+m[4] : at+m[5]]
		switch op {
		case "·", "⋅", "∙", "×":
			op = "*"
		case "÷":
			op = "/"
		case "−":
			op = "-"
		}
		terms := [2]string{text[at+m[2] : at+m[3]], text[at+m[6] : at+m[7]]}
		if old, ok := list[terms]; ok && old != op {
			op = "" // they have both
		}
		list[terms] = op
		at += m[6] // the second term may be the first of another
	}
}
