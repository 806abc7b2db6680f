package scope_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/scope"
)

// topicCase is a topic with what a plan of it has to have.
type topicCase struct {
	ID, Topic string
	Expect    struct {
		Parts   []string `json:"offline_split"`
		Mention []string `json:"must_mention"`
		Keeps   []string
	}
}

func topics(t *testing.T) []topicCase {
	t.Helper()
	data, err := os.ReadFile("testdata/topics.jsonl")
	require.NoError(t, err)
	var list []topicCase
	for line := range strings.Lines(string(data)) {
		var c topicCase
		require.NoError(t, json.Unmarshal([]byte(line), &c))
		list = append(list, c)
	}
	require.Len(t, list, 70)
	return list
}

// Without a model each part that a topic names is a question.
func TestTheRulesSplitATopicIntoTheParts(t *testing.T) {
	for _, c := range topics(t) {
		t.Run(c.ID, func(t *testing.T) {
			asked := scope.QuestionsOf(c.Topic)
			require.LessOrEqual(t, len(asked), scope.MaxQuestions+1)
			if len(c.Expect.Parts) == 0 {
				return
			}
			require.Len(t, asked, len(c.Expect.Parts)+1, "%v", asked)
			for i, part := range c.Expect.Parts {
				require.Contains(t, asked[i+1].Text, part)
				for j, other := range c.Expect.Parts {
					if j != i && len(other) > 1 {
						require.NotContains(t, asked[i+1].Text, other)
					}
				}
			}
		})
	}
}

// planned are questions of these texts.
func planned(texts ...string) []scope.Question {
	list := make([]scope.Question, len(texts))
	for i, text := range texts {
		list[i].Text = text
	}
	return list
}

// What somebody has planned who put parts together and worded them otherwise is a plan.
func TestAPlanInOtherWordsIsAccepted(t *testing.T) {
	data, err := os.ReadFile("testdata/plans.jsonl")
	require.NoError(t, err)
	known := map[string]string{}
	for _, c := range topics(t) {
		known[c.ID] = c.Topic
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		var p struct {
			ID        string
			Questions []string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &p))
		require.NotEmpty(t, known[p.ID], p.ID)
		require.Empty(t, scope.CheckPlanned(known[p.ID], planned(p.Questions...)), p.ID)
		n++
	}
	require.Greater(t, n, 20)
}

// A plan that leaves out a part the topic names is sent back with that part.
func TestAPlanThatLosesAPartIsRefused(t *testing.T) {
	for _, c := range topics(t) {
		parts := c.Expect.Parts
		if len(parts) == 0 {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			for lost := range parts {
				var kept []string
				for i, part := range parts {
					if i != lost {
						kept = append(kept, part)
					}
				}
				for len(kept) > scope.MaxPlanned {
					kept = append([]string{kept[0] + ", " + kept[1]}, kept[2:]...)
				}
				for len(kept) < scope.MinPlanned {
					kept = append(kept, kept[0]+strings.Repeat("+", len(kept)))
				}
				said := strings.Join(scope.CheckPlanned(c.Topic, planned(kept...)), "\n")
				require.Contains(t, said, parts[lost], "%v", kept)
			}
		})
	}
}

func TestAPlanIsHeldToItsForm(t *testing.T) {
	for said, texts := range map[string][]string{
		"there are 2 questions; plan 3 to 8": {"One?", "Two?"},
		"there are 9 questions; plan 3 to 8": {"a?", "b?", "c?", "d?", "e?", "f?", "g?", "h?", "i?"},
		"questions 1 and 3 ask the same":     {"How fast is it?", "What is lost?", "how fast is it"},
		"":                                   {"How fast is it?", "What is lost?", "Who says so?"},
		"question 1 is not in the language of the topic\n": nil,
	} {
		topic := "What is a quorum?"
		if texts == nil {
			topic, texts = "Почему отменили монорельс в Москве и чем его заменят?", []string{"Why was the monorail closed?", "Кто это решил?", "Чем его заменят и почему?"}
		}
		require.Equal(t, strings.TrimSpace(said), strings.Join(scope.CheckPlanned(topic, planned(texts...)), "\n"))
	}
}

func TestPlannedQuestionsAreBoundedAndNumbered(t *testing.T) {
	long := strings.Repeat("word ", 400)
	q := scope.Question{ID: "Q99", Text: " What\x1b[31m is\n it? ", AnsweredBy: long, Dimensions: []string{"cost", "cost", "", "time"}, MustNotMiss: []string{long}, Critical: true}
	list := scope.Planned("The topic", []scope.Question{q, {Text: "  "}, q, q, q})
	require.Len(t, list, 5)
	require.Equal(t, scope.Question{ID: "Q1", Text: "The topic"}, list[0])
	require.Equal(t, "Q2", list[1].ID)
	require.Equal(t, "What is it?", list[1].Text)
	require.Equal(t, []string{"cost", "time"}, list[1].Dimensions)
	require.LessOrEqual(t, len([]rune(list[1].AnsweredBy)), scope.QuestionLimit)
	require.LessOrEqual(t, len([]rune(list[1].MustNotMiss[0])), scope.PointLimit)
	require.True(t, list[3].Critical)
	require.False(t, list[4].Critical, "the fourth")
}
