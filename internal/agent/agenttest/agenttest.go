// Package agenttest holds what every adapter must pass: how a turn becomes a
// process, and how whatever that process left becomes a reply, hostile bytes
// included.
package agenttest

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
)

// Suite is a kind of seat and what the suite must know of its adapter.
type Suite struct {
	Kind agent.Kind
	// Good is the stdout of a process that went well and whose last message
	// is this text.
	Good  func(text string) string
	Cases []Case
	Notes map[string]string // lines of the stream and what is said of them
}

// Case is a process that has ended and what it must be taken for.
type Case struct {
	Name    string
	Resume  bool // the turn continued a session
	Exit    int
	Stdout  string
	Stderr  string
	Class   agent.Class // "" for no fault
	Message string      // a part of the fault's message
	Session string      // of the reply; "-" for none, "" for not looked at
	Text    string      // of the reply; "" for not looked at
	Usage   agent.Usage // of the reply; zero for not looked at
	Models  []string    // of the reply; nil for not looked at
}

// Session is the session of the suite's turns.
const Session = "11111111-2222-4333-8444-555555555555"

// Run is the whole suite.
func (s Suite) Run(t *testing.T) {
	t.Run("spec", s.specs)
	t.Run("spec refuses", s.refusals)
	t.Run("desk", s.desk)
	t.Run("read", s.reads)
	t.Run("cases", s.cases)
	t.Run("hostile streams", s.hostile)
	t.Run("endless streams are not held", s.endless)
	t.Run("notes", s.notes)
}

const (
	topic = "topic canary `$(touch pwned)` ```\n---\n\"quoted\" '@/etc/passwd' \u202e\x00 {report}"
	word  = "topic canary"
)

// parent is an environment with everybody's keys and the marks of a session
// above.
var parent = []string{
	"PATH=/bin", "HOME=/home/u", "ANTHROPIC_API_KEY=key-anthropic", "OPENAI_API_KEY=key-openai", "GEMINI_API_KEY=key-google",
	"GOOGLE_API_KEY=key-google2", "CODEX_API_KEY=key-openai2", "AWS_SECRET_ACCESS_KEY=key-aws", "GITHUB_TOKEN=key-github",
	"CLAUDECODE=1", "CLAUDE_PID=1", "CLAUDE_PLUGIN_ROOT=/p", "CLAUDE_CODE_SESSION_ID=s", "CLAUDE_CODE_CHILD_SESSION=1",
	"CLAUDE_CODE_MESSAGING_SOCKET=/s", "RESEARCH_COUNCIL_CHILD=another",
}

// keys are whose keys are whose in parent, by the kinds that may see them.
var keys = map[string][]string{
	"claude": {"key-anthropic"}, "codex": {"key-openai", "key-openai2"}, "gemini": {"key-google", "key-google2"},
	"nobody": {"key-aws", "key-github"},
}

func (s Suite) turn(resumed bool) agent.Turn {
	dir := "/run/seats/a seat"
	t := agent.Turn{
		Run: "20260101-120000-abcdef", Seat: "seat", Task: "research-seat", Role: agent.Research,
		Dir: dir, Report: dir + "/report.md", State: dir + "/seat-state.txt", Scope: "/project/src",
		Prompt: "The instructions.", Topic: topic, Session: Session, MaxIterations: 7,
		Model: "a-model", Effort: "high", Program: "/opt/cli", Args: []string{"--flag", "{report}"},
		Hook: "/opt/council hook", Council: "/opt/council", Env: s.Kind.Environ(parent),
	}
	if resumed {
		t.Resume, t.Iteration = "Go on with your report.", 1
	}
	return t
}

func (s Suite) spec(t *testing.T, turn agent.Turn) agent.Spec {
	spec, err := s.Kind.Spec(turn)
	require.NoError(t, err)
	again, err := s.Kind.Spec(turn)
	require.NoError(t, err)
	require.Equal(t, spec, again, "the same turn gives the same process")
	return spec
}

func (s Suite) specs(t *testing.T) {
	for name, resumed := range map[string]bool{"first": false, "continued": true} {
		t.Run(name, func(t *testing.T) {
			turn := s.turn(resumed)
			spec := s.spec(t, turn)
			require.True(t, filepath.IsAbs(spec.Argv[0]), "argv[0] is an executable")
			require.Equal(t, turn.Dir, spec.Dir)
			for _, f := range spec.Files {
				rel, err := filepath.Rel(turn.Dir, f.Path)
				require.NoError(t, err)
				require.True(t, filepath.IsLocal(rel), "%s lies in the seat's folder", f.Path)
			}
			s.environment(t, turn, spec)
			for _, arg := range append(slices.Clone(spec.Argv), spec.Env...) {
				require.NotContains(t, arg, word, "the topic is data: no argument, no variable")
				require.NotContains(t, arg, "\x00")
			}
		})
	}
	t.Run("the topic arrives once and whole", func(t *testing.T) {
		require.True(t, carries(s.spec(t, s.turn(false)), topic))
		require.NotContains(t, string(s.spec(t, s.turn(true)).Stdin), word, "a continued session knows it")
	})
	t.Run("continued with all flags again", func(t *testing.T) {
		first, then := s.spec(t, s.turn(false)).Argv, s.spec(t, s.turn(true)).Argv
		for _, arg := range first {
			if arg != "--session-id" {
				require.Contains(t, then, arg)
			}
		}
	})
	t.Run("skips no permission checks unasked", func(t *testing.T) {
		all := strings.Join(s.spec(t, s.turn(false)).Argv, " ")
		for _, flag := range []string{"dangerously", "yolo", "bypass", "danger-full-access"} {
			require.NotContains(t, all, flag)
		}
	})
}

// desk holds an adapter to the desk: each of its words reaches a CLI that takes
// one, in first and continued turns, and no other; who only knows of one has it in
// its environment.
func (s Suite) desk(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		turn := s.turn(resumed)
		without := s.spec(t, turn)
		require.NotContains(t, everything(without), "desk", "none is handed where there is none")
		turn.Desk = []string{"/opt/council", "desk", "--dir", "/run/a seat's é\"\\"}
		with := s.spec(t, turn)
		switch {
		case s.Kind.Desk:
		case s.Kind.KnowsDesk:
			require.Contains(t, with.Env, "RESEARCH_DESK="+agent.Shell(turn.Desk))
			require.Equal(t, everything(without), everything(with))
			continue
		default:
			require.Equal(t, without, with)
			continue
		}
		for _, word := range []string{"/opt/council", "desk", "--dir", `/run/a seat's é\"\\`} {
			require.Contains(t, everything(with), `"`+word+`"`)
		}
		require.NotContains(t, everything(with), "dangerously")
	}
}

// everything is all of a process that its CLI reads, but for the topic.
func everything(spec agent.Spec) string {
	all := strings.Join(spec.Argv, "\n")
	for _, f := range spec.Files {
		all += "\n" + string(f.Data)
	}
	return all
}

func carries(spec agent.Spec, text string) bool {
	return bytes.Contains(spec.Stdin, []byte(text)) ||
		slices.ContainsFunc(spec.Files, func(f agent.File) bool { return bytes.Contains(f.Data, []byte(text)) })
}

func (s Suite) environment(t *testing.T, turn agent.Turn, spec agent.Spec) {
	for _, entry := range []string{
		agent.ChildVariable + "=" + turn.Run, "RESEARCH_REPORT_PATH=" + turn.Report,
		"RESEARCH_STATE_PATH=" + turn.State, "RESEARCH_MAX_ITERS=7", "HOME=/home/u",
	} {
		require.Contains(t, spec.Env, entry)
	}
	names := map[string]bool{}
	for _, entry := range spec.Env {
		name, value, ok := strings.Cut(entry, "=")
		require.True(t, ok && name != "", "%q", entry)
		require.False(t, names[name], "%s is set twice", name)
		names[name] = true
		for owner, theirs := range keys {
			if owner != s.Kind.Name {
				require.NotContains(t, theirs, value, "%s is another's key", name)
			}
		}
	}
	for _, name := range []string{"CLAUDECODE", "CLAUDE_PID", "CLAUDE_PLUGIN_ROOT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_MESSAGING_SOCKET"} {
		require.False(t, names[name], name)
	}
}

func (s Suite) refusals(t *testing.T) {
	for name, edit := range map[string]func(*agent.Turn){
		"a report outside the folder": func(t *agent.Turn) { t.Report = "/elsewhere/report.md" },
		"a folder that is relative":   func(t *agent.Turn) { t.Dir = "seats" },
		"no session to continue":      func(t *agent.Turn) { t.Session, t.Resume = "", "go on" },
		"a session like a flag":       func(t *agent.Turn) { t.Session = "--last" },
		"a desk that is no path":      func(t *agent.Turn) { t.Desk = []string{"council", "desk"} },
		"no iterations":               func(t *agent.Turn) { t.MaxIterations = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			turn := s.turn(false)
			edit(&turn)
			_, err := s.Kind.Spec(turn)
			require.Error(t, err)
		})
	}
}

// talk is what a report on rate limits would say: words of an agent, which
// say nothing about the process.
const talk = "Error: 429 Too Many Requests, rate limit exceeded, overloaded_error, Not logged in, quota exceeded: what they mean."

func (s Suite) reads(t *testing.T) {
	for _, c := range []struct {
		name string
		exit agent.Exit
		want agent.Class
	}{
		{"went well", agent.Exit{}, ""},
		{"failed after a good stream", agent.Exit{Code: 3}, "any"},
		{"killed after a good stream", agent.Exit{Code: -1, Signal: "SIGKILL"}, agent.Lost},
		{"stopped by us", agent.Exit{Code: -1, Signal: "SIGTERM", Stopped: true}, agent.Lost},
		{"ended at its deadline", agent.Exit{Code: -1, Signal: "SIGTERM", TimedOut: true}, agent.TimedOut},
		{"ended at its deadline by itself", agent.Exit{TimedOut: true}, agent.TimedOut},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.exit.Stdout = strings.NewReader(s.Good(talk))
			c.exit.Stderr = []byte("warning: rate limit exceeded (429)\n")
			reply := s.Kind.Read(s.turn(false), c.exit)
			require.Equal(t, talk, reply.Text)
			switch c.want {
			case "":
				require.Nil(t, reply.Fault)
			case "any":
				require.NotNil(t, reply.Fault)
			default:
				require.Equal(t, c.want, reply.Fault.Class)
			}
		})
	}
}

func (s Suite) cases(t *testing.T) {
	for _, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) {
			turn := s.turn(c.Resume)
			reply := s.Kind.Read(turn, agent.Exit{Code: c.Exit, Stdout: strings.NewReader(c.Stdout), Stderr: []byte(c.Stderr)})
			c.check(t, reply)
		})
	}
}

func (c Case) check(t *testing.T, reply agent.Reply) {
	sound(t, reply)
	if c.Class == "" {
		require.Nil(t, reply.Fault)
	} else {
		require.NotNil(t, reply.Fault)
		require.Equal(t, c.Class, reply.Fault.Class, reply.Fault.Message)
		require.Contains(t, reply.Fault.Message, c.Message)
	}
	switch c.Session {
	case "":
	case "-":
		require.Empty(t, reply.Session)
	default:
		require.Equal(t, c.Session, reply.Session)
	}
	if c.Text != "" {
		require.Equal(t, c.Text, reply.Text)
	}
	if c.Usage != (agent.Usage{}) {
		require.Equal(t, c.Usage, reply.Usage)
	}
	if c.Models != nil {
		require.ElementsMatch(t, c.Models, reply.Models)
	}
}

// sound is what holds for every reply, whatever was read.
func sound(t *testing.T, reply agent.Reply) {
	t.Helper()
	require.Equal(t, agent.SessionID(reply.Session), reply.Session, "the session can be an argument")
	for _, u := range append(reply.Usages(), reply.Usage) {
		require.GreaterOrEqual(t, min(u.Input, u.CachedInput, u.Output), int64(0), "nothing is given back")
		require.LessOrEqual(t, max(u.Input, u.CachedInput, u.Output), agent.MaxTokens)
		require.True(t, u.USD >= 0 && u.USD <= agent.MaxUSD, "%v", u.USD)
	}
	if reply.Fault == nil {
		return
	}
	require.Contains(t, []agent.Class{agent.Retryable, agent.Terminal, agent.Degenerate, agent.TimedOut, agent.NoSession, agent.Lost}, reply.Fault.Class)
	require.NotEmpty(t, reply.Fault.Message)
	require.LessOrEqual(t, utf8.RuneCountInString(reply.Fault.Message), 300)
	require.False(t, strings.ContainsFunc(reply.Fault.Message, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", reply.Fault.Message)
	require.GreaterOrEqual(t, reply.Fault.RetryAfter, time.Duration(0))
	require.LessOrEqual(t, reply.Fault.RetryAfter, 24*time.Hour)
}

// values stand where others are expected.
var values = []string{
	`null`, `true`, `0`, `-1`, `1e308`, `"x"`, `""`, `[]`, `{}`, `[[[]]]`, `{"a":{"b":[1]}}`, `9223372036854775807`, `9223372036854775808`, `"\u0000\u001b[31m"`,
}

func (s Suite) hostile(t *testing.T) {
	good := s.Good("fine")
	streams := map[string]string{
		"nothing": "", "blank lines": "\n\r\n \n", "no JSON": "panic: runtime error\n\tgoroutine 1", "NUL": "\x00\x00\n\x00",
		"not UTF-8": "\xff\xfe{\"type\":\"\xff\"}\n", "a number": "42\n", "arrays": "[[],[{}]]\n", "escapes": "\x1b]0;x\a\x1b[2J\n",
		"deep arrays":  `{"type":"result","result":` + strings.Repeat("[", 4<<20),
		"deep objects": `{"type":"assistant","message":` + strings.Repeat(`{"content":`, 1<<19),
		"a long line":  `{"type":"` + strings.Repeat("x", 1<<20) + "\"}\n" + good,
	}
	for i := range len(good) {
		if i%7 == 0 {
			streams[fmt.Sprintf("cut at %d", i)] = good[:i]
		}
	}
	for _, v := range []string{"9223372036854775807", "-9223372036854775808", "1e308", "1e999"} {
		streams["every number is "+v] = strings.Repeat(number.ReplaceAllString(good, "${1}"+v), 3)
	}
	for i, v := range values {
		for n, line := range mutations(good, v) {
			streams[fmt.Sprintf("value %d in place %d", i, n)] = line
		}
	}
	for name, stream := range streams {
		for _, code := range []int{0, 1} {
			reply := s.Kind.Read(s.turn(code == 1), agent.Exit{Code: code, Stdout: strings.NewReader(stream), Stderr: []byte(stream)[:min(len(stream), 1000)]})
			sound(t, reply)
			require.True(t, code == 0 || reply.Fault != nil, name)
		}
		for _, line := range strings.Split(stream, "\n") {
			s.note(t, line)
		}
	}
}

// number is a number that stands as a value.
var number = regexp.MustCompile(`(":)-?[0-9][0-9.eE+-]*`)

// mutations are the stream with one value after the other replaced.
func mutations(stream, value string) []string {
	var list []string
	for i := 0; i < len(stream); i++ {
		if stream[i] != ':' {
			continue
		}
		end := i + 1 + strings.IndexAny(stream[i+1:]+",", ",}\n")
		list = append(list, stream[:i+1]+value+stream[end:])
	}
	return list
}

func (s Suite) note(t *testing.T, line string) {
	if s.Kind.Calls != nil {
		require.LessOrEqual(t, len(s.Kind.Calls([]byte(line))), len(line), "no line makes it stumble")
	}
	note := s.Kind.Note([]byte(line))
	require.LessOrEqual(t, utf8.RuneCountInString(note), agent.NoteLimit)
	require.False(t, strings.ContainsFunc(note, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", note)
}

// endless reads a line that does not end, and a stream of more lines than
// could be kept.
func (s Suite) endless(t *testing.T) {
	const size = 256 << 20
	for name, piece := range map[string]string{"one line": "x", "many lines": strings.Split(s.Good("fine"), "\n")[0] + "\n"} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			most := int64(size)
			if name == "many lines" {
				most = 8 << 20 // parsing takes longer
			}
			reply := s.Kind.Read(s.turn(false), agent.Exit{Code: 1, Stdout: io.LimitReader(&repeated{piece: piece}, most)})
			runtime.GC()
			runtime.ReadMemStats(&after)
			require.NotNil(t, reply.Fault)
			require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(4<<20), "held after reading")
			if name == "one line" {
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "taken while reading")
			}
		})
	}
}

// repeated is a stream that says one thing for ever.
type repeated struct {
	piece string
	at    int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.piece[r.at]
		r.at = (r.at + 1) % len(r.piece)
	}
	return len(p), nil
}

func (s Suite) notes(t *testing.T) {
	require.NotEmpty(t, s.Notes)
	for line, want := range s.Notes {
		require.Equal(t, want, s.Kind.Note([]byte(line)), line)
	}
}

// Fuzz reads any bytes as a stream, as stderr and as a line.
func (s Suite) Fuzz(f *testing.F) {
	f.Add([]byte(s.Good("fine")), 0, false)
	for _, c := range s.Cases {
		f.Add([]byte(c.Stdout+"\n"+c.Stderr), c.Exit, c.Resume)
	}
	f.Fuzz(func(t *testing.T, stream []byte, code int, resumed bool) {
		reply := s.Kind.Read(s.turn(resumed), agent.Exit{Code: code, Stdout: bytes.NewReader(stream), Stderr: stream})
		sound(t, reply)
		require.True(t, code == 0 || reply.Fault != nil)
		s.note(t, string(stream))
	})
}
