package librarian

import "github.com/research-council/research-council/internal/agent"

// Kind is the embedded librarian.
func Kind() agent.Kind { return agent.Kind{Name: "librarian", Adapter: Adapter{}} }
