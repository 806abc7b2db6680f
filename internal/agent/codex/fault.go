package codex

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent"
)

// fault is why the turn failed, nil when it did not.
func (s *stream) fault(t agent.Turn, x agent.Exit) *agent.Fault {
	if cut := x.Interruption(); cut != nil {
		return cut
	}
	switch {
	case t.Resume != "" && s.thread != "" && s.thread != t.Session:
		return agent.NewFault(agent.NoSession, "started anew as %s instead of resuming %s", s.thread, t.Session)
	case s.failed:
		return s.turnFault(t)
	case s.ended && x.Code == 0:
		return nil
	case s.thread != "":
		return agent.NewFault(agent.Lost, "ended with status %d and no closing event: %s", x.Code, x.LastErrorLine())
	}
	return startFault(x)
}

// startFault is the fault of a process that refused before its first event; it
// says why on stderr alone.
func startFault(x agent.Exit) *agent.Fault {
	words := x.LastErrorLine()
	switch {
	case x.Code == 0:
		return agent.NewFault(agent.Degenerate, "ended without a word")
	case strings.Contains(words, "no rollout found"):
		return agent.NewFault(agent.NoSession, "%s", words)
	case strings.Contains(words, "already has an active writer"):
		return agent.NewFault(agent.Retryable, "%s", words)
	}
	return agent.NewFault(agent.Terminal, "did not start (status %d): %s", x.Code, words)
}

var (
	httpStatus = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:last|unexpected) status:? (\d{3})`) })
	tryAgain   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`try again in (\d+(?:\.\d+)?)(ms|s|m)\b`) })
)

const contextFull = "Codex ran out of room in the model's context window"

// messageClasses are what codex's own messages begin with where they hold no HTTP
// status.
var messageClasses = []struct {
	words string
	class agent.Class
}{
	{"Quota exceeded", agent.Terminal},
	{"You’ve hit your usage limit", agent.Terminal},
	{contextFull, agent.Terminal},
	{"Incomplete response returned", agent.Degenerate},
	{"stream disconnected", agent.Retryable},
}

// turnFault is the fault of a failed turn. The event has no field for the kind of
// failure, but its message is codex's own, or else the provider's answer to a
// request that codex found not worth repeating. Both may come of an unknown
// model and not say which.
func (s *stream) turnFault(t agent.Turn) *agent.Fault {
	class, known := s.messageClass()
	switch {
	case t.Resume != "" && strings.HasPrefix(s.words, contextFull):
		return agent.NewFault(agent.NoSession, "%s", s.words)
	case class == agent.Terminal && !known, strings.Contains(s.words, "status 404"):
		return agent.NewFault(agent.Terminal, "model %q: %s", t.Model, s.words)
	}
	fault := agent.NewFault(class, "%s", s.words)
	if class == agent.Retryable {
		fault.RetryAfter = retryDelay(s.words)
	}
	return fault
}

// messageClass is what the message says, and whether codex itself said it.
func (s *stream) messageClass() (class agent.Class, known bool) {
	if m := httpStatus().FindStringSubmatch(s.words); m != nil {
		status, _ := strconv.Atoi(m[1]) // three digits, by the pattern
		return agent.StatusClass(status), true
	}
	for _, e := range messageClasses {
		if strings.HasPrefix(s.words, e.words) {
			return e.class, true
		}
	}
	if s.retried {
		return agent.Retryable, true
	}
	return agent.Terminal, false
}

// retryDelay is the time the provider asked for, 0 when it named none within a day.
func retryDelay(words string) time.Duration {
	m := tryAgain().FindStringSubmatch(words)
	if m == nil {
		return 0
	}
	d, err := time.ParseDuration(m[1] + m[2])
	if err != nil || d > 24*time.Hour {
		return 0
	}
	return d
}
