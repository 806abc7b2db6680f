package librarian

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"research-council/internal/agent"

	"research-council/internal/base/plain"
	"research-council/internal/base/plural"
)

// Bounds of what staged research is handed and hands on, in runes or in number.
const (
	shownTopic  = 200  // runes of the question where it is repeated
	fullTopic   = 1000 // and in the brief
	answerRunes = 600  // of an answer, a statement or another text taken over
	titleRunes  = 80   // of a heading or term
	lineRunes   = 280  // of a search
	goalRunes   = 1900 // of a goal, which joins several answers
	briefRunes  = 900  // of other lines of a brief
	maxListed   = 12   // items of a list made of what was handed over
	maxInput    = 2000 // items looked at of a list that is handed over
)

// Every role of staged research but the prose answers with one JSON object and
// the marker. The schemas say what it holds.

// writeAnswer leaves the answer of a role and says in a few words what it is.
func (d TurnIO) writeAnswer(a assignment, v any, words string) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("put the answer into words: %w", err)
	}
	if err := d.Write(a.Report, append(data, "\n"+agent.Marker+"\n"...)); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return d.writeEvent(event{Type: resulted, Text: words})
}

// inputTexts are the texts a role was given, at least so many of them.
func (d TurnIO) inputTexts(a assignment, least int) ([]string, error) {
	texts, err := d.readFiles(a.Inputs)
	if err == nil && len(texts) < least {
		err = refusalError(fmt.Sprintf("the role %s needs %s, of which %d came", a.Role, plural.Of(least, "file"), len(texts)))
	}
	return texts, err
}

// decode reads the JSON value a text begins with into v. A field of another
// kind than it should be is left out; what is no JSON is refused, and what it
// is called.
func decode(text, called string, v any) error {
	text = strings.TrimPrefix(text, "\ufeff")
	err := json.NewDecoder(strings.NewReader(text)).Decode(v)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil, errors.As(err, &kind) && kind.Field != "":
		return nil
	case errors.Is(err, io.EOF):
		return refusalError("the " + called + " is empty")
	}
	return refusalError("the " + called + " cannot be read: " + err.Error())
}

// cleanLine is foreign text on one line, for the string of an answer.
func cleanLine(s string) string { return plain.Line(dropInvisible(s), answerRunes) }

// withoutEmphasis drops the marks of strong emphasis from a sentence of Markdown.
func withoutEmphasis(s string) string {
	if strings.Count(s, "**")%2 == 1 {
		return s
	}
	return strings.ReplaceAll(s, "**", "")
}

// termsOf are the words a question is about, in its own order, for people.
func termsOf(topic string, n int) []string {
	var out []string
	for _, c := range concepts(topic) {
		if name := plain.Line(c.name, titleRunes); name != "" && !slices.Contains(out, name) && len(out) < n {
			out = append(out, name)
		}
	}
	return out
}

// quoteTerms lists terms in quotation marks: “a”, “b”.
func quoteTerms(list []string) string {
	marked := make([]string, len(list))
	for i, s := range list {
		marked[i] = "“" + s + "”"
	}
	return strings.Join(marked, ", ")
}
