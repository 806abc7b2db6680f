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
// things, by several question marks, a list, "and how …", or the points at which it
// compares, each is one more.
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
		if !endsWithQuestionMark(s) && !listed && len(comparedPoints(s)) == 0 {
			continue
		}
		for _, q := range splitConjoined(item) {
			if points := comparedPoints(q); len(points) > 0 {
				for _, p := range points {
					add(p)
				}
				continue
			}
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

// comparedPoints parts "compare how each handles A, B and C" in a question for each
// point: "compare how each handles A", and so on. Three points at least make a list;
// where nothing is compared, or what is listed are the things that are compared,
// there is none.
func comparedPoints(s string) []string {
	end := strings.TrimRight(s, ".?!？。 ")
	lead, rest, listed := strings.Cut(end, ", ")
	if !listed || strings.Contains(rest, ":") {
		return nil
	}
	begin := strings.Fields(lead)
	at := pointBegins(begin)
	if at == 0 || !asksToCompare(begin[:at]) {
		return nil
	}
	points := append([]string{strings.Join(begin[at:], " ")}, splitPoints(rest)...)
	if len(points) < 3 {
		return nil
	}
	for i, p := range points {
		if n := len(strings.Fields(p)); n == 0 || n > maxPointWords {
			return nil
		}
		points[i] = strings.Join(begin[:at], " ") + " " + p + s[len(end):]
	}
	return points
}

// maxPointWords is the most words a point has: what is longer is a clause.
const maxPointWords = 6

// splitPoints parts "B, C and D"; nil where no word joins the last.
func splitPoints(s string) []string {
	items := strings.Split(s, ", ")
	last := strings.Fields(items[len(items)-1])
	for i, w := range last {
		if !isJoining(w) {
			continue
		}
		before, after := strings.Join(last[:i], " "), strings.Join(last[i+1:], " ")
		items = items[:len(items)-1]
		if before != "" {
			items = append(items, before)
		}
		return append(items, after)
	}
	return nil
}

func isJoining(w string) bool {
	return slices.Contains([]string{"and", "or", "und", "oder", "et", "ou", "y", "o", "и", "или"}, strings.ToLower(w))
}

// pointBegins is where in the words before the first comma the first point begins:
// behind the last verb or preposition that has points; 0 for nowhere.
func pointBegins(list []string) int {
	for i := len(list) - 2; i > 0; i-- {
		if slices.Contains([]string{
			"handle", "handles", "treat", "treats", "support", "supports", "implement", "implements", "manage", "manages", "solve", "solves", "do", "does",
			"with", "of", "in", "on", "for", "about", "regarding", "concerning", "by", "to",
			"behandelt", "behandeln", "bei", "nach", "in", "mit", "gère", "gèrent", "sur", "selon", "maneja", "manejan", "en", "sobre",
		}, strings.ToLower(list[i])) {
			return i + 1
		}
	}
	return 0
}

// asksToCompare reports whether words ask for several things to be held against one
// another, or for each of them.
func asksToCompare(list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool {
		w = strings.ToLower(w)
		return slices.Contains([]string{"compare", "contrast", "comparing", "each", "both", "differ", "vergleiche", "vergleicht", "jeweils", "comparez", "compare", "comparer", "compara", "comparar", "сравни", "сравните"}, w)
	})
}
