package claude

import (
	"net/http"
	"strings"

	"github.com/research-council/research-council/internal/agent"
)

// fault is why the turn failed, nil when it did not. The subtype of a result
// says "success" of API failures too, so it is not asked.
func (s *stream) fault(t agent.Turn, x agent.Exit) *agent.Fault {
	if cut := x.Interruption(); cut != nil {
		return cut
	}
	switch {
	case s.end == nil:
		return s.noResultFault(x)
	case s.end.failed:
		return s.resultFault(t)
	case x.Code != 0:
		return agent.NewFault(agent.Lost, "ended with status %d after its result: %s", x.Code, x.LastErrorLine())
	case s.end.reason == "stop_hook_prevented":
		return agent.NewFault(agent.Lost, "interrupted")
	}
	return nil
}

// noResultFault is the fault of a process without a result: lost on its way, or
// refused before it began, with the reason on stderr.
func (s *stream) noResultFault(x agent.Exit) *agent.Fault {
	words := x.LastErrorLine()
	switch {
	case s.session != "":
		return agent.NewFault(agent.Lost, "ended with status %d and no result: %s", x.Code, words)
	case x.Code == 0:
		return agent.NewFault(agent.Degenerate, "ended without a word")
	case isSessionGone(words):
		return agent.NewFault(agent.NoSession, "%s", words)
	case inUse(words):
		return agent.NewFault(agent.Lost, "an earlier process left the session: %s", words)
	}
	return agent.NewFault(agent.Terminal, "did not start (status %d): %s", x.Code, words)
}

// resultFault is the fault of a result that is an error; its text is then the
// CLI's own. A session whose context is full or was refused cannot go on, but
// another can.
func (s *stream) resultFault(t agent.Turn) *agent.Fault {
	words := s.end.text
	switch {
	case isSessionGone(words), s.end.stop == "refusal":
		return agent.NewFault(agent.NoSession, "%s", words)
	case s.end.reason == "prompt_too_long" && t.Resume != "":
		return agent.NewFault(agent.NoSession, "%s", words)
	case s.end.status == http.StatusNotFound:
		return agent.NewFault(agent.Terminal, "model %q: %s", t.Model, words)
	case s.end.status != 0:
		return s.retryFault(agent.StatusClass(s.end.status))
	}
	switch s.end.reason {
	case "api_error":
		if strings.Contains(words, "run /login") {
			return agent.NewFault(agent.Terminal, "%s", words)
		}
		return s.retryFault(agent.Retryable) // no status: the connection failed
	case "max_turns":
		return agent.NewFault(agent.Degenerate, "ended at its limit of %d model calls", turns(t))
	case "budget_exhausted", "prompt_too_long", "image_error":
		return agent.NewFault(agent.Terminal, "%s: %s", strings.ReplaceAll(s.end.reason, "_", " "), words)
	}
	return agent.NewFault(agent.Degenerate, "failed (%s): %s", s.end.reason, words)
}

func (s *stream) retryFault(c agent.Class) *agent.Fault {
	fault := agent.NewFault(c, "%s", s.end.text)
	if c == agent.Retryable {
		fault.RetryAfter = s.wait
	}
	return fault
}

// isSessionGone and inUse know the two complaints about sessions, which no field tells.
func isSessionGone(words string) bool {
	return strings.HasPrefix(words, "No conversation found with session ID")
}

func inUse(words string) bool {
	return strings.HasPrefix(words, "Error: Session ID ") && strings.HasSuffix(words, "is already in use.")
}
