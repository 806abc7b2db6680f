package schema

import (
	"fmt"
	"slices"

	"research-council/internal/agent"
)

// agree looks for what no schema can say: ids that are there twice, and ids
// that name nothing.
func agree(role string, v any) []string {
	switch role {
	case agent.Questions:
		return bounded(unique(v, "questions"))
	case agent.Planning:
		return bounded(slices.Concat(unique(v, "subtopics"), unique(v, "agents"), strangers(v)))
	}
	return nil
}

// unique lists the elements of a list whose id another has before them.
func unique(v any, name string) (problems []string) {
	seen := map[any]int{}
	for i, id := range ids(v, name) {
		first, twice := seen[id]
		if twice {
			problems = append(problems, line("/%s/%d/id: %s stands at /%s/%d too, each id once is expected", name, i, value(id), name, first))
			continue
		}
		seen[id] = i
	}
	return problems
}

// strangers lists the subtopics of agents that the plan does not have.
func strangers(v any) (problems []string) {
	known := ids(v, "subtopics")
	for i, a := range list(v, "agents") {
		for j, id := range list(a, "subtopics") {
			if !slices.Contains(known, id) {
				problems = append(problems, line("/agents/%d/subtopics/%d: %s is no id among the plan's subtopics", i, j, value(id)))
			}
		}
	}
	return problems
}

func ids(v any, name string) []any {
	elements := list(v, name)
	found := make([]any, len(elements))
	for i, e := range elements {
		object, _ := e.(map[string]any)
		found[i] = fmt.Sprint(object["id"])
	}
	return found
}

// list is a member of an object that is a list; nil for anything else.
func list(v any, name string) []any {
	object, _ := v.(map[string]any)
	elements, _ := object[name].([]any)
	return elements
}
