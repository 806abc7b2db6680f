package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent"
	"research-council/internal/product/staged"
)

// fakePanelist is an executable that takes part in staged research and reviews
// reports: `fake-panelist NAME`. It answers every role as the gates want it.
// How it votes as a reviewer stands in the home, in verdict-N for the N-th
// review; where nothing stands it approves.
func fakePanelist() {
	asked, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(70)
	}
	report := os.Getenv("RESEARCH_REPORT_PATH")
	if role := filepath.Base(report); strings.HasSuffix(role, "-report.md") { // of a council
		claim := `{"text":"A kettle boils fast.","quote":"A kettle boils a litre of water in about three minutes.","source":"kettle.md"}` + "\n"
		if err := os.WriteFile(filepath.Join(filepath.Dir(report), "claims.jsonl"), []byte(claim), 0o600); err != nil {
			os.Exit(73)
		}
	}
	text := panelistSays(filepath.Base(report), string(asked))
	if err := os.WriteFile(report, []byte(text+"\n\n"+agent.Marker+"\n"), 0o600); err != nil {
		os.Exit(73)
	}
}

func panelistSays(report, asked string) string {
	name, isJSON := strings.CutSuffix(report, ".json")
	role, visit, _ := strings.Cut(strings.TrimSuffix(name, ".md"), "-")
	if isJSON && role == agent.Synthesis {
		role = agent.Findings
	}
	switch role {
	case agent.Questions:
		return asJSONText(tenQuestions())
	case agent.Brief:
		return `{"topic":"How it \u001b[31mworks","goal":"To decide on its settings","success_criteria":["It is known what paces it"],"confirmed_by_user":true}`
	case agent.Planning:
		return asJSONText(planOfTwo())
	case agent.Collection:
		return `{"facts":[{"statement":"The collector paces itself by the heap goal.","quote":"The collector paces itself by the heap goal and by what the mutators allocate.","source":"notes.md:1"}],"insights":["It adapts."]}`
	case agent.Findings:
		return `{"executive_summary":"It paces itself.","key_findings":[{"finding":"It paces itself.","claims":["C1"]}],"recommendations":[` +
			`{"recommendation":"Keep it.","rationale":"It works.","claims":["C1"]},{"recommendation":"Measure it.","rationale":"It varies."},{"recommendation":"Document it.","rationale":"It is unknown."}]}`
	case staged.DevilsAdvocate:
		return `{"risks":[{"risk":"The heap goal may be set too low.","claims":["C1"]}],"counterarguments":[],"blind_spots":["Other collectors."]}`
	case agent.Prose, agent.Synthesis:
		return sections(asked)
	case agent.Review, agent.Reconsider:
		return opinionOf(visit)
	}
	if strings.HasSuffix(report, "-votes.md") {
		return ballotsOf()
	}
	return "# Executive Summary\n\nIt works as it should.\n\n# Key Findings\n\n" + strings.Repeat("A finding that says something. ", 40)
}

// sections is a report's text, in the sections of staged research and of a
// council.
func sections(asked string) string {
	titles := []string{"Executive Summary", "Key Findings", "Recommendations", "Risks and Counterarguments", "Blind Spots", "Method and Limits"}
	cited := " [C1]"
	if !strings.Contains(asked, "Blind Spots") {
		titles = []string{"Executive Summary", "Key Findings", "Areas of Strong Consensus", "Areas of Disagreement or Nuance", "Novel Insights", "Remaining Open Questions", "Methodology Note"}
		cited = ""
	}
	var b strings.Builder
	for _, title := range titles {
		fmt.Fprintf(&b, "## %s\n\nThe collector paces itself by the heap goal%s, and by what is allocated meanwhile.\n\n- It holds as worded%s.\n- It is not yet all there is to know.\n\n", title, cited, cited)
	}
	return b.String()
}

func opinionOf(visit string) string {
	verdict := "approved"
	round, _, _ := strings.Cut(visit, "-")
	if said, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), "verdict-"+round)); err == nil {
		verdict = strings.TrimSpace(string(said))
	}
	issues := `[{"section":"Key Findings","claims":[],"issue":"It does not say when.","fix":"Say when.","severity":"major"}]`
	if verdict == "approved" {
		issues = "[]"
	}
	return fmt.Sprintf(`{"verdict":%q,"scores":{"accuracy":7,"evidence":7,"completeness":7,"reasoning":7,"clarity":7},"issues":%s,"summary":"The report was read and held against its facts."}`, verdict, issues)
}

// ballotsOf supports all claims on its ballots.
func ballotsOf() string {
	names, _ := filepath.Glob(filepath.Join("inputs", "ballot-*.md")) // the pattern is good
	var votes []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			os.Exit(74)
		}
		for _, m := range regexp.MustCompile(`(?m)^## (C\d+)`).FindAllStringSubmatch(string(text), -1) {
			votes = append(votes, fmt.Sprintf(`{"id":%q,"answer":"supports","reason":"the passage says so"}`, m[1]))
		}
	}
	return strings.Join(votes, "\n")
}

func tenQuestions() staged.Questions {
	q := staged.Questions{Questions: []staged.Question{{ID: "Q1", Question: "What is it\x1b[2J for?", Why: "It decides what counts.", Options: []string{"a decision", "an overview"}}}}
	for i := 2; i <= staged.QuestionCount; i++ {
		q.Questions = append(q.Questions, staged.Question{ID: fmt.Sprintf("Q%d", i), Question: fmt.Sprintf("What matters most, number %d?", i)})
	}
	return q
}

func planOfTwo() staged.Plan {
	p := staged.Plan{Subtopics: []staged.Subtopic{{ID: "T1", Title: "Pacing"}}, Quality: []string{"A quotation stands in its source."}}
	for _, id := range []string{"A1", "A2"} {
		p.Agents = append(p.Agents, staged.Assignment{ID: id, Focus: "Look into part " + id + ".", Subtopics: []string{"T1"}})
	}
	return p
}

func asJSONText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // they are made of plain values
	}
	return string(data)
}

// saying is a person at a terminal who types these lines, and what they were
// shown.
func saying(lines ...string) (*dialogue, *bytes.Buffer) {
	var shown bytes.Buffer
	typed := ""
	for _, l := range lines {
		typed += l + "\n"
	}
	return &dialogue{bufio.NewReader(strings.NewReader(typed)), &shown, 80}, &shown
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
	_, err = (&dialogue{bufio.NewReader(silent), io.Discard, 0}).line(stopped, "Q1>")
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
