package citation

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

// authored are references by the year they have, with its letter, for markers
// that name author and year.
type authored map[string][]authoredEntry

type authoredEntry struct {
	reference int
	authors   string // small letters, words parted by single blanks, a blank at both ends
}

// authorYears indexes the entries of lists that begin with their authors and
// give a year.
func (r *documentBuilder) authorYears() authored {
	out := authored{}
	for i, e := range r.doc.References {
		if !e.Listed {
			continue
		}
		text := e.Text[:min(len(e.Text), 400)]
		at := entryYear().FindStringIndex(text)
		if at == nil || at[0] < 2 {
			continue
		}
		names := " " + strings.Join(words.Tokens(text[:at[0]]), " ") + " "
		year := strings.ToLower(text[at[0]:at[1]])
		out[year] = append(out[year], authoredEntry{i, names})
		if plain := strings.TrimRight(year, "abcdefghijklmnopqrstuvwxyz"); plain != year {
			out[plain] = append(out[plain], authoredEntry{i, names})
		}
	}
	return out
}

var (
	entryYear = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:1[5-9]|20)[0-9]{2}[a-z]?\b`) })
	yearsOnly = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((?:1[5-9]|20)[0-9]{2}[a-z]?(?:\s*[,;/]\s*(?:1[5-9]|20)[0-9]{2}[a-z]?)*)\s*(?:[,:;].{0,60})?$`)
	})
	sameAgain = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:ebd|ebenda|ibid|ibidem|a\.\s?a\.\s?o)\b\.?(?:[,:;].{0,40})?$`)
	})
	nameYear = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(.*?\pL.*?)[\s,.]*\s((?:1[5-9]|20)[0-9]{2}[a-z]?(?:\s*,\s*(?:1[5-9]|20)[0-9]{2}[a-z]?)*)\s*(?:[,:.\s].{0,60})?$`)
	})
	others = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)[\s,]+(?:et\s+al\.?|and\s+(?:others|colleagues)|u\.\s?a\.|und\s+andere|e\.\s?a\.|等|ら)$`)
	})
)

// lookUp gives the entries of a year whose authors have a name, of these the
// ones whose first author it is, if any.
func (a authored) lookUp(name, year string) []int {
	name = others().ReplaceAllString(strings.TrimSpace(name), "")
	tokens := words.Tokens(name)
	if len(tokens) == 0 {
		return nil
	}
	var first, any []int
	for _, e := range a[strings.ToLower(year)] {
		for _, t := range tokens {
			if utf8.RuneCountInString(t) > 1 && strings.HasPrefix(e.authors, " "+t+" ") {
				first = append(first, e.reference)
				break
			}
		}
		if last := tokens[len(tokens)-1]; strings.Contains(e.authors, " "+last+" ") {
			any = append(any, e.reference)
		}
	}
	if len(first) > 0 {
		return first[:1]
	}
	return any[:min(1, len(any))]
}

// maxParenthesis bounds a parenthesis that is looked into for authors, in
// bytes.
const maxParenthesis = 400

// readAuthorYears finds markers that name author and year: (Smith, 2020), and
// Smith (2020) where the year alone stands in brackets. They count where an
// entry of the list is meant.
func (r *documentBuilder) readAuthorYears(i int, b *block, index authored) {
	var more []mark
	var pieces []stated.Span
	for at := 0; at < len(b.text); {
		from := strings.IndexAny(b.text[at:], "([（")
		if from < 0 {
			break
		}
		from += at
		open, size := utf8.DecodeRuneInString(b.text[from:])
		closing := map[rune]string{'(': ")", '[': "]", '（': "）"}[open]
		at = from + size
		window := b.text[at:min(len(b.text), at+maxParenthesis)]
		short := groupForm().FindStringSubmatchIndex(window)
		if short != nil && open != '[' { // (World Bank [WB], 2020)
			window = window[:short[2]-1] + strings.Repeat(" ", short[3]-short[2]+2) + window[short[3]+1:]
		}
		end := strings.IndexAny(window, "([（"+closing)
		if end < 0 || !strings.HasPrefix(window[end:], closing) {
			continue
		}
		inner := window[:end]
		whole := stated.Span{From: from, To: at + end + len(closing)}
		if b.isMarked(whole) {
			continue
		}
		refs, names, apart := index.read(b.text[max(0, from-120):from], inner)
		if sameAgain().MatchString(inner) {
			refs, names, apart = r.lastAuthored, []string{inner}, true
		}
		if len(refs) == 0 {
			continue
		}
		r.lastAuthored = refs[len(refs)-1:]
		if short != nil && apart {
			index.name(refs, b.text[at+short[2]:at+short[3]])
		}
		m := mark{at: whole.From, end: whole.To, src: b.sourceOffset(whole.From), to: b.sourceOffset(whole.To-1) + 1, known: refs, labels: names}
		more = append(more, m)
		if apart {
			pieces = append(pieces, whole)
		}
		at = whole.To
	}
	if len(more) == 0 {
		return
	}
	b.marks = append(b.marks, more...)
	sort.SliceStable(b.marks, func(i, j int) bool { return b.marks[i].at < b.marks[j].at })
	b.cut(pieces)
}

// groupForm is a group of authors and how it is called from there on.
var groupForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^()\[\]（）;；]{2,120}\[(\p{Lu}[\pL\pN&-]{1,11})\][^()\[\]（）]{0,80}[)）]`)
})

// name gives the authors of references another name.
func (a authored) name(refs []int, name string) {
	for _, entries := range a {
		for i := range entries {
			if e := &entries[i]; slices.Contains(refs, e.reference) {
				e.authors += strings.Join(words.Tokens(name), " ") + " "
			}
		}
	}
}

// read reads a parenthesis and what stands before it. Apart are markers that
// name their authors themselves, so that the sentence does without them.
func (a authored) read(before, inner string) (refs []int, names []string, apart bool) {
	inner = strings.TrimSpace(inner)
	if m := yearsOnly().FindStringSubmatch(inner); m != nil {
		name := nameBefore(before)
		for _, year := range entryYear().FindAllString(m[1], -1) {
			if found := a.lookUp(name, year); name != "" && len(found) > 0 {
				refs, names = append(refs, found...), append(names, name+" ("+year+")")
			}
		}
		return refs, names, false
	}
	for part := range strings.FieldsFuncSeq(inner, func(r rune) bool { return r == ';' || r == '；' }) {
		m := nameYear().FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			continue
		}
		for _, year := range entryYear().FindAllString(m[2], -1) {
			found := a.lookUp(m[1], year)
			if len(found) == 0 && isAcronym(m[1], nameBefore(before)) { // World Bank (WB, 2020)
				found = a.lookUp(nameBefore(before), year)
				a.name(found, m[1])
			}
			if len(found) > 0 {
				refs, names = append(refs, found...), append(names, strings.TrimSpace(m[1])+", "+year)
			}
		}
	}
	return refs, names, true
}

// isAcronym reports whether a short name has the first letters of a long one's words, the
// small ones left out.
func isAcronym(short, long string) bool {
	var first []rune
	for _, word := range strings.Fields(long) {
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(r) {
			first = append(first, r)
		}
	}
	short = strings.TrimSpace(short)
	return utf8.RuneCountInString(short) > 1 && strings.HasSuffix(string(first), short)
}

// nameBefore is the author's name before a year in brackets: the last words
// that begin with a capital, those between them left in.
func nameBefore(before string) string {
	text := others().ReplaceAllString(strings.TrimRight(before, " "), "")
	text = strings.TrimSuffix(strings.TrimSuffix(text, "'s"), "’s")
	fields := strings.Fields(text)
	from := len(fields)
	for from > 0 && len(fields)-from < 6 {
		word := strings.Trim(fields[from-1], ",&")
		r, _ := utf8.DecodeRuneInString(word)
		joins := word == "" || slices.Contains([]string{"and", "und", "et", "y", "e", "en", "of", "de", "van", "von"}, word)
		if !joins && !unicode.IsUpper(r) && !words.Unspaced(r) {
			break
		}
		from--
	}
	return strings.Join(fields[from:], " ")
}
