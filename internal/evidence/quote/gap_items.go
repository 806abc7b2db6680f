package quote

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// joiners stand before the last item of a list: some whatever the language, others, which are
// other words elsewhere, by language.
var joiners = map[string]string{
	"":   "and or & und oder sowie bzw. et ou och eller oraz lub albo nebo и или або та sekä tai ve veya atau hoặc và vagy és sau și i y e",
	"es": "y e o u", "pt": "e", "it": "e ed o", "nl": "en of", "sv": "samt", "da": "og", "no": "og", "pl": "i", "uk": "і й", "cs": "a i", "fi": "ja", "id": "dan", "ca": "i o",
}

// joinsItem reports whether a word stands before the last item of a list.
func joinsItem(word, language string) bool {
	return has(joiners, "", word) || has(joiners, language, word)
}

// isListItem reports whether a name, or an adjective that denies in one word, is an item of a list
// that is left out, alone or with others: a comma stands before it, and the list goes on, up to
// the item that is joined to the others. What is said of the items that stay is said as before.
func isListItem(g gap, w guard.Word) bool {
	const most, longest = 3, 8 // words of an item, items
	if g.end != 0 || w.Start < 0 || w.End > len(g.inside) || w.Kind != guard.Name && !(w.Kind == guard.Negation && isNegativeAdjective(w)) {
		return false
	}
	opened := strings.HasPrefix(g.inside, ",") || lastOf(g.text[:g.from]) == ","
	if !opened || sentenceEnd(g.inside) >= 0 {
		return false
	}
	behind := strings.TrimLeft(g.text[g.to:words.RuneStart(g.text, g.to+4*maxNearby)], " \n")
	closed := strings.HasSuffix(g.inside, ",") || strings.HasPrefix(behind, ",")
	named := false // by an item that begins with a capital
	for item := range strings.SplitSeq(strings.Trim(g.inside, ", "), ",") {
		list := strings.Fields(item)
		if len(list) == 0 || len(list) > most || strings.ContainsAny(item, "();:—–\"“„«") || joinsItem(list[0], g.language()) {
			return false
		}
		if strings.TrimSpace(item) == w.Text {
			named = true
		}
		named = named || w.Kind == guard.Name && unicode.IsUpper(char.First(list[0])) && strings.Contains(item, w.Text)
	}
	if !named {
		return false
	}
	for n, rest := 0, strings.TrimLeft(behind, ", \n"); n < longest; n++ {
		list := strings.Fields(rest)
		if len(list) > 1 && joinsItem(list[0], g.language()) {
			return w.Kind != guard.Name || !unicode.IsLower(char.First(list[1])) || n == 0
		}
		if !closed && n == 0 || len(list) == 0 {
			return false
		}
		item, after, _ := strings.Cut(rest, ",")
		list = strings.Fields(item)
		if at := slices.IndexFunc(list, func(w string) bool { return joinsItem(w, g.language()) }); at > 0 && at <= most && len(list) > at+1 {
			return w.Kind != guard.Name || unicode.IsUpper(char.First(item)) && unicode.IsUpper(char.First(list[at+1]))
		}
		if after == "" || len(list) > most || strings.ContainsAny(item, ".!?();:—–") || w.Kind == guard.Name && !unicode.IsUpper(char.First(item)) {
			return false
		}
		rest = strings.TrimLeft(after, " \n")
	}
	return false
}

// isOnePairOfBrackets reports whether a text is what stands in one pair of round brackets within a
// sentence, a comma or the like aside: abbreviations in it end none.
func isOnePairOfBrackets(text string) bool {
	text = strings.TrimRight(strings.TrimSpace(text), ",;: \n")
	if !strings.HasPrefix(text, "(") && !strings.HasPrefix(text, "（") {
		return false
	}
	depth := 0
	for i, r := range text {
		switch r {
		case '(', '（':
			depth++
		case ')', '）':
			if depth--; depth == 0 {
				return i+len(string(r)) == len(text)
			}
		case '\n':
			if strings.HasPrefix(text[i:], "\n\n") {
				return false
			}
		}
	}
	return false
}
