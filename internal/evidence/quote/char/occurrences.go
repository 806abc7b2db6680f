package char

import "strings"

// Occurrences gives every place of word in text, overlapping ones too, in
// time linear in both (Knuth, Morris, Pratt 1977). word is not empty.
func Occurrences(text, word string) func(func(int) bool) {
	return func(yield func(int) bool) {
		first := strings.Index(text, word)
		if first < 0 || !yield(first) {
			return
		}
		borders := borders(word)
		matched := borders[len(word)-1]
		for i := first + len(word); i < len(text); i++ {
			for matched > 0 && text[i] != word[matched] {
				matched = borders[matched-1]
			}
			if text[i] == word[matched] {
				matched++
			}
			if matched < len(word) {
				continue
			}
			if !yield(i + 1 - len(word)) {
				return
			}
			matched = borders[matched-1]
		}
	}
}

// borders gives for each prefix of word the length of its longest proper
// border: a part that both begins and ends it.
func borders(word string) []int {
	b := make([]int, len(word))
	for i, k := 1, 0; i < len(word); i++ {
		for k > 0 && word[i] != word[k] {
			k = b[k-1]
		}
		if word[i] == word[k] {
			k++
		}
		b[i] = k
	}
	return b
}
