package claude

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
)

// usageTally adds up messages, each once: of every message each block comes as an
// event of its own, and those of several agents come in turn.
type usageTally struct {
	open []message     // the latest, whose counts may still grow
	shut []agent.Usage // the others, by model
}

type message struct {
	id    string
	usage agent.Usage
}

const (
	maxOpen   = 64 // messages: more agents than any session has at once
	maxModels = 32 // further ones count as the seat's own
)

func (t *usageTally) add(id string, u agent.Usage) {
	at := slices.IndexFunc(t.open, func(m message) bool { return m.id == id })
	if at >= 0 {
		m := &t.open[at].usage
		m.Input, m.CachedInput, m.Output = max(m.Input, u.Input), max(m.CachedInput, u.CachedInput), max(m.Output, u.Output)
		return
	}
	if len(t.open) == maxOpen {
		t.shut = addUsage(t.shut, t.open[0].usage)
		t.open = slices.Delete(t.open, 0, 1)
	}
	t.open = append(t.open, message{strings.Clone(id), u})
}

// addUsage adds counts to those of the same model.
func addUsage(list []agent.Usage, u agent.Usage) []agent.Usage {
	at := slices.IndexFunc(list, func(l agent.Usage) bool { return l.Model == u.Model })
	if at < 0 && len(list) >= maxModels {
		u.Model = ""
		at = slices.IndexFunc(list, func(l agent.Usage) bool { return l.Model == "" })
	}
	if at < 0 {
		return append(list, u)
	}
	list[at] = list[at].Plus(u)
	return list
}

func (t *usageTally) byModel() []agent.Usage {
	list := slices.Clone(t.shut)
	for _, m := range t.open {
		list = addUsage(list, m.usage)
	}
	return list
}

func (t *usageTally) sum() agent.Usage {
	var all agent.Usage
	for _, u := range t.byModel() {
		all = all.Plus(u)
	}
	return all
}
