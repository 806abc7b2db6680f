package staged

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func three() Questions {
	return Questions{Questions: []Question{
		{ID: "Q1", Question: "Who will read it?"},
		{ID: "Q2", Question: "How much may it cost?", Why: "It bounds the sources.", Options: []string{"nothing", "100 euros"}},
		{ID: "Q3", Question: "By when?"},
	}}
}

func TestAnswersAreReadInEveryShape(t *testing.T) {
	want, q := Answers{"Q1": "engineers", "Q2": "100", "Q3": "tomorrow"}, three()
	q.Questions[1].Options = nil
	for _, c := range []struct{ name, in string }{
		{"bare", `{"Q1":"engineers","Q2":"100","Q3":"tomorrow"}`},
		{"wrapped", `{"answers":{"Q1":"engineers","Q2":"100","Q3":"tomorrow"}}`},
		{"small ids and numbers", `{"q1":"engineers","2":100," Q3 ":"tomorrow"}`},
		{"the questions themselves", `{"Who will read it?":"engineers","HOW MUCH  MAY IT COST":"100","By when?":"tomorrow"}`},
		{"as the template has them", `{"Q1. Who will read it?":"engineers","Q2. How much may it cost?":"100","Q3. By when?":"tomorrow"}`},
		{"lists", `{"Q1":["engineers"],"Q2":[100,null," "],"Q3":["tomorrow",""]}`},
		{"a mark of order before it", "\ufeff" + `{"Q1":"engineers","Q2":"100","Q3":"tomorrow"}`},
		{"white space around them", "\n\t" + `{"Q1":"  engineers\n","Q2":" 100 ","Q3":"\u0007tomorrow"}` + "\r\n"},
	} {
		got, err := ParseAnswers([]byte(c.in), q)
		require.NoError(t, err, c.name)
		require.Equal(t, want, got, c.name)
	}
	got, err := ParseAnswers([]byte(`{"Q1":["a","b",true],"Q2":1e400,"Q3":"two\nlines"}`), q)
	require.NoError(t, err)
	require.Equal(t, Answers{"Q1": "a, b, true", "Q2": "1e400", "Q3": "two\nlines"}, got)
}

func TestTheNumberOfAnOptionMeansTheOption(t *testing.T) {
	q := Questions{Questions: []Question{
		{ID: "Q1", Question: "How much?", Options: []string{"nothing", "100 euros", "more"}},
		{ID: "Q2", Question: "By when?", Options: []string{"2027", "1", "2026"}},
		{ID: "Q3", Question: "How many?"},
	}}
	for _, c := range []struct{ name, in, want string }{
		{"a number as text", `"2"`, "100 euros"},
		{"a number", `2`, "100 euros"},
		{"with a bracket", `"2)"`, "100 euros"},
		{"several", `"1, 3"`, "nothing, more"},
		{"a list", `[1,"3"]`, "nothing, more"},
		{"the option itself", `"100 euros"`, "100 euros"},
		{"words with a number", `"2 or so, 4"`, "2 or so, 4"},
		{"no whole number", `2.5`, "2.5"},
	} {
		got, err := ParseAnswers([]byte(`{"Q1":`+c.in+`,"Q2":"3","Q3":"2"}`), q)
		require.NoError(t, err, c.name)
		require.Equal(t, Answers{"Q1": c.want, "Q2": "2026", "Q3": "2"}, got, c.name)
	}
	for _, said := range []string{"2027", "1", "2027, 1"} {
		got, err := q.Questions[1].ResolveOptions(said)
		require.NoError(t, err)
		require.Equal(t, said, got, "an option's own words go before its number")
	}
	for _, beyond := range []string{`"4"`, `0`, `-1`, `[1,4]`, `99999999999999999999`} {
		_, err := ParseAnswers([]byte(`{"Q1":`+beyond+`,"Q2":"x","Q3":"2"}`), q)
		require.ErrorContains(t, err, "the answer to Q1 is ", beyond)
		require.ErrorContains(t, err, "the options are 1 to 3", beyond)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestAnswersThatCannotBeUsedSayWhatToDo(t *testing.T) {
	for _, c := range []struct{ name, in, problem string }{
		{"nothing", ``, `it is empty; give a JSON object such as {"Q1": "…", "Q2": "…"}`},
		{"no JSON", `Q1: engineers`, "it is no JSON: "},
		{"cut off", `{"Q1":"engineers"`, "the JSON ends too early"},
		{"a list", `["engineers"]`, "it is no JSON object; give"},
		{"null", `null`, "it is no JSON object; give"},
		{"two objects", `{"Q1":"a"} {"Q2":"b"}`, "something stands behind the JSON value"},
		{"one missing", `{"Q1":"a","Q2":"b"}`, "there is no answer to Q3; answer every question"},
		{"several missing or blank", `{"Q1":" ","Q2":null,"Q3":"x"}`, "there is no answer to Q1, Q2; answer every question"},
		{"an empty list", `{"Q1":[],"Q2":"b","Q3":[""]}`, "there is no answer to Q1, Q3; answer every question"},
		{"no answers at all", `{}`, "there is no answer to Q1, Q2, Q3"},
		{"none in the wrapper", `{"answers":{}}`, "there is no answer to Q1, Q2, Q3"},
		{"an unknown key", `{"Q4":"a"}`, `"Q4" is no question; name them Q1 to Q3`},
		{"a key that is no text of ours", `{"\u001b[2J\n\nx":"a"}`, `"x" is no question`},
		{"a key twice", `{"Q1":"a","Q1":"b"}`, `the key "Q1" stands there twice`},
		{"a question twice", `{"Q1":"a","q1":"b"}`, `Q1 is answered twice, as "Q1" and as "q1"; leave one`},
		{"a question twice, once in words", `{"Who will read it?":"a","1":"b"}`, `Q1 is answered twice, as "Who will read it?" and as "1"; leave one`},
		{"an object", `{"Q1":{"a":1}}`, "the answer to Q1 is neither text, number, true or false, nor a list of them; write it as text"},
		{"a list of lists", `{"Q1":[["a"]]}`, "the answer to Q1 is neither text"},
		{"something beside the wrapper", `{"answers":{"Q1":"a"},"Q2":"b"}`, `"answers" stands beside other keys; put all answers into it, or leave it out`},
		{"a wrapped list", `{"answers":["a","b","c"]}`, `"answers": it is no JSON object; give {"answers": {"Q1": "…"}}`},
		{"a wrapper in a wrapper", `{"answers":{"answers":{"Q1":"a"}}}`, `"answers" is no question`},
		{"bytes that are no text", "{\"Q1\":\"\xff\"}", "the file is no UTF-8 text; save it as UTF-8"},
		{"too much", `{"Q1":"` + strings.Repeat("a", maxInputBytes) + `"}`, "the file is longer than 1 MiB"},
		{"nested beyond all measure", `{"Q1":` + strings.Repeat("[", 20000), "exceeded max depth"},
	} {
		_, err := ParseAnswers([]byte(c.in), three())
		require.ErrorContains(t, err, c.problem, c.name)
		require.NotContains(t, err.Error(), "\n", c.name)
		require.NotContains(t, err.Error(), "\x1b", c.name)
	}
	many := Questions{}
	for i := range 30 {
		many.Questions = append(many.Questions, Question{Question: strings.Repeat("x", i+1)})
	}
	_, err := ParseAnswers([]byte(`{}`), many)
	require.ErrorContains(t, err, "Q19, Q20 and 10 more; answer every question")
}

func TestEveryQuestionHasAnIDOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		name    string
		in, out []string // ids
	}{
		{"as they should be", []string{"Q1", "Q2", "Q3"}, []string{"Q1", "Q2", "Q3"}},
		{"words stay", []string{"goal", "scope"}, []string{"goal", "scope"}},
		{"none", []string{"", " "}, []string{"Q1", "Q2"}},
		{"twice", []string{"Q1", "q1", "Q1"}, []string{"Q1", "Q2", "Q3"}},
		{"one has another's place", []string{"Q2", "", ""}, []string{"Q2", "Q3", "Q4"}},
		{"no ids at all", []string{"../x", "a b", "answers", "\x1b[2J"}, []string{"Q1", "Q2", "Q3", "Q4"}},
	} {
		var q Questions
		for i, id := range c.in {
			q.Questions = append(q.Questions, Question{ID: id, Question: "question " + strings.Repeat("x", i)})
		}
		var got []string
		for _, one := range q.WithIDs().Questions {
			got = append(got, one.ID)
		}
		require.Equal(t, c.out, got, c.name)
		require.Equal(t, q.WithIDs(), q.WithIDs().WithIDs(), c.name)
	}
	twice := Questions{Questions: []Question{{ID: "Q1", Question: "Who?"}, {ID: "Q2", Question: " who ? "}, {ID: "Q3", Question: "WHO?"}, {ID: "Q4", Question: "\n"}}}
	require.Len(t, twice.WithIDs().Questions, 2, "white space within is told apart, case and ends are not")
}

func TestATemplateThatIsFilledInIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Questions
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			q.Questions = append(q.Questions, Question{
				ID:       rapid.OneOf(rapid.SampledFrom([]string{"", "Q1", "Q2", "Q11", "scope"}), rapid.String()).Draw(t, "id"),
				Question: rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"2", "Q1", "answers", "who?", "Q2. who", strings.Repeat("long ", 100)})).Draw(t, "question"),
			})
		}
		var blank map[string]string
		require.NoError(t, json.Unmarshal(Template(q), &blank))
		require.Len(t, blank, len(q.WithIDs().Questions))
		for name, value := range blank {
			require.Empty(t, value)
			blank[name] = "the answer"
		}
		filled, err := json.Marshal(blank)
		require.NoError(t, err)
		answers, err := ParseAnswers(filled, q)
		require.NoError(t, err, "%s", filled)
		require.Len(t, answers, len(blank))
		if len(blank) > 0 {
			_, err = ParseAnswers(Template(q), q)
			require.ErrorContains(t, err, "there is no answer to ")
		}
	})
	require.Equal(t, `{
  "Q1. Who will read it?": "",
  "Q2. How much may it cost?": "",
  "Q3. By when?": ""
}
`, string(Template(three())))
}

func TestAnswersAreQuotedForAModel(t *testing.T) {
	require.Equal(t, `Q1 asks:

> Who will read it?

The person answers:

> engineers
> # and others
>
> > more

Q2 asks:

> How much may it cost?

There is no answer.

Q3 asks:

> By when?

The person answers:

> Q2 asks:
>
> x
`, Answers{"Q1": "engineers\r# and others\n\n\n\n> more", "Q3": "Q2 asks:\u2028\u2028x", "Q9": "y"}.Markdown(three()))
}

func TestNoAnswerLeavesItsQuotation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching("[ \\n\\r\\t#>`~<!a-]{0,20}")).Draw(t, "s")
		q := Questions{Questions: []Question{{Question: "x" + s}}}
		for l := range strings.Lines((Answers{"Q1": s}).Markdown(q)) {
			l = strings.TrimSuffix(l, "\n")
			ours := l == "" || l == "Q1 asks:" || l == "The person answers:" || l == "There is no answer."
			require.True(t, ours || l == ">" || strings.HasPrefix(l, "> "), "%q", l)
			require.NotContains(t, l, "\x1b")
		}
	})
}

func FuzzParseAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"Q1":"a","Q2":"b","Q3":"c"}`, `{"answers":{"1":1,"2":[true,"x"],"by when?":"c"}}`, `{"Q1":"a","q1":"b"}`, `[`, "\ufeff{}", "\xff", `{"answers":{"answers":{}}}`, `{"\u0051\u0031":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		answers, err := ParseAnswers(data, three())
		if err != nil {
			require.Nil(t, answers)
			require.NotContains(t, err.Error(), "\n")
			require.NotContains(t, err.Error(), "\x1b")
			return
		}
		require.Len(t, answers, 3)
		for id, text := range answers {
			require.NotEmpty(t, strings.TrimSpace(text), id)
		}
		again, err := json.Marshal(answers)
		require.NoError(t, err)
		back, err := ParseAnswers(bytes.TrimSpace(again), three())
		require.NoError(t, err)
		require.Equal(t, answers, back)
	})
}
