package gemini

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/agent"
)

// Exit statuses of the CLI's own. An API failure ends with the HTTP status
// modulo 256 where that is 144 or more, else with 1.
const (
	exitLogin   = 41
	exitSession = 42 // no such session, or one that is there already
	exitSandbox = 44
	exitConfig  = 52
	exitTurns   = 53
	exitTrust   = 55
	exitHTTP    = 144
)

// fault is why the turn failed, nil when it did not.
func (s *stream) fault(t agent.Turn, x agent.Exit) *agent.Fault {
	if cut := x.Interruption(); cut != nil {
		return cut
	}
	switch {
	case x.Code != 0:
		return s.resultFault(t, x)
	case s.last == "":
		return agent.NewFault(agent.Degenerate, "ended without a word")
	case s.last != "result":
		return s.noResultFault(t)
	case s.status != "success":
		return agent.NewFault(agent.Degenerate, "%s", s.errorText(x))
	case s.looped:
		return agent.NewFault(agent.Degenerate, "the loop detector ended it")
	}
	return nil
}

// noResultFault is the fault of a process that ended by itself and without a result:
// a signal caught it, or the context is full. A session that ends so a second
// time is given up.
func (s *stream) noResultFault(t agent.Turn) *agent.Fault {
	if t.Resume != "" {
		return agent.NewFault(agent.NoSession, "ended without a result again")
	}
	return agent.NewFault(agent.Lost, "ended without a result")
}

func (s *stream) resultFault(t agent.Turn, x agent.Exit) *agent.Fault {
	words := s.errorText(x)
	switch x.Code {
	case exitLogin:
		return agent.NewFault(agent.Terminal, "no login: %s", words)
	case exitSession:
		return sessionFault(t, x)
	case exitSandbox, exitConfig, exitTrust:
		return agent.NewFault(agent.Terminal, "status %d: %s", x.Code, words)
	case exitTurns:
		return agent.NewFault(agent.Degenerate, "ended at its limit of %d model calls", maxTurns)
	}
	return s.providerFault(t, x, words)
}

var (
	dailyQuota = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bdaily quota\b`) })
	notFound   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bmodels?\b.*\bnot found\b`) })
)

// providerFault is the fault of a provider that refused, by its status, or of a
// connection that failed. An unknown model has no status of its own.
func (s *stream) providerFault(t agent.Turn, x agent.Exit, words string) *agent.Fault {
	switch {
	case s.last != "" && s.last != "result":
		return s.noResultFault(t) // it had begun
	case s.last != "result":
		return agent.NewFault(agent.Terminal, "did not start (status %d): %s", x.Code, words)
	case notFound().MatchString(words):
		return agent.NewFault(agent.Terminal, "model %q: %s", t.Model, words)
	case dailyQuota().MatchString(words):
		return agent.NewFault(agent.Terminal, "%s", words)
	case x.Code >= exitHTTP:
		return agent.NewFault(agent.StatusClass(x.Code+256), "%s", words)
	}
	return agent.NewFault(agent.Retryable, "%s", words)
}

// sessionFault is the fault of a session id that does not fit.
func sessionFault(t agent.Turn, x agent.Exit) *agent.Fault {
	words := x.LastErrorLine()
	if t.Resume != "" {
		return agent.NewFault(agent.NoSession, "session %s is gone: %s", t.Session, words)
	}
	if strings.Contains(words, "already exists") {
		return agent.NewFault(agent.Lost, "an earlier process left the session: %s", words)
	}
	return agent.NewFault(agent.Terminal, "status %d: %s", x.Code, words)
}

func (s *stream) errorText(x agent.Exit) string {
	if s.words != "" {
		return s.words
	}
	return x.LastErrorLine()
}
