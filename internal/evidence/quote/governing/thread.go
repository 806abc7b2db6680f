package governing

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
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
	if last, _ := utf8.DecodeLastRuneInString(first); isWordRune(last) {
		return "", false // a heading
	}
	if Denies(first, language) {
		return first, true
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
	nothingInIt = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:there is|there's|there was) (?:nothing (?:in|to)|no truth (?:in|to)|not a word of truth in) (?:it|this|that)\b`)
	})
	ofTheJoke = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:joke|hoax|prank|misprint|invention|fabrication|mistranslation)\b`)
	})
)
