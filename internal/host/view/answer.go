package view

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/words"
)

const (
	answerSentences = 3
	maxAnswerRunes  = 1200
)

// Answer is the answer of a report as the program renders it: the beginning of
// its summary, how sure it is, and what is disputed.
func Answer(report string) []string {
	_, summary, found := strings.Cut(report, "\n## Executive Summary\n")
	if !found {
		return nil
	}
	summary, _, _ = strings.Cut(summary, "\n## ")
	var lines []string
	text, _, _ := strings.Cut(withoutHeadings(summary), "\n\n")
	if answer := firstSentences(withoutMarks(text)); answer != "" {
		lines = append(lines, answer)
	}
	var sure []string
	said, _, _ := strings.Cut(report, "\n---\n")
	for line := range strings.SplitSeq(said, "\n") {
		for _, label := range []string{"How sure", "Disputed"} {
			if said, is := strings.CutPrefix(line, "- **"+label+":** "); is {
				sure = append(sure, label+": "+plain.Line(withoutMarks(said), maxAnswerRunes))
			}
		}
	}
	if len(sure) > 0 {
		lines = append(lines, strings.Join(sure, " "))
	}
	return lines
}

// withoutHeadings is a text from the first line on that says something: a writer's own
// headings may stand before it.
func withoutHeadings(text string) string {
	text = strings.TrimSpace(text)
	for strings.HasPrefix(text, "#") {
		_, rest, _ := strings.Cut(text, "\n")
		text = strings.TrimSpace(rest)
	}
	return text
}

// mark is a link to a claim, or an escape of Markdown, of which the sign stays.
var mark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(` ?\[\\\[\d+\\\]\]\(#c\d+(?: "[^"]*")?\)|\\([!-/:-@\[-` + "`" + `{-~])`)
})

// reserved is a citation with a reservation; what the sign means stands far below it.
var reserved = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\]\(#c\d+(?: "[^"]*")?\))†`) })

func withoutMarks(text string) string {
	return mark().ReplaceAllString(reserved().ReplaceAllString(text, "$1 (with a reservation)"), "$1")
}

func firstSentences(text string) string {
	text = plain.Line(text, maxAnswerRunes)
	sentences := words.Sentences(text)
	if len(sentences) == 0 {
		return ""
	}
	return strings.TrimSpace(text[:sentences[min(answerSentences, len(sentences))-1].End])
}
