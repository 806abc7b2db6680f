package quote

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// isProp reports whether a text of English has a "one" that stands for a noun and is no
// number: a mark stands behind it, an article or what points before it or before the
// adjective that it has.
func isProp(before, word, behind, language string) bool {
	if low := strings.ToLower(word); language != "en" || low != "one" && low != "ones" || firstWordOf(behind) == "of" {
		return false
	} else if low == "ones" {
		return true
	}
	list := nounWords(lastWords(before, 2))
	if len(list) == 0 || isPreposition(list[len(list)-1]) && !has(articles, "en", list[len(list)-1]) {
		return false
	}
	return !char.IsOfWord(char.First(strings.TrimLeft(behind, " \n"))) || slices.ContainsFunc(list, func(w string) bool {
		return has(articles, "en", w) || has(pointers, "en", w) || w == "another"
	})
}

// isThisOne reports whether words of English are a "one" with what points to it.
func isThisOne(text, language string) bool {
	list := nounWords(text)
	return language == "en" && len(list) == 2 && (list[1] == "one" || list[1] == "ones") && (has(pointers, language, list[0]) || list[0] == "the")
}

// isLastNamed reports whether what brackets put for a "one" is what the text before it has
// named last, in the same number: neither the sentence of the "one" nor the one before names
// something else behind it.
func isLastNamed(text, ours, one string) bool {
	const far = 800 // bytes
	list := nounWords(ours)
	if has(articles, "en", list[0]) || has(pointers, "en", list[0]) {
		list = list[1:]
	}
	plural := strings.HasSuffix(strings.ToLower(one), "s")
	if len(list) == 0 || plural != isPlural(list[len(list)-1]) {
		return false
	}
	text = text[words.RuneStart(text, len(text)-far):]
	own := text[lastSentence(text):]
	if n := afterNoun(own, list); n >= 0 {
		return !namesAnother(own[n:], plural, true)
	}
	n := afterNoun(text, list)
	if n < 0 || namesAnother(own, plural, true) {
		return false
	}
	previous := strings.TrimRight(text[:len(text)-len(own)], " \n.!?”\"")
	if from := lastSentence(previous); from > n && !isThisOne(one, "en") && namesAnother(previous[from:], plural, false) {
		return false
	}
	return true
}

// afterNoun is where the words behind a noun begin that a text has last, -1 without it.
func afterNoun(text string, noun []string) int {
	list, at := nounWords(text), 0
	found := -1
	for i, w := range list {
		at += strings.Index(strings.ToLower(text[at:]), w) + len(w)
		if i+1 >= len(noun) && slices.EqualFunc(list[i+1-len(noun):i+1], noun, isSameNoun) {
			found = at
		}
	}
	return min(found, len(text))
}

// namesAnother reports whether a text names something that a "one" or "ones" behind it may
// stand for: by an article or what points, in the sentence of the "one", of which the last
// words may be its own; elsewhere as something new, by an "a".
func namesAnother(text string, plural, own bool) bool {
	const phrase = 3 // words
	list := nounWords(text)
	for i, w := range list {
		some := w == "a" || w == "an"
		if !has(articles, "en", w) && !has(pointers, "en", w) || plural && some || !own && (!some || i > 0 && isPreposition(list[i-1])) {
			continue
		}
		named := list[i+1:]
		if some && len(named) > 0 && slices.Contains(strings.Fields("second minute hour day night week month year head piece few lot bit while"), named[0]) {
			continue // ten a day
		}
		if plural && !slices.ContainsFunc(named[:min(phrase, len(named))], isPlural) {
			continue
		}
		if own && len(named) < phrase || slices.ContainsFunc(named[:min(phrase, len(named))], func(w string) bool { return w == "one" || w == "ones" }) {
			continue
		}
		return true
	}
	return false
}

// isPlural reports whether a noun of English is written as a plural.
func isPlural(noun string) bool {
	return strings.HasSuffix(noun, "s") && !strings.HasSuffix(noun, "ss")
}

// isSameNoun reports whether two words are the same but for a plural.
func isSameNoun(a, b string) bool {
	singular := func(w string) string {
		if root, ok := strings.CutSuffix(w, "ies"); ok {
			return root + "y"
		}
		return strings.TrimSuffix(w, "s")
	}
	return singular(a) == singular(b)
}
