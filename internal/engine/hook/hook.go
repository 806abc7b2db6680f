// Package hook speaks the hook dialects of Claude Code, Codex and Gemini CLI.
//
// A [Call] is what we need of the JSON a host writes to a hook: a few fields
// of its top level, found in one pass over bytes that may be of any kind and
// size. The answers are the few forms all three hosts agree with: Claude Code
// and Codex take {"decision":"block"}, Gemini CLI {"decision":"deny"}, and to
// allow is to say nothing, or for Gemini {"decision":"allow"}. What a campaign's
// session may do unasked is decided here too, from the words alone. Reading
// files and exiting are left to the door.
package hook

import (
	"io"
	"strings"
)

// Call is what a host tells a hook, as far as we need it. A field that is
// missing, or not of its type, has its zero value.
type Call struct {
	Session    string // session_id
	Dir        string // cwd
	Project    string // project_dir, of a status line's workspace
	Event      string // hook_event_name
	Source     string // of a session's start
	Trigger    string // of a compaction
	Reason     string // of a session's end
	Fault      string // error, of a failed turn
	Transcript string // transcript_path
	Gemini     bool   // it has a prompt_response
	Turn       string // turn_id, which Codex alone tells
	PromptID   string // prompt_id
	Agent      bool   // it comes from a subagent: agent_id is there
	Continued  bool   // stop_hook_active
	Answer     string // last_assistant_message or prompt_response, where it is wanted
	Background bool   // background_tasks is not empty

	Prompt         string // prompt: what was submitted to the session
	Mode           string // permission_mode
	HasSuggestions bool   // permission_suggestions is not empty
	Tool           string // tool_name
	Command        string // of a tool's input
	File           string // file_path, of a tool's input
	Unboxed        bool   // the tool's input asks to be run outside of the sandbox
}

// A field longer than so many bytes counts as missing.
const (
	maxFieldBytes   = 8 << 10
	maxCommandBytes = 64 << 10  // it may hold the record of an iteration
	maxPromptBytes  = 120 << 10 // it is handed on as one argument
	maxAnswerBytes  = 32 << 20
)

// Decode reads a call, and no further than the end of its object: a host need
// not close its end. What is no JSON object, or ends early, gives what was found
// up to there and false. Of a name that comes twice the last one counts.
func Decode(r io.Reader) (Call, bool) {
	return DecodeAnswer(r, func(string) bool { return false })
}

// DecodeAnswer reads a call as [Decode] does, and the answer it tells of where that
// is wanted for the session, "" for one that is not yet known.
func DecodeAnswer(r io.Reader, wanted func(session string) bool) (Call, bool) {
	var c Call
	s := scanner{r: r}
	answer := func() {
		if wanted(c.Session) {
			c.Answer = s.readStringMax(maxAnswerBytes)
		} else {
			s.skip()
		}
	}
	inner := true
	whole := s.object(func(key string) {
		switch key {
		case "session_id":
			c.Session = s.readString()
		case "cwd":
			c.Dir = s.readString()
		case "workspace":
			inner = c.workspace(&s) && inner
		case "hook_event_name":
			c.Event = s.readString()
		case "source":
			c.Source = s.readString()
		case "trigger":
			c.Trigger = s.readString()
		case "reason":
			c.Reason = s.readString()
		case "transcript_path":
			c.Transcript = s.readString()
		case "error":
			c.Fault = s.readString()
		case "prompt_response":
			c.Gemini = true
			answer()
		case "last_assistant_message":
			answer()
		case "turn_id":
			c.Turn = s.readString()
		case "prompt_id":
			c.PromptID = s.readString()
		case "agent_id":
			c.Agent = s.readString() != ""
		case "stop_hook_active":
			c.Continued = s.readTrue()
		case "background_tasks":
			c.Background = s.readHasElements()
		case "prompt":
			c.Prompt = s.readStringMax(maxPromptBytes)
		case "permission_mode":
			c.Mode = s.readString()
		case "permission_suggestions":
			c.HasSuggestions = s.readHasElements()
		case "tool_name":
			c.Tool = s.readString()
		case "tool_input":
			inner = c.input(&s) && inner
		default:
			s.skip()
		}
	})
	return c, whole && inner
}

// workspace reads where a status line's session is; false for an object that is
// broken.
func (c *Call) workspace(s *scanner) bool {
	c.Project = ""
	if s.peekNonSpace() != '{' {
		s.skip()
		return true
	}
	return s.object(func(key string) {
		if key == "project_dir" {
			c.Project = s.readString()
		} else {
			s.skip()
		}
	})
}

// input reads what a tool is asked to do; false for an object that is broken.
func (c *Call) input(s *scanner) bool {
	c.Command, c.File, c.Unboxed = "", "", false
	if s.peekNonSpace() != '{' {
		s.skip()
		return true
	}
	return s.object(func(key string) {
		switch key {
		case "command":
			c.Command = s.readStringMax(maxCommandBytes)
		case "file_path":
			c.File = s.readString()
		case "dangerouslyDisableSandbox":
			c.Unboxed = s.peekNonSpace() != 'f'
			s.skip()
		default:
			s.skip()
		}
	})
}

// Block tells Claude Code or Codex to go on, for a reason the model is told
// and with words for the screen.
func Block(reason, words string) []byte { return answer("block", reason, words) }

// Context adds facts to what the model is told at an event, with words for the
// screen. Codex takes it at a session's start and with a prompt alone.
func Context(event, context, words string) []byte {
	out := append(appendString([]byte(`{"hookSpecificOutput":{"hookEventName":`), event), `,"additionalContext":`...)
	out = append(appendString(out, context), '}')
	if words != "" {
		out = appendString(append(out, `,"systemMessage":`...), words)
	}
	return append(out, "}\n"...)
}

// Stop ends a slash command of Claude Code with words for the person.
func Stop(words string) []byte {
	return append(appendString([]byte(`{"continue":false,"stopReason":`), words), "}\n"...)
}

// Deny tells Gemini CLI to go on.
func Deny(reason, words string) []byte { return answer("deny", reason, words) }

// Allow lets Gemini CLI end its turn; the others are let go with silence.
func Allow() []byte { return []byte(`{"decision":"allow"}` + "\n") }

func answer(decision, reason, words string) []byte {
	return Object("decision", decision, "reason", reason, "systemMessage", words)
}

// Object writes a JSON object of names and strings, in pairs, and a line
// break; empty strings are left out.
func Object(pairs ...string) []byte {
	out := []byte{'{'}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = appendString(out, pairs[i])
		out = append(out, ':')
		out = appendString(out, pairs[i+1])
	}
	return append(out, "}\n"...)
}

// appendString writes a JSON string. A library would cost every start of the
// hook a tenth of its time.
func appendString(out []byte, s string) []byte {
	const digits = "0123456789abcdef"
	s = strings.ToValidUTF8(s, "\uFFFD")
	out = append(out, '"')
	for i := range len(s) {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		case b < 0x20:
			out = append(out, `\u00`...)
			out = append(out, digits[b>>4], digits[b&15])
		default:
			out = append(out, b)
		}
	}
	return append(out, '"')
}
