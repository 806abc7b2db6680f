package staged

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

func TestNoModelConfirmsABrief(t *testing.T) {
	const plain = `"topic":"t","goal":"g","success_criteria":["c"]`
	for _, c := range []struct{ name, in string }{
		{"it does not try", `{` + plain + `}`},
		{"it says so", `{` + plain + `,"confirmed_by_user":true}`},
		{"in another case", `{` + plain + `,"Confirmed_By_User":true,"CONFIRMED_BY_USER":true}`},
		{"with letters that fold to others", `{` + plain + `,"confirmed_by_uſer":true}`},
		{"escaped", `{` + plain + `,"\u0063onfirmed_by_user":true}`},
		{"without underscores", `{` + plain + `,"confirmedByUser":true,"confirmed-by-user":true,"Confirmed":true}`},
		{"twice", `{` + plain + `,"confirmed_by_user":false,"confirmed_by_user":true}`},
		{"as another type", `{` + plain + `,"confirmed_by_user":"true"}`},
		{"within something", `{` + plain + `,"meta":{"confirmed_by_user":true},"list":[[{"confirmed_by_user":true}]]}`},
	} {
		out, err := CleanBrief([]byte(c.in))
		require.NoError(t, err, c.name)
		require.Equal(t, `{
  "topic": "t",
  "goal": "g",
  "success_criteria": [
    "c"
  ],
  "confirmed_by_user": false
}
`, string(out), c.name)
	}
}

func TestABriefIsConfirmedAndTakesNothingElse(t *testing.T) {
	in := `{"topic":" Heat\npumps ","goal":"Find <the> best","success_criteria":["c","","C"],"audience":"owners","in_scope":["x"],"out_of_scope":["y"],"constraints":["z"],"confirmed_by_user":false,"more":1}`
	out, err := ConfirmBrief([]byte(in))
	require.NoError(t, err)
	var b Brief
	require.NoError(t, json.Unmarshal(out, &b))
	require.Equal(t, Brief{
		Topic: "Heat pumps", Goal: "Find <the> best", SuccessCriteria: []string{"c"}, Audience: "owners",
		InScope: []string{"x"}, OutOfScope: []string{"y"}, Constraints: []string{"z"}, Confirmed: true,
	}, b)
	require.NotContains(t, string(out), "more")
	again, err := ConfirmBrief(out)
	require.NoError(t, err)
	require.Equal(t, string(out), string(again))
	clean, err := CleanBrief(out)
	require.NoError(t, err)
	require.Equal(t, strings.Replace(string(out), `"confirmed_by_user": true`, `"confirmed_by_user": false`, 1), string(clean))
}

func TestWhatIsNoBriefIsNotConfirmed(t *testing.T) {
	for _, c := range []struct{ name, in, problem string }{
		{"nothing", ``, "it is empty"},
		{"a list", `[]`, "it cannot be a JSON array"},
		{"a topic that is no text", `{"topic":7}`, "topic cannot be a JSON number"},
		{"two briefs", `{}{}`, "something stands behind"},
	} {
		for _, f := range []func([]byte) ([]byte, error){CleanBrief, ConfirmBrief} {
			_, err := f([]byte(c.in))
			require.ErrorContains(t, err, c.problem, c.name)
			require.NotContains(t, err.Error(), "\n", c.name)
		}
	}
	for _, in := range []string{`{}`, `{"topic":"t"}`, `{"topic":"t","goal":"g"}`, `{"topic":"t","goal":"g","success_criteria":[" "]}`, `{"topic":" ","goal":"g","success_criteria":["c"]}`, `null`} {
		_, err := ConfirmBrief([]byte(in))
		require.ErrorContains(t, err, "it lacks its topic, its goal or any success criterion", in)
	}
}

func FuzzCleanBrief(f *testing.F) {
	for _, seed := range []string{`{"topic":"t","goal":"g","success_criteria":["c"],"confirmed_by_user":true}`, `{"Confirmed_by_User":true}`, `[{"confirmed_by_user":true}]`, `null`, "\xff", `{"topic":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := CleanBrief(data)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		var b Brief
		require.NoError(t, json.Unmarshal(out, &b))
		require.False(t, b.Confirmed)
		again, err := CleanBrief(out)
		require.NoError(t, err)
		require.Equal(t, string(out), string(again))
		if b.isComplete() {
			confirmed, err := ConfirmBrief(out)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(confirmed, &b))
			require.True(t, b.Confirmed)
		}
	})
}

func TestThePersonIsShownTheBrief(t *testing.T) {
	b := Brief{Topic: "Heat_pumps <b>", Goal: "# choose", SuccessCriteria: []string{"1. a price", "- a date"}, OutOfScope: []string{"boilers"}}
	require.Equal(t, `# Research brief

Topic: Heat_pumps \<b>

Goal: \# choose

Success criteria:

- 1\. a price
- \- a date

Out of scope:

- boilers

Not confirmed yet.
`, b.Markdown())
	b.Confirmed = true
	require.True(t, strings.HasSuffix(b.Markdown(), "\n\nConfirmed by the person.\n"))
}

// outline counts what in a Markdown text is more than words.
func outline(markdown string) map[string]int {
	counts := map[string]int{}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(markdown)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindHeading, ast.KindHTMLBlock, ast.KindRawHTML, ast.KindLink, ast.KindImage, ast.KindFencedCodeBlock, ast.KindCodeBlock, ast.KindThematicBreak, ast.KindBlockquote, ast.KindList:
			if entering {
				counts[n.Kind().String()]++
			}
		}
		return ast.WalkContinue, nil
	})
	return counts
}

func TestNothingAModelAsksIsMoreThanWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching("[ \\n\\t#>*_`~<!\\[\\]()|:=+0-9.a-]{0,12}"), rapid.SampledFrom([]string{
			"<h1>", "![x](y)", "\x1b]0;x\a", "[x]: y", "\u202e", "a\u0085# b", "===", "* # x", "1) # x", "~~~",
		})).Draw(t, "s")
		for _, shown := range []string{
			Brief{Topic: s, Goal: "x" + s, SuccessCriteria: []string{s, "x" + s}, Constraints: []string{s}}.Markdown(),
		} {
			got := outline(shown)
			lists := got["List"]
			delete(got, "List")
			require.Equal(t, map[string]int{"Heading": 1}, got, "%q:\n%s", s, shown)
			require.LessOrEqual(t, lists, 2, "%q:\n%s", s, shown)
			for _, r := range shown {
				require.True(t, r == '\n' || r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f) && (r < 0x202a || r > 0x202e), "%q", r)
			}
		}
	})
}
