package servers_test

import (
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
	word  string // of the sentences it records

	mu    sync.Mutex
	steps map[string]int // by conversation
}

func newResearcher(query, word string) *researcher {
	return &researcher{query: query, word: word, steps: map[string]int{}}
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
	_, material, _ := strings.Cut(q.FirstUser, "Write in your own folder only.")
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
	}
	return say(report("Nothing is to be added.")), true
}

func say(text string) loopback.Step { return loopback.Step{Text: text} }

// research is the next step of a research.
func (m *researcher) research(n int, q loopback.Request) loopback.Step {
	answers := toolAnswers(q)
	switch n {
	case 0:
		return loopback.Step{Tools: []loopback.Call{{Name: "search_web", Input: map[string]any{"query": m.query}}}}
	case 1:
		var calls []loopback.Call
		for _, found := range regexp.MustCompile(`(?m)^\d+\. (http\S+)$`).FindAllStringSubmatch(strings.Join(answers, "\n"), 3) {
			calls = append(calls, loopback.Call{Name: "fetch_source", Input: map[string]any{"url": found[1]}})
		}
		return loopback.Step{Tools: calls}
	case 2:
		var calls []loopback.Call
		for i, text := range answers {
			source := gjson.Get(lastCalls(q)[i], "url").Str
			for _, sentence := range regexp.MustCompile(`[A-Z][^\n]*?\.(?:[ \n]|$)`).FindAllString(text, -1) {
				if sentence = strings.TrimSpace(sentence); strings.Contains(sentence, m.word) {
					calls = append(calls, loopback.Call{Name: "record_claim", Input: map[string]any{"text": sentence, "quote": sentence, "source": source, "questions": []string{"Q1"}}})
					break
				}
			}
		}
		return loopback.Step{Tools: calls}
	}
	return say(report("What was found stands in the claims."))
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
