package servers_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/test/loopback"
)

// researcher is a scripted model that does what its prompts ask by its tools alone: it
// searches the web, reads what it finds, records sentences that hold a word it looks
// for, votes, compares and writes. It knows nothing but what tools and prompts say.
type researcher struct {
	query string // what it searches
	tool  string // what it searches by
	word  string // of the sentences it records
	small bool   // it reads one page at once

	mu    sync.Mutex
	steps map[string]int             // by conversation
	pages map[string][]loopback.Call // that read what a search has found, by conversation
}

func newResearcher(query, word string) *researcher {
	return &researcher{query: query, tool: "search_web", word: word, steps: map[string]int{}, pages: map[string][]loopback.Call{}}
}

// play answers a request.
func (m *researcher) play(q loopback.Request) (loopback.Step, bool) {
	if q.Inner != "" {
		return loopback.Step{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.steps[q.Session]
	m.steps[q.Session]++
	_, material, _ := strings.Cut(q.FirstUser, "write nothing anywhere else.")
	if _, behind, ok := strings.Cut(q.FirstUser, "alone on that line."); ok {
		material = behind // of a synthesis
	}
	switch {
	case strings.Contains(q.FirstUser, "# The question, planned\n"):
		return say(`{"questions":[{"text":"What are kettles made of?","answered_by":"a statement"},{"text":"How does it work?","answered_by":"a description"},{"text":"What breaks first?","answered_by":"an account"}]}`), true
	case strings.Contains(q.FirstUser, "# Votes on Evidence\n"):
		return say(m.votes(material)), true
	case strings.Contains(q.FirstUser, "# Comparing Claims\n"):
		return say(compared(material)), true
	case strings.Contains(q.FirstUser, "# Synthesis\n"):
		return say(draft(material)), true
	case strings.Contains(q.FirstUser, "# Research\n"):
		return m.research(n, q), true
	case strings.Contains(q.FirstUser, "# Gathering facts\n"):
		return m.collect(n, q), true
	case strings.Contains(q.FirstUser, "# One iteration of research\n"):
		return m.explore(n, q), true
	case strings.Contains(q.FirstUser, "# The report's prose\n"):
		return conclude(n, q), true
	}
	for title, answer := range studied() {
		if strings.Contains(q.FirstUser, title) {
			return say(answer), true
		}
	}
	return say(report("Nothing is to be added.")), true
}

func say(text string) loopback.Step { return loopback.Step{Text: text} }

// research is the next step of a research.
func (m *researcher) research(n int, q loopback.Request) loopback.Step {
	if step, ok := m.find(n, q); ok {
		return step
	}
	return say(report("What was found stands in the claims."))
}

// find is what every research begins with: search, read, record.
func (m *researcher) find(n int, q loopback.Request) (loopback.Step, bool) {
	switch n {
	case 0:
		return m.search(), true
	case 1:
		m.pages[q.Session] = fetch(q).Tools
		if !m.small {
			return fetch(q), true
		}
	case 2:
		if !m.small {
			return m.record(q), true
		}
	}
	switch page := (n - 1) / 2; {
	case !m.small || page >= len(m.pages[q.Session]):
		return loopback.Step{}, false
	case n%2 == 1:
		return loopback.Step{Tools: m.pages[q.Session][page : page+1]}, true
	}
	if step := m.record(q); len(step.Tools) > 0 {
		return step, true
	}
	return loopback.Step{Tools: []loopback.Call{{Name: "list_claims", Input: map[string]any{}}}}, true // it goes on
}

func (m *researcher) search() loopback.Step {
	return loopback.Step{Tools: []loopback.Call{{Name: m.tool, Input: map[string]any{"query": m.query}}}}
}

// fetch reads the first pages that a search has found.
func fetch(q loopback.Request) loopback.Step {
	var calls []loopback.Call
	var read []string
	for _, found := range regexp.MustCompile(`(?m)^(?:\d+\. )?(http\S+)`).FindAllStringSubmatch(strings.Join(toolAnswers(q), "\n"), 5) {
		if !slices.Contains(read, found[1]) {
			read = append(read, found[1])
			calls = append(calls, loopback.Call{Name: "fetch_source", Input: map[string]any{"url": found[1]}})
		}
	}
	return loopback.Step{Tools: calls}
}

// fact is a sentence and where it stands.
type fact struct{ sentence, source string }

// facts are the sentences with the model's word on the pages read last, one a page.
func (m *researcher) facts(q loopback.Request) []fact {
	var list []fact
	for i, text := range toolAnswers(q) {
		for _, sentence := range regexp.MustCompile(`[A-Z][^\n]*?\.(?:[ \n]|$)`).FindAllString(text, -1) {
			if sentence = strings.TrimSpace(sentence); strings.Contains(sentence, m.word) {
				list = append(list, fact{sentence, gjson.Get(lastCalls(q)[i], "url").Str})
				break
			}
		}
	}
	return list
}

func (m *researcher) record(q loopback.Request) loopback.Step {
	var calls []loopback.Call
	for _, f := range m.facts(q) {
		calls = append(calls, loopback.Call{Name: "record_claim", Input: map[string]any{"text": f.sentence, "quote": f.sentence, "source": f.source, "questions": []string{"Q1"}}})
	}
	return loopback.Step{Tools: calls}
}

// collect is the next step of an agent that collects facts in stages.
func (m *researcher) collect(n int, q loopback.Request) loopback.Step {
	switch n {
	case 0:
		return m.search()
	case 1:
		return fetch(q)
	}
	type found struct {
		Statement string `json:"statement"`
		Quote     string `json:"quote"`
		Source    string `json:"source"`
	}
	var list []found
	for _, f := range m.facts(q) {
		list = append(list, found{f.sentence, f.sentence, f.source})
	}
	data, err := json.Marshal(map[string]any{"facts": list, "insights": []string{"The pages agree."}})
	if err != nil {
		panic(err) // strings
	}
	return say(string(data))
}

// explore is the next step of an iteration of a campaign's research: the first one of a
// question finds something, the others do not.
func (m *researcher) explore(n int, q loopback.Request) loopback.Step {
	if step, ok := m.find(n, q); ok {
		return step
	}
	if n == 3 {
		return loopback.Step{Tools: []loopback.Call{
			written(q, "sections/report/analysis.md", "The pages agree on what a kettle is.\n", false),
			written(q, "questions.jsonl", `{"question": "What do the pages leave open?"}`+"\n", true),
		}}
	}
	return say("Pages on kettles were read, and what they say was recorded. The next direction is what the pages leave open.")
}

// conclude writes the prose around a campaign's findings.
func conclude(n int, q loopback.Request) loopback.Step {
	if n > 0 {
		return say("The prose is written; every section stands where it was asked for.")
	}
	var calls []loopback.Call
	for _, key := range []string{"executive-summary", "background", "analysis", "open-questions", "methodology"} {
		calls = append(calls, written(q, "sections/report/"+key+".md", "On "+key+": it is as the pages say [C1].\n", false))
	}
	return loopback.Step{Tools: calls}
}

// written is a call that writes a file of records, in the folder that is named.
func written(q loopback.Request, name, text string, add bool) loopback.Call {
	folder := regexp.MustCompile("`(/[^`]*)/sections/report/").FindStringSubmatch(q.FirstUser)
	if folder == nil {
		return loopback.Call{Name: "write_file", Input: map[string]any{"path": name, "text": text, "append": add}}
	}
	return loopback.Call{Name: "write_file", Input: map[string]any{"path": folder[1] + "/" + name, "text": text, "append": add}}
}

// studied are the answers of staged research that need nothing looked up, by how their
// prompts begin.
func studied() map[string]string {
	var ten []string
	for i := 1; i <= 10; i++ {
		ten = append(ten, fmt.Sprintf(`{"id":"Q%d","question":"What matters most, number %d?","why":"It decides what counts.","options":["speed","memory"]}`, i, i))
	}
	var prose strings.Builder
	for _, title := range []string{"Executive Summary", "Key Findings", "Recommendations", "Risks and Counterarguments", "Blind Spots", "Method and Limits"} {
		fmt.Fprintf(&prose, "## %s\n\nKettles are as the pages say [C1], and break as they say.\n\n- It holds as worded [C1].\n- It is not yet all there is to know.\n\n", title)
	}
	const approval = `{"verdict":"approved","scores":{"accuracy":8,"evidence":8,"completeness":7,"reasoning":8,"clarity":8},"issues":[],"summary":"The report was read and held against its facts."}`
	return map[string]string{
		"# Ten questions before the research\n": `{"questions":[` + strings.Join(ten, ",") + `]}`,
		"# The brief\n":                         `{"topic":"Kettles","goal":"To choose one","success_criteria":["It is known what they are made of"],"confirmed_by_user":true}`,
		"# The plan\n":                          `{"subtopics":[{"id":"T1","title":"Material"}],"agents":[{"id":"A1","focus":"Look into the material.","subtopics":["T1"]},{"id":"A2","focus":"Look into what breaks.","subtopics":["T1"]}],"quality_criteria":["A quotation stands in its source."]}`,
		"# Findings and recommendations\n": `{"executive_summary":"Kettles are of steel.","key_findings":[{"finding":"Kettles are of steel.","claims":["C1"]}],"recommendations":[` +
			`{"recommendation":"Buy one.","rationale":"It works.","claims":["C1"]},{"recommendation":"Measure it.","rationale":"It varies."},{"recommendation":"Keep it dry.","rationale":"It breaks."}]}`,
		"# The devil's advocate\n":     `{"risks":[{"risk":"The steel may be thin.","claims":["C1"]}],"counterarguments":[],"blind_spots":["Other kettles."]}`,
		"# The report\n":               prose.String(),
		"# Review\n":                   approval,
		"# The review, reconsidered\n": approval,
	}
}

// toolAnswers are what the tools called last have said.
func toolAnswers(q loopback.Request) []string {
	var list []string
	for _, m := range gjson.GetBytes(q.Body, "messages").Array() {
		switch m.Get("role").Str {
		case "assistant":
			list = nil
		case "tool":
			list = append(list, m.Get("content").String())
		}
	}
	return list
}

// lastCalls are the arguments of the calls made last.
func lastCalls(q loopback.Request) []string {
	var list []string
	for _, m := range gjson.GetBytes(q.Body, "messages").Array() {
		if m.Get("role").Str == "assistant" {
			list = nil
			for _, c := range m.Get("tool_calls").Array() {
				list = append(list, c.Get("function.arguments").Str)
			}
		}
	}
	return list
}

func report(words string) string {
	return "# Executive Summary\n\n" + words + "\n\n# Key Findings\n\n" + strings.Repeat("A finding stands in the claims that were recorded. ", 30) + "\n\n" + agent.Marker
}

func ids(text string) []string {
	list := regexp.MustCompile(`\bC\d+\b`).FindAllString(text, -1)
	slices.Sort(list)
	return slices.Compact(list)
}

func (m *researcher) votes(material string) string {
	var b strings.Builder
	for _, id := range ids(material) {
		fmt.Fprintf(&b, `{"id":%q,"answer":"supports","reason":"it says so"}`+"\n", id)
	}
	return b.String() + agent.Marker
}

func compared(material string) string {
	list := regexp.MustCompile(`\bC\d+/C\d+\b`).FindAllString(material, -1)
	slices.Sort(list)
	var pairs []string
	for _, p := range slices.Compact(list) {
		pairs = append(pairs, fmt.Sprintf(`{"pair":%q,"relation":"unrelated","words":"other things"}`, p))
	}
	return `{"pairs":[` + strings.Join(pairs, ",") + `]}`
}

func draft(material string) string {
	var cited string
	for _, id := range ids(material) {
		cited += " [" + id + "]"
	}
	var b strings.Builder
	for _, name := range []string{"Executive Summary", "Key Findings", "Remaining Open Questions", "Methodology Note"} {
		fmt.Fprintf(&b, "## %s\n\nWhat the pages say of it is quoted here, as it was found.%s\n\n", name, cited)
	}
	return b.String() + agent.Marker
}
