package pipeline

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
	subtopics, ids := subtopicsOf(p.Subtopics)
	agents := merged(agentsOf(p.Agents, ids), most)
	agents = covering(agents, subtopics, most)
	titles := map[string]string{}
	for _, t := range subtopics {
		titles[t.ID] = t.Title
	}
	for i := range agents {
		agents[i].ID = "A" + strconv.Itoa(i+1)
		if agents[i].Focus == "" {
			agents[i].Focus = focusOn(agents[i].Subtopics, titles)
		}
	}
	return Plan{Subtopics: subtopics, Agents: agents, Quality: lines(p.Quality)}
}

// subtopicsOf are the subtopics with new ids, and which of them an old id
// means.
func subtopicsOf(list []Subtopic) ([]Subtopic, map[string][]string) {
	kept, ids, at := []Subtopic{}, map[string][]string{}, map[string]int{}
	for _, t := range list {
		title := line(t.Title)
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
		if old := key(t.ID); old != "" && !slices.Contains(ids[old], kept[i].ID) {
			ids[old] = append(ids[old], kept[i].ID)
		}
	}
	for i := range kept {
		kept[i].Questions = lines(kept[i].Questions)
	}
	return kept, ids
}

// agentsOf are the agents that have something to do, by the new ids.
func agentsOf(list []Assignment, ids map[string][]string) []Assignment {
	kept, seen := []Assignment{}, map[string]bool{}
	for _, a := range list {
		var own []string
		for _, old := range a.Subtopics {
			own = append(own, ids[key(old)]...)
		}
		a = Assignment{Focus: line(a.Focus), Subtopics: sorted(own), Queries: lines(a.Queries)}
		same := key(a.Focus) + "\n" + strings.Join(a.Subtopics, " ")
		if same == "\n" || seen[same] {
			continue
		}
		seen[same] = true
		kept = append(kept, a)
	}
	return kept
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
		a := idlest(kept)
		a.Focus = joined(a.Focus, extra.Focus)
		a.Subtopics = append(a.Subtopics, extra.Subtopics...)
		a.Queries = append(a.Queries, extra.Queries...)
	}
	for i := range kept {
		kept[i].Subtopics = sorted(kept[i].Subtopics)
		kept[i].Queries = lines(kept[i].Queries)
	}
	return kept
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return line(a + "; " + b)
}

// idlest is who has the fewest subtopics, the first of several.
func idlest(agents []Assignment) *Assignment {
	least := 0
	for i, a := range agents {
		if len(a.Subtopics) < len(agents[least].Subtopics) {
			least = i
		}
	}
	return &agents[least]
}

// covering gives to agents what nobody has.
func covering(agents []Assignment, subtopics []Subtopic, most int) []Assignment {
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
			a := idlest(agents)
			a.Subtopics = append(a.Subtopics, t.ID)
		}
	}
	for i := range agents {
		agents[i].Subtopics = sorted(agents[i].Subtopics)
	}
	return agents
}

func focusOn(ids []string, titles map[string]string) string {
	var list []string
	for _, id := range ids {
		list = append(list, titles[id])
	}
	return line(strings.Join(list, "; "))
}
