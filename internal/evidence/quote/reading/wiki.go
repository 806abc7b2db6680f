package reading

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

var (
	// wikiLink is a link of MediaWiki, with what the page shows of it.
	wikiLink = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\[\[([^\[\]|\n<>]{1,160})(\|)?([^\[\]\n<>]{1,200})?\]\]|\[(?:https?:)?//[^\s\[\]<>]{1,300} ([^\[\]\n]{1,200})\]`)
	})
	// wikiNamespace is what a link begins with that shows a picture, or nothing in its place.
	wikiNamespace = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*[\pL ]{3,20}:\S`)
	})
	// wikiCitation is how a template begins that sets the mark of a note or wants a source.
	wikiCitation = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\{\{\s*(?:sfnp?|sfnm|harvnb|harvtxt|harv|r|rp|refn|efn|ref|notetag|citation needed|cn|fact|clarify|clarification needed|when|who|which|by whom|better source needed|better source|failed verification|dubious|page needed|verify source|according to whom|belege fehlen|quelle|référence nécessaire|refnec|cita requerida|sans source|carece de fontes|citazione necessaria|senza fonte|bron\??|источник|нет аи|dane potrzebne|fakt)\s*(?:\||\}\})`)
	})
)

// wikiNote is how a note begins that MediaWiki sets at the foot of a page.
var wikiNote = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^<ref(?:\s+(?:name|group|follow)\s*=\s*[^<>]{1,200})?>`)
})

// ofWiki are by what a text is told as one of MediaWiki.
var ofWiki = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\[|\{\{|'''|\n==`) })

// wikiNoteEnd is where such a note that begins at a place ends, 0 for none.
func wikiNoteEnd(text string, i int) int {
	const longest = 4 << 10
	if !strings.HasPrefix(text[i:], "<ref") || !ofWiki().MatchString(text[:min(len(text), 64<<10)]) {
		return 0 // other markup has an element of that name
	}
	opening := wikiNote().FindString(text[i:min(len(text), i+longest)])
	end := i + len(opening)
	switch {
	case opening == "":
		return 0
	case strings.HasSuffix(opening, "/>"):
		return end
	}
	stop := strings.Index(text[end:min(len(text), end+longest)], "</ref>")
	if stop < 0 {
		return 0
	}
	return end + stop + len("</ref>")
}

// wikiEdits reads links of MediaWiki as a page shows them, and takes out its templates that are marks
// of notes.
func wikiEdits(text string) []Edit {
	if !strings.Contains(text, "[[") && !strings.Contains(text, "{{") {
		return nil
	}
	var list []Edit
	templates := wikiCitation().FindAllStringIndex(text, -1)
	for _, m := range wikiLink().FindAllStringSubmatchIndex(text, -1) {
		for len(templates) > 0 && templates[0][0] < m[0] {
			list = addTemplate(list, text, templates[0][0])
			templates = templates[1:]
		}
		from, to := m[2], m[3]
		switch {
		case m[8] >= 0:
			from, to = m[8], m[9]
		case m[4] >= 0 && m[6] < 0, m[6] >= 0 && m[4] < 0:
			continue
		case m[6] >= 0:
			from, to = m[6], m[7]
		}
		page := text[m[0]+2 : to]
		if n := len(list); n > 0 && list[n-1].To > m[0] || !strings.ContainsFunc(text[from:to], unicode.IsLetter) || strings.HasPrefix(text[m[1]:], "(") ||
			char.IsOfWord(char.Last(text[:m[0]])) || strings.HasSuffix(text[:m[0]], ")") || // an element of a list of code
			m[8] < 0 && (unicode.IsSpace(char.First(page)) || strings.HasPrefix(page, "-") || wikiNamespace().MatchString(page)) {
			continue
		}
		list = append(list, Edit{From: m[0], To: from}, Edit{From: to, To: m[1]})
	}
	for _, m := range templates {
		list = addTemplate(list, text, m[0])
	}
	return list
}

// addTemplate takes out the template that begins at a place.
func addTemplate(list []Edit, text string, from int) []Edit {
	const longest = 2 << 10
	if n := len(list); n > 0 && list[n-1].To > from {
		return list
	}
	depth := 0
	for i := from; i+1 < len(text) && i < from+longest; i++ {
		switch text[i : i+2] {
		case "{{":
			depth++
			i++
		case "}}":
			depth--
			i++
			if depth == 0 {
				return append(list, Edit{From: from, To: i + 1, note: true, unsure: isApartWithinSentence(text, from, i+1)})
			}
		}
	}
	return list
}
