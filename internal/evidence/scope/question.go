package scope

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Question is one the research must answer. What goes beyond its text is known where
// somebody has planned it.
type Question struct {
	ID          string   `json:"id"` // Q1, Q2, …
	Text        string   `json:"text"`
	AnsweredBy  string   `json:"answered_by,omitempty"`   // what would answer it
	Dimensions  []string `json:"dimensions,omitempty"`    // along which an answer has to tell apart
	MustNotMiss []string `json:"must_not_miss,omitempty"` // what an answer is wrong without
	Critical    bool     `json:"critical,omitempty"`      // the whole hangs on its answer
}

// Bounds of a plan's questions: more or longer ones could not be held in view.
const (
	MaxQuestions  = 12  // beside the topic
	QuestionLimit = 500 // runes of one question; the topic itself reaches the seats whole
)

// QuestionsOf lists a topic's questions. Q1 is the topic itself. Where it asks several
// things, by several question marks, a list, "and how …", the points at which it
// compares, or three subjects and more, each is one more.
func QuestionsOf(topic string) []Question {
	list := []Question{{ID: "Q1", Text: cut(topic)}}
	named := parts(topic, subjectParts)
	if len(named) > mostListed {
		named = parts(topic, nil)
	}
	if len(named) < 2 {
		return list
	}
	for _, p := range named {
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

// parts are the single questions of a topic, each once, and no more of them than a plan
// holds. What divides one that is of several subjects may be nil.
func parts(topic string, divide func(string) []string) []string {
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
		for _, p := range partsOf(item, listed, divide) {
			add(p)
		}
	}
	return list
}

// maxItemWords is the most words an item of a list has that asks nothing by a mark:
// what is longer is material.
const maxItemWords = 20

// partsOf are the questions of a sentence, or of an item of a list; none where it
// asks nothing.
func partsOf(s string, listed bool, divide func(string) []string) []string {
	if points := numberedPoints(s); len(points) > 0 {
		return points
	}
	var list []string
	compared := false
	for _, q := range splitConjoined(s) {
		if points := comparedPoints(q); len(points) > 0 {
			list, compared = append(list, points...), true
			continue
		}
		if divide != nil {
			if each := divide(q); len(each) > 0 {
				list = append(list, each...)
				continue
			}
		}
		list = append(list, q)
	}
	if compared || endsWithQuestionMark(s) || listed && len(strings.Fields(s)) <= maxItemWords {
		return list
	}
	return nil
}

// numberedPoints are the items of a list within a line: "(1) cost (2) noise", up to
// a dash behind the last.
func numberedPoints(s string) []string {
	var list []string
	_, rest, found := strings.Cut(s, "(1)")
	for n := 2; found; n++ {
		var item string
		item, rest, found = strings.Cut(rest, "("+strconv.Itoa(n)+")")
		if !found {
			item, _, _ = strings.Cut(item, " — ")
			item, _, _ = strings.Cut(item, " - ")
		}
		if item = strings.Trim(item, " ,;.\t\n"); item == "" {
			return nil
		}
		list = append(list, item)
	}
	if len(list) < 2 {
		return nil
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
	if points := unspacedPoints(s); len(points) > 0 {
		return points
	}
	if points := aspectParts(s); len(points) > 0 {
		return points
	}
	for at := 0; ; {
		comma := strings.Index(s[at:], ", ")
		if comma < 0 {
			return nil
		}
		if at += comma; at > maxLead {
			return nil
		}
		if points := pointsBehind(s, at); len(points) > 0 {
			return points
		}
		at += len(", ")
	}
}

// maxLead is where at the latest the first point of a comparison ends, in bytes.
const maxLead = 600

// pointsBehind are the points of a comparison whose first ends at a comma.
func pointsBehind(s string, comma int) []string {
	end := strings.TrimRight(s, ".?!？。 ")
	if comma+len(", ") > len(end) || strings.Contains(end[comma:], ":") {
		return nil
	}
	begin := strings.Fields(end[:comma])
	at := pointBegins(begin)
	if at == 0 || !asksToCompare(begin[:at]) && !asksHowHandled(begin[:at]) && !asksHowDone(begin[:at]) && !asksAbout(begin[:at]) {
		return nil
	}
	points := append([]string{strings.Join(begin[at:], " ")}, splitPoints(end[comma+len(", "):])...)
	if len(points) < leastSubjects {
		return nil
	}
	for _, p := range points {
		if n := len(strings.Fields(p)); n == 0 || n > maxPointWords {
			return nil
		}
	}
	if sharesItsEnd(points) {
		return nil
	}
	for i, p := range points {
		points[i] = strings.Join(begin[:at], " ") + " " + p + s[len(end):]
	}
	return points
}

// sharesItsEnd reports whether what stands behind the last point belongs to all: "cats, dogs
// and horses in flats", "general, limited and high risk systems".
func sharesItsEnd(points []string) bool {
	last, others := strings.Fields(points[len(points)-1]), strings.Join(points[:len(points)-1], " ")
	if len(last) < 2 {
		return false
	}
	isPlace := func(w string) bool {
		return slices.Contains([]string{"in", "on", "at", "of", "for", "from", "with", "without", "within", "during", "under", "among", "when", "after", "before"}, w)
	}
	if slices.ContainsFunc(last[1:], isPlace) && !slices.ContainsFunc(strings.Fields(others), isPlace) {
		return true
	}
	return !slices.ContainsFunc(points[:len(points)-1], func(p string) bool { return !isAdjective(p) })
}

// isAdjective reports whether a point is one word with an end that adjectives have.
func isAdjective(point string) bool {
	return !strings.Contains(point, " ") && slices.ContainsFunc([]string{"al", "ed", "ive", "ous", "ic", "able", "ible", "ful", "less", "ary"}, func(end string) bool { return strings.HasSuffix(point, end) })
}

// unspacedPoints are the points that a Chinese or Japanese sentence compares, which
// stand between 、.
func unspacedPoints(s string) []string {
	if !strings.Contains(s, "比較") && !strings.Contains(s, "比较") && !strings.Contains(s, "差异") && !strings.Contains(s, "違い") {
		return nil
	}
	items := strings.Split(withoutBrackets(strings.TrimRight(s, "。？ ")), "、")
	first, last := items[0], items[len(items)-1]
	if _, behind, found := strings.Cut(first, "在"); found {
		items[0] = behind
	} else if strings.HasSuffix(first, "について") || strings.HasSuffix(first, "に関して") {
		items = items[1:]
	} else {
		return nil
	}
	for _, end := range []string{"を比", "の違い", "方面", "的差异", "的区别"} {
		last, _, _ = strings.Cut(last, end)
	}
	items = append(items[:max(len(items)-1, 0)], strings.FieldsFunc(last, func(r rune) bool { return strings.ContainsRune("和与及", r) })...)
	if len(items) < 3 {
		return nil
	}
	return items
}

// withoutBrackets leaves out what stands between full-width brackets.
func withoutBrackets(s string) string {
	for {
		before, rest, opened := strings.Cut(s, "（")
		_, after, closed := strings.Cut(rest, "）")
		if !opened || !closed {
			return s
		}
		s = before + after
	}
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
	return slices.Contains([]string{"and", "or", "&", "und", "oder", "et", "ou", "y", "o", "и", "или"}, strings.ToLower(w))
}

// pointBegins is where in the words before the first comma the first point begins:
// behind the last verb or preposition that has points; 0 for nowhere.
func pointBegins(list []string) int {
	for i := len(list) - 2; i > 0; i-- {
		if isHandling(list[i]) || asksHowDone(list[:i+1]) || slices.Contains([]string{
			"do", "does", "with", "of", "in", "on", "for", "about", "regarding", "concerning", "by", "to",
			"bei", "nach", "mit", "sur", "selon", "en", "sobre",
		}, strings.ToLower(list[i])) {
			return i + 1
		}
	}
	return 0
}

// isHandling reports whether a word is a verb whose objects are points of a question.
func isHandling(w string) bool {
	return slices.Contains([]string{
		"handle", "handles", "treat", "treats", "support", "supports", "implement", "implements", "manage", "manages", "solve", "solves",
		"behandelt", "behandeln", "gère", "gèrent", "maneja", "manejan",
	}, strings.ToLower(w))
}

// asksHowHandled reports whether words ask how something handles what comes behind
// them.
func asksHowHandled(list []string) bool {
	return isHandling(list[len(list)-1]) && slices.Contains([]string{"how", "wie", "comment", "cómo"}, strings.ToLower(list[0]))
}

// asksAbout reports whether words ask what somebody says or knows about what comes behind
// them.
func asksAbout(list []string) bool {
	if len(list) < 3 || !isQuestionWord(list[0]) || strings.ToLower(list[len(list)-1]) != "about" {
		return false
	}
	return slices.Contains([]string{"say", "says", "said", "known", "know", "knows", "write", "writes", "report", "reported", "recommend", "reveal", "reveals"}, list[len(list)-2])
}

// asksHowDone reports whether words ask how somebody does to things what they end with.
func asksHowDone(list []string) bool {
	if len(list) < 4 || strings.ToLower(list[0]) != "how" || !isAskedVerb(list[len(list)-1]) || slices.Contains([]string{"the", "a", "an"}, list[len(list)-2]) {
		return false
	}
	if w := list[1]; w != "do" && w != "does" && w != "did" {
		return false
	}
	return !slices.ContainsFunc(list[2:len(list)-1], func(w string) bool {
		return isAskedVerb(w) || slices.Contains([]string{"who", "that", "which", "whose", "to", "if", "when", "of", "i", "I", "you", "we"}, w)
	})
}

// asksToCompare reports whether words ask for several things to be held against one
// another, or for each of them.
func asksToCompare(list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool {
		w = strings.ToLower(strings.TrimRight(w, ",:;"))
		return slices.Contains([]string{"compare", "contrast", "comparing", "each", "both", "differ", "differs", "difference", "differences", "unterscheiden", "unterschiede", "vergleiche", "vergleicht", "jeweils", "comparez", "compare", "comparer", "compara", "comparar", "сравни", "сравните"}, w)
	})
}
