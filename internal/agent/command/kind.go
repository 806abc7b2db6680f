package command

import "github.com/research-council/research-council/internal/agent"

// Kind is any executable. What a person names for one beyond the basics is all
// it may see of our environment.
func Kind() agent.Kind {
	return agent.Kind{Name: "command", Adapter: Adapter{}, ChoosesSession: true, HidesEnd: true, Silent: true, KnowsDesk: true, Usage: agent.UsageOptional}
}
