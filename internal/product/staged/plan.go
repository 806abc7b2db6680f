package staged

import (
	"slices"
	"strconv"
	"strings"
)

// Normalise makes a plan one that can be carried out: subtopics are T1, T2, …
// and agents A1, A2, …, at most so many. What says nothing or repeats another
// is gone. Every subtopic has an agent: one that the plan gives to nobody goes
// to who has the fewest, and those of agents beyond the most to others. An
// agent without subtopics stays when it has a focus.
func Normalise(p Plan, most int) Plan {
	most = max(most, 1)
	subtopics, ids := numberSubtopics(p.Subtopics)
	agents := distinct(remapAgents(p.Agents, ids), subtopics)
	agents = distinct(merged(agents, most), subtopics)
	agents = distinct(assignUncovered(agents, subtopics, most), subtopics)
	for i := range agents {
		agents[i].ID = "A" + strconv.Itoa(i+1)
	}
	return Plan{Subtopics: subtopics, Agents: agents, Quality: uniqueLines(p.Quality)}
}

// numberSubtopics are the subtopics with new ids, and which of them an old id
// means: of several that bear it the first.
func numberSubtopics(list []Subtopic) ([]Subtopic, map[string]string) {
	kept, ids, at := []Subtopic{}, map[string]string{}, map[string]int{}
	for _, t := range list {
		title := plainLine(t.Title)
		if title == "" {
			continue
		}
		i, repeated := at[key(title)]
		if !repeated {
			i = len(kept)
			at[key(title)] = i
			kept = append(kept, Subtopic{ID: "T" + strconv.Itoa(i+1), Title: title})
		}
		kept[i].Questions = append(kept[i].Questions, t.Questions...)
		if old := key(t.ID); ids[old] == "" {
			ids[old] = kept[i].ID
		}
	}
	for i := range kept {
		kept[i].Questions = uniqueLines(kept[i].Questions)
	}
	return kept, ids
}

// remapAgents are the agents by the new ids of subtopics.
func remapAgents(list []Assignment, ids map[string]string) []Assignment {
	var agents []Assignment
	for _, a := range list {
		var own []string
		for _, old := range a.Subtopics {
			if id := ids[key(old)]; id != "" && key(old) != "" {
				own = append(own, id)
			}
		}
		agents = append(agents, Assignment{Focus: plainLine(a.Focus), Subtopics: own, Queries: a.Queries})
	}
	return agents
}

// distinct are the agents that have something to do, each once and with a
// focus.
func distinct(agents []Assignment, subtopics []Subtopic) []Assignment {
	kept, seen := []Assignment{}, map[string]bool{}
	for _, a := range agents {
		a.Subtopics, a.Queries = sorted(a.Subtopics), uniqueLines(a.Queries)
		if a.Focus == "" {
			a.Focus = focusOn(a.Subtopics, subtopics)
		}
		same := key(a.Focus) + "\n" + strings.Join(a.Subtopics, " ")
		if a.Focus == "" || seen[same] {
			continue
		}
		seen[same] = true
		kept = append(kept, a)
	}
	return kept
}

// focusOn is a focus made of the titles of subtopics.
func focusOn(ids []string, subtopics []Subtopic) string {
	var titles []string
	for _, id := range ids {
		titles = append(titles, subtopics[number(id)-1].Title)
	}
	return plainLine(strings.Join(titles, "; "))
}

// sorted are ids of subtopics in their order, each once.
func sorted(ids []string) []string {
	ids = append([]string{}, ids...)
	slices.SortFunc(ids, func(a, b string) int { return number(a) - number(b) })
	return slices.Compact(ids)
}

// number is that of an id of ours.
func number(id string) int {
	n, _ := strconv.Atoi(id[1:]) // our own ids are a letter and a number
	return n
}

// merged gives the work of agents beyond the most to the others.
func merged(agents []Assignment, most int) []Assignment {
	if len(agents) <= most {
		return agents
	}
	kept := agents[:most:most]
	for _, extra := range agents[most:] {
		a := leastBusy(kept)
		if len(a.Focus) < maxLineRunes {
			a.Focus = plainLine(a.Focus + "; " + extra.Focus)
		}
		a.Subtopics = append(a.Subtopics, extra.Subtopics...)
		a.Queries = append(a.Queries, extra.Queries...)
	}
	return kept
}

// leastBusy is who has the fewest subtopics, the first of several.
func leastBusy(agents []Assignment) *Assignment {
	least := 0
	for i, a := range agents {
		if len(a.Subtopics) < len(agents[least].Subtopics) {
			least = i
		}
	}
	return &agents[least]
}

// assignUncovered gives to agents what nobody has.
func assignUncovered(agents []Assignment, subtopics []Subtopic, most int) []Assignment {
	covered := map[string]bool{}
	for _, a := range agents {
		for _, id := range a.Subtopics {
			covered[id] = true
		}
	}
	if len(agents) == 0 {
		agents = make([]Assignment, min(most, len(subtopics)))
	}
	for _, t := range subtopics {
		if !covered[t.ID] {
			a := leastBusy(agents)
			a.Subtopics = append(a.Subtopics, t.ID)
		}
	}
	return agents
}
