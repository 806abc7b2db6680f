package dialogue

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/product/staged"
)

// saying is a person at a terminal who types these lines, and what they were
// shown.
func saying(lines ...string) (*Person, *bytes.Buffer) {
	var shown bytes.Buffer
	typed := ""
	for _, l := range lines {
		typed += l + "\n"
	}
	return &Person{bufio.NewReader(strings.NewReader(typed)), &shown, 80, nil}, &shown
}

func threeQuestions() staged.Questions {
	return staged.Questions{Questions: []staged.Question{
		{ID: "Q1", Question: "What is it \x1b[2Jfor?", Options: []string{"a decision", "an overview", "both"}},
		{ID: "Q2", Question: "By when?", Why: "It bounds the search."},
		{ID: "Q3", Question: "Who reads it?"},
	}}
}

func TestAPersonAnswersAtTheTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		types []string
		known staged.Answers
		want  staged.Answers
	}{
		"words":                                {[]string{"a talk", "soon", "we do"}, nil, staged.Answers{"Q1": "a talk", "Q2": "soon", "Q3": "we do"}},
		"the number of an option":              {[]string{"2", "soon", "we do"}, nil, staged.Answers{"Q1": "an overview", "Q2": "soon", "Q3": "we do"}},
		"several options":                      {[]string{"1, 3", "soon", "we do"}, nil, staged.Answers{"Q1": "a decision, both", "Q2": "soon", "Q3": "we do"}},
		"a number that is no option":           {[]string{"4", "", "3", "7", "we do"}, nil, staged.Answers{"Q1": "both", "Q2": "7", "Q3": "we do"}},
		"an empty line is asked again":         {[]string{"", "1", "soon", "we do"}, nil, staged.Answers{"Q1": "a decision", "Q2": "soon", "Q3": "we do"}},
		"two empty lines are no preference":    {[]string{" ", "", "soon", "we do"}, nil, staged.Answers{"Q1": noPreference, "Q2": "soon", "Q3": "we do"}},
		"an empty line keeps what was said":    {[]string{"", "now", ""}, staged.Answers{"Q1": "a talk", "Q2": "soon", "Q3": "we do"}, staged.Answers{"Q1": "a talk", "Q2": "now", "Q3": "we do"}},
		"marks that a terminal obeys are gone": {[]string{"a \x1b[31mtalk\u202e", "soon", "we do"}, nil, staged.Answers{"Q1": "a [31mtalk", "Q2": "soon", "Q3": "we do"}},
	} {
		t.Run(name, func(t *testing.T) {
			person, shown := saying(c.types...)
			kept := 0
			got, err := person.answers(t.Context(), threeQuestions(), c.known, func(staged.Answers) error { kept++; return nil })
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.Equal(t, 3, kept, "each answer is kept as it comes")
			require.NotContains(t, shown.String(), "\x1b")
			require.Contains(t, shown.String(), "1) a decision   2) an overview   3) both")
		})
	}
}

func TestAPersonWhoGoesLeavesWhatTheySaid(t *testing.T) {
	person, _ := saying("a talk", "soon")
	var kept staged.Answers
	_, err := person.answers(t.Context(), threeQuestions(), nil, func(a staged.Answers) error { kept = a; return nil })
	require.ErrorIs(t, err, errNoAnswer)
	require.Equal(t, staged.Answers{"Q1": "a talk", "Q2": "soon", "Q3": ""}, kept)

	silent, _ := io.Pipe()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = (&Person{bufio.NewReader(silent), io.Discard, 0, nil}).line(stopped, "Q1>")
	require.ErrorIs(t, err, context.Canceled)
}

func TestAPersonIsAskedForTheirWordUntilItIsOne(t *testing.T) {
	brief := staged.Brief{Topic: "It", Goal: "To know", SuccessCriteria: []string{"It is known"}}
	for _, c := range []struct {
		types []string
		want  string
	}{
		{[]string{"y"}, saysYes},
		{[]string{"YES"}, saysYes},
		{[]string{""}, saysNo},
		{[]string{"n"}, saysNo},
		{[]string{"why?", "maybe", "edit"}, saysEdit},
	} {
		person, shown := saying(c.types...)
		got, err := person.askToConfirm(t.Context(), brief)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.types)
		require.Contains(t, shown.String(), "- It is known")
		require.Equal(t, len(c.types), strings.Count(shown.String(), "Confirm? [y/N/edit]"))
	}
	person, _ := saying()
	_, err := person.askToConfirm(t.Context(), brief)
	require.ErrorIs(t, err, errNoAnswer, "silence is no word")
}

func TestWhatWasBegunToFillInIsRead(t *testing.T) {
	want := staged.Answers{"Q1": "a talk", "Q3": "we do"}
	for name, text := range map[string]string{
		"bare":            `{"Q1":"a talk","Q2":"","Q3":" we do "}`,
		"wrapped":         `{"answers":{"Q1":"a talk","Q3":"we do"}}`,
		"as the template": `{"Q1. What is it for?":"a talk","Q2. By when?":" ","Q3. Who reads it?":"we do"}`,
	} {
		require.Equal(t, want, parseDraft([]byte(text), threeQuestions()), name)
	}
	for _, text := range []string{"", "[]", "{", `{"answers":[1]}`, "\x00"} {
		require.Empty(t, parseDraft([]byte(text), threeQuestions()), text)
	}
}
