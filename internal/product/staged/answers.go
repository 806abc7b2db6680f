package staged

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/plain"
)

// Answers are what a person says to the questions, by their ids.
type Answers map[string]string

// wrapper is the key that may stand around the answers.
const wrapper = "answers"

// WithIDs gives every question that says something an id of its own, and
// leaves out what was asked before. An id that is a word and free is kept; the
// others are Q1, Q2, … by their place.
func (q Questions) WithIDs() Questions {
	taken, asked := map[string]bool{wrapper: true}, map[string]bool{}
	var list []Question
	for _, one := range q.Questions {
		one.Question = plainLine(one.Question)
		if one.Question == "" || asked[key(one.Question)] {
			continue
		}
		asked[key(one.Question)] = true
		if id := strings.TrimSpace(one.ID); isSafeID(id) && !taken[strings.ToLower(id)] {
			one.ID = id
			taken[strings.ToLower(id)] = true
		} else {
			one.ID = ""
		}
		one.Why, one.Options = plainLine(one.Why), uniqueLines(one.Options)
		list = append(list, one)
	}
	for i, n := 0, 0; i < len(list); i++ {
		if list[i].ID == "" {
			list[i].ID, n = freeID(taken, max(i+1, n+1))
		}
	}
	return Questions{Questions: list}
}

// freeID is the first id from a number on that is not taken, and its number.
func freeID(taken map[string]bool, n int) (string, int) {
	for taken["q"+strconv.Itoa(n)] {
		n++
	}
	taken["q"+strconv.Itoa(n)] = true
	return "Q" + strconv.Itoa(n), n
}

// templateKey is how the file to fill in names a question.
func (q Question) templateKey() string {
	return q.ID + ". " + plain.Line(q.Question, maxQuotedRunes)
}

// Template is a file of answers for a person to fill in: a JSON object with a
// key for each question, which shows its id and its text.
func Template(q Questions) []byte {
	var b strings.Builder
	b.WriteString("{")
	for i, one := range q.WithIDs().Questions {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  " + strings.TrimSpace(string(encoded(one.templateKey()))) + `: ""`)
	}
	b.WriteString("\n}\n")
	return []byte(b.String())
}

// ParseAnswers reads the answers to the questions: a JSON object, bare or as
// {"answers": {…}}. Its keys are ids of questions in any case, their numbers,
// their texts, or what [Template] writes; its values are texts, numbers, true
// or false, or lists of them, which are joined by commas; numbers of options
// are what [Question.ResolveOptions] makes of them. Every question needs
// an answer. An error is one line that says what to do.
func ParseAnswers(data []byte, q Questions) (Answers, error) {
	q = q.WithIDs()
	given, err := answerMembers(data)
	if err != nil {
		return nil, err
	}
	names, answers := q.names(), Answers{}
	by, byID := map[string]string{}, map[string]Question{}
	for _, one := range q.Questions {
		byID[one.ID] = one
	}
	for _, m := range given {
		id, known := names[key(m.name)]
		if !known {
			return nil, fmt.Errorf("%s is no question; name them %s", quote(m.name), q.idRange())
		}
		if first, twice := by[id]; twice {
			return nil, fmt.Errorf("%s is answered twice, as %s and as %s; leave one", id, quote(first), quote(m.name))
		}
		by[id] = m.name
		text, err := byID[id].answerText(m.value)
		if err != nil {
			return nil, fmt.Errorf("the answer to %s %w", id, err)
		}
		answers[id] = text
	}
	if err := q.checkAnswered(answers); err != nil {
		return nil, err
	}
	return answers, nil
}

// answerMembers are the members of the object with the answers.
func answerMembers(data []byte) ([]member, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(data) > maxInputBytes {
		return nil, fmt.Errorf("the file is longer than %d MiB; give a JSON object with one answer a question", maxInputBytes>>20)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("the file is no UTF-8 text; save it as UTF-8")
	}
	given, err := members(data)
	if err != nil {
		return nil, fmt.Errorf(`%w; give a JSON object such as {"Q1": "…", "Q2": "…"}`, err)
	}
	for _, m := range given {
		if m.name != wrapper {
			continue
		}
		if len(given) > 1 {
			return nil, fmt.Errorf("%q stands beside other keys; put all answers into it, or leave it out", wrapper)
		}
		if given, err = members(m.value); err != nil {
			return nil, fmt.Errorf(`%q: %w; give {"answers": {"Q1": "…"}}`, wrapper, err)
		}
		return given, nil
	}
	return given, nil
}

// member is a key of a JSON object with its value.
type member struct {
	name  string
	value json.RawMessage
}

// members reads a JSON object and refuses keys that stand there twice.
func members(data []byte) ([]member, error) {
	var whole json.RawMessage
	if err := decode(data, len(data), &whole); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(whole))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is no JSON object")
	}
	var list []member
	seen := map[string]bool{}
	for d.More() {
		var m member
		name, err := d.Token()
		if err != nil {
			return nil, errors.New(jsonFault(err))
		}
		m.name, _ = name.(string) // the keys of an object are strings
		if err := d.Decode(&m.value); err != nil {
			return nil, errors.New(jsonFault(err))
		}
		if seen[m.name] {
			return nil, fmt.Errorf("the key %s stands there twice", quote(m.name))
		}
		seen[m.name] = true
		list = append(list, m)
	}
	return list, nil
}

func quote(s string) string { return strconv.Quote(plain.Line(s, 60)) }

// names gives the id for all that a question may be called. What could be
// meant in two ways is an id first, then what the template writes, then a
// number, then the text of a question.
func (q Questions) names() map[string]string {
	names := map[string]string{}
	for _, name := range []func(i int, one Question) string{
		func(_ int, one Question) string { return one.ID },
		func(_ int, one Question) string { return one.templateKey() },
		func(i int, one Question) string { return one.idNumber(i + 1) },
		func(_ int, one Question) string { return one.Question },
	} {
		for i, one := range q.Questions {
			if _, taken := names[key(name(i, one))]; !taken {
				names[key(name(i, one))] = one.ID
			}
		}
	}
	return names
}

// idNumber is that of the question's id, else its place.
func (q Question) idNumber(place int) string {
	if n, err := strconv.Atoi(strings.TrimLeft(q.ID, "Qq")); err == nil {
		place = n
	}
	return strconv.Itoa(place)
}

// idRange is what the questions are called, for a person.
func (q Questions) idRange() string {
	switch n := len(q.Questions); n {
	case 0:
		return "nothing: there are no questions"
	case 1:
		return q.Questions[0].ID
	default:
		return q.Questions[0].ID + " to " + q.Questions[n-1].ID
	}
}

// maxNamed bounds how many unanswered questions are named.
const maxNamed = 20

// checkAnswered is the error that names the questions without an answer.
func (q Questions) checkAnswered(a Answers) error {
	var missing []string
	for _, one := range q.Questions {
		if plainLine(a[one.ID]) == "" {
			missing = append(missing, one.ID)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	more := ""
	if n := len(missing) - maxNamed; n > 0 {
		missing, more = missing[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("there is no answer to %s%s; answer every question", strings.Join(missing, ", "), more)
}

// answerText is the text of an answer's value; null is none.
func (q Question) answerText(value json.RawMessage) (string, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return "", errors.New(jsonFault(err))
	}
	list, many := v.([]any)
	if !many {
		list = []any{v}
	}
	var texts []string
	for _, one := range list {
		text, ok := scalarText(one)
		if !ok {
			return "", errors.New("is neither text, number, true or false, nor a list of them; write it as text")
		}
		text, err := q.ResolveOptions(text)
		if err != nil {
			return "", err
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", "), nil
}

// ResolveOptions is what an answer means where the question has options: the number of
// one, or numbers of several, stand for them; the words of an option and any
// other text for themselves. A single number that no option has is an error,
// which goes on from "the answer".
func (q Question) ResolveOptions(text string) (string, error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ')' || unicode.IsSpace(r) })
	if len(q.Options) == 0 || len(words) == 0 || slices.Contains(q.Options, text) || q.areOptions(words) {
		return text, nil
	}
	var picked []string
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if number := err == nil || errors.Is(err, strconv.ErrRange); number && len(words) == 1 && (n < 1 || n > len(q.Options)) {
			return "", fmt.Errorf("is %s, and the options are 1 to %d; give the number of one, or say it in words", plain.Line(word, 20), len(q.Options))
		}
		if err != nil || n < 1 || n > len(q.Options) {
			return text, nil
		}
		picked = append(picked, q.Options[n-1])
	}
	return strings.Join(picked, ", "), nil
}

// areOptions reports whether all words are options as they stand.
func (q Question) areOptions(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(q.Options, w) })
}

func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return plain.Trimmed(v), true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// Markdown is the questions with their answers, for a model to read as data:
// everything that was asked or said is quoted line by line.
func (a Answers) Markdown(q Questions) string {
	var b strings.Builder
	for i, one := range q.WithIDs().Questions {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s asks:\n\n%s\n", one.ID, blockQuote(one.Question))
		if plainLine(a[one.ID]) == "" {
			b.WriteString("There is no answer.\n")
			continue
		}
		fmt.Fprintf(&b, "The person answers:\n\n%s", blockQuote(a[one.ID]))
	}
	return b.String()
}
