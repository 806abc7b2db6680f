package scope_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/scope"
)

func editable() []scope.Question {
	return scope.Planned("The topic", []scope.Question{
		{Text: "How does each elect a leader?", AnsweredBy: "the code of both", Dimensions: []string{"latency", "safety"}, MustNotMiss: []string{"pre-vote"}, Critical: true},
		{Text: "Who uses C# for it?"},
	})
}

func TestAnUnchangedTextGivesTheSameQuestions(t *testing.T) {
	text := scope.Comments(scope.EditHelp) + scope.EditText(editable())
	require.Equal(t, `How does each elect a leader?
  answered by: the code of both
  dimensions: latency; safety
  must not miss: pre-vote
  critical

Who uses C# for it?
`, scope.EditText(editable()))
	list, err := scope.ParseEdited([]byte(text))
	require.NoError(t, err)
	require.Equal(t, editable(), scope.Planned("The topic", list))
}

func TestATopicAloneIsEditedItself(t *testing.T) {
	alone := scope.QuestionsOf("#MeToo and the law")
	require.Equal(t, "MeToo and the law\n", scope.EditText(alone))
	list, err := scope.ParseEdited([]byte("Quorum\n"))
	require.NoError(t, err)
	require.Equal(t, scope.QuestionsOf("Quorum"), scope.Planned("Quorum", list))
}

func TestAnEditedTextIsRead(t *testing.T) {
	list, err := scope.ParseEdited([]byte("\ufeff# a comment\r\nOne?\r\n\tcritical\r\n\r\nTwo #2?\r\n  # no comment, for it is indented\r\n"))
	require.EqualError(t, err, `line 6 is none of "answered by:", "dimensions:", "must not miss:" and "critical"`)
	require.Nil(t, list)
	list, err = scope.ParseEdited([]byte("Only one question?\n"))
	require.NoError(t, err, "a person may plan fewer than a model")
	require.Equal(t, []scope.Question{{Text: "Only one question?"}}, list)
}

func TestNonsenseInAnEditedTextIsSaidInOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "there is no question in it",
		"# all\n# comments\n\n":      "there is no question in it",
		"  critical\n":               "line 1 is indented and there is no question above it",
		"One?\n  colour: red\n":      `line 2 is none of "answered by:", "dimensions:", "must not miss:" and "critical"`,
		"---\n":                      "question 1 has no word in it",
		"\xff\xfe":                   "it is no UTF-8 text",
		strings.Repeat("One?\n", 13): "there are 13 questions; there may be 12",
		strings.Repeat("x", 600):     "question 1 has a line of more than 500 characters",
		strings.Repeat("#\n", 1<<18): "it is longer than 256 KiB",
	} {
		_, err := scope.ParseEdited([]byte(text))
		require.EqualError(t, err, want)
	}
}

func FuzzParseEdited(f *testing.F) {
	f.Add([]byte(scope.EditText(editable())))
	f.Add([]byte("One?\n  critical\n\tdimensions: a;;b;\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := scope.ParseEdited(data)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		planned := scope.Planned("The topic", list)
		again, err := scope.ParseEdited([]byte(scope.EditText(planned)))
		if len(planned) == 1 {
			return // nothing but what cannot be seen
		}
		if err == nil {
			require.Equal(t, planned, scope.Planned("The topic", again))
		}
	})
}
