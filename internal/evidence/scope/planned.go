package scope

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of the questions that a model plans, beside the topic itself.
const (
	MinPlanned  = 3
	MaxPlanned  = 8
	MaxCritical = 3   // of them; where all are, the word says nothing
	PointLimit  = 300 // runes of a dimension, or of what must not be missed
	MaxPoints   = 8   // dimensions of a question, and things not to be missed
)

// PlannedQuestions is what a model answers that plans them.
type PlannedQuestions struct {
	Title     string     `json:"title,omitempty"` // of the topic, in one line
	Questions []Question `json:"questions"`
}

// Planned makes the run's questions of those somebody has planned: the topic first,
// then each with an id, its texts on one line each and within bounds.
func Planned(topic string, planned []Question) []Question {
	list := []Question{{ID: "Q1", Text: cut(topic)}}
	critical := 0
	for _, q := range planned {
		q.Text, q.AnsweredBy = plain.Line(q.Text, QuestionLimit), plain.Line(q.AnsweredBy, QuestionLimit)
		if q.Text == "" || q.Text == list[0].Text {
			continue
		}
		q.ID = "Q" + strconv.Itoa(len(list)+1)
		q.Dimensions, q.MustNotMiss = points(q.Dimensions), points(q.MustNotMiss)
		if q.Critical {
			critical++
		}
		q.Critical = q.Critical && critical <= MaxCritical
		list = append(list, q)
	}
	return list
}

// points are a question's dimensions or what it must not miss, each once.
func points(list []string) []string {
	var kept []string
	for _, p := range list {
		if p = plain.Line(p, PointLimit); p != "" && len(kept) < MaxPoints && !slices.Contains(kept, p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// CheckPlanned says what is wrong with the questions a model has planned, for it to
// mend: how many there are, which ask the same, which are not in the topic's writing,
// and which part of the topic none asks for. Nil is nothing.
func CheckPlanned(topic string, planned []Question) []string {
	var wrong []string
	if n := len(planned); n < MinPlanned || n > MaxPlanned {
		wrong = append(wrong, fmt.Sprintf("there are %d questions; plan %d to %d", n, MinPlanned, MaxPlanned))
	}
	asked := map[string]int{}
	latin, other := countLetters(topic)
	for i, q := range planned {
		same := strings.Join(words.Tokens(q.Text), " ")
		if before, twice := asked[same]; twice {
			wrong = append(wrong, fmt.Sprintf("questions %d and %d ask the same", before, i+1))
		} else {
			asked[same] = i + 1
		}
		if _, own := countLetters(q.Text); other > latin && own == 0 { // names may be Latin everywhere
			wrong = append(wrong, fmt.Sprintf("question %d is not in the language of the topic", i+1))
		}
	}
	for _, part := range lostParts(topic, planned) {
		wrong = append(wrong, fmt.Sprintf("the topic asks for %q, and no question does: ask for it in the topic's own words", plain.Line(part, PointLimit)))
	}
	return wrong
}

// countLetters counts the letters of a text that are Latin, and those of another
// writing.
func countLetters(text string) (latin, other int) {
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			latin++
		default:
			other++
		}
	}
	return latin, other
}

// lostParts are the parts a topic names, as the rules split it, of which a plan has
// too little: of the words that a part has and no other, half, and three are enough.
// Who plans may put parts together and word them otherwise.
func lostParts(topic string, planned []Question) []string {
	named := parts(topic, nil)
	if len(named) < 2 {
		return nil // there are none: only the topic as a whole
	}
	in := map[string]int{}
	stems := make([][]string, len(named))
	for i, p := range named {
		stems[i] = tellingStems(p)
		for _, s := range stems[i] {
			in[s]++
		}
	}
	var has []string
	for _, q := range planned {
		has = append(has, words.Stems(strings.Join(slices.Concat([]string{q.Text, q.AnsweredBy}, q.Dimensions, q.MustNotMiss), "\n"))...)
	}
	slices.Sort(has)
	has = slices.Compact(has)
	var lost []string
	for i, p := range named {
		own, found := 0, 0
		for _, s := range stems[i] {
			if in[s] > 1 {
				continue
			}
			own++
			if slices.ContainsFunc(has, func(h string) bool { return sameWord(s, h) }) {
				found++
			}
		}
		if found < min((own+1)/2, enoughStems) {
			lost = append(lost, p)
		}
	}
	return lost
}

// sameWord reports whether two stems are forms of one word: one begins with the
// other, or they begin alike for three quarters of the longer one.
func sameWord(a, b string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= 3 && n == min(len(a), len(b)) || n >= 4 && 4*n >= 3*max(len(a), len(b)) || a == b
}

// enoughStems is how many words of a part show that a plan has it.
const enoughStems = 3

// tellingStems are the stems of the words that can tell what a part is about, each
// once: no short ones in small letters, and none that only asks.
func tellingStems(part string) []string {
	var list []string
	for _, w := range words.Split(part) {
		short := len(w.Text) <= 3 && strings.ToLower(w.Text) == w.Text && !strings.ContainsAny(w.Text, "0123456789")
		if short || isQuestionWord(w.Text) {
			continue
		}
		for _, s := range words.StemsOf(w.Text) {
			if !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	return list
}
