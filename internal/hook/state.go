package hook

import (
	"bytes"
	"strconv"
)

// State is what the hooks need of a state file's front matter.
type State struct {
	Active  bool
	Phase   string
	Run     string
	Session string
}

// ParseState reads the front matter by lines, in the fixed form the program
// writes it. Anything else is not ours: false.
func ParseState(data []byte) (State, bool) {
	var s State
	if !bytes.HasPrefix(data, []byte("---\n")) {
		return s, false
	}
	for line := range bytes.Lines(data[4:]) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if string(line) == "---" {
			return s, ValidRun(s.Run)
		}
		key, value, ok := bytes.Cut(line, []byte(": "))
		if !ok {
			return s, false
		}
		switch string(key) {
		case "active":
			s.Active = string(value) == "true"
		case "phase":
			s.Phase = string(value)
		case "research_id":
			s.Run = string(value)
		case "session_id":
			text, err := strconv.Unquote(string(value))
			if err != nil {
				return s, false
			}
			s.Session = text
		}
	}
	return s, false
}

// ValidRun reports whether an id has the form of a run's: YYYYMMDD-HHMMSS and
// six hex digits. Nothing else may become part of a path.
func ValidRun(id string) bool {
	const form = "00000000-000000-xxxxxx"
	if len(id) != len(form) {
		return false
	}
	for i := range len(form) {
		b := id[i]
		digit := b >= '0' && b <= '9'
		switch form[i] {
		case '0':
			if !digit {
				return false
			}
		case 'x':
			if !digit && (b < 'a' || b > 'f') {
				return false
			}
		default:
			if b != '-' {
				return false
			}
		}
	}
	return true
}

// Owns reports whether the session that calls is the one the run belongs to.
// An unknown or empty session owns nothing.
func (s State) Owns(session string) bool {
	return s.Active && session != "" && s.Session == session
}
