package hook

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
)

// State is what the hooks need of a state file's front matter.
type State struct {
	Active  bool
	Phase   string
	Run     string
	Session string
	Release string // of the program that works on the run; "" where it does not tell

	Campaign string // its slug; "" for a run that is none
	Loop     bool   // of a campaign: its session is asked for the next iteration
}

// JournalHead begins every line of a journal of the format that this release
// reads and writes. A hook looks no further.
const JournalHead = `{"format":2,"sha256":"`

// ReleaseMismatch says that the program that does something is of another release
// than the one that says so; "" where both are of one, or one does not tell.
func ReleaseMismatch(does, of, says, own string) string {
	if of == own || of == "" || own == "" {
		return ""
	}
	plain := func(release string) string {
		return strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return '?'
			}
			return r
		}, strings.ToValidUTF8(release[:min(len(release), 40)], "?"))
	}
	return does + " is of release " + plain(of) + ", " + says + " of release " + plain(own)
}

// StateFolder holds state files, from the project.
const StateFolder = ".claude"

const (
	stateFilePrefix = StateFolder + "/deep-research."
	stateFileSuffix = "local.md"
)

// StateFiles are the names under which the state file of a run may stand, from
// the project: the short one, and the one that bears its id. What is no run
// has none.
func StateFiles(run string) []string {
	if !ValidRun(run) {
		return nil
	}
	return []string{stateFilePrefix + stateFileSuffix, stateFilePrefix + run + "." + stateFileSuffix}
}

// PointerPrefix begins the name of every pointer.
const PointerPrefix = stateFilePrefix + "of-"

// PointerFile is the name of the file, from the project, that leads from a session
// to the run it owns. The session has to be a valid one.
func PointerFile(session string) string { return PointerPrefix + session + "." + stateFileSuffix }

// HandOverFile is the name of the file, from the project, by which a session whose
// context was cleared hands its run to the next one of its process.
func HandOverFile(pid int) string { return HandOverPrefix + strconv.Itoa(pid) + "." + stateFileSuffix }

// HandOverPrefix begins the name of every such file.
const HandOverPrefix = stateFilePrefix + "cleared-"

// Unheard, in a run's folder, names the session that was not there when its run
// ended: its next stop hears of it.
const Unheard = "session/unheard"

// MaxPointerBytes bounds a pointer, in bytes.
const MaxPointerBytes = 64

// ParsePointer reads the run's id from a pointer; "" for what is none.
func ParsePointer(data []byte) string {
	id, _ := bytes.CutSuffix(data, []byte("\n"))
	if !ValidRun(string(id)) {
		return ""
	}
	return string(id)
}

// ValidSession reports whether a session's id may become part of a path. Others
// own nothing.
func ValidSession(id string) bool {
	const most = 64
	for i := range len(id) {
		b := id[i]
		if (b < '0' || b > '9') && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && b != '-' {
			return false
		}
	}
	return id != "" && len(id) <= most
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
		case "release":
			text, err := strconv.Unquote(string(value))
			if err != nil {
				return s, false
			}
			s.Release = text
		case "campaign":
			text, err := strconv.Unquote(string(value))
			if err != nil {
				return s, false
			}
			s.Campaign = text
		case "loop":
			s.Loop = string(value) == "true"
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
