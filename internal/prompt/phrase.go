package prompt

import (
	"fmt"
	"strconv"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/flow"
)

// Sentences that depend on how many there are of something, or on whether
// there is any.

func council(others int) string {
	switch others {
	case 0:
		return "No other report is there to read, so be your own rival."
	case 1:
		return "One other researcher has worked on the same question without seeing yours. You can read both reports now."
	}
	return fmt.Sprintf("%s other researchers have worked on the same question, each alone. You can read all %s reports now.",
		capital(number(others)), number(others+1))
}

func otherReports(paths []string) string {
	if len(paths) == 0 {
		return "- Other reports: none"
	}
	lines := make([]string, len(paths))
	for i, path := range paths {
		lines[i] = fmt.Sprintf("- Other report %d: `%s`", i+1, path)
	}
	return strings.Join(lines, "\n")
}

func localSources(scope string) string {
	if scope == "" {
		return ""
	}
	return fmt.Sprintf("Local sources lie in `%s`. They belong to the question: search them first. "+
		"Change nothing there. Cite them relative to that folder, as `path:line`, in a claim as `path:first-last`.", scope)
}

func openList(path string) string {
	if path == "" {
		return ""
	}
	return fmt.Sprintf("Still open are the quotations and questions listed in `%s`: settle those first.", path)
}

func mendList(path string) string {
	if path == "" {
		return ""
	}
	return fmt.Sprintf("An earlier draft was set aside. What has to be mended in it is listed in `%s`.", path)
}

func question(path string) string {
	if path == "" {
		return "The question stands at the end of these instructions."
	}
	return fmt.Sprintf("The question stands in `%s`.", path)
}

func seats(n int) string {
	switch n {
	case 0:
		return "No seat has left a report on the question; there is only what the registry holds."
	case 1:
		return "One seat alone has left a report on the question, so there is no consensus to speak of: say so under that heading."
	}
	return fmt.Sprintf("%s seats have researched one question, each alone, and then once more with the others' reports before them.", capital(number(n)))
}

func reports(list []Report) string {
	lines := make([]string, len(list))
	for i, r := range list {
		lines[i] = fmt.Sprintf("- Report of %s: `%s`", r.Seat, r.Path)
		if r.Carried {
			lines[i] += " (its first one; refining it failed, which the Methodology Note has to say)"
		}
	}
	if len(lines) == 0 {
		return "- Reports: none"
	}
	return strings.Join(lines, "\n")
}

// reasonLimit is the longest reason for a missing seat, in runes: it may be
// what a foreign program said, and a line of it is enough.
const reasonLimit = 200

func missing(list []flow.Missing) string {
	if len(list) == 0 {
		return "No seat that was asked is missing."
	}
	line := "Missing, which the Methodology Note has to say:"
	for _, m := range list {
		line += fmt.Sprintf("\n- %s: %s", m.Seat, agent.Plain(m.Reason, reasonLimit))
	}
	return line
}

func number(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
