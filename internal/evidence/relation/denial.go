package relation

import (
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
)

// deniesBefore reports whether a word denies the verb right before it, and says so of that:
// "showed nothing", "recommends against". Rest is the text behind the word.
func (r *reader) deniesBefore(small, rest string) bool {
	if len(r.terms) == 0 || !r.labels {
		return false
	}
	last := &r.terms[len(r.terms)-1]
	if !denies(small, last.stem, rest) {
		return false
	}
	last.negated = !last.negated
	return true
}

func denies(small, verb, rest string) bool {
	switch small {
	case "against":
		return slices.Contains(advisingVerbs(), verb)
	case "nothing", "nobody", "none", "nowhere":
		next, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		return slices.Contains(tellingVerbs(), verb) && !slices.Contains([]string{"but", "else", "except", "more", "less"}, next)
	}
	return false
}

var advisingVerbs = sync.OnceValue(func() []string { return stems("recommend", "advise", "counsel") })

// tellingVerbs are verbs that often have "nothing" for their object; before another word it
// may be the subject of what follows: "in Rome nothing happened".
var tellingVerbs = sync.OnceValue(func() []string {
	return stems("change", "show", "say", "said", "find", "found", "return", "print", "report", "contain", "give", "gave", "mention", "log", "write", "wrote", "store", "send", "sent", "keep", "kept", "delete", "save", "cost", "need", "know", "check", "promise", "add", "remove", "lose", "lost", "tell", "told", "do", "did")
})

func stems(list ...string) []string {
	for i, w := range list {
		list[i] = words.Stem(w)
	}
	return list
}
