package quote

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

// fallen and risen are comparators of English that say that there is less, or more, of a thing.
const fallen, risen = "fewer lower less smaller weaker rarer", "more higher larger stronger"

// namesRelation reports whether brackets behind "this" and a noun of English say of what relation
// of the sentence before the noun speaks: "This link [between shade and fewer deaths]". Their words
// are those of that sentence, and what is less or more is so there.
func namesRelation(s *search, before, inside string) bool {
	first := firstWordOf(lastWords(before, 2))
	if s.language() != "en" || first != "this" && first != "that" || !isPreposition(firstWordOf(inside)) && firstWordOf(inside) != "between" {
		return false
	}
	at := strings.Index(s.text, strings.TrimSpace(before))
	if at < 0 || strings.Count(s.text, strings.TrimSpace(before)) != 1 {
		return false
	}
	said := strings.TrimRight(s.text[words.RuneStart(s.text, at-governing.MaxAround):at], " .\n")
	said = said[lastSentence(said):]
	theirs := slices.DeleteFunc(deciding(said, "en"), func(w guard.Word) bool { return w.Kind != guard.Comparator && w.Kind != guard.Negation })
	ours := slices.DeleteFunc(deciding(inside, "en"), func(w guard.Word) bool { return w.Norm == "between" || w.Text == "between" })
	if len(theirs) != 1 || len(ours) != 1 || ours[0].Kind != guard.Comparator || !isSameWay(ours[0].Norm, theirs[0].Norm) {
		return false
	}
	list, head := wordsOf(said), wordsOf(said[:theirs[0].Start])
	among := func(list []string) func(string) bool {
		return func(w string) bool {
			return !isPreposition(w) && w != "between" && !slices.ContainsFunc(list, func(o string) bool { return sameStem(w, o) || sameStem(o, w) })
		}
	}
	behind := wordsOf(inside[ours[0].End:])
	is := slices.ContainsFunc(head, func(w string) bool { return slices.Contains(strings.Fields("is are was were"), w) })
	return is && len(behind) > 0 && !slices.ContainsFunc(behind, among(head)) && !slices.ContainsFunc(wordsOf(inside[:ours[0].Start]), among(list))
}

// wordsOf are the words of a text in small letters, those with hyphens in parts.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), char.IsNotOfWord)
}

// isSameWay reports whether two comparators both say that there is less of a thing, or more.
func isSameWay(a, b string) bool {
	return slices.ContainsFunc([]string{fallen, risen}, func(list string) bool {
		return slices.Contains(strings.Fields(list), a) && slices.Contains(strings.Fields(list), b)
	})
}
