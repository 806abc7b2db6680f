package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/product/staged"
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
