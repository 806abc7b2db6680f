package claude

import (
	"net/http"
	"strings"

	"research-council/internal/agent"
)

// fault is why the turn failed, nil when it did not. The subtype of a result
// says "success" of API failures too, so it is not asked.
func (s *stream) fault(t agent.Turn, x agent.Exit) *agent.Fault {
	if cut := x.Cut(); cut != nil {
		return cut
	}
	switch {
	case s.end == nil:
		return s.unended(x)
	case s.end.failed:
		return s.failed(t)
	case x.Code != 0:
		return agent.NewFault(agent.Lost, "ended with status %d after its result: %s", x.Code, x.LastWords())
	case s.end.reason == "stop_hook_prevented":
		return agent.NewFault(agent.Lost, "interrupted")
	}
	return nil
}

// unended is the fault of a process without a result: lost on its way, or
// refused before it began, with the reason on stderr.
func (s *stream) unended(x agent.Exit) *agent.Fault {
	words := x.LastWords()
	switch {
	case s.session != "":
		return agent.NewFault(agent.Lost, "ended with status %d and no result: %s", x.Code, words)
	case x.Code == 0:
		return agent.NewFault(agent.Degenerate, "ended without a word")
	case gone(words):
		return agent.NewFault(agent.NoSession, "%s", words)
	case inUse(words):
		return agent.NewFault(agent.Lost, "an earlier process left the session: %s", words)
	}
	return agent.NewFault(agent.Terminal, "did not start (status %d): %s", x.Code, words)
}

// failed is the fault of a result that is an error; its text is then the
// CLI's own. A session whose context is full or was refused cannot go on, but
// another can.
func (s *stream) failed(t agent.Turn) *agent.Fault {
	words := s.end.text
	switch {
	case gone(words), s.end.stop == "refusal":
		return agent.NewFault(agent.NoSession, "%s", words)
	case s.end.reason == "prompt_too_long" && t.Resume != "":
		return agent.NewFault(agent.NoSession, "%s", words)
	case s.end.status == http.StatusNotFound:
		return agent.NewFault(agent.Terminal, "model %q: %s", t.Model, words)
	case s.end.status != 0:
		return s.retry(agent.StatusClass(s.end.status))
	}
	switch s.end.reason {
	case "api_error":
		if strings.Contains(words, "run /login") {
			return agent.NewFault(agent.Terminal, "%s", words)
		}
		return s.retry(agent.Retryable) // no status: the connection failed
	case "max_turns":
		return agent.NewFault(agent.Degenerate, "ended at its limit of %d model calls", turns(t))
	case "budget_exhausted", "prompt_too_long", "image_error":
		return agent.NewFault(agent.Terminal, "%s: %s", strings.ReplaceAll(s.end.reason, "_", " "), words)
	}
	return agent.NewFault(agent.Degenerate, "failed (%s): %s", s.end.reason, words)
}

func (s *stream) retry(c agent.Class) *agent.Fault {
	fault := agent.NewFault(c, "%s", s.end.text)
	if c == agent.Retryable {
		fault.RetryAfter = s.wait
	}
	return fault
}

// gone and inUse know the two complaints about sessions, which no field tells.
func gone(words string) bool {
	return strings.HasPrefix(words, "No conversation found with session ID")
}

func inUse(words string) bool {
	return strings.HasPrefix(words, "Error: Session ID ") && strings.HasSuffix(words, "is already in use.")
}
