package scope

import (
	"slices"
	"strings"
)

// aspectParts asks of each of several aspects of one thing: "the cost, weight and size of
// X". Nil where fewer than three are listed or where they are asked about together.
func aspectParts(s string) []string {
	end := strings.TrimRight(s, ".?!")
	list := strings.Fields(end)
	if len(list) == 0 || !strings.HasSuffix(s, "?") && !asksToCompare(list) || slices.ContainsFunc(list, joinsAspects) {
		return nil
	}
	first := slices.IndexFunc(list, func(w string) bool { return strings.HasSuffix(w, ",") })
	if first < 1 || !beginsAspects(list[first-1]) {
		return nil
	}
	aspects := []string{list[first]}
	for i := first + 1; i+2 < len(list); i++ {
		switch {
		case isBareAnd(list[i]) && list[i+2] == "of" && i+3 < len(list):
			aspects = append(aspects, list[i+1])
			return aspectQuestions(list[:first], aspects, strings.Join(list[i+2:], " ")+s[len(end):])
		case !strings.HasSuffix(list[i], ",") && !isBareAnd(list[i+1]):
			return nil
		case !isBareAnd(list[i]):
			aspects = append(aspects, list[i])
		default:
			return nil
		}
	}
	return nil
}

// aspectQuestions are those of each aspect of what stands behind them.
func aspectQuestions(before, aspects []string, of string) []string {
	if len(aspects) < leastSubjects || len(aspects) > mostListed {
		return nil
	}
	var questions []string
	for _, a := range aspects {
		a = strings.TrimSuffix(a, ",")
		if a == "" || a != strings.ToLower(a) || strings.ContainsAny(a, ",;:()\"") {
			return nil
		}
		lead := slices.Clone(before)
		if at := len(lead) - 2; at >= 0 && lead[at+1] == "the" && ofOne(lead[at]) != "" && (!strings.HasSuffix(a, "s") || strings.HasSuffix(a, "ss")) {
			lead[at] = ofOne(lead[at])
		}
		questions = append(questions, strings.Join(append(lead, a, of), " "))
	}
	return questions
}

// beginsAspects reports whether a word may stand before a list of aspects, so that none of
// them has a word of its own there, as "long-term effects, costs and risks", and they are
// no verbs: "how do you store, handle and dispose of".
func beginsAspects(word string) bool {
	return slices.Contains(strings.Fields("the its their his her a an in of on about for by with regarding concerning compare contrast comparing"), strings.ToLower(word))
}

// joinsAspects reports whether with a word it is asked what aspects have to do with one
// another.
func joinsAspects(word string) bool {
	return slices.Contains([]string{
		"between", "among", "together", "jointly", "combined", "combination", "relation", "relationship", "interplay", "interaction", "interact", "correlation",
		"sum", "ratio", "balance", "mix", "mixture", "trade-off", "tradeoff", "link", "connection", "tension", "which", "or",
	}, strings.ToLower(strings.Trim(word, ",;:")))
}
