package workspace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/adrg/frontmatter"

	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/engine/hook"
)

// State is the orchestration state file: a projection of a run for hooks and
// people, bound to the session that owns the run.
type State struct {
	Active        bool   `yaml:"active"`
	Phase         string `yaml:"phase"`
	ResearchID    string `yaml:"research_id"`
	SessionID     string `yaml:"session_id"`
	MaxIterations int    `yaml:"max_iterations"`
	StartedAt     string `yaml:"started_at"` // UTC, RFC 3339
	Release       string `yaml:"release"`    // of the program that works on the run
	Campaign      string `yaml:"campaign"`   // its slug; "" for a run that is none
	Loop          bool   `yaml:"loop"`       // of a campaign: the session's own Stop hook asks for the next iteration
	Topic         string `yaml:"-"`          // the body
}

// ErrNoState says that a run has no state file, or no longer.
var ErrNoState = errors.New("the run has no state file")

// Encode writes the state in the fixed line form the hooks scan. No value can
// break a line: strings are quoted, and the topic stands in the body.
func (s State) Encode() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nactive: %t\nphase: %s\nresearch_id: %s\nsession_id: %s\nmax_iterations: %d\nstarted_at: %s\n",
		s.Active, s.Phase, s.ResearchID, strconv.Quote(s.SessionID), s.MaxIterations, strconv.Quote(s.StartedAt))
	if s.Release != "" {
		fmt.Fprintf(&b, "release: %s\n", strconv.Quote(s.Release))
	}
	if s.Campaign != "" {
		fmt.Fprintf(&b, "campaign: %s\nloop: %t\n", strconv.Quote(s.Campaign), s.Loop)
	}
	b.WriteString("---\n\n")
	b.WriteString(s.Topic)
	if !strings.HasSuffix(s.Topic, "\n") {
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// DecodeState reads a state file. The topic comes back with white space cut
// off at both ends; the journal has it byte for byte.
func DecodeState(data []byte) (State, error) {
	var s State
	rest, err := frontmatter.MustParse(bytes.NewReader(data), &s)
	if err != nil {
		return State{}, fmt.Errorf("read state file: %w", err)
	}
	if !ValidID(s.ResearchID) {
		return State{}, fmt.Errorf("read state file: %q is no run id", s.ResearchID)
	}
	s.Topic = strings.TrimSpace(string(rest))
	return s, nil
}

// NewState is the state of a run that begins.
func NewState(id, session, topic string, iterations int, at time.Time) State {
	return State{
		Active: true, Phase: "research", ResearchID: id, SessionID: session,
		MaxIterations: iterations, StartedAt: at.UTC().Format(time.RFC3339), Topic: topic,
	}
}

// CreateState lays down the state file of a new run: under the short name, or
// under one with the run's id where another run has the short one. The pointer
// of the session that owns it leads there.
func CreateState(project string, s State) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("create state file: %w", err)
	}
	defer root.Close()
	if err := root.MkdirAll(hook.StateFolder, 0o700); err != nil {
		return fmt.Errorf("create state file: %w", err)
	}
	names := hook.StateFiles(s.ResearchID)
	if len(names) == 0 {
		return fmt.Errorf("create state file: %q is no run id", s.ResearchID)
	}
	name := names[0]
	if _, err := root.Lstat(name); err == nil {
		name = names[1]
	}
	if err := replace(root, name, s.Encode()); err != nil {
		return err
	}
	return writePointer(root, s.SessionID, s.ResearchID)
}

// UpdateState changes the phase in a run's state file, and the release that works
// on the run, "" for no change. A state file that is gone or names another run is
// left alone: [ErrNoState].
func UpdateState(project, id, phase, release string) error {
	return withState(project, id, func(root *os.Root, name string, s State) error {
		release := cmp.Or(release, s.Release)
		if s.Phase == phase && s.Release == release {
			return nil
		}
		s.Phase, s.Release = phase, release
		return replace(root, name, s.Encode())
	})
}

// RemoveState removes a run's state file and what points to it; [ErrNoState]
// when there is none.
func RemoveState(project, id string) error {
	err := withState(project, id, func(root *os.Root, name string, s State) error {
		_ = replace(root, path.Join(Runs, id, ended), []byte(s.SessionID)) // it is only shown
		return durable.Remove(root, name)
	})
	if err != nil && !errors.Is(err, ErrNoState) {
		return err
	}
	return cmp.Or(removePointers(project, id), err)
}

// LeaveUnheard removes the state file of a run that has ended before its session
// was there to hear it. What points to the run stays, so that the session's next
// stop finds what is to be told.
func LeaveUnheard(project, id string) error {
	return withState(project, id, func(root *os.Root, name string, s State) error {
		if err := replace(root, path.Join(Runs, id, Unheard), []byte(s.SessionID)); err != nil {
			return err
		}
		_ = replace(root, path.Join(Runs, id, ended), []byte(s.SessionID)) // it is only shown
		return durable.Remove(root, name)
	})
}

// ended is, in a run's folder, the id of the session that owned the run when it ended,
// written then.
const ended = Session + "/ended"

// maxEnded bounds how many runs are looked through for those of a session.
const maxEnded = 50

// EndedRun is the run of a session that has ended last and not before a time; "" for
// none.
func EndedRun(project, session string, since time.Time) string {
	ids, err := List(project)
	if err != nil || !hook.ValidSession(session) {
		return ""
	}
	latest := since
	found := ""
	for _, id := range ids[max(0, len(ids)-maxEnded):] {
		name := filepath.Join(project, Runs, id, filepath.FromSlash(ended))
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.ModTime().Before(latest) || info.Size() != int64(len(session)) {
			continue
		}
		if data, err := os.ReadFile(name); err == nil && string(data) == session {
			found, latest = id, info.ModTime()
		}
	}
	return found
}

// Heard removes what LeaveUnheard has left.
func Heard(f *Folder, project string) error {
	if err := os.Remove(f.Join(Unheard)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note that the session has heard how its run ended: %w", err)
	}
	return removePointers(project, f.ID)
}

// MoveState hands a run's state file from one session to another: the state
// alone decides, so what breaks off in between has moved nothing. A state file
// that is not the old session's is left alone: [ErrNoState].
func MoveState(project, id, from, to string) error {
	return withState(project, id, func(root *os.Root, name string, s State) error {
		if !s.Active || from == "" || s.SessionID != from || !hook.ValidSession(to) {
			return ErrNoState
		}
		if err := writePointer(root, to, id); err != nil {
			return err
		}
		s.SessionID = to
		if err := replace(root, name, s.Encode()); err != nil {
			return err
		}
		return removePointer(root, hook.PointerFile(from), id)
	})
}

// ReadState reads a run's state file.
func ReadState(project, id string) (State, error) {
	var found State
	err := withState(project, id, func(_ *os.Root, _ string, s State) error {
		found = s
		return nil
	})
	return found, err
}

func withState(project, id string, do func(*os.Root, string, State) error) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("open state file: %w", err)
	}
	defer root.Close()
	var trouble error
	for _, name := range hook.StateFiles(id) {
		s, err := readState(root, name)
		if err == nil && s.ResearchID == id {
			return do(root, name, s)
		}
		if err != nil && !errors.Is(err, errNotOurs) && trouble == nil {
			trouble = fmt.Errorf("open state file: %w", err)
		}
	}
	return cmp.Or(trouble, ErrNoState)
}

// errNotOurs says that nothing of ours stands under a state file's name.
var errNotOurs = errors.New("no state file of ours")

// readState reads the state under a name. What is not there, is no regular
// file or holds no state is errNotOurs.
func readState(root *os.Root, name string) (State, error) {
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return State{}, errNotOurs
	}
	var data []byte
	if err == nil {
		data, err = root.ReadFile(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, errNotOurs
	}
	if err != nil {
		return State{}, err
	}
	s, err := DecodeState(data)
	if err != nil {
		return State{}, errNotOurs
	}
	return s, nil
}

// SessionRun finds the run that a session owns: its pointer leads to the state
// file, which has to name both. "" when there is none.
func SessionRun(project, session string) string {
	if !hook.ValidSession(session) {
		return ""
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return ""
	}
	defer root.Close()
	id := pointed(root, hook.PointerFile(session))
	for _, name := range hook.StateFiles(id) {
		s, err := readState(root, name)
		if err == nil && s.Active && s.ResearchID == id && s.SessionID == session {
			return id
		}
	}
	return ""
}
