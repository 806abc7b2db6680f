package reading

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// citeLead is what stands before a citation in brackets.
const citeLead = `(?i:(?:(?:reviewed|discussed|described|summari[sz]ed) in|see also|see|also|and|e\.g\.,?|cf\.?|vgl\.|siehe(?: auch)?|voir(?: aussi)?|véase|ver|vedi|zie|см\.) )?`

var (
	// citedKey is one work of a citation as Pandoc writes it: "see -@doe99, pp. 33-35".
	citedKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^` + citeLead + `-?@\{?([\pL\d_][^\s,]*)\}?(?:, (.+))?$`)
	})
	// citedPlace is one work by its number, with a place in it: "12, Theorem 3".
	citedPlace = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^` + citeLead + `\p{Nd}{1,3}(?:\s?[,–-]\s?\p{Nd}{1,3})*((?:, \pL{1,14}\.? ?[\dIVXA-Z][\w.]{0,6}(?:[–-][\w.]{1,6})?){0,2})$`)
	})
	// citeCommand is one that TeX sets as a mark, the names of authors not being part of the sentence.
	citeCommand = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\\(?:no|auto|paren|foot|super)?cite(?:p|alp|num)?\*?(?:\[[^\]\n]{0,60}\]){0,2}\{[^{}]{1,200}\}`)
	})
	// raisedMark is a raised number as Markdown writes it: ^12^, $^{3,4}$.
	raisedMark = sync.OnceValue(func() *regexp.Regexp {
		const numbers = `\[?\p{Nd}{1,3}(?:\s?[,–-]\s?\p{Nd}{1,3})*\]?`
		return regexp.MustCompile(`^(?:\^` + numbers + `\^|\$\s?\{?\}?\^(?:\{\s?` + numbers + `\s?\}|\p{Nd})\s?\$)`)
	})
	// linkedMark is the number of a note that leads to it on the same page: [6](#fn6), [[6]](#fn6).
	linkedMark = sync.OnceValue(func() *regexp.Regexp {
		const number = `\\?\[\^?\p{Nd}{1,3}\\?\]`
		return regexp.MustCompile(`^(?:` + number + `|\[` + number + `\])\((?:#|[^\s()#]{1,80}#(?:cite|fn|ref|note|_ftn))[^\s()]{1,80}\)`)
	})
)

// squareCitationEnd is where a citation in square brackets ends, 0 for none: keys of works, their
// numbers with places in them, or authors and years. A key that is a word alone is one before a mark,
// or in a text that is keyed: that has several such.
func squareCitationEnd(text string, i int, keyed func() bool) int {
	const longest = 320
	if mark := linkedMark().FindString(text[i:min(len(text), i+longest)]); mark != "" && char.Last(text[:i]) != '(' {
		return i + len(mark)
	}
	stop := strings.IndexAny(text[i+1:min(len(text), i+longest)], "[]")
	if stop < 0 || text[i+1+stop] != ']' || strings.Contains(text[i:i+stop], "\n\n") {
		return 0
	}
	end := i + stop + 2
	if end < len(text) && strings.IndexByte("(]:", text[end]) >= 0 {
		return 0
	}
	inside := strings.Join(strings.Fields(text[i+1:end-1]), " ")
	if !char.HasWord(inside) {
		return 0
	}
	if areKeys(inside) || isKeyAlone(inside) && (strings.ContainsAny(text[end:min(len(text), end+1)], ".,;:?!") || keyed()) || arePlaces(inside) || year().MatchString(inside) && areWorks(inside) {
		return end
	}
	return 0
}

// CitesWork reports whether what stands in square brackets cites a work: by keys, by numbers with
// places, or by a year and an author with whom brackets of the text begin too. Time is linear.
func CitesWork(inside, text string) bool {
	return areKeys(inside) || arePlaces(inside) || isAuthorYear(inside) && strings.Contains(text, "["+firstWord(inside))
}

func firstWord(s string) string { return s[:len(s)-len(strings.TrimLeftFunc(s, char.IsOfWord))] }

// areKeys reports whether a text is made of the keys of works, of which one has a number or a scheme,
// so that it is no name by which somebody is addressed.
func areKeys(s string) bool {
	if !strings.Contains(s, "@") {
		return false
	}
	numbered := strings.Count(s, "@") > 1
	for item := range strings.SplitSeq(s, ";") {
		rest := strings.TrimSpace(item)
		for rest != "" {
			m := citedKey().FindStringSubmatch(rest)
			if m == nil {
				return false
			}
			numbered = numbered || strings.ContainsAny(m[1], "0123456789:")
			if rest = m[2]; !strings.Contains(rest, "@") {
				if rest != "" && !isPlaceIn(rest) {
					return false
				}
				break
			}
		}
	}
	return numbered
}

var (
	// keyAlone is the key of a work without a number.
	keyAlone = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + citeLead + `-?@\pL[\pL_-]*(?:, .*)?$`) })
	// keyBeforeMark is one in brackets with a mark behind it.
	keyBeforeMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[@\pL[\pL_-]*\][.,;:]`) })
)

// isKeyAlone reports whether a text is the key of one work, with or without a place in it.
func isKeyAlone(s string) bool {
	if !strings.Contains(s, "@") || !keyAlone().MatchString(s) {
		return false
	}
	_, place, placed := strings.Cut(s, ", ")
	return !placed || isPlaceIn(place)
}

// hasKeys reports whether a text cites works by keys that are words.
func hasKeys(text string) bool {
	const several = 3
	return len(keyBeforeMark().FindAllStringIndex(text, several)) == several
}

// arePlaces reports whether a text is made of the numbers of works and of places in them.
func arePlaces(s string) bool {
	placed := false
	for item := range strings.SplitSeq(s, ";") {
		m := citedPlace().FindStringSubmatch(strings.TrimSpace(item))
		if m == nil {
			return false
		}
		for place := range strings.SplitSeq(strings.TrimPrefix(m[1], ", "), ", ") {
			if place != "" && (!isPlaceIn(place) || ofThing().MatchString(place)) {
				return false
			}
			placed = placed || place != ""
		}
	}
	return placed || strings.ContainsAny(s, ";") || strings.ContainsFunc(s, unicode.IsLetter)
}

// ofThing is how what looks as a place in a work begins where it says which thing a number is of:
// "12, Group B".
var ofThing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:groups?|teams?|rows?|grades?|class|classes|types?|size|flat|seats?|room|lots?|level|gate|platform|batch|lane|block|gruppe|reihe|klasse|typ|stufe|groupe|rang|classe|équipe|grupo|fila|clase|equipo|gruppo|grado|groep|rij|klas)\b`)
})

// isPlaceIn reports whether a text gives a place in a work: a page, or a part of it with its number.
func isPlaceIn(s string) bool {
	if strings.Trim(s, "0123456789–-, ") == "" || isLocator(s) || reference().MatchString(s) {
		return true
	}
	const most = 4 // words
	list := guard.Words(s)
	return unicode.IsUpper(char.First(s)) && len(strings.Fields(s)) <= most && !slices.ContainsFunc(list, func(w guard.Word) bool {
		return w.Kind != guard.Name && w.Kind != guard.Number
	})
}

// areWorks reports whether a text is made of authors with the years of their works.
func areWorks(s string) bool {
	for item := range strings.SplitSeq(s, ";") {
		if item = strings.TrimSpace(item); !isAuthorYear(item) && !isLaterYear(item) {
			return false
		}
	}
	return true
}

// isLaterYear reports whether a text is no more than the year of another work of the same authors.
func isLaterYear(s string) bool {
	bare := strings.TrimRight(s, "abcdef")
	return IsYear(bare) && len(s)-len(bare) <= 1
}

// raisedMarkEnd is where a raised number of a note that Markdown writes ends, 0 for an exponent.
func raisedMarkEnd(text string, i int) int {
	const longest, fewest = 32, 3 // letters of a word
	mark := raisedMark().FindString(text[i:min(len(text), i+longest)])
	prev := char.Last(text[:i])
	if mark == "" || char.IsOfWord(char.First(text[i+len(mark):])) || unicode.IsSpace(prev) || i == 0 {
		return 0
	}
	word := char.LastWord(text[:i])
	switch {
	case unicode.IsPunct(prev) && !strings.ContainsRune(")]$-–", prev), unicode.IsLetter(prev) && utf8.RuneCountInString(word) > fewest && !isFormula(word) && !(isExponent(mark) && namesQuantity(word)):
		return i + len(mark)
	}
	return 0
}

// isExponent reports whether a raised number may be an exponent.
func isExponent(mark string) bool {
	return strings.ContainsAny(mark, "234") && len(strings.Trim(mark, "^$[]{} ")) == 1
}

// quantities are words for what is raised to a power in a formula that is written out.
const quantities = "distance time energy mass area length radius speed velocity volume density current voltage height width depth diameter force charge temperature frequency pressure growth cells mean " +
	"abstand zeit energie masse länge höhe breite geschwindigkeit strom spannung durchmesser vitesse temps masse rayon distancia tiempo radio masa velocidad distanza tempo massa raggio velocità afstand snelheid massa"

// namesQuantity reports whether a word names a quantity or a unit.
func namesQuantity(word string) bool {
	low := strings.ToLower(word)
	return slices.Contains(strings.Fields(quantities), low) || slices.ContainsFunc(guard.Words("5 "+low), func(w guard.Word) bool { return w.Kind == guard.Unit })
}

// isWrapped reports whether a mark of a text that stands at the beginning of a line only does so
// because the line before it was full: that one ends within a sentence, which goes on behind the mark.
func isWrapped(text string, from, end int) bool {
	before := text[:from]
	line := strings.TrimRight(before[:len(before)-1], " ")
	if !strings.HasSuffix(before, "\n") || line == "" || strings.HasSuffix(line, "\n") || strings.ContainsRune(".:!?|", char.Last(line)) {
		return false
	}
	next := strings.TrimLeft(text[end:], " \n")
	return unicode.IsLower(char.First(next)) && !strings.HasPrefix(strings.TrimLeft(text[end:], " "), "\n\n")
}

var (
	// listedWork is the beginning of an entry of a list of works: authors at the beginning of a
	// line, and the year, if it stands behind them.
	listedWork = sync.OnceValue(func() *regexp.Regexp {
		const name = `\p{Lu}[\pL’'.-]*`
		const small = `and|und|et|y|e|i|o|och|og|en|и|&|van|von|de|der|den|di|da|la|le|al\.?|others|eds?\.?|\((?:[Ee]ds?|Hrsg|Hg|éds?|red)\.?\)`
		return regexp.MustCompile(`(?m)^[ \t]*(?:[-*•–][ \t]+|\[[^\]\n]{1,24}\][ \t]*|\d{1,3}[.)][ \t]+)?(` + name + `(?:[,;]?\s(?:` + name + `|` + small + `)){1,60})[,.:]*(?:\s\(?((?:1[5-9]|20)\d\d)[a-z]?\)?[.:,])?`)
	})
	// ofInitials is a name with initials, before or behind it.
	ofInitials = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[\s.-])\p{Lu}\.|\p{Ll},? \p{Lu}{1,3}(?:$|[,;\s])`)
	})
	// citedWorks are brackets with a year at the end of them.
	citedWorks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[(\[]([^()\[\]]{3,200}(?:1[5-9]|20)\d\d[a-z]?(?:, ?(?:[a-z]|\d{1,4}))*)[)\]]`)
	})
	// yearAtEnd is the year with which an entry ends.
	yearAtEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`((?:1[5-9]|20)\d\d)[a-z]?\)?\.?$`)
	})
)

// worksOf gives the names and the years, with a blank between them, of the works that a text cites in
// brackets or lists.
func worksOf(text string) map[string]bool {
	works := map[string]bool{}
	add := func(names string, years ...string) {
		for _, name := range strings.FieldsFunc(names, char.IsNotOfWord) {
			if unicode.IsUpper(char.First(name)) && utf8.RuneCountInString(name) > 1 {
				for _, y := range years {
					works[name+" "+y] = true
				}
			}
		}
	}
	for _, m := range citedWorks().FindAllStringSubmatch(text, -1) {
		for item := range strings.SplitSeq(strings.Join(strings.Fields(m[1]), " "), ";") {
			if item = strings.TrimSpace(item); isAuthorYear(item) {
				add(item, yearsIn(item)...)
			}
		}
	}
	const longest = 500 // bytes of an entry
	for _, m := range listedWork().FindAllStringSubmatchIndex(text, -1) {
		names := text[m[2]:m[3]]
		full := m[4] >= 0 && strings.HasPrefix(text[m[5]:], ".") && strings.HasSuffix(strings.TrimRight(text[:m[4]], " \n"), ".") // "Ana Ruiz. 2016. A title"
		switch {
		case !full && !ofInitials().MatchString(names):
		case m[4] >= 0:
			add(names, text[m[4]:m[5]])
		default:
			entry := text[m[1]:min(len(text), m[1]+longest)]
			entry, _, _ = strings.Cut(entry, "\n\n")
			if y := yearAtEnd().FindStringSubmatch(strings.TrimRight(entry, " \n")); y != nil {
				add(names, y[1])
			}
		}
	}
	return works
}

// yearsIn are the years in a text.
func yearsIn(s string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(strings.TrimRight(s, " "), func(r rune) bool { return !unicode.IsDigit(r) }), func(w string) bool { return !IsYear(w) })
}
