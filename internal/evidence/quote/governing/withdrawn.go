package governing

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

//go:embed headings.txt
var headingsText string

// headingWords are the words of headings.txt, of all languages: a heading is too short to tell its own.
type headingWords struct {
	first    map[string][]headingPhrase // by their first word
	stems    map[string]string          // classes, by the beginnings of words
	unspaced []string                   // of languages without blanks, that say so wherever they stand
}

type headingPhrase struct {
	class string
	rest  []string // the words behind the first
}

// The classes of headings.txt.
const (
	withdrawn    = "back"
	ofWhatIsSaid = "of"
	thingSaid    = "said"
	wholly       = "whole"
	untilAYear   = "until"
)

var sharedHeadingWords = sync.OnceValue(func() headingWords {
	all := headingWords{first: map[string][]headingPhrase{}, stems: map[string]string{}}
	for line := range strings.Lines(headingsText) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] == "#" {
			continue
		}
		for _, w := range fields[2:] {
			stem, isStem := strings.CutSuffix(w, "*")
			list := wordsOfHeading(strings.ReplaceAll(w, "_", " "))
			switch {
			case words.Unspaced(char.First(w)) || fields[0] == "ko":
				all.unspaced = append(all.unspaced, strings.ReplaceAll(w, "_", " "))
			case isStem:
				all.stems[stem] = fields[1]
			default:
				all.first[list[0]] = append(all.first[list[0]], headingPhrase{class: fields[1], rest: list[1:]})
			}
		}
	}
	return all
})

// wordsOfHeading are the words and numbers of a heading, in small letters.
func wordsOfHeading(heading string) []string {
	return strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// classesAt gives the classes of the word or phrase that begins at a place of a heading, and how many
// words it has.
func (all headingWords) classesAt(list []string, i int) (classes []string, n int) {
	for _, p := range all.first[list[i]] {
		if size := 1 + len(p.rest); size >= n && len(list) >= i+size && slices.Equal(list[i+1:i+size], p.rest) {
			if size > n {
				classes, n = nil, size
			}
			classes = append(classes, p.class)
		}
	}
	const least = 3 // letters of a stem
	letters := []rune(list[i])
	for size := least; size <= len(letters) && n <= 1; size++ {
		if class := all.stems[string(letters[:size])]; class != "" {
			classes, n = append(classes, class), 1
		}
	}
	return classes, max(n, 1)
}

// withdraws reports whether a heading says of what stands below it that it is withdrawn, repealed,
// rejected, made up or somebody's dissent: alone, or of things that say something. "Deprecated functions"
// and "Known errors" are headings of what tells of these itself.
func withdraws(heading string) bool {
	const few = 8 // words
	list := wordsOfHeading(heading)
	if len(list) == 0 || len(list) > few || strings.HasSuffix(strings.TrimSpace(heading), "?") {
		return false
	}
	all := sharedHeadingWords()
	if slices.ContainsFunc(all.unspaced, func(w string) bool { return strings.Contains(heading, w) }) {
		return true
	}
	back, said, others := untrue().MatchString(heading), false, 0
	alone := !back
	for i := 0; i < len(list); {
		classes, n := all.classesAt(list, i)
		switch {
		case slices.Contains(classes, wholly):
			return true
		case slices.Contains(classes, withdrawn):
			back = true
		case slices.Contains(classes, ofWhatIsSaid):
			back, alone = true, false
		case slices.Contains(classes, thingSaid):
			said = true
		case unicode.IsLetter(char.First(list[i])) && len([]rune(list[i])) > 3:
			others++
		}
		i += n
	}
	return back && (said || alone && others == 0)
}

// saysUntil reports whether a heading says until which year what stands below it was so, or in brackets
// at its end that it is so no more: "Before 2010", "Penalties (until 1950)", "Geese [repealed 1974]".
func saysUntil(heading string) bool {
	const few = 4 // words
	if m := bracketAtEnd().FindStringSubmatch(heading); m != nil {
		heading = m[1]
		if withdraws(heading) {
			return true
		}
	}
	list := wordsOfHeading(heading)
	if len(list) < 2 || len(list) > few {
		return false
	}
	classes, n := sharedHeadingWords().classesAt(list, 0)
	return slices.Contains(classes, untilAYear) && slices.ContainsFunc(list[n:], isYear) || yearBefore().MatchString(heading)
}

var bracketAtEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[(\[]([^()\[\]]+)[)\]]\W*$`) })

// yearBefore is "before 2010" in languages that put the year first.
var yearBefore = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d{4}\s*(?:年?以前|年まで|年前|년 이전|년까지|öncesi|előtt|'?d[ae]n önce)`)
})

func isYear(word string) bool {
	return len(word) == 4 && strings.Trim(word, "0123456789") == "" && (word[0] == '1' || word[0] == '2')
}

// isBoundItself reports whether a passage has a year or a word of its own that says that it is so no
// more: it needs no heading for that.
func isBoundItself(passage string) bool {
	all := sharedHeadingWords()
	list := wordsOfHeading(passage)
	for i := range list {
		classes, _ := all.classesAt(list, i)
		if isYear(list[i]) || slices.Contains(classes, withdrawn) || slices.Contains(classes, wholly) || slices.Contains(strings.Fields(insteads), list[i]) {
			return true
		}
	}
	return slices.ContainsFunc(all.unspaced, func(w string) bool { return strings.Contains(passage, w) })
}

// insteads are words with which a passage says what holds now, in many languages.
const insteads = "instead replaced stattdessen ersetzt remplacé remplacée sustituido sustituida substituído invece sostituito vervangen istället ersatt i_stedet zamiast zastąpiony вместо заменен"

// statusAbove gives the tag, in bytes, of what a passage stands within, where its attributes say that
// it is repealed or withdrawn, or until when it was in force.
func statusAbove(text string, start int) (from, to int) {
	base := words.RuneStart(text, start-maxAbove)
	part := text[base:start]
	if !strings.Contains(part, `="`) {
		return 0, 0
	}
	list := statusTag().FindAllStringSubmatchIndex(part, -1)
	for _, m := range slices.Backward(list) {
		name, value := part[m[2]:m[3]], strings.ReplaceAll(part[m[4]:m[5]], "-", " ")
		if !strings.Contains(part[m[1]:], "</"+name) && (withdraws(value) || saysUntil(value)) {
			return base + m[0], base + m[1]
		}
	}
	return 0, 0
}

// statusTag is a tag with an attribute that tells the state of what stands within it.
var statusTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<([\w:-]+)\b[^<>]*?\s(?:status|state|period|sec-type|class|type)="([^"<>]{1,60})"[^<>]*>`)
})
