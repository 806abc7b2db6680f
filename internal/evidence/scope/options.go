package scope

import (
	"slices"
	"strings"
	"unicode"
)

// Options lists the options a topic names side by side, as "X or Y", "X, Y or
// Z", "X vs Y", "compare X with Y". None are given where fewer than two are
// named.
func Options(topic string) []string {
	for _, s := range sentences(beginningAndEnd(topic)) {
		if list := optionsOf(s); len(list) >= 2 {
			return list
		}
	}
	return nil
}

func optionsOf(sentence string) []string {
	words := strings.Fields(spaceSeparators(sentence))
	at := slices.IndexFunc(words, isOr)
	if at < 0 && beginsWithAny(foldWords(sentence), comparing()) {
		at = slices.IndexFunc(words, isAnd)
	}
	if at <= 0 {
		return nil
	}
	first, last := at, at
	for last+1 < len(words) && !endsOption(words[last+1]) {
		last++
	}
	for first > 0 && !endsOption(words[first-1]) {
		first--
	}
	return split(words[first : last+1])
}

// spaceSeparators puts blanks around what parts options: commas, and the Chinese words
// that join two.
func spaceSeparators(s string) string {
	return strings.NewReplacer(",", " , ", "，", " , ", "、", " , ", "还是", " or ", "還是", " or ", "或者", " or ", "それとも", " or ", "または", " or ", "?", " ? ", "？", " ? ", ":", " : ").Replace(s)
}

func comparing() []string {
	return []string{"compare", "comparison of", "comparison between", "difference between", "differences between", "choose between", "what is the difference between", "vergleiche", "vergleich von", "comparer", "compare", "comparar", "compara", "сравни", "сравнить"}
}

// isOr reports whether a word stands between two options.
func isOr(word string) bool {
	w := strings.Trim(strings.ToLower(word), ".")
	return w == "vs" || w == "versus" || slices.Contains(orWords(), w)
}

// isAnd reports whether a word stands between two options that are to be
// compared.
func isAnd(word string) bool {
	return slices.Contains([]string{"and", "with", "to", "against", "und", "mit", "et", "avec", "à", "y", "con", "и", "с", ","}, strings.ToLower(word))
}

// endsOption reports whether a word cannot be part of an option's name.
func endsOption(word string) bool {
	return slices.Contains([]string{
		"?", ":", "for", "in", "as", "when", "if", "on", "at", "by", "should", "we", "i", "use", "using", "choose", "pick", "prefer", "adopt", "is", "are", "does", "do", "between", "compare", "of", "better", "faster", "be", "our", "to", "go", "switch",
		"für", "wir", "sollen", "sollten", "ist", "nehmen", "verwenden", "zwischen", "pour", "nous", "utiliser", "choisir", "entre", "para", "usar", "elegir", "для", "использовать", "выбрать", "лучше", "между",
	}, word) || strings.EqualFold(word, "should") || strings.EqualFold(word, "compare") || strings.EqualFold(word, "is")
}

// split parts words at what joins options. A part of more than four words is
// no name: then nothing is named.
func split(words []string) []string {
	var list, part []string
	flush := func() bool {
		name := strings.TrimFunc(strings.Join(part, " "), func(r rune) bool { return unicode.IsPunct(r) && r != ')' && r != '+' && r != '#' })
		if len(part) > 4 {
			return false
		}
		if name != "" {
			list = append(list, name)
		}
		part = nil
		return true
	}
	for _, w := range words {
		if w != "," && !isOr(w) && !isAnd(w) {
			part = append(part, w)
			continue
		}
		if !flush() {
			return nil
		}
	}
	if !flush() {
		return nil
	}
	return list
}
