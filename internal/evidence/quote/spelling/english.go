package spelling

import (
	_ "embed"
	"strings"
)

//go:embed english.txt
var englishText string // sorted, a word a line; see english.COPYING

// IsEnglish reports whether a word in small letters is one of the common words
// of English or made of one by a regular ending.
func IsEnglish(word string) bool { return hasEnglishBase(word, 3) }

func hasEnglishBase(word string, endings int) bool {
	if len(word) < 3 {
		return word == "a" || word == "i" || len(word) == 2 && strings.Contains(" am an as at be by do go he if in is it me my no of on or so to up us we ", " "+word+" ")
	}
	if isListed(word) {
		return true
	}
	if endings == 0 {
		return false
	}
	for _, ending := range [...]string{"s", "es", "ed", "d", "ing", "ly", "er", "r", "est", "st", "ness"} {
		base, ok := strings.CutSuffix(word, ending)
		if ok && len(base) >= 3 && takesEnding(base, ending) && hasEnglishStem(base, ending, endings-1) {
			return true
		}
	}
	return false
}

// takesEnding reports whether a base can have an ending.
func takesEnding(base, ending string) bool {
	n := len(base)
	vowel := func(i int) bool { return strings.IndexByte("aeiouy", base[i]) >= 0 }
	switch ending {
	case "d", "r", "st":
		return base[n-1] == 'e'
	case "es":
		return strings.IndexByte("sxzoih", base[n-1]) >= 0
	case "s":
		return strings.IndexByte("sxzi", base[n-1]) < 0
	case "ing", "ed", "er", "est": // a short base doubles its last letter: dragging
		return n > 4 || vowel(n-1) || !vowel(n-2) || vowel(n-3) || strings.IndexByte("wx", base[n-1]) >= 0
	}
	return true
}

// hasEnglishStem reports whether what remains before an ending is a word, once what
// the ending changes is undone.
func hasEnglishStem(base, ending string, endings int) bool {
	if hasEnglishBase(base, endings) {
		return true
	}
	n := len(base)
	if base[n-1] == 'i' && hasEnglishBase(base[:n-1]+"y", endings) {
		return true
	}
	if ending != "ed" && ending != "ing" && ending != "er" && ending != "est" {
		return false
	}
	return hasEnglishBase(base+"e", endings) || n > 3 && base[n-1] == base[n-2] && strings.IndexByte("aeiou", base[n-3]) >= 0 && hasEnglishBase(base[:n-1], endings)
}

// isListed reports whether the list has a word, by halving it.
func isListed(word string) bool {
	low, high := 0, len(englishText)
	for low < high {
		middle := (low + high) / 2
		start := strings.LastIndexByte(englishText[:middle], '\n') + 1
		end := start + strings.IndexByte(englishText[start:], '\n')
		switch line := englishText[start:end]; {
		case line == word:
			return true
		case line < word:
			low = end + 1
		default:
			high = start
		}
	}
	return false
}
