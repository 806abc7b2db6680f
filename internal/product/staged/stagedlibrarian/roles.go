// Package stagedlibrarian is what the librarian does in staged research, without a
// model: [DiscoveryQuestions] makes questions, [MakeBrief] a brief of the answers
// and [MakePlan] a plan of the brief; [Collect] researches the part of one agent;
// [Findings], [Advocate] and [Prose] arrange what was located and count what
// speaks against it. It reviews nothing, since it can judge nothing.
//
// What the files hold and how claims are arranged is package librarian's; [Roles]
// are handed to its process. The same files and answers give the same bytes.
package stagedlibrarian

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/base/plain"
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

// Roles are the parts the librarian plays in staged research, by name. All but
// the prose answer with one JSON object and the marker.
func Roles() map[string]librarian.Role {
	return map[string]librarian.Role{
		agent.Questions:  questions,
		agent.Brief:      brief,
		agent.Planning:   plan,
		agent.Collection: collection,
		agent.Findings:   findings,
		agent.Advocate:   advocate,
		agent.Prose:      prose,
	}
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
		return librarian.Refusal("the " + called + " is empty")
	}
	return librarian.Refusal("the " + called + " cannot be read: " + err.Error())
}

// cleanLine is foreign text on one line, for the string of an answer.
func cleanLine(s string) string { return plain.Line(librarian.DropInvisible(s), answerRunes) }

// withoutEmphasis drops the marks of strong emphasis from a sentence of Markdown.
func withoutEmphasis(s string) string {
	if strings.Count(s, "**")%2 == 1 {
		return s
	}
	return strings.ReplaceAll(s, "**", "")
}

// quoteTerms lists terms in quotation marks: “a”, “b”.
func quoteTerms(list []string) string {
	marked := make([]string, len(list))
	for i, s := range list {
		marked[i] = "“" + s + "”"
	}
	return strings.Join(marked, ", ")
}
