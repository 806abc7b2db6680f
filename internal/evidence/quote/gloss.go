package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

// gloss is what a quoter has put in square brackets: a changed letter, a remark
// or a name for a pronoun.
var gloss = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[([^\[\]…]{1,80})\]|［([^［］…]{1,40})］`)
})

// changedLetter is a letter in brackets that belongs to a word.
var changedLetter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[(\p{L})\](\p{L})`)
})

// remark is what a quoter says of the quotation: [sic], [emphasis added].
var remark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s?[\[(](?i:sic!?|recte|emphasis (?:added|mine|ours|in original)|italics (?:added|mine)|hervorhebung[^\])]{0,30}|souligné[^\])]{0,30}|cursiva[^\])]{0,30}|sublinhado[^\])]{0,30}|corsivo[^\])]{0,30}|原文ママ|原文如此|так в тексте|так!)[\])]`)
})

// pronouns stand for what a text has named before, by language.
var pronouns = map[string]string{
	"en": "it he she they we I you this that these those its his her their our him them us which who",
	"de": "er sie es wir ich dies diese dieser dieses das ihn ihm ihnen",
	"fr": "il elle ils elles nous on ce cela ceci celui-ci celle-ci",
	"es": "él ella ellos ellas esta este esto estas estos ésta éste",
	"pt": "ele ela eles elas isso isto este esta esse essa",
	"it": "egli ella lui lei essa esso essi esse loro questo questa ciò",
	"nl": "hij zij ze het dit dat deze we wij",
	"sv": "han hon den det de vi detta denna dessa",
	"fi": "se hän he ne tämä nämä me",
	"pl": "on ona ono oni one to ten ta ci",
	"ru": "он она оно они это этот эта эти мы",
	"tr": "o bu şu onlar bunlar biz",
	"id": "ia dia mereka ini itu kami kita",
	"vi": "nó họ chúng đó này ông bà anh chị",
	"hi": "वह यह वे ये इसने उसने उन्होंने इसे उसे इसका",
	"ar": "هو هي هم هذا هذه ذلك تلك",
	"zh": "它 他 她 它们 他们 她们 这 那 其 该",
	"ja": "これ それ 彼 彼女 彼ら 同",
	"ko": "그는 그가 그녀는 그들은 그것은 이는 이것은 이들은 그",
}

// findGlossed looks for a quotation whose quoter has put something in brackets.
// What is in them may stand for nothing or for a pronoun, and decides nothing.
func (s *search) findGlossed(quoted string) (Match, bool) {
	if !strings.ContainsAny(quoted, "[［(") {
		return Match{}, false
	}
	plain := changedLetter().ReplaceAllString(remark().ReplaceAllString(quoted, ""), "$1$2")
	marks := slices.DeleteFunc(gloss().FindAllStringSubmatchIndex(plain, -1), func(m []int) bool {
		return numberedNote().MatchString(plain[m[0]:m[1]])
	})
	if len(marks) == 0 {
		if plain == quoted {
			return Match{}, false
		}
		return s.findPlainly(plain)
	}
	if len(marks) > 3 {
		return Match{}, false
	}
	for _, m := range marks {
		if !s.explains(strings.Trim(plain[m[0]:m[1]], "[]［］")) {
			return Match{}, false
		}
	}
	without := withoutGlosses(plain, marks, "")
	if m, ok := s.findPlainly(without); ok && s.standsWhole(m, plain, marks) {
		return m, true
	}
	for _, word := range strings.Fields(pronouns[guard.Language(s.text[:words.RuneStart(s.text, 4096)])]) {
		if m, ok := s.findPlainly(withoutGlosses(plain, marks, word)); ok && m.Tier != Elided {
			return m, true
		}
	}
	return Match{}, false
}

// findPlainly looks for a quotation in the text as it stands and as it is read.
func (s *search) findPlainly(quoted string) (Match, bool) {
	if m, ok := s.find(quoted); ok {
		return m, true
	}
	return s.findRead(quoted)
}

// withoutGlosses puts a word in place of the first gloss and nothing in place of
// the others.
func withoutGlosses(plain string, marks [][]int, word string) string {
	var out strings.Builder
	at := 0
	for _, m := range marks {
		before := plain[at:m[0]]
		if word == "" {
			before = strings.TrimRight(before, " ")
		}
		out.WriteString(before)
		out.WriteString(word)
		word, at = "", m[1]
	}
	out.WriteString(plain[at:])
	return strings.TrimSpace(out.String())
}

// standsWhole reports whether a passage at whose beginning or end a gloss was left
// out begins or ends its sentence, so that the gloss replaces nothing.
func (s *search) standsWhole(m Match, plain string, marks [][]int) bool {
	head, tail := governing.Rest(s.text, m.Start, m.End, readPart)
	if marks[0][0] == 0 && strings.ContainsFunc(head, isWordRune) {
		return false
	}
	last := marks[len(marks)-1][1]
	return strings.ContainsFunc(plain[last:], isWordRune) || !strings.ContainsFunc(tail, isWordRune)
}

// explains reports whether a gloss says nothing that decides: its numbers stand in
// the text, and it has no negation, bound or the like.
func (s *search) explains(inside string) bool {
	if first, size := utf8.DecodeRuneInString(inside); size == len(inside) && (unicode.IsLower(first) || unicode.IsUpper(first)) {
		return false
	}
	for _, w := range guard.Words(inside) {
		switch w.Kind {
		case guard.Name:
		case guard.Number, guard.Date:
			if !strings.Contains(s.text, w.Text) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
