package extract

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// setPages puts the pages of a PDF together, those left out whose letters are not
// the ones that a reader sees.
func (d *Document) setPages(pages []string) {
	var text strings.Builder
	garbled, read := 0, 0
	for _, p := range pages {
		if isGarbled(p) {
			garbled++
			d.Pages = append(d.Pages, text.Len())
			continue
		}
		if read++; read > 1 {
			text.WriteString("\n\n")
		}
		d.Pages = append(d.Pages, text.Len())
		text.WriteString(NormaliseText(latinLigatures().Replace(p)))
	}
	whole := text.String()
	d.setText([]string{whole}, nil)
	blank := len(whole) - len(strings.TrimLeftFunc(whole, unicode.IsSpace))
	for i, at := range d.Pages {
		d.Pages[i] = min(max(at-blank, 0), len(d.Text))
	}
	if garbled > 0 {
		d.addWarning(Garbled, fmt.Sprintf("the fonts of %d of %d pages do not say which letters they show", garbled, len(pages)))
	}
}

// latinLigatures writes joined letters, which are a matter of the font, as the
// letters they are.
func latinLigatures() *strings.Replacer {
	return strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")
}

// A page is judged by as many signs. Languages written in Latin letters have 30 to
// 50 vowels among a hundred letters; those of a font whose codes are taken for
// letters, a shift of the alphabet or no order at all, have some 15. Few pages
// have more than one sign in a thousand that no font tells.
const (
	leastSigns      = 40  // below which a page is not judged
	leastLetters    = 200 // of Latin, likewise for its vowels
	unreadableShare = 10  // percent of a page's signs from which on it is no text
	leastVowels     = 20  // percent of Latin letters
)

// isGarbled reports whether a page holds other letters than are seen on it.
func isGarbled(page string) bool {
	var signs, unreadable, letters, latin, vowels int
	for _, r := range page {
		if unicode.IsSpace(r) {
			continue
		}
		signs++
		if isUnreadable(r) {
			unreadable++
		}
		if unicode.IsLetter(r) {
			letters++
		}
		if unicode.Is(unicode.Latin, r) {
			latin++
			if isVowel(r) {
				vowels++
			}
		}
	}
	if signs >= leastSigns && unreadable*100 >= signs*unreadableShare {
		return true
	}
	return latin >= leastLetters && latin*2 >= letters && vowels*100 < latin*leastVowels
}

// isUnreadable reports whether a character stands for none that is seen.
func isUnreadable(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Noncharacter_Code_Point, r)
}

// isVowel reports whether a Latin letter is a vowel; all that bear a mark count as
// some.
func isVowel(r rune) bool {
	return r > unicode.MaxASCII || strings.ContainsRune("aeiouyAEIOUY", r)
}
