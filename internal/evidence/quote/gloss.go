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
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
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

// withPostposition is what brackets name for a pronoun of Hungarian or Finnish, and the word behind
// it that is one with the pronoun in the text, or has an ending for it: szerinte, hänen mukaansa.
var withPostposition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\[[^\[\]]{2,80})\] (szerint|alatt|mellett|előtt|után|miatt|nélkül|helyett|között|ellen|által|felett|mögött|mukaan|kanssa|puolesta|vuoksi|ansiosta|takia|johdolla|aikana|luona|edessä|jälkeen|mielestä)(?:$|\b)`)
})

// remark is what a quoter says of the quotation: [sic], [emphasis added].
var remark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s?[\[(［（](?i:sic!?|sic passim|so!|recte|(?:emphasis|italics|bold|translation|our (?:emphasis|italics|translation)|my (?:emphasis|italics|translation))[^\])]{0,30}|kursiv[^\])]{0,30}|übersetzung[^\])]{0,30}|énfasis[^\])]{0,30}|traduc[^\])]{0,30}|tradu[zç][^\])]{0,30}|podkreśl[^\])]{0,30}|wyróżn[^\])]{0,30}|tłum[^\])]{0,30}|pisownia[^\])]{0,30}|penekanan[^\])]{0,30}|cetak miring[^\])]{0,30}|nadruk[^\])]{0,30}|cursivering[^\])]{0,30}|выделено[^\])]{0,30}|курсив[^\])]{0,30}|hervorhebung[^\])]{0,30}|souligné[^\])]{0,30}|cursiva[^\])]{0,30}|sublinhado[^\])]{0,30}|corsivo[^\])]{0,30}|原文ママ|原文のまま|傍点[^\])］]{0,12}|強調[^\])］]{0,12}|原文如此|(?:重点|着重号?|强调|黑体)[^\])］]{0,12}|강조[^\])]{0,12}|원문[^\])]{0,12}|ママ|كذا|так в тексте|так!)[\])］）]`)
})

// wideBrackets are those that a quoter in Chinese or Japanese puts for square ones.
var wideBrackets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`〔[^〔〕…]{1,40}〕|【[^【】…]{1,40}】`)
})

// findGlossed looks for a quotation whose quoter has put something in brackets.
// What is in them may stand for nothing, for what points back, or for a word spelt
// alike, and decides nothing. In a row of a table it may name the column of a cell.
func (s *search) findGlossed(quoted string) (Match, bool) {
	m, ok := findWithoutGlosses(s, quoted)
	if ok && namesColumn(s, m, quoted) {
		return s.findTypedRow(strings.NewReplacer("[", "", "]", "", "［", "", "］", "").Replace(quoted))
	}
	return m, ok
}

func findWithoutGlosses(s *search, quoted string) (Match, bool) {
	quoted = wideBrackets().ReplaceAllStringFunc(quoted, func(note string) string {
		if strings.Contains(s.text, note) {
			return note
		}
		return "[" + strings.Trim(note, "〔〕【】") + "]"
	})
	if !strings.ContainsAny(quoted, "[［(（") {
		return Match{}, false
	}
	if liftsCondition(quoted, s.language()) || citesOtherwise(s.text, quoted) {
		return Match{}, false
	}
	bare := remark().ReplaceAllString(quoted, "")
	if language := s.language(); language == "hu" || language == "fi" {
		bare = withPostposition().ReplaceAllString(bare, "$1 $2]")
	}
	plain := changedLetter().ReplaceAllString(bare, "$1$2")
	marks := slices.DeleteFunc(gloss().FindAllStringSubmatchIndex(plain, -1), func(m []int) bool {
		return reading.NumberedNote().MatchString(plain[m[0]:m[1]])
	})
	if len(marks) == 0 && plain != quoted {
		if m, ok := s.findPlainly(plain); ok {
			return m, true
		}
	}
	if m, ok := s.findReplaced(bare); ok {
		return m, true
	}
	if inner, ok := trimQuotationMarks(strings.TrimSpace(bare)); ok {
		if m, ok := s.findReplaced(inner); ok {
			return m, true
		}
	}
	if m, ok := s.findReplacedInParts(bare); ok {
		return m, true
	}
	if inner, ok := trimQuotationMarks(strings.TrimSpace(bare)); ok {
		if m, ok := s.findReplacedInParts(inner); ok {
			return m, true
		}
	}
	if len(marks) == 0 || len(marks) > 3 || slices.ContainsFunc(marks, func(m []int) bool {
		return isWithinWord(plain, m) || !s.explainsBehind(plain[:m[0]], strings.Trim(plain[m[0]:m[1]], "[]［］"))
	}) {
		return Match{}, false
	}
	if m, ok := s.findPlainly(withoutGlosses(plain, marks)); ok && s.standsWhole(m, plain, marks) {
		return m, true
	}
	return Match{}, false
}

// numberInFront is a number in brackets before anything else, and numberBehind one at the end.
var (
	numberInFront = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\W{0,3}\[(\d{1,4})\]`) })
	numberBehind  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[(\d{1,4})\]\s*$`) })
)

// beginsWithOtherNumber reports whether a quotation begins with a number in brackets, and the
// text has another in its place: "[2018] EWCA Civ 7" for "[2019] EWCA Civ 7".
func beginsWithOtherNumber(text, quoted string, m Match) bool {
	const most = 16 // bytes
	ours := numberInFront().FindStringSubmatch(quoted)
	if ours == nil {
		return false
	}
	theirs := numberBehind().FindStringSubmatch(text[words.RuneStart(text, m.Start-most):m.Start])
	return theirs != nil && theirs[1] != ours[1]
}

// isWithinWord reports whether brackets belong to the word beside them, as those of
// "[un]likely", so that the word is another without them.
func isWithinWord(text string, mark []int) bool {
	isLetter := func(r rune) bool { return char.IsOfWord(r) && !words.Unspaced(r) && !unicode.Is(unicode.Hangul, r) }
	return isLetter(char.Last(text[:mark[0]])) || isLetter(char.First(text[mark[1]:]))
}

// findPlainly looks for a quotation in the text as it stands and as it is read.
func (s *search) findPlainly(quoted string) (Match, bool) {
	if m, ok := s.find(quoted); ok {
		return m, true
	}
	return s.findRead(quoted)
}

// withoutGlosses leaves them out.
func withoutGlosses(plain string, marks [][]int) string {
	var out strings.Builder
	at := 0
	for _, m := range marks {
		out.WriteString(strings.TrimRight(plain[at:m[0]], " "))
		at = m[1]
	}
	out.WriteString(plain[at:])
	return strings.TrimSpace(out.String())
}

// standsWhole reports whether a passage at whose beginning or end a gloss was left
// out begins or ends its sentence, so that the gloss replaces nothing.
func (s *search) standsWhole(m Match, plain string, marks [][]int) bool {
	head, tail := governing.Rest(s.text, m.Start, m.End, reading.Part)
	if marks[0][0] == 0 && strings.ContainsFunc(head, char.IsOfWord) {
		return false
	}
	last := marks[len(marks)-1][1]
	return strings.ContainsFunc(plain[last:], char.IsOfWord) || !strings.ContainsFunc(tail, char.IsOfWord)
}

// isYearAlone reports whether a word is a year in digits, by which quoters say of which
// one a text speaks.
func isYearAlone(w guard.Word) bool {
	digits := strings.TrimRightFunc(w.Text, unicode.IsLetter) // the 1980s
	if ending := w.Text[len(digits):]; unicode.Is(unicode.Hangul, char.First(ending)) && ending != "년" {
		return false
	}
	return (w.Kind == guard.Date || len(digits) < len(w.Text)) && len(digits) == 4 && (digits[0] == '1' || digits[0] == '2') && utf8.RuneCountInString(w.Text) <= len("1980er")
}

// behindWord is what stands behind a word of a text.
func behindWord(text, word string) string {
	_, behind, _ := strings.Cut(text, word)
	return behind
}

// countsInKorean reports whether a text goes on, right behind a number, with what that counts
// in Korean: with letters, and not those for a year.
func countsInKorean(behind string) bool {
	return unicode.Is(unicode.Hangul, char.First(behind)) && !strings.HasPrefix(behind, "년")
}

// explains reports whether a gloss says nothing that decides: its numbers stand in
// the text or are years, and it has no negation, bound or the like.
func (s *search) explains(inside string) bool {
	if first, size := utf8.DecodeRuneInString(inside); size == len(inside) && (unicode.IsLower(first) || unicode.IsUpper(first)) {
		return false
	}
	for _, w := range deciding(label().ReplaceAllString(inside, ""), s.language()) {
		switch w.Kind {
		case guard.Number, guard.Date:
			if !strings.Contains(s.text, w.Text) && !(isYearAlone(w) && !countsInKorean(behindWord(inside, w.Text))) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// pronounBefore is the pronoun or the "here" that ends at a place of the text, with a noun
// behind a "this": whom a gloss behind it names is the quoter's word, so it is shown.
func pronounBefore(text, language string, at int) []Span {
	from := words.RuneStart(text, at-maxNearby)
	before := strings.TrimRightFunc(text[from:at], char.IsNotOfWord)
	end := from + len(before)
	if words.Unspaced(char.Last(before)) {
		for _, w := range strings.Fields(pronouns[language] + " " + runPointers[language]) {
			if strings.HasSuffix(before, w) {
				return []Span{{end - len(w), end}}
			}
		}
		return nil
	}
	isPronoun := func(w string) bool { return isPronoun(language, w) || has(hereAndNow, language, w) }
	for start, n := end, 0; n < 2; n++ {
		start = from + strings.LastIndexFunc(strings.TrimRightFunc(text[from:start], char.IsNotOfWord), unicode.IsSpace) + 1
		first := firstWordOf(text[start:end])
		if n == 0 && (isPronoun(first) || language == "en" && (first == "one" || first == "ones")) || n > 0 && has(pointers, language, first) {
			return []Span{{start, end}}
		}
		if start == from {
			break
		}
	}
	return nil
}

// citesOtherwise reports whether a quotation has the mark of a citation that the text does not have.
func citesOtherwise(text, quoted string) bool {
	return slices.ContainsFunc(gloss().FindAllStringSubmatch(quoted, -1), func(m []string) bool {
		return m[1] != "" && reading.CitesWork(m[1], text) && !strings.Contains(text, m[0])
	})
}
