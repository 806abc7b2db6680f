package stagedlibrarian

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/product/staged"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
)

// discoveryTopic is what one of the questions of the discovery is about.
type discoveryTopic struct {
	name     string // of the constraint its answer becomes, where it becomes one
	question string // {topic} and {terms} are the person's question and its terms
	why      string
	options  []string
	cues     string // words by which a question of another seat is known
}

// Matters of the discovery, each the place of its question.
const (
	purpose = iota
	audience
	decision
	depthWanted
	bounds
	horizon
	trusted
	limits
	shape
	success
)

// discoveryTopics are the ten, in their order.
var discoveryTopics = []discoveryTopic{
	{
		"Purpose", "What do you want to be able to do once “{topic}” is answered?",
		"It becomes the goal of the brief.",
		[]string{"Understand how it works", "Choose between alternatives", "Find what is wrong", "Write about it"},
		"purpose goal aim achieve objective why want motivation",
	},
	{
		"Audience", "Who will read the report on {terms}, and what do they know about it already?",
		"It says what has to be explained.",
		[]string{"Experts", "Practitioners new to the subject", "Decision makers", "The public"},
		"audience reader read who knowledge background familiar",
	},
	{
		"Decision", "Which decision or next step hangs on what is found out about {terms}, and by when?",
		"It says which findings matter most.", nil,
		"decision decide choose hang consequence action",
	},
	{
		"Depth", "How deep should the research into {terms} go?",
		"It bounds how much is read and how long the report gets.",
		[]string{"An overview", "The main points with evidence", "Everything that can be found"},
		"deep depth detail thorough level overview",
	},
	{
		"Scope", "Which sides of {terms} belong to the question, and what is out of scope?",
		"It bounds what is searched. Write “not …” before what is out of scope.", nil,
		"scope exclude include outside aspect boundary cover focus",
	},
	{
		"Time horizon", "Which time should be looked at: how things stand with {terms} now, how they came about, or what is planned?",
		"It says how old a source may be.",
		[]string{"Now", "The last two years", "The whole history", "What is planned"},
		"time horizon period date year recent history old",
	},
	{
		"Sources to trust", "Which sources on {terms} do you trust most, and which should not be used?",
		"It says whose word counts where sources disagree.",
		[]string{"Specifications and documentation", "The code itself", "Tests and notes", "All alike"},
		"source trust evidence reference document literature",
	},
	{
		"Constraint", "Which constraints hold whatever is found about {terms}: versions, places, laws, costs?",
		"What breaks one of them is no answer.", nil,
		"constraint budget cost law legal version require resource limit",
	},
	{
		"Form", "Which form should the report on “{topic}” have?",
		"It says how the findings are arranged.",
		[]string{"A short summary", "A report with recommendations", "A comparison", "A reference to look things up in"},
		"form format length structure deliver output report style",
	},
	{
		"Success criteria", "How will you recognise that “{topic}” has been answered well enough?",
		"It becomes the success criteria of the brief; separate them by semicolons.", nil,
		"success criteria recognise recognize measure enough satisfied good",
	},
}

// DiscoveryQuestions makes the ten questions of the discovery concrete with the words of the
// question itself.
func DiscoveryQuestions(topic string) staged.Questions {
	asked := plain.Line(topic, shownTopic)
	if asked == "" {
		asked = "the question"
	}
	about := quoteTerms(librarian.Terms(topic, 4))
	if about == "" {
		about = "the subject"
	}
	var q staged.Questions
	for i, m := range discoveryTopics {
		text := strings.NewReplacer("{topic}", asked, "{terms}", about).Replace(m.question)
		q.Questions = append(q.Questions, staged.Question{ID: fmt.Sprintf("Q%d", i+1), Question: text, Why: m.why, Options: m.options})
	}
	return q
}

// reply is a person's answer and the question it answers.
type reply struct {
	question, text string
}

// Answers reads the answers to a person's questions: an object of answers by
// their questions' ids, alone or as the value of "answers". Of several texts a
// later one overrules the ones before it. Ids come as Q1, q1 or 1.
func Answers(texts ...string) (map[string]string, error) {
	out := map[string]string{}
	for _, text := range texts {
		var bare map[string]any
		if err := decode(text, "file of answers", &bare); err != nil {
			return nil, err
		}
		if inner, ok := bare["answers"].(map[string]any); ok {
			bare = inner
		}
		for _, id := range slices.Sorted(maps.Keys(bare)) {
			if s := cleanLine(answerText(bare[id])); s != "" && len(out) < maxInput {
				out[questionID(id)] = s
			}
		}
	}
	return out, nil
}

// answerText is an answer as one text, whatever kind of value it is.
func answerText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.NewReplacer("\n- ", "; ", "\n* ", "; ").Replace(v)
	case []any:
		parts := make([]string, 0, len(v))
		for _, one := range v {
			parts = append(parts, answerText(one))
		}
		return strings.Join(parts, "; ")
	}
	data, _ := json.Marshal(v) // it was JSON before
	return string(data)
}

func questionID(s string) string {
	s = plain.Line(s, titleRunes)
	digits := strings.TrimLeft(s, "Qq")
	if n, err := strconv.Atoi(digits); err == nil && len(s)-len(digits) < 2 && n >= 0 {
		return fmt.Sprintf("Q%d", n)
	}
	return s
}

// decisionLabel stands in a goal before the decision that hangs on it.
const decisionLabel = " Decision it serves: "

// MakeBrief arranges a person's answers as a brief. An answer goes where its
// question belongs: by its place where the questions are those of [DiscoveryQuestions], by
// its words where they are another seat's. An answer that fits nowhere stays as
// a constraint. Nobody has confirmed it.
func MakeBrief(topic string, asked staged.Questions, answers map[string]string) staged.Brief {
	by, other := assignAnswers(topic, asked, answers)
	b := staged.Brief{Topic: plain.Line(topic, fullTopic), Goal: joinReplies(by[purpose]), Audience: plain.Line(joinReplies(by[audience]), briefRunes)}
	if b.Topic == "" {
		b.Topic = "(the question is empty)"
	}
	if len(by[decision]) > 0 {
		b.Goal = strings.TrimPrefix(withFullStop(b.Goal)+decisionLabel+joinReplies(by[decision]), " ")
	}
	b.Goal = plain.Line(b.Goal, goalRunes)
	if b.Goal == "" {
		b.Goal = "Answer the question: " + plain.Line(topic, shownTopic)
		b.Constraints = append(b.Constraints, "No purpose was named; the goal repeats the question.")
	}
	b.InScope, b.OutOfScope = splitScope(by[bounds])
	b.SuccessCriteria = listItems(by[success])
	if len(b.SuccessCriteria) == 0 {
		b.SuccessCriteria = ownCriteria(topic)
		b.Constraints = append(b.Constraints, "No success criteria were named; those given are what a program can count.")
	}
	for _, m := range []int{depthWanted, horizon, trusted, limits, shape} {
		for _, r := range by[m] {
			if !namesNothing(r.text) {
				b.Constraints = append(b.Constraints, discoveryTopics[m].name+": "+r.text)
			}
		}
	}
	for _, r := range other {
		b.Constraints = append(b.Constraints, plain.Line(r.question, shownTopic)+": "+r.text)
	}
	b.Constraints = b.Constraints[:min(len(b.Constraints), 2*maxListed)]
	return b
}

// ownCriteria are what a program can hold a report to.
func ownCriteria(topic string) []string {
	out := []string{
		"Every finding cites facts whose quotations were located in their sources.",
		"What is located and unjudged, and what was not found, is named as such, with the reason.",
	}
	if terms := librarian.Terms(topic, 6); len(terms) > 0 {
		out = append(out, "Each of these terms is met by a located fact, or the report says that it is not: "+quoteTerms(terms)+".")
	}
	return out
}

// assignAnswers gives each answer to the matter its question is about.
func assignAnswers(topic string, asked staged.Questions, answers map[string]string) (by map[int][]reply, other []reply) {
	texts := map[string]string{}
	for _, q := range asked.Questions[:min(len(asked.Questions), maxInput)] {
		texts[questionID(q.ID)] = q.Question
	}
	own := map[string]int{}
	for i, q := range DiscoveryQuestions(topic).Questions {
		if text := texts[q.ID]; text == "" || text == q.Question {
			own[q.ID] = i
		}
	}
	by = map[int][]reply{}
	for _, id := range sortedIDs(answers) {
		r := reply{question: texts[id], text: answers[id]}
		place, ok := own[id]
		if !ok {
			place, ok = topicOf(r.question)
		}
		if ok {
			by[place] = append(by[place], r)
			continue
		}
		if strings.TrimSpace(r.question) == "" {
			r.question = id
		}
		other = append(other, r)
	}
	return by, other
}

// sortedIDs are the ids of answers: Q1, Q2, …, Q10, then others.
func sortedIDs(answers map[string]string) []string {
	ids := slices.Sorted(maps.Keys(answers))
	number := func(id string) int {
		if n, err := strconv.Atoi(strings.TrimPrefix(id, "Q")); err == nil {
			return n
		}
		return maxInput
	}
	slices.SortStableFunc(ids, func(a, b string) int { return number(a) - number(b) })
	return ids
}

// topicOf is what a question is about by its words, the first of those that
// share most of them.
func topicOf(question string) (int, bool) {
	have := librarian.StemSet(question)
	best, most := 0, 0
	for i, m := range discoveryTopics {
		n := 0
		for _, st := range words.Stems(m.cues) {
			if have[st] {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best, most > 0
}

func joinReplies(list []reply) string {
	parts := make([]string, len(list))
	for i, r := range list {
		parts[i] = withFullStop(r.text)
	}
	return strings.Join(parts, " ")
}

// withFullStop is a text that ends like a sentence.
func withFullStop(s string) string {
	if s == "" || librarian.HasSentenceEnd(s) {
		return s
	}
	return s + "."
}

// listItems are the parts of answers that are lists.
func listItems(list []reply) []string {
	var out []string
	for _, r := range list {
		for _, part := range strings.FieldsFunc(r.text, func(c rune) bool { return c == ';' || c == '；' || c == '•' }) {
			if part = strings.Trim(part, " -*"); part != "" && len(out) < maxListed {
				out = append(out, part)
			}
		}
	}
	return out
}

// splitScope sorts what belongs to the question from what does not, which begins
// with one of these words.
func splitScope(list []reply) (in, out []string) {
	for _, part := range listItems(list) {
		beyond := false
		for _, word := range []string{"not ", "no ", "without ", "except ", "excluding ", "exclude ", "out of scope:", "nicht ", "ohne "} {
			if len(part) > len(word) && strings.EqualFold(part[:len(word)], word) {
				out, beyond = append(out, strings.TrimSpace(part[len(word):])), true
				break
			}
		}
		if !beyond {
			in = append(in, part)
		}
	}
	return in, out
}

// namesNothing reports whether an answer names nothing.
func namesNothing(answer string) bool {
	return slices.Contains([]string{"", "-", "none", "no", "n/a", "nothing", "keine", "nein"}, strings.ToLower(strings.Trim(answer, " .")))
}

// questions is the turn that asks.
func questions(_ context.Context, t *librarian.Turn) error {
	q := DiscoveryQuestions(t.Topic)
	return t.Answer(q, fmt.Sprintf("%s made of the words of the question", plural.Of(len(q.Questions), "question")))
}

// brief is the turn that makes one: the questions lie in the seat's folder, and
// behind them the answers.
func brief(_ context.Context, t *librarian.Turn) error {
	texts, err := t.Inputs(1)
	if err != nil {
		return err
	}
	var asked staged.Questions
	if err := decode(texts[0], "questions", &asked); err != nil {
		return err
	}
	answers, err := Answers(texts[1:]...)
	if err != nil {
		return err
	}
	return t.Answer(MakeBrief(t.Topic, asked, answers), "a brief of "+plural.Of(len(answers), "answer"))
}
