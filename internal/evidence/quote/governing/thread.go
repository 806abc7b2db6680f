package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// answeredInThread gives what the text says of a passage that it quotes in lines of their own,
// as mails and forums do, where it rejects that: below the passage itself, or below the place
// where somebody quotes it again.
func answeredInThread(text string, start, end int) (string, bool) {
	const most = 8 // places where the same words stand
	if isQuotedLine(text, start) {
		return answerBelow(text, end)
	}
	passage := strings.TrimRight(text[start:end], " .")
	if words.Count(passage) < 3 || !strings.Contains(text, "\n>") {
		return "", false
	}
	for at, n := 0, 0; n < most; n++ {
		i := strings.Index(text[at:], passage)
		if i < 0 {
			return "", false
		}
		at += i + len(passage)
		if isQuotedLine(text, at-len(passage)) {
			if answer, ok := answerBelow(text, at); ok {
				return answer, true
			}
		}
	}
	return "", false
}

// rejectedByNextPost gives the first sentence of the post below that of a passage where it says
// of the whole post above that it is wrong, or of the part of it that the passage is.
func rejectedByNextPost(text string, start, end int) (string, bool) {
	behind := text[end:words.RuneStart(text, end+2*MaxAround)]
	at := postAbove().FindStringIndex(behind)
	if at == nil || strings.Count(behind[:at[0]], "\n----") > 1 {
		return "", false
	}
	sentence := oneLine(strings.TrimLeft(behind[at[0]:], " \n"))
	if list := words.Sentences(sentence); len(list) > 0 {
		sentence = strings.TrimSpace(sentence[:list[0].End])
	}
	language := guard.Language(sentence)
	denied := slices.ContainsFunc(guard.WordsIn(sentence, func() string { return language }), func(w guard.Word) bool { return w.Norm == "not" || w.Norm == "never" })
	if denied || !slices.ContainsFunc(guard.Governors(sentence, language), func(g guard.Governor) bool { return g.Role == guard.Rejection }) {
		return "", false
	}
	part := partOfPost().FindStringSubmatch(sentence)
	return sentence, part == nil || areOfSame(part[1], text[start:end])
}

var (
	// postAbove begins a sentence about the post before it.
	postAbove = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\n *(?i:(?:the|that|this) (?:post|comment|message|answer|reply|advice) (?:above|before this|before mine)|(?:der|dieser|die|diese) (?:beitrag|kommentar|nachricht|antwort) (?:oben|über mir|darüber)|(?:le|la|ce) (?:message|commentaire|réponse) (?:ci-dessus|au-dessus|précédent)|(?:el|la|ese|este) (?:mensaje|comentario|respuesta) (?:de arriba|anterior)|楼上|위 (?:글|답변|댓글))`)
	})
	// partOfPost says of which part of it a sentence speaks.
	partOfPost = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:bit|part|claim|line|sentence|teil|satz|partie|phrase|parte|frase) (?:about|on|that|über|mit|sur|sobre|de) ([^.;,]*?) (?:is|are|was|were|ist|sind|est|sont|es|son)\b`)
	})
)

// areOfSame reports whether half of the longer words of what is spoken of stand in a passage,
// but for their endings.
func areOfSame(spoken, passage string) bool {
	const least = 5 // letters
	others := strings.FieldsFunc(strings.ToLower(passage), char.IsNotOfWord)
	shared, all := 0, 0
	for _, w := range strings.FieldsFunc(strings.ToLower(spoken), char.IsNotOfWord) {
		if utf8.RuneCountInString(w) < least {
			continue
		}
		all++
		if slices.ContainsFunc(others, func(o string) bool {
			return utf8.RuneCountInString(o) >= least && (strings.HasPrefix(o, w) || strings.HasPrefix(w, o))
		}) {
			shared++
		}
	}
	return shared > 0 && 2*shared >= all
}

// answeredInTurn gives what the next to speak says where it denies a passage that ends what
// another said, or has another number for that of the passage alone: "RQ: You were forty. –
// WA: Forty-five."
func answeredInTurn(text string, start, end int) (string, bool) {
	passage := strings.TrimRight(text[start:end], " .")
	rest := strings.TrimLeft(text[end:], ` ."'”’»`)
	line := strings.TrimLeft(text[strings.LastIndexByte(text[:start], '\n')+1:start]+passage, " ")
	const least = 3 // words
	ends := strings.HasPrefix(rest, "\n") && strings.ContainsAny(text[start+len(passage):len(text)-len(rest)], ".!")
	if !ends || words.Count(passage) < least || !speaker().MatchString(line) {
		return "", false
	}
	next, _, _ := strings.Cut(strings.TrimLeft(rest, " \n"), "\n")
	name := speaker().FindString(next)
	if name == "" || name == speaker().FindString(line) {
		return "", false
	}
	next = next[len(name):]
	list := words.Sentences(next)
	if len(list) == 0 {
		return "", false
	}
	first := strings.TrimSpace(next[:list[0].End])
	language := guard.Language(passage + " " + next)
	if Denies(first, language) {
		return first, true
	}
	const few = 2 // words
	given, said := numbersIn(first, language), numbersIn(passage, language)
	return first, words.Count(first) <= few && !strings.ContainsAny(first, "<>@/:") && len(given) == 1 && len(said) == 1 && given[0] != said[0]
}

// speaker is who speaks, at the beginning of a line.
var speaker = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\p{Lu}[\pL.\-]{0,20}(?: \p{Lu}[\pL.\-]{0,20})?:\s+`)
})

// numbersIn are the numbers and dates of a text, as they are compared.
func numbersIn(text, language string) []string {
	var list []string
	for _, w := range guard.WordsIn(text, func() string { return language }) {
		if w.Kind == guard.Number || w.Kind == guard.Date {
			list = append(list, w.Norm)
		}
	}
	return list
}

// isQuotedLine reports whether the line at a place of a text is marked as somebody else's.
func isQuotedLine(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1:]
	return strings.HasPrefix(strings.TrimLeft(line, " "), ">")
}

// answerBelow gives the sentence below a quoted block that rejects what it says.
func answerBelow(text string, at int) (string, bool) {
	block := strings.LastIndexByte(text[:at], '\n') + 1
	rest, last := text[at:words.RuneStart(text, at+MaxAround)], text[block:at]
	for {
		line, behind, more := strings.Cut(rest, "\n")
		last += line
		if !more {
			return "", false
		}
		if rest = behind; !strings.HasPrefix(strings.TrimLeft(rest, " "), ">") {
			break
		}
		last = ""
	}
	if strings.HasSuffix(strings.TrimSpace(last), "?") {
		return "", false // it is the question that is answered
	}
	answer, _, _ := strings.Cut(strings.TrimLeft(rest, " \n"), "\n\n")
	answer, _, _ = strings.Cut(answer, "\n>")
	answer = oneLine(strings.TrimSpace(answer))
	language := guard.Language(last + " " + answer)
	list := words.Sentences(answer)
	if len(list) == 0 {
		return "", false
	}
	first := strings.TrimSpace(answer[:list[0].End])
	if last, _ := utf8.DecodeLastRuneInString(first); char.IsOfWord(last) {
		return "", false // a heading
	}
	if Denies(first, language) || beseeches().MatchString(first) {
		return first, true
	}
	for _, s := range list[1:] {
		if sentence := strings.TrimSpace(answer[s.Start:s.End]); untenable().MatchString(sentence) {
			return sentence, true
		}
	}
	if len(list) > 1 && language == "en" && ofTheWords().MatchString(first) {
		second := strings.TrimSpace(answer[list[1].Start:list[1].End])
		return second, Denies(second, language) || nothingInIt().MatchString(second) || ofTheJoke().MatchString(first)
	}
	return "", false
}

var (
	// ofTheWords is a sentence of English about the words quoted before it.
	ofTheWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:this|that|the) (?i:sentence|claim|statement|story|quotation|rumou?r|belief|legend|line|assertion|message|tale)\b`)
	})
	// beseeches asks not to do what was advised.
	beseeches = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:(?:please,? )?(?:don['’]t|do not|never)(?: (?:ever )?do (?:that|this|it))?|bitte nicht|(?:tu|macht?|tun sie) das (?:bitte )?nicht|surtout pas|ne fai(?:s|tes) (?:surtout )?pas (?:ça|cela)|por favor,? no|no lo hagas?|(?:proszę,? )?nie rób(?:cie)? tego|не делайте этого)[.!]`)
	})
	// untenable says of what was argued that it does not hold.
	untenable = sync.OnceValue(func() *regexp.Regexp {
		const what = `(?:argument|claim|statement|assertion|figure|point|reasoning|comparison)`
		return regexp.MustCompile(`(?i)\b(?:this|that|the) ` + what + ` (?:does not|doesn['’]t|did not|didn['’]t) (?:hold|hold up|hold water|stand|stand up|add up)\b|\b(?:this|that) ` + what + ` (?:is|was) (?:simply |just |plainly |quite )?(?:wrong|false|untrue|mistaken|baseless|unfounded)\b|\b(?:dieses argument|diese behauptung) (?:trägt|hält|stimmt)[^,.;:]{0,20} nicht\b|\b(?:cet argument|cette affirmation) ne tient pas\b|\b(?:este|ese) argumento no se sostiene\b`)
	})
	nothingInIt = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:there is|there's|there was) (?:nothing (?:in|to)|no truth (?:in|to)|not a word of truth in) (?:it|this|that)\b`)
	})
	ofTheJoke = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:joke|hoax|prank|misprint|invention|fabrication|mistranslation)\b`)
	})
)
