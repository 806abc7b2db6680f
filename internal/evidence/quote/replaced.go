package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
	"github.com/research-council/research-council/internal/evidence/quote/spelling"
)

// pronouns stand for what a text has named before, or say whose something is, by
// language.
var pronouns = map[string]string{
	"en": "it he she they we i you this that these those its his her their our my your him them us me ours theirs hers which who",
	"de": "er sie es wir ich dies diese dieser dieses diesen diesem das ihn ihm ihnen ihr ihre ihren ihrem ihrer ihres sein seine seinen seinem seiner seines unser unsere unseren mein meine deren dessen",
	"fr": "il elle ils elles nous je on ce cet cette ces cela ceci celui-ci celle-ci son sa ses leur leurs notre nos mon ma mes lui",
	"es": "él ella ellos ellas yo esta este esto estas estos ésta éste su sus nuestro nuestra mi mis",
	"pt": "ele ela eles elas eu isso isto este esta esse essa estes estas seu sua seus suas nosso nossa meu minha",
	"it": "egli ella lui lei essa esso essi esse loro io questo questa questi queste ciò suo sua suoi sue nostro nostra mio mia",
	"nl": "hij zij ze het dit dat deze die we wij ik zijn haar hun ons onze mijn",
	"sv": "han hon den det de vi jag detta denna dessa hans hennes dess deras sin sitt sina vår vårt våra min mitt",
	"fi": "se hän he ne tämä nämä me minä sen hänen heidän niiden tämän",
	"pl": "on ona ono oni one my ja to ten ta ci te jego jej ich tego tej swój swoje swoją nasz nasza mój",
	"ru": "он она оно они мы я это этот эта эти его её ее их свой своя своё свои наш наша мой моя",
	"tr": "o bu şu onlar bunlar biz ben onun bunun onların",
	"id": "ia dia mereka ini itu kami kita saya",
	"vi": "nó họ chúng đó này ông bà anh chị tôi",
	"hi": "वह यह वे ये मैं हम इसने उसने उन्होंने इसे उसे इसका उसका उनका",
	"ar": "هو هي هم هذا هذه ذلك تلك أنا نحن",
	"zh": "它 他 她 它们 他们 她们 我们 这 那 其 该 此",
	"ja": "これ それ あれ 彼 彼女 彼ら 同 その この",
	"ko": "그는 그가 그녀는 그들은 그것은 이는 이것은 이들은 그 이",
}

// part is a part of a quotation: words of its text, or what its quoter has put in
// brackets.
type part struct {
	text    string
	gloss   bool
	spelled bool // a word of which some letters stand in brackets
}

// bracketed is what stands in brackets, with the letters right beside.
var bracketed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\p{L}\p{M}]*)[\[［]([^\[\]［］…]{1,80})[\]］]([\p{L}\p{M}]*)`)
})

// splitAtGlosses splits a quotation at its brackets; nil for one with none, with
// many, or with one that decides something.
func (s *search) splitAtGlosses(quoted string) []part {
	const most = 4
	marks := bracketed().FindAllStringSubmatchIndex(quoted, -1)
	if len(marks) == 0 || len(marks) > most || ellipsis().MatchString(quoted) {
		return nil
	}
	var list []part
	at := 0
	for _, m := range marks {
		before, inside, behind := quoted[m[2]:m[3]], quoted[m[4]:m[5]], quoted[m[6]:m[7]]
		unspaced := words.Unspaced(lastRune(before)) || words.Unspaced(firstRune(behind))
		if unspaced {
			m[0], m[1] = m[3], m[6]
		}
		list = append(list, part{text: quoted[at:m[0]]})
		at = m[1]
		switch {
		case !unspaced && before+behind != "":
			list = append(list, part{text: before + inside + behind, gloss: true, spelled: true})
		case numberedNote().MatchString("[" + inside + "]"):
			return nil
		case s.explains(inside):
			list = append(list, part{text: inside, gloss: true})
		default:
			return nil
		}
	}
	list = append(list, part{text: quoted[at:]})
	return slices.DeleteFunc(list, func(p part) bool { return !p.gloss && !hasWordRune(p.text) })
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

// findReplaced looks for a quotation in which brackets stand for words of the text,
// in the text as it stands and as it is read.
func (s *search) findReplaced(quoted string) (Match, bool) {
	parts := s.splitAtGlosses(quoted)
	if parts == nil {
		return Match{}, false
	}
	if m, ok := s.findParts(parts); ok {
		return m, true
	}
	read := s.reading()
	if read.isSame() {
		return Match{}, false
	}
	t := s.readText()
	inner := search{Text: t, to: len(t.text), read: true}
	m, ok := inner.findParts(parts)
	if !ok {
		return Match{}, false
	}
	m = read.matchInText(m)
	return m, m.Start >= s.from && m.End <= s.to
}

// findParts looks for the parts of a quotation, one right behind the other but for
// what the brackets between them stand for.
func (s *search) findParts(parts []part) (Match, bool) {
	var places [][]Span
	var beside []Span
	for _, p := range parts {
		if p.gloss {
			continue
		}
		q := newQuery(strings.TrimSpace(p.text))
		if q == nil {
			return Match{}, false
		}
		found := s.findPart(q, false, false, beside)
		if other, ok := otherInitial(q.raw); ok && len(places) == 0 {
			if o := newQuery(other); o != nil {
				found = append(found, s.findPart(o, false, false, beside)...)
			}
		}
		if len(found) == 0 {
			return Match{}, false
		}
		places = append(places, found)
		if beside == nil {
			beside = found
		}
	}
	if len(places) == 0 {
		return Match{}, false
	}
	for _, chain := range chains(places) {
		m, ok := s.replacedWithin(parts, chain)
		if !ok {
			continue
		}
		if m, ok := s.acceptMatch(m, 0); ok {
			return m, true
		}
	}
	return Match{}, false
}

// replacedWithin is the passage of which the words stand at some places, when what
// stands between them, and at its ends, is what the brackets may stand for.
func (s *search) replacedWithin(parts []part, chain []Span) (Match, bool) {
	m := Match{Tier: Normalised, Start: chain[0].Start, End: chain[len(chain)-1].End}
	n := 0 // of the words before
	for i, p := range parts {
		if !p.gloss {
			n++
			continue
		}
		g := Span{s.clauseStart(chain[0].Start), chain[0].Start}
		switch {
		case i == len(parts)-1:
			g = Span{m.End, s.clauseEnd(m.End)}
		case n > 0:
			g = Span{chain[n-1].End, chain[n].Start}
		}
		g = trimSpan(s.text, g.Start, g.End)
		if g.Start >= g.End {
			continue
		}
		if !s.standsFor(p, s.text[g.Start:g.End]) {
			return Match{}, false
		}
		m.Start, m.End = min(m.Start, g.Start), max(m.End, g.End)
		m.Gaps = append(m.Gaps, g)
	}
	for i := range len(chain) - 1 { // words with nothing between them but what was looked at
		between := s.text[chain[i].End:chain[i+1].Start]
		if len(between) > 80 || strings.ContainsAny(between, ".!?") {
			return Match{}, false
		}
	}
	return m, true
}

// clauseStart is where the clause begins that goes on at a place.
func (s *search) clauseStart(at int) int {
	from := words.RuneStart(s.text, at-120)
	before := strings.TrimRight(s.text[from:at], " \n")
	i := strings.LastIndexAny(before, ".!?;:,()[]\"“„«»”‘\t。，、；：「")
	if i >= 0 {
		_, size := utf8.DecodeRuneInString(before[i:])
		from += i + size
	}
	for i := at - 1; i > from; i-- {
		if s.text[i] == '\n' && governing.IsBreak(s.text, i) {
			return i
		}
	}
	return from
}

// clauseEnd is where the clause ends that goes on at a place.
func (s *search) clauseEnd(at int) int {
	to := words.RuneStart(s.text, at+120)
	if i := strings.IndexAny(s.text[at:to], ".!?;:,()[]\"“”»«’。，、；：」\t\n"); i >= 0 {
		return at + i
	}
	return to
}

// standsFor reports whether what a quoter has put in brackets may stand for some
// words of the text: a pronoun, or one before words that stand in the brackets too,
// or a word spelt alike. What decides something is not replaced.
func (s *search) standsFor(p part, replaced string) bool {
	const few = 4
	list := strings.Fields(strings.ToLower(replaced))
	low := strings.ToLower(p.text)
	if len(list) == 0 || len(list) > few {
		return false
	}
	if len(list) == 1 && !strings.ContainsFunc(low, unicode.IsSpace) && isSpeltLike(p, low, list[0]) {
		return true
	}
	if p.spelled {
		return false
	}
	for _, word := range strings.Fields(pronouns[guard.Language(s.text[:words.RuneStart(s.text, 4096)])]) {
		if word == list[0] {
			return !slices.ContainsFunc(list[1:], func(w string) bool { return !strings.Contains(low, w) })
		}
	}
	return false
}

// isSpeltLike reports whether one word, in small letters, sets another right, or has
// another ending in brackets.
func isSpeltLike(p part, ours, theirs string) bool {
	decides := func(w guard.Word) bool { return w.Kind != guard.Name }
	if slices.ContainsFunc(guard.Words(ours), decides) || slices.ContainsFunc(guard.Words(theirs), decides) {
		return false
	}
	if spelling.Misspells(ours, theirs) || spelling.Misspells(withoutAccents(ours), withoutAccents(theirs)) {
		return p.spelled || !spelling.IsEnglish(theirs) || !spelling.IsEnglish(ours)
	}
	const ending = 3
	same := 0 // letters at the beginning
	for same < min(len(ours), len(theirs)) && ours[same] == theirs[same] {
		same++
	}
	return p.spelled && same >= ending && max(len(ours), len(theirs))-same <= ending
}

// withoutAccents is a word without the marks on its letters.
func withoutAccents(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, norm.NFD.String(word))
}
