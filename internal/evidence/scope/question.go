package scope

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Question is one the research must answer.
type Question struct {
	ID   string `json:"id"` // Q1, Q2, …
	Text string `json:"text"`
}

// Bounds of a plan's questions: more or longer ones could not be held in view.
const (
	MaxQuestions  = 12  // beside the topic
	QuestionLimit = 500 // runes of one question; the topic itself reaches the seats whole
)

// QuestionsOf lists a topic's questions. Q1 is the topic itself. Where it asks several
// things, by several question marks, a list, or "and how …", each is one more.
func QuestionsOf(topic string) []Question {
	list := []Question{{ID: "Q1", Text: cut(topic)}}
	parts := parts(topic)
	if len(parts) < 2 {
		return list
	}
	for _, p := range parts {
		list = append(list, Question{ID: "Q" + strconv.Itoa(len(list)+1), Text: cut(p)})
	}
	return list
}

func cut(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= QuestionLimit {
		return s
	}
	return string([]rune(s)[:QuestionLimit-1]) + "…"
}

// parts are the single questions of a topic, each once, and no more of them
// than a plan holds.
func parts(topic string) []string {
	var list []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && len(list) < MaxQuestions && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	said := sentences(topic)
	numbered := 0 // one alone may begin a name: "1. FC"
	for _, s := range said {
		if _, is := stripNumber(s); is {
			numbered++
		}
	}
	for _, s := range said {
		item, listed := stripListMark(s)
		if rest, is := stripNumber(s); is && numbered > 1 {
			item, listed = rest, true
		}
		if !endsWithQuestionMark(s) && !listed {
			continue
		}
		for _, q := range splitConjoined(item) {
			add(q)
		}
	}
	return list
}

// stripNumber takes off a number that a full stop follows: "2. ". A year is none.
func stripNumber(s string) (string, bool) {
	number, rest, ok := strings.Cut(s, ".")
	if !ok || number == "" || len(number) > 3 || strings.Trim(number, "0123456789") != "" || rest == "" || !unicode.IsSpace(rune(rest[0])) {
		return s, false
	}
	return strings.TrimSpace(rest), true
}

// stripListMark takes the mark off a list's item: "- ", "* ", "2) ".
func stripListMark(s string) (string, bool) {
	rest := strings.TrimLeft(s, "0123456789")
	if len(rest) < len(s) {
		after, ok := strings.CutPrefix(rest, ")")
		if !ok || after == "" || !unicode.IsSpace(rune(after[0])) {
			return s, false // the number is the question's own
		}
		return strings.TrimSpace(after), true
	}
	for _, mark := range []string{"- ", "* ", "• ", "+ "} {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return s, false
}

// splitConjoined parts "how does it work and what are its limits?" in two. Only a
// question word behind the "and" begins a question of its own.
func splitConjoined(s string) []string {
	words := strings.Fields(s)
	var list []string
	start := 0
	for i := 1; i+1 < len(words); i++ {
		if !slices.Contains([]string{"and", "und", "et", "y", "и"}, strings.ToLower(words[i])) || !isQuestionWord(words[i+1]) || i == start {
			continue
		}
		list = append(list, strings.TrimRight(strings.Join(words[start:i], " "), ",;")+"?")
		start = i + 1
	}
	return append(list, strings.Join(words[start:], " "))
}

func isQuestionWord(word string) bool {
	return slices.Contains([]string{
		"how", "what", "why", "when", "where", "who", "which", "is", "are", "does", "do", "should", "can",
		"wie", "was", "warum", "wann", "wo", "wer", "welche", "welcher", "welches", "comment", "pourquoi", "quand", "où", "quels", "quelles", "quel", "quelle",
		"cómo", "qué", "cuándo", "dónde", "quién", "cuáles", "cuál", "как", "что", "почему", "когда", "где", "кто", "какие", "какой",
	}, strings.ToLower(word))
}
